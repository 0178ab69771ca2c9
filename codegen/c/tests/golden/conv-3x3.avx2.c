int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 f32[1,32,17,19] from x0 f32[1,5,17,19], x1 f32[32,5,3,3], x2 f32[32]
 */
/* its operand with the border written out */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  float *restrict t5 = b[1];
  (void)scratch;
  (void)d;
  const float *restrict plane = x0 + (tile % 5) * 323;
  float *restrict padded = t5 + tile * 399;
  for (int64_t h0 = 0; h0 < 19; h0++) {
    if ((h0 - 1) >= 0 && (h0 - 1) < 17) {
      eg_pad_row(padded + h0 * 21, plane + h0 * 19 - 19, 1, 1, 19, 1, 0.0f);
    } else {
      eg_pad_row(padded + h0 * 21, NULL, 1, 1, 19, 1, 0.0f);
    }
  }
  return 0;
}

int eg_f1(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* contract {a e c+f-1 d+g-1, b e f g -> a b c d | c=17 d=19 f=3 g=3} of 5:3; then max of 10:3 | drop(0) unroll(2,6) unroll(0,16) vectorize(0) parallel(0,16) */
/* tiles of 6 rows x 16 lanes, vector operand packed constant, results leave across the lanes */
int eg_f1(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x2 = b[0];
  float *restrict y0 = b[1];
  const float *restrict t5 = b[2];
  const float *restrict c6 = b[3];
  (void)d;
  const int64_t panel = tile % 2;
  float *restrict buffer = (float *)(scratch + 0);
  float *restrict turned = (float *)(scratch + 512);
  {
    const float *restrict vectors = c6 + panel * 720;
    for (int64_t m0 = 0; m0 < 17; m0++) {
      for (int64_t r1 = 0; r1 < 3; r1++) {
        const float *restrict scalars = t5 + m0 * 21 + r1 * 5;
        vf acc0_0 = vf_splat(0.0f);
        vf acc0_1 = vf_splat(0.0f);
        vf acc1_0 = vf_splat(0.0f);
        vf acc1_1 = vf_splat(0.0f);
        vf acc2_0 = vf_splat(0.0f);
        vf acc2_1 = vf_splat(0.0f);
        vf acc3_0 = vf_splat(0.0f);
        vf acc3_1 = vf_splat(0.0f);
        vf acc4_0 = vf_splat(0.0f);
        vf acc4_1 = vf_splat(0.0f);
        for (int64_t k2 = 0; k2 < 5; k2++) {
          for (int64_t k3 = 0; k3 < 3; k3++) {
            {
              const vf b0 = LD(vectors + k2 * 144 + k3 * 48);
              const vf b1 = LD(vectors + (k2 * 144 + k3 * 48) + 8);
              const float a0 = scalars[k2 * 399 + k3 * 21];
              acc0_0 += a0 * b0;
              acc0_1 += a0 * b1;
              const float a1 = scalars[(k2 * 399 + k3 * 21) + 1];
              acc1_0 += a1 * b0;
              acc1_1 += a1 * b1;
              const float a2 = scalars[(k2 * 399 + k3 * 21) + 2];
              acc2_0 += a2 * b0;
              acc2_1 += a2 * b1;
              const float a3 = scalars[(k2 * 399 + k3 * 21) + 3];
              acc3_0 += a3 * b0;
              acc3_1 += a3 * b1;
              const float a4 = scalars[(k2 * 399 + k3 * 21) + 4];
              acc4_0 += a4 * b0;
              acc4_1 += a4 * b1;
            }
            {
              const vf b0 = LD(vectors + (k2 * 144 + k3 * 48) + 16);
              const vf b1 = LD(vectors + (k2 * 144 + k3 * 48) + 24);
              const float a0 = scalars[(k2 * 399 + k3 * 21) + 1];
              acc0_0 += a0 * b0;
              acc0_1 += a0 * b1;
              const float a1 = scalars[(k2 * 399 + k3 * 21) + 2];
              acc1_0 += a1 * b0;
              acc1_1 += a1 * b1;
              const float a2 = scalars[(k2 * 399 + k3 * 21) + 3];
              acc2_0 += a2 * b0;
              acc2_1 += a2 * b1;
              const float a3 = scalars[(k2 * 399 + k3 * 21) + 4];
              acc3_0 += a3 * b0;
              acc3_1 += a3 * b1;
              const float a4 = scalars[(k2 * 399 + k3 * 21) + 5];
              acc4_0 += a4 * b0;
              acc4_1 += a4 * b1;
            }
            {
              const vf b0 = LD(vectors + (k2 * 144 + k3 * 48) + 32);
              const vf b1 = LD(vectors + (k2 * 144 + k3 * 48) + 40);
              const float a0 = scalars[(k2 * 399 + k3 * 21) + 2];
              acc0_0 += a0 * b0;
              acc0_1 += a0 * b1;
              const float a1 = scalars[(k2 * 399 + k3 * 21) + 3];
              acc1_0 += a1 * b0;
              acc1_1 += a1 * b1;
              const float a2 = scalars[(k2 * 399 + k3 * 21) + 4];
              acc2_0 += a2 * b0;
              acc2_1 += a2 * b1;
              const float a3 = scalars[(k2 * 399 + k3 * 21) + 5];
              acc3_0 += a3 * b0;
              acc3_1 += a3 * b1;
              const float a4 = scalars[(k2 * 399 + k3 * 21) + 6];
              acc4_0 += a4 * b0;
              acc4_1 += a4 * b1;
            }
          }
        }
        ST(buffer, acc0_0);
        ST(buffer + 8, acc0_1);
        ST(buffer + 16, acc1_0);
        ST(buffer + 24, acc1_1);
        ST(buffer + 32, acc2_0);
        ST(buffer + 40, acc2_1);
        ST(buffer + 48, acc3_0);
        ST(buffer + 56, acc3_1);
        ST(buffer + 64, acc4_0);
        ST(buffer + 72, acc4_1);
        for (int64_t j = 0; j < 16; j += 8) {
          vf_transpose_square(buffer + j, 16, turned);
          for (int64_t c = 0; c < 8; c++) {
            const vf sum = LD(turned + c * 8);
            const float v4 = x2[(panel * 16 + j) + c];
            const vf v5 = sum + vf_splat(v4);
            const vf v6 = vf_max_keep(vf_splat(0.0f), v5);
            vf_store_part(y0 + (((panel * 5168 + j * 323) + c * 323) + m0 * 19) + r1 * 5, v6, 5);
          }
        }
      }
      {
        const float *restrict scalars = t5 + m0 * 21 + 15;
        vf acc0_0 = vf_splat(0.0f);
        vf acc0_1 = vf_splat(0.0f);
        vf acc1_0 = vf_splat(0.0f);
        vf acc1_1 = vf_splat(0.0f);
        vf acc2_0 = vf_splat(0.0f);
        vf acc2_1 = vf_splat(0.0f);
        vf acc3_0 = vf_splat(0.0f);
        vf acc3_1 = vf_splat(0.0f);
        for (int64_t k7 = 0; k7 < 5; k7++) {
          for (int64_t k8 = 0; k8 < 3; k8++) {
            {
              const vf b0 = LD(vectors + k7 * 144 + k8 * 48);
              const vf b1 = LD(vectors + (k7 * 144 + k8 * 48) + 8);
              const float a0 = scalars[k7 * 399 + k8 * 21];
              acc0_0 += a0 * b0;
              acc0_1 += a0 * b1;
              const float a1 = scalars[(k7 * 399 + k8 * 21) + 1];
              acc1_0 += a1 * b0;
              acc1_1 += a1 * b1;
              const float a2 = scalars[(k7 * 399 + k8 * 21) + 2];
              acc2_0 += a2 * b0;
              acc2_1 += a2 * b1;
              const float a3 = scalars[(k7 * 399 + k8 * 21) + 3];
              acc3_0 += a3 * b0;
              acc3_1 += a3 * b1;
            }
            {
              const vf b0 = LD(vectors + (k7 * 144 + k8 * 48) + 16);
              const vf b1 = LD(vectors + (k7 * 144 + k8 * 48) + 24);
              const float a0 = scalars[(k7 * 399 + k8 * 21) + 1];
              acc0_0 += a0 * b0;
              acc0_1 += a0 * b1;
              const float a1 = scalars[(k7 * 399 + k8 * 21) + 2];
              acc1_0 += a1 * b0;
              acc1_1 += a1 * b1;
              const float a2 = scalars[(k7 * 399 + k8 * 21) + 3];
              acc2_0 += a2 * b0;
              acc2_1 += a2 * b1;
              const float a3 = scalars[(k7 * 399 + k8 * 21) + 4];
              acc3_0 += a3 * b0;
              acc3_1 += a3 * b1;
            }
            {
              const vf b0 = LD(vectors + (k7 * 144 + k8 * 48) + 32);
              const vf b1 = LD(vectors + (k7 * 144 + k8 * 48) + 40);
              const float a0 = scalars[(k7 * 399 + k8 * 21) + 2];
              acc0_0 += a0 * b0;
              acc0_1 += a0 * b1;
              const float a1 = scalars[(k7 * 399 + k8 * 21) + 3];
              acc1_0 += a1 * b0;
              acc1_1 += a1 * b1;
              const float a2 = scalars[(k7 * 399 + k8 * 21) + 4];
              acc2_0 += a2 * b0;
              acc2_1 += a2 * b1;
              const float a3 = scalars[(k7 * 399 + k8 * 21) + 5];
              acc3_0 += a3 * b0;
              acc3_1 += a3 * b1;
            }
          }
        }
        ST(buffer, acc0_0);
        ST(buffer + 8, acc0_1);
        ST(buffer + 16, acc1_0);
        ST(buffer + 24, acc1_1);
        ST(buffer + 32, acc2_0);
        ST(buffer + 40, acc2_1);
        ST(buffer + 48, acc3_0);
        ST(buffer + 56, acc3_1);
        for (int64_t j = 0; j < 16; j += 8) {
          vf_transpose_square(buffer + j, 16, turned);
          for (int64_t c = 0; c < 8; c++) {
            const vf sum = LD(turned + c * 8);
            const float v9 = x2[(panel * 16 + j) + c];
            const vf v10 = sum + vf_splat(v9);
            const vf v11 = vf_max_keep(vf_splat(0.0f), v10);
            vf_store_part(y0 + (((panel * 5168 + j * 323) + c * 323) + m0 * 19) + 15, v11, 4);
          }
        }
      }
    }
  }
  return 0;
}
