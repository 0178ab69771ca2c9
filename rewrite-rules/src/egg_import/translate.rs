//! From s-expressions to patterns of this compiler.

use std::collections::BTreeMap;

use super::Refusal;
use super::read::{Expr, Form, Sides};

/// Operators known: the words for one, and what it becomes. TENSAT's take their attributes first, as in its paper.
pub const OPERATORS: &[(&[&str], &str)] = &[
    (&["ewadd", "+", "add", "Add"], "map add"),
    (&["ewmul", "*", "mul", "Mul"], "map mul"),
    (&["ewsub", "-", "sub", "Sub"], "map sub, with one operand map neg"),
    (&["ewdiv", "/", "div", "Div"], "map div"),
    (&["neg", "Neg"], "map neg"),
    (&["max", "Max"], "map max"),
    (&["min", "Min"], "map min"),
    (&["pow", "Pow"], "map pow"),
    (&["exp", "Exp"], "map exp"),
    (&["log", "ln", "Log"], "map log"),
    (&["sqrt", "Sqrt"], "map sqrt"),
    (&["abs", "Abs"], "map abs"),
    (&["sin", "Sin"], "map sin"),
    (&["cos", "Cos"], "map cos"),
    (&["relu", "Relu"], "map max with 0"),
    (&["tanh", "Tanh"], "map tanh"),
    (&["sigmoid", "Sigmoid"], "map sigmoid"),
    (&["matmul", "MatMul"], "contract of rank 2; TENSAT's activation comes first"),
    (&["transpose", "Transpose"], "permute; TENSAT's permutation and shuffle come behind"),
    (&["concat", "concat2", "concat3", "concat4", "concat5"], "concat; the axis comes first, TENSAT's rank after it"),
    (&["conv2d"], "contract; strides, padding and activation come first"),
    (&["poolmax"], "reduce max; kernel, strides, padding and activation come behind"),
];

/// Operators of TENSAT that say too little.
const OPEN: &[(&str, &str)] = &[
    ("split", "takes its sizes from the concat that made its operand, which the rule does not name"),
    ("split_0", "is a part of a split, whose sizes the rule does not name"),
    ("split_1", "is a part of a split, whose sizes the rule does not name"),
    ("enlarge", "pads a kernel to the extents of another one, which are no attribute here"),
    ("merge", "joins groups of a convolution, whose number the rule does not name"),
    ("poolavg", "divides by what its window covers, which differs at the border"),
    ("smul", "scales by a tensor of one element, whose shape the rule does not name"),
    ("noop", "joins outputs; one rewrite has one root here"),
];

/// One rewrite being translated.
struct Translation {
    /// Whether variables have no sigil.
    bare: bool,
    /// The variable that holds the parameters of a convolution or pool, by these as they are written.
    windows: BTreeMap<String, String>,
    /// Whether the left side is translated, which binds variables.
    binding: bool,
    /// Whether the left side has a matrix product or convolution, whose element types are bound.
    contracts: bool,
}

/// A rule from its sides on, up to its conditions.
pub fn rule(sides: &Sides) -> Result<String, Refusal> {
    let bare = !sigil(&sides.lhs) && !sigil(&sides.rhs);
    let mut t = Translation { bare, windows: BTreeMap::new(), binding: true, contracts: false };
    if !matches!(sides.lhs.form, Form::List(_)) {
        return Err(Refusal::Syntax("the left side is no operator".to_owned()));
    }
    let lhs = t.expr(&sides.lhs)?;
    t.binding = false;
    let rhs = t.expr(&sides.rhs)?;
    let arrow = if sides.both_ways { "<=>" } else { "=>" };
    let condition = sides.condition.as_ref().map_or_else(String::new, |c| format!("  if {c}"));
    // The matcher of this compiler knows commutative functions: their other order is worth no e-node of its own.
    let known = if commutes(&sides.lhs, &sides.rhs) { "  when known" } else { "" };
    Ok(format!("{lhs} {arrow} {rhs}{condition}{known}"))
}

fn sigil(e: &Expr) -> bool {
    match &e.form {
        Form::Atom(a) => a.starts_with('?'),
        Form::List(children) => children.iter().any(sigil),
    }
}

fn commutes(lhs: &Expr, rhs: &Expr) -> bool {
    let (Form::List(a), Form::List(b)) = (&lhs.form, &rhs.form) else { return false };
    let atom = |e: &Expr| matches!(e.form, Form::Atom(_));
    let ([f, x, y], [g, v, w]) = (a.as_slice(), b.as_slice()) else { return false };
    let commutative = |e: &Expr| {
        let Form::Atom(f) = &e.form else { return false };
        matches!(
            f.as_str(),
            "ewadd" | "+" | "add" | "Add" | "ewmul" | "*" | "mul" | "Mul" | "max" | "Max" | "min" | "Min"
        )
    };
    commutative(f) && f.form == g.form && x.form == w.form && y.form == v.form && atom(x) && atom(y)
}

fn operands(of: &str, expected: &'static str, got: usize) -> Refusal {
    Refusal::Operands { of: of.to_owned(), expected, got }
}

/// Numbers of TENSAT's activations.
fn activation(e: &Expr) -> Result<Option<&'static str>, Refusal> {
    match &e.form {
        Form::Atom(a) if a.starts_with('?') => Ok(None),
        Form::Atom(a) => match a.as_str() {
            "0" => Ok(None),
            "1" => Ok(Some("sigmoid")),
            "2" => Ok(Some("relu")),
            "3" => Ok(Some("tanh")),
            _ => Err(Refusal::Syntax(format!("`{a}` is no activation; there are 0 to 3"))),
        },
        Form::List(_) => Err(Refusal::Syntax("an activation is a number or a variable".to_owned())),
    }
}

fn activated(by: Option<&'static str>, x: String) -> String {
    match by {
        None => x,
        Some("relu") => format!("(map max {x} 0.0)"),
        Some(f) => format!("(map {f} {x})"),
    }
}

impl Translation {
    fn expr(&mut self, e: &Expr) -> Result<String, Refusal> {
        match &e.form {
            Form::Atom(a) => self.atom(a),
            Form::List(children) => match children.split_first() {
                Some((Expr { form: Form::Atom(head), .. }, args)) => self.node(head, args),
                _ => Err(Refusal::Syntax("an operator is missing after `(`".to_owned())),
            },
        }
    }

    fn atom(&self, a: &str) -> Result<String, Refusal> {
        if a.parse::<f64>().is_ok_and(f64::is_finite) {
            return Ok(a.to_owned());
        }
        match a.strip_prefix('?') {
            Some(name) => variable(name),
            None if self.bare => variable(a),
            None => Err(Refusal::Syntax(format!("`{a}` is neither a variable nor a number"))),
        }
    }

    fn all(&mut self, args: &[Expr]) -> Result<Vec<String>, Refusal> {
        args.iter().map(|a| self.expr(a)).collect()
    }

    fn map(&mut self, head: &str, f: &str, arity: usize, args: &[Expr]) -> Result<String, Refusal> {
        if args.len() != arity {
            let expected = if arity == 1 { "1 operand" } else { "2 operands" };
            return Err(operands(head, expected, args.len()));
        }
        Ok(format!("(map {f} {})", self.all(args)?.join(" ")))
    }

    fn node(&mut self, head: &str, args: &[Expr]) -> Result<String, Refusal> {
        match head {
            "ewadd" | "+" | "add" | "Add" => self.map(head, "add", 2, args),
            "ewmul" | "*" | "mul" | "Mul" => self.map(head, "mul", 2, args),
            "-" if args.len() == 1 => self.map(head, "neg", 1, args),
            "ewsub" | "-" | "sub" | "Sub" => self.map(head, "sub", 2, args),
            "ewdiv" | "/" | "div" | "Div" => self.map(head, "div", 2, args),
            "max" | "Max" => self.map(head, "max", 2, args),
            "min" | "Min" => self.map(head, "min", 2, args),
            "pow" | "Pow" => self.map(head, "pow", 2, args),
            "ln" => self.map(head, "log", 1, args),
            "neg" | "exp" | "log" | "sqrt" | "abs" | "sin" | "cos" | "tanh" | "sigmoid" | "Neg" | "Exp" | "Log"
            | "Sqrt" | "Abs" | "Sin" | "Cos" | "Tanh" | "Sigmoid" => self.map(head, &head.to_lowercase(), 1, args),
            "relu" | "Relu" => match args {
                [x] => Ok(format!("(map max {} 0.0)", self.expr(x)?)),
                _ => Err(operands(head, "1 operand", args.len())),
            },
            "matmul" | "MatMul" => match args {
                [a, b] => self.matmul(None, a, b),
                [act, a, b] => self.matmul(activation(act)?, a, b),
                _ => Err(operands(head, "2 operands, or an activation and 2 operands", args.len())),
            },
            "transpose" | "Transpose" => match args {
                [x] => Ok(format!("(permute [1,0] {})", self.expr(x)?)),
                [x, perm] | [x, perm, _] => Ok(format!("(permute {} {})", self.permutation(perm)?, self.expr(x)?)),
                _ => Err(operands(head, "an operand, a permutation and a shuffle", args.len())),
            },
            "concat" | "concat2" | "concat3" | "concat4" | "concat5" => self.concat(head, args),
            "conv2d" => match args {
                [sh, sw, pad, act, x, w] => {
                    let spec = self.window("conv", &[sh, sw, pad])?;
                    let activation = activation(act)?;
                    let (x, w) = (self.expr(x)?, self.expr(w)?);
                    let product = self.contract(&spec, &x, &w);
                    Ok(activated(activation, product))
                }
                _ => Err(operands(head, "2 strides, a padding, an activation and 2 operands", args.len())),
            },
            "poolmax" => match args {
                [x, kh, kw, sh, sw, pad, act] => {
                    let spec = self.window("pool", &[kh, kw, sh, sw, pad])?;
                    let (x, activation) = (self.expr(x)?, activation(act)?);
                    Ok(activated(activation, format!("(reduce max {spec} {spec}_acc {x})")))
                }
                _ => {
                    Err(operands(head, "an operand, 2 kernel extents, 2 strides, a padding, an activation", args.len()))
                }
            },
            "Num" | "Const" | "Lit" | "num" | "const" if args.len() == 1 => self.expr(&args[0]),
            _ => match OPEN.iter().find(|(name, _)| *name == head) {
                Some((_, why)) => Err(Refusal::Meaning { of: head.to_owned(), why }),
                None => Err(Refusal::Operator(head.to_owned())),
            },
        }
    }

    fn matmul(&mut self, act: Option<&'static str>, a: &Expr, b: &Expr) -> Result<String, Refusal> {
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let product = self.contract("{a c, c b -> a b}", &a, &b);
        Ok(activated(act, product))
    }

    /// A sum of products: how it is summed up follows the left side, or is the usual way where that has none.
    fn contract(&mut self, spec: &str, a: &str, b: &str) -> String {
        self.contracts |= self.binding;
        if self.contracts {
            return format!("(contract {spec} ?acc ?out {a} {b})");
        }
        let operand = a.rsplit(['(', ' ']).find(|w| w.starts_with('?')).unwrap_or("?x").trim_end_matches(')');
        format!("(contract {spec} acc({operand}) dtype({operand}) {a} {b})")
    }

    /// The variable for the parameters of a convolution or pool.
    fn window(&mut self, kind: &str, parameters: &[&Expr]) -> Result<String, Refusal> {
        let mut key = kind.to_owned();
        for p in parameters {
            match &p.form {
                Form::Atom(a) => key += &format!(" {a}"),
                Form::List(_) => {
                    return Err(Refusal::Syntax("a stride or padding is a number or a variable".to_owned()));
                }
            }
        }
        let next = format!("?{kind}{}", self.windows.len());
        if let Some(known) = self.windows.get(&key) {
            return Ok(known.clone());
        }
        if !self.binding {
            let of = if kind == "conv" { "conv2d" } else { "poolmax" };
            let why = "has parameters on the right that no node on the left has";
            return Err(Refusal::Meaning { of: of.to_owned(), why });
        }
        self.windows.insert(key, next.clone());
        Ok(next)
    }

    fn permutation(&self, e: &Expr) -> Result<String, Refusal> {
        let Form::Atom(a) = &e.form else {
            return Err(Refusal::Syntax("a permutation is a word such as 1_0, or a variable".to_owned()));
        };
        if a.starts_with('?') {
            return self.atom(a);
        }
        let axes: Option<Vec<u8>> = a.split('_').map(|n| n.parse().ok()).collect();
        match axes {
            Some(axes) => Ok(format!("[{}]", axes.iter().map(u8::to_string).collect::<Vec<_>>().join(","))),
            None => Err(Refusal::Syntax(format!("`{a}` is no permutation, such as 1_0"))),
        }
    }

    fn concat(&mut self, head: &str, args: &[Expr]) -> Result<String, Refusal> {
        let parts = match head {
            "concat3" => 3,
            "concat4" => 4,
            "concat5" => 5,
            _ => 2,
        };
        let Some(skip @ (1 | 2)) = args.len().checked_sub(parts) else {
            return Err(operands(head, "an axis, a rank, and its operands", args.len()));
        };
        let axis = match &args[0].form {
            Form::Atom(a) if a.parse::<u8>().is_ok() || a.starts_with('?') || self.bare => self.atom(a)?,
            _ => return Err(Refusal::Syntax("an axis is a number or a variable".to_owned())),
        };
        Ok(format!("(concat {axis} {})", self.all(&args[skip..])?.join(" ")))
    }
}

fn variable(name: &str) -> Result<String, Refusal> {
    let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if name.is_empty() { Err(Refusal::Syntax("a variable without a name".to_owned())) } else { Ok(format!("?{name}")) }
}
