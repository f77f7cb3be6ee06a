//! Reductions of elements that are known from their indices.

use dlc_ir::Type;
use dlc_ir::affine::AffineExpr;
use dlc_tiny::ops::{Combiner, Reduce};

use super::arithmetic::Numbers;
use super::count::{Closed, along};
use super::form::{Branch, Form, Guard, exact_to};
use super::infer::{Forms, Refusal, each};
use super::space::Space;

const RUNNING: Refusal = "it is a running sum of data, and there is no scan; each element is added up again";

/// The form of a reduction; `None` of elements that are data.
///
/// Errors: why it is not known though its elements are, or that it is a running sum.
pub(super) fn reduce(forms: &Forms<'_>, op: Reduce<'_>) -> Result<Option<Form>, Refusal> {
    let input = op.input();
    let Some(form) = forms.known(input).cloned() else { return Ok(None) };
    if !form.is_closed() {
        return if is_running(forms, op, &form) { Err(RUNNING) } else { Ok(None) };
    }
    let too_large = "a size is not affine";
    let space = forms.space(*op, input).ok_or(too_large)?;
    let result = forms.space(*op, op.out()).ok_or(too_large)?;
    let mut form = (*form).clone();
    let mut axes = op.axes();
    axes.reverse();
    let target = Space { elem: result.elem, ..(*space).clone() };
    let numbers = Numbers { ctx: forms.ctx, space: &target };
    form = each(&form, &space, |branch| numbers.convert(branch, space.elem, result.elem))
        .ok_or("the type of the result does not hold every element")?;
    for &axis in &axes {
        form = reduce_axis(op.combiner(), &form, axis as u32, numbers)?;
    }
    let kept = (0..space.dims.len()).filter(|axis| !axes.contains(&(*axis as i64)));
    let mut at = vec![AffineExpr::Constant(0); space.dims.len()];
    for (new, old) in kept.enumerate() {
        at[old] = AffineExpr::Dim(new as u32);
    }
    form.at(&at, &result.ranges).map(Some).ok_or(too_large)
}

/// One axis gone; the others keep their numbers.
fn reduce_axis(combiner: Combiner, form: &Form, axis: u32, numbers: Numbers<'_>) -> Result<Form, Refusal> {
    let (Branch::Whole(inside), Branch::Whole(outside)) = (&form.inside, &form.outside) else {
        return Err("its elements are no whole numbers");
    };
    if inside.depends_on(axis) || outside.depends_on(axis) {
        return Err("its elements change along the axis even where the guard holds");
    }
    let space = numbers.space;
    let (size, ranges) = (&space.dims[axis as usize], &space.ranges);
    let nonlinear = "the guard divides the index of the axis";
    let overflow = "the count goes beyond 64 bits";
    let along = along(&form.guard.bounds, axis, ranges).ok_or(nonlinear)?;
    let any = |inside: Branch, outside: Branch| {
        let bounds = along.any(size, ranges).ok_or(overflow)?;
        Ok(Form { guard: Guard::of(bounds), inside, outside }.settled(ranges))
    };
    let all = |inside: Branch, outside: Branch| {
        let bounds = along.all(size, ranges).ok_or(overflow)?;
        Ok(Form { guard: Guard::of(bounds), inside, outside }.settled(ranges))
    };
    let is_bool = space.elem == Type::I1;
    if combiner == Combiner::Sum && !is_bool {
        let sum = |part: &Closed| part.times(&Closed::Affine(size.clone()), ranges);
        let admitted = along.count(size, ranges).ok_or(overflow)?;
        let rest = admitted.negated(ranges).and_then(|less| Closed::Affine(size.clone()).plus(&less, ranges));
        let total = || {
            let part = inside.times(&admitted, ranges)?;
            part.plus(&outside.times(&rest?, ranges)?, ranges)
        };
        let (total, without) = (total().ok_or(overflow)?, sum(outside).ok_or(overflow)?);
        if let Some(limit) = exact_to(numbers.ctx, space.elem) {
            // Every partial sum must be exact, in whichever order.
            let largest = |part: &Closed| {
                let bounds = part.bounds(ranges);
                bounds.lo?.checked_abs()?.max(bounds.hi?.checked_abs()?).checked_mul(size.range_of(ranges).hi()?.into())
            };
            let exact = [inside, outside].iter().all(|part| largest(part).is_some_and(|most| most <= limit.into()));
            if !exact {
                return Err("the type of the result is not exact for every count");
            }
        }
        let guard = Guard::of(along.rest.clone());
        return Ok(Form { guard, inside: Branch::Whole(total), outside: Branch::Whole(without) }.settled(ranges));
    }
    let (Some(a), Some(b)) = (inside.as_constant(), outside.as_constant()) else {
        return Err("its elements are no constants");
    };
    let exact = |value: i64| numbers.is_exact(&Closed::constant(value), space.elem);
    if !exact(a) || !exact(b) {
        return Err("its elements wrap around");
    }
    let zero_or_one = (0..=1).contains(&a) && (0..=1).contains(&b);
    let takes_larger = match combiner {
        Combiner::Sum | Combiner::Max => true,
        Combiner::Prod if !zero_or_one => return Err("it is a product of numbers other than zero and one"),
        Combiner::Prod | Combiner::Min => false,
    };
    if combiner != Combiner::Sum && size.range_of(ranges).lo().is_none_or(|lo| lo < 1) {
        return Err("the axis may have no elements");
    }
    match form.guard.is_empty() {
        true if combiner == Combiner::Sum => any(form.inside.clone(), Branch::whole(0)),
        true => Ok(form.clone()),
        false if (a > b) == takes_larger => any(form.inside.clone(), form.outside.clone()),
        false if combiner == Combiner::Sum => {
            // Of no elements there is none that is true.
            let some = size.range_of(ranges).lo().is_some_and(|lo| lo >= 1);
            if some { all(form.inside.clone(), form.outside.clone()) } else { Err("the axis may have no elements") }
        }
        false => all(form.inside.clone(), form.outside.clone()),
    }
}

/// Whether each result combines the elements of an axis up to, or from, its own place: the axis is read at a place that
/// moves along with the result, within a guard, and the window is as long as the axis itself.
fn is_running(forms: &Forms<'_>, op: Reduce<'_>, form: &Form) -> bool {
    let (Branch::Element(access), Branch::Whole(_)) = (&form.inside, &form.outside) else { return false };
    let (Some(space), Some(source)) = (forms.space(*op, op.input()), forms.space(*op, access.source)) else {
        return false;
    };
    op.axes().iter().any(|&axis| {
        let moves = |at: &AffineExpr| {
            let others = (0..space.dims.len() as u32).filter(|dim| !op.axes().contains(&i64::from(*dim)));
            at.is_function_of_dim(axis as u32) && others.into_iter().any(|dim| at.is_function_of_dim(dim))
        };
        let whole = |(own, at): (usize, &AffineExpr)| moves(at) && source.sizes[own] == space.sizes[axis as usize];
        form.guard.bounds.iter().any(moves) && access.at.iter().enumerate().any(whole)
    })
}
