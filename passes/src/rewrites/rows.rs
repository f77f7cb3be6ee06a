//! The rows of fragments shared among groups: each has the same fragments, of fewer rows, from a row on that its number
//! says.

use dlc_core::guard::Guard;
use dlc_core::sizes::{Exprs, value_name};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::op::OpDef;
use dlc_ir::{Builder, Context, OpId, Type, ValueId};
use dlc_kernel::interp::axis_number;
use dlc_kernel::layout::{Distributed, Shared};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, Tile, elem_of};

use super::rings::{regroup, stage_of};
use crate::analysis::tiles::with_inner;

/// The rows that the four warps of a group have at least.
pub const LEAST_ROWS: i64 = 64;

/// Ops that treat the elements of fragments one by one, or pass fragments on.
const BY_ELEMENT: &[&OpDef] = &[
    kernel::Const::DEF,
    kernel::Unary::DEF,
    kernel::Binary::DEF,
    kernel::MulAcc::DEF,
    kernel::Cast::DEF,
    kernel::Broadcast::DEF,
    kernel::Select::DEF,
    kernel::Index::DEF,
    kernel::Load::DEF,
    kernel::Store::DEF,
    kernel::LoadShared::DEF,
    kernel::Wgmma::DEF,
    kernel::Reduce::DEF,
    kernel::Convert::DEF,
    kernel::Extract::DEF,
    kernel::For::DEF,
    kernel::If::DEF,
    kernel::WarpIf::DEF,
    kernel::Yield::DEF,
];

/// The axis of a fragment along which its rows lie; `None` for one that is the same for all rows. An error for a layout that
/// does not say.
fn rows_of(layout: &Distributed) -> Result<Option<usize>, String> {
    match layout {
        Distributed::Wgmma | Distributed::WgmmaA => Ok(Some(0)),
        Distributed::Slice { axis, of } => Ok(match rows_of(of)? {
            Some(rows) if rows == *axis as usize => None,
            Some(rows) if rows > *axis as usize => Some(rows - 1),
            rows => rows,
        }),
        _ => Err("a fragment lies otherwise than products have it".into()),
    }
}

/// The axis of the rows of a value, if it is a fragment that has some.
fn rows(ctx: &Context, ty: Type) -> Result<Option<usize>, String> {
    Frag::of(ctx, ty).map_or(Ok(None), |frag| rows_of(&frag.layout(ctx)))
}

/// The type of a group's part of a fragment, and how many rows it has.
fn part(ctx: &Context, ty: Type, groups: i64) -> Result<Option<(Type, usize, i64)>, String> {
    let (Some(frag), Some(axis)) = (Frag::of(ctx, ty), rows(ctx, ty)?) else { return Ok(None) };
    let mut shape = frag.shape(ctx);
    let all = shape[axis];
    if all % (LEAST_ROWS * groups) != 0 {
        return Err(format!("{all} rows are not {groups} times a multiple of {LEAST_ROWS}"));
    }
    shape[axis] /= groups;
    let mine = shape[axis];
    Ok(Some((Frag::get(ctx, shape, elem_of(ctx, ty), frag.layout(ctx)), axis, mine)))
}

/// What speaks against it in an op.
fn check(ctx: &Context, op: OpRef<'_>) -> Result<(), String> {
    let is_frag = |value: ValueId| Frag::of(ctx, op.type_of(value)).is_some();
    if !op.operands().chain(op.results()).any(is_frag) {
        return match op.is(kernel::TmaStore::DEF) {
            true => Err("TMA stores, which several consumers would all ask it for".into()),
            false => Ok(()),
        };
    }
    if !BY_ELEMENT.iter().any(|&def| op.is(def)) {
        return Err(format!("'{}' is not for a part of the rows", op.name()));
    }
    if let Some(extract) = kernel::Extract::of(op) {
        let (from, to) = (op.type_of(extract.input()), op.type_of(extract.out()));
        let size = |ty: Type, axis: usize| Frag::of(ctx, ty).and_then(|frag| frag.shape(ctx).get(axis).copied());
        if let Some(axis) = rows(ctx, from)?.filter(|&axis| size(from, axis) != size(to, axis)) {
            return Err(format!("a part along axis {axis}, that of the rows, is taken out of a fragment"));
        }
    }
    let added = kernel::Store::of(op).filter(|store| store.combine().is_some());
    if added.map(|store| rows(ctx, op.type_of(store.value()))).transpose()? == Some(None) {
        return Err("what is the same for all rows is added to memory, which every consumer would do".into());
    }
    Ok(())
}

/// Shares the rows of all fragments in an op among groups, of which `group` is the number of the one that is here.
pub fn share(ctx: &Context, body: &mut Body, holder: OpId, group: ValueId, groups: i64) -> Result<(), String> {
    let ops: Vec<OpId> = with_inner(body, holder).into_iter().skip(1).collect();
    let mut types: Vec<(ValueId, Type)> = Vec::new();
    for &op in &ops {
        let view = OpRef::new(ctx, body, op);
        check(ctx, view)?;
        let blocks = view.regions().iter().filter_map(|&region| body.first_block(region));
        let args = blocks.flat_map(|block| body.args(block).iter().copied());
        for value in view.results().chain(args) {
            if let Some((ty, ..)) = part(ctx, body.value_type(value), groups)? {
                types.push((value, ty));
            }
        }
    }
    for &op in &ops {
        move_positions(ctx, body, op, group, groups)?;
        take_rows(ctx, body, op, group, groups)?;
    }
    types.into_iter().for_each(|(value, ty)| body.set_value_type(value, ty));
    Ok(())
}

/// Lets the positions of an op count from the first row of the group.
fn move_positions(ctx: &Context, body: &mut Body, op: OpId, group: ValueId, groups: i64) -> Result<(), String> {
    let view = OpRef::new(ctx, body, op);
    let of = if let Some(store) = kernel::Store::of(view) {
        store.value()
    } else if let Some(result) = view
        .results()
        .next()
        .filter(|_| [kernel::Load::DEF, kernel::Select::DEF, kernel::Index::DEF].iter().any(|&def| view.is(def)))
    {
        result
    } else {
        return Ok(());
    };
    let Some((_, axis, mine)) = part(ctx, body.value_type(of), groups)? else { return Ok(()) };
    let number = view.operands_of_group(args_group(view)).len();
    let beyond = "its positions go beyond 64 bits";
    let first = SizeExpr::symbol(&value_name(number)).and_then(|group| group.mul(&SizeExpr::from(mine)));
    let first = first.map_err(|_| beyond)?;
    let replace = |name: &str| {
        let position = SizeExpr::symbol(name).ok().filter(|_| axis_number(name) == Some(axis))?;
        position.add(&first).ok()
    };
    let mut changed = false;
    for key in ["at", "value"] {
        let Some(exprs) = view.prop_named(key).and_then(|attr| Exprs::get(ctx, attr)) else { continue };
        let moved: Result<Vec<SizeExpr>, _> = exprs.iter().map(|expr| expr.substitute(&replace)).collect();
        let moved = moved.map_err(|_| beyond)?;
        if moved != exprs {
            changed = true;
            body.set_prop(ctx, op, ctx.intern_str(key), Some(Exprs::make(ctx, moved)));
        }
        break;
    }
    let guard = OpRef::new(ctx, body, op).prop_named("guard").and_then(|attr| Guard::get(ctx, attr));
    if let Some(guard) = guard {
        let moved = guard.map(&|expr| expr.substitute(&replace).ok()).ok_or(beyond)?;
        if moved != guard {
            changed = true;
            body.set_prop(ctx, op, ctx.intern_str("guard"), Some(Guard::make(ctx, moved)));
        }
    }
    if changed {
        let at = args_group(OpRef::new(ctx, body, op));
        regroup(ctx, body, op, |operands| operands[at].push(group));
    }
    Ok(())
}

/// The group of operands that expressions name.
fn args_group(op: OpRef<'_>) -> usize {
    op.def().operands.iter().position(|operand| operand.name == "args").unwrap_or(0)
}

/// Lets an op read the rows of the group alone from a tile.
fn take_rows(ctx: &Context, body: &mut Body, op: OpId, group: ValueId, groups: i64) -> Result<(), String> {
    let view = OpRef::new(ctx, body, op);
    let (tile, stage, transposed, of, name) = if let Some(load) = kernel::LoadShared::of(view) {
        (load.tile(), load.stage(), load.transposed().is_some(), load.out(), "tile")
    } else if let Some(product) = kernel::Wgmma::of(view) {
        (product.lhs(), product.lhs_stage(), product.lhs_transposed().is_some(), product.acc(), "lhs")
    } else {
        return Ok(());
    };
    let Some(ty) = Tile::of(ctx, view.type_of(tile)) else { return Ok(()) };
    let Some((_, _, mine)) = part(ctx, body.value_type(of), groups)? else { return Ok(()) };
    let loc = view.loc();
    let mut shape = ty.shape(ctx);
    let axis = usize::from(transposed);
    let all = *shape.get(axis).ok_or("a tile has no such axis")?;
    shape[axis] = mine;
    let elem = ty.elem(ctx);
    let bytes = i64::from(elem.bits(ctx).unwrap_or(8) / 8);
    let count = |number: i64| u32::try_from(number).map_err(|_| "a tile is too large".to_string());
    let layout = match ty.layout(ctx) {
        // A part of the rows lies in the panels of the whole tile.
        Shared::Panels { span, rows } if !transposed => {
            let panels = shape.last().is_some_and(|&width| width * bytes > i64::from(span));
            Shared::Panels { span, rows: if panels { Some(rows.unwrap_or(count(all)?)) } else { rows } }
        }
        Shared::Panels { span, .. } if mine * bytes % i64::from(span) != 0 => {
            return Err(format!("{mine} rows of a tile are no whole panels of {span} bytes"));
        }
        Shared::RowMajor { pitch } if transposed => Shared::RowMajor { pitch: Some(pitch.unwrap_or(count(all)?)) },
        Shared::ColMajor { pitch } if !transposed => Shared::ColMajor { pitch: Some(pitch.unwrap_or(count(all)?)) },
        layout => layout,
    };
    let first = SizeExpr::symbol(&value_name(0)).and_then(|group| group.mul(&SizeExpr::from(mine)));
    let mut at = vec![SizeExpr::from(0); shape.len()];
    at[axis] = first.map_err(|_| "its positions go beyond 64 bits")?;
    let part = Tile::get(ctx, 1, shape, elem, layout);
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let slice = kernel::NewSlice { tile, stage, args: &[group], at, out_type: part }.build(&mut builder, loc);
    let mine = builder.result(slice);
    let view = OpRef::new(ctx, body, op);
    let at = view.def().operands.iter().position(|operand| operand.name == name);
    let stage = stage_of(view, name);
    regroup(ctx, body, op, |operands| {
        if let (Some(at), Some(stage)) = (at, stage) {
            operands[at][0] = mine;
            operands[stage].clear();
        }
    });
    Ok(())
}
