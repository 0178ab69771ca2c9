//! Verification: engines that run models, and the comparison of what they give.
//!
//! - [`executor`]: one trait; [`interpreter`], [`onnxruntime`], [`litert`], [`compiled`] and (feature `libtorch`) `libtorch` are its rows.
//! - [`inputs`], [`npy`], [`rng`]: what models are fed with.
//! - [`verify`](mod@verify): the decision rule. A tolerance is never guessed: single nodes have bounds ([`bound`], with an engine's
//!   constants from [`profile`]), regions and outputs have floors predicted by random rounding ([`noise`]), both judged
//!   by [`criteria`]. [`checks`] forces the engine's own inputs into each node of the reference, so the first node over
//!   its bound is the faulty one; quantized values that lie within a bound of a tie are followed by [`turned`].
//! - [`faults`]: engines' known errors, excused by name.
//! - [`derivation`]: why an optimized model is equal, checked step by step; a wrong result led back to its rule.

pub mod bound;
pub mod checks;
pub mod compiled;
pub mod criteria;
pub mod definition;
pub mod derivation;
pub mod discrete;
pub mod executor;
pub mod faults;
pub mod inputs;
pub mod interpreter;
#[cfg(feature = "libtorch")]
pub mod libtorch;
pub mod litert;
pub mod model;
pub mod noise;
pub mod npy;
pub mod onnxruntime;
pub mod opaque;
pub mod profile;
pub mod region;
pub mod report;
pub mod rng;
pub mod turned;
pub mod verify;

pub use executor::{ExecError, Executor, Run, Taps};
pub use inputs::InputSpec;
pub use model::{Model, Original};
pub use report::{Report, Verdict};
pub use verify::{Options, Subject, VerifyError, verify};
