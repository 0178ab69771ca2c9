//! The C backend: programs as GNU C with vector extensions, one shared library with a stable C interface, and a launcher.
//!
//! [`emit_library`] gives a source tree (kernels, tables, runtime, weights, Makefile), [`build`](fn@build) compiles it,
//! [`Library`] runs the result. The interface of the library is documented in `runtime/egret.h`.

pub mod build;
pub mod cpu;
pub mod dims;
mod extents;
mod launch;
pub mod library;
pub mod print;
pub mod spell;
mod tables;
mod weights;

pub use build::{BuildError, CcOptions, build};
pub use cpu::Cpu;
pub use launch::thread_seconds;
pub use launch::{Context, LaunchError, Library, PortInfo, Tap, TapValue};
pub use library::{CBackend, CSource, EmitOptions, Variant, emit_library, emit_with_variants};
pub use weights::Weights;
