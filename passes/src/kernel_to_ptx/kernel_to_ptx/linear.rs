//! Numbers of elements in memory as sums: what is the same for all registers, and what each register adds.

use dlc_core::guard::{Condition, Guard};
use dlc_ir::affine::{Interval, SizeExpr};
use dlc_kernel::global::{names_axis, slope};

use super::values::Memory;
use crate::analysis::index_ranges::is_narrow;

/// The number of an element as a sum.
pub struct Linear<E> {
    pub number: E,
    /// What is added to it: neighbouring windows then count from the same element.
    pub constant: i64,
    /// By axis of the fragment; `None` where it is no multiple of the position.
    pub steps: Vec<Option<E>>,
    /// By axis, where windows are read along it: how often the step is taken from one position to the next, and next to the
    /// position, which is taken out of the number.
    pub windows: Vec<Option<(i64, i64)>>,
}

/// The number of an element as a sum with multiples of positions, if there are some.
pub fn linear(memory: &Memory, rank: usize) -> Option<Linear<SizeExpr>> {
    let mut number = memory.offset.clone();
    for (at, stride) in memory.at.iter().zip(&memory.strides) {
        number = number.add(&at.mul(stride).ok()?).ok()?;
    }
    let is_own = |step: &SizeExpr| (0..rank).all(|axis| !names_axis(step, axis));
    let steps: Vec<Option<SizeExpr>> = (0..rank).map(|axis| slope(&number, axis).filter(is_own)).collect();
    (rank == 0 || steps.iter().any(Option::is_some)).then_some(Linear {
        number,
        constant: 0,
        steps,
        windows: vec![None; rank],
    })
}

/// The constants that are taken out of numbers of elements: less than what such numbers are below 32 bits.
const MOST_CONSTANT: i64 = 1 << 24;

impl Linear<SizeExpr> {
    /// The same with the windows of axes whose positions a guard bounds: windows next to each other then have the same number,
    /// and as many steps besides as their positions and places in them are together. The guard of a window need not bound it
    /// on both sides.
    pub fn with_windows(mut self, guard: Option<&Guard>) -> Linear<SizeExpr> {
        let conditions = || guard.iter().flat_map(|guard| guard.pieces.iter().flatten());
        for axis in 0..self.steps.len() {
            let is_window = |condition: &Condition| names_axis(&condition.expr, axis);
            let Some(step) = self.steps[axis].as_ref().filter(|step| step.as_constant().is_none()) else { continue };
            let terms = step.terms();
            let (&[(each, ref factors)], true) = (terms.as_slice(), conditions().any(is_window)) else { continue };
            let once = step.floordiv(&each.into()).ok().filter(|_| each > 0);
            let own = self.number.terms().into_iter().find(|(_, other)| other == factors);
            let alongside = own.map_or(0, |(count, _)| count);
            let without = once.as_ref().and_then(|step| self.number.sub(&step.mul(&alongside.into()).ok()?).ok());
            if let Some(number) = without.filter(|_| alongside.abs().max(each) < MOST_CONSTANT) {
                (self.number, self.steps[axis], self.windows[axis]) = (number, once, Some((each, alongside)));
            }
        }
        self
    }

    /// The same with the constant of its number apart, where the number without it has as many bits.
    pub fn with_constant(
        self,
        extent: &SizeExpr,
        wide: bool,
        range_of: &dyn Fn(&SizeExpr) -> Interval,
    ) -> Linear<SizeExpr> {
        let terms = self.number.terms();
        let constant = terms.iter().find(|(_, factors)| factors.is_empty()).map_or(0, |(constant, _)| *constant);
        let least = SizeExpr::from(constant.saturating_abs());
        let fits = || wide || extent.add(&least).is_ok_and(|most| is_narrow(range_of(&most)));
        let without = self.number.sub(&constant.into()).ok();
        match without.filter(|_| constant != 0 && constant.saturating_abs() < MOST_CONSTANT && fits()) {
            Some(number) => Linear { number, constant, ..self },
            None => self,
        }
    }
}
