//! Says how many elements of a row each access to global memory takes at once, as many as alignment, sizes and guards
//! allow: without that every element is an access of its own.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. Each load, store and copy of threads has the widest `vector` that is right for all sizes, or none
//! where that is one element. A wider one that was there stays: who wrote it knew more.
//!
//! **Before**
//! ```mlir before
//! kernel.func @scale<M, K>(%x: memref<[M, K], f16, row_major, align 16>) -> memref<[M, K], f16, row_major, align 16> {
//!   require (K mod 4 == 0)
//!   %y = output : memref<[M, K], f16, row_major, align 16>
//!   grid (M, K ceildiv 256) threads 32 {
//!     %m = block_id 0
//!     %k = block_id 1
//!     %v = load %x[%m, 256*%k + i0] where (256*%k + i0 < K) : frag<[256], f16, blocked [8] lanes [32] warps [1]>
//!     %w = binary add %v, %v : frag<[256], f16, blocked [8] lanes [32] warps [1]>
//!     store %w to %y[%m, 256*%k + i0] where (256*%k + i0 < K)
//!   }
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @scale<M, K>(%x: memref<[M, K], f16, row_major, align 16>) -> memref<[M, K], f16, row_major, align 16> {
//!   require (K mod 4 == 0)
//!   %y = output : memref<[M, K], f16, row_major, align 16>
//!   grid (M, K ceildiv 256) threads 32 {
//!     %m = block_id 0
//!     %k = block_id 1
//!     %v = load %x[%m, 256*%k + i0] where (256*%k + i0 < K) vector 4 : frag<[256], f16, blocked [8] lanes [32] warps [1]>
//!     %w = binary add %v, %v : frag<[256], f16, blocked [8] lanes [32] warps [1]>
//!     store %w to %y[%m, 256*%k + i0] where (256*%k + i0 < K) vector 4
//!   }
//!   return %y
//! }
//! ```
//!
//! **Does not** change layouts, which say what a thread has in a row: that is `assign-layouts`. What elements are combined
//! with, what is gathered, and rows whose beginning is not known to be aligned stay narrow; a remark says which of them it
//! was.
//!
//! The facts are in `analysis::vectors`: the registers of a layout in a row, `align` of memrefs, `require`, what divides
//! positions, and guards that do not change within a vector. Rule of the debug counters: `vector`.

use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_kernel::global::GlobalAccess;
use dlc_kernel::layout::MAX_VECTOR_BYTES;

use crate::analysis::vectors::widest;

static DEF: PassDef = PassDef {
    on: On::Op("kernel.func"),
    requires: &["kernel"],
    options: &[OptionDef {
        name: "bytes",
        kind: OptionKind::Int,
        default: "16",
        doc: "The most bytes of one access: 1, 2, 4, 8 or 16.",
    }],
    statistics: &[StatDef { name: "vectors", doc: "Accesses that take several elements at once now." }],
    ..PassDef::base("vectorize-memory", "Sets the vector width of memory accesses.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let bytes = options.int("bytes");
    match u32::try_from(bytes).ok().filter(|bytes| bytes.is_power_of_two() && *bytes <= MAX_VECTOR_BYTES) {
        Some(bytes) => Ok(Box::new(VectorizeMemory { bytes })),
        None => Err(format!("an access has 1, 2, 4, 8 or 16 bytes, not {bytes}")),
    }
}

struct VectorizeMemory {
    bytes: u32,
}

impl Pass for VectorizeMemory {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        cx.count("vectors", vectorize_memory(body, self.bytes, cx));
        Ok(())
    }
}

/// Makes the accesses of a kernel as wide as they may be, up to so many bytes. How many are wider.
pub fn vectorize_memory(body: &mut Body, most_bytes: u32, cx: &PassCx<'_>) -> u64 {
    let mut changed = 0;
    for op in body.walk() {
        let view = OpRef::new(cx.ctx, body, op);
        let Some(access) = GlobalAccess::of(view) else { continue };
        let Some(width) = widest(view) else {
            if cx.wants_remarks() {
                let message = "each element is an access of its own: along no axis elements lie one after another";
                cx.remark(RemarkKind::Missed, body.loc(op), message.to_string());
            }
            continue;
        };
        let vector = width.vector.min((most_bytes / width.bytes).max(1));
        if let Some(limit) = width.limit.filter(|_| cx.wants_remarks()) {
            let message = format!("{} of {} elements in a row are one access: {limit}", width.vector, width.of_layout);
            cx.remark(RemarkKind::Missed, body.loc(op), message);
        }
        if i64::from(vector) <= access.vector.unwrap_or(1) || !cx.allows_rule("vector") {
            continue;
        }
        let attr = cx.ctx.i64_attr(vector.into());
        body.set_prop(cx.ctx, op, cx.ctx.intern_str("vector"), Some(attr));
        if cx.wants_remarks() {
            let message = format!("{vector} elements, {} bytes, are one access", vector * width.bytes);
            cx.remark(RemarkKind::Passed, body.loc(op), message);
        }
        changed += 1;
    }
    changed
}
