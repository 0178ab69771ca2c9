//! Scan: a Loop over slices, with its axes and directions around it.

use egret_ir::op::{PadAxis, SliceAxis};
use egret_ir::{DType, Dim, Literal, ValueId};

use crate::control::{Repeat, Repeated, Trips};
use crate::error::ProblemKind;
use crate::import::{Done, Importer};
use crate::inline::FlatNode;
use crate::lower::{Fail, bad, whole_slices};
use crate::node;
use crate::proto::GraphProto;

/// Batches of a Scan of opset 8 beyond this are not taken apart.
const MAX_ROWS: i64 = 64;

impl Importer<'_, '_, '_> {
    /// Scan: a Loop over slices, with its axes and directions around it.
    pub fn scan(
        &mut self,
        flat: &FlatNode,
        opset: i64,
        inputs: &[Option<ValueId>],
        captured: &[String],
    ) -> Result<Done, Fail> {
        let body = node::find(&flat.proto, "body").and_then(|a| a.g.as_deref());
        let body = body.ok_or_else(|| bad("body", ProblemKind::MissingAttribute))?;
        let old = opset < 9;
        let given = if old { inputs.get(1..).unwrap_or_default() } else { inputs };
        let given: Option<Vec<ValueId>> = given.iter().copied().collect();
        let given = given.ok_or_else(|| bad("inputs", ProblemKind::MissingInput))?;
        let count = node::int(&flat.proto, "num_scan_inputs", 0);
        let states = usize::try_from(count).ok().filter(|n| *n > 0).and_then(|n| given.len().checked_sub(n));
        let states = states.ok_or_else(|| {
            bad(
                "num_scan_inputs",
                ProblemKind::BadValue { value: count.to_string(), reason: "too many or none".into() },
            )
        })?;
        if body.input.len() != given.len() || body.output.len() < states {
            let kind = ProblemKind::Count { got: body.input.len(), min: given.len(), max: given.len() };
            return Err(bad("body", kind));
        }
        if old {
            let lengths = inputs.first().copied().flatten();
            return self.scan_batched(flat, body, lengths, &given, states, captured);
        }
        let list = |name: &str| node::ints(&flat.proto, name).map(<[i64]>::to_vec);
        let at = |list: &Option<Vec<i64>>, i: usize| list.as_ref().and_then(|l| l.get(i).copied()).unwrap_or(0);
        let (in_axes, in_ways) = (list("scan_input_axes"), list("scan_input_directions"));
        let (out_axes, out_ways) = (list("scan_output_axes"), list("scan_output_directions"));
        let mut scanned = Vec::new();
        for (i, v) in given[states..].iter().enumerate() {
            scanned.push(self.turned(flat, *v, at(&in_axes, i), at(&in_ways, i) != 0, false)?);
        }
        let values = match self.scan_of(flat, body, &given[..states], scanned, captured)? {
            Repeated::Values(values) | Repeated::Gone(values) => values,
            Repeated::Lost => return Ok(Done::Lost),
        };
        let mut results = Vec::with_capacity(values.len());
        for (i, v) in values.into_iter().enumerate() {
            let wanted = flat.proto.output.get(i).is_some_and(|n| !n.is_empty());
            results.push(match i.checked_sub(states) {
                Some(k) if wanted => self.turned(flat, v, at(&out_axes, k), at(&out_ways, k) != 0, true)?,
                _ => v,
            });
        }
        Ok(Done::Control(results))
    }

    fn scan_of(
        &mut self,
        flat: &FlatNode,
        body: &GraphProto,
        states: &[ValueId],
        scanned: Vec<ValueId>,
        captured: &[String],
    ) -> Result<Repeated, Fail> {
        let extent =
            |importer: &Self, v: ValueId| importer.graph.ty(v).as_tensor().and_then(|t| t.shape.first().cloned());
        let trip = scanned.first().and_then(|v| extent(self, *v));
        let trip = trip.ok_or_else(|| Fail::Opaque("a scan over nothing".to_owned()))?;
        if let Some(other) = scanned.iter().find(|v| extent(self, **v).as_ref() != Some(&trip)) {
            let other = extent(self, *other).unwrap_or(Dim::INVALID);
            return Err(self.lowering(flat, 9, &[]).misfit("scan inputs", &[other], &[trip]));
        }
        let repeat = Repeat {
            body,
            trips: Trips::Known(trip),
            condition: None,
            carried: states.to_vec(),
            scanned,
            controls: false,
        };
        self.repeated(flat, &repeat, captured)
    }

    /// A scanned axis brought to the front (or, with `back`, from the front to its place), reversed where asked for.
    fn turned(&mut self, flat: &FlatNode, v: ValueId, axis: i64, reverse: bool, back: bool) -> Result<ValueId, Fail> {
        let mut l = self.lowering(flat, 9, &[]);
        let shape = l.shape(v)?;
        let axis = l.axis("scan axes", axis, shape.len())?;
        let at = if back { 0 } else { axis };
        let mut v = v;
        if reverse {
            let mut slices = whole_slices(&shape);
            slices[at] = SliceAxis { start: shape[at].clone() - Dim::ONE, step: -1, len: shape[at].clone() };
            v = l.slice(v, slices)?;
        }
        let mut perm: Vec<usize> = (0..shape.len()).collect();
        if back {
            perm.remove(0);
            perm.insert(axis, 0);
        } else {
            perm.remove(axis);
            perm.insert(0, axis);
        }
        l.permute(v, &perm)
    }

    /// Scan of opset 8: operands have a batch axis before the scanned one. Each row of the batch is scanned on its own.
    fn scan_batched(
        &mut self,
        flat: &FlatNode,
        body: &GraphProto,
        lengths: Option<ValueId>,
        given: &[ValueId],
        states: usize,
        captured: &[String],
    ) -> Result<Done, Fail> {
        let known = match lengths {
            None => None,
            Some(v) => Some(self.lowering(flat, 8, &[]).numbers("sequence_lens", v)?),
        };
        let shape = self.lowering(flat, 8, &[]).shape(given[states])?;
        let rows = shape.first().and_then(Dim::as_const).filter(|n| (1..=MAX_ROWS).contains(n));
        let rows =
            rows.ok_or_else(|| Fail::Opaque("a batch of unknown size, of none or of very many rows".to_owned()))?;
        let steps = shape.get(1).cloned().ok_or_else(|| Fail::Opaque("a scan without an axis".to_owned()))?;
        let ways = node::ints(&flat.proto, "directions").map(<[i64]>::to_vec).unwrap_or_default();
        let mut all: Vec<Vec<ValueId>> = Vec::new();
        for row in 0..rows {
            let length = match &known {
                None => steps.clone(),
                Some(n) => Dim::from(n.get(row as usize).copied().unwrap_or(0)),
            };
            let mut parts = Vec::with_capacity(given.len());
            for (i, v) in given.iter().enumerate() {
                let mut l = self.lowering(flat, 8, &[]);
                let own = l.shape(*v)?;
                let part = l.slice_axis(*v, 0, Dim::from(row), Dim::ONE)?;
                let part = l.reshape(part, own.get(1..).unwrap_or_default())?;
                parts.push(match i.checked_sub(states) {
                    None => part,
                    Some(k) => {
                        let part = l.slice_axis(part, 0, Dim::ZERO, length.clone())?;
                        self.turned(flat, part, 0, ways.get(k) == Some(&1), false)?
                    }
                });
            }
            let scanned = parts.split_off(states);
            let values = match self.scan_of(flat, body, &parts, scanned, captured)? {
                Repeated::Values(values) | Repeated::Gone(values) => values,
                Repeated::Lost => return Ok(Done::Lost),
            };
            let mut padded = Vec::new();
            for (i, v) in values.into_iter().enumerate() {
                let wanted = i < states || flat.proto.output.get(i).is_some_and(|n| !n.is_empty());
                padded.push(if i >= states && wanted { self.padded(flat, v, &steps)? } else { v });
            }
            all.push(padded);
        }
        let count = all.first().map_or(0, Vec::len);
        let mut results = Vec::with_capacity(count);
        for i in 0..count {
            let rows: Vec<ValueId> = all.iter().map(|row| row[i]).collect();
            let wanted = flat.proto.output.get(i).is_some_and(|n| !n.is_empty());
            results.push(if wanted { self.stacked(flat, &rows)? } else { rows[0] });
        }
        Ok(Done::Control(results))
    }

    /// Zeros after the last slice, up to `steps`.
    fn padded(&mut self, flat: &FlatNode, v: ValueId, steps: &Dim) -> Result<ValueId, Fail> {
        let mut l = self.lowering(flat, 8, &[]);
        let t = l.tensor(v)?;
        let mut axes: Vec<PadAxis> =
            t.shape.iter().map(|_| PadAxis { lo: Dim::ZERO, hi: Dim::ZERO, inner: 0 }).collect();
        axes[0].hi = steps.clone() - t.shape[0].clone();
        let zero =
            l.literal(if t.dtype == DType::Bool { Literal::bool(false) } else { Literal::from_f64(t.dtype, 0.0) })?;
        l.pad(v, zero, axes)
    }
}
