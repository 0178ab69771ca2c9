/* Runtime kernels with an algorithm of their own: determinants, non-maximum suppression. */
#ifndef EG_NATIVE_H
#define EG_NATIVE_H
#include "prelude.h"

/* *out = determinant of the n-by-n matrix a, by elimination with partial pivoting (of equal pivots the first); a is
 * overwritten. */
#define EG_DET(S, T, ABS)                                                                  \
  static __attribute__((unused)) void eg_det_##S(T *a, int64_t n, T *out) {                \
    T product = 1;                                                                         \
    for (int64_t k = 0; k < n; k++) {                                                      \
      int64_t best = k;                                                                    \
      for (int64_t i = k + 1; i < n; i++)                                                  \
        if (ABS(a[i * n + k]) > ABS(a[best * n + k])) best = i;                            \
      if (best != k) {                                                                     \
        for (int64_t j = 0; j < n; j++) {                                                  \
          T x = a[k * n + j];                                                              \
          a[k * n + j] = a[best * n + j];                                                  \
          a[best * n + j] = x;                                                             \
        }                                                                                  \
        product = -product;                                                                \
      }                                                                                    \
      T pivot = a[k * n + k];                                                              \
      product *= pivot;                                                                    \
      if (pivot == 0) break;                                                               \
      for (int64_t i = k + 1; i < n; i++) {                                                \
        T factor = a[i * n + k] / pivot;                                                   \
        for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];         \
      }                                                                                    \
    }                                                                                      \
    *out = product;                                                                        \
  }
EG_DET(f32, float, fabsf)
EG_DET(f64, double, fabs)
#undef EG_DET

/* A box as low y, low x, high y, high x. */
EG_FN void eg_corners(const float *b, int64_t center_point, float *to) {
  if (center_point) {
    float w = b[2] * 0.5f, h = b[3] * 0.5f;
    to[0] = b[1] - h;
    to[1] = b[0] - w;
    to[2] = b[1] + h;
    to[3] = b[0] + w;
  } else {
    to[0] = b[0] > b[2] ? b[2] : b[0];
    to[1] = b[1] > b[3] ? b[3] : b[1];
    to[2] = b[0] > b[2] ? b[0] : b[2];
    to[3] = b[1] > b[3] ? b[1] : b[3];
  }
}

/* Whether two boxes share more than `share` of their union; boxes without an area share nothing. */
EG_FN int eg_overlap(const float *a, const float *b, float share) {
  float h = eg_min_f32(a[2], b[2]) - eg_max_f32(a[0], b[0]), w = eg_min_f32(a[3], b[3]) - eg_max_f32(a[1], b[1]);
  float of_a = (a[2] - a[0]) * (a[3] - a[1]), of_b = (b[2] - b[0]) * (b[3] - b[1]);
  if (!(h > 0 && w > 0 && of_a > 0 && of_b > 0)) return 0;
  /* No contraction: whether a box is taken hangs on the last bit. */
  volatile float both = h * w, sum = of_a + of_b;
  return both / (sum - both) > share;
}

/* Non-maximum suppression: boxes[batch][count][4], scores[batch][classes][count]. Of each class the boxes above the
 * threshold, by descending score (of equal scores the first), each unless it overlaps with one taken before, at most
 * `most` and `keep`. rows: (batch, class, box) of each one taken, then zeros; found: how many. order: room for 2 count +
 * keep positions; work: for 4 count numbers. */
static __attribute__((unused)) void eg_suppress(const float *boxes, const float *scores, int64_t most, float share, float threshold,
                                                int64_t batch, int64_t classes, int64_t count, int64_t keep, int64_t center_point,
                                                int64_t *rows, int64_t *found, int64_t *order, float *work) {
  int64_t n = 0, *taken = order + 2 * count;
  if (most > keep) most = keep;
  for (int64_t b = 0; b < batch; b++) {
    for (int64_t k = 0; k < count; k++) eg_corners(boxes + (b * count + k) * 4, center_point, work + k * 4);
    for (int64_t c = 0; c < classes; c++) {
      const float *score = scores + (b * classes + c) * count;
      int64_t kept = 0;
      eg_sort_f32(score, count, 1, order);
      for (int64_t i = 0; i < count && kept < most; i++) {
        int64_t k = order[i];
        if (!(score[k] > threshold)) continue;
        int free = 1;
        for (int64_t t = 0; t < kept && free; t++) free = !eg_overlap(work + k * 4, work + taken[t] * 4, share);
        if (!free) continue;
        taken[kept++] = k;
        rows[n * 3] = b;
        rows[n * 3 + 1] = c;
        rows[n * 3 + 2] = k;
        n++;
      }
    }
  }
  memset(rows + n * 3, 0, (size_t)(batch * classes * keep - n) * 3 * sizeof *rows);
  *found = n;
}
#endif
