//! Tensors in memory: the type of what a kernel reads and writes.

use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::{Flag, Int, Kind, TypeAttr, ty};
use dlc_ir::diag::Diagnostic;
use dlc_ir::op::AttrKind;
use dlc_ir::smallvec::{SmallVec, smallvec};
use dlc_ir::text::{BAD_LITERAL, ParseResult, Parser, Printer, Token};
use dlc_ir::{Attr, Context, Str, Type};

use crate::sizes::{self, Exprs, Sizes};

/// Where the element at an index lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// The last axis is contiguous, `row_major`.
    RowMajor,
    /// The first axis is contiguous, `col_major`.
    ColMajor,
    /// `strided [K, 1] offset 4`: the element at an index is number `offset + index[0] * strides[0] + ..`.
    Strided {
        /// In elements, one for each axis.
        strides: Vec<SizeExpr>,
        /// The number of the element at index 0.
        offset: SizeExpr,
    },
    /// `swizzled 128 vec 16`: row-major, and within each run of eight rows of `bytes` the units of `vector` bytes are
    /// exchanged by exclusive or with the number of the row.
    Swizzled {
        /// The bytes of a row: 32, 64 or 128.
        bytes: i64,
        /// The bytes of a unit: a power of two, at most `bytes`.
        vector: i64,
    },
}

/// A tensor in memory: sizes, elements, layout, and what is known of its address.
///
/// `align` is the alignment of its first element in bytes, a power of two. What is `noalias` overlaps nothing else that
/// the kernel reads or writes.
#[ty("core.memref", short = "memref", what = "a memref", parse = parse_memref, print = print_memref,
     verify = verify_memref, example = "memref<[M, K], f16, row_major, align 128, noalias>")]
pub struct MemRef {
    /// The sizes.
    dims: Sizes,
    /// The type of the elements.
    elem: TypeAttr,
    /// The layout.
    layout: Layout,
    /// The alignment in bytes.
    align: Int,
    /// Whether nothing else overlaps it.
    noalias: Flag,
}

impl MemRef {
    /// The number of sizes.
    pub fn rank(self, ctx: &Context) -> usize {
        self.params(ctx).first().and_then(|dims| dims.as_array(ctx)).map_or(0, <[Attr]>::len)
    }
}

impl Kind for Layout {
    type Value<'a> = Layout;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a layout: \"row_major\", \"col_major\", {strides = [..], offset = ..} or {swizzle = 128, vector = 16}",
        admits: |ctx, attr| layout(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Layout> {
        layout(ctx, attr)
    }
    fn make(ctx: &Context, layout: Layout) -> Attr {
        let dict = |entries: &[(&str, Attr)]| {
            let entries: Vec<(Str, Attr)> = entries.iter().map(|&(key, value)| (ctx.intern_str(key), value)).collect();
            ctx.dict_attr(&entries)
        };
        match layout {
            Layout::RowMajor => ctx.str_attr("row_major"),
            Layout::ColMajor => ctx.str_attr("col_major"),
            Layout::Strided { strides, offset } => {
                dict(&[("strides", Exprs::make(ctx, strides)), ("offset", sizes::expr_attr(ctx, &offset))])
            }
            Layout::Swizzled { bytes, vector } => {
                dict(&[("swizzle", ctx.i64_attr(bytes)), ("vector", ctx.i64_attr(vector))])
            }
        }
    }
}

fn layout(ctx: &Context, attr: Attr) -> Option<Layout> {
    match attr.as_str(ctx) {
        Some("row_major") => return Some(Layout::RowMajor),
        Some("col_major") => return Some(Layout::ColMajor),
        Some(_) => return None,
        None => {}
    }
    let AttrData::Dict(entries) = ctx.attr_data(attr) else { return None };
    let get = |key: &str| ctx.dict_get(attr, ctx.intern_str(key));
    if entries.len() != 2 {
        return None;
    }
    if let (Some(strides), Some(offset)) = (get("strides"), get("offset")) {
        let (strides, offset) = (Exprs::get(ctx, strides)?, sizes::expr(ctx, offset)?);
        return Some(Layout::Strided { strides, offset });
    }
    let (bytes, vector) = (get("swizzle")?.as_int(ctx)?, get("vector")?.as_int(ctx)?);
    Some(Layout::Swizzled { bytes, vector })
}

fn parse_memref(p: &mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>> {
    let dims = sizes::parse(p)?;
    p.expect(Token::Comma)?;
    let elem = p.parse_type()?;
    let (mut layout, mut align, mut noalias) = (Layout::RowMajor, None, false);
    while p.eat(Token::Comma) {
        let start = p.loc();
        match p.one_of("a layout, 'align' or 'noalias'", WORDS)? {
            "row_major" => layout = Layout::RowMajor,
            "col_major" => layout = Layout::ColMajor,
            "strided" => {
                let strides = sizes::parse_exprs(p)?;
                let offset = match p.eat_word("offset") {
                    true => sizes::parse_expr(p, &[Token::Comma, Token::Greater])?,
                    false => SizeExpr::from(0),
                };
                layout = Layout::Strided { strides: Exprs::get(p.ctx, strides).unwrap_or_default(), offset };
            }
            "swizzled" => {
                let bytes = p.integer()?;
                let vector = if p.eat_word("vec") { p.integer()? } else { 16 };
                layout = Layout::Swizzled { bytes, vector };
            }
            "align" => {
                let bytes = p.integer()?;
                if bytes <= 0 || !bytes.unsigned_abs().is_power_of_two() {
                    let message = format!("an alignment is a power of two, not {bytes}");
                    return Err(p.fail(Diagnostic::error(&BAD_LITERAL, start, message)));
                }
                align = Some(bytes);
            }
            _ => noalias = true,
        }
    }
    let ctx = p.ctx;
    let natural = elem.bits(ctx).map_or(1, |bits| i64::from(bits.div_ceil(8)).max(1));
    Ok(smallvec![
        dims,
        ctx.type_attr(elem),
        Layout::make(ctx, layout),
        ctx.i64_attr(align.unwrap_or(natural)),
        ctx.bool_attr(noalias)
    ])
}

const WORDS: &[&str] = &["row_major", "col_major", "strided", "swizzled", "align", "noalias"];

fn print_memref(p: &mut Printer<'_>, params: &[Attr]) {
    let ctx = p.ctx;
    let [dims, elem, layout_attr, align, noalias] = *params else { return };
    sizes::print(p, dims);
    p.write(", ");
    p.attr(elem);
    p.write(", ");
    match layout(ctx, layout_attr) {
        Some(Layout::ColMajor) => p.write("col_major"),
        Some(Layout::Strided { strides, offset }) => {
            p.write("strided ");
            sizes::print(p, Exprs::make(ctx, strides));
            if offset.as_constant() != Some(0) {
                p.write(&format!(" offset {offset}"));
            }
        }
        Some(Layout::Swizzled { bytes, vector }) => p.write(&format!("swizzled {bytes} vec {vector}")),
        Some(Layout::RowMajor) | None => p.write("row_major"),
    }
    p.write(&format!(", align {}", align.as_int(ctx).unwrap_or(1)));
    if noalias.as_bool(ctx) == Some(true) {
        p.write(", noalias");
    }
}

fn verify_memref(ctx: &Context, params: &[Attr]) -> Result<(), String> {
    let elem = params[1].as_type(ctx);
    if elem.is_none_or(|elem| elem.bits(ctx).is_none()) {
        return Err("the elements of a memref must be integers, index or floats".into());
    }
    let align = params[3].as_int(ctx).unwrap_or(0);
    if align <= 0 || !align.unsigned_abs().is_power_of_two() {
        return Err(format!("an alignment is a power of two, not {align}"));
    }
    let rank = params[0].as_array(ctx).map_or(0, <[Attr]>::len);
    match layout(ctx, params[2]) {
        Some(Layout::Strided { strides, .. }) if strides.len() != rank => {
            Err(format!("{} strides are given for {rank} sizes", strides.len()))
        }
        Some(Layout::Swizzled { bytes, vector }) => {
            let fits = matches!(bytes, 32 | 64 | 128) && vector > 0 && vector <= bytes;
            match fits && vector.unsigned_abs().is_power_of_two() {
                true => Ok(()),
                false => Err(format!("rows of {bytes} bytes in units of {vector} are not swizzled")),
            }
        }
        _ => Ok(()),
    }
}

/// The sizes and the type of the elements of a tensor, in memory or not.
pub fn shaped(ctx: &Context, ty: Type) -> Option<(Vec<SizeExpr>, Type)> {
    match MemRef::of(ctx, ty) {
        Some(ty) => Some((ty.dims(ctx), ty.elem(ctx))),
        None => crate::types::Tensor::of(ctx, ty).map(|ty| (ty.dims(ctx), ty.elem(ctx))),
    }
}
