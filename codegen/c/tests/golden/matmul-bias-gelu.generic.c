int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 f32[2,13,144] from x0 f32[2,13,64], x1 f32[64,144], x2 f32[144]
 */
/* contract {a b d, d c -> a b c} of 5:3; then mul of 8:3 | fuse(0,1) unroll(0,2) unroll(1,16) vectorize(1) parallel(1,16) */
/* tiles of 2 rows x 16 lanes, vector operand packed constant */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  const float *restrict x2 = b[1];
  float *restrict y0 = b[2];
  const float *restrict c5 = b[3];
  (void)d;
  const int64_t panel = tile % 9;
  float *restrict buffer = (float *)(scratch + 0);
  {
    const float *restrict vectors = c5 + panel * 1024;
    for (int64_t r0 = 0; r0 < 13; r0++) {
      const float *restrict scalars = x0 + r0 * 128;
      vf acc0_0 = vf_splat(0.0f);
      vf acc0_1 = vf_splat(0.0f);
      vf acc0_2 = vf_splat(0.0f);
      vf acc0_3 = vf_splat(0.0f);
      vf acc1_0 = vf_splat(0.0f);
      vf acc1_1 = vf_splat(0.0f);
      vf acc1_2 = vf_splat(0.0f);
      vf acc1_3 = vf_splat(0.0f);
      for (int64_t k1 = 0; k1 < 64; k1++) {
        const vf b0 = LD(vectors + k1 * 16);
        const vf b1 = LD(vectors + k1 * 16 + 4);
        const vf b2 = LD(vectors + k1 * 16 + 8);
        const vf b3 = LD(vectors + k1 * 16 + 12);
        const float a0 = scalars[k1];
        acc0_0 += a0 * b0;
        acc0_1 += a0 * b1;
        acc0_2 += a0 * b2;
        acc0_3 += a0 * b3;
        const float a1 = scalars[k1 + 64];
        acc1_0 += a1 * b0;
        acc1_1 += a1 * b1;
        acc1_2 += a1 * b2;
        acc1_3 += a1 * b3;
      }
      ST(buffer, acc0_0);
      ST(buffer + 4, acc0_1);
      ST(buffer + 8, acc0_2);
      ST(buffer + 12, acc0_3);
      ST(buffer + 16, acc1_0);
      ST(buffer + 20, acc1_1);
      ST(buffer + 24, acc1_2);
      ST(buffer + 28, acc1_3);
      for (int64_t i = 0; i < 2; i++) {
        for (int64_t j = 0; j < 16; j += 4) {
          const vf sum = LD(buffer + i * 16 + j);
          const vf v2 = LD(x2 + panel * 16 + j);
          const vf v3 = sum + v2;
          const float v4 = 1.0f / 1.4142135f;
          const vf v5 = v3 * vf_splat(v4);
          const vf v6 = vf_erf(v5);
          const vf v7 = 1.0f + v6;
          const vf v8 = v3 * v7;
          const vf v9 = v8 * 0.5f;
          ST(y0 + (r0 * 288 + i * 144) + (panel * 16 + j), v9);
        }
      }
    }
  }
  return 0;
}
