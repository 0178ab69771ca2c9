/* Programs with frames: extents from shapes, an arena laid out for them, steps one after the other. A branch or a loop
 * runs the frame of its body, which is made when it is first needed and kept. */
#include "frame.h"
#include "extents.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* What a loop keeps between iterations: carried values twice, the condition, slices on their way to a stack. */
typedef struct {
  eg_block *blocks;
  int64_t *dims;
  egret_tensor *inputs;
  eg_sink *outputs;
} loop_state;

struct eg_frame {
  const eg_program *p;
  const char *weights;
  int outermost;
  int64_t *d;       /* values of symbols; EG_INVALID: not known yet */
  int64_t *laid_at; /* the values that the arena is laid out for */
  int laid_out;
  eg_region arena;
  uint64_t *offsets; /* of buffers in the arena, where it is laid out at run time */
  char **at;         /* where each buffer is */
  int64_t *dims;     /* extents of the buffers that have names, as numbers */
  eg_block *late;    /* memory of late buffers */
  eg_frame **bodies; /* of branches (then, otherwise), then of loops */
  loop_state *loops;
  void **refs;
  egret_info *infos;
  egret_tensor *tensors;
};

int eg_fail(eg_machine *m, int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(m->error, sizeof m->error, format, arguments);
  va_end(arguments);
  return code;
}

size_t eg_element_bytes(int32_t dtype) {
  switch (dtype) {
    case EGRET_I8: case EGRET_U8: case EGRET_BOOL: return 1;
    case EGRET_F16: case EGRET_BF16: case EGRET_I16: case EGRET_U16: return 2;
    case EGRET_F32: case EGRET_I32: case EGRET_U32: return 4;
    default: return 8;
  }
}

/* ---- extents -------------------------------------------------------------------------------------- */

static int64_t value(const eg_frame *f, eg_extent x) { return x >= 0 ? x : f->p->expression((uint32_t)~x, f->d); }

/* The extents of a buffer at the frame's values, which must be known. */
static int64_t *shape(eg_frame *f, uint32_t buffer) {
  const eg_buffer *b = &f->p->buffers[buffer];
  for (int32_t i = 0; i < b->rank; i++) f->dims[b->first_dim + i] = value(f, f->p->dims[b->first_dim + i]);
  return f->dims + b->first_dim;
}

static egret_tensor tensor(eg_frame *f, uint32_t buffer) {
  const eg_buffer *b = &f->p->buffers[buffer];
  return (egret_tensor){b->dtype, b->rank, shape(f, buffer), f->at[buffer], 0};
}

/* Bytes of a tensor; SIZE_MAX where they are too many. */
static size_t tensor_bytes(int32_t dtype, int32_t rank, const int64_t *dims) {
  int64_t n = (int64_t)eg_element_bytes(dtype);
  for (int32_t i = 0; i < rank; i++)
    if (dims[i] < 0 || (n = eg_mul(n, dims[i])) == EG_INVALID) return SIZE_MAX;
  return (size_t)n;
}

static int bound(eg_machine *m, eg_frame *f, uint32_t k, int64_t v) {
  const eg_symbol *s = &f->p->symbols[k];
  f->d[k] = v;
  if (v >= s->min && v <= s->max) return EGRET_OK;
  char most[32] = "";
  if (s->max != INT64_MAX) snprintf(most, sizeof most, "%" PRId64, s->max);
  if (s->from == EG_AXIS)
    return eg_fail(m, EGRET_ERROR_SHAPE, "input `%s`, axis %u: %s is %" PRId64 ", its bounds are %" PRId64 "..%s",
                   f->p->buffers[f->p->inputs[s->at]].name, s->axis, s->name, v, s->min, most);
  return eg_fail(m, EGRET_ERROR_SHAPE, "%s is %" PRId64 ", its bounds are %" PRId64 "..%s", s->name, v, s->min, most);
}

static int require(eg_machine *m, const eg_frame *f, const eg_requirement *r) {
  int64_t a = value(f, r->a), b = value(f, r->b), c = value(f, r->c), last;
  int holds = 0;
  switch (r->kind) {
    case EG_VALID: holds = a >= 0; break;
    case EG_EQUAL: holds = a != EG_INVALID && a == b; break;
    case EG_AT_MOST: holds = a != EG_INVALID && b != EG_INVALID && a <= b; break;
    case EG_INSIDE:
      last = eg_add(a, eg_mul(r->step, eg_add(b, -1)));
      holds = b == 0 || (b > 0 && c != EG_INVALID && a >= 0 && a < c && last >= 0 && last < c);
      break;
  }
  return holds ? EGRET_OK : eg_fail(m, EGRET_ERROR_SHAPE, "extents that do not go together: %s", r->text);
}

/* Gives values to the symbols that a step (-1: the start) decides, and checks what they must fulfil. */
static int decide(eg_machine *m, eg_frame *f, int32_t after, uint32_t *next_symbol, uint32_t *next_requirement) {
  const eg_program *p = f->p;
  for (; *next_symbol < p->symbol_count && p->symbols[*next_symbol].after <= after; ++*next_symbol) {
    const eg_symbol *s = &p->symbols[*next_symbol];
    int64_t v = f->d[*next_symbol];
    if (s->from == EG_NUMBER) memcpy(&v, f->at[s->at], sizeof v);
    if (s->from == EG_RESULT) v = f->dims[p->buffers[s->at].first_dim + s->axis];
    int code = bound(m, f, *next_symbol, v);
    if (code) return code;
  }
  for (; *next_requirement < p->requirement_count && p->requirements[*next_requirement].after <= after; ++*next_requirement) {
    int code = require(m, f, &p->requirements[*next_requirement]);
    if (code) return code;
  }
  return EGRET_OK;
}

int eg_frame_bind(eg_machine *m, eg_frame *f, const int64_t *outer, const egret_tensor *inputs) {
  const eg_program *p = f->p;
  for (uint32_t i = 0; i < p->input_count; i++) {
    const eg_buffer *b = &p->buffers[p->inputs[i]];
    if (inputs[i].dtype != b->dtype)
      return eg_fail(m, EGRET_ERROR_DTYPE, "input `%s`: tensor of another element type", b->name);
    if (inputs[i].rank != b->rank || (b->rank && !inputs[i].dims))
      return eg_fail(m, EGRET_ERROR_SHAPE, "input `%s`: rank %d expected, got %d", b->name, b->rank, inputs[i].rank);
  }
  for (uint32_t k = 0; k < p->symbol_count; k++) {
    const eg_symbol *s = &p->symbols[k];
    f->d[k] = s->from == EG_AXIS ? inputs[s->at].dims[s->axis] : s->from == EG_OUTER ? outer[s->at] : EG_INVALID;
    int code = s->from == EG_AXIS ? bound(m, f, k, f->d[k]) : EGRET_OK;
    if (code) return code;
  }
  for (uint32_t i = 0; i < p->input_count; i++) {
    const eg_buffer *b = &p->buffers[p->inputs[i]];
    for (int32_t axis = 0; axis < b->rank; axis++) {
      int64_t want = value(f, p->dims[b->first_dim + axis]), got = inputs[i].dims[axis];
      if (want != got)
        return eg_fail(m, EGRET_ERROR_SHAPE, "input `%s`, axis %d: %" PRId64 " expected, got %" PRId64, b->name, axis, want, got);
    }
    size_t bytes = tensor_bytes(b->dtype, b->rank, inputs[i].dims);
    if (bytes == SIZE_MAX) return eg_fail(m, EGRET_ERROR_SHAPE, "input `%s`: too large", b->name);
    if (!inputs[i].data && bytes) return eg_fail(m, EGRET_ERROR_ARGUMENT, "input `%s`: no data", b->name);
    if ((uintptr_t)inputs[i].data % eg_element_bytes(b->dtype))
      return eg_fail(m, EGRET_ERROR_ALIGNMENT, "input `%s`: data not aligned to its element type", b->name);
    f->at[p->inputs[i]] = inputs[i].data;
  }
  return EGRET_OK;
}

const int64_t *eg_frame_extents(const eg_frame *f) { return f->d; }

/* ---- memory --------------------------------------------------------------------------------------- */

static int too_large(eg_machine *m, const eg_buffer *b, int code) {
  return eg_fail(m, code, "%s%s%s: %s", b->name ? "`" : "", b->name ? b->name : "working memory", b->name ? "`" : "",
                 code == EGRET_ERROR_MEMORY ? "out of memory" : "too large");
}

typedef struct { uint64_t from, to; } span;
typedef struct { int64_t bytes; uint32_t buffer, first; } placing;

static int by_size(const void *a, const void *b) {
  const placing *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static int by_start(const void *a, const void *b) {
  const span *x = a, *y = b;
  return x->from < y->from ? -1 : x->from > y->from;
}

/* Larger buffers first, each at the lowest offset where no buffer lies that lives at the same time. */
static int place(eg_machine *m, eg_frame *f, placing *todo, span *taken, uint64_t *arena) {
  const eg_program *p = f->p;
  size_t n = 0;
  for (uint32_t i = 0; i < p->buffer_count; i++) {
    const eg_buffer *b = &p->buffers[i];
    if (b->space != EG_ARENA || b->late) continue;
    int64_t bytes = value(f, b->bytes);
    if (bytes < 0 || bytes > PTRDIFF_MAX / 2) return too_large(m, b, EGRET_ERROR_SHAPE);
    todo[n++] = (placing){bytes, i, b->first};
  }
  qsort(todo, n, sizeof *todo, by_size);
  *arena = 0;
  for (size_t k = 0; k < n; k++) {
    const eg_buffer *b = &p->buffers[todo[k].buffer];
    uint64_t size = ((uint64_t)todo[k].bytes + EG_SLACK + EG_ALIGN - 1) & ~(uint64_t)(EG_ALIGN - 1), at = 0;
    size_t beside = 0;
    for (size_t j = 0; j < k; j++) {
      const eg_buffer *o = &p->buffers[todo[j].buffer];
      if (o->first > b->last || b->first > o->last) continue;
      uint64_t other = ((uint64_t)todo[j].bytes + EG_SLACK + EG_ALIGN - 1) & ~(uint64_t)(EG_ALIGN - 1);
      taken[beside++] = (span){f->offsets[todo[j].buffer], f->offsets[todo[j].buffer] + other};
    }
    qsort(taken, beside, sizeof *taken, by_start);
    for (size_t j = 0; j < beside && at + size > taken[j].from; j++)
      if (taken[j].to > at) at = taken[j].to;
    f->offsets[todo[k].buffer] = at;
    if (at + size > *arena) *arena = at + size;
    if (*arena > PTRDIFF_MAX) return too_large(m, b, EGRET_ERROR_SHAPE);
  }
  return EGRET_OK;
}

int eg_frame_lay_out(eg_machine *m, eg_frame *f) {
  const eg_program *p = f->p;
  if (f->laid_out && !memcmp(f->d, f->laid_at, p->symbol_count * sizeof *f->d)) return EGRET_OK;
  f->laid_out = 0;
  uint64_t arena = p->arena_bytes;
  for (uint32_t i = 0; i < p->requirement_count && p->requirements[i].after < 0; i++) {
    int code = require(m, f, &p->requirements[i]);
    if (code) return code;
  }
  if (!p->laid_out) {
    size_t n = p->buffer_count + 1;
    placing *todo = malloc(n * sizeof *todo);
    span *taken = malloc(n * sizeof *taken);
    int code = todo && taken ? place(m, f, todo, taken, &arena) : eg_fail(m, EGRET_ERROR_MEMORY, "out of memory");
    free(todo);
    free(taken);
    if (code) return code;
  }
  if (eg_region_reserve(&f->arena, arena))
    return eg_fail(m, EGRET_ERROR_MEMORY, "out of memory: %" PRIu64 " bytes of working memory", arena);
  for (uint32_t i = 0; i < p->buffer_count; i++)
    if (p->buffers[i].space == EG_ARENA && !p->buffers[i].late)
      f->at[i] = f->arena.base + (p->laid_out ? p->buffers[i].at : f->offsets[i]);
  memcpy(f->laid_at, f->d, p->symbol_count * sizeof *f->d);
  f->laid_out = 1;
  return EGRET_OK;
}

/* Memory for an output of so many bytes. */
static int sink_reserve(eg_machine *m, eg_sink *s, const eg_buffer *b, size_t bytes) {
  if (s->block) {
    if (eg_block_reserve(s->block, bytes, 0)) return too_large(m, b, EGRET_ERROR_MEMORY);
    s->tensor.data = s->block->data;
  } else if (bytes > s->tensor.bytes)
    return eg_fail(m, EGRET_ERROR_SHAPE, "output `%s` takes %zu bytes, there is room for %zu", b->name, bytes, s->tensor.bytes);
  return EGRET_OK;
}

/* Memory for a buffer whose size is known by now. */
static int make_room(eg_machine *m, eg_frame *f, uint32_t buffer, eg_sink *outputs) {
  const eg_buffer *b = &f->p->buffers[buffer];
  int64_t bytes = value(f, b->bytes);
  if (bytes < 0 || bytes > PTRDIFF_MAX / 2) return too_large(m, b, EGRET_ERROR_SHAPE);
  if (b->space == EG_OUTPUT) {
    int code = sink_reserve(m, &outputs[b->at], b, (size_t)bytes);
    f->at[buffer] = outputs[b->at].tensor.data;
    return code;
  }
  if (eg_block_reserve(&f->late[buffer], (size_t)bytes, 0)) return too_large(m, b, EGRET_ERROR_MEMORY);
  f->at[buffer] = f->late[buffer].data;
  return EGRET_OK;
}

/* ---- branches and loops --------------------------------------------------------------------------- */

static eg_frame *body_frame(eg_frame *f, uint32_t k, const eg_program *p) {
  if (!f->bodies[k]) f->bodies[k] = eg_frame_open(p, f->weights, 0);
  return f->bodies[k];
}

static int run_body(eg_machine *m, eg_frame *f, eg_frame *body, const egret_tensor *inputs, eg_sink *outputs) {
  if (!body) return eg_fail(m, EGRET_ERROR_MEMORY, "out of memory");
  int code = eg_frame_bind(m, body, f->d, inputs);
  return code ? code : eg_frame_run(m, body, outputs);
}

/* Where the result of a branch or loop goes: into its buffer, or memory of unknown size. */
static eg_sink result_sink(eg_frame *f, uint32_t buffer, eg_sink *outputs) {
  const eg_buffer *b = &f->p->buffers[buffer];
  eg_sink s = {.dims = f->dims + b->first_dim};
  if (b->space == EG_OUTPUT) {
    s.block = b->late ? outputs[b->at].block : NULL;
    s.tensor.data = outputs[b->at].tensor.data;
    s.tensor.bytes = b->late ? outputs[b->at].tensor.bytes : (size_t)value(f, b->bytes);
  } else if (b->late) s.block = &f->late[buffer];
  else {
    s.tensor.data = f->at[buffer];
    s.tensor.bytes = (size_t)value(f, b->bytes);
  }
  return s;
}

/* Takes over what a branch or loop gave; its extents are in the buffer's dims. */
static void take_result(eg_frame *f, uint32_t buffer, const eg_sink *s, eg_sink *outputs) {
  const eg_buffer *b = &f->p->buffers[buffer];
  f->at[buffer] = s->tensor.data;
  if (b->space == EG_OUTPUT) outputs[b->at].tensor.data = s->tensor.data;
}

/* Extents that the program states for a result must be those that it has. */
static int check_results(eg_machine *m, eg_frame *f, const eg_step *step) {
  for (uint32_t i = 0; i < step->write_count; i++) {
    const eg_buffer *b = &f->p->buffers[f->p->ids[step->first_write + i]];
    for (int32_t axis = 0; axis < b->rank; axis++) {
      int64_t want = value(f, f->p->dims[b->first_dim + axis]), got = f->dims[b->first_dim + axis];
      if (want != got)
        return eg_fail(m, EGRET_ERROR_SHAPE, "`%s` gave `%s` with %" PRId64 " elements on axis %d, %" PRId64 " expected",
                       step->name, b->name, got, axis, want);
    }
  }
  return EGRET_OK;
}

static int run_branch(eg_machine *m, eg_frame *f, const eg_step *step, eg_sink *outputs) {
  const eg_program *p = f->p;
  const eg_branch *b = &p->branches[step->first];
  int taken = *f->at[b->condition] != 0;
  eg_frame *body = body_frame(f, 2 * step->first + !taken, taken ? b->then : b->otherwise);
  egret_tensor inputs[b->reads.count + 1];
  eg_sink sinks[step->write_count + 1];
  for (uint32_t i = 0; i < b->reads.count; i++) inputs[i] = tensor(f, p->ids[b->reads.first + i]);
  for (uint32_t i = 0; i < step->write_count; i++) sinks[i] = result_sink(f, p->ids[step->first_write + i], outputs);
  int code = run_body(m, f, body, inputs, sinks);
  if (code) return code;
  for (uint32_t i = 0; i < step->write_count; i++) take_result(f, p->ids[step->first_write + i], &sinks[i], outputs);
  return EGRET_OK;
}

static int open_loop(loop_state *s, const eg_loop *l) {
  const eg_program *body = l->body;
  /* Two blocks per output: carried values go back and forth between them. */
  size_t outputs = body->output_count + 1, rank = body->most_rank + 1;
  s->blocks = calloc(2 * outputs, sizeof *s->blocks);
  s->dims = calloc((2 * outputs + body->input_count) * rank, sizeof *s->dims);
  s->inputs = calloc(body->input_count + 1, sizeof *s->inputs);
  s->outputs = calloc(outputs, sizeof *s->outputs);
  return s->blocks && s->dims && s->inputs && s->outputs ? EGRET_OK : EGRET_ERROR_MEMORY;
}

static void close_loop(loop_state *s, const eg_loop *l) {
  for (size_t i = 0; s->blocks && i < 2 * ((size_t)l->body->output_count + 1); i++) eg_block_close(&s->blocks[i]);
  free(s->blocks);
  free(s->dims);
  free(s->inputs);
  free(s->outputs);
}

/* Puts a slice behind the others of a stack. */
static int push(eg_machine *m, const eg_step *step, eg_sink *stack, const egret_tensor *slice, int64_t i) {
  size_t bytes = tensor_bytes(slice->dtype, slice->rank, slice->dims), before;
  if (i > 0 && memcmp(stack->dims + 1, slice->dims, (size_t)slice->rank * sizeof *slice->dims))
    return eg_fail(m, EGRET_ERROR_SHAPE, "`%s`: iteration %" PRId64 " gives a slice of another shape", step->name, i);
  if (bytes == SIZE_MAX || __builtin_mul_overflow(bytes, (size_t)i, &before) || before + bytes < bytes)
    return eg_fail(m, EGRET_ERROR_SHAPE, "`%s`: a stack is too large", step->name);
  if (stack->block) {
    if (eg_block_reserve(stack->block, before + bytes, before)) return eg_fail(m, EGRET_ERROR_MEMORY, "`%s`: out of memory", step->name);
    stack->tensor.data = stack->block->data;
  } else if (before + bytes > stack->tensor.bytes)
    return eg_fail(m, EGRET_ERROR_SHAPE, "`%s` runs %" PRId64 " times or more, which is too often", step->name, i + 1);
  if (bytes) memcpy((char *)stack->tensor.data + before, slice->data, bytes);
  memcpy(stack->dims + 1, slice->dims, (size_t)slice->rank * sizeof *slice->dims);
  stack->dims[0] = i + 1;
  return EGRET_OK;
}

static int run_loop(eg_machine *m, eg_frame *f, const eg_step *step, eg_sink *outputs) {
  const eg_program *p = f->p;
  const eg_loop *l = &p->loops[step->first];
  loop_state *s = &f->loops[step->first];
  if (!s->blocks && open_loop(s, l)) return eg_fail(m, EGRET_ERROR_MEMORY, "`%s`: out of memory", step->name);
  eg_frame *body = body_frame(f, 2 * p->branch_count + step->first, l->body);
  size_t rank = l->body->most_rank + 1;
  uint32_t exits = l->condition != EG_NONE, stacked = step->write_count - l->carried.count;
  int64_t trips = value(f, l->trips), i = 0;
  if (l->trips_from != EG_NONE) memcpy(&trips, f->at[l->trips_from], sizeof trips);
  int going = !exits || *f->at[l->condition] != 0;

  eg_sink stacks[stacked + 1];
  for (uint32_t j = 0; j < stacked; j++) {
    uint32_t buffer = p->ids[step->first_write + l->carried.count + j];
    stacks[j] = result_sink(f, buffer, outputs);
    shape(f, buffer);
    stacks[j].dims[0] = 0;
    for (int32_t axis = 1; axis < p->buffers[buffer].rank; axis++)
      if (stacks[j].dims[axis] < 0) stacks[j].dims[axis] = 0; /* of no slices */
    if (stacks[j].block && eg_block_reserve(stacks[j].block, 1, 0)) return eg_fail(m, EGRET_ERROR_MEMORY, "`%s`: out of memory", step->name);
    if (stacks[j].block) stacks[j].tensor.data = stacks[j].block->data;
  }
  /* Inputs: iteration number, carried, slices, captures. */
  egret_tensor *in = s->inputs, *carried = in + 1, *slices = carried + l->carried.count, *captures = slices + l->scanned.count;
  in[0] = (egret_tensor){EGRET_I64, 0, NULL, &i, 0};
  for (uint32_t j = 0; j < l->carried.count; j++) carried[j] = tensor(f, p->ids[l->carried.first + j]);
  for (uint32_t j = 0; j < l->captures.count; j++) captures[j] = tensor(f, p->ids[l->captures.first + j]);
  for (; going && i < trips; i++) {
    for (uint32_t j = 0; j < l->scanned.count; j++) {
      egret_tensor whole = tensor(f, p->ids[l->scanned.first + j]);
      if (i >= whole.dims[0])
        return eg_fail(m, EGRET_ERROR_SHAPE, "`%s`: iteration %" PRId64 " reads behind the end of `%s`", step->name, i,
                       p->buffers[p->ids[l->scanned.first + j]].name);
      size_t bytes = tensor_bytes(whole.dtype, whole.rank - 1, whole.dims + 1);
      slices[j] = (egret_tensor){whole.dtype, whole.rank - 1, whole.dims + 1, (char *)whole.data + (size_t)i * bytes, 0};
    }
    for (uint32_t j = 0; j < l->body->output_count; j++) {
      size_t half = 2 * j + (size_t)(i & 1);
      s->outputs[j] = (eg_sink){.dims = s->dims + half * rank, .block = &s->blocks[half]};
    }
    int code = run_body(m, f, body, in, s->outputs);
    if (code) return code;
    if (exits) going = *(const uint8_t *)s->outputs[0].tensor.data != 0;
    for (uint32_t j = 0; j < l->carried.count; j++) carried[j] = s->outputs[exits + j].tensor;
    for (uint32_t j = 0; j < stacked; j++) {
      code = push(m, step, &stacks[j], &s->outputs[exits + l->carried.count + j].tensor, i);
      if (code) return code;
    }
  }
  for (uint32_t j = 0; j < l->carried.count; j++) {
    uint32_t buffer = p->ids[step->first_write + j];
    eg_sink sink = result_sink(f, buffer, outputs);
    size_t bytes = tensor_bytes(carried[j].dtype, carried[j].rank, carried[j].dims);
    int code = bytes == SIZE_MAX ? too_large(m, &p->buffers[buffer], EGRET_ERROR_SHAPE) : sink_reserve(m, &sink, &p->buffers[buffer], bytes);
    if (code) return code;
    if (bytes) memcpy(sink.tensor.data, carried[j].data, bytes);
    memcpy(sink.dims, carried[j].dims, (size_t)carried[j].rank * sizeof *sink.dims);
    take_result(f, buffer, &sink, outputs);
  }
  for (uint32_t j = 0; j < stacked; j++) take_result(f, p->ids[step->first_write + l->carried.count + j], &stacks[j], outputs);
  return EGRET_OK;
}

/* ---- steps ---------------------------------------------------------------------------------------- */

static int run_kernel(eg_machine *m, eg_frame *f, const eg_step *step) {
  const eg_program *p = f->p;
  for (uint32_t k = step->first; k < step->first + step->count; k++) {
    const eg_phase *phase = &p->phases[k];
    int64_t tiles = value(f, phase->tiles), scratch = value(f, phase->scratch);
    if (tiles < 0 || scratch < 0) return eg_fail(m, EGRET_ERROR_SHAPE, "kernel `%s`: too large", step->name);
    for (uint32_t i = 0; i < phase->ref_count; i++) f->refs[i] = f->at[p->ids[phase->first_ref + i]];
    int code = m->run_phase(m->context, phase, tiles, (size_t)scratch, f->refs, f->d);
    if (code) return eg_fail(m, code, "kernel `%s`: %s", step->name, egret_error_text(code));
  }
  return EGRET_OK;
}

static int show(eg_machine *m, eg_frame *f, uint32_t k) {
  const eg_step *step = &f->p->steps[k];
  for (uint32_t i = 0; i < step->write_count; i++) {
    uint32_t buffer = f->p->ids[step->first_write + i];
    egret_tensor t = tensor(f, buffer);
    f->tensors[i] = t;
    f->infos[i] = (egret_info){f->p->buffers[buffer].name, t.dtype, t.rank, t.dims, NULL, tensor_bytes(t.dtype, t.rank, t.dims)};
  }
  int code = m->after_step(m->context, k, step->name, f->infos, f->tensors, step->write_count);
  return code ? eg_fail(m, code, "step `%s`: %s", step->name, egret_error_text(code)) : EGRET_OK;
}

/* Outputs: types and extents; contents where they are not where they were computed. */
static int give(eg_machine *m, eg_frame *f, eg_sink *outputs) {
  for (uint32_t i = 0; i < f->p->output_count; i++) {
    uint32_t buffer = f->p->outputs[i];
    const eg_buffer *b = &f->p->buffers[buffer];
    egret_tensor t = tensor(f, buffer);
    eg_sink *s = &outputs[i];
    size_t bytes = tensor_bytes(t.dtype, t.rank, t.dims);
    if (bytes == SIZE_MAX) return too_large(m, b, EGRET_ERROR_SHAPE);
    if (b->space != EG_OUTPUT || b->at != i) {
      int code = sink_reserve(m, s, b, bytes);
      if (code) return code;
      if (bytes) memcpy(s->tensor.data, t.data, bytes);
    }
    memcpy(s->dims, t.dims, (size_t)t.rank * sizeof *s->dims);
    s->tensor.dtype = t.dtype;
    s->tensor.rank = t.rank;
    s->tensor.dims = s->dims;
  }
  return EGRET_OK;
}

int eg_frame_run(eg_machine *m, eg_frame *f, eg_sink *outputs) {
  const eg_program *p = f->p;
  uint32_t symbol = 0, requirement = 0, late = 0;
  /* What the start decides is checked where the arena is laid out for it. */
  while (requirement < p->requirement_count && p->requirements[requirement].after < 0) requirement++;
  int code = decide(m, f, -1, &symbol, &requirement);
  if (!code) code = eg_frame_lay_out(m, f);
  for (uint32_t i = 0; i < p->output_count && !code; i++) {
    const eg_buffer *b = &p->buffers[p->outputs[i]];
    if (b->space == EG_OUTPUT && b->at == i && !b->late) code = make_room(m, f, p->outputs[i], outputs);
  }
  for (uint32_t k = 0; k < p->step_count && !code; k++) {
    const eg_step *step = &p->steps[k];
    for (; late < p->late_count && p->buffers[p->late[late]].first == k && !code; late++)
      code = make_room(m, f, p->late[late], outputs);
    if (code) break;
    switch (step->kind) {
      case EG_KERNEL: code = run_kernel(m, f, step); break;
      case EG_BRANCH: code = run_branch(m, f, step, outputs); break;
      case EG_LOOP: code = run_loop(m, f, step, outputs); break;
    }
    if (!code) code = decide(m, f, (int32_t)k, &symbol, &requirement);
    if (!code && step->kind != EG_KERNEL) code = check_results(m, f, step);
    if (!code && f->outermost && m->after_step) code = show(m, f, k);
  }
  return code ? code : give(m, f, outputs);
}

/* ---- open and close ------------------------------------------------------------------------------- */

eg_frame *eg_frame_open(const eg_program *p, const char *weights, int outermost) {
  eg_frame *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->p = p;
  f->weights = weights;
  f->outermost = outermost;
  f->d = calloc(p->symbol_count + 1, sizeof *f->d);
  f->laid_at = calloc(p->symbol_count + 1, sizeof *f->laid_at);
  f->offsets = calloc(p->buffer_count + 1, sizeof *f->offsets);
  f->at = calloc(p->buffer_count + 1, sizeof *f->at);
  f->dims = calloc(p->dim_count + 1, sizeof *f->dims);
  f->late = calloc(p->buffer_count + 1, sizeof *f->late);
  f->bodies = calloc(2 * p->branch_count + p->loop_count + 1, sizeof *f->bodies);
  f->loops = calloc(p->loop_count + 1, sizeof *f->loops);
  f->refs = calloc(p->most_refs + 1, sizeof *f->refs);
  f->infos = calloc(p->most_writes + 1, sizeof *f->infos);
  f->tensors = calloc(p->most_writes + 1, sizeof *f->tensors);
  if (!f->d || !f->laid_at || !f->offsets || !f->at || !f->dims || !f->late || !f->bodies || !f->loops || !f->refs ||
      !f->infos || !f->tensors) {
    eg_frame_close(f);
    return NULL;
  }
  for (uint32_t i = 0; i < p->buffer_count; i++)
    if (p->buffers[i].space == EG_WEIGHTS) f->at[i] = (char *)weights + p->buffers[i].at;
  return f;
}

void eg_frame_close(eg_frame *f) {
  if (!f) return;
  const eg_program *p = f->p;
  for (uint32_t i = 0; f->bodies && i < 2 * p->branch_count + p->loop_count; i++) eg_frame_close(f->bodies[i]);
  for (uint32_t i = 0; f->loops && i < p->loop_count; i++) close_loop(&f->loops[i], &p->loops[i]);
  for (uint32_t i = 0; f->late && i < p->buffer_count; i++) eg_block_close(&f->late[i]);
  eg_region_close(&f->arena);
  free(f->d);
  free(f->laid_at);
  free(f->offsets);
  free(f->at);
  free(f->dims);
  free(f->late);
  free(f->bodies);
  free(f->loops);
  free(f->refs);
  free(f->infos);
  free(f->tensors);
  free(f);
}
