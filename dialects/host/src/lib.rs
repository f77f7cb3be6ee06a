//! The layer host: which kernels run, in what order, and where their buffers lie.
//!
//! From above comes a program as kernels, the regions, each of which reads and writes memory and knows nothing of the
//! others. Here one function launches them. Its values are buffers.
//!
//! ```text
//! host.func @mlp<M, N, K>(%X: memref<[M, K], f16>, %W: memref<[K, N], f16>) -> memref<[M], f16> {
//!   %h = launch @fast<M, N, K> where (K mod 8 == 0) else @slow<M, N, K> (%X, %W) : memref<[M, N], f16, row_major, align 128>
//!   %y = launch @rows<M, N> (%h) : memref<[M], f16>
//!   return %y
//! }
//! ```
//!
//! A buffer lives from its launch to the last op that reads it or a view of it. Once it is planned, it says where in the
//! arena that is: `at [128*M]`. A program here cannot say what a kernel computes, nor change a buffer that is there.

pub mod buffers;
pub mod choice;
pub mod interp;
pub mod ops;
pub mod syntax;
pub mod verify;

dlc_ir::dialect! {
    name: "host",
    summary: "Which kernels run in what order, and where their buffers lie.",
    ops: [ops::Func, ops::Launch, ops::View, ops::Const, ops::Return],
    types: [],
    attrs: [],
    materialize: None,
}
