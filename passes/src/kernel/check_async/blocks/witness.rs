//! Launches of which all numbers are known, to find two blocks or groups that write the same element where positions are
//! not affine: remainders and quotients by sizes, rows and columns of `tile_order`.
//!
//! Sizes and the numbers of two blocks are chosen; then what is not affine is a number, computed as the kernel computes it.
//! Of the integers of loops that it depends on it is the first round, and of groups the first two. The position in the
//! fragment, and all other integers, stay open: what is left is the same question about a set of integers, and a point of
//! it is a launch with two blocks that do what is said.

use std::rc::Rc;

use dlc_core::sizes::value_number;
use dlc_ir::affine::{AffineExpr, Factor, SizeExpr};
use dlc_ir::body::ValueDef;
use dlc_ir::{OpRef, ValueId};
use dlc_kernel::interp::device::order_tile;
use dlc_kernel::ops::{self, Order};
use rustc_hash::FxHashMap;

use super::sites::{Pair, Side, Var, group_of};
use super::{Access, Blocks};
use crate::kernel::check_async::kind::lcm;

/// The sizes of a launch, by symbol.
pub type Sizes = FxHashMap<String, i64>;

/// As many launches as are tried, and as many blocks besides the first.
const LAUNCHES: usize = 16;
const BLOCKS: i64 = 8;

/// The most elements that a tile is taken to have along a symbol.
const MOST_UNIT: i64 = 1 << 16;

/// As many tiles as a curve of Hilbert may have that is followed.
const TILES: i64 = 4096;

/// The numbers that two blocks have.
pub struct Place {
    pub sizes: Rc<Sizes>,
    pub blocks: [[i64; 3]; 2],
    /// The groups of a role, where something that is computed depends on them.
    groups: [i64; 2],
}

impl<'a> Blocks<'a> {
    /// Whether two blocks write the same element in one of some launches.
    pub(super) fn blocks_meet(&self, first: &Access<'a>, second: &Access<'a>, launches: &[Rc<Sizes>]) -> bool {
        let few = self.few_tiles(launches);
        let all = few.iter().chain(launches);
        let mut several = all.filter_map(|sizes| Some((sizes, self.grid_of(sizes)?)));
        let mut meet = |(sizes, dims): (&Rc<Sizes>, [i64; 3])| {
            (0..3).any(|axis| {
                (1..dims[axis].min(BLOCKS)).any(|number| {
                    let mut other = [0; 3];
                    other[axis] = number;
                    let ways = [[[0; 3], other], [other, [0; 3]]];
                    let ways = if first.op.id == second.op.id { &ways[..1] } else { &ways };
                    ways.iter().any(|&blocks| {
                        let place = Place { sizes: Rc::clone(sizes), blocks, groups: [0; 2] };
                        self.pair_in(place, first, second).has_point() == Some(true)
                    })
                })
            })
        };
        several.by_ref().take(LAUNCHES).any(&mut meet)
    }

    /// Whether the first two groups of a role write the same element in one of the first launches.
    pub(super) fn groups_meet(
        &self,
        role: ops::Role<'a>,
        first: &Access<'a>,
        second: &Access<'a>,
        launches: &[Rc<Sizes>],
    ) -> bool {
        let ways: &[bool] = if first.op.id == second.op.id { &[true] } else { &[true, false] };
        let few = self.few_tiles(launches);
        few.iter().take(1).chain(launches.iter().take(1)).any(|sizes| {
            ways.iter().any(|&less| {
                let groups = if less { [0, 1] } else { [1, 0] };
                let place = Place { sizes: Rc::clone(sizes), blocks: [[0; 3]; 2], groups };
                let mut pair = self.pair_in(place, first, second);
                pair.differ(Some((group_of(role), less)));
                pair.has_point() == Some(true)
            })
        })
    }

    /// One tile of each symbol, two of each and one of the others, and two of all: of as many elements as the symbol, or what
    /// it is a part of, is divided by. Whether that can be launched is asked with all else.
    fn few_tiles(&self, launches: &[Rc<Sizes>]) -> Vec<Rc<Sizes>> {
        let Some(names) = launches.first() else { return Vec::new() };
        let mut units: FxHashMap<String, i64> = names.keys().map(|name| (name.clone(), 1)).collect();
        let body = self.grid.body;
        let before = body.block_of(self.grid.id).into_iter().flat_map(|block| body.ops(block));
        for id in before.take_while(|&id| id != self.grid.id).chain(self.ops.iter().copied()) {
            let op = OpRef { id, ..*self.grid };
            let value = ops::Index::of(op).map(|op| op.value());
            let bounds = ops::For::of(op).map(|op| op.bounds());
            let tiles = ops::TileOrder::of(op).map(|op| op.tiles());
            let required = ops::Require::of(op).map(|op| op.guard().exprs().cloned().collect());
            let all = value.into_iter().chain(bounds).chain(tiles).chain(required).flatten();
            all.for_each(|expr| divided(&expr, &mut units));
        }
        self.grid.dims().iter().for_each(|dim| divided(dim, &mut units));
        let mut order: Vec<&String> = units.keys().collect();
        order.sort_unstable();
        let sizes = |more: &dyn Fn(&String) -> bool| {
            let size =
                |(name, unit): (&String, &i64)| (name.clone(), if more(name) { unit.saturating_mul(2) } else { *unit });
            Rc::new(units.iter().map(size).collect::<Sizes>())
        };
        let mut all = vec![sizes(&|_| false)];
        all.extend(order.iter().map(|&two| sizes(&|name| name == two)));
        all.push(sizes(&|_| true));
        all
    }

    fn pair_in(&self, place: Place, first: &Access<'a>, second: &Access<'a>) -> Pair<'a> {
        let pair = Pair::at(*self.grid, Rc::clone(&self.counters), place);
        let mut pair = self.touching_in(pair, first, second);
        self.in_bounds(&mut pair, first);
        pair
    }

    /// The blocks along each axis, of two or more.
    fn grid_of(&self, sizes: &Rc<Sizes>) -> Option<[i64; 3]> {
        let place = Place { sizes: Rc::clone(sizes), blocks: [[0; 3]; 2], groups: [0; 2] };
        let mut pair = Pair::at(*self.grid, Rc::clone(&self.counters), place);
        let args: Vec<ValueId> = self.grid.args().collect();
        let mut dims = [1; 3];
        for (dim, size) in dims.iter_mut().zip(self.grid.dims()) {
            *dim = pair.evaluate(0, &size, &args)?;
        }
        dims.iter().any(|&dim| dim > 1).then_some(dims)
    }
}

/// Finds by what symbols are divided.
fn divided(expr: &SizeExpr, units: &mut FxHashMap<String, i64>) {
    for (_, factors) in expr.terms() {
        for factor in factors {
            let Factor::Quotient(above, below) = factor else { continue };
            if let Some(by) = below.as_constant() {
                for name in above.symbols() {
                    if let Some(unit) = units.get_mut(&*name) {
                        // What is required of remainders holds as well.
                        *unit = lcm(by, *unit).filter(|unit| *unit <= MOST_UNIT).unwrap_or(by.max(*unit));
                    }
                }
            }
            divided(&above, units);
            divided(&below, units);
        }
    }
}

impl Pair<'_> {
    /// What a product or quotient is, if all of it is known.
    pub fn known_term(&mut self, side: Side, factors: &[Factor], args: &[ValueId]) -> Option<AffineExpr> {
        self.place.as_ref()?;
        let mut product = 1_i64;
        for factor in factors {
            let factor = match factor {
                Factor::Symbol(name) => SizeExpr::symbol(name).ok()?,
                Factor::Quotient(above, below) => above.floordiv(below).ok()?,
            };
            product = product.checked_mul(self.evaluate(side, &factor, args)?)?;
        }
        Some(AffineExpr::Constant(product))
    }

    /// The number that an expression is.
    fn evaluate(&mut self, side: Side, expr: &SizeExpr, args: &[ValueId]) -> Option<i64> {
        let mut known: FxHashMap<String, i64> = FxHashMap::default();
        for name in expr.symbols() {
            let number = match value_number(&name) {
                Some(number) => self.number(side, *args.get(number)?)?,
                None => *self.place.as_ref()?.sizes.get(&*name)?,
            };
            known.insert(name.to_string(), number);
        }
        expr.eval(&|name| known.get(name).copied()).ok()
    }

    /// The number that a value is, in the first round of the loops that it depends on.
    pub fn number(&mut self, side: Side, value: ValueId) -> Option<i64> {
        let place = Rc::clone(self.place.as_ref()?);
        let (body, own) = (self.grid.body, side as usize);
        let (id, result) = match body.value_def(value) {
            ValueDef::Result(id, result) => (id, result),
            ValueDef::Arg(block, 0) => {
                let around = body.region_of(block).and_then(|region| body.region_parent(region))?;
                let around = OpRef { id: around, ..self.grid };
                let number = match ops::For::of(around) {
                    Some(loop_) => {
                        let args: Vec<ValueId> = loop_.args().collect();
                        self.evaluate(side, loop_.bounds().first()?, &args)?
                    }
                    None => ops::Role::of(around).map(|_| place.groups[own])?,
                };
                let at = self.var(side, Var::Value(value));
                self.equal(&at, &AffineExpr::Constant(number));
                return Some(number);
            }
            _ => return None,
        };
        let op = OpRef { id, ..self.grid };
        if let Some(index) = ops::Index::of(op) {
            let args: Vec<ValueId> = index.args().collect();
            return self.evaluate(side, index.value().first()?, &args);
        }
        if let Some(order) = ops::TileOrder::of(op) {
            let args: Vec<ValueId> = order.args().collect();
            let tile = self.number(side, order.tile())?;
            let tiles: Vec<i64> =
                order.tiles().iter().map(|size| self.evaluate(side, size, &args)).collect::<Option<_>>()?;
            let &[rows, columns] = tiles.as_slice() else { return None };
            let few = order.order() != Order::Hilbert || rows.checked_mul(columns).is_some_and(|all| all <= TILES);
            let found = few.then(|| order_tile(order.order(), order.group().unwrap_or(1), tile, rows, columns));
            return found?.map(|(row, column)| [row, column][result]);
        }
        if let Some((lhs, rhs, least)) = (ops::Min::of(op).map(|op| (op.lhs(), op.rhs(), true)))
            .or_else(|| ops::Max::of(op).map(|op| (op.lhs(), op.rhs(), false)))
        {
            let (a, b) = (self.number(side, lhs)?, self.number(side, rhs)?);
            return Some(if least { a.min(b) } else { a.max(b) });
        }
        if ops::BlockId::of(op).is_some() || ops::BlockRank::of(op).is_some() || ops::GridSize::of(op).is_some() {
            return self.value(side, value)?.as_constant();
        }
        None
    }
}
