/* The runtime of a compiled model: contexts, memory, threads, checks of arguments. Compiled for the plain
 * instruction set, so that it can refuse a CPU without running into an unknown instruction. */
#define _GNU_SOURCE
#include "program.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define P (&eg_the_program)
#define HUGE_PAGE ((size_t)2 << 20)
#define SPIN_LIMIT 20000

/* ---- memory ----------------------------------------------------------------------------------- */

typedef struct { char *base; size_t bytes; char *mapped; size_t mapped_bytes; } region;

static int region_open(region *r, size_t bytes) {
  memset(r, 0, sizeof *r);
  if (bytes == 0) return EGRET_OK;
  size_t need = (bytes + 4095) & ~(size_t)4095, slack = need >= HUGE_PAGE ? HUGE_PAGE : 0;
  void *m = mmap(NULL, need + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (m == MAP_FAILED) return EGRET_ERROR_MEMORY;
  r->mapped = m;
  r->mapped_bytes = need + slack;
  r->base = slack ? (char *)(((uintptr_t)m + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1)) : m;
  r->bytes = need;
  if (slack) madvise(r->base, need, MADV_HUGEPAGE);
  return EGRET_OK;
}

static void region_close(region *r) {
  if (r->mapped) munmap(r->mapped, r->mapped_bytes);
  memset(r, 0, sizeof *r);
}

/* ---- weights: in the library, or a file beside it, mapped once per process ---------------------- */

static pthread_mutex_t weights_lock = PTHREAD_MUTEX_INITIALIZER;
static const unsigned char *mapped_weights;

static int weights_find(const unsigned char **out) {
  if (P->weights || P->weight_bytes == 0) {
    *out = P->weights;
    return EGRET_OK;
  }
  int code = EGRET_ERROR_WEIGHTS;
  pthread_mutex_lock(&weights_lock);
  if (mapped_weights) code = EGRET_OK;
  else {
    Dl_info self;
    char path[PATH_MAX];
    if (dladdr((void *)&weights_lock, &self) && self.dli_fname) {
      const char *slash = strrchr(self.dli_fname, '/');
      int dir = slash ? (int)(slash - self.dli_fname) + 1 : 0;
      int n = snprintf(path, sizeof path, "%.*s%s", dir, self.dli_fname, P->weight_file);
      int fd = n > 0 && n < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
      struct stat st;
      if (fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size == P->weight_bytes) {
        void *m = mmap(NULL, P->weight_bytes, PROT_READ, MAP_SHARED, fd, 0);
        if (m != MAP_FAILED) {
          mapped_weights = m;
          code = EGRET_OK;
        }
      }
      if (fd >= 0) close(fd);
    }
  }
  pthread_mutex_unlock(&weights_lock);
  *out = mapped_weights;
  return code;
}

/* ---- context and threads ------------------------------------------------------------------------ */

typedef struct { egret_context *owner; int index; pthread_t thread; } worker;

struct egret_context {
  region arena, scratch, weights_copy;
  const char *weights;
  void **buffers; /* of every phase, in the order of the references */
  void *outputs_at[1024];
  egret_tap tap;
  void *tap_user;
  egret_tensor *tap_tensors;
  egret_info *tap_infos;
  char error[256];
  atomic_flag running;

  int threads; /* the caller counts as one */
  worker *workers;
  /* The region being run: a new generation starts it, `claimed` hands out tiles, `finished` counts workers. */
  _Alignas(64) _Atomic uint32_t generation;
  _Atomic uint32_t sleeping;
  _Atomic int stop;
  const eg_phase *phase;
  _Alignas(64) _Atomic int64_t claimed;
  _Alignas(64) _Atomic uint32_t finished;
  _Atomic int trap;
};

static void futex_wait(_Atomic uint32_t *at, uint32_t value) { syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0); }
static void futex_wake(_Atomic uint32_t *at) { syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0); }

static inline void pause_cpu(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void work(egret_context *c, int index) {
  const eg_phase *p = c->phase;
  char *scratch = c->scratch.base + (size_t)index * P->scratch_bytes;
  void *const *b = c->buffers + p->first_ref;
  for (;;) {
    int64_t tile = atomic_fetch_add_explicit(&c->claimed, 1, memory_order_relaxed);
    if (tile >= p->tiles) return;
    int code = p->body(b, tile, scratch, 0);
    if (code) atomic_store_explicit(&c->trap, code, memory_order_relaxed);
  }
}

static void *worker_main(void *argument) {
  worker *w = argument;
  egret_context *c = w->owner;
  uint32_t seen = 0;
  for (;;) {
    int spins = 0;
    while (atomic_load_explicit(&c->generation, memory_order_acquire) == seen) {
      if (++spins < SPIN_LIMIT) pause_cpu();
      else {
        atomic_fetch_add(&c->sleeping, 1);
        if (atomic_load(&c->generation) == seen) futex_wait(&c->generation, seen);
        atomic_fetch_sub(&c->sleeping, 1);
      }
    }
    seen++;
    if (atomic_load(&c->stop)) return NULL;
    work(c, w->index);
    atomic_fetch_add_explicit(&c->finished, 1, memory_order_release);
  }
}

static void run_phase(egret_context *c, const eg_phase *p) {
  if (c->threads == 1 || p->tiles == 1) {
    void *const *b = c->buffers + p->first_ref;
    for (int64_t tile = 0; tile < p->tiles; tile++) {
      int code = p->body(b, tile, c->scratch.base, 0);
      if (code) atomic_store_explicit(&c->trap, code, memory_order_relaxed);
    }
    return;
  }
  c->phase = p;
  atomic_store_explicit(&c->claimed, 0, memory_order_relaxed);
  atomic_store_explicit(&c->finished, 0, memory_order_relaxed);
  atomic_fetch_add(&c->generation, 1);
  if (atomic_load(&c->sleeping)) futex_wake(&c->generation);
  work(c, 0);
  int spins = 0;
  while (atomic_load_explicit(&c->finished, memory_order_acquire) != (uint32_t)(c->threads - 1)) {
    if (++spins < 10 * SPIN_LIMIT) pause_cpu();
    else sched_yield();
  }
}

/* ---- description -------------------------------------------------------------------------------- */

uint32_t egret_abi_version(void) { return EGRET_ABI_VERSION; }
uint32_t egret_input_count(void) { return P->input_count; }
uint32_t egret_output_count(void) { return P->output_count; }
uint32_t egret_kernel_count(void) { return P->kernel_count; }
size_t egret_arena_bytes(void) { return P->arena_bytes; }
const char *egret_cpu_needed(void) { return P->cpu_needed; }
const char *egret_program_text(void) { return P->text; }
size_t egret_program_text_bytes(void) { return P->text_bytes; }

int32_t egret_input_info(uint32_t index, egret_info *info) {
  if (!info || index >= P->input_count) return EGRET_ERROR_ARGUMENT;
  *info = P->inputs[index];
  return EGRET_OK;
}

int32_t egret_output_info(uint32_t index, egret_info *info) {
  if (!info || index >= P->output_count) return EGRET_ERROR_ARGUMENT;
  *info = P->outputs[index];
  return EGRET_OK;
}

const char *egret_error_text(int32_t code) {
  switch (code) {
    case EGRET_OK: return "no error";
    case EGRET_ERROR_ARGUMENT: return "invalid argument";
    case EGRET_ERROR_DTYPE: return "tensor of another element type";
    case EGRET_ERROR_SHAPE: return "tensor of another shape";
    case EGRET_ERROR_ALIGNMENT: return "data not aligned to its element type";
    case EGRET_ERROR_MEMORY: return "out of memory";
    case EGRET_ERROR_CPU: return "this CPU lacks instructions the library was compiled for";
    case EGRET_ERROR_THREADS: return "a thread could not be started";
    case EGRET_ERROR_WEIGHTS: return "the weights file beside the library is missing or has another size";
    case EGRET_ERROR_BUSY: return "the context is already running";
    case EGRET_ERROR_STOPPED: return "stopped by the tap";
    case EGRET_ERROR_INDEX: return "the model read a tensor at an index out of range";
    case EGRET_ERROR_DIVISION: return "the model divided an integer by zero";
    default: return "unknown error code";
  }
}

#if defined(__x86_64__)
static int cpu_has(const char *word, size_t n) {
#define WORD(name) if (n == sizeof name - 1 && !memcmp(word, name, n)) return !!__builtin_cpu_supports(name);
  WORD("sse3") WORD("ssse3") WORD("sse4.1") WORD("sse4.2") WORD("popcnt") WORD("avx") WORD("avx2") WORD("fma") WORD("bmi")
  WORD("bmi2") WORD("avx512f") WORD("avx512vl") WORD("avx512bw") WORD("avx512dq") WORD("avx512cd") WORD("avx512vnni")
  WORD("avx512bf16")
#undef WORD
  return 0;
}
#else
static int cpu_has(const char *word, size_t n) { (void)word; (void)n; return 1; }
#endif

int32_t egret_cpu_check(void) {
  for (const char *w = P->cpu_needed; *w;) {
    size_t n = strcspn(w, " ");
    if (n && !cpu_has(w, n)) return EGRET_ERROR_CPU;
    w += n;
    w += *w == ' ';
  }
  return EGRET_OK;
}

/* ---- open, run, close ----------------------------------------------------------------------------- */

static int open_context(egret_context *c, const egret_options *options) {
  const unsigned char *weights;
  int code = weights_find(&weights);
  if (code) return code;
  c->weights = (const char *)weights;
  if (options && (options->flags & EGRET_COPY_WEIGHTS) && P->weight_bytes) {
    if ((code = region_open(&c->weights_copy, P->weight_bytes))) return code;
    memcpy(c->weights_copy.base, weights, P->weight_bytes);
    c->weights = c->weights_copy.base;
  }
  if ((code = region_open(&c->arena, P->arena_bytes))) return code;
  if ((code = region_open(&c->scratch, P->scratch_bytes * (size_t)c->threads))) return code;
  size_t values = 1;
  for (uint32_t i = 0; i < P->kernel_count; i++)
    if (P->kernels[i].value_count > values) values = P->kernels[i].value_count;
  c->buffers = calloc(P->ref_count + 1, sizeof *c->buffers);
  c->tap_tensors = calloc(values, sizeof *c->tap_tensors);
  c->tap_infos = calloc(values, sizeof *c->tap_infos);
  c->workers = calloc((size_t)c->threads, sizeof *c->workers);
  if (!c->buffers || !c->tap_tensors || !c->tap_infos || !c->workers) return EGRET_ERROR_MEMORY;
  for (uint32_t i = 0; i < P->ref_count; i++) {
    if (P->refs[i].space == EG_ARENA) c->buffers[i] = c->arena.base + P->refs[i].at;
    if (P->refs[i].space == EG_WEIGHTS) c->buffers[i] = (void *)(c->weights + P->refs[i].at);
  }
  int wanted = c->threads;
  for (c->threads = 1; c->threads < wanted; c->threads++) {
    worker *w = &c->workers[c->threads];
    w->owner = c;
    w->index = c->threads;
    if (pthread_create(&w->thread, NULL, worker_main, w)) return EGRET_ERROR_THREADS;
  }
  return EGRET_OK;
}

int32_t egret_open(const egret_options *options, egret_context **out) {
  if (!out) return EGRET_ERROR_ARGUMENT;
  *out = NULL;
  int code = egret_cpu_check();
  if (code) return code;
  int threads = options && options->threads ? options->threads : P->default_threads;
  if (threads < 1 || threads > 1024 || P->output_count > 1024) return EGRET_ERROR_ARGUMENT;
  egret_context *c = NULL;
  if (posix_memalign((void **)&c, 64, (sizeof *c + 63) & ~(size_t)63)) return EGRET_ERROR_MEMORY;
  memset(c, 0, sizeof *c);
  atomic_flag_clear(&c->running);
  c->threads = threads;
  code = open_context(c, options);
  if (code) {
    egret_close(c);
    return code;
  }
  *out = c;
  return EGRET_OK;
}

void egret_close(egret_context *c) {
  if (!c) return;
  if (c->workers && c->threads > 1) {
    atomic_store(&c->stop, 1);
    atomic_fetch_add(&c->generation, 1);
    futex_wake(&c->generation);
    for (int i = 1; i < c->threads; i++) pthread_join(c->workers[i].thread, NULL);
  }
  region_close(&c->arena);
  region_close(&c->scratch);
  region_close(&c->weights_copy);
  for (uint32_t i = 0; i < P->output_count && i < 1024; i++) free(c->outputs_at[i]);
  free(c->buffers);
  free(c->tap_tensors);
  free(c->tap_infos);
  free(c->workers);
  free(c);
}

int32_t egret_set_tap(egret_context *c, egret_tap tap, void *user) {
  if (!c) return EGRET_ERROR_ARGUMENT;
  c->tap = tap;
  c->tap_user = user;
  return EGRET_OK;
}

const char *egret_last_error(const egret_context *c) { return c ? c->error : "no context"; }

static size_t element_bytes(int32_t dtype) {
  switch (dtype) {
    case EGRET_I8: case EGRET_U8: case EGRET_BOOL: return 1;
    case EGRET_F16: case EGRET_BF16: case EGRET_I16: case EGRET_U16: return 2;
    case EGRET_F32: case EGRET_I32: case EGRET_U32: return 4;
    default: return 8;
  }
}

static int refuse(egret_context *c, int code, const char *side, const egret_info *info) {
  snprintf(c->error, sizeof c->error, "%s `%s`: %s", side, info->name, egret_error_text(code));
  return code;
}

/* Compares a caller's tensor with what it must be; dims may be absent for outputs. */
static int check(egret_context *c, const char *side, const egret_info *info, const egret_tensor *t, int output) {
  if (!(output && t->dtype == 0) && t->dtype != info->dtype) return refuse(c, EGRET_ERROR_DTYPE, side, info);
  if (!(output && !t->dims)) {
    if (t->rank != info->rank) return refuse(c, EGRET_ERROR_SHAPE, side, info);
    for (int32_t i = 0; i < info->rank; i++)
      if (!t->dims || t->dims[i] != info->dims[i]) return refuse(c, EGRET_ERROR_SHAPE, side, info);
  }
  if (!t->data && info->bytes && !output) return refuse(c, EGRET_ERROR_ARGUMENT, side, info);
  if ((uintptr_t)t->data % element_bytes(info->dtype)) return refuse(c, EGRET_ERROR_ALIGNMENT, side, info);
  return EGRET_OK;
}

static int run(egret_context *c, const egret_tensor *inputs, egret_tensor *outputs) {
  c->error[0] = 0;
  for (uint32_t i = 0; i < P->input_count; i++) {
    int code = check(c, "input", &P->inputs[i], &inputs[i], 0);
    if (code) return code;
  }
  for (uint32_t i = 0; i < P->output_count; i++) {
    const egret_info *info = &P->outputs[i];
    int code = check(c, "output", info, &outputs[i], 1);
    if (code) return code;
    if (!outputs[i].data) {
      if (!c->outputs_at[i] && posix_memalign(&c->outputs_at[i], 64, info->bytes ? info->bytes : 64)) {
        c->outputs_at[i] = NULL;
        return refuse(c, EGRET_ERROR_MEMORY, "output", info);
      }
      outputs[i].data = c->outputs_at[i];
    }
    outputs[i].dtype = info->dtype;
    outputs[i].rank = info->rank;
    outputs[i].dims = info->dims;
  }
  for (uint32_t i = 0; i < P->ref_count; i++) {
    if (P->refs[i].space == EG_INPUT) c->buffers[i] = inputs[P->refs[i].at].data;
    if (P->refs[i].space == EG_OUTPUT) c->buffers[i] = outputs[P->refs[i].at].data;
  }
  atomic_store(&c->trap, 0);
  for (uint32_t k = 0; k < P->kernel_count; k++) {
    const eg_kernel *kernel = &P->kernels[k];
    for (uint32_t p = 0; p < kernel->phase_count; p++) run_phase(c, &P->phases[kernel->first_phase + p]);
    int trap = atomic_load_explicit(&c->trap, memory_order_relaxed);
    if (trap) {
      snprintf(c->error, sizeof c->error, "kernel `%s`: %s", kernel->name, egret_error_text(trap));
      return trap;
    }
    if (c->tap) {
      for (uint32_t v = 0; v < kernel->value_count; v++) {
        const eg_value *value = &P->values[kernel->first_value + v];
        void *at = value->at.space == EG_ARENA ? c->arena.base + value->at.at
                   : value->at.space == EG_WEIGHTS ? (void *)(c->weights + value->at.at)
                   : value->at.space == EG_INPUT ? inputs[value->at.at].data : outputs[value->at.at].data;
        c->tap_infos[v] = value->info;
        c->tap_tensors[v] = (egret_tensor){value->info.dtype, value->info.rank, value->info.dims, at};
      }
      if (c->tap(c->tap_user, k, kernel->name, c->tap_infos, c->tap_tensors, kernel->value_count)) {
        snprintf(c->error, sizeof c->error, "kernel `%s`: %s", kernel->name, egret_error_text(EGRET_ERROR_STOPPED));
        return EGRET_ERROR_STOPPED;
      }
    }
  }
  return EGRET_OK;
}

int32_t egret_run(egret_context *c, const egret_tensor *inputs, uint32_t input_count, egret_tensor *outputs, uint32_t output_count) {
  if (!c) return EGRET_ERROR_ARGUMENT;
  if (atomic_flag_test_and_set(&c->running)) return EGRET_ERROR_BUSY;
  int code;
  if (input_count != P->input_count || output_count != P->output_count || (!inputs && input_count) || (!outputs && output_count)) {
    snprintf(c->error, sizeof c->error, "%u inputs and %u outputs expected, got %u and %u", P->input_count, P->output_count,
             input_count, output_count);
    code = EGRET_ERROR_ARGUMENT;
  } else code = run(c, inputs, outputs);
  atomic_flag_clear(&c->running);
  return code;
}
