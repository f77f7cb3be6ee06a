//! Neutral ops, for tests of what knows no dialect: the IR, its text, rewriting, passes.
//!
//! Nothing is lowered into it or out of it; a test that is written with it does not break when a real layer changes.
//!
//! ```text
//! sample.func @f(%a: i64, %b: i64) -> i64 {
//!   %s = addi %a, %b : i64
//!   return %s
//! }
//! ```
//!
//! It has one op of every shape that the IR can hold, and deliberately no tensors.

pub mod canonicalize;
pub mod fold;
pub mod interp;
pub mod ops;
pub mod syntax;
pub mod types;
pub mod verify;

dlc_ir::dialect! {
    name: "sample",
    summary: "Neutral ops, for tests of what knows no dialect.",
    ops: [
        ops::Constant, ops::Addi, ops::Subi, ops::Muli, ops::Andi, ops::Ori, ops::Xori, ops::Minsi, ops::Maxsi,
        ops::Divsi, ops::Divmod, ops::Neg, ops::Abs, ops::Cmpi, ops::Select, ops::Addf, ops::Mulf, ops::Sum, ops::Dot,
        ops::MakeBox, ops::OpenBox, ops::Assume, ops::Alloc, ops::Load, ops::Store, ops::Use, ops::Func, ops::Call,
        ops::Return, ops::Br, ops::CondBr, ops::Loop, ops::If, ops::Graph, ops::Yield, ops::Scope,
    ],
    types: [types::BoxType, types::Buffer],
    attrs: [types::Range],
    materialize: Some(fold::materialize),
}

#[cfg(test)]
mod tests;
