//! What the ops mean: each goes over the points of its axes and computes on whole tensors, as `tiny` does.

use dlc_core::access::Access;
use dlc_core::eval::{self, bindings, elem, give, shape, tensor};
use dlc_core::scalar;
use dlc_core::sizes::Bindings;
use dlc_core::tensor::{self, Points, Position, TensorValue};
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{CANNOT_RUN, Datum, Eval, EvalResult, Failure, Outcome};
use dlc_ir::{Attr, Type};

use crate::ops::{Const, Entry, Function, Gather, Iota, Reduce, Scan, Sort};
use crate::syntax::element_of;
use crate::verify::axis_names;

/// A function does nothing where it stands.
pub fn func(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// Ends the program, if its arguments were of the sizes that its type says.
pub fn return_(cx: &mut Eval<'_, '_>) -> EvalResult {
    bindings(cx)?;
    Ok(Outcome::Return(cx.operands.into()))
}

/// A number everywhere, or a number for each element.
pub fn const_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let value = Const::from(cx.op).value();
    dlc_core::constant::eval(cx, value)
}

/// The points of axes, with what the symbols are.
struct Frame {
    names: Vec<String>,
    shape: Vec<usize>,
    symbols: Bindings,
}

impl Frame {
    fn of(cx: &mut Eval<'_, '_>, axes: &[SizeExpr]) -> Result<Frame, Failure> {
        let symbols = bindings(cx)?;
        let shape = eval::sizes(cx, axes)?;
        Ok(Frame { names: axis_names(axes.len()), shape, symbols })
    }

    fn points(&self) -> Points<'_> {
        Points {
            names: self.names.iter().map(String::as_str).collect(),
            shape: self.shape.clone(),
            symbols: &self.symbols,
        }
    }

    /// The elements of an operand, one for each point.
    fn read(&self, cx: &Eval<'_, '_>, operand: usize, access: &Access) -> Result<TensorValue, Failure> {
        let at: Vec<Position<'_>> = access.at.iter().map(Position::At).collect();
        let fill = access.fill.and_then(|fill: Attr| Datum::of_attr(cx.op.ctx, fill));
        let read = tensor(cx, operand)?.read_at(cx.op.ctx, &self.points(), &at, access.guard.as_ref(), fill.as_ref());
        read.map_err(|reason| cx.fail(&CANNOT_RUN, reason))
    }
}

/// The value of an expression at each point.
pub fn iota(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Iota::from(cx.op);
    let frame = Frame::of(cx, &op.axes())?;
    let value = op.value();
    let expr = value.first().cloned().unwrap_or_else(|| SizeExpr::from(0));
    give(cx, frame.points().numbers(cx.op.ctx, &expr, elem(cx)))
}

/// The function of the elements that are read.
pub fn entry(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Entry::from(cx.op);
    let (ctx, function) = (cx.op.ctx, op.function());
    let frame = Frame::of(cx, &op.axes())?;
    let accesses = op.accesses();
    let mut inputs = Vec::with_capacity(accesses.len());
    for (operand, access) in accesses.iter().enumerate() {
        inputs.push(frame.read(cx, operand, access)?);
    }
    // What is not rounded is kept in f64, where products of shorter floats are exact.
    let wide = op.widen().is_some() && elem(cx).float_kind(ctx).is_some();
    let elem = if wide { Type::F64 } else { elem(cx) };
    let value = match (function, function.unary(), function.binary(), &inputs[..]) {
        (_, Some(unary), _, [x]) => unary.eval(ctx, x, elem),
        (_, _, Some(binary), [a, b]) => binary.eval(ctx, a, b, elem),
        (Function::Where, _, _, [condition, then, otherwise]) => scalar::select(ctx, condition, then, otherwise, elem),
        (Function::Bitcast, _, _, [x]) => x.bitcast(ctx, elem),
        (_, _, _, [x]) => x.cast(ctx, elem),
        _ => Err(format!("'{}' is not a function of {} operands", function.word(), inputs.len())),
    };
    give(cx, value)
}

/// The elements combined.
pub fn reduce(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Reduce::from(cx.op);
    let (axes, over) = (op.axes(), op.over());
    let reduced: Vec<usize> = (axes.len()..axes.len() + over.len()).collect();
    let frame = Frame::of(cx, &[axes, over].concat())?;
    let access = op.accesses().into_iter().next().unwrap_or_default();
    let input = frame.read(cx, 0, &access)?;
    give(cx, input.reduce(cx.op.ctx, op.combiner().combine(), &reduced, elem(cx)))
}

/// The elements combined up to each position.
pub fn scan(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Scan::from(cx.op);
    let frame = Frame::of(cx, &op.axes())?;
    let accesses = op.accesses();
    let mut inputs = Vec::with_capacity(accesses.len());
    for (index, access) in accesses.iter().enumerate() {
        inputs.push(frame.read(cx, index, access)?);
    }
    let Some((input, factors)) = inputs.split_last() else { return Err(cx.fail(&CANNOT_RUN, "nothing is scanned")) };
    let scan = tensor::Scan {
        combine: op.combiner().running().combine(),
        axis: op.along() as usize,
        exclusive: op.exclusive().is_some(),
        reverse: op.reverse().is_some(),
        every: op.every().and_then(|every| usize::try_from(every).ok()),
    };
    give(cx, input.scan(cx.op.ctx, scan, factors.first(), elem(cx)))
}

/// The elements along an axis in order.
pub fn sort(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Sort::from(cx.op);
    let frame = Frame::of(cx, &op.axes())?;
    let accesses = op.accesses();
    let [access] = &accesses[..] else { return Err(cx.fail(&CANNOT_RUN, "one operand is sorted")) };
    let input = frame.read(cx, 0, access)?;
    let every = op.every().and_then(|every| usize::try_from(every).ok());
    give(cx, input.sort(op.along() as usize, every))
}

/// The elements of the table at the positions.
pub fn gather(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Gather::from(cx.op);
    let frame = Frame::of(cx, &op.axes())?;
    let mut indices = Vec::new();
    for (index, access) in op.accesses().iter().enumerate() {
        indices.push(frame.read(cx, 1 + index, access)?);
    }
    let at = op.at();
    let position = |at| match element_of(at).and_then(|index| indices.get(index)) {
        Some(element) => Position::Element(element),
        None => Position::At(at),
    };
    let at: Vec<Position<'_>> = at.iter().map(position).collect();
    let value = tensor(cx, 0)?.read_at(cx.op.ctx, &frame.points(), &at, None, None);
    give(cx, value)
}

/// The same elements in the same order.
pub fn reshape(cx: &mut Eval<'_, '_>) -> EvalResult {
    let shape = shape(cx)?;
    give(cx, tensor(cx, 0)?.reshape(&shape))
}
