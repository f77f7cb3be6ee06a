//! The types of what a kernel works with: fragments in registers, tiles in shared memory, barriers, tokens.

use std::sync::Arc;

use dlc_ir::define::{Int, IntArray, Kind, TypeAttr, ty};
use dlc_ir::smallvec::{SmallVec, smallvec};
use dlc_ir::text::{ParseResult, Parser, Printer, Token as Mark};
use dlc_ir::{Attr, Context, Type};

use crate::layout::{Distributed, Fragment, Shared, SharedTile};

dlc_ir::keywords! {
    /// What a token is the end of.
    pub enum Work: "the work of a token" {
        /// A copy from global to shared memory.
        Load = "load",
        /// A matrix product.
        Compute = "compute",
        /// A copy from shared to global memory.
        Epilogue = "epilogue",
    }
}

/// A tile in the registers of the threads that run the op: `frag<[64, 128], f32, wgmma>`. The layout says which element
/// is in which register of which lane of which warp.
#[ty("kernel.frag", short = "frag", what = "a fragment", parse = parse_frag, print = print_frag, verify = verify_frag,
     example = "frag<[64, 128], f32, wgmma>")]
pub struct Frag {
    /// The sizes.
    shape: IntArray,
    /// The type of the elements.
    elem: TypeAttr,
    /// Where the elements are.
    layout: Distributed,
}

/// Tiles in shared memory, `tile<[128, 64], f16, swizzle 128>`, or a ring of several, `tile<6 x [128, 64], f16, ..>`.
#[ty("kernel.tile", short = "tile", what = "a tile in shared memory", parse = parse_tile, print = print_tile,
     verify = verify_tile, example = "tile<6 x [128, 64], f16, swizzle 128>")]
pub struct Tile {
    /// How many there are.
    stages: Int,
    /// The sizes of one.
    shape: IntArray,
    /// The type of the elements.
    elem: TypeAttr,
    /// Where the elements of one are.
    layout: Shared,
}

/// Barriers in shared memory, on which threads and copies arrive: `mbarrier<6>`.
#[ty("kernel.mbarrier", short = "mbarrier", what = "mbarriers", parse = parse_mbarrier, print = print_mbarrier,
     verify = verify_mbarrier, example = "mbarrier<6>")]
pub struct MBarrier {
    /// How many there are.
    count: Int,
}

/// A tensor map: a memref as TMA sees it, which moves tiles of one shape: `tensormap<[128, 64], f16, swizzle
/// 128>`.
#[ty("kernel.tensormap", short = "tensormap", what = "a tensor map", parse = parse_frag_like_tile,
     print = print_box, verify = verify_box, example = "tensormap<[128, 64], f16, swizzle 128>")]
pub struct TensorMap {
    /// The sizes of the tile that one copy moves, an axis of the memref each.
    shape: IntArray,
    /// The type of the elements.
    elem: TypeAttr,
    /// The layout of the tile in shared memory.
    layout: Shared,
}

/// What says that asynchronous work has ended: `token<load>`.
#[ty("kernel.token", short = "token", what = "a token", parse = parse_token, print = print_token,
     example = "token<compute>")]
pub struct Token {
    /// The work.
    work: Work,
}

/// The shape, the type of the elements and the layout, however the layout is written.
fn parse_parts<K: Kind>(p: &mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>> {
    let shape = p.list(Mark::LBracket, Mark::RBracket, |p| p.integer())?;
    p.expect(Mark::Comma)?;
    let elem = p.parse_type()?;
    p.expect(Mark::Comma)?;
    let layout = match K::KIND.parse {
        Some(parse) => parse(p)?,
        None => return p.expected("a layout"),
    };
    Ok(smallvec![IntArray::make(p.ctx, shape.to_vec()), p.ctx.type_attr(elem), layout])
}

fn print_parts<K: Kind>(p: &mut Printer<'_>, parts: &[Attr]) {
    if let [shape, elem, layout] = *parts {
        print_shape(p, shape);
        p.write(", ");
        p.attr(elem);
        p.write(", ");
        match K::KIND.print {
            Some(print) => print(p, layout),
            None => p.attr(layout),
        }
    }
}

fn print_shape(p: &mut Printer<'_>, shape: Attr) {
    p.write("[");
    let sizes = IntArray::get(p.ctx, shape).unwrap_or_default();
    p.list(sizes, |p, size| p.write(&size.to_string()));
    p.write("]");
}

fn parse_frag(p: &mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>> {
    parse_parts::<Distributed>(p)
}

fn print_frag(p: &mut Printer<'_>, params: &[Attr]) {
    print_parts::<Distributed>(p, params);
}

fn parse_tile(p: &mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>> {
    let stages = match p.token() {
        Mark::Integer => {
            let stages = p.integer()?;
            p.expect_word("x")?;
            stages
        }
        _ => 1,
    };
    let mut params = parse_parts::<Shared>(p)?;
    params.insert(0, p.ctx.i64_attr(stages));
    Ok(params)
}

fn print_tile(p: &mut Printer<'_>, params: &[Attr]) {
    if let Some(stages) = params[0].as_int(p.ctx).filter(|&stages| stages != 1) {
        p.write(&format!("{stages} x "));
    }
    print_parts::<Shared>(p, &params[1..]);
}

fn parse_frag_like_tile(p: &mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>> {
    parse_parts::<Shared>(p)
}

fn print_box(p: &mut Printer<'_>, params: &[Attr]) {
    print_parts::<Shared>(p, params);
}

fn parse_mbarrier(p: &mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>> {
    let count = p.integer()?;
    Ok(smallvec![p.ctx.i64_attr(count)])
}

fn print_mbarrier(p: &mut Printer<'_>, params: &[Attr]) {
    p.write(&params[0].as_int(p.ctx).unwrap_or(0).to_string());
}

fn parse_token(p: &mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>> {
    let work = p.one_of("the work of a token", Work::WORDS)?;
    Ok(smallvec![p.ctx.str_attr(work)])
}

fn print_token(p: &mut Printer<'_>, params: &[Attr]) {
    p.write(params[0].as_str(p.ctx).unwrap_or_default());
}

/// The sizes as they are counted, if they can be.
pub fn sizes(shape: &[i64]) -> Option<Vec<u32>> {
    shape.iter().map(|&size| u32::try_from(size).ok().filter(|&size| size > 0)).collect()
}

/// The tile that a box becomes: all axes but the last are one.
pub fn fold(shape: &[u32]) -> Vec<u32> {
    match shape {
        [rows @ .., last] if !rows.is_empty() => {
            vec![rows.iter().fold(1, |all: u32, &rows| all.saturating_mul(rows)), *last]
        }
        _ => shape.to_vec(),
    }
}

impl Frag {
    /// Which registers of which threads of so many warps hold which elements. An error names the number that does not
    /// fit.
    pub fn place(self, ctx: &Context, warps: u32) -> Result<Arc<Fragment>, String> {
        let &[shape, _, layout] = self.params(ctx) else { return Err("it has no layout".into()) };
        placed(ctx, shape, self.elem(ctx).bits(ctx).unwrap_or(0), layout, warps)
    }
}

impl Distributed {
    /// As [`Distributed::place`], worked out once for a context.
    pub fn place_once(
        &self,
        ctx: &Context,
        shape: &[u32],
        elem_bits: u32,
        warps: u32,
    ) -> Result<Arc<Fragment>, String> {
        let shape = IntArray::make(ctx, shape.iter().map(|&size| size.into()).collect());
        placed(ctx, shape, elem_bits, Distributed::make(ctx, self.clone()), warps)
    }
}

/// The fragment of a shape, a width of elements, a layout and a number of warps: kernels have few of them, and ask for each
/// again and again.
fn placed(ctx: &Context, shape: Attr, elem_bits: u32, layout: Attr, warps: u32) -> Result<Arc<Fragment>, String> {
    let place = || {
        let layout = Distributed::get(ctx, layout).ok_or("there is no layout")?;
        layout.place(&shape_of(ctx, shape)?, elem_bits, warps).map(Arc::new)
    };
    let key = ctx.array_attr(&[shape, ctx.i64_attr(elem_bits.into()), layout, ctx.i64_attr(warps.into())]);
    (*ctx.derived::<Result<Arc<Fragment>, String>>(key, place)).clone()
}

impl Tile {
    /// Where the elements of one tile are.
    pub fn place(self, ctx: &Context) -> Result<SharedTile, String> {
        let shape = sizes(&self.shape(ctx)).ok_or("the sizes are not positive")?;
        self.layout(ctx).place(&shape, self.elem(ctx).bits(ctx).unwrap_or(0))
    }
}

fn shape_of(ctx: &Context, shape: Attr) -> Result<Vec<u32>, String> {
    let shape = IntArray::get(ctx, shape).unwrap_or_default();
    sizes(&shape).ok_or_else(|| format!("the sizes must be positive, but are {shape:?}"))
}

fn width_of(ctx: &Context, elem: Attr) -> Result<u32, String> {
    elem.as_type(ctx).and_then(|elem| elem.bits(ctx)).ok_or_else(|| "the elements must be numbers".into())
}

fn verify_frag(ctx: &Context, params: &[Attr]) -> Result<(), String> {
    shape_of(ctx, params[0])?;
    width_of(ctx, params[1]).map(|_| ())
}

fn verify_box(ctx: &Context, params: &[Attr]) -> Result<(), String> {
    let (shape, bits) = (shape_of(ctx, params[0])?, width_of(ctx, params[1])?);
    match Shared::get(ctx, params[2]) {
        // TMA knows rows one after another, and panels.
        Some(Shared::ColMajor { .. } | Shared::RowMajor { pitch: Some(_) }) => {
            Err("TMA writes rows one after another: 'row_major' without a pitch, or panels".into())
        }
        Some(layout) => layout.place(&fold(&shape), bits).map(|_| ()),
        None => Err("there is no layout".into()),
    }
}

fn verify_tile(ctx: &Context, params: &[Attr]) -> Result<(), String> {
    match params[0].as_int(ctx) {
        Some(1..=1024) => {
            let (shape, bits) = (shape_of(ctx, params[1])?, width_of(ctx, params[2])?);
            let layout = Shared::get(ctx, params[3]).ok_or("there is no layout")?;
            layout.place(&shape, bits).map(|_| ())
        }
        _ => Err("there must be 1 to 1024 tiles".into()),
    }
}

fn verify_mbarrier(ctx: &Context, params: &[Attr]) -> Result<(), String> {
    match params[0].as_int(ctx) {
        Some(1..=4096) => Ok(()),
        _ => Err("there must be 1 to 4096 barriers".into()),
    }
}

/// The type of the elements of a fragment, and of a number the type itself.
pub fn elem_of(ctx: &Context, ty: Type) -> Type {
    Frag::of(ctx, ty).map_or(ty, |frag| frag.elem(ctx))
}

/// The same with other elements.
pub fn with_elem(ctx: &Context, ty: Type, elem: Type) -> Type {
    match Frag::of(ctx, ty) {
        Some(frag) => Frag::get(ctx, frag.shape(ctx), elem, frag.layout(ctx)),
        None => elem,
    }
}
