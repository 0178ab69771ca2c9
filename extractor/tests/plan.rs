//! Chosen kernels of small graphs, as golden text (`BLESS=1` rewrites), each program compared with its graph by value.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use egret_extractor::kernels::Limits;
use egret_extractor::plan::plan_with_report;
use egret_extractor::{Options, machines, plan, run};
use egret_ir::choice::ClassGraph;
use egret_ir::graph::Graph;
use egret_ir::op::Op;
use egret_ir::program::Program;
use egret_ir::{DType, Literal, Tensor, Type};

const LINE: &str = "---\n";

/// Values that are exact in every type and make most sums exact.
fn inputs(graph: &Graph) -> Vec<Tensor> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let tensor = |ty: &Type, next: &mut dyn FnMut() -> u64| {
        let ty = ty.as_tensor().expect("inputs are tensors");
        let shape = ty.static_shape().expect("static");
        let count: usize = shape.iter().product();
        let mut bytes = Vec::new();
        for _ in 0..count {
            let n = (next() % 33) as i64;
            let x = if ty.dtype.is_float() { (n - 16) as f64 / 16.0 } else { n as f64 };
            bytes.extend(Literal::from_f64(ty.dtype, x).to_le_bytes());
        }
        Tensor::new(ty.dtype, shape, bytes).expect("as many bytes as elements")
    };
    graph.inputs.iter().map(|d| tensor(&d.ty, &mut next)).collect()
}

/// Every kernel on a line: name, reads, writes; below it the kinds of its body in order.
fn summary(program: &Program) -> String {
    let mut out = String::new();
    let name = |b: &egret_ir::program::BufferId| program.buffer(*b).name.to_string();
    for (_, k) in program.kernels() {
        let reads: Vec<String> = k.reads.iter().map(name).collect();
        let writes: Vec<String> = k.writes.iter().map(name).collect();
        let kinds: Vec<String> = k
            .body
            .nodes()
            .iter()
            .filter(|n| !matches!(n.op, Op::Input(_)))
            .map(|n| match &n.op {
                Op::Map(f) => f.to_string(),
                Op::Call(c) => c.name().to_owned(),
                other => other.kind().to_owned(),
            })
            .collect();
        let _ = writeln!(out, "{}({}) -> {}\n    {}", k.name, reads.join(", "), writes.join(", "), kinds.join(" "));
    }
    for p in &program.outputs {
        let _ = writeln!(out, "output {}: {}", p.name, name(&p.buffer));
    }
    out
}

fn parse(text: &str) -> Graph {
    let graph = egret_ir::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    egret_ir::check(graph).unwrap_or_else(|e| panic!("{e:?}")).into_inner()
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder exists").map(|f| f.expect("readable").path()).collect();
    files.sort();
    files
}

#[test]
fn chosen_kernels_are_the_expected_ones_and_compute_the_same() {
    let machine = machines::named("x86-64-v4").expect("built in");
    let mut wrong = Vec::new();
    for path in cases() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let (source, expected) = text.split_once(LINE).unwrap_or((&text, ""));
        let graph = parse(source);
        let (cg, _) = ClassGraph::from_graph(&graph);
        let unfused = Options { limits: Limits { fuse: false, extra_outputs: 0, ..Limits::default() } };
        let given = inputs(&graph);
        let want = egret_ir::eval::native(&graph, &given).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let fused = plan(&cg, &machine, &Options::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let plain = plan(&cg, &machine, &unfused).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(fused.steps.len() <= plain.steps.len(), "{}", path.display());
        for program in [&fused, &plain] {
            let got = run::run_outputs(program, &given).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            for (p, (g, w)) in program.outputs.iter().zip(got.iter().zip(&want)) {
                // The interpreter computes node by node in both, so the bits are equal.
                assert_eq!(g, w, "{}: {}", path.display(), p.name);
            }
        }
        let again = plan(&cg, &machine, &Options::default()).expect("planned before");
        assert_eq!(summary(&again), summary(&fused), "two runs differ");
        let actual = summary(&fused);
        if actual != expected {
            if std::env::var_os("BLESS").is_some() {
                std::fs::write(&path, format!("{source}{LINE}{actual}")).expect("writable");
            } else {
                wrong.push(format!("{}:\n{actual}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "kernels changed; BLESS=1 rewrites\n{}", wrong.join("\n"));
}

#[test]
fn what_no_kernel_computes_is_listed_completely() {
    use egret_ir::graph::OpaqueDef;
    use egret_ir::{Dim, Origin, Origins, Symbol};
    let mut g = Graph::new("g");
    // Twice something: no axis gives n itself.
    let x = g.input("x", Type::tensor(DType::F32, [Dim::symbol(Symbol::new("n")) * Dim::from(2i64), Dim::from(4i64)]));
    let y = g.input("y", Type::fixed(DType::F32, &[4]));
    let at = |index, op: &str, name: &str| Origins::one(Origin::Onnx { index, op: op.into(), name: name.into() });
    let mut opaque = |op: &str, index| {
        let def = OpaqueDef {
            domain: "".into(),
            op_type: op.into(),
            payload: bytes::Bytes::new(),
            results: [Type::fixed(DType::F32, &[4])].into(),
            site: None,
        };
        let id = g.tables.opaque(def);
        let t = g.add(Op::Opaque(id), &[y], at(index, op, &format!("node{index}"))).expect("typed");
        g.add(Op::Proj(0), &[t], Origins::none()).expect("typed")
    };
    let (a, b) = (opaque("Foo", 3), opaque("Bar", 5));
    g.output("a", a);
    g.output("b", b);
    g.output("x", x);
    let (cg, _) = ClassGraph::from_graph(&g);
    let error =
        plan(&cg, &machines::named("generic").expect("built in"), &Options::default()).expect_err("unsupported");
    assert_eq!(
        error.to_string(),
        "not supported:\n\
         \x20 node 3 `node3` (Foo): opaque: operator `Foo` is not modelled, so no kernel computes it\n\
         \x20 node 5 `node5` (Bar): opaque: operator `Bar` is not modelled, so no kernel computes it"
    );
}

/// A deep chain of residual blocks: planning stays fast and near linear.
#[test]
fn two_hundred_blocks_plan_quickly() {
    let mut g = Graph::new("deep");
    let ty = Type::fixed(DType::F32, &[64, 64]);
    let mut x = g.input("x", ty.clone());
    let w = g.input("w", ty);
    let none = egret_ir::Origins::none;
    let spec = egret_ir::op::spec::Spec::plain(&["ac", "cb"], "ab").expect("a spec");
    for _ in 0..200 {
        let op = Op::Contract { spec: spec.clone(), acc: DType::F32, out: DType::F32 };
        let y = g.add(op, &[x, w], none()).expect("typed");
        let t = g.add(Op::Map(egret_ir::op::scalar::Scalar::Tanh), &[y], none()).expect("typed");
        x = g.add(Op::Map(egret_ir::op::scalar::Scalar::Add), &[t, x], none()).expect("typed");
    }
    g.output("y", x);
    let (cg, _) = ClassGraph::from_graph(&g);
    let start = std::time::Instant::now();
    let machine = machines::named("x86-64-v3").expect("built in");
    let (program, report) = plan_with_report(&cg, &machine, &Options::default()).expect("planned");
    eprintln!(
        "{} candidates, {:?}, bound {} of {}",
        report.candidates,
        start.elapsed(),
        report.selection.bound,
        report.selection.cost
    );
    assert_eq!(program.steps.len(), 200);
    assert!(report.candidates < 20_000 && report.selection.work < 100_000_000);
}

#[test]
fn an_extent_that_no_axis_gives_is_told() {
    use egret_ir::{Dim, Origins, Symbol};
    let mut g = Graph::new("g");
    let x = g.input("x", Type::tensor(DType::F32, [Dim::symbol(Symbol::new("n")) * Dim::from(2i64)]));
    let y = g.add(Op::Map(egret_ir::op::scalar::Scalar::Exp), &[x], Origins::none()).expect("typed");
    g.output("y", y);
    let (cg, _) = ClassGraph::from_graph(&g);
    let error = plan(&cg, &machines::named("generic").expect("built in"), &Options::default()).expect_err("unbound");
    assert_eq!(error.to_string(), "not supported:\n  extent n: nothing in the inputs' shapes gives its value");
}
