//! The layer poly, the Poly-View: what book says, in the terms of the polyhedral model. It is for analysis alone.
//!
//! A view stands next to the function that it describes. Each value that is computed is a block: the points of its
//! domain, what a point reads and writes, and whether it is a contraction. Edges say which points must come before which.
//!
//! ```text
//! poly.view of @gemm<M, N, K> tensors (X: tensor<[M, K], f16>, W: tensor<[K, N], f16>, s: tensor<[M, N], f32>) {
//!   block @s contraction matmul lhs [m, k] rhs [k, n] out [m, n] reduce [k]
//!     domain "[M, N, K] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < K }"
//!     read X "{ [m, n, k] -> X[m, k] }"
//!     read W "{ [m, n, k] -> W[k, n] }"
//!     write s "{ [m, n, k] -> s[m, n] }"
//! }
//! ```
//!
//! Sets and maps are text in the notation of isl, and [`isl`] is the part of it that is read: quasi-affine expressions,
//! in which a quotient is `floor((e)/q)` and there is no remainder. What is not affine is `excluded`, with the reason. A
//! program here cannot say what is computed; nothing is evaluated and nothing is lowered from it.

pub mod access;
pub mod isl;
pub mod json;
pub mod ops;
pub mod pattern;
pub mod syntax;
pub mod verify;

dlc_ir::dialect! {
    name: "poly",
    summary: "The polyhedral view of a program, for analysis.",
    ops: [ops::View, ops::Block, ops::Edge, ops::Excluded],
    types: [],
    attrs: [],
    materialize: None,
}
