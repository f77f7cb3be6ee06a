//! What an op does to memory, with what stands in its regions: what passes ask before they erase, merge or move it.

use crate::body::Body;
use crate::context::Context;
use crate::entity::OpId;
use crate::op::{Effects, OpDef, Traits};

/// What an op does, the ops in its regions included where it declares so.
pub fn effects(ctx: &Context, body: &Body, op: OpId) -> Effects {
    let def = ctx.op_def(body.op_name(op));
    let own = own_effects(def, body, op);
    if !def.traits.has(Traits::RECURSIVE_EFFECTS) || own == Effects::ANY {
        return own;
    }
    let mut inner = Vec::new();
    body.walk_regions(op, &mut inner);
    inner.into_iter().fold(own, |sum, op| sum.with(own_effects(ctx.op_def(body.op_name(op)), body, op)))
}

/// What an op does itself, leaving out its regions where they alone decide.
pub fn own_effects(def: &OpDef, body: &Body, op: OpId) -> Effects {
    match def.declared_effects() {
        // What follows the op around it is not run.
        Some(_) if leaves(def, body, op) => Effects::ANY,
        Some(effects) => effects,
        // A body of its own is worked on by others: what is in it cannot be looked at.
        None if def.traits.has(Traits::RECURSIVE_EFFECTS) && body.nested(op).is_none() => Effects::NONE,
        None => Effects::ANY,
    }
}

/// Whether an op ends the function from within another op: it decides what is run after that one.
fn leaves(def: &OpDef, body: &Body, op: OpId) -> bool {
    def.traits.has(Traits::RETURN_LIKE) && body.parent_op(op).is_some_and(|parent| parent != body.root())
}

/// Whether an op may be erased once none of its results is used.
pub fn is_erasable(ctx: &Context, body: &Body, op: OpId) -> bool {
    let traits = ctx.op_def(body.op_name(op)).traits;
    let stays = traits.has(Traits::TERMINATOR) || traits.has(Traits::SYMBOL);
    !stays && effects(ctx, body, op).erasable()
}

/// Whether an op may run where it would not have run: it has no effect and cannot go wrong, and it ends.
pub fn is_speculatable(ctx: &Context, body: &Body, op: OpId) -> bool {
    let fine = |op| {
        let def = ctx.op_def(body.op_name(op));
        let holder = def.traits.has(Traits::RECURSIVE_EFFECTS) && body.nested(op).is_none();
        (def.traits.has(Traits::PURE) || holder) && !def.traits.has(Traits::LOOP) && !leaves(def, body, op)
    };
    if !fine(op) || ctx.op_def(body.op_name(op)).traits.has(Traits::TERMINATOR) {
        return false;
    }
    let mut inner = Vec::new();
    body.walk_regions(op, &mut inner);
    inner.into_iter().all(fine)
}
