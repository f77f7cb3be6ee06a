//! Where what leaves a loop of branches goes: the block that is run once whenever the loop is entered.

use dlc_ir::body::{Body, OpParts, OpRef};
use dlc_ir::op::{Arity, OpDef, Traits};
use dlc_ir::rewrite::branches::{erase_operands, is_understood, predecessors};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{BlockId, Context, OpId, ValueId};

/// A way into a loop: a branch, and which of its successors.
type Edge = (OpId, usize);

/// The block before a loop.
pub enum Preheader {
    /// It is there: it goes nowhere else.
    There(BlockId),
    /// It is to be made on these ways into the loop, and ends with this op.
    Missing(SmallVec<[Edge; 4]>, &'static OpDef),
}

impl Preheader {
    /// The block before a loop with these blocks, the head first. `None` where none can be made: it is not known what
    /// a branch forwards, or there is no op that only goes to a block.
    pub fn of(ctx: &Context, body: &Body, blocks: &[BlockId]) -> Option<Preheader> {
        let head = *blocks.first()?;
        let mut edges = predecessors(body, head);
        edges.retain(|(op, _)| body.block_of(*op).is_some_and(|block| !blocks.contains(&block)));
        if let [(op, _)] = edges.as_slice()
            && body.successors(*op).len() == 1
        {
            return body.block_of(*op).map(Preheader::There);
        }
        let (first, _) = edges.first()?;
        let jump = jump(ctx, OpRef::new(ctx, body, *first).def().dialect())?;
        let understood = edges.iter().all(|&(op, _)| is_understood(OpRef::new(ctx, body, op)));
        understood.then_some(Preheader::Missing(edges, jump))
    }

    /// The block, made if it is missing.
    pub fn block(self, ctx: &Context, body: &mut Body, head: BlockId) -> BlockId {
        let (edges, jump) = match self {
            Preheader::There(block) => return block,
            Preheader::Missing(edges, jump) => (edges, jump),
        };
        let block = body.create_block();
        let taken: Vec<ValueId> = body.args(head).to_vec();
        for (index, &arg) in taken.iter().enumerate() {
            body.add_arg(block, body.value_type(arg), body.arg_loc(head, index));
        }
        if let Some(region) = body.region_of(head) {
            body.insert_block(block, region, Some(head));
        }
        let loc = edges.first().map_or(dlc_ir::Loc::UNKNOWN, |&(op, _)| body.loc(op));
        // What all ways forward alike goes on to be that.
        let alike: Vec<Option<ValueId>> = (0..taken.len()).map(|index| handed_on(ctx, body, &edges, index)).collect();
        for &(op, successor) in &edges {
            body.set_successor(op, successor, block);
        }
        let args: Vec<ValueId> = body.args(block).to_vec();
        let handed: Vec<ValueId> = alike.iter().zip(&args).map(|(alike, &arg)| alike.unwrap_or(arg)).collect();
        let parts = OpParts { operands: &handed, successors: &[head], ..OpParts::new(ctx.op_name(jump.name), loc) };
        let end = body.create_op(parts);
        body.insert(end, dlc_ir::body::InsertPoint::EndOf(block));
        for index in (0..args.len()).rev().filter(|&index| alike[index].is_some()) {
            for &(op, successor) in &edges {
                let place = OpRef::new(ctx, body, op).successor_operands(successor).start + index;
                erase_operands(ctx, body, op, |operand| operand == place);
            }
            body.erase_arg(block, index);
        }
        block
    }
}

/// The value that all ways into a loop forward to one of its arguments.
fn handed_on(ctx: &Context, body: &Body, edges: &[Edge], index: usize) -> Option<ValueId> {
    let of = |&(op, successor): &Edge| {
        let view = OpRef::new(ctx, body, op);
        view.operand(view.successor_operands(successor).start + index)
    };
    let first = of(edges.first()?);
    edges.iter().all(|edge| of(edge) == first).then_some(first)
}

/// The op of a dialect that goes to a block and does nothing else.
fn jump(ctx: &Context, dialect: &str) -> Option<&'static OpDef> {
    let plain = |def: &&&'static OpDef| {
        let hands_on = matches!(def.operands, [args] if args.arity == Arity::Variadic && args.successor == Some(0));
        let goes = matches!(def.successors, [to] if to.arity == Arity::One) && def.traits.has(Traits::TERMINATOR);
        goes && hands_on && def.results.is_empty() && def.regions.is_empty() && def.attrs.is_empty()
    };
    ctx.dialect(dialect)?.ops.iter().find(plain).copied()
}
