//! The sizes that windows give: convolutions and pooling.

use std::ops::Range;

use dlc_core::broadcast::{promote, show};
use dlc_core::infer::{accumulator, operand, optional, tensor};
use dlc_ir::Type;
use dlc_ir::affine::{AffineError, SizeExpr, SizeRanges, gcd};
use dlc_ir::define::{Int, IntArray, Unit};
use dlc_ir::op::{BrokenRule, InferCx, Inferred};

use crate::ops::Layout;

dlc_ir::codes! {
    /// Strides, dilations, padding and sizes that make no window, or a window larger than what it moves over.
    WINDOW_MISFIT = "E1220" "WindowMisfit";
    /// The channels of a convolution, its groups, weights and bias do not go together.
    CHANNEL_MISMATCH = "E1221" "ChannelMismatch";
}

/// How a window moves over one axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// How many elements it has.
    pub size: SizeExpr,
    /// How far it moves, positive.
    pub stride: i64,
    /// How far apart its elements are, positive.
    pub dilation: i64,
    /// How many elements are put before the axis.
    pub low: i64,
    /// How many elements are put after the axis.
    pub high: i64,
}

impl Window {
    /// How far its last element is from its first: `dilation*(size - 1)`.
    pub fn reach(&self) -> Result<SizeExpr, BrokenRule> {
        let steps = self.size.sub(&1.into()).and_then(|steps| steps.mul(&self.dilation.into()));
        steps.map_err(overflow)
    }

    /// How far apart the results of a transposed convolution are that some input reaches, whatever the weights: what divides
    /// both stride and dilation. Those between are zero.
    pub fn spacing(&self) -> i64 {
        let dilation = if self.size.as_constant() == Some(1) { 1 } else { self.dilation };
        gcd(self.stride.unsigned_abs(), dilation.unsigned_abs()) as i64
    }

    /// How often it fits on an axis: `(size + low + high - reach - 1) floordiv stride + 1`.
    pub fn count(&self, axis: usize, size: &SizeExpr) -> Result<SizeExpr, BrokenRule> {
        let around = size.add(&(self.low + self.high).into()).map_err(overflow)?;
        let last = around.sub(&self.reach()?).and_then(|room| room.sub(&1.into())).map_err(overflow)?;
        // On an axis without elements there is no window, as nothing is anywhere.
        if provably_negative(&last) && size.as_constant() != Some(0) {
            return Err(self.too_large(axis, size)?);
        }
        let count = last.floordiv(&self.stride.into()).and_then(|last| last.add(&1.into())).map_err(overflow)?;
        if provably_negative(&count) { Err(self.too_large(axis, size)?) } else { Ok(count) }
    }

    /// The same with the division rounded up, and without windows that begin after the axis and what is before it:
    /// `(size + low + min(0, stride + high - reach - 1)) ceildiv stride`.
    pub fn count_ceil(&self, axis: usize, size: &SizeExpr) -> Result<SizeExpr, BrokenRule> {
        let Some(reach) = self.reach()?.as_constant() else {
            return Err(misfit("with 'ceil' the sizes of windows are constants"));
        };
        let room = size.add(&(self.low + (self.stride + self.high - reach - 1).min(0)).into()).map_err(overflow)?;
        let count = room.ceildiv(&self.stride.into()).map_err(overflow)?;
        if provably_negative(&count) { Err(self.too_large(axis, size)?) } else { Ok(count) }
    }

    fn too_large(&self, axis: usize, size: &SizeExpr) -> Result<BrokenRule, BrokenRule> {
        let (covered, low, high) = (self.reach()?.add(&1.into()).map_err(overflow)?, self.low, self.high);
        let message = format!(
            "a window that covers {covered} elements is larger than axis {axis} of size {size}, with {low} put before it \
             and {high} after"
        );
        Ok(misfit(message).suggest("pad the axis, or make the window or its dilation smaller"))
    }

    /// The size of what a transposed convolution makes of an axis, without its `output_pad`:
    /// `(size - 1)*stride - low - high + reach + 1`.
    pub fn spread(&self, size: &SizeExpr) -> Result<SizeExpr, BrokenRule> {
        let starts = size.sub(&1.into()).and_then(|last| last.mul(&self.stride.into())).map_err(overflow)?;
        let whole = starts.add(&self.reach()?).map_err(overflow)?;
        whole.add(&(1 - self.low - self.high).into()).map_err(overflow)
    }
}

/// What the attributes of an op say of its windows; each list has a number for each spatial axis, `pad` perhaps two.
#[derive(Default)]
pub struct WindowAttrs {
    /// By default 1, or for pooling the size of the window.
    pub stride: Option<Vec<i64>>,
    /// Before the axes, then after them; or one list for both. By default 0.
    pub pad: Option<Vec<i64>>,
    /// By default 1.
    pub dilation: Option<Vec<i64>>,
}

impl WindowAttrs {
    fn of(cx: &InferCx<'_>) -> Result<WindowAttrs, BrokenRule> {
        let list = |key| optional::<IntArray>(cx, key);
        Ok(WindowAttrs { stride: list("stride")?, pad: list("pad")?, dilation: list("dilation")? })
    }

    /// The windows of these sizes.
    pub fn windows(self, sizes: &[SizeExpr]) -> Result<Vec<Window>, BrokenRule> {
        let rank = sizes.len();
        let stride = self.stride.unwrap_or_else(|| vec![1; rank]);
        let dilation = self.dilation.unwrap_or_else(|| vec![1; rank]);
        let mut pad = self.pad.unwrap_or_else(|| vec![0; rank]);
        if pad.len() == rank {
            pad.extend_from_within(..);
        }
        for (what, list, wanted, least) in
            [("stride", &stride, rank, 1), ("dilation", &dilation, rank, 1), ("pad", &pad, 2 * rank, 0)]
        {
            numbers(what, list, wanted, least)?;
        }
        if let Some(size) = sizes.iter().find(|size| size.as_constant().is_some_and(|size| size < 1)) {
            return Err(misfit(format!("a window has at least 1 element on each axis, not {size}")));
        }
        let window = |axis: usize| Window {
            size: sizes[axis].clone(),
            stride: stride[axis],
            dilation: dilation[axis],
            low: pad[axis],
            high: pad[rank + axis],
        };
        Ok((0..rank).map(window).collect())
    }
}

/// The most that a number of an attribute may be, so that sums and products of them stay within 64 bits.
const LIMIT: i64 = 1 << 31;

fn numbers(what: &str, list: &[i64], wanted: usize, least: i64) -> Result<(), BrokenRule> {
    if list.len() != wanted {
        let both = if what == "pad" { " (or one for both sides of each)" } else { "" };
        let message =
            format!("'{what}' has {} numbers, and {wanted} are needed for the spatial axes{both}", list.len());
        return Err(misfit(message).suggest("give one number for each spatial axis"));
    }
    match list.iter().find(|number| !(least..LIMIT).contains(number)) {
        Some(number) => Err(misfit(format!("'{what}' must be at least {least} and below 2^31, and {number} is not"))),
        None => Ok(()),
    }
}

impl Layout {
    /// The axis of the channels.
    pub fn channels(self, rank: usize) -> usize {
        match self {
            Layout::ChannelsFirst => 1,
            Layout::ChannelsLast => rank - 1,
        }
    }

    /// The spatial axes.
    pub fn spatial(self, rank: usize) -> Range<usize> {
        match self {
            Layout::ChannelsFirst => 2..rank,
            Layout::ChannelsLast => 1..rank - 1,
        }
    }

    /// The axes of weights: what a convolution gives, what it takes, and the spatial ones. A transposed convolution takes
    /// what this one gives, and the other way round.
    pub fn weights(self, rank: usize) -> (usize, usize, Range<usize>) {
        match self {
            Layout::ChannelsFirst => (0, 1, 2..rank),
            Layout::ChannelsLast => (rank - 1, rank - 2, 0..rank - 2),
        }
    }
}

/// A convolution as numbers and sizes.
struct Convolution {
    input: Vec<SizeExpr>,
    layout: Layout,
    windows: Vec<Window>,
    /// How many channels it gives.
    outputs: SizeExpr,
    elem: Type,
}

impl Convolution {
    fn of(cx: &InferCx<'_>, transposed: bool) -> Result<Convolution, BrokenRule> {
        let ((input, a), (weights, b)) = (operand(cx, 0)?, operand(cx, 1)?);
        let (layout, rank) = (optional::<Layout>(cx, "layout")?.unwrap_or(Layout::ChannelsFirst), input.len());
        if rank < 3 || weights.len() != rank {
            let message = format!(
                "{} and weights of {} are no convolution: both have a batch or an output axis, channels and the same \
                 number of spatial axes, one at least",
                show(&input),
                show(&weights)
            );
            return Err(BrokenRule::new(&CHANNEL_MISMATCH, message)
                .suggest("reshape the input to [N, C, spatial..] and the weights to [out, in, spatial..]"));
        }
        let groups = optional::<Int>(cx, "groups")?.unwrap_or(1);
        let (mut out, mut into, spatial) = layout.weights(rank);
        if transposed {
            std::mem::swap(&mut out, &mut into);
        }
        let outputs = channels(&input[layout.channels(rank)], (&weights, out, into), groups, transposed)?;
        let windows = WindowAttrs::of(cx)?.windows(&weights[spatial])?;
        let mut elem = promote(cx.ctx, a, b)?;
        if cx.operands.len() > 2 {
            let (bias, c) = operand(cx, 2)?;
            if bias.len() != 1 || bias[0] != outputs {
                let message = format!("the bias is {}, but there are {outputs} output channels", show(&bias));
                return Err(BrokenRule::new(&CHANNEL_MISMATCH, message)
                    .suggest(format!("give a bias of [{outputs}], one number for each output channel")));
            }
            elem = promote(cx.ctx, elem, c)?;
        }
        Ok(Convolution { input, layout, windows, outputs, elem: accumulator(cx, elem)? })
    }

    /// Errors unless 64 bits count the elements of the input with the zeros that are put between and around them, at
    /// most so many for one of an axis, in all windows that they are in. Axes without elements do not count: the sizes of
    /// the others are computed too.
    fn countable(&self, zeros: impl Fn(&Window) -> Result<SizeExpr, BrokenRule>) -> Result<(), BrokenRule> {
        let more: Vec<SizeExpr> = self.windows.iter().map(zeros).collect::<Result<_, _>>()?;
        let sizes = self.input.iter().chain(self.windows.iter().map(|window| &window.size));
        let mut sizes = sizes.chain(&more).filter(|size| size.as_constant().is_none_or(|size| size > 0));
        match sizes.try_fold(SizeExpr::from(1), |count, size| count.mul(size).ok()) {
            Some(_) => Ok(()),
            None => Err(misfit(
                "its windows of the input and of the zeros put into it have more elements than 64 bits count",
            )),
        }
    }

    fn result(mut self, cx: &InferCx<'_>, spatial: Vec<SizeExpr>) -> Inferred {
        let rank = self.input.len();
        self.input[self.layout.channels(rank)] = self.outputs;
        self.input.splice(self.layout.spatial(rank), spatial);
        tensor(cx.ctx, self.input, self.elem)
    }
}

/// How many output channels there are, if channels, weights and groups go together.
fn channels(
    given: &SizeExpr,
    (weights, out, into): (&[SizeExpr], usize, usize),
    groups: i64,
    transposed: bool,
) -> Result<SizeExpr, BrokenRule> {
    let wrong = |message: String| BrokenRule::new(&CHANNEL_MISMATCH, message);
    if !(1..LIMIT).contains(&groups) {
        return Err(wrong(format!("'groups' must be at least 1 and below 2^31, and {groups} is not")));
    }
    let times = |size: &SizeExpr| size.mul(&groups.into()).map_err(overflow);
    // The side of the weights that has the channels of all groups, and the side that has those of one.
    let (all, taken, outputs) = match transposed {
        false => (&weights[out], times(&weights[into])?, weights[out].clone()),
        true => (&weights[into], weights[into].clone(), times(&weights[out])?),
    };
    if *given != taken {
        let per_group = if transposed || groups == 1 { String::new() } else { format!(" ({groups} groups)") };
        let message =
            format!("the input has {given} channels, but weights of {} take {taken}{per_group}", show(weights));
        let fix = match transposed {
            false => "axis 'in' of the weights has the channels of the input divided by 'groups'",
            true => "axis 'in' of the weights has the channels of the input",
        };
        return Err(wrong(message).suggest(fix));
    }
    if all.try_div(&groups.into()).is_none() {
        return Err(wrong(format!("{all} channels cannot be divided into {groups} groups"))
            .suggest("'groups' divides both the input and the output channels"));
    }
    Ok(outputs)
}

/// Windows counted on the spatial axes, and the channels of the weights.
pub fn conv(cx: &InferCx<'_>) -> Inferred {
    let conv = Convolution::of(cx, false)?;
    let axes = conv.layout.spatial(conv.input.len());
    let counts = conv.windows.iter().zip(axes).map(|(window, axis)| window.count(axis, &conv.input[axis]));
    let counts = counts.collect::<Result<_, _>>()?;
    conv.countable(|window| Ok((1 + window.low + window.high).into()))?;
    conv.result(cx, counts)
}

/// Windows laid out on the spatial axes, and the channels of the weights.
pub fn conv_transpose(cx: &InferCx<'_>) -> Inferred {
    let conv = Convolution::of(cx, true)?;
    let output_pad = optional::<IntArray>(cx, "output_pad")?.unwrap_or_else(|| vec![0; conv.windows.len()]);
    numbers("output_pad", &output_pad, conv.windows.len(), 0)?;
    let mut sizes = Vec::new();
    for ((window, &more), axis) in conv.windows.iter().zip(&output_pad).zip(conv.layout.spatial(conv.input.len())) {
        if more >= window.stride.max(window.dilation) {
            let message =
                format!("'output_pad' is {more}, with stride {} and dilation {}", window.stride, window.dilation);
            return Err(misfit(message).suggest("what is added is less than the stride or the dilation"));
        }
        let size = window.spread(&conv.input[axis])?.add(&more.into()).map_err(overflow)?;
        if provably_negative(&size) {
            let message = format!("'pad' cuts off more than there is: axis {axis} would have the size {size}");
            return Err(misfit(message).suggest("make 'pad' smaller"));
        }
        sizes.push(size);
    }
    let around = |window: &Window| window.stride + window.low.abs() + window.high.abs();
    conv.countable(|window| {
        window.reach()?.mul(&2.into()).and_then(|all| all.add(&around(window).into())).map_err(overflow)
    })?;
    conv.result(cx, sizes)
}

/// The windows of pooling.
pub fn pool_windows(window: &[i64], mut attrs: WindowAttrs) -> Result<Vec<Window>, BrokenRule> {
    numbers("window", window, window.len(), 1)?;
    // A window that moves by its own size, unless it is given otherwise.
    attrs.stride.get_or_insert_with(|| window.to_vec());
    let sizes: Vec<SizeExpr> = window.iter().map(|&size| size.into()).collect();
    let windows = attrs.windows(&sizes)?;
    for window in &windows {
        let covered = window.reach()?.as_constant().unwrap_or(0) + 1;
        if window.low >= covered || window.high >= covered {
            let message = format!(
                "a window that covers {covered} elements would see none of the axis: {} are put before and {} after it",
                window.low, window.high
            );
            return Err(misfit(message).suggest("pad by less than the window covers"));
        }
    }
    Ok(windows)
}

/// Windows counted on the spatial axes.
pub fn pool(cx: &InferCx<'_>) -> Inferred {
    let (mut dims, elem) = operand(cx, 0)?;
    let (layout, rank) = (optional::<Layout>(cx, "layout")?.unwrap_or(Layout::ChannelsFirst), dims.len());
    let window = optional::<IntArray>(cx, "window")?.unwrap_or_default();
    if window.is_empty() || rank != window.len() + 2 {
        let message = format!("a window of {} axes does not move over {}", window.len(), show(&dims));
        return Err(
            misfit(message).suggest("besides the batch and the channels there is an axis for each of the window")
        );
    }
    let ceil = optional::<Unit>(cx, "ceil")?.is_some();
    let windows = pool_windows(&window, WindowAttrs::of(cx)?)?;
    for (window, axis) in windows.iter().zip(layout.spatial(rank)) {
        dims[axis] = if ceil { window.count_ceil(axis, &dims[axis])? } else { window.count(axis, &dims[axis])? };
    }
    tensor(cx.ctx, dims, elem)
}

/// Spatial axes of size 1.
pub fn global_pool(cx: &InferCx<'_>) -> Inferred {
    let (mut dims, elem) = operand(cx, 0)?;
    let rank = dims.len();
    if rank < 3 {
        return Err(misfit(format!("{} has no spatial axes", show(&dims))).suggest("reshape it to [N, C, spatial..]"));
    }
    let layout = optional::<Layout>(cx, "layout")?.unwrap_or(Layout::ChannelsFirst);
    dims[layout.spatial(rank)].fill(1.into());
    tensor(cx.ctx, dims, elem)
}

fn provably_negative(size: &SizeExpr) -> bool {
    SizeExpr::from(0).prove_le(size, &SizeRanges::default()) == Some(false)
}

fn misfit(message: impl Into<String>) -> BrokenRule {
    BrokenRule::new(&WINDOW_MISFIT, message)
}

pub(super) fn overflow(error: AffineError) -> BrokenRule {
    BrokenRule::from(error.message.into_owned())
}
