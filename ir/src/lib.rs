//! Egret's intermediate representation: element types, symbolic extents, the 21 structural kinds, typed graphs, choices
//! over equal values, and programs of kernels. This crate knows no other crate of the workspace.
//!
//! Read in this order: [`dtype`] and [`dim`] (what values are made of), [`op`] (the kinds and the tables under them),
//! [`graph`] (how they are put together), [`infer`](mod@infer) and [`check`](mod@check) (what is legal), [`choice`] (many equal ways at once),
//! [`program`] (the chosen one), [`derivation`] (why it is equal).

pub(crate) mod bodies;
pub mod build;
pub mod check;
pub mod choice;
pub mod defs;
pub mod derivation;
pub mod dim;
pub mod dtype;
pub mod eval;
pub mod expr;
pub mod graph;
pub mod infer;
pub mod machine;
pub mod numeric;
pub mod op;
pub mod origin;
pub mod program;
pub mod tensor;
pub mod text;
pub mod types;

pub use check::{Typed, check};
pub use dim::{Dim, Shape, Symbol};
pub use dtype::{DType, Literal};
pub use graph::{ByName, Graph, ValueId};
pub use numeric::Numeric;
pub use op::Op;
pub use origin::{Origin, Origins};
pub use tensor::Tensor;
pub use types::{TensorType, Type};
