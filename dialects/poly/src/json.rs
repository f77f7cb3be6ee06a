//! The JSON of a view, as in the specification's section 5.2: `{"poly_view": {"blocks": [..], "edges": [..]}}`.
//!
//! Beyond the specification it has the symbols that the sets take (`symbols`, `sizes`), what is `excluded`, and of
//! contractions the batch axes and the windows. It is written and not read: a view is made from the function next to it.

use dlc_ir::pass::registry::Translation;
use dlc_ir::{Context, Diagnostics, OpRef};
use serde_json::{Map, Value, json};

use crate::isl;
use crate::ops::{Block, Edge, Excluded, View};

/// Views as JSON.
pub static TRANSLATION: Translation = Translation {
    name: "poly-json",
    summary: "a polyhedral view, {\"poly_view\": {\"blocks\": [..], \"edges\": [..]}}",
    extension: "",
    detects: None,
    layer: "poly",
    read: None,
    write: Some(write),
};

dlc_ir::inventory::submit! { &TRANSLATION }

fn write(_: &Context, op: OpRef<'_>, _: &Diagnostics) -> Option<String> {
    let view = View::of(op)?;
    let nested = op.body.nested(op.id).map_or(op, |body| OpRef { body, id: body.root(), ..op });
    let inner = || nested.body.walk().into_iter().map(move |id| OpRef { id, ..nested });
    let blocks: Vec<Value> = inner().filter_map(Block::of).map(block).collect();
    let edges: Vec<Value> = inner().filter_map(Edge::of).map(edge).collect();
    let excluded = inner().filter_map(Excluded::of);
    let excluded: Vec<Value> = excluded.map(|op| json!({ "name": op.sym_name(), "why": op.reason() })).collect();
    let sizes: Map<String, Value> = view
        .sizes()
        .into_iter()
        .zip(view.size_values())
        .map(|(name, size)| (name.to_string(), json!(size.to_string())))
        .collect();
    let mut entries = Map::new();
    entries.insert("of".into(), json!(view.function()));
    entries.insert("symbols".into(), json!(view.symbols()));
    if !sizes.is_empty() {
        entries.insert("sizes".into(), Value::Object(sizes));
    }
    entries.insert("blocks".into(), json!(blocks));
    entries.insert("edges".into(), json!(edges));
    if !excluded.is_empty() {
        entries.insert("excluded".into(), json!(excluded));
    }
    Some(format!("{:#}\n", json!({ "poly_view": entries })))
}

fn block(op: Block<'_>) -> Value {
    let accesses: Vec<Value> =
        op.accesses().map(|access| json!({ "tensor": access.tensor, "map": access.map })).collect();
    let mut attrs = Map::new();
    if let Some(pattern) = op.pattern() {
        attrs.insert("pattern".into(), json!(pattern.word()));
        attrs.insert("lhs_idx".into(), json!(op.lhs()));
        attrs.insert("rhs_idx".into(), json!(op.rhs()));
    }
    attrs.insert("out_idx".into(), json!(op.out()));
    attrs.insert("reduce_idx".into(), json!(op.reduce()));
    attrs.extend(op.batch().map(|batch| ("batch_idx".into(), json!(batch))));
    attrs.extend(op.strides().map(|strides| ("strides".into(), json!(strides))));
    attrs.extend(op.dilations().map(|dilations| ("dilations".into(), json!(dilations))));
    if op.pattern().is_some() {
        attrs.insert("affine_offsets".into(), Value::Object(windows(op)));
    }
    let kind = if op.pattern().is_some() { "contraction_pattern" } else { "statement" };
    json!({
        "name": op.sym_name(),
        "kind": kind,
        "domain": { "set": op.domain() },
        "accesses": accesses,
        "attrs": attrs,
    })
}

/// For each axis of the result along which a window goes, where it reads: `{"ho": "2*ho + kh - 1"}`.
fn windows(op: Block<'_>) -> Map<String, Value> {
    let mut windows = Map::new();
    let Some(map) = op.reads().first().and_then(|access| isl::read(access.map).ok()) else { return windows };
    let out = op.out();
    if op.strides().is_none() {
        return windows;
    }
    for piece in map.pieces.iter().take(1) {
        let names = isl::Names { dims: &piece.dims, symbols: &map.symbols };
        for at in piece.image.iter().flat_map(|image| &image.at) {
            let bare = matches!(at, dlc_ir::affine::AffineExpr::Dim(_));
            let axis = (0..out.len()).find(|&axis| at.is_function_of_dim(axis as u32)).filter(|_| !bare);
            if let (Some(axis), Some(at)) = (axis, names.expr(at)) {
                windows.insert(out[axis].to_string(), json!(at));
            }
        }
    }
    windows
}

fn edge(op: Edge<'_>) -> Value {
    let block = |path: &[dlc_ir::Str]| path.first().map_or("", |&name| op.ctx.str(name));
    json!({
        "kind": op.kind().word(),
        "from": block(op.source()),
        "to": block(op.target()),
        "tensor": op.tensor(),
        "distance": op.distance(),
    })
}
