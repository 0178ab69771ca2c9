//! ONNX Runtime's operators (domain `com.microsoft`, version 1) that its optimizer and exporters for it write.
//!
//! Meanings from the operators' published schemas and, where those are silent, from what ONNX Runtime 1.32 computes on
//! the CPU (`tests/fixtures`). Buffers shared between past and present have no lowering.

mod attention;
mod elementwise;
mod group_query;
mod normalize;
mod product;
mod quantized;
mod recurrent;

pub use attention::ROWS as ATTENTION;
pub use elementwise::ROWS as ELEMENTWISE;
pub use group_query::ROWS as GROUP_QUERY;
pub use normalize::ROWS as NORMALIZE;
pub use normalize::UNPREFIXED;
pub use product::ROWS as PRODUCT;
pub use quantized::ROWS as QUANTIZED;
pub use recurrent::ROWS as RECURRENT;

use super::{LATEST, Row};
use crate::lower::{Fail, Lower, Results, opaque};
use crate::schema;

/// The domain.
pub const DOMAIN: &str = "com.microsoft";

/// A row of this domain, to be read as `microsoft("BiasGelu", bias_gelu)`.
const fn microsoft(op: &'static str, lower: fn(&mut Lower<'_>) -> Results) -> Row {
    Row { domain: DOMAIN, op, opsets: 1..LATEST, lower }
}

/// A node with parts that its signature does not know stays opaque: the domain's version does not say what they mean.
pub fn refuse_unknown_parts(l: &Lower<'_>) -> Result<(), Fail> {
    let Some(schema) = schema::microsoft().get(l.node.op_type()).and_then(|versions| versions.last()) else {
        return Ok(());
    };
    if let Some(a) = l.node.attribute.iter().find(|a| schema.attributes.iter().all(|formal| formal.name != a.name())) {
        return Err(opaque(format!("attribute {} of {}", a.name(), l.node.op_type())));
    }
    let beyond = |list: &[String], max: usize| list.iter().skip(max).any(|name| !name.is_empty());
    if beyond(&l.node.input, schema.inputs.1) || beyond(&l.node.output, schema.outputs.1) {
        return Err(opaque(format!("operands or results that {} did not have", l.node.op_type())));
    }
    Ok(())
}
