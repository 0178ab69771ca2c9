/* The tables a generated model fills and the runtime interprets. */
#ifndef EG_PROGRAM_H
#define EG_PROGRAM_H
#include "egret.h"

/* Where a kernel's buffer lies. */
enum { EG_ARENA = 0, EG_WEIGHTS = 1, EG_INPUT = 2, EG_OUTPUT = 3 };
typedef struct { uint32_t space; uint64_t at; /* byte offset, or index of the input or output */ } eg_ref;

/* One part of a kernel: all tiles may run at once. b: the buffers; scratch: private to the thread; d: the values of the program's symbols. Returns 0 or an error code. */
typedef int (*eg_body)(void *const *b, int64_t tile, char *scratch, const int64_t *d);
typedef struct { eg_body body; int64_t tiles; uint32_t first_ref, ref_count; } eg_phase;
/* parts[first..first+count] run one after the other; values[first_value..] are what the kernel computes. */
typedef struct { const char *name; uint32_t first_phase, phase_count, first_value, value_count; } eg_kernel;
typedef struct { egret_info info; eg_ref at; } eg_value;

typedef struct {
  const egret_info *inputs, *outputs;
  const eg_phase *phases;
  const eg_ref *refs;
  const eg_kernel *kernels;
  const eg_value *values;
  uint32_t input_count, output_count, phase_count, ref_count, kernel_count;
  uint64_t arena_bytes, scratch_bytes, weight_bytes;
  const unsigned char *weights; /* NULL: in the file weight_file beside the library */
  const char *weight_file;
  const char *cpu_needed; /* words separated by blanks */
  int32_t default_threads;
  const char *text;
  uint64_t text_bytes;
} eg_program;

extern const eg_program eg_the_program;
#endif
