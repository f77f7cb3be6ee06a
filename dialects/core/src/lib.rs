//! What several layers share: the types of tensors, their sizes, and how layers are written as JSON.
//!
//! ```text
//! tensor<[M, 2*K], f16>           !core.tensor<["M", "2*K"], f16>
//! ```
//!
//! Both spellings are one type; the second is the generic one, which any MLIR tool reads. Sizes are polynomials of the
//! function's symbols, always in canonical form. There are no ops here, and no layouts: a tensor is a value.

pub mod broadcast;
pub mod eval;
pub mod infer;
pub mod json;
pub mod numbers;
pub mod sizes;
pub mod tensor;
pub mod types;

dlc_ir::dialect! {
    name: "core",
    summary: "What several layers share: the types of tensors.",
    ops: [],
    types: [types::Tensor],
    attrs: [],
    materialize: None,
}

#[cfg(test)]
mod tests;
