//! Integers that rounding may turn to a neighbour, followed to where they become floats again.
//!
//! A quantized layer rounds to integers and scales them back. An honest engine whose value lies within its bound of a tie
//! gives the neighbouring integer there, a whole step away, and nowhere else. The interpreter's integers have no error to
//! carry, so each such array has a *shadow* beside it: the same integers as f64 with bounds on how far they may be off.
//! Shadows go through index maps, sums, products and clamps; a cast to floats takes them up. Any other kind drops them,
//! and its result is asked to be exact.

use egret_ir::eval::{Array, Bindings, Data, Domain, EvalError, Native, Real, Value, eval_node};
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Graph, ValueId};

use crate::bound::{Bound, Bounded};

/// A value with what is known beside it.
pub type Shaded<F> = (Value<F>, Option<Array<F>>);

/// Domains by what they know of integers beside their values; by default nothing.
pub trait Integers: Domain {
    /// The value of node `v` and its shadow, from its operands, their shadows, and its value without them.
    fn shade(
        &self,
        _graph: &Graph,
        _v: ValueId,
        _args: &[&Value<Self::Float>],
        _shadows: &[Option<&Array<Self::Float>>],
        value: Value<Self::Float>,
        _bindings: &Bindings,
    ) -> Result<Shaded<Self::Float>, EvalError> {
        Ok((value, None))
    }
}

impl Integers for Real {}
impl Integers for Native {}

impl Integers for Bounded<'_> {
    fn shade(
        &self,
        graph: &Graph,
        v: ValueId,
        args: &[&Value<Bound>],
        shadows: &[Option<&Array<Bound>>],
        value: Value<Bound>,
        bindings: &Bindings,
    ) -> Result<Shaded<Bound>, EvalError> {
        let (Some(result), true) = (value.tensor(), self.follows_turned()) else { return Ok((value, None)) };
        let op = &graph.node(v).op;
        let from = args.first().and_then(|a| a.tensor()).map(Array::data);
        match (op, from, result.data(), shadows.first()) {
            (Op::Map(Scalar::Cast(_)), Some(Data::Float(_)), Data::Int(to), _) => {
                let Some(off) = self.turned(to.len()) else { return Ok((value, None)) };
                let bounds = to.iter().zip(&off).map(|(y, off)| Bound { y: *y as f64, e: *off as f64 }).collect();
                let shadow = Array::float(DType::F64, result.shape(), bounds);
                Ok((value, Some(shadow)))
            }
            (Op::Map(Scalar::Cast(_)), _, Data::Float(y), Some(Some(shadow))) => {
                let bounds = y.iter().zip(bounds(shadow)).map(|(y, s)| Bound { y: y.y, e: y.e + s.e }).collect();
                Ok((Array::float(result.dtype(), result.shape(), bounds).into(), None))
            }
            (_, _, Data::Int(_), _) if follows(op) && shadows.iter().any(Option::is_some) => {
                let shaded = |(a, shadow): (&&Value<Bound>, Option<&Array<Bound>>)| match (a.tensor(), shadow) {
                    (_, Some(shadow)) => Value::from(shadow.clone()),
                    (Some(a), None) => match a.ints() {
                        Some(x) => {
                            let exact = x.iter().map(|x| Bound::exact(*x as f64)).collect();
                            Array::float(DType::F64, a.shape(), exact).into()
                        }
                        None => a.clone().into(),
                    },
                    (None, None) => (*a).clone(),
                };
                let operands: Vec<Value<Bound>> = args.iter().zip(shadows.iter().copied()).map(shaded).collect();
                let shadow = match op {
                    Op::Map(Scalar::Cast(_)) => operands.into_iter().next(),
                    _ => Some(eval_node(graph, v, self, &operands.iter().collect::<Vec<_>>(), bindings)?),
                };
                // Where the integers wrap they are somewhere else.
                let same = |s: &Array<Bound>| match result.data() {
                    Data::Int(y) => y.iter().zip(bounds(s)).all(|(y, s)| *y as f64 == s.y),
                    Data::Float(_) | Data::Bool(_) => false,
                };
                let shadow = shadow.and_then(|s| s.tensor().cloned()).filter(same);
                let off = shadow.as_ref().map(|s| bounds(s).iter().map(|b| b.e as i64).collect());
                self.note_turned(result.len(), off);
                Ok((value, shadow))
            }
            _ => Ok((value, None)),
        }
    }
}

fn bounds(shadow: &Array<Bound>) -> &[Bound] {
    shadow.floats().unwrap_or_default()
}

/// Kinds that shadows go through: the same arithmetic on f64.
fn follows(op: &Op) -> bool {
    match op {
        Op::Map(f) => matches!(
            f,
            Scalar::Cast(_)
                | Scalar::Add
                | Scalar::Sub
                | Scalar::Mul
                | Scalar::Neg
                | Scalar::Abs
                | Scalar::Min
                | Scalar::Max
                | Scalar::Select
        ),
        Op::Permute(_) | Op::Reshape(_) | Op::Broadcast(_) | Op::Slice(_) | Op::Pad(_) | Op::Concat(_) => true,
        Op::Input(_)
        | Op::Const(_)
        | Op::Dim(_)
        | Op::Iota { .. }
        | Op::Gather(_)
        | Op::Scatter(..)
        | Op::Reduce { .. }
        | Op::Contract { .. }
        | Op::ArgSort { .. }
        | Op::If(..)
        | Op::Loop(_)
        | Op::Call(_)
        | Op::Opaque(_)
        | Op::Proj(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::profile::Profile;
    use crate::region::{NoOpaques, Region, evaluate};

    const GROUP: &str = r#"graph "quantize, move, dequantize" {
  %0 = input "x" : f32[3]
  %1 = 0.5f32 : f32[]
  %2 = broadcast [0:3] %1 : f32[3]
  %3 = map div %0, %2 : f32[3]
  %4 = map round %3 : f32[3]
  %5 = 128.0f32 : f32[]
  %6 = broadcast [0:3] %5 : f32[3]
  %7 = map add %4, %6 : f32[3]
  %8 = map cast:u8 %7 : u8[3]
  %9 = reshape [1,3] %8 : u8[1,3]
  %10 = map cast:i32 %9 : i32[1,3]
  %11 = 128i32 : i32[]
  %12 = broadcast [0:1,1:3] %11 : i32[1,3]
  %13 = map sub %10, %12 : i32[1,3]
  %14 = map cast:f32 %13 : f32[1,3]
  %15 = broadcast [0:1,1:3] %1 : f32[1,3]
  %16 = map mul %14, %15 : f32[1,3]
  return "y" %16
}
"#;

    fn bounds_of(domain: &Bounded<'_>) -> Vec<Bound> {
        let graph = egret_ir::text::parse(GROUP).unwrap();
        let (x, y) = (graph.inputs.iter().zip(graph.values()).next().unwrap().1, graph.outputs[0].value);
        let region = Region::behind(&graph, &[y], &|_| false);
        // 2.5 steps, a tie; 2 steps; 2.5 steps and 12 parts in a million, which no division errs by.
        let values = [1.25, 1.0, 1.250_015].map(Bound::exact).to_vec();
        let given = BTreeMap::from([(x, Array::float(DType::F32, [3], values))]);
        let y = evaluate(&graph, &region, domain, &given, &mut Bindings::default(), &NoOpaques).unwrap();
        y[0].floats().unwrap().to_vec()
    }

    #[test]
    fn a_step_is_within_the_bound_at_a_tie_and_nowhere_else() {
        let profile = Profile::load("compiled").unwrap();
        let domain = Bounded::new(&profile, None);
        let y = bounds_of(&domain);
        assert_eq!(y.iter().map(|b| b.y).collect::<Vec<_>>(), [1.0, 1.0, 1.5]);
        assert!((y[0].e - 0.5).abs() < 1e-6, "{y:?}");
        assert!(y[1].e < 1e-6 && y[2].e < 1e-6, "{y:?}");
        assert!(domain.has_turned());
        let strict = bounds_of(&Bounded::new(&profile, None).without_turns());
        assert!(strict.iter().all(|b| b.e < 1e-6), "{strict:?}");
    }

    /// An error of 256 steps turns nothing back to where it was: u8 wraps there.
    #[test]
    fn an_error_beyond_the_type_is_not_lost() {
        let profile = Profile::load("compiled").unwrap();
        let domain = Bounded::new(&profile, None);
        let wide = [Bound { y: 100.0, e: 256.0 }, Bound { y: 100.0, e: 1e9 }, Bound { y: 100.0, e: 0.0 }];
        assert_eq!(domain.to_int(DType::U8, &wide).unwrap(), [100; 3]);
        assert_eq!(domain.turned(3).unwrap(), [255, 255, 0]);
    }
}
