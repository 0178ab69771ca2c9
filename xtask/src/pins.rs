//! What there is to obtain, as data: `pins.toml`.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// All of `pins.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pins {
    /// Wheels of which single files are used.
    #[serde(rename = "wheel")]
    pub wheels: Vec<FilesFromWheel>,
    /// Models written by the builder.
    pub built_models: BuiltModels,
    /// ONNX's test suites.
    pub onnx_tests: OnnxTests,
    /// The private Python environment.
    pub python: PythonEnvironment,
    /// LibTorch.
    pub libtorch: LibTorch,
}

/// One file of a wheel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedFile {
    /// Place inside the wheel.
    pub path: String,
    /// Hash of the file.
    pub sha256: String,
    /// Where it is linked, below `target/`.
    pub link: String,
}

/// A wheel, by name, version and hash.
#[derive(Debug, Deserialize)]
pub struct Wheel {
    /// Name of the package.
    pub package: String,
    /// Its exact version.
    pub version: String,
    /// Hash of the wheel.
    pub sha256: String,
    /// Size of the download.
    pub megabytes: u32,
    /// Licence of what is used out of it.
    pub license: String,
}

/// A component that is some files out of one wheel.
#[derive(Debug, Deserialize)]
pub struct FilesFromWheel {
    /// Name of the component.
    pub component: String,
    /// Where the files come from.
    #[serde(flatten)]
    pub wheel: Wheel,
    /// The files.
    pub files: Vec<PinnedFile>,
}

/// The component of models that a script writes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuiltModels {
    /// Name of the component.
    pub component: String,
    /// The script, below the workspace root.
    pub script: String,
    /// The models it writes.
    pub models: Vec<String>,
}

/// The component of test suites that a script writes out of a package of the private environment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnnxTests {
    /// Name of the component; also of the link below `target/`.
    pub component: String,
    /// The script, below the workspace root.
    pub script: String,
}

/// The component that is a Python environment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PythonEnvironment {
    /// Name of the component.
    pub component: String,
    /// What goes into it, with hashes; below the workspace root.
    pub requirements: String,
}

/// The component LibTorch.
#[derive(Debug, Deserialize)]
pub struct LibTorch {
    /// Name of the component.
    pub component: String,
    /// Where the files come from.
    #[serde(flatten)]
    pub wheel: Wheel,
}

impl Pins {
    /// Reads the pins built into this program.
    pub fn load() -> Result<Self> {
        toml::from_str(include_str!("../pins.toml")).context("xtask/pins.toml")
    }

    /// All components, in the order in which they are set up.
    pub fn components(&self) -> Vec<&str> {
        let wheels = self.wheels.iter().map(|w| w.component.as_str());
        let rest = [
            &self.python.component,
            &self.built_models.component,
            &self.onnx_tests.component,
            &self.libtorch.component,
        ];
        wheels.chain(rest.into_iter().map(String::as_str)).collect()
    }

    /// The components that are wanted. `only` (all where empty) and `without` name components or
    /// models; a model stands for the component it is part of, and `models` for all with models.
    pub fn select(&self, only: &[String], without: &[String]) -> Result<BTreeSet<&str>> {
        let mut chosen = if only.is_empty() { self.components().into_iter().collect() } else { self.resolve(only)? };
        for name in self.resolve(without)? {
            chosen.remove(name);
        }
        // The builder and the suites' writer run in the private environment.
        if [&self.built_models.component, &self.onnx_tests.component].iter().any(|c| chosen.contains(c.as_str())) {
            chosen.insert(&self.python.component);
        }
        Ok(chosen)
    }

    fn resolve(&self, names: &[String]) -> Result<BTreeSet<&str>> {
        let mut found = BTreeSet::new();
        for name in names {
            let before = found.len();
            let model = format!("models/{name}.");
            for w in &self.wheels {
                let has_models = w.files.iter().any(|f| f.link.starts_with("models/"));
                if w.component == *name
                    || w.files.iter().any(|f| f.link.starts_with(&model))
                    || (name == "models" && has_models)
                {
                    found.insert(w.component.as_str());
                }
            }
            let built = &self.built_models;
            if built.component == *name || built.models.contains(name) || name == "models" {
                found.insert(&built.component);
            }
            for component in [&self.python.component, &self.onnx_tests.component, &self.libtorch.component] {
                if component == name {
                    found.insert(component);
                }
            }
            if found.len() == before && !self.components().contains(&name.as_str()) && !self.is_model(name) {
                bail!("no component {name}; there are: {}, models, or a model's name", self.components().join(", "));
            }
        }
        Ok(found)
    }

    fn is_model(&self, name: &str) -> bool {
        let link = format!("models/{name}.");
        name == "models"
            || self.built_models.models.iter().any(|m| m == name)
            || self.wheels.iter().flat_map(|w| &w.files).any(|f| f.link.starts_with(&link))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(only: &[&str], without: &[&str]) -> Result<Vec<String>> {
        let strings = |xs: &[&str]| xs.iter().map(|&x| x.to_owned()).collect::<Vec<_>>();
        let pins = Pins::load()?;
        Ok(pins.select(&strings(only), &strings(without))?.into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn every_listed_model_is_pinned() {
        let pins = Pins::load().unwrap();
        for model in egret_models::Manifest::load().unwrap().models {
            assert!(pins.is_model(&model.name), "{} has no pin", model.name);
        }
    }

    #[test]
    fn a_model_stands_for_its_component() {
        assert_eq!(select(&["ppocr-rec"], &[]).unwrap(), ["ppocr"]);
        assert_eq!(select(&["bert-base"], &[]).unwrap(), ["built-models", "python"]);
        assert_eq!(select(&["onnx-tests"], &[]).unwrap(), ["onnx-tests", "python"]);
        assert_eq!(select(&["libtorch", "onnxruntime"], &["libtorch"]).unwrap(), ["onnxruntime"]);
        assert!(!select(&[], &["libtorch"]).unwrap().contains(&"libtorch".to_owned()));
        assert!(!select(&["models"], &[]).unwrap().contains(&"onnxruntime".to_owned()));
    }

    #[test]
    fn unknown_components_are_refused() {
        assert!(select(&["ppocr-reg"], &[]).unwrap_err().to_string().contains("no component ppocr-reg"));
        assert!(select(&[], &["pytorch"]).is_err());
    }
}
