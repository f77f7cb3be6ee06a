//! Tensors in memory: the type of what a kernel reads and writes.

mod collide;

use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Flag, Int, Kind, TypeAttr, ty};
use dlc_ir::diag::Diagnostic;
use dlc_ir::smallvec::{SmallVec, smallvec};
use dlc_ir::text::{BAD_LITERAL, ParseResult, Parser, Printer, Token};
use dlc_ir::{Attr, Context, Type};

use crate::layout;
pub use crate::layout::Layout;
use crate::sizes::{self, Sizes};

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

    /// What is known to be wrong with where the layout puts elements: one before the first, or in units of a swizzle that
    /// are smaller than it. Strides that are symbols are taken at their word.
    pub fn misplaced(self, ctx: &Context) -> Option<String> {
        let bytes = self.elem(ctx).bits(ctx).map_or(1, |bits| i64::from(bits.div_ceil(8)));
        match self.layout(ctx) {
            Layout::Strided { strides, offset } if begins_before(&self.dims(ctx), &strides, &offset) => {
                Some("goes below its first element".into())
            }
            Layout::Swizzled { vector, .. } if vector < bytes => {
                Some(format!("swizzles in units of {vector}, and an element has {bytes} bytes"))
            }
            _ => None,
        }
    }

    /// Whether two elements are known to lie in one place, which no result may have. Strides that are symbols are taken at
    /// their word.
    pub fn collides(self, ctx: &Context) -> bool {
        match self.layout(ctx) {
            Layout::Strided { strides, .. } => collide::collide(&self.dims(ctx), &strides),
            _ => false,
        }
    }
}

/// Whether an element is known to lie before number 0.
fn begins_before(dims: &[SizeExpr], strides: &[SizeExpr], offset: &SizeExpr) -> bool {
    let lowest = || {
        let mut lowest = offset.as_constant()?;
        for (dim, stride) in dims.iter().zip(strides) {
            let last = dim.as_constant().map(|dim| dim - 1);
            lowest = match stride.as_constant()? {
                0.. => lowest,
                stride => lowest.checked_add(last?.checked_mul(stride)?)?,
            };
        }
        Some(lowest)
    };
    let empty = dims.iter().any(|dim| dim.as_constant() == Some(0));
    !empty && lowest().is_some_and(|lowest| lowest < 0)
}

fn parse_memref(p: &mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>> {
    let dims = sizes::parse(p)?;
    p.expect(Token::Comma)?;
    let elem = p.parse_type()?;
    let (mut layout, mut align, mut noalias) = (Layout::RowMajor, None, false);
    let words: Vec<&str> = layout::WORDS.iter().copied().chain(["align", "noalias"]).collect();
    while p.eat(Token::Comma) {
        let start = p.loc();
        match p.one_of("a layout, 'align' or 'noalias'", &words)? {
            "align" => {
                let bytes = p.integer()?;
                if bytes <= 0 || !bytes.unsigned_abs().is_power_of_two() {
                    let message = format!("an alignment is a power of two, not {bytes}");
                    return Err(p.fail(Diagnostic::error(&BAD_LITERAL, start, message)));
                }
                align = Some(bytes);
            }
            "noalias" => noalias = true,
            word => layout = Layout::parse(p, word)?,
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

fn print_memref(p: &mut Printer<'_>, params: &[Attr]) {
    let ctx = p.ctx;
    let [dims, elem, layout_attr, align, noalias] = *params else { return };
    sizes::print(p, dims);
    p.write(", ");
    p.attr(elem);
    p.write(", ");
    Layout::get(ctx, layout_attr).unwrap_or(Layout::RowMajor).print(p);
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
    Layout::get(ctx, params[2]).map_or(Ok(()), |layout| layout.fits(rank))
}

/// The sizes and the type of the elements of a tensor, in memory or not.
pub fn shaped(ctx: &Context, ty: Type) -> Option<(Vec<SizeExpr>, Type)> {
    match MemRef::of(ctx, ty) {
        Some(ty) => Some((ty.dims(ctx), ty.elem(ctx))),
        None => crate::types::Tensor::of(ctx, ty).map(|ty| (ty.dims(ctx), ty.elem(ctx))),
    }
}
