//! Heads and attributes as text.

use std::fmt::Display;

use crate::graph::Tables;
use crate::op::attrs::{Attr, Head};
use crate::op::call::{
    Activation, Cell, Coordinates, Direction, GeluForm, NearestMode, Recurrent, RecurrentOperands, Resize, ResizeMode,
};
use crate::op::{ScatterOp, SortOrder};
use crate::types::Type;

fn list<T>(items: impl IntoIterator<Item = T>, text: impl Fn(T) -> String) -> String {
    format!("[{}]", items.into_iter().map(text).collect::<Vec<_>>().join(","))
}

fn shown<T: Display>(x: T) -> String {
    x.to_string()
}

/// An attribute value as it follows the head.
pub(super) fn attr_text(attr: &Attr) -> String {
    match attr {
        Attr::Dim(d) => d.to_string(),
        Attr::Dims(s) => list(s, shown),
        Attr::Perm(p) => p.to_string(),
        Attr::Insert(new) => list(new.iter(), |(at, d)| format!("{at}:{d}")),
        Attr::Slices(axes) => list(axes.iter(), |a| match a.step {
            1 => format!("{}:{}", a.start, a.len),
            step => format!("{}:{}:{step}", a.start, a.len),
        }),
        Attr::Pads(axes) => list(axes.iter(), |a| match a.inner {
            0 => format!("{}:{}", a.lo, a.hi),
            inner => format!("{}:{}:{inner}", a.lo, a.hi),
        }),
        Attr::Axis(a) => a.to_string(),
        Attr::Spec(s) => s.to_string(),
        Attr::Gather(g) => g.to_string(),
        Attr::DType(d) => d.to_string(),
        Attr::Literal(l) => l.to_string(),
    }
}

/// The head with everything that is no attribute.
pub(super) fn head_text(head: &Head, tables: &Tables, large: super::Large) -> String {
    match head {
        Head::Input(i) => format!("input {i}"),
        Head::Scalar(l) => l.to_string(),
        Head::Dense(id) => format!("dense {}", super::dense_text(id.0, tables, large)),
        Head::Dim => "dim".into(),
        Head::Iota => "iota".into(),
        Head::Permute => "permute".into(),
        Head::Reshape => "reshape".into(),
        Head::Broadcast => "broadcast".into(),
        Head::Slice => "slice".into(),
        Head::Pad => "pad".into(),
        Head::Concat => "concat".into(),
        Head::Gather => "gather".into(),
        Head::Scatter(op) => format!("scatter {}", scatter_name(*op)),
        Head::Map(f) => format!("map {f}"),
        Head::Reduce(m) => format!("reduce {}", m.name()),
        Head::Contract => "contract".into(),
        Head::ArgSort(SortOrder::Ascending) => "argsort ascending".into(),
        Head::ArgSort(SortOrder::Descending) => "argsort descending".into(),
        Head::If(i) => format!("if {} {} {}", i.then.0, i.other.0, Type::Tuple(i.results.clone())),
        Head::Loop(l) => {
            let trip = l.trip.as_ref().map_or_else(|| "operand".to_owned(), shown);
            let exit = match l.exit {
                crate::op::LoopExit::Never => "never",
                crate::op::LoopExit::Condition => "condition",
            };
            let (body, results) = (l.body.0, Type::Tuple(l.results.clone()));
            format!("loop {body} trip={trip} exit={exit} carried={} scanned={} {results}", l.carried, l.scanned)
        }
        Head::Softmax => "softmax".into(),
        Head::LogSoftmax => "log_softmax".into(),
        Head::LayerNorm => "layer_norm".into(),
        Head::RmsNorm => "rms_norm".into(),
        Head::Gelu(GeluForm::Erf) => "gelu_erf".into(),
        Head::Gelu(GeluForm::Tanh) => "gelu_tanh".into(),
        Head::Recurrent(r) => recurrent_text(r),
        Head::Resize(r) => resize_text(r),
        Head::Det => "det".into(),
        Head::NonMaxSuppression(center_point) => format!("nms {}", if *center_point { "centers" } else { "corners" }),
        Head::Opaque(id) => match tables.opaques.get(id.0 as usize) {
            Some(def) => format!("opaque {} {}", id.0, super::quoted(&format!("{}.{}", def.domain, def.op_type))),
            None => format!("opaque {}", id.0),
        },
        Head::Proj(i) => format!("proj {i}"),
    }
}

pub(super) fn scatter_name(op: ScatterOp) -> &'static str {
    match op {
        ScatterOp::Set => "set",
        ScatterOp::Add => "add",
        ScatterOp::Mul => "mul",
        ScatterOp::Max => "max",
        ScatterOp::Min => "min",
    }
}

fn recurrent_text(r: &Recurrent) -> String {
    let cell = match r.cell {
        Cell::Lstm => "lstm",
        Cell::Gru => "gru",
        Cell::Rnn => "rnn",
    };
    let direction = match r.direction {
        Direction::Forward => "forward",
        Direction::Reverse => "reverse",
        Direction::Bidirectional => "bidirectional",
    };
    let activations = list(r.activations.iter(), |a| activation_text(*a));
    let RecurrentOperands { bias, lengths, initial_h, initial_c, peephole } = r.operands;
    let flags: Vec<&str> = [
        (bias, "bias"),
        (lengths, "lengths"),
        (initial_h, "initial_h"),
        (initial_c, "initial_c"),
        (peephole, "peephole"),
        (r.linear_before_reset, "linear_before_reset"),
        (r.input_forget, "input_forget"),
    ]
    .into_iter()
    .filter_map(|(on, name)| on.then_some(name))
    .collect();
    let clip = r.clip.map_or_else(String::new, |c| format!(" clip={c}"));
    format!("{cell} {direction} hidden={} activations={activations}{clip} with=[{}]", r.hidden, flags.join(","))
}

fn activation_text(a: Activation) -> String {
    match a {
        Activation::Relu => "relu".into(),
        Activation::Tanh => "tanh".into(),
        Activation::Sigmoid => "sigmoid".into(),
        Activation::Affine(x, y) => format!("affine({x},{y})"),
        Activation::LeakyRelu(x) => format!("leaky_relu({x})"),
        Activation::ThresholdedRelu(x) => format!("thresholded_relu({x})"),
        Activation::ScaledTanh(x, y) => format!("scaled_tanh({x},{y})"),
        Activation::HardSigmoid(x, y) => format!("hard_sigmoid({x},{y})"),
        Activation::Elu(x) => format!("elu({x})"),
        Activation::Softsign => "softsign".into(),
        Activation::Softplus => "softplus".into(),
    }
}

fn resize_text(r: &Resize) -> String {
    let mode = match r.mode {
        ResizeMode::Nearest(n) => format!(
            "nearest.{}",
            match n {
                NearestMode::RoundPreferFloor => "round_prefer_floor",
                NearestMode::RoundPreferCeil => "round_prefer_ceil",
                NearestMode::Floor => "floor",
                NearestMode::Ceil => "ceil",
            }
        ),
        ResizeMode::Linear => "linear".into(),
        ResizeMode::Cubic(a) => format!("cubic({a})"),
    };
    let coordinates = match r.coordinates {
        Coordinates::HalfPixel => "half_pixel",
        Coordinates::HalfPixelSymmetric => "half_pixel_symmetric",
        Coordinates::PytorchHalfPixel => "pytorch_half_pixel",
        Coordinates::AlignCorners => "align_corners",
        Coordinates::Asymmetric => "asymmetric",
    };
    let scales = r.scales.as_ref().map_or_else(String::new, |s| format!(" scales={}", list(s.iter(), shown)));
    let exclude = if r.exclude_outside { " exclude_outside" } else { "" };
    format!("resize {mode} {coordinates} sizes={}{scales}{exclude}", list(r.sizes.iter(), shown))
}
