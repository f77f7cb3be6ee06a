//! What values are called.

use std::collections::HashSet;

use dlc_ir::{Body, Context, ValueId};

/// The names of values, where each has one and no two have the same.
pub fn own_names<'c>(ctx: &'c Context, body: &Body, values: impl IntoIterator<Item = ValueId>) -> Option<Vec<&'c str>> {
    let (mut names, mut known) = (Vec::new(), HashSet::new());
    for value in values {
        let name = ctx.str(body.value_name(value));
        if name.is_empty() || !known.insert(name) {
            return None;
        }
        names.push(name);
    }
    Some(names)
}
