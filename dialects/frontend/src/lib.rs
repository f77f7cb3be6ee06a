//! The layer frontend: what a model means, as a graph of tensor functions under a signature.
//!
//! Models come in here, as text or as JSON; below, every op is lowered to the ops of `tiny`.
//!
//! ```text
//! %c0 = gemm %A, %B acc f32 : tensor<[M, N], f32>
//! %c1 = add %c0, %bias : tensor<[M, N], f32>
//! %c2 = relu %c1 : tensor<[M, N], f32>
//! ```
//!
//! The signature of a graph is its ABI: which inputs are data and which are parameters, what may change, where it is
//! kept and in which layout. Every op is pure. A program here cannot say how an op is computed: in which steps, in which
//! order, with which intermediate values.

pub mod interp;
pub mod json;
pub mod ops;
pub mod shape;
pub mod syntax;
pub mod types;
pub mod verify;

dlc_ir::dialect! {
    name: "frontend",
    summary: "Graphs of tensor functions: what a model means.",
    ops: [
        ops::Graph, ops::Output,
        ops::Gemm, ops::Linear, ops::Einsum,
        ops::Sum, ops::Prod, ops::Max, ops::Min, ops::Mean, ops::Var, ops::Std, ops::Logsumexp, ops::Any, ops::All,
        ops::Argmax, ops::Argmin, ops::Cumsum, ops::Cumprod, ops::Cummax, ops::Cummin, ops::Scan, ops::Sort, ops::Topk,
        ops::Reshape, ops::Transpose, ops::Expand, ops::Pad, ops::Slice, ops::Flip, ops::Concat, ops::Split,
        ops::Arange, ops::Full, ops::Embedding, ops::Take, ops::Gather, ops::ScatterAdd, ops::Rope, ops::Tril, ops::Triu,
        ops::Exp, ops::Exp2, ops::Log, ops::Log2, ops::Log10, ops::Sqrt, ops::Rsqrt, ops::Reciprocal, ops::Sin,
        ops::Cos, ops::Tan, ops::Asin, ops::Acos, ops::Atan, ops::Sinh, ops::Cosh, ops::Tanh, ops::Asinh,
        ops::Acosh, ops::Atanh, ops::Erf, ops::Sigmoid, ops::Logsigmoid, ops::Silu, ops::QuickGelu,
        ops::Hardswish, ops::Mish, ops::Softsign, ops::Neg, ops::Abs, ops::Square, ops::Sign, ops::Relu,
        ops::Relu6, ops::Floor, ops::Ceil, ops::Trunc, ops::Round, ops::Isnan, ops::Isinf, ops::Isfinite,
        ops::LogicalNot, ops::BitwiseNot,
        ops::LeakyRelu, ops::Elu, ops::Celu, ops::Selu, ops::Softplus, ops::Hardsigmoid, ops::Hardtanh,
        ops::Clamp, ops::Gelu, ops::Add, ops::Sub, ops::Mul, ops::Div, ops::Floordiv, ops::Truncdiv, ops::Mod,
        ops::Fmod, ops::Pow, ops::Maximum, ops::Minimum, ops::Copysign, ops::Logaddexp, ops::BitwiseAnd,
        ops::BitwiseOr, ops::BitwiseXor, ops::Lshift, ops::Rshift, ops::Eq, ops::Ne, ops::Lt, ops::Le, ops::Gt,
        ops::Ge, ops::Isclose, ops::Where, ops::Lerp, ops::Cast,
        ops::Conv, ops::ConvTranspose, ops::MaxPool, ops::AvgPool, ops::GlobalAvgPool,
        ops::Softmax, ops::LogSoftmax, ops::LayerNorm, ops::RmsNorm, ops::GroupNorm, ops::BatchNorm, ops::Attention,
    ],
    types: [],
    attrs: [],
    materialize: None,
    synonyms: [
        "return" => "output", "func" => "graph", "const" => "full", "constant" => "full", "fill" => "full",
        "iota" => "arange", "range" => "arange", "matmul" => "gemm", "mm" => "gemm", "bmm" => "gemm", "dot" => "gemm",
        "contract" => "einsum", "permute" => "transpose", "view" => "reshape", "flatten" => "reshape",
        "squeeze" => "reshape", "unsqueeze" => "reshape", "broadcast" => "expand", "broadcast_to" => "expand",
        "broadcast_in_dim" => "expand", "shrink" => "slice", "cat" => "concat", "concatenate" => "concat",
        "index" => "gather", "argsort" => "sort", "subtract" => "sub", "multiply" => "mul", "divide" => "div", "fdiv" => "div",
        "negative" => "neg", "power" => "pow", "recip" => "reciprocal", "swish" => "silu", "select" => "where",
        "convert" => "cast", "astype" => "cast", "reduce_sum" => "sum", "reduce_mean" => "mean",
        "reduce_max" => "max", "reduce_min" => "min", "conv2d" => "conv", "convolution" => "conv",
        "max_pool2d" => "max_pool", "avg_pool2d" => "avg_pool",
        "scaled_dot_product_attention" => "attention", "sdpa" => "attention", "flash_attention" => "attention",
        "rotary_embedding" => "rope",
        // ONNX and PyTorch. Case, `_` and `-` do not count: `ReduceMean` is `reduce_mean`.
        "clip" => "clamp", "amax" => "max", "amin" => "min", "reduce_prod" => "prod", "reduce_logsumexp" => "logsumexp",
        "conv1d" => "conv", "conv3d" => "conv", "conv_transpose1d" => "conv_transpose",
        "conv_transpose2d" => "conv_transpose", "conv_transpose3d" => "conv_transpose", "deconvolution" => "conv_transpose",
        "max_pool1d" => "max_pool", "max_pool3d" => "max_pool", "avg_pool1d" => "avg_pool", "avg_pool3d" => "avg_pool",
        "average_pool" => "avg_pool", "global_average_pool" => "global_avg_pool", "global_max_pool" => "max",
        "adaptive_avg_pool2d" => "global_avg_pool", "layer_normalization" => "layer_norm",
        "rms_normalization" => "rms_norm", "group_normalization" => "group_norm",
        "instance_normalization" => "group_norm", "instance_norm" => "group_norm",
        "batch_normalization" => "batch_norm", "batch_norm1d" => "batch_norm", "batch_norm2d" => "batch_norm",
        "batch_norm3d" => "batch_norm", "addmm" => "gemm", "baddbmm" => "gemm", "dense" => "linear",
        "fully_connected" => "linear", "outer" => "einsum", "tensordot" => "einsum",
        "index_select" => "take", "gather_elements" => "gather", "index_add" => "scatter_add",
        "scatter_elements" => "scatter_add", "masked_fill" => "where", "chunk" => "split", "unbind" => "split",
        "stack" => "concat", "narrow" => "slice", "strided_slice" => "slice", "dynamic_slice" => "slice",
        "tile" => "expand", "repeat" => "expand", "swapaxes" => "transpose", "movedim" => "transpose",
        "greater" => "gt", "greater_equal" => "ge", "greater_or_equal" => "ge", "less" => "lt", "less_equal" => "le",
        "less_or_equal" => "le", "equal" => "eq", "not_equal" => "ne", "true_divide" => "div",
        "floor_divide" => "floordiv", "remainder" => "mod", "rem" => "fmod", "logical_and" => "bitwise_and",
        "logical_or" => "bitwise_or", "logical_xor" => "bitwise_xor", "and" => "bitwise_and", "or" => "bitwise_or",
        "xor" => "bitwise_xor", "not" => "logical_not", "to" => "cast", "zeros" => "full", "ones" => "full",
        "constant_of_shape" => "full",
        "dropout" => "leave it out: 'dropout' changes nothing in a model that is evaluated",
        "identity" => "leave it out, and use its operand: values have no copies",
        "clone" => "leave it out, and use its operand: values have no copies",
        "contiguous" => "leave it out, and use its operand: where a value is stored the compiler decides",
        // StableHLO.
        "dot_general" => "einsum", "exponential" => "exp", "logistic" => "sigmoid", "negate" => "neg",
        "reverse" => "flip",
    ],
}
