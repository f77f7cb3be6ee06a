//! What is known of the integers in a kernel.

use dlc_ir::affine::{Interval, SizeExpr, SizeRanges};
use dlc_ir::body::{Body, OpRef};
use dlc_ir::{Context, OpId, Type, ValueId};
use dlc_kernel::ops::{BlockId, For, Grid, GridSize, Index, Role, TileOrder};
use dlc_kernel::types::{Frag, Tile};
use rustc_hash::FxHashMap;

use crate::analysis::expressions::{Decided, OpExprs, decide};

/// A loop that is taken to run its full steps only.
pub struct FullSteps {
    /// The loop.
    pub of: OpId,
}

/// A variable, which is not below the one and not above the other, where these are known. They name earlier variables
/// only.
struct Variable {
    name: String,
    least: Option<SizeExpr>,
    greatest: Option<SizeExpr>,
    /// What it is at each of the trials, if it can be anything there.
    trials: [Option<i64>; 2],
}

/// Before something is proved it is tried: all sizes are this number, each variable as small as it may be, or as large.
/// No tile fits it.
const TRIED: i64 = 97;

/// The integers of a kernel, each an expression of sizes and variables.
pub struct Facts<'a> {
    ctx: &'a Context,
    body: &'a Body,
    divisors: &'a [(String, i64)],
    /// The loop of which only the full steps are looked at.
    pub only_full_steps: Option<FullSteps>,
    variables: Vec<Variable>,
    /// Those of the variables as far as they are numbers.
    ranges: SizeRanges,
    known: FxHashMap<ValueId, SizeExpr>,
}

/// The expressions of an op in terms of sizes and variables.
pub struct InFacts<'a> {
    values: Vec<SizeExpr>,
    axes: Vec<SizeExpr>,
    divisors: &'a [(String, i64)],
}

impl InFacts<'_> {
    /// An expression of the op. `None` beyond the limits of expressions.
    pub fn put(&self, expr: &SizeExpr) -> Option<SizeExpr> {
        expr.substitute(&|symbol| {
            if let Some(number) = dlc_core::sizes::value_number(symbol) {
                return self.values.get(number).cloned();
            }
            if let Some(axis) = dlc_kernel::verify::axis_number(symbol) {
                return self.axes.get(axis).cloned();
            }
            scaled(self.divisors, symbol)
        })
        .ok()
    }
}

/// A size of which a divisor is known: that many times another number, which has its name.
fn scaled(divisors: &[(String, i64)], symbol: &str) -> Option<SizeExpr> {
    let (_, divisor) = divisors.iter().find(|(name, _)| name == symbol)?;
    SizeExpr::symbol(symbol).ok()?.mul(&(*divisor).into()).ok()
}

/// No symbol of a kernel has a name with this in it.
const VARIABLE: &str = "at$.";

impl<'a> Facts<'a> {
    /// Nothing is known yet but what sizes are multiples of.
    pub fn new(ctx: &'a Context, body: &'a Body, divisors: &'a [(String, i64)]) -> Facts<'a> {
        let (variables, ranges, known) = (Vec::new(), SizeRanges::default(), FxHashMap::default());
        Facts { ctx, body, divisors, only_full_steps: None, variables, ranges, known }
    }

    fn variable(&mut self, least: Option<SizeExpr>, greatest: Option<SizeExpr>) -> SizeExpr {
        let name = format!("{VARIABLE}{}", self.variables.len());
        let symbol = SizeExpr::symbol(&name).unwrap_or_else(|_| 0.into());
        let end = |end: &Option<SizeExpr>| end.as_ref().and_then(SizeExpr::as_constant);
        let (lo, hi) = (end(&least).unwrap_or(i64::MIN), end(&greatest).unwrap_or(i64::MAX));
        self.ranges.named.insert(name.as_str().into(), Interval::new(lo, hi));
        let trials = [0, 1].map(|trial| {
            let value = |end: &Option<SizeExpr>| match end {
                Some(end) => self.tried(end, trial).map(Some),
                None => Some(None),
            };
            match (value(&least)?, value(&greatest)?) {
                (Some(least), Some(greatest)) if least > greatest => None,
                (Some(least), Some(greatest)) => Some([least, greatest][trial]),
                (Some(end), None) | (None, Some(end)) => Some(end),
                (None, None) => Some(0),
            }
        });
        self.variables.push(Variable { name, least, greatest, trials });
        symbol
    }

    /// What an expression is at a trial.
    fn tried(&self, expr: &SizeExpr, trial: usize) -> Option<i64> {
        let value = |name: &str| match name.strip_prefix(VARIABLE) {
            Some(number) => self.variables.get(number.parse::<usize>().ok()?)?.trials[trial],
            None => Some(TRIED),
        };
        expr.eval(&value).ok()
    }

    /// One of so many, counted from 0.
    fn one_of(&mut self, count: Option<SizeExpr>) -> SizeExpr {
        let greatest = count.and_then(|count| count.sub(&1.into()).ok());
        self.variable(Some(0.into()), greatest)
    }

    /// The values and axes of an op.
    pub fn names(&mut self, op: OpRef<'_>, places: &OpExprs) -> InFacts<'a> {
        let values = places.args.iter().map(|&value| self.value(value)).collect();
        let shape = op.results().chain(op.operands()).find_map(|value| {
            let ty = op.type_of(value);
            let frag = Frag::of(self.ctx, ty).map(|frag| frag.shape(self.ctx));
            frag.or_else(|| Tile::of(self.ctx, ty).map(|tile| tile.shape(self.ctx)))
        });
        let axes = shape.unwrap_or_default().into_iter().map(|size| self.one_of(Some(size.into()))).collect();
        InFacts { values, axes, divisors: self.divisors }
    }

    /// A value.
    fn value(&mut self, value: ValueId) -> SizeExpr {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let made = match self.body.value_type(value) {
            Type::INDEX => self.integer(value),
            _ => None,
        };
        let made = made.unwrap_or_else(|| self.variable(None, None));
        self.known.insert(value, made.clone());
        made
    }

    fn integer(&mut self, value: ValueId) -> Option<SizeExpr> {
        let view = |id: OpId| OpRef::new(self.ctx, self.body, id);
        let Some(id) = self.body.defining_op(value) else {
            let block = self.body.defining_block(value)?;
            let holder = self.body.region_parent(self.body.region_of(block)?)?;
            if let Some(role) = Role::of(view(holder)) {
                return Some(self.one_of(Some(role.groups().into())));
            }
            let op = For::of(view(holder))?;
            return (self.body.args(block).first() == Some(&value)).then(|| self.counter(op))?;
        };
        let op = view(id);
        if let Some(index) = Index::of(op) {
            let names = self.names(op, &OpExprs::of(op)?);
            return names.put(index.value().first()?);
        }
        if let Some(block) = BlockId::of(op) {
            let size = self.blocks(id, block.axis())?;
            return Some(self.one_of(Some(size)));
        }
        if let Some(size) = GridSize::of(op) {
            return self.blocks(id, size.axis());
        }
        if let Some(order) = TileOrder::of(op) {
            let axis = usize::from(value != order.row());
            let names = self.names(op, &OpExprs::of(op)?);
            let count = names.put(order.tiles().get(axis)?)?;
            return Some(self.one_of(Some(count)));
        }
        None
    }

    /// The number of blocks of the grid around an op.
    fn blocks(&mut self, id: OpId, axis: i64) -> Option<SizeExpr> {
        let mut around = std::iter::successors(Some(id), |&id| self.body.parent_op(id));
        let grid = around.find_map(|id| Grid::of(OpRef::new(self.ctx, self.body, id)))?;
        let names = self.names(*grid, &OpExprs::of(*grid)?);
        match grid.dims().get(usize::try_from(axis).ok()?) {
            Some(size) => names.put(size),
            None => Some(1.into()),
        }
    }

    fn counter(&mut self, op: For<'_>) -> Option<SizeExpr> {
        let names = self.names(*op, &OpExprs::of(*op)?);
        let bounds: Vec<SizeExpr> = op.bounds().iter().map(|bound| names.put(bound)).collect::<Option<_>>()?;
        let [first, last, step] = bounds.as_slice() else { return None };
        if step.as_constant().is_none_or(|step| step < 1) {
            return Some(self.variable(Some(first.clone()), last.sub(&1.into()).ok()));
        }
        let span = last.sub(first).ok()?;
        let full = self.only_full_steps.as_ref().is_some_and(|full| full.of == op.id);
        let trips = if full { span.floordiv(step) } else { span.ceildiv(step) };
        let count = self.one_of(trips.ok());
        first.add(&step.mul(&count).ok()?).ok()
    }

    /// Whether an expression of sizes and variables is never negative, or always. `None` where that is not known.
    pub fn is_not_negative(&self, expr: &SizeExpr) -> Option<bool> {
        // Where it is of that sign at a place, there is no proof that it never is.
        let tried = [0, 1].map(|trial| self.tried(expr, trial));
        let is_somewhere = |is: fn(i64) -> bool| tried.into_iter().flatten().any(is);
        if !is_somewhere(|value| value < 0) && self.least(expr).is_some_and(|least| least >= 0) {
            return Some(true);
        }
        if is_somewhere(|value| value >= 0) {
            return None;
        }
        let opposite = SizeExpr::from(-1).sub(expr).ok()?;
        self.least(&opposite).is_some_and(|least| least >= 0).then_some(false)
    }

    /// A number that the expression is not below.
    fn least(&self, expr: &SizeExpr) -> Option<i64> {
        let mut expr = expr.clone();
        let mut symbols = expr.symbols();
        let mut later = self.variables.len();
        // Each variable that is named, from the last: what stands for one names earlier ones only.
        let number = |name: &str| name.strip_prefix(VARIABLE)?.parse::<usize>().ok();
        while let Some(last) = symbols.iter().filter_map(|name| number(name)).filter(|&number| number < later).max() {
            later = last;
            let variable = &self.variables[last];
            let name = variable.name.as_str();
            let at = |place: SizeExpr| expr.substitute(&|symbol| (symbol == name).then(|| place.clone())).ok();
            // How it grows with the variable, if that is the same everywhere.
            let next = SizeExpr::symbol(name).ok()?.add(&1.into()).ok()?;
            let slope = at(next).and_then(|next| next.sub(&expr).ok());
            let Some(slope) = slope.filter(|slope| !slope.symbols().contains(name)) else { continue };
            let slope = slope.range(&self.ranges);
            let end = match (slope.lo(), slope.hi()) {
                (Some(0..), _) => &variable.least,
                (_, Some(..=0)) => &variable.greatest,
                _ => &None,
            };
            if let Some(end) = end.clone().and_then(at) {
                expr = end;
                symbols = expr.symbols();
            }
        }
        expr.simplify_under(&self.ranges).range(&self.ranges).lo()
    }
}

/// What is left of the guard of an op, with the places it is written in.
pub fn decided(facts: &mut Facts<'_>, op: OpRef<'_>) -> Option<(OpExprs, Decided)> {
    let places = OpExprs::of(op)?;
    let guard = places.guard.clone()?;
    let named = facts.names(op, &places);
    let facts = std::cell::RefCell::new(facts);
    let decided = decide(&guard, &|expr| facts.borrow_mut().is_not_negative(&named.put(expr)?));
    Some((places, decided))
}
