//! By how much the integers of two blocks differ that touch the same element.
//!
//! The positions of both are the same polynomial, but for a constant, in integers that each block has for itself: its
//! number, the integers of its loops, the position in a fragment, products and quotients. So their differences satisfy a
//! linear equation for each axis, and intervals of differences are made smaller by the equations until nothing changes:
//! from `128*m + i == 128*m' + i'` with `i` below 128 follows that `m - m'` is 0.
//!
//! Some differences are 0 if others are, which gives further equations:
//!
//! - products and quotients of the same integers are the same;
//! - tiles with the same row and column by `tile_order` are the same tile, as it numbers each once (a number that it has no
//!   tile for has no meaning);
//! - blocks are the same if they come to the same tile in a loop that begins at the number of the block and goes on by the
//!   number of all blocks; and of a cluster, if they have the same rank.

use dlc_core::sizes::{value_name, value_number};
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::body::ValueDef;
use dlc_ir::entity::EntityId as _;
use dlc_ir::{OpId, OpRef, Type, ValueId};
use dlc_kernel::interp::axis_number;
use dlc_kernel::ops;
use rustc_hash::FxHashMap;

use super::{Access, Blocks};

/// Beyond what any difference is.
const ANY: i128 = 1 << 100;

/// How often all equations are used. Intervals that still become smaller then are kept as they are.
const ROUNDS: usize = 32;

/// Integers that are computed of others by more ops than these, or as longer sums, are taken as they are.
const DEPTH: usize = 16;
const TERMS: usize = 16;

/// A sum of differences, with coefficients.
type Sum = Vec<(i64, usize)>;

/// What two blocks differ by.
pub struct Differences<'b, 'a> {
    blocks: &'b Blocks<'a>,
    integers: &'b mut Integers,
    /// The two accesses.
    both: [&'b Access<'a>; 2],
    /// Differences by what they are of.
    known: FxHashMap<String, usize>,
    /// Between which numbers each of them is.
    ranges: Vec<(i128, i128)>,
    /// Sums that are a number.
    equations: Vec<(Sum, i64)>,
    /// Sums that are 0 where all of others are.
    rules: Vec<(Vec<Sum>, Sum)>,
}

impl<'b, 'a> Differences<'b, 'a> {
    /// Those of two blocks that do two accesses of the same element. `None` where none do.
    pub fn of(blocks: &'b Blocks<'a>, integers: &'b mut Integers, both: [&'b Access<'a>; 2]) -> Option<Self> {
        let (ranges, equations, rules) = (Vec::new(), Vec::new(), Vec::new());
        let mut all = Differences { blocks, integers, both, known: FxHashMap::default(), ranges, equations, rules };
        let [first, second] = both;
        if first.at.len() == second.at.len() && first.merged == second.merged {
            for (a, b) in first.at.iter().zip(&second.at) {
                let (a, b) = (all.integers.inline(a, &first.args), all.integers.inline(b, &second.args));
                if let (Some(a), Some(b)) = (a, b) {
                    all.equate(&a, &b);
                }
            }
        }
        all.tiles();
        all.loops();
        all.ranks();
        all.solve().then_some(all)
    }

    /// Whether both blocks have the same number along an axis.
    pub fn is_zero_block(&self, axis: usize) -> bool {
        let name = value_name(self.integers.blocks + axis);
        self.known.get(&name).is_some_and(|&at| self.ranges[at] == (0, 0))
    }

    fn add(&mut self, name: String, most: i128) -> usize {
        let at = self.ranges.len();
        self.ranges.push((-most, most));
        self.known.insert(name, at);
        at
    }

    /// The difference of an integer that each block has for itself, or that is the same for all.
    fn symbol(&mut self, name: &str) -> usize {
        if let Some(&at) = self.known.get(name) {
            return at;
        }
        let most = match (value_number(name), axis_number(name)) {
            (Some(number), _) => {
                self.integers.values.get(&number).map_or(ANY, |&value| value_range(self.blocks, value))
            }
            (None, Some(axis)) => {
                let size =
                    |access: &Access<'_>| access.shape.get(axis).copied().map_or(ANY, |size| i128::from(size) - 1);
                self.both.into_iter().map(size).max().unwrap_or(ANY)
            }
            (None, None) => 0,
        };
        self.add(name.to_string(), most)
    }

    /// The sum of differences that the difference of an expression is, without its constant.
    fn sum(&mut self, expr: &SizeExpr) -> Sum {
        let terms = expr.terms().into_iter().filter(|(_, factors)| !factors.is_empty());
        terms.map(|(coefficient, factors)| (coefficient, self.product(&factors))).collect()
    }

    fn product(&mut self, factors: &[Factor]) -> usize {
        let parts: Vec<usize> = factors.iter().map(|factor| self.factor(factor)).collect();
        if let [one] = parts.as_slice() {
            return *one;
        }
        let name = parts.iter().map(|part| format!("*{part}")).collect::<String>();
        if let Some(&at) = self.known.get(&name) {
            return at;
        }
        let at = self.add(name, ANY);
        self.rules.push((parts.into_iter().map(|part| vec![(1, part)]).collect(), vec![(1, at)]));
        at
    }

    fn factor(&mut self, factor: &Factor) -> usize {
        let (above, below) = match factor {
            Factor::Symbol(name) => return self.symbol(name),
            Factor::Quotient(above, below) => (above, below),
        };
        // A quotient of a quotient is one by the product.
        if let [(1, factors)] = above.terms().as_slice()
            && let [Factor::Quotient(dividend, divisor)] = factors.as_slice()
            && let Ok(divisor) = divisor.mul(below)
        {
            return self.factor(&Factor::Quotient(dividend.clone(), divisor));
        }
        let name = format!("({above})/({below})");
        if let Some(&at) = self.known.get(&name) {
            return at;
        }
        let same = vec![self.sum(above), self.sum(below)];
        let at = self.add(name, ANY);
        self.rules.push((same, vec![(1, at)]));
        at
    }

    /// Two positions are the same.
    fn equate(&mut self, a: &SizeExpr, b: &SizeExpr) {
        let constant = |expr: &SizeExpr| expr.terms().into_iter().find(|(_, factors)| factors.is_empty());
        let [from, to] = [a, b].map(|expr| constant(expr).map_or(0, |(constant, _)| constant));
        let Some(gap) = to.checked_sub(from) else { return };
        let (mut sum, mut other) = (self.sum(a), self.sum(b));
        sum.sort_unstable_by_key(|&(_, at)| at);
        other.sort_unstable_by_key(|&(_, at)| at);
        // Where they are not the same polynomial nothing is known.
        if sum == other {
            self.equations.push((sum, gap));
        }
    }

    /// Tiles with the same row and column are the same.
    fn tiles(&mut self) {
        let blocks = self.blocks;
        for &order in &blocks.tile_orders {
            let places = [order.row(), order.column()].map(|value| value_name(value.index()));
            if !places.iter().any(|name| self.known.contains_key(name)) {
                continue;
            }
            // All blocks have the same order, and an axis with one tile has one place.
            let args: Vec<ValueId> = order.args().collect();
            let mut same = Vec::new();
            for (name, size) in places.iter().zip(order.tiles()) {
                let Some(size) = self.integers.inline(&size, &args) else { return };
                let at = self.symbol(name);
                if size.as_constant() == Some(1) {
                    self.ranges[at] = (0, 0);
                }
                same.push(vec![(1, at)]);
                same.push(self.sum(&size));
            }
            let Some(tile) = self.integers.value(order.tile()) else { continue };
            let tile = self.sum(&tile);
            self.rules.push((same, tile));
        }
    }

    /// Blocks that come to the same tile are the same one, or of the same cluster.
    fn loops(&mut self) {
        let (blocks, [first, second]) = (self.blocks, self.both);
        let body = blocks.grid.body;
        let around = |op: OpId| std::iter::successors(body.parent_op(op), |&id| body.parent_op(id));
        for id in around(first.op.id).filter(|&id| around(second.op.id).any(|other| other == id)) {
            let Some(loop_) = ops::For::of(OpRef { id, ..*blocks.grid }) else { continue };
            let index = body.first_block(ops::For::body(loop_)).and_then(|block| body.args(block).first().copied());
            let at = index.and_then(|index| self.known.get(&value_name(index.index())).copied());
            let Some(at) = at else { continue };
            for (axis, dim) in blocks.grid.dims().iter().enumerate() {
                if let Some(number) = self.taken(loop_, axis, dim) {
                    let number = self.sum(&number);
                    self.rules.push((vec![vec![(1, at)]], number));
                }
            }
        }
    }

    /// Blocks of one cluster with the same rank are the same one.
    fn ranks(&mut self) {
        let blocks = self.blocks;
        let cluster = blocks.grid.cluster().unwrap_or_default();
        let mut axes = cluster.iter().enumerate().filter(|&(_, &size)| size > 1);
        let (Some((axis, &size)), None) = (axes.next(), axes.next()) else { return };
        let Some(block) = self.integers.block(axis) else { return };
        let Ok(number) = block.floordiv(&size.into()) else { return };
        let ranks = blocks.ops.iter().filter_map(|&id| ops::BlockRank::of(OpRef { id, ..*blocks.grid }));
        for rank in ranks {
            if let Some(&rank) = self.known.get(&value_name(rank.out().index())) {
                let same = vec![vec![(1, rank)], self.sum(&number)];
                let block = self.sum(&block);
                self.rules.push((same, block));
            }
        }
    }

    /// The number of a block, or of its cluster, which is the same for all blocks that come to the same round of a loop:
    /// the loop begins at it and goes on by as many as there are.
    fn taken(&mut self, loop_: ops::For<'_>, axis: usize, dim: &SizeExpr) -> Option<SizeExpr> {
        let args: Vec<ValueId> = loop_.args().collect();
        let bounds = loop_.bounds();
        let [start, _, step] = bounds.as_slice() else { return None };
        let (start, step) = (self.integers.inline(start, &args)?, self.integers.inline(step, &args)?);
        let of_grid: Vec<ValueId> = self.blocks.grid.args().collect();
        let dim = self.integers.inline(dim, &of_grid)?;
        let block = self.integers.block(axis)?;
        let each = start.terms().into_iter().find_map(|(coefficient, factors)| match factors.as_slice() {
            [Factor::Symbol(name)] if coefficient == 1 && block.as_symbol() == Some(&**name) => Some(1),
            [Factor::Quotient(above, below)] if coefficient == 1 && *above == block => below.as_constant(),
            _ => None,
        })?;
        let number = block.floordiv(&each.into()).ok()?;
        let rest = start.sub(&number).ok()?;
        // A grid is of whole clusters.
        let cluster = self.blocks.grid.cluster().unwrap_or_default().get(axis).copied();
        let count = dim.try_div(&each.into());
        let count = count.or_else(|| dim.floordiv(&each.into()).ok().filter(|_| cluster == Some(each)))?;
        let is_multiple = |expr: &SizeExpr| expr.as_constant() == Some(0) || expr.try_div(&count).is_some();
        (is_multiple(&rest) && is_multiple(&step)).then_some(number)
    }

    fn range(&self, sum: &Sum) -> (i128, i128) {
        sum.iter().fold((0, 0), |all, &(coefficient, at)| {
            let (lo, hi) = scaled(coefficient, self.ranges[at]);
            (cut(all.0 + lo), cut(all.1 + hi))
        })
    }

    /// Makes intervals as small as the equations allow. Whether there are differences at all.
    fn solve(&mut self) -> bool {
        for _ in 0..ROUNDS {
            let mut changed = false;
            let rules = std::mem::take(&mut self.rules);
            for (same, then) in rules {
                if same.iter().all(|sum| self.range(sum) == (0, 0)) {
                    self.equations.push((then, 0));
                    changed = true;
                } else {
                    self.rules.push((same, then));
                }
            }
            let equations = std::mem::take(&mut self.equations);
            for (sum, total) in &equations {
                for (own, &(coefficient, at)) in sum.iter().enumerate() {
                    let others = sum.iter().enumerate().filter(|(other, _)| *other != own).map(|(_, &term)| term);
                    let (lo, hi) = self.range(&others.collect());
                    let total = i128::from(*total);
                    // coefficient * difference is between these.
                    let (lo, hi) = (total - hi, total - lo);
                    let (by, lo, hi) = match i128::from(coefficient) {
                        by if by < 0 => (-by, -hi, -lo),
                        by => (by, lo, hi),
                    };
                    let known = self.ranges[at];
                    let now = (known.0.max(-((-lo).div_euclid(by))), known.1.min(hi.div_euclid(by)));
                    if now.0 > now.1 {
                        return false;
                    }
                    changed |= now != known;
                    self.ranges[at] = now;
                }
                if sum.is_empty() && *total != 0 {
                    return false;
                }
            }
            self.equations = equations;
            if !changed {
                break;
            }
        }
        true
    }
}

fn cut(value: i128) -> i128 {
    value.clamp(-ANY, ANY)
}

/// An interval times a number, as far as it is counted.
fn scaled(by: i64, (lo, hi): (i128, i128)) -> (i128, i128) {
    let times = |value: i128| cut(value.saturating_mul(by.into()));
    if by < 0 { (times(hi), times(lo)) } else { (times(lo), times(hi)) }
}

/// By how much a value may differ in two blocks.
fn value_range(blocks: &Blocks<'_>, value: ValueId) -> i128 {
    let body = blocks.grid.body;
    let block = match body.value_def(value) {
        ValueDef::Result(id, _) => body.block_of(id),
        ValueDef::Arg(block, _) => Some(block),
        ValueDef::Placeholder => None,
    };
    if block == body.block_of(blocks.grid.id) {
        return 0;
    }
    let around = block.and_then(|block| body.region_of(block)).and_then(|region| body.region_parent(region));
    let around = around.map(|id| OpRef { id, ..*blocks.grid });
    match body.value_def(value) {
        ValueDef::Arg(_, 0) => {
            let groups = around.and_then(ops::Role::of).map(|role| i128::from(role.groups()) - 1);
            groups.or_else(|| rounds(around.and_then(ops::For::of)?)).unwrap_or(ANY)
        }
        ValueDef::Result(id, _) if ops::BlockRank::of(OpRef { id, ..*blocks.grid }).is_some() => {
            let cluster = blocks.grid.cluster().unwrap_or_default();
            cluster.iter().fold(1_i128, |all, &size| all.saturating_mul(size.into())) - 1
        }
        _ => ANY,
    }
}

/// By how much the integer of a loop may differ, if its bounds are numbers.
fn rounds(loop_: ops::For<'_>) -> Option<i128> {
    let bounds: Vec<i64> = loop_.bounds().iter().map(SizeExpr::as_constant).collect::<Option<_>>()?;
    let [first, last, _] = bounds.as_slice() else { return None };
    Some((i128::from(*last) - i128::from(*first) - 1).max(0))
}

/// The integers of a grid, each as an expression of those that are not computed of others.
pub struct Integers {
    /// What a value is computed of, and how many ops that takes.
    computed: FxHashMap<ValueId, (SizeExpr, usize)>,
    values: FxHashMap<usize, ValueId>,
    /// The number of the symbol that stands for the first block.
    blocks: usize,
}

impl Integers {
    /// Those of a grid with these ops.
    pub fn of(grid: ops::Grid<'_>, ops: &[OpId]) -> Integers {
        let blocks = grid.body.value_slots();
        let mut all = Integers { computed: FxHashMap::default(), values: FxHashMap::default(), blocks };
        let before = grid.body.block_of(grid.id).into_iter().flat_map(|block| grid.body.ops(block));
        for id in before.take_while(|&id| id != grid.id).chain(ops.iter().copied()) {
            let op = OpRef { id, ..*grid };
            if let Some(index) = ops::Index::of(op).filter(|index| op.type_of(index.out()) == Type::INDEX) {
                let args: Vec<ValueId> = index.args().collect();
                let deepest = args.iter().filter_map(|arg| all.depth(*arg)).max().unwrap_or(0);
                let value = index.value().first().and_then(|value| all.inline(value, &args));
                if let Some(value) = value.filter(|value| deepest < DEPTH && value.terms().len() <= TERMS) {
                    all.computed.insert(index.out(), (value, deepest + 1));
                }
            } else if let Some(size) = ops::GridSize::of(op) {
                let args: Vec<ValueId> = grid.args().collect();
                let dim = grid.dims().get(size.axis().clamp(0, 2) as usize).and_then(|dim| all.inline(dim, &args));
                all.computed.extend(dim.map(|dim| (size.out(), (dim, 1))));
            } else if let Some(id) = ops::BlockId::of(op) {
                let number = all.block(id.axis().clamp(0, 2) as usize);
                all.computed.extend(number.map(|number| (id.out(), (number, 0))));
            }
        }
        all
    }

    fn depth(&self, value: ValueId) -> Option<usize> {
        self.computed.get(&value).map(|(_, depth)| *depth)
    }

    /// The number of a block along an axis: a symbol after those of values.
    fn block(&self, axis: usize) -> Option<SizeExpr> {
        SizeExpr::symbol(&value_name(self.blocks + axis)).ok()
    }

    fn value(&mut self, value: ValueId) -> Option<SizeExpr> {
        if let Some((computed, _)) = self.computed.get(&value) {
            return Some(computed.clone());
        }
        self.values.insert(value.index(), value);
        SizeExpr::symbol(&value_name(value.index())).ok()
    }

    /// An expression with what its values are computed of in their place.
    fn inline(&mut self, expr: &SizeExpr, args: &[ValueId]) -> Option<SizeExpr> {
        let values: Vec<SizeExpr> = args.iter().map(|&arg| self.value(arg)).collect::<Option<_>>()?;
        expr.substitute(&|name| values.get(value_number(name)?).cloned()).ok()
    }
}
