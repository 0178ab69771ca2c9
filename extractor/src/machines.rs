//! The described machines: files of `machines/`, built in, and files of the user.

use std::path::Path;

use egret_ir::DType;
use egret_ir::machine::Machine;
use serde::Deserialize;

use crate::cost::Family;

/// A machine file: the description and the CPU features without which it does not apply.
#[derive(Clone, Debug, Deserialize)]
pub struct Profile {
    /// CPU features, by the names of `is_x86_feature_detected`.
    pub requires: Vec<String>,
    /// The description.
    #[serde(flatten)]
    pub machine: Machine,
}

/// Why a machine file is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// It cannot be read.
    #[error("machine file {file}: {cause}")]
    Read {
        /// The file.
        file: String,
        /// What the system says.
        cause: String,
    },
    /// It is no TOML of the right form; the cause names field and line.
    #[error("machine file {file}: {cause}")]
    Form {
        /// The file.
        file: String,
        /// What is wrong, and where.
        cause: String,
    },
    /// A number that is missing or makes no sense.
    #[error("machine file {file}: field `{field}` {problem}")]
    Field {
        /// The file.
        file: String,
        /// The field, with its table.
        field: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// No built-in machine of that name.
    #[error("no machine is named `{name}`; known are {}", .known.join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
        /// Names there are.
        known: Vec<&'static str>,
    },
}

/// Built-in machines, most demanding first: name and text.
pub static BUILT_IN: &[(&str, &str)] = &[
    ("x86-64-v4", include_str!("../machines/x86-64-v4.toml")),
    ("x86-64-v3", include_str!("../machines/x86-64-v3.toml")),
    ("generic", include_str!("../machines/generic.toml")),
];

/// Reads a machine description; `file` is its name in messages. Every family and element type must have a number: there
/// is no default.
pub fn parse(file: &str, text: &str) -> Result<Profile, MachineError> {
    let profile: Profile = toml::from_str(text)
        .map_err(|e| MachineError::Form { file: file.into(), cause: e.to_string().trim().to_owned() })?;
    let bad = |field: String, problem| Err(MachineError::Field { file: file.into(), field, problem });
    let positive = |x: f64| x.is_finite() && x > 0.0;
    let m = &profile.machine;
    for (field, x) in
        [("scalar_ops", m.scalar_ops), ("launch_seconds", m.launch_seconds), ("node_seconds", m.node_seconds)]
    {
        if !positive(x) {
            return bad(field.into(), "must be a positive number");
        }
    }
    for d in DType::ALL.into_iter().filter(|d| d.is_num()) {
        match m.peak_ops.get(d.name()) {
            None => return bad(format!("peak_ops.{d}"), "is missing"),
            Some(x) if !positive(*x) => return bad(format!("peak_ops.{d}"), "must be a positive number"),
            Some(_) => {}
        }
    }
    if let Some(k) = m.peak_ops.keys().find(|k| !k.parse::<DType>().is_ok_and(DType::is_num)) {
        return bad(format!("peak_ops.{k}"), "is no numeric element type");
    }
    for f in Family::ALL {
        match m.efficiency.get(f.name()) {
            None => return bad(format!("efficiency.{}", f.name()), "is missing"),
            Some(x) if !positive(*x) || *x > 1.0 => {
                return bad(format!("efficiency.{}", f.name()), "must be in (0, 1]");
            }
            Some(_) => {}
        }
    }
    if let Some(k) = m.efficiency.keys().find(|k| Family::ALL.iter().all(|f| f.name() != **k)) {
        return bad(format!("efficiency.{k}"), "is no kernel family");
    }
    let Some((last, inner)) = m.memory.split_last() else { return bad("memory".into(), "is empty") };
    if last.bytes != 0 {
        return bad(format!("memory.{}.bytes", last.name), "must be 0: the last level is unbounded");
    }
    let mut below = 0;
    for level in inner {
        if level.bytes <= below {
            return bad(format!("memory.{}.bytes", level.name), "must exceed the level before");
        }
        below = level.bytes;
    }
    if let Some(l) = m.memory.iter().find(|l| !positive(l.bytes_per_second)) {
        return bad(format!("memory.{}.bytes_per_second", l.name), "must be a positive number");
    }
    Ok(profile)
}

/// Reads a machine file of the user.
pub fn load(path: &Path) -> Result<Machine, MachineError> {
    let file = path.display().to_string();
    let text =
        std::fs::read_to_string(path).map_err(|e| MachineError::Read { file: file.clone(), cause: e.to_string() })?;
    parse(&file, &text).map(|p| p.machine)
}

/// The built-in machine of that name.
pub fn named(name: &str) -> Result<Machine, MachineError> {
    let Some((name, text)) = BUILT_IN.iter().find(|(n, _)| *n == name) else {
        return Err(MachineError::Unknown { name: name.into(), known: BUILT_IN.iter().map(|(n, _)| *n).collect() });
    };
    parse(&format!("{name}.toml"), text).map(|p| p.machine)
}

/// The most demanding built-in machine whose features this CPU has.
pub fn detect() -> Result<Machine, MachineError> {
    for (name, text) in BUILT_IN {
        let profile = parse(&format!("{name}.toml"), text)?;
        if profile.requires.iter().all(|f| has_feature(f)) {
            return Ok(profile.machine);
        }
    }
    named("generic")
}

#[cfg(target_arch = "x86_64")]
fn has_feature(name: &str) -> bool {
    macro_rules! detected {
        ($($f:tt)*) => {
            match name {
                $($f => std::is_x86_feature_detected!($f),)*
                _ => false,
            }
        };
    }
    detected!("sse4.2" "avx" "avx2" "fma" "f16c" "avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vnni" "avx512bf16")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_feature(_name: &str) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_machines_are_complete() {
        for (name, _) in BUILT_IN {
            let machine = named(name).expect("built-in machines parse");
            assert_eq!(machine.name, *name);
        }
        assert!(detect().is_ok());
    }

    #[test]
    fn mistakes_are_named() {
        let text = BUILT_IN[0].1;
        let error =
            |from: &str, to: &str| parse("my.toml", &text.replacen(from, to, 1)).expect_err("broken").to_string();
        assert_eq!(error("gemm = 0.85", ""), "machine file my.toml: field `efficiency.gemm` is missing");
        assert_eq!(
            error("gemm = 0.85", "gemm = 1.5"),
            "machine file my.toml: field `efficiency.gemm` must be in (0, 1]"
        );
        assert_eq!(
            error("gemm = 0.85", "gem = 1\ngemm = 1"),
            "machine file my.toml: field `efficiency.gem` is no kernel family"
        );
        assert_eq!(
            error("bytes = 0", "bytes = 7"),
            "machine file my.toml: field `memory.DRAM.bytes` must be 0: the last level is unbounded"
        );
        assert!(error("scalar_ops", "scalar_opz").contains("missing field `scalar_ops`"));
        assert!(error("launch_seconds = 5e-07", "launch_seconds = \"x\"").contains("line"));
        assert_eq!(
            named("nosuch").expect_err("unknown").to_string(),
            "no machine is named `nosuch`; known are x86-64-v4, x86-64-v3, generic"
        );
    }
}
