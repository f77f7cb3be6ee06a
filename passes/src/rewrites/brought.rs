//! Values of a region that are needed before the place where they are computed, or outside of the reduction that computes
//! them.

use dlc_ir::OpId;
use dlc_ir::ValueId;
use dlc_ir::body::{Body, CloneMap, InsertPoint};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::value_numbers::Numbers;

/// Values that were moved or copied to a place where they can be used.
pub struct Brought<'a> {
    numbers: &'a Numbers,
    map: CloneMap,
}

impl<'a> Brought<'a> {
    /// `replaced` are values that are gone, each with the one that it became.
    pub fn new(numbers: &'a Numbers, replaced: &FxHashMap<ValueId, ValueId>) -> Brought<'a> {
        let mut map = CloneMap::new();
        replaced.iter().for_each(|(&old, &new)| map.map_value(old, new));
        Brought { numbers, map }
    }

    /// Where a value can be used now.
    pub fn value(&self, value: ValueId) -> ValueId {
        self.map.value(value).unwrap_or(value)
    }

    /// Makes values usable at a place: what stands directly in the kernel is moved before `anchor`, what stands in a
    /// reduction is copied to the place.
    pub fn bring(&mut self, body: &mut Body, values: &[ValueId], to: InsertPoint, anchor: OpId) {
        let outer = body.block_of(anchor);
        let mut needed: FxHashSet<OpId> = FxHashSet::default();
        let mut work: Vec<ValueId> = values.to_vec();
        while let Some(value) = work.pop() {
            let Some(op) = body.defining_op(value) else { continue };
            let stays = body.block_of(op) == outer && body.is_before(op, anchor);
            if stays || !needed.insert(op) {
                continue;
            }
            work.extend(body.operands(op));
            let mut inner = Vec::new();
            body.walk_regions(op, &mut inner);
            let own: FxHashSet<OpId> = inner.iter().copied().collect();
            let free = |value: &ValueId| body.defining_op(*value).is_some_and(|op| !own.contains(&op));
            work.extend(inner.iter().flat_map(|&op| body.operands(op)).filter(free));
        }
        let mut seen: FxHashMap<u32, ValueId> = FxHashMap::default();
        for op in body.walk().into_iter().filter(|op| needed.contains(op)) {
            if body.block_of(op) == outer {
                body.move_op(op, InsertPoint::Before(anchor));
                continue;
            }
            // Two reductions may have read the same thing each for itself.
            let number = (body.num_results(op) == 1).then(|| *self.numbers.get(body.result(op, 0)));
            if let Some(&known) = number.and_then(|number| seen.get(&number)) {
                self.map.map_value(body.result(op, 0), known);
                continue;
            }
            let copy = body.clone_op(op, &mut self.map);
            body.insert(copy, to);
            if let Some(number) = number {
                seen.insert(number, body.result(copy, 0));
            }
        }
    }
}
