//! Layouts as signatures and JSON say them: a word, or `{kind = "strided", params = {strides = ["2*K", 1]}}`.

use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::{Attr, Context};

use super::Layout;
use crate::sizes;

/// The kinds, and the parameters of each: those that must be there, then those that may.
const KINDS: &[(&str, &[&str], &[&str])] = &[
    ("row_major", &[], &["pitch"]),
    ("col_major", &[], &["pitch"]),
    ("strided", &["strides"], &["offset"]),
    ("swizzled", &[], &["swizzle", "vec_bytes"]),
    ("blocked", &["block"], &[]),
];

impl Layout {
    /// The layout of a tensor of these sizes that a signature says; otherwise one sentence that says why there is none.
    pub fn said(ctx: &Context, attr: Attr, dims: &[SizeExpr]) -> Result<Layout, String> {
        let kinds = || KINDS.iter().map(|(kind, ..)| format!("\"{kind}\"")).collect::<Vec<_>>().join(", ");
        let unknown = || format!("a layout is one of {}, or {{kind = \"..\", params = {{..}}}}", kinds());
        let get = |dict: Attr, key: &str| ctx.dict_get(dict, ctx.intern_str(key));
        let keys = |dict: Attr| dict.as_dict(ctx).unwrap_or_default().iter().map(|(key, _)| ctx.str(*key));
        let (kind, params) = match ctx.attr_data(attr) {
            AttrData::String(kind) => (ctx.str(*kind), Attr::EMPTY_DICT),
            AttrData::Dict(_) => {
                if let Some(key) = keys(attr).find(|key| !["kind", "params"].contains(key)) {
                    return Err(format!("a layout has 'kind' and 'params', and no '{key}'"));
                }
                let kind = get(attr, "kind").and_then(|kind| kind.as_str(ctx)).ok_or_else(unknown)?;
                (kind, get(attr, "params").unwrap_or(Attr::EMPTY_DICT))
            }
            _ => return Err(unknown()),
        };
        let Some((_, must, may)) = KINDS.iter().find(|(known, ..)| *known == kind) else { return Err(unknown()) };
        if params.as_dict(ctx).is_none() {
            return Err("the parameters of a layout are {name = value, ..}".into());
        }
        if let Some(key) = keys(params).find(|key| !must.contains(key) && !may.contains(key)) {
            let known: Vec<&str> = must.iter().chain(*may).copied().collect();
            let has = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            return Err(format!("the layout \"{kind}\" has no parameter '{key}'; its parameters are {has}"));
        }
        if let Some(key) = must.iter().find(|key| get(params, key).is_none()) {
            return Err(format!("the layout \"{kind}\" needs the parameter '{key}'"));
        }
        let number = |key: &str| match get(params, key) {
            Some(attr) => expr(ctx, attr).map(Some).ok_or_else(|| format!("'{key}' is no integer expression")),
            None => Ok(None),
        };
        let layout = match kind {
            "row_major" | "col_major" => {
                let plain = if kind == "row_major" { Layout::RowMajor } else { Layout::ColMajor };
                match number("pitch")? {
                    None => plain,
                    Some(pitch) => pitched(plain, pitch, dims)?,
                }
            }
            "strided" => {
                let list = get(params, "strides").and_then(|list| list.as_array(ctx)).unwrap_or_default();
                let strides: Option<Vec<SizeExpr>> = list.iter().map(|&item| expr(ctx, item)).collect();
                let strides = strides.ok_or("'strides' has something that is no integer expression")?;
                Layout::Strided { strides, offset: number("offset")?.unwrap_or_else(|| SizeExpr::from(0)) }
            }
            "swizzled" => {
                let bytes = match get(params, "swizzle").map(|name| name.as_str(ctx)) {
                    Some(Some("xor32")) => 32,
                    Some(Some("xor64")) => 64,
                    None | Some(Some("xor128")) => 128,
                    _ => return Err("'swizzle' is \"xor32\", \"xor64\" or \"xor128\"".into()),
                };
                let vector = match get(params, "vec_bytes") {
                    None => 16,
                    Some(attr) => attr.as_int(ctx).ok_or("'vec_bytes' is an integer")?,
                };
                Layout::Swizzled { bytes, vector }
            }
            _ => {
                let list = get(params, "block").and_then(|list| list.as_array(ctx)).unwrap_or_default();
                let block: Option<Vec<i64>> = list.iter().map(|size| size.as_int(ctx)).collect();
                Layout::Blocked { block: block.ok_or("'block' is a list of integers")? }
            }
        };
        layout.fits(dims.len()).map(|()| layout)
    }
}

/// An integer, or a text with an expression, canonical or not.
fn expr(ctx: &Context, attr: Attr) -> Option<SizeExpr> {
    match attr.as_str(ctx) {
        Some(text) => SizeExpr::parse(text).ok(),
        None => sizes::expr(ctx, attr),
    }
}

/// A dense layout whose rows, or columns, are `pitch` elements apart.
fn pitched(plain: Layout, pitch: SizeExpr, dims: &[SizeExpr]) -> Result<Layout, String> {
    let mut wide = dims.to_vec();
    let along = if plain == Layout::RowMajor { wide.last_mut() } else { wide.first_mut() };
    let Some(along) = along.filter(|_| dims.len() > 1) else {
        return Err(format!("a pitch is for two axes or more, not {}", dims.len()));
    };
    if let (Some(pitch), Some(size)) = (pitch.as_constant(), along.as_constant())
        && pitch < size
    {
        return Err(format!("a pitch of {pitch} is too small for {size} elements"));
    }
    *along = pitch;
    let (strides, offset) = plain.strides(&wide).ok_or("the strides go beyond 64 bits")?;
    Ok(Layout::Strided { strides, offset })
}
