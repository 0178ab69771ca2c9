//! Known faults of engines, as data (`profiles/faults.toml`). A fault excuses a difference by name; tolerances stay.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// What a fault can explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// An operand holds NaN.
    NanOperand,
    /// An operand has no elements.
    EmptyOperand,
    /// The exact integer result does not fit its type.
    IntegerOverflow,
    /// Nothing reads the value.
    Unread,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The engine's name.
    pub engine: String,
    /// ONNX operators.
    pub ops: Vec<String>,
    /// What it can explain.
    pub when: When,
    /// What the engine does.
    pub what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    fault: Vec<Fault>,
}

/// All known faults.
pub fn all() -> &'static [Fault] {
    static ALL: OnceLock<Vec<Fault>> = OnceLock::new();
    ALL.get_or_init(|| {
        let file: File =
            toml::from_str(include_str!("../profiles/faults.toml")).expect("the file is part of the crate and tested");
        file.fault
    })
}

/// The fault that explains a difference of an engine in an operator, where the given facts hold.
pub fn explaining(engine: &str, op: &str, facts: &[When]) -> Option<&'static Fault> {
    all().iter().find(|f| f.engine == engine && f.ops.iter().any(|o| o == op) && facts.contains(&f.when))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_confined() {
        let found = explaining("onnxruntime", "ReduceMax", &[When::NanOperand]).unwrap();
        assert!(found.what.contains("NaN"));
        assert_eq!(explaining("onnxruntime", "ReduceMax", &[]), None);
        assert_eq!(explaining("onnxruntime", "Relu", &[When::NanOperand]), None);
        assert_eq!(explaining("interpreter", "ReduceMax", &[When::NanOperand]), None);
    }
}
