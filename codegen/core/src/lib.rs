//! From kernels to loops, for every backend: a kernel's body becomes stages ([`lower`](mod@lower)), stages become scheduled
//! loops by family ([`family`]), and a backend prints the loop tree ([`loops`]).
//!
//! The general family ([`family::nest`]) computes everything; the others are faster where their shape fits.

pub mod affine;
pub mod backend;
pub mod emit;
pub mod error;
pub mod expand;
pub mod extent;
pub mod family;
pub mod kernel;
pub mod lanes;
pub mod loops;
pub mod lower;
pub mod memory;
pub mod native;
pub mod schedule;
pub mod shorten;
pub mod stage;
pub mod target;
pub mod text;
pub mod value;

pub use backend::{Backend, Source};
pub use error::{Reason, Unsupported};
pub use kernel::{CodedKernel, code};
pub use target::Target;
