//! Seeded random shapes of contractions, windows and transposes: tails, strides, dilations, borders of every kind. All cases
//! are kernels of one program, so that each CPU level compiles once.
mod common;

use common::{Case, joined};
use egret_codegen_c::Cpu;
use egret_ir::graph::Graph;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::op::{Monoid, Op, Perm};
use egret_ir::origin::Origins;
use egret_ir::{DType, Dim, Type};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn range(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as u64) as i64
    }
}

fn tensor(shape: &[i64]) -> Type {
    Type::fixed(DType::F32, &shape.iter().map(|d| *d as usize).collect::<Vec<_>>())
}

fn label(l: u8) -> Ix {
    Ix::Label(Label(l))
}

fn dim(l: u8, n: i64) -> (Label, Dim) {
    (Label(l), Dim::from(n as usize))
}

/// One windowed axis: (window, output extent).
fn window(r: &mut Random, out: u8, tap: u8, extent: i64, k: i64, transposed: bool) -> (Window, i64) {
    let dil = r.range(1, 2);
    if transposed {
        let s = r.range(1, 3);
        let lo = r.range(0, k - 1);
        let n = ((extent - 1) * s + k - lo).max(1);
        return (Window { out: Label(out), tap: Label(tap), stride: 1, dil: -1, lo: -lo, in_dil: s }, n);
    }
    let (s, lo, hi) = (r.range(1, 3), r.range(0, k - 1), r.range(0, k - 1));
    let n = (extent + lo + hi - (k - 1) * dil - 1) / s + 1;
    (Window { out: Label(out), tap: Label(tap), stride: s, dil, lo, in_dil: 1 }, n.max(1))
}

/// A random case: a graph, and which of its inputs are constants.
fn case(r: &mut Random) -> Graph {
    let mut g = Graph::new("g");
    let none = Origins::none;
    match r.below(6) {
        0 => {
            let (b, m, k, n) = (r.range(1, 3), r.range(1, 40), r.range(1, 70), r.range(1, 90));
            let x = g.input("x", tensor(&[b, m, k]));
            let (shape, axes) = match r.below(4) {
                0 => (vec![k, n], "kn"),
                1 => (vec![n, k], "nk"),
                2 => (vec![b, k, n], "bkn"),
                _ => (vec![b, n, k], "bnk"),
            };
            let name = if r.below(2) == 0 { "w" } else { "y" };
            let w = g.input(name, tensor(&shape));
            let out = if r.below(2) == 0 { "bmn" } else { "bnm" };
            let spec = Spec::plain(&["bmk", axes], out).unwrap();
            let y = g.add(Op::Contract { spec, acc: DType::F32, out: DType::F32 }, &[x, w], none()).unwrap();
            g.output("y", y);
        }
        1 | 2 => {
            let transposed = r.below(3) == 0;
            let (n, ic, oc) = (r.range(1, 2), r.range(1, 12), r.range(1, 40));
            let (h, w) = (r.range(4, 20), r.range(5, 40));
            let (kh, kw) = (r.range(1, 4), r.range(1, 4));
            let (wh, oh) = window(r, 2, 5, h, kh, transposed);
            let (ww, ow) = window(r, 3, 6, w, kw, transposed);
            let x = g.input("x", tensor(&[n, ic, h, w]));
            let k = g.input("w", tensor(&[oc, ic, kh, kw]));
            let ins = [
                vec![label(0), label(4), Ix::Window(wh), Ix::Window(ww)],
                vec![label(1), label(4), label(5), label(6)],
            ];
            let spec = Spec::new(
                &ins,
                &[Label(0), Label(1), Label(2), Label(3)],
                &[dim(2, oh), dim(3, ow), dim(5, kh), dim(6, kw)],
            )
            .unwrap();
            let y = g.add(Op::Contract { spec, acc: DType::F32, out: DType::F32 }, &[x, k], none()).unwrap();
            let b = g.input("wb", tensor(&[oc]));
            let insert = [(0, n), (2, oh), (3, ow)].into_iter().map(|(i, d)| (i, Dim::from(d as usize))).collect();
            let b = g.add(Op::Broadcast(insert), &[b], none()).unwrap();
            let y = g.add(Op::Map(egret_ir::op::scalar::Scalar::Add), &[y, b], none()).unwrap();
            g.output("y", y);
        }
        3 | 4 => {
            let (n, c, h, w) = (r.range(1, 2), r.range(1, 5), r.range(5, 30), r.range(6, 60));
            let (kh, kw) = (r.range(1, 5), r.range(2, 5));
            let (wh, oh) = window(r, 2, 4, h, kh, false);
            let (ww, ow) = window(r, 3, 5, w, kw, false);
            let image = vec![label(0), label(1), Ix::Window(wh), Ix::Window(ww)];
            let out = [Label(0), Label(1), Label(2), Label(3)];
            let ext = [dim(2, oh), dim(3, ow), dim(4, kh), dim(5, kw)];
            let x = g.input("x", tensor(&[n, c, h, w]));
            let y = match r.below(3) {
                0 => {
                    let spec = Spec::new(&[image, vec![label(1), label(4), label(5)]], &out, &ext).unwrap();
                    let k = g.input("w", tensor(&[c, kh, kw]));
                    g.add(Op::Contract { spec, acc: DType::F32, out: DType::F32 }, &[x, k], none()).unwrap()
                }
                m => {
                    let spec = Spec::new(&[image], &out, &ext).unwrap();
                    let monoid = if m == 1 { Monoid::Max } else { Monoid::Sum };
                    g.add(Op::Reduce { monoid, spec, acc: DType::F32 }, &[x], none()).unwrap()
                }
            };
            g.output("y", y);
        }
        _ => {
            let shape = [r.range(1, 4), r.range(1, 40), r.range(1, 20), r.range(1, 40)];
            let x = g.input("x", tensor(&shape));
            let mut axes = [0usize, 1, 2, 3];
            for i in (1..4).rev() {
                axes.swap(i, r.below(i as u64 + 1) as usize);
            }
            let y = g.add(Op::Permute(Perm::new(&axes).unwrap()), &[x], none()).unwrap();
            g.output("y", y);
        }
    }
    g
}

#[test]
fn random_shapes_equal_the_interpreter() {
    // `SHAPES=seed,count` looks further than the usual run.
    let asked = std::env::var("SHAPES").ok();
    let (seed, count) = asked.as_deref().and_then(|a| a.split_once(',')).unwrap_or(("1", "20"));
    let count: u64 = count.parse().expect("a number of cases");
    let mut r = Random(0x5eed_1234_5678_9abc ^ (seed.parse::<u64>().expect("a seed") << 20));
    let cases: Vec<Case> = (0..count)
        .map(|k| {
            let graph = case(&mut r);
            let inputs = common::inputs(&graph, 100 * k);
            Case { name: k.to_string(), graph, inputs }
        })
        .collect();
    let program = joined(&cases);
    for cpu in Cpu::ALL.into_iter().filter(|c| *c <= Cpu::host()) {
        let library = common::compile(&program, cpu, None);
        for (case, _, d) in common::differences(&library, &cases, 2) {
            let graph = &cases[case.parse::<usize>().expect("cases are numbered")].graph;
            assert!(d <= 4e-6, "{cpu}: differs by {d:e}\n{}", egret_ir::text::print(graph));
        }
    }
}
