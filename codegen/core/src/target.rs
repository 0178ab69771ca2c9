//! What a code generator must know of the machine it writes for.

use egret_ir::dim::{Dim, Symbols};

/// A machine's vector unit and caches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// f32 lanes of one vector.
    pub lanes: i64,
    /// Vector registers.
    pub registers: i64,
    /// Bytes of first-level data cache.
    pub l1: i64,
    /// Bytes of second-level cache.
    pub l2: i64,
}

impl Target {
    /// 512-bit vectors, 32 registers.
    pub const AVX512: Self = Self { lanes: 16, registers: 32, l1: 32 << 10, l2: 1 << 20 };
    /// 256-bit vectors, 16 registers.
    pub const AVX2: Self = Self { lanes: 8, registers: 16, l1: 32 << 10, l2: 512 << 10 };
    /// 128-bit vectors, 16 registers: what every x86-64 and AArch64 has.
    pub const BASE: Self = Self { lanes: 4, registers: 16, l1: 32 << 10, l2: 512 << 10 };
}

/// What kernels are written for: a machine, and sizes that may not be known yet.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The machine.
    pub target: &'a Target,
    /// What is known of the kernel's symbols.
    pub symbols: &'a Symbols,
}

impl Context<'_> {
    /// The extent at a usual size: for estimates, never for bounds.
    pub fn typical(&self, extent: &Dim) -> i64 {
        extent.nominal(self.symbols)
    }
}
