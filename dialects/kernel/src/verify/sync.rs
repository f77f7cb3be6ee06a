//! Barriers and tokens.

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::ValueDef;
use dlc_ir::{Diagnostics, OpRef, ValueId};

use super::{WRONG_THREADS, broken, is_single, plain};
use crate::ops::{
    Arrive, Await, AwaitRead, Barrier, BarrierArrive, ClusterBarrier, Expect, For, Index, MBarriers, Wait, WarpSync,
};
use crate::types::{MBarrier, Token, Work};

fn threads(op: OpRef<'_>, threads: i64, diags: &Diagnostics) {
    if !(32..=1024).contains(&threads) || threads % 32 != 0 {
        plain(op, format!("32 to 1024 threads meet, in whole warps, not {threads}"), diags);
    }
}

/// A number that is known is one of those that a block has.
fn number(op: OpRef<'_>, id: ValueId, diags: &Diagnostics) {
    let made = op.body.defining_op(id).and_then(|id| Index::of(OpRef { id, ..op }));
    let known = made.and_then(|index| index.value().first().and_then(SizeExpr::as_constant));
    let known = known.into_iter().chain(first_and_last(op, id).into_iter().flatten());
    if let Some(known) = known.into_iter().find(|known| !(0..16).contains(known)) {
        plain(op, format!("a block has the barriers 0 to 15, and {known} is none of them"), diags);
    }
}

/// The first and the last number that the integer of a loop is, if numbers say where the loop begins, ends and how it goes on.
fn first_and_last(op: OpRef<'_>, id: ValueId) -> Option<[i64; 2]> {
    let ValueDef::Arg(block, 0) = op.body.value_def(id) else { return None };
    let parent = op.body.region_parent(op.body.region_of(block)?)?;
    let bounds: Option<Vec<i64>> =
        For::of(OpRef { id: parent, ..op })?.bounds().iter().map(SizeExpr::as_constant).collect();
    match bounds?.as_slice() {
        &[first, end, step] if first < end && step > 0 => {
            let rounds = (end.checked_sub(first)? - 1) / step;
            Some([first, first + rounds * step])
        }
        _ => None,
    }
}

/// A numbered barrier says how many meet; one thread alone meets nobody.
pub fn barrier(op: Barrier<'_>, diags: &Diagnostics) {
    if let Some(id) = op.id() {
        number(*op, id, diags);
    }
    match (op.id(), op.threads()) {
        (Some(_), Some(count)) => threads(*op, count, diags),
        (None, None) => {}
        _ => plain(*op, "a barrier with a number says how many threads meet, one without does not", diags),
    }
    if is_single(*op) {
        broken(*op, &WRONG_THREADS, "one thread alone cannot wait for others of its warp".into(), diags);
    }
}

/// All lanes of a warp come.
pub fn warp_sync(op: WarpSync<'_>, diags: &Diagnostics) {
    if is_single(*op) {
        broken(*op, &WRONG_THREADS, "one thread alone cannot wait for the other lanes of its warp".into(), diags);
    }
}

/// As [`barrier`].
pub fn barrier_arrive(op: BarrierArrive<'_>, diags: &Diagnostics) {
    number(*op, op.id(), diags);
    threads(*op, op.threads(), diags);
    if is_single(*op) {
        broken(*op, &WRONG_THREADS, "whole warps arrive at a barrier, not one thread".into(), diags);
    }
}

/// Whole warps wait for the cluster.
pub fn cluster_barrier(op: ClusterBarrier<'_>, diags: &Diagnostics) {
    if is_single(*op) {
        broken(*op, &WRONG_THREADS, "whole warps wait for a cluster, not one thread".into(), diags);
    }
}

/// Somebody arrives.
pub fn mbarriers(op: MBarriers<'_>, diags: &Diagnostics) {
    if !(1..1 << 20).contains(&op.arrivals()) {
        plain(*op, format!("1 to 1048575 arrive at an mbarrier, not {}", op.arrivals()), diags);
    }
}

/// A ring of barriers is used by stage, a single one is not.
fn staged(op: OpRef<'_>, barrier: ValueId, stage: Option<ValueId>, diags: &Diagnostics) {
    let count = MBarrier::of(op.ctx, op.type_of(barrier)).map_or(1, |ty| ty.count(op.ctx));
    if (count > 1) != stage.is_some() {
        plain(op, format!("there are {count} barriers: of several one is named, as in '%full[%s]'"), diags);
    }
}

/// One of the barriers.
pub fn wait(op: Wait<'_>, diags: &Diagnostics) {
    staged(*op, op.barrier(), op.stage(), diags);
}

/// One thread expects as many bytes as a barrier can count.
pub fn expect(op: Expect<'_>, diags: &Diagnostics) {
    staged(*op, op.barrier(), op.stage(), diags);
    if !(0..1 << 20).contains(&op.bytes()) {
        plain(*op, format!("an mbarrier counts up to 1048575 bytes, not {}", op.bytes()), diags);
    }
    if !is_single(*op) {
        broken(*op, &WRONG_THREADS, "one thread expects bytes: put it into 'elect' or a 'single' role".into(), diags);
    }
}

/// One of the barriers.
pub fn arrive(op: Arrive<'_>, diags: &Diagnostics) {
    staged(*op, op.barrier(), op.stage(), diags);
}

/// Something is awaited.
pub fn await_(op: Await<'_>, diags: &Diagnostics) {
    if op.tokens().len() == 0 {
        plain(*op, "there must be a token", diags);
    }
}

/// Only stores read shared memory and write elsewhere.
pub fn await_read(op: AwaitRead<'_>, diags: &Diagnostics) {
    let of_stores = |token| Token::of(op.ctx, op.type_of(token)).map(|ty| ty.work(op.ctx)) == Some(Work::Epilogue);
    if op.tokens().len() == 0 || !op.tokens().all(of_stores) {
        plain(*op, "the tokens must be those of stores, 'token<epilogue>'", diags);
    }
}
