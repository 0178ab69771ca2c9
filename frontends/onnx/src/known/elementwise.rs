//! Elementwise arithmetic on known values.

use egret_ir::{DType, Dim};

use super::{Elem, Known, MAX_ELEMENTS, positions};
use crate::lower::Lower;

/// An operator of one operand, where it takes part.
pub fn unary(op: &str, x: &Known) -> Option<Known> {
    let elem = |e: &Elem| {
        Some(match (op, e) {
            ("Neg", Elem::Int(d)) => Elem::Int(Dim::ZERO - d.clone()),
            ("Abs", Elem::Int(d)) => Elem::Int(Dim::from(d.as_const()?.checked_abs()?)),
            ("Neg", Elem::Float(x)) => Elem::Float(-x),
            ("Abs", Elem::Float(x)) => Elem::Float(x.abs()),
            ("Floor", Elem::Float(x)) => Elem::Float(x.floor()),
            ("Ceil", Elem::Float(x)) => Elem::Float(x.ceil()),
            ("Sqrt", Elem::Float(x)) => Elem::Float(x.sqrt()),
            ("Not", Elem::Bool(b)) => Elem::Bool(!b),
            _ => return None,
        })
    };
    Some(Known { elems: x.elems.iter().map(elem).collect::<Option<_>>()?, ..x.clone() })
}

/// An operator of two operands; comparisons only where the order of the extents follows from their bounds.
pub fn binary(l: &Lower<'_>, op: &str, a: &Known, b: &Known) -> Option<Known> {
    let symbols = l.symbols();
    let negative = |d: &Dim| (Dim::from(-1i64) - d.clone()).lower_bound(symbols).is_some_and(|lo| lo >= 0);
    let positive = |d: &Dim| (d.clone() - Dim::ONE).lower_bound(symbols).is_some_and(|lo| lo >= 0);
    // The sign of a − b, where it follows.
    let order = |a: &Dim, b: &Dim| {
        let gap = a.clone() - b.clone();
        match gap.as_const() {
            Some(c) => Some(c.cmp(&0)),
            None if positive(&gap) => Some(std::cmp::Ordering::Greater),
            None if negative(&gap) => Some(std::cmp::Ordering::Less),
            None => None,
        }
    };
    let integer = |a: &Dim, b: &Dim| {
        Some(match op {
            "Add" => Elem::Int(a.clone() + b.clone()),
            "Sub" => Elem::Int(a.clone() - b.clone()),
            "Mul" => Elem::Int(a.clone() * b.clone()),
            "Min" => Elem::Int(a.smaller(b)),
            "Max" => Elem::Int(a.larger(b)),
            // Integer division truncates; on extents that is the floor.
            "Div" | "Mod" => match (a.as_const(), b.as_const()) {
                (Some(a), Some(b)) if op == "Div" => Elem::Int(Dim::from(a.checked_div(b)?)),
                _ if a.lower_bound(symbols)? >= 0 && positive(b) => {
                    Elem::Int(if op == "Div" { a.floor_div(b) } else { a.modulo(b) })
                }
                (Some(_), Some(_)) => Elem::Int(a.modulo(b)),
                _ => return None,
            },
            "Equal" => Elem::Bool(order(a, b)?.is_eq()),
            "Less" => Elem::Bool(order(a, b)?.is_lt()),
            "LessOrEqual" => Elem::Bool(order(a, b)?.is_le()),
            "Greater" => Elem::Bool(order(a, b)?.is_gt()),
            "GreaterOrEqual" => Elem::Bool(order(a, b)?.is_ge()),
            _ => return None,
        })
    };
    let float = |a: f32, b: f32| {
        Some(match op {
            "Add" => Elem::Float(a + b),
            "Sub" => Elem::Float(a - b),
            "Mul" => Elem::Float(a * b),
            "Div" => Elem::Float(a / b),
            "Equal" => Elem::Bool(a == b),
            "Less" => Elem::Bool(a < b),
            "LessOrEqual" => Elem::Bool(a <= b),
            "Greater" => Elem::Bool(a > b),
            "GreaterOrEqual" => Elem::Bool(a >= b),
            _ => return None,
        })
    };
    if a.dtype != b.dtype {
        return None;
    }
    let compares = matches!(op, "Equal" | "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual");
    broadcast(&[a, b], if compares { DType::Bool } else { a.dtype }, |e| match e {
        [Elem::Int(a), Elem::Int(b)] => integer(a, b),
        [Elem::Float(a), Elem::Float(b)] => float(*a, *b),
        [Elem::Bool(a), Elem::Bool(b)] => match op {
            "And" => Some(Elem::Bool(*a && *b)),
            "Or" => Some(Elem::Bool(*a || *b)),
            "Equal" => Some(Elem::Bool(a == b)),
            _ => None,
        },
        _ => None,
    })
}

/// `f` of the elements that numpy's broadcasting brings together.
pub fn broadcast(parts: &[&Known], dtype: DType, f: impl Fn(&[&Elem]) -> Option<Elem>) -> Option<Known> {
    let rank = parts.iter().map(|p| p.shape.len()).max()?;
    let mut shape = vec![1; rank];
    for p in parts {
        for (to, d) in shape[rank - p.shape.len()..].iter_mut().zip(&p.shape) {
            if *to == 1 {
                *to = *d;
            } else if *d != 1 && d != to {
                return None;
            }
        }
    }
    if shape.iter().product::<usize>() > MAX_ELEMENTS {
        return None;
    }
    let elems = positions(&shape)
        .map(|at| {
            let picked: Vec<&Elem> = parts
                .iter()
                .map(|p| {
                    let own = &at[rank - p.shape.len()..];
                    let flat =
                        own.iter().zip(&p.shape).zip(p.strides()).map(|((i, d), s)| if *d == 1 { 0 } else { i * s });
                    &p.elems[flat.sum::<usize>()]
                })
                .collect();
            f(&picked)
        })
        .collect::<Option<_>>()?;
    Some(Known { dtype, shape, elems })
}
