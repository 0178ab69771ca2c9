int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 f32[6,5,200] from x0 f32[6,5,200], x1 f32[200], x2 f32[200]
 */
/* sum {a b c -> a b} of 5:3 | parallel(0,2) compute_at(stage 0,0) vectorize(1) */
/* sum {a b c -> a b} of 5:3 | parallel(0,2) compute_at(stage 1,0) vectorize(1) */
/* add of 5:3 | parallel(0,2) compute_at(stage 2,0) vectorize(1) */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  const float *restrict x1 = b[1];
  const float *restrict x2 = b[2];
  float *restrict y0 = b[3];
  (void)d;
  float *restrict t4 = (float *)(scratch + 0);
  float *restrict t5 = (float *)(scratch + 64);
  for (int64_t row = tile * 2; row < (tile * 2 + 2); row++) {
    {
      vf acc0 = vf_splat(0.0f);
      vf acc1 = vf_splat(0.0f);
      vf acc2 = vf_splat(0.0f);
      vf acc3 = vf_splat(0.0f);
      for (int64_t l4 = 0; l4 < 192; l4 += 64) {
        {
          const vf v5 = LD(x0 + row * 200 + l4);
          acc0 = acc0 + v5;
        }
        {
          const vf v6 = LD(x0 + (row * 200 + l4) + 16);
          acc1 = acc1 + v6;
        }
        {
          const vf v7 = LD(x0 + (row * 200 + l4) + 32);
          acc2 = acc2 + v7;
        }
        {
          const vf v8 = LD(x0 + (row * 200 + l4) + 48);
          acc3 = acc3 + v8;
        }
      }
      {
        const vf v9 = vf_load_part(x0 + row * 200 + 192, 8);
        acc0 = acc0 + vf_select(vi_iota() < (int32_t)8, v9, vf_splat(0.0f));
      }
      acc1 = acc1 + acc3;
      acc1 = acc1 + acc2;
      acc0 = acc0 + acc1;
      const float fold10 = vf_hsum(acc0);
      t4[0] = fold10;
    }
    {
      const float v11 = t4[0];
      const float v12 = 1.0f / 200.0f;
      const float v13 = v11 * v12;
      vf acc14 = vf_splat(0.0f);
      vf acc15 = vf_splat(0.0f);
      vf acc16 = vf_splat(0.0f);
      vf acc17 = vf_splat(0.0f);
      for (int64_t l18 = 0; l18 < 192; l18 += 64) {
        {
          const vf v19 = LD(x0 + row * 200 + l18);
          const vf v20 = v19 - vf_splat(v13);
          const vf v21 = v20 * v20;
          acc14 = acc14 + v21;
        }
        {
          const vf v22 = LD(x0 + (row * 200 + l18) + 16);
          const vf v23 = v22 - vf_splat(v13);
          const vf v24 = v23 * v23;
          acc15 = acc15 + v24;
        }
        {
          const vf v25 = LD(x0 + (row * 200 + l18) + 32);
          const vf v26 = v25 - vf_splat(v13);
          const vf v27 = v26 * v26;
          acc16 = acc16 + v27;
        }
        {
          const vf v28 = LD(x0 + (row * 200 + l18) + 48);
          const vf v29 = v28 - vf_splat(v13);
          const vf v30 = v29 * v29;
          acc17 = acc17 + v30;
        }
      }
      {
        const vf v31 = vf_load_part(x0 + row * 200 + 192, 8);
        const vf v32 = v31 - vf_splat(v13);
        const vf v33 = v32 * v32;
        acc14 = acc14 + vf_select(vi_iota() < (int32_t)8, v33, vf_splat(0.0f));
      }
      acc15 = acc15 + acc17;
      acc15 = acc15 + acc16;
      acc14 = acc14 + acc15;
      const float fold34 = vf_hsum(acc14);
      t5[0] = fold34;
    }
    {
      const float v35 = t4[0];
      const float v36 = 1.0f / 200.0f;
      const float v37 = v35 * v36;
      const float v38 = t5[0];
      const float v39 = 1.0f / 200.0f;
      const float v40 = v38 * v39;
      const float v41 = v40 + 1e-5f;
      const float v42 = sqrtf(v41);
      const float v43 = 1.0f / v42;
      for (int64_t l44 = 0; l44 < 192; l44 += 16) {
        const vf v45 = LD(x0 + row * 200 + l44);
        const vf v46 = v45 - vf_splat(v37);
        const vf v47 = v46 * vf_splat(v43);
        const vf v48 = LD(x1 + l44);
        const vf v49 = v47 * v48;
        const vf v50 = LD(x2 + l44);
        const vf v51 = v49 + v50;
        ST(y0 + row * 200 + l44, v51);
      }
      {
        const vf v52 = vf_load_part(x0 + row * 200 + 192, 8);
        const vf v53 = v52 - vf_splat(v37);
        const vf v54 = v53 * vf_splat(v43);
        const vf v55 = vf_load_part(x1 + 192, 8);
        const vf v56 = v54 * v55;
        const vf v57 = vf_load_part(x2 + 192, 8);
        const vf v58 = v56 + v57;
        vf_store_part(y0 + row * 200 + 192, v58, 8);
      }
    }
  }
  return 0;
}
