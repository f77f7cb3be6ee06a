//! What a plan says of tensors, compared with where the kernel has them: clauses about tiles in shared memory that are not
//! there, or are there all the same.

use dlc_ir::Context;
use dlc_ir::body::{Body, OpRef};
use dlc_kernel::ops as kernel;
use dlc_plan::Schedule;
use dlc_plan::clause::{Buffer, Place};

use crate::analysis::vectors::widest;

/// The clauses of a plan that a kernel does not follow, by their word and tensor, and why.
pub fn unfollowed(ctx: &Context, body: &Body, plan: &Schedule) -> Vec<(String, String)> {
    let ops = || body.walk().into_iter().map(|id| OpRef::new(ctx, body, id));
    let copies: Vec<(&str, OpRef<'_>)> =
        ops().filter_map(|op| Some((source_of(ctx, body, kernel::Copy::of(op)?), op))).collect();
    let has_tile = |tensor: &str| copies.iter().any(|(name, _)| *name == tensor);
    // What is computed on its way to shared memory is no copy, and bears no name of a tensor.
    let computes = ops().any(|op| kernel::StoreShared::of(op).is_some());
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
            let word = if plan.vectorize.is_some() { "vectorize".to_string() } else { format!("vectors {tensor}") };
            left.push((word, message));
        }
    }
    left
}

/// The tensor that a copy reads, or of which it reads the padded rows: those are made before the grid, and named after it.
fn source_of<'a>(ctx: &'a Context, body: &Body, copy: kernel::Copy<'_>) -> &'a str {
    let name = ctx.str(body.value_name(copy.source()));
    match body.defining_op(copy.source()) {
        Some(_) => name.strip_suffix("_rows").unwrap_or(name),
        None => name,
    }
}
