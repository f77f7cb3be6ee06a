//! Convolutions and pooling: zeros around the input, and windows as indices.

use dlc_core::types::Tensor;
use dlc_frontend::interp::lowest;
use dlc_frontend::ops::{self as frontend, Layout};
use dlc_frontend::shape::{Window, WindowAttrs, pool_windows};
use dlc_ir::affine::SizeExpr;
use dlc_ir::op::BrokenRule;
use dlc_ir::smallvec::smallvec;
use dlc_ir::{Attr, Type, ValueId};
use dlc_tiny::ops as tiny;

use super::emit::{Emit, Lower, Values};
use super::parts::{accumulator, name, plus, times};

/// The rules of ops that have windows.
pub const RULES: &[Lower] = &[
    Lower { op: frontend::Conv::DEF, emit: conv },
    Lower { op: frontend::ConvTranspose::DEF, emit: conv_transpose },
    Lower { op: frontend::MaxPool::DEF, emit: max_pool },
    Lower { op: frontend::AvgPool::DEF, emit: avg_pool },
    Lower { op: frontend::GlobalAvgPool::DEF, emit: global_avg_pool },
];

/// A contraction whose indices are windows: `contract %w [co, ci, kh, kw], %x [n, ci, 2*ho + kh, 2*wo + kw] to [n, co, ho, wo]`.
fn conv(e: &mut Emit<'_>) -> Values {
    let op = frontend::Conv::from(e.source());
    let attrs = WindowAttrs { stride: op.stride(), pad: op.pad(), dilation: op.dilation() };
    let (layout, groups) = (op.layout().unwrap_or(Layout::ChannelsFirst), op.groups().unwrap_or(1));
    let (x, weights, bias) = (e.operands[0], e.operands[1], e.operands.get(2).copied());
    let (.., places) = layout.weights(e.rank(weights));
    let windows = verified(attrs.windows(&e.dims(weights)[places]));
    let around: Vec<_> = windows.iter().map(|window| (window.low.into(), window.high.into())).collect();
    let x = pad(e, x, layout, &around, None);
    let convolution = Convolution { layout, windows, groups, transposed: false, spaces: Vec::new() };
    convolution.emit(e, x, weights, bias)
}

/// The same contraction, with the windows turned around, over an input that has zeros between its elements. Where a number
/// divides the stride and the dilation, results lie as far apart, with zeros between them.
fn conv_transpose(e: &mut Emit<'_>) -> Values {
    let op = frontend::ConvTranspose::from(e.source());
    let attrs = WindowAttrs { stride: op.stride(), pad: op.pad(), dilation: op.dilation() };
    let (layout, groups) = (op.layout().unwrap_or(Layout::ChannelsFirst), op.groups().unwrap_or(1));
    let output_pad = op.output_pad();
    let (x, weights, bias) = (e.operands[0], e.operands[1], e.operands.get(2).copied());
    let (.., places) = layout.weights(e.rank(weights));
    let mut windows = verified(attrs.windows(&e.dims(weights)[places.clone()]));
    let mut output_pad = output_pad.unwrap_or_else(|| vec![0; windows.len()]);
    let spaces = spaces(&mut windows, &mut output_pad);
    let strides: Vec<i64> = windows.iter().map(|window| window.stride).collect();
    let x = spread(e, x, layout, &strides);
    // What is put around the input and what is cut off it; of a window of symbolic size both.
    let (mut put, mut cut) = (Vec::new(), Vec::new());
    for (window, more) in windows.iter_mut().zip(output_pad) {
        let reach = verified(window.reach());
        let (low, high) = (-window.low, more - window.high - (window.stride - 1));
        let side = |off: i64| match reach.as_constant() {
            Some(reach) => ((reach + off).max(0).into(), (-reach - off).max(0).into()),
            None => (plus(&reach, &off.max(0).into()), SizeExpr::from((-off).max(0))),
        };
        let (low, high) = (side(low), side(high));
        put.push((low.0, high.0));
        cut.push((low.1, high.1));
        window.stride = 1;
    }
    let x = pad(e, x, layout, &put, None);
    let x = shrink(e, x, layout, &cut);
    let dims = e.dims(weights);
    let turned: Vec<i64> = places.filter(|&axis| dims[axis].as_constant() != Some(1)).map(|axis| axis as i64).collect();
    let weights = if turned.is_empty() {
        weights
    } else {
        let flipped = tiny::Flip::build(&mut e.builder, e.loc, weights, turned);
        e.builder.result(flipped)
    };
    Convolution { layout, windows, groups, transposed: true, spaces }.emit(e, x, weights, bias)
}

/// How far apart the results of an axis lie, and how many elements are cut off before and after them; a number below zero
/// is put there.
struct Space {
    by: i64,
    low: i64,
    high: i64,
}

/// Takes from windows what divides both their stride and their dilation, with what is around them: the results that are not
/// zero for all inputs. Nothing where no axis has such results.
fn spaces(windows: &mut [Window], output_pad: &mut [i64]) -> Vec<Space> {
    if windows.iter().all(|window| window.spacing() == 1) {
        return Vec::new();
    }
    let each = windows.iter_mut().zip(output_pad).map(|(window, more)| match window.spacing() {
        1 => Space { by: 1, low: 0, high: 0 },
        by => {
            let space = Space { by, low: window.low, high: by - 1 + window.high - *more };
            (window.stride, window.dilation) = (window.stride / by, window.dilation / by);
            (window.low, window.high, *more) = (0, 0, 0);
            space
        }
    });
    each.collect()
}

/// Results with zeros between them.
fn spaced(e: &mut Emit<'_>, y: ValueId, layout: Layout, spaces: &[Space]) -> ValueId {
    let by: Vec<i64> = spaces.iter().map(|space| space.by).collect();
    let y = spread(e, y, layout, &by);
    let part = |of: &dyn Fn(i64) -> i64| -> Vec<(SizeExpr, SizeExpr)> {
        spaces.iter().map(|space| (of(space.low).into(), of(space.high).into())).collect()
    };
    let y = shrink(e, y, layout, &part(&|off| off.max(0)));
    pad(e, y, layout, &part(&|off| (-off).max(0)), None)
}

/// Zeros after each element of the spatial axes, so that these become as many times longer as the steps say.
fn spread(e: &mut Emit<'_>, x: ValueId, layout: Layout, steps: &[i64]) -> ValueId {
    let (mut split, mut high, mut joined) = (Vec::new(), Vec::new(), Vec::new());
    let (dims, spatial) = (e.dims(x), layout.spatial(e.rank(x)));
    for (axis, dim) in dims.into_iter().enumerate() {
        let step = if spatial.contains(&axis) { steps[axis - spatial.start] } else { 1 };
        split.push(dim.clone());
        high.push(SizeExpr::from(0));
        if step > 1 {
            split.push(1.into());
            high.push((step - 1).into());
        }
        joined.push(times(&dim, step));
    }
    if split.len() == joined.len() {
        return x;
    }
    let x = e.reshape(x, split);
    let low = vec![SizeExpr::from(0); high.len()];
    let padded = tiny::Pad::build(&mut e.builder, e.loc, x, low, high, None);
    let x = e.builder.result(padded);
    e.reshape(x, joined)
}

/// The contraction of a convolution of an input that has its padding.
struct Convolution {
    layout: Layout,
    windows: Vec<Window>,
    groups: i64,
    /// Whether the weights are `[in, out/groups, ..]` and not `[out, in/groups, ..]`.
    transposed: bool,
    /// How far apart results lie, where they do not lie next to each other.
    spaces: Vec<Space>,
}

impl Convolution {
    fn emit(&self, e: &mut Emit<'_>, x: ValueId, weights: ValueId, bias: Option<ValueId>) -> Values {
        let (layout, rank) = (self.layout, e.rank(x));
        // The side of the weights that has the channels of all groups, and the one that has those of one group.
        let (all, one, places) = layout.weights(rank);
        let (group, out, into) = (name("g"), name("co"), name("ci"));
        let (all_name, one_name) = if self.transposed { (&into, &out) } else { (&out, &into) };
        // The indices of each axis; the groups are an axis of their own, before the channels of one.
        let channels = layout.channels(rank);
        let mut x_idx = vec![vec![name("n")]; rank];
        let mut out_idx = x_idx.clone();
        let mut weights_idx = x_idx.clone();
        let groups = (self.groups > 1).then_some(group);
        let grouped = |index: &SizeExpr| groups.iter().chain([index]).cloned().collect::<Vec<_>>();
        // Groups of one channel are the channels: the one of each needs no index.
        let sizes = e.dims(weights);
        let each =
            |of_all: bool| if of_all { sizes[all].try_div(&self.groups.into()) } else { Some(sizes[one].clone()) };
        let has_one = |of_all: bool| groups.is_some() && each(of_all).is_some_and(|size| size.as_constant() == Some(1));
        let (one_out, one_into) = (has_one(!self.transposed), has_one(self.transposed));
        let (is_one_of_all, is_one_of_one) = if self.transposed { (one_into, one_out) } else { (one_out, one_into) };
        let index = |name: &SizeExpr, is_one: bool| if is_one { 0.into() } else { name.clone() };
        x_idx[channels] = grouped(&index(&into, one_into));
        out_idx[channels] = if one_out { groups.iter().cloned().collect() } else { grouped(&out) };
        weights_idx[all] = grouped(&index(all_name, is_one_of_all));
        weights_idx[one] = vec![index(one_name, is_one_of_one)];
        for (at, window) in self.windows.iter().enumerate() {
            let letter = axis_letter(at, self.windows.len());
            let (position, place) = (name(&format!("{letter}o")), name(&format!("k{letter}")));
            let start = times(&position, window.stride);
            // A window of one element has one place, which needs no index.
            let single = window.size.as_constant() == Some(1);
            let read = if single { start } else { plus(&start, &times(&place, window.dilation)) };
            x_idx[layout.spatial(rank).start + at] = vec![read];
            out_idx[layout.spatial(rank).start + at] = vec![position];
            weights_idx[places.start + at] = vec![if single { 0.into() } else { place }];
        }
        let x = split_axis(e, x, channels, self.groups);
        let weights = split_axis(e, weights, all, self.groups);
        let elem = e.result_elem(0);
        let acc = accumulator(e.ctx(), elem);
        let y = e.sum_of_products((weights, weights_idx.concat()), (x, x_idx.concat()), out_idx.concat(), acc);
        let (mut dims, own) = (e.result_dims(0), e.dims(y));
        if !self.spaces.is_empty() {
            for axis in layout.spatial(rank) {
                let at = if axis > channels { axis + own.len() - rank } else { axis };
                dims[axis] = own[at].clone();
            }
        }
        let y = e.reshape(y, dims);
        let mut y = if self.spaces.is_empty() { y } else { spaced(e, y, layout, &self.spaces) };
        if let Some(bias) = bias {
            let bias = e.aligned(bias, &[channels], rank);
            y = e.add(y, bias);
        }
        smallvec![e.cast(y, elem)]
    }
}

/// An axis as two: the groups, and what is in each.
fn split_axis(e: &mut Emit<'_>, value: ValueId, axis: usize, groups: i64) -> ValueId {
    if groups == 1 {
        return value;
    }
    let mut dims = e.dims(value);
    let each = dims[axis].try_div(&groups.into()).expect("the verifier has divided the channels by the groups");
    dims.splice(axis..=axis, [groups.into(), each]);
    e.reshape(value, dims)
}

/// The largest element of each window, which are two more axes for a while.
fn max_pool(e: &mut Emit<'_>) -> Values {
    let op = frontend::MaxPool::from(e.source());
    let attrs = WindowAttrs { stride: op.stride(), pad: op.pad(), dilation: op.dilation() };
    let (windows, ceil) = (verified(pool_windows(&op.window(), attrs)), op.ceil().is_some());
    let layout = op.layout().unwrap_or(Layout::ChannelsFirst);
    let elem = e.result_elem(0);
    let outside = lowest(e.ctx(), elem).to_attr(e.ctx(), elem);
    let pool = Pool { layout, windows, ceil };
    let x = pool.padded(e, e.operands[0], outside);
    let seen = pool.seen(e, x);
    smallvec![e.reduce(tiny::Combiner::Max, seen, &pool.window_axes(), elem)]
}

/// The sum of each window, divided by how many elements it has.
fn avg_pool(e: &mut Emit<'_>) -> Values {
    let op = frontend::AvgPool::from(e.source());
    let attrs = WindowAttrs { stride: op.stride(), pad: op.pad(), dilation: op.dilation() };
    let (windows, ceil) = (verified(pool_windows(&op.window(), attrs)), op.ceil().is_some());
    let (layout, exclude_pad) = (op.layout().unwrap_or(Layout::ChannelsFirst), op.exclude_pad().is_some());
    let (elem, input) = (e.result_elem(0), e.operands[0]);
    let acc = accumulator(e.ctx(), elem);
    let pool = Pool { layout, windows, ceil };
    let x = pool.padded(e, input, None);
    let seen = pool.seen(e, x);
    let sum = e.reduce(tiny::Combiner::Sum, seen, &pool.window_axes(), acc);
    let count = pool.counts(e, input, exclude_pad, acc);
    let mean = e.fdiv(sum, count);
    smallvec![e.cast(mean, elem)]
}

/// The sum of each channel, divided by how many elements it has.
fn global_avg_pool(e: &mut Emit<'_>) -> Values {
    let layout = frontend::GlobalAvgPool::from(e.source()).layout().unwrap_or(Layout::ChannelsFirst);
    let (x, elem) = (e.operands[0], e.result_elem(0));
    let acc = accumulator(e.ctx(), elem);
    let axes: Vec<usize> = layout.spatial(e.rank(x)).collect();
    let dims = e.dims(x);
    let count = e.count(&dims[layout.spatial(dims.len())], acc);
    let sum = e.along(tiny::Combiner::Sum, x, &axes, acc);
    let mean = e.fdiv(sum, count);
    smallvec![e.cast(mean, elem)]
}

/// Windows of pooling.
struct Pool {
    layout: Layout,
    windows: Vec<Window>,
    ceil: bool,
}

impl Pool {
    /// What is put around each axis. With `ceil` the last window may go beyond by less than a stride.
    fn around(&self) -> Vec<(SizeExpr, SizeExpr)> {
        let more = |window: &Window| if self.ceil { window.stride - 1 } else { 0 };
        self.windows.iter().map(|window| (window.low.into(), (window.high + more(window)).into())).collect()
    }

    fn padded(&self, e: &mut Emit<'_>, x: ValueId, value: Option<Attr>) -> ValueId {
        pad(e, x, self.layout, &self.around(), value)
    }

    /// Where the axes of the windows are in [`Pool::seen`].
    fn window_axes(&self) -> Vec<usize> {
        (self.windows.len() + 2..2 * self.windows.len() + 2).collect()
    }

    /// What each window sees: the axes of the result, then those of the window.
    fn seen(&self, e: &mut Emit<'_>, x: ValueId) -> ValueId {
        let mut dims = e.result_dims(0);
        let rank = dims.len();
        let mut at: Vec<SizeExpr> = (0..rank).map(|axis| name(&format!("i{axis}"))).collect();
        for (place, (window, axis)) in self.windows.iter().zip(self.layout.spatial(rank)).enumerate() {
            let inside = times(&name(&format!("i{}", rank + place)), window.dilation);
            at[axis] = plus(&times(&at[axis], window.stride), &inside);
            dims.push(window.size.clone());
        }
        e.load(x, at, dims)
    }

    /// How many elements each window has: a number, or one for each position on the axes where it varies.
    fn counts(&self, e: &mut Emit<'_>, input: ValueId, exclude_pad: bool, elem: Type) -> ValueId {
        let (dims, rank) = (e.dims(input), e.rank(input));
        let (mut always, mut varying) = (1.0, None);
        let around = self.around();
        for (place, (window, axis)) in self.windows.iter().zip(self.layout.spatial(rank)).enumerate() {
            let padded = window.low > 0 || window.high > 0;
            let varies = self.ceil || (exclude_pad && padded);
            if !varies {
                always *= window.size.as_constant().unwrap_or(1) as f64;
                continue;
            }
            // The axis as truth values, pooled as the input is.
            let (low, high) = &around[place];
            let length = plus(&plus(&dims[axis], low), high);
            let (start, stop) = match exclude_pad {
                true => (low.clone(), plus(&dims[axis], low)),
                false => (0.into(), plus(&dims[axis], &(window.low + window.high).into())),
            };
            let ty = Tensor::get(e.builder.ctx, vec![length], Type::I1);
            let valid = tiny::Valid::build(&mut e.builder, e.loc, vec![start], vec![stop], ty);
            let valid = e.builder.result(valid);
            let at = plus(&times(&name("i0"), window.stride), &times(&name("i1"), window.dilation));
            let count = e.result_dims(0)[axis].clone();
            let seen = e.load(valid, vec![at], vec![count, window.size.clone()]);
            let seen = e.cast(seen, elem);
            let count = e.reduce(tiny::Combiner::Sum, seen, &[1], elem);
            let count = e.aligned(count, &[axis], rank);
            varying = Some(match varying {
                Some(others) => e.mul(others, count),
                None => count,
            });
        }
        match varying {
            None => e.number(always, elem),
            Some(varying) if always == 1.0 => varying,
            Some(varying) => {
                let always = e.number(always, elem);
                e.mul(varying, always)
            }
        }
    }
}

/// A number put around the spatial axes, zero unless another is given; the value itself where nothing is put.
fn pad(e: &mut Emit<'_>, x: ValueId, layout: Layout, around: &[(SizeExpr, SizeExpr)], value: Option<Attr>) -> ValueId {
    let zero = SizeExpr::from(0);
    if around.iter().all(|(low, high)| *low == zero && *high == zero) {
        return x;
    }
    let rank = e.rank(x);
    let (mut low, mut high) = (vec![zero.clone(); rank], vec![zero; rank]);
    for (axis, sides) in layout.spatial(rank).zip(around) {
        (low[axis], high[axis]) = sides.clone();
    }
    let op = tiny::Pad::build(&mut e.builder, e.loc, x, low, high, value);
    e.builder.result(op)
}

/// Elements cut off the spatial axes; the value itself where none are.
fn shrink(e: &mut Emit<'_>, x: ValueId, layout: Layout, cut: &[(SizeExpr, SizeExpr)]) -> ValueId {
    let zero = SizeExpr::from(0);
    if cut.iter().all(|(low, high)| *low == zero && *high == zero) {
        return x;
    }
    let mut stop = e.dims(x);
    let mut start = vec![zero; stop.len()];
    for (axis, (low, high)) in layout.spatial(stop.len()).zip(cut) {
        start[axis] = low.clone();
        stop[axis] = plus(&stop[axis], &times(high, -1));
    }
    let op = tiny::Shrink::build(&mut e.builder, e.loc, x, start, stop, None);
    e.builder.result(op)
}

fn axis_letter(at: usize, count: usize) -> String {
    match count {
        1..=3 => ["d", "h", "w"][3 - count + at].into(),
        _ => format!("s{at}"),
    }
}

/// What the verifier has made sure of.
fn verified<T>(value: Result<T, BrokenRule>) -> T {
    value.unwrap_or_else(|broken| unreachable!("the verifier has held the op to its rules: {}", broken.message))
}
