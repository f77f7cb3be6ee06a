//! What operands must be beyond being tensors.

use dlc_core::types::Tensor;
use dlc_ir::{Context, Type};

fn elem(ctx: &Context, ty: Type) -> Option<Type> {
    Tensor::of(ctx, ty).map(|ty| ty.elem(ctx))
}

dlc_ir::constraints! {
    /// A tensor of integers; `i1` is one.
    pub IntegerTensor = "a tensor of integers", |ctx, ty| {
        elem(ctx, ty).is_some_and(|elem| elem == Type::INDEX || elem.is_integer(ctx))
    };
    /// A tensor of truth values.
    pub BoolTensor = "a tensor of i1", |ctx, ty| elem(ctx, ty) == Some(Type::I1);
}
