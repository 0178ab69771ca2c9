/* The tables a generated model fills and the runtime interprets.
 *
 * A program has a frame: d, one value per symbol. Extents and sizes that depend on it are expressions over d. */
#ifndef EG_PROGRAM_H
#define EG_PROGRAM_H
#include "egret.h"

/* A number from 0 up, or ~i: expression i of the program. */
typedef int64_t eg_extent;

/* Where the value of a symbol comes from. */
enum {
  EG_AXIS,   /* axis `axis` of input `at` */
  EG_NUMBER, /* the int64 in buffer `at` */
  EG_RESULT, /* axis `axis` of buffer `at`, which a branch or loop gives */
  EG_OUTER   /* symbol `at` of the program around this one */
};
typedef struct {
  const char *name;
  int64_t min, max;
  uint32_t from, at, axis;
  int32_t after; /* the step after which it is known; -1: at the start. Symbols are in order of `after`. */
} eg_symbol;

/* What must hold of the extents, once they are known. */
enum {
  EG_VALID,   /* a is a number from 0 up */
  EG_EQUAL,   /* a = b */
  EG_AT_MOST, /* a <= b */
  EG_INSIDE   /* a + step * i for i < b lie in [0, c) */
};
typedef struct {
  uint32_t kind;
  eg_extent a, b, c;
  int64_t step;
  int32_t after; /* as in eg_symbol; requirements are in this order */
  const char *text;
} eg_requirement;

/* Where a buffer lies. */
enum {
  EG_ARENA,   /* in the arena; at byte `at` where the program's arena is laid out at build time */
  EG_WEIGHTS, /* at byte `at` of the weights */
  EG_INPUT,   /* the input at position `at` */
  EG_OUTPUT   /* the output at position `at` */
};
typedef struct {
  const char *name; /* NULL: working memory of one kernel */
  int32_t dtype, rank;
  uint32_t first_dim; /* of its extents in the program's dims */
  uint32_t space;
  uint64_t at;
  eg_extent bytes;
  uint32_t first, last; /* steps that touch it first and last */
  int32_t late;         /* whether its size is not known before step `first` is next */
} eg_buffer;

/* One part of a kernel: all tiles may run at once. b: the buffers; scratch: private to the thread; d: the frame. Returns
 * 0 or an error code. */
typedef int (*eg_body)(void *const *b, int64_t tile, char *scratch, const int64_t *d);
typedef struct {
  eg_body body;
  eg_extent tiles, scratch;
  uint32_t first_ref, ref_count; /* buffers, in the program's ids */
} eg_phase;

typedef struct eg_program eg_program;

enum { EG_KERNEL, EG_BRANCH, EG_LOOP };
typedef struct {
  const char *name;
  uint32_t kind;
  uint32_t first, count;              /* EG_KERNEL: phases, one after the other; else `first` is the branch or loop */
  uint32_t first_write, write_count;  /* buffers it computes, in the program's ids */
} eg_step;

/* A run of the program's ids. */
typedef struct { uint32_t first, count; } eg_ids;

#define EG_NONE UINT32_MAX
typedef struct {
  uint32_t condition; /* a buffer of one boolean */
  eg_ids reads;
  const eg_program *then, *otherwise;
} eg_branch;

/* The body's inputs: iteration number, carried values, slices, captures. Its outputs: next condition (where there is a
 * condition), carried values, slices to be stacked. */
typedef struct {
  eg_extent trips;       /* most iterations, where trips_from is EG_NONE */
  uint32_t trips_from;   /* a buffer of one int64 */
  uint32_t condition;    /* a buffer of one boolean, or EG_NONE */
  eg_ids carried, scanned, captures;
  const eg_program *body;
} eg_loop;

struct eg_program {
  const char *name;
  const eg_symbol *symbols;
  const eg_requirement *requirements;
  const eg_buffer *buffers;
  const uint32_t *late; /* late buffers of kernels, in order of `first` */
  const uint32_t *inputs, *outputs; /* the buffer of each */
  const eg_extent *dims;
  const uint32_t *ids;
  const eg_phase *phases;
  const eg_branch *branches;
  const eg_loop *loops;
  const eg_step *steps;
  uint32_t symbol_count, requirement_count, buffer_count, late_count, input_count, output_count, dim_count, branch_count,
      loop_count, step_count;
  uint32_t most_refs, most_writes, most_rank;
  /* Value of expression i; EG_INVALID where it has none (extents.h). NULL where there are no expressions. */
  int64_t (*expression)(uint32_t i, const int64_t *d);
  int32_t laid_out; /* whether the arena is laid out at build time */
  uint64_t arena_bytes;
};

/* The same model for given extents, in order of the symbols of the general program that inputs decide. */
typedef struct {
  const int64_t *extents;
  const eg_program *program;
} eg_variant;

typedef struct {
  const eg_program *program;
  const eg_variant *variants;
  uint32_t variant_count;
  const egret_info *inputs, *outputs;
  const uint8_t *by_data; /* per output: whether it has extents that the inputs' shapes do not decide */
  const egret_symbol *symbols; /* those that inputs decide: the first of the program's */
  uint32_t symbol_count;
  const unsigned char *weights; /* NULL: in the file weight_file beside the library */
  uint64_t weight_bytes;
  const char *weight_file;
  const char *cpu_needed; /* words separated by blanks */
  int32_t default_threads;
  const char *text;
  uint64_t text_bytes;
} eg_library;

extern const eg_library eg_the_library;
#endif
