/* Recurrences (ONNX LSTM, GRU, RNN) over one row of the batch in one direction, in single precision.
 *
 * Pointers: x[t * x_step + i], w[gate * hidden + j][input], r[gate * hidden + j][hidden], b[2 * gates * hidden] or NULL,
 * lengths[0] (steps that count) or NULL, h0 and c0 [hidden] or NULL, p[3 * hidden] (input, output, forget) or NULL;
 * results y[t * y_step + j], y_h[hidden], y_c[hidden]. `work` has room for time * gates * hidden and 2 * gates + 4 more rows.
 */
#ifndef EG_RECURRENT_H
#define EG_RECURRENT_H
#include "prelude.h"

enum {
  EG_RELU, EG_TANH, EG_SIGMOID, EG_AFFINE, EG_LEAKY_RELU, EG_THRESHOLDED_RELU, EG_SCALED_TANH, EG_HARD_SIGMOID, EG_ELU,
  EG_SOFTSIGN, EG_SOFTPLUS
};

EG_FN vf eg_activation(vf x, int kind, float a, float b) {
  switch (kind) {
    case EG_RELU: return vf_max_keep(vf_splat(0.0f), x);
    case EG_TANH: return vf_tanh(x);
    case EG_SIGMOID: return vf_sigmoid(x);
    case EG_AFFINE: return a * x + b;
    case EG_LEAKY_RELU: return vf_select(x < 0.0f, a * x, x);
    case EG_THRESHOLDED_RELU: return vf_select(x > a, x, vf_splat(0.0f));
    case EG_SCALED_TANH: return a * vf_tanh(b * x);
    case EG_HARD_SIGMOID: return vf_max_keep(vf_splat(0.0f), vf_min_keep(vf_splat(1.0f), a * x + b));
    case EG_ELU: return vf_select(x < 0.0f, a * (vf_exp(x) - 1.0f), x);
    case EG_SOFTSIGN: return x / (1.0f + vf_abs(x));
    default: return vf_max_keep(vf_splat(0.0f), x) + vf_log1p(vf_exp(vf_neg(vf_abs(x))));
  }
}

/* x[0..n] = f(clamp(x, -clip, clip)). */
EG_FN void eg_activate(float *x, int64_t n, float clip, int kind, float a, float b) {
  for (int64_t i = 0; i < n; i += EG_LANES) {
    int part = n - i < EG_LANES ? (int)(n - i) : EG_LANES;
    vf v = vf_load_part(x + i, part);
    v = vf_min_keep(vf_splat(clip), vf_max_keep(vf_splat(-clip), v));
    vf_store_part(x + i, eg_activation(v, kind, a, b), part);
  }
}

/* out[j] = start[j] + sum_k m[j][k] v[k], four rows at a time. */
EG_FN void eg_matvec(const float *m, const float *v, const float *start, float *out, int64_t rows, int64_t n) {
  int64_t whole = n / EG_LANES * EG_LANES;
  int part = (int)(n - whole);
  int64_t j = 0;
  for (; j + 4 <= rows; j += 4) {
    const float *a = m + j * n, *b = a + n, *c = b + n, *d = c + n;
    vf s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int64_t k = 0; k < whole; k += EG_LANES) {
      vf x = LD(v + k);
      s0 += LD(a + k) * x;
      s1 += LD(b + k) * x;
      s2 += LD(c + k) * x;
      s3 += LD(d + k) * x;
    }
    if (part) {
      vf x = vf_load_part(v + whole, part);
      s0 += vf_load_part(a + whole, part) * x;
      s1 += vf_load_part(b + whole, part) * x;
      s2 += vf_load_part(c + whole, part) * x;
      s3 += vf_load_part(d + whole, part) * x;
    }
    out[j] = start[j] + vf_hsum(s0);
    out[j + 1] = start[j + 1] + vf_hsum(s1);
    out[j + 2] = start[j + 2] + vf_hsum(s2);
    out[j + 3] = start[j + 3] + vf_hsum(s3);
  }
  for (; j < rows; j++) {
    float s = start[j];
    for (int64_t k = 0; k < n; k++) s += m[j * n + k] * v[k];
    out[j] = s;
  }
}

/* Input products of all steps: pre[t] = w x[t] + bias. */
EG_FN void eg_inputs(int64_t steps, int64_t input, int64_t rows, int64_t x_step, const float *x, const float *w,
                     const float *bias, float *pre) {
  for (int64_t t = 0; t < steps; t++) eg_matvec(w, x + t * x_step, bias, pre + t * rows, rows, input);
}

static inline __attribute__((unused)) void eg_lstm(
    int64_t time, int64_t input, int64_t hidden, int64_t x_step, int64_t y_step, int64_t reverse, const float *x,
    const float *w, const float *r, const float *b, const int32_t *lengths, const float *h0, const float *c0,
    const float *p, float *y, float *y_h, float *y_c, float *work, float clip, int64_t input_forget, int f_kind,
    float f_a, float f_b, int g_kind, float g_a, float g_b, int h_kind, float h_a, float h_b) {
  int64_t rows = 4 * hidden, steps = lengths ? (lengths[0] < 0 ? 0 : lengths[0] < time ? lengths[0] : time) : time;
  float *pre = work, *gates = pre + time * rows, *bias = gates + rows, *h = bias + rows, *c = h + hidden, *t1 = c + hidden;
  for (int64_t j = 0; j < rows; j++) bias[j] = b ? b[j] + b[rows + j] : 0.0f;
  for (int64_t j = 0; j < hidden; j++) {
    h[j] = h0 ? h0[j] : 0.0f;
    c[j] = c0 ? c0[j] : 0.0f;
  }
  eg_inputs(steps, input, rows, x_step, x, w, bias, pre);
  for (int64_t s = 0; s < steps; s++) {
    int64_t t = reverse ? steps - 1 - s : s;
    eg_matvec(r, h, pre + t * rows, gates, rows, hidden);
    float *gi = gates, *go = gi + hidden, *gf = go + hidden, *gc = gf + hidden;
    if (p)
      for (int64_t j = 0; j < hidden; j++) {
        gi[j] += p[j] * c[j];
        gf[j] += p[2 * hidden + j] * c[j];
      }
    eg_activate(gi, hidden, clip, f_kind, f_a, f_b);
    eg_activate(gf, hidden, clip, f_kind, f_a, f_b);
    eg_activate(gc, hidden, clip, g_kind, g_a, g_b);
    for (int64_t j = 0; j < hidden; j++) c[j] = (input_forget ? 1.0f - gi[j] : gf[j]) * c[j] + gi[j] * gc[j];
    if (p)
      for (int64_t j = 0; j < hidden; j++) go[j] += p[hidden + j] * c[j];
    eg_activate(go, hidden, clip, f_kind, f_a, f_b);
    memcpy(t1, c, (size_t)hidden * 4);
    eg_activate(t1, hidden, clip, h_kind, h_a, h_b);
    for (int64_t j = 0; j < hidden; j++) y[t * y_step + j] = h[j] = go[j] * t1[j];
  }
  for (int64_t t = steps; t < time; t++) memset(y + t * y_step, 0, (size_t)hidden * 4);
  memcpy(y_h, h, (size_t)hidden * 4);
  if (y_c) memcpy(y_c, c, (size_t)hidden * 4);
}

static inline __attribute__((unused)) void eg_gru(
    int64_t time, int64_t input, int64_t hidden, int64_t x_step, int64_t y_step, int64_t reverse, const float *x,
    const float *w, const float *r, const float *b, const int32_t *lengths, const float *h0, float *y, float *y_h,
    float *work, float clip, int64_t linear_before_reset, int f_kind, float f_a, float f_b, int g_kind, float g_a,
    float g_b) {
  int64_t rows = 3 * hidden, steps = lengths ? (lengths[0] < 0 ? 0 : lengths[0] < time ? lengths[0] : time) : time;
  float *pre = work, *gates = pre + time * rows, *bias = gates + rows, *h = bias + rows, *rh = h + hidden, *zero = rh + hidden;
  /* The recurrent bias of the hidden gate stays apart where it is inside the reset. */
  for (int64_t j = 0; j < rows; j++)
    bias[j] = b ? b[j] + (linear_before_reset && j >= 2 * hidden ? 0.0f : b[rows + j]) : 0.0f;
  for (int64_t j = 0; j < hidden; j++) {
    h[j] = h0 ? h0[j] : 0.0f;
    zero[j] = b && linear_before_reset ? b[rows + 2 * hidden + j] : 0.0f;
  }
  eg_inputs(steps, input, rows, x_step, x, w, bias, pre);
  for (int64_t s = 0; s < steps; s++) {
    int64_t t = reverse ? steps - 1 - s : s;
    const float *now = pre + t * rows;
    float *z = gates, *rt = z + hidden, *n = rt + hidden;
    eg_matvec(r, h, now, gates, 2 * hidden, hidden);
    eg_activate(z, hidden, clip, f_kind, f_a, f_b);
    eg_activate(rt, hidden, clip, f_kind, f_a, f_b);
    if (linear_before_reset) {
      eg_matvec(r + 2 * hidden * hidden, h, zero, rh, hidden, hidden);
      for (int64_t j = 0; j < hidden; j++) n[j] = now[2 * hidden + j] + rt[j] * rh[j];
    } else {
      for (int64_t j = 0; j < hidden; j++) rh[j] = rt[j] * h[j];
      eg_matvec(r + 2 * hidden * hidden, rh, now + 2 * hidden, n, hidden, hidden);
    }
    eg_activate(n, hidden, clip, g_kind, g_a, g_b);
    for (int64_t j = 0; j < hidden; j++) y[t * y_step + j] = h[j] = (1.0f - z[j]) * n[j] + z[j] * h[j];
  }
  for (int64_t t = steps; t < time; t++) memset(y + t * y_step, 0, (size_t)hidden * 4);
  memcpy(y_h, h, (size_t)hidden * 4);
}

static inline __attribute__((unused)) void eg_rnn(
    int64_t time, int64_t input, int64_t hidden, int64_t x_step, int64_t y_step, int64_t reverse, const float *x,
    const float *w, const float *r, const float *b, const int32_t *lengths, const float *h0, float *y, float *y_h,
    float *work, float clip, int64_t unused, int f_kind, float f_a, float f_b) {
  (void)unused;
  int64_t steps = lengths ? (lengths[0] < 0 ? 0 : lengths[0] < time ? lengths[0] : time) : time;
  float *pre = work, *gates = pre + time * hidden, *bias = gates + hidden, *h = bias + hidden;
  for (int64_t j = 0; j < hidden; j++) {
    bias[j] = b ? b[j] + b[hidden + j] : 0.0f;
    h[j] = h0 ? h0[j] : 0.0f;
  }
  eg_inputs(steps, input, hidden, x_step, x, w, bias, pre);
  for (int64_t s = 0; s < steps; s++) {
    int64_t t = reverse ? steps - 1 - s : s;
    eg_matvec(r, h, pre + t * hidden, gates, hidden, hidden);
    eg_activate(gates, hidden, clip, f_kind, f_a, f_b);
    for (int64_t j = 0; j < hidden; j++) y[t * y_step + j] = h[j] = gates[j];
  }
  for (int64_t t = steps; t < time; t++) memset(y + t * y_step, 0, (size_t)hidden * 4);
  memcpy(y_h, h, (size_t)hidden * 4);
}
#endif
