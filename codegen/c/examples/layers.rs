//! How close single layers come to the machine's multiply-add peak: `cargo run --release --example layers [filter]`.
//!
//! Kernel and peak loop alternate on one core in thread CPU time; the table shows microseconds, the median ratio to the peak
//! and the time of compiling the layer.
#![expect(clippy::print_stdout, reason = "a tool that prints a table")]

use std::time::Instant;

use egret_codegen_c::{CcOptions, Cpu, EmitOptions, Library, build, emit_library};
use egret_ir::graph::Graph;
use egret_ir::origin::Origins;
use egret_ir::program::{Buffer, BufferId, Kernel, Port, Program, Source};
use egret_ir::tensor::Tensor;
use egret_ir::text;

fn relu(v: usize, ty: &str, dims: &[i64]) -> String {
    let insert: Vec<String> = dims.iter().enumerate().map(|(i, d)| format!("{i}:{d}")).collect();
    format!(
        "  %{a} = 0.0f32 : f32[]\n  %{b} = broadcast [{}] %{a} : {ty}\n  %{c} = map max %{v}, %{b} : {ty}\n  return \"y\" %{c}\n}}\n",
        insert.join(","),
        a = v + 1,
        b = v + 2,
        c = v + 3,
    )
}

/// Convolution with bias and ReLU.
fn conv(ic: i64, oc: i64, h: i64, w: i64, k: i64, s: i64, p: i64) -> (String, f64) {
    let (oh, ow) = ((h + 2 * p - k) / s + 1, (w + 2 * p - k) / s + 1);
    let y = format!("f32[1,{oc},{oh},{ow}]");
    let term = |l: char, t: char| format!("{}{l}+{t}-{p}", if s == 1 { String::new() } else { s.to_string() });
    let spec = if k == 1 && s == 1 {
        "{a e c d, b e -> a b c d}".to_owned()
    } else {
        let f = |l, t| term(l, t).replace("-0", "");
        format!("{{a e {} {}, b e f g -> a b c d | c={oh} d={ow} f={k} g={k}}}", f('c', 'f'), f('d', 'g'))
    };
    let weight = if k == 1 && s == 1 { format!("f32[{oc},{ic}]") } else { format!("f32[{oc},{ic},{k},{k}]") };
    let text = format!(
        "graph \"g\" {{\n  %0 = input \"x\" : f32[1,{ic},{h},{w}]\n  %1 = input \"w\" : {weight}\n  %2 = input \"wb\" : f32[{oc}]\n  %3 = contract {spec} f32 f32 %0, %1 : {y}\n  %4 = broadcast [0:1,2:{oh},3:{ow}] %2 : {y}\n  %5 = map add %3, %4 : {y}\n{}",
        relu(5, &y, &[1, oc, oh, ow])
    );
    (text, 2.0 * (oc * ic * k * k * oh * ow) as f64)
}

fn depthwise(c: i64, h: i64, w: i64, k: i64, s: i64) -> (String, f64) {
    let p = k / 2;
    let (oh, ow) = ((h + 2 * p - k) / s + 1, (w + 2 * p - k) / s + 1);
    let y = format!("f32[1,{c},{oh},{ow}]");
    let t = if s == 1 { String::new() } else { s.to_string() };
    let text = format!(
        "graph \"g\" {{\n  %0 = input \"x\" : f32[1,{c},{h},{w}]\n  %1 = input \"w\" : f32[{c},{k},{k}]\n  %2 = input \"wb\" : f32[{c}]\n  %3 = contract {{a b {t}c+e-{p} {t}d+f-{p}, b e f -> a b c d | c={oh} d={ow} e={k} f={k}}} f32 f32 %0, %1 : {y}\n  %4 = broadcast [0:1,2:{oh},3:{ow}] %2 : {y}\n  %5 = map add %3, %4 : {y}\n{}",
        relu(5, &y, &[1, c, oh, ow])
    );
    (text, 2.0 * (c * k * k * oh * ow) as f64)
}

fn matmul(m: i64, k: i64, n: i64) -> (String, f64) {
    let y = format!("f32[{m},{n}]");
    let text = format!(
        "graph \"g\" {{\n  %0 = input \"x\" : f32[{m},{k}]\n  %1 = input \"w\" : f32[{k},{n}]\n  %2 = input \"wb\" : f32[{n}]\n  %3 = contract {{a c, c b -> a b}} f32 f32 %0, %1 : {y}\n  %4 = broadcast [0:{m}] %2 : {y}\n  %5 = map add %3, %4 : {y}\n  return \"y\" %5\n}}\n"
    );
    (text, 2.0 * (m * k * n) as f64)
}

fn attention(heads: i64, len: i64, dim: i64, values: bool) -> (String, f64) {
    let e = heads * dim;
    let flops = 2.0 * (heads * len * len * dim) as f64;
    let text = if values {
        format!(
            "graph \"g\" {{\n  %0 = input \"p\" : f32[1,{heads},{len},{len}]\n  %1 = input \"v\" : f32[1,{len},{e}]\n  %2 = reshape [1,{len},{heads},{dim}] %1 : f32[1,{len},{heads},{dim}]\n  %3 = permute [0,2,1,3] %2 : f32[1,{heads},{len},{dim}]\n  %4 = contract {{a b c e, a b e d -> a b c d}} f32 f32 %0, %3 : f32[1,{heads},{len},{dim}]\n  %5 = permute [0,2,1,3] %4 : f32[1,{len},{heads},{dim}]\n  %6 = reshape [1,{len},{e}] %5 : f32[1,{len},{e}]\n  return \"y\" %6\n}}\n"
        )
    } else {
        format!(
            "graph \"g\" {{\n  %0 = input \"q\" : f32[1,{len},{e}]\n  %1 = input \"k\" : f32[1,{len},{e}]\n  %2 = reshape [1,{len},{heads},{dim}] %0 : f32[1,{len},{heads},{dim}]\n  %3 = reshape [1,{len},{heads},{dim}] %1 : f32[1,{len},{heads},{dim}]\n  %4 = permute [0,2,1,3] %2 : f32[1,{heads},{len},{dim}]\n  %5 = permute [0,2,1,3] %3 : f32[1,{heads},{len},{dim}]\n  %6 = contract {{a b c e, a b d e -> a b c d}} f32 f32 %4, %5 : f32[1,{heads},{len},{len}]\n  return \"y\" %6\n}}\n"
        )
    };
    (text, flops)
}

fn simple(text: &str) -> (String, f64) {
    (text.to_owned(), 0.0)
}

fn layers() -> Vec<(String, (String, f64))> {
    let mut out: Vec<(String, (String, f64))> = Vec::new();
    for (ic, oc, h, w, k, s, p, what) in [
        (64, 64, 56, 56, 3, 1, 1, "resnet"),
        (128, 128, 28, 28, 3, 1, 1, "resnet"),
        (256, 256, 14, 14, 3, 1, 1, "resnet"),
        (512, 512, 7, 7, 3, 1, 1, "resnet"),
        (128, 128, 56, 56, 3, 2, 1, "resnet"),
        (64, 256, 56, 56, 1, 1, 0, "resnet"),
        (256, 64, 56, 56, 1, 1, 0, "resnet"),
        (256, 1024, 14, 14, 1, 1, 0, "resnet"),
        (1024, 256, 14, 14, 1, 1, 0, "resnet"),
        (2048, 512, 7, 7, 1, 1, 0, "resnet"),
        (512, 2048, 7, 7, 1, 1, 0, "resnet"),
        (1024, 2048, 14, 14, 1, 2, 0, "resnet"),
        (3, 64, 224, 224, 7, 2, 3, "resnet"),
        (64, 128, 55, 55, 1, 1, 0, "squeezenet"),
        (16, 64, 55, 55, 3, 1, 1, "squeezenet"),
        (48, 192, 27, 27, 3, 1, 1, "squeezenet"),
        (3, 32, 224, 224, 3, 2, 1, "mobilenet"),
        (16, 96, 112, 112, 1, 1, 0, "mobilenet"),
        (144, 24, 56, 56, 1, 1, 0, "mobilenet"),
        (384, 64, 14, 14, 1, 1, 0, "mobilenet"),
        (320, 1280, 7, 7, 1, 1, 0, "mobilenet"),
        (3, 16, 640, 640, 3, 2, 1, "ocr det"),
        (24, 48, 160, 160, 1, 1, 0, "ocr det"),
        (96, 24, 160, 160, 3, 1, 1, "ocr det"),
        (120, 480, 3, 80, 1, 1, 0, "ocr rec"),
        (480, 120, 1, 80, 1, 1, 0, "ocr rec"),
        (512, 64, 1, 40, 3, 1, 1, "ocr rec"),
    ] {
        out.push((format!("conv {k}x{k}s{s} {ic}->{oc} {h}x{w} {what}"), conv(ic, oc, h, w, k, s, p)));
    }
    for (c, h, w, k, s) in [
        (96, 112, 112, 3, 2),
        (144, 56, 56, 3, 1),
        (384, 14, 14, 3, 1),
        (960, 7, 7, 3, 1),
        (48, 160, 160, 5, 1),
        (120, 6, 160, 5, 1),
        (480, 3, 80, 5, 1),
    ] {
        out.push((format!("depthwise {k}x{k}s{s} {c} {h}x{w}"), depthwise(c, h, w, k, s)));
    }
    for (m, k, n) in [
        (128, 768, 768),
        (128, 768, 3072),
        (128, 3072, 768),
        (1, 2048, 1000),
        (32, 1024, 1024),
        (80, 120, 6625),
        (197, 192, 576),
    ] {
        out.push((format!("matmul {m}x{k}x{n}"), matmul(m, k, n)));
    }
    out.push(("attention qk 12x128x64".into(), attention(12, 128, 64, false)));
    out.push(("attention pv 12x128x64".into(), attention(12, 128, 64, true)));
    out.push(("softmax 1536x128".into(), simple("graph \"g\" {\n  %0 = input \"x\" : f32[12,128,128]\n  %1 = softmax 2 %0 : f32[12,128,128]\n  return \"y\" %1\n}\n")));
    out.push(("layer norm 128x768".into(), simple("graph \"g\" {\n  %0 = input \"x\" : f32[1,128,768]\n  %1 = input \"w0\" : f32[768]\n  %2 = input \"w1\" : f32[768]\n  %3 = layer_norm 1 0.00001f32 f32 %0, %1, %2 : f32[1,128,768]\n  return \"y\" %3\n}\n")));
    out.push(("gelu 128x3072".into(), simple("graph \"g\" {\n  %0 = input \"x\" : f32[128,3072]\n  %1 = gelu_erf %0 : f32[128,3072]\n  return \"y\" %1\n}\n")));
    out.push(("transpose 12x128x768".into(), simple("graph \"g\" {\n  %0 = input \"x\" : f32[4,128,768]\n  %1 = permute [0,2,1] %0 : f32[4,768,128]\n  return \"y\" %1\n}\n")));
    out.push(("max pool 3x3s2 64 112x112".into(), simple("graph \"g\" {\n  %0 = input \"x\" : f32[1,64,112,112]\n  %1 = reduce max {a b 2c+e-1 2d+f-1 -> a b c d | c=56 d=56 e=3 f=3} f32 %0 : f32[1,64,56,56]\n  return \"y\" %1\n}\n")));
    out.push(("global pool 2048 7x7".into(), simple("graph \"g\" {\n  %0 = input \"x\" : f32[1,2048,7,7]\n  %1 = reduce sum {a b c d -> a b} f32 %0 : f32[1,2048]\n  return \"y\" %1\n}\n")));
    out.push(("upsample 24 160x160".into(), simple("graph \"g\" {\n  %0 = input \"x\" : f32[1,24,80,80]\n  %1 = broadcast [3:2,5:2] %0 : f32[1,24,80,2,80,2]\n  %2 = reshape [1,24,160,160] %1 : f32[1,24,160,160]\n  return \"y\" %2\n}\n")));
    out.push(("conv transposed 24->24 160x160".into(), {
        let t = "graph \"g\" {\n  %0 = input \"x\" : f32[1,24,160,160]\n  %1 = input \"w\" : f32[24,24,2,2]\n  %2 = contract {a e (c-f)/2 (d-g)/2, e b f g -> a b c d | c=320 d=320 f=2 g=2} f32 f32 %0, %1 : f32[1,24,320,320]\n  return \"y\" %2\n}\n";
        (t.to_owned(), 2.0 * 24.0 * 24.0 * 320.0 * 320.0)
    }));
    out
}

fn random(dtype: egret_ir::DType, shape: &[usize], seed: u64) -> Tensor {
    let mut state = seed | 1;
    let n: usize = shape.iter().product();
    let values: Vec<f32> = (0..n)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 40) as f32 / (1u64 << 24) as f32) * 2.0 - 1.0
        })
        .collect();
    assert_eq!(dtype, egret_ir::DType::F32);
    Tensor::from_slice(shape.to_vec(), &values).expect("as many values as the shape says")
}

fn program(graph: &Graph) -> (Program, Vec<Tensor>) {
    let mut p = Program { name: "layer".into(), ..Program::default() };
    let mut given = Vec::new();
    let mut kernel = Kernel {
        name: "k0".into(),
        body: graph.clone(),
        reads: Vec::new(),
        writes: Vec::new(),
        origins: Origins::none(),
    };
    for (i, d) in graph.inputs.iter().enumerate() {
        let ty = d.ty.as_tensor().expect("layers are over tensors").clone();
        let t = random(ty.dtype, &ty.static_shape().expect("static"), 11 + i as u64);
        let id = BufferId(p.buffers.len() as u32);
        let source = if d.name.starts_with('w') {
            Source::Constant(t)
        } else {
            p.inputs.push(Port { name: d.name.clone(), buffer: id });
            given.push(t);
            Source::Input(given.len() - 1)
        };
        p.buffers.push(Buffer { name: d.name.clone(), ty, source });
        kernel.reads.push(id);
    }
    for o in &graph.outputs {
        let id = BufferId(p.buffers.len() as u32);
        let ty = graph.ty(o.value).as_tensor().expect("layers are over tensors").clone();
        p.buffers.push(Buffer { name: o.name.clone(), ty, source: Source::Step(0) });
        p.outputs.push(Port { name: o.name.clone(), buffer: id });
        kernel.writes.push(id);
    }
    p.steps.push(egret_ir::program::Step::Kernel(kernel));
    (p, given)
}

fn median(mut v: Vec<f64>) -> f64 {
    v.sort_by(f64::total_cmp);
    v[v.len() / 2]
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let cpu = std::env::var("EGRET_CPU").ok().and_then(|c| c.parse().ok()).unwrap_or_else(Cpu::host);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let compile = |text: &str, name: &str| {
        let graph = text::parse(text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        let (p, inputs) = program(&graph);
        let source = emit_library(&p, &EmitOptions { cpu, ..EmitOptions::default() }).expect("layers are supported");
        if let Ok(keep) = std::env::var("KEEP") {
            egret_codegen_c::build::write_tree(&source, keep.as_ref()).expect("a folder to keep it");
        }
        let out = dir.path().join(format!("{}.so", name.replace([' ', '>'], "_")));
        build(&source, &out, &CcOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        (Library::open(&out).unwrap_or_else(|e| panic!("{e}")), inputs)
    };
    // The peak: a product that lies in the first-level cache and runs the same multiply-add loop.
    let (peak_text, peak_flops) = matmul(48, 48, 48);
    let (peak, peak_inputs) = compile(&peak_text, "peak");
    let mut peak = peak.context(1).expect("a context");
    println!("{cpu}; ratios are to a small product in cache ({peak_flops} operations)");
    for (name, (text, flops)) in layers() {
        if !name.contains(&filter) {
            continue;
        }
        let start = Instant::now();
        let (lib, inputs) = compile(&text, &name);
        let compiled = start.elapsed().as_secs_f64();
        let mut c = lib.context(1).expect("a context");
        let mut times = Vec::new();
        let mut ratios = Vec::new();
        for _ in 0..9 {
            let t = c.time(&inputs, 5).expect("it runs");
            let best = t.iter().copied().fold(f64::INFINITY, f64::min);
            let p = peak.time(&peak_inputs, 40).expect("it runs").into_iter().fold(f64::INFINITY, f64::min);
            times.push(best);
            ratios.push(flops / best / (peak_flops / p));
        }
        let us = median(times) * 1e6;
        println!(
            "{name:46} {us:10.1} us {:6.1} GFLOP/s {:5.1} % {compiled:5.1} s",
            flops / us / 1e3,
            median(ratios) * 100.0
        );
    }
}
