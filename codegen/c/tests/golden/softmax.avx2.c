int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 f32[5,6,77] from x0 f32[5,6,77]
 */
/* max {a b c -> a b} of 3:3 | parallel(0,10) compute_at(stage 0,0) vectorize(1) */
/* exp of 3:3 | parallel(0,10) compute_at(stage 1,0) vectorize(1) */
/* sum {a b c -> a b} of 3:3 | parallel(0,10) compute_at(stage 2,0) vectorize(1) */
/* mul of 3:3 | parallel(0,10) compute_at(stage 3,0) vectorize(1) */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  float *restrict y0 = b[1];
  (void)d;
  float *restrict t2 = (float *)(scratch + 0);
  float *restrict t3 = (float *)(scratch + 64);
  float *restrict t4 = (float *)(scratch + 384);
  for (int64_t row = tile * 10; row < (tile * 10 + 10); row++) {
    {
      vf acc0 = vf_splat(-INFINITY);
      vf acc1 = vf_splat(-INFINITY);
      vf acc2 = vf_splat(-INFINITY);
      vf acc3 = vf_splat(-INFINITY);
      for (int64_t l4 = 0; l4 < 64; l4 += 32) {
        {
          const vf v5 = LD(x0 + row * 77 + l4);
          acc0 = vf_max(acc0, v5);
        }
        {
          const vf v6 = LD(x0 + (row * 77 + l4) + 8);
          acc1 = vf_max(acc1, v6);
        }
        {
          const vf v7 = LD(x0 + (row * 77 + l4) + 16);
          acc2 = vf_max(acc2, v7);
        }
        {
          const vf v8 = LD(x0 + (row * 77 + l4) + 24);
          acc3 = vf_max(acc3, v8);
        }
      }
      for (int64_t l4 = 64; l4 < 72; l4 += 8) {
        {
          const vf v9 = LD(x0 + row * 77 + l4);
          acc0 = vf_max(acc0, v9);
        }
      }
      {
        const vf v10 = vf_load_part(x0 + row * 77 + 72, 5);
        acc0 = vf_max(acc0, vf_select(vi_iota() < (int32_t)5, v10, vf_splat((-INFINITY))));
      }
      acc1 = vf_max(acc1, acc3);
      acc1 = vf_max(acc1, acc2);
      acc0 = vf_max(acc0, acc1);
      const float fold11 = vf_hmax(acc0);
      t2[0] = fold11;
    }
    {
      const float v12 = t2[0];
      for (int64_t l13 = 0; l13 < 72; l13 += 8) {
        const vf v14 = LD(x0 + row * 77 + l13);
        const vf v15 = v14 - vf_splat(v12);
        const vf v16 = vf_exp(v15);
        ST(t3 + l13, v16);
      }
      {
        const vf v17 = vf_load_part(x0 + row * 77 + 72, 5);
        const vf v18 = v17 - vf_splat(v12);
        const vf v19 = vf_exp(v18);
        vf_store_part(t3 + 72, v19, 5);
      }
    }
    {
      vf acc20 = vf_splat(0.0f);
      vf acc21 = vf_splat(0.0f);
      vf acc22 = vf_splat(0.0f);
      vf acc23 = vf_splat(0.0f);
      for (int64_t l24 = 0; l24 < 64; l24 += 32) {
        {
          const vf v25 = LD(t3 + l24);
          acc20 = acc20 + v25;
        }
        {
          const vf v26 = LD(t3 + l24 + 8);
          acc21 = acc21 + v26;
        }
        {
          const vf v27 = LD(t3 + l24 + 16);
          acc22 = acc22 + v27;
        }
        {
          const vf v28 = LD(t3 + l24 + 24);
          acc23 = acc23 + v28;
        }
      }
      for (int64_t l24 = 64; l24 < 72; l24 += 8) {
        {
          const vf v29 = LD(t3 + l24);
          acc20 = acc20 + v29;
        }
      }
      {
        const vf v30 = vf_load_part(t3 + 72, 5);
        acc20 = acc20 + vf_select(vi_iota() < (int32_t)5, v30, vf_splat(0.0f));
      }
      acc21 = acc21 + acc23;
      acc21 = acc21 + acc22;
      acc20 = acc20 + acc21;
      const float fold31 = vf_hsum(acc20);
      t4[0] = fold31;
    }
    {
      const float v32 = t4[0];
      const float v33 = 1.0f / v32;
      for (int64_t l34 = 0; l34 < 72; l34 += 8) {
        const vf v35 = LD(t3 + l34);
        const vf v36 = v35 * vf_splat(v33);
        ST(y0 + row * 77 + l34, v36);
      }
      {
        const vf v37 = vf_load_part(t3 + 72, 5);
        const vf v38 = v37 * vf_splat(v33);
        vf_store_part(y0 + row * 77 + 72, v38, 5);
      }
    }
  }
  return 0;
}
