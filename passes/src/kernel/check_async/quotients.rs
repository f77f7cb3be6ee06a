//! Quotients in the integers that decide something: of the number of the block, and several of one size.

use dlc_core::sizes::value_number;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::body::ValueDef;
use dlc_ir::{OpRef, ValueId};
use dlc_kernel::ops;

use super::kind::Kind::{self, Count, Linear, Mixed, Other, Range, Size};
use super::kind::lcm;
use super::kinds::Kinds;
use super::values::{is_integer, yielded};

impl<'a> Kinds<'a> {
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
