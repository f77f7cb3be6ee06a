//! Where the axes of a kernel go: to the numbers of blocks, to loops, to the two axes of fragments.

use std::cell::RefCell;

use dlc_core::guard::{Condition, Guard};
use dlc_ir::affine::{AffineError, SizeExpr};

/// Some axes as one, of which a tile is looked at: their positions in row-major order, from `base` on. A tile of one is a
/// position alone.
#[derive(Clone, Debug)]
pub struct Dim {
    /// The axes and their sizes.
    pub axes: Vec<(String, SizeExpr)>,
    /// The product of the sizes.
    pub total: SizeExpr,
    /// The position of the first of the tile; values in it are named as [`super::emit::Emit`] names them.
    pub base: SizeExpr,
    /// How many positions a tile has.
    pub tile: u32,
    /// Which binding of its axes it is: another tile of the same axes is another one.
    pub id: usize,
    /// Which positions of a tile of whole rows are results, where it has others.
    pub whole_rows: Option<WholeRows>,
}

/// A tile of whole rows, the last of its axes being longer than they are.
#[derive(Clone, Copy, Debug)]
pub struct WholeRows {
    /// How many positions of the last axis there are in fact.
    pub width: u32,
    /// The positions between two tiles, at most as many as a tile has.
    pub apart: u32,
}

/// Why a region has no kernel.
#[derive(Debug)]
pub enum LowerError {
    /// An expression of positions cannot be computed, for this reason.
    Expr(AffineError),
    /// The conditions of a guard go beyond 64 bits.
    Guard,
    /// A fragment or a tile in shared memory has no layout, for this reason.
    Layout(String),
}

/// A guard with another expression in place of each.
pub fn map_guard(guard: &Guard, put: &dyn Fn(&SizeExpr) -> Result<SizeExpr, LowerError>) -> Result<Guard, LowerError> {
    let reason = RefCell::new(LowerError::Guard);
    let put = |expr: &SizeExpr| put(expr).map_err(|why| reason.replace(why)).ok();
    guard.map(&put).ok_or_else(|| reason.replace(LowerError::Guard))
}

/// The product of sizes.
pub fn product<'e>(sizes: impl IntoIterator<Item = &'e SizeExpr>) -> Result<SizeExpr, LowerError> {
    sizes.into_iter().try_fold(SizeExpr::from(1), |all, size| all.mul(size).map_err(LowerError::Expr))
}

/// `of floordiv by`. Of zero there are no positions that would be divided.
pub fn quotient(of: &SizeExpr, by: &SizeExpr) -> Result<SizeExpr, LowerError> {
    match by.as_constant() {
        Some(0) => Ok(SizeExpr::from(0)),
        _ => of.floordiv(by).map_err(LowerError::Expr),
    }
}

/// `of mod by`, as [`quotient`].
pub fn remainder(of: &SizeExpr, by: &SizeExpr) -> Result<SizeExpr, LowerError> {
    match by.as_constant() {
        Some(0) => Ok(SizeExpr::from(0)),
        _ => of.modulo(by).map_err(LowerError::Expr),
    }
}

impl Dim {
    /// The position in the row-major order of its axes, `axis` being its axis of the fragment.
    fn position(&self, axis: usize) -> Result<SizeExpr, LowerError> {
        match self.tile {
            1 => Ok(self.base.clone()),
            _ => self.base.add(&coordinate(axis)).map_err(LowerError::Expr),
        }
    }

    /// What an axis is, if it is one of these.
    pub fn value_of(&self, name: &str, axis: usize) -> Result<Option<SizeExpr>, LowerError> {
        let Some(at) = self.axes.iter().position(|(known, _)| known == name) else { return Ok(None) };
        let position = self.position(axis)?;
        let inner = product(self.axes[at + 1..].iter().map(|(_, size)| size))?;
        let quotient = match inner.as_constant() {
            Some(1) => position,
            _ => quotient(&position, &inner)?,
        };
        if at == 0 {
            return Ok(Some(quotient));
        }
        remainder(&quotient, &self.axes[at].1).map(Some)
    }

    /// That all positions of the tile are ones, where that is a question.
    pub fn is_full(&self) -> Option<Condition> {
        let whole = self.whole_rows.is_some()
            || self.base.as_constant() == Some(0) && self.total.as_constant() == Some(self.tile.into());
        let end = self.base.add(&i64::from(self.tile).into()).ok().filter(|_| self.tile > 1 && !whole)?;
        Condition::of(&end, "<=", &self.total)
    }

    /// That the position is one, where not all of the tile's are: a tile of one has its position from a loop or a block.
    pub fn inside(&self, axis: usize) -> Result<Vec<Condition>, LowerError> {
        if let Some(rows) = self.whole_rows {
            return self.inside_rows(rows, axis);
        }
        let whole = self.base.as_constant() == Some(0) && self.total.as_constant() == Some(self.tile.into());
        if self.tile == 1 || whole {
            return Ok(Vec::new());
        }
        Ok(vec![bounded(self.position(axis)?, self.total.clone())])
    }

    /// The same of whole rows: that a row is one, that its position is a result, and that it is not in the next tile.
    fn inside_rows(&self, WholeRows { width, apart }: WholeRows, axis: usize) -> Result<Vec<Condition>, LowerError> {
        let mut conditions = Vec::new();
        for (at, (name, size)) in self.axes.iter().enumerate() {
            let is_last = at + 1 == self.axes.len();
            let size = if is_last { SizeExpr::from(i64::from(width)) } else { size.clone() };
            if let Some(position) = self.value_of(name, axis)? {
                conditions.push(bounded(position, size));
            }
        }
        // Of one row that follows from its width.
        if apart < self.tile && self.axes.len() > 1 {
            conditions.push(bounded(coordinate(axis), i64::from(apart).into()));
        }
        Ok(conditions)
    }
}

/// `expr < limit`
fn bounded(expr: SizeExpr, limit: SizeExpr) -> Condition {
    Condition { expr, lower: None, upper: Some(limit) }
}

/// `i0`, `i1`: the position in a fragment.
pub fn coordinate(axis: usize) -> SizeExpr {
    SizeExpr::symbol(&format!("i{axis}")).expect("a letter and digits are a name")
}

/// Where both hold.
pub fn both(guard: Option<Guard>, conditions: Vec<Condition>) -> Option<Guard> {
    let mut guard = match (guard, conditions.is_empty()) {
        (guard, true) => return guard,
        (Some(guard), false) => guard,
        (None, false) => Guard::all(Vec::new()),
    };
    for piece in &mut guard.pieces {
        piece.extend(conditions.iter().cloned());
    }
    Some(guard)
}
