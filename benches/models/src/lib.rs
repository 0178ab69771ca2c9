//! The list of real models that tests, benches and the demo run on.
//!
//! `models.toml` beside this crate is the list; it names no place on the disk. The files are
//! fetched or built by `cargo xtask setup` and lie in `target/models/`. Every model says how its
//! open dimensions are bound and how its inputs are made, so that everything that runs a model
//! runs it alike.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The manifest, as text.
const MANIFEST: &str = include_str!("../models.toml");

/// Why the manifest could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not the TOML that a manifest is.
    #[error("models.toml: {0}")]
    Syntax(#[from] toml::de::Error),
    /// A model that the manifest does not list.
    #[error("no model named {name}; known are {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are, separated by commas.
        known: String,
    },
    /// Text that is none of `random`, `randint:LO..HI`, `ones`.
    #[error("{0:?} is no way to make an input; write random, randint:LO..HI or ones")]
    Fill(String),
}

/// How the values of one input are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Fill {
    /// Normal numbers of mean 0 and deviation 1.
    Random,
    /// Integers `lo <= x < hi`, uniformly.
    RandInt {
        /// The least value.
        lo: i64,
        /// One more than the greatest value.
        hi: i64,
    },
    /// Ones.
    Ones,
}

impl TryFrom<String> for Fill {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        let range = |r: &str| {
            let (lo, hi) = r.split_once("..")?;
            let (lo, hi) = (lo.parse().ok()?, hi.parse().ok()?);
            (lo < hi).then_some(Fill::RandInt { lo, hi })
        };
        let fill = match text.as_str() {
            "random" => Some(Fill::Random),
            "ones" => Some(Fill::Ones),
            other => other.strip_prefix("randint:").and_then(range),
        };
        fill.ok_or(Error::Fill(text))
    }
}

impl std::fmt::Display for Fill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fill::Random => f.write_str("random"),
            Fill::RandInt { lo, hi } => write!(f, "randint:{lo}..{hi}"),
            Fill::Ones => f.write_str("ones"),
        }
    }
}

/// One model of the list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Short name; the file is `NAME.FORMAT`.
    pub name: String,
    /// The file's extension.
    #[serde(default = "onnx")]
    pub format: String,
    /// What the model does.
    pub what: String,
    /// Whether it belongs to the set that must always pass.
    #[serde(default)]
    pub main: bool,
    /// Inputs bound by place, as `--shape` takes them: `x=1,3,48,320`.
    #[serde(default)]
    pub shapes: Vec<String>,
    /// Symbolic dimensions bound by name, as `--dim` takes them: `batch=1`.
    #[serde(default)]
    pub dims: Vec<String>,
    /// Another binding of the open dimensions, at which the model must pass, too.
    #[serde(default)]
    pub second: Option<Second>,
    /// How each input is made, by the input's name.
    pub inputs: BTreeMap<String, Fill>,
}

fn onnx() -> String {
    "onnx".to_owned()
}

/// Another binding of a model's open dimensions.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Second {
    /// As [`Model::shapes`].
    #[serde(default)]
    pub shapes: Vec<String>,
    /// As [`Model::dims`].
    #[serde(default)]
    pub dims: Vec<String>,
}

impl Model {
    /// The same model at its second size, where it has one.
    pub fn at_second_size(&self) -> Option<Self> {
        let Second { shapes, dims } = self.second.clone()?;
        Some(Self { shapes, dims, second: None, ..self.clone() })
    }

    /// Where the file lies once it has been set up.
    pub fn path(&self) -> PathBuf {
        models_dir().join(format!("{}.{}", self.name, self.format))
    }

    /// Whether the file is there.
    pub fn present(&self) -> bool {
        self.path().is_file()
    }

    /// The command-line words that bind the open dimensions.
    pub fn binding_args(&self) -> Vec<String> {
        let shapes = self.shapes.iter().map(|s| ("--shape", s));
        let dims = self.dims.iter().map(|d| ("--dim", d));
        shapes.chain(dims).flat_map(|(flag, word)| [flag.to_owned(), word.clone()]).collect()
    }

    /// The command-line words that say how inputs are made.
    pub fn input_args(&self) -> Vec<String> {
        self.inputs.iter().flat_map(|(name, fill)| ["--input".to_owned(), format!("{name}={fill}")]).collect()
    }
}

/// The list of models, in the order of the manifest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The models.
    #[serde(rename = "model")]
    pub models: Vec<Model>,
}

impl Manifest {
    /// Reads the manifest built into this crate.
    pub fn load() -> Result<Self, Error> {
        Ok(toml::from_str(MANIFEST)?)
    }

    /// The model of that name.
    pub fn get(&self, name: &str) -> Result<&Model, Error> {
        self.models.iter().find(|m| m.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.models.iter().map(|m| m.name.as_str()).collect();
            Error::Unknown { name: name.to_owned(), known: known.join(", ") }
        })
    }
}

/// `target/` of the workspace, where `cargo xtask setup` links what it fetches.
pub fn target_dir() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("this crate lies two folders deep");
    root.join("target")
}

/// The folder of the model files.
pub fn models_dir() -> PathBuf {
    target_dir().join("models")
}

/// ONNX Runtime's library: `$ORT_DYLIB_PATH`, or where `cargo xtask setup` links it. `None`
/// where there is no such file.
pub fn onnxruntime() -> Option<PathBuf> {
    let path = std::env::var_os("ORT_DYLIB_PATH")
        .map_or_else(|| target_dir().join("onnxruntime/libonnxruntime.so"), PathBuf::from);
    path.is_file().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_reads_and_names_are_unique() {
        let manifest = Manifest::load().unwrap();
        let mut names: Vec<&str> = manifest.models.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(manifest.models.iter().filter(|m| m.main).count(), 17);
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "a model is listed twice");
    }

    #[test]
    fn open_dimensions_are_bound_at_two_sizes() {
        for model in Manifest::load().unwrap().models {
            let bound = !model.binding_args().is_empty();
            let second = model.at_second_size().map(|m| m.binding_args());
            assert_eq!(second.is_some(), bound, "{}", model.name);
            assert!(!bound || second != Some(model.binding_args()), "{} has one size twice", model.name);
        }
    }

    #[test]
    fn fills_read_back_as_written() {
        for text in ["random", "randint:0..30522", "randint:-3..4", "ones"] {
            assert_eq!(Fill::try_from(text.to_owned()).unwrap().to_string(), text);
        }
        for text in ["", "randint:5..5", "randint:9..2", "randint:0", "Ones"] {
            assert!(matches!(Fill::try_from(text.to_owned()), Err(Error::Fill(t)) if t == text));
        }
    }

    #[test]
    fn arguments_come_in_pairs() {
        let manifest = Manifest::load().unwrap();
        assert_eq!(manifest.get("ppocr-rec").unwrap().binding_args(), ["--shape", "x=1,3,48,320"]);
        assert_eq!(manifest.get("mlp").unwrap().input_args(), ["--input", "input=random"]);
        assert!(matches!(manifest.get("mlq"), Err(Error::Unknown { .. })));
    }
}
