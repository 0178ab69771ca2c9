//! Seeded random cases of contractions, windows and transposes: tails, strides, dilations, borders of every kind.

use egret_ir::graph::Graph;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::op::{Monoid, Op, Perm};
use egret_ir::origin::Origins;
use egret_ir::{DType, Dim, TensorType, Type};

/// A seeded sequence of numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    pub fn range(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as u64) as i64
    }
}

/// Gives an extent between two bounds: a number, or a symbol for one.
pub type Extent<'a> = dyn FnMut(&mut Random, i64, i64) -> Dim + 'a;

fn tensor(shape: &[&Dim]) -> Type {
    Type::Tensor(TensorType { dtype: DType::F32, shape: shape.iter().map(|d| (*d).clone()).collect() })
}

fn label(l: u8) -> Ix {
    Ix::Label(Label(l))
}

fn dim(l: u8, n: impl Into<Dim>) -> (Label, Dim) {
    (Label(l), n.into())
}

/// One windowed axis: (window, output extent).
fn window(r: &mut Random, out: u8, tap: u8, extent: &Dim, k: i64, transposed: bool) -> (Window, Dim) {
    // A window larger than a known operand is a case too; what is not known yet is always large enough.
    let some = |n: Dim| if n.as_const().is_some() { n.larger(&Dim::ONE) } else { n };
    let dil = r.range(1, 2);
    if transposed {
        let s = r.range(1, 3);
        let lo = r.range(0, k - 1);
        let n = some((extent - 1) * s + (k - lo));
        return (Window { out: Label(out), tap: Label(tap), stride: 1, dil: -1, lo: -lo, in_dil: s }, n);
    }
    let (s, lo, hi) = (r.range(1, 3), r.range(0, k - 1), r.range(0, k - 1));
    let n = (extent + (lo + hi - (k - 1) * dil - 1)).floor_div(&s.into()) + 1;
    (Window { out: Label(out), tap: Label(tap), stride: s, dil, lo, in_dil: 1 }, some(n))
}

/// A random case; inputs whose name starts with `w` are constants.
pub fn case(r: &mut Random, extent: &mut Extent<'_>) -> Graph {
    let mut g = Graph::new("g");
    let none = Origins::none;
    match r.below(6) {
        0 => {
            let (b, m) = (extent(r, 1, 3), extent(r, 1, 40));
            let constant = r.below(2) == 0;
            let (k, n) = if constant {
                (r.range(1, 70).into(), r.range(1, 90).into())
            } else {
                (extent(r, 1, 70), extent(r, 1, 90))
            };
            let x = g.input("x", tensor(&[&b, &m, &k]));
            let (shape, axes) = match r.below(if constant { 2 } else { 4 }) {
                0 => (vec![&k, &n], "kn"),
                1 => (vec![&n, &k], "nk"),
                2 => (vec![&b, &k, &n], "bkn"),
                _ => (vec![&b, &n, &k], "bnk"),
            };
            let w = g.input(if constant { "w" } else { "y" }, tensor(&shape));
            let out = if r.below(2) == 0 { "bmn" } else { "bnm" };
            let spec = Spec::plain(&["bmk", axes], out).unwrap();
            let y = g.add(Op::Contract { spec, acc: DType::F32, out: DType::F32 }, &[x, w], none()).unwrap();
            g.output("y", y);
        }
        1 | 2 => {
            let transposed = r.below(3) == 0;
            let (n, ic, oc) = (extent(r, 1, 2), Dim::from(r.range(1, 12)), Dim::from(r.range(1, 40)));
            let (h, w) = (extent(r, 7, 20), extent(r, 7, 40));
            let (kh, kw) = (r.range(1, 4), r.range(1, 4));
            let (wh, oh) = window(r, 2, 5, &h, kh, transposed);
            let (ww, ow) = window(r, 3, 6, &w, kw, transposed);
            let x = g.input("x", tensor(&[&n, &ic, &h, &w]));
            let k = g.input("w", tensor(&[&oc, &ic, &kh.into(), &kw.into()]));
            let ins = [
                vec![label(0), label(4), Ix::Window(wh), Ix::Window(ww)],
                vec![label(1), label(4), label(5), label(6)],
            ];
            let spec = Spec::new(
                &ins,
                &[Label(0), Label(1), Label(2), Label(3)],
                &[dim(2, &oh), dim(3, &ow), dim(5, kh), dim(6, kw)],
            )
            .unwrap();
            let y = g.add(Op::Contract { spec, acc: DType::F32, out: DType::F32 }, &[x, k], none()).unwrap();
            let b = g.input("wb", tensor(&[&oc]));
            let insert = [(0, n), (2, oh), (3, ow)].into_iter().collect();
            let b = g.add(Op::Broadcast(insert), &[b], none()).unwrap();
            let y = g.add(Op::Map(egret_ir::op::scalar::Scalar::Add), &[y, b], none()).unwrap();
            g.output("y", y);
        }
        3 | 4 => {
            let (n, c, h, w) = (extent(r, 1, 2), Dim::from(r.range(1, 5)), extent(r, 9, 30), extent(r, 9, 60));
            let (kh, kw) = (r.range(1, 5), r.range(2, 5));
            let (wh, oh) = window(r, 2, 4, &h, kh, false);
            let (ww, ow) = window(r, 3, 5, &w, kw, false);
            let image = vec![label(0), label(1), Ix::Window(wh), Ix::Window(ww)];
            let out = [Label(0), Label(1), Label(2), Label(3)];
            let ext = [dim(2, &oh), dim(3, &ow), dim(4, kh), dim(5, kw)];
            let x = g.input("x", tensor(&[&n, &c, &h, &w]));
            let y = match r.below(3) {
                0 => {
                    let spec = Spec::new(&[image, vec![label(1), label(4), label(5)]], &out, &ext).unwrap();
                    let k = g.input("w", tensor(&[&c, &kh.into(), &kw.into()]));
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
            let shape = [extent(r, 1, 4), extent(r, 1, 40), extent(r, 1, 20), extent(r, 1, 40)];
            let x = g.input("x", tensor(&shape.each_ref()));
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
