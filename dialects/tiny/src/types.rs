//! What operands must be beyond being tensors, and the attribute with the elements of a constant.

use dlc_core::types::Tensor;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::Kind;
use dlc_ir::op::AttrKind;
use dlc_ir::{Attr, Context, Type};

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

/// The elements of a constant: a number for all of them, or a dense tensor.
pub struct Elements;

impl Kind for Elements {
    type Value<'a> = Attr;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a number or a dense tensor of numbers",
        admits: |ctx, attr| {
            matches!(ctx.attr_data(attr), AttrData::Integer { .. } | AttrData::Float { .. } | AttrData::Dense(_))
        },
        parse: None,
        print: None,
    };
    fn get(_: &Context, attr: Attr) -> Option<Attr> {
        Some(attr)
    }
    fn make(_: &Context, value: Attr) -> Attr {
        value
    }
}
