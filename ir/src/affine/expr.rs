//! Affine expressions: the tree, its evaluation and substitution.
//!
//! A leaf is stored in place, an inner node is shared, so cloning costs at most one atomic increment.
//! Nodes are made by the constructors of `build` alone; each carries its height and size, which are bounded, so that
//! no recursion over an expression can exhaust the stack and no shared tree is exponentially larger than it looks.

use std::sync::Arc;

use super::error::{AffineError, AffineErrorKind, Result, checked_add, checked_mul};

/// Greatest height of an expression; beyond it the constructors return `TooLarge`.
pub const MAX_HEIGHT: u16 = 500;
/// Greatest number of nodes of an expression, shared ones counted each time they occur.
pub const MAX_NODES: u32 = 100_000;

/// An affine expression over dimensions `d0, d1, ...` and symbols `s0, s1, ...`.
///
/// Equality and order are those of the written shape: `d0 + d1` and `d1 + d0` differ. Equal values are brought to
/// equal shapes by [`AffineExpr::simplify_under`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AffineExpr {
    /// The dimension of this index.
    Dim(u32),
    /// The symbol of this index.
    Symbol(u32),
    /// A constant.
    Constant(i64),
    /// An operation on two expressions.
    Binary(Arc<Binary>),
}

/// An inner node.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Binary {
    op: BinaryOp,
    height: u16,
    nodes: u32,
    symbolic: bool,
    lhs: AffineExpr,
    rhs: AffineExpr,
}

/// The operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BinaryOp {
    /// Sum.
    Add,
    /// Product; at least one side is symbolic or constant, and then the right one.
    Mul,
    /// Quotient rounded down.
    FloorDiv,
    /// Quotient rounded up.
    CeilDiv,
    /// Remainder in `[0, divisor)`.
    Mod,
}

/// `sum of dims[i] * d_i + sum of symbols[i] * s_i + constant`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct LinearForm {
    /// Coefficient of each dimension.
    pub dims: Vec<i64>,
    /// Coefficient of each symbol.
    pub symbols: Vec<i64>,
    /// The constant term.
    pub constant: i64,
}

impl Binary {
    /// Makes the node as it stands; folding has been done by the caller.
    pub(super) fn node(op: BinaryOp, lhs: AffineExpr, rhs: AffineExpr) -> Result<AffineExpr> {
        let height = lhs.height().max(rhs.height()) + 1;
        let nodes = lhs.nodes().saturating_add(rhs.nodes()).saturating_add(1);
        if height > MAX_HEIGHT || nodes > MAX_NODES {
            return Err(AffineError::new(AffineErrorKind::TooLarge, "the affine expression is too large"));
        }
        let symbolic = lhs.is_symbolic_or_constant() && rhs.is_symbolic_or_constant();
        Ok(AffineExpr::Binary(Arc::new(Binary { op, height, nodes, symbolic, lhs, rhs })))
    }

    /// The operation.
    pub fn op(&self) -> BinaryOp {
        self.op
    }

    /// The left operand.
    pub fn lhs(&self) -> &AffineExpr {
        &self.lhs
    }

    /// The right operand.
    pub fn rhs(&self) -> &AffineExpr {
        &self.rhs
    }
}

impl AffineExpr {
    /// The value, if this is a constant.
    pub fn as_constant(&self) -> Option<i64> {
        match self {
            AffineExpr::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// The operands, if this is the given operation.
    pub fn as_binary(&self, op: BinaryOp) -> Option<(&AffineExpr, &AffineExpr)> {
        match self {
            AffineExpr::Binary(node) if node.op == op => Some((&node.lhs, &node.rhs)),
            _ => None,
        }
    }

    /// Whether no dimension occurs.
    pub fn is_symbolic_or_constant(&self) -> bool {
        match self {
            AffineExpr::Dim(_) => false,
            AffineExpr::Symbol(_) | AffineExpr::Constant(_) => true,
            AffineExpr::Binary(node) => node.symbolic,
        }
    }

    /// Whether every product is by a constant and every divisor is a constant.
    pub fn is_pure_affine(&self) -> bool {
        match self {
            AffineExpr::Binary(node) => {
                let (lhs, rhs) = (&node.lhs, &node.rhs);
                lhs.is_pure_affine()
                    && rhs.is_pure_affine()
                    && (node.op == BinaryOp::Add || lhs.as_constant().is_some() || rhs.as_constant().is_some())
            }
            _ => true,
        }
    }

    /// Whether the dimension occurs.
    pub fn is_function_of_dim(&self, dim: u32) -> bool {
        self.any_leaf(&mut |leaf| matches!(leaf, AffineExpr::Dim(index) if *index == dim))
    }

    /// Whether the symbol occurs.
    pub fn is_function_of_symbol(&self, symbol: u32) -> bool {
        self.any_leaf(&mut |leaf| matches!(leaf, AffineExpr::Symbol(index) if *index == symbol))
    }

    /// The least numbers of dimensions and symbols that declare all that occur.
    pub fn needed(&self) -> (u32, u32) {
        let (mut dims, mut symbols) = (0, 0);
        self.any_leaf(&mut |leaf| {
            match leaf {
                AffineExpr::Dim(index) => dims = dims.max(index.saturating_add(1)),
                AffineExpr::Symbol(index) => symbols = symbols.max(index.saturating_add(1)),
                _ => {}
            }
            false
        });
        (dims, symbols)
    }

    /// The value for the given dimensions and symbols.
    ///
    /// Errors: `Unbound` for a missing value, `Overflow` where a step leaves 64 bits, `Divisor` for a divisor that is
    /// not positive.
    pub fn eval(&self, dims: &[i64], symbols: &[i64]) -> Result<i64> {
        let node = match self {
            AffineExpr::Dim(index) => return dims.get(*index as usize).copied().ok_or_else(|| self.unbound()),
            AffineExpr::Symbol(index) => return symbols.get(*index as usize).copied().ok_or_else(|| self.unbound()),
            AffineExpr::Constant(value) => return Ok(*value),
            AffineExpr::Binary(node) => node,
        };
        let (lhs, rhs) = (node.lhs.eval(dims, symbols)?, node.rhs.eval(dims, symbols)?);
        node.op.apply(lhs, rhs)
    }

    /// Replaces each dimension and symbol by the expression at its index.
    ///
    /// Errors: `Unbound` where there is none, and those of the constructors; a dimension put in place of a symbol can
    /// make a product `NonAffine`.
    pub fn substitute(&self, dims: &[AffineExpr], symbols: &[AffineExpr]) -> Result<AffineExpr> {
        self.map_leaves(&|leaf| {
            let replacement = match leaf {
                AffineExpr::Dim(index) => dims.get(*index as usize),
                AffineExpr::Symbol(index) => symbols.get(*index as usize),
                _ => Some(leaf),
            };
            replacement.cloned().ok_or_else(|| leaf.unbound())
        })
    }

    /// Renumbers symbols: `s_i` becomes `s_(i + by)`.
    pub(super) fn shift_symbols(&self, by: u32) -> Result<AffineExpr> {
        self.map_leaves(&|leaf| match leaf {
            AffineExpr::Symbol(index) => index
                .checked_add(by)
                .map(AffineExpr::Symbol)
                .ok_or_else(|| AffineError::new(AffineErrorKind::TooLarge, "too many symbols")),
            _ => Ok(leaf.clone()),
        })
    }

    /// The coefficients, if the expression is a sum of constant multiples of dimensions and symbols: `Ok(None)` where
    /// a division, a remainder or a product of symbols is left.
    ///
    /// Errors: `Unbound` for an index outside the given numbers, `Overflow` for a coefficient that does not fit.
    pub fn linear_form(&self, num_dims: u32, num_symbols: u32) -> Result<Option<LinearForm>> {
        let mut form =
            LinearForm { dims: vec![0; num_dims as usize], symbols: vec![0; num_symbols as usize], constant: 0 };
        Ok(self.add_linear(1, &mut form)?.then_some(form))
    }

    /// The factor of a dimension where the expression is a sum of a multiple of it and of what it may not occur in; zero
    /// where it does not stand alone in any term. `None` beyond 64 bits.
    pub(super) fn coefficient_of(&self, dim: u32) -> Option<i64> {
        match self {
            AffineExpr::Dim(index) => Some(i64::from(*index == dim)),
            AffineExpr::Binary(node) => match (node.op, node.rhs.as_constant()) {
                (BinaryOp::Add, _) => node.lhs.coefficient_of(dim)?.checked_add(node.rhs.coefficient_of(dim)?),
                (BinaryOp::Mul, Some(value)) => node.lhs.coefficient_of(dim)?.checked_mul(value),
                _ => Some(0),
            },
            _ => Some(0),
        }
    }

    fn add_linear(&self, factor: i64, form: &mut LinearForm) -> Result<bool> {
        let slot = match self {
            AffineExpr::Dim(index) => form.dims.get_mut(*index as usize).ok_or_else(|| self.unbound())?,
            AffineExpr::Symbol(index) => form.symbols.get_mut(*index as usize).ok_or_else(|| self.unbound())?,
            AffineExpr::Constant(value) => {
                form.constant = checked_add(form.constant, checked_mul(factor, *value)?)?;
                return Ok(true);
            }
            AffineExpr::Binary(node) => {
                return match (node.op, node.rhs.as_constant()) {
                    (BinaryOp::Add, _) => Ok(node.lhs.add_linear(factor, form)? && node.rhs.add_linear(factor, form)?),
                    (BinaryOp::Mul, Some(value)) => node.lhs.add_linear(checked_mul(factor, value)?, form),
                    _ => Ok(false),
                };
            }
        };
        *slot = checked_add(*slot, factor)?;
        Ok(true)
    }

    fn any_leaf(&self, test: &mut dyn FnMut(&AffineExpr) -> bool) -> bool {
        match self {
            AffineExpr::Binary(node) => node.lhs.any_leaf(test) || node.rhs.any_leaf(test),
            leaf => test(leaf),
        }
    }

    fn map_leaves(&self, replace: &dyn Fn(&AffineExpr) -> Result<AffineExpr>) -> Result<AffineExpr> {
        match self {
            AffineExpr::Binary(node) => {
                AffineExpr::binary(node.op, &node.lhs.map_leaves(replace)?, &node.rhs.map_leaves(replace)?)
            }
            leaf => replace(leaf),
        }
    }

    fn unbound(&self) -> AffineError {
        AffineError::new(AffineErrorKind::Unbound, format!("nothing is given for '{self}'"))
    }

    pub(super) fn height(&self) -> u16 {
        if let AffineExpr::Binary(node) = self { node.height } else { 1 }
    }

    fn nodes(&self) -> u32 {
        if let AffineExpr::Binary(node) = self { node.nodes } else { 1 }
    }
}

impl BinaryOp {
    /// The operation on numbers. Errors: `Overflow`; `Divisor` unless the divisor is positive.
    pub fn apply(self, lhs: i64, rhs: i64) -> Result<i64> {
        if rhs <= 0 && !matches!(self, BinaryOp::Add | BinaryOp::Mul) {
            return Err(AffineError::divisor(rhs));
        }
        match self {
            BinaryOp::Add => checked_add(lhs, rhs),
            BinaryOp::Mul => checked_mul(lhs, rhs),
            BinaryOp::FloorDiv => Ok(lhs.div_euclid(rhs)),
            // Cannot overflow: a remainder means a divisor of at least 2.
            BinaryOp::CeilDiv => Ok(lhs.div_euclid(rhs) + i64::from(lhs.rem_euclid(rhs) != 0)),
            BinaryOp::Mod => Ok(lhs.rem_euclid(rhs)),
        }
    }
}
