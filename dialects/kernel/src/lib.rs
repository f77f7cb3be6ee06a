//! The layer kernel: what the blocks, warps and lanes of a GPU do, with asynchronous work in order.

pub mod layout;

dlc_ir::dialect! {
    name: "kernel",
    summary: "What the blocks, warps and lanes of a GPU do.",
    ops: [],
    types: [],
    attrs: [],
    materialize: None,
}
