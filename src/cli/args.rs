//! Arguments that several subcommands share.

use std::path::PathBuf;

use clap::Args;

use egret::{Binding, Numeric};

/// How much to say.
#[derive(Args)]
pub struct Verbosity {
    /// Say more; twice for statistics
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
    /// Print results and errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
}

/// Extents of unknown dimensions.
#[derive(Args, Clone, Default)]
pub struct Shapes {
    /// Bind a named dimension, e.g. batch=1, or its bounds, e.g. seq=1..512
    #[arg(long = "dim", value_name = "NAME=N|LO..HI")]
    dims: Vec<String>,
    /// Bind an input's shape by place, e.g. x=1,3,48,320
    #[arg(long = "shape", value_name = "INPUT=N,N,…")]
    shapes: Vec<String>,
    /// Fix an input's value while reading, e.g. axes=[0,2] or axes=@axes.npy; the result is right for that value only
    #[arg(long = "value", value_name = "INPUT=VALUE")]
    values: Vec<String>,
}

impl Shapes {
    /// The bindings, or a usage error that names the option.
    pub fn binding(&self) -> egret::Result<Binding> {
        let mut binding = Binding::default();
        for text in &self.dims {
            let bad =
                || egret::Error::Usage(format!("--dim {text}: expected NAME=N or NAME=LO..HI with numbers from 0 up"));
            let (name, value) = text.rsplit_once('=').ok_or_else(bad)?;
            let name = name.trim().to_owned();
            let number = |n: &str| n.trim().parse::<i64>().ok().filter(|n| *n >= 0);
            match value.split_once("..") {
                None => binding.dims.push((name, number(value).ok_or_else(bad)?)),
                Some((lo, hi)) => {
                    let (lo, hi) = number(lo).zip(number(hi)).filter(|(lo, hi)| lo <= hi).ok_or_else(bad)?;
                    binding.ranges.push((name, lo, hi));
                }
            }
        }
        for text in &self.shapes {
            let bad = || egret::Error::Usage(format!("--shape {text}: expected INPUT=N,N,… with numbers from 0 up"));
            let (name, list) = text.rsplit_once('=').ok_or_else(bad)?;
            let items = list.split(',').map(str::trim).filter(|s| !s.is_empty());
            let shape: Option<Vec<i64>> = items.map(|n| n.parse().ok().filter(|n| *n >= 0)).collect();
            binding.shapes.push((name.trim().to_owned(), shape.ok_or_else(bad)?));
        }
        for text in &self.values {
            let bad = || {
                egret::Error::Usage(format!("--value {text}: expected INPUT=NUMBER, INPUT=[N,…] or INPUT=@FILE.npy"))
            };
            let (name, value) = text.split_once('=').ok_or_else(bad)?;
            let value = match value.trim().strip_prefix('@') {
                Some(file) => {
                    let path = std::path::Path::new(file);
                    let tensor = egret_verification::npy::read(path)
                        .map_err(|e| egret::Error::Usage(format!("--value {text}: {e}")))?;
                    egret_onnx::Frozen::Tensor(tensor)
                }
                None => egret_onnx::Frozen::Text(value.to_owned()),
            };
            binding.values.push((name.trim().to_owned(), value));
        }
        Ok(binding)
    }
}

/// Which rewrites may run.
#[derive(Args, Clone)]
pub struct Rewriting {
    /// Weakest numeric class of rules that may run
    #[arg(long, value_enum, default_value = "reassociates")]
    numeric: NumericArg,
    /// Further rule files; each rule is checked before it runs
    #[arg(long = "rules", value_name = "FILE")]
    pub rules: Vec<PathBuf>,
    /// Run the rules of --rules without checking them
    #[arg(long, requires = "rules")]
    pub unchecked_rules: bool,
}

impl Rewriting {
    pub fn numeric(&self) -> Numeric {
        self.numeric.class()
    }
}

impl NumericArg {
    pub fn class(self) -> Numeric {
        match self {
            Self::Exact => Numeric::Exact,
            Self::Reassociates => Numeric::Reassociates,
            Self::Finite => Numeric::Finite,
            Self::Approximates => Numeric::Approximates,
        }
    }
}

/// A numeric class on the command line.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum NumericArg {
    /// Same bits, NaN, Inf and -0.0 included
    Exact,
    /// Same real value; rounding may differ within the node bound
    Reassociates,
    /// Only right without NaN, Inf and -0.0
    Finite,
    /// Precision may change
    Approximates,
}

/// Values for a model's inputs.
#[derive(Args, Clone)]
pub struct Inputs {
    /// Value of an input: NAME=file.npy, NAME=random, NAME=randint:0..30522, NAME=ones, NAME=zeros
    #[arg(long = "input", value_name = "NAME=SOURCE")]
    pub input: Vec<String>,
    /// All inputs from an .npz, by name
    #[arg(long, value_name = "FILE.npz", conflicts_with = "input")]
    pub inputs: Option<PathBuf>,
    /// Seed of random values
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

/// A percentage as a fraction.
pub fn percent(option: &str, value: f64) -> egret::Result<f64> {
    if value.is_finite() && value >= 0.0 {
        Ok(value / 100.0)
    } else {
        Err(egret::Error::Usage(format!("{option} {value}: expected a number from 0 up")))
    }
}

/// Tensors given and specs of how others are made, by input name.
type Resolved = (Vec<(String, egret_ir::Tensor)>, Vec<(String, egret_verification::InputSpec)>);

impl Inputs {
    /// Tensors from `--inputs`, and specs from `--input`.
    pub fn resolve(&self) -> egret::Result<Resolved> {
        let given = match &self.inputs {
            Some(path) => egret_verification::npy::read_npz(path)?,
            None => Vec::new(),
        };
        let mut specs = Vec::new();
        for text in &self.input {
            let Some((name, source)) = text.rsplit_once('=') else {
                return Err(egret::Error::Usage(format!("--input {text}: expected NAME=SOURCE")));
            };
            let spec = source.parse().map_err(|e| egret::Error::Usage(format!("--input {text}: {e}")))?;
            specs.push((name.to_owned(), spec));
        }
        Ok((given, specs))
    }
}
