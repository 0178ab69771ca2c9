int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 f32[2,7,40] from x0 f32[5,40], x1 i64[2,7]
 */
/* gather of 4:3 | parallel(0,14) vectorize(1) */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  const int64_t *restrict x1 = b[1];
  float *restrict y0 = b[2];
  int trap = 0;
  (void)scratch;
  (void)d;
  for (int64_t row = tile * 14; row < (tile * 14 + 14); row++) {
    {
      const int64_t v0 = x1[row];
      const int64_t i1 = eg_index(v0, 5, 1, &trap);
      for (int64_t l2 = 0; l2 < 40; l2 += 8) {
        const vf v3 = LD(x0 + l2 + i1 * 40);
        ST(y0 + row * 40 + l2, v3);
      }
    }
  }
  return trap;
}
