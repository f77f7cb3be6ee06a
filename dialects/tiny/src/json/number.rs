//! Numbers of a type, read and written without loss of what the text said.

use dlc_core::json::names::{dtype_name, shortest};
use dlc_core::json::{Item, Node, Read, Scalar};
use dlc_ir::attrs::{AttrData, wrap_integer};
use dlc_ir::{Attr, Context, Type, float};

/// The discardable attribute of a constant whose type cannot hold the number that the text says.
pub(super) const EXACT: &str = "exact";

/// A number that a text gives, as an element.
pub(super) struct Element {
    /// The number, rounded to the type.
    pub attr: Attr,
    /// The number as it was, when it takes more digits than those that tell the rounded one.
    pub exact: Option<Attr>,
}

/// The number as an element of a type.
pub(super) fn element(ctx: &Context, node: &Node<'_>, scalar: Scalar, elem: Type) -> Read<Element> {
    // As in tinygrad, which writes the 255 of a uint8 as -1 too. Integers without a sign of their own are signed here.
    let wrapped = |value: i128| ctx.int_attr(wrap_integer(value, ctx.type_data(elem)), elem);
    match (elem.float_kind(ctx), scalar) {
        (Some(kind), Scalar::Int(_) | Scalar::Float(_)) => {
            let value = match scalar {
                Scalar::Float(value) => value,
                Scalar::Int(value) => value as f64,
                Scalar::Bool(_) => f64::NAN,
            };
            let bits = float::encode(value, kind);
            let attr = ctx.attr(AttrData::Float { ty: elem, bits });
            let lost = shortest(bits, kind).to_bits() != value.to_bits() && !value.is_nan();
            let exact = lost.then(|| ctx.attr(AttrData::Float { ty: Type::F64, bits: value.to_bits() }));
            Ok(Element { attr, exact })
        }
        (None, Scalar::Bool(value)) if elem == Type::I1 => Ok(Element { attr: ctx.bool_attr(value), exact: None }),
        (None, Scalar::Int(value @ (0 | 1))) if elem == Type::I1 => {
            Ok(Element { attr: ctx.bool_attr(value == 1), exact: None })
        }
        (None, Scalar::Int(value)) if elem != Type::I1 => Ok(Element { attr: wrapped(value), exact: None }),
        _ => Err(node.not(&match elem {
            Type::I1 => "true or false".to_string(),
            elem => format!("a number of type {}", name(ctx, elem)),
        })),
    }
}

/// The name of a type of elements in JSON, or else in the text of the IR.
pub(super) fn name(ctx: &Context, elem: Type) -> String {
    dtype_name(ctx, elem).map_or_else(|| elem.display(ctx), str::to_string)
}

/// The number that an element is; `exact` is the one that the text said, if that is known.
pub(super) fn scalar(ctx: &Context, attr: Attr, exact: Option<Attr>) -> Option<Scalar> {
    match *ctx.attr_data(attr) {
        AttrData::Integer { ty: Type::I1, value } => Some(Scalar::Bool(value != 0)),
        AttrData::Integer { value, .. } => Some(Scalar::Int(value)),
        AttrData::Float { ty, bits } => {
            let kind = ty.float_kind(ctx)?;
            let said = exact.and_then(|exact| match *ctx.attr_data(exact) {
                AttrData::Float { ty: Type::F64, bits } => Some(f64::from_bits(bits)),
                _ => None,
            });
            // A pass may have changed the number since.
            let said = said.filter(|&said| float::encode(said, kind) == bits);
            Some(Scalar::Float(said.unwrap_or_else(|| shortest(bits, kind))))
        }
        _ => None,
    }
}

/// The type of a number that stands alone.
pub(super) fn usual_type(scalar: Scalar) -> Type {
    match scalar {
        Scalar::Bool(_) => Type::I1,
        Scalar::Int(_) => Type::I32,
        Scalar::Float(_) => Type::F32,
    }
}

/// The type of a number that meets an element: that of the element, unless it cannot hold such a number.
pub(super) fn type_alongside(ctx: &Context, scalar: Scalar, elem: Type) -> Type {
    let float = elem.float_kind(ctx).is_some();
    match scalar {
        Scalar::Bool(_) => Type::I1,
        Scalar::Int(_) if float || (elem.is_integer(ctx) && elem != Type::I1) => elem,
        Scalar::Float(_) if float => elem,
        other => usual_type(other),
    }
}

/// The name of a type of elements; `None` where JSON has none.
pub(super) fn written(ctx: &Context, elem: Type) -> Option<Item> {
    dtype_name(ctx, elem).map(Item::from)
}
