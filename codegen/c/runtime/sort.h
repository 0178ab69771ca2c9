/* Stable sorting of a line by position: order[0..n) becomes the positions of line[0..n) in ascending or descending order,
 * NaN above everything. `order` has room for 2 n positions; the second half is working memory. */
#ifndef EG_SORT_H
#define EG_SORT_H
#include <stdint.h>
#include <string.h>

/* Runs of this many are sorted by insertion, then merged. */
#define EG_SORT_RUN 16

/* KEY gives a number that < compares; only NaN differs from itself. */
#define EG_SORT(tag, T, K, KEY)                                                                          \
  EG_FN int eg_before_##tag(T x, T y, int64_t descending) {                                              \
    K a = KEY(x), b = KEY(y);                                                                            \
    return descending ? b < a || (a != a && b == b) : a < b || (b != b && a == a);                       \
  }                                                                                                      \
  static __attribute__((unused)) void eg_sort_##tag(const T *line, int64_t n, int64_t descending, int64_t *order) { \
    int64_t *from = order, *to = order + n;                                                              \
    for (int64_t i = 0; i < n; i++) {                                                                    \
      int64_t j = i;                                                                                     \
      for (; j % EG_SORT_RUN && eg_before_##tag(line[i], line[from[j - 1]], descending); j--) from[j] = from[j - 1]; \
      from[j] = i;                                                                                       \
    }                                                                                                    \
    for (int64_t width = EG_SORT_RUN; width < n; width *= 2) {                                           \
      for (int64_t at = 0; at < n; at += 2 * width) {                                                    \
        int64_t a = at, mid = at + width < n ? at + width : n, b = mid, end = mid + width < n ? mid + width : n; \
        for (int64_t k = at; k < end; k++)                                                               \
          to[k] = a < mid && (b == end || !eg_before_##tag(line[from[b]], line[from[a]], descending)) ? from[a++] : from[b++]; \
      }                                                                                                  \
      int64_t *swap = from;                                                                              \
      from = to;                                                                                         \
      to = swap;                                                                                         \
    }                                                                                                    \
    if (from != order) memcpy(order, from, (size_t)n * sizeof *order);                                   \
  }

/* One byte a value: counted. RANK maps the values to 0 ... 255 in their order. */
#define EG_SORT_BYTES(tag, T, RANK)                                                                      \
  static __attribute__((unused)) void eg_sort_##tag(const T *line, int64_t n, int64_t descending, int64_t *order) { \
    int64_t start[257] = {0};                                                                            \
    int flip = descending ? 255 : 0;                                                                     \
    for (int64_t i = 0; i < n; i++) start[(RANK(line[i]) ^ flip) + 1]++;                                 \
    for (int i = 0; i < 256; i++) start[i + 1] += start[i];                                              \
    for (int64_t i = 0; i < n; i++) order[start[RANK(line[i]) ^ flip]++] = i;                            \
  }

#define EG_SORT_SELF(x) (x)
#define EG_SORT_SIGNED(x) ((int)(x) + 128)
EG_SORT(f16, uint16_t, float, eg_f32_from_f16)
EG_SORT(bf16, uint16_t, float, eg_f32_from_bf16)
EG_SORT(f32, float, float, EG_SORT_SELF)
EG_SORT(f64, double, double, EG_SORT_SELF)
EG_SORT(i16, int16_t, int16_t, EG_SORT_SELF)
EG_SORT(i32, int32_t, int32_t, EG_SORT_SELF)
EG_SORT(i64, int64_t, int64_t, EG_SORT_SELF)
EG_SORT(u16, uint16_t, uint16_t, EG_SORT_SELF)
EG_SORT(u32, uint32_t, uint32_t, EG_SORT_SELF)
EG_SORT(u64, uint64_t, uint64_t, EG_SORT_SELF)
EG_SORT_BYTES(i8, int8_t, EG_SORT_SIGNED)
EG_SORT_BYTES(u8, uint8_t, EG_SORT_SELF)
EG_SORT_BYTES(bool, uint8_t, EG_SORT_SELF)
#endif
