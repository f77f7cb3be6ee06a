//! The layer plan: how a kernel is made, as data.
//!
//! A schedule stands next to the kernel that it is for, and says how its axes are cut into tiles, who computes them, where
//! tensors are kept on the way and what runs concurrently with what. It is written by hand, by `choose-plan`, or comes as JSON (section
//! 8 of the specification). From here on the passes to the layer kernel take it; each reads the part that it does.
//!
//! ```text
//! plan.schedule of @gemm_bias_relu for sm90 {
//!   tile (m: 128, n: 128, k: 64)
//!   instruction wgmma [64, 128, 16]
//!   stages 6
//!   roles ping_pong consumers 2
//!   cache X (m, k) f16 in smem
//!   cache W (k, n) f16 in smem
//!   barrier mbarrier
//!   epilogue [bias, relu]
//! }
//! ```
//!
//! [`Schedule`] is the op as a value of Rust; [`Target`] is a machine, from the table of [`targets`] or an op `plan.target`.
//! [`check`](check::check) says what of a schedule a machine cannot do, and finds the nearest one that it can. A plan
//! describes: it is not evaluated, and cannot change what a kernel computes.

pub mod check;
pub mod clause;
pub mod footprint;
mod gpu_ir;
pub mod json;
pub mod measured;
pub mod ops;
pub mod places;
pub mod schedule;
mod syntax;
pub mod target;
pub mod targets;
pub mod value;
mod verify;

pub use measured::Measured;
pub use schedule::{Schedule, Schedules, TargetName};
pub use target::Target;

dlc_ir::dialect! {
    name: "plan",
    summary: "How a kernel is made, as data.",
    ops: [schedule::Schedule, measured::Measured, target::Target],
    types: [],
    attrs: [],
    materialize: None,
}
