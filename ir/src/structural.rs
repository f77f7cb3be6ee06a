//! Equality of ops by what they consist of, for those who merge them.

use rustc_hash::FxHashMap;

use crate::body::Body;
use crate::entity::{BlockId, OpId, RegionId, ValueId};

/// Whether two ops of a body do the same to the same operands: name, operands, attributes, result types, and regions
/// alike up to the names of what is defined in them. Locations do not matter. Ops with successors, and isolated ops,
/// are equal to none.
pub fn equal_ops(body: &Body, a: OpId, b: OpId) -> bool {
    shallow_equal(body, a, b)
        && body.operands(a).eq(body.operands(b))
        && (body.regions(a).is_empty() || Same::default().regions(body, a, b))
}

/// Everything but operands and what is in the regions.
fn shallow_equal(body: &Body, a: OpId, b: OpId) -> bool {
    body.op_name(a) == body.op_name(b)
        && body.nested(a).is_none()
        && body.nested(b).is_none()
        && body.props(a) == body.props(b)
        && body.attrs(a) == body.attrs(b)
        && body.num_operands(a) == body.num_operands(b)
        && body.num_results(a) == body.num_results(b)
        && body.results(a).zip(body.results(b)).all(|(a, b)| body.value_type(a) == body.value_type(b))
        && body.regions(a).len() == body.regions(b).len()
        && body.successors(a).len() == body.successors(b).len()
}

/// What of the first region stands for what of the second.
#[derive(Default)]
struct Same {
    values: FxHashMap<ValueId, ValueId>,
    blocks: FxHashMap<BlockId, BlockId>,
    /// Operands that were met before what defines them.
    late: Vec<(ValueId, ValueId)>,
}

impl Same {
    fn regions(mut self, body: &Body, a: OpId, b: OpId) -> bool {
        let mut pairs: Vec<(RegionId, RegionId)> = Vec::new();
        let push = |pairs: &mut Vec<_>, a, b| {
            pairs.extend(body.regions(a).iter().copied().zip(body.regions(b).iter().copied()));
        };
        push(&mut pairs, a, b);
        while let Some((a, b)) = pairs.pop() {
            if !self.same_blocks(body, a, b) {
                return false;
            }
            for (a, b) in body.blocks(a).zip(body.blocks(b)) {
                let (mut next_a, mut next_b) = (body.first_op(a), body.first_op(b));
                while let (Some(a), Some(b)) = (next_a, next_b) {
                    if !self.same_op(body, a, b) {
                        return false;
                    }
                    push(&mut pairs, a, b);
                    (next_a, next_b) = (body.next_op(a), body.next_op(b));
                }
                if next_a.is_some() || next_b.is_some() {
                    return false;
                }
            }
        }
        self.late.iter().all(|(a, b)| self.values.get(a).unwrap_or(a) == b)
    }

    fn same_blocks(&mut self, body: &Body, a: RegionId, b: RegionId) -> bool {
        if body.blocks(a).count() != body.blocks(b).count() {
            return false;
        }
        for (a, b) in body.blocks(a).zip(body.blocks(b)) {
            let types = |block| body.args(block).iter().map(|&arg| body.value_type(arg));
            if !types(a).eq(types(b)) {
                return false;
            }
            self.blocks.insert(a, b);
            self.values.extend(body.args(a).iter().copied().zip(body.args(b).iter().copied()));
        }
        true
    }

    fn same_op(&mut self, body: &Body, a: OpId, b: OpId) -> bool {
        if !shallow_equal(body, a, b) {
            return false;
        }
        for (a, b) in body.operands(a).zip(body.operands(b)) {
            match self.values.get(&a) {
                Some(&known) if known != b => return false,
                Some(_) => {}
                None => self.late.push((a, b)),
            }
        }
        self.values.extend(body.results(a).zip(body.results(b)));
        body.successors(a).iter().zip(body.successors(b)).all(|(a, b)| self.blocks.get(a) == Some(b))
    }
}
