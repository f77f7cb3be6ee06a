//! Convolutions as sums of products, and pooling.

use dlc_core::eval::{elem, give, shape, tensor};
use dlc_core::tensor::{Access, Combine, Contraction, ElemKind, TensorValue};
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{CANNOT_RUN, Datum, Eval, EvalResult, Failure};
use dlc_ir::op::BrokenRule;
use dlc_ir::types::FloatKind;
use dlc_ir::{Context, Type};

use super::norms::mean;
use crate::ops::{AvgPool, Conv, ConvTranspose, GlobalAvgPool, Layout, MaxPool};
use crate::shape::{Window, WindowAttrs, pool_windows};

type Computed = Result<TensorValue, String>;

/// The sum of products of each window.
pub fn conv(cx: &mut Eval<'_, '_>) -> EvalResult {
    let shape = shape(cx)?;
    let (op, x, weights) = (Conv::from(cx.op), tensor(cx, 0)?, tensor(cx, 1)?);
    let bias = if op.bias().is_some() { Some(tensor(cx, 2)?) } else { None };
    let layout = op.layout().unwrap_or(Layout::ChannelsFirst);
    let (.., spatial) = layout.weights(x.rank());
    let attrs = WindowAttrs { stride: op.stride(), pad: op.pad(), dilation: op.dilation() };
    let windows = ruled(cx, attrs.windows(&sizes(&weights.shape()[spatial])))?;
    let around: Vec<(i64, i64)> = windows.iter().map(|window| (window.low, window.high)).collect();
    let groups = op.groups().unwrap_or(1) as usize;
    let sums = Sums { layout, windows, groups, transposed: false, reached: Vec::new() };
    let y = around_zeros(cx.op.ctx, x, layout, &around);
    give(cx, y.and_then(|x| sums.run(cx, &x, weights, bias, &shape)))
}

/// A convolution by windows turned around, of the input with zeros between its elements.
pub fn conv_transpose(cx: &mut Eval<'_, '_>) -> EvalResult {
    let shape = shape(cx)?;
    let (ctx, op, x, weights) = (cx.op.ctx, ConvTranspose::from(cx.op), tensor(cx, 0)?, tensor(cx, 1)?);
    let bias = if op.bias().is_some() { Some(tensor(cx, 2)?) } else { None };
    let layout = op.layout().unwrap_or(Layout::ChannelsFirst);
    let (.., spatial) = layout.weights(x.rank());
    let attrs = WindowAttrs { stride: op.stride(), pad: op.pad(), dilation: op.dilation() };
    let mut windows = ruled(cx, attrs.windows(&sizes(&weights.shape()[spatial.clone()])))?;
    let output_pad = op.output_pad().unwrap_or_else(|| vec![0; windows.len()]);
    let reached = windows.iter().map(reached).collect();
    let mut around = Vec::new();
    for (window, more) in windows.iter_mut().zip(output_pad) {
        let reach = ruled(cx, window.reach())?.as_constant().unwrap_or(0);
        // After the last element there are zeros already.
        around.push((reach - window.low, reach - window.high + more - (window.stride - 1)));
    }
    let spread = windows
        .iter()
        .zip(layout.spatial(x.rank()))
        .try_fold(x.clone(), |x, (window, axis)| spread(ctx, &x, axis, window.stride as usize));
    windows.iter_mut().for_each(|window| window.stride = 1);
    let groups = op.groups().unwrap_or(1) as usize;
    let sums = Sums { layout, windows, groups, transposed: true, reached };
    let y = spread.and_then(|x| {
        let turned = weights.flip(&spatial.collect::<Vec<_>>())?;
        sums.run(cx, &around_zeros(ctx, &x, layout, &around)?, &turned, bias, &shape)
    });
    give(cx, y)
}

/// Where along an axis the results of a transposed convolution are that some input reaches: the first position, and the step to
/// the next.
fn reached(window: &Window) -> (usize, usize) {
    let by = window.spacing();
    ((-window.low).rem_euclid(by) as usize, by as usize)
}

/// Zeros after each element of an axis, so that it becomes `step` times as long.
fn spread(ctx: &Context, x: &TensorValue, axis: usize, step: usize) -> Computed {
    let mut split = x.shape().to_vec();
    split.insert(axis + 1, 1);
    let mut around = vec![(0, 0); split.len()];
    around[axis + 1].1 = step - 1;
    let mut joined = x.shape().to_vec();
    joined[axis] *= step;
    x.reshape(&split)?.pad(ctx, &around, &zero(x))?.reshape(&joined)
}

/// Zeros around the spatial axes; a negative number cuts off.
fn around_zeros(ctx: &Context, x: &TensorValue, layout: Layout, around: &[(i64, i64)]) -> Computed {
    let (mut put, mut kept) = (vec![(0, 0); x.rank()], Vec::new());
    for (axis, &(low, high)) in layout.spatial(x.rank()).zip(around) {
        put[axis] = (low.max(0) as usize, high.max(0) as usize);
    }
    let x = x.pad(ctx, &put, &zero(x))?;
    kept.extend(x.shape().iter().map(|&size| (0, size, 1)));
    for (axis, &(low, high)) in layout.spatial(x.rank()).zip(around) {
        let end = x.shape()[axis].checked_sub(high.min(0).unsigned_abs() as usize);
        kept[axis] = (low.min(0).unsigned_abs() as usize, end.ok_or("more is cut off than there is")?, 1);
    }
    x.shrink(&kept)
}

fn zero(x: &TensorValue) -> Datum {
    if x.kind().is_float() { Datum::Float(0.0) } else { Datum::Int(0) }
}

/// The sums of a convolution of an input that has its padding.
struct Sums {
    layout: Layout,
    windows: Vec<Window>,
    groups: usize,
    /// Whether the weights are `[in, out/groups, ..]` and not `[out, in/groups, ..]`.
    transposed: bool,
    /// The first result along each axis that is a sum, and the step to the next; those between are zero.
    reached: Vec<(usize, usize)>,
}

impl Sums {
    /// Sums with zeros in place of those that no input reaches.
    fn with_zeros(&self, ctx: &Context, mut sums: TensorValue) -> Computed {
        for (axis, &(first, by)) in self.layout.spatial(sums.rank()).zip(&self.reached) {
            let size = sums.shape()[axis];
            if by == 1 {
                continue;
            }
            let mut kept: Vec<(usize, usize, usize)> = sums.shape().iter().map(|&size| (0, size, 1)).collect();
            kept[axis] = (first.min(size), size, by);
            let reached = spread(ctx, &sums.shrink(&kept)?, axis, by)?;
            let mut around = vec![(0, 0); reached.rank()];
            around[axis].0 = first.min(size);
            let spaced = reached.pad(ctx, &around, &zero(&reached))?;
            kept[axis] = (0, size, 1);
            sums = spaced.shrink(&kept)?;
        }
        Ok(sums)
    }

    /// The loops are `[n, group, output channel of it, positions.., input channel of it, window..]`.
    fn run(
        &self,
        cx: &Eval<'_, '_>,
        x: &TensorValue,
        weights: &TensorValue,
        bias: Option<&TensorValue>,
        shape: &[usize],
    ) -> Computed {
        let (ctx, elem, rank, layout) = (cx.op.ctx, elem(cx), x.rank(), self.layout);
        let spatial = self.windows.len();
        let per_group = |channels: usize| channels / self.groups;
        let channels = layout.channels(rank);
        let (taken, given) = (per_group(x.shape()[channels]), per_group(shape[channels]));
        let (group, out, position, into, window) = (1, 2, 3, 3 + spatial, 4 + spatial);
        let mut sizes = vec![shape[0], self.groups, given];
        sizes.extend(&shape[layout.spatial(rank)]);
        sizes.push(taken);
        let (all, one, places) = layout.weights(rank);
        sizes.extend(&weights.shape()[places.clone()]);
        // The loops of the weights' axis with the channels of all groups, and of that with those of one group.
        let (all_groups, one_group) = if self.transposed { ((into, taken), out) } else { ((out, given), into) };
        let mut lhs = vec![Access(vec![(0, 1)]); rank];
        lhs[channels] = Access(vec![(group, taken as i64), (into, 1)]);
        let mut rhs = lhs.clone();
        rhs[all] = Access(vec![(group, all_groups.1 as i64), (all_groups.0, 1)]);
        rhs[one] = Access(vec![(one_group, 1)]);
        for (at, each) in self.windows.iter().enumerate() {
            lhs[layout.spatial(rank).start + at] =
                Access(vec![(position + at, each.stride), (window + at, each.dilation)]);
            rhs[places.start + at] = Access(vec![(window + at, 1)]);
        }
        let out_axes = match layout {
            Layout::ChannelsFirst => (0..position + spatial).collect(),
            Layout::ChannelsLast => [0].into_iter().chain(position..position + spatial).chain([group, out]).collect(),
        };
        let spec = Contraction { sizes, lhs, rhs, out: out_axes };
        let Some(bias) = bias else {
            return self.with_zeros(ctx, TensorValue::contract(ctx, x, weights, &spec, elem)?.reshape(shape)?);
        };
        // The sum is rounded with the bias in it.
        let wide = if elem.float_kind(ctx).is_some() { Type::F64 } else { elem };
        let sums = self.with_zeros(ctx, TensorValue::contract(ctx, x, weights, &spec, wide)?.reshape(shape)?)?;
        let bias = bias.broadcast_in_dim(shape, &[channels])?;
        match wide {
            Type::F64 => sums.zip_float(ctx, &bias, elem, |sum, bias| sum + bias),
            _ => sums.zip_int(ctx, &bias, elem, i64::wrapping_add),
        }
    }
}

/// The largest of each window.
pub fn max_pool(cx: &mut Eval<'_, '_>) -> EvalResult {
    let shape = shape(cx)?;
    let (ctx, op, x) = (cx.op.ctx, MaxPool::from(cx.op), tensor(cx, 0)?);
    let attrs = WindowAttrs { stride: op.stride(), pad: op.pad(), dilation: op.dilation() };
    let windows = ruled(cx, pool_windows(&op.window(), attrs))?;
    let layout = op.layout().unwrap_or(Layout::ChannelsFirst);
    give(cx, pooled(ctx, x, Combine::Max, &lowest(ctx, x.elem()), (layout, &windows), &shape))
}

/// The lowest number of a type: minus infinity, of integers and floats without infinities the most negative one.
pub fn lowest(ctx: &Context, elem: Type) -> Datum {
    match ElemKind::of(ctx, elem) {
        Some(ElemKind::Float(FloatKind::F8E4M3FN)) => Datum::Float(-448.0),
        Some(kind) if !kind.is_float() => Datum::Int(kind.lowest().into()),
        _ => Datum::Float(f64::NEG_INFINITY),
    }
}

/// The mean of each window.
pub fn avg_pool(cx: &mut Eval<'_, '_>) -> EvalResult {
    let shape = shape(cx)?;
    let (ctx, op, x) = (cx.op.ctx, AvgPool::from(cx.op), tensor(cx, 0)?);
    let attrs = WindowAttrs { stride: op.stride(), pad: op.pad(), dilation: op.dilation() };
    let windows = ruled(cx, pool_windows(&op.window(), attrs))?;
    let layout = op.layout().unwrap_or(Layout::ChannelsFirst);
    let zero = Datum::Float(0.0);
    // How many elements each window has: pooling of ones, with ones for the padding that counts.
    let ones = TensorValue::splat(ctx, x.shape().to_vec(), Type::F64, &Datum::Float(1.0)).and_then(|ones| {
        let mut around = vec![(0, 0); x.rank()];
        if op.exclude_pad().is_none() {
            for (axis, window) in layout.spatial(x.rank()).zip(&windows) {
                around[axis] = (window.low as usize, window.high as usize);
            }
        }
        ones.pad(ctx, &around, &Datum::Float(1.0))
    });
    let mean = ones.and_then(|ones| {
        let padded: Vec<Window> = match op.exclude_pad() {
            Some(()) => windows.clone(),
            None => windows.iter().map(|window| Window { low: 0, high: 0, ..window.clone() }).collect(),
        };
        let counts = pooled(ctx, &ones, Combine::Sum, &zero, (layout, &padded), &shape)?;
        let wide = x.cast(ctx, Type::F64)?;
        let sums = pooled(ctx, &wide, Combine::Sum, &zero, (layout, &windows), &shape)?;
        sums.zip_float(ctx, &counts, elem(cx), |sum, count| sum / count)
    });
    give(cx, mean)
}

/// Windows combined, one axis after the other: neighbours at each place of the window, all windows at a time.
fn pooled(
    ctx: &Context,
    x: &TensorValue,
    combine: Combine,
    outside: &Datum,
    (layout, windows): (Layout, &[Window]),
    shape: &[usize],
) -> Computed {
    let mut x = x.clone();
    for (axis, window) in layout.spatial(x.rank()).zip(windows) {
        let size = window.size.as_constant().unwrap_or(1) as usize;
        let (stride, dilation) = (window.stride as usize, window.dilation as usize);
        // From the first element of the first window to that of the last.
        let span = shape[axis].saturating_sub(1) * stride + usize::from(shape[axis] > 0);
        let needed = span + dilation * (size - 1);
        let mut around = vec![(0, 0); x.rank()];
        let low = window.low as usize;
        around[axis] = (low, needed.saturating_sub(x.shape()[axis] + low));
        x = x.pad(ctx, &around, outside)?;
        let mut ranges: Vec<_> = x.shape().iter().map(|&size| (0, size, 1)).collect();
        let mut parts = Vec::with_capacity(size);
        for place in 0..size {
            ranges[axis] = (place * dilation, place * dilation + span, stride);
            parts.push(x.shrink(&ranges)?);
        }
        let mut parts = parts.into_iter();
        x = parts.next().ok_or("a window has no elements")?;
        for part in parts {
            x = match (combine, x.kind().is_float()) {
                (Combine::Max, true) => x.zip_float(ctx, &part, x.elem(), larger)?,
                (Combine::Max, false) if x.kind().is_u64() => {
                    x.zip_int(ctx, &part, x.elem(), |a, b| (a as u64).max(b as u64) as i64)?
                }
                (Combine::Max, false) => x.zip_int(ctx, &part, x.elem(), i64::max)?,
                _ => x.zip_float(ctx, &part, x.elem(), |a, b| a + b)?,
            };
        }
    }
    Ok(x)
}

/// The larger; not a number if one of them is none.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The mean of each channel.
pub fn global_avg_pool(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, op, x) = (cx.op.ctx, GlobalAvgPool::from(cx.op), tensor(cx, 0)?);
    let layout = op.layout().unwrap_or(Layout::ChannelsFirst);
    let axes: Vec<usize> = layout.spatial(x.rank()).collect();
    give(cx, mean(ctx, x, &axes).and_then(|mean| mean.cast(ctx, elem(cx))))
}

fn sizes(shape: &[usize]) -> Vec<SizeExpr> {
    shape.iter().map(|&size| SizeExpr::from(size as i64)).collect()
}

/// What the rule of the shapes says, which the verifier has held the op to; with the numbers that the sizes are now.
fn ruled<T>(cx: &Eval<'_, '_>, value: Result<T, BrokenRule>) -> Result<T, Failure> {
    value.map_err(|broken| cx.fail(&CANNOT_RUN, broken.message))
}
