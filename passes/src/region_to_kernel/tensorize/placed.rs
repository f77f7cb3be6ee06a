//! What a plan says of tensors, compared with where the kernel has them: clauses about tiles in shared memory that are not
//! there, or are there all the same.

use dlc_ir::Context;
use dlc_ir::body::{Body, OpRef};
use dlc_kernel::global::GlobalAccess;
use dlc_kernel::ops as kernel;
use dlc_plan::Schedule;
use dlc_plan::clause::{Buffer, Kind, Place};
use rustc_hash::FxHashMap;

use crate::analysis::vectors::widest;

/// The clauses of a plan that a kernel does not follow, by their word and tensor, and why.
pub fn unfollowed(ctx: &Context, body: &Body, plan: &Schedule) -> Vec<(String, String)> {
    let ops = || body.walk().into_iter().map(|id| OpRef::new(ctx, body, id));
    let copies: Vec<(&str, OpRef<'_>)> =
        ops().filter_map(|op| Some((source_of(ctx, body, kernel::Copy::of(op)?), op))).collect();
    let has_tile = |tensor: &str| copies.iter().any(|(name, _)| *name == tensor);
    // What is computed, or transposed, on its way to shared memory is no copy, and bears no name of a tensor.
    let converts = |op| kernel::Convert::of(op).is_some_and(|op| op.through().is_some());
    let computes = ops().any(|op| kernel::StoreShared::of(op).is_some() || converts(op));
    let mut left = Vec::new();
    for cache in &plan.caches {
        let tensor = &cache.tensor;
        let message = match (cache.place, has_tile(tensor)) {
            (Place::Smem, false) if !computes => format!(
                "'cache' of {tensor}: no tile of it is in shared memory, where factors of products have one, and what is \
                 read between two products"
            ),
            (Place::Reg | Place::Global, true) => {
                format!("'cache' of {tensor}: it has a tile in shared memory, as the factors of this product have")
            }
            _ => continue,
        };
        left.push((format!("cache {tensor}"), message));
    }
    for tensor in plan.swizzle.iter().flat_map(|table| table.names()).filter(|tensor| !has_tile(tensor) && !computes) {
        left.push((format!("swizzle {tensor}"), format!("'swizzle' of {tensor}: no tile of it is in shared memory")));
    }
    for edge in plan.edges.iter().filter(|edge| edge.buffer == Buffer::Reg && has_tile(&edge.from)) {
        let message = format!("'edge' from {}: it comes through a tile in shared memory", edge.from);
        left.push((format!("edge {}", edge.from), message));
    }
    for (tensor, asked) in plan.vectors.iter().flat_map(|table| &table.0) {
        let widths = copies.iter().filter(|(name, _)| name == tensor).filter_map(|(_, op)| widest(*op));
        if let Some(width) = widths.map(|width| i64::from(width.vector)).min().filter(|width| width < asked) {
            let message = format!(
                "a thread copies {width} of the {asked} elements of {tensor} at once, as far as sizes and alignment say"
            );
            left.push((word_of(plan, tensor), message));
        }
    }
    left
}

/// Lets loads and stores take no more elements at once than the plan says of their tensors; copies are laid out so. What is
/// wider all the same, by clause, and why: vectors that the ends of rows may cut apart.
pub fn limit_widths(ctx: &Context, body: &mut Body, plan: &Schedule) -> Vec<(String, String)> {
    let mut left: Vec<(String, String)> = Vec::new();
    // Of wgmma the clause is reported as a whole.
    if plan.instruction.as_ref().is_some_and(|instruction| instruction.kind == Kind::Wgmma) {
        return left;
    }
    let Some(vectors) = &plan.vectors else { return left };
    let widths: FxHashMap<&str, i64> = vectors.0.iter().map(|(tensor, most)| (tensor.as_str(), *most)).collect();
    for op in body.walk() {
        let view = OpRef::new(ctx, body, op);
        let Some(access) = GlobalAccess::of(view).filter(|access| access.tile.is_none()) else { continue };
        let tensor = ctx.str(body.value_name(access.operand));
        let Some(&most) = widths.get(tensor) else { continue };
        let Some(width) = widest(view) else { continue };
        if i64::from(width.vector) > most {
            body.set_prop(ctx, op, ctx.intern_str("vector"), Some(ctx.i64_attr(most)));
        } else if i64::from(width.vector) < most && i64::from(width.aligned) > most {
            let message = format!(
                "'vectors' of {tensor}: a thread takes {} elements at once where the end of a row does not cut them apart",
                width.aligned
            );
            left.push((word_of(plan, tensor), message));
        }
    }
    left.dedup();
    left
}

/// The clause that says how wide accesses of a tensor are.
fn word_of(plan: &Schedule, tensor: &str) -> String {
    if plan.vectorize.is_some() { "vectorize".to_string() } else { format!("vectors {tensor}") }
}

/// The tensor that a copy reads, or of which it reads the padded rows: those are made before the grid, and named after it.
fn source_of<'a>(ctx: &'a Context, body: &Body, copy: kernel::Copy<'_>) -> &'a str {
    let name = ctx.str(body.value_name(copy.source()));
    match body.defining_op(copy.source()) {
        Some(_) => name.strip_suffix("_rows").unwrap_or(name),
        None => name,
    }
}
