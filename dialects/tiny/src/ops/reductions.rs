//! Axes that become one element, alone or of a product.

use dlc_core::sizes::Exprs;
use dlc_core::types::Tensor;
use dlc_ir::define::{Int, IntArray, TypeAttr, Unit, op};

use crate::{canonicalize, fold, interp, shape};

pub use dlc_core::scalar::{Combiner, ScanCombiner};

/// Axes combined into one element each; the axes are gone.
///
/// Sums and products are rounded once, to the type of the result. Of no elements they are what changes no other number. Marked
/// `{any_order}`, a sum of floats may be added in another order in each run.
#[op("tiny.reduce", traits(Pure), format = "$combiner $input `over` $axes (`acc` $acc^)? attr-dict `:` type($out)",
     infer = shape::reduce, fold = fold::reduce, canonicalize = [canonicalize::REDUCE_OF_ONES], eval = interp::reduce,
     example = "%s = reduce sum %p over [2] acc f32 : tensor<[M, N], f32>")]
pub struct Reduce {
    combiner: Attr<Combiner>,
    input: Operand<Tensor>,
    /// Ascending.
    axes: Attr<IntArray>,
    /// The type in which elements are combined, and of the result; by default that of the operand's elements.
    acc: OptionalAttr<TypeAttr>,
    out: Result<Tensor>,
}

/// Each element combined with those before it along one axis: a running sum, product, maximum or minimum, or a linear
/// recurrence.
///
/// `out[.., i, ..] = combiner over j <= i of input[.., j, ..]`
///
/// With `exclusive` over `j < i`, with `reverse` over `j >= i` (`j > i` with both). Sums and products are rounded once, to the
/// type of the result, at each element. Of no elements they are what changes no other number.
///
/// `linear` has two operands of the same sizes: `out[i] = a[i] * out[i - 1] + b[i]`, where 0 is before the first element.
#[op("tiny.scan", traits(Pure),
     format = "$combiner $inputs `along` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? (`acc` $acc^)? attr-dict `:` type($out)",
     infer = shape::scan, eval = interp::scan,
     example = "%s = scan sum %x along 1 acc f32 : tensor<[M, N], f32>")]
pub struct Scan {
    combiner: Attr<ScanCombiner>,
    /// As many as the combiner has: of `linear` the factors first.
    inputs: Variadic<Tensor>,
    axis: Attr<Int>,
    /// Whether the element at the position itself is left out.
    exclusive: OptionalAttr<Unit>,
    /// Whether the elements after a position are combined, and not those before it.
    reverse: OptionalAttr<Unit>,
    /// The type in which elements are combined, and of the result; by default the common one of the operands' elements.
    acc: OptionalAttr<TypeAttr>,
    out: Result<Tensor>,
}

/// The elements along one axis in ascending order.
///
/// Floats are ordered as numbers, -0.0 before 0.0, and NaN after all of them. Equal elements have no order: positions are
/// sorted with the elements where both are parts of one integer, as `frontend.sort` lowers to it.
#[op("tiny.sort", traits(Pure), format = "$input `along` $axis attr-dict `:` type($out)", infer = shape::sort,
     eval = interp::sort, example = "%y = sort %x along 1 : tensor<[M, N], f32>")]
pub struct Sort {
    input: Operand<Tensor>,
    axis: Attr<Int>,
    out: Result<Tensor>,
}

/// The sum of products over the indices that the result has not.
///
/// Each operand says which indices its axes have: a name, or a sum such as `2*ho + kh`, which is a window. The size of
/// an index is that of an axis that it has alone; the one index of a window that has no such axis goes as far as the
/// operand does. A size of 1 that is written `0` is repeated. Products are exact, or rounded once to the type `product`;
/// the sum is rounded once.
///
/// `out[o] = sum over r of lhs[lhs_idx(o, r)] * rhs[rhs_idx(o, r)]`
#[op("tiny.contract", traits(Pure),
     format = "$lhs $lhs_idx `,` $rhs $rhs_idx `to` $out_idx (`product` $product^)? (`acc` $acc^)? attr-dict `:` type($out)",
     infer = shape::contract, eval = interp::contract,
     example = "%s = contract %X [m, k], %W [k, n] to [m, n] acc f32 : tensor<[M, N], f32>")]
pub struct Contract {
    lhs: Operand<Tensor>,
    lhs_idx: Attr<Exprs>,
    rhs: Operand<Tensor>,
    rhs_idx: Attr<Exprs>,
    /// Names alone, none twice.
    out_idx: Attr<Exprs>,
    /// The type in which products are summed, and of the result; by default that of the products.
    acc: OptionalAttr<TypeAttr>,
    /// The type in which the operands are multiplied; without it products are exact. What a tensor core does is exact.
    product: OptionalAttr<TypeAttr>,
    out: Result<Tensor>,
}
