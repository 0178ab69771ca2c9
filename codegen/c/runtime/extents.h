/* Arithmetic on extents that neither overflows nor divides by zero: whatever has no value is EG_INVALID, and what is
 * computed from that is EG_INVALID again. */
#ifndef EG_EXTENTS_H
#define EG_EXTENTS_H
#include <stdint.h>

#define EG_INVALID INT64_MIN
#define EG_EXTENT_FN static inline __attribute__((unused)) int64_t

EG_EXTENT_FN eg_add(int64_t a, int64_t b) {
  int64_t r;
  return a == EG_INVALID || b == EG_INVALID || __builtin_add_overflow(a, b, &r) ? EG_INVALID : r;
}
EG_EXTENT_FN eg_mul(int64_t a, int64_t b) {
  int64_t r;
  return a == EG_INVALID || b == EG_INVALID || __builtin_mul_overflow(a, b, &r) ? EG_INVALID : r;
}
EG_EXTENT_FN eg_smaller(int64_t a, int64_t b) { return a == EG_INVALID || b == EG_INVALID ? EG_INVALID : a < b ? a : b; }
EG_EXTENT_FN eg_larger(int64_t a, int64_t b) { return a == EG_INVALID || b == EG_INVALID ? EG_INVALID : a > b ? a : b; }
/* Rounded down. */
EG_EXTENT_FN eg_divided(int64_t a, int64_t b) {
  if (a == EG_INVALID || b == EG_INVALID || b == 0) return EG_INVALID;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
/* a - b * (a / b rounded down). */
EG_EXTENT_FN eg_rest(int64_t a, int64_t b) {
  if (a == EG_INVALID || b == EG_INVALID || b == 0) return EG_INVALID;
  if (b == -1) return 0;
  return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}
/* A quotient without a rest. */
EG_EXTENT_FN eg_exact(int64_t a, int64_t b) {
  if (a == EG_INVALID || b == EG_INVALID || b == 0 || (b != -1 && a % b)) return EG_INVALID;
  return a / b;
}
#endif
