/* Running a program: its frame of extents, its memory, its steps. */
#ifndef EG_FRAME_H
#define EG_FRAME_H
#include "memory.h"
#include "program.h"

/* What the steps of all frames of a context share. */
typedef struct {
  const char *weights;
  egret_context *context;
  /* Runs all tiles of a part of a kernel; 0 or an error code. */
  int (*run_phase)(egret_context *context, const eg_phase *phase, int64_t tiles, size_t scratch, void *const *b,
                   const int64_t *d);
  /* Called after each step of the outermost program with what it computed. */
  int (*after_step)(egret_context *context, uint32_t step, const char *name, const egret_info *infos,
                    const egret_tensor *tensors, uint32_t count);
  char error[512];
} eg_machine;

/* Where an output goes: given memory with so much room, or (block not NULL) memory that grows. dims must have room for
 * the rank of the output; they, dtype and rank are filled in. */
typedef struct {
  egret_tensor tensor;
  int64_t *dims;
  eg_block *block;
} eg_sink;

typedef struct eg_frame eg_frame;

/* A frame of a program; NULL where there is no memory. outermost: whether its steps are shown. */
eg_frame *eg_frame_open(const eg_program *program, const char *weights, int outermost);
void eg_frame_close(eg_frame *f);
/* The values of the symbols that the inputs (and the frame around, `outer`) decide, once they are checked. */
int eg_frame_bind(eg_machine *m, eg_frame *f, const int64_t *outer, const egret_tensor *inputs);
const int64_t *eg_frame_extents(const eg_frame *f);
/* Checks that these values go together, and lays out the arena for them; nothing to do where it is laid out so. */
int eg_frame_lay_out(eg_machine *m, eg_frame *f);
/* Runs a bound program on the inputs it was bound to. */
int eg_frame_run(eg_machine *m, eg_frame *f, eg_sink *outputs);

/* Notes what went wrong; gives the code. */
__attribute__((format(printf, 3, 4))) int eg_fail(eg_machine *m, int code, const char *format, ...);
size_t eg_element_bytes(int32_t dtype);
#endif
