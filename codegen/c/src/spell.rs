//! How each scalar row is spelled in C, for elements and for vectors: one arm per row.

use egret_codegen::loops::{E, Form, Ty};
use egret_ir::dtype::DType;
use egret_ir::op::Monoid;
use egret_ir::op::scalar::{InfSign, Scalar};

use crate::dims::stripped;
use crate::print::{memory_type, value_type};

/// `float` functions have an `f` behind their name.
fn libm(name: &str, d: DType, args: &[String]) -> String {
    let suffix = if d == DType::F64 { "" } else { "f" };
    format!("{name}{suffix}({})", args.join(", "))
}

/// The name the prelude gives a type in function names.
fn tag(d: DType) -> &'static str {
    match d {
        DType::F16 | DType::BF16 | DType::F32 => "f32",
        other => other.name(),
    }
}

/// Integers are brought back to their width, f16 and bf16 rounded.
fn narrowed(d: DType, text: String) -> String {
    match d {
        DType::I8 | DType::I16 | DType::U8 | DType::U16 => format!("({})({text})", memory_type(d)),
        DType::F16 => format!("eg_round_f16({text})"),
        DType::BF16 => format!("eg_round_bf16({text})"),
        DType::F32 | DType::F64 | DType::I32 | DType::I64 | DType::U32 | DType::U64 | DType::Bool => {
            format!("({text})")
        }
    }
}

/// One element. `from` is the operands' type (of the chosen values, for a select; of the exponent, for pow).
pub fn scalar(f: Scalar, a: &[String], from: DType, to: DType) -> String {
    let int = from.is_int();
    let bits = !from.is_float();
    let prelude = |name: &str, trap: bool| {
        format!("eg_{name}_{}({}{})", tag(from), a.join(", "), if trap { ", &trap" } else { "" })
    };
    let lib = |name: &str| narrow_float(to, libm(name, from, a));
    match f {
        Scalar::Add => narrowed(to, format!("{} + {}", a[0], a[1])),
        Scalar::Sub => narrowed(to, format!("{} - {}", a[0], a[1])),
        // A product of two u16 must not overflow the int they are promoted to.
        Scalar::Mul if from == DType::U16 => format!("(uint16_t)((uint32_t){} * {})", a[0], a[1]),
        Scalar::Mul => narrowed(to, format!("{} * {}", a[0], a[1])),
        Scalar::Div if int => prelude("div", true),
        Scalar::Div => narrowed(to, format!("{} / {}", a[0], a[1])),
        Scalar::RemFloor if int => prelude("rem_floor", true),
        Scalar::RemFloor => narrow_float(to, prelude("rem_floor", false)),
        Scalar::RemTrunc if int => prelude("rem_trunc", true),
        Scalar::RemTrunc => lib("fmod"),
        Scalar::Neg => narrowed(to, format!("-{}", a[0])),
        Scalar::Abs if int => prelude("abs", false),
        Scalar::Abs => lib("fabs"),
        Scalar::Min if from == DType::Bool => format!("({} & {})", a[0], a[1]),
        Scalar::Max if from == DType::Bool => format!("({} | {})", a[0], a[1]),
        Scalar::Min => prelude("min", false),
        Scalar::Max => prelude("max", false),
        Scalar::Pow if to.is_float() => {
            let d = if to == DType::F64 || from == DType::F64 || int { "pow" } else { "powf" };
            narrow_float(to, format!("({}){d}({}, {})", value_type(Ty::scalar(to)), a[0], a[1]))
        }
        Scalar::Pow if int => format!("eg_pow_{}({}, ({}){})", tag(to), a[0], memory_type(to), a[1]),
        Scalar::Pow => cast(&format!("pow((double){}, (double){})", a[0], a[1]), DType::F64, to),
        Scalar::Sqrt => lib("sqrt"),
        Scalar::Exp => lib("exp"),
        Scalar::Log => lib("log"),
        Scalar::Log1p => lib("log1p"),
        Scalar::Sin => lib("sin"),
        Scalar::Cos => lib("cos"),
        Scalar::Tan => lib("tan"),
        Scalar::Asin => lib("asin"),
        Scalar::Acos => lib("acos"),
        Scalar::Atan => lib("atan"),
        Scalar::Sinh => lib("sinh"),
        Scalar::Cosh => lib("cosh"),
        Scalar::Tanh => lib("tanh"),
        Scalar::Asinh => lib("asinh"),
        Scalar::Acosh => lib("acosh"),
        Scalar::Atanh => lib("atanh"),
        Scalar::Erf => lib("erf"),
        Scalar::Sigmoid => narrow_float(to, prelude("sigmoid", false)),
        Scalar::Floor => lib("floor"),
        Scalar::Ceil => lib("ceil"),
        Scalar::Round => lib("rint"),
        Scalar::Sign => prelude("sign", false),
        Scalar::IsNan => format!("(uint8_t)({0} != {0})", a[0]),
        Scalar::IsInf(InfSign::Both) => format!("(uint8_t)(isinf({}) != 0)", a[0]),
        Scalar::IsInf(InfSign::Positive) => format!("(uint8_t)({} == INFINITY)", a[0]),
        Scalar::IsInf(InfSign::Negative) => format!("(uint8_t)({} == -INFINITY)", a[0]),
        Scalar::Eq => format!("(uint8_t)({} == {})", a[0], a[1]),
        Scalar::Lt => format!("(uint8_t)({} < {})", a[0], a[1]),
        Scalar::Le => format!("(uint8_t)({} <= {})", a[0], a[1]),
        Scalar::And => narrowed(to, format!("{} & {}", a[0], a[1])),
        Scalar::Or => narrowed(to, format!("{} | {}", a[0], a[1])),
        Scalar::Xor => narrowed(to, format!("{} ^ {}", a[0], a[1])),
        Scalar::Not if from == DType::Bool => format!("(uint8_t)!{}", a[0]),
        Scalar::Not if bits => narrowed(to, format!("~{}", a[0])),
        Scalar::Not => unreachable!("invariant: typed graphs negate bits only"),
        Scalar::Shl => prelude("shl", false),
        Scalar::Shr => prelude("shr", false),
        Scalar::Select => format!("({} ? {} : {})", a[0], a[1], a[2]),
        Scalar::Cast(_) => cast(&a[0], from, to),
        Scalar::BitCast(_) => bitcast(&a[0], from, to),
    }
}

fn narrow_float(d: DType, text: String) -> String {
    match d {
        DType::F16 => format!("eg_round_f16({text})"),
        DType::BF16 => format!("eg_round_bf16({text})"),
        _ => text,
    }
}

/// Conversion of an element ([`Scalar::Cast`]).
fn cast(x: &str, from: DType, to: DType) -> String {
    if from == to {
        return x.to_owned();
    }
    match to {
        DType::Bool => format!("(uint8_t)({x} != 0)"),
        DType::F64 => format!("(double){x}"),
        DType::F32 => format!("(float){x}"),
        // Two roundings give another number than one; rounding to odd in between keeps it right.
        DType::F16 | DType::BF16 => {
            let exact = matches!(from, DType::F64 | DType::I32 | DType::I64 | DType::U32 | DType::U64);
            let middle = if exact { format!("eg_f32_odd((double){x})") } else { format!("(float){x}") };
            format!("eg_round_{}({middle})", to.name())
        }
        _ if from.is_float() => match to {
            DType::I64 => format!("eg_i64_from_f64({x})"),
            DType::U64 => format!("eg_u64_from_f64({x})"),
            DType::U32 => format!("eg_u32_from_f64({x})"),
            DType::I32 => format!("eg_i32_from_f64({x})"),
            narrow => format!("({})eg_i32_from_f64({x})", memory_type(narrow)),
        },
        other => format!("({}){x}", memory_type(other)),
    }
}

fn bitcast(x: &str, from: DType, to: DType) -> String {
    let raw = match from {
        DType::F16 => format!("eg_f16_from_f32({x})"),
        DType::BF16 => format!("eg_bf16_from_f32({x})"),
        _ => x.to_owned(),
    };
    match to {
        DType::F16 => format!("eg_f32_from_f16((uint16_t){raw})"),
        DType::BF16 => format!("eg_f32_from_bf16((uint16_t){raw})"),
        DType::F32 | DType::F64 | DType::I32 | DType::I64 | DType::U32 | DType::U64
            if from.is_float() || to.is_float() =>
        {
            format!("(union {{ {} from; {} to; }}){{ {raw} }}.to", memory_type(from), memory_type(to))
        }
        other => format!("({}){raw}", memory_type(other)),
    }
}

/// Lanes of 8-bit integers are brought back to their range.
fn wrapped(d: DType, text: String) -> String {
    match d {
        DType::U8 | DType::I8 => format!("vi_wrap_{}({})", d.name(), stripped(&text)),
        DType::F16
        | DType::BF16
        | DType::F32
        | DType::F64
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::Bool => text,
    }
}

/// Lanes. `a` are the operands' texts; a lane mask is 0 or -1 per lane.
pub fn vector(f: Scalar, args: &[E], a: &[String], from: DType, to: DType) -> String {
    let float = from == DType::F32;
    let call = |name: &str| format!("{}_{name}({})", if float { "vf" } else { "vi" }, vectors(args, a).join(", "));
    let is_literal =
        |i: usize| matches!(&args[i], E::Splat(e, DType::F32) if matches!(&**e, E::Lit(l) if !l.to_f64().is_nan()));
    match f {
        Scalar::Add => wrapped(to, format!("({} + {})", a[0], a[1])),
        Scalar::Sub => wrapped(to, format!("({} - {})", a[0], a[1])),
        Scalar::Mul => wrapped(to, format!("({} * {})", a[0], a[1])),
        Scalar::Div => format!("({} / {})", a[0], a[1]),
        Scalar::Neg if float => call("neg"),
        Scalar::Neg => wrapped(to, format!("(-{})", a[0])),
        Scalar::Abs => wrapped(to, call("abs")),
        // A number beside an operand: the one instruction that lets the operand's NaN through.
        Scalar::Max | Scalar::Min if float && (is_literal(0) || is_literal(1)) => {
            let name = if f == Scalar::Max { "vf_max_keep" } else { "vf_min_keep" };
            let v = vectors(args, a);
            let (c, x) = if is_literal(0) { (&v[0], &v[1]) } else { (&v[1], &v[0]) };
            format!("{name}({c}, {x})")
        }
        Scalar::Max => call("max"),
        Scalar::Min => call("min"),
        Scalar::Pow => call("pow"),
        Scalar::RemTrunc => call("fmod"),
        Scalar::Sqrt => call("sqrt"),
        Scalar::Exp => call("exp"),
        Scalar::Log => call("log"),
        Scalar::Log1p => call("log1p"),
        Scalar::Sin => call("sin"),
        Scalar::Cos => call("cos"),
        Scalar::Tan => call("tan"),
        Scalar::Asin => call("asin"),
        Scalar::Acos => call("acos"),
        Scalar::Atan => call("atan"),
        Scalar::Sinh => call("sinh"),
        Scalar::Cosh => call("cosh"),
        Scalar::Tanh => call("tanh"),
        Scalar::Asinh => call("asinh"),
        Scalar::Acosh => call("acosh"),
        Scalar::Atanh => call("atanh"),
        Scalar::Erf => call("erf"),
        Scalar::Sigmoid => call("sigmoid"),
        Scalar::Floor => call("floor"),
        Scalar::Ceil => call("ceil"),
        Scalar::Round => call("round"),
        Scalar::Sign => call("sign"),
        Scalar::IsNan => format!("({0} != {0})", a[0]),
        Scalar::IsInf(InfSign::Both) => format!("(vf_abs({}) == INFINITY)", a[0]),
        Scalar::IsInf(InfSign::Positive) => format!("({} == INFINITY)", a[0]),
        Scalar::IsInf(InfSign::Negative) => format!("({} == -INFINITY)", a[0]),
        Scalar::Eq => format!("({} == {})", a[0], a[1]),
        Scalar::Lt => format!("({} < {})", a[0], a[1]),
        Scalar::Le => format!("({} <= {})", a[0], a[1]),
        Scalar::And => format!("({} & {})", a[0], a[1]),
        Scalar::Or => format!("({} | {})", a[0], a[1]),
        Scalar::Xor => format!("({} ^ {})", a[0], a[1]),
        Scalar::Not => wrapped(to, format!("(~{})", a[0])),
        Scalar::Select => {
            let v = vectors(&args[1..], &a[1..]);
            format!("{}_select({}, {}, {})", if float { "vf" } else { "vi" }, a[0], v[0], v[1])
        }
        Scalar::Cast(_) => vector_cast(&a[0], from, to),
        Scalar::BitCast(_) => format!("({}){}", if to == DType::F32 { "vf" } else { "vi" }, a[0]),
        Scalar::RemFloor | Scalar::Shl | Scalar::Shr => unreachable!("invariant: the emitter does not vectorize these"),
    }
}

/// Conversion of lanes.
fn vector_cast(x: &str, from: DType, to: DType) -> String {
    match (from, to) {
        _ if from == to => x.to_owned(),
        (DType::Bool, DType::F32) => format!("vf_from_vi({x} & 1)"),
        (DType::Bool, _) => format!("({x} & 1)"),
        (_, DType::Bool) => format!("({x} != 0)"),
        (DType::F32, _) => wrapped(to, format!("vi_from_vf({x})")),
        (_, DType::F32) => format!("vf_from_vi({x})"),
        _ => wrapped(to, x.to_owned()),
    }
}

/// Operands of a prelude function: numbers must be spelled as vectors.
fn vectors(args: &[E], a: &[String]) -> Vec<String> {
    args.iter()
        .zip(a)
        .map(|(e, text)| match e {
            E::Splat(inner, DType::F32) if matches!(&**inner, E::Lit(_)) => format!("vf_splat({text})"),
            _ => text.clone(),
        })
        .collect()
}

/// One step of a fold; for an arg monoid, whether the new value takes over.
pub fn combine(m: Monoid, ty: Ty, acc: &str, x: &str) -> String {
    let d = ty.dtype;
    let nan = |v: &str| if d.is_float() { format!("{v} != {v}") } else { "0".to_owned() };
    match (m, ty.form) {
        (Monoid::Sum, Form::Vector) => format!("{acc} + {x}"),
        (Monoid::Prod, Form::Vector) => format!("{acc} * {x}"),
        (Monoid::Sum, Form::Scalar) => narrowed(d, format!("{acc} + {x}")),
        (Monoid::Prod, Form::Scalar) => scalar(Scalar::Mul, &[acc.to_owned(), x.to_owned()], d, d),
        (Monoid::Max | Monoid::Min, Form::Vector) => {
            let f = if m == Monoid::Max { "max" } else { "min" };
            format!("{}_{f}({acc}, {x})", if d == DType::F32 { "vf" } else { "vi" })
        }
        (Monoid::Max, Form::Scalar) => scalar(Scalar::Max, &[acc.to_owned(), x.to_owned()], d, d),
        (Monoid::Min, Form::Scalar) => scalar(Scalar::Min, &[acc.to_owned(), x.to_owned()], d, d),
        (Monoid::And, _) => narrowed(d, format!("{acc} & {x}")),
        (Monoid::Or, _) => narrowed(d, format!("{acc} | {x}")),
        // A NaN takes over from a number and never gives way.
        (Monoid::ArgMaxFirst, _) => format!("(uint8_t)(!({}) && ({x} > {acc} || {}))", nan(acc), nan(x)),
        (Monoid::ArgMaxLast, _) => format!("(uint8_t)(!({}) && ({x} >= {acc} || {}))", nan(acc), nan(x)),
        (Monoid::ArgMinFirst, _) => format!("(uint8_t)(!({}) && ({x} < {acc} || {}))", nan(acc), nan(x)),
        (Monoid::ArgMinLast, _) => format!("(uint8_t)(!({}) && ({x} <= {acc} || {}))", nan(acc), nan(x)),
    }
}
