int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d);
/* k0: y0 i64[6,5] from x0 i32[6,44]
 */
/* argsort of 3:3 */
int eg_f0(void *const *b, int64_t tile, char *scratch, const int64_t *d) {
  const int32_t *restrict x0 = b[0];
  int64_t *restrict y0 = b[1];
  (void)d;
  int32_t *restrict line = (int32_t *)(scratch + 0);
  for (int64_t k = 0; k < 44; k++) {
    const int32_t v0 = x0[(tile % 6) * 44 + k];
    line[k] = v0;
  }
  for (int64_t k = 0; k < 44; k++) {
    const int32_t mine = line[k];
    int64_t rank = INT64_C(0);
    for (int64_t j = 0; j < 44; j++) {
      const int32_t other = line[j];
      rank = rank + (int64_t)(((uint8_t)(mine < other) | (0 & (uint8_t)!0)) | (((uint8_t)(other == mine) | (0 & 0)) & (uint8_t)((int64_t)j < (int64_t)k)));
    }
    if (rank < 5) {
      y0[(tile % 6) * 5 + rank] = (int64_t)k;
    }
  }
  return 0;
}
