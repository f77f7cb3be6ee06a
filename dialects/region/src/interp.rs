//! What the ops mean. A value is a tensor whose axes are those of its type; each op computes it whole and rounds once.

use std::collections::HashMap;
use std::sync::Arc;

use dlc_core::eval::{bindings, give, tensor};
use dlc_core::scalar::{self, Combiner};
use dlc_core::sizes::Bindings;
use dlc_core::tensor::{self, Access, Contraction, ElemKind, Points, Position, TensorValue};
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{CANNOT_RUN, Data, Datum, Eval, EvalResult, Failure, Outcome};
use dlc_ir::{Context, OpRef, Type, ValueId};

use crate::ops::{
    Binary, BroadcastInDim, Cast, Const, Index, Read, Reduce, Scan, Select, Sort, Transpose, Unary, Yield,
};
use crate::syntax::element_of;
use crate::types::Value;
use crate::verify::{KernelAxes, axes_of};

/// The axes of the kernels that ran, by the body of each.
#[derive(Default)]
struct Kernels(HashMap<usize, Arc<KernelAxes>>);

fn axes_around(cx: &mut Eval<'_, '_>) -> Arc<KernelAxes> {
    let (ctx, body) = (cx.op.ctx, cx.op.body);
    let kernels = &mut cx.interp.state::<Kernels>().0;
    let key = std::ptr::from_ref(body) as usize;
    Arc::clone(kernels.entry(key).or_insert_with(|| Arc::new(KernelAxes::of(ctx, body))))
}

/// Points of some axes of a kernel.
struct Frame<'a> {
    names: Vec<&'a str>,
    shape: Vec<usize>,
    symbols: Bindings,
}

impl<'a> Frame<'a> {
    fn of(cx: &mut Eval<'_, '_>, names: Vec<&'a str>) -> Result<Frame<'a>, Failure> {
        let (axes, symbols) = (axes_around(cx), bindings(cx)?);
        let size = |name: &&str| match axes.size(name) {
            Some(size) => symbols.value(size),
            None => Err(format!("there is no axis '{name}'")),
        };
        let shape = names.iter().map(size).collect::<Result<_, String>>();
        Ok(Frame { shape: shape.map_err(|reason| cx.fail(&CANNOT_RUN, reason))?, names, symbols })
    }

    /// The points of the axes of a result.
    fn of_result(cx: &mut Eval<'_, 'a>, index: usize) -> Result<Frame<'a>, Failure> {
        let names = axes_of(cx.op.ctx, cx.op.type_of(cx.op.result(index)));
        Frame::of(cx, names)
    }

    fn points(&self) -> Points<'_> {
        Points { names: self.names.clone(), shape: self.shape.clone(), symbols: &self.symbols }
    }

    /// A value over some of the axes, at every point.
    fn align(&self, value: &TensorValue, axes: &[&str]) -> Result<TensorValue, String> {
        let place = |axis: &&str| self.names.iter().position(|name| name == axis);
        let places: Option<Vec<usize>> = axes.iter().map(place).collect();
        let places = places.ok_or("an operand depends on an axis that the result has not")?;
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|&at| places[at]);
        let sorted: Vec<usize> = order.iter().map(|&at| places[at]).collect();
        value.permute(&order)?.broadcast_in_dim(&self.shape, &sorted)
    }
}

fn elem_of(op: OpRef<'_>, value: ValueId) -> Type {
    Value::expect(op.ctx, op.type_of(value)).elem(op.ctx)
}

fn failed(cx: &Eval<'_, '_>, reason: String) -> Failure {
    cx.fail(&CANNOT_RUN, reason)
}

/// An operand at every point of a frame.
fn aligned(cx: &Eval<'_, '_>, frame: &Frame<'_>, index: usize) -> Result<TensorValue, Failure> {
    let axes = axes_of(cx.op.ctx, cx.op.type_of(cx.op.operand(index)));
    frame.align(tensor(cx, index)?, &axes).map_err(|reason| failed(cx, reason))
}

/// A region does nothing where it stands.
pub fn func(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// Ends a region.
pub fn yield_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Yield::from(cx.op);
    if cx.op.body.parent_op(cx.op.id).is_some_and(|parent| Reduce::of(OpRef { id: parent, ..cx.op }).is_some()) {
        return Ok(Outcome::Yield(cx.operands.into()));
    }
    bindings(cx)?;
    let casts = op.casts().unwrap_or_default();
    let mut results = Data::new();
    for index in 0..cx.operands.len() {
        let value = tensor(cx, index)?;
        let value = match casts.get(index).filter(|&&ty| ty != Type::NONE) {
            Some(&ty) => value.cast(cx.op.ctx, ty).map_err(|reason| failed(cx, reason))?,
            None => value.clone(),
        };
        results.push(Datum::opaque(value));
    }
    Ok(Outcome::Return(results))
}

/// The number.
pub fn const_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Const::from(cx.op);
    let number = Datum::of_attr(cx.op.ctx, op.value()).unwrap_or(Datum::Int(0));
    give(cx, TensorValue::splat(cx.op.ctx, Vec::new(), elem_of(cx.op, op.out()), &number))
}

/// The expression at each point.
pub fn index(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Index::from(cx.op);
    let frame = Frame::of_result(cx, 0)?;
    let expr = op.value().into_iter().next().unwrap_or_else(|| SizeExpr::from(0));
    give(cx, frame.points().numbers(cx.op.ctx, &expr, elem_of(cx.op, op.out())))
}

/// The elements of memory.
pub fn read(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Read::from(cx.op);
    let frame = Frame::of_result(cx, 0)?;
    let mut elements = Vec::new();
    for index in 1..cx.operands.len() {
        elements.push(aligned(cx, &frame, index)?);
    }
    let at = op.at();
    let position = |at| match element_of(at).and_then(|index| elements.get(index)) {
        Some(element) => Position::Element(element),
        None => Position::At(at),
    };
    let at: Vec<Position<'_>> = at.iter().map(position).collect();
    let fill = op.fill().and_then(|fill| Datum::of_attr(cx.op.ctx, fill));
    let (guard, ctx, elem) = (op.guard(), cx.op.ctx, elem_of(cx.op, op.out()));
    let read = tensor(cx, 0)?.read_at(ctx, &frame.points(), &at, guard.as_ref(), fill.as_ref());
    if read.is_err() && is_empty(cx)? {
        // Guards are left out where the sizes of all axes say that they hold, which an empty axis says of anything; and
        // then nobody sees what is read.
        let zero =
            if ElemKind::of(ctx, elem).is_some_and(ElemKind::is_float) { Datum::Float(0.0) } else { Datum::Int(0) };
        return give(cx, TensorValue::splat(ctx, frame.shape, elem, &zero));
    }
    give(cx, read)
}

/// Whether an axis of the kernel has no points.
fn is_empty(cx: &mut Eval<'_, '_>) -> Result<bool, Failure> {
    let (axes, symbols) = (axes_around(cx), bindings(cx)?);
    Ok(axes.sizes.iter().any(|size| symbols.value(size) == Ok(0)))
}

/// The function of each number.
pub fn unary(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Unary::from(cx.op);
    give(cx, op.function().eval(cx.op.ctx, tensor(cx, 0)?, elem_of(cx.op, op.out())))
}

/// The function of both numbers.
pub fn binary(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Binary::from(cx.op);
    let (ctx, elem) = (cx.op.ctx, elem_of(cx.op, op.out()));
    if Product::is_kept(op, elem) {
        return match Product::of(cx, op, elem) {
            Ok(product) => Ok(Outcome::value(Datum::opaque(product))),
            Err(reason) => Err(failed(cx, reason)),
        };
    }
    let frame = Frame::of_result(cx, 0)?;
    let (lhs, rhs) = (aligned(cx, &frame, 0)?, aligned(cx, &frame, 1)?);
    // What is not rounded is kept in f64, where products of shorter floats are exact.
    let wide = op.widen().is_some() && elem.float_kind(ctx).is_some();
    give(cx, op.function().eval(ctx, &lhs, &rhs, if wide { Type::F64 } else { elem }))
}

/// A product that is only summed: its factors, so that the products themselves are never in memory.
struct Product {
    lhs: TensorValue,
    rhs: TensorValue,
    /// The axes of the factors.
    axes: [Vec<String>; 2],
    /// What each product is rounded to.
    rounded: Option<Type>,
}

impl Product {
    /// Whether nothing but sums uses a product.
    fn is_kept(op: Binary<'_>, elem: Type) -> bool {
        let summed = |user| {
            let user = OpRef { id: user, ..*op };
            let parent = op.body.parent_op(user.id).map(|id| OpRef { id, ..*op });
            Yield::of(user).is_some()
                && parent.and_then(Reduce::of).is_some_and(|r| r.combiner() == Some(Combiner::Sum))
        };
        let mut uses = op.body.uses(op.out()).peekable();
        let counts = op.widen().is_some() || elem.float_kind(op.ctx).is_some();
        let used = uses.peek().is_some() && uses.all(|used| summed(used.op));
        op.function() == scalar::Binary::Mul && elem != Type::I1 && counts && used
    }

    fn of(cx: &Eval<'_, '_>, op: Binary<'_>, elem: Type) -> Result<Product, String> {
        let tensor = |index| tensor(cx, index).map_err(|failure| failure.message.to_string());
        let axes = |index: usize| {
            let axes = axes_of(cx.op.ctx, cx.op.type_of(cx.op.operand(index)));
            axes.into_iter().map(String::from).collect()
        };
        let rounded = op.widen().is_none().then_some(elem);
        // Integers are exact in what is not rounded.
        let common = if rounded.is_none() && elem.float_kind(cx.op.ctx).is_some() { Type::F64 } else { elem };
        let factor = |index| scalar::as_elem(cx.op.ctx, tensor(index)?, common);
        Ok(Product { lhs: factor(0)?, rhs: factor(1)?, axes: [axes(0), axes(1)], rounded })
    }

    /// The sum over the axes that are not kept.
    fn sum(&self, ctx: &Context, frame: &Frame<'_>, kept: usize, elem: Type) -> Result<TensorValue, String> {
        let places = |axes: &[String]| {
            let place = |axis: &String| frame.names.iter().position(|name| name == axis);
            let access =
                |axis| Ok(Access(vec![(place(axis).ok_or("a factor depends on an axis that is not there")?, 1)]));
            axes.iter().map(access).collect::<Result<Vec<Access>, String>>()
        };
        let (lhs, rhs) = (places(&self.axes[0])?, places(&self.axes[1])?);
        let spec = Contraction { sizes: frame.shape.clone(), lhs, rhs, out: (0..kept).collect() };
        TensorValue::contract_products(ctx, &self.lhs, &self.rhs, &spec, self.rounded, elem)
    }
}

/// One of two numbers.
pub fn select(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Select::from(cx.op);
    let frame = Frame::of_result(cx, 0)?;
    let ctx = cx.op.ctx;
    let last = cx.operands.len() - 1;
    let condition = match op.guard() {
        Some(guard) => frame.points().inside(ctx, &guard).map_err(|reason| failed(cx, reason))?,
        None => aligned(cx, &frame, 0)?,
    };
    let (then, otherwise) = (aligned(cx, &frame, last - 1)?, aligned(cx, &frame, last)?);
    give(cx, scalar::select(ctx, &condition, &then, &otherwise, elem_of(cx.op, op.out())))
}

/// The number as another type.
pub fn cast(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Cast::from(cx.op);
    let (ctx, elem) = (cx.op.ctx, elem_of(cx.op, op.out()));
    let value = tensor(cx, 0)?;
    give(cx, if op.bits().is_some() { value.bitcast(ctx, elem) } else { value.cast(ctx, elem) })
}

/// The value over more axes.
pub fn broadcast_in_dim(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = BroadcastInDim::from(cx.op);
    let frame = Frame::of_result(cx, 0)?;
    let dims: Vec<usize> = op.dims().into_iter().map(|dim| dim as usize).collect();
    give(cx, tensor(cx, 0)?.broadcast_in_dim(&frame.shape, &dims))
}

/// The axes in another order.
pub fn transpose(cx: &mut Eval<'_, '_>) -> EvalResult {
    let by: Vec<usize> = Transpose::from(cx.op).by().into_iter().map(|axis| axis as usize).collect();
    give(cx, tensor(cx, 0)?.permute(&by))
}

/// The numbers combined up to each point.
pub fn scan(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Scan::from(cx.op);
    let axis = axes_of(cx.op.ctx, cx.op.type_of(op.out())).iter().position(|axis| *axis == op.along());
    let axis = axis.ok_or_else(|| failed(cx, format!("there is no axis '{}'", op.along())))?;
    let scan = tensor::Scan {
        combine: op.combiner().running().combine(),
        axis,
        exclusive: op.exclusive().is_some(),
        reverse: op.reverse().is_some(),
        every: op.every().and_then(|every| usize::try_from(every).ok()),
    };
    // Factors come before what is summed.
    let last = cx.operands.len() - 1;
    let factors = if last > 0 { Some(tensor(cx, 0)?) } else { None };
    give(cx, tensor(cx, last)?.scan(cx.op.ctx, scan, factors, elem_of(cx.op, op.out())))
}

/// The numbers along an axis in order.
pub fn sort(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Sort::from(cx.op);
    let axis = axes_of(cx.op.ctx, cx.op.type_of(op.out())).iter().position(|axis| *axis == op.along());
    let axis = axis.ok_or_else(|| failed(cx, format!("there is no axis '{}'", op.along())))?;
    let every = op.every().and_then(|every| usize::try_from(every).ok());
    give(cx, tensor(cx, 0)?.sort(axis, every))
}

/// The contributions combined: by a function at once, by a region one point after the other in row-major order.
pub fn reduce(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Reduce::from(cx.op);
    let Some(resumed) = cx.resumed.take() else {
        return Ok(Outcome::Enter { region: 0, args: Data::new(), saved: Data::new() });
    };
    let outs: Vec<ValueId> = cx.op.results().collect();
    if resumed.region == 0 {
        if let Some(combiner) = op.combiner() {
            return combined(cx, op, combiner, &resumed.values);
        }
        let contributions = contributions(cx, op, &resumed.values)?;
        let mut accumulators = Data::new();
        for ((value, &out), &init) in contributions.iter().zip(&outs).zip(op.init()) {
            let shape = value.shape()[..value.rank() - op.axes().len()].to_vec();
            let number = Datum::of_attr(cx.op.ctx, init).unwrap_or(Datum::Int(0));
            let start = TensorValue::splat(cx.op.ctx, shape, elem_of(cx.op, out), &number);
            accumulators.push(Datum::opaque(start.map_err(|reason| failed(cx, reason))?));
        }
        let saved = contributions.into_iter().map(Datum::opaque).collect();
        return next_point(cx, op, accumulators, 0, saved);
    }
    let mut saved = resumed.saved;
    let point = saved.pop().and_then(|point| point.as_int()).unwrap_or(0);
    next_point(cx, op, resumed.values, point as usize + 1, saved)
}

/// The axes of a result and then those that are reduced.
fn reduced_frame<'a>(cx: &mut Eval<'_, 'a>, op: Reduce<'a>, out: ValueId) -> Result<Frame<'a>, Failure> {
    let names = axes_of(cx.op.ctx, cx.op.type_of(out)).into_iter().chain(op.axes()).collect();
    Frame::of(cx, names)
}

/// The types of what is yielded.
fn contributed(op: Reduce<'_>) -> Vec<Type> {
    let body = op.body;
    let end = op.regions().first().and_then(|&region| body.first_block(region)).and_then(|block| body.last_op(block));
    end.map(|end| body.operands(end).map(|value| body.value_type(value)).collect()).unwrap_or_default()
}

/// What is yielded, over the axes of the result and then those that are reduced.
fn contributions<'a>(cx: &mut Eval<'_, 'a>, op: Reduce<'a>, values: &[Datum]) -> Result<Vec<TensorValue>, Failure> {
    let mut aligned = Vec::with_capacity(values.len());
    for ((value, ty), out) in values.iter().zip(contributed(op)).zip(cx.op.results()) {
        let frame = reduced_frame(cx, op, out)?;
        let value = value.as_opaque::<TensorValue>().ok_or_else(|| failed(cx, "a contribution is no value".into()))?;
        aligned.push(frame.align(value, &axes_of(cx.op.ctx, ty)).map_err(|reason| failed(cx, reason))?);
    }
    Ok(aligned)
}

/// What is yielded, combined by a function.
fn combined<'a>(cx: &mut Eval<'_, 'a>, op: Reduce<'a>, combiner: Combiner, values: &[Datum]) -> EvalResult {
    let mut results = Data::new();
    for ((value, ty), out) in values.iter().zip(contributed(op)).zip(cx.op.results()) {
        let (frame, elem, ctx) = (reduced_frame(cx, op, out)?, elem_of(cx.op, out), cx.op.ctx);
        let kept = frame.names.len() - op.axes().len();
        let result = match (value.as_opaque::<Product>(), value.as_opaque::<TensorValue>()) {
            (Some(product), _) => product.sum(ctx, &frame, kept, elem),
            (None, Some(value)) => {
                let reduced: Vec<usize> = (kept..frame.names.len()).collect();
                let value = frame.align(value, &axes_of(ctx, ty));
                value.and_then(|value| value.reduce(ctx, combiner.combine(), &reduced, elem))
            }
            (None, None) => Err("a contribution is no value".into()),
        };
        results.push(Datum::opaque(result.map_err(|reason| failed(cx, reason))?));
    }
    Ok(Outcome::Values(results))
}

/// Combines the accumulators with the contributions of a point, if there is one.
fn next_point(cx: &Eval<'_, '_>, op: Reduce<'_>, accumulators: Data, point: usize, saved: Data) -> EvalResult {
    let reduced = op.axes().len();
    let values: Vec<&TensorValue> = saved.iter().filter_map(Datum::as_opaque::<TensorValue>).collect();
    let sizes = values.first().map_or(&[][..], |value| &value.shape()[value.rank() - reduced..]);
    if point >= sizes.iter().product() {
        return Ok(Outcome::Values(accumulators));
    }
    let mut args = accumulators;
    for value in values {
        let mut rest = point;
        let mut ranges: Vec<(usize, usize, usize)> = value.shape().iter().map(|&size| (0, size, 1)).collect();
        let kept = value.rank() - reduced;
        for axis in (kept..value.rank()).rev() {
            let at = rest % value.shape()[axis];
            rest /= value.shape()[axis];
            ranges[axis] = (at, at + 1, 1);
        }
        let elem = elem_of(cx.op, cx.op.result(args.len() - cx.op.results().len()));
        let slice = value.shrink(&ranges).and_then(|slice| slice.reshape(&value.shape()[..kept]));
        let slice = slice.and_then(|slice| slice.cast(cx.op.ctx, elem)).map_err(|reason| failed(cx, reason))?;
        args.push(Datum::opaque(slice));
    }
    let mut saved = saved;
    saved.push(Datum::Int(point as i128));
    Ok(Outcome::Enter { region: 1, args, saved })
}
