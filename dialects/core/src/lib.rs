//! What several layers share: the types of tensors, their sizes, and how layers are written as JSON.
//!
//! ```text
//! tensor<[M, 2*K], f16>           !core.tensor<["M", "2*K"], f16>
//! ```
//!
//! Both spellings are one type; the second is the generic one, which any MLIR tool reads. Sizes are polynomials of the
//! function's symbols, always in canonical form. There are no ops here. A tensor is a value and has no layout;
//! a memref is one in memory, and has.

pub mod access;
pub mod bounds;
pub mod broadcast;
pub mod constant;
pub mod eval;
pub mod guard;
pub mod infer;
pub mod json;
pub mod launch;
pub mod layout;
pub mod memref;
pub mod numbers;
pub mod placement;
pub mod precision;
pub mod scalar;
pub mod sizes;
pub mod space;
pub mod tensor;
pub mod types;

/// The discardable attribute, without a value, of an op of `tiny` or `book` whose result a program wants in memory: what
/// tinygrad's `contiguous` says. It changes no number, and is an order to whatever decides what is stored.
pub const CONTIGUOUS: &str = "contiguous";

dlc_ir::dialect! {
    name: "core",
    summary: "What several layers share: the types of tensors, in memory or not.",
    ops: [],
    types: [types::Tensor, memref::MemRef],
    attrs: [],
    materialize: None,
}

#[cfg(test)]
mod tests;
