//! Affine expressions, maps and sets as text, in MLIR's spelling.
//!
//! A sum inside anything tighter stands in parentheses, and so does every product, quotient and remainder below
//! another one. `e * -1` is written `-e`, and a sum with a negative last term as a subtraction.

use std::fmt::{self, Display, Formatter, Write};

use super::expr::{AffineExpr, BinaryOp};
use super::map::AffineMap;
use super::set::{IntegerSet, Relation};

impl Display for AffineExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        loose(self, f)
    }
}

impl Display for BinaryOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BinaryOp::Add => "+",
            BinaryOp::Mul => "*",
            BinaryOp::FloorDiv => "floordiv",
            BinaryOp::CeilDiv => "ceildiv",
            BinaryOp::Mod => "mod",
        })
    }
}

impl Display for AffineMap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("affine_map<")?;
        header(f, self.num_dims(), self.num_symbols())?;
        f.write_str(" -> (")?;
        list(f, self.results(), |f, result| write!(f, "{result}"))?;
        f.write_str(")>")
    }
}

impl Display for IntegerSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("affine_set<")?;
        header(f, self.num_dims(), self.num_symbols())?;
        f.write_str(" : (")?;
        if self.constraints().is_empty() {
            f.write_str("0 == 0")?;
        }
        list(f, self.constraints(), |f, constraint| match constraint.relation {
            Relation::Zero => write!(f, "{} == 0", constraint.expr),
            Relation::NotNegative => write!(f, "{} >= 0", constraint.expr),
        })?;
        f.write_str(")>")
    }
}

/// Where a sum may stand bare.
fn loose(expr: &AffineExpr, f: &mut Formatter<'_>) -> fmt::Result {
    let (op, lhs, rhs) = match expr {
        AffineExpr::Dim(index) => return write!(f, "d{index}"),
        AffineExpr::Symbol(index) => return write!(f, "s{index}"),
        AffineExpr::Constant(value) => return write!(f, "{value}"),
        AffineExpr::Binary(node) => (node.op(), node.lhs(), node.rhs()),
    };
    if op == BinaryOp::Add {
        loose(lhs, f)?;
        return last_term(rhs, f);
    }
    if op == BinaryOp::Mul && rhs.as_constant() == Some(-1) {
        f.write_char('-')?;
        return tight(lhs, f);
    }
    tight(lhs, f)?;
    write!(f, " {op} ")?;
    tight(rhs, f)
}

/// The last term of a sum, with its sign. A sum's right side is never a sum (see `build`).
fn last_term(term: &AffineExpr, f: &mut Formatter<'_>) -> fmt::Result {
    // The least integer has no positive counterpart, so it keeps its sign.
    let negative = |factor: &AffineExpr| factor.as_constant().filter(|value| *value < 0 && *value != i64::MIN);
    if let Some(value) = negative(term) {
        return write!(f, " - {}", -value);
    }
    if let Some((factor, multiple)) = term.as_binary(BinaryOp::Mul)
        && let Some(value) = negative(multiple)
    {
        f.write_str(" - ")?;
        if value == -1 && factor.as_binary(BinaryOp::Add).is_none() {
            return loose(factor, f);
        }
        tight(factor, f)?;
        return if value == -1 { Ok(()) } else { write!(f, " * {}", -value) };
    }
    f.write_str(" + ")?;
    loose(term, f)
}

/// Where everything but a leaf needs parentheses.
fn tight(expr: &AffineExpr, f: &mut Formatter<'_>) -> fmt::Result {
    if !matches!(expr, AffineExpr::Binary(_)) {
        return loose(expr, f);
    }
    f.write_char('(')?;
    loose(expr, f)?;
    f.write_char(')')
}

/// `(d0, d1)[s0]`.
fn header(f: &mut Formatter<'_>, num_dims: u32, num_symbols: u32) -> fmt::Result {
    f.write_char('(')?;
    list(f, 0..num_dims, |f, index| write!(f, "d{index}"))?;
    f.write_char(')')?;
    if num_symbols == 0 {
        return Ok(());
    }
    f.write_char('[')?;
    list(f, 0..num_symbols, |f, index| write!(f, "s{index}"))?;
    f.write_char(']')
}

fn list<T>(
    f: &mut Formatter<'_>,
    items: impl IntoIterator<Item = T>,
    mut item: impl FnMut(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (index, value) in items.into_iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        item(f, value)?;
    }
    Ok(())
}
