int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 u8[3,37], y1 f32[3,37] from x0 u8[3,40], x1 f32[40,37], x2 f32[37]
 */
/* cast:f32 of 9:3 | parallel(0,120) */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const uint8_t *restrict x0 = b[0];
  float *restrict t5 = b[1];
  (void)scratch;
  (void)d;
  for (int64_t l0 = tile * 120; l0 < 120; l0 += 8) {
    const vi v1 = vi_load_u8(x0 + l0, EG_LANES);
    const vi v2 = v1;
    const vi v3 = v2 - vi_splat(1);
    const vf v4 = vf_from_vi(v3);
    ST(t5 + l0, v4);
  }
  return 0;
}

int eg_f1(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* round of 13:3 | parallel(0,1480) */
int eg_f1(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x1 = b[0];
  float *restrict t6 = b[1];
  (void)scratch;
  (void)d;
  for (int64_t l0 = tile * 1480; l0 < 1480; l0 += 8) {
    const vf v1 = LD(x1 + l0);
    const vf v2 = v1 * 4.0f;
    const vf v3 = vf_round(v2);
    ST(t6 + l0, v3);
  }
  return 0;
}

int eg_f2(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* contract {a c, c b -> a b} of 14:3; then cast:u8 of 31:3 | unroll(0,3) unroll(1,24) vectorize(1) parallel(1,24) */
/* tiles of 3 rows x 24 lanes, vector operand in place */
int eg_f2(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x2 = b[0];
  uint8_t *restrict y0 = b[1];
  const float *restrict t5 = b[2];
  const float *restrict t6 = b[3];
  (void)scratch;
  (void)d;
  const int64_t panel = tile % 2;
  if (panel < 1) {
    const float *restrict vectors = t6;
    {
      const float *restrict scalars = t5;
      vf acc0_0 = vf_splat(0.0f);
      vf acc0_1 = vf_splat(0.0f);
      vf acc0_2 = vf_splat(0.0f);
      vf acc1_0 = vf_splat(0.0f);
      vf acc1_1 = vf_splat(0.0f);
      vf acc1_2 = vf_splat(0.0f);
      vf acc2_0 = vf_splat(0.0f);
      vf acc2_1 = vf_splat(0.0f);
      vf acc2_2 = vf_splat(0.0f);
      for (int64_t k0 = 0; k0 < 40; k0++) {
        const vf b0 = LD(vectors + k0 * 37);
        const vf b1 = LD(vectors + k0 * 37 + 8);
        const vf b2 = LD(vectors + k0 * 37 + 16);
        const float a0 = scalars[k0];
        acc0_0 += a0 * b0;
        acc0_1 += a0 * b1;
        acc0_2 += a0 * b2;
        const float a1 = scalars[k0 + 40];
        acc1_0 += a1 * b0;
        acc1_1 += a1 * b1;
        acc1_2 += a1 * b2;
        const float a2 = scalars[k0 + 80];
        acc2_0 += a2 * b0;
        acc2_1 += a2 * b1;
        acc2_2 += a2 * b2;
      }
      {
        const vf v1 = LD(x2);
        const vf v2 = vf_round(v1);
        const vf v3 = acc0_0 + v2;
        const vf v4 = v3 * 0.75f;
        const vf v5 = vf_round(v4);
        const vf v6 = v5 + 128.0f;
        const vf v7 = vf_max_keep(vf_splat(0.0f), v6);
        const vf v8 = vf_min_keep(vf_splat(255.0f), v7);
        const vi v9 = vi_wrap_u8(vi_from_vf(v8));
        vi_store_8(y0, v9, EG_LANES);
      }
      {
        const vf v10 = LD(x2 + 8);
        const vf v11 = vf_round(v10);
        const vf v12 = acc0_1 + v11;
        const vf v13 = v12 * 0.75f;
        const vf v14 = vf_round(v13);
        const vf v15 = v14 + 128.0f;
        const vf v16 = vf_max_keep(vf_splat(0.0f), v15);
        const vf v17 = vf_min_keep(vf_splat(255.0f), v16);
        const vi v18 = vi_wrap_u8(vi_from_vf(v17));
        vi_store_8(y0 + 8, v18, EG_LANES);
      }
      {
        const vf v19 = LD(x2 + 16);
        const vf v20 = vf_round(v19);
        const vf v21 = acc0_2 + v20;
        const vf v22 = v21 * 0.75f;
        const vf v23 = vf_round(v22);
        const vf v24 = v23 + 128.0f;
        const vf v25 = vf_max_keep(vf_splat(0.0f), v24);
        const vf v26 = vf_min_keep(vf_splat(255.0f), v25);
        const vi v27 = vi_wrap_u8(vi_from_vf(v26));
        vi_store_8(y0 + 16, v27, EG_LANES);
      }
      {
        const vf v28 = LD(x2);
        const vf v29 = vf_round(v28);
        const vf v30 = acc1_0 + v29;
        const vf v31 = v30 * 0.75f;
        const vf v32 = vf_round(v31);
        const vf v33 = v32 + 128.0f;
        const vf v34 = vf_max_keep(vf_splat(0.0f), v33);
        const vf v35 = vf_min_keep(vf_splat(255.0f), v34);
        const vi v36 = vi_wrap_u8(vi_from_vf(v35));
        vi_store_8(y0 + 37, v36, EG_LANES);
      }
      {
        const vf v37 = LD(x2 + 8);
        const vf v38 = vf_round(v37);
        const vf v39 = acc1_1 + v38;
        const vf v40 = v39 * 0.75f;
        const vf v41 = vf_round(v40);
        const vf v42 = v41 + 128.0f;
        const vf v43 = vf_max_keep(vf_splat(0.0f), v42);
        const vf v44 = vf_min_keep(vf_splat(255.0f), v43);
        const vi v45 = vi_wrap_u8(vi_from_vf(v44));
        vi_store_8(y0 + 45, v45, EG_LANES);
      }
      {
        const vf v46 = LD(x2 + 16);
        const vf v47 = vf_round(v46);
        const vf v48 = acc1_2 + v47;
        const vf v49 = v48 * 0.75f;
        const vf v50 = vf_round(v49);
        const vf v51 = v50 + 128.0f;
        const vf v52 = vf_max_keep(vf_splat(0.0f), v51);
        const vf v53 = vf_min_keep(vf_splat(255.0f), v52);
        const vi v54 = vi_wrap_u8(vi_from_vf(v53));
        vi_store_8(y0 + 53, v54, EG_LANES);
      }
      {
        const vf v55 = LD(x2);
        const vf v56 = vf_round(v55);
        const vf v57 = acc2_0 + v56;
        const vf v58 = v57 * 0.75f;
        const vf v59 = vf_round(v58);
        const vf v60 = v59 + 128.0f;
        const vf v61 = vf_max_keep(vf_splat(0.0f), v60);
        const vf v62 = vf_min_keep(vf_splat(255.0f), v61);
        const vi v63 = vi_wrap_u8(vi_from_vf(v62));
        vi_store_8(y0 + 74, v63, EG_LANES);
      }
      {
        const vf v64 = LD(x2 + 8);
        const vf v65 = vf_round(v64);
        const vf v66 = acc2_1 + v65;
        const vf v67 = v66 * 0.75f;
        const vf v68 = vf_round(v67);
        const vf v69 = v68 + 128.0f;
        const vf v70 = vf_max_keep(vf_splat(0.0f), v69);
        const vf v71 = vf_min_keep(vf_splat(255.0f), v70);
        const vi v72 = vi_wrap_u8(vi_from_vf(v71));
        vi_store_8(y0 + 82, v72, EG_LANES);
      }
      {
        const vf v73 = LD(x2 + 16);
        const vf v74 = vf_round(v73);
        const vf v75 = acc2_2 + v74;
        const vf v76 = v75 * 0.75f;
        const vf v77 = vf_round(v76);
        const vf v78 = v77 + 128.0f;
        const vf v79 = vf_max_keep(vf_splat(0.0f), v78);
        const vf v80 = vf_min_keep(vf_splat(255.0f), v79);
        const vi v81 = vi_wrap_u8(vi_from_vf(v80));
        vi_store_8(y0 + 90, v81, EG_LANES);
      }
    }
  } else {
    const float *restrict vectors = t6 + 24;
    {
      const float *restrict scalars = t5;
      vf acc0_0 = vf_splat(0.0f);
      vf acc0_1 = vf_splat(0.0f);
      vf acc1_0 = vf_splat(0.0f);
      vf acc1_1 = vf_splat(0.0f);
      vf acc2_0 = vf_splat(0.0f);
      vf acc2_1 = vf_splat(0.0f);
      for (int64_t k82 = 0; k82 < 40; k82++) {
        const vf b0 = LD(vectors + k82 * 37);
        const vf b1 = vf_load_part(vectors + k82 * 37 + 8, 5);
        const float a0 = scalars[k82];
        acc0_0 += a0 * b0;
        acc0_1 += a0 * b1;
        const float a1 = scalars[k82 + 40];
        acc1_0 += a1 * b0;
        acc1_1 += a1 * b1;
        const float a2 = scalars[k82 + 80];
        acc2_0 += a2 * b0;
        acc2_1 += a2 * b1;
      }
      {
        const vf v83 = LD(x2 + 24);
        const vf v84 = vf_round(v83);
        const vf v85 = acc0_0 + v84;
        const vf v86 = v85 * 0.75f;
        const vf v87 = vf_round(v86);
        const vf v88 = v87 + 128.0f;
        const vf v89 = vf_max_keep(vf_splat(0.0f), v88);
        const vf v90 = vf_min_keep(vf_splat(255.0f), v89);
        const vi v91 = vi_wrap_u8(vi_from_vf(v90));
        vi_store_8(y0 + 24, v91, EG_LANES);
      }
      {
        const vf v92 = vf_load_part(x2 + 32, 5);
        const vf v93 = vf_round(v92);
        const vf v94 = acc0_1 + v93;
        const vf v95 = v94 * 0.75f;
        const vf v96 = vf_round(v95);
        const vf v97 = v96 + 128.0f;
        const vf v98 = vf_max_keep(vf_splat(0.0f), v97);
        const vf v99 = vf_min_keep(vf_splat(255.0f), v98);
        const vi v100 = vi_wrap_u8(vi_from_vf(v99));
        vi_store_8(y0 + 32, v100, 5);
      }
      {
        const vf v101 = LD(x2 + 24);
        const vf v102 = vf_round(v101);
        const vf v103 = acc1_0 + v102;
        const vf v104 = v103 * 0.75f;
        const vf v105 = vf_round(v104);
        const vf v106 = v105 + 128.0f;
        const vf v107 = vf_max_keep(vf_splat(0.0f), v106);
        const vf v108 = vf_min_keep(vf_splat(255.0f), v107);
        const vi v109 = vi_wrap_u8(vi_from_vf(v108));
        vi_store_8(y0 + 61, v109, EG_LANES);
      }
      {
        const vf v110 = vf_load_part(x2 + 32, 5);
        const vf v111 = vf_round(v110);
        const vf v112 = acc1_1 + v111;
        const vf v113 = v112 * 0.75f;
        const vf v114 = vf_round(v113);
        const vf v115 = v114 + 128.0f;
        const vf v116 = vf_max_keep(vf_splat(0.0f), v115);
        const vf v117 = vf_min_keep(vf_splat(255.0f), v116);
        const vi v118 = vi_wrap_u8(vi_from_vf(v117));
        vi_store_8(y0 + 69, v118, 5);
      }
      {
        const vf v119 = LD(x2 + 24);
        const vf v120 = vf_round(v119);
        const vf v121 = acc2_0 + v120;
        const vf v122 = v121 * 0.75f;
        const vf v123 = vf_round(v122);
        const vf v124 = v123 + 128.0f;
        const vf v125 = vf_max_keep(vf_splat(0.0f), v124);
        const vf v126 = vf_min_keep(vf_splat(255.0f), v125);
        const vi v127 = vi_wrap_u8(vi_from_vf(v126));
        vi_store_8(y0 + 98, v127, EG_LANES);
      }
      {
        const vf v128 = vf_load_part(x2 + 32, 5);
        const vf v129 = vf_round(v128);
        const vf v130 = acc2_1 + v129;
        const vf v131 = v130 * 0.75f;
        const vf v132 = vf_round(v131);
        const vf v133 = v132 + 128.0f;
        const vf v134 = vf_max_keep(vf_splat(0.0f), v133);
        const vf v135 = vf_min_keep(vf_splat(255.0f), v134);
        const vi v136 = vi_wrap_u8(vi_from_vf(v135));
        vi_store_8(y0 + 106, v136, 5);
      }
    }
  }
  return 0;
}

int eg_f3(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* mul of 39:3 | parallel(0,111) */
int eg_f3(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const uint8_t *restrict y0 = b[0];
  float *restrict y1 = b[1];
  (void)scratch;
  (void)d;
  for (int64_t l0 = tile * 112; l0 < 104; l0 += 8) {
    const vi v1 = vi_load_u8(y0 + l0, EG_LANES);
    const vi v2 = v1;
    const vi v3 = v2 - vi_splat(128);
    const vf v4 = vf_from_vi(v3);
    const vf v5 = v4 * 0.5f;
    ST(y1 + l0, v5);
  }
   {
    const vi v6 = vi_load_u8(y0 + 104, 7);
    const vi v7 = v6;
    const vi v8 = v7 - vi_splat(128);
    const vf v9 = vf_from_vi(v8);
    const vf v10 = v9 * 0.5f;
    vf_store_part(y1 + 104, v10, 7);
  }
  return 0;
}
