//! The text form of the loop tree (`egret lower --to loops`): one statement a line, no dialect's spelling.

use std::fmt::{self, Display, Formatter};

use egret_ir::{Dim, Symbol};

use crate::extent::local_name;
use crate::loops::{Arg, Base, E, Form, Function, S, Ty};

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.form {
            Form::Scalar => write!(f, "{}", self.dtype),
            Form::Vector => write!(f, "{}.lanes", self.dtype),
        }
    }
}

/// Items after each other with commas between.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{item}")?;
        }
        Ok(())
    }
}

/// An extent; variables of the function by their names.
struct Extent<'a>(&'a Dim);

impl Display for Extent<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.substitute(&|s| local_name(s).map(|name| Dim::symbol(Symbol::new(name)))))
    }
}

/// ` for n lanes`, where not all are meant.
fn part(f: &mut Formatter<'_>, n: Option<&E>) -> fmt::Result {
    n.map_or(Ok(()), |n| write!(f, " first {n}"))
}

/// `base[index]`, with the step between lanes where it is not 1.
fn place(f: &mut Formatter<'_>, base: &str, index: &E, step: &Dim) -> fmt::Result {
    if *step == 1 { write!(f, "{base}[{index} ..]") } else { write!(f, "{base}[{index} .. by {}]", Extent(step)) }
}

impl Display for E {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(d) => write!(f, "{}", Extent(d)),
            Self::Var(name) => f.write_str(name),
            Self::Add(a, b) => write!(f, "{a} + {b}"),
            Self::Mul(a, k) => write!(f, "{}*({a})", Extent(k)),
            Self::Div(a, k) => write!(f, "({a}) / {}", Extent(k)),
            Self::Mod(a, k) => write!(f, "({a}) mod {}", Extent(k)),
            Self::FloorDiv(a, k) => write!(f, "floor(({a}) / {})", Extent(k)),
            Self::FloorMod(a, k) => write!(f, "floormod({a}, {})", Extent(k)),
            Self::Min(a, b) => write!(f, "min({a}, {b})"),
            Self::Max(a, b) => write!(f, "max({a}, {b})"),
            Self::Checked { value, extent, wraps } => {
                write!(f, "checked({value}, {}{})", Extent(extent), if *wraps { ", wraps" } else { "" })
            }
            Self::Within { index, lo, hi, step } => {
                f.write_str("within(")?;
                if let Some(lo) = lo {
                    write!(f, "{} <= ", Extent(lo))?;
                }
                write!(f, "{index}")?;
                if let Some(hi) = hi {
                    write!(f, " < {}", Extent(hi))?;
                }
                if *step != 1 {
                    write!(f, ", {step} divides")?;
                }
                f.write_str(")")
            }
            Self::All(all) => write!(f, "all({})", List(all)),
            Self::Lit(l) => write!(f, "{l}"),
            Self::Element(e) => write!(f, "i64({e})"),
            Self::Load { base, index, dtype } => write!(f, "{base}[{index}]:{dtype}"),
            Self::VLoad { base, index, dtype, step, part: n } => {
                place(f, base, index, step)?;
                write!(f, ":{dtype}")?;
                part(f, n.as_deref())
            }
            Self::VRepeat { base, index, times, part: n } => {
                write!(f, "{base}[{index} .. each {times} times]")?;
                part(f, n.as_deref())
            }
            Self::Map { f: row, args, .. } => write!(f, "{row}({})", List(args)),
            Self::Splat(e, _) => write!(f, "splat({e})"),
            Self::Blend { n, value, other } => write!(f, "blend({value} first {n}, {other})"),
            Self::Across(m, e) => write!(f, "{} across({e})", m.name()),
            Self::Combine(m, _, a, b) => write!(f, "{}({a}, {b})", m.name()),
        }
    }
}

impl Display for Arg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(e) => write!(f, "{e}"),
            Self::Pointer(base, index) => write!(f, "&{base}[{index}]"),
            Self::Null => f.write_str("null"),
            Self::Name(name) => f.write_str(name),
            Self::Trap => f.write_str("trap"),
        }
    }
}

fn block(f: &mut Formatter<'_>, body: &[S], depth: usize) -> fmt::Result {
    body.iter().try_for_each(|s| statement(f, s, depth))
}

fn statement(f: &mut Formatter<'_>, s: &S, depth: usize) -> fmt::Result {
    let pad = "  ".repeat(depth);
    f.write_str(&pad)?;
    match s {
        S::Comment(text) => writeln!(f, "# {text}"),
        S::For { var, from, to, step, body } => {
            writeln!(f, "for {var} in {from} .. {to} by {step}")?;
            block(f, body, depth + 1)
        }
        S::Let { name, ty, value } => writeln!(f, "let {name}: {ty} = {value}"),
        S::Var { name, ty, value: Some(value) } => writeln!(f, "var {name}: {ty} = {value}"),
        S::Var { name, ty, value: None } => writeln!(f, "var {name}: {ty}"),
        S::Index { name, value } => writeln!(f, "index {name} = {value}"),
        S::Pointer { name, base: Base::Pointer(base), index, .. } => writeln!(f, "pointer {name} = &{base}[{index}]"),
        S::Pointer { name, base: Base::Scratch(byte), index, dtype, .. } => {
            writeln!(f, "pointer {name} = &scratch {} as {dtype}[{index}]", Extent(byte))
        }
        S::Set { name, value } => writeln!(f, "{name} = {value}"),
        S::MulAdd { acc, a, b } => writeln!(f, "{acc} += {a} * {b}"),
        S::Store { base, index, dtype, value } => writeln!(f, "{base}[{index}]:{dtype} = {value}"),
        S::VStore { base, index, dtype, step, part: n, value } => {
            place(f, base, index, step)?;
            write!(f, ":{dtype}")?;
            part(f, n.as_ref())?;
            writeln!(f, " = {value}")
        }
        S::Lanes { name, dtype, lane, part: n, before, value } => {
            write!(f, "lanes {name}: {dtype} over {lane}")?;
            part(f, n.as_ref())?;
            writeln!(f)?;
            block(f, before, depth + 1)?;
            writeln!(f, "{pad}  = {value}")
        }
        S::If { cond, then, otherwise } => {
            writeln!(f, "if {cond}")?;
            block(f, then, depth + 1)?;
            if otherwise.is_empty() {
                return Ok(());
            }
            writeln!(f, "{pad}else")?;
            block(f, otherwise, depth + 1)
        }
        S::Block(body) => {
            writeln!(f, "block")?;
            block(f, body, depth + 1)
        }
        S::Transpose { rows } => writeln!(f, "transpose {}", List(rows)),
        S::Call { name, args } => writeln!(f, "call {name}({})", List(args)),
    }
}

/// Notes, tensors, the parallel loop over tiles, and its body.
impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "  # {note}")?;
        }
        for p in &self.params {
            writeln!(f, "  {} {}: {}", if p.writes { "writes" } else { "reads" }, p.name, p.dtype)?;
        }
        writeln!(f, "  parallel tile in 0 .. {} with {} bytes of scratch", self.tiles, self.scratch)?;
        block(f, &self.body, 2)
    }
}
