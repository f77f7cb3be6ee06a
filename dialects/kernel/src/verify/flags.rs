//! Flags and counters in global memory.

use dlc_core::memref::MemRef;
use dlc_ir::{Diagnostics, OpRef, Type};

use super::{SHAPE_MISMATCH, WRONG_THREADS, broken, is_single, names, plain};
use crate::ops::{Acquire, Flag, Release, Scratch, Ticket};

/// A flag is 32 bits of scratch memory, which is zero at each launch; whole warps that agree come to it.
fn flag(op: OpRef<'_>, diags: &Diagnostics) {
    let Some(flag) = Flag::of(op) else { return };
    let ty = MemRef::of(op.ctx, op.type_of(flag.memory));
    if ty.is_some_and(|ty| ty.elem(op.ctx) != Type::I32) {
        broken(op, &SHAPE_MISMATCH, "flags and counters are of type i32".into(), diags);
    }
    let rank = ty.map_or(0, |ty| ty.rank(op.ctx));
    if flag.at.len() != rank {
        broken(op, &SHAPE_MISMATCH, format!("{} positions are given for memory of rank {rank}", flag.at.len()), diags);
    }
    names(op, &flag.at, flag.args.len(), 0, diags);
    let made = op.body.defining_op(flag.memory).map(|id| OpRef { id, ..op });
    if made.is_none_or(|made| Scratch::of(made).is_none()) {
        plain(op, "flags and counters must be in 'scratch' memory, which is zero at each launch", diags);
    }
    if is_single(op) {
        broken(op, &WRONG_THREADS, "whole warps come to a flag, not one thread".into(), diags);
    }
}

/// A counter.
pub fn ticket(op: Ticket<'_>, diags: &Diagnostics) {
    flag(*op, diags);
}

/// Flags are 0 at first, so what they become is another number.
fn value(op: OpRef<'_>, value: i64, diags: &Diagnostics) {
    if !(1..=i64::from(i32::MAX)).contains(&value) {
        plain(op, format!("a flag is 0 at first, and is released with 1 to 2147483647, not {value}"), diags);
    }
}

/// A flag that is no longer 0.
pub fn release(op: Release<'_>, diags: &Diagnostics) {
    flag(*op, diags);
    value(*op, op.value(), diags);
}

/// The same.
pub fn acquire(op: Acquire<'_>, diags: &Diagnostics) {
    flag(*op, diags);
    value(*op, op.value(), diags);
}
