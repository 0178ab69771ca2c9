/* Arithmetic on extents that C has no operators for. Dividing by 0 gives 0: such a quotient is an index into an empty
 * tensor, which nobody uses. */
#ifndef EG_DIMS_H
#define EG_DIMS_H
#include <stdint.h>

#define EG_DIM static inline __attribute__((always_inline, unused)) int64_t

/* Of a nonnegative number by a nonnegative one. */
EG_DIM eg_div(int64_t a, int64_t b) { return b ? a / b : 0; }
EG_DIM eg_mod(int64_t a, int64_t b) { return b ? a % b : 0; }

/* Of any numbers, rounded down; the remainder has the sign of the divisor. */
EG_DIM eg_floordiv(int64_t a, int64_t b) { return b ? a / b - (a % b != 0 && (a < 0) != (b < 0)) : 0; }
EG_DIM eg_floormod(int64_t a, int64_t b) {
  int64_t r = b ? a % b : 0;
  return r + ((r != 0 && (r < 0) != (b < 0)) ? b : 0);
}

EG_DIM eg_min(int64_t a, int64_t b) { return a < b ? a : b; }
EG_DIM eg_max(int64_t a, int64_t b) { return a > b ? a : b; }
#endif
