//! Emitted C of small kernels, as text (`golden/*.c`); `BLESS=1` rewrites it. The cases are those of `cases/run.txt` named
//! here, so that what is read here is also run there.
mod common;

use std::path::PathBuf;

use egret_codegen_c::{CcOptions, Cpu, EmitOptions, emit_library};
use egret_ir::text;

fn case(name: &str) -> &'static str {
    include_str!("cases/run.txt")
        .split("\n; case ")
        .find_map(|part| part.strip_prefix(name)?.strip_prefix(' ')?.split_once('\n').map(|(_, graph)| graph))
        .unwrap_or_else(|| panic!("no case {name}"))
}

/// The kernels of a case, without the head of the file.
fn kernels(name: &str, cpu: Cpu) -> String {
    let graph = text::parse(case(name)).unwrap();
    let p = common::program(&graph, &common::inputs(&graph, 1));
    let source = emit_library(&p, &EmitOptions { cpu, ..EmitOptions::default() }).unwrap();
    let file = source.files.iter().find(|f| f.0 == "kernels0.c").unwrap();
    let text = String::from_utf8(file.1.clone()).unwrap();
    text.split_once("\n\n").unwrap().1.to_owned()
}

#[test]
fn emitted_c_is_as_recorded() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for (name, cpu) in [
        ("add-relu", Cpu::Avx512),
        ("softmax", Cpu::Avx2),
        ("layer-norm", Cpu::Avx512),
        ("matmul-bias-gelu", Cpu::Generic),
        ("conv-3x3", Cpu::Avx2),
        ("depthwise-3x3", Cpu::Avx512),
        ("max-pool", Cpu::Generic),
        ("transpose", Cpu::Avx512),
        ("quantized-matmul", Cpu::Avx2),
        ("gather-rows", Cpu::Avx2),
        ("argsort", Cpu::Generic),
        ("gru", Cpu::Avx2),
    ] {
        let path = folder.join(format!("{name}.{cpu}.c"));
        let got = kernels(name, cpu);
        if bless {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &got).unwrap();
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&got) {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "BLESS=1 rewrites: {wrong:?}");
}

/// Vector registers stored to the stack inside the loops of a product would make it many times slower.
#[test]
fn the_tile_of_a_product_does_not_spill() {
    let graph = r#"graph "g" {
  %0 = input "x" : f32[96,256]
  %1 = input "w" : f32[256,192]
  %2 = contract {a c, c b -> a b} f32 f32 %0, %1 : f32[96,192]
  return "y" %2
}"#;
    let graph = text::parse(graph).unwrap();
    let p = common::program(&graph, &common::inputs(&graph, 1));
    for cpu in [Cpu::Avx2, Cpu::Avx512] {
        let source = emit_library(&p, &EmitOptions { cpu, ..EmitOptions::default() }).unwrap();
        let dir = tempfile::tempdir().unwrap();
        egret_codegen_c::build::write_tree(&source, dir.path()).unwrap();
        let out = std::process::Command::new(CcOptions::default().cc)
            .current_dir(dir.path())
            .args(egret_codegen_c::library::KERNEL_FLAGS)
            .args(cpu.flags())
            .args(["-S", "-o", "-", "kernels0.c"])
            .output()
            .unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(text.contains("vfmadd"), "{cpu}: the product compiles to multiply-adds");
        let spills = text
            .lines()
            .filter(|l| {
                l.contains("vmov") && (l.contains("%zmm") || l.contains("%ymm")) && l.trim_end().ends_with("(%rsp)")
            })
            .count();
        assert_eq!(spills, 0, "{cpu}");
    }
}
