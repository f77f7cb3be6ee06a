//! The layer plan: how a kernel is made, as data.

dlc_ir::dialect! {
    name: "plan",
    summary: "How a kernel is made, as data.",
    ops: [],
    types: [],
    attrs: [],
    materialize: None,
}
