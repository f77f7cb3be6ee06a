//! What the integers that decide something are computed from: how many sizes, blocks and loops, and what is divided in them.

use dlc_core::sizes::value_number;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::body::ValueDef;
use dlc_ir::{OpRef, ValueId};
use dlc_kernel::ops;

use super::kind::Kind::{self, Count, Linear, Mixed, Other, Range, Size};
use super::kind::lcm;
use super::kinds::Kinds;
use super::values::{is_integer, yielded};

/// A number that others are computed from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Root {
    /// A size.
    Size(String),
    /// The number of blocks along an axis.
    Blocks(i64),
    /// The number of a block, the integer of a loop, or anything else.
    Value(ValueId),
}

impl<'a> Kinds<'a> {
    /// Whether an expression is computed from several sizes, numbers of blocks and integers of loops. Runs look for where
    /// something changes with one of them, the others as they are: a line between two of them may have points far apart.
    pub(super) fn is_of_several(&self, expr: &SizeExpr, args: &[ValueId]) -> bool {
        let (mut roots, mut seen) = (Vec::new(), Vec::new());
        self.roots(expr, args, &mut seen, &mut roots);
        roots.len() > 1
    }

    /// The same of a value.
    pub(super) fn is_value_of_several(&self, value: ValueId) -> bool {
        let (mut roots, mut seen) = (Vec::new(), Vec::new());
        self.roots_of(value, &mut seen, &mut roots);
        roots.len() > 1
    }

    fn roots(&self, expr: &SizeExpr, args: &[ValueId], seen: &mut Vec<ValueId>, into: &mut Vec<Root>) {
        for name in expr.symbols() {
            match value_number(&name) {
                Some(number) => args.get(number).into_iter().for_each(|&value| self.roots_of(value, seen, into)),
                None => add(Root::Size(name.to_string()), into),
            }
        }
    }

    fn roots_of(&self, value: ValueId, seen: &mut Vec<ValueId>, into: &mut Vec<Root>) {
        if seen.contains(&value) {
            return;
        }
        seen.push(value);
        let body = self.grid.body;
        match body.value_def(value) {
            ValueDef::Result(id, number) => {
                let op = OpRef { id, ..*self.grid };
                if let Some(index) = ops::Index::of(op) {
                    let args: Vec<ValueId> = index.args().collect();
                    index.value().iter().for_each(|expr| self.roots(expr, &args, seen, into));
                } else if let Some(size) = ops::GridSize::of(op) {
                    let dim = self.grid.dims().get(size.axis().clamp(0, 2) as usize).cloned();
                    if dim.is_none_or(|dim| dim.as_constant().is_none()) {
                        add(Root::Blocks(size.axis()), into);
                    }
                } else if !op.regions().is_empty() {
                    let ends = op.regions().iter().filter_map(|&region| yielded(op, region).get(number).copied());
                    let first = ops::For::of(op).and_then(|op| op.inits().nth(number));
                    ends.chain(first).for_each(|value| self.roots_of(value, seen, into));
                } else if is_integer(op) && !op.is(ops::TileOrder::DEF) {
                    op.operands().for_each(|value| self.roots_of(value, seen, into));
                } else if !op.is(ops::BlockRank::DEF) {
                    add(Root::Value(value), into);
                }
            }
            ValueDef::Arg(block, number) => {
                let around = body.region_of(block).and_then(|region| body.region_parent(region));
                let around = around.map(|id| OpRef { id, ..*self.grid });
                match around.and_then(ops::For::of) {
                    Some(op) if number > 0 => {
                        let next = yielded(*op, ops::For::body(op)).get(number - 1).copied();
                        op.inits()
                            .nth(number - 1)
                            .into_iter()
                            .chain(next)
                            .for_each(|value| self.roots_of(value, seen, into));
                    }
                    // All rounds of it are run.
                    Some(op) if op.bounds().iter().all(|bound| bound.as_constant().is_some()) => {}
                    // Each group of a role is looked at by itself.
                    None if around.is_some_and(|op| ops::Role::of(op).is_some()) => {}
                    _ => add(Root::Value(value), into),
                }
            }
            ValueDef::Placeholder => {}
        }
    }

    /// How many numbers a quotient of the integer of a loop is one of, where the loop ends at a multiple of what it is divided
    /// by.
    pub(super) fn parts(&self, value: ValueId) -> Option<i64> {
        let index = ops::Index::of(OpRef { id: self.grid.body.defining_op(value)?, ..*self.grid })?;
        let args: Vec<ValueId> = index.args().collect();
        let terms = index.value().first()?.terms();
        let [(1, factors)] = terms.as_slice() else { return None };
        let [Factor::Quotient(above, below)] = factors.as_slice() else { return None };
        let integer = *args.get(value_number(above.as_symbol()?)?)?;
        let ValueDef::Arg(block, 0) = self.grid.body.value_def(integer) else { return None };
        let around = self.grid.body.region_of(block).and_then(|region| self.grid.body.region_parent(region))?;
        let op = ops::For::of(OpRef { id: around, ..*self.grid })?;
        let is_of_sizes = below.symbols().iter().all(|name| value_number(name).is_none());
        (1..=self.rounds).find(|&times| is_of_sizes && below.mul(&times.into()).ok().as_ref() == op.bounds().get(1))
    }

    /// Whether a quotient or a remainder of the number of a block, or of what goes on from there, is in a value.
    pub(super) fn divides_block(&self, value: ValueId, seen: &mut Vec<ValueId>) -> bool {
        if seen.contains(&value) {
            return false;
        }
        seen.push(value);
        let body = self.grid.body;
        let around = |block| body.region_of(block).and_then(|region| body.region_parent(region));
        let of_loop = |op: ops::For<'a>, index: usize| {
            let next = yielded(*op, ops::For::body(op)).get(index).copied();
            op.inits().nth(index).into_iter().chain(next).collect::<Vec<_>>()
        };
        match body.value_def(value) {
            ValueDef::Result(id, number) => {
                let op = OpRef { id, ..*self.grid };
                if let Some(index) = ops::Index::of(op) {
                    let args: Vec<ValueId> = index.args().collect();
                    return index.value().iter().any(|expr| self.divides(expr, &args))
                        || args.iter().any(|&arg| self.divides_block(arg, seen));
                }
                if let Some(loop_) = ops::For::of(op) {
                    return of_loop(loop_, number).into_iter().any(|value| self.divides_block(value, seen));
                }
                if op.regions().is_empty() {
                    return is_integer(op) && op.operands().any(|value| self.divides_block(value, seen));
                }
                let ends = op.regions().iter().filter_map(|&region| yielded(op, region).get(number).copied());
                ends.collect::<Vec<_>>().into_iter().any(|value| self.divides_block(value, seen))
            }
            ValueDef::Arg(block, number) if number > 0 => {
                let loop_ = around(block).and_then(|id| ops::For::of(OpRef { id, ..*self.grid }));
                let values = loop_.map(|op| of_loop(op, number - 1)).unwrap_or_default();
                values.into_iter().any(|value| self.divides_block(value, seen))
            }
            _ => false,
        }
    }

    /// The same of an expression itself.
    pub(super) fn divides(&self, expr: &SizeExpr, args: &[ValueId]) -> bool {
        let mut factors = expr.terms().into_iter().flat_map(|(_, factors)| factors);
        factors.any(|factor| match factor {
            Factor::Quotient(above, below) => self.asks_block(&above, args) || self.divides(&below, args),
            Factor::Symbol(_) => false,
        })
    }

    /// The kind of what is divided. With two quotients in a sum, what comes out depends on two remainders together: if the
    /// same is divided in all of them, it comes again after as many of the least divisor as the others have of it.
    pub(super) fn above(&mut self, above: &SizeExpr, args: &[ValueId]) -> Kind {
        let terms = above.terms();
        let factors = terms.iter().flat_map(|(_, factors)| factors);
        let quotients = factors.filter(|factor| matches!(factor, Factor::Quotient(..))).count();
        match self.expr(above, args) {
            Size | Mixed if quotients > 1 => {
                let mut divisors = Vec::new();
                let is_of_one = self.divisors(above, args, 1, &mut None, &mut divisors);
                let least = divisors.iter().copied().min().filter(|_| is_of_one);
                let tiles = |least: i64| divisors.iter().try_fold(1, |all, by| lcm(all, by / least));
                let least = least.filter(|least| divisors.iter().all(|by| by % least == 0));
                least.and_then(tiles).map_or(Other, Count)
            }
            Linear(_) if quotients > 1 => Other,
            kind => kind,
        }
    }

    /// By what a sum of sizes is divided in an expression, if it is the same in all quotients, but for constants and places in
    /// rings, and if the expression asks for nothing else. Whether that is so.
    fn divisors(
        &mut self,
        expr: &SizeExpr,
        args: &[ValueId],
        by: i64,
        of: &mut Option<String>,
        into: &mut Vec<i64>,
    ) -> bool {
        let (mut sum, mut has_quotient) = (Vec::new(), false);
        for (coefficient, factors) in expr.terms() {
            for factor in &factors {
                match factor {
                    Factor::Symbol(name) => {
                        let value = value_number(name).and_then(|number| args.get(number));
                        if !value.is_some_and(|&value| matches!(self.kind(value), Range(..))) {
                            sum.push(format!("{coefficient} {name}"));
                        }
                    }
                    Factor::Quotient(above, below) => {
                        has_quotient = true;
                        let by = below.as_constant().and_then(|below| by.checked_mul(below));
                        if !by.is_some_and(|by| self.divisors(above, args, by, of, into)) {
                            return false;
                        }
                    }
                }
            }
        }
        if sum.is_empty() {
            return true;
        }
        into.push(by);
        sum.sort_unstable();
        let sum = sum.concat();
        !has_quotient && by > 1 && *of.get_or_insert_with(|| sum.clone()) == sum
    }
}

fn add(root: Root, into: &mut Vec<Root>) {
    if !into.contains(&root) {
        into.push(root);
    }
}
