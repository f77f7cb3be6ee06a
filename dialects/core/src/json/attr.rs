//! Any JSON as an attribute, and back: for what is kept and not understood, such as notes.

use dlc_ir::attrs::AttrData;
use dlc_ir::{Attr, Context, Type, float};

use super::node::{Kind, Node, Read};
use super::write::Item;
use super::{DUPLICATE_KEY, Scalar};

/// Attributes may be nested deeper than this.
const MAX_DEPTH: usize = 64;

/// The attribute that holds what a value says: objects are dictionaries, `null` is a unit.
pub fn to_attr(ctx: &Context, node: &Node<'_>) -> Read<Attr> {
    nested(ctx, node, 0)
}

fn nested(ctx: &Context, node: &Node<'_>, depth: usize) -> Read<Attr> {
    if depth > MAX_DEPTH {
        return Err(node.not(&format!("nested at most {MAX_DEPTH} deep")));
    }
    Ok(match node.kind() {
        Kind::Null => Attr::UNIT,
        Kind::String => ctx.str_attr(&node.string("a string")?),
        Kind::Bool | Kind::Number => match node.scalar()? {
            Scalar::Bool(value) => ctx.bool_attr(value),
            Scalar::Int(value) => match i64::try_from(value) {
                Ok(value) => ctx.i64_attr(value),
                Err(_) => return Err(node.not("an integer of at most 64 bits")),
            },
            Scalar::Float(value) => ctx.attr(AttrData::Float { ty: Type::F64, bits: value.to_bits() }),
        },
        Kind::List => {
            let items = node.list_of("a list", |item| nested(ctx, item, depth + 1))?;
            ctx.array_attr(&items)
        }
        Kind::Object => {
            let mut entries = Vec::new();
            for (key, place, value) in node.entries("an object")? {
                let key = ctx.intern_str(&key);
                if entries.iter().any(|(other, _)| *other == key) {
                    let message = format!("the key '{}' comes twice", ctx.str(key));
                    return Err(node.report(place.error(&DUPLICATE_KEY, message)));
                }
                entries.push((key, nested(ctx, &value, depth + 1)?));
            }
            ctx.dict_attr(&entries)
        }
    })
}

/// What an attribute says as JSON; `None` for one that [`to_attr`] does not make.
pub fn from_attr(ctx: &Context, attr: Attr) -> Option<Item> {
    Some(match ctx.attr_data(attr) {
        AttrData::Unit => Item::Null,
        AttrData::String(text) => ctx.str(*text).into(),
        AttrData::Integer { ty: Type::I1, value } => Item::Bool(*value != 0),
        AttrData::Integer { value, .. } => Item::Int(*value),
        AttrData::Float { ty, bits } => Scalar::Float(float::decode(*bits, ty.float_kind(ctx)?)).item(),
        AttrData::Array(items) => {
            Item::List(items.iter().map(|&item| from_attr(ctx, item)).collect::<Option<Vec<_>>>()?)
        }
        AttrData::Dict(entries) => {
            let entry = |(key, value): &(_, Attr)| Some((ctx.str(*key).to_string(), from_attr(ctx, *value)?));
            Item::Object(entries.iter().map(entry).collect::<Option<Vec<_>>>()?)
        }
        _ => return None,
    })
}
