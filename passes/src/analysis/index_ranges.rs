//! Between which numbers the integers of a kernel lie, for all sizes that it may be launched with.
//!
//! A launch is for tensors with a bounded number of elements, where an axis of zero counts as one of one. So the product
//! of any axes of one tensor is bounded, and with it the numbers of blocks and tiles, which interval arithmetic alone
//! would take for products of independent sizes.

use std::cell::RefCell;
use std::collections::BTreeMap;

use dlc_core::memref::MemRef;
use dlc_core::sizes::{value_name, value_number};
use dlc_core::tensor::ElemKind;
use dlc_ir::affine::{Factor, Interval, SizeExpr, SizeRanges};
use dlc_ir::interp::Datum;
use dlc_ir::{BlockId, Body, Context, OpRef, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, elem_of, sizes};
use rustc_hash::FxHashMap;

use super::expressions::required_values;

/// The most blocks along each axis of a grid.
const GRID: [i64; 3] = [i32::MAX as i64, 65535, 65535];

/// How many products are subtracted from a sum until what is left is bounded term by term.
const STEPS: usize = 16;

/// How many axes with symbols a tensor may have until only all of them together are taken as a product.
const FEW_AXES: usize = 6;

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

    // Products of axes.

    fn add_products(&mut self, dims: &[SizeExpr]) {
        let (known, open): (Vec<&SizeExpr>, Vec<&SizeExpr>) = dims.iter().partition(|dim| dim.as_constant().is_some());
        let constant = known.iter().filter_map(|dim| dim.as_constant()).filter(|&size| size > 0);
        let Some(constant) = constant.into_iter().try_fold(1i64, |all, size| all.checked_mul(size)) else { return };
        let all = (1usize << open.len().min(FEW_AXES)) - 1;
        let sets: Vec<usize> = if open.len() <= FEW_AXES { (1..=all).collect() } else { Vec::new() };
        let is_in = |set: usize, axis: usize| open.len() > FEW_AXES || set >> axis & 1 != 0;
        for set in sets.into_iter().chain((open.len() > FEW_AXES).then_some(0)) {
            let chosen = open.iter().enumerate().filter(|(axis, _)| is_in(set, *axis)).map(|(_, dim)| *dim);
            let product = chosen.into_iter().try_fold(SizeExpr::from(constant), |product, dim| product.mul(dim));
            let Ok(product) = product else { continue };
            // A symbol alone is bounded anyway.
            if product.as_symbol().is_none() && !self.products.contains(&product) {
                self.products.push(product);
            }
        }
    }

    // Expressions.

    fn range(&self, expr: &SizeExpr, scope: &Scope) -> Interval {
        let direct = expr.range(&scope.ranges);
        if is_narrow(direct) {
            return direct;
        }
        // What names only symbols is asked for again and again.
        let is_shared = expr.symbols().iter().all(|name| is_size(name));
        if let Some(&known) = self.known.borrow().get(expr).filter(|_| is_shared) {
            return known;
        }
        let found = self.refined(expr, scope, direct);
        if is_shared {
            self.known.borrow_mut().insert(expr.clone(), found);
        }
        found
    }

    fn refined(&self, expr: &SizeExpr, scope: &Scope, direct: Interval) -> Interval {
        let mut found = direct;
        if let Some(part) = remainder(expr) {
            // As tight as can be, since more is added to it.
            let rest = self.refined(&part.rest, scope, part.rest.range(&scope.ranges));
            let most = self.range(&part.divisor, scope).hi().map_or(i64::MAX, |most| (most - 1).max(0));
            found = found.intersect(sum(Interval::new(0, most.saturating_mul(part.times)), rest));
        }
        let hi = self.upper(expr, scope).map_or(i64::MAX, clamped);
        let negated = SizeExpr::from(0).sub(expr).ok();
        let lo = negated.and_then(|negated| self.upper(&negated, scope)).map_or(i64::MIN, |hi| clamped(-hi));
        found.intersect(Interval::new(lo, hi))
    }

    /// What a sum is at most. Terms that add are taken together, as products of axes have to be; those that take away
    /// count with the least that they are.
    fn upper(&self, expr: &SizeExpr, scope: &Scope) -> Option<i128> {
        let mut most: i128 = 0;
        let (mut plain, mut limited) = (SizeExpr::from(0), SizeExpr::from(0));
        for (coefficient, factors) in expr.terms() {
            let own = term(coefficient, &factors)?;
            if coefficient > 0 {
                plain = plain.add(&own).ok()?;
                limited = limited.add(&self.limited(coefficient, &factors, scope).unwrap_or(own)).ok()?;
            } else {
                most += i128::from(own.range(&scope.ranges).hi()?);
            }
        }
        let both = [&plain, &limited].map(|sum| least(self.polynomial(sum.clone(), scope), self.by_terms(sum, scope)));
        Some(most + least(both[0], both[1])?)
    }

    /// A term that adds with what names are at most in their places. Factors are not negative, or it would not grow.
    fn limited(&self, coefficient: i64, factors: &[Factor], scope: &Scope) -> Option<SizeExpr> {
        let mut product = SizeExpr::from(coefficient);
        for factor in factors {
            let own = term(1, std::slice::from_ref(factor))?;
            if own.range(&scope.ranges).lo().is_none_or(|lo| lo < 0) {
                return None;
            }
            let most = match factor {
                Factor::Symbol(name) => scope.most.get(&**name).cloned(),
                Factor::Quotient(numerator, divisor) => self.most_of_quotient(numerator, divisor, scope),
            };
            product = product.mul(&most.unwrap_or(own)).ok()?;
        }
        Some(product)
    }

    /// What a quotient is at most, where what is divided is at most a multiple of the divisor and a number.
    fn most_of_quotient(&self, numerator: &SizeExpr, divisor: &SizeExpr, scope: &Scope) -> Option<SizeExpr> {
        let mut most = SizeExpr::from(0);
        for (coefficient, factors) in numerator.terms() {
            let own = term(coefficient, &factors)?;
            let position = match factors.as_slice() {
                [Factor::Symbol(name)] if dlc_kernel::interp::axis_number(name).is_some() => {
                    own.range(&scope.ranges).hi()
                }
                _ => None,
            };
            let own = match (coefficient, position) {
                (_, Some(position)) => SizeExpr::from(position),
                _ if factors.is_empty() => own,
                (1.., _) => self.limited(coefficient, &factors, scope)?,
                _ => return None,
            };
            most = most.add(&own).ok()?;
        }
        let number = most.terms().iter().find(|(_, factors)| factors.is_empty()).map_or(0, |(number, _)| *number);
        let times = most.sub(&SizeExpr::from(number)).ok()?.try_div(divisor)?;
        times.add(&SizeExpr::from(number.max(-1))).ok()
    }

    /// What a sum is at most, if products with quotients are bounded one by one.
    fn by_terms(&self, expr: &SizeExpr, scope: &Scope) -> Option<i128> {
        let mut most: i128 = 0;
        let mut plain = SizeExpr::from(0);
        for (coefficient, factors) in expr.terms() {
            let own = term(coefficient, &factors)?;
            let has_quotient = factors.iter().any(|factor| matches!(factor, Factor::Quotient(..)));
            let direct = own.range(&scope.ranges).hi().map(i128::from);
            if !has_quotient {
                plain = plain.add(&own).ok()?;
            } else if coefficient > 0 {
                most += least(direct, self.quotients(coefficient, &factors, scope))?;
            } else {
                most += direct?;
            }
        }
        Some(most + self.polynomial(plain, scope)?)
    }

    /// What a product with quotients is at most, as the quotient of a product.
    fn quotients(&self, coefficient: i64, factors: &[Factor], scope: &Scope) -> Option<i128> {
        let (mut above, mut below) = (SizeExpr::from(coefficient), 1i128);
        let mut left: Vec<Factor> = factors.to_vec();
        while let Some(place) = left.iter().position(|factor| matches!(factor, Factor::Quotient(..))) {
            let Factor::Quotient(numerator, divisor) = left.remove(place) else { return None };
            // Nothing is below zero, or the quotient would not be the larger the larger what is divided.
            if self.range(&numerator, scope).lo().is_none_or(|lo| lo < 0) {
                return None;
            }
            above = above.mul(&numerator).ok()?;
            match divisor.as_constant() {
                Some(divisor) => below = below.checked_mul(divisor.into())?,
                // What the divisor is at least cancels out.
                None => {
                    let is_at_least = |coefficient: i64, factors: &[Factor]| {
                        let others = term(coefficient, factors).and_then(|own| divisor.sub(&own).ok());
                        others.is_some_and(|others| self.range(&others, scope).lo().is_some_and(|lo| lo >= 0))
                    };
                    let cancelled = divisor.terms().into_iter().find(|(coefficient, factors)| {
                        let is_there = !factors.is_empty() && factors.iter().all(|factor| left.contains(factor));
                        *coefficient > 0 && is_there && is_at_least(*coefficient, factors)
                    });
                    for factor in cancelled.into_iter().flat_map(|(_, factors)| factors) {
                        let place = left.iter().position(|other| *other == factor)?;
                        left.remove(place);
                    }
                }
            }
        }
        above = above.mul(&term(1, &left)?).ok()?;
        Some(self.polynomial(above, scope)?.div_euclid(below))
    }

    /// What a polynomial is at most.
    fn polynomial(&self, mut rest: SizeExpr, scope: &Scope) -> Option<i128> {
        let ranges = &scope.ranges;
        let mut most: i128 = 0;
        for _ in 0..STEPS {
            let direct = rest.range(ranges).hi();
            if direct.is_some_and(|hi| i128::from(hi) <= i128::from(self.elements)) {
                break;
            }
            let Some((times, product)) = self.product_in(&rest, ranges) else { break };
            rest = rest.sub(&product.mul(&SizeExpr::from(times)).ok()?).ok()?;
            most += i128::from(times) * i128::from(self.elements);
        }
        let mut left: i128 = 0;
        for (coefficient, factors) in rest.terms() {
            left += i128::from(term(coefficient, &factors)?.range(ranges).hi()?);
        }
        let together = rest.range(ranges).hi().map(i128::from);
        Some(most + together.map_or(left, |together| together.min(left)))
    }

    /// A product of axes that has the first term of a polynomial that may be large by itself, and how often it is in it.
    fn product_in(&self, poly: &SizeExpr, ranges: &SizeRanges) -> Option<(i64, &SizeExpr)> {
        let terms = poly.terms();
        let is_large = |(coefficient, factors): &&(i64, Vec<Factor>)| {
            let most = || term(*coefficient, factors).and_then(|term| term.range(ranges).hi());
            *coefficient > 0 && !factors.is_empty() && most().is_none_or(|most| most > self.elements)
        };
        let (coefficient, factors) = terms.iter().find(is_large)?;
        let mut best: Option<(usize, i64, &SizeExpr)> = None;
        for product in &self.products {
            let own = product.terms();
            let Some((per, _)) = own.iter().find(|(per, own)| *per > 0 && is_same(own, factors)) else { continue };
            let times = (coefficient + per - 1) / per;
            let Ok(rest) = product.mul(&SizeExpr::from(times)).and_then(|all| poly.sub(&all)) else { continue };
            let left = rest.terms().len();
            if best.as_ref().is_none_or(|(least, most, _)| (left, times) < (*least, *most)) {
                best = Some((left, times, product));
            }
        }
        best.map(|(_, times, product)| (times, product))
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

/// A multiple of what is left of a division by something that is no number, in a sum.
struct Remainder {
    times: i64,
    divisor: SizeExpr,
    /// What else is in the sum.
    rest: SizeExpr,
}

/// Finds `times * (x - divisor * (x floordiv divisor))` in a sum. Where x is a quotient itself, the quotient of both is
/// one by their product.
fn remainder(expr: &SizeExpr) -> Option<Remainder> {
    let terms = expr.terms();
    let quotients = terms.iter().flat_map(|(_, factors)| factors);
    for atom in quotients {
        let Factor::Quotient(numerator, whole) = atom else { continue };
        if whole.as_constant().is_some() {
            continue;
        }
        // What the quotient is multiplied with, in all terms together.
        let mut beside = Some(SizeExpr::from(0));
        for (coefficient, factors) in &terms {
            let Some(place) = factors.iter().position(|factor| factor == atom) else { continue };
            let mut others = factors.clone();
            others.remove(place);
            beside = beside.and_then(|sum| sum.add(&term(-coefficient, &others)?).ok());
        }
        // A size, as far as can be seen.
        let is_size = |beside: &SizeExpr| beside.terms().iter().all(|(coefficient, _)| *coefficient > 0);
        let Some(beside) = beside.filter(is_size) else { continue };
        let common = i64::try_from(beside.largest_known_divisor()).unwrap_or(1).max(1);
        let found = [1, common].into_iter().find_map(|times| {
            let divisor = beside.try_div(&SizeExpr::from(times))?;
            let inner = whole.try_div(&divisor)?;
            let is_whole = inner.as_constant() == Some(1);
            let divided = if is_whole { numerator.clone() } else { numerator.floordiv(&inner).ok()? };
            let back = divisor.mul(&term(1, std::slice::from_ref(atom))?).ok()?;
            let rest = expr.sub(&divided.sub(&back).ok()?.mul(&SizeExpr::from(times)).ok()?).ok()?;
            let is_gone = rest.terms().iter().all(|(_, factors)| !factors.contains(atom));
            is_gone.then_some(Remainder { times, divisor, rest })
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Whether a name is a symbol of sizes, and no value or position.
fn is_size(name: &str) -> bool {
    value_number(name).is_none() && dlc_kernel::interp::axis_number(name).is_none()
}

/// A coefficient times factors.
fn term(coefficient: i64, factors: &[Factor]) -> Option<SizeExpr> {
    factors.iter().try_fold(SizeExpr::from(coefficient), |product, factor| {
        let factor = match factor {
            Factor::Symbol(name) => SizeExpr::symbol(name).ok()?,
            Factor::Quotient(numerator, divisor) => numerator.floordiv(divisor).ok()?,
        };
        product.mul(&factor).ok()
    })
}

/// Whether both are the same factors, in any order.
fn is_same(a: &[Factor], b: &[Factor]) -> bool {
    let mut left = b.to_vec();
    a.iter().all(|factor| left.iter().position(|other| other == factor).map(|place| left.remove(place)).is_some())
        && left.is_empty()
}

fn least(a: Option<i128>, b: Option<i128>) -> Option<i128> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (known, None) | (None, known) => known,
    }
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
