//! CPUs that libraries are compiled for: compiler flags, instruction sets needed, and what the generator must know.

use std::fmt;
use std::str::FromStr;

use egret_codegen::target::Target;

/// An instruction set level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cpu {
    /// Whatever the compiler's default is; 128-bit generic vectors. Runs on every machine of the architecture.
    Generic,
    /// x86-64-v3: AVX2 and FMA.
    Avx2,
    /// x86-64-v4: AVX-512 F, VL, BW, DQ, CD.
    Avx512,
}

/// A text that is no CPU's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no CPU; known are generic, avx2, avx512 and native")]
pub struct UnknownCpu(pub String);

impl Cpu {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::Generic, Self::Avx2, Self::Avx512];

    /// The best level of the machine this runs on.
    pub fn host() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let v3 =
                is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi2");
            if v3
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512cd")
            {
                return Self::Avx512;
            }
            if v3 {
                return Self::Avx2;
            }
        }
        Self::Generic
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Compiler flags of the kernels.
    pub const fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Generic => &["-DEG_GENERIC=1"],
            Self::Avx2 => &["-march=x86-64-v3"],
            Self::Avx512 => &["-march=x86-64-v4"],
        }
    }

    /// Instruction sets a library checks for when it is opened.
    pub const fn needed(self) -> &'static str {
        match self {
            Self::Generic => "",
            Self::Avx2 => "avx2 fma bmi2",
            Self::Avx512 => "avx2 fma bmi2 avx512f avx512vl avx512bw avx512dq avx512cd",
        }
    }

    /// What the generator must know.
    pub const fn target(self) -> Target {
        match self {
            Self::Generic => Target::BASE,
            Self::Avx2 => Target::AVX2,
            Self::Avx512 => Target::AVX512,
        }
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Cpu {
    type Err = UnknownCpu;

    fn from_str(text: &str) -> Result<Self, UnknownCpu> {
        if text == "native" {
            return Ok(Self::host());
        }
        Self::ALL.into_iter().find(|c| c.name() == text).ok_or_else(|| UnknownCpu(text.to_owned()))
    }
}
