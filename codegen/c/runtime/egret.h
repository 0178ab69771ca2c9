/* The C interface of a library compiled by Egret. ABI version 2.
 *
 * A library holds one model: its program and its weights, immutable and shared by all callers.
 * A context holds what a run needs (arena, threads); one context serves one caller at a time,
 * any number of contexts run at once. All functions but egret_close are safe to call from any thread.
 *
 *   egret_context *context;
 *   if (egret_open(NULL, &context)) abort();
 *   float in[3 * 224 * 224] = {0};
 *   int64_t dims[] = {1, 3, 224, 224};
 *   egret_tensor x = {EGRET_F32, 4, dims, in}, y = {0};
 *   if (egret_run(context, &x, 1, &y, 1)) puts(egret_last_error(context));
 *   use(y.data);
 *   egret_close(context);
 *
 * Extents that the library leaves open are -1 in its infos and named there. A run takes them from the shapes of its
 * inputs and checks them: inputs that share a name must agree, and values lie in the bounds that egret_symbol_info tells.
 *
 * Every function that can fail returns 0 or an error code; egret_error_text words the code, egret_last_error the place.
 */
#ifndef EGRET_H
#define EGRET_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define EGRET_ABI_VERSION 2
#if defined(__GNUC__)
#define EGRET_API __attribute__((visibility("default")))
#else
#define EGRET_API
#endif

/* Element types. Booleans are bytes of 0 or 1; f16 and bf16 are their 16 bits. */
enum {
  EGRET_F16 = 1, EGRET_BF16 = 2, EGRET_F32 = 3, EGRET_F64 = 4,
  EGRET_I8 = 5, EGRET_I16 = 6, EGRET_I32 = 7, EGRET_I64 = 8,
  EGRET_U8 = 9, EGRET_U16 = 10, EGRET_U32 = 11, EGRET_U64 = 12,
  EGRET_BOOL = 13
};

/* Error codes. */
enum {
  EGRET_OK = 0,
  EGRET_ERROR_ARGUMENT = 1,   /* a null pointer, an index out of range, a wrong count */
  EGRET_ERROR_DTYPE = 2,      /* an input or output of another element type */
  EGRET_ERROR_SHAPE = 3,      /* ... of another shape, or extents out of bounds or that do not go together */
  EGRET_ERROR_ALIGNMENT = 4,  /* data not aligned to its element type */
  EGRET_ERROR_MEMORY = 5,     /* out of memory */
  EGRET_ERROR_CPU = 6,        /* the library was compiled for instructions this CPU lacks */
  EGRET_ERROR_THREADS = 7,    /* a thread could not be started */
  EGRET_ERROR_WEIGHTS = 8,    /* the separate weights file is missing or has another size */
  EGRET_ERROR_BUSY = 9,       /* the context is running on another thread */
  EGRET_ERROR_STOPPED = 10,   /* a tap asked to stop */
  EGRET_ERROR_INDEX = 20,     /* the model read a tensor at an index out of range */
  EGRET_ERROR_DIVISION = 21   /* the model divided an integer by zero */
};

/* A dense row-major tensor. The library reads dims and data of inputs and writes data of outputs. */
typedef struct {
  int32_t dtype;
  int32_t rank;
  const int64_t *dims;
  void *data;
  size_t bytes; /* outputs: room at data; 0: as much as the output takes. Not looked at for inputs. */
} egret_tensor;

/* What an input or output is called and must be. Everything lives as long as the library. */
typedef struct {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *dims;        /* -1: open */
  const char *const *symbols; /* per axis: the open extent, a name or an expression of names; NULL where it is a number */
  size_t bytes;               /* 0 where an extent is open */
} egret_info;

/* An open extent that the inputs' shapes decide. */
typedef struct {
  const char *name;
  int64_t min, max; /* a run with a value outside is refused */
} egret_symbol;

enum {
  EGRET_COPY_WEIGHTS = 1 /* copy the weights to huge pages: faster reads, not shared between processes */
};

typedef struct {
  int32_t threads; /* 0: the number the library was compiled for */
  uint32_t flags;
} egret_options;

typedef struct egret_context egret_context;

/* Called after each step of the program (a kernel, or a branch or loop as a whole) with the tensors it has computed, for
 * checking; extents in infos and outputs are those of this run. The data may be changed: later steps then see the changed
 * values. A result other than 0 ends the run with EGRET_ERROR_STOPPED. */
typedef int (*egret_tap)(void *user, uint32_t kernel, const char *kernel_name, const egret_info *infos,
                         const egret_tensor *outputs, uint32_t count);

EGRET_API uint32_t egret_abi_version(void);
EGRET_API const char *egret_error_text(int32_t code);
/* The instruction sets the library needs, such as "avx512f avx512vl fma"; 0 or EGRET_ERROR_CPU for this machine. */
EGRET_API const char *egret_cpu_needed(void);
EGRET_API int32_t egret_cpu_check(void);

EGRET_API uint32_t egret_input_count(void);
EGRET_API uint32_t egret_output_count(void);
EGRET_API uint32_t egret_kernel_count(void);
EGRET_API int32_t egret_input_info(uint32_t index, egret_info *info);
EGRET_API int32_t egret_output_info(uint32_t index, egret_info *info);
EGRET_API uint32_t egret_symbol_count(void);
EGRET_API int32_t egret_symbol_info(uint32_t index, egret_symbol *symbol);
/* Bytes of working memory a context takes beside the weights; 0 where open extents decide. */
EGRET_API size_t egret_arena_bytes(void);

/* options may be NULL. */
EGRET_API int32_t egret_open(const egret_options *options, egret_context **context);
/* Runs the model. inputs[i] and outputs[i] are in the order of the infos. Where outputs[i].data is NULL, data is set
 * to memory of the context that stays valid until its next run; else it must have room for the output. Room is what
 * outputs[i].bytes says, or, where that is 0, what the output takes; an output whose extents only the run decides
 * (its symbols are none of egret_symbol_info's) needs bytes. dims, if not NULL, and dtype, if not 0, are checked.
 * dtype, rank and dims of all outputs are filled in; dims are valid as long as data. A failed run leaves the contents of
 * outputs undefined and the context usable. */
EGRET_API int32_t egret_run(egret_context *context, const egret_tensor *inputs, uint32_t input_count,
                            egret_tensor *outputs, uint32_t output_count);
/* tap NULL: none. */
EGRET_API int32_t egret_set_tap(egret_context *context, egret_tap tap, void *user);
/* One line on the last failure in this context. */
EGRET_API const char *egret_last_error(const egret_context *context);
EGRET_API void egret_close(egret_context *context);

/* The program the library was compiled from, in Egret's text form. */
EGRET_API const char *egret_program_text(void);
EGRET_API size_t egret_program_text_bytes(void);

#ifdef __cplusplus
}
#endif
#endif
