//! The seven graphs on which TENSAT was measured (Yang et al., "Equality Saturation for Tensor Graph Superoptimization",
//! MLSys 2021, table 1), built from the published architectures with the sizes of TASO's examples: batch 1, no biases
//! and no batch normalizations (those fold into the convolutions), weights from a seed.

mod models;
mod net;

use egret_ir::Graph;
use egret_ir::infer::TypeError;

/// One of the graphs, with what was published for it.
pub struct Entry {
    /// Its name in the paper.
    pub name: &'static str,
    /// Seconds of TENSAT's optimizer, exploration and extraction.
    pub tensat_seconds: f64,
    /// Speedup of the optimized graph on the paper's GPU, in percent.
    pub tensat_speedup: f64,
    /// Builds it.
    pub build: fn() -> Result<Graph, TypeError>,
}

/// The graphs, in the order of this project's tables.
pub const GRAPHS: [Entry; 7] = [
    Entry { name: "BERT", tensat_seconds: 1.4, tensat_speedup: 9.2, build: models::bert },
    Entry { name: "ResNeXt-50", tensat_seconds: 0.7, tensat_speedup: 8.8, build: models::resnext50 },
    Entry { name: "Inception-v3", tensat_seconds: 5.1, tensat_speedup: 10.0, build: models::inception_v3 },
    Entry { name: "SqueezeNet", tensat_seconds: 0.3, tensat_speedup: 24.5, build: models::squeezenet },
    Entry { name: "VGG-19", tensat_seconds: 0.4, tensat_speedup: 8.9, build: models::vgg19 },
    Entry { name: "NasRNN", tensat_seconds: 0.5, tensat_speedup: 68.9, build: models::nasrnn },
    Entry { name: "NasNet-A", tensat_seconds: 10.6, tensat_speedup: 7.3, build: models::nasnet_a },
];
