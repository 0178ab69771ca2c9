int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 i64[6,5] from x0 i32[6,44]
 */
/* argsort of 3:3 */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const int32_t *restrict x0 = b[0];
  int64_t *restrict y0 = b[1];
  (void)d;
  int32_t *restrict line = (int32_t *)(scratch + 0);
  int64_t *restrict order = (int64_t *)(scratch + 192);
  for (int64_t k = 0; k < 44; k++) {
    const int32_t v0 = x0[(tile % 6) * 44 + k];
    line[k] = v0;
  }
  eg_sort_i32(line, 44, 1, order);
  for (int64_t k = 0; k < 5; k++) {
    y0[(tile % 6) * 5 + k] = order[k];
  }
  return 0;
}
