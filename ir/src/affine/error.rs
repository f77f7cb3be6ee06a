//! The one error of this module: what was wrong, and where in the text when there was a text.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Result of the fallible operations of this module.
pub(super) type Result<T> = std::result::Result<T, AffineError>;

/// What kind of thing went wrong; stable, so that a caller can choose a diagnostic by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AffineErrorKind {
    /// The text does not follow the grammar.
    Syntax,
    /// A name that is neither a dimension nor a symbol of the text at hand.
    UnknownName,
    /// One name declared twice.
    DuplicateName,
    /// An integer literal that does not fit 64 bits.
    IntegerTooLarge,
    /// A product of two dimensions, or a division by one.
    NonAffine,
    /// A result that does not fit 64 bits.
    Overflow,
    /// A divisor that is zero or negative.
    Divisor,
    /// An expression beyond the limits of height, size or nesting.
    TooLarge,
    /// A dimension or symbol that has no value or replacement, or lies outside the declared ones.
    Unbound,
    /// Two things whose numbers of dimensions, symbols or results do not fit together.
    Arity,
}

/// Why an operation of this module failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffineError {
    /// What kind of thing went wrong.
    pub kind: AffineErrorKind,
    /// Where, in bytes of the parsed text; `0..0` where there was no text.
    pub span: Range<usize>,
    /// What went wrong, as a sentence without a full stop.
    pub message: Cow<'static, str>,
    /// What the grammar would have taken at that place; empty unless `kind` is `Syntax`.
    pub expected: Vec<&'static str>,
}

impl AffineError {
    pub(super) fn new(kind: AffineErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        AffineError { kind, span: 0..0, message: message.into(), expected: Vec::new() }
    }

    pub(super) fn overflow() -> Self {
        Self::new(AffineErrorKind::Overflow, "the result does not fit 64 bits")
    }

    pub(super) fn divisor(value: i64) -> Self {
        Self::new(AffineErrorKind::Divisor, format!("the divisor must be positive, and is {value}"))
    }

    /// The same error, at a place of the text.
    pub(super) fn at(mut self, span: Range<usize>) -> Self {
        self.span = span;
        self
    }
}

impl fmt::Display for AffineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for AffineError {}

pub(super) fn checked_add(a: i64, b: i64) -> Result<i64> {
    a.checked_add(b).ok_or_else(AffineError::overflow)
}

pub(super) fn checked_mul(a: i64, b: i64) -> Result<i64> {
    a.checked_mul(b).ok_or_else(AffineError::overflow)
}

/// The greatest common divisor; of 0 and a number that number.
pub fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
