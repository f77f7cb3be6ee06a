//! What the reads of a kernel say of its tensors.

use dlc_ir::affine::{SizeExpr, gcd};
use dlc_ir::{Body, Context, ValueId};
use dlc_region::ops::Read;

use super::super::runs::run_of;
use super::super::windows::At;
use super::{Facts, argument, bits, is_box, read_along};
use crate::analysis::axes::axes;
use crate::plan::shape::Neighbours;

/// The bits that come from memory together.
const WORD: f64 = 256.0;

impl Facts {
    /// Adds what a read says of the tensor that it reads.
    pub(super) fn read(&mut self, ctx: &Context, body: &Body, read: Read<'_>, args: &[ValueId]) {
        let is_axis = |at: &SizeExpr| at.as_symbol().is_some();
        let plain = read.guard().is_none() && read.at().iter().all(is_axis);
        let is_matrix = read.guard().is_none() && read.at().iter().all(|at| is_axis(at) || at.as_constant().is_some());
        self.pieces |= !plain;
        let Some(at) = argument(body, read.source(), args) else { return };
        let mut found = read_along(ctx, body, read);
        if read.indices().next().is_some() {
            // A position that is a value is another one along all axes that the value has.
            let others = axes(ctx, body, read.out()).into_iter().filter(|axis| !found.iter().any(|own| own == axis));
            let others: Vec<String> = others.map(String::from).collect();
            found.splice(..0, others);
        }
        let (along, phased) = match Neighbours::of(&read.at()) {
            Some(Neighbours { axis, phase: None, .. }) => (Some(axis), None),
            Some(Neighbours { axis, .. }) => (None, Some(axis)),
            None => (None, None),
        };
        self.reads.push(At { input: at, at: read.at() });
        let points = self.points(axes(ctx, body, read.out()));
        let input = &mut self.inputs[at];
        input.phased = phased.or(input.phased.take());
        if input.reads == 0 || found.len() > input.axes.len() {
            input.axes = found;
        }
        input.plain &= plain && along.is_some();
        let asks =
            |axis: &str| read.guard().is_some_and(|guard| guard.exprs().any(|expr| expr.symbols().contains(axis)));
        input.in_rows &= along.as_deref().is_some_and(|axis| !asks(axis));
        input.has_boxes &= is_box(ctx, body, read);
        input.run = gcd(input.run, run_of(read, &axes(ctx, body, read.out())).unwrap_or(1));
        let is_value = |at: &SizeExpr| at.as_symbol().is_some_and(|name| name.starts_with('_'));
        let is_scattered = read.at().last().is_some_and(is_value);
        input.scattered += usize::from(is_scattered);
        input.indexed += usize::from(read.indices().next().is_some());
        let word = if is_scattered { (WORD / bits(ctx, input.elem)).max(1.0) } else { 1.0 };
        let all = input.elems;
        let own = if read.indices().next().is_some() { points * word } else { all };
        input.touched = (input.touched + own).min(all);
        input.is_matrix &= is_matrix && along.is_some();
        input.along.extend(along.filter(|axis| !input.along.contains(axis)));
        input.reads += 1;
    }
}
