//! Axes as the dimensions of affine expressions: how the sizes of a program and `dlc_ir::affine` go together.

use std::sync::Arc;

use dlc_ir::affine::{AffineExpr, BinaryOp, Constraint, IntegerSet, Interval, Ranges, SizeExpr, parse_expr};

use crate::guard::Condition;

/// The axes whose positions are `d0, d1, ..` of an access, and the symbols of their sizes, `s0, s1, ..`.
#[derive(Clone, Debug)]
pub struct Space {
    sizes: Vec<SizeExpr>,
    symbols: Vec<Arc<str>>,
    ranges: Ranges,
}

/// `0 <= expr < size`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// What is bounded.
    pub expr: AffineExpr,
    /// The bound.
    pub size: AffineExpr,
}

impl Space {
    /// The axes of these sizes. `None` where a size goes beyond the limits of affine expressions.
    pub fn of(sizes: &[SizeExpr]) -> Option<Space> {
        Space::over(&[], sizes)
    }

    /// The axes of these sizes; the first symbols have these names.
    pub fn over(symbols: &[Arc<str>], sizes: &[SizeExpr]) -> Option<Space> {
        let mut space = Space { sizes: sizes.to_vec(), symbols: Vec::new(), ranges: Ranges::default() };
        symbols.iter().for_each(|name| drop(space.symbol(name)));
        for size in sizes {
            let limit = space.affine(size)?;
            space.ranges.dims.push(match limit.as_constant() {
                Some(size) => Interval::new(0, size.saturating_sub(1)),
                None => Interval::NOT_NEGATIVE,
            });
            space.ranges.limits.push(Some(limit));
        }
        Some(space)
    }

    /// The sizes of the axes.
    pub fn sizes(&self) -> &[SizeExpr] {
        &self.sizes
    }

    /// What is known of the dimensions and symbols.
    pub fn ranges(&self) -> &Ranges {
        &self.ranges
    }

    /// The names of the symbols `s0, s1, ..` met so far.
    pub fn symbols(&self) -> &[Arc<str>] {
        &self.symbols
    }

    /// A size as an expression of symbols. `None` beyond the limits of affine expressions.
    pub fn affine(&mut self, size: &SizeExpr) -> Option<AffineExpr> {
        if let Some(value) = size.as_constant() {
            return Some(AffineExpr::Constant(value));
        }
        if let Some((terms, constant)) = size.as_linear() {
            let mut sum = AffineExpr::Constant(0);
            for (name, coefficient) in terms {
                sum = sum.add(&self.symbol(&name).mul(&coefficient.into()).ok()?).ok()?;
            }
            return sum.add(&constant.into()).ok();
        }
        size.symbols().iter().for_each(|name| drop(self.symbol(name)));
        let names: Vec<&str> = self.symbols.iter().map(|name| &**name).collect();
        parse_expr(&size.to_string(), &[], &names).ok()
    }

    /// The symbol of a name, which is new if it was not met before.
    pub fn symbol(&mut self, name: &Arc<str>) -> AffineExpr {
        let place = self.symbols.iter().position(|known| known == name).unwrap_or_else(|| {
            self.symbols.push(name.clone());
            self.ranges.symbols.push(Interval::NOT_NEGATIVE);
            self.symbols.len() - 1
        });
        AffineExpr::Symbol(place as u32)
    }

    /// A symbolic integer in which some names are axes, `axis` giving the dimension of each. `None` beyond the limits of
    /// affine expressions, and where a dimension would be in a divisor or in a product with another.
    pub fn read(&mut self, expr: &SizeExpr, axis: &dyn Fn(&str) -> Option<u32>) -> Option<AffineExpr> {
        if let Some((terms, constant)) = expr.as_linear() {
            let mut sum = AffineExpr::Constant(0);
            for (name, coefficient) in terms {
                let term = match axis(&name) {
                    Some(dim) => AffineExpr::Dim(dim),
                    None => self.symbol(&name),
                };
                sum = sum.add(&term.mul(&coefficient.into()).ok()?).ok()?;
            }
            return sum.add(&constant.into()).ok();
        }
        let (mut dims, mut symbols, mut as_dims) = (Vec::new(), Vec::new(), Vec::new());
        let names = expr.symbols();
        for name in &names {
            match axis(name) {
                Some(dim) => {
                    dims.push(&**name);
                    as_dims.push(AffineExpr::Dim(dim));
                }
                None => symbols.push((&**name, self.symbol(name))),
            }
        }
        let (symbols, as_symbols): (Vec<&str>, Vec<AffineExpr>) = symbols.into_iter().unzip();
        parse_expr(&expr.to_string(), &dims, &symbols).ok()?.substitute(&as_dims, &as_symbols).ok()
    }

    /// What is not negative exactly where a condition holds, as [`read`](Space::read) reads it.
    pub fn read_condition(
        &mut self,
        condition: &Condition,
        axis: &dyn Fn(&str) -> Option<u32>,
    ) -> Option<Vec<AffineExpr>> {
        condition.not_negative().ok()?.iter().map(|expr| self.read(expr, axis)).collect()
    }

    /// Whether an expression is known not to be negative wherever the given ones are not, within the sizes of the axes.
    pub fn proves(&self, given: &[AffineExpr], claim: &AffineExpr) -> bool {
        if claim.range_of(&self.ranges).lo() >= Some(0) {
            return true;
        }
        let at_least = |expr: &AffineExpr| Constraint::at_least(expr, &AffineExpr::Constant(0)).ok();
        let Some(claim) = at_least(claim) else { return false };
        // What is known may be left out where it goes beyond the limits.
        let given = given.iter().filter_map(at_least).collect();
        let (dims, symbols) = (self.sizes.len() as u32, self.symbols.len() as u32);
        IntegerSet::new(dims, symbols, given).is_ok_and(|set| set.implies(&claim, &self.ranges))
    }

    /// Whether `0 <= expr < size` wherever the given expressions are not negative.
    pub fn in_bounds(&self, given: &[AffineExpr], bound: &Bound) -> bool {
        let room = bound.size.sub(&bound.expr).and_then(|room| room.sub(&1.into()));
        self.proves(given, &bound.expr) && room.is_ok_and(|room| self.proves(given, &room))
    }

    /// An expression as a symbolic integer, `dim` giving what stands for each dimension. `None` where there is nothing
    /// for one, or beyond 64 bits.
    pub fn to_size(&self, expr: &AffineExpr, dim: &dyn Fn(u32) -> Option<SizeExpr>) -> Option<SizeExpr> {
        let node = match expr {
            AffineExpr::Constant(value) => return Some(SizeExpr::from(*value)),
            AffineExpr::Dim(index) => return dim(*index),
            AffineExpr::Symbol(index) => return SizeExpr::symbol(self.symbols.get(*index as usize)?).ok(),
            AffineExpr::Binary(node) => node,
        };
        let (lhs, rhs) = (self.to_size(node.lhs(), dim)?, self.to_size(node.rhs(), dim)?);
        match node.op() {
            BinaryOp::Add => lhs.add(&rhs),
            BinaryOp::Mul => lhs.mul(&rhs),
            BinaryOp::FloorDiv => lhs.floordiv(&rhs),
            BinaryOp::CeilDiv => lhs.ceildiv(&rhs),
            BinaryOp::Mod => lhs.modulo(&rhs),
        }
        .ok()
    }

    /// The same expression within the sizes of the axes, in canonical form.
    pub fn simplify(&self, expr: &AffineExpr) -> AffineExpr {
        match expr {
            // A single dimension keeps its name even where its size is 1.
            AffineExpr::Binary(_) => expr.simplify_under(&self.ranges),
            leaf => leaf.clone(),
        }
    }

    /// Whether `0 <= expr < size` everywhere.
    pub fn always(&self, bound: &Bound) -> bool {
        let below = bound.size.sub(&bound.expr).map(|room| room.range_of(&self.ranges).lo());
        bound.expr.range_of(&self.ranges).lo() >= Some(0) && below.is_ok_and(|room| room >= Some(1))
    }

    /// The axes with one of them split in two, `outer` by `inner`, and for each old dimension what it is in the new
    /// ones. `None` unless `inner` is known to divide the size.
    pub fn split(&self, axis: usize, inner: &SizeExpr) -> Option<(Space, Vec<AffineExpr>)> {
        let outer = self.sizes[axis].try_div(inner)?;
        let mut sizes = self.sizes.clone();
        sizes.splice(axis..=axis, [outer, inner.clone()]);
        let mut space = Space::over(&self.symbols, &sizes)?;
        let dim = |index: usize| AffineExpr::Dim(index as u32);
        let split = dim(axis).mul(&space.affine(inner)?).and_then(|outer| outer.add(&dim(axis + 1))).ok()?;
        let old = 0..self.sizes.len();
        let replaced = old.map(|old| match old {
            _ if old == axis => split.clone(),
            _ => dim(old + usize::from(old > axis)),
        });
        Some((space, replaced.collect()))
    }
}
