//! Whether the threads of a copy move runs of bytes that one instruction can move.

use dlc_core::guard::Guard;
use dlc_core::memref::{Layout, MemRef};
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Body, Context, OpId, OpRef, ValueId};
use dlc_kernel::interp::axis_number;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Tile, sizes};

use crate::analysis::expressions::{divisor, gcd};
use crate::analysis::numbers::is_zero;

/// The fewest bytes that a thread copies by itself.
const LEAST_BYTES: u32 = 4;
/// The most.
const MOST_BYTES: u32 = 16;

/// The symbol of the position along an axis of a tile.
pub fn position(axis: usize) -> Option<SizeExpr> {
    SizeExpr::symbol(&format!("i{axis}")).ok()
}

/// Whether an expression names the position along an axis.
pub fn names(expr: &SizeExpr, axis: usize) -> bool {
    expr.symbols().iter().any(|name| axis_number(name) == Some(axis))
}

/// How many elements lie from one index to the next along each axis of a memref, where that can be said; and the number of
/// the first element.
pub fn strides(ctx: &Context, memory: MemRef) -> Option<(Vec<SizeExpr>, SizeExpr)> {
    let dims = memory.dims(ctx);
    let zero = SizeExpr::from(0);
    let rising = |dims: &mut dyn Iterator<Item = &SizeExpr>| {
        let mut next = SizeExpr::from(1);
        let mut all = Vec::new();
        for size in dims {
            let after = next.mul(size).ok()?;
            all.push(std::mem::replace(&mut next, after));
        }
        Some(all)
    };
    match memory.layout(ctx) {
        Layout::RowMajor => {
            let mut all = rising(&mut dims.iter().rev())?;
            all.reverse();
            Some((all, zero))
        }
        Layout::ColMajor => Some((rising(&mut dims.iter())?, zero)),
        Layout::Strided { strides, offset } => Some((strides, offset)),
        Layout::Swizzled { .. } => None,
    }
}

/// Whether each thread moves runs of 4, 8 or 16 bytes at multiples of that, each wholly inside or outside of the guard;
/// else why not.
pub fn runs(ctx: &Context, body: &Body, op: OpId) -> Result<(), String> {
    let copy = kernel::Copy::from(OpRef::new(ctx, body, op));
    if copy.fill().is_some_and(|fill| !is_zero(ctx, fill)) {
        return Err("outside of the guard the tile is not filled with zero".into());
    }
    let unknown = "it is not known where its elements lie";
    let memory = MemRef::of(ctx, copy.type_of(copy.source())).ok_or(unknown)?;
    let tile = Tile::of(ctx, copy.type_of(copy.tile())).ok_or(unknown)?;
    let place = tile.place(ctx)?;
    let bytes = place.elem_bytes();
    let (strides, offset) = strides(ctx, memory).ok_or("the memref is swizzled")?;
    let values: Vec<ValueId> = copy.args().collect();
    let at = copy.at();
    if at.len() != strides.len() {
        return Err(unknown.into());
    }
    let shape = sizes(&tile.shape(ctx)).ok_or(unknown)?;
    // The number of an element, by its position in the tile.
    let mut number = offset;
    for (at, stride) in at.iter().zip(&strides) {
        number = at.mul(stride).and_then(|part| number.add(&part)).map_err(|_| "its positions go beyond 64 bits")?;
    }
    let align = memory.align(ctx).unsigned_abs();
    let byte = number.mul(&SizeExpr::from(i64::from(bytes))).map_err(|_| "its positions go beyond 64 bits")?;
    // A position along which elements lie one behind the other, in memory and in the tile.
    let along = place.contiguous_axis().filter(|&axis| {
        let one = position(axis).and_then(|axis| number.sub(&axis).ok());
        one.is_some_and(|rest| !names(&rest, axis))
    });
    let mut run = 1;
    let mut row = byte.clone();
    if let Some(axis) = along {
        row = byte.substitute(&|name| (axis_number(name) == Some(axis)).then(|| SizeExpr::from(0))).unwrap_or(byte);
        let alignment = gcd(align, divisor(ctx, body, &row, &values));
        let alignment = u32::try_from(alignment & alignment.wrapping_neg()).unwrap_or(MOST_BYTES).clamp(1, MOST_BYTES);
        let elem_bits = 8 * bytes;
        let warps = dlc_kernel::verify::warps_of(*copy).ok_or(unknown)?;
        let fragment = copy.by().place(&shape, elem_bits, warps)?;
        let global = fragment.global_access(axis, alignment)?.vector;
        let shared = fragment.shared_access(&place, MOST_BYTES)?.vector;
        run = global.min(shared);
        while run > 1 && !is_whole(ctx, body, copy.guard().as_ref(), axis, i64::from(run), &values) {
            run /= 2;
        }
    }
    let moved = run * bytes;
    let aligned = gcd(align, divisor(ctx, body, &row, &values)).is_multiple_of(u64::from(moved));
    if !aligned {
        return Err(format!("{moved} bytes of a thread are not known to lie at a multiple of {moved}"));
    }
    match moved {
        LEAST_BYTES..=MOST_BYTES => Ok(()),
        _ => Err(format!(
            "a thread moves {moved} bytes at once, as far as sizes and alignment say, and 4, 8 or 16 would be needed"
        )),
    }
}

/// Whether runs of elements along an axis of the tile are inside of a guard as a whole or not at all.
fn is_whole(ctx: &Context, body: &Body, guard: Option<&Guard>, axis: usize, run: i64, values: &[ValueId]) -> bool {
    let Some(position) = position(axis) else { return false };
    let conditions = guard.into_iter().flat_map(|guard| guard.pieces.iter().flatten());
    let mut exprs = conditions.map(|condition| condition.not_negative());
    // Each is 'something is not negative': it changes only at multiples of the run if it is the position, or less it, and
    // something that the run divides.
    exprs.all(|exprs| {
        let Ok(exprs) = exprs else { return false };
        exprs.iter().all(|expr| {
            if !names(expr, axis) {
                return true;
            }
            let rising = expr.sub(&position).ok().filter(|rest| !names(rest, axis));
            // `room - i - 1 >= 0`
            let falling = expr.add(&position).and_then(|rest| rest.add(&SizeExpr::from(1))).ok();
            let rest = rising.or(falling.filter(|rest| !names(rest, axis)));
            rest.is_some_and(|rest| divisor(ctx, body, &rest, values).is_multiple_of(run.unsigned_abs()))
        })
    })
}
