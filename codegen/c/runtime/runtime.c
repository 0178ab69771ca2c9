/* The runtime of a compiled model: the interface of egret.h, contexts, threads, weights. Compiled for the plain
 * instruction set, so that it can refuse a CPU without running into an unknown instruction. */
#include "frame.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define L (&eg_the_library)
#define SPIN_LIMIT 20000

/* ---- weights: in the library, or a file beside it, mapped once per process ---------------------- */

static pthread_mutex_t weights_lock = PTHREAD_MUTEX_INITIALIZER;
static const unsigned char *mapped_weights;

static int weights_find(const unsigned char **out) {
  if (L->weights || L->weight_bytes == 0) {
    *out = L->weights;
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
      int n = snprintf(path, sizeof path, "%.*s%s", dir, self.dli_fname, L->weight_file);
      int fd = n > 0 && n < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
      struct stat st;
      if (fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size == L->weight_bytes) {
        void *m = mmap(NULL, L->weight_bytes, PROT_READ, MAP_SHARED, fd, 0);
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
  eg_machine machine;
  eg_region scratch, weights_copy;
  size_t scratch_bytes; /* of each thread */
  eg_frame *frame, **variants;
  eg_sink *outputs;
  int64_t *output_dims;
  eg_block *output_blocks; /* memory of outputs that the caller gives none for */
  egret_tap tap;
  void *tap_user;
  atomic_flag running;

  int threads; /* the caller counts as one */
  worker *workers;
  /* The region being run: a new generation starts it, `claimed` hands out tiles, `finished` counts workers. */
  _Alignas(64) _Atomic uint32_t generation;
  _Atomic uint32_t sleeping;
  _Atomic int stop;
  eg_body body;
  int64_t tiles;
  void *const *buffers;
  const int64_t *d;
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
  char *scratch = c->scratch.base + (size_t)index * c->scratch_bytes;
  for (;;) {
    int64_t tile = atomic_fetch_add_explicit(&c->claimed, 1, memory_order_relaxed);
    if (tile >= c->tiles) return;
    int code = c->body(c->buffers, tile, scratch, c->d);
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

/* Scratch memory of so many bytes for each thread. */
static int reserve_scratch(egret_context *c, size_t bytes) {
  if (bytes > PTRDIFF_MAX / 2) return EGRET_ERROR_MEMORY;
  bytes = (bytes + EG_SLACK + 4095) & ~(size_t)4095;
  size_t all;
  if (bytes <= c->scratch_bytes) return EGRET_OK;
  if (__builtin_mul_overflow(bytes, (size_t)c->threads, &all)) return EGRET_ERROR_MEMORY;
  c->scratch_bytes = 0;
  int code = eg_region_reserve(&c->scratch, all);
  if (!code) c->scratch_bytes = bytes;
  return code;
}

static int run_phase(egret_context *c, const eg_phase *p, int64_t tiles, size_t scratch, void *const *b, const int64_t *d) {
  int code = reserve_scratch(c, scratch);
  if (code) return code;
  if (c->threads == 1 || tiles <= 1) {
    int trap = 0;
    for (int64_t tile = 0; tile < tiles; tile++)
      if ((code = p->body(b, tile, c->scratch.base, d))) trap = code;
    return trap;
  }
  c->body = p->body;
  c->tiles = tiles;
  c->buffers = b;
  c->d = d;
  atomic_store_explicit(&c->trap, 0, memory_order_relaxed);
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
  return atomic_load_explicit(&c->trap, memory_order_relaxed);
}

/* ---- description -------------------------------------------------------------------------------- */

uint32_t egret_abi_version(void) { return EGRET_ABI_VERSION; }
uint32_t egret_input_count(void) { return L->program->input_count; }
uint32_t egret_output_count(void) { return L->program->output_count; }
uint32_t egret_kernel_count(void) { return L->program->step_count; }
uint32_t egret_symbol_count(void) { return L->symbol_count; }
size_t egret_arena_bytes(void) { return L->program->arena_bytes; }
const char *egret_cpu_needed(void) { return L->cpu_needed; }
const char *egret_program_text(void) { return L->text; }
size_t egret_program_text_bytes(void) { return L->text_bytes; }

int32_t egret_input_info(uint32_t index, egret_info *info) {
  if (!info || index >= L->program->input_count) return EGRET_ERROR_ARGUMENT;
  *info = L->inputs[index];
  return EGRET_OK;
}

int32_t egret_output_info(uint32_t index, egret_info *info) {
  if (!info || index >= L->program->output_count) return EGRET_ERROR_ARGUMENT;
  *info = L->outputs[index];
  return EGRET_OK;
}

int32_t egret_symbol_info(uint32_t index, egret_symbol *symbol) {
  if (!symbol || index >= L->symbol_count) return EGRET_ERROR_ARGUMENT;
  *symbol = L->symbols[index];
  return EGRET_OK;
}

const char *egret_error_text(int32_t code) {
  switch (code) {
    case EGRET_OK: return "no error";
    case EGRET_ERROR_ARGUMENT: return "invalid argument";
    case EGRET_ERROR_DTYPE: return "tensor of another element type";
    case EGRET_ERROR_SHAPE: return "extents that do not fit";
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
  for (const char *w = L->cpu_needed; *w;) {
    size_t n = strcspn(w, " ");
    if (n && !cpu_has(w, n)) return EGRET_ERROR_CPU;
    w += n;
    w += *w == ' ';
  }
  return EGRET_OK;
}

/* ---- open, run, close ----------------------------------------------------------------------------- */

static int after_step(egret_context *c, uint32_t step, const char *name, const egret_info *infos, const egret_tensor *tensors,
                      uint32_t count) {
  return c->tap && c->tap(c->tap_user, step, name, infos, tensors, count) ? EGRET_ERROR_STOPPED : EGRET_OK;
}

static int open_context(egret_context *c, const egret_options *options) {
  const eg_program *p = L->program;
  const unsigned char *weights;
  int code = weights_find(&weights);
  if (code) return code;
  c->machine = (eg_machine){(const char *)weights, c, run_phase, after_step, ""};
  if (options && (options->flags & EGRET_COPY_WEIGHTS) && L->weight_bytes) {
    if ((code = eg_region_reserve(&c->weights_copy, L->weight_bytes))) return code;
    memcpy(c->weights_copy.base, weights, L->weight_bytes);
    c->machine.weights = c->weights_copy.base;
  }
  c->frame = eg_frame_open(p, c->machine.weights, 1);
  c->variants = calloc(L->variant_count + 1, sizeof *c->variants);
  c->outputs = calloc(p->output_count + 1, sizeof *c->outputs);
  c->output_dims = calloc((size_t)p->output_count * p->most_rank + 1, sizeof *c->output_dims);
  c->output_blocks = calloc(p->output_count + 1, sizeof *c->output_blocks);
  c->workers = calloc((size_t)c->threads, sizeof *c->workers);
  if (!c->frame || !c->variants || !c->outputs || !c->output_dims || !c->output_blocks || !c->workers) return EGRET_ERROR_MEMORY;
  /* What does not depend on extents is reserved now, so that a run cannot fail for want of it. */
  if (!p->symbol_count && (code = eg_frame_lay_out(&c->machine, c->frame))) return code;
  for (uint32_t i = 0; i < p->step_count; i++)
    for (uint32_t k = 0; p->steps[i].kind == EG_KERNEL && k < p->steps[i].count; k++) {
      eg_extent bytes = p->phases[p->steps[i].first + k].scratch;
      if (bytes >= 0 && (code = reserve_scratch(c, (size_t)bytes))) return code;
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
  int threads = options && options->threads ? options->threads : L->default_threads;
  if (threads < 1 || threads > 1024) return EGRET_ERROR_ARGUMENT;
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
  eg_frame_close(c->frame);
  for (uint32_t i = 0; c->variants && i < L->variant_count; i++) eg_frame_close(c->variants[i]);
  for (uint32_t i = 0; c->output_blocks && i < L->program->output_count; i++) eg_block_close(&c->output_blocks[i]);
  eg_region_close(&c->scratch);
  eg_region_close(&c->weights_copy);
  free(c->variants);
  free(c->outputs);
  free(c->output_dims);
  free(c->output_blocks);
  free(c->workers);
  free(c);
}

int32_t egret_set_tap(egret_context *c, egret_tap tap, void *user) {
  if (!c) return EGRET_ERROR_ARGUMENT;
  c->tap = tap;
  c->tap_user = user;
  return EGRET_OK;
}

const char *egret_last_error(const egret_context *c) { return c ? c->machine.error : "no context"; }

/* The frame that runs these inputs, bound to them: that of a variant for just these extents, or the general one. */
static int choose(egret_context *c, const egret_tensor *inputs, eg_frame **out) {
  eg_machine *m = &c->machine;
  int code = eg_frame_bind(m, c->frame, NULL, inputs);
  *out = c->frame;
  for (uint32_t i = 0; i < L->variant_count && !code; i++) {
    const eg_variant *v = &L->variants[i];
    if (memcmp(v->extents, eg_frame_extents(c->frame), L->symbol_count * sizeof *v->extents)) continue;
    if (!c->variants[i]) c->variants[i] = eg_frame_open(v->program, m->weights, 1);
    if (!c->variants[i]) return eg_fail(m, EGRET_ERROR_MEMORY, "out of memory");
    *out = c->variants[i];
    return eg_frame_bind(m, *out, NULL, inputs);
  }
  return code;
}

/* What the caller says of an output before the run: where it goes. */
static int prepare(egret_context *c, uint32_t i, const egret_tensor *t) {
  const egret_info *info = &L->outputs[i];
  eg_sink *s = &c->outputs[i];
  if (t->dtype && t->dtype != info->dtype)
    return eg_fail(&c->machine, EGRET_ERROR_DTYPE, "output `%s`: tensor of another element type", info->name);
  if (t->dims && t->rank != info->rank)
    return eg_fail(&c->machine, EGRET_ERROR_SHAPE, "output `%s`: rank %d expected, got %d", info->name, info->rank, t->rank);
  for (int32_t axis = 0; t->dims && axis < t->rank; axis++)
    if (info->dims[axis] >= 0 && t->dims[axis] != info->dims[axis])
      return eg_fail(&c->machine, EGRET_ERROR_SHAPE, "output `%s`, axis %d: tensor of another shape", info->name, axis);
  if ((uintptr_t)t->data % eg_element_bytes(info->dtype))
    return eg_fail(&c->machine, EGRET_ERROR_ALIGNMENT, "output `%s`: data not aligned to its element type", info->name);
  if (t->data && !t->bytes && L->by_data[i])
    return eg_fail(&c->machine, EGRET_ERROR_ARGUMENT, "output `%s`: how much room there is must be said in bytes", info->name);
  *s = (eg_sink){{.data = t->data, .bytes = t->bytes ? t->bytes : SIZE_MAX}, c->output_dims + i * L->program->most_rank, NULL};
  if (!t->data) s->block = &c->output_blocks[i];
  return EGRET_OK;
}

static int run(egret_context *c, const egret_tensor *inputs, egret_tensor *outputs) {
  uint32_t n = L->program->output_count;
  eg_frame *frame;
  c->machine.error[0] = 0;
  c->machine.after_step = c->tap ? after_step : NULL;
  int code = choose(c, inputs, &frame);
  for (uint32_t i = 0; i < n && !code; i++) code = prepare(c, i, &outputs[i]);
  if (!code) code = eg_frame_run(&c->machine, frame, c->outputs);
  if (code) return code;
  for (uint32_t i = 0; i < n; i++) {
    const egret_tensor *t = &c->outputs[i].tensor;
    for (int32_t axis = 0; outputs[i].dims && axis < t->rank; axis++)
      if (outputs[i].dims[axis] != t->dims[axis])
        return eg_fail(&c->machine, EGRET_ERROR_SHAPE, "output `%s`, axis %d: %lld expected, got %lld", L->outputs[i].name, axis,
                       (long long)outputs[i].dims[axis], (long long)t->dims[axis]);
    size_t bytes = outputs[i].bytes;
    outputs[i] = *t;
    outputs[i].bytes = bytes;
  }
  return EGRET_OK;
}

int32_t egret_run(egret_context *c, const egret_tensor *inputs, uint32_t input_count, egret_tensor *outputs, uint32_t output_count) {
  if (!c) return EGRET_ERROR_ARGUMENT;
  if (atomic_flag_test_and_set(&c->running)) return EGRET_ERROR_BUSY;
  const eg_program *p = L->program;
  int code;
  if (input_count != p->input_count || output_count != p->output_count || (!inputs && input_count) || (!outputs && output_count))
    code = eg_fail(&c->machine, EGRET_ERROR_ARGUMENT, "%u inputs and %u outputs expected, got %u and %u", p->input_count,
                   p->output_count, input_count, output_count);
  else code = run(c, inputs, outputs);
  atomic_flag_clear(&c->running);
  return code;
}
