//! What exists: the frame of a graph here, then its ops by group.

mod contraction;
mod elementwise;
mod functions;
mod nn;
mod positions;
mod reductions;
mod sorting;
mod views;
mod windows;

pub use contraction::*;
pub use elementwise::*;
pub use functions::*;
pub use nn::*;
pub use positions::*;
pub use reductions::*;
pub use sorting::*;
pub use views::*;
pub use windows::*;

use dlc_core::types::Tensor;
use dlc_ir::define::{DictArray, FunctionType, SymbolName, Text, TextArray, op};
use dlc_ir::text::function;

use crate::types::ElemTypes;
use crate::{interp, syntax, verify};

/// A model, or a part of one. Its symbols are the sizes that are known when it runs.
///
/// Its signature is the ABI of what is compiled from it. Each argument and each result may say:
///
/// | key | values | of |
/// | --- | --- | --- |
/// | `role` | `"data"`, `"param"` (trained, the same in every run), `"state"` (kept from run to run) | arguments |
/// | `mutability` | `"immutable"`, `"mutable"` | arguments |
/// | `storage` | `"gmem"`, `"const_pool"` | arguments, results |
/// | `alignment` | bytes, a power of two | arguments, results |
/// | `layout` | `"row_major"`, `"col_major"`, or `{kind = "..", params = {..}}` with the kinds below | arguments, results |
///
/// | layout | parameters |
/// | --- | --- |
/// | `row_major`, `col_major` | `pitch`: the elements from one row, or column, to the next, where that is more than there are |
/// | `strided` | `strides` by axis and `offset`, in elements |
/// | `swizzled` | `swizzle`: `"xor32"`, `"xor64"` or `"xor128"`, which it is unless said; `vec_bytes`: the bytes of a unit, 16 unless said |
/// | `blocked` | `block`: the elements of a block along each axis; blocks lie one after another, row-major |
///
/// Numbers are integers or texts in the symbols of the graph.
#[op("frontend.graph", traits(Callable, Symbol, IsolatedFromAbove), parse = function::parse, print = function::print,
     verify = verify::graph, eval = interp::graph,
     example = "frontend.graph @f<M>(%x: tensor<[M], f16> {role = \"data\"}) -> tensor<[M], f16> { .. }")]
pub struct Graph {
    sym_name: Attr<SymbolName>,
    function_type: Attr<FunctionType>,
    sym_visibility: OptionalAttr<Text>,
    /// The symbols of sizes.
    symbols: OptionalAttr<TextArray>,
    /// A dictionary for each argument.
    arg_attrs: OptionalAttr<DictArray>,
    /// A dictionary for each result.
    res_attrs: OptionalAttr<DictArray>,
    body: Region,
}

/// Ends the graph with its results, each rounded to the type that is written after `as`.
#[op("frontend.output", traits(Terminator, Pure), parse = syntax::parse_output,
     print = syntax::print_output, verify = verify::output, eval = interp::output,
     example = "output %y as f16, %z as f32")]
pub struct Output {
    values: Variadic<Tensor>,
    /// The types of the elements of the results; without it those of the values.
    elems: OptionalAttr<ElemTypes>,
}
