//! The library as its callers see it: descriptions, errors, taps, threads, determinism.
mod common;

use common::{compile, program, random};
use egret_codegen_c::{CcOptions, Cpu, EmitOptions, LaunchError, Library, build, emit_library};
use egret_ir::DType;
use egret_ir::origin::Origins;
use egret_ir::program::{Buffer, BufferId, Kernel, Port, Program, Source, Step};
use egret_ir::tensor::Tensor;
use egret_ir::text;

/// relu(x·w) in two kernels, so that taps have something between input and output.
fn two_kernels() -> (Program, Vec<Tensor>) {
    let first = text::parse(
        r#"graph "g" {
  %0 = input "x" : f32[30,40]
  %1 = input "w" : f32[40,50]
  %2 = contract {a c, c b -> a b} f32 f32 %0, %1 : f32[30,50]
  return "product" %2
}"#,
    )
    .unwrap();
    let second = text::parse(
        r#"graph "g" {
  %0 = input "product" : f32[30,50]
  %1 = 0.0f32 : f32[]
  %2 = broadcast [0:30,1:50] %1 : f32[30,50]
  %3 = map max %0, %2 : f32[30,50]
  return "y" %3
}"#,
    )
    .unwrap();
    let inputs = vec![random(DType::F32, &[30, 40], 1), random(DType::F32, &[40, 50], 2)];
    let mut p = program(&first, &inputs);
    p.outputs.clear();
    let ty = second.ty(second.outputs[0].value).as_tensor().unwrap().clone();
    let y = BufferId(p.buffers.len() as u32);
    p.buffers.push(Buffer { name: "y".into(), ty, source: Source::Step(1) });
    let product = p.steps[0].writes()[0];
    p.steps.push(Step::Kernel(Kernel {
        name: "k1".into(),
        body: second,
        reads: vec![product],
        writes: vec![y],
        origins: Origins::none(),
    }));
    p.outputs.push(Port { name: "y".into(), buffer: y });
    p.check().unwrap();
    (p, vec![inputs[0].clone()])
}

#[test]
fn it_describes_itself_and_runs_the_same_at_any_number_of_threads() {
    let (p, inputs) = two_kernels();
    let lib = compile(&p, Cpu::host(), None);
    assert_eq!((lib.inputs()[0].name.as_str(), lib.inputs()[0].ty.to_string()), ("x", "f32[30,40]".to_owned()));
    assert_eq!((lib.outputs()[0].name.as_str(), lib.outputs()[0].ty.dtype), ("y", DType::F32));
    assert_eq!(lib.kernel_count(), 2);
    let one = lib.context(1).unwrap().run(&inputs).unwrap();
    for threads in [2, 3, 8] {
        let mut c = lib.context(threads).unwrap();
        for _ in 0..20 {
            assert_eq!(c.run(&inputs).unwrap(), one);
        }
    }
}

#[test]
fn contexts_run_at_once() {
    let (p, inputs) = two_kernels();
    let lib = compile(&p, Cpu::host(), None);
    let want = lib.run(&inputs).unwrap();
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                let mut c = lib.context(2).unwrap();
                for _ in 0..50 {
                    assert_eq!(c.run(&inputs).unwrap(), want);
                }
            });
        }
    });
}

#[test]
fn wrong_inputs_are_refused_by_name() {
    let (p, inputs) = two_kernels();
    let lib = compile(&p, Cpu::host(), None);
    let mut c = lib.context(1).unwrap();
    let code = |r: Result<Vec<Tensor>, LaunchError>| match r {
        Err(LaunchError::Refused { code, text }) => (code, text),
        other => panic!("{other:?}"),
    };
    let (n, text) = code(c.run(&[random(DType::F64, &[30, 40], 1)]));
    assert_eq!(n, 2);
    assert!(text.contains("input `x`"), "{text}");
    assert_eq!(code(c.run(&[random(DType::F32, &[40, 30], 1)])).0, 3);
    assert!(matches!(c.run(&[]), Err(LaunchError::InputCount { expected: 1, got: 0 })));
    assert!(c.run(&inputs).is_ok(), "a refused run leaves the context usable");
    assert_eq!(lib.context(4000).map(|_| ()).map_err(|e| matches!(e, LaunchError::Refused { code: 1, .. })), Err(true));
}

#[test]
fn no_library_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.so");
    assert!(matches!(Library::open(&path), Err(LaunchError::Load { .. })));
    std::fs::write(&path, b"not a library").unwrap();
    assert!(matches!(Library::open(&path), Err(LaunchError::Load { .. })));
}

#[test]
fn taps_see_and_change_what_kernels_compute() {
    let (p, inputs) = two_kernels();
    let lib = compile(&p, Cpu::host(), None);
    let mut c = lib.context(2).unwrap();
    let plain = c.run(&inputs).unwrap();
    let mut seen = Vec::new();
    let tapped = c.run_with_tap(&inputs, &mut |k, kernel, values| {
        seen.push((k, kernel.to_owned(), values[0].name.clone(), values[0].tensor.clone()));
    });
    assert_eq!(tapped.unwrap(), plain);
    assert_eq!(seen.len(), 2);
    assert_eq!((seen[0].0, seen[0].1.as_str(), seen[0].2.as_str()), (0, "k0", "product"));
    assert_eq!(seen[1].3, plain[0]);
    let ones = Tensor::from_slice([30, 50], &[1.0f32; 1500]).unwrap();
    let forced = c.run_with_tap(&inputs, &mut |k, _, values| {
        if k == 0 {
            values[0].replace = Some(ones.clone());
        }
    });
    assert_eq!(forced.unwrap(), vec![ones]);
    assert_eq!(c.run(&inputs).unwrap(), plain);
}

#[test]
fn traps_give_codes() {
    let run = |graph: &str, inputs: &[Tensor]| {
        let graph = text::parse(graph).unwrap();
        let lib = compile(&program(&graph, inputs), Cpu::host(), None);
        match lib.context(2).unwrap().run(inputs) {
            Err(LaunchError::Refused { code, .. }) => code,
            other => panic!("{other:?}"),
        }
    };
    let x = random(DType::F32, &[5, 40], 1);
    let out_of_range = Tensor::from_slice([2], &[4i64, 5]).unwrap();
    let gather = r#"graph "g" {
  %0 = input "x" : f32[5,40]
  %1 = input "i" : i64[2]
  %2 = gather {@ b, a -> a b | neg} %0, %1 : f32[2,40]
  return "y" %2
}"#;
    assert_eq!(run(gather, &[x, out_of_range]), 20);
    let divide = r#"graph "g" {
  %0 = input "x" : i32[3]
  %1 = input "y" : i32[3]
  %2 = map div %0, %1 : i32[3]
  return "z" %2
}"#;
    let (a, b) = (Tensor::from_slice([3], &[1i32, 2, 3]).unwrap(), Tensor::from_slice([3], &[1i32, 0, 3]).unwrap());
    assert_eq!(run(divide, &[a, b]), 21);
}

#[test]
fn the_program_text_is_inside() {
    let (p, _) = two_kernels();
    let text = text::print_program(&p);
    let source = emit_library(&p, &EmitOptions { text: text.clone(), ..EmitOptions::default() }).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a.so");
    build(&source, &out, &CcOptions::default()).unwrap();
    assert_eq!(Library::open(&out).unwrap().program_text(), text);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing else is left behind");
}

#[test]
fn the_same_program_gives_the_same_bytes() {
    let (p, _) = two_kernels();
    let options = EmitOptions::default();
    let (a, b) = (emit_library(&p, &options).unwrap(), emit_library(&p, &options).unwrap());
    assert_eq!(a, b);
    let dir = tempfile::tempdir().unwrap();
    let bytes = |name: &str| {
        let out = dir.path().join(name);
        build(&a, &out, &CcOptions::default()).unwrap();
        std::fs::read(out).unwrap()
    };
    assert_eq!(bytes("a.so"), bytes("b.so"));
}

#[test]
fn a_failing_compiler_leaves_nothing() {
    let (p, _) = two_kernels();
    let source = emit_library(&p, &EmitOptions::default()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a.so");
    let options = CcOptions { cc: "false".into(), jobs: 1 };
    assert!(build(&source, &out, &options).is_err());
    let options = CcOptions { cc: "no-such-compiler".into(), jobs: 1 };
    assert!(matches!(build(&source, &out, &options), Err(egret_codegen_c::BuildError::NoCompiler { .. })));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn the_emitted_makefile_builds_the_library() {
    let (p, inputs) = two_kernels();
    let source = emit_library(&p, &EmitOptions { cpu: Cpu::Generic, ..EmitOptions::default() }).unwrap();
    let dir = tempfile::tempdir().unwrap();
    egret_codegen_c::build::write_tree(&source, dir.path()).unwrap();
    let Ok(make) = std::process::Command::new("make").current_dir(dir.path()).output() else {
        // No make on this machine: the tree is compiled by `build` in every other test.
        return;
    };
    assert!(make.status.success(), "{}", String::from_utf8_lossy(&make.stderr));
    let lib = Library::open(&dir.path().join("libtest.so")).unwrap();
    assert_eq!(lib.run(&inputs).unwrap().len(), 1);
}
