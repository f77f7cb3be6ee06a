//! Values that terminators hand to the arguments of blocks.

use std::ops::Range;

use smallvec::SmallVec;

use crate::attrs::Attr;
use crate::body::{Body, OpRef};
use crate::context::{Context, Str};
use crate::entity::{BlockId, OpId, ValueId};
use crate::op::Arity;

/// What a terminator with several successors offers to passes that know values: which of them it goes to. A table for
/// [`Interface::of`](crate::op::Interface::of).
pub struct Branching {
    /// The successor that control goes to, given the constant of each operand; `None` when it may be any.
    pub taken: fn(OpRef<'_>, &[Option<Attr>]) -> Option<usize>,
}

/// Whether every operand that an op hands to its successors is known by its declaration. Where it is not, the
/// arguments of the successors come from an unknown place.
pub fn is_understood(op: OpRef<'_>) -> bool {
    op.successors().is_empty() || {
        let blocks = op.successors().iter().enumerate();
        op.ctx.is_registered(op.op_name())
            && blocks.into_iter().all(|(index, &block)| op.successor_operands(index).len() == op.body.args(block).len())
    }
}

/// The value that becomes an argument of a successor.
pub fn forwarded(op: OpRef<'_>, successor: usize, arg: usize) -> ValueId {
    op.operand(op.successor_operands(successor).start + arg)
}

/// Every terminator that goes to a block, with the index of the successor.
pub fn predecessors(body: &Body, block: BlockId) -> SmallVec<[(OpId, usize); 4]> {
    let Some(region) = body.region_of(block) else { return SmallVec::new() };
    let ends = body.blocks(region).filter_map(|block| body.last_op(block));
    ends.flat_map(|op| body.successors(op).iter().enumerate().map(move |(index, &to)| (op, index, to)))
        .filter(|&(_, _, to)| to == block)
        .map(|(op, index, _)| (op, index))
        .collect()
}

/// Takes out operands of an op, keeping the sizes of its groups right.
pub fn erase_operands(ctx: &Context, body: &mut Body, op: OpId, erase: impl Fn(usize) -> bool) {
    let view = OpRef::new(ctx, body, op);
    let groups: Vec<Range<usize>> = (0..view.def().operands.len()).map(|group| view.operand_group(group)).collect();
    let kept: SmallVec<[ValueId; 4]> =
        view.operands().enumerate().filter(|&(index, _)| !erase(index)).map(|(_, value)| value).collect();
    if kept.len() == view.operands().len() {
        return;
    }
    let has_segments = view.def().operands.iter().filter(|operand| operand.arity != Arity::One).count() > 1;
    body.set_operands(op, &kept);
    if has_segments {
        let sizes: Vec<i32> = groups.into_iter().map(|group| group.filter(|&i| !erase(i)).count() as i32).collect();
        let segments = ctx.i32_array(&sizes);
        body.set_prop(ctx, op, Str::OPERAND_SEGMENTS, Some(segments));
    }
}
