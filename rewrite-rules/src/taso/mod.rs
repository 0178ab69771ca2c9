//! TASO's substitutions (Jia et al., "TASO: optimizing deep learning computation with automatic generation of graph
//! substitutions", SOSP 2019), read from the file that TASO releases, put into the kinds of this compiler, and judged.
//!
//! A substitution names no shapes. They follow from its operators: what is added has one shape, what is multiplied agrees
//! in the middle, a Concat's extent is the sum of its parts, a Split undoes the Concat before it. Where that leaves the
//! rank open it is 2. A convolution whose input channels are a Concat of parts as wide as its weight's has one group a part.

mod file;
mod graphs;
mod judge;
mod shapes;

pub use file::{Activation, Kind, Operand, Operator, Problem, Substitution, TasoError, read};
pub use judge::{Judged, Verdict, judge, markdown};
