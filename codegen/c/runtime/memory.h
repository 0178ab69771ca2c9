/* Memory of contexts: regions, and blocks that grow. */
#ifndef EG_MEMORY_H
#define EG_MEMORY_H
#define _GNU_SOURCE
#include "egret.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EG_HUGE_PAGE ((size_t)2 << 20)
#define EG_ALIGN ((size_t)64)  /* of every buffer */
#define EG_SLACK ((size_t)256) /* behind every buffer: loads may touch it */

/* Pages from the system, on a huge page boundary where they are many. */
typedef struct { char *base; size_t bytes; char *mapped; size_t mapped_bytes; } eg_region;

static inline void eg_region_close(eg_region *r) {
  if (r->mapped) munmap(r->mapped, r->mapped_bytes);
  memset(r, 0, sizeof *r);
}

/* At least that many bytes; what was in the region is lost where it grows. */
static inline int eg_region_reserve(eg_region *r, size_t bytes) {
  if (bytes <= r->bytes) return EGRET_OK;
  eg_region_close(r);
  size_t need = (bytes + 4095) & ~(size_t)4095, slack = need >= EG_HUGE_PAGE ? EG_HUGE_PAGE : 0;
  if (need < bytes || need + slack < need) return EGRET_ERROR_MEMORY;
  void *m = mmap(NULL, need + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (m == MAP_FAILED) return EGRET_ERROR_MEMORY;
  r->mapped = m;
  r->mapped_bytes = need + slack;
  r->base = slack ? (char *)(((uintptr_t)m + EG_HUGE_PAGE - 1) & ~(uintptr_t)(EG_HUGE_PAGE - 1)) : m;
  r->bytes = need;
  if (slack) madvise(r->base, need, MADV_HUGEPAGE);
  return EGRET_OK;
}

/* Memory that is kept from run to run and grows by half at least. */
typedef struct { char *data; size_t room; } eg_block;

static inline void eg_block_close(eg_block *b) {
  free(b->data);
  memset(b, 0, sizeof *b);
}

/* Room for that many bytes, of which the first `kept` stay what they are. */
static inline int eg_block_reserve(eg_block *b, size_t bytes, size_t kept) {
  if (b->data && bytes <= b->room) return EGRET_OK;
  size_t room = b->room + b->room / 2;
  if (room < bytes) room = bytes;
  void *data = NULL;
  if (room + EG_SLACK < room || posix_memalign(&data, EG_ALIGN, room + EG_SLACK)) return EGRET_ERROR_MEMORY;
  if (kept) memcpy(data, b->data, kept);
  free(b->data);
  b->data = data;
  b->room = room;
  return EGRET_OK;
}
#endif
