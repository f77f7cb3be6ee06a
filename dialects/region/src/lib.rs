//! The layer region, Region Buffer SSA: one region is one kernel.
//!
//! From above come entries, each with its own numbered axes; here the axes of a kernel have names that all its values
//! share. A value is a function of some of these axes, and its type says which. Only what is read and what is yielded is
//! memory.
//!
//! ```text
//! %acc = reduce sum (k: K) acc f32 init 0.0 {
//!   %a = read %X[m, k] : f16 over (m, k)
//!   %b = read %W[k, n] : f16 over (n, k)
//!   %ab = binary mul %a, %b widen : f32 over (m, n, k)
//!   yield %ab
//! } : f32 over (m, n)
//! ```
//!
//! Discardable attributes without value mark what passes have found or allowed themselves: `deferred` on a value that is
//! kept on chip between reductions ([`verify::DEFERRED`]); `reassoc` on a reduction that was put together from others,
//! exactly in real arithmetic, and `fuse` where numbers on the way are no longer rounded.
//!
//! A program here has no views, no names of patterns such as matmul, no tiles, threads or buffers; it cannot say how
//! anything is computed.

pub mod interp;
mod json;
pub mod ops;
pub mod syntax;
pub mod types;
pub mod verify;

#[cfg(test)]
mod tests;

dlc_ir::dialect! {
    name: "region",
    summary: "One kernel each, as values over named axes.",
    ops: [
        ops::Func, ops::Yield, ops::Const, ops::Index, ops::Read, ops::Unary, ops::Binary, ops::Select, ops::Cast,
        ops::Reduce, ops::Scan, ops::Sort, ops::BroadcastInDim, ops::Transpose,
    ],
    types: [types::Value],
    attrs: [],
    materialize: None,
    synonyms: [
        "neg" => "unary neg", "relu" => "unary relu", "recip" => "unary recip", "sqrt" => "unary sqrt",
        "exp2" => "unary exp2", "log2" => "unary log2", "add" => "binary add", "sub" => "binary sub",
        "mul" => "binary mul", "fdiv" => "binary fdiv", "pow" => "binary pow", "div" => "binary fdiv",
        "where" => "select", "constant" => "const", "permute" => "transpose", "broadcast" => "broadcast_in_dim",
        "load" => "read", "sum" => "reduce sum", "cumsum" => "scan sum", "max" => "reduce max", "return" => "yield",
    ],
}
