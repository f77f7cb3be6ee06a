//! The form of each value, from those of the operands.

use std::cell::RefCell;
use std::rc::Rc;

use dlc_core::broadcast::promote;
use dlc_core::types::Tensor;
use dlc_ir::affine::AffineExpr;
use dlc_ir::{Body, Context, OpRef, Type, ValueId};
use dlc_tiny::ops::{Cast, Cmp, Const, Neg, Pad, Predicate, Range, Reduce, Valid, Where};
use rustc_hash::{FxHashMap, FxHashSet};

use super::arithmetic::{Binary, Numbers};
use super::count::Closed;
use super::form::{Access, Branch, Form, Guard, Match};
use super::reduce;
use super::space::{Space, Symbols};
use crate::analysis::access::is_view;

/// The forms that are known so far.
pub(super) struct Forms<'a> {
    pub ctx: &'a Context,
    pub symbols: Symbols,
    forms: FxHashMap<ValueId, Rc<Form>>,
    /// Views of data without a number around: what they are is worked out when it is asked for, which is seldom.
    views: FxHashSet<ValueId>,
    asked: RefCell<FxHashMap<ValueId, Rc<Form>>>,
}

/// Why a reduction of known elements stays.
pub(super) type Refusal = &'static str;

impl<'a> Forms<'a> {
    pub(super) fn new(ctx: &'a Context, symbols: Symbols) -> Self {
        Forms {
            ctx,
            symbols,
            forms: FxHashMap::default(),
            views: FxHashSet::default(),
            asked: RefCell::new(FxHashMap::default()),
        }
    }

    /// What is known of a value: at least, that it is itself.
    pub(super) fn get(&self, op: OpRef<'_>, value: ValueId) -> Rc<Form> {
        if let Some(form) = self.forms.get(&value) {
            return form.clone();
        }
        if !self.views.contains(&value) {
            return Rc::new(self.itself(op, value));
        }
        let (mut waiting, mut next) = (Vec::new(), value);
        while self.views.contains(&next)
            && !self.asked.borrow().contains_key(&next)
            && let Some(view) = op.body.defining_op(next)
        {
            waiting.push((view, next));
            next = op.body.operand(view, 0);
        }
        for (id, value) in waiting.into_iter().rev() {
            let view = OpRef { id, ..op };
            let form = self.space(view, value).and_then(|space| self.view(view, &space));
            let form = Rc::new(form.unwrap_or_else(|| self.itself(op, value)));
            self.asked.borrow_mut().insert(value, form);
        }
        let form = self.asked.borrow().get(&value).cloned();
        form.unwrap_or_else(|| Rc::new(self.itself(op, value)))
    }

    /// What is known of a value of which nothing is.
    fn itself(&self, op: OpRef<'_>, value: ValueId) -> Form {
        let rank = Tensor::of(self.ctx, op.type_of(value)).map_or(0, |ty| ty.rank(self.ctx));
        let at = (0..rank as u32).map(AffineExpr::Dim).collect();
        Form::always(Branch::Element(Access { source: value, at }))
    }

    /// Whether a value is data alone: at each index an element that is not known.
    pub(super) fn is_data(&self, value: ValueId) -> bool {
        self.forms.get(&value).is_none_or(|form| matches!(form.as_always(), Some(Branch::Element(_))))
    }

    /// The value below the views whose forms wait until they are asked for.
    pub(super) fn below_views(&self, body: &Body, mut value: ValueId) -> ValueId {
        while self.views.contains(&value)
            && let Some(view) = body.defining_op(value)
        {
            value = body.operand(view, 0);
        }
        value
    }

    /// The form of a value, if something is known of it; views of data are not among them.
    pub(super) fn known(&self, value: ValueId) -> Option<&Rc<Form>> {
        self.forms.get(&value)
    }

    pub(super) fn set(&mut self, value: ValueId, form: Form) {
        self.forms.insert(value, Rc::new(form));
    }

    /// The sizes of a value.
    pub(super) fn space(&self, op: OpRef<'_>, value: ValueId) -> Option<Rc<Space>> {
        self.symbols.space(self.ctx, op.type_of(value))
    }

    /// The form of the result of an op; `None` where nothing is known of it.
    ///
    /// Errors: why a reduction is not known that could be.
    pub(super) fn infer(&mut self, op: OpRef<'_>) -> Result<Option<Form>, Refusal> {
        if let Some(reduce) = Reduce::of(op) {
            return reduce::reduce(self, reduce);
        }
        let is_of_data = op.operands().len() == 1 && !self.forms.contains_key(&op.operand(0));
        if is_of_data && op.results().len() == 1 && !op.is(Pad::DEF) {
            if is_view(op) {
                self.views.insert(op.result(0));
                return Ok(None);
            }
            // All else computes another element, except for a cast that does nothing.
            if !op.is(Cast::DEF) || self.elem(op, op.operand(0)) != self.elem(op, op.result(0)) {
                return Ok(None);
            }
        }
        Ok(self.of_op(op))
    }

    fn of_op(&self, op: OpRef<'_>) -> Option<Form> {
        let ctx = self.ctx;
        if op.operands().len() > 3 || op.results().len() != 1 {
            return None;
        }
        if let Some(op) = Const::of(op) {
            return Branch::of_attr(ctx, op.value()).map(Form::always);
        }
        // Most ops compute data from data, and views of data have one operand.
        if op.operands().len() > 1 && op.operands().all(|value| self.is_data(value)) {
            return None;
        }
        let binary = Binary::of(op);
        if binary.is_some_and(|binary| self.makes_data(op, binary)) {
            return None;
        }
        let space = self.space(op, op.result(0))?;
        if let Some(range) = Range::of(op) {
            let axis = u32::try_from(range.axis()).ok()?;
            let position = Closed::Affine(AffineExpr::Dim(axis).simplify_under(&space.ranges));
            // A float holds a position only as far as it is exact.
            return Numbers { ctx, space: &space }.in_type(position).map(Form::always);
        }
        if let Some(valid) = Valid::of(op) {
            let (mut bounds, mut axes) = (Vec::new(), space.axes.clone());
            for (axis, (start, stop)) in valid.start().iter().zip(&valid.stop()).enumerate() {
                let index = AffineExpr::Dim(axis as u32);
                let (start, stop) = (axes.affine(start)?, axes.affine(stop)?);
                bounds.push(index.sub(&start).ok()?);
                bounds.push(stop.sub(&index).ok()?.sub(&1.into()).ok()?);
            }
            let form = Form { guard: Guard::of(bounds), inside: Branch::whole(1), outside: Branch::whole(0) };
            return Some(form.map(&|expr| Some(expr.simplify_under(&space.ranges)))?.settled(&space.ranges));
        }
        if is_view(op) {
            return self.view(op, &space);
        }
        if Cast::of(op).is_some() {
            let (from, form) = self.operand(op, 0, &space)?;
            let own = Numbers { ctx, space: &space };
            return each(&form, &space, |branch| own.convert(branch, from, space.elem));
        }
        if Neg::of(op).is_some() {
            let (_, form) = self.operand(op, 0, &space)?;
            return each(&form, &space, |branch| Numbers { ctx, space: &space }.negative(branch));
        }
        if Where::of(op).is_some() {
            return self.choice(op, &space);
        }
        if let Some(cmp) = Cmp::of(op) {
            return self.comparison(op, cmp.predicate(), &space);
        }
        let binary = binary?;
        let (a, b) = (self.converted(op, 0, space.elem, &space)?, self.converted(op, 1, space.elem, &space)?);
        let own = Numbers { ctx, space: &space };
        both(&a, &b, own.absorbing(binary), &space, &|a, b| own.combine(binary, a, b))
    }

    fn elem(&self, op: OpRef<'_>, value: ValueId) -> Option<Type> {
        Tensor::of(self.ctx, op.type_of(value)).map(|ty| ty.elem(self.ctx))
    }

    /// Whether data is combined with a number that changes it: most arithmetic on floats, known without a look at
    /// where the data is.
    fn makes_data(&self, op: OpRef<'_>, binary: Binary) -> bool {
        let own = self.elem(op, op.result(0));
        let changes = |data: ValueId, number: ValueId| {
            if !self.is_data(data) || self.elem(op, number) != own {
                return false;
            }
            match (binary, self.forms.get(&number).and_then(|form| form.as_always())) {
                (Binary::Mul, Some(Branch::Number(_))) => true,
                (Binary::Mul, Some(whole @ Branch::Whole(_))) => !matches!(whole.as_constant(), Some(0 | 1)),
                (Binary::Add, Some(_)) => own.is_some_and(|own| own.float_kind(self.ctx).is_some()),
                _ => false,
            }
        };
        let (a, b) = (op.operand(0), op.operand(1));
        changes(a, b) || changes(b, a)
    }

    /// The form of an operand over the indices of the result, which has the sizes that all operands have together. And
    /// the type of its elements.
    fn operand(&self, op: OpRef<'_>, index: usize, space: &Space) -> Option<(Type, Form)> {
        let value = op.operand(index);
        let own = self.space(op, value)?;
        let offset = space.dims.len().checked_sub(own.dims.len())?;
        let at: Vec<AffineExpr> = (0..own.dims.len())
            .map(|axis| match own.sizes[axis].as_constant() == Some(1) {
                true => AffineExpr::Constant(0),
                false => AffineExpr::Dim((axis + offset) as u32),
            })
            .collect();
        Some((own.elem, self.get(op, value).at(&at, &space.ranges)?))
    }

    /// The form of an operand in another type.
    fn converted(&self, op: OpRef<'_>, index: usize, elem: Type, space: &Space) -> Option<Form> {
        let (from, form) = self.operand(op, index, space)?;
        each(&form, space, |branch| Numbers { ctx: self.ctx, space }.convert(branch, from, elem))
    }

    /// `where`: the guard of the condition, and the branches that it chooses.
    fn choice(&self, op: OpRef<'_>, space: &Space) -> Option<Form> {
        let (_, condition) = self.operand(op, 0, space)?;
        let mut sides = Vec::with_capacity(2);
        for index in [1, 2] {
            sides.push(self.converted(op, index, space.elem, space)?);
        }
        let side = |branch: &Branch| Some(&sides[usize::from(branch.as_constant()? == 0)]);
        if let Some(always) = condition.as_always() {
            return side(always).cloned();
        }
        let (inside, outside) = (side(&condition.inside)?, side(&condition.outside)?);
        let outside = outside.as_always()?.clone();
        let (guard, inside) = match inside.as_always() {
            Some(inside) => (condition.guard.clone(), inside.clone()),
            // A choice inside a choice with the same element outside of both.
            None if inside.outside == outside => (condition.guard.and(&inside.guard)?, inside.inside.clone()),
            None => return None,
        };
        Some(Form { guard, inside, outside }.settled(&space.ranges))
    }

    fn comparison(&self, op: OpRef<'_>, predicate: Predicate, space: &Space) -> Option<Form> {
        let ((from_a, a), (from_b, b)) = (self.operand(op, 0, space)?, self.operand(op, 1, space)?);
        let common = promote(self.ctx, from_a, from_b).ok()?;
        if let (Some(a), Some(b)) = (a.as_always(), b.as_always())
            && let Some(form) = self.compared(predicate, (a, from_a), (b, from_b), common, space)
        {
            return Some(form);
        }
        let own = Numbers { ctx: self.ctx, space };
        let a = each(&a, space, |branch| own.convert(branch, from_a, common))?;
        let b = each(&b, space, |branch| own.convert(branch, from_b, common))?;
        both(&a, &b, None, space, &|a, b| {
            // What has wrapped around compares as another number.
            let number =
                |branch: &Branch| branch.as_constant().filter(|&value| own.is_exact(&Closed::constant(value), common));
            let order = number(a)?.cmp(&number(b)?);
            Some(Branch::whole(i64::from(match predicate {
                Predicate::Eq => order.is_eq(),
                Predicate::Ne => order.is_ne(),
                Predicate::Lt => order.is_lt(),
                Predicate::Le => order.is_le(),
                Predicate::Gt => order.is_gt(),
                Predicate::Ge => order.is_ge(),
            })))
        })
    }

    /// Two affine numbers compared, or an element with one.
    fn compared(
        &self,
        predicate: Predicate,
        (a, from_a): (&Branch, Type),
        (b, from_b): (&Branch, Type),
        common: Type,
        space: &Space,
    ) -> Option<Form> {
        let (yes, no) = (Branch::whole(1), Branch::whole(0));
        let (equal, other) = if predicate == Predicate::Ne { (&no, &yes) } else { (&yes, &no) };
        let is_equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
        let own = Numbers { ctx: self.ctx, space };
        let affine = |branch: &Branch, from: Type| match branch {
            Branch::Whole(closed) if own.is_exact(closed, from) && own.is_exact(closed, common) => {
                closed.as_affine().cloned()
            }
            _ => None,
        };
        let form = |guard: Guard, inside: &Branch, outside: &Branch| {
            let form = Form { guard, inside: inside.clone(), outside: outside.clone() };
            Some(form.map(&|expr| Some(expr.simplify_under(&space.ranges)))?.settled(&space.ranges))
        };
        let (element, number, from) = match (a, b) {
            (Branch::Whole(_), Branch::Whole(_)) => {
                let (a, b) = (affine(a, from_a)?, affine(b, from_b)?);
                let (a_less, b_less) = (b.sub(&a).ok()?, a.sub(&b).ok()?);
                let strict = |gap: AffineExpr| Some(vec![gap.sub(&1.into()).ok()?]);
                let bounds = match predicate {
                    Predicate::Eq | Predicate::Ne => vec![a_less, b_less],
                    Predicate::Lt => strict(a_less)?,
                    Predicate::Le => vec![a_less],
                    Predicate::Gt => strict(b_less)?,
                    Predicate::Ge => vec![b_less],
                };
                return form(Guard::of(bounds), equal, other);
            }
            (Branch::Element(element), Branch::Whole(_)) => (element, affine(b, from_b)?, from_a),
            (Branch::Whole(_), Branch::Element(element)) => (element, affine(a, from_a)?, from_b),
            _ => return None,
        };
        let as_integers = from.is_integer(self.ctx) && common.is_integer(self.ctx) && from != Type::I1;
        if !is_equality || !as_integers {
            return None;
        }
        form(
            Guard { bounds: Vec::new(), matched: Some(Match { element: element.clone(), equals: number }) },
            equal,
            other,
        )
    }

    /// A view of what is known, or of data.
    fn view(&self, op: OpRef<'_>, space: &Space) -> Option<Form> {
        let view = self.symbols.view(op, space)?;
        let form = self.get(op, view.source).at(&view.at, &space.ranges)?;
        if view.bounds.is_empty() {
            return Some(form);
        }
        let outside = match view.outside {
            Some(value) => Branch::of_attr(self.ctx, value)?,
            None => Branch::whole(0),
        };
        let guard = match form.as_always() {
            Some(_) => Guard::of(view.bounds),
            None if form.outside == outside => Guard::of(view.bounds).and(&form.guard)?,
            None => return None,
        };
        Some(Form { guard, inside: form.inside, outside }.settled(&space.ranges))
    }
}

/// A form with both branches changed.
pub(super) fn each(form: &Form, space: &Space, f: impl Fn(&Branch) -> Option<Branch>) -> Option<Form> {
    if let Some(branch) = form.as_always() {
        return f(branch).map(Form::always);
    }
    let (inside, outside) = (f(&form.inside)?, f(&form.outside)?);
    Some(Form { guard: form.guard.clone(), inside, outside }.settled(&space.ranges))
}

/// Two forms combined: where one of them has no guard, where the guards are equal, and where outside of both guards
/// there is a number that the operation gives whatever the other side is.
fn both(
    a: &Form,
    b: &Form,
    absorbing: Option<i64>,
    space: &Space,
    f: &dyn Fn(&Branch, &Branch) -> Option<Branch>,
) -> Option<Form> {
    if let Some(b) = b.as_always() {
        return each(a, space, |a| f(a, b));
    }
    if let Some(a) = a.as_always() {
        return each(b, space, |b| f(a, b));
    }
    let inside = f(&a.inside, &b.inside)?;
    if a.guard == b.guard {
        let outside = f(&a.outside, &b.outside)?;
        return Some(Form { guard: a.guard.clone(), inside, outside }.settled(&space.ranges));
    }
    let absorbs = absorbing.is_some() && [a, b].iter().all(|form| form.outside.as_constant() == absorbing);
    if !absorbs {
        return None;
    }
    let guard = a.guard.and(&b.guard)?;
    Some(Form { guard, inside, outside: a.outside.clone() }.settled(&space.ranges))
}
