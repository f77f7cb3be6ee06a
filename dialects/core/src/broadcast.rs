//! How two tensors meet in arithmetic: their sizes and the types of their elements.

use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{AnyNumber, Constraint};
use dlc_ir::op::BrokenRule;
use dlc_ir::{Context, Type};

dlc_ir::codes! {
    /// Aligned at the right, two sizes differ and neither is 1.
    BROADCAST_MISMATCH = "E1001" "BroadcastMismatch";
}

/// The sizes of what is computed element by element from both: aligned at the right, where a size of 1 becomes the
/// other and sizes beyond the shorter list are those of the longer. Errors with [`BROADCAST_MISMATCH`].
pub fn broadcast(lhs: &[SizeExpr], rhs: &[SizeExpr]) -> Result<Vec<SizeExpr>, BrokenRule> {
    let rank = lhs.len().max(rhs.len());
    let one = SizeExpr::from(1);
    let mut dims = Vec::with_capacity(rank);
    for axis in 0..rank {
        let at = |own: &[SizeExpr]| (axis + own.len()).checked_sub(rank).map(|at| own[at].clone());
        dims.push(match (at(lhs), at(rhs)) {
            (Some(a), Some(b)) if a == b || b == one => a,
            (Some(a), Some(b)) if a == one => b,
            (Some(a), Some(b)) => {
                let message = format!(
                    "{} and {} cannot be broadcast: aligned at the right, {a} meets {b}, and neither is 1",
                    show(lhs),
                    show(rhs)
                );
                let (short, long) = if lhs.len() <= rhs.len() { (lhs, rhs) } else { (rhs, lhs) };
                let fix = match placed(short, long) {
                    Some(placed) => {
                        let (short, placed) = (show(short), show(&placed));
                        format!("reshape {short} to {placed}; where axes were reduced, 'keepdim' leaves them so")
                    }
                    None => "reshape one side so that equal sizes stand under each other, with 1 where it is repeated"
                        .into(),
                };
                return Err(BrokenRule::new(&BROADCAST_MISMATCH, message).suggest(fix));
            }
            (a, b) => a.or(b).unwrap_or_else(|| one.clone()),
        });
    }
    Ok(dims)
}

/// The shorter list with 1 for every axis that only the longer one has, as it is after a reduction that keeps them.
/// `None` where its sizes do not stand in that order in the longer one.
fn placed(short: &[SizeExpr], long: &[SizeExpr]) -> Option<Vec<SizeExpr>> {
    let mut own = short.iter().peekable();
    let placed = long.iter().map(|size| own.next_if_eq(&size).cloned().unwrap_or_else(|| SizeExpr::from(1))).collect();
    own.peek().is_none().then_some(placed)
}

/// A list of sizes as it is written.
pub fn show(dims: &[SizeExpr]) -> String {
    let dims: Vec<String> = dims.iter().map(SizeExpr::to_string).collect();
    format!("[{}]", dims.join(", "))
}

/// The types of elements that meet others, in tinygrad's order; each with the places of those directly above it.
///
/// Source: `promo_lattice` of tinygrad's `dtype.py`, after JAX's type promotion. 64-bit integers of both kinds meet
/// in the default float.
const LATTICE: [(Type, &[usize]); 15] = [
    (Type::I1, &[1, 2]),
    (Type::I8, &[3]),
    (Type::UI8, &[3, 4]),
    (Type::I16, &[5]),
    (Type::UI16, &[5, 6]),
    (Type::I32, &[7]),
    (Type::UI32, &[7, 8]),
    (Type::I64, &[9, 10]),
    (Type::UI64, &[9, 10]),
    (Type::F8E4M3FN, &[11, 12]),
    (Type::F8E5M2, &[11, 12]),
    (Type::F16, &[13]),
    (Type::BF16, &[13]),
    (Type::F32, &[14]),
    (Type::F64, &[]),
];

/// The type in which elements of both types are combined: the least that is above both in the lattice.
///
/// Errors for types that are not of the lattice, unless they are equal.
pub fn promote(ctx: &Context, lhs: Type, rhs: Type) -> Result<Type, BrokenRule> {
    if lhs == rhs && (AnyNumber::CONSTRAINT.admits)(ctx, lhs) {
        return Ok(lhs);
    }
    // What stands above a place, itself included, as a set of bits. Places above come later in the list.
    let above = |ty: Type| {
        let start = LATTICE.iter().position(|(known, _)| *known == ty)?;
        let mut set = 1u32 << start;
        for (place, (_, next)) in LATTICE.iter().enumerate().skip(start) {
            if set & 1 << place != 0 {
                next.iter().for_each(|up| set |= 1 << up);
            }
        }
        Some(set)
    };
    let common = above(lhs).zip(above(rhs)).map(|(a, b)| a & b);
    let Some(common) = common.filter(|common| *common != 0) else {
        let (a, b) = (lhs.display(ctx), rhs.display(ctx));
        let message = format!("elements of type {a} and {b} have no common type");
        return Err(BrokenRule::from(message).suggest("cast one of the operands"));
    };
    let least = LATTICE[common.trailing_zeros() as usize].0;
    let float = |ty: Type| ty.float_kind(ctx).is_some();
    // Only integers that have no integer above both come here: tinygrad's weak float, whose default is f32.
    let weak = float(least) && !float(lhs) && !float(rhs);
    Ok(if weak { Type::F32 } else { least })
}
