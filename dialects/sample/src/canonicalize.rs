//! Rewrites that folding cannot do: branches whose way is known, and sums of a sum.

use dlc_ir::body::{InsertPoint, OpParts};
use dlc_ir::op::{FoldResult, Folded, Traits};
use dlc_ir::rewrite::branches::Branching;
use dlc_ir::rewrite::{Pattern, Rewrite, Rewriter, fold_op};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Attr, OpId, OpRef, ValueId};

use crate::ops::{Addi, Br, Constant, Yield};

/// A conditional branch goes by its first operand.
pub static BRANCHING: Branching = Branching { taken };

fn taken(op: OpRef<'_>, constants: &[Option<Attr>]) -> Option<usize> {
    let yes = (*constants.first()?)?.as_bool(op.ctx)?;
    Some(usize::from(!yes))
}

/// `cond_br true, ^a, ^b` is `br ^a`.
pub static COND_BR_CONSTANT: Pattern =
    Pattern { name: "cond-br-constant", benefit: 1, root: Some("sample.cond_br"), apply: cond_br_constant };

fn cond_br_constant(op: OpId, rw: &mut Rewriter<'_>) -> Rewrite {
    let view = rw.op(op);
    let Some(taken) = taken(view, &[rw.constant(view.operand(0))]) else {
        return Rewrite::NoMatch("the condition is no constant");
    };
    let args: SmallVec<[ValueId; 4]> = view.successor_operands(taken).map(|index| view.operand(index)).collect();
    let (loc, dest) = (view.loc(), view.successors()[taken]);
    Br::build(&mut rw.before(op), loc, &args, dest);
    rw.erase_op(op);
    Rewrite::Changed
}

/// `if true { .. }` is what stands in it.
pub static IF_CONSTANT: Pattern =
    Pattern { name: "if-constant", benefit: 1, root: Some("sample.if"), apply: if_constant };

fn if_constant(op: OpId, rw: &mut Rewriter<'_>) -> Rewrite {
    let view = rw.op(op);
    let Some(taken) = taken(view, &[rw.constant(view.operand(0))]) else {
        return Rewrite::NoMatch("the condition is no constant");
    };
    let Some(&region) = view.regions().get(taken) else {
        // There is nothing to do otherwise, and no result.
        rw.erase_op(op);
        return Rewrite::Changed;
    };
    let block = rw.body().first_block(region).expect("a region of an 'if' has one block");
    let Some(end) = rw.body().last_op(block).filter(|&end| rw.op(end).is(Yield::DEF)) else {
        return Rewrite::NoMatch("the region ends the function");
    };
    let values: SmallVec<[ValueId; 4]> = rw.body().operands(end).collect();
    rw.erase_op(end);
    rw.inline_block(block, InsertPoint::Before(op), &[]);
    rw.replace_op(op, &values);
    Rewrite::Changed
}

/// `(x + a) + b` with constants is `x + (a + b)`.
pub static ADDI_CHAIN: Pattern =
    Pattern { name: "addi-chain", benefit: 1, root: Some("sample.addi"), apply: addi_chain };

fn addi_chain(op: OpId, rw: &mut Rewriter<'_>) -> Rewrite {
    let view = rw.op(op);
    let inner = view.body.defining_op(view.operand(0)).filter(|&inner| rw.op(inner).is(Addi::DEF));
    let (Some(inner), Some(outer_constant)) = (inner, rw.constant(view.operand(1))) else {
        return Rewrite::NoMatch("it adds no constant to a sum");
    };
    let Some(inner_constant) = rw.constant(rw.op(inner).operand(1)) else {
        return Rewrite::NoMatch("the sum that it adds to has no constant");
    };
    // Where values have no order, sums may add to each other in a circle, and the rule would go round it forever.
    let unordered =
        |holder: OpId| rw.op(holder).has(Traits::GRAPH_REGION) || !rw.ctx.is_registered(rw.body().op_name(holder));
    if rw.body().parent_op(inner).is_some_and(unordered) {
        return Rewrite::NoMatch("the sum that it adds to stands where values have no order");
    }
    // The op itself knows how to add: asked with both constants, it folds.
    let sum = rw.op(op).operand(0);
    let constant = |value| Some(if value == sum { inner_constant } else { outer_constant });
    let Folded::To(sum) = fold_op(rw.ctx, rw.body(), op, constant) else {
        return Rewrite::NoMatch("the constants cannot be added");
    };
    let [FoldResult::Attr(sum)] = sum[..] else {
        return Rewrite::NoMatch("the constants cannot be added");
    };
    let (loc, ty, base) = (rw.op(op).loc(), rw.body().value_type(rw.op(op).result(0)), rw.op(inner).operand(0));
    let mut builder = rw.before(op);
    let sum = Constant::build(&mut builder, loc, sum);
    let sum = builder.result(sum);
    let name = rw.op(op).op_name();
    rw.replace_op_with(op, OpParts { operands: &[base, sum], results: &[ty], ..OpParts::new(name, loc) });
    Rewrite::Changed
}
