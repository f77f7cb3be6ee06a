//! The types of results that can be left out.

use dlc_core::scalar::{self, ScanCombiner};
use dlc_ir::Type;
use dlc_ir::define::Kind;
use dlc_ir::op::{InferCx, Inferred};
use dlc_ir::smallvec::smallvec;

use crate::types::{Frag, Token, Work, elem_of, with_elem};

/// An `index`.
pub fn infer_index(_: &InferCx<'_>) -> Inferred {
    Ok(smallvec![Type::INDEX])
}

/// Two of them.
pub fn infer_two(_: &InferCx<'_>) -> Inferred {
    Ok(smallvec![Type::INDEX, Type::INDEX])
}

/// The token of a copy to shared memory.
pub fn infer_load_token(cx: &InferCx<'_>) -> Inferred {
    Ok(smallvec![Token::get(cx.ctx, Work::Load)])
}

/// The token of a store.
pub fn infer_epilogue_token(cx: &InferCx<'_>) -> Inferred {
    Ok(smallvec![Token::get(cx.ctx, Work::Epilogue)])
}

/// The same with other numbers.
pub fn infer_unary(cx: &InferCx<'_>) -> Inferred {
    let ty = cx.operand_type(0).ok_or("there is no operand")?;
    let function =
        cx.prop("function").and_then(|attr| scalar::Unary::get(cx.ctx, attr)).ok_or("there is no function")?;
    Ok(smallvec![with_elem(cx.ctx, ty, function.elem(cx.ctx, elem_of(cx.ctx, ty)))])
}

/// The layout without the axis.
pub fn infer_reduce(cx: &InferCx<'_>) -> Inferred {
    let ty = cx.operand_type(0).and_then(|ty| Frag::of(cx.ctx, ty)).ok_or("the operand must be a fragment")?;
    let axis = cx.prop("axis").and_then(|attr| attr.as_int(cx.ctx)).ok_or("there is no axis")?;
    let mut shape = ty.shape(cx.ctx);
    let axis = usize::try_from(axis).ok().filter(|&axis| axis < shape.len()).ok_or("there is no such axis")?;
    shape.remove(axis);
    Ok(smallvec![Frag::get(cx.ctx, shape, ty.elem(cx.ctx), ty.layout(cx.ctx).slice(axis as u32))])
}

/// The type of the elements, and that of what is before them.
pub fn infer_scan(cx: &InferCx<'_>) -> Inferred {
    let elements = cx.operand_type(0).ok_or("there are no elements")?;
    let inputs =
        cx.prop("combiner").and_then(|attr| ScanCombiner::get(cx.ctx, attr)).map_or(1, |own| own.operands().len());
    // The verifier refuses other numbers of operands than the combiner has.
    let last = cx.operands.len().saturating_sub(1);
    Ok(smallvec![elements, cx.operand_type(inputs.min(last)).ok_or("there are no elements")?])
}

/// The type of the elements.
pub fn infer_sort(cx: &InferCx<'_>) -> Inferred {
    Ok(smallvec![cx.operand_type(0).ok_or("there are no elements")?])
}

/// The type of what is added to.
pub fn infer_acc(cx: &InferCx<'_>) -> Inferred {
    Ok(smallvec![cx.operand_type(2).ok_or("there is nothing that the product is added to")?])
}

/// The type of what is added to, and the token.
pub fn infer_wgmma(cx: &InferCx<'_>) -> Inferred {
    let acc = cx.operands.last().map(|&value| cx.body.value_type(value));
    Ok(smallvec![acc.ok_or("there is nothing that the product is added to")?, Token::get(cx.ctx, Work::Compute)])
}
