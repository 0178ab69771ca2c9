//! What the criterion benches in `benches/` share: which models they run on and how those are read; and the graphs of
//! [`tensat`].

pub mod tensat;

pub mod bert;

use egret_models::{Manifest, Model};
use egret_onnx::{Imported, ReadOptions};

/// Models with much of what differs between models: depthwise convolutions, a mixed exporter's graph, attention.
pub const MODELS: [&str; 3] = ["mobilenetv2", "ppocr-rec", "bert-base"];

/// The benched models that are there; the others are named on standard error.
pub fn models() -> Vec<Model> {
    let manifest = match Manifest::load() {
        Ok(manifest) => manifest,
        Err(e) => panic!("the manifest is part of the project: {e}"),
    };
    let mut present = Vec::new();
    for name in MODELS {
        match manifest.get(name) {
            Ok(model) if model.present() => present.push(model.clone()),
            Ok(_) => eprintln!("left out: {name} is not there (cargo xtask setup)"),
            Err(e) => panic!("{e}"),
        }
    }
    present
}

/// The extents that the manifest binds.
fn binding(model: &Model) -> ReadOptions {
    fn pair<T: std::str::FromStr>(word: &str) -> Option<(String, Vec<T>)> {
        let (name, numbers) = word.rsplit_once('=')?;
        let numbers = numbers.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?;
        Some((name.to_owned(), numbers))
    }
    let words = |words: &[String]| words.iter().filter_map(|w| pair::<i64>(w)).collect::<Vec<_>>();
    ReadOptions {
        dims: words(&model.dims).into_iter().filter_map(|(name, n)| Some((name, *n.first()?))).collect(),
        shapes: words(&model.shapes),
        ..ReadOptions::default()
    }
}

/// The model as read.
pub fn read(model: &Model) -> Imported {
    match egret_onnx::read(&model.path(), &binding(model)) {
        Ok(imported) => imported,
        Err(e) => panic!("{}: {e}", model.name),
    }
}
