int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 f32[1,9,21,35] from x0 f32[1,9,21,35], x1 f32[9,3,3], x2 f32[9]
 */
/* contract {a b c+e-1 d+f-1, b e f -> a b c d | c=21 d=35 e=3 f=3} of 5:3; then add of 7:3 */
/* strips of 21 rows copied with their border, tiles of 4 rows x 32 lanes | vectorize(3) unroll(2,4) parallel */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  const float *restrict x1 = b[1];
  const float *restrict x2 = b[2];
  float *restrict y0 = b[3];
  (void)d;
  const int64_t o1 = tile % 9;
  const float *restrict plane = x0 + o1 * 735;
  float *restrict image = (float *)(scratch + 0);
  for (int64_t h0 = 0; h0 < 23; h0++) {
    if ((h0 - 1) >= 0 && (h0 - 1) < 21) {
      eg_pad_row(image + h0 * 37, plane + h0 * 35 - 35, 1, 1, 35, 1, 0.0f);
    } else {
      eg_pad_row(image + h0 * 37, NULL, 1, 1, 35, 1, 0.0f);
    }
  }
  const float *restrict weights = x1 + o1 * 9;
  const int64_t whole = 20;
  for (int64_t r1 = 0; r1 < 18; r1 += 4) {
    {
      vf acc0_0 = vf_splat(0.0f);
      vf acc0_1 = vf_splat(0.0f);
      vf acc1_0 = vf_splat(0.0f);
      vf acc1_1 = vf_splat(0.0f);
      vf acc2_0 = vf_splat(0.0f);
      vf acc2_1 = vf_splat(0.0f);
      vf acc3_0 = vf_splat(0.0f);
      vf acc3_1 = vf_splat(0.0f);
      const float *restrict here = image + r1 * 37;
      {
        const vf x0_ = LD(here);
        const vf x1_ = LD(here + 16);
        acc0_0 += weights[0] * x0_;
        acc0_1 += weights[0] * x1_;
      }
      {
        const vf x0_ = LD(here + 1);
        const vf x1_ = LD(here + 17);
        acc0_0 += weights[1] * x0_;
        acc0_1 += weights[1] * x1_;
      }
      {
        const vf x0_ = LD(here + 2);
        const vf x1_ = LD(here + 18);
        acc0_0 += weights[2] * x0_;
        acc0_1 += weights[2] * x1_;
      }
      {
        const vf x0_ = LD(here + 37);
        const vf x1_ = LD(here + 53);
        acc1_0 += weights[0] * x0_;
        acc1_1 += weights[0] * x1_;
        acc0_0 += weights[3] * x0_;
        acc0_1 += weights[3] * x1_;
      }
      {
        const vf x0_ = LD(here + 38);
        const vf x1_ = LD(here + 54);
        acc1_0 += weights[1] * x0_;
        acc1_1 += weights[1] * x1_;
        acc0_0 += weights[4] * x0_;
        acc0_1 += weights[4] * x1_;
      }
      {
        const vf x0_ = LD(here + 39);
        const vf x1_ = LD(here + 55);
        acc1_0 += weights[2] * x0_;
        acc1_1 += weights[2] * x1_;
        acc0_0 += weights[5] * x0_;
        acc0_1 += weights[5] * x1_;
      }
      {
        const vf x0_ = LD(here + 74);
        const vf x1_ = LD(here + 90);
        acc2_0 += weights[0] * x0_;
        acc2_1 += weights[0] * x1_;
        acc1_0 += weights[3] * x0_;
        acc1_1 += weights[3] * x1_;
        acc0_0 += weights[6] * x0_;
        acc0_1 += weights[6] * x1_;
      }
      {
        const vf x0_ = LD(here + 75);
        const vf x1_ = LD(here + 91);
        acc2_0 += weights[1] * x0_;
        acc2_1 += weights[1] * x1_;
        acc1_0 += weights[4] * x0_;
        acc1_1 += weights[4] * x1_;
        acc0_0 += weights[7] * x0_;
        acc0_1 += weights[7] * x1_;
      }
      {
        const vf x0_ = LD(here + 76);
        const vf x1_ = LD(here + 92);
        acc2_0 += weights[2] * x0_;
        acc2_1 += weights[2] * x1_;
        acc1_0 += weights[5] * x0_;
        acc1_1 += weights[5] * x1_;
        acc0_0 += weights[8] * x0_;
        acc0_1 += weights[8] * x1_;
      }
      {
        const vf x0_ = LD(here + 111);
        const vf x1_ = LD(here + 127);
        acc3_0 += weights[0] * x0_;
        acc3_1 += weights[0] * x1_;
        acc2_0 += weights[3] * x0_;
        acc2_1 += weights[3] * x1_;
        acc1_0 += weights[6] * x0_;
        acc1_1 += weights[6] * x1_;
      }
      {
        const vf x0_ = LD(here + 112);
        const vf x1_ = LD(here + 128);
        acc3_0 += weights[1] * x0_;
        acc3_1 += weights[1] * x1_;
        acc2_0 += weights[4] * x0_;
        acc2_1 += weights[4] * x1_;
        acc1_0 += weights[7] * x0_;
        acc1_1 += weights[7] * x1_;
      }
      {
        const vf x0_ = LD(here + 113);
        const vf x1_ = LD(here + 129);
        acc3_0 += weights[2] * x0_;
        acc3_1 += weights[2] * x1_;
        acc2_0 += weights[5] * x0_;
        acc2_1 += weights[5] * x1_;
        acc1_0 += weights[8] * x0_;
        acc1_1 += weights[8] * x1_;
      }
      {
        const vf x0_ = LD(here + 148);
        const vf x1_ = LD(here + 164);
        acc3_0 += weights[3] * x0_;
        acc3_1 += weights[3] * x1_;
        acc2_0 += weights[6] * x0_;
        acc2_1 += weights[6] * x1_;
      }
      {
        const vf x0_ = LD(here + 149);
        const vf x1_ = LD(here + 165);
        acc3_0 += weights[4] * x0_;
        acc3_1 += weights[4] * x1_;
        acc2_0 += weights[7] * x0_;
        acc2_1 += weights[7] * x1_;
      }
      {
        const vf x0_ = LD(here + 150);
        const vf x1_ = LD(here + 166);
        acc3_0 += weights[5] * x0_;
        acc3_1 += weights[5] * x1_;
        acc2_0 += weights[8] * x0_;
        acc2_1 += weights[8] * x1_;
      }
      {
        const vf x0_ = LD(here + 185);
        const vf x1_ = LD(here + 201);
        acc3_0 += weights[6] * x0_;
        acc3_1 += weights[6] * x1_;
      }
      {
        const vf x0_ = LD(here + 186);
        const vf x1_ = LD(here + 202);
        acc3_0 += weights[7] * x0_;
        acc3_1 += weights[7] * x1_;
      }
      {
        const vf x0_ = LD(here + 187);
        const vf x1_ = LD(here + 203);
        acc3_0 += weights[8] * x0_;
        acc3_1 += weights[8] * x1_;
      }
      {
        const float v2 = x2[o1];
        const vf v3 = acc0_0 + vf_splat(v2);
        ST(y0 + o1 * 735 + r1 * 35, v3);
      }
      {
        const float v4 = x2[o1];
        const vf v5 = acc0_1 + vf_splat(v4);
        ST(y0 + (o1 * 735 + r1 * 35) + 16, v5);
      }
      {
        const float v6 = x2[o1];
        const vf v7 = acc1_0 + vf_splat(v6);
        ST(y0 + (o1 * 735 + r1 * 35) + 35, v7);
      }
      {
        const float v8 = x2[o1];
        const vf v9 = acc1_1 + vf_splat(v8);
        ST(y0 + (o1 * 735 + r1 * 35) + 51, v9);
      }
      {
        const float v10 = x2[o1];
        const vf v11 = acc2_0 + vf_splat(v10);
        ST(y0 + (o1 * 735 + r1 * 35) + 70, v11);
      }
      {
        const float v12 = x2[o1];
        const vf v13 = acc2_1 + vf_splat(v12);
        ST(y0 + (o1 * 735 + r1 * 35) + 86, v13);
      }
      {
        const float v14 = x2[o1];
        const vf v15 = acc3_0 + vf_splat(v14);
        ST(y0 + (o1 * 735 + r1 * 35) + 105, v15);
      }
      {
        const float v16 = x2[o1];
        const vf v17 = acc3_1 + vf_splat(v16);
        ST(y0 + (o1 * 735 + r1 * 35) + 121, v17);
      }
    }
    {
      vf acc0_0 = vf_splat(0.0f);
      vf acc1_0 = vf_splat(0.0f);
      vf acc2_0 = vf_splat(0.0f);
      vf acc3_0 = vf_splat(0.0f);
      const float *restrict here = image + r1 * 37 + 32;
      {
        const vf x0_ = LD(here);
        acc0_0 += weights[0] * x0_;
      }
      {
        const vf x0_ = LD(here + 1);
        acc0_0 += weights[1] * x0_;
      }
      {
        const vf x0_ = LD(here + 2);
        acc0_0 += weights[2] * x0_;
      }
      {
        const vf x0_ = LD(here + 37);
        acc1_0 += weights[0] * x0_;
        acc0_0 += weights[3] * x0_;
      }
      {
        const vf x0_ = LD(here + 38);
        acc1_0 += weights[1] * x0_;
        acc0_0 += weights[4] * x0_;
      }
      {
        const vf x0_ = LD(here + 39);
        acc1_0 += weights[2] * x0_;
        acc0_0 += weights[5] * x0_;
      }
      {
        const vf x0_ = LD(here + 74);
        acc2_0 += weights[0] * x0_;
        acc1_0 += weights[3] * x0_;
        acc0_0 += weights[6] * x0_;
      }
      {
        const vf x0_ = LD(here + 75);
        acc2_0 += weights[1] * x0_;
        acc1_0 += weights[4] * x0_;
        acc0_0 += weights[7] * x0_;
      }
      {
        const vf x0_ = LD(here + 76);
        acc2_0 += weights[2] * x0_;
        acc1_0 += weights[5] * x0_;
        acc0_0 += weights[8] * x0_;
      }
      {
        const vf x0_ = LD(here + 111);
        acc3_0 += weights[0] * x0_;
        acc2_0 += weights[3] * x0_;
        acc1_0 += weights[6] * x0_;
      }
      {
        const vf x0_ = LD(here + 112);
        acc3_0 += weights[1] * x0_;
        acc2_0 += weights[4] * x0_;
        acc1_0 += weights[7] * x0_;
      }
      {
        const vf x0_ = LD(here + 113);
        acc3_0 += weights[2] * x0_;
        acc2_0 += weights[5] * x0_;
        acc1_0 += weights[8] * x0_;
      }
      {
        const vf x0_ = LD(here + 148);
        acc3_0 += weights[3] * x0_;
        acc2_0 += weights[6] * x0_;
      }
      {
        const vf x0_ = LD(here + 149);
        acc3_0 += weights[4] * x0_;
        acc2_0 += weights[7] * x0_;
      }
      {
        const vf x0_ = LD(here + 150);
        acc3_0 += weights[5] * x0_;
        acc2_0 += weights[8] * x0_;
      }
      {
        const vf x0_ = LD(here + 185);
        acc3_0 += weights[6] * x0_;
      }
      {
        const vf x0_ = LD(here + 186);
        acc3_0 += weights[7] * x0_;
      }
      {
        const vf x0_ = LD(here + 187);
        acc3_0 += weights[8] * x0_;
      }
      {
        const float v18 = x2[o1];
        const vf v19 = acc0_0 + vf_splat(v18);
        vf_store_part(y0 + (o1 * 735 + r1 * 35) + 32, v19, 3);
      }
      {
        const float v20 = x2[o1];
        const vf v21 = acc1_0 + vf_splat(v20);
        vf_store_part(y0 + (o1 * 735 + r1 * 35) + 67, v21, 3);
      }
      {
        const float v22 = x2[o1];
        const vf v23 = acc2_0 + vf_splat(v22);
        vf_store_part(y0 + (o1 * 735 + r1 * 35) + 102, v23, 3);
      }
      {
        const float v24 = x2[o1];
        const vf v25 = acc3_0 + vf_splat(v24);
        vf_store_part(y0 + (o1 * 735 + r1 * 35) + 137, v25, 3);
      }
    }
  }
  for (int64_t r26 = whole; r26 < 21; r26++) {
    {
      vf acc0_0 = vf_splat(0.0f);
      vf acc0_1 = vf_splat(0.0f);
      const float *restrict here = image + r26 * 37;
      {
        const vf x0_ = LD(here);
        const vf x1_ = LD(here + 16);
        acc0_0 += weights[0] * x0_;
        acc0_1 += weights[0] * x1_;
      }
      {
        const vf x0_ = LD(here + 1);
        const vf x1_ = LD(here + 17);
        acc0_0 += weights[1] * x0_;
        acc0_1 += weights[1] * x1_;
      }
      {
        const vf x0_ = LD(here + 2);
        const vf x1_ = LD(here + 18);
        acc0_0 += weights[2] * x0_;
        acc0_1 += weights[2] * x1_;
      }
      {
        const vf x0_ = LD(here + 37);
        const vf x1_ = LD(here + 53);
        acc0_0 += weights[3] * x0_;
        acc0_1 += weights[3] * x1_;
      }
      {
        const vf x0_ = LD(here + 38);
        const vf x1_ = LD(here + 54);
        acc0_0 += weights[4] * x0_;
        acc0_1 += weights[4] * x1_;
      }
      {
        const vf x0_ = LD(here + 39);
        const vf x1_ = LD(here + 55);
        acc0_0 += weights[5] * x0_;
        acc0_1 += weights[5] * x1_;
      }
      {
        const vf x0_ = LD(here + 74);
        const vf x1_ = LD(here + 90);
        acc0_0 += weights[6] * x0_;
        acc0_1 += weights[6] * x1_;
      }
      {
        const vf x0_ = LD(here + 75);
        const vf x1_ = LD(here + 91);
        acc0_0 += weights[7] * x0_;
        acc0_1 += weights[7] * x1_;
      }
      {
        const vf x0_ = LD(here + 76);
        const vf x1_ = LD(here + 92);
        acc0_0 += weights[8] * x0_;
        acc0_1 += weights[8] * x1_;
      }
      {
        const float v27 = x2[o1];
        const vf v28 = acc0_0 + vf_splat(v27);
        ST(y0 + o1 * 735 + r26 * 35, v28);
      }
      {
        const float v29 = x2[o1];
        const vf v30 = acc0_1 + vf_splat(v29);
        ST(y0 + (o1 * 735 + r26 * 35) + 16, v30);
      }
    }
    {
      vf acc0_0 = vf_splat(0.0f);
      const float *restrict here = image + r26 * 37 + 32;
      {
        const vf x0_ = LD(here);
        acc0_0 += weights[0] * x0_;
      }
      {
        const vf x0_ = LD(here + 1);
        acc0_0 += weights[1] * x0_;
      }
      {
        const vf x0_ = LD(here + 2);
        acc0_0 += weights[2] * x0_;
      }
      {
        const vf x0_ = LD(here + 37);
        acc0_0 += weights[3] * x0_;
      }
      {
        const vf x0_ = LD(here + 38);
        acc0_0 += weights[4] * x0_;
      }
      {
        const vf x0_ = LD(here + 39);
        acc0_0 += weights[5] * x0_;
      }
      {
        const vf x0_ = LD(here + 74);
        acc0_0 += weights[6] * x0_;
      }
      {
        const vf x0_ = LD(here + 75);
        acc0_0 += weights[7] * x0_;
      }
      {
        const vf x0_ = LD(here + 76);
        acc0_0 += weights[8] * x0_;
      }
      {
        const float v31 = x2[o1];
        const vf v32 = acc0_0 + vf_splat(v31);
        vf_store_part(y0 + (o1 * 735 + r26 * 35) + 32, v32, 3);
      }
    }
  }
  return 0;
}
