//! Constructors of affine expressions, with the light folding that MLIR does when it reads or builds one.
//!
//! The rules are those that `mlir-opt` shows (checked against it by a test): constants fold and move right, symbolic
//! operands move right, two bare dimensions or two bare symbols stand in order, identity elements go, `c1*e + c2*e`
//! collects neighbours, `e - q*(e floordiv q)` is `e mod q`, and a division looks at the largest constant known to
//! divide its dividend. Other terms keep their order.
//!
//! Two differences, on purpose:
//! - `a + (b + c)` is kept as `(a + b) + c`. MLIR keeps the nesting but prints it without parentheses, so its own text
//!   reads back as another tree; here text and tree always agree.
//! - What has no value (overflow, a constant divisor that is not positive) is an error; MLIR leaves it unfolded.

use super::error::{AffineError, AffineErrorKind, Result, checked_add, checked_mul, gcd};
use super::expr::{AffineExpr, Binary, BinaryOp};

impl AffineExpr {
    /// The operation by its kind. Errors as [`AffineExpr::add`], [`AffineExpr::mul`] and [`AffineExpr::floordiv`].
    pub fn binary(op: BinaryOp, lhs: &AffineExpr, rhs: &AffineExpr) -> Result<AffineExpr> {
        match op {
            BinaryOp::Add => lhs.add(rhs),
            BinaryOp::Mul => lhs.mul(rhs),
            BinaryOp::FloorDiv => lhs.floordiv(rhs),
            BinaryOp::CeilDiv => lhs.ceildiv(rhs),
            BinaryOp::Mod => lhs.modulo(rhs),
        }
    }

    /// `self + rhs`. Errors: `Overflow` of a folded constant, `TooLarge`.
    pub fn add(&self, rhs: &AffineExpr) -> Result<AffineExpr> {
        match self.fold_sum(rhs) {
            Some(folded) => folded,
            None => Binary::node(BinaryOp::Add, self.clone(), rhs.clone()),
        }
    }

    fn fold_sum(&self, rhs: &AffineExpr) -> Option<Result<AffineExpr>> {
        if let (Some(a), Some(b)) = (self.as_constant(), rhs.as_constant()) {
            return Some(checked_add(a, b).map(AffineExpr::Constant));
        }
        let symbolic_first = self.is_symbolic_or_constant() && !rhs.is_symbolic_or_constant();
        if self.as_constant().is_some() || symbolic_first || self.comes_after(rhs) {
            return Some(rhs.add(self));
        }
        if let Some((first, last)) = rhs.as_binary(BinaryOp::Add) {
            return Some(self.add(first).and_then(|sum| sum.add(last)));
        }
        if rhs.as_constant() == Some(0) {
            return Some(Ok(self.clone()));
        }
        let parts = self.as_binary(BinaryOp::Add);
        let ends_in_constant = parts.and_then(|(rest, last)| Some((rest, last.as_constant()?)));
        if let (Some((rest, a)), Some(b)) = (ends_in_constant, rhs.as_constant()) {
            return Some(checked_add(a, b).and_then(|sum| rest.add(&sum.into())));
        }
        let ((left, left_factor), (right, right_factor)) = (self.constant_multiple(), rhs.constant_multiple());
        if left == right {
            return Some(checked_add(left_factor, right_factor).and_then(|factor| left.mul(&factor.into())));
        }
        if let Some((rest, constant)) = ends_in_constant {
            return Some(rest.add(rhs).and_then(|sum| sum.add(&constant.into())));
        }
        if let Some(divisor) = self.remainder_of(rhs) {
            return Some(self.modulo(divisor));
        }
        // A multiple of a quotient is also offered to the last term, which may be what it completes to a remainder.
        let (rest, last) = parts?;
        rhs.as_binary(BinaryOp::Mul)?.0.as_binary(BinaryOp::FloorDiv)?;
        let folded = last.fold_sum(rhs)?;
        Some(folded.and_then(|folded| rest.add(&folded)))
    }

    /// `self - rhs`, which is `self + rhs * -1`. Errors as [`AffineExpr::add`].
    pub fn sub(&self, rhs: &AffineExpr) -> Result<AffineExpr> {
        self.add(&rhs.neg()?)
    }

    /// `-self`. Errors: `Overflow`, `TooLarge`.
    pub fn neg(&self) -> Result<AffineExpr> {
        self.mul(&AffineExpr::Constant(-1))
    }

    /// `self * rhs`. Errors: `NonAffine` where both sides have a dimension, `Overflow`, `TooLarge`.
    pub fn mul(&self, rhs: &AffineExpr) -> Result<AffineExpr> {
        if let (Some(a), Some(b)) = (self.as_constant(), rhs.as_constant()) {
            return checked_mul(a, b).map(AffineExpr::Constant);
        }
        if !rhs.is_symbolic_or_constant() && !self.is_symbolic_or_constant() {
            let message = "a product needs a constant or symbolic operand, and both have dimensions";
            return Err(AffineError::new(AffineErrorKind::NonAffine, message));
        }
        if !rhs.is_symbolic_or_constant() || self.as_constant().is_some() || self.comes_after(rhs) {
            return rhs.mul(self);
        }
        match rhs.as_constant() {
            Some(0) => return Ok(AffineExpr::Constant(0)),
            Some(1) => return Ok(self.clone()),
            _ => {}
        }
        if let Some((inner, a)) = self.as_constant_product() {
            return match rhs.as_constant() {
                Some(b) => inner.mul(&AffineExpr::Constant(checked_mul(a, b)?)),
                None => inner.mul(rhs)?.mul(&AffineExpr::Constant(a)),
            };
        }
        Binary::node(BinaryOp::Mul, self.clone(), rhs.clone())
    }

    /// `self floordiv rhs`, rounded down.
    ///
    /// Errors: `Divisor` for a constant divisor that is not positive, `NonAffine` for one with a dimension, `TooLarge`.
    pub fn floordiv(&self, rhs: &AffineExpr) -> Result<AffineExpr> {
        let Some(divisor) = self.constant_divisor(rhs, "floordiv")? else {
            return Binary::node(BinaryOp::FloorDiv, self.clone(), rhs.clone());
        };
        if let Some(done) = self.fold_quotient(BinaryOp::FloorDiv, divisor) {
            return done;
        }
        if let Some((first, last)) = self.as_binary(BinaryOp::Add)
            && (first.divisible(divisor) || last.divisible(divisor))
        {
            return first.floordiv(rhs)?.add(&last.floordiv(rhs)?);
        }
        Binary::node(BinaryOp::FloorDiv, self.clone(), rhs.clone())
    }

    /// `self ceildiv rhs`, rounded up. Errors as [`AffineExpr::floordiv`].
    pub fn ceildiv(&self, rhs: &AffineExpr) -> Result<AffineExpr> {
        let folded = match self.constant_divisor(rhs, "ceildiv")? {
            Some(divisor) => self.fold_quotient(BinaryOp::CeilDiv, divisor),
            None => None,
        };
        folded.unwrap_or_else(|| Binary::node(BinaryOp::CeilDiv, self.clone(), rhs.clone()))
    }

    /// `self mod rhs`, in `[0, rhs)`. Errors as [`AffineExpr::floordiv`].
    pub fn modulo(&self, rhs: &AffineExpr) -> Result<AffineExpr> {
        let Some(divisor) = self.constant_divisor(rhs, "mod")? else {
            return Binary::node(BinaryOp::Mod, self.clone(), rhs.clone());
        };
        if let Some(value) = self.as_constant() {
            return BinaryOp::Mod.apply(value, divisor).map(AffineExpr::Constant);
        }
        if self.divisible(divisor) {
            return Ok(AffineExpr::Constant(0));
        }
        if let Some((first, last)) = self.as_binary(BinaryOp::Add) {
            if first.divisible(divisor) {
                return last.modulo(rhs);
            }
            if last.divisible(divisor) {
                return first.modulo(rhs);
            }
        }
        if let Some((inner, modulus)) = self.as_binary(BinaryOp::Mod)
            && modulus.as_constant().is_some_and(|modulus| modulus > 0 && modulus % divisor == 0)
        {
            return inner.modulo(rhs);
        }
        Binary::node(BinaryOp::Mod, self.clone(), rhs.clone())
    }

    /// What `floordiv` and `ceildiv` have in common: constants, a divisor of one, a product by a multiple of it.
    fn fold_quotient(&self, op: BinaryOp, divisor: i64) -> Option<Result<AffineExpr>> {
        if let Some(value) = self.as_constant() {
            return Some(op.apply(value, divisor).map(AffineExpr::Constant));
        }
        if divisor == 1 {
            return Some(Ok(self.clone()));
        }
        let (inner, factor) = self.as_constant_product()?;
        (factor % divisor == 0).then(|| inner.mul(&AffineExpr::Constant(factor / divisor)))
    }

    /// Refuses a divisor that has a dimension or is a constant that is not positive; gives the constant.
    fn constant_divisor(&self, divisor: &AffineExpr, word: &str) -> Result<Option<i64>> {
        if !divisor.is_symbolic_or_constant() {
            let message = format!("the right operand of {word} must be a constant or symbolic");
            return Err(AffineError::new(AffineErrorKind::NonAffine, message));
        }
        match divisor.as_constant() {
            Some(value) if value <= 0 => Err(AffineError::divisor(value)),
            value => Ok(value),
        }
    }

    /// Whether both are dimensions or both are symbols, in the wrong order.
    fn comes_after(&self, rhs: &AffineExpr) -> bool {
        match (self, rhs) {
            (AffineExpr::Dim(own), AffineExpr::Dim(other)) => own > other,
            (AffineExpr::Symbol(own), AffineExpr::Symbol(other)) => own > other,
            _ => false,
        }
    }

    /// `e` and `c` of `e * c`, for a constant `c`.
    fn as_constant_product(&self) -> Option<(&AffineExpr, i64)> {
        let (inner, factor) = self.as_binary(BinaryOp::Mul)?;
        Some((inner, factor.as_constant()?))
    }

    /// The same for any expression: itself times one.
    fn constant_multiple(&self) -> (&AffineExpr, i64) {
        self.as_constant_product().unwrap_or((self, 1))
    }

    /// `q` if `subtracted` is `(self floordiv q) * -q`, so that the sum of both is `self mod q`.
    fn remainder_of<'a>(&self, subtracted: &'a AffineExpr) -> Option<&'a AffineExpr> {
        let (product, factor) = subtracted.as_binary(BinaryOp::Mul)?;
        let factor = factor.as_constant()?;
        if let Some((dividend, divisor)) = product.as_binary(BinaryOp::FloorDiv) {
            let value = divisor.as_constant()?;
            return (dividend == self && value > 0 && factor == -value).then_some(divisor);
        }
        let (quotient, multiplier) = product.as_binary(BinaryOp::Mul)?;
        let (dividend, divisor) = quotient.as_binary(BinaryOp::FloorDiv)?;
        (factor == -1 && multiplier == divisor && dividend == self).then_some(divisor)
    }

    fn divisible(&self, divisor: i64) -> bool {
        self.largest_known_divisor().is_multiple_of(divisor.unsigned_abs())
    }

    /// A number that divides every value of the expression; zero if the value is always zero.
    pub fn largest_known_divisor(&self) -> u64 {
        let node = match self {
            AffineExpr::Dim(_) | AffineExpr::Symbol(_) => return 1,
            AffineExpr::Constant(value) => return value.unsigned_abs(),
            AffineExpr::Binary(node) => node,
        };
        let left = node.lhs().largest_known_divisor();
        match node.op() {
            BinaryOp::Add | BinaryOp::Mod => gcd(left, node.rhs().largest_known_divisor()),
            // Where the product does not fit, one factor is still a divisor.
            BinaryOp::Mul => left.checked_mul(node.rhs().largest_known_divisor()).unwrap_or(left),
            BinaryOp::FloorDiv | BinaryOp::CeilDiv => match node.rhs().as_constant() {
                Some(divisor) if left.is_multiple_of(divisor.unsigned_abs()) => left / divisor.unsigned_abs(),
                _ => 1,
            },
        }
    }
}
