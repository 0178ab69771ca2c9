int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 f32[6,1,1,32], y1 f32[1,1,32] from x0 f32[6,1,20], x1 f32[1,96,20], x2 f32[1,96,32], x3 f32[1,192]
 */
/* call of 6:3 */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  const float *restrict x1 = b[1];
  const float *restrict x2 = b[2];
  const float *restrict x3 = b[3];
  float *restrict y0 = b[4];
  float *restrict t6 = b[5];
  (void)d;
  float *restrict work = (float *)(scratch + 0);
  eg_gru(6, 20, 32, 20, 32, 0, x0 + tile * 20, x1, x2, x3, NULL, NULL, y0 + tile * 32, t6 + tile * 32, work, INFINITY, 1, EG_SIGMOID, 0.0f, 0.0f, EG_TANH, 0.0f, 0.0f);
  return 0;
}

int eg_f1(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* call of 7:3 */
int eg_f1(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  const float *restrict x1 = b[1];
  const float *restrict x2 = b[2];
  const float *restrict x3 = b[3];
  float *restrict y1 = b[4];
  float *restrict t7 = b[5];
  (void)d;
  float *restrict work = (float *)(scratch + 0);
  eg_gru(6, 20, 32, 20, 32, 1, x0 + tile * 20, x1, x2, x3, NULL, NULL, t7 + tile * 32, y1 + tile * 32, work, INFINITY, 0, EG_HARD_SIGMOID, 0.2f, 0.5f, EG_RELU, 0.0f, 0.0f);
  return 0;
}
