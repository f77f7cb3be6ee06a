//! The attributes of blocks and edges that are lists: accesses, types, distances.

use dlc_ir::define::Kind;
use dlc_ir::op::AttrKind;
use dlc_ir::{Attr, Context, Str};

/// A tensor, and the map from the points of a block to its elements, in the notation of isl.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access<'a> {
    /// The tensor.
    pub tensor: &'a str,
    /// The map.
    pub map: &'a str,
}

/// A list of accesses. In generic form each is a dictionary, `{map = "{ [i] -> X[i] }", tensor = "X"}`.
pub struct Accesses;

impl Kind for Accesses {
    type Value<'a> = Vec<Access<'a>>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of accesses, such as [{map = \"{ [i] -> X[i] }\", tensor = \"X\"}]",
        admits: |ctx, attr| Accesses::get(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<Access<'_>>> {
        attr.as_array(ctx)?.iter().map(|&attr| access(ctx, attr)).collect()
    }
    fn make(ctx: &Context, accesses: Vec<Access<'_>>) -> Attr {
        let dict = |access: &Access<'_>| {
            let entry = |key: &str, text: &str| (ctx.intern_str(key), ctx.str_attr(text));
            let entries: [(Str, Attr); 2] = [entry("tensor", access.tensor), entry("map", access.map)];
            ctx.dict_attr(&entries)
        };
        let accesses: Vec<Attr> = accesses.iter().map(dict).collect();
        ctx.array_attr(&accesses)
    }
}

fn access(ctx: &Context, attr: Attr) -> Option<Access<'_>> {
    let entries = attr.as_dict(ctx)?;
    let text = |key: &str| entries.iter().find(|(name, _)| ctx.str(*name) == key)?.1.as_str(ctx);
    Some(Access { tensor: text("tensor")?, map: text("map")? }).filter(|_| entries.len() == 2)
}

/// For each axis of a tensor by how many elements the point that comes later is ahead; `*`, in generic form `unit`, where
/// that is not one number.
pub struct Distance;

impl Kind for Distance {
    type Value<'a> = Vec<Option<i64>>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of distances, such as [0, unit]",
        admits: |ctx, attr| Distance::get(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<Option<i64>>> {
        let item = |item: &Attr| match *item == Attr::UNIT {
            true => Some(None),
            false => item.as_int(ctx).map(Some),
        };
        attr.as_array(ctx)?.iter().map(item).collect()
    }
    fn make(ctx: &Context, distance: Vec<Option<i64>>) -> Attr {
        let item = |item: &Option<i64>| item.map_or(Attr::UNIT, |value| ctx.i64_attr(value));
        ctx.array_attr(&distance.iter().map(item).collect::<Vec<_>>())
    }
}
