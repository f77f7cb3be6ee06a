//! Memrefs: `{"shape": ["M", "K"], "alignment": 128, "noalias": true, "layout": {"kind": "row_major"}}`.

use dlc_core::json::attr::to_attr;
use dlc_core::json::names::{dtype_name, size_item, sizes_item};
use dlc_core::json::{Item, Node, Read, Record, WRONG_VALUE};
use dlc_core::memref::{Layout, MemRef};
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Context, Type};

/// A memref whose elements may not be said.
pub(super) struct Spec {
    /// The sizes.
    pub dims: Vec<SizeExpr>,
    elem: Option<Type>,
    layout: Layout,
    align: Option<i64>,
    noalias: bool,
}

impl Spec {
    /// A memref of these sizes about which nothing else is said.
    pub fn plain(dims: Vec<SizeExpr>) -> Spec {
        Spec { dims, elem: None, layout: Layout::RowMajor, align: None, noalias: false }
    }

    /// The type, with these elements if it does not say others.
    pub fn ty(self, ctx: &Context, elem: Type) -> Type {
        let elem = self.elem.unwrap_or(elem);
        let align = self.align.unwrap_or_else(|| natural(ctx, elem));
        MemRef::get(ctx, self.dims, elem, self.layout, align, self.noalias)
    }
}

/// The alignment that elements have anyway.
fn natural(ctx: &Context, elem: Type) -> i64 {
    elem.bits(ctx).map_or(1, |bits| i64::from(bits.div_ceil(8)).max(1))
}

/// Reads a memref.
pub(super) fn read(ctx: &Context, node: &Node<'_>) -> Read<Spec> {
    let record = Record::new(node, "a memref", &["shape", "dtype", "alignment", "noalias", "layout"])?;
    let mut memref = Spec::plain(record.need("shape")?.sizes()?);
    memref.elem = record.get("dtype").map(|node| node.dtype(ctx)).transpose()?;
    if let Some(node) = record.get("alignment") {
        let bytes = node.int()?;
        if bytes <= 0 || !bytes.unsigned_abs().is_power_of_two() {
            return Err(node.not("a power of two"));
        }
        memref.align = Some(bytes);
    }
    if let Some(node) = record.get("noalias") {
        memref.noalias = match node.text() {
            "true" => true,
            "false" => false,
            _ => return Err(node.not("true or false")),
        };
    }
    if let Some(node) = record.get("layout") {
        let said = Layout::said(ctx, to_attr(ctx, node)?, &memref.dims);
        memref.layout = said.map_err(|why| node.report(node.error(&WRONG_VALUE, why)))?;
    }
    Ok(memref)
}

/// A memref as it is written, with its elements unless they are the usual ones. `None` where JSON has no name for them.
pub(super) fn item(ctx: &Context, ty: MemRef, usual: Type) -> Option<Item> {
    let elem = ty.elem(ctx);
    let mut entries = vec![("shape", sizes_item(&ty.dims(ctx)))];
    if elem != usual {
        entries.push(("dtype", dtype_name(ctx, elem)?.into()));
    }
    if ty.align(ctx) != natural(ctx, elem) {
        entries.push(("alignment", ty.align(ctx).into()));
    }
    if ty.noalias(ctx) {
        entries.push(("noalias", Item::Bool(true)));
    }
    let kind = |kind: &str| vec![("kind", kind.into())];
    let layout = match ty.layout(ctx) {
        Layout::RowMajor => kind("row_major"),
        Layout::ColMajor => kind("col_major"),
        Layout::Strided { strides, offset } => {
            let mut params = vec![("strides", sizes_item(&strides))];
            if offset.as_constant() != Some(0) {
                params.push(("offset", size_item(&offset)));
            }
            vec![("kind", "strided".into()), ("params", Item::object(params))]
        }
        Layout::Swizzled { bytes, vector } => {
            let params = [("swizzle", format!("xor{bytes}").as_str().into()), ("vec_bytes", vector.into())];
            vec![("kind", "swizzled".into()), ("params", Item::object(params))]
        }
        Layout::Blocked { block } => {
            let block = Item::List(block.into_iter().map(Item::from).collect());
            vec![("kind", "blocked".into()), ("params", Item::object([("block", block)]))]
        }
    };
    entries.push(("layout", Item::object(layout)));
    Some(Item::object(entries))
}
