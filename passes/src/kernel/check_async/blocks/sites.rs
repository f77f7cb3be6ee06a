//! Where an op of a grid is and what holds there, as a set of integers: twice, for two blocks that are held against each
//! other.

use std::rc::Rc;

use dlc_core::guard::Guard;
use dlc_core::sizes::value_number;
use dlc_ir::affine::{AffineExpr, Constraint, Factor, IntegerSet, Interval, Ranges, SizeExpr};
use dlc_ir::body::ValueDef;
use dlc_ir::{OpId, OpRef, RegionId, Type, ValueId};
use dlc_kernel::interp::axis_number;
use dlc_kernel::ops;
use rustc_hash::FxHashMap;

use super::Counters;
use super::quotients::{product_of, remainder_of};
use super::ways::{not_negative, smaller_or_greater};
use super::witness::Place;

/// An integer of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Var {
    /// The number of the block along an axis.
    Block(usize),
    /// A value: a ticket, the integer of a loop, the group of a role, anything that is not followed further.
    Value(ValueId),
    /// The group of a role that has no value for it.
    Group(OpId),
    /// A position in the fragment of an access.
    Axis(usize),
}

/// Which of the two blocks.
pub type Side = u8;

/// What holds of two blocks.
#[derive(Clone)]
pub struct Pair<'a> {
    pub grid: OpRef<'a>,
    /// The numbers of both, where they are chosen.
    pub place: Option<Rc<Place>>,
    counters: Rc<Counters>,
    dims: Vec<(Side, Var)>,
    ranges: Vec<Interval>,
    /// Symbols, and what of symbols is not linear, as one.
    symbols: Vec<(String, Interval)>,
    pub(super) constraints: Vec<Constraint>,
    /// The values that are the smaller or the greater of two, of which that is among the constraints.
    limited: Vec<(Side, ValueId)>,
    /// The group of a role that is looked at, as a number.
    pub fixed: Option<(ValueId, i64)>,
    /// Whether it is worth while to look closer at quotients and products.
    pub by_cases: bool,
    /// Symbols, or quotients of symbols, that are taken to be a number.
    pub known: Rc<[(Factor, i64)]>,
    /// Where the first is not negative, the others are not: of products and quotients, as one number each.
    pub(super) implied: Vec<(AffineExpr, Vec<AffineExpr>)>,
    /// Quotients by what is no number, what is divided, and by what.
    pub(super) quotients: Vec<[AffineExpr; 3]>,
    /// Between which numbers values are that loops carry.
    pub between: Rc<Between>,
    /// Whether all conditions of each side are among the constraints.
    pub exact: [bool; 2],
    /// Whether everything else that holds is too: then a point of the set is a launch with two blocks that do what is said.
    pub is_complete: bool,
}

/// Between which numbers values are.
pub type Between = FxHashMap<ValueId, (i64, i64)>;

/// How two blocks that are not the same differ: in this integer, which is the smaller one for the first or the second.
pub type Differs = Option<(Var, bool)>;

impl<'a> Pair<'a> {
    pub fn new(grid: OpRef<'a>, counters: Rc<Counters>) -> Pair<'a> {
        Pair::placed(grid, counters, None)
    }

    /// Two blocks of a launch, of which all numbers are known.
    pub fn at(grid: OpRef<'a>, counters: Rc<Counters>, place: Place) -> Pair<'a> {
        Pair::placed(grid, counters, Some(Rc::new(place)))
    }

    fn placed(grid: OpRef<'a>, counters: Rc<Counters>, place: Option<Rc<Place>>) -> Pair<'a> {
        let symbols = Vec::new();
        let (dims, ranges, constraints) = (Vec::new(), Vec::new(), Vec::new());
        let (exact, is_complete) = ([true; 2], true);
        let (limited, fixed, by_cases, between, implied) = (Vec::new(), None, false, Rc::default(), Vec::new());
        let mut pair = Pair {
            grid,
            place,
            counters,
            dims,
            ranges,
            symbols,
            constraints,
            limited,
            fixed,
            by_cases,
            known: Rc::new([]),
            between,
            implied,
            quotients: Vec::new(),
            exact,
            is_complete,
        };
        pair.requirements();
        pair
    }

    /// Another one, in which the symbols have the same numbers.
    pub fn alongside(&self) -> Pair<'a> {
        let mut pair = Pair::new(self.grid, Rc::clone(&self.counters));
        pair.symbols.clone_from(&self.symbols);
        (pair.dims, pair.ranges, pair.constraints) = (Vec::new(), Vec::new(), Vec::new());
        pair.requirements();
        pair
    }

    /// What the launch requires.
    fn requirements(&mut self) {
        let grid = self.grid;
        let before = std::iter::successors(grid.body.prev_op(grid.id), |&id| grid.body.prev_op(id));
        for require in before.filter_map(|id| ops::Require::of(OpRef { id, ..grid })) {
            let args: Vec<ValueId> = require.args().collect();
            self.guard(0, &require.guard(), &args);
        }
        self.is_complete &= self.exact[0];
        self.exact = [true; 2];
    }

    /// The integer of a side, with what is known of it everywhere.
    pub fn var(&mut self, side: Side, var: Var) -> AffineExpr {
        if let (Some(place), Var::Block(axis)) = (&self.place, var) {
            return AffineExpr::Constant(place.blocks[side as usize].get(axis).copied().unwrap_or(0));
        }
        if let Some(at) = self.dims.iter().position(|&known| known == (side, var)) {
            return AffineExpr::Dim(at as u32);
        }
        let at = AffineExpr::Dim(self.dims.len() as u32);
        self.dims.push((side, var));
        self.ranges.push(Interval::ALL);
        let index = self.ranges.len() - 1;
        let grid = ops::Grid::from(self.grid);
        let mut below = None;
        self.is_complete &= match var {
            Var::Value(value) => self.is_counted(value),
            _ => true,
        };
        match var {
            Var::Block(axis) => below = Some(grid.dims().get(axis).cloned().unwrap_or_else(|| 1.into())),
            Var::Group(role) => {
                let groups = ops::Role::of(OpRef { id: role, ..self.grid }).map_or(1, |role| role.groups());
                self.ranges[index] = Interval::new(0, groups - 1);
            }
            Var::Value(value) => match self.grid.body.value_def(value) {
                ValueDef::Result(id, _) => {
                    let op = OpRef { id, ..self.grid };
                    if let Some(acquire) = ops::Acquire::of(op) {
                        self.ranges[index] = Interval::new(acquire.value(), i64::from(i32::MAX));
                    } else if let Some(order) = ops::TileOrder::of(op) {
                        // It is of a number within its tiles.
                        let axis = usize::from(order.row() != value);
                        let args: Vec<ValueId> = order.args().collect();
                        self.ranges[index] = Interval::NOT_NEGATIVE;
                        if let Some(size) = order.tiles().get(axis).and_then(|size| self.expr(side, size, &args)) {
                            self.at_most(&at, &size, -1);
                        }
                    } else if ops::Ticket::of(op).is_some() {
                        self.ranges[index] = Interval::NOT_NEGATIVE;
                        below = self.counters.get(&id).map(|counter| counter.count.clone());
                    }
                }
                _ if self.between.contains_key(&value) => {
                    let (first, last) = self.between[&value];
                    self.ranges[index] = Interval::new(first, last);
                }
                ValueDef::Arg(block, 0) => {
                    let parent =
                        self.grid.body.region_of(block).and_then(|region| self.grid.body.region_parent(region));
                    if let Some(role) = parent.and_then(|id| ops::Role::of(OpRef { id, ..self.grid })) {
                        self.ranges[index] = Interval::new(0, role.groups() - 1);
                    }
                }
                _ => {}
            },
            Var::Axis(_) => {}
        }
        if let Some(below) = below {
            self.ranges[index] = Interval::NOT_NEGATIVE;
            let args: Vec<ValueId> = grid.args().collect();
            match self.expr(side, &below, &args) {
                Some(below) => self.at_most(&at, &below, -1),
                None => self.is_complete = false,
            }
        }
        at
    }

    /// Whether a value is the integer of a loop or the group of a role: what it may be follows from the ops around it.
    fn is_counted(&self, value: ValueId) -> bool {
        let body = self.grid.body;
        let ValueDef::Arg(block, 0) = body.value_def(value) else { return false };
        let parent = body.region_of(block).and_then(|region| body.region_parent(region));
        let parent = parent.map(|id| OpRef { id, ..self.grid });
        parent.is_some_and(|op| ops::For::of(op).is_some() || ops::Role::of(op).is_some())
    }

    /// The position of an access along an axis of its fragment.
    pub fn axis(&mut self, side: Side, axis: usize, size: i64) {
        if let AffineExpr::Dim(at) = self.var(side, Var::Axis(axis)) {
            self.ranges[at as usize] = Interval::new(0, size - 1);
        }
    }

    /// Numbers of the launch that are not linear, as one: what they are computed from is forgotten.
    pub(super) fn product(&mut self, name: String, range: Interval) -> AffineExpr {
        self.is_complete = false;
        self.symbol(name, range)
    }

    fn symbol(&mut self, name: String, range: Interval) -> AffineExpr {
        if let Some(&number) = self.place.as_ref().and_then(|place| place.sizes.get(&name)) {
            return AffineExpr::Constant(number);
        }
        let at = self.symbols.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.symbols.push((name, range));
            self.symbols.len() - 1
        });
        AffineExpr::Symbol(at as u32)
    }

    /// A value as it is computed from others.
    pub fn value(&mut self, side: Side, value: ValueId) -> Option<AffineExpr> {
        if let ValueDef::Result(id, _) = self.grid.body.value_def(value) {
            let op = OpRef { id, ..self.grid };
            if let Some(index) = ops::Index::of(op).filter(|index| op.type_of(index.out()) == Type::INDEX) {
                let args: Vec<ValueId> = index.args().collect();
                if let Some(expr) = index.value().first().and_then(|expr| self.expr(side, expr, &args)) {
                    return Some(expr);
                }
            }
            if let Some(block) = ops::BlockId::of(op) {
                return Some(self.var(side, Var::Block(block.axis().clamp(0, 2) as usize)));
            }
            if ops::BlockRank::of(op).is_some() {
                return self.rank(side);
            }
            if let Some(size) = ops::GridSize::of(op) {
                let grid = ops::Grid::from(self.grid);
                let args: Vec<ValueId> = grid.args().collect();
                let dim = grid.dims().get(size.axis().clamp(0, 2) as usize).cloned().unwrap_or_else(|| 1.into());
                return self.expr(side, &dim, &args);
            }
        }
        if let Some(number) = self.by_cases.then(|| self.constant(value)).flatten() {
            return Some(AffineExpr::Constant(number));
        }
        if let Some((_, number)) = self.fixed.filter(|&(fixed, _)| fixed == value) {
            return Some(AffineExpr::Constant(number));
        }
        if let (Some(_), ValueDef::Result(..)) = (&self.place, self.grid.body.value_def(value))
            && let Some(number) = self.number(side, value)
        {
            return Some(AffineExpr::Constant(number));
        }
        if let Some(at) = self.at_launch(Var::Value(value)) {
            self.limit(0, value);
            return Some(at);
        }
        // What is no integer of the block, such as an index that is loaded for each element, has no single value.
        if self.grid.body.value_type(value) != Type::INDEX {
            return None;
        }
        self.limit(side, value);
        Some(self.var(side, Var::Value(value)))
    }

    /// The number of the block in its cluster, the first axis first.
    fn rank(&mut self, side: Side) -> Option<AffineExpr> {
        let cluster = ops::Grid::from(self.grid).cluster().unwrap_or_default();
        let (mut rank, mut below) = (AffineExpr::Constant(0), 1);
        for (axis, &blocks) in cluster.iter().enumerate().filter(|&(_, &blocks)| blocks > 1) {
            let own = self.var(side, Var::Block(axis)).modulo(&AffineExpr::Constant(blocks)).ok()?;
            rank = rank.add(&own.mul(&AffineExpr::Constant(below)).ok()?).ok()?;
            below *= blocks;
        }
        Some(rank)
    }

    /// What follows from a value that is the smaller or the greater of two others.
    fn limit(&mut self, side: Side, value: ValueId) {
        let ValueDef::Result(id, _) = self.grid.body.value_def(value) else { return };
        let Some((both, is_min)) = smaller_or_greater(OpRef { id, ..self.grid }) else { return };
        if self.place.is_some() || self.limited.contains(&(side, value)) {
            return;
        }
        self.limited.push((side, value));
        let at = self.var(side, Var::Value(value));
        for other in both {
            match self.value(side, other) {
                Some(other) if is_min => self.at_most(&at, &other, 0),
                Some(other) => self.at_most(&other, &at, 0),
                None => {}
            }
        }
    }

    /// An integer that is computed at the launch, for all blocks; `None` for another one.
    pub fn at_launch(&mut self, var: Var) -> Option<AffineExpr> {
        let Var::Value(value) = var else { return None };
        let body = self.grid.body;
        let block = match body.value_def(value) {
            ValueDef::Result(id, _) => body.block_of(id),
            ValueDef::Arg(block, _) => Some(block),
            ValueDef::Placeholder => None,
        };
        let is_index = body.value_type(value) == Type::INDEX;
        (is_index && block == body.block_of(self.grid.id)).then(|| self.var(0, var))
    }

    /// An expression, if it is affine.
    pub fn expr(&mut self, side: Side, expr: &SizeExpr, args: &[ValueId]) -> Option<AffineExpr> {
        let sum = self.terms(side, expr, args);
        // A remainder by a symbol is less than that: by 0 nothing is divided.
        if self.by_cases
            && let Some((above, below)) = remainder_of(expr)
            && let Some(remainder) = above.modulo(&below).ok().and_then(|it| self.terms(side, &it, args))
            && let Some(below) = self.terms(side, &below, args)
        {
            self.at_most(&AffineExpr::Constant(0), &remainder, 0);
            self.at_most(&remainder, &below, -1);
        }
        sum
    }

    fn terms(&mut self, side: Side, expr: &SizeExpr, args: &[ValueId]) -> Option<AffineExpr> {
        let expr = &*self.with_known(expr);
        let mut sum = AffineExpr::Constant(0);
        for (coefficient, factors) in expr.terms() {
            let part = match factors.as_slice() {
                [] => AffineExpr::Constant(1),
                [Factor::Symbol(name)] => match (value_number(name), axis_number(name)) {
                    (Some(number), _) => self.value(side, *args.get(number)?)?,
                    (None, Some(axis)) => self.var(side, Var::Axis(axis)),
                    (None, None) => self.symbol(name.to_string(), Interval::NOT_NEGATIVE),
                },
                [Factor::Quotient(above, below)] if below.as_constant().is_some_and(|below| below > 0) => {
                    let above = self.expr(side, above, args)?;
                    above.floordiv(&AffineExpr::Constant(below.as_constant()?)).ok()?
                }
                [Factor::Quotient(above, below)] if self.by_cases => self.quotient(side, above, below, args)?,
                factors => match self.known_term(side, factors, args) {
                    Some(known) => known,
                    None => match self.product_of_sizes(factors) {
                        Some(product) => product,
                        None if self.by_cases => match self.multiple(side, factors, args) {
                            Some(multiple) => multiple,
                            None => self.product(product_of(factors, args), Interval::ALL),
                        },
                        None => return None,
                    },
                },
            };
            sum = part.mul(&AffineExpr::Constant(coefficient)).and_then(|part| sum.add(&part)).ok()?;
        }
        Some(sum)
    }

    /// A product of numbers that are known but for one, or one of which is 0.
    fn multiple(&mut self, side: Side, factors: &[Factor], args: &[ValueId]) -> Option<AffineExpr> {
        let mut product = AffineExpr::Constant(1);
        let mut is_linear = true;
        for factor in factors {
            let value = match factor {
                Factor::Symbol(name) => match value_number(name) {
                    Some(number) => self.value(side, *args.get(number)?)?,
                    None if axis_number(name).is_none() => self.symbol(name.to_string(), Interval::NOT_NEGATIVE),
                    None => return None,
                },
                Factor::Quotient(above, below) => {
                    let (above, below) = (self.expr(side, above, args)?, self.expr(side, below, args)?);
                    below.as_constant().filter(|&below| below > 0)?;
                    above.floordiv(&below).ok()?
                }
            };
            if self.by_cases && self.implies_equal(&value, &AffineExpr::Constant(0)) {
                return Some(AffineExpr::Constant(0));
            }
            is_linear &= value.as_constant().is_some() || product.as_constant().is_some();
            if is_linear {
                product = product.mul(&value).ok()?;
            }
        }
        is_linear.then_some(product)
    }

    /// The two cases of the first of the values that are the smaller or the greater of two others from a place on; and the
    /// place after it.
    pub fn split(&self, from: usize) -> Option<([Pair<'a>; 2], usize)> {
        let &(side, value) = self.limited.get(from)?;
        let ValueDef::Result(id, _) = self.grid.body.value_def(value) else { return None };
        let (both, is_min) = smaller_or_greater(OpRef { id, ..self.grid })?;
        let case = |same: ValueId| {
            let mut pair = self.clone();
            let at = pair.var(side, Var::Value(value));
            // More may be known of them now.
            for other in both {
                match pair.value(side, other) {
                    Some(other) if is_min => pair.at_most(&at, &other, 0),
                    Some(other) => pair.at_most(&other, &at, 0),
                    None => {}
                }
            }
            if let Some(same) = pair.value(side, same) {
                pair.equal(&at, &same);
            }
            pair
        };
        Some((both.map(case), from + 1))
    }

    /// A product of sizes: a number that all blocks agree on.
    fn product_of_sizes(&mut self, factors: &[Factor]) -> Option<AffineExpr> {
        let is_size = |expr: &SizeExpr| {
            expr.symbols().iter().all(|name| value_number(name).is_none() && axis_number(name).is_none())
        };
        let (mut text, mut range) = (String::new(), Interval::NOT_NEGATIVE);
        for factor in factors {
            match factor {
                Factor::Symbol(name) if value_number(name).is_none() && axis_number(name).is_none() => {
                    text += &format!("*{name}");
                }
                Factor::Quotient(above, below) if is_size(above) && is_size(below) => {
                    text += &format!("*(({above}) floordiv ({below}))");
                    if !not_negative(above) || !not_negative(below) {
                        range = Interval::ALL;
                    }
                }
                _ => return None,
            }
        }
        let is_new = !self.symbols.iter().any(|(name, _)| *name == text);
        let product = self.product(text, range);
        if self.by_cases && is_new && range == Interval::NOT_NEGATIVE {
            let parts = factors.iter().map(|factor| match factor {
                Factor::Symbol(name) => SizeExpr::symbol(name).ok(),
                Factor::Quotient(above, below) => above.floordiv(below).ok(),
            });
            let parts: Vec<SizeExpr> = parts.flatten().collect();
            let parts: Vec<AffineExpr> = parts.iter().filter_map(|part| self.expr(0, part, &[])).collect();
            // Of a product that is not 0 no factor is.
            let less = |number: &AffineExpr| number.sub(&AffineExpr::Constant(1)).ok();
            if let Some(when) = less(&product) {
                self.implied.push((when, parts.iter().filter_map(less).collect()));
            }
        }
        Some(product)
    }

    /// `low <= high + gap`
    pub fn at_most(&mut self, low: &AffineExpr, high: &AffineExpr, gap: i64) {
        let room = high.sub(low).and_then(|room| room.add(&AffineExpr::Constant(gap)));
        self.holds(room.and_then(|room| Constraint::at_least(&room, &AffineExpr::Constant(0))).ok());
    }

    fn holds(&mut self, constraint: Option<Constraint>) {
        self.is_complete &= constraint.is_some();
        self.constraints.extend(constraint.filter(|constraint| !self.constraints.contains(constraint)));
    }

    /// `a == b`
    pub fn equal(&mut self, a: &AffineExpr, b: &AffineExpr) {
        self.holds(Constraint::equal(a, b).ok());
    }

    /// The two blocks differ as said.
    pub fn differ(&mut self, differs: Differs) {
        let Some((var, first_is_less)) = differs else { return };
        let (a, b) = (self.var(0, var), self.var(1, var));
        if first_is_less { self.at_most(&a, &b, -1) } else { self.at_most(&b, &a, -1) }
    }

    fn guard(&mut self, side: Side, guard: &Guard, args: &[ValueId]) {
        let [piece] = guard.pieces.as_slice() else {
            self.exact[side as usize] = false;
            return;
        };
        for condition in piece {
            let bounds = condition.not_negative();
            self.exact[side as usize] &= bounds.is_ok();
            for expr in bounds.unwrap_or_default() {
                match self.expr(side, &expr, args) {
                    Some(expr) => self.at_most(&AffineExpr::Constant(0), &expr, 0),
                    None => self.exact[side as usize] = false,
                }
            }
        }
    }

    /// What does not hold where the other region of an 'if' is run: of one bound the contrary.
    fn contrary(&mut self, side: Side, guard: &Guard, args: &[ValueId]) {
        let bounds: Option<Vec<SizeExpr>> = match guard.pieces.as_slice() {
            [piece] => piece
                .iter()
                .map(|condition| condition.not_negative().ok())
                .collect::<Option<Vec<_>>>()
                .map(|all| all.concat()),
            _ => None,
        };
        match bounds.as_deref() {
            Some([bound]) => match self.expr(side, bound, args) {
                Some(bound) => self.at_most(&bound, &AffineExpr::Constant(-1), 0),
                None => self.exact[side as usize] = false,
            },
            _ => self.exact[side as usize] = false,
        }
    }

    /// What holds where an op is run: the loops, conditions and roles around it.
    pub fn path(&mut self, side: Side, op: OpRef<'a>) {
        let mut at = op.id;
        while let Some(id) = op.body.parent_op(at).filter(|&id| id != self.grid.id) {
            let around = OpRef { id, ..op };
            let region = op.body.block_of(at).and_then(|block| op.body.region_of(block));
            if let Some(loop_) = ops::For::of(around) {
                self.loop_(side, loop_);
            } else if let Some(branch) = ops::If::of(around) {
                self.branch(side, branch, region);
            } else if let Some(role) = ops::Role::of(around) {
                self.var(side, group_of(role));
            } else if ops::Elect::of(around).is_none() {
                self.exact[side as usize] = false;
            }
            at = id;
        }
    }

    /// What holds in each round of a loop.
    pub fn loop_(&mut self, side: Side, op: ops::For<'_>) {
        let block = op.body.first_block(ops::For::body(op));
        let Some(&index) = block.and_then(|block| op.body.args(block).first()) else { return };
        let at = self.var(side, Var::Value(index));
        let args: Vec<ValueId> = op.args().collect();
        let bounds: Vec<Option<AffineExpr>> = op.bounds().iter().map(|bound| self.expr(side, bound, &args)).collect();
        let [first, last, step] = bounds.as_slice() else { return };
        if first.is_none() || last.is_none() {
            self.exact[side as usize] = false;
        }
        if let Some(first) = first {
            self.at_most(first, &at, 0);
        }
        if let Some(last) = last {
            self.at_most(&at, last, -1);
        }
        match (step.as_ref().and_then(AffineExpr::as_constant), first) {
            (Some(1), _) => {}
            (Some(step), Some(first)) if step > 1 => {
                let rest = at.sub(first).and_then(|rest| rest.modulo(&AffineExpr::Constant(step)));
                match rest {
                    Ok(rest) => self.equal(&rest, &AffineExpr::Constant(0)),
                    Err(_) => self.exact[side as usize] = false,
                }
            }
            _ => self.exact[side as usize] = false,
        }
    }

    fn branch(&mut self, side: Side, op: ops::If<'_>, region: Option<RegionId>) {
        let Some(guard) = op.guard() else {
            self.exact[side as usize] = false;
            return;
        };
        let args: Vec<ValueId> = op.args().collect();
        match region == Some(ops::If::then(op)) {
            true => self.guard(side, &guard, &args),
            false => self.contrary(side, &guard, &args),
        }
    }

    /// The condition of an access itself.
    pub fn inside(&mut self, side: Side, guard: Option<&Guard>, args: &[ValueId]) {
        if let Some(guard) = guard {
            let exact = self.exact;
            self.guard(side, guard, args);
            self.is_complete &= self.exact[side as usize];
            self.exact = exact;
        }
    }

    /// Whether nothing is as said.
    pub fn is_impossible(&self) -> bool {
        self.is_empty() == Some(true)
    }

    /// Whether all that holds is known: then a point of the set is a launch with two blocks that do what is said.
    pub fn is_exact(&self) -> bool {
        self.is_complete && self.exact == [true; 2]
    }

    /// Whether some launch has two blocks that do what is said; `None` where that is not known.
    pub fn has_point(&self) -> Option<bool> {
        self.is_empty().map(|is_empty| !is_empty).filter(|&has_point| !has_point || self.is_exact())
    }

    fn is_empty(&self) -> Option<bool> {
        let ranges = Ranges {
            dims: self.ranges.clone(),
            symbols: self.symbols.iter().map(|(_, range)| *range).collect(),
            limits: vec![None; self.dims.len()],
        };
        let set = IntegerSet::new(self.dims.len() as u32, self.symbols.len() as u32, self.constraints.clone());
        set.ok()?.is_empty(&ranges)
    }

    /// Whether two numbers are the same wherever all of this holds.
    pub fn implies_equal(&self, a: &AffineExpr, b: &AffineExpr) -> bool {
        self.implies_less(a, b, 0) && self.implies_less(b, a, 0)
    }

    /// Whether `a - b <= gap` wherever all of this holds.
    pub fn implies_less(&self, a: &AffineExpr, b: &AffineExpr, gap: i64) -> bool {
        let mut other = self.clone();
        other.at_most(b, a, -1 - gap);
        other.is_impossible()
    }

    /// The integers of both blocks.
    pub fn dims(&self) -> &[(Side, Var)] {
        &self.dims
    }

    /// What holds of them.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Between which numbers one of them is.
    pub fn range(&self, dim: usize) -> Interval {
        self.ranges[dim]
    }

    /// Whether a constraint of one [alongside](Pair::alongside) this holds wherever all of this does, with expressions for its
    /// integers.
    pub fn implies_all(&self, constraint: &Constraint, dims: &[AffineExpr]) -> bool {
        let symbols: Vec<AffineExpr> = (0..self.symbols.len() as u32).map(AffineExpr::Symbol).collect();
        let Ok(expr) = constraint.expr.substitute(dims, &symbols) else { return false };
        let zero = AffineExpr::Constant(0);
        match constraint.relation {
            dlc_ir::affine::Relation::Zero => self.implies_equal(&expr, &zero),
            dlc_ir::affine::Relation::NotNegative => self.implies_less(&zero, &expr, 0),
        }
    }
}

/// The integer that tells the groups of a role apart.
pub fn group_of(role: ops::Role<'_>) -> Var {
    let block = role.body.first_block(ops::Role::body(role));
    let arg = block.and_then(|block| role.body.args(block).first().copied());
    arg.map_or(Var::Group(role.id), Var::Value)
}
