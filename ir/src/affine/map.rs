//! Affine maps: from a point of dimensions and symbols to a point of results.

use super::error::{AffineError, AffineErrorKind, Result};
use super::expr::AffineExpr;
use super::range::Ranges;

/// `(d0, ..)[s0, ..] -> (result, ..)`. Every dimension and symbol that occurs in a result is declared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AffineMap {
    num_dims: u32,
    num_symbols: u32,
    results: Vec<AffineExpr>,
}

impl AffineMap {
    /// Errors: `Unbound` where a result has a dimension or symbol that is not declared.
    pub fn new(num_dims: u32, num_symbols: u32, results: Vec<AffineExpr>) -> Result<AffineMap> {
        check_declared(num_dims, num_symbols, &results)?;
        Ok(AffineMap { num_dims, num_symbols, results })
    }

    /// `(d0, .., dn-1) -> (d0, .., dn-1)`.
    pub fn identity(num_dims: u32) -> AffineMap {
        AffineMap { num_dims, num_symbols: 0, results: (0..num_dims).map(AffineExpr::Dim).collect() }
    }

    /// `() -> (value)`.
    pub fn constant(value: i64) -> AffineMap {
        AffineMap { num_dims: 0, num_symbols: 0, results: vec![AffineExpr::Constant(value)] }
    }

    /// The map that reorders: result `i` is dimension `order[i]`.
    ///
    /// Errors: `Arity` unless `order` holds each of `0..order.len()` once.
    pub fn permutation(order: &[u32]) -> Result<AffineMap> {
        let results = order.iter().copied().map(AffineExpr::Dim).collect();
        let map = AffineMap { num_dims: order.len() as u32, num_symbols: 0, results };
        if map.is_permutation() {
            return Ok(map);
        }
        Err(AffineError::new(AffineErrorKind::Arity, "the order does not hold each index once"))
    }

    /// Number of dimensions.
    pub fn num_dims(&self) -> u32 {
        self.num_dims
    }

    /// Number of symbols.
    pub fn num_symbols(&self) -> u32 {
        self.num_symbols
    }

    /// The results, in order.
    pub fn results(&self) -> &[AffineExpr] {
        &self.results
    }

    /// Whether each result is the dimension at its place, all of them, without symbols.
    pub fn is_identity(&self) -> bool {
        let in_place = |(index, result): (usize, &AffineExpr)| *result == AffineExpr::Dim(index as u32);
        self.num_symbols == 0
            && self.results.len() == self.num_dims as usize
            && self.results.iter().enumerate().all(in_place)
    }

    /// Whether every result is a constant.
    pub fn is_constant(&self) -> bool {
        self.results.iter().all(|result| result.as_constant().is_some())
    }

    /// Whether the results are the dimensions, each once, without symbols.
    pub fn is_permutation(&self) -> bool {
        self.results.len() == self.num_dims as usize && self.is_projected_permutation()
    }

    /// Whether the results are some of the dimensions, each at most once, without symbols.
    pub fn is_projected_permutation(&self) -> bool {
        let mut seen = vec![false; self.num_dims as usize];
        self.num_symbols == 0
            && self.results.iter().all(|result| match result {
                AffineExpr::Dim(index) => {
                    seen.get_mut(*index as usize).is_some_and(|seen| !std::mem::replace(seen, true))
                }
                _ => false,
            })
    }

    /// The values of the results. Errors: `Arity` for wrong numbers of values, and those of [`AffineExpr::eval`].
    pub fn eval(&self, dims: &[i64], symbols: &[i64]) -> Result<Vec<i64>> {
        check_arity(self.num_dims, dims.len(), "dimensions")?;
        check_arity(self.num_symbols, symbols.len(), "symbols")?;
        self.results.iter().map(|result| result.eval(dims, symbols)).collect()
    }

    /// The map that applies `inner` first and then this one. The symbols of this map come first, those of `inner`
    /// after them, as in MLIR.
    ///
    /// Errors: `Arity` unless `inner` has as many results as this map has dimensions, and those of
    /// [`AffineExpr::substitute`].
    pub fn compose(&self, inner: &AffineMap) -> Result<AffineMap> {
        check_arity(self.num_dims, inner.results.len(), "results of the inner map")?;
        let num_symbols = self.num_symbols.checked_add(inner.num_symbols);
        let num_symbols = num_symbols.ok_or_else(|| AffineError::new(AffineErrorKind::TooLarge, "too many symbols"))?;
        let dims: Vec<_> =
            inner.results.iter().map(|result| result.shift_symbols(self.num_symbols)).collect::<Result<_>>()?;
        let symbols: Vec<_> = (0..self.num_symbols).map(AffineExpr::Symbol).collect();
        let results = self.results.iter().map(|result| result.substitute(&dims, &symbols)).collect::<Result<_>>()?;
        Ok(AffineMap { num_dims: inner.num_dims, num_symbols, results })
    }

    /// The inverse, if the results hold every dimension bare and there are no symbols: a dimension that occurs more
    /// than once is taken from its first place, and results of another form are not used.
    pub fn inverse_permutation(&self) -> Option<AffineMap> {
        if self.num_symbols != 0 {
            return None;
        }
        let place = |dim| self.results.iter().position(|result| *result == AffineExpr::Dim(dim));
        let results: Option<Vec<_>> = (0..self.num_dims).map(|dim| Some(AffineExpr::Dim(place(dim)? as u32))).collect();
        Some(AffineMap { num_dims: self.results.len() as u32, num_symbols: 0, results: results? })
    }

    /// Every result simplified; see [`AffineExpr::simplify_under`].
    pub fn simplify_under(&self, ranges: &Ranges) -> AffineMap {
        AffineMap { results: self.results.iter().map(|result| result.simplify_under(ranges)).collect(), ..*self }
    }
}

pub(super) fn check_declared<'a>(
    num_dims: u32,
    num_symbols: u32,
    exprs: impl IntoIterator<Item = &'a AffineExpr>,
) -> Result<()> {
    for expr in exprs {
        let (dims, symbols) = expr.needed();
        if dims > num_dims || symbols > num_symbols {
            let message = format!("'{expr}' needs {dims} dimensions and {symbols} symbols");
            return Err(AffineError::new(AffineErrorKind::Unbound, message));
        }
    }
    Ok(())
}

pub(super) fn check_arity(expected: u32, found: usize, what: &str) -> Result<()> {
    if found == expected as usize {
        return Ok(());
    }
    Err(AffineError::new(AffineErrorKind::Arity, format!("expected {expected} {what}, found {found}")))
}
