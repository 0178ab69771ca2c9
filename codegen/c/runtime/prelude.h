/* The vocabulary of generated kernels: vectors, scalar functions and conversions.
 *
 * One vector is EG_LANES single-precision numbers: 16 where AVX-512 is compiled for, 8 for AVX2,
 * else 4 (the compiler's generic vectors, which work on every machine). No intrinsics header is
 * needed; the few instructions that C cannot name are one-line asm or builtins.
 *
 * NaN: minimum and maximum propagate it (IEEE 754-2019 minimum/maximum, the sign of a zero result
 * aside); every function below returns NaN for NaN.
 */
#ifndef EG_PRELUDE_H
#define EG_PRELUDE_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "dims.h"

#if defined(__AVX512F__) && !defined(EG_GENERIC)
#define EG_LANES 16
#elif defined(__AVX2__) && defined(__FMA__) && !defined(EG_GENERIC)
#define EG_LANES 8
#else
#define EG_LANES 4
#ifndef EG_GENERIC
#define EG_GENERIC 1
#endif
#endif

#define EG_FN static inline __attribute__((always_inline, unused))

typedef float vf __attribute__((vector_size(EG_LANES * 4)));
typedef int32_t vi __attribute__((vector_size(EG_LANES * 4)));
typedef uint32_t vu __attribute__((vector_size(EG_LANES * 4)));
typedef float vf_mem __attribute__((vector_size(EG_LANES * 4), aligned(4), may_alias));
typedef int32_t vi_mem __attribute__((vector_size(EG_LANES * 4), aligned(4), may_alias));
typedef uint8_t vb __attribute__((vector_size(EG_LANES)));
typedef int8_t vc __attribute__((vector_size(EG_LANES)));
typedef uint16_t vh __attribute__((vector_size(EG_LANES * 2)));

/* ---- loads, stores, broadcasts -------------------------------------------------------------- */

#define LD(p) (*(const vf_mem *)(p))
#define ST(p, x) (*(vf_mem *)(p) = (x))
#define LDI(p) (*(const vi_mem *)(p))
#define STI(p, x) (*(vi_mem *)(p) = (x))

EG_FN vf vf_splat(float x) { return x - (vf){0}; } /* x - 0.0 keeps -0.0 */
EG_FN vi vi_splat(int32_t x) { return x - (vi){0}; }

EG_FN vi vi_iota(void) {
  vi x;
  for (int i = 0; i < EG_LANES; i++) x[i] = i;
  return x;
}

/* The first n lanes, 1 <= n <= EG_LANES; memory behind them is neither read nor written. */
EG_FN vf vf_load_part(const float *p, int n) {
#if EG_LANES == 16
  return (vf)__builtin_ia32_loadups512_mask((const float *)p, (vf){0}, (uint16_t)((1u << n) - 1));
#elif EG_LANES == 8
  return (vf)__builtin_ia32_maskloadps256((const vf *)p, vi_iota() < n);
#else
  vf x = {0};
  for (int i = 0; i < EG_LANES; i++)
    if (i < n) x[i] = p[i];
  return x;
#endif
}

EG_FN void vf_store_part(float *p, vf x, int n) {
#if EG_LANES == 16
  __builtin_ia32_storeups512_mask(p, x, (uint16_t)((1u << n) - 1));
#elif EG_LANES == 8
  __builtin_ia32_maskstoreps256((vf *)p, vi_iota() < n, x);
#else
  for (int i = 0; i < EG_LANES; i++)
    if (i < n) p[i] = x[i];
#endif
}

EG_FN vi vi_load_part(const int32_t *p, int n) { return (vi)vf_load_part((const float *)p, n); }
EG_FN void vi_store_part(int32_t *p, vi x, int n) { vf_store_part((float *)p, (vf)x, n); }

/* Every `step`-th number from p on, n lanes. */
EG_FN vf vf_load_strided(const float *p, int64_t step, int n) {
  vf x = {0};
  for (int i = 0; i < EG_LANES; i++)
    if (i < n) x[i] = p[i * step];
  return x;
}

EG_FN void vf_store_strided(float *p, int64_t step, vf x, int n) {
  for (int i = 0; i < EG_LANES; i++)
    if (i < n) p[i * step] = x[i];
}

/* p[0], p[2], p[4] ...; nothing behind p[2 * EG_LANES - 2] is read. */
EG_FN vf vf_load_even(const float *p) {
  vf a = LD(p), b = LD(p + EG_LANES - 1);
#if EG_LANES == 16
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
#elif EG_LANES == 8
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 9, 11, 13, 15);
#else
  return __builtin_shufflevector(a, b, 0, 2, 5, 7);
#endif
}

EG_FN vi vi_load_strided(const int32_t *p, int64_t step, int n) {
  vi x = {0};
  for (int i = 0; i < EG_LANES; i++)
    if (i < n) x[i] = p[i * step];
  return x;
}

EG_FN void vi_store_strided(int32_t *p, int64_t step, vi x, int n) {
  for (int i = 0; i < EG_LANES; i++)
    if (i < n) p[i * step] = x[i];
}

EG_FN vi vm_load_strided(const uint8_t *p, int64_t step, int n) {
  vi x = {0};
  for (int i = 0; i < EG_LANES; i++)
    if (i < n) x[i] = -(p[i * step] != 0);
  return x;
}

EG_FN void vm_store_strided(uint8_t *p, int64_t step, vi m, int n) {
  for (int i = 0; i < EG_LANES; i++)
    if (i < n) p[i * step] = (uint8_t)(m[i] & 1);
}

/* Booleans: one byte in memory, a mask of 0 or -1 per lane in a register. */
EG_FN vi vm_load(const uint8_t *p, int n) {
  vb b = {0};
  memcpy(&b, p, (size_t)n);
  return __builtin_convertvector(b, vi) != 0;
}

EG_FN void vm_store(uint8_t *p, vi m, int n) {
  vb b = __builtin_convertvector(m & 1, vb);
  memcpy(p, &b, (size_t)n);
}

/* 8-bit integers: a lane of 32 bits holds one, widened on the way in, its low bits on the way out. */
EG_FN vi vi_load_u8(const uint8_t *p, int n) {
  vb b = {0};
  memcpy(&b, p, (size_t)n);
  return __builtin_convertvector(b, vi);
}

EG_FN vi vi_load_i8(const int8_t *p, int n) {
  vc b = {0};
  memcpy(&b, p, (size_t)n);
  return __builtin_convertvector(b, vi);
}

EG_FN void vi_store_8(void *p, vi x, int n) {
  vb b = __builtin_convertvector(x, vb);
  memcpy(p, &b, (size_t)n);
}

EG_FN void vi_store_8_strided(void *p, int64_t step, vi x, int n) {
  for (int i = 0; i < EG_LANES; i++)
    if (i < n) ((uint8_t *)p)[i * step] = (uint8_t)x[i];
}

/* The low 8 bits of each lane, as the value of an 8-bit integer. */
EG_FN vi vi_wrap_u8(vi x) { return x & 255; }
EG_FN vi vi_wrap_i8(vi x) { return ((x & 255) ^ 128) - 128; }

/* ---- lane-wise functions -------------------------------------------------------------------- */

EG_FN vf vf_select(vi mask, vf a, vf b) { return (vf)(((vi)a & mask) | ((vi)b & ~mask)); }
EG_FN vi vi_select(vi mask, vi a, vi b) { return (a & mask) | (b & ~mask); }
EG_FN vi vf_is_nan(vf x) { return x != x; }

/* max and min that return x where either operand is NaN (so NaN of x survives, NaN of c does not). */
EG_FN vf vf_max_keep(vf c, vf x) {
#if EG_LANES >= 8
  vf r;
  __asm__("vmaxps %2, %1, %0" : "=v"(r) : "v"(c), "v"(x));
  return r;
#else
  return vf_select(x < c, c, x);
#endif
}

EG_FN vf vf_min_keep(vf c, vf x) {
#if EG_LANES >= 8
  vf r;
  __asm__("vminps %2, %1, %0" : "=v"(r) : "v"(c), "v"(x));
  return r;
#else
  return vf_select(x > c, c, x);
#endif
}

EG_FN vf vf_max(vf a, vf b) { return vf_select(a != a, a, vf_max_keep(a, b)); }
EG_FN vf vf_min(vf a, vf b) { return vf_select(a != a, a, vf_min_keep(a, b)); }
EG_FN vi vi_max(vi a, vi b) { return vi_select(a > b, a, b); }
EG_FN vi vi_min(vi a, vi b) { return vi_select(a < b, a, b); }
EG_FN vi vi_abs(vi a) { return vi_select(a < 0, (vi)(0 - (vu)a), a); }

EG_FN vf vf_abs(vf x) { return (vf)((vi)x & 0x7fffffff); }
EG_FN vf vf_neg(vf x) { return (vf)((vi)x ^ (int32_t)0x80000000); }
EG_FN vf vf_copysign(vf x, vf sign) { return (vf)(((vi)x & 0x7fffffff) | ((vi)sign & (int32_t)0x80000000)); }

EG_FN vf vf_sqrt(vf x) {
#if EG_LANES >= 8
  vf r;
  __asm__("vsqrtps %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  for (int i = 0; i < EG_LANES; i++) x[i] = sqrtf(x[i]);
  return x;
#endif
}

/* Rounding to integral values: half to even, down, up, towards zero. */
#if EG_LANES == 16
#define EG_ROUNDING(name, mode, scalar)                                  \
  EG_FN vf name(vf x) {                                                  \
    vf r;                                                                \
    __asm__("vrndscaleps $" #mode ", %1, %0" : "=v"(r) : "v"(x));        \
    return r;                                                            \
  }
#elif EG_LANES == 8
#define EG_ROUNDING(name, mode, scalar)                                  \
  EG_FN vf name(vf x) {                                                  \
    vf r;                                                                \
    __asm__("vroundps $" #mode ", %1, %0" : "=x"(r) : "x"(x));           \
    return r;                                                            \
  }
#else
#define EG_ROUNDING(name, mode, scalar)                                  \
  EG_FN vf name(vf x) {                                                  \
    for (int i = 0; i < EG_LANES; i++) x[i] = scalar(x[i]);              \
    return x;                                                            \
  }
#endif
EG_ROUNDING(vf_round, 8, rintf)
EG_ROUNDING(vf_floor, 9, floorf)
EG_ROUNDING(vf_ceil, 10, ceilf)
EG_ROUNDING(vf_trunc, 11, truncf)

/* -1, 0 or 1; NaN stays; both zeros give +0. */
EG_FN vf vf_sign(vf x) {
  vf one = vf_copysign(vf_splat(1.0f), x);
  vf r = (vf)((vi)one & (x != 0.0f));
  return vf_select(x != x, x, r);
}

/* e^x = 2^n e^r with n = round(x / ln 2), |r| <= ln(2)/2 and a polynomial of degree 7 for e^r.
 * Below 1 ULP in the normal range; gradual underflow, overflow to infinity. */
EG_FN vf vf_exp(vf x) {
  x = vf_min_keep(vf_splat(89.0f), vf_max_keep(vf_splat(-105.0f), x));
  vf n = vf_round(x * 1.44269504f);
  vf r = x - n * 0.693359375f;
  r = r + n * 2.1219444170e-4f;
  vf p = r * 1.989098091e-04f + 1.393364160e-03f;
  p = p * r + 8.333310485e-03f;
  p = p * r + 4.166646674e-02f;
  p = p * r + 1.666666716e-01f;
  p = p * r + 0.5f;
  vf y = p * (r * r) + r + 1.0f;
#if EG_LANES == 16
  vf s;
  __asm__("vscalefps %2, %1, %0" : "=v"(s) : "v"(y), "v"(n));
  return s;
#else
  vi k = __builtin_convertvector(n, vi); /* NaN lanes: any k, y is NaN already */
  vi a = k >> 1, b = k - a;
  return y * (vf)((a + 127) << 23) * (vf)((b + 127) << 23);
#endif
}

/* log x = e ln 2 + log(1 + f), sqrt(1/2) <= 1 + f < sqrt 2. */
EG_FN vf vf_log(vf x) {
  vi tiny = (x < 1.17549435e-38f);
  vf scaled = vf_select(tiny, x * 8388608.0f, x);
  vi bits = (vi)scaled;
  vi e = ((bits - 0x3f3504f3) >> 23);
  vf m = (vf)(bits - (e << 23));
  vf ef = __builtin_convertvector(e, vf) - vf_select(tiny, vf_splat(23.0f), vf_splat(0.0f));
  vf f = m - 1.0f;
  vf p = f * 6.971611828e-02f - 1.147973388e-01f;
  p = p * f + 1.168541983e-01f;
  p = p * f - 1.242568716e-01f;
  p = p * f + 1.424905807e-01f;
  p = p * f - 1.666780263e-01f;
  p = p * f + 2.000071555e-01f;
  p = p * f - 2.499999702e-01f;
  p = p * f + 3.333333135e-01f;
  vf f2 = f * f;
  vf y = p * (f2 * f) - ef * 2.1219444170e-4f;
  y = y - 0.5f * f2;
  y = y + f;
  y = y + ef * 0.693359375f;
  y = vf_select(x == INFINITY, x, y);
  y = vf_select(x == 0.0f, vf_splat(-INFINITY), y);
  return vf_select((x >= 0.0f), y, vf_splat(NAN)); /* negative or NaN */
}

/* log(1 + x): the rounding error of 1 + x is put back to first order. */
EG_FN vf vf_log1p(vf x) {
  vf u = 1.0f + x;
  vf big = vf_log(u);
  vf fix = (x - (u - 1.0f)) / u;
  vf y = vf_select((vf_abs(x) < 1.0e7f), big + fix, big);
  return vf_select(u == 1.0f, x, y);
}

/* tanh: odd polynomial below 0.63, else 1 - 2 / (e^2x + 1). */
EG_FN vf vf_tanh(vf x) {
  vf a = vf_abs(x), s = x * x;
  vf p = s * 2.269501798e-03f - 8.323187009e-03f;
  p = p * s + 2.176250331e-02f;
  p = p * s - 5.395846069e-02f;
  p = p * s + 1.333329976e-01f;
  p = p * s - 3.333333433e-01f;
  vf small = vf_copysign(x + x * s * p, x);
  vf big = vf_copysign(1.0f - 2.0f / (vf_exp(a + a) + 1.0f), x);
  return vf_select(a < 0.63f, small, vf_select(x != x, x, big));
}

EG_FN vf vf_sigmoid(vf x) { return 1.0f / (1.0f + vf_exp(vf_neg(x))); }

/* erf: odd polynomial below 0.85, else 1 - e^(q(|x|)) with q a polynomial for log erfc. */
EG_FN vf vf_erf(vf x) {
  vf a = vf_abs(x), s = x * x;
  vf p = s * -6.325501599e-04f + 5.052985158e-03f;
  p = p * s - 2.680375613e-02f;
  p = p * s + 1.128274873e-01f;
  p = p * s - 3.761257529e-01f;
  p = p * s + 1.283791670e-01f;
  vf small = x + x * p;
  vf t = vf_min_keep(vf_splat(4.0f), a);
  vf q = t * 1.625581149e-06f - 4.578907465e-05f;
  q = q * t + 5.941569107e-04f;
  q = q * t - 4.745186307e-03f;
  q = q * t + 2.637386695e-02f;
  q = q * t - 1.099845916e-01f;
  q = q * t - 6.319417357e-01f;
  q = q * t - 1.130156755e+00f;
  q = q * t + 2.989545173e-04f;
  vf big = vf_copysign(1.0f - vf_exp(q), x);
  return vf_select(a < 0.85f, small, vf_select(x != x, x, big));
}

/* Functions without a vector form: one lane at a time. */
#define EG_LANEWISE1(name, f)                                            \
  EG_FN vf name(vf x) {                                                  \
    for (int i = 0; i < EG_LANES; i++) x[i] = f(x[i]);                   \
    return x;                                                            \
  }
EG_LANEWISE1(vf_sin, sinf)
EG_LANEWISE1(vf_cos, cosf)
EG_LANEWISE1(vf_tan, tanf)
EG_LANEWISE1(vf_asin, asinf)
EG_LANEWISE1(vf_acos, acosf)
EG_LANEWISE1(vf_atan, atanf)
EG_LANEWISE1(vf_sinh, sinhf)
EG_LANEWISE1(vf_cosh, coshf)
EG_LANEWISE1(vf_asinh, asinhf)
EG_LANEWISE1(vf_acosh, acoshf)
EG_LANEWISE1(vf_atanh, atanhf)

EG_FN vf vf_pow(vf x, vf y) {
  for (int i = 0; i < EG_LANES; i++) x[i] = powf(x[i], y[i]);
  return x;
}

EG_FN vf vf_fmod(vf x, vf y) {
  for (int i = 0; i < EG_LANES; i++) x[i] = fmodf(x[i], y[i]);
  return x;
}

/* float -> int32 as x86 converts: towards zero; out of range and NaN give INT32_MIN. */
EG_FN vi vi_from_vf(vf x) {
#if EG_LANES >= 8
  vi r;
  __asm__("vcvttps2dq %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  vi r;
  for (int i = 0; i < EG_LANES; i++)
    r[i] = (x[i] >= -2147483648.0f && x[i] < 2147483648.0f) ? (int32_t)x[i] : INT32_MIN;
  return r;
#endif
}
EG_FN vf vf_from_vi(vi x) { return __builtin_convertvector(x, vf); }

/* ---- across lanes --------------------------------------------------------------------------- */

#if EG_LANES == 16
#define EG_INDICES(f, d)                                                                            \
  f(0, d), f(1, d), f(2, d), f(3, d), f(4, d), f(5, d), f(6, d), f(7, d), f(8, d), f(9, d),         \
      f(10, d), f(11, d), f(12, d), f(13, d), f(14, d), f(15, d)
#elif EG_LANES == 8
#define EG_INDICES(f, d) f(0, d), f(1, d), f(2, d), f(3, d), f(4, d), f(5, d), f(6, d), f(7, d)
#else
#define EG_INDICES(f, d) f(0, d), f(1, d), f(2, d), f(3, d)
#endif
#define EG_SWAP(i, d) ((i) ^ (d))
#define EG_EVEN(i, d) (((i) & (d)) ? EG_LANES + (i) - (d) : (i))
#define EG_ODD(i, d) (((i) & (d)) ? EG_LANES + (i) : (i) + (d))
#define EG_SHUFFLE(a, b, f, d) __builtin_shufflevector(a, b, EG_INDICES(f, d))

/* p[0] in the first `times` lanes, p[1] in the next ...; n lanes. */
#define EG_DIVIDED(i, d) ((i) / (d))
#define EG_REPEAT(times)                                                 \
  EG_FN vf vf_load_repeat##times(const float *p, int n) {                \
    vf x = vf_load_part(p, (n + times - 1) / times);                     \
    return EG_SHUFFLE(x, x, EG_DIVIDED, times);                          \
  }
EG_REPEAT(2)
EG_REPEAT(4)
#if EG_LANES >= 8
EG_REPEAT(8)
#endif

#define EG_HORIZONTAL(name, combine)                                     \
  EG_FN float name(vf x) {                                               \
    x = combine(x, EG_SHUFFLE(x, x, EG_SWAP, 1));                        \
    x = combine(x, EG_SHUFFLE(x, x, EG_SWAP, 2));                        \
    EG_WIDER(x = combine(x, EG_SHUFFLE(x, x, EG_SWAP, 4));)              \
    EG_WIDEST(x = combine(x, EG_SHUFFLE(x, x, EG_SWAP, 8));)             \
    return x[0];                                                         \
  }
#if EG_LANES >= 8
#define EG_WIDER(s) s
#else
#define EG_WIDER(s)
#endif
#if EG_LANES >= 16
#define EG_WIDEST(s) s
#else
#define EG_WIDEST(s)
#endif
EG_FN vf vf_add(vf a, vf b) { return a + b; }
EG_FN vf vf_mul(vf a, vf b) { return a * b; }
EG_HORIZONTAL(vf_hsum, vf_add)
EG_HORIZONTAL(vf_hprod, vf_mul)
EG_HORIZONTAL(vf_hmax, vf_max)
EG_HORIZONTAL(vf_hmin, vf_min)

/* Transposes a square of EG_LANES vectors in registers: log2(EG_LANES) rounds of exchanges. */
EG_FN void vf_transpose(vf r[EG_LANES]) {
#define EG_ROUND(d)                                                      \
  _Pragma("GCC unroll 16") for (int i = 0; i < EG_LANES; i++) if (!(i & (d))) { \
    vf lo = EG_SHUFFLE(r[i], r[i + (d)], EG_EVEN, d);                    \
    vf hi = EG_SHUFFLE(r[i], r[i + (d)], EG_ODD, d);                     \
    r[i] = lo;                                                           \
    r[i + (d)] = hi;                                                     \
  }
  EG_ROUND(1)
  EG_ROUND(2)
  EG_WIDER(EG_ROUND(4))
  EG_WIDEST(EG_ROUND(8))
#undef EG_ROUND
}

/* The same on named vectors. */
#if EG_LANES == 16
#define VF_TRANSPOSE(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                   \
  do {                                                                                              \
    vf t_[16] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p};                                      \
    vf_transpose(t_);                                                                               \
    a = t_[0]; b = t_[1]; c = t_[2]; d = t_[3]; e = t_[4]; f = t_[5]; g = t_[6]; h = t_[7];           \
    i = t_[8]; j = t_[9]; k = t_[10]; l = t_[11]; m = t_[12]; n = t_[13]; o = t_[14]; p = t_[15];     \
  } while (0)
#endif

/* dst[c * dst_step + r] = src[r * src_step + c] for r < rows <= EG_LANES, c < cols <= EG_LANES. */
EG_FN void vf_transpose_block(const float *src, int64_t src_step, int rows, float *dst, int64_t dst_step, int cols) {
  vf r[EG_LANES];
  if (rows == EG_LANES && cols == EG_LANES) {
    _Pragma("GCC unroll 16") for (int i = 0; i < EG_LANES; i++) r[i] = LD(src + i * src_step);
    vf_transpose(r);
    _Pragma("GCC unroll 16") for (int i = 0; i < EG_LANES; i++) ST(dst + i * dst_step, r[i]);
  } else {
    for (int c = 0; c < cols; c++)
      for (int i = 0; i < rows; i++) dst[c * dst_step + i] = src[i * src_step + c];
  }
}

/* dst[c * EG_LANES + r] = src[r * src_step + c] for a whole square. */
EG_FN void vf_transpose_square(const float *src, int64_t src_step, float *dst) {
  vf r[EG_LANES];
  _Pragma("GCC unroll 16") for (int i = 0; i < EG_LANES; i++) r[i] = LD(src + i * src_step);
  vf_transpose(r);
  _Pragma("GCC unroll 16") for (int i = 0; i < EG_LANES; i++) ST(dst + i * EG_LANES, r[i]);
}

/* dst[k * width + r] = src[r * src_step + k] for r < rows, k < n; zeros for rows <= r < width (a multiple of EG_LANES). */
static inline __attribute__((unused)) void eg_pack_transposed(const float *src, int64_t src_step, int64_t rows, int64_t n,
                                                              float *dst, int64_t width) {
  for (int64_t r = 0; r < width; r += EG_LANES) {
    int64_t left = rows - r < 0 ? 0 : rows - r;
    int64_t k = 0;
    if (left >= EG_LANES)
      for (; k + EG_LANES <= n; k += EG_LANES) vf_transpose_block(src + r * src_step + k, src_step, EG_LANES, dst + k * width + r, width, EG_LANES);
    for (; k < n; k++)
      for (int64_t i = 0; i < EG_LANES; i++) dst[k * width + r + i] = i < left ? src[(r + i) * src_step + k] : 0.0f;
  }
}

/* A row with its border: `before` and `after` times `border` around every `step`-th number of src, n of them; all border
 * where src is NULL. */
EG_FN void eg_pad_row(float *dst, const float *src, int64_t step, int64_t before, int64_t n, int64_t after, float border) {
  if (!src) {
    before += n + after;
    n = after = 0;
  }
  for (int64_t i = 0; i < before; i++) dst[i] = border;
  if (n && step == 1) memcpy(dst + before, src, (size_t)n * 4);
  else for (int64_t i = 0; i < n; i++) dst[before + i] = src[i * step];
  for (int64_t i = 0; i < after; i++) dst[before + n + i] = border;
}

/* ---- scalars -------------------------------------------------------------------------------- */

EG_FN float eg_max_f32(float a, float b) { return (a != a || a > b) ? a : b; }
EG_FN float eg_min_f32(float a, float b) { return (a != a || a < b) ? a : b; }
EG_FN double eg_max_f64(double a, double b) { return (a != a || a > b) ? a : b; }
EG_FN double eg_min_f64(double a, double b) { return (a != a || a < b) ? a : b; }
EG_FN float eg_sign_f32(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : x == 0 ? 0.0f : x; }
EG_FN double eg_sign_f64(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x == 0 ? 0.0 : x; }
EG_FN float eg_sigmoid_f32(float x) { return 1.0f / (1.0f + expf(-x)); }
EG_FN double eg_sigmoid_f64(double x) { return 1.0 / (1.0 + exp(-x)); }

/* Remainder with the sign of the divisor. */
EG_FN float eg_rem_floor_f32(float x, float y) {
  float r = fmodf(x, y);
  if (r != 0.0f) return (r < 0.0f) != (y < 0.0f) ? r + y : r;
  return copysignf(0.0f, y);
}
EG_FN double eg_rem_floor_f64(double x, double y) {
  double r = fmod(x, y);
  if (r != 0.0) return (r < 0.0) != (y < 0.0) ? r + y : r;
  return copysign(0.0, y);
}

/* Integer division truncates, MIN / -1 = MIN; a zero divisor sets *trap and gives 0. */
#define EG_INTEGER(T, U, S, SIGNED)                                                              \
  EG_FN T eg_div_##S(T a, T b, int *trap) {                                                      \
    if (b == 0) { *trap = EG_TRAP_DIVISION; return 0; }                                          \
    return (SIGNED && b == (T)-1) ? (T)(0 - (U)a) : (T)(a / b);                                  \
  }                                                                                              \
  EG_FN T eg_rem_trunc_##S(T a, T b, int *trap) {                                                \
    if (b == 0) { *trap = EG_TRAP_DIVISION; return 0; }                                          \
    return (SIGNED && b == (T)-1) ? (T)0 : (T)(a % b);                                           \
  }                                                                                              \
  EG_FN T eg_rem_floor_##S(T a, T b, int *trap) {                                                \
    T r = eg_rem_trunc_##S(a, b, trap);                                                          \
    return (SIGNED && r != 0 && ((r < 0) != (b < 0))) ? (T)(r + b) : r;                          \
  }                                                                                              \
  EG_FN T eg_pow_##S(T base, T e) {                                                              \
    if (SIGNED && e < 0) return base == 1 ? 1 : base == (T)-1 ? ((e & 1) ? (T)-1 : (T)1) : (T)0; \
    U r = 1, b = (U)base;                                                                        \
    for (U k = (U)e; k; k >>= 1) { if (k & 1) r = (U)((uint64_t)r * b); b = (U)((uint64_t)b * b); } \
    return (T)r;                                                                                 \
  }                                                                                              \
  EG_FN T eg_shl_##S(T a, T b) {                                                                 \
    return ((SIGNED && b < 0) || (uint64_t)b >= 8 * sizeof(T)) ? (T)0 : (T)(U)((uint64_t)(U)a << b); \
  }                                                                                              \
  EG_FN T eg_shr_##S(T a, T b) {                                                                 \
    if ((SIGNED && b < 0) || (uint64_t)b >= 8 * sizeof(T)) return (SIGNED && a < 0) ? (T)-1 : (T)0; \
    return (T)(a >> b);                                                                          \
  }                                                                                              \
  EG_FN T eg_abs_##S(T a) { return (SIGNED && a < 0) ? (T)(0 - (U)a) : a; }                      \
  EG_FN T eg_sign_##S(T a) { return a > 0 ? (T)1 : (SIGNED && a < 0) ? (T)-1 : (T)0; }           \
  EG_FN T eg_max_##S(T a, T b) { return a > b ? a : b; }                                         \
  EG_FN T eg_min_##S(T a, T b) { return a < b ? a : b; }

enum { EG_TRAP_INDEX = 20, EG_TRAP_DIVISION = 21 };
EG_INTEGER(int8_t, uint8_t, i8, 1)
EG_INTEGER(int16_t, uint16_t, i16, 1)
EG_INTEGER(int32_t, uint32_t, i32, 1)
EG_INTEGER(int64_t, uint64_t, i64, 1)
EG_INTEGER(uint8_t, uint8_t, u8, 0)
EG_INTEGER(uint16_t, uint16_t, u16, 0)
EG_INTEGER(uint32_t, uint32_t, u32, 0)
EG_INTEGER(uint64_t, uint64_t, u64, 0)

/* float -> integer: towards zero; out of range and NaN as x86 converts (32- and 64-bit: the least
 * value; narrower types: the low bits of the 32-bit result). */
EG_FN int32_t eg_i32_from_f64(double x) { return (x > -2147483649.0 && x < 2147483648.0) ? (int32_t)x : INT32_MIN; }
EG_FN int64_t eg_i64_from_f64(double x) {
  return (x >= -9223372036854775808.0 && x < 9223372036854775808.0) ? (int64_t)x : INT64_MIN;
}
EG_FN uint32_t eg_u32_from_f64(double x) { return (uint32_t)eg_i64_from_f64(x); }
EG_FN uint64_t eg_u64_from_f64(double x) {
  if (x >= 9223372036854775808.0 && x < 18446744073709551616.0)
    return (uint64_t)(int64_t)(x - 9223372036854775808.0) ^ 0x8000000000000000u;
  return (uint64_t)eg_i64_from_f64(x);
}

/* f16 and bf16 live in registers as float; stores round to nearest even. */
EG_FN float eg_f32_from_f16(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, e = (h >> 10) & 31, m = h & 0x3ffu, bits;
  if (e == 31) bits = sign | 0x7f800000u | (m << 13);
  else if (e != 0) bits = sign | ((e + 112) << 23) | (m << 13);
  else {
    float f = (float)m * 0x1p-24f;
    memcpy(&bits, &f, 4);
    bits |= sign;
  }
  float f;
  memcpy(&f, &bits, 4);
  return f;
}
EG_FN uint16_t eg_f16_from_f32(float f) {
  uint32_t x;
  memcpy(&x, &f, 4);
  uint32_t sign = (x >> 16) & 0x8000u, a = x & 0x7fffffffu;
  if (a > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | ((a >> 13) & 0x3ffu));
  if (a >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
  if (a < 0x38800000u) { /* subnormal: one rounding done by the adder */
    float t, big = 0.5f;
    memcpy(&t, &a, 4);
    t += big;
    uint32_t b;
    memcpy(&b, &t, 4);
    return (uint16_t)(sign | (b - 0x3f000000u));
  }
  a += 0xc8000fffu + ((a >> 13) & 1);
  return (uint16_t)(sign | (a >> 13));
}
EG_FN float eg_f32_from_bf16(uint16_t h) {
  uint32_t bits = (uint32_t)h << 16;
  float f;
  memcpy(&f, &bits, 4);
  return f;
}
EG_FN uint16_t eg_bf16_from_f32(float f) {
  uint32_t x;
  memcpy(&x, &f, 4);
  if ((x & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((x >> 16) | 0x40u);
  return (uint16_t)((x + 0x7fffu + ((x >> 16) & 1)) >> 16);
}
/* To the nearest float with an odd last bit where inexact: a second rounding to fewer bits is then right. */
EG_FN float eg_f32_odd(double x) {
  float f = (float)x;
  if ((double)f == x || x != x) return f;
  if (fabs((double)f) > fabs(x)) f = nextafterf(f, 0.0f);
  uint32_t bits;
  memcpy(&bits, &f, 4);
  bits |= 1;
  memcpy(&f, &bits, 4);
  return f;
}
EG_FN float eg_round_f16(float f) { return eg_f32_from_f16(eg_f16_from_f32(f)); }
EG_FN float eg_round_bf16(float f) { return eg_f32_from_bf16(eg_bf16_from_f32(f)); }

/* An index from data: negative counts from the end where `wrap`; outside [0, n) sets *trap, gives 0. */
EG_FN int64_t eg_index(int64_t i, int64_t n, int wrap, int *trap) {
  if (wrap && i < 0) i += n;
  if (i < 0 || i >= n) { *trap = EG_TRAP_INDEX; return 0; }
  return i;
}

#include "sort.h"

#endif
