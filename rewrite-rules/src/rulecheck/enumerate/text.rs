//! Drawn values as rules write them.

use egret_ir::{Literal, Type};

use crate::lang::print::variable;
use crate::lang::{Rule, Sample, Samples};

/// Values as they would stand after `try` in the rule's text.
pub fn text(rule: &Rule, samples: &Samples) -> String {
    let values = rule.vars.iter().zip(samples).map(|(var, s)| format!("{}={}", variable(var), sample_text(s)));
    values.collect::<Vec<_>>().join(" ")
}

fn sample_text(s: &Sample) -> String {
    match s {
        Sample::Input(ty) => ty.to_string(),
        Sample::Constant(ty) => format!("const {ty}"),
        Sample::Values(t) => {
            let ty = Type::fixed(t.dtype(), t.shape());
            let number =
                |l: Literal| if l.dtype().is_float() { l.to_f64().to_string() } else { l.to_i64().to_string() };
            let elements: Vec<String> = (0..t.len()).map(|i| number(t.get(i))).collect();
            format!("{ty}{{{}}}", elements.join(","))
        }
        Sample::Attr(a) => egret_ir::text::attr_text(a),
        Sample::Function(f) => f.to_string(),
        Sample::Monoid(m) => m.name().to_owned(),
        Sample::Element(l) => l.to_string(),
        Sample::List(items) => format!("({})", items.iter().map(sample_text).collect::<Vec<_>>().join(" ")),
    }
}
