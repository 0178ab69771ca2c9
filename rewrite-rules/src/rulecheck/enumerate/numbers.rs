//! Numbers in the place of unknown extents.

use egret_ir::op::attrs::Attr;
use egret_ir::op::spec::{Label, Spec};
use egret_ir::op::{PadAxis, SliceAxis};
use egret_ir::{Dim, Symbol, TensorType, Type};

use crate::lang::{Sample, Samples};

/// The values with a number for each unknown; None where some value has too many elements or an attribute does not bear it.
pub fn with_numbers(samples: &Samples, number: &dyn Fn(&Symbol) -> i64) -> Option<Samples> {
    let dim = |d: &Dim| d.substitute(&|s| Some(Dim::from(number(s))));
    samples.iter().map(|s| sample(s, &dim)).collect()
}

fn ty(t: &Type, dim: &dyn Fn(&Dim) -> Dim) -> Option<Type> {
    let t = t.as_tensor()?;
    let shape: Vec<Dim> = t.shape.iter().map(dim).collect();
    let elements = egret_ir::dim::count(&shape).as_const()?;
    (elements <= super::MAX_ELEMENTS).then_some(Type::Tensor(TensorType { dtype: t.dtype, shape }))
}

fn sample(s: &Sample, dim: &dyn Fn(&Dim) -> Dim) -> Option<Sample> {
    Some(match s {
        Sample::Input(t) => Sample::Input(ty(t, dim)?),
        Sample::Constant(t) => Sample::Constant(ty(t, dim)?),
        Sample::Attr(a) => Sample::Attr(attr(a, dim)?),
        Sample::List(items) => Sample::List(items.iter().map(|i| sample(i, dim)).collect::<Option<_>>()?),
        Sample::Values(_) | Sample::Function(_) | Sample::Monoid(_) | Sample::Element(_) => s.clone(),
    })
}

fn attr(a: &Attr, dim: &dyn Fn(&Dim) -> Dim) -> Option<Attr> {
    Some(match a {
        Attr::Dim(d) => Attr::Dim(dim(d)),
        Attr::Dims(shape) => Attr::Dims(shape.iter().map(dim).collect()),
        Attr::Insert(new) => Attr::Insert(new.iter().map(|(at, d)| (*at, dim(d))).collect()),
        Attr::Slices(axes) => Attr::Slices(
            axes.iter().map(|s| SliceAxis { start: dim(&s.start), step: s.step, len: dim(&s.len) }).collect(),
        ),
        Attr::Pads(axes) => {
            Attr::Pads(axes.iter().map(|p| PadAxis { lo: dim(&p.lo), hi: dim(&p.hi), inner: p.inner }).collect())
        }
        Attr::Spec(s) => {
            let ins: Vec<_> = s.ins().iter().map(|i| i.to_vec()).collect();
            let ext: Vec<(Label, Dim)> = s.ext().iter().map(|(l, d)| (*l, dim(d))).collect();
            Attr::Spec(Spec::new(&ins, &s.out().collect::<Vec<_>>(), &ext).ok()?)
        }
        Attr::Perm(_) | Attr::Axis(_) | Attr::Gather(_) | Attr::DType(_) | Attr::Literal(_) => a.clone(),
    })
}
