//! Bits read as another type. Between types of different widths that is arithmetic: the lower bits come first.

use dlc_book::ops::Function;
use dlc_core::scalar::Combiner;
use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::{Loc, OpId, Type, ValueId};
use dlc_tiny::ops::Bitcast;

use super::entries::Lower;
use super::rules::Lowered;
use crate::analysis::access::Access as Chain;

/// The unsigned integers of a width, and the width; a truth value takes a byte.
fn unsigned(lower: &Lower<'_>, elem: Type) -> Option<(Type, i64)> {
    match elem.bits(lower.ctx)? {
        1 | 8 => Some((Type::UI8, 8)),
        16 => Some((Type::UI16, 16)),
        32 => Some((Type::UI32, 32)),
        64 => Some((Type::UI64, 64)),
        _ => None,
    }
}

/// The bits of each element, or of several, or parts of each.
pub fn bitcast(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let bitcast = Bitcast::from(lower.op(op));
    let (loc, input, out) = (bitcast.loc(), bitcast.input(), bitcast.out());
    let elem = lower.elem(out);
    let (from, to) = (unsigned(lower, lower.elem(input)), unsigned(lower, elem));
    let (Some((from, have)), Some((to, want))) = (from, to) else {
        let sizes = lower.sizes(out);
        return lower.map_to(loc, Function::Bitcast, &[input], &sizes, Some(elem), false);
    };
    if have == want {
        let sizes = lower.sizes(out);
        return lower.map_to(loc, Function::Bitcast, &[input], &sizes, Some(elem), false);
    }
    let bits = lower.bits_as(loc, input, from)?;
    let sizes = lower.sizes(out);
    let whole = match have < want {
        true => joined(lower, loc, bits, to, &sizes, have, want / have),
        false => parted(lower, loc, bits, to, &sizes, want, have / want),
    }?;
    lower.bits_as(loc, whole, elem)
}

/// Every `count` neighbours of `width` bits as one number.
fn joined(
    lower: &mut Lower<'_>,
    loc: Loc,
    bits: ValueId,
    to: Type,
    sizes: &[SizeExpr],
    width: i64,
    count: i64,
) -> Lowered {
    let wide = lower.cast(loc, bits, to)?;
    let (rank, over) = (sizes.len(), SizeExpr::from(count));
    let all = [sizes, std::slice::from_ref(&over)].concat();
    let mut space = lower.space(loc, &all)?;
    let part = lower.axis(0).and_then(|at| at.mul(&SizeExpr::from(width)).ok());
    let shift = part.ok_or_else(|| lower.too_large(loc))?;
    let shift = lower.iota(loc, shift, std::slice::from_ref(&over), to);
    let dim = |axis: usize| AffineExpr::Dim(axis as u32);
    let mut index: Vec<AffineExpr> = (0..rank).map(dim).collect();
    if let Some(last) = index.last_mut() {
        let place = last.mul(&count.into()).and_then(|first| first.add(&dim(rank)));
        *last = place.map_err(|_| lower.too_large(loc))?;
    }
    let chain = |source: ValueId, index: Vec<AffineExpr>| Chain { source, index, guard: Vec::new(), fill: None };
    let parts = lower.read(loc, &mut space, chain(wide, index))?;
    let shift = lower.read(loc, &mut space, chain(shift, vec![dim(rank)]))?;
    let moved = lower.entry(loc, Function::Shl, vec![parts, shift], &all);
    let moved = lower.map_identity(loc, moved, &all)?;
    Ok(lower.reduce(loc, Combiner::Sum, moved, sizes, &[over], to))
}

/// Each element as `count` numbers of `width` bits.
fn parted(
    lower: &mut Lower<'_>,
    loc: Loc,
    bits: ValueId,
    to: Type,
    sizes: &[SizeExpr],
    width: i64,
    count: i64,
) -> Lowered {
    let mut space = lower.space(loc, sizes)?;
    let last = sizes.len().saturating_sub(1);
    let place = |axis: usize| AffineExpr::Dim(axis as u32);
    let whole = place(last).floordiv(&count.into()).map_err(|_| lower.too_large(loc))?;
    let part = lower.axis(last as u32).and_then(|at| at.modulo(&SizeExpr::from(count)).ok());
    let shift = part.and_then(|part| part.mul(&SizeExpr::from(width)).ok()).ok_or_else(|| lower.too_large(loc))?;
    let elem = lower.elem(bits);
    let shift = lower.iota(loc, shift, sizes, elem);
    let mut index: Vec<AffineExpr> = (0..sizes.len()).map(place).collect();
    if let Some(last) = index.last_mut() {
        *last = space.simplify(&whole);
    }
    let chain = Chain { source: bits, index, guard: Vec::new(), fill: None };
    let bits = lower.read(loc, &mut space, chain)?;
    let shift = lower.read(loc, &mut space, Chain::of(shift, sizes.len()))?;
    let moved = lower.entry(loc, Function::Shr, vec![bits, shift], sizes);
    lower.cast(loc, moved, to)
}
