//! Forms written as ops: ranges, arithmetic on them, comparisons.

use dlc_core::types::Tensor;
use dlc_ir::affine::{AffineExpr, BinaryOp, Ranges, SizeExpr};
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, Builder, Context, Loc, OpId, Type, ValueId};
use dlc_tiny::ops::{
    Add, And, Cast, Cmp, Const, Expand, Floordiv, Floormod, Max, Min, Mul, Predicate, Range, Reshape, Shrink, Sub,
    Where,
};

use super::count::{Closed, never_negative, terms};
use super::form::{Branch, Form, Guard, integers};
use super::space::Space;

/// Makes the ops of forms over the axes of one value. Each op has only the axes that it depends on, and those after
/// them with size 1, so that they broadcast as they are aligned: at the right.
pub(super) struct Build<'a, 'b> {
    builder: &'a mut Builder<'b>,
    loc: Loc,
    space: &'a Space,
    /// What was made, in order.
    pub made: Vec<OpId>,
    known: Vec<(Key, ValueId)>,
}

/// What is made only once.
#[derive(Clone, PartialEq)]
enum Key {
    Position(u32, Type),
    Size(SizeExpr, Type),
    Constant(Attr),
}

/// A sum by the signs of its terms: `positive - negative + constant`.
struct Signed {
    positive: Vec<(i64, AffineExpr)>,
    negative: Vec<(i64, AffineExpr)>,
    constant: i64,
}

impl<'a, 'b> Build<'a, 'b> {
    pub(super) fn new(builder: &'a mut Builder<'b>, loc: Loc, space: &'a Space) -> Self {
        Build { builder, loc, space, made: Vec::new(), known: Vec::new() }
    }

    fn ctx(&self) -> &'b Context {
        self.builder.ctx
    }

    fn ranges(&self) -> &'a Ranges {
        &self.space.ranges
    }

    fn done(&mut self, op: OpId) -> ValueId {
        self.made.push(op);
        self.builder.result(op)
    }

    /// An op of any kind.
    pub(super) fn op(&mut self, make: impl FnOnce(&mut Builder<'b>, Loc) -> OpId) -> ValueId {
        let op = make(self.builder, self.loc);
        self.done(op)
    }

    /// The sizes of a value.
    pub(super) fn sizes(&self, value: ValueId) -> Option<Vec<SizeExpr>> {
        Some(Tensor::of(self.ctx(), self.builder.body.value_type(value))?.dims(self.ctx()))
    }

    /// The type with the sizes of the space and the elements of a value.
    pub(super) fn with_elements_of(&self, value: ValueId) -> Option<Type> {
        let elem = Tensor::of(self.ctx(), self.builder.body.value_type(value))?.elem(self.ctx());
        Some(Tensor::get(self.ctx(), self.space.sizes.clone(), elem))
    }

    fn once(&mut self, key: Key, make: impl FnOnce(&mut Self) -> Option<ValueId>) -> Option<ValueId> {
        if let Some((_, value)) = self.known.iter().find(|(known, _)| *known == key) {
            return Some(*value);
        }
        let value = make(self)?;
        self.known.push((key, value));
        Some(value)
    }

    /// The value of a form, of the sizes and elements of the space.
    pub(super) fn form(&mut self, form: &Form) -> Option<ValueId> {
        let value = self.elements(form)?;
        self.fitted(value)
    }

    /// The value, with the sizes of the space.
    pub(super) fn fitted(&mut self, value: ValueId) -> Option<ValueId> {
        let own = self.sizes(value)?;
        let sizes = &self.space.sizes;
        if own == *sizes {
            return Some(value);
        }
        let Some(missing) = sizes.len().checked_sub(own.len()) else {
            return Some(self.op(|builder, loc| Reshape::build(builder, loc, value, sizes.clone())));
        };
        let dims = (missing > 0).then(|| (missing as i64..sizes.len() as i64).collect());
        Some(self.op(|builder, loc| Expand::build(builder, loc, value, sizes.clone(), dims)))
    }

    fn elements(&mut self, form: &Form) -> Option<ValueId> {
        let elem = self.space.elem;
        if let Some(branch) = form.as_always() {
            return self.branch(branch);
        }
        match (form.inside.as_constant(), form.outside.as_constant()) {
            (Some(1), Some(0)) if elem == Type::I1 => self.guard(&form.guard),
            (Some(0), Some(1)) if elem == Type::I1 => self.opposite(&form.guard),
            (Some(1), Some(0)) => {
                let guard = self.guard(&form.guard)?;
                Some(self.op(|builder, loc| Cast::build(builder, loc, guard, elem)))
            }
            _ => {
                let guard = self.guard(&form.guard)?;
                let (inside, outside) = (self.branch(&form.inside)?, self.branch(&form.outside)?);
                Some(self.op(|builder, loc| Where::build(builder, loc, guard, inside, outside)))
            }
        }
    }

    fn branch(&mut self, branch: &Branch) -> Option<ValueId> {
        match branch {
            Branch::Whole(closed) => self.whole(closed, self.space.elem),
            Branch::Number(number) => self.constant(*number),
            Branch::Element(_) => None,
        }
    }

    fn constant(&mut self, number: Attr) -> Option<ValueId> {
        self.once(Key::Constant(number), |build| {
            let ty = Tensor::get(build.ctx(), Vec::new(), number.value_type(build.ctx())?);
            Some(build.op(|builder, loc| Const::build(builder, loc, number, ty)))
        })
    }

    fn integer(&mut self, value: i64, elem: Type) -> Option<ValueId> {
        let datum = match elem.float_kind(self.ctx()) {
            Some(_) => Datum::Float(value as f64),
            None => dlc_ir::interp::wrap_int(self.ctx(), value.into(), elem),
        };
        let number = datum.to_attr(self.ctx(), elem)?;
        self.constant(number)
    }

    // Numbers.

    /// A number in a type, in which it counts modulo two to the power of the width, or is exact.
    fn whole(&mut self, closed: &Closed, elem: Type) -> Option<ValueId> {
        if let Some(value) = closed.as_constant() {
            return self.integer(value, elem);
        }
        if elem.float_kind(self.ctx()).is_some() {
            let wide = self.index_type(std::slice::from_ref(closed));
            let value = self.whole(closed, wide)?;
            return self.cast(value, elem);
        }
        match closed {
            Closed::Affine(expr) => self.affine(expr, elem),
            Closed::Sum(a, b) => {
                let (a, b) = (self.whole(a, elem)?, self.whole(b, elem)?);
                Some(self.op(|builder, loc| Add::build(builder, loc, a, b)))
            }
            Closed::Product(a, b) => {
                let (a, b) = (self.whole(a, elem)?, self.whole(b, elem)?);
                Some(self.op(|builder, loc| Mul::build(builder, loc, a, b)))
            }
            Closed::Least { terms, or_zero } => {
                let wide = self.index_type(&terms.iter().cloned().map(Closed::Affine).collect::<Vec<_>>());
                let mut least = None;
                for term in terms {
                    let term = self.affine(term, wide)?;
                    least = Some(match least {
                        None => term,
                        Some(least) => self.op(|builder, loc| Min::build(builder, loc, least, term)),
                    });
                }
                let mut least = least?;
                if *or_zero {
                    let zero = self.integer(0, wide)?;
                    least = self.op(|builder, loc| Max::build(builder, loc, least, zero));
                }
                self.cast(least, elem)
            }
        }
    }

    pub(super) fn cast(&mut self, value: ValueId, elem: Type) -> Option<ValueId> {
        let own = Tensor::of(self.ctx(), self.builder.body.value_type(value))?.elem(self.ctx());
        if own == elem {
            return Some(value);
        }
        Some(self.op(|builder, loc| Cast::build(builder, loc, value, elem)))
    }

    /// The type in which numbers are compared: `i32` where all fit, else `i64`, which holds every position.
    fn index_type(&self, numbers: &[Closed]) -> Type {
        let fits = |closed: &Closed| {
            let (lo, hi) = integers(self.ctx(), Type::I32).unwrap_or_default();
            closed.bounds(self.ranges()).within(lo, hi)
        };
        if numbers.iter().all(fits) { Type::I32 } else { Type::I64 }
    }

    /// A position, in a type that holds it.
    pub(super) fn index(&mut self, expr: &AffineExpr) -> Option<ValueId> {
        let wide = self.index_type(&[Closed::Affine(expr.clone())]);
        self.affine(expr, wide)
    }

    /// An affine number in an integer type, modulo two to the power of its width.
    pub(super) fn affine(&mut self, expr: &AffineExpr, elem: Type) -> Option<ValueId> {
        let sum = signed(expr)?;
        let mut value = self.added(None, &sum.positive, elem)?;
        if value.is_none() && sum.constant == 0 && sum.negative.is_empty() {
            return self.integer(0, elem);
        }
        if sum.constant != 0 || value.is_none() {
            let constant = self.integer(sum.constant, elem)?;
            value = Some(match value {
                None => constant,
                Some(value) => self.op(|builder, loc| Add::build(builder, loc, value, constant)),
            });
        }
        let mut value = value?;
        for (factor, atom) in &sum.negative {
            let term = self.term(*factor, atom, elem)?;
            value = self.op(|builder, loc| Sub::build(builder, loc, value, term));
        }
        Some(value)
    }

    /// Terms added to a value, if there are any of either.
    fn added(&mut self, value: Option<ValueId>, terms: &[(i64, AffineExpr)], elem: Type) -> Option<Option<ValueId>> {
        let mut sum = value;
        for (factor, atom) in terms {
            let term = self.term(*factor, atom, elem)?;
            sum = Some(match sum {
                None => term,
                Some(sum) => self.op(|builder, loc| Add::build(builder, loc, sum, term)),
            });
        }
        Some(sum)
    }

    fn term(&mut self, factor: i64, atom: &AffineExpr, elem: Type) -> Option<ValueId> {
        let value = self.atom(atom, elem)?;
        if factor == 1 {
            return Some(value);
        }
        let factor = self.integer(factor, elem)?;
        Some(self.op(|builder, loc| Mul::build(builder, loc, value, factor)))
    }

    fn atom(&mut self, atom: &AffineExpr, elem: Type) -> Option<ValueId> {
        if let AffineExpr::Dim(axis) = atom {
            return self.position(*axis, elem);
        }
        if atom.is_symbolic_or_constant() {
            return self.size(atom, elem);
        }
        let AffineExpr::Binary(node) = atom else { return None };
        match node.op() {
            BinaryOp::Mul => {
                let (a, b) = (self.affine(node.lhs(), elem)?, self.affine(node.rhs(), elem)?);
                Some(self.op(|builder, loc| Mul::build(builder, loc, a, b)))
            }
            BinaryOp::FloorDiv | BinaryOp::Mod => {
                // Division needs the numbers themselves.
                let parts = [node.lhs().clone(), node.rhs().clone()].map(Closed::Affine);
                let wide = self.index_type(&parts);
                let (a, b) = (self.affine(node.lhs(), wide)?, self.affine(node.rhs(), wide)?);
                let value = match node.op() {
                    BinaryOp::Mod => self.op(|builder, loc| Floormod::build(builder, loc, a, b)),
                    _ => self.op(|builder, loc| Floordiv::build(builder, loc, a, b)),
                };
                self.cast(value, elem)
            }
            BinaryOp::Add => self.affine(atom, elem),
            BinaryOp::CeilDiv => None,
        }
    }

    fn position(&mut self, axis: u32, elem: Type) -> Option<ValueId> {
        self.once(Key::Position(axis, elem), |build| {
            let sizes = &build.space.sizes[axis as usize..];
            let mut own = vec![SizeExpr::from(1); sizes.len()];
            own[0] = sizes[0].clone();
            let ty = Tensor::get(build.ctx(), own, elem);
            Some(build.op(|builder, loc| Range::build(builder, loc, 0, ty)))
        })
    }

    /// A symbolic size as a number: the last position of an axis that is longer by one.
    fn size(&mut self, expr: &AffineExpr, elem: Type) -> Option<ValueId> {
        if !never_negative(expr, self.ranges()) {
            return None;
        }
        let size = self.space.axes.to_size(expr, &|_| None)?;
        self.once(Key::Size(size.clone(), elem), |build| {
            let longer = size.add(&SizeExpr::from(1)).ok()?;
            let ty = Tensor::get(build.ctx(), vec![longer.clone()], elem);
            let positions = build.op(|builder, loc| Range::build(builder, loc, 0, ty));
            Some(build.op(|builder, loc| Shrink::build(builder, loc, positions, vec![size], vec![longer], None)))
        })
    }

    // Guards.

    fn guard(&mut self, guard: &Guard) -> Option<ValueId> {
        let mut all = None;
        let mut bounds = &guard.bounds[..];
        while let Some((first, rest)) = bounds.split_first() {
            // What is at least zero, and its negative too, is zero. A comparison has made them neighbours.
            let equal = rest.first().is_some_and(|next| self.are_opposite(first, next));
            bounds = if equal { &rest[1..] } else { rest };
            let holds = self.compare(first, equal, false)?;
            all = Some(match all {
                None => holds,
                Some(all) => self.op(|builder, loc| And::build(builder, loc, all, holds)),
            });
        }
        all
    }

    fn are_opposite(&self, a: &AffineExpr, b: &AffineExpr) -> bool {
        a.neg().is_ok_and(|negative| negative.simplify_under(self.ranges()) == *b)
    }

    /// Whether a guard does not hold.
    fn opposite(&mut self, guard: &Guard) -> Option<ValueId> {
        match &guard.bounds[..] {
            [bound] => return self.compare(bound, false, true),
            [a, b] if self.are_opposite(a, b) => return self.compare(a, true, true),
            _ => {}
        }
        let holds = self.guard(guard)?;
        let yes = self.integer(1, Type::I1)?;
        Some(self.op(|builder, loc| Cmp::build(builder, loc, holds, yes, Predicate::Ne)))
    }

    /// `expr >= 0`, or `expr == 0`, or the opposite, with the terms that are subtracted on the other side.
    fn compare(&mut self, expr: &AffineExpr, equal: bool, opposite: bool) -> Option<ValueId> {
        let sum = signed(expr)?;
        // negative <= positive + constant, which of whole numbers is negative < positive + constant + 1.
        let (left, right) = (sum.negative, sum.positive);
        let (predicate, left_constant, right_constant) = match (equal, sum.constant) {
            (true, constant) if right.is_empty() || constant < 0 => (Predicate::Eq, constant.checked_neg()?, 0),
            (true, constant) => (Predicate::Eq, 0, constant),
            (false, -1) => (Predicate::Lt, 0, 0),
            (false, constant) if left.is_empty() => (Predicate::Le, constant.checked_neg()?, 0),
            (false, constant) if right.is_empty() || constant > 0 => (Predicate::Le, 0, constant),
            (false, 0) => (Predicate::Le, 0, 0),
            (false, constant) => (Predicate::Lt, constant.checked_add(1)?.checked_neg()?, 0),
        };
        let side = |terms: Vec<(i64, AffineExpr)>, constant: i64| {
            let terms = terms.iter().map(|(factor, atom)| atom.mul(&(*factor).into()));
            let sum = terms.into_iter().try_fold(AffineExpr::Constant(0), |sum, term| sum.add(&term?));
            sum.and_then(|sum| sum.add(&constant.into())).ok()
        };
        let (left, right) = (side(left, left_constant)?, side(right, right_constant)?);
        let predicate = match (predicate, opposite) {
            (predicate, false) => predicate,
            (Predicate::Eq, true) => Predicate::Ne,
            (Predicate::Lt, true) => Predicate::Ge,
            (_, true) => Predicate::Gt,
        };
        // A constant stands on the right.
        let (left, predicate, right) = match (left.as_constant(), predicate) {
            (None, _) => (left, predicate, right),
            (_, Predicate::Lt) => (right, Predicate::Gt, left),
            (_, Predicate::Le) => (right, Predicate::Ge, left),
            (_, Predicate::Gt) => (right, Predicate::Lt, left),
            (_, Predicate::Ge) => (right, Predicate::Le, left),
            (_, predicate) => (right, predicate, left),
        };
        let wide = self.index_type(&[Closed::Affine(left.clone()), Closed::Affine(right.clone())]);
        let (left, right) = (self.affine(&left, wide)?, self.affine(&right, wide)?);
        Some(self.op(|builder, loc| Cmp::build(builder, loc, left, right, predicate)))
    }
}

/// The terms of a sum with their factors, positive ones apart from negative ones.
fn signed(expr: &AffineExpr) -> Option<Signed> {
    let mut sum = Signed { positive: Vec::new(), negative: Vec::new(), constant: 0 };
    for term in terms(expr) {
        if let Some(value) = term.as_constant() {
            sum.constant = sum.constant.checked_add(value)?;
            continue;
        }
        let product =
            term.as_binary(BinaryOp::Mul).and_then(|(atom, factor)| Some((factor.as_constant()?, atom.clone())));
        match product.unwrap_or((1, term)) {
            (0, _) => {}
            (factor, atom) if factor < 0 => sum.negative.push((factor.checked_neg()?, atom)),
            (factor, atom) => sum.positive.push((factor, atom)),
        }
    }
    Some(sum)
}
