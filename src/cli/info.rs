//! `egret info`.

use serde::Serialize;

use super::Outcome;
use super::output::{Output, table};

/// Show versions, CPU features and which oracles are found.
#[derive(clap::Args)]
pub struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Info {
    version: &'static str,
    cpu_features: Vec<&'static str>,
    machine: String,
    compiler: Option<String>,
    onnxruntime: Option<String>,
    litert: Option<String>,
    libtorch: bool,
    formats: Vec<String>,
    rules: usize,
    opset: i64,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let info = Info {
        version: env!("CARGO_PKG_VERSION"),
        cpu_features: cpu_features(),
        machine: egret_extractor::detect()?.name,
        compiler: compiler("cc"),
        onnxruntime: onnxruntime(),
        litert: egret_verification::litert::python().ok().map(|p| p.display().to_string()),
        libtorch: cfg!(feature = "libtorch"),
        formats: formats(),
        rules: egret_rules::RuleSet::builtin().rules.len(),
        opset: egret_onnx::schema::NEWEST_OPSET,
    };
    out.result(a.json, &info, || {
        let missing = || "not found".to_owned();
        let rows = [
            ("egret", info.version.to_owned()),
            ("CPU features", info.cpu_features.join(" ")),
            ("machine file", info.machine.clone()),
            ("C compiler", info.compiler.clone().unwrap_or_else(missing)),
            ("ONNX Runtime", info.onnxruntime.clone().unwrap_or_else(missing)),
            ("LiteRT", info.litert.clone().unwrap_or_else(missing)),
            ("LibTorch", if info.libtorch { "linked" } else { "not built in (feature libtorch)" }.to_owned()),
            ("formats", info.formats.join(", ")),
            ("rules", info.rules.to_string()),
            ("ONNX opset", format!("up to {}", info.opset)),
        ];
        let rows: Vec<Vec<String>> = rows.into_iter().map(|(k, v)| vec![k.to_owned(), v]).collect();
        table(&["", ""], &rows).trim_start().to_owned()
    });
    Ok(Outcome::Done)
}

fn cpu_features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        [
            ("avx2", is_x86_feature_detected!("avx2")),
            ("fma", is_x86_feature_detected!("fma")),
            ("f16c", is_x86_feature_detected!("f16c")),
            ("avx512f", is_x86_feature_detected!("avx512f")),
            ("avx512vnni", is_x86_feature_detected!("avx512vnni")),
            ("avx512bf16", is_x86_feature_detected!("avx512bf16")),
        ]
        .into_iter()
        .filter_map(|(name, on)| on.then_some(name))
        .collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        Vec::new()
    }
}

/// Version and place of the library found.
fn onnxruntime() -> Option<String> {
    let path = egret_verification::onnxruntime::library().ok()?;
    let version = egret_verification::onnxruntime::version().ok()?;
    Some(format!("{version} at {}", path.display()))
}

/// The formats that models may come in, with their extensions.
fn formats() -> Vec<String> {
    let row = |f: &egret::frontends::Frontend| format!("{} (.{})", f.name, f.extensions.join(", ."));
    egret::frontends::FRONTENDS.iter().map(row).collect()
}

/// The first line of the compiler's version, where it starts.
fn compiler(cc: &str) -> Option<String> {
    let output = std::process::Command::new(cc).arg("--version").output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}
