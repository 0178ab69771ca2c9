int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 f32[2,50,37] from x0 f32[2,37,50]
 */
/* permute of 3:3 | unroll(1,16) vectorize(2) */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  float *restrict y0 = b[1];
  (void)scratch;
  (void)d;
  for (int64_t j = 0; j < 50; j += 16) {
    vf_transpose_block(x0 + (((tile / 3) % 2) * 1850 + j) + (tile % 3) * 800, 50, ((tile % 3) * -16 + 37) < 16 ? ((tile % 3) * -16 + 37) : 16, y0 + (((tile / 3) % 2) * 1850 + j * 37) + (tile % 3) * 16, 37, (j * -1 + 50) < 16 ? (j * -1 + 50) : 16);
  }
  return 0;
}
