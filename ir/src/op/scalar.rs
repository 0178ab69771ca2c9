//! The scalar rows: every function of elements, one row each. The interpreter's domains, the printers and the rules read
//! them from here; laws are tags that the rule library and the kernel generators rely on.

use std::fmt;

use crate::dtype::DType;

/// Which infinities [`Scalar::IsInf`] detects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InfSign {
    /// Either sign.
    Both,
    /// Only +Inf.
    Positive,
    /// Only −Inf.
    Negative,
}

/// Laws that hold bit for bit on every element type the row takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// f(x, y) = f(y, x).
    Commutative,
    /// f(f(x, y), z) = f(x, f(y, z)), on floats too.
    Associative,
    /// Associative on integers only; floats round.
    IntAssociative,
    /// f(x, x) = x.
    Idempotent,
    /// f(f(x)) = f(x).
    Projection,
    /// f(f(x)) = x.
    Involution,
    /// f(−x) = −f(x).
    Odd,
    /// x ≤ y implies f(x) ≤ f(y), NaN aside.
    Monotone,
}

/// How a row's element types go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Types {
    /// All operands and the result share one numeric type.
    Num,
    /// … one numeric type or bool.
    NumBool,
    /// … one float type.
    Float,
    /// … one signed integer or float type.
    Signed,
    /// … one integer type or bool.
    Bits,
    /// … one integer type.
    Int,
    /// Base and exponent of any numeric types; the result has the base's.
    Pow,
    /// Float in, bool out.
    FloatToBool,
    /// Two of one type in, bool out.
    Equality,
    /// Two of one numeric type in, bool out.
    Order,
    /// bool, T, T in, T out.
    Select,
    /// Anything in, the parameter out.
    To(DType),
    /// A type of the same width in, the parameter out.
    Reinterpret(DType),
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalarDef {
    /// Name in text forms and rules.
    pub name: &'static str,
    /// Number of operands.
    pub arity: usize,
    /// Type rule.
    pub types: Types,
    /// Cost in elementary operations, for rooflines.
    pub flops: u32,
    /// Bit-exact laws.
    pub laws: &'static [Law],
}

macro_rules! scalars {
    ($($(#[$doc:meta])* $variant:ident $name:literal $arity:literal $types:ident $flops:literal [$($law:ident),*];)*) => {
        /// A function of elements. Integers wrap at their width; f16 and bf16 compute in f32 and round once.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Scalar {
            $($(#[$doc])* $variant,)*
            /// True on infinities of the given sign.
            IsInf(InfSign),
            /// Conversion to a type (float→float rounds to nearest even, float→int truncates, int→int wraps, →bool is ≠ 0).
            Cast(DType),
            /// The same bits as another type of equal width.
            BitCast(DType),
        }

        const PLAIN: &[(Scalar, ScalarDef)] = &[
            $((Scalar::$variant, ScalarDef { name: $name, arity: $arity, types: Types::$types, flops: $flops, laws: &[$(Law::$law),*] }),)*
        ];

        impl Scalar {
            /// The row of this function.
            pub fn def(self) -> ScalarDef {
                match self {
                    $(Self::$variant => ScalarDef { name: $name, arity: $arity, types: Types::$types, flops: $flops, laws: &[$(Law::$law),*] },)*
                    Self::IsInf(InfSign::Both) => ScalarDef { name: "is_inf", arity: 1, types: Types::FloatToBool, flops: 1, laws: &[] },
                    Self::IsInf(InfSign::Positive) => ScalarDef { name: "is_inf_pos", arity: 1, types: Types::FloatToBool, flops: 1, laws: &[] },
                    Self::IsInf(InfSign::Negative) => ScalarDef { name: "is_inf_neg", arity: 1, types: Types::FloatToBool, flops: 1, laws: &[] },
                    Self::Cast(to) => ScalarDef { name: "cast", arity: 1, types: Types::To(to), flops: 1, laws: &[] },
                    Self::BitCast(to) => ScalarDef { name: "bitcast", arity: 1, types: Types::Reinterpret(to), flops: 0, laws: &[] },
                }
            }
        }
    };
}

scalars! {
    /// x + y.
    Add "add" 2 Num 1 [Commutative, IntAssociative];
    /// x − y.
    Sub "sub" 2 Num 1 [];
    /// x · y.
    Mul "mul" 2 Num 1 [Commutative, IntAssociative];
    /// x / y: IEEE for floats; integers truncate, ÷0 traps, MIN/−1 = MIN.
    Div "div" 2 Num 4 [];
    /// Remainder with the sign of y.
    RemFloor "rem_floor" 2 Num 8 [];
    /// C's fmod: remainder with the sign of x.
    RemTrunc "rem_trunc" 2 Num 8 [];
    /// −x.
    Neg "neg" 1 Signed 1 [Involution, Odd];
    /// |x|.
    Abs "abs" 1 Num 1 [Projection];
    /// IEEE 754-2019 minimum: NaN wins.
    Min "min" 2 NumBool 1 [Commutative, Associative, Idempotent];
    /// IEEE 754-2019 maximum: NaN wins.
    Max "max" 2 NumBool 1 [Commutative, Associative, Idempotent];
    /// C's pow for floats; repeated product for integers.
    Pow "pow" 2 Pow 20 [];
    /// √x.
    Sqrt "sqrt" 1 Float 4 [Monotone];
    /// eˣ.
    Exp "exp" 1 Float 10 [Monotone];
    /// ln x.
    Log "log" 1 Float 10 [Monotone];
    /// ln(1 + x).
    Log1p "log1p" 1 Float 12 [Monotone];
    /// Sine.
    Sin "sin" 1 Float 12 [Odd];
    /// Cosine.
    Cos "cos" 1 Float 12 [];
    /// Tangent.
    Tan "tan" 1 Float 16 [Odd];
    /// Inverse sine.
    Asin "asin" 1 Float 16 [Odd, Monotone];
    /// Inverse cosine.
    Acos "acos" 1 Float 16 [];
    /// Inverse tangent.
    Atan "atan" 1 Float 16 [Odd, Monotone];
    /// Hyperbolic sine.
    Sinh "sinh" 1 Float 16 [Odd, Monotone];
    /// Hyperbolic cosine.
    Cosh "cosh" 1 Float 16 [];
    /// Hyperbolic tangent.
    Tanh "tanh" 1 Float 12 [Odd, Monotone];
    /// Inverse hyperbolic sine.
    Asinh "asinh" 1 Float 16 [Odd, Monotone];
    /// Inverse hyperbolic cosine.
    Acosh "acosh" 1 Float 16 [];
    /// Inverse hyperbolic tangent.
    Atanh "atanh" 1 Float 16 [Odd, Monotone];
    /// Error function.
    Erf "erf" 1 Float 12 [Odd, Monotone];
    /// 1 / (1 + e⁻ˣ).
    Sigmoid "sigmoid" 1 Float 12 [Monotone];
    /// ⌊x⌋.
    Floor "floor" 1 Float 1 [Projection, Monotone];
    /// ⌈x⌉.
    Ceil "ceil" 1 Float 1 [Projection, Monotone];
    /// To the nearest integer, ties to even.
    Round "round" 1 Float 1 [Projection, Monotone];
    /// −1, 0 or 1; NaN stays.
    Sign "sign" 1 Num 1 [Projection, Monotone];
    /// True on NaN.
    IsNan "is_nan" 1 FloatToBool 1 [];
    /// x = y; NaN ≠ NaN, −0 = 0.
    Eq "eq" 2 Equality 1 [Commutative];
    /// x < y; false on NaN.
    Lt "lt" 2 Order 1 [];
    /// x ≤ y; false on NaN.
    Le "le" 2 Order 1 [];
    /// Conjunction, bitwise.
    And "and" 2 Bits 1 [Commutative, Associative, Idempotent];
    /// Disjunction, bitwise.
    Or "or" 2 Bits 1 [Commutative, Associative, Idempotent];
    /// Exclusive or, bitwise.
    Xor "xor" 2 Bits 1 [Commutative, Associative];
    /// Negation, bitwise.
    Not "not" 1 Bits 1 [Involution];
    /// x · 2ʸ, 0 where y is out of range.
    Shl "shl" 2 Int 1 [];
    /// ⌊x / 2ʸ⌋, 0 (−1 for negative x) where y is out of range.
    Shr "shr" 2 Int 1 [];
    /// c ? x : y.
    Select "select" 3 Select 1 [];
}

impl Scalar {
    /// Name in text forms; `cast` and `bitcast` print their type beside it.
    pub fn name(self) -> &'static str {
        self.def().name
    }

    /// Number of operands.
    pub fn arity(self) -> usize {
        self.def().arity
    }

    /// Whether the row has that bit-exact law.
    pub fn has(self, law: Law) -> bool {
        self.def().laws.contains(&law)
    }

    /// Whether it is associative bit for bit on `dtype`.
    pub fn is_associative_on(self, dtype: DType) -> bool {
        self.has(Law::Associative) || (self.has(Law::IntAssociative) && !dtype.is_float())
    }

    /// Whether evaluating it may trap (integer division by zero).
    pub fn may_trap_on(self, dtype: DType) -> bool {
        matches!(self, Self::Div | Self::RemFloor | Self::RemTrunc) && dtype.is_int()
    }

    /// The row of that name; `param` is the type of `cast` and `bitcast`.
    pub fn from_name(name: &str, param: Option<DType>) -> Option<Self> {
        match (name, param) {
            ("cast", Some(to)) => Some(Self::Cast(to)),
            ("bitcast", Some(to)) => Some(Self::BitCast(to)),
            ("is_inf", None) => Some(Self::IsInf(InfSign::Both)),
            ("is_inf_pos", None) => Some(Self::IsInf(InfSign::Positive)),
            ("is_inf_neg", None) => Some(Self::IsInf(InfSign::Negative)),
            (_, None) => PLAIN.iter().find(|(_, d)| d.name == name).map(|(s, _)| *s),
            _ => None,
        }
    }

    /// Every row without a type parameter.
    pub fn plain() -> impl Iterator<Item = Self> {
        PLAIN.iter().map(|(s, _)| *s)
    }

    /// The result's element type, where the operands' are legal.
    pub fn result(self, args: &[DType]) -> Option<DType> {
        let def = self.def();
        if args.len() != def.arity {
            return None;
        }
        let first = args[0];
        let same = args.iter().all(|a| *a == first);
        let uniform = |ok: bool| (same && ok).then_some(first);
        match def.types {
            Types::Num => uniform(first.is_num()),
            Types::NumBool => uniform(true),
            Types::Float => uniform(first.is_float()),
            Types::Signed => uniform(first.is_float() || first.is_signed_int()),
            Types::Bits => uniform(!first.is_float()),
            Types::Int => uniform(first.is_int()),
            Types::Pow => args.iter().all(|a| a.is_num()).then_some(first),
            Types::FloatToBool => first.is_float().then_some(DType::Bool),
            Types::Equality => same.then_some(DType::Bool),
            Types::Order => (same && first.is_num()).then_some(DType::Bool),
            Types::Select => (first == DType::Bool && args[1] == args[2]).then_some(args[1]),
            Types::To(to) => Some(to),
            Types::Reinterpret(to) => (to.size() == first.size()).then_some(to),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cast(to) | Self::BitCast(to) => write!(f, "{}:{to}", self.name()),
            other => f.write_str(other.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for s in Scalar::plain() {
            assert_eq!(Scalar::from_name(s.name(), None), Some(s));
        }
        assert_eq!(Scalar::from_name("cast", Some(DType::F16)), Some(Scalar::Cast(DType::F16)));
        assert_eq!(Scalar::from_name("cast", None), None);
    }
}
