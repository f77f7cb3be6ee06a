//! The layer tiny: a tensor program as views, arithmetic and reductions, which are the UOps of tinygrad.
//!
//! From above come the ops of a model, each lowered to these; below, every view becomes an index.
//!
//! ```text
//! %x1 = reshape %X to [M, 1, K] : tensor<[M, 1, K], f16>
//! %p = mul %x1, %w2 : tensor<[M, N, K], f16>
//! %s = reduce sum %p over [2] acc f32 : tensor<[M, N], f32>
//! ```
//!
//! Arithmetic broadcasts aligned at the right; axes that are reduced are gone. A program here cannot say where a value
//! is stored, in what order elements are computed, or that an element depends on its neighbours except through views.

pub mod canonicalize;
pub mod fold;
pub mod interp;
pub mod json;
pub mod ops;
pub mod shape;
pub mod types;
pub mod verify;

dlc_ir::dialect! {
    name: "tiny",
    summary: "Tensor programs as views, arithmetic and reductions.",
    ops: [
        ops::Func, ops::Return, ops::Const,
        ops::Reshape, ops::Permute, ops::Expand, ops::Pad, ops::Shrink, ops::Flip, ops::View, ops::Valid, ops::Load,
        ops::Store,
        ops::Add, ops::Sub, ops::Mul, ops::Max, ops::Min, ops::Fdiv, ops::Pow, ops::Cdiv, ops::Cmod, ops::Floordiv,
        ops::Floormod, ops::And, ops::Or, ops::Xor, ops::Shl, ops::Shr, ops::Neg, ops::Relu, ops::Trunc, ops::Recip,
        ops::Sqrt, ops::Exp2, ops::Log2, ops::Sin, ops::Mulacc, ops::Cmp, ops::Where, ops::Cast, ops::Bitcast,
        ops::Reduce, ops::Scan, ops::Sort, ops::Contract,
        ops::Range, ops::Index, ops::If, ops::Yield,
    ],
    types: [],
    attrs: [],
    materialize: Some(fold::materialize),
    synonyms: [
        "output" => "return", "graph" => "func", "constant" => "const", "full" => "const", "fill" => "const",
        "iota" => "range", "arange" => "range", "matmul" => "contract", "gemm" => "contract", "mm" => "contract",
        "bmm" => "contract", "dot" => "contract", "einsum" => "contract", "transpose" => "permute",
        "flatten" => "reshape", "squeeze" => "reshape", "unsqueeze" => "reshape", "broadcast" => "expand",
        "broadcast_to" => "expand", "broadcast_in_dim" => "expand", "slice" => "shrink", "gather" => "index",
        "take" => "index", "subtract" => "sub", "multiply" => "mul", "div" => "fdiv", "divide" => "fdiv",
        "negative" => "neg", "power" => "pow", "reciprocal" => "recip", "maximum" => "max", "minimum" => "min",
        "fma" => "mulacc", "select" => "where", "convert" => "cast", "astype" => "cast", "mod" => "floormod",
        "bitwise_and" => "and", "bitwise_or" => "or", "bitwise_xor" => "xor", "lshift" => "shl", "rshift" => "shr",
        "cumsum" => "scan sum", "cumprod" => "scan prod", "cummax" => "scan max", "cummin" => "scan min",
        "sum" => "reduce sum", "prod" => "reduce prod", "reduce_sum" => "reduce sum", "reduce_max" => "reduce max",
        "reduce_min" => "reduce min", "eq" => "cmp eq", "ne" => "cmp ne", "lt" => "cmp lt", "le" => "cmp le",
        "gt" => "cmp gt", "ge" => "cmp ge", "dot_general" => "contract",
        "reverse" => "flip", "negate" => "neg", "rem" => "cmod", "remainder" => "floormod",
        "idiv" => "cdiv", "reduce_prod" => "reduce prod", "amax" => "reduce max", "amin" => "reduce min",
        "logical_and" => "and", "logical_or" => "or", "compare" => "cmp",
        "cmplt" => "cmp lt", "cmpne" => "cmp ne", "cmpeq" => "cmp eq",
    ],
}

#[cfg(test)]
mod tests;
