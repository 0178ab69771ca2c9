int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 f32[1,6,12,15] from x0 f32[1,6,23,30]
 */
/* max {a b 2c+e-1 2d+f-1 -> a b c d | c=12 d=15 e=3 f=3} of 3:3 */
/* strips of 12 rows copied with their border, tiles of 3 rows x 4 lanes | vectorize(3) unroll(2,3) parallel */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const float *restrict x0 = b[0];
  float *restrict y0 = b[1];
  (void)d;
  const int64_t o1 = tile % 6;
  const float *restrict plane = x0 + o1 * 690;
  float *restrict image = (float *)(scratch + 0);
  for (int64_t h0 = 0; h0 < 25; h0++) {
    if ((h0 - 1) >= 0 && (h0 - 1) < 23) {
      eg_pad_row(image + h0 * 31, plane + h0 * 30 - 30, 1, 1, 30, 0, -INFINITY);
    } else {
      eg_pad_row(image + h0 * 31, NULL, 1, 1, 30, 0, -INFINITY);
    }
  }
  const int64_t whole = 12;
  for (int64_t r1 = 0; r1 < 10; r1 += 3) {
    for (int64_t p2 = 0; p2 < 3; p2++) {
      vf acc0_0 = vf_splat(-INFINITY);
      vf acc1_0 = vf_splat(-INFINITY);
      vf acc2_0 = vf_splat(-INFINITY);
      const float *restrict here = image + r1 * 62 + p2 * 8;
      {
        const vf x0_ = vf_load_even(here);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 1);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 2);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 31);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 32);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 33);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 62);
        acc1_0 = vf_max(acc1_0, x0_);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 63);
        acc1_0 = vf_max(acc1_0, x0_);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 64);
        acc1_0 = vf_max(acc1_0, x0_);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 93);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 94);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 95);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 124);
        acc2_0 = vf_max(acc2_0, x0_);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 125);
        acc2_0 = vf_max(acc2_0, x0_);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 126);
        acc2_0 = vf_max(acc2_0, x0_);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 155);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 156);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 157);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 186);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 187);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 188);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      ST(y0 + (o1 * 180 + r1 * 15) + p2 * 4, acc0_0);
      ST(y0 + ((o1 * 180 + r1 * 15) + p2 * 4) + 15, acc1_0);
      ST(y0 + ((o1 * 180 + r1 * 15) + p2 * 4) + 30, acc2_0);
    }
    {
      vf acc0_0 = vf_splat(-INFINITY);
      vf acc1_0 = vf_splat(-INFINITY);
      vf acc2_0 = vf_splat(-INFINITY);
      const float *restrict here = image + r1 * 62 + 24;
      {
        const vf x0_ = vf_load_even(here);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 1);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 2);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 31);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 32);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 33);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 62);
        acc1_0 = vf_max(acc1_0, x0_);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 63);
        acc1_0 = vf_max(acc1_0, x0_);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 64);
        acc1_0 = vf_max(acc1_0, x0_);
        acc0_0 = vf_max(acc0_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 93);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 94);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 95);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 124);
        acc2_0 = vf_max(acc2_0, x0_);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 125);
        acc2_0 = vf_max(acc2_0, x0_);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 126);
        acc2_0 = vf_max(acc2_0, x0_);
        acc1_0 = vf_max(acc1_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 155);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 156);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 157);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 186);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 187);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      {
        const vf x0_ = vf_load_even(here + 188);
        acc2_0 = vf_max(acc2_0, x0_);
      }
      vf_store_part(y0 + (o1 * 180 + r1 * 15) + 12, acc0_0, 3);
      vf_store_part(y0 + (o1 * 180 + r1 * 15) + 27, acc1_0, 3);
      vf_store_part(y0 + (o1 * 180 + r1 * 15) + 42, acc2_0, 3);
    }
  }
  return 0;
}
