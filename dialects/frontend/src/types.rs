//! The kinds of attributes that only graphs have.

use dlc_ir::define::Kind;
use dlc_ir::op::AttrKind;
use dlc_ir::{Attr, Context, Type};

/// A list of types of elements.
pub struct ElemTypes;

impl Kind for ElemTypes {
    type Value<'a> = Vec<Type>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "an array of types of integers or floats",
        admits: |ctx, attr| {
            ElemTypes::get(ctx, attr).is_some_and(|types| types.iter().all(|ty| ty.bits(ctx).is_some()))
        },
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<Type>> {
        attr.as_array(ctx)?.iter().map(|item| item.as_type(ctx)).collect()
    }
    fn make(ctx: &Context, types: Vec<Type>) -> Attr {
        let items: Vec<Attr> = types.into_iter().map(|ty| ctx.type_attr(ty)).collect();
        ctx.array_attr(&items)
    }
}
