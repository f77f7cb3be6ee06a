//! How operands are read: down their views, to a value that stands for itself.

use dlc_core::access::Access;
use dlc_core::bounds::Axes;
use dlc_core::guard::{Condition, Guard};
use dlc_core::space::{Bound, Space};
use dlc_ir::affine::{AffineExpr, BinaryOp, SizeExpr};
use dlc_ir::attrs::AttrData;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassFailed;
use dlc_ir::{Attr, Loc, OpRef, Str, Type, ValueId};
use dlc_tiny::ops::{Const, Reshape, Valid, View, Where};

use super::entries::Lower;
use super::rules::is_same;
use crate::analysis::access::{Access as Chain, Step, are_related, narrow, sides};
use crate::analysis::numbers::is_zero;

/// An operand of an entry.
pub struct Read {
    /// What is read.
    value: ValueId,
    /// How.
    access: Access,
}

impl Read {
    /// The operand and its access.
    pub fn parts(self) -> (ValueId, Access) {
        (self.value, self.access)
    }
}

/// Where an operand ends that was followed down its views.
enum End {
    /// At a value that stands for itself.
    Value(ValueId),
    /// At a number, the same everywhere.
    Number(Attr, Loc, Str),
}

/// An access that cannot be written as one: this value must be an entry first.
struct Blocked(ValueId);

impl Lower<'_> {
    /// Reads an operand. Values that must be entries for that become some.
    pub fn read(&mut self, loc: Loc, space: &mut Space, chain: Chain) -> Result<Read, PassFailed> {
        loop {
            let (first, blocked) = (
                chain.source,
                match self.try_read(space, chain.clone()) {
                    Ok(read) => return Ok(read),
                    Err(Blocked(value)) => value,
                },
            );
            // What is read directly is within the limits, unless the positions that were asked for are not.
            if self.plain(blocked).is_some() && self.plain(first).is_some() {
                return Err(self.too_large(loc));
            }
            self.store(if self.plain(blocked).is_some() { first } else { blocked })?;
        }
    }

    fn try_read(&mut self, space: &mut Space, mut chain: Chain) -> Result<Read, Blocked> {
        let end = self.follow(space, &mut chain, true)?;
        let (dims, mut access) = match end {
            End::Value(value) => (self.sizes(value), self.written(space, &chain, &chain.index)),
            End::Number(..) => (Vec::new(), self.written(space, &chain, &[])),
        };
        // What goes beyond 64 bits might not if the value were an entry.
        if let Some(access) = &mut access
            && end_needs_bounds(access, &dims, space.sizes())
        {
            bound(access, &dims, space.sizes());
        }
        let access = access.ok_or(Blocked(chain.source))?;
        let value = match end {
            End::Value(value) => value,
            End::Number(number, loc, name) => self.number(loc, number, name),
        };
        Ok(Read { value, access })
    }

    /// Goes down the views of an operand as far as they are one affine access; `choices` that pad are views too.
    fn follow(&self, space: &mut Space, chain: &mut Chain, choices: bool) -> Result<End, Blocked> {
        loop {
            if let Some(value) = self.plain(chain.source) {
                return Ok(End::Value(value));
            }
            let Some(op) = self.body.defining_op(chain.source).map(|op| self.op(op)) else {
                return Err(Blocked(chain.source));
            };
            if let Some(number) = splat(op).filter(|_| !self.ref_compat) {
                return Ok(End::Number(number, op.loc(), self.body.value_name(chain.source)));
            }
            if let Some(valid) = Valid::of(op) {
                let mut inside = inside(valid, space, &chain.index).ok_or(Blocked(chain.source))?;
                inside.retain(|bound| !chain.guard.contains(bound));
                // Outside of its bounds it is false.
                if chain.fill.is_some() && !inside.is_empty() {
                    return Err(Blocked(chain.source));
                }
                chain.guard.extend(inside);
                return Ok(End::Number(self.ctx.int_attr(1, Type::I1), op.loc(), Str::EMPTY));
            }
            if self.ref_compat && !is_same(op) {
                return Err(Blocked(chain.source));
            }
            // Not those within others, or following them would take forever.
            if let Some(choice) = Where::of(op).filter(|_| choices) {
                *chain = self.padded(choice, space, chain).ok_or(Blocked(chain.source))?;
                continue;
            }
            match chain.step(self.ctx, self.body, space, &self.shapes) {
                Step::To(next) if is_affine(&next) => *chain = next,
                _ => return Err(Blocked(chain.source)),
            }
        }
    }

    /// Whether an op chooses between elements and one number by nothing but bounds of positions: as a pad does.
    pub fn is_padding(&self, op: OpRef<'_>) -> bool {
        let Some(choice) = Where::of(op).filter(|_| !self.ref_compat) else { return false };
        let sizes = self.sizes(choice.out());
        let of_itself = Chain::of(choice.out(), sizes.len());
        Space::of(&sizes).is_some_and(|mut space| self.padded(choice, &mut space, &of_itself).is_some())
    }

    /// The access to the elements of a choice between them and one number, if bounds of positions choose.
    fn padded(&self, choice: Where<'_>, space: &mut Space, chain: &Chain) -> Option<Chain> {
        let elem = self.elem(choice.out());
        if self.elem(choice.then()) != elem || self.elem(choice.otherwise()) != elem {
            return None;
        }
        let sizes = self.sizes(choice.out());
        let operand = |value: ValueId| chain.to_operand(value, &self.sizes(value), &sizes);
        let mut number = |value: ValueId| {
            let mut chain = Chain { guard: Vec::new(), fill: None, ..operand(value) };
            match self.follow(space, &mut chain, false) {
                Ok(End::Number(number, ..)) => Some((number, chain)),
                _ => None,
            }
        };
        let (yes, inside) = number(choice.condition())?;
        let (fill, outside) = number(choice.otherwise())?;
        if yes.as_bool(self.ctx) != Some(true) || inside.fill.is_some() || !outside.guard.is_empty() {
            return None;
        }
        let fill = (!is_zero(self.ctx, fill)).then_some(fill);
        let mut access = operand(choice.then());
        let added = inside.guard.into_iter().filter(|bound| !chain.guard.contains(bound));
        access.guard.extend(added);
        if access.guard.len() > chain.guard.len() {
            if !chain.guard.is_empty() && chain.fill != fill {
                return None;
            }
            access.fill = fill;
        }
        Some(access)
    }

    /// An access with the names of the axes. `None` beyond 64 bits.
    fn written(&self, space: &Space, chain: &Chain, index: &[AffineExpr]) -> Option<Access> {
        let expr = |expr: &AffineExpr| self.expr(space, expr);
        let condition = |bound: &Bound| Some(Condition::within(expr(&bound.expr)?, expr(&bound.size)?));
        let conditions = necessary(space, &chain.guard).iter().map(condition).collect::<Option<Vec<_>>>()?;
        Some(Access {
            at: index.iter().map(expr).collect::<Option<_>>()?,
            guard: (!conditions.is_empty()).then(|| Guard::all(conditions)),
            fill: chain.fill,
        })
    }

    /// An expression with the names of the axes. `None` beyond 64 bits.
    pub fn expr(&self, space: &Space, expr: &AffineExpr) -> Option<SizeExpr> {
        space.to_size(expr, &|axis| self.axis(axis))
    }

    /// What stands for a value element by element: an entry, if nothing does yet.
    pub fn value(&mut self, value: ValueId) -> Result<ValueId, PassFailed> {
        loop {
            match self.plain(value) {
                Some(plain) => return Ok(plain),
                None => self.store(value)?,
            }
        }
    }

    /// Makes an entry of a value, and of those that must be entries for that.
    fn store(&mut self, value: ValueId) -> Result<(), PassFailed> {
        // Not by recursion: there may be many pads, each within the next.
        let mut wanted = vec![value];
        while let Some(&value) = wanted.last() {
            match self.plain(value) {
                Some(_) => drop(wanted.pop()),
                None => wanted.extend(self.try_store(value)?),
            }
        }
        Ok(())
    }

    /// Makes an entry of a value, or says which value must be one first.
    fn try_store(&mut self, value: ValueId) -> Result<Option<ValueId>, PassFailed> {
        let Some(op) = self.body.defining_op(value) else { return Ok(None) };
        let (loc, ty, sizes) = (self.body.loc(op), self.body.value_type(value), self.sizes(value));
        if let Some(constant) = Const::of(self.op(op)) {
            let elements = constant.value();
            let made = self.constant(loc, elements, ty);
            self.define(value, made);
            return Ok(None);
        }
        let mut space = self.space(loc, &sizes)?;
        let chain = Chain::of(value, sizes.len());
        let step = match self.ref_compat && Valid::of(self.op(op)).is_none() {
            true => self.one_step(&mut space, &chain),
            false => self.try_read(&mut space, chain.clone()),
        };
        let blocked = match step {
            Ok(read) => {
                let made = self.entry(loc, dlc_book::ops::Function::Copy, vec![read], &sizes);
                self.define(value, made);
                return Ok(None);
            }
            Err(Blocked(blocked)) => blocked,
        };
        if blocked != value && self.plain(blocked).is_none() {
            return Ok(Some(blocked));
        }
        // The view itself is no affine access.
        let input = self.op(op).operands().next().expect("a view has what it looks at");
        let Some(plain) = self.plain(input) else { return Ok(Some(input)) };
        let op = self.op(op);
        if Reshape::of(op).is_some() {
            let message = "how the axes of this reshape go together is not known: its elements are copied";
            self.cx.remark(RemarkKind::Missed, loc, message);
            let made = self.reshape(loc, plain, ty);
            self.define(value, made);
            return Ok(None);
        }
        if let Some(view) = View::of(op) {
            let (strides, start) = (view.strides().unwrap_or_default(), view.start().unwrap_or_default());
            let made = self.strided(loc, plain, &strides, start.first(), &sizes)?;
            self.define(value, made);
            return Ok(None);
        }
        if let Some(choice) = Where::of(op) {
            // The bounds that it chooses by became an entry for something else that it reads.
            let operands = [choice.condition(), choice.then(), choice.otherwise()];
            let made = self.map(loc, dlc_book::ops::Function::Where, &operands, &sizes)?;
            self.define(value, made);
            return Ok(None);
        }
        Err(self.too_large(loc))
    }

    /// The access of a view to its operand alone, which must stand for itself.
    fn one_step(&mut self, space: &mut Space, chain: &Chain) -> Result<Read, Blocked> {
        match chain.step(self.ctx, self.body, space, &self.shapes) {
            Step::To(next) if is_affine(&next) => self.try_read(space, next),
            _ => Err(Blocked(chain.source)),
        }
    }
}

/// The bounds that do not follow from others.
fn necessary(space: &Space, guard: &[Bound]) -> Vec<Bound> {
    let mut kept: Vec<Bound> = Vec::new();
    for bound in guard {
        narrow(space, &mut kept, bound.clone());
    }
    let mut place = 0;
    while place < kept.len() {
        let bound = &kept[place];
        let others = || kept.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, other)| other);
        let is_related = others().any(|other| are_related(other, bound));
        if is_related && space.in_bounds(&others().flat_map(sides).collect::<Vec<_>>(), bound) {
            kept.remove(place);
        } else {
            place += 1;
        }
    }
    kept
}

/// The number that every element of a constant is.
fn splat(op: OpRef<'_>) -> Option<Attr> {
    let value = Const::of(op)?.value();
    matches!(op.ctx.attr_data(value), AttrData::Integer { .. } | AttrData::Float { .. }).then_some(value)
}

/// The bounds within which a `valid` is true, without those that always hold.
fn inside(valid: Valid<'_>, space: &mut Space, at: &[AffineExpr]) -> Option<Vec<Bound>> {
    let mut bounds = Vec::new();
    for ((start, stop), at) in valid.start().iter().zip(valid.stop()).zip(at) {
        let (start, stop) = (space.affine(start)?, space.affine(&stop)?);
        let expr = space.simplify(&at.sub(&start).ok()?);
        let bound = Bound { expr, size: space.simplify(&stop.sub(&start).ok()?) };
        if !space.always(&bound) {
            bounds.push(bound);
        }
    }
    Some(bounds)
}

/// Whether all positions are affine: no axis is multiplied or divided by a symbol.
pub fn is_affine(chain: &Chain) -> bool {
    let guards = chain.guard.iter().flat_map(|bound| [&bound.expr, &bound.size]);
    chain.index.iter().chain(guards).all(affine)
}

fn affine(expr: &AffineExpr) -> bool {
    let AffineExpr::Binary(node) = expr else { return true };
    if expr.is_symbolic_or_constant() {
        return true;
    }
    let (lhs, rhs) = (node.lhs(), node.rhs());
    match node.op() {
        BinaryOp::Add => affine(lhs) && affine(rhs),
        BinaryOp::Mul => affine(lhs) && affine(rhs) && (lhs.as_constant().is_some() || rhs.as_constant().is_some()),
        BinaryOp::FloorDiv | BinaryOp::CeilDiv | BinaryOp::Mod => affine(lhs) && rhs.as_constant().is_some(),
    }
}

/// Whether it is not plain to see that all that is read is there.
fn end_needs_bounds(access: &Access, dims: &[SizeExpr], sizes: &[SizeExpr]) -> bool {
    let axis = |at: &SizeExpr| at.as_symbol()?.strip_prefix('i')?.parse::<usize>().ok();
    let known = |(at, dim): (&SizeExpr, &SizeExpr)| match axis(at).and_then(|axis| sizes.get(axis)) {
        Some(size) => size == dim,
        None => matches!((at.as_constant(), dim.as_constant()), (Some(0), Some(1..))),
    };
    !access.at.iter().zip(dims).all(known)
}

/// Adds a guard for each position of which it cannot be shown that it is within what is read. It is: the program says
/// so, or means nothing.
fn bound(access: &mut Access, dims: &[SizeExpr], sizes: &[SizeExpr]) {
    let names = dlc_book::verify::axis_names(sizes.len());
    let mut axes = Axes::new(names.iter().map(String::as_str).collect(), sizes);
    while let Some((at, dim)) = axes.outside(access, dims) {
        let condition = Condition::within(at, dim);
        let guard = access.guard.get_or_insert_with(|| Guard::all(Vec::new()));
        // With the condition in each piece this position is no longer outside.
        if guard.pieces.iter().all(|piece| piece.contains(&condition)) {
            return;
        }
        guard.pieces.iter_mut().for_each(|piece| piece.push(condition.clone()));
    }
}
