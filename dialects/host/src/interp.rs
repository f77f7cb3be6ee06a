//! What the ops mean. A buffer is the tensor that is in it; where it lies matters only in that it must be a place of its
//! own, which is checked before the first op runs, when all sizes are known.

use std::collections::BTreeMap;

use dlc_core::eval::{bindings, give, integers, shape, tensor};
use dlc_core::memref::{Layout, MemRef};
use dlc_core::sizes::Bindings;
use dlc_core::tensor::TensorValue;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::diag::{Code, Diagnostic};
use dlc_ir::interp::{CANNOT_RUN, Eval, EvalResult, Failure, Outcome};
use dlc_ir::{OpRef, Str};

use crate::buffers::{Buffers, bytes};
use crate::choice::{self, Choice};
use crate::ops::{Const, Func, Launch, View};
use crate::verify::{MEMORY_OVERLAP, MISALIGNED, OUTSIDE_OF_MEMORY};

/// A program does nothing where it stands.
pub fn func(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// Before the first op: the arguments are of the sizes that their types say, and no buffer gets in the way of another.
fn start(cx: &mut Eval<'_, '_>) -> Result<Bindings, Failure> {
    let symbols = bindings(cx)?;
    if cx.op.body.prev_op(cx.op.id).is_none() {
        verify_arena(OpRef { id: cx.op.body.root(), ..cx.op }, &symbols)?;
    }
    Ok(symbols)
}

/// A buffer for some sizes.
struct Placed {
    start: i64,
    end: i64,
    buffer: usize,
}

/// For some sizes each buffer is in the arena, aligned, and apart from all that live at the same time.
fn verify_arena(root: OpRef<'_>, symbols: &Bindings) -> Result<(), Failure> {
    let ctx = root.ctx;
    let arena = Func::of(root).and_then(|func| func.arena()).unwrap_or_default();
    let Some(arena) = arena.first() else { return Ok(()) };
    let buffers = Buffers::of(root).list;
    let mut placed: Vec<Placed> = Vec::new();
    for (index, buffer) in buffers.iter().enumerate() {
        let op = OpRef { id: buffer.op, ..root };
        let fail =
            |code: &'static Code, message: String| Box::new(Diagnostic::error(code, op.loc(), message).at(op.name()));
        let number = |expr: &SizeExpr| symbols.integer(expr).map_err(|reason| fail(&CANNOT_RUN, reason));
        let Some(offset) = &buffer.offset else { continue };
        let size = bytes(ctx, buffer.ty).map_err(|error| fail(&CANNOT_RUN, error.message.into_owned()))?;
        let (start, size, room) = (number(offset)?, number(&size)?.max(0), number(arena)?);
        let which = buffer.result;
        let Some(end) = start.checked_add(size).filter(|&end| start >= 0 && end <= room) else {
            let message = format!("result {which} has {size} bytes at {start}, beyond the arena of {room} bytes");
            return Err(fail(&OUTSIDE_OF_MEMORY, message));
        };
        let align = buffer.ty.align(ctx);
        if start % align != 0 {
            return Err(fail(&MISALIGNED, format!("result {which} at {start} is not aligned to {align} bytes")));
        }
        // Buffers are in the order of their launches: what nothing reads any more is not looked at again.
        placed.retain(|other| buffers[other.buffer].lives_with(buffer));
        let overlaps = |other: &&Placed| start.max(other.start) < end.min(other.end);
        if let Some(other) = placed.iter().find(overlaps) {
            let (from, to) = (other.start, other.end);
            let message = format!(
                "for these sizes result {which} has the bytes {start} to {end}, and those from {from} to {to} are still needed"
            );
            let error = fail(&MEMORY_OVERLAP, message);
            let first = OpRef { id: buffers[other.buffer].op, ..root };
            return Err(Box::new(error.note(first.loc(), "they are written here")));
        }
        placed.push(Placed { start, end, buffer: index });
    }
    Ok(())
}

/// The kernel that a launch runs.
fn chosen(cx: &Eval<'_, '_>, symbols: &Bindings) -> Result<Choice, Failure> {
    let value_of = |name: &str| SizeExpr::symbol(name).ok().and_then(|symbol| symbols.integer(&symbol).ok());
    let fits = |choice: &Choice| choice.condition.as_ref().map_or(Ok(true), |condition| condition.contains(&value_of));
    let cost = |choice: &Choice| Some(choice.cost.as_ref()?.nanoseconds(&value_of));
    let chosen = choice::chosen(Launch::from(cx.op).choices(), fits, cost);
    let chosen = chosen.map_err(|reason| cx.fail(&CANNOT_RUN, reason))?;
    chosen.ok_or_else(|| cx.fail(&CANNOT_RUN, "no kernel is chosen"))
}

/// Runs the kernel that is chosen. Its symbols replace those of this function while it runs.
pub fn launch(cx: &mut Eval<'_, '_>) -> EvalResult {
    let symbols = start(cx)?;
    let ctx = cx.op.ctx;
    let choice = chosen(cx, &symbols)?;
    let path = choice.callee.as_symbol(ctx).unwrap_or(&[]);
    let name = path.first().map(|&name| ctx.str(name)).filter(|_| path.len() == 1);
    let kernel = name.and_then(|name| cx.interp.function(name));
    let (Some(name), Some(kernel)) = (name, kernel) else {
        let callee = choice.callee.display(ctx);
        return Err(cx.fail(&CANNOT_RUN, format!("the module has no kernel {callee}")));
    };
    let names = kernel.prop(Str::SYMBOLS).and_then(|attr| TextArray::get(ctx, attr)).unwrap_or_default();
    let mut sizes = BTreeMap::new();
    for (name, size) in names.iter().zip(&choice.sizes) {
        let size = symbols.integer(size).map_err(|reason| cx.fail(&CANNOT_RUN, reason))?;
        sizes.insert(name.to_string(), size);
    }
    let own = std::mem::replace(cx.interp.state(), Bindings::from(sizes));
    let results = cx.interp.call(name, cx.operands);
    *cx.interp.state() = own;
    results.map(Outcome::Values)
}

/// The same memory with other sizes: the elements in the order in which they lie.
pub fn view(cx: &mut Eval<'_, '_>) -> EvalResult {
    start(cx)?;
    let op = View::from(cx.op);
    let mut shape = shape(cx)?;
    if let Some(begin) = op.start() {
        return part(cx, &shape, begin);
    }
    let is_reversed =
        |value| MemRef::of(cx.op.ctx, cx.op.type_of(value)).is_some_and(|ty| ty.layout(cx.op.ctx) == Layout::ColMajor);
    let (from, to) = (is_reversed(op.input()), is_reversed(op.out()));
    let reordered = |value: TensorValue, turn: bool| match turn {
        true => value.permute(&(0..value.rank()).rev().collect::<Vec<_>>()),
        false => Ok(value),
    };
    if to {
        shape.reverse();
    }
    let value = reordered(tensor(cx, 0)?.clone(), from).and_then(|value| value.reshape(&shape));
    give(cx, value.and_then(|value| reordered(value, to)))
}

/// The memory from an element on.
fn part(cx: &mut Eval<'_, '_>, shape: &[usize], begin: SizeExpr) -> EvalResult {
    let (ctx, op) = (cx.op.ctx, View::from(cx.op));
    let memory = |value| MemRef::of(ctx, op.type_of(value)).expect("views are of memory");
    let (from, to) = (memory(op.input()), memory(op.out()));
    let whole = match from.layout(ctx) {
        Layout::ColMajor => {
            let value = tensor(cx, 0)?.clone();
            value.permute(&(0..value.rank()).rev().collect::<Vec<_>>())
        }
        _ => Ok(tensor(cx, 0)?.clone()),
    };
    let (mut steps, offset) = to.layout(ctx).strides(&to.dims(ctx)).expect("the verifier admits only strides");
    steps.extend([offset, begin]);
    let mut steps = integers(cx, &steps)?;
    let start = steps.pop().zip(steps.pop()).and_then(|(begin, offset)| begin.checked_add(offset));
    let start = start.ok_or_else(|| cx.fail(&CANNOT_RUN, "the part begins beyond 64 bits"))?;
    give(cx, whole.and_then(|whole| whole.strided(shape, &steps, start)))
}

/// A number everywhere, or a number for each element.
pub fn const_(cx: &mut Eval<'_, '_>) -> EvalResult {
    start(cx)?;
    dlc_core::constant::eval(cx, Const::from(cx.op).value())
}

/// Ends the program.
pub fn return_(cx: &mut Eval<'_, '_>) -> EvalResult {
    start(cx)?;
    Ok(Outcome::Return(cx.operands.into()))
}
