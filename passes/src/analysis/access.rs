//! Where the elements of a tensor are found, seen through views.
//!
//! An [`Access`] says that the element of a tensor at `d0, d1, ..` is that of another tensor, its *source*, at indices
//! that are affine in `d0, d1, ..` (`floordiv` and `mod` included). Where a pad has put a number around, that holds
//! only within a *guard*; outside of it the element is that number.
//!
//! It begins at a value, whose elements are its own ([`Access::of`]), and goes down one view at a time
//! ([`Access::step`]): the indices of the operand are those of the result, put into what the view does. The dimensions
//! are all along the axes of the value that it began with, the [`Space`]. So any number of views is one access:
//!
//! ```text
//! %a = expand %x to [4, 17] dims [1]        d0 in [0, 3), d1 in [0, 8):
//! %b = reshape %a to [68]                   %x at (d0*18 + d1*2) mod 17, which is d0 + d1*2
//! %c = shrink %b from [0] to [54]
//! %d = reshape %c to [3, 18]
//! %e = shrink %d from [0, 0] to [3, 16] step [1, 2]
//! ```
//!
//! A reshape pairs axes of equal size first and linearizes only what is between them, so that most indices stay single
//! dimensions; quotients and remainders are then decided by the ranges of the dimensions (`dlc_ir::affine`). Where a
//! step cannot be expressed, the access ends there, and its source is the value before it. Linear in the number of
//! views, for ranks that are small.

use std::cell::RefCell;
use std::rc::Rc;

use dlc_core::space::{Bound, Space};
use dlc_core::types::Tensor;
use dlc_ir::affine::{AffineExpr, SizeExpr, parse_expr};
use dlc_ir::{Attr, Body, Context, OpRef, Type, ValueId};
use dlc_tiny::ops::{Expand, Flip, Load, Pad, Permute, Reshape, Shrink, View};
use dlc_tiny::shape::index_of;
use rustc_hash::FxHashMap;

use super::numbers::is_zero;

/// The sizes of types, each read once.
#[derive(Default)]
pub struct Shapes(RefCell<FxHashMap<Type, Rc<[SizeExpr]>>>);

impl Shapes {
    /// The sizes of a tensor; none for another type.
    pub fn of(&self, ctx: &Context, ty: Type) -> Rc<[SizeExpr]> {
        let read = || Tensor::of(ctx, ty).map(|ty| ty.dims(ctx)).unwrap_or_default().into();
        Rc::clone(self.0.borrow_mut().entry(ty).or_insert_with(read))
    }
}

/// Where the elements of a value are found. The value itself is not in it: it is what the access began with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The tensor that they are elements of.
    pub source: ValueId,
    /// For each axis of the source, the position on it.
    pub index: Vec<AffineExpr>,
    /// The bounds within which the source is read. Where one does not hold, its index may not exist.
    pub guard: Vec<Bound>,
    /// The number outside of the guard, of the type of the elements; `None` for zero.
    pub fill: Option<Attr>,
}

/// What is below the source of an access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A view: this is the access to its operand.
    To(Access),
    /// No view.
    Source,
    /// A view that cannot be expressed, and why.
    Unknown(&'static str),
}

const TOO_LARGE: &str = "the indices go beyond 64 bits";

impl Access {
    /// The access of a value of some rank to itself.
    pub fn of(value: ValueId, rank: usize) -> Access {
        let index = (0..rank).map(|axis| AffineExpr::Dim(axis as u32)).collect();
        Access { source: value, index, guard: Vec::new(), fill: None }
    }

    /// The access to another tensor in place of the source: an operand whose elements become those of the source one
    /// by one, broadcast to the sizes of the source.
    #[must_use]
    pub fn to_operand(&self, operand: ValueId, own: &[SizeExpr], sizes: &[SizeExpr]) -> Access {
        let skipped = sizes.len().saturating_sub(own.len());
        let paired = own.iter().zip(sizes[skipped..].iter().zip(&self.index[skipped..]));
        let index = paired.map(|(own, (size, at))| repeated(own, size, at)).collect();
        Access { source: operand, index, guard: self.guard.clone(), fill: self.fill }
    }

    /// The same access with other expressions in place of the dimensions, over the axes of another space.
    pub fn substitute(&self, space: &Space, dims: &[AffineExpr]) -> Option<Access> {
        let symbols: Vec<AffineExpr> = (0..space.symbols().len()).map(|at| AffineExpr::Symbol(at as u32)).collect();
        let put = |expr: &AffineExpr| Some(space.simplify(&expr.substitute(dims, &symbols).ok()?));
        let bound = |bound: &Bound| Some(Bound { expr: put(&bound.expr)?, size: put(&bound.size)? });
        Some(Access {
            index: self.index.iter().map(put).collect::<Option<_>>()?,
            guard: self.guard.iter().map(bound).collect::<Option<_>>()?,
            source: self.source,
            fill: self.fill,
        })
    }

    /// Goes through the view that gives the source, if it is one.
    pub fn step(&self, ctx: &Context, body: &Body, space: &mut Space, shapes: &Shapes) -> Step {
        let Some(op) = body.defining_op(self.source).map(|op| OpRef::new(ctx, body, op)) else { return Step::Source };
        if op.operands().len() != 1 {
            return Step::Source;
        }
        let input = op.operand(0);
        let (own, from) = (shapes.of(ctx, op.type_of(self.source)), shapes.of(ctx, op.type_of(input)));
        let to = |index: Option<Vec<AffineExpr>>| match index {
            Some(index) => Step::To(Access { source: input, index, guard: self.guard.clone(), fill: self.fill }),
            None => Step::Unknown(TOO_LARGE),
        };
        let at = &self.index;
        if Reshape::of(op).is_some() {
            return match reshape(space, &from, &own, at) {
                Some(index) => to(Some(index)),
                None => Step::Unknown("how the axes of a reshape go together is not known"),
            };
        }
        if let Some(permute) = Permute::of(op) {
            let mut index = vec![AffineExpr::Constant(0); at.len()];
            permute.order().iter().zip(at).for_each(|(&axis, at)| index[axis as usize] = at.clone());
            return to(Some(index));
        }
        if let Some(expand) = Expand::of(op) {
            let places = expand.dims().unwrap_or_else(|| (0..own.len() as i64).collect());
            let axis = |(from, &place): (&SizeExpr, &i64)| repeated(from, &own[place as usize], &at[place as usize]);
            return to(Some(from.iter().zip(&places).map(axis).collect()));
        }
        if let Some(pad) = Pad::of(op) {
            return self.pad(space, pad, &from);
        }
        if let Some(shrink) = Shrink::of(op) {
            let (start, step) = (shrink.start(), shrink.step());
            let axis = |(axis, at): (usize, &AffineExpr)| {
                let step = step.as_ref().map_or(1, |step| step[axis]);
                let start = space.affine(&start[axis])?;
                Some(space.simplify(&at.mul(&step.into()).ok()?.add(&start).ok()?))
            };
            return to(at.iter().enumerate().map(axis).collect());
        }
        if let Some(flip) = Flip::of(op) {
            let axes = flip.axes();
            let axis = |(axis, at): (usize, &AffineExpr)| match axes.contains(&(axis as i64)) {
                true => {
                    let last = space.affine(&from[axis])?.sub(&1.into()).ok()?;
                    Some(space.simplify(&last.sub(at).ok()?))
                }
                false => Some(at.clone()),
            };
            return to(at.iter().enumerate().map(axis).collect());
        }
        if let Some(view) = View::of(op) {
            let (Some(strides), Some(start)) = (view.strides(), view.start()) else { return to(Some(at.clone())) };
            let first = start.first().and_then(|start| space.affine(start));
            let linear = first.and_then(|first| linearize(space, first, &strides, at));
            return to(linear.and_then(|linear| delinearize(space, &linear, &from)));
        }
        if let Some(load) = Load::of(op) {
            let Some(indices) = load.at() else { return to(Some(at.clone())) };
            return to(indices.iter().map(|index| loaded(space, index, at)).collect());
        }
        Step::Source
    }

    fn pad(&self, space: &mut Space, pad: Pad<'_>, from: &[SizeExpr]) -> Step {
        let ctx = pad.ctx;
        let fill = pad.value().filter(|&value| !is_zero(ctx, value));
        let (low, high) = (pad.low(), pad.high());
        let mut access = Access { source: pad.input(), ..self.clone() };
        let mut is_narrower = false;
        for (axis, at) in access.index.iter_mut().enumerate() {
            let none = |size: &SizeExpr| size.as_constant() == Some(0);
            if none(&low[axis]) && none(&high[axis]) {
                continue;
            }
            let (Some(low), Some(size)) = (space.affine(&low[axis]), space.affine(&from[axis])) else {
                return Step::Unknown(TOO_LARGE);
            };
            let Ok(moved) = at.sub(&low) else { return Step::Unknown(TOO_LARGE) };
            *at = space.simplify(&moved);
            let bound = Bound { expr: at.clone(), size };
            is_narrower |= !space.always(&bound) && narrow(space, &mut access.guard, bound);
        }
        if !self.guard.is_empty() && is_narrower && fill != self.fill {
            return Step::Unknown("two pads put different numbers around");
        }
        if is_narrower {
            access.fill = fill;
        }
        Step::To(access)
    }
}

/// Adds a bound to others, unless it follows from one of them, and without those that follow from it. Whether it was added.
///
/// Pads of pads bound one position again and again, and there all bounds follow from one: kept, they would be many, and too
/// many to be looked at together.
pub fn narrow(space: &Space, guard: &mut Vec<Bound>, bound: Bound) -> bool {
    if guard.iter().any(|other| follows(space, &bound, other)) {
        return false;
    }
    guard.retain(|other| !follows(space, other, &bound));
    guard.push(bound);
    true
}

/// Whether a bound holds wherever another one does.
fn follows(space: &Space, bound: &Bound, from: &Bound) -> bool {
    bound == from || are_related(bound, from) && space.in_bounds(&sides(from).collect::<Vec<_>>(), bound)
}

/// What is not negative where a bound holds.
pub fn sides(bound: &Bound) -> impl Iterator<Item = AffineExpr> {
    let room = bound.size.sub(&bound.expr).and_then(|room| room.sub(&1.into()));
    [Some(bound.expr.clone()), room.ok()].into_iter().flatten()
}

/// Whether bounds have a dimension in common. Otherwise they do not follow from each other.
pub fn are_related(one: &Bound, other: &Bound) -> bool {
    dims(&one.expr) & dims(&other.expr) != 0
}

/// The dimensions that occur, one bit for each; those from the 64th on share one.
fn dims(expr: &AffineExpr) -> u64 {
    match expr {
        AffineExpr::Dim(dim) => 1 << (*dim).min(63),
        AffineExpr::Binary(node) => dims(node.lhs()) | dims(node.rhs()),
        _ => 0,
    }
}

/// Whether an op is a view: its elements are those of its only operand, or the number that a pad puts around them.
pub fn is_view(op: OpRef<'_>) -> bool {
    let views = [Reshape::DEF, Permute::DEF, Expand::DEF, Pad::DEF, Shrink::DEF, Flip::DEF, View::DEF, Load::DEF];
    views.into_iter().any(|def| op.is(def))
}

/// The position on an axis that is repeated if it has size 1 and the result has not.
fn repeated(own: &SizeExpr, size: &SizeExpr, at: &AffineExpr) -> AffineExpr {
    if own != size && own.as_constant() == Some(1) { AffineExpr::Constant(0) } else { at.clone() }
}

/// An index of a `load`, whose `i0, i1, ..` are the positions on the axes of the result.
fn loaded(space: &mut Space, index: &SizeExpr, at: &[AffineExpr]) -> Option<AffineExpr> {
    if let Some(axis) = index.as_symbol().and_then(index_of).filter(|&axis| axis < at.len()) {
        return Some(at[axis].clone());
    }
    let is_index = |name: &str| index_of(name).is_some_and(|axis| axis < at.len());
    let symbols = index.symbols();
    symbols.iter().filter(|name| !is_index(name)).for_each(|name| drop(space.symbol(name)));
    let dims: Vec<String> = (0..at.len()).map(|axis| format!("i{axis}")).collect();
    let dims: Vec<&str> = dims.iter().map(String::as_str).collect();
    let names: Vec<&str> = space.symbols().iter().map(|name| &**name).filter(|name| !is_index(name)).collect();
    let places: Vec<AffineExpr> = (space.symbols().iter().enumerate())
        .filter(|(_, name)| !is_index(name))
        .map(|(place, _)| AffineExpr::Symbol(place as u32))
        .collect();
    let read = parse_expr(&index.to_string(), &dims, &names).ok()?;
    Some(space.simplify(&read.substitute(at, &places).ok()?))
}

/// The positions on the axes `from` of an operand that a reshape gives the axes `to`.
fn reshape(space: &mut Space, from: &[SizeExpr], to: &[SizeExpr], at: &[AffineExpr]) -> Option<Vec<AffineExpr>> {
    let one = |size: &SizeExpr| size.as_constant() == Some(1);
    let mut index = Vec::with_capacity(from.len());
    let (mut i, mut j) = (0, 0);
    // What stands before both places has as many elements on either side.
    loop {
        match (from.get(i), to.get(j)) {
            (None, None) => return Some(index),
            (Some(own), Some(size)) if own == size => {
                index.push(at[j].clone());
                (i, j) = (i + 1, j + 1);
            }
            (Some(own), _) if one(own) => {
                index.push(AffineExpr::Constant(0));
                i += 1;
            }
            (_, Some(size)) if one(size) => j += 1,
            (Some(_), Some(_)) => {
                let (end_i, end_j) = group(&from[i..], &to[j..])?;
                let linear =
                    linearize(space, AffineExpr::Constant(0), &strides(&to[j..j + end_j])?, &at[j..j + end_j])?;
                index.extend(delinearize(space, &linear, &from[i..i + end_i])?);
                (i, j) = (i + end_i, j + end_j);
            }
            _ => return None,
        }
    }
}

/// The lengths of the shortest beginnings of both lists that have equal products.
fn group(from: &[SizeExpr], to: &[SizeExpr]) -> Option<(usize, usize)> {
    let (mut own, mut other) = (from[0].clone(), to[0].clone());
    let (mut i, mut j) = (1, 1);
    while own != other {
        // The smaller one takes the next axis; of symbolic ones, that which divides the other.
        let first = match (own.as_constant(), other.as_constant()) {
            (Some(own), Some(other)) => own < other,
            _ if other.try_div(&own).is_some() => true,
            _ if own.try_div(&other).is_some() => false,
            _ => i < from.len(),
        };
        if first {
            own = own.mul(from.get(i)?).ok()?;
            i += 1;
        } else {
            other = other.mul(to.get(j)?).ok()?;
            j += 1;
        }
    }
    Some((i, j))
}

/// How many elements lie between neighbours on each axis, in row-major order.
fn strides(sizes: &[SizeExpr]) -> Option<Vec<SizeExpr>> {
    let mut strides = vec![SizeExpr::from(1); sizes.len()];
    for axis in (1..sizes.len()).rev() {
        strides[axis - 1] = strides[axis].mul(&sizes[axis]).ok()?;
    }
    Some(strides)
}

/// `start + at[0] * strides[0] + ..`
fn linearize(space: &mut Space, start: AffineExpr, strides: &[SizeExpr], at: &[AffineExpr]) -> Option<AffineExpr> {
    let mut sum = start;
    for (at, stride) in at.iter().zip(strides) {
        sum = sum.add(&at.mul(&space.affine(stride)?).ok()?).ok()?;
    }
    Some(space.simplify(&sum))
}

/// The positions on axes of an element that is counted in row-major order.
fn delinearize(space: &mut Space, linear: &AffineExpr, sizes: &[SizeExpr]) -> Option<Vec<AffineExpr>> {
    if let [size] = sizes
        && size.as_constant() != Some(0)
    {
        return Some(vec![linear.clone()]);
    }
    let mut index = Vec::with_capacity(sizes.len());
    for (axis, (size, stride)) in sizes.iter().zip(strides(sizes)?).enumerate() {
        // Without elements there is nothing to find.
        if stride.as_constant() == Some(0) || size.as_constant() == Some(0) {
            index.push(AffineExpr::Constant(0));
            continue;
        }
        let mut at = linear.floordiv(&space.affine(&stride)?).ok()?;
        if axis > 0 {
            at = at.modulo(&space.affine(size)?).ok()?;
        }
        index.push(space.simplify(&at));
    }
    Some(index)
}
