//! Between which numbers the integers of a kernel lie, for all sizes that it may be launched with.
//!
//! A launch is for tensors with a bounded number of elements, where an axis of zero counts as one of one. So the product
//! of any axes of one tensor is bounded, and with it the numbers of blocks and tiles, which interval arithmetic alone
//! would take for products of independent sizes.

mod bounds;

use std::cell::RefCell;
use std::collections::BTreeMap;

use dlc_core::memref::MemRef;
use dlc_core::sizes::{value_name, value_number};
use dlc_core::tensor::ElemKind;
use dlc_ir::affine::{Factor, Interval, SizeExpr, SizeRanges};
use dlc_ir::interp::Datum;
use dlc_ir::{BlockId, Body, Context, OpRef, Type, ValueId};
use dlc_kernel::counters::Counter;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, elem_of, sizes};
use rustc_hash::FxHashMap;

use super::expressions::required_values;
use bounds::remainder;

/// The most blocks along each axis of a grid.
const GRID: [i64; 3] = [i32::MAX as i64, 65535, 65535];

/// How many times a loop is gone through until what it carries is taken to be anything.
const ROUNDS: usize = 3;

/// In how many loops around each other what is carried is looked for: each goes through those in it more than once.
const DEEP: usize = 4;

/// The ranges of the integers of a kernel.
pub struct IndexRanges<'a> {
    ctx: &'a Context,
    kernel: &'a Body,
    /// The most elements of a tensor.
    elements: i64,
    /// What is known of symbols alone.
    symbols: Scope,
    /// Products of axes of tensors: each is at most `elements`.
    products: Vec<SizeExpr>,
    values: FxHashMap<ValueId, Interval>,
    /// Values that are expressions of symbols.
    same: FxHashMap<ValueId, SizeExpr>,
    /// Values that are at most expressions of symbols.
    most: FxHashMap<ValueId, SizeExpr>,
    known: RefCell<BTreeMap<SizeExpr, Interval>>,
    /// How many loops are around the op at hand.
    loops: usize,
}

/// What is known of the names in an expression.
#[derive(Clone)]
struct Scope {
    ranges: SizeRanges,
    /// What names are at most, as expressions of symbols.
    most: BTreeMap<String, SizeExpr>,
}

/// How many bits integers have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 32, with a sign.
    Narrow,
    /// 32, if they are read without a sign.
    Unsigned,
    /// 64.
    Wide,
}

/// How many bits the integers of an interval have.
pub fn width(range: Interval) -> Width {
    match (range.lo(), range.hi()) {
        _ if is_narrow(range) => Width::Narrow,
        (Some(0..), Some(hi)) if u32::try_from(hi).is_ok() => Width::Unsigned,
        _ => Width::Wide,
    }
}

/// Whether all integers of an interval have 32 bits.
pub fn is_narrow(range: Interval) -> bool {
    let fits = |end: Option<i64>| end.is_some_and(|end| i32::try_from(end).is_ok());
    fits(range.lo()) && fits(range.hi())
}

impl<'a> IndexRanges<'a> {
    /// The ranges for all launches on tensors of at most so many elements.
    pub fn of(ctx: &'a Context, kernel: &'a Body, elements: i64) -> IndexRanges<'a> {
        let other = Interval::new(0, elements);
        let mut known = SizeRanges { named: BTreeMap::new(), other };
        for (name, value) in required_values(ctx, kernel) {
            known = known.with(&name, Interval::constant(value));
        }
        let symbols = Scope { ranges: known, most: BTreeMap::new() };
        let mut ranges = IndexRanges {
            ctx,
            kernel,
            elements,
            symbols,
            products: Vec::new(),
            values: FxHashMap::default(),
            same: FxHashMap::default(),
            most: FxHashMap::default(),
            known: RefCell::default(),
            loops: 0,
        };
        let Some(block) = kernel.entry_block() else { return ranges };
        let made = kernel.ops(block).flat_map(|id| kernel.results(id));
        for value in kernel.args(block).iter().copied().chain(made) {
            if let Some(memory) = MemRef::of(ctx, kernel.value_type(value)) {
                ranges.add_products(&memory.dims(ctx));
            }
        }
        ranges.block(block);
        ranges
    }

    /// The range of a value; of one that is no integer of the kernel it is everything.
    pub fn value(&self, value: ValueId) -> Interval {
        self.values.get(&value).copied().unwrap_or(Interval::ALL)
    }

    /// The range of an expression of values.
    pub fn expr(&self, expr: &SizeExpr, args: &[ValueId]) -> Interval {
        let values: Vec<(ValueId, Interval)> = args.iter().map(|&arg| (arg, self.value(arg))).collect();
        self.expr_of(expr, &values, &[])
    }

    /// The range of an expression of values between these numbers, and of positions below these sizes.
    pub fn expr_of(&self, expr: &SizeExpr, values: &[(ValueId, Interval)], axes: &[u32]) -> Interval {
        let scope = self.scope(values, axes);
        let direct = expr.range(&scope.ranges);
        if is_narrow(direct) {
            return direct;
        }
        let ids: Vec<ValueId> = values.iter().map(|&(id, _)| id).collect();
        direct.intersect(self.range(&self.in_symbols(expr, &ids), &scope))
    }

    /// The range of an expression of values, as narrow as what they are at most in symbols makes it.
    pub fn narrowest(&self, expr: &SizeExpr, args: &[ValueId]) -> Interval {
        let values: Vec<(ValueId, Interval)> = args.iter().map(|&arg| (arg, self.value(arg))).collect();
        let scope = self.scope(&values, &[]);
        let expr = self.in_symbols(expr, args);
        self.refined(&expr, &scope, expr.range(&scope.ranges))
    }

    /// What is known of the values and positions in an expression.
    fn scope(&self, values: &[(ValueId, Interval)], axes: &[u32]) -> Scope {
        let mut ranges = self.symbols.ranges.clone();
        for (number, &(_, range)) in values.iter().enumerate() {
            ranges.named.insert(value_name(number).into(), range);
        }
        for (axis, &size) in axes.iter().enumerate() {
            ranges.named.insert(format!("i{axis}").into(), Interval::new(0, i64::from(size.max(1)) - 1));
        }
        let most = values.iter().enumerate();
        let most = most.filter_map(|(number, (id, _))| Some((value_name(number), self.most.get(id)?.clone())));
        Scope { ranges, most: most.collect() }
    }

    /// An expression with what values are in their places, where those are expressions of symbols.
    fn in_symbols(&self, expr: &SizeExpr, args: &[ValueId]) -> SizeExpr {
        let same = |name: &str| self.same.get(args.get(value_number(name)?)?).cloned();
        expr.substitute(&same).unwrap_or_else(|_| expr.clone())
    }

    // Ops.

    /// Whether a value is an index, or a fragment of them.
    fn is_index(&self, value: ValueId) -> bool {
        elem_of(self.ctx, self.kernel.value_type(value)) == Type::INDEX
    }

    fn set(&mut self, value: ValueId, range: Interval) {
        self.values.insert(value, range);
    }

    fn block(&mut self, block: BlockId) -> Vec<Interval> {
        let kernel = self.kernel;
        for id in kernel.ops(block) {
            let op = OpRef::new(self.ctx, kernel, id);
            if let Some(end) = kernel::Yield::of(op) {
                return end.values().map(|value| self.value(value)).collect();
            }
            self.op(op);
        }
        Vec::new()
    }

    fn op(&mut self, op: OpRef<'a>) {
        if let Some(op) = kernel::Index::of(op) {
            let args: Vec<ValueId> = op.args().collect();
            let exprs = op.value();
            let Some(expr) = exprs.first().filter(|_| self.is_index(op.out())) else { return };
            if self.kernel.value_type(op.out()) == Type::INDEX {
                let range = self.expr(expr, &args);
                self.set(op.out(), range);
                self.relate(op.out(), expr, &args);
                return;
            }
            // One for each element of a fragment.
            let values: Vec<(ValueId, Interval)> = args.iter().map(|&arg| (arg, self.value(arg))).collect();
            let shape =
                Frag::of(self.ctx, self.kernel.value_type(op.out())).and_then(|frag| sizes(&frag.shape(self.ctx)));
            let shape: Vec<u32> = shape.unwrap_or_default().into_iter().map(u32::next_power_of_two).collect();
            let range = self.expr_of(expr, &values, &shape);
            self.set(op.out(), range);
        } else if let Some(op) = kernel::Min::of(op) {
            let (a, b) = (self.value(op.lhs()), self.value(op.rhs()));
            self.set(op.out(), ends(a, b, i64::min));
        } else if let Some(op) = kernel::Max::of(op) {
            let (a, b) = (self.value(op.lhs()), self.value(op.rhs()));
            self.set(op.out(), ends(a, b, i64::max));
        } else if let Some(op) = kernel::Const::of(op) {
            let number = Datum::of_attr(self.ctx, op.value());
            if let (true, Some(Datum::Int(number))) = (self.kernel.value_type(op.out()) == Type::INDEX, number)
                && let Ok(number) = i64::try_from(number)
            {
                self.set(op.out(), Interval::constant(number));
            }
        } else if let Some(op) = kernel::Cast::of(op) {
            if self.is_index(op.out()) {
                let from = elem_of(self.ctx, self.kernel.value_type(op.input()));
                let range = if from == Type::INDEX { self.value(op.input()) } else { of_type(self.ctx, from) };
                self.set(op.out(), range);
            }
        } else if let Some(op) = kernel::Broadcast::of(op) {
            let range = self.value(op.input());
            self.set(op.out(), range);
        } else if let Some(op) = kernel::Convert::of(op) {
            let range = self.value(op.input());
            self.set(op.out(), range);
        } else if let Some(op) = kernel::Select::of(op) {
            if self.kernel.value_type(op.out()) == Type::INDEX {
                let range = hull(self.value(op.yes()), self.value(op.no()));
                self.set(op.out(), range);
            }
        } else if let Some(op) = kernel::Advance::of(op) {
            let within = |range: Interval, most: i64| range.intersect(Interval::new(0, most)) == range;
            let ring = Interval::new(0, op.stages() - 1);
            let (stage, parity) = (self.value(op.stage()), self.value(op.parity()));
            self.set(op.next(), if within(stage, op.stages() - 1) { ring } else { Interval::ALL });
            self.set(op.next_parity(), if within(parity, 1) { Interval::new(0, 1) } else { Interval::ALL });
        } else if let Some(op) = kernel::TileOrder::of(op) {
            let args: Vec<ValueId> = op.args().collect();
            let tiles = op.tiles();
            // There is no tile but those.
            for (out, size) in [op.row(), op.column()].into_iter().zip(&tiles) {
                let range = below(self.expr(size, &args));
                self.set(out, range);
                self.limit(out, size, &args);
            }
        } else if let Some(op) = kernel::BlockRank::of(op) {
            self.set(op.out(), Interval::new(0, 15));
        } else if let Some(op) = kernel::BlockId::of(op) {
            let (range, dim) = self.blocks(*op, op.axis());
            self.set(op.out(), below(range));
            if let Some((dim, args)) = dim {
                self.limit(op.out(), &dim, &args);
            }
        } else if let Some(op) = kernel::GridSize::of(op) {
            let (range, _) = self.blocks(*op, op.axis());
            self.set(op.out(), range);
        } else if let Some(op) = kernel::Ticket::of(op) {
            self.ticket(op);
        } else if let Some(op) = kernel::Acquire::of(op) {
            self.set(op.out(), Interval::new(op.value(), i64::from(i32::MAX)));
        } else if let Some(op) = kernel::For::of(op) {
            self.for_(op);
        } else {
            self.regions(op);
        }
    }

    /// Notes what a value is in symbols, or what it is at most.
    fn relate(&mut self, value: ValueId, expr: &SizeExpr, args: &[ValueId]) {
        let expr = self.in_symbols(expr, args);
        let is_of_sizes = |expr: &SizeExpr| expr.symbols().iter().all(|name| is_size(name));
        if is_of_sizes(&expr) {
            self.same.insert(value, expr.clone());
            self.most.insert(value, expr);
            return;
        }
        let values: Vec<(ValueId, Interval)> = args.iter().map(|&arg| (arg, self.value(arg))).collect();
        let scope = self.scope(&values, &[]);
        let remainder = || remainder(&expr).filter(|part| part.times == 1 && part.rest == SizeExpr::from(0));
        let bound = match expr.terms().as_slice() {
            [(1, factors)] => match factors.as_slice() {
                [Factor::Quotient(numerator, divisor)] => self.most_of_quotient(numerator, divisor, &scope),
                _ => None,
            },
            _ => remainder().and_then(|part| part.divisor.sub(&SizeExpr::from(1)).ok()),
        };
        if let Some(bound) = bound.filter(is_of_sizes) {
            self.most.insert(value, bound);
        }
    }

    /// Notes that a value is below an expression.
    fn limit(&mut self, value: ValueId, end: &SizeExpr, args: &[ValueId]) {
        let most = self.in_symbols(end, args).sub(&SizeExpr::from(1)).ok();
        if let Some(most) = most.filter(|most| most.symbols().iter().all(|name| is_size(name))) {
            self.most.insert(value, most);
        }
    }

    /// How many blocks the grid around an op has along an axis: their range, and the expression with its values.
    fn blocks(&self, op: OpRef<'a>, axis: i64) -> (Interval, Option<(SizeExpr, Vec<ValueId>)>) {
        let mut at = op.id;
        let axis = axis.clamp(0, 2) as usize;
        let most = Interval::new(0, GRID[axis]);
        while let Some(parent) = self.kernel.parent_op(at) {
            if let Some(grid) = kernel::Grid::of(OpRef { id: parent, ..op }) {
                let args: Vec<ValueId> = grid.args().collect();
                let Some(dim) = grid.dims().into_iter().nth(axis) else { return (Interval::constant(1), None) };
                return (self.expr(&dim, &args).intersect(most), Some((dim, args)));
            }
            at = parent;
        }
        (most, None)
    }

    /// A ticket is below the number of blocks that share its counter; and it has 32 bits.
    fn ticket(&mut self, op: kernel::Ticket<'a>) {
        let around = std::iter::successors(self.kernel.parent_op(op.id), |&id| self.kernel.parent_op(id));
        let grid = around.filter_map(|id| kernel::Grid::of(OpRef { id, ..*op })).next();
        let counter = grid.and_then(|grid| Some((grid.args().collect(), Counter::of(grid, op)?)));
        let range = Interval::new(0, i64::from(i32::MAX));
        let Some((args, counter)): Option<(Vec<ValueId>, Counter)> = counter else { return self.set(op.out(), range) };
        let below = below(self.expr(&counter.count, &args));
        self.set(op.out(), range.intersect(below));
        self.limit(op.out(), &counter.count, &args);
    }

    /// A loop. What it carries is what it begins with and what its body gives, for so many rounds; then it is anything.
    fn for_(&mut self, op: kernel::For<'a>) {
        let args: Vec<ValueId> = op.args().collect();
        let bounds: Vec<Interval> = op.bounds().iter().map(|bound| self.expr(bound, &args)).collect();
        let Some(body) = op.regions().first().and_then(|&region| self.kernel.first_block(region)) else { return };
        let taken: Vec<ValueId> = self.kernel.args(body).to_vec();
        if let (Some(&counter), [first, last, _]) = (taken.first(), bounds.as_slice()) {
            let least = first.lo().unwrap_or(i64::MIN);
            let most = last.hi().map_or(i64::MAX, |last| (last - 1).max(least));
            self.set(counter, Interval::new(least, most));
            if let Some(end) = op.bounds().get(1) {
                self.limit(counter, end, &args);
            }
        }
        let inits: Vec<ValueId> = op.inits().collect();
        let mut carried: Vec<Interval> = inits.iter().map(|&init| self.value(init)).collect();
        let grown = self.grown(body, &taken, &carried, &bounds);
        self.loops += 1;
        for (own, grown) in carried.iter_mut().zip(&grown) {
            *own = grown.unwrap_or(if self.loops > DEEP { Interval::ALL } else { *own });
        }
        for round in 0.. {
            for (&arg, &range) in taken.iter().skip(1).zip(&carried) {
                self.set(arg, range);
            }
            let yielded = self.block(body);
            let mut is_stable = true;
            for ((own, next), grown) in carried.iter_mut().zip(yielded).zip(&grown) {
                if grown.is_some() {
                    continue;
                }
                let joined = hull(*own, next);
                if joined != *own {
                    is_stable = false;
                    *own = if round >= ROUNDS { Interval::ALL } else { joined };
                }
            }
            if is_stable {
                break;
            }
        }
        self.loops -= 1;
        for (out, range) in op.outs().zip(carried) {
            self.set(out, range);
        }
    }

    /// The ranges of what a loop carries that changes by numbers alone, `%k = %k + 8`, also where one gets what another was:
    /// in as many rounds as there are it goes no further than as many of the largest changes.
    fn grown(
        &self,
        body: BlockId,
        taken: &[ValueId],
        inits: &[Interval],
        bounds: &[Interval],
    ) -> Vec<Option<Interval>> {
        let place = |value: ValueId| taken.iter().skip(1).position(|&arg| arg == value);
        let end = self.kernel.last_op(body).and_then(|id| kernel::Yield::of(OpRef::new(self.ctx, self.kernel, id)));
        let yielded: Vec<ValueId> = end.map_or_else(Vec::new, |end| end.values().collect());
        let change = |&value: &ValueId| {
            if let Some(place) = place(value) {
                return Some((place, 0));
            }
            let op = kernel::Index::of(OpRef::new(self.ctx, self.kernel, self.kernel.defining_op(value)?))?;
            let (linear, by) = op.value().first()?.as_linear()?;
            let [(name, 1)] = linear.as_slice() else { return None };
            Some((place(op.args().nth(value_number(name)?)?)?, by))
        };
        let is_index = |place: usize| self.kernel.value_type(taken[place + 1]) == Type::INDEX;
        let mut changes: Vec<Option<(usize, i64)>> = yielded.iter().map(change).collect();
        loop {
            let known = changes.clone();
            for (place, own) in changes.iter_mut().enumerate() {
                *own = own.filter(|&(from, _)| is_index(place) && known.get(from).is_some_and(Option::is_some));
            }
            if known == changes {
                break;
            }
        }
        let rounds = match bounds {
            [first, last, step] => first.lo().zip(last.hi()).zip(step.lo().filter(|&step| step > 0)),
            _ => None,
        };
        let rounds =
            rounds.map(|((first, last), step)| (i128::from(last) - i128::from(first)).max(0) / i128::from(step) + 1);
        let all = || changes.iter().zip(inits).filter_map(|(change, &init)| Some((change.as_ref()?.1, init)));
        let Some(start) = all().map(|(_, init)| init).reduce(hull) else { return vec![None; inits.len()] };
        let (down, up) = all().fold((0, 0), |(down, up), (by, _)| (by.min(down), by.max(up)));
        let by = |change: i64| rounds.map(|rounds| clamped(rounds.saturating_mul(change.into())));
        let change = Interval::new(by(down).unwrap_or(i64::MIN), by(up).unwrap_or(i64::MAX));
        let range = sum(start, change);
        changes.iter().map(|change| change.as_ref().map(|_| range)).collect()
    }

    /// The regions of any other op: what it gives is what one of them yields.
    fn regions(&mut self, op: OpRef<'a>) {
        if let Some(role) = kernel::Role::of(op)
            && let Some(block) = op.regions().first().and_then(|&region| self.kernel.first_block(region))
            && let Some(&group) = self.kernel.args(block).first()
        {
            self.set(group, Interval::new(0, (role.groups() - 1).max(0)));
        }
        let mut all: Vec<Vec<Interval>> = Vec::new();
        for &region in op.regions() {
            if let Some(block) = self.kernel.first_block(region) {
                let yielded = self.block(block);
                all.push(yielded);
            }
        }
        for (number, out) in op.results().enumerate() {
            let of = |yielded: &Vec<Interval>| yielded.get(number).copied().unwrap_or(Interval::ALL);
            if let Some(range) = all.iter().map(of).reduce(hull) {
                self.set(out, range);
            }
        }
    }
}

/// What integers of a type can be.
pub fn of_type(ctx: &Context, ty: Type) -> Interval {
    match ElemKind::of(ctx, ty) {
        Some(ElemKind::Int { bits: 1, .. }) => Interval::new(0, 1),
        Some(ElemKind::Int { bits, signed: true }) if bits < 64 => {
            Interval::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        }
        Some(ElemKind::Int { bits, signed: false }) if bits < 64 => Interval::new(0, (1 << bits) - 1),
        _ => Interval::ALL,
    }
}

/// Whether a name is a symbol of sizes, and no value or position.
fn is_size(name: &str) -> bool {
    value_number(name).is_none() && dlc_kernel::interp::axis_number(name).is_none()
}

fn clamped(value: i128) -> i64 {
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// The sums of integers of both.
fn sum(a: Interval, b: Interval) -> Interval {
    let end = |a: Option<i64>, b: Option<i64>, open: i64| a.zip(b).and_then(|(a, b)| a.checked_add(b)).unwrap_or(open);
    Interval::new(end(a.lo(), b.lo(), i64::MIN), end(a.hi(), b.hi(), i64::MAX))
}

/// The integers of either.
fn hull(a: Interval, b: Interval) -> Interval {
    let end =
        |a: Option<i64>, b: Option<i64>, open: i64, of: fn(i64, i64) -> i64| a.zip(b).map_or(open, |(a, b)| of(a, b));
    Interval::new(end(a.lo(), b.lo(), i64::MIN, i64::min), end(a.hi(), b.hi(), i64::MAX, i64::max))
}

/// The range of the lesser or the greater of two. Open ends are the least and the greatest integers.
fn ends(a: Interval, b: Interval, of: fn(i64, i64) -> i64) -> Interval {
    let (lo, hi) = (|range: Interval| range.lo().unwrap_or(i64::MIN), |range: Interval| range.hi().unwrap_or(i64::MAX));
    Interval::new(of(lo(a), lo(b)), of(hi(a), hi(b)))
}

/// What counts from zero to below a number.
fn below(count: Interval) -> Interval {
    Interval::new(0, count.hi().map_or(i64::MAX, |most| (most - 1).max(0)))
}
