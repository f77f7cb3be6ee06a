//! What the ops mean.

use dlc_ir::attrs::AttrData;
use dlc_ir::interp::{Data, Datum, Eval, EvalResult, Memory, Outcome, UNDEFINED, wrap_int};
use dlc_ir::smallvec::SmallVec;

use crate::ops::{Assume, Call, Cmpi, Constant, Dot, Predicate, Sum};

/// The values that `sample.use` was given, in the order in which it was run.
#[derive(Clone, Default, Debug)]
pub struct Trace(pub Vec<Datum>);

/// The number.
pub fn constant(cx: &mut Eval<'_, '_>) -> EvalResult {
    let value = Constant::from(cx.op).value();
    let datum = Datum::of_attr(cx.op.ctx, value).ok_or_else(|| cx.fail(&UNDEFINED, "the constant is no number"))?;
    Ok(Outcome::value(datum))
}

fn ints(cx: &Eval<'_, '_>, compute: fn(i128, i128) -> i128) -> EvalResult {
    cx.int_result(compute(cx.int(0)?, cx.int(1)?))
}

/// The sum.
pub fn addi(cx: &mut Eval<'_, '_>) -> EvalResult {
    ints(cx, i128::wrapping_add)
}

/// The difference.
pub fn subi(cx: &mut Eval<'_, '_>) -> EvalResult {
    ints(cx, i128::wrapping_sub)
}

/// The product.
pub fn muli(cx: &mut Eval<'_, '_>) -> EvalResult {
    ints(cx, i128::wrapping_mul)
}

/// The common bits.
pub fn andi(cx: &mut Eval<'_, '_>) -> EvalResult {
    ints(cx, |a, b| a & b)
}

/// The bits of one or both.
pub fn ori(cx: &mut Eval<'_, '_>) -> EvalResult {
    ints(cx, |a, b| a | b)
}

/// The bits of exactly one.
pub fn xori(cx: &mut Eval<'_, '_>) -> EvalResult {
    ints(cx, |a, b| a ^ b)
}

/// The smaller one.
pub fn minsi(cx: &mut Eval<'_, '_>) -> EvalResult {
    ints(cx, i128::min)
}

/// The larger one.
pub fn maxsi(cx: &mut Eval<'_, '_>) -> EvalResult {
    ints(cx, i128::max)
}

fn divisor(cx: &Eval<'_, '_>) -> Result<i128, dlc_ir::interp::Failure> {
    match cx.int(1)? {
        0 => Err(cx.fail(&UNDEFINED, "division by zero")),
        divisor => Ok(divisor),
    }
}

/// The quotient.
pub fn divsi(cx: &mut Eval<'_, '_>) -> EvalResult {
    cx.int_result(cx.int(0)?.wrapping_div(divisor(cx)?))
}

/// Quotient and remainder.
pub fn divmod(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (value, divisor) = (cx.int(0)?, divisor(cx)?);
    let result = |value, index| wrap_int(cx.op.ctx, value, cx.result_type(index));
    let results = [result(value.wrapping_div(divisor), 0), result(value.wrapping_rem(divisor), 1)];
    Ok(Outcome::Values(results.into_iter().collect()))
}

/// The integer with the other sign.
pub fn neg(cx: &mut Eval<'_, '_>) -> EvalResult {
    cx.int_result(cx.int(0)?.wrapping_neg())
}

/// The integer without its sign.
pub fn abs(cx: &mut Eval<'_, '_>) -> EvalResult {
    cx.int_result(cx.int(0)?.wrapping_abs())
}

/// Whether two integers of a width compare as the predicate says.
pub fn compare(predicate: Predicate, lhs: i128, rhs: i128, bits: u32) -> bool {
    let unsigned = |value: i128| if bits < 128 { value as u128 & ((1 << bits) - 1) } else { value as u128 };
    // One bit is kept as 0 and 1, but with a sign its one is -1.
    let signed = |value: i128| if bits == 1 { -(value & 1) } else { value };
    match predicate {
        Predicate::Eq => lhs == rhs,
        Predicate::Ne => lhs != rhs,
        Predicate::Slt => signed(lhs) < signed(rhs),
        Predicate::Sle => signed(lhs) <= signed(rhs),
        Predicate::Ult => unsigned(lhs) < unsigned(rhs),
        Predicate::Ule => unsigned(lhs) <= unsigned(rhs),
    }
}

/// Whether the comparison holds.
pub fn cmpi(cx: &mut Eval<'_, '_>) -> EvalResult {
    let bits = cx.operand_type(0).bits(cx.op.ctx).unwrap_or(128);
    let holds = compare(Cmpi::from(cx.op).predicate(), cx.int(0)?, cx.int(1)?, bits);
    Ok(Outcome::value(holds.into()))
}

/// The one or the other.
pub fn select(cx: &mut Eval<'_, '_>) -> EvalResult {
    let index = if cx.int(0)? != 0 { 1 } else { 2 };
    Ok(Outcome::value(cx.operand(index)?.clone()))
}

/// The sum, rounded.
pub fn addf(cx: &mut Eval<'_, '_>) -> EvalResult {
    cx.float_result(cx.float(0)? + cx.float(1)?)
}

/// The product, rounded.
pub fn mulf(cx: &mut Eval<'_, '_>) -> EvalResult {
    cx.float_result(cx.float(0)? * cx.float(1)?)
}

/// The sum of the terms with their signs.
pub fn sum(cx: &mut Eval<'_, '_>) -> EvalResult {
    let mut sum = 0i128;
    for (index, sign) in Sum::from(cx.op).signs().into_iter().enumerate() {
        sum = sum.wrapping_add(cx.int(index)?.wrapping_mul(sign.into()));
    }
    cx.int_result(sum)
}

/// The sum of the products.
pub fn dot(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Dot::from(cx.op);
    let len = op.lhs().len();
    let mut sum = if op.init().is_some() { cx.int(2 * len)? } else { 0 };
    for index in 0..len {
        sum = sum.wrapping_add(cx.int(index)?.wrapping_mul(cx.int(len + index)?));
    }
    cx.int_result(sum)
}

/// The operand as it is: a box is what is in it.
pub fn same(cx: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::value(cx.operand(0)?.clone()))
}

/// The operand, which must lie in the range.
pub fn assume(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (value, range) = (cx.int(0)?, Assume::from(cx.op).range());
    let (low, high): (i128, i128) = (range.low(cx.op.ctx).into(), range.high(cx.op.ctx).into());
    match low <= value && value <= high {
        true => Ok(Outcome::value(value.into())),
        false => Err(cx.fail(&UNDEFINED, format!("{value} is not between {low} and {high}, as was assumed"))),
    }
}

/// A new buffer.
pub fn alloc(cx: &mut Eval<'_, '_>) -> EvalResult {
    let cells = cx.int(0)?;
    let buffer = cx.interp.state::<Memory>().alloc(cells).map_err(|reason| cx.fail(&UNDEFINED, reason))?;
    Ok(Outcome::value(buffer))
}

/// The value in a cell.
pub fn load(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (buffer, index) = (cx.int(0)?, cx.int(1)?);
    let value = cx.interp.state::<Memory>().load(buffer, index).map_err(|reason| cx.fail(&UNDEFINED, reason))?;
    Ok(Outcome::value(value))
}

/// Puts a value into a cell.
pub fn store(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (value, buffer, index) = (cx.operand(0)?.clone(), cx.int(1)?, cx.int(2)?);
    cx.interp.state::<Memory>().store(buffer, index, value).map_err(|reason| cx.fail(&UNDEFINED, reason))?;
    Ok(Outcome::nothing())
}

/// Records the values.
pub fn use_(cx: &mut Eval<'_, '_>) -> EvalResult {
    cx.interp.state::<Trace>().0.extend_from_slice(cx.operands);
    Ok(Outcome::nothing())
}

/// A symbol does nothing where it stands.
pub fn symbol(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// The results of the callee.
pub fn call(cx: &mut Eval<'_, '_>) -> EvalResult {
    let callee = cx.op.ctx.attr(AttrData::Symbol(Call::from(cx.op).callee()));
    Ok(Outcome::Call { callee, args: cx.operands.into() })
}

/// Ends the function.
pub fn return_(cx: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::Return(cx.operands.into()))
}

/// Ends the region.
pub fn yield_(cx: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::Yield(cx.operands.into()))
}

fn branch(cx: &Eval<'_, '_>, successor: usize) -> EvalResult {
    let args = cx.operands[cx.op.successor_operands(successor)].into();
    Ok(Outcome::Branch { successor, args })
}

/// Goes to the block.
pub fn br(cx: &mut Eval<'_, '_>) -> EvalResult {
    branch(cx, 0)
}

/// Goes to the one or the other block.
pub fn cond_br(cx: &mut Eval<'_, '_>) -> EvalResult {
    let successor = if cx.int(0)? != 0 { 0 } else { 1 };
    branch(cx, successor)
}

/// One iteration after the other.
pub fn loop_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (last, step) = (cx.int(1)?, cx.int(2)?);
    let (next, carried) = match cx.resumed.take() {
        None => (cx.int(0)?, Data::from(&cx.operands[3..])),
        // What was saved is the integer of the iteration that has ended.
        Some(resumed) => match resumed.saved.first().and_then(Datum::as_int) {
            Some(done) => (done.wrapping_add(step), resumed.values),
            None => (last, resumed.values),
        },
    };
    if step <= 0 {
        return Err(cx.fail(&UNDEFINED, format!("a loop goes by steps above zero, not by {step}")));
    }
    if next >= last {
        return Ok(Outcome::Values(carried));
    }
    let mut args: Data = SmallVec::from_buf([next.into()]);
    args.extend(carried);
    Ok(Outcome::Enter { region: 0, args, saved: SmallVec::from_buf([next.into()]) })
}

/// What one of the regions yields.
pub fn if_(cx: &mut Eval<'_, '_>) -> EvalResult {
    if let Some(resumed) = cx.resumed.take() {
        return Ok(Outcome::Values(resumed.values));
    }
    let region = if cx.int(0)? != 0 { 0 } else { 1 };
    match region < cx.op.regions().len() {
        true => Ok(Outcome::Enter { region, args: Data::new(), saved: Data::new() }),
        false => Ok(Outcome::nothing()),
    }
}

/// What the region yields.
pub fn graph(cx: &mut Eval<'_, '_>) -> EvalResult {
    match cx.resumed.take() {
        Some(resumed) => Ok(Outcome::Values(resumed.values)),
        None => Ok(Outcome::Enter { region: 0, args: Data::new(), saved: Data::new() }),
    }
}
