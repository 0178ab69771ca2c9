//! Models in the project that hold their results: the initializer `expected:NAME` is what result NAME must be.

use std::path::{Path, PathBuf};

use egret_ir::Tensor;
use egret_ir::op::{Const, Op};
use egret_onnx::Imported;

/// The models of a folder below `tests`, in order of their names.
pub fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = std::fs::read_dir(folder).expect("the models are in the project");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "onnx"));
    paths.sort();
    paths
}

/// What a result must be.
pub fn expected(imported: &Imported, name: &str) -> Tensor {
    let v = imported.initializers[format!("expected:{name}").as_str()].value;
    match &imported.graph.node(v).op {
        Op::Const(Const::Dense(id)) => imported.graph.tables.tensor(*id).clone(),
        Op::Const(Const::Scalar(l)) => Tensor::scalar(*l),
        other => panic!("{other:?} is no constant"),
    }
}
