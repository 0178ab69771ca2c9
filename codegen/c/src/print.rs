//! The printer: loop trees as GNU C.
//!
//! f32 vectors are `vf`; i32 vectors, 8-bit integers widened to them and lane masks `vi` (prelude.h); f16 and bf16 elements are
//! held as `float`.

use std::fmt::Write as _;

use egret_codegen::loops::{Arg, Base, E, Form, Function, S, Ty};
use egret_ir::Dim;
use egret_ir::dtype::{DType, Literal};
use egret_ir::op::Monoid;

use crate::dims::{self, Frame, mentions, quotient, remainder, stripped};
use crate::spell;

/// The C type of an element in memory.
pub fn memory_type(d: DType) -> &'static str {
    match d {
        DType::F16 | DType::BF16 | DType::U16 => "uint16_t",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::I8 => "int8_t",
        DType::I16 => "int16_t",
        DType::I32 => "int32_t",
        DType::I64 => "int64_t",
        DType::U8 | DType::Bool => "uint8_t",
        DType::U32 => "uint32_t",
        DType::U64 => "uint64_t",
    }
}

/// The C type of an element in a variable.
pub fn value_type(ty: Ty) -> &'static str {
    match (ty.form, ty.dtype) {
        (Form::Scalar, DType::F16 | DType::BF16) => "float",
        (Form::Scalar, d) => memory_type(d),
        (Form::Vector, DType::F32) => "vf",
        (Form::Vector, _) => "vi",
    }
}

/// A literal as C.
pub fn literal(l: Literal) -> String {
    let float = |x: f64, text: String, suffix: &str, nan: &str| {
        if x.is_nan() {
            nan.to_owned()
        } else if x.is_infinite() {
            if x > 0.0 { "INFINITY".to_owned() } else { "(-INFINITY)".to_owned() }
        } else if x.is_sign_negative() {
            format!("({text}{suffix})")
        } else {
            format!("{text}{suffix}")
        }
    };
    match l.dtype() {
        DType::F64 => float(l.to_f64(), format!("{:?}", l.to_f64()), "", "(double)NAN"),
        DType::F32 | DType::F16 | DType::BF16 => float(l.to_f64(), format!("{:?}", l.to_f64() as f32), "f", "NAN"),
        DType::Bool => l.bits().to_string(),
        DType::I64 if l.to_i64() == i64::MIN => "INT64_MIN".to_owned(),
        DType::I32 if l.to_i64() == i64::from(i32::MIN) => "INT32_MIN".to_owned(),
        DType::I64 => format!("INT64_C({})", l.to_i64()),
        DType::U64 => format!("UINT64_C({})", l.bits()),
        DType::U32 => format!("{}u", l.bits()),
        DType::I8 | DType::I16 | DType::I32 | DType::U8 | DType::U16 => {
            let i = l.to_i64();
            if i < 0 { format!("({i})") } else { i.to_string() }
        }
    }
}

/// An expression, in parentheses where an operator around it could bind tighter.
pub fn expr(e: &E) -> String {
    match e {
        E::Int(d) => dims::expression(d),
        E::Var(v) => v.clone(),
        E::Add(a, b) => match &**b {
            E::Int(d) if d.terms().iter().all(|(_, c)| *c < 0) => {
                format!("({} - {})", expr(a), dims::expression(&(Dim::ZERO - d)))
            }
            b => format!("({} + {})", expr(a), expr(b)),
        },
        E::Mul(a, k) => {
            format!("{} * {}", expr(a), k.as_const().map_or_else(|| dims::expression(k), |k| k.to_string()))
        }
        E::Div(a, n) => quotient(&expr(a), n),
        E::Mod(a, n) => remainder(&expr(a), n),
        E::FloorDiv(a, n) => format!("eg_floordiv({}, {})", bare(a), dims::bare(n)),
        E::FloorMod(a, n) => format!("eg_floormod({}, {})", bare(a), dims::bare(n)),
        E::Min(a, b) => format!("({0} < {1} ? {0} : {1})", expr(a), expr(b)),
        E::Max(a, b) => format!("({0} > {1} ? {0} : {1})", expr(a), expr(b)),
        E::Checked { value, extent, wraps } => {
            format!("eg_index({}, {}, {}, &trap)", bare(value), dims::bare(extent), i32::from(*wraps))
        }
        E::Within { index, lo, hi, step } => {
            let i = expr(index);
            let mut all = Vec::new();
            if let Some(lo) = lo {
                all.push(format!("{i} >= {}", dims::expression(lo)));
            }
            if let Some(hi) = hi {
                all.push(format!("{i} < {}", dims::expression(hi)));
            }
            if *step > 1 {
                all.push(format!("{i} % {step} == 0"));
            }
            if all.is_empty() { "1".to_owned() } else { format!("({})", all.join(" && ")) }
        }
        E::All(all) => {
            let all: Vec<String> = all.iter().map(expr).filter(|t| t != "1").collect();
            if all.is_empty() { "1".to_owned() } else { all.join(" && ") }
        }
        E::Lit(l) => literal(*l),
        E::Element(e) => format!("(int64_t){}", expr(e)),
        E::Load { base, index, dtype } => {
            let at = format!("{base}[{}]", bare(index));
            match dtype {
                DType::F16 => format!("eg_f32_from_f16({at})"),
                DType::BF16 => format!("eg_f32_from_bf16({at})"),
                _ => at,
            }
        }
        E::VLoad { base, index, dtype, step, part } => vector_load(base, index, *dtype, step, part.as_deref()),
        E::VRepeat { base, index, times, part } => {
            let lanes = part.as_deref().map_or_else(|| "EG_LANES".to_owned(), bare);
            format!("vf_load_repeat{times}({}, {lanes})", pointer(base, index))
        }
        E::Map { f, args, from, to } => {
            let text: Vec<String> = args.iter().map(|a| operand(a, to.form)).collect();
            match to.form {
                Form::Scalar => spell::scalar(*f, &text, *from, to.dtype),
                Form::Vector => spell::vector(*f, args, &text, *from, to.dtype),
            }
        }
        E::Splat(e, DType::F32) => format!("vf_splat({})", bare(e)),
        E::Splat(e, DType::Bool) => format!("vi_splat(-(int32_t){})", expr(e)),
        E::Splat(e, _) => format!("vi_splat({})", bare(e)),
        E::Blend { n, value, other } => {
            format!("vf_select(vi_iota() < (int32_t){}, {}, vf_splat({}))", expr(n), bare(value), literal(*other))
        }
        E::Across(m, e) => {
            let f = match m {
                Monoid::Sum => "vf_hsum",
                Monoid::Prod => "vf_hprod",
                Monoid::Max => "vf_hmax",
                Monoid::Min => "vf_hmin",
                Monoid::And
                | Monoid::Or
                | Monoid::ArgMaxFirst
                | Monoid::ArgMaxLast
                | Monoid::ArgMinFirst
                | Monoid::ArgMinLast => {
                    unreachable!("invariant: these folds have no partial lanes")
                }
            };
            format!("{f}({})", bare(e))
        }
        E::Combine(m, ty, a, b) => spell::combine(*m, *ty, &expr(a), &operand(b, ty.form)),
    }
}

/// An operand of a vector operation: a splat needs no spelling out, C broadcasts scalars.
fn operand(e: &E, form: Form) -> String {
    match (e, form) {
        (E::Splat(inner, DType::F32), Form::Vector) => match &**inner {
            E::Lit(l) => literal(*l),
            _ => format!("vf_splat({})", bare(inner)),
        },
        _ => expr(e),
    }
}

/// An expression where no operator can bind tighter.
fn bare(e: &E) -> String {
    stripped(&expr(e)).to_owned()
}

fn is_zero(e: &E) -> bool {
    e.as_int().is_some_and(|d| *d == 0)
}

fn pointer(base: &str, index: &E) -> String {
    if is_zero(index) { base.to_owned() } else { format!("{base} + {}", bare(index)) }
}

fn vector_load(base: &str, index: &E, dtype: DType, step: &Dim, part: Option<&E>) -> String {
    let at = pointer(base, index);
    let n = part.map(bare);
    let lanes = n.clone().unwrap_or_else(|| "EG_LANES".to_owned());
    let unit = *step == 1;
    let by = dims::bare(step);
    match (dtype, unit) {
        (DType::F32, true) => n.map_or_else(|| format!("LD({at})"), |n| format!("vf_load_part({at}, {n})")),
        (DType::F32, false) if *step == 2 && part.is_none() => format!("vf_load_even({at})"),
        (DType::F32, _) => format!("vf_load_strided({at}, {by}, {lanes})"),
        (DType::I32 | DType::U32, true) => {
            n.map_or_else(|| format!("LDI({at})"), |n| format!("vi_load_part({at}, {n})"))
        }
        (DType::I32 | DType::U32, _) => format!("vi_load_strided({at}, {by}, {lanes})"),
        (DType::Bool, true) => format!("vm_load({at}, {lanes})"),
        (DType::U8, true) => format!("vi_load_u8({at}, {lanes})"),
        (DType::I8, true) => format!("vi_load_i8({at}, {lanes})"),
        (DType::Bool, _) => format!("vm_load_strided({at}, {by}, {lanes})"),
        _ => unreachable!("invariant: the emitter vectorizes only types the prelude loads"),
    }
}

/// Prints a function under a C name; `frame` says where the values of its symbols are.
pub fn function(name: &str, f: &Function, frame: &Frame) -> String {
    let mut body = Printer { out: String::new(), depth: 1 };
    body.block(&f.body);
    let body = body.out;
    let mut head = Printer { out: String::new(), depth: 1 };
    let _ = writeln!(head.out, "static int {name}(void *const *b, int64_t tile, char *scratch, const int64_t *d) {{");
    for (i, param) in f.params.iter().enumerate() {
        let (c, t) = if param.writes { ("", memory_type(param.dtype)) } else { ("const ", memory_type(param.dtype)) };
        head.line(&format!("{c}{t} *restrict {} = b[{i}];", param.name));
    }
    let symbols = dims::locals(&body, frame);
    for line in &symbols {
        head.line(line);
    }
    let traps = mentions(&body, "trap");
    if traps {
        head.line("int trap = 0;");
    }
    if f.params.is_empty() {
        head.line("(void)b;");
    }
    for parameter in ["tile", "scratch"].into_iter().filter(|p| !mentions(&body, p)) {
        head.line(&format!("(void){parameter};"));
    }
    if symbols.is_empty() {
        head.line("(void)d;");
    }
    format!("{}{body}  {}\n}}\n", head.out, if traps { "return trap;" } else { "return 0;" })
}

struct Printer {
    out: String,
    depth: usize,
}

impl Printer {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn block(&mut self, body: &[S]) {
        for s in body {
            self.statement(s);
        }
    }

    fn nested(&mut self, head: &str, body: &[S]) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        self.block(body);
        self.depth -= 1;
    }

    fn statement(&mut self, s: &S) {
        match s {
            S::Comment(text) => self.line(&format!("/* {} */", text.replace("*/", "* /"))),
            S::For { var, from, to, step, body } => {
                let next = if *step == 1 { format!("{var}++") } else { format!("{var} += {step}") };
                self.nested(&format!("for (int64_t {var} = {}; {var} < {}; {next})", bare(from), expr(to)), body);
                self.line("}");
            }
            S::Let { name, ty, value } => {
                // One-register asm and aligned vectors want a copy of the memory type.
                self.line(&format!("const {} {name} = {};", value_type(*ty), bare(value)));
            }
            S::Var { name, ty, value: Some(value) } => {
                self.line(&format!("{} {name} = {};", value_type(*ty), bare(value)));
            }
            S::Var { name, ty, value: None } => self.line(&format!("{} {name};", value_type(*ty))),
            S::Index { name, value } => self.line(&format!("const int64_t {name} = {};", bare(value))),
            S::Pointer { name, base, index, dtype, writes } => {
                let c = if *writes { "" } else { "const " };
                let t = memory_type(*dtype);
                let from = match base {
                    Base::Pointer(p) => pointer(p, index),
                    Base::Scratch(at) => {
                        let add = if is_zero(index) { String::new() } else { format!(" + {}", expr(index)) };
                        format!("({c}{t} *)(scratch + {}){add}", dims::bare(at))
                    }
                };
                self.line(&format!("{c}{t} *restrict {name} = {from};"));
            }
            S::Set { name, value } => self.line(&format!("{name} = {};", bare(value))),
            S::MulAdd { acc, a, b } => self.line(&format!("{acc} += {} * {};", factor(a), factor(b))),
            S::Store { base, index, dtype, value } => {
                let v = match dtype {
                    DType::F16 => format!("eg_f16_from_f32({})", bare(value)),
                    DType::BF16 => format!("eg_bf16_from_f32({})", bare(value)),
                    _ => bare(value),
                };
                self.line(&format!("{base}[{}] = {v};", bare(index)));
            }
            S::VStore { base, index, dtype, step, part, value } => {
                let at = pointer(base, index);
                let v = bare(value);
                let n = part.as_ref().map(bare);
                let lanes = n.clone().unwrap_or_else(|| "EG_LANES".to_owned());
                let by = dims::bare(step);
                self.line(&match (dtype, *step == 1) {
                    (DType::F32, true) => {
                        n.map_or_else(|| format!("ST({at}, {v});"), |n| format!("vf_store_part({at}, {v}, {n});"))
                    }
                    (DType::F32, _) => format!("vf_store_strided({at}, {by}, {v}, {lanes});"),
                    (DType::I32 | DType::U32, true) => {
                        n.map_or_else(|| format!("STI({at}, {v});"), |n| format!("vi_store_part({at}, {v}, {n});"))
                    }
                    (DType::I32 | DType::U32, _) => format!("vi_store_strided({at}, {by}, {v}, {lanes});"),
                    (DType::Bool, true) => format!("vm_store({at}, {v}, {lanes});"),
                    (DType::Bool, _) => format!("vm_store_strided({at}, {by}, {v}, {lanes});"),
                    (DType::U8 | DType::I8, true) => format!("vi_store_8({at}, {v}, {lanes});"),
                    (DType::U8 | DType::I8, _) => format!("vi_store_8_strided({at}, {by}, {v}, {lanes});"),
                    _ => unreachable!("invariant: the emitter vectorizes only types the prelude stores"),
                });
            }
            S::Lanes { name, dtype, lane, part, before, value } => {
                let n = part.as_ref().map_or_else(|| "EG_LANES".to_owned(), bare);
                let zero = if *dtype == DType::F32 { "vf" } else { "vi" };
                self.line(&format!("{zero} {name} = {{0}};"));
                self.nested(&format!("for (int {lane} = 0; {lane} < {n}; {lane}++)"), before);
                self.depth += 1;
                let v = if *dtype == DType::Bool { format!("-(int32_t){}", expr(value)) } else { bare(value) };
                self.line(&format!("{name}[{lane}] = {v};"));
                self.depth -= 1;
                self.line("}");
            }
            S::If { cond, then, otherwise } => {
                let c = bare(cond);
                if c == "1" && otherwise.is_empty() {
                    self.nested("", then);
                    self.line("}");
                    return;
                }
                self.nested(&format!("if ({c})"), then);
                if !otherwise.is_empty() {
                    self.nested("} else", otherwise);
                }
                self.line("}");
            }
            S::Block(body) => {
                // A block of one statement that declares nothing needs no braces.
                if let [only] = body.as_slice()
                    && !matches!(
                        only,
                        S::Let { .. } | S::Var { .. } | S::Index { .. } | S::Pointer { .. } | S::Lanes { .. }
                    )
                {
                    self.statement(only);
                    return;
                }
                self.line("{");
                self.depth += 1;
                self.block(body);
                self.depth -= 1;
                self.line("}");
            }
            S::Transpose { rows } => {
                self.line(&format!("VF_TRANSPOSE({});", rows.join(", ")));
            }
            S::Call { name, args } => {
                let args: Vec<String> = args
                    .iter()
                    .map(|a| match a {
                        Arg::Value(e) => bare(e),
                        Arg::Pointer(p, at) => pointer(p, at),
                        Arg::Null => "NULL".to_owned(),
                        Arg::Name(n) => n.clone(),
                        Arg::Trap => "&trap".to_owned(),
                    })
                    .collect();
                self.line(&format!("{name}({});", args.join(", ")));
            }
        }
    }
}

/// A factor of a product; a scalar times a vector broadcasts by itself.
fn factor(e: &E) -> String {
    match e {
        E::Splat(inner, DType::F32) => expr(inner),
        e => expr(e),
    }
}
