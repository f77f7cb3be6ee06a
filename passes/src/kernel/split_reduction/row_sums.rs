//! Sums that are summed along an axis after the loop, and maxima of which the maximum is taken, by longer floats as well: each
//! part leaves what comes out of that, and not what every thread has of it. The second grid goes through the parts as the
//! first one through its elements, as many at once; what was after the loop stays there.

use dlc_core::guard::{Condition, Guard};
use dlc_core::scalar::{Combiner, identity_of};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::{Builder, Context, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, elem_of, with_elem};

use super::find::SplitLoop;
use super::{PartSum, block_ids, in_order, map_op, memories, part_id, replace_loop, shape_of, sweep};
use crate::analysis::expressions::{BoundExpr, pack};

/// What takes a sum of the loop, and alone does: a sum along an axis.
pub struct Row {
    op: OpId,
    axis: usize,
    /// The cast before it, of floats to longer ones: the largest of these is one of the shorter ones.
    cast: Option<OpId>,
}

impl Row {
    /// Those of all sums of the loop, which have as many elements along their axes. `None` where one has none.
    pub fn all(ctx: &Context, body: &Body, found: &SplitLoop) -> Option<Vec<Row>> {
        let sums = body.results(found.op).zip(&found.combiners);
        let rows: Vec<Row> =
            sums.map(|(sum, combiner)| Row::of(ctx, body, found, sum, *combiner)).collect::<Option<_>>()?;
        let sums = body.results(found.op).zip(&rows);
        let sizes: Vec<i64> = sums.map(|(sum, row)| row.size(ctx, body.value_type(sum))).collect::<Option<_>>()?;
        (sizes.iter().all(|&size| size == sizes[0] && size > 1)).then_some(rows)
    }

    fn of(ctx: &Context, body: &Body, found: &SplitLoop, sum: ValueId, combiner: Combiner) -> Option<Row> {
        let only = |value: ValueId| {
            let mut uses = body.uses(value);
            uses.next().filter(|_| uses.next().is_none()).map(|only| OpRef::new(ctx, body, only.op))
        };
        let mut user = only(sum)?;
        let picks = matches!(combiner, Combiner::Max | Combiner::Min);
        let cast = kernel::Cast::of(user).filter(|cast| {
            let [from, to] = [cast.input(), cast.out()].map(|value| elem_of(ctx, cast.type_of(value)));
            let floats = from.float_kind(ctx).is_some() && to.float_kind(ctx).is_some();
            picks
                && floats
                && cast.bits().is_none()
                && from.bits(ctx) < to.bits(ctx)
                && found.following.contains(&cast.id)
        });
        if let Some(cast) = cast {
            user = only(cast.out())?;
        }
        let row = kernel::Reduce::of(user)?;
        let is_after = |value: ValueId| body.defining_op(value).is_some_and(|op| found.following.contains(&op));
        let goes = row.combiner() == combiner
            && found.following.contains(&row.id)
            && !row.through().is_some_and(is_after)
            && Frag::of(ctx, row.type_of(row.out())).is_some();
        goes.then(|| Row { op: row.id, axis: row.axis() as usize, cast: cast.map(|cast| cast.id) })
    }

    /// How many elements are summed.
    fn size(&self, ctx: &Context, ty: Type) -> Option<i64> {
        Frag::of(ctx, ty)?.shape(ctx).get(self.axis).copied()
    }
}

/// Memory for what comes out of the rows of each part, side by side; the grid that sums it up, and stores in the first one.
/// `None` beyond the limits of expressions.
pub fn through_memory(ctx: &Context, body: &mut Body, found: &SplitLoop, rows: &[Row]) -> Option<()> {
    let types: Vec<Type> = body.results(found.op).map(|sum| body.value_type(sum)).collect();
    let results: Vec<ValueId> = rows.iter().map(|row| body.result(row.op, 0)).collect();
    // Parts have the type of the loop's sums.
    let of_loop = |(&result, &ty): (&ValueId, &Type)| with_elem(ctx, body.value_type(result), elem_of(ctx, ty));
    let left: Vec<Type> = results.iter().zip(&types).map(of_loop).collect();
    let memories = memories(ctx, body, found, PartSum::InOrder, &|sum, _| {
        let own = found.dims.iter().cloned().chain(shape_of(ctx, left[sum]));
        own.chain([SizeExpr::from(found.parts)]).collect()
    });
    let step = rows.first()?.size(ctx, *types.first()?)?;

    // The second grid: in place of elements, the parts.
    let mut map = CloneMap::new();
    let copy = body.clone_op(found.grid, &mut map);
    body.insert(copy, InsertPoint::After(found.grid));
    let loop_ = map_op(body, &map, found.op)?;
    let blocks = block_ids(ctx, body, InsertPoint::Before(loop_), found);
    let blocks: Vec<BoundExpr> = blocks.into_iter().filter_map(BoundExpr::value).collect();
    let bounds = [0, found.parts].map(|bound| BoundExpr::plain(bound.into()));
    let values = in_order(ctx, body, &found.combiners, (loop_, bounds, step, "part"), &|body, place, part, sum| {
        let at: Vec<BoundExpr> = blocks.iter().cloned().chain([BoundExpr::value(part)?]).collect();
        let (values, mut exprs) = pack(&at)?;
        let part = exprs.pop()?.add(&axis(rows[sum].axis)?).ok()?;
        let rank = shape_of(ctx, types[sum]).count();
        exprs.extend((0..rank).filter(|&own| own != rows[sum].axis).filter_map(axis));
        exprs.push(part.clone());
        let inside = Condition { expr: part, lower: None, upper: Some(found.parts.into()) };
        let guard = (found.parts % step != 0).then(|| Guard::all(vec![inside]));
        // Beyond the last part is what changes nothing; of a sum that is what is loaded anyway.
        let elem = elem_of(ctx, types[sum]);
        let own = guard.is_some().then_some(found.combiners[sum]).filter(|own| *own != Combiner::Sum);
        let fill = own.map(|combiner| identity_of(ctx, combiner, elem));
        let mut builder = Builder::new(ctx, body, place);
        let op = kernel::NewLoad {
            source: memories[sum],
            args: &values,
            at: exprs,
            guard,
            fill,
            hint: None,
            vector: None,
            out_type: types[sum],
        }
        .build(&mut builder, found.loc);
        Some(builder.result(op))
    })?;
    replace_loop(ctx, body, copy, loop_, &values);

    // The first grid: rows, and stores of what comes out.
    let stays = |op: OpId| rows.iter().any(|row| row.op == op || row.cast == Some(op));
    for &op in found.following.iter().rev().filter(|&&op| !stays(op)) {
        body.erase_op(op);
    }
    let place = InsertPoint::EndOf(found.block);
    let mut at = block_ids(ctx, body, place, found);
    at.push(part_id(ctx, body, place, found));
    let at: Vec<BoundExpr> = at.into_iter().filter_map(BoundExpr::value).collect();
    for ((&memory, &result), &ty) in memories.iter().zip(&results).zip(&left) {
        let (values, mut exprs) = pack(&at)?;
        let part = exprs.pop()?;
        exprs.extend((0..shape_of(ctx, ty).count()).filter_map(axis));
        exprs.push(part);
        let has_type = body.value_type(result) == ty;
        let mut builder = Builder::new(ctx, body, place);
        let result = match has_type {
            true => result,
            false => {
                let cast = kernel::Cast::build(&mut builder, found.loc, result, None, ty);
                builder.result(cast)
            }
        };
        kernel::NewStore {
            value: result,
            target: memory,
            args: &values,
            at: exprs,
            guard: None,
            combine: None,
            vector: None,
        }
        .build(&mut builder, found.loc);
    }
    sweep(ctx, body, found.grid);
    Some(())
}

/// The position along an axis of a fragment.
fn axis(number: usize) -> Option<SizeExpr> {
    SizeExpr::symbol(&format!("i{number}")).ok()
}
