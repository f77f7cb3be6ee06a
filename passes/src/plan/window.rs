//! Windows of a convolution that stay in shared memory (`algo (load_X: window)`): a step of the sum loads the pixels of
//! whole rows of results with what windows reach beyond them, once, and multiplies them at each place of a window.

use dlc_core::memref::MemRef;
use dlc_ir::Context;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_plan::Schedule;
use dlc_plan::check::{BAD_TILE, CONFLICT};
use dlc_plan::clause::Kind;
use dlc_plan::value::Choice;
use dlc_region::ops::{Read, Reduce};
use dlc_region::verify::KernelAxes;

use super::defaults;
use super::resolved::{Refused, Resolver};
use super::shape::{Axis, Groups};
use super::tiling::{WGMMA_COLUMNS, WGMMA_ROWS};
use crate::analysis::boxes::inside;
use crate::analysis::numbers::is_zero;

/// The most places of a window: each is an instruction of the loop.
const MOST_PLACES: i64 = 25;
/// The most elements of a TMA box along an axis.
const MOST_ELEMENTS: i64 = 256;
/// The most bytes of a pixel in shared memory: rows of one swizzle, from any of which an instruction can begin to read.
const PIXEL_BYTES: i64 = 128;

/// A tensor of pixels of which a tile has whole rows, for all places of a window at once.
///
/// Pixels of the tile are the positions of `rows` rows of `pitch` pixels, one after another. A row has `width` results; the
/// pixels after them are those that windows reach beyond the last result, and their sums are not stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Window {
    /// The tensor.
    pub tensor: String,
    /// The side of the tile that its pixels are: 0 for the rows of fragments, 1 for the columns.
    pub side: usize,
    /// The axes of the results along which there are rows of pixels, and pixels of a row.
    pub axes: [String; 2],
    /// The rows of pixels of a tile.
    pub rows: u32,
    /// How many pixels a row has in the tile.
    pub pitch: u32,
    /// How many of them are results.
    pub width: u32,
    /// The pixels of the tile of the instruction: those of the rows, rounded up.
    pub tile: u32,
    /// The axes of the window along both, and how many places each has.
    pub places: [(String, u32); 2],
    /// How far apart they are.
    pub steps: [u32; 2],
    /// Where the window of the first result begins.
    pub first: [i64; 2],
    /// The axis of the channels.
    pub channel: String,
}

impl Window {
    /// The pixels between two tiles.
    pub fn pixels(&self) -> u32 {
        self.rows * self.pitch
    }

    /// The axes of the side of the pixels, rows being as long as they are in the tile.
    pub fn padded(&self, axes: &[Axis]) -> Vec<Axis> {
        let size = |(name, size): &Axis| match *name == self.axes[1] {
            true => SizeExpr::from(i64::from(self.pitch)),
            false => size.clone(),
        };
        axes.iter().map(|axis| (axis.0.clone(), size(axis))).collect()
    }

    /// By how many pixels each place of the window is apart from the first, in their row-major order.
    pub fn shifts(&self) -> Vec<([u32; 2], u32)> {
        let [rows, columns] = [&self.places[0], &self.places[1]].map(|(_, count)| *count);
        let shift = |row: u32, column: u32| row * self.steps[0] * self.pitch + column * self.steps[1];
        (0..rows).flat_map(|row| (0..columns).map(move |column| ([row, column], shift(row, column)))).collect()
    }
}

/// How a position of pixels moves: along an axis of the results by single steps, and along an axis of the window.
struct Along {
    axis: String,
    place: String,
    step: u32,
    first: i64,
}

impl Along {
    fn of(at: &SizeExpr, axes: &KernelAxes) -> Option<Along> {
        let (terms, first) = at.as_linear()?;
        let is_result = |name: &str| axes.position(name).is_some_and(|at| at < axes.iters);
        let (results, places): (Vec<_>, Vec<_>) = terms.into_iter().partition(|(name, _)| is_result(name));
        let ([(axis, 1)], [(place, step)]) = (results.as_slice(), places.as_slice()) else { return None };
        let step = u32::try_from(*step).ok().filter(|step| (1..=256).contains(step))?;
        axes.position(place)?;
        Some(Along { axis: axis.to_string(), place: place.to_string(), step, first })
    }
}

/// Why a window does not stay in shared memory, and what of the plan would have to be another number.
struct Unfit {
    why: String,
    tile: Option<(String, i64)>,
}

impl From<String> for Unfit {
    fn from(why: String) -> Unfit {
        Unfit { why, tile: None }
    }
}

impl From<&str> for Unfit {
    fn from(why: &str) -> Unfit {
        why.to_string().into()
    }
}

impl Resolver<'_> {
    /// The tensor whose windows the plan keeps in shared memory; nothing where it asks for none. One that cannot be kept so is
    /// refused.
    pub(super) fn window(&self, groups: &Groups) -> Result<Option<Window>, Refused> {
        let Some((plan, tensor)) = self.plan.and_then(|plan| Some((plan, plan.windowed()?))) else { return Ok(None) };
        let unfit = match fit(self.ctx, self.region, plan, tensor, groups) {
            Ok(window) => return Ok(Some(window)),
            Err(unfit) => unfit,
        };
        let (message, clause) =
            (format!("'algo (load_{tensor}: window)': {}", unfit.why), format!("algo load_{tensor}"));
        match unfit.tile {
            Some((axis, extent)) => self.refuse_with(&[&clause, "tile"], &BAD_TILE, message, move |plan| {
                let Some(tile) = &mut plan.tile else { return };
                match tile.get_mut(&axis) {
                    Some(own) => *own = extent,
                    None => tile.0.insert(tile.0.len().saturating_sub(1), (axis.clone(), extent)),
                }
                plan.instruction.iter_mut().for_each(|of| of.shape = None);
            }),
            None => {
                let name = format!("load_{tensor}");
                self.refuse_with(&[&clause], &CONFLICT, message, move |plan| {
                    plan.algo.iter_mut().for_each(|algo| algo.0.retain(|(own, _)| *own != name));
                    plan.algo = plan.algo.take().filter(|algo| !algo.0.is_empty());
                })
            }
        }
    }
}

/// The window of a tensor in a region, as the plan has its tile.
fn fit(ctx: &Context, region: &Body, plan: &Schedule, tensor: &str, groups: &Groups) -> Result<Window, Unfit> {
    of_plan(plan, groups)?;
    let axes = KernelAxes::of(ctx, region);
    let reads = region.walk().into_iter().filter_map(|id| Read::of(OpRef::new(ctx, region, id)));
    let reads: Vec<Read<'_>> = reads.collect();
    let of_tensor = |read: &&Read<'_>| ctx.str(region.value_name(read.source())) == tensor;
    let own: Vec<&Read<'_>> = reads.iter().filter(of_tensor).collect();
    let own = match own.as_slice() {
        [] => return Err("the kernel reads no such tensor".into()),
        [own] => own,
        _ => return Err("the kernel reads its pixels elsewhere, too".into()),
    };
    let sum = region.parent_op(own.id).and_then(|id| Reduce::of(OpRef::new(ctx, region, id)));
    let sum = sum.ok_or("it is no factor of a product")?;
    let factors: Vec<&Read<'_>> = reads.iter().filter(|read| region.parent_op(read.id) == Some(sum.id)).collect();
    let others: Vec<&Read<'_>> = factors.into_iter().filter(|read| read.id != own.id).collect();
    let [other] = others.as_slice() else { return Err("the other factor of its product is computed".into()) };
    let is_copied = |read: &Read<'_>| read.indices().len() == 0 && read.fill().is_none_or(|fill| is_zero(ctx, fill));
    if !is_copied(own) || !is_copied(other) {
        return Err("a factor is read at positions that are data, or filled with another number than zero".into());
    }
    let memory = MemRef::of(ctx, own.type_of(own.source())).ok_or("it is no tensor in memory")?;
    let at = own.at();
    inside(own.guard().as_ref(), &memory.dims(ctx), &at)?;
    let [before @ .., row, column, channel] = at.as_slice() else { return Err(NO_WINDOW.into()) };
    let along = [row, column].map(|at| Along::of(at, &axes));
    let ([Some(row), Some(column)], Some(channel)) = (along, channel.as_symbol()) else { return Err(NO_WINDOW.into()) };
    let own = [&row.axis, &row.place, &column.axis, &column.place].map(String::as_str);
    let reduced = [row.place.as_str(), column.place.as_str(), channel];
    let is_twice = before.iter().any(|at| at.symbols().iter().any(|name| own.contains(&&**name) || **name == *channel));
    let is_sum = groups.reduced.len() == reduced.len()
        && reduced.iter().all(|axis| groups.reduced.iter().any(|own| own == axis));
    if is_twice || !is_sum || row.axis == column.axis {
        return Err(NO_WINDOW.into());
    }
    if other.at().iter().any(|at| at.as_symbol().is_none()) {
        return Err("the filters are read at sums of positions".into());
    }
    let number = |axis: &str| axes.size(axis).and_then(SizeExpr::as_constant);
    let places = [&row.place, &column.place].map(|axis| number(axis).filter(|count| (1..=MOST_PLACES).contains(count)));
    let [Some(high), Some(wide)] = places else { return Err(TOO_MANY.into()) };
    if high * wide > MOST_PLACES {
        return Err(TOO_MANY.into());
    }
    for (axis, count) in [(&row.place, high), (&column.place, wide)] {
        if plan.tile_of(axis) != count {
            let why = format!(
                "a tile has all {count} places of the window along '{axis}', and the plan's {}",
                plan.tile_of(axis)
            );
            return Err(Unfit { why, tile: Some((axis.clone(), count)) });
        }
    }
    let width = width(plan, &axes, &column.axis)?;
    let least = width + (wide - 1) * i64::from(column.step);
    let pitch = plan.tile_of(&column.axis);
    if pitch < least || pitch > MOST_ELEMENTS {
        let why = format!(
            "a row of the tile has the {width} results along '{}' and what windows reach beyond them, {least} to {MOST_ELEMENTS} \
             pixels, and the plan's {pitch}",
            column.axis
        );
        let tile = (least <= MOST_ELEMENTS).then(|| (column.axis.clone(), least));
        return Err(Unfit { why, tile });
    }
    let rows = plan.tile_of(&row.axis);
    let side = side(groups, &row.axis, &column.axis, rows)?;
    let bytes = plan.tile_of(channel) * 32 / groups.deep;
    if ![32, 64, PIXEL_BYTES].contains(&bytes) {
        let why =
            format!("a pixel has 32, 64 or {PIXEL_BYTES} bytes in the tile, and the plan's {bytes} along '{channel}'");
        return Err(Unfit { why, tile: Some((channel.to_string(), PIXEL_BYTES * groups.deep / 32)) });
    }
    let long = other.at().last().and_then(|at| at.as_symbol().map(|axis| plan.tile_of(axis) * 32 / groups.deep));
    swizzled(plan, (tensor, bytes), (ctx.str(region.value_name(other.source())), long.unwrap_or(0)))?;
    let tile = rounded(plan, side, rows * pitch)?;
    let small = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
    Ok(Window {
        tensor: tensor.to_string(),
        side,
        axes: [row.axis, column.axis],
        rows: small(rows),
        pitch: small(pitch),
        width: small(width),
        tile,
        places: [(row.place, small(high)), (column.place, small(wide))],
        steps: [row.step, column.step],
        first: [row.first, column.first],
        channel: channel.to_string(),
    })
}

/// How many results a row of pixels has: a number, or one that the plan fixes.
fn width(plan: &Schedule, axes: &KernelAxes, axis: &str) -> Result<i64, Unfit> {
    let fixed = |name: &str| plan.fix.as_ref()?.get(name).copied();
    let size = axes.size(axis);
    let width = size.and_then(|size| size.eval(&fixed).ok()).filter(|width| (1..=MOST_ELEMENTS).contains(width));
    width.ok_or_else(|| {
        let symbols = size.map(SizeExpr::symbols).unwrap_or_default();
        let fix = symbols.first().map_or_else(String::new, |name| format!("; 'fix ({name}: ..)' makes it one"));
        format!("a tile has whole rows of up to {MOST_ELEMENTS} pixels, as a number, along '{axis}'{fix}").into()
    })
}

/// Whether rows of pixels and of filters in shared memory, each with their bytes, are rows of the swizzles.
fn swizzled(plan: &Schedule, (pixels, pixel): (&str, i64), (filters, row): (&str, i64)) -> Result<(), Unfit> {
    let span = |tensor: &str| match plan.swizzle.as_ref().and_then(|spans| spans.get(tensor)) {
        Some(Choice::Number(span)) => Some(*span),
        _ => None,
    };
    match (span(pixels), span(filters)) {
        (Some(span), _) if span != pixel => {
            Err(format!("a pixel is one row of the swizzle, of {pixel} bytes, and the plan's are {span}").into())
        }
        (_, Some(span)) if span < row.min(PIXEL_BYTES) => {
            let row = row.min(PIXEL_BYTES);
            Err(format!("rows of '{filters}' are rows of the swizzle, of {row} bytes, and the plan's are {span}")
                .into())
        }
        _ => Ok(()),
    }
}

const NO_WINDOW: &str = "it is not read at 'X[.., h + r + 1, w + s + 1, c]', with steps of one along the results";
const TOO_MANY: &str = "the window has up to 25 places, as a number";

/// What speaks against it in the plan.
fn of_plan(plan: &Schedule, groups: &Groups) -> Result<(), Unfit> {
    let instruction = plan.instruction.as_ref();
    if instruction.is_none_or(|of| of.kind != Kind::Wgmma) {
        return Err("only 'wgmma' reads shared memory from any pixel on".into());
    }
    let words = plan.algo.iter().flat_map(|table| &table.0);
    if words.filter(|(_, word)| *word == Choice::Word("window".into())).count() > 1 {
        return Err("one factor of a product has pixels".into());
    }
    if groups.streams || groups.holds_rows || groups.sums > 1 {
        return Err("the kernel computes more than one sum of products".into());
    }
    if instruction.is_some_and(|of| of.promote) {
        return Err("'promote': the sums of all places of a window are one".into());
    }
    let split = [
        (plan.split_k.is_some(), "split_k"),
        (plan.stream_k.is_some(), "stream_k"),
        (plan.cluster.is_some(), "cluster"),
    ];
    match split.into_iter().find(|(is_there, _)| *is_there) {
        Some((_, word)) => Err(format!("'{word}' is for tiles whose steps are boxes of one place").into()),
        None => Ok(()),
    }
}

/// The side of a tile that has the pixels, and nothing else.
fn side(groups: &Groups, row: &str, column: &str, rows: i64) -> Result<usize, Unfit> {
    let own = if rows > 1 { vec![row, column] } else { vec![column] };
    let is_side = |axes: &[Axis]| axes.iter().map(|(name, _)| name.as_str()).eq(own.iter().copied());
    match [&groups.rows, &groups.columns].into_iter().position(|axes| is_side(axes)) {
        Some(side) => Ok(side),
        None => {
            Err(format!("a side of the tile is of pixels along '{row}' and '{column}' alone, in that order").into())
        }
    }
}

/// The pixels of a tile as the instruction takes them.
fn rounded(plan: &Schedule, side: usize, pixels: i64) -> Result<u32, Unfit> {
    let unit = match side {
        0 => i64::from(WGMMA_ROWS) * defaults::sharing(plan),
        _ => WGMMA_COLUMNS.into(),
    };
    let tile = (pixels + unit - 1) / unit * unit;
    if side == 1 && tile > MOST_ELEMENTS {
        return Err(format!("'wgmma' multiplies up to {MOST_ELEMENTS} columns, and the tile has {tile} pixels").into());
    }
    u32::try_from(tile).map_err(|_| "the tile is too large".into())
}
