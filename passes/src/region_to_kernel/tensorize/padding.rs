//! Tensors with unaligned rows, copied first to where rows begin at multiples of 32 bytes: a plan says
//! `algo (load_X: padded)`. TMA moves multiples of 16 bytes, and what memory brings at once are 32, so that boxes
//! do not begin within those. What is between the rows is zero.

use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::{Layout, MemRef};
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Builder, ValueId};
use dlc_kernel::layout::Distributed;
use dlc_kernel::ops as kernel;
use dlc_plan::Schedule;

use super::axes::{LowerError, coordinate, product, quotient, remainder};
use super::lower::{Lower, Result, bits_of};
use crate::analysis::conditions::is_padded;

/// The rows and columns that a block copies, and its warps.
const TILE: [u32; 2] = [16, 256];
const WARPS: u32 = 4;
/// What rows of the copy are multiples of, in bytes.
const SECTOR: i64 = 32;
/// How the copy is aligned, in bytes.
const ALIGN: i64 = 128;

/// Copies what a plan wants padded, in grids of their own; the kernel reads the copies then.
pub fn pad(lower: &mut Lower<'_, '_>, plan: &Schedule) -> Result<()> {
    let Some(entry) = lower.region.entry_block() else { return Ok(()) };
    for arg in lower.region.args(entry).to_vec() {
        let name = lower.ctx.str(lower.region.value_name(arg)).to_string();
        let Some(&memory) = lower.memory.get(&arg).filter(|_| is_padded(plan, &name)) else { continue };
        match copy_rows(lower, memory)? {
            Some(copy) => {
                lower.emit.set_name(copy, &format!("{name}_rows"));
                lower.memory.insert(arg, copy);
            }
            None => {
                let message = format!("{name} is not padded: it is no matrix with its rows one after another");
                lower.missed.push((format!("algo load_{name}"), message));
            }
        }
    }
    Ok(())
}

/// A copy of a matrix with rows of whole sectors, made by a grid; `None` of what is no such matrix.
fn copy_rows(lower: &mut Lower<'_, '_>, memory: ValueId) -> Result<Option<ValueId>> {
    let (ctx, loc, block) = (lower.ctx, lower.emit.loc, lower.emit.block);
    let Some(ty) = MemRef::of(ctx, lower.emit.body.value_type(memory)) else { return Ok(None) };
    let (dims, elem) = (ty.dims(ctx), ty.elem(ctx));
    let bytes = i64::from(bits_of(ctx, elem) / 8);
    let ([rows, columns], Layout::RowMajor, 1..=SECTOR) = (dims.as_slice(), ty.layout(ctx), bytes) else {
        return Ok(None);
    };
    let unit = SizeExpr::from(SECTOR / bytes);
    let whole = columns.ceildiv(&unit).and_then(|units| units.mul(&unit)).map_err(LowerError::Expr)?;
    let ty = MemRef::get(ctx, vec![rows.clone(), whole.clone()], elem, Layout::RowMajor, ALIGN, false);
    let op = kernel::Workspace::build(&mut Builder::at_end(ctx, &mut lower.emit.body, block), loc, ty);
    let copy = lower.emit.body.result(op, 0);

    let count = |size: &SizeExpr, tile: u32| size.ceildiv(&i64::from(tile).into()).map_err(LowerError::Expr);
    let (down, across) = (count(rows, TILE[0])?, count(&whole, TILE[1])?);
    let blocks = product([&down, &across])?;
    let threads = i64::from(WARPS) * 32;
    let grid = kernel::NewGrid { args: &[], dims: vec![blocks], cluster: None, threads, blocks_per_sm: None }
        .build(&mut lower.emit.builder(), loc);
    let inside = lower.emit.body.append_block(lower.emit.body.regions(grid)[0]);
    lower.emit.block = inside;
    let number = kernel::BlockId::build(&mut lower.emit.builder(), loc, 0);
    let number = lower.emit.body.result(number, 0);
    let number = lower.emit.name(number);
    let first = [quotient(&number, &across)?, remainder(&number, &across)?];
    let mut at = Vec::new();
    for (axis, first) in first.iter().enumerate() {
        let first = first.mul(&i64::from(TILE[axis]).into()).map_err(LowerError::Expr)?;
        at.push(first.add(&coordinate(axis)).map_err(LowerError::Expr)?);
    }
    let within = |width: &SizeExpr| {
        let below =
            |expr: &SizeExpr, size: &SizeExpr| Condition { expr: expr.clone(), lower: None, upper: Some(size.clone()) };
        Guard::all(vec![below(&at[0], rows), below(&at[1], width)])
    };
    let layout = Distributed::blocked(&[1, 8], &[1, 32], &[WARPS, 1]);
    let frag = lower.emit.frag(&TILE, elem, &layout);
    let (values, places, guard) = lower.emit.operands(&at, Some(&within(columns)))?;
    let mut builder = lower.emit.builder();
    let load = kernel::NewLoad {
        source: memory,
        args: &values,
        at: places,
        guard,
        fill: None,
        hint: None,
        vector: None,
        out_type: frag,
    }
    .build(&mut builder, loc);
    let load = lower.emit.body.result(load, 0);
    let (values, places, guard) = lower.emit.operands(&at, Some(&within(&whole)))?;
    kernel::NewStore { value: load, target: copy, args: &values, at: places, guard, combine: None, vector: None }
        .build(&mut lower.emit.builder(), loc);
    lower.emit.block = block;
    Ok(Some(copy))
}

/// A guard of a read for a memref with longer rows, between which there is zero.
pub fn widened(guard: Option<Guard>, at: &[SizeExpr], from: &[SizeExpr], to: &[SizeExpr]) -> Option<Guard> {
    let mut guard = guard?;
    for condition in guard.pieces.iter_mut().flatten() {
        let axis = at.iter().position(|at| *at == condition.expr);
        if let Some(axis) = axis.filter(|&axis| condition.upper.is_some() && condition.upper.as_ref() == from.get(axis))
        {
            condition.upper = to.get(axis).cloned();
        }
    }
    Some(guard)
}
