//! Builds what a loop is.

use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::body::{Body, InsertPoint, OpParts, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::{Context, Loc, OpId, Type, ValueId, float};
use dlc_tiny::ops::{
    Add, Cast, Const, Contract, Expand, Flip, Mul, Neg, NewContract, NewScan, Pad, Permute, Reduce, Reshape,
    ScanCombiner, Shrink, is_elementwise,
};
use rustc_hash::FxHashMap;

use super::plan::{Before, List, Lists, dims};
use crate::rewrites::unused::erase_unused;

/// What was built for the loops so far.
#[derive(Default)]
pub struct Built {
    lists: FxHashMap<usize, ValueId>,
    /// What stands for the results and states of loops, which other lists may name.
    replaced: FxHashMap<ValueId, ValueId>,
    /// Ops that may be left over. They are erased in the end: lists name them.
    gone: Vec<OpId>,
}

impl Built {
    /// Erases what is left over of the loops.
    pub fn finish(self, ctx: &Context, body: &mut Body) {
        erase_unused(ctx, body, self.gone);
    }
}

/// Replaces the additions that put the parts of a loop together with its list, along an axis.
pub fn build(
    ctx: &Context,
    body: &mut Body,
    lists: &Lists,
    (list, axis, end): (usize, usize, OpId),
    built: &mut Built,
) {
    let loc = body.loc(end);
    let old = body.result(end, 0);
    let out = dims(ctx, body, old);
    let steps = lists.all[list].1.len() as i64;
    let builder = Builder::new(ctx, body, InsertPoint::Before(end));
    let mut make = ListBuilder { builder, lists, loc, steps, end, built };
    let value = make.whole(list);
    let rank = make.dims(value).len() as i64;
    // The steps come first, and belong before the axis.
    let axis = axis as i64;
    let value = make.permuted(value, (1..=axis).chain([0]).chain(axis + 1..rank).collect());
    let value = make.reshaped(value, out);
    body.replace_all_uses(old, value);
    built.replaced.insert(old, value);
    built.gone.push(end);
}

struct ListBuilder<'a, 'b> {
    builder: Builder<'a>,
    lists: &'b Lists,
    loc: Loc,
    steps: i64,
    /// Before this all is built.
    end: OpId,
    built: &'b mut Built,
}

impl ListBuilder<'_, '_> {
    fn dims(&self, value: ValueId) -> Vec<SizeExpr> {
        dims(self.builder.ctx, self.builder.body, value)
    }

    fn elem(&self, value: ValueId) -> Type {
        Tensor::expect(self.builder.ctx, self.builder.body.value_type(value)).elem(self.builder.ctx)
    }

    fn steps(&self) -> SizeExpr {
        SizeExpr::from(self.steps)
    }

    fn reshaped(&mut self, value: ValueId, shape: Vec<SizeExpr>) -> ValueId {
        if self.dims(value) == shape {
            return value;
        }
        let op = Reshape::build(&mut self.builder, self.loc, value, shape);
        self.builder.result(op)
    }

    fn permuted(&mut self, value: ValueId, order: Vec<i64>) -> ValueId {
        if order.is_sorted() {
            return value;
        }
        let op = Permute::build(&mut self.builder, self.loc, value, order);
        self.builder.result(op)
    }

    fn expanded(&mut self, value: ValueId, shape: Vec<SizeExpr>) -> ValueId {
        if self.dims(value) == shape {
            return value;
        }
        let op = Expand::build(&mut self.builder, self.loc, value, shape, None);
        self.builder.result(op)
    }

    /// With sizes of one after the first `keep`, as many sizes as `rank`: the last ones stay the last.
    fn aligned(&mut self, value: ValueId, keep: usize, rank: usize) -> ValueId {
        let mut shape = self.dims(value);
        let missing = rank.saturating_sub(shape.len());
        shape.splice(keep..keep, vec![SizeExpr::from(1); missing]);
        self.reshaped(value, shape)
    }

    /// A list with an axis of its steps, which is the first.
    fn whole(&mut self, list: usize) -> ValueId {
        let value = self.value(list);
        if !self.is_one(list) {
            return value;
        }
        let mut shape = self.dims(value);
        shape.insert(0, SizeExpr::from(1));
        let value = self.reshaped(value, shape.clone());
        shape[0] = self.steps();
        self.expanded(value, shape)
    }

    /// Whether the value of a list has no axis of its steps.
    fn is_one(&self, list: usize) -> bool {
        matches!(self.lists.all[list].0, List::Same(_) | List::One(_))
    }

    /// What stands for a value of the program now.
    fn current(&self, value: ValueId) -> ValueId {
        self.built.replaced.get(&value).copied().unwrap_or(value)
    }

    /// The value of a list; without the axis of its steps if all are the same.
    fn value(&mut self, list: usize) -> ValueId {
        if let Some(&value) = self.built.lists.get(&list) {
            return value;
        }
        let lists = self.lists;
        let value = match &lists.all[list].0 {
            List::Same(value) => self.current(*value),
            List::One(elem) => self.one(*elem),
            List::Parts { source, axis, start, extent, backwards } => {
                self.parts(self.current(*source), (*axis, start), *extent, *backwards)
            }
            List::Op { first, operands } => self.op(*first, operands),
            List::Negative(of) => {
                let value = self.whole(*of);
                let value = self.wide(value);
                let op = Neg::build(&mut self.builder, self.loc, value);
                self.builder.result(op)
            }
            List::Reversed(of) => {
                let value = self.whole(*of);
                let op = Flip::build(&mut self.builder, self.loc, value, vec![0]);
                self.builder.result(op)
            }
            List::Sum(lhs, rhs) => {
                let (lhs, rhs) = self.both(*lhs, *rhs);
                let op = Add::build(&mut self.builder, self.loc, lhs, rhs);
                self.builder.result(op)
            }
            List::Product(lhs, rhs) => {
                let (lhs, rhs) = self.both(*lhs, *rhs);
                let op = Mul::build(&mut self.builder, self.loc, lhs, rhs);
                self.builder.result(op)
            }
            List::Scan { factor, added, before } => self.scan(list, (*factor, *added), *before),
        };
        self.built.lists.insert(list, value);
        value
    }

    fn one(&mut self, elem: Type) -> ValueId {
        let ctx = self.builder.ctx;
        let kind = elem.float_kind(ctx).expect("the states of a recurrence are floats");
        let value = ctx.attr(AttrData::Float { ty: elem, bits: float::encode(1.0, kind) });
        let op = Const::build(&mut self.builder, self.loc, value, Tensor::get(ctx, Vec::new(), elem));
        self.builder.result(op)
    }

    fn parts(&mut self, source: ValueId, (axis, start): (usize, &SizeExpr), extent: i64, backwards: bool) -> ValueId {
        let shape = self.dims(source);
        let mut from = vec![SizeExpr::from(0); shape.len()];
        let mut to = shape.clone();
        (from[axis], to[axis]) = (start.clone(), sum(start, &SizeExpr::from(self.steps * extent)));
        let value = if from[axis] == SizeExpr::from(0) && to == shape {
            source
        } else {
            let op = Shrink::build(&mut self.builder, self.loc, source, from, to, None);
            self.builder.result(op)
        };
        let mut split = shape;
        split.splice(axis..=axis, [self.steps(), SizeExpr::from(extent)]);
        let mut value = self.reshaped(value, split.clone());
        if backwards {
            let op = Flip::build(&mut self.builder, self.loc, value, vec![axis as i64]);
            value = self.builder.result(op);
        }
        let order = [axis].into_iter().chain((0..split.len()).filter(|&at| at != axis));
        let order = order.map(|at| at as i64).collect();
        self.permuted(value, order)
    }

    /// Two lists as operands of an op.
    fn both(&mut self, lhs: usize, rhs: usize) -> (ValueId, ValueId) {
        let (lhs, rhs) = (self.whole(lhs), self.whole(rhs));
        let (lhs, rhs) = (self.wide(lhs), self.wide(rhs));
        let rank = self.dims(lhs).len().max(self.dims(rhs).len());
        (self.aligned(lhs, 1, rank), self.aligned(rhs, 1, rank))
    }

    /// The op of all steps.
    fn op(&mut self, first: OpId, operands: &[usize]) -> ValueId {
        let ctx = self.builder.ctx;
        let is_contract = OpRef::new(ctx, self.builder.body, first).is(Contract::DEF);
        let elementwise = is_elementwise(OpRef::new(ctx, self.builder.body, first));
        let values: Vec<ValueId> = operands
            .iter()
            .map(|&list| if elementwise || is_contract { self.value(list) } else { self.whole(list) })
            .collect();
        if is_contract {
            return self.contract(first, operands, &values);
        }
        let out = self.builder.body.result(first, 0);
        let mut shape = self.dims(out);
        shape.insert(0, self.steps());
        let value = values[0];
        let loc = self.loc;
        let zero = SizeExpr::from(0);
        let first_of = |mut all: Vec<SizeExpr>, size: &SizeExpr| {
            all.insert(0, size.clone());
            all
        };
        let shifted = |axes: Vec<i64>| axes.into_iter().map(|axis| axis + 1).collect::<Vec<i64>>();
        let view = OpRef::new(ctx, self.builder.body, first);
        let op = if elementwise {
            let (name, props, attrs) = (view.op_name(), self.builder.body.props(first), self.builder.body.attrs(first));
            let ty = Tensor::get(ctx, shape.clone(), self.elem(out));
            let mut aligned = Vec::new();
            for (&value, &list) in values.iter().zip(operands) {
                aligned.push(if self.is_one(list) { value } else { self.aligned(value, 1, shape.len()) });
            }
            let parts = OpParts { operands: &aligned, results: &[ty], props, attrs, ..OpParts::new(name, loc) };
            self.builder.create(parts)
        } else if view.is(Reshape::DEF) {
            Reshape::build(&mut self.builder, loc, value, shape)
        } else if let Some(op) = Permute::of(view) {
            let order = [0].into_iter().chain(shifted(op.order())).collect();
            Permute::build(&mut self.builder, loc, value, order)
        } else if let Some(op) = Expand::of(view) {
            let places = op.dims().map(|places| [0].into_iter().chain(shifted(places)).collect());
            Expand::build(&mut self.builder, loc, value, shape, places)
        } else if let Some(op) = Pad::of(view) {
            let (low, high, number) = (first_of(op.low(), &zero), first_of(op.high(), &zero), op.value());
            Pad::build(&mut self.builder, loc, value, low, high, number)
        } else if let Some(op) = Shrink::of(view) {
            let step = op.step().map(|step| [1].into_iter().chain(step).collect());
            let (start, stop) = (first_of(op.start(), &zero), first_of(op.stop(), &self.steps()));
            Shrink::build(&mut self.builder, loc, value, start, stop, step)
        } else if let Some(op) = Flip::of(view) {
            let axes = shifted(op.axes());
            Flip::build(&mut self.builder, loc, value, axes)
        } else if let Some(op) = Reduce::of(view) {
            let (combiner, axes, acc) = (op.combiner(), shifted(op.axes()), op.acc());
            let attrs = self.builder.body.attrs(first);
            let made = Reduce::build(&mut self.builder, loc, value, combiner, axes, acc);
            self.builder.body.set_attrs(made, attrs);
            made
        } else {
            unreachable!("only these ops are put in lists")
        };
        self.builder.result(op)
    }

    fn contract(&mut self, first: OpId, operands: &[usize], values: &[ValueId]) -> ValueId {
        let view = Contract::from(OpRef::new(self.builder.ctx, self.builder.body, first));
        let (mut lhs, mut rhs, mut out) = (view.lhs_idx(), view.rhs_idx(), view.out_idx());
        let (acc, product) = (view.acc(), view.product());
        let known: Vec<String> = [&lhs, &rhs].into_iter().flatten().map(ToString::to_string).collect();
        let numbered = (0..).map(|number| format!("step{number}"));
        let is_new = |name: &String| !known.iter().any(|other| other.contains(name.as_str()));
        let name = ["step".to_string()].into_iter().chain(numbered).find(is_new).expect("there are many names");
        let step = SizeExpr::symbol(&name).expect("it is a name");
        if !self.is_one(operands[0]) {
            lhs.insert(0, step.clone());
        }
        if !self.is_one(operands[1]) {
            rhs.insert(0, step.clone());
        }
        out.insert(0, step);
        let attrs = self.builder.body.attrs(first);
        let new =
            NewContract { lhs: values[0], rhs: values[1], lhs_idx: lhs, rhs_idx: rhs, out_idx: out, acc, product };
        let made = new.build(&mut self.builder, self.loc);
        self.builder.body.set_attrs(made, attrs);
        self.builder.result(made)
    }

    /// All states of a recurrence. What else needs a state takes it from there.
    fn scan(&mut self, list: usize, (factor, added): (Option<usize>, Option<usize>), before: Before) -> ValueId {
        let states = &self.lists.all[list].1;
        let (shape, elem) = (self.dims(states[0]), self.elem(states[0]));
        let mut all = shape.clone();
        all.insert(0, self.steps());
        let is_shorter = matches!(before, Before::First(_));
        let steps = self.steps;
        // Without the first step the other lists have one less.
        self.steps -= i64::from(is_shorter);
        let full = |make: &mut Self, list: usize| {
            let value = make.whole(list);
            let value = make.wide(value);
            let value = make.aligned(value, 1, all.len());
            let mut own = all.clone();
            own[0] = make.steps();
            let value = make.expanded(value, own);
            if is_shorter { make.padded(value, 1, 0) } else { value }
        };
        let factor = factor.map(|list| full(self, list));
        let mut added = added.map(|list| full(self, list));
        self.steps = steps;
        // What the first step begins with is added there.
        let begin = match before {
            Before::Zero => None,
            Before::First(state) => {
                let state = self.current(state);
                Some(self.wide(state))
            }
            Before::State(state) => {
                let state = self.current(state);
                let state = self.wide(state);
                Some(match factor {
                    Some(factor) => {
                        let own = self.slice(factor, 0, &shape);
                        let op = Mul::build(&mut self.builder, self.loc, own, state);
                        self.builder.result(op)
                    }
                    None => state,
                })
            }
        };
        if let Some(begin) = begin {
            let begin = self.aligned(begin, 0, all.len());
            let begin = self.padded(begin, 0, steps - 1);
            added = Some(match added {
                Some(added) => {
                    let op = Add::build(&mut self.builder, self.loc, added, begin);
                    self.builder.result(op)
                }
                None => begin,
            });
        }
        let value = self.scanned(factor, added, elem);
        self.replace_later(list, value, &shape);
        value
    }

    /// The scan itself, as the type of its states.
    fn scanned(&mut self, factor: Option<ValueId>, added: Option<ValueId>, elem: Type) -> ValueId {
        let combiner = if factor.is_some() { ScanCombiner::Linear } else { ScanCombiner::Sum };
        let inputs: Vec<ValueId> = factor.into_iter().chain(added).collect();
        let new = NewScan { combiner, inputs: &inputs, axis: 0, exclusive: None, reverse: None, acc: None };
        let op = new.build(&mut self.builder, self.loc);
        let value = self.builder.result(op);
        if self.elem(value) == elem {
            return value;
        }
        let op = Cast::build(&mut self.builder, self.loc, value, elem);
        self.builder.result(op)
    }

    /// Floats of fewer bits as `f32`: what a loop adds and multiplies is rounded to the type of its states once.
    fn wide(&mut self, value: ValueId) -> ValueId {
        if self.elem(value).bits(self.builder.ctx).is_none_or(|bits| bits >= 32) {
            return value;
        }
        let op = Cast::build(&mut self.builder, self.loc, value, Type::F32);
        self.builder.result(op)
    }

    /// What uses states after the loop takes them from the scan.
    fn replace_later(&mut self, list: usize, value: ValueId, shape: &[SizeExpr]) {
        let lists = self.lists;
        for (number, &state) in lists.all[list].1.iter().enumerate() {
            let later: Vec<_> =
                self.builder.body.uses(state).filter(|place| lists.is_after(place.op, self.end)).collect();
            if !later.is_empty() {
                let part = self.slice(value, number as i64, shape);
                for place in later {
                    self.builder.body.set_operand(place.op, place.index, part);
                }
                self.built.replaced.insert(state, part);
            }
            self.built.gone.extend(self.builder.body.defining_op(state));
        }
    }

    /// One step of a list.
    fn slice(&mut self, value: ValueId, step: i64, shape: &[SizeExpr]) -> ValueId {
        let mut to = self.dims(value);
        let mut from = vec![SizeExpr::from(0); to.len()];
        (from[0], to[0]) = (SizeExpr::from(step), SizeExpr::from(step + 1));
        let op = Shrink::build(&mut self.builder, self.loc, value, from, to, None);
        let part = self.builder.result(op);
        self.reshaped(part, shape.to_vec())
    }

    /// With zeros for steps before and after.
    fn padded(&mut self, value: ValueId, before: i64, after: i64) -> ValueId {
        let mut low = vec![SizeExpr::from(0); self.dims(value).len()];
        let mut high = low.clone();
        (low[0], high[0]) = (SizeExpr::from(before), SizeExpr::from(after));
        let op = Pad::build(&mut self.builder, self.loc, value, low, high, None);
        self.builder.result(op)
    }
}

fn sum(a: &SizeExpr, b: &SizeExpr) -> SizeExpr {
    a.add(b).expect("both are within a size")
}
