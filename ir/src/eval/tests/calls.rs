//! Composites, recurrences and Resize.

use super::{all, one, t};
use crate::dim::Dim;
use crate::dtype::{DType, Literal};
use crate::op::Op;
use crate::op::call::{
    Activation, Call, Cell, Coordinates, Direction, GeluForm, NearestMode, Nms, Recurrent, RecurrentOperands, Resize,
    ResizeMode,
};
use crate::tensor::Tensor;

fn call(c: Call) -> Op {
    Op::Call(Box::new(c))
}

fn close(got: &Tensor, expected: &[f64], tolerance: f64) {
    let got = got.to_f64();
    assert_eq!(got.len(), expected.len());
    for (g, e) in got.iter().zip(expected) {
        assert!((g - e).abs() <= tolerance, "got {got:?}, expected {expected:?}");
    }
}

#[test]
fn softmax_and_its_logarithm() {
    let x = t(&[1, 3], &[1000f32, 1001., 1002.]);
    let p = [0.090_030_573_17, 0.244_728_471_05, 0.665_240_955_77];
    close(&one(call(Call::Softmax { axis: 1 }), std::slice::from_ref(&x)), &p, 1e-7);
    close(&one(call(Call::LogSoftmax { axis: 1 }), &[x]), &p.map(f64::ln), 1e-6);
    let row = one(call(Call::Softmax { axis: 0 }), &[t(&[2], &[f32::NEG_INFINITY; 2])]);
    assert!(row.to_f64().iter().all(|x| x.is_nan()), "an all −Inf row is NaN");
}

#[test]
fn normalizations_and_gelu() {
    let x = t(&[2, 2], &[1f32, 3., -5., 5.]);
    let (scale, bias) = (t(&[2], &[1f32, 2.]), t(&[2], &[0f32, 10.]));
    let c = Call::LayerNorm { axes: 1, epsilon: Literal::f32(0.0), stash: DType::F32 };
    close(&one(call(c), &[x, scale, bias]), &[-1., 12., -1., 12.], 1e-6);
    let c = Call::RmsNorm { axes: 1, epsilon: Literal::f32(0.5), stash: DType::F32 };
    let (x, scale) = (t(&[2, 2], &[1f32, 0., -5., 5.]), t(&[2], &[1f32, 2.]));
    close(&one(call(c), &[x, scale]), &[1., 0., -5. / 25.5f64.sqrt(), 10. / 25.5f64.sqrt()], 1e-6);
    let x = t(&[3], &[-1f32, 0., 2.]);
    close(&one(call(Call::Gelu(GeluForm::Erf)), std::slice::from_ref(&x)), &[-0.158_655_25, 0.0, 1.954_499_7], 1e-6);
    close(&one(call(Call::Gelu(GeluForm::Tanh)), &[x]), &[-0.158_808_0, 0.0, 1.954_597_7], 1e-6);
}

fn cell(cell: Cell, direction: Direction, activations: &[Activation]) -> Recurrent {
    Recurrent {
        cell,
        direction,
        hidden: 1,
        activations: activations.into(),
        clip: None,
        linear_before_reset: false,
        input_forget: false,
        operands: RecurrentOperands::default(),
    }
}

#[test]
fn rnn_in_both_directions_with_lengths() {
    // h' = x + h: running sums; the second row has length 2.
    let mut r =
        cell(Cell::Rnn, Direction::Bidirectional, &[Activation::Affine(Literal::f32(1.0), Literal::f32(0.0)); 2]);
    r.operands.lengths = true;
    let x = t(&[3, 2, 1], &[1f32, 10., 2., 20., 3., 30.]);
    let ones = t(&[2, 1, 1], &[1f32, 1.]);
    let out = all(call(Call::Recurrent(r)), &[x, ones.clone(), ones, t(&[2], &[3i32, 2])]);
    assert_eq!(out[0], t(&[3, 2, 2, 1], &[1f32, 10., 6., 30., 3., 30., 5., 20., 6., 0., 3., 0.]));
    assert_eq!(out[1], t(&[2, 2, 1], &[6f32, 30., 6., 30.]));
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn lstm_step_by_the_formulas() {
    let mut r = cell(Cell::Lstm, Direction::Forward, &[Activation::Sigmoid, Activation::Tanh, Activation::Tanh]);
    r.operands = RecurrentOperands { bias: true, initial_h: true, initial_c: true, peephole: true, lengths: false };
    let (w, u) = ([0.5, -0.4, 0.3, 0.8], [0.1, 0.2, -0.3, 0.4]);
    let (wb, rb, p) = ([0.01, 0.02, 0.03, 0.04], [0.1, -0.1, 0.2, -0.2], [0.7, -0.6, 0.5]);
    let (x, h, c) = (1.5, 0.25, -0.75);
    let pre = |g: usize| w[g] * x + u[g] * h + wb[g] + rb[g];
    let i = sigmoid(pre(0) + p[0] * c);
    let f = sigmoid(pre(2) + p[2] * c);
    let c1 = f * c + i * pre(3).tanh();
    let o = sigmoid(pre(1) + p[1] * c1);
    let h1 = o * c1.tanh();
    let biases: Vec<f64> = wb.iter().chain(&rb).copied().collect();
    let args = [
        t(&[1, 1, 1], &[x]),
        t(&[1, 4, 1], &w),
        t(&[1, 4, 1], &u),
        t(&[1, 8], &biases),
        t(&[1, 1, 1], &[h]),
        t(&[1, 1, 1], &[c]),
        t(&[1, 3], &p),
    ];
    let out = all(call(Call::Recurrent(r.clone())), &args);
    close(&out[0], &[h1], 1e-15);
    close(&out[1], &[h1], 1e-15);
    close(&out[2], &[c1], 1e-15);
    r.input_forget = true;
    let c2 = (1.0 - i) * c + i * pre(3).tanh();
    close(&all(call(Call::Recurrent(r.clone())), &args)[2], &[c2], 1e-15);
    r.input_forget = false;
    r.clip = Some(Literal::from_f64(DType::F64, 0.1));
    let clip = |x: f64| x.clamp(-0.1, 0.1);
    let c3 = sigmoid(clip(pre(2) + p[2] * c)) * c + sigmoid(clip(pre(0) + p[0] * c)) * clip(pre(3)).tanh();
    let h3 = sigmoid(clip(pre(1) + p[1] * c3)) * clip(c3).tanh();
    let out = all(call(Call::Recurrent(r)), &args);
    close(&out[2], &[c3], 1e-15);
    close(&out[1], &[h3], 1e-15);
}

#[test]
fn gru_step_by_the_formulas() {
    let mut r = cell(Cell::Gru, Direction::Reverse, &[Activation::Sigmoid, Activation::Tanh]);
    r.operands = RecurrentOperands { bias: true, initial_h: true, ..RecurrentOperands::default() };
    let (w, u, b) = ([0.5, -0.4, 0.3], [0.1, 0.2, -0.3], [0.01, 0.02, 0.03, 0.1, -0.1, 0.2]);
    let (x, h) = (1.5, 0.25);
    let z = sigmoid(w[0] * x + u[0] * h + b[0] + b[3]);
    let reset = sigmoid(w[1] * x + u[1] * h + b[1] + b[4]);
    let candidate = (w[2] * x + u[2] * (reset * h) + b[5] + b[2]).tanh();
    let args = [t(&[1, 1, 1], &[x]), t(&[1, 3, 1], &w), t(&[1, 3, 1], &u), t(&[1, 6], &b), t(&[1, 1, 1], &[h])];
    let out = all(call(Call::Recurrent(r.clone())), &args);
    close(&out[1], &[(1.0 - z) * candidate + z * h], 1e-15);
    r.linear_before_reset = true;
    let candidate = (w[2] * x + reset * (u[2] * h + b[5]) + b[2]).tanh();
    close(&all(call(Call::Recurrent(r)), &args)[1], &[(1.0 - z) * candidate + z * h], 1e-15);
}

fn resize(mode: ResizeMode, coordinates: Coordinates, to: i64, scale: Option<f32>, exclude_outside: bool) -> Op {
    let scales = scale.map(|s| [Literal::f32(s)].into());
    call(Call::Resize(Resize { mode, coordinates, sizes: [Dim::from(to)].into(), scales, exclude_outside }))
}

#[test]
fn resize_in_its_modes() {
    let x = t(&[4], &[1f32, 2., 3., 4.]);
    let run = |op| one(op, std::slice::from_ref(&x));
    use Coordinates::{AlignCorners, Asymmetric, HalfPixel, HalfPixelSymmetric, PytorchHalfPixel};
    let floor = ResizeMode::Nearest(NearestMode::Floor);
    close(&run(resize(floor, Asymmetric, 8, Some(2.0), false)), &[1., 1., 2., 2., 3., 3., 4., 4.], 0.0);
    let ceil = ResizeMode::Nearest(NearestMode::Ceil);
    close(&run(resize(ceil, Asymmetric, 8, Some(2.0), false)), &[1., 2., 2., 3., 3., 4., 4., 4.], 0.0);
    // Half-pixel coordinates of a halving are 0.5 and 2.5.
    let prefer = |m| ResizeMode::Nearest(m);
    close(&run(resize(prefer(NearestMode::RoundPreferFloor), HalfPixel, 2, None, false)), &[1., 3.], 0.0);
    close(&run(resize(prefer(NearestMode::RoundPreferCeil), HalfPixel, 2, None, false)), &[2., 4.], 0.0);
    let linear = ResizeMode::Linear;
    close(&run(resize(linear, HalfPixel, 8, Some(2.0), false)), &[1., 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4.], 1e-6);
    close(&run(resize(linear, AlignCorners, 7, None, false)), &[1., 1.5, 2., 2.5, 3., 3.5, 4.], 1e-6);
    close(&run(resize(linear, PytorchHalfPixel, 1, Some(0.25), false)), &[1.], 1e-6);
    close(&run(resize(linear, HalfPixelSymmetric, 2, Some(0.6), false)), &[1.666_666_7, 3.333_333_3], 1e-5);
    // The standard's cubic example (a = −0.75) on a 4×4 ramp has the first row c(i) + 4·(c(0) − 1) of these c.
    let cubic = ResizeMode::Cubic(Literal::f32(-0.75));
    let expected =
        [0.894_531_25, 1.191_406_25, 1.667_968_75, 2.296_875, 2.703_125, 3.332_031_25, 3.808_593_75, 4.105_468_75];
    close(&run(resize(cubic, HalfPixel, 8, Some(2.0), false)), &expected, 1e-6);
    // With exclude_outside the weights still add up to one: constants stay.
    let flat = one(resize(cubic, HalfPixel, 8, Some(2.0), true), &[t(&[4], &[5f32; 4])]);
    close(&flat, &[5.0; 8], 1e-6);
}

#[test]
fn determinants_pivot() {
    let det = |shape: &[usize], x: &[f64]| one(call(Call::Det), &[t(shape, x)]);
    close(&det(&[2, 2], &[1., 2., 3., 4.]), &[-2.0], 1e-15);
    // The first pivot is zero; by the rule of Sarrus.
    close(&det(&[3, 3], &[0., 2., 1., 4., 1., 3., 2., 5., 7.]), &[-26.0], 1e-14);
    close(&det(&[3, 3], &[1., 2., 3., 2., 4., 6., 1., 1., 1.]), &[0.0], 1e-15);
    close(&det(&[2, 1, 1], &[5., -3.]), &[5., -3.], 0.0);
    close(&det(&[0, 0], &[]), &[1.0], 0.0);
}

#[test]
fn boxes_that_overlap_give_way() {
    // The boxes of the standard's examples: two pairs that overlap, one far away that overlaps with its neighbour.
    let boxes: [f32; 24] = [
        0.0, 0.0, 1.0, 1.0, 0.0, 0.1, 1.0, 1.1, 0.0, -0.1, 1.0, 0.9, 0.0, 10.0, 1.0, 11.0, 0.0, 10.1, 1.0, 11.1, 0.0,
        100.0, 1.0, 101.0,
    ];
    let scores = t(&[1, 1, 6], &[0.9f32, 0.75, 0.6, 0.95, 0.5, 0.3]);
    let nms = |boxes: &[f32], center_point: bool, keep: i64, most: i64, score: f32| {
        let op = call(Call::NonMaxSuppression(Nms { center_point, keep: Dim::from(keep) }));
        let [most, share, score] = [t(&[], &[most]), t(&[], &[0.5f32]), t(&[], &[score])];
        let out = all(op, &[t(&[1, 6, 4], boxes), scores.clone(), most, share, score]);
        let count = out[1].get(0).to_i64() as usize;
        let rows: Vec<i64> = (0..out[0].len()).map(|i| out[0].get(i).to_i64()).collect();
        assert!(rows[3 * count..].iter().all(|x| *x == 0));
        (out[0].shape().to_vec(), rows.chunks(3).take(count).map(|r| r[2]).collect::<Vec<_>>())
    };
    assert_eq!(nms(&boxes, false, 6, 3, 0.0), (vec![6, 3], vec![3, 0, 5]));
    assert_eq!(nms(&boxes, false, 6, 3, 0.4), (vec![6, 3], vec![3, 0]));
    assert_eq!(nms(&boxes, false, 6, 2, 0.0), (vec![6, 3], vec![3, 0]));
    assert_eq!(nms(&boxes, false, 1, 9, 0.0), (vec![1, 3], vec![3]));
    assert_eq!(nms(&boxes, false, 6, 0, 0.0), (vec![6, 3], vec![]));
    let centers: Vec<f32> = boxes
        .chunks(4)
        .flat_map(|b| [f32::midpoint(b[1], b[3]), f32::midpoint(b[0], b[2]), b[3] - b[1], b[2] - b[0]])
        .collect();
    assert_eq!(nms(&centers, true, 6, 3, 0.0), (vec![6, 3], vec![3, 0, 5]));
    // Corners in another order are the same boxes.
    let flipped: Vec<f32> = boxes.chunks(4).flat_map(|b| [b[2], b[3], b[0], b[1]]).collect();
    assert_eq!(nms(&flipped, false, 6, 3, 0.0), (vec![6, 3], vec![3, 0, 5]));
}

#[test]
fn natives_read_as_they_print() {
    let text = "graph \"g\" {\n  %0 = input \"x\" : f32[2,n,n]\n  %1 = det %0 : f32[2]\n  %2 = input \"b\" : f32[1,6,4]\n  \
                %3 = input \"s\" : f32[1,2,6]\n  %4 = 3i64 : i64[]\n  %5 = 0.5f32 : f32[]\n  %6 = nms centers 3 %2, %3, %4, \
                %5, %5 : (i64[6,3], i64[])\n  %7 = nms corners 6 %2, %3, %4, %5, %5 : (i64[12,3], i64[])\n  %8 = proj 0 %6 \
                : i64[6,3]\n  %9 = proj 1 %7 : i64[]\n  return \"d\" %1, \"rows\" %8, \"n\" %9\n}\n";
    assert_eq!(crate::text::print(&crate::text::parse(text).unwrap()), text);
}
