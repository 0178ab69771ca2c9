//! The parser of the text form. Errors carry line and column.

mod attrs;

use std::sync::Arc;

use super::lex::{Kind, Token, lex};
use crate::dim::{Backing, Dim, Symbol};
use crate::dtype::{DType, Literal};
use crate::graph::{Args, BodyId, Graph, InputDecl, Node, Tables, ValueId};
use crate::infer::infer;
use crate::op::attrs::{Attr, Head};
use crate::op::call::{Cell, GeluForm};
use crate::op::scalar::Scalar;
use crate::op::{ConstId, IfAttrs, Monoid, Op, OpaqueId, ScatterOp, SortOrder};
use crate::origin::{Origin, Origins};
use crate::tensor::Tensor;
use crate::types::Type;

pub use attrs::{Sort, sorts};

/// What is wrong with a text, and where (1-based).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {problem}")]
pub struct ParseError {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
    /// What was expected, or does not fit.
    pub problem: String,
}

type Result<T> = std::result::Result<T, ParseError>;

/// Parses a graph whose constants are all in the text.
pub fn parse(text: &str) -> Result<Graph> {
    parse_with(text, Tables::default())
}

/// Parses a graph as [`parse`], with numbers in place of the symbols that have a value.
pub fn parse_bound(text: &str, value: &dyn Fn(&Symbol) -> Option<i64>) -> Result<Graph> {
    let mut p = Parser { tokens: lex(text)?, at: 0, value };
    let graph = p.graph(Tables::default())?;
    p.end()?;
    Ok(graph)
}

/// Parses a graph whose attributes may refer to the given tables.
pub fn parse_with(text: &str, tables: Tables) -> Result<Graph> {
    let mut p = Parser { tokens: lex(text)?, at: 0, value: &|_| None };
    let graph = p.graph(tables)?;
    p.end()?;
    Ok(graph)
}

/// Parses one attribute value.
pub fn parse_attr(text: &str, sort: Sort) -> Result<Attr> {
    let mut p = Parser { tokens: lex(text)?, at: 0, value: &|_| None };
    let attr = p.attr(sort)?;
    p.end()?;
    Ok(attr)
}

/// Parses one type.
pub fn parse_type(text: &str) -> Result<Type> {
    let mut p = Parser { tokens: lex(text)?, at: 0, value: &|_| None };
    let ty = p.ty()?;
    p.end()?;
    Ok(ty)
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    /// Numbers in place of symbols.
    value: &'a dyn Fn(&Symbol) -> Option<i64>,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn next(&mut self) -> Token {
        let t = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        t
    }

    fn fail<T>(&self, problem: impl Into<String>) -> Result<T> {
        let t = self.peek();
        Err(ParseError { line: t.line, column: t.column, problem: problem.into() })
    }

    fn eat(&mut self, p: &str) -> bool {
        let found = matches!(&self.peek().kind, Kind::Punct(q) if *q == p);
        if found {
            self.next();
        }
        found
    }

    fn eat_word(&mut self, w: &str) -> bool {
        let found = matches!(&self.peek().kind, Kind::Word(v) if v == w);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, p: &str) -> Result<()> {
        if self.eat(p) { Ok(()) } else { self.fail(format!("`{p}` expected")) }
    }

    fn expect_word(&mut self, w: &str) -> Result<()> {
        if self.eat_word(w) { Ok(()) } else { self.fail(format!("`{w}` expected")) }
    }

    fn word(&mut self) -> Result<String> {
        let Kind::Word(w) = self.peek().kind.clone() else { return self.fail("a name expected") };
        self.next();
        Ok(w)
    }

    fn quoted(&mut self) -> Result<String> {
        let Kind::Quoted(w) = self.peek().kind.clone() else { return self.fail("a quoted name expected") };
        self.next();
        Ok(w)
    }

    fn end(&self) -> Result<()> {
        if self.peek().kind == Kind::End { Ok(()) } else { self.fail("nothing more expected") }
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T> {
        let minus = if self.eat("-") { "-" } else { "" };
        let Kind::Number(n) = self.peek().kind.clone() else { return self.fail("a number expected") };
        let Ok(v) = format!("{minus}{n}").parse() else { return self.fail(format!("`{minus}{n}` does not fit")) };
        self.next();
        Ok(v)
    }

    fn list<T>(&mut self, open: &str, close: &str, item: &mut dyn FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect(open)?;
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    fn graph(&mut self, tables: Tables) -> Result<Graph> {
        self.expect_word("graph")?;
        let name = self.quoted()?;
        let mut graph = Graph::new(&name);
        graph.tables = tables;
        self.expect("{")?;
        for (word, backing) in [("data", Backing::Data), ("outer", Backing::Outer)] {
            while self.eat_word(word) || self.eat(",") {
                let symbol = Symbol::new(&self.word()?);
                graph.tables.symbols.0.entry(symbol).or_default().backing = backing;
            }
        }
        let given = std::mem::take(&mut graph.tables.bodies);
        let mut given = given.into_iter().map(|b| b.tables);
        while self.eat_word("body") {
            let place = self.at;
            if self.number::<usize>()? != graph.tables.bodies.len() {
                self.at = place;
                return self.fail(format!("the next body is {}", graph.tables.bodies.len()));
            }
            self.expect("=")?;
            let body = self.graph(given.next().unwrap_or_default())?;
            graph.tables.bodies.push(body);
        }
        while !self.eat_word("return") {
            self.node(&mut graph)?;
        }
        if !self.eat("}") {
            loop {
                let name = self.quoted()?;
                let value = self.value(&graph)?;
                graph.output(&name, value);
                if self.eat("}") {
                    break;
                }
                self.expect(",")?;
            }
        }
        Ok(graph)
    }

    fn value(&mut self, graph: &Graph) -> Result<ValueId> {
        let Kind::Value(v) = self.peek().kind else { return self.fail("a value (`%3`) expected") };
        if v as usize >= graph.nodes().len() {
            return self.fail(format!("%{v} is not defined here"));
        }
        self.next();
        Ok(ValueId(v))
    }

    fn node(&mut self, graph: &mut Graph) -> Result<()> {
        let start = self.peek().clone();
        let Kind::Value(v) = start.kind else { return self.fail("a value (`%3 = …`) or `return` expected") };
        if v as usize != graph.nodes().len() {
            return self.fail(format!("the next value is %{}", graph.nodes().len()));
        }
        self.next();
        self.expect("=")?;
        let origins = Origins::one(Origin::Text { line: start.line, column: start.column });
        if self.eat_word("input") {
            let name = self.quoted()?;
            let default = if self.eat_word("default") { Some(self.dense(graph)?) } else { None };
            self.expect(":")?;
            let ty = self.ty()?;
            let v = graph.input_decl(InputDecl { name: name.as_str().into(), ty, default });
            graph.set_origins(v, origins);
            return Ok(());
        }
        let op = self.op(graph)?;
        let mut args = Args::new();
        if matches!(self.peek().kind, Kind::Value(_)) {
            args.push(self.value(graph)?);
            while self.eat(",") {
                args.push(self.value(graph)?);
            }
        }
        let types: Vec<&Type> = args.iter().map(|a| graph.ty(*a)).collect();
        let ty = match infer(&op, &types, &graph.tables) {
            Ok(ty) => ty,
            Err(e) => return Err(ParseError { line: start.line, column: start.column, problem: e.to_string() }),
        };
        if self.eat(":") {
            let stated = self.ty()?;
            if stated != ty {
                let problem = format!("stated as {stated}, but it is {ty}");
                return Err(ParseError { line: start.line, column: start.column, problem });
            }
        }
        graph.push(Node { op, args, ty, origins });
        Ok(())
    }

    fn ty(&mut self) -> Result<Type> {
        if self.eat_word("foreign") {
            return Ok(Type::Foreign(self.quoted()?.as_str().into()));
        }
        if matches!(self.peek().kind, Kind::Punct("(")) {
            return Ok(Type::Tuple(self.tuple()?));
        }
        let dtype = self.dtype()?;
        Ok(Type::tensor(dtype, self.list("[", "]", &mut Self::dim)?))
    }

    fn tuple(&mut self) -> Result<Arc<[Type]>> {
        Ok(self.list("(", ")", &mut Self::ty)?.into())
    }

    fn dtype(&mut self) -> Result<DType> {
        let Kind::Word(w) = self.peek().kind.clone() else { return self.fail("an element type expected") };
        let Ok(d) = w.parse() else { return self.fail(format!("`{w}` is no element type")) };
        self.next();
        Ok(d)
    }

    /// sum := product (('+' | '-') product)*.
    fn dim(&mut self) -> Result<Dim> {
        let mut sum = self.product()?;
        loop {
            if self.eat("+") {
                sum = sum + self.product()?;
            } else if self.eat("-") {
                sum = sum - self.product()?;
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<Dim> {
        let mut product = self.factor()?;
        while self.eat("*") {
            product = product * self.factor()?;
        }
        Ok(product)
    }

    fn factor(&mut self) -> Result<Dim> {
        if self.eat("-") {
            return Ok(Dim::ZERO - self.factor()?);
        }
        if matches!(self.peek().kind, Kind::Number(_)) {
            return Ok(Dim::from(self.number::<i64>()?));
        }
        let name = self.word()?;
        if !self.eat("(") {
            let symbol = Symbol::new(&name);
            return Ok((self.value)(&symbol).map_or_else(|| Dim::symbol(symbol), Dim::from));
        }
        let a = self.dim()?;
        self.expect(",")?;
        let b = self.dim()?;
        self.expect(")")?;
        match name.as_str() {
            "floordiv" => Ok(a.floor_div(&b)),
            "mod" => Ok(a.modulo(&b)),
            "min" => Ok(a.smaller(&b)),
            "max" => Ok(a.larger(&b)),
            "exact" => Ok(a.exact_div(&b)),
            _ => self.fail(format!("`{name}` is no function of extents")),
        }
    }

    fn literal(&mut self) -> Result<Literal> {
        let minus = self.eat("-");
        let text = match self.peek().kind.clone() {
            Kind::Word(w) if w == "true" || w == "false" => {
                self.next();
                return Ok(Literal::bool(w == "true"));
            }
            Kind::Word(w) | Kind::Number(w) => w,
            _ => return self.fail("a literal (`1.5f32`) expected"),
        };
        let Some(l) = literal_of(&text, minus) else {
            return self.fail(format!("`{text}` is no literal; write a number and its type, such as 1.5f32"));
        };
        self.next();
        Ok(l)
    }

    fn dense(&mut self, graph: &mut Graph) -> Result<ConstId> {
        if matches!(self.peek().kind, Kind::Number(_)) {
            let id = self.number::<u32>()?;
            if id as usize >= graph.tables.consts.len() {
                return self.fail(format!("constant {id} is not in the text, which only refers to it"));
            }
            return Ok(ConstId(id));
        }
        let dtype = self.dtype()?;
        let shape = self.list("[", "]", &mut Self::number::<usize>)?;
        if let Kind::Quoted(text) = &self.peek().kind {
            let tensor = match super::data::decode(text) {
                Some(bytes) => Tensor::new(dtype, shape, bytes).map_err(|e| e.to_string()),
                None => Err("the bytes are not in base 64".to_owned()),
            };
            return match tensor {
                Ok(t) => {
                    self.next();
                    Ok(graph.tables.constant(t))
                }
                Err(problem) => self.fail(problem),
            };
        }
        let values = self.list("{", "}", &mut Self::literal)?;
        if values.iter().any(|v| v.dtype() != dtype) {
            return self.fail(format!("an element of another type than {dtype}"));
        }
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        match Tensor::new(dtype, shape, bytes) {
            Ok(t) => Ok(graph.tables.constant(t)),
            Err(e) => self.fail(e.to_string()),
        }
    }

    fn op(&mut self, graph: &mut Graph) -> Result<Op> {
        let named = matches!(&self.peek().kind, Kind::Word(w) if literal_of(w, false).is_none());
        if !named {
            return Ok(Op::join(Head::Scalar(self.literal()?), &[]).expect("a literal has no attributes"));
        }
        let head = self.head(graph)?;
        let mut attrs = Vec::new();
        for sort in sorts(&head) {
            attrs.push(self.attr(*sort)?);
        }
        match Op::join(head, &attrs) {
            Some(op) => Ok(op),
            None => self.fail("attributes that do not fit"),
        }
    }

    fn head(&mut self, graph: &mut Graph) -> Result<Head> {
        let name = self.word()?;
        Ok(match name.as_str() {
            "dense" => Head::Dense(self.dense(graph)?),
            "dim" => Head::Dim,
            "iota" => Head::Iota,
            "permute" => Head::Permute,
            "reshape" => Head::Reshape,
            "broadcast" => Head::Broadcast,
            "slice" => Head::Slice,
            "pad" => Head::Pad,
            "concat" => Head::Concat,
            "gather" => Head::Gather,
            "scatter" => Head::Scatter(self.one_of(&[
                ("set", ScatterOp::Set),
                ("add", ScatterOp::Add),
                ("mul", ScatterOp::Mul),
                ("max", ScatterOp::Max),
                ("min", ScatterOp::Min),
            ])?),
            "map" => {
                let f = self.word()?;
                let param = if self.eat(":") { Some(self.dtype()?) } else { None };
                match Scalar::from_name(&f, param) {
                    Some(s) => Head::Map(s),
                    None => return self.fail(format!("`{f}` is no scalar function")),
                }
            }
            "reduce" => Head::Reduce(self.one_of(&Monoid::ALL.map(|m| (m.name(), m)))?),
            "contract" => Head::Contract,
            "argsort" => Head::ArgSort(
                self.one_of(&[("ascending", SortOrder::Ascending), ("descending", SortOrder::Descending)])?,
            ),
            "if" => {
                let (then, other) = (BodyId(self.number()?), BodyId(self.number()?));
                Head::If(Box::new(IfAttrs { then, other, results: self.tuple()? }))
            }
            "loop" => self.repeat()?,
            "softmax" => Head::Softmax,
            "log_softmax" => Head::LogSoftmax,
            "layer_norm" => Head::LayerNorm,
            "rms_norm" => Head::RmsNorm,
            "gelu_erf" => Head::Gelu(GeluForm::Erf),
            "gelu_tanh" => Head::Gelu(GeluForm::Tanh),
            "lstm" => self.recurrent(Cell::Lstm)?,
            "gru" => self.recurrent(Cell::Gru)?,
            "rnn" => self.recurrent(Cell::Rnn)?,
            "resize" => self.resize()?,
            "det" => Head::Det,
            "nms" => Head::NonMaxSuppression(self.one_of(&[("centers", true), ("corners", false)])?),
            "opaque" => {
                let id = self.number()?;
                if matches!(self.peek().kind, Kind::Quoted(_)) {
                    self.next();
                }
                Head::Opaque(OpaqueId(id))
            }
            "proj" => Head::Proj(self.number()?),
            _ => {
                self.at -= 1;
                return self.fail(format!("`{name}` is no kind that has a text form"));
            }
        })
    }

    fn one_of<T: Copy>(&mut self, choices: &[(&str, T)]) -> Result<T> {
        let Kind::Word(w) = self.peek().kind.clone() else { return self.fail("a name expected") };
        match choices.iter().find(|(n, _)| *n == w) {
            Some((_, v)) => {
                self.next();
                Ok(*v)
            }
            None => {
                let names: Vec<&str> = choices.iter().map(|(n, _)| *n).collect();
                self.fail(format!("one of {} expected, not `{w}`", names.join(", ")))
            }
        }
    }
}

/// A number with its type's name at the end; None where it is none.
fn literal_of(text: &str, minus: bool) -> Option<Literal> {
    if text == "true" || text == "false" {
        return (!minus).then_some(Literal::bool(text == "true"));
    }
    // bf16 before f16: the longer suffix first.
    let order = [DType::BF16].into_iter().chain(DType::ALL);
    let (number, dtype) = order.into_iter().find_map(|d| Some((text.strip_suffix(d.name())?, d)))?;
    let sign = if minus { -1.0 } else { 1.0 };
    if let Some(hex) = number.strip_prefix("0x") {
        let bits = u64::from_str_radix(hex.strip_suffix('_')?, 16).ok()?;
        return (!minus).then_some(Literal::from_bits(dtype, bits));
    }
    if number == "inf" {
        return dtype.is_float().then(|| Literal::from_f64(dtype, sign * f64::INFINITY));
    }
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if dtype.is_float() {
        // f32 text is parsed as f32 so that printing and parsing meet.
        let x = if dtype == DType::F32 { f64::from(number.parse::<f32>().ok()?) } else { number.parse().ok()? };
        return Some(Literal::from_f64(dtype, sign * x));
    }
    let magnitude: i128 = number.parse().ok()?;
    let value = if minus { -magnitude } else { magnitude };
    Some(Literal::from_bits(dtype, value as u64))
}

#[cfg(test)]
mod tests;
