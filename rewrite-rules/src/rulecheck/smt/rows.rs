//! The scalar rows in SMT-LIB, each as [`egret_ir::eval`] computes it: results of + − × ÷ √ are rounded once to their type,
//! integers wrap, minimum and maximum are those of IEEE 754-2019 with −0 below +0.

use std::cmp::Ordering;

use egret_ir::DType;
use egret_ir::op::scalar::{InfSign, Scalar};

use super::sorts::{DOUBLE, Sort, number};
use crate::rulecheck::prove::Laws;

/// What a row is.
pub(super) enum Row {
    /// This text.
    Means(String),
    /// No theory has it: any function of its operands that keeps the laws of its table.
    Unknown,
    /// Not even that: its result is not a function of what the operands' sorts tell apart, or may not be a real number.
    Refused,
}

/// A row over operands, given as text with their element types.
pub(super) fn row(f: Scalar, args: &[(&str, DType)], laws: Laws) -> Row {
    let Some((x, from)) = args.first().copied() else { return Row::Refused };
    let y = args.get(1).map_or("", |a| a.0);
    let sort = Sort::of(from, laws);
    let two = |op: &str| Row::Means(format!("({op} {x} {y})"));
    let one = |op: &str| Row::Means(format!("({op} {x})"));
    let by_sign = |signed: &str, unsigned: &str| match sort {
        Sort::Bits { signed: true, .. } => two(signed),
        Sort::Bits { signed: false, .. } => two(unsigned),
        Sort::Bool | Sort::Float { .. } | Sort::Real => Row::Unknown,
    };
    let arithmetic = |bits: &str, float: &str, real: &str| match sort {
        Sort::Bits { .. } => two(bits),
        Sort::Float { .. } => two(float),
        Sort::Real => two(real),
        Sort::Bool => Row::Unknown,
    };
    let order = |float: &str, real: &str, signed: &str, unsigned: &str| match sort {
        Sort::Float { .. } => two(float),
        Sort::Real => two(real),
        Sort::Bits { .. } => by_sign(signed, unsigned),
        Sort::Bool => Row::Unknown,
    };
    match f {
        Scalar::Add => arithmetic("bvadd", "fp.add RNE", "+"),
        Scalar::Sub => arithmetic("bvsub", "fp.sub RNE", "-"),
        Scalar::Mul => arithmetic("bvmul", "fp.mul RNE", "*"),
        Scalar::Div => match sort {
            Sort::Float { .. } => two("fp.div RNE"),
            Sort::Real => two("/"),
            Sort::Bits { .. } | Sort::Bool => by_sign("bvsdiv", "bvudiv"),
        },
        Scalar::RemTrunc => by_sign("bvsrem", "bvurem"),
        Scalar::RemFloor => by_sign("bvsmod", "bvurem"),
        Scalar::Neg => match sort {
            Sort::Bits { .. } => one("bvneg"),
            Sort::Float { .. } => one("fp.neg"),
            Sort::Real => one("-"),
            Sort::Bool => Row::Unknown,
        },
        Scalar::Abs => match sort {
            Sort::Bits { signed: true, .. } => {
                Row::Means(format!("(ite (bvslt {x} {}) (bvneg {x}) {x})", number(sort, 0)))
            }
            Sort::Bits { signed: false, .. } => Row::Means(x.to_owned()),
            Sort::Float { .. } => one("fp.abs"),
            Sort::Real => Row::Means(format!("(ite (< {x} 0.0) (- {x}) {x})")),
            Sort::Bool => Row::Unknown,
        },
        Scalar::Min => extremum(sort, x, y, false),
        Scalar::Max => extremum(sort, x, y, true),
        Scalar::Sqrt => match sort {
            Sort::Float { .. } => one("fp.sqrt RNE"),
            Sort::Real | Sort::Bits { .. } | Sort::Bool => Row::Unknown,
        },
        Scalar::Floor => rounded(sort, x, "RTN"),
        Scalar::Ceil => rounded(sort, x, "RTP"),
        Scalar::Round => rounded(sort, x, "RNE"),
        Scalar::Sign => sign(sort, x),
        Scalar::IsNan => tested(sort, one("fp.isNaN")),
        Scalar::IsInf(InfSign::Both) => tested(sort, one("fp.isInfinite")),
        Scalar::IsInf(InfSign::Positive) => {
            tested(sort, Row::Means(format!("(and (fp.isInfinite {x}) (fp.isPositive {x}))")))
        }
        Scalar::IsInf(InfSign::Negative) => {
            tested(sort, Row::Means(format!("(and (fp.isInfinite {x}) (fp.isNegative {x}))")))
        }
        Scalar::Eq => match sort {
            Sort::Float { .. } => two("fp.eq"),
            Sort::Bool | Sort::Bits { .. } | Sort::Real => two("="),
        },
        Scalar::Lt => order("fp.lt", "<", "bvslt", "bvult"),
        Scalar::Le => order("fp.leq", "<=", "bvsle", "bvule"),
        Scalar::And => bitwise(sort, two("and"), two("bvand")),
        Scalar::Or => bitwise(sort, two("or"), two("bvor")),
        Scalar::Xor => bitwise(sort, two("xor"), two("bvxor")),
        Scalar::Not => bitwise(sort, one("not"), one("bvnot")),
        // Out of range, these give 0 and the sign, too; a negative distance is a large one without sign.
        Scalar::Shl => by_sign("bvshl", "bvshl"),
        Scalar::Shr => by_sign("bvashr", "bvlshr"),
        Scalar::Select => match args {
            [_, _, (z, _)] => Row::Means(format!("(ite {x} {y} {z})")),
            _ => Row::Refused,
        },
        Scalar::Cast(to) => cast(x, from, to, laws),
        // The bits of a NaN are not told apart.
        Scalar::BitCast(to) if to.is_int() && from.is_int() => Row::Means(x.to_owned()),
        Scalar::BitCast(_) => Row::Refused,
        Scalar::Pow
        | Scalar::Exp
        | Scalar::Log
        | Scalar::Log1p
        | Scalar::Sin
        | Scalar::Cos
        | Scalar::Tan
        | Scalar::Asin
        | Scalar::Acos
        | Scalar::Atan
        | Scalar::Sinh
        | Scalar::Cosh
        | Scalar::Tanh
        | Scalar::Asinh
        | Scalar::Acosh
        | Scalar::Atanh
        | Scalar::Erf
        | Scalar::Sigmoid => Row::Unknown,
    }
}

/// A test of floats; of real numbers nothing is known.
fn tested(sort: Sort, float: Row) -> Row {
    match sort {
        Sort::Float { .. } => float,
        Sort::Real | Sort::Bits { .. } | Sort::Bool => Row::Refused,
    }
}

fn bitwise(sort: Sort, truth: Row, bits: Row) -> Row {
    match sort {
        Sort::Bool => truth,
        Sort::Bits { .. } => bits,
        Sort::Float { .. } | Sort::Real => Row::Unknown,
    }
}

fn extremum(sort: Sort, x: &str, y: &str, largest: bool) -> Row {
    Row::Means(match sort {
        Sort::Bool => format!("({} {x} {y})", if largest { "or" } else { "and" }),
        Sort::Bits { signed, .. } => {
            let less = if signed { "bvslt" } else { "bvult" };
            if largest { format!("(ite ({less} {x} {y}) {y} {x})") } else { format!("(ite ({less} {y} {x}) {y} {x})") }
        }
        Sort::Real => {
            if largest {
                format!("(ite (< {x} {y}) {y} {x})")
            } else {
                format!("(ite (< {y} {x}) {y} {x})")
            }
        }
        Sort::Float { .. } => {
            let (sign, order) = if largest { ("fp.isPositive", "fp.gt") } else { ("fp.isNegative", "fp.lt") };
            let equal = format!("(ite (fp.eq {x} {y}) (ite ({sign} {x}) {x} {y}) (ite ({order} {x} {y}) {x} {y}))");
            format!("(ite (fp.isNaN {x}) {x} (ite (fp.isNaN {y}) {y} {equal}))")
        }
    })
}

fn rounded(sort: Sort, x: &str, mode: &str) -> Row {
    match (sort, mode) {
        (Sort::Float { .. }, _) => Row::Means(format!("(fp.roundToIntegral {mode} {x})")),
        (Sort::Real, "RTN") => Row::Means(format!("(to_real (to_int {x}))")),
        (Sort::Real, "RTP") => Row::Means(format!("(- (to_real (to_int (- {x}))))")),
        (Sort::Real | Sort::Bits { .. } | Sort::Bool, _) => Row::Unknown,
    }
}

fn sign(sort: Sort, x: &str) -> Row {
    let [zero, one, minus] = [0, 1, -1].map(|n| number(sort, n));
    let by = |above: &str, below: &str| {
        format!("(ite ({above} {x} {zero}) {one} (ite ({below} {x} {zero}) {minus} {zero}))")
    };
    Row::Means(match sort {
        Sort::Bits { signed: true, .. } => by("bvsgt", "bvslt"),
        Sort::Bits { signed: false, .. } => format!("(ite (= {x} {zero}) {zero} {one})"),
        Sort::Real => by(">", "<"),
        Sort::Float { .. } => format!("(ite (fp.isNaN {x}) {x} {})", by("fp.gt", "fp.lt")),
        Sort::Bool => return Row::Unknown,
    })
}

fn cast(x: &str, from: DType, to: DType, laws: Laws) -> Row {
    let (source, target) = (Sort::of(from, laws), Sort::of(to, laws));
    if from == to || source == target {
        return Row::Means(x.to_owned());
    }
    let chosen = || format!("(ite {x} {} {})", number(target, 1), number(target, 0));
    let to_fp = |s: Sort, how: &str, x: &str| match s {
        Sort::Float { exponent, significand } => format!("((_ {how} {exponent} {significand}) RNE {x})"),
        Sort::Bool | Sort::Bits { .. } | Sort::Real => x.to_owned(),
    };
    match (source, target) {
        (Sort::Bool, Sort::Bits { .. } | Sort::Float { .. } | Sort::Real | Sort::Bool) => Row::Means(chosen()),
        (Sort::Bits { .. }, Sort::Bool) => Row::Means(format!("(not (= {x} {}))", number(source, 0))),
        (Sort::Float { .. }, Sort::Bool) => Row::Means(format!("(not (fp.isZero {x}))")),
        (Sort::Real, Sort::Bool) => Row::Means(format!("(not (= {x} 0.0))")),
        (Sort::Bits { width, signed }, Sort::Bits { width: wide, .. }) => Row::Means(resized(x, width, signed, wide)),
        (Sort::Bits { width, signed }, Sort::Float { .. }) => {
            let how = if signed { "to_fp" } else { "to_fp_unsigned" };
            // Once to f64, and to less from there; of 64 bits to f32 directly.
            let direct = target == DOUBLE || (to == DType::F32 && width == 64);
            let wide = to_fp(if direct { target } else { DOUBLE }, how, x);
            Row::Means(if direct { wide } else { to_fp(target, "to_fp", &wide) })
        }
        (Sort::Float { .. }, Sort::Float { .. }) => Row::Means(to_fp(target, "to_fp", x)),
        (Sort::Float { .. }, Sort::Bits { width, .. }) => truncated(x, to, width),
        (Sort::Real, Sort::Bits { .. } | Sort::Real | Sort::Float { .. })
        | (Sort::Bits { .. } | Sort::Float { .. }, Sort::Real) => Row::Unknown,
    }
}

fn resized(x: &str, from: u32, signed: bool, to: u32) -> String {
    match to.cmp(&from) {
        Ordering::Less => format!("((_ extract {} 0) {x})", to - 1),
        Ordering::Equal => x.to_owned(),
        Ordering::Greater => {
            format!("((_ {} {}) {x})", if signed { "sign_extend" } else { "zero_extend" }, to - from)
        }
    }
}

/// [`egret_ir::eval`]'s truncation, after x86: what is out of range is the least value of the 32- or 64-bit conversion, of
/// which narrower types keep the low bits.
fn truncated(x: &str, to: DType, width: u32) -> Row {
    let (bits, inside) = match to {
        DType::I64 | DType::U32 => (64, "(and (fp.geq d (fp.neg p)) (fp.lt d p))"),
        // −2³¹ − 1 is a value of f64.
        DType::I8 | DType::I16 | DType::I32 | DType::U8 | DType::U16 => {
            (32, "(and (fp.gt d (fp.sub RNE (fp.neg p) one)) (fp.lt d p))")
        }
        DType::U64 | DType::Bool | DType::F16 | DType::BF16 | DType::F32 | DType::F64 => return Row::Unknown,
    };
    let power = if bits == 64 { "9223372036854775808.0" } else { "2147483648.0" };
    let least = if bits == 64 { "#x8000000000000000" } else { "#x80000000" };
    let whole = resized("w", bits, true, width);
    let double = |x: &str| format!("((_ to_fp 11 53) RNE {x})");
    Row::Means(format!(
        "(let ((d {}) (p {}) (one {})) (let ((w (ite {inside} ((_ fp.to_sbv {bits}) RTZ d) {least}))) {whole}))",
        double(x),
        double(power),
        double("1.0")
    ))
}
