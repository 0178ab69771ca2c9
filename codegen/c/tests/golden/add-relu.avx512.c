int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 f32[3,50] from x0 f32[3,50], x1 f32[50]
 */
/* max of 8:3 | parallel(0,3) vectorize(1) */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  const float *restrict x1 = b[1];
  float *restrict y0 = b[2];
  (void)scratch;
  (void)d;
  for (int64_t row = tile * 3; row < (tile * 3 + 3); row++) {
    {
      for (int64_t l0 = 0; l0 < 48; l0 += 16) {
        const vf v1 = LD(x0 + row * 50 + l0);
        const vf v2 = LD(x1 + l0);
        const vf v3 = v1 + v2;
        const vf v4 = vf_max_keep(vf_splat(0.0f), v3);
        ST(y0 + row * 50 + l0, v4);
      }
      {
        const vf v5 = vf_load_part(x0 + row * 50 + 48, 2);
        const vf v6 = vf_load_part(x1 + 48, 2);
        const vf v7 = v5 + v6;
        const vf v8 = vf_max_keep(vf_splat(0.0f), v7);
        vf_store_part(y0 + row * 50 + 48, v8, 2);
      }
    }
  }
  return 0;
}
