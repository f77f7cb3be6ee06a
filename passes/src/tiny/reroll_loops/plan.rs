//! What the values of a list have in common.

use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::{Context, OpId, Type, ValueId};
use dlc_tiny::ops::{
    Add, Const, Contract, Expand, Flip, Mul, Neg, Pad, Permute, Reduce, Reshape, Shrink, Sub, is_elementwise,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::numbers::is_zero;

/// How many lists are computed from each other, at most.
const DEPTH: usize = 200;
/// How many ops are between a state and the one before, at most.
const MOST_BETWEEN: usize = 8;
/// The fewest steps of a recurrence: few are computed by one kernel anyway.
const FEWEST_STEPS: usize = 8;
/// The most elements of a list: a program may have steps because there is no memory for all at once.
const MOST_ELEMENTS: i64 = 1 << 28;

/// A list of values, one for each step.
pub enum List {
    /// Each is this one.
    Same(ValueId),
    /// Parts of a value, one after another along an axis, from a place on. Backwards, the last part is the first.
    Parts { source: ValueId, axis: usize, start: SizeExpr, extent: i64, backwards: bool },
    /// Results of the same op, from lists.
    Op { first: OpId, operands: Vec<usize> },
    /// The sums of the values of two lists.
    Sum(usize, usize),
    /// The products of the values of two lists.
    Product(usize, usize),
    /// The negative of a list.
    Negative(usize),
    /// One, as a number of a type.
    One(Type),
    /// A list from its end to its start.
    Reversed(usize),
    /// States, each the factor times the one before, plus what is added.
    Scan { factor: Option<usize>, added: Option<usize>, before: Before },
}

/// What a recurrence begins with.
#[derive(Clone, Copy)]
pub enum Before {
    /// The state before the first one is zero.
    Zero,
    /// The state before the first one.
    State(ValueId),
    /// The first state itself, which no factor and nothing added belongs to.
    First(ValueId),
}

/// Lists, and what they stand for.
pub struct Lists {
    /// Each with its values; those that are only computed have none.
    pub all: Vec<(List, Vec<ValueId>)>,
    /// Where ops are in the program.
    pub places: FxHashMap<OpId, usize>,
}

impl Lists {
    /// What becomes of a loop.
    pub fn describe(&self, list: usize) -> String {
        let (mut scans, mut ops) = (0, 0);
        self.each_below(list, |at| match self.all[at].0 {
            List::Scan { .. } => scans += 1,
            List::Op { .. } | List::Sum(..) | List::Product(..) | List::Negative(_) => ops += 1,
            List::Same(_) | List::Parts { .. } | List::One(_) | List::Reversed(_) => {}
        });
        let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        format!("it is {} and {}", plural(ops, "op"), plural(scans, "scan"))
    }

    /// A list, and all that it is computed from, each once.
    fn each_below(&self, list: usize, mut visit: impl FnMut(usize)) {
        let (mut seen, mut work) = (FxHashSet::default(), vec![list]);
        while let Some(at) = work.pop() {
            if seen.insert(at) {
                visit(at);
                work.extend(self.below(at));
            }
        }
    }

    /// Whether an op stands after another one.
    pub fn is_after(&self, op: OpId, other: OpId) -> bool {
        self.places.get(&op).zip(self.places.get(&other)).is_some_and(|(op, other)| op > other)
    }

    /// The lists that one is computed from.
    fn below(&self, list: usize) -> Vec<usize> {
        match &self.all[list].0 {
            List::Same(_) | List::Parts { .. } | List::One(_) => Vec::new(),
            List::Op { operands, .. } => operands.clone(),
            List::Sum(lhs, rhs) | List::Product(lhs, rhs) => vec![*lhs, *rhs],
            List::Negative(of) | List::Reversed(of) => vec![*of],
            List::Scan { factor, added, .. } => factor.iter().chain(added).copied().collect(),
        }
    }
}

/// How a list of values depends on that of the states before.
struct Linear {
    factor: Factor,
    added: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Factor {
    Zero,
    One,
    List(usize),
}

/// The sizes of a value.
pub fn dims(ctx: &Context, body: &Body, value: ValueId) -> Vec<SizeExpr> {
    Tensor::expect(ctx, body.value_type(value)).dims(ctx)
}

/// Finds lists.
pub struct Planner<'a> {
    ctx: &'a Context,
    body: &'a Body,
    lists: Lists,
    /// The lists that were looked at; `None` of those that have nothing in common, or are being looked at.
    known: FxHashMap<Vec<ValueId>, Option<usize>>,
    /// The ops between the states of each scan.
    between: FxHashMap<usize, Vec<OpId>>,
    depth: usize,
}

impl<'a> Planner<'a> {
    pub fn new(ctx: &'a Context, body: &'a Body) -> Planner<'a> {
        let ops = body.entry_block().into_iter().flat_map(|block| body.ops(block));
        let places = ops.enumerate().map(|(place, op)| (op, place)).collect();
        let lists = Lists { all: Vec::new(), places };
        Planner { ctx, body, lists, known: FxHashMap::default(), between: FxHashMap::default(), depth: 0 }
    }

    /// The lists that were found.
    pub fn finish(self) -> Lists {
        self.lists
    }

    /// The ops that the values of a list, and those of the lists below, are computed by.
    pub fn ops_of(&self, list: usize, ops: &mut FxHashSet<OpId>) {
        self.lists.each_below(list, |at| {
            ops.extend(self.lists.all[at].1.iter().filter_map(|&value| self.body.defining_op(value)));
            ops.extend(self.between.get(&at).into_iter().flatten());
        });
    }

    /// Whether the states of all scans below a list are used only by ops that go, and after an op.
    pub fn leaves_nothing(&self, list: usize, end: OpId, rolled: &FxHashSet<OpId>) -> bool {
        let mut all = true;
        self.lists.each_below(list, |at| {
            if let (List::Scan { .. }, states) = &self.lists.all[at] {
                let is_later = |op: OpId| self.lists.is_after(op, end);
                let mut users = states.iter().flat_map(|&state| self.body.uses(state)).map(|place| place.op);
                all &= users.all(|user| rolled.contains(&user) || is_later(user));
            }
        });
        all
    }

    /// The list that values are, in order.
    pub fn list(&mut self, values: &[ValueId]) -> Option<usize> {
        if let Some(&known) = self.known.get(values) {
            return known;
        }
        self.known.insert(values.to_vec(), None);
        self.depth += 1;
        let found = (self.depth <= DEPTH).then(|| self.find(values)).flatten();
        self.depth -= 1;
        let found = found.map(|list| self.add(list, values.to_vec()));
        self.known.insert(values.to_vec(), found);
        found
    }

    fn add(&mut self, list: List, values: Vec<ValueId>) -> usize {
        self.lists.all.push((list, values));
        self.lists.all.len() - 1
    }

    fn find(&mut self, values: &[ValueId]) -> Option<List> {
        let first = values[0];
        if values.iter().all(|&value| value == first) {
            return Some(List::Same(first));
        }
        let ty = self.body.value_type(first);
        let elements = Tensor::of(self.ctx, ty)?.dims(self.ctx).iter().try_fold(values.len() as i64, |all, size| {
            // What is not known counts as one.
            all.checked_mul(size.as_constant().unwrap_or(1))
        })?;
        if elements > MOST_ELEMENTS || values.iter().any(|&value| self.body.value_type(value) != ty) {
            return None;
        }
        if let Some(parts) = self.parts(values) {
            return Some(parts);
        }
        if let [first, second, .., last_but_one, last] = values[..]
            && values.len() >= FEWEST_STEPS
        {
            if self.path(second, first, MOST_BETWEEN).is_some() {
                return self.recurrence(values);
            }
            if self.path(last_but_one, last, MOST_BETWEEN).is_some() {
                let reversed: Vec<ValueId> = values.iter().rev().copied().collect();
                return self.list(&reversed).map(List::Reversed);
            }
        }
        let operands = self.operands(values)?;
        let first_op = self.body.defining_op(first)?;
        let lists = operands.iter().map(|operand| self.list(operand)).collect::<Option<Vec<usize>>>()?;
        let is_same = lists.iter().all(|&list| matches!(self.lists.all[list].0, List::Same(_)));
        Some(if is_same { List::Same(first) } else { List::Op { first: first_op, operands: lists } })
    }

    /// The operands of the ops of a list, as lists, if the ops are the same.
    fn operands(&self, values: &[ValueId]) -> Option<Vec<Vec<ValueId>>> {
        let first = self.op(values[0])?;
        let is_known = is_elementwise(first)
            || [Const::DEF, Reshape::DEF, Permute::DEF, Expand::DEF, Pad::DEF, Shrink::DEF, Flip::DEF, Reduce::DEF]
                .iter()
                .chain(&[Contract::DEF])
                .any(|def| first.is(def));
        let is_alike = |&value: &ValueId| {
            self.op(value).is_some_and(|op| {
                op.op_name() == first.op_name()
                    && self.body.props(op.id) == self.body.props(first.id)
                    && self.body.attrs(op.id) == self.body.attrs(first.id)
                    && op.operands().len() == first.operands().len()
            })
        };
        if !is_known || first.results().len() != 1 || !values.iter().all(is_alike) {
            return None;
        }
        let count = first.operands().len();
        let operand = |value: &ValueId, at: usize| self.op(*value).map(|op| op.operand(at));
        (0..count).map(|at| values.iter().map(|value| operand(value, at)).collect()).collect()
    }

    fn op(&self, value: ValueId) -> Option<OpRef<'a>> {
        self.body.defining_op(value).map(|op| OpRef::new(self.ctx, self.body, op))
    }

    /// Parts of one value, one after another.
    fn parts(&self, values: &[ValueId]) -> Option<List> {
        let shrinks = values
            .iter()
            .map(|&value| self.op(value).and_then(Shrink::of).filter(|op| op.step().is_none()))
            .collect::<Option<Vec<_>>>()?;
        let (first, second) = (shrinks[0], shrinks[1]);
        let (from, next) = (first.start(), second.start());
        let mut moved = (0..from.len()).filter(|&axis| from[axis] != next[axis]);
        let axis = moved.next().filter(|_| moved.next().is_none())?;
        let extent = dims(self.ctx, self.body, values[0])[axis].as_constant()?;
        let step = next[axis].sub(&from[axis]).ok()?.as_constant().filter(|step| step.abs() == extent)?;
        let is_next = |(number, shrink): (usize, &Shrink<'_>)| {
            let start = shrink.start();
            let place = from[axis].add(&SizeExpr::from(step * number as i64)).ok();
            let others = |at: usize| start[at] == from[at];
            shrink.input() == first.input()
                && (0..from.len()).all(|at| if at == axis { Some(&start[at]) == place.as_ref() } else { others(at) })
        };
        if !shrinks.iter().enumerate().all(is_next) {
            return None;
        }
        let start = if step < 0 { shrinks.last()?.start()[axis].clone() } else { from[axis].clone() };
        Some(List::Parts { source: first.input(), axis, start, extent, backwards: step < 0 })
    }

    /// Which operands lead from a value to another one, by additions, subtractions and products.
    fn path(&self, from: ValueId, to: ValueId, most: usize) -> Option<Vec<usize>> {
        if from == to {
            return Some(Vec::new());
        }
        let op = self.op(from).filter(|op| most > 0 && is_linear(*op))?;
        (0..op.operands().len()).find_map(|at| {
            let mut path = self.path(op.operand(at), to, most - 1)?;
            path.insert(0, at);
            Some(path)
        })
    }

    /// States, each of which is a linear function of the one before.
    fn recurrence(&mut self, states: &[ValueId]) -> Option<List> {
        let count = states.len();
        let path = self.path(states[1], states[0], MOST_BETWEEN)?;
        let mut before = vec![self.follow(states[0], states[1], &path)];
        before.extend(states[..count - 1].iter().map(|&state| Some(state)));
        let begin = usize::from(before[0].is_none());
        let before: Vec<ValueId> = before.into_iter().flatten().collect();
        let mut between = Vec::new();
        let linear = self.linear(&states[begin..], &before, &mut between, MOST_BETWEEN)?;
        let factor = match linear.factor {
            Factor::Zero => return None,
            Factor::One => None,
            Factor::List(list) => Some(list),
        };
        let is_nothing = |value: ValueId| {
            let constant = self.op(value).and_then(Const::of);
            constant.is_some_and(|constant| is_zero(self.ctx, constant.value()))
        };
        let before = match before[0] {
            first if begin == 1 => Before::First(first),
            state if is_nothing(state) => Before::Zero,
            state if self.body.value_type(state) == self.body.value_type(states[0]) => Before::State(state),
            _ => return None,
        };
        // The number of this list, which is added next.
        self.between.insert(self.lists.all.len(), between);
        Some(List::Scan { factor, added: linear.added, before })
    }

    /// The value that operands lead to, if the ops on the way are those of another value.
    fn follow(&self, mut value: ValueId, mut like: ValueId, path: &[usize]) -> Option<ValueId> {
        for &at in path {
            let (op, other) = (self.op(value)?, self.op(like)?);
            if op.op_name() != other.op_name() {
                return None;
            }
            (value, like) = (op.operand(at), other.operand(at));
        }
        Some(value)
    }

    /// What a list is as a linear function of the states before.
    fn linear(&mut self, values: &[ValueId], before: &[ValueId], ops: &mut Vec<OpId>, most: usize) -> Option<Linear> {
        if values == before {
            return Some(Linear { factor: Factor::One, added: None });
        }
        let pairs = || values.iter().zip(before);
        if pairs().all(|(&value, &state)| self.path(value, state, most).is_none()) {
            return self.list(values).map(|list| Linear { factor: Factor::Zero, added: Some(list) });
        }
        let op = self.op(values[0]).filter(|op| is_linear(*op))?;
        let operands = self.operands(values)?;
        ops.extend(values.iter().filter_map(|&value| self.body.defining_op(value)));
        let elem_of = |value: ValueId| Tensor::of(self.ctx, self.body.value_type(value)).map(|ty| ty.elem(self.ctx));
        let elem = elem_of(values[0]).filter(|elem| elem.float_kind(self.ctx).is_some())?;
        if operands.iter().any(|operand| elem_of(operand[0]) != Some(elem)) {
            return None;
        }
        let mut parts = Vec::new();
        for operand in &operands {
            parts.push(self.linear(operand, before, ops, most.checked_sub(1)?)?);
        }
        let (lhs, rhs) = (parts.remove(0), parts.pop());
        Some(match rhs {
            None => self.negative(&lhs, elem),
            Some(rhs) if op.is(Add::DEF) => self.sum(&lhs, &rhs, elem),
            Some(rhs) if op.is(Sub::DEF) => {
                let rhs = self.negative(&rhs, elem);
                self.sum(&lhs, &rhs, elem)
            }
            Some(rhs) => match (lhs.factor, rhs.factor) {
                (Factor::Zero, _) => self.product(lhs.added?, &rhs),
                (_, Factor::Zero) => self.product(rhs.added?, &lhs),
                _ => return None,
            },
        })
    }

    /// A list that is only computed.
    fn computed(&mut self, list: List) -> usize {
        self.add(list, Vec::new())
    }

    /// A factor as a list; `None` for zero.
    fn factor(&mut self, of: &Linear, elem: Type) -> Option<usize> {
        match of.factor {
            Factor::Zero => None,
            Factor::One => Some(self.computed(List::One(elem))),
            Factor::List(list) => Some(list),
        }
    }

    fn negative(&mut self, of: &Linear, elem: Type) -> Linear {
        let factor = self.factor(of, elem);
        let mut negative = |list: usize| self.computed(List::Negative(list));
        Linear {
            added: of.added.map(&mut negative),
            factor: factor.map_or(Factor::Zero, |list| Factor::List(negative(list))),
        }
    }

    fn sum(&mut self, lhs: &Linear, rhs: &Linear, elem: Type) -> Linear {
        let factor = match (lhs.factor, rhs.factor) {
            (Factor::Zero, other) | (other, Factor::Zero) => other,
            _ => {
                let factors = self.factor(lhs, elem).zip(self.factor(rhs, elem));
                factors.map_or(Factor::Zero, |(lhs, rhs)| Factor::List(self.computed(List::Sum(lhs, rhs))))
            }
        };
        let added = match (lhs.added, rhs.added) {
            (Some(lhs), Some(rhs)) => Some(self.computed(List::Sum(lhs, rhs))),
            (one, other) => one.or(other),
        };
        Linear { factor, added }
    }

    fn product(&mut self, list: usize, of: &Linear) -> Linear {
        let factor = match of.factor {
            Factor::Zero => Factor::Zero,
            Factor::One => Factor::List(list),
            Factor::List(other) => Factor::List(self.computed(List::Product(list, other))),
        };
        let added = of.added.map(|added| self.computed(List::Product(list, added)));
        Linear { factor, added }
    }
}

/// Whether an op is linear in each of its operands.
fn is_linear(op: OpRef<'_>) -> bool {
    [Add::DEF, Sub::DEF, Mul::DEF, Neg::DEF].iter().any(|def| op.is(def))
}
