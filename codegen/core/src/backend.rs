//! What a backend is: a name, a device, and text for a kernel. Running is somebody else's trait.

use egret_ir::program::Kernel;

use crate::error::Unsupported;
use crate::target::Target;

/// Source text of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text.
    pub text: String,
}

/// A code generator for one kind of device.
pub trait Backend {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Limits of the device.
    fn device(&self) -> &Target;
    /// Text out; needs no device. Gathers every node without code.
    fn emit(&self, kernel: &Kernel) -> Result<Source, Vec<Unsupported>>;
}
