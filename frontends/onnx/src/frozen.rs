//! Values of inputs that are fixed for reading: shapes and axes that a model takes as inputs, without which ranks and
//! extents of its other values are open.

use egret_ir::{DType, Literal, Tensor};

/// The value of an input, as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frozen {
    /// A tensor.
    Tensor(Tensor),
    /// A number, or numbers in nested brackets (`[2,3,4]`), of the input's element type.
    Text(String),
}

impl Frozen {
    /// The value in an element type, or what is wrong with it.
    pub fn tensor(&self, dtype: DType) -> Result<Tensor, String> {
        let text = match self {
            Self::Tensor(t) if t.dtype() == dtype => return Ok(t.clone()),
            Self::Tensor(t) => return Err(format!("its elements are {}, the input's {dtype}", t.dtype())),
            Self::Text(text) => text,
        };
        let mut bytes = Vec::new();
        let (shape, rest) = items(text.trim(), dtype, &mut bytes, MAX_DEPTH)?;
        if !rest.trim().is_empty() {
            return Err(format!("`{}` is left over", rest.trim()));
        }
        Tensor::new(dtype, shape, bytes).map_err(|e| e.to_string())
    }
}

/// Brackets go no deeper than this.
const MAX_DEPTH: usize = 16;

/// One number or one bracketed list from the start of `text`: its shape, and what follows.
fn items<'t>(text: &'t str, dtype: DType, bytes: &mut Vec<u8>, depth: usize) -> Result<(Vec<usize>, &'t str), String> {
    let Some(mut rest) = text.strip_prefix('[') else {
        let end = text.find([',', ']']).unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        let number = number.trim();
        let literal = literal(number, dtype).ok_or_else(|| format!("`{number}` is no {dtype}"))?;
        bytes.extend(literal.to_le_bytes());
        return Ok((Vec::new(), rest));
    };
    if depth == 0 {
        return Err(format!("brackets go {MAX_DEPTH} deep at most"));
    }
    let mut inner: Option<Vec<usize>> = None;
    let mut count = 0;
    rest = rest.trim_start();
    if let Some(rest) = rest.strip_prefix(']') {
        return Ok((vec![0], rest));
    }
    loop {
        let (shape, after) = items(rest.trim_start(), dtype, bytes, depth - 1)?;
        if inner.as_ref().is_some_and(|s| *s != shape) {
            return Err("lists beside each other have different lengths".to_owned());
        }
        inner = Some(shape);
        count += 1;
        let after = after.trim_start();
        if let Some(after) = after.strip_prefix(']') {
            let mut shape = vec![count];
            shape.extend(inner.unwrap_or_default());
            return Ok((shape, after));
        }
        rest = after.strip_prefix(',').ok_or("`]` is missing")?;
    }
}

fn literal(text: &str, dtype: DType) -> Option<Literal> {
    if dtype == DType::Bool {
        return text.parse().ok().map(Literal::bool);
    }
    if dtype.is_float() {
        let x = if dtype == DType::F32 { f64::from(text.parse::<f32>().ok()?) } else { text.parse().ok()? };
        return Some(Literal::from_f64(dtype, x));
    }
    let n: i128 = text.parse().ok()?;
    let l = if dtype == DType::U64 {
        Literal::from_bits(dtype, u64::try_from(n).ok()?)
    } else {
        Literal::from_i64(dtype, i64::try_from(n).ok()?)
    };
    (dtype == DType::U64 || i128::from(l.to_i64()) == n).then_some(l)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, dtype: DType) -> Result<Tensor, String> {
        Frozen::Text(text.to_owned()).tensor(dtype)
    }

    #[test]
    fn numbers_and_lists_are_read() {
        assert_eq!(read("5", DType::I64), Ok(Tensor::scalar(Literal::i64(5))));
        assert_eq!(read("[2, 3,-4]", DType::I32), Ok(Tensor::from_slice([3], &[2i32, 3, -4]).unwrap()));
        assert_eq!(read(" [[1,2],[3,4]] ", DType::F32), Ok(Tensor::from_slice([2, 2], &[1f32, 2., 3., 4.]).unwrap()));
        assert_eq!(read("[]", DType::I64), Ok(Tensor::from_slice([0], &[0i64; 0]).unwrap()));
        assert_eq!(read("[true]", DType::Bool).map(|t| t.get(0).bits()), Ok(1));
    }

    #[test]
    fn what_is_no_value_says_why() {
        assert_eq!(read("x", DType::I64), Err("`x` is no i64".to_owned()));
        assert_eq!(read("300", DType::U8), Err("`300` is no u8".to_owned()));
        assert_eq!(read("[1,2", DType::I64), Err("`]` is missing".to_owned()));
        assert_eq!(read("[[1],[2,3]]", DType::I64), Err("lists beside each other have different lengths".to_owned()));
        assert_eq!(read("1,2", DType::I64), Err("`,2` is left over".to_owned()));
        let wrong = Frozen::Tensor(Tensor::scalar(Literal::f32(1.0))).tensor(DType::I64);
        assert_eq!(wrong, Err("its elements are f32, the input's i64".to_owned()));
    }
}
