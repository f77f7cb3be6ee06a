//! Where an index is in bounds: conditions on positions, such as `0 <= 2*ho + kh - 1 < H`.
//!
//! A guard is a union of pieces, and a piece a conjunction of conditions: `(0 <= i < H, 0 <= j < W) or (j < i)`. In
//! generic form it is an array of arrays of strings, `[["0 <= i < H", "0 <= j < W"], ["j < i"]]`.

use std::fmt;

use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::Kind;
use dlc_ir::diag::Diagnostic;
use dlc_ir::op::AttrKind;
use dlc_ir::text::{BAD_LITERAL, ParseResult, Parser, Printer, Token};
use dlc_ir::{Attr, Context};

use crate::sizes::parse_expr;

/// What must hold of an expression of positions: that it lies in an interval, one end of which may be open, or is equal
/// to another.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Condition {
    /// What is bounded.
    pub expr: SizeExpr,
    /// What it is not below.
    pub lower: Option<SizeExpr>,
    /// What it is below.
    pub upper: Option<SizeExpr>,
}

/// A union of pieces, each of them the conditions that hold there. Without pieces nothing is inside; a piece without
/// conditions is everything.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Guard {
    /// The pieces.
    pub pieces: Vec<Vec<Condition>>,
}

impl Condition {
    /// `0 <= expr < size`
    pub fn within(expr: SizeExpr, size: SizeExpr) -> Condition {
        Condition { expr, lower: Some(SizeExpr::from(0)), upper: Some(size) }
    }

    /// `first sign second`, the sign being one of `<`, `<=`, `>`, `>=` and `==`. `None` for another, and beyond 64 bits.
    pub fn of(first: &SizeExpr, sign: &str, second: &SizeExpr) -> Option<Condition> {
        one_sign(first, Sign::of(sign)?, second)
    }

    /// `first sign second next third`, such as `0 <= i < N`. `None` unless that bounds the second on both sides.
    pub fn between(first: &SizeExpr, sign: &str, second: &SizeExpr, next: &str, third: &SizeExpr) -> Option<Condition> {
        two_signs(first, Sign::of(sign)?, second, Sign::of(next)?, third)
    }

    /// Whether it holds, `value_of` giving the numbers of positions and symbols. An error where one is not known or an
    /// expression goes beyond 64 bits.
    pub fn holds(&self, value_of: &dyn Fn(&str) -> Option<i64>) -> Result<bool, String> {
        let value = |expr: &SizeExpr| expr.eval(value_of).map_err(|error| error.message.into_owned());
        let at = value(&self.expr)?;
        let above = self.lower.as_ref().map_or(Ok(true), |lower| Ok::<_, String>(value(lower)? <= at))?;
        let below = self.upper.as_ref().map_or(Ok(true), |upper| Ok::<_, String>(at < value(upper)?))?;
        Ok(above && below)
    }

    /// Each of the expressions in it replaced. `None` beyond the limits of expressions.
    #[must_use]
    pub fn map(&self, replace: &dyn Fn(&SizeExpr) -> Option<SizeExpr>) -> Option<Condition> {
        let bound = |bound: &Option<SizeExpr>| match bound {
            Some(bound) => replace(bound).map(Some),
            None => Some(None),
        };
        Some(Condition { expr: replace(&self.expr)?, lower: bound(&self.lower)?, upper: bound(&self.upper)? })
    }

    /// The expressions in it.
    pub fn exprs(&self) -> impl Iterator<Item = &SizeExpr> {
        [Some(&self.expr), self.lower.as_ref(), self.upper.as_ref()].into_iter().flatten()
    }

    /// The conditions of one bound each that together say the same.
    pub fn sides(&self) -> impl Iterator<Item = Condition> {
        let lower = self.lower.is_some().then(|| Condition { upper: None, ..self.clone() });
        let upper = self.upper.is_some().then(|| Condition { lower: None, ..self.clone() });
        lower.into_iter().chain(upper)
    }

    /// What is not negative exactly where it holds: one expression for each bound. An error beyond 64 bits.
    pub fn not_negative(&self) -> Result<Vec<SizeExpr>, String> {
        let text = |error: dlc_ir::affine::AffineError| error.message.into_owned();
        let mut exprs = Vec::with_capacity(2);
        if let Some(lower) = &self.lower {
            exprs.push(self.expr.sub(lower).map_err(text)?);
        }
        if let Some(upper) = &self.upper {
            exprs.push(upper.sub(&self.expr).and_then(|room| room.sub(&SizeExpr::from(1))).map_err(text)?);
        }
        Ok(exprs)
    }

    /// The upper bound if the condition says that something is equal to one number or expression.
    fn equal_to(&self) -> Option<&SizeExpr> {
        let lower = self.lower.as_ref()?;
        let next = lower.add(&SizeExpr::from(1)).ok()?;
        (self.upper.as_ref() == Some(&next)).then_some(lower)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(value) = self.equal_to() {
            return write!(f, "{} == {value}", self.expr);
        }
        if let Some(lower) = &self.lower {
            write!(f, "{lower} <= ")?;
        }
        write!(f, "{}", self.expr)?;
        if let Some(upper) = &self.upper {
            write!(f, " < {upper}")?;
        }
        Ok(())
    }
}

impl Guard {
    /// The points where all conditions hold.
    pub fn all(conditions: Vec<Condition>) -> Guard {
        Guard { pieces: vec![conditions] }
    }

    /// Whether a point is in it. Errors as [`Condition::holds`].
    pub fn contains(&self, value_of: &dyn Fn(&str) -> Option<i64>) -> Result<bool, String> {
        for piece in &self.pieces {
            let mut inside = true;
            for condition in piece {
                inside = inside && condition.holds(value_of)?;
            }
            if inside {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Each of the expressions in it replaced. `None` beyond the limits of expressions.
    #[must_use]
    pub fn map(&self, replace: &dyn Fn(&SizeExpr) -> Option<SizeExpr>) -> Option<Guard> {
        let piece = |piece: &Vec<Condition>| piece.iter().map(|condition| condition.map(replace)).collect();
        Some(Guard { pieces: self.pieces.iter().map(piece).collect::<Option<_>>()? })
    }

    /// The expressions in it.
    pub fn exprs(&self) -> impl Iterator<Item = &SizeExpr> {
        self.pieces.iter().flatten().flat_map(Condition::exprs)
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pieces.is_empty() {
            return f.write_str("never");
        }
        for (at, piece) in self.pieces.iter().enumerate() {
            f.write_str(if at > 0 { " or (" } else { "(" })?;
            for (at, condition) in piece.iter().enumerate() {
                write!(f, "{}{condition}", if at > 0 { ", " } else { "" })?;
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}

impl Kind for Guard {
    type Value<'a> = Guard;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a union of pieces, such as [[\"0 <= i < N\"]], in canonical form",
        admits: |ctx, attr| guard(ctx, attr).is_some(),
        parse: Some(|p| Ok(Guard::make(p.ctx, parse_guard(p)?))),
        print: Some(print_guard),
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Guard> {
        guard(ctx, attr)
    }
    fn make(ctx: &Context, guard: Guard) -> Attr {
        let condition = |condition: &Condition| {
            let text = condition.to_string();
            let attr = ctx.str_attr(&text);
            // Who asks for it need not read the text.
            if condition.lower.is_some() || condition.upper.is_some() {
                ctx.derived(attr, || {
                    debug_assert_eq!(self::condition(&text).as_ref(), Some(condition), "it reads back as it is");
                    Some(condition.clone())
                });
            }
            attr
        };
        let piece = |piece: &Vec<Condition>| ctx.array_attr(&piece.iter().map(condition).collect::<Vec<_>>());
        ctx.array_attr(&guard.pieces.iter().map(piece).collect::<Vec<_>>())
    }
}

fn guard(ctx: &Context, attr: Attr) -> Option<Guard> {
    let text = |attr: &Attr| match ctx.attr_data(*attr) {
        AttrData::String(text) => {
            let read = || {
                let text = ctx.str(*text);
                condition(text).filter(|condition| condition.to_string() == text)
            };
            (*ctx.derived::<Option<Condition>>(*attr, read)).clone()
        }
        _ => None,
    };
    let piece = |attr: &Attr| attr.as_array(ctx)?.iter().map(text).collect();
    Some(Guard { pieces: attr.as_array(ctx)?.iter().map(piece).collect::<Option<_>>()? })
}

/// A condition in its canonical spelling.
fn condition(text: &str) -> Option<Condition> {
    let expr = |text: &str| SizeExpr::parse(text).ok();
    if let Some((lhs, rhs)) = text.split_once(" == ") {
        return equal(expr(lhs)?, &expr(rhs)?);
    }
    let (lower, rest) = match text.split_once(" <= ") {
        Some((lower, rest)) => (Some(expr(lower)?), rest),
        None => (None, text),
    };
    let (at, upper) = match rest.split_once(" < ") {
        Some((at, upper)) => (expr(at)?, Some(expr(upper)?)),
        None => (expr(rest)?, None),
    };
    (lower.is_some() || upper.is_some()).then_some(Condition { expr: at, lower, upper })
}

fn equal(expr: SizeExpr, value: &SizeExpr) -> Option<Condition> {
    let upper = value.add(&SizeExpr::from(1)).ok()?;
    Some(Condition { expr, lower: Some(value.clone()), upper: Some(upper) })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
}

impl Sign {
    fn of(text: &str) -> Option<Sign> {
        Some(match text {
            "<" => Sign::Less,
            "<=" => Sign::LessEqual,
            ">" => Sign::Greater,
            ">=" => Sign::GreaterEqual,
            "==" => Sign::Equal,
            _ => return None,
        })
    }

    /// Whether a condition with it has its bound on the left, when neither side is a number.
    fn is_inclusive_below(self) -> bool {
        matches!(self, Sign::LessEqual | Sign::Greater)
    }
}

/// Reads `(0 <= i < N, j == 2) or (j < i)`, or `never` for no pieces. Of `<`, `<=`, `>`, `>=` two may bound one expression.
pub fn parse_guard(p: &mut Parser<'_>) -> ParseResult<Guard> {
    if p.eat_word("never") {
        return Ok(Guard { pieces: Vec::new() });
    }
    let mut pieces = vec![p.list(Token::LParen, Token::RParen, parse_condition)?];
    while p.eat_word("or") {
        pieces.push(p.list(Token::LParen, Token::RParen, parse_condition)?);
    }
    Ok(Guard { pieces })
}

const ENDS: &[Token] = &[Token::Less, Token::Greater, Token::Equal, Token::Comma, Token::RParen];

fn parse_condition(p: &mut Parser<'_>) -> ParseResult<Condition> {
    let start = p.loc();
    let first = parse_expr(p, ENDS)?;
    let sign = parse_sign(p)?;
    let second = parse_expr(p, ENDS)?;
    let last = match p.token() {
        Token::Less | Token::Greater => Some((parse_sign(p)?, parse_expr(p, ENDS)?)),
        _ => None,
    };
    let made = match last {
        None => one_sign(&first, sign, &second),
        Some((next, third)) => two_signs(&first, sign, &second, next, &third),
    };
    made.ok_or_else(|| {
        let error = Diagnostic::error(&BAD_LITERAL, start, "this bounds nothing");
        p.fail(error.suggest("write '0 <= i < N', 'i < N' or 'i == 2'"))
    })
}

/// A number bounds the other side. Else the order stays as it is written: `a <= b` says what `b` is not below.
fn one_sign(first: &SizeExpr, sign: Sign, second: &SizeExpr) -> Option<Condition> {
    match first.as_constant().is_some() || (second.as_constant().is_none() && sign.is_inclusive_below()) {
        true => bounded(second, opposite(sign), first),
        false => bounded(first, sign, second),
    }
}

/// The expression in the middle is bounded on both sides.
fn two_signs(first: &SizeExpr, sign: Sign, second: &SizeExpr, next: Sign, third: &SizeExpr) -> Option<Condition> {
    let (one, other) = (bounded(second, opposite(sign), first)?, bounded(second, next, third)?);
    let (lower, upper) = (one.lower.or(other.lower)?, one.upper.or(other.upper)?);
    Some(Condition { expr: second.clone(), lower: Some(lower), upper: Some(upper) })
}

fn parse_sign(p: &mut Parser<'_>) -> ParseResult<Sign> {
    let sign = match p.token() {
        Token::Less => Sign::Less,
        Token::Greater => Sign::Greater,
        Token::Equal => Sign::Equal,
        _ => return p.expected("'<', '<=', '>', '>=' or '=='"),
    };
    p.advance();
    if sign == Sign::Equal {
        p.expect(Token::Equal)?;
        return Ok(sign);
    }
    Ok(match (p.eat(Token::Equal), sign) {
        (true, Sign::Less) => Sign::LessEqual,
        (true, _) => Sign::GreaterEqual,
        (false, sign) => sign,
    })
}

fn opposite(sign: Sign) -> Sign {
    match sign {
        Sign::Less => Sign::Greater,
        Sign::LessEqual => Sign::GreaterEqual,
        Sign::Greater => Sign::Less,
        Sign::GreaterEqual => Sign::LessEqual,
        Sign::Equal => Sign::Equal,
    }
}

/// `expr sign bound`, with bounds that a number is not below or is below.
fn bounded(expr: &SizeExpr, sign: Sign, bound: &SizeExpr) -> Option<Condition> {
    let next = || bound.add(&SizeExpr::from(1)).ok();
    let (lower, upper) = match sign {
        Sign::Less => (None, Some(bound.clone())),
        Sign::LessEqual => (None, Some(next()?)),
        Sign::Greater => (Some(next()?), None),
        Sign::GreaterEqual => (Some(bound.clone()), None),
        Sign::Equal => (Some(bound.clone()), Some(next()?)),
    };
    Some(Condition { expr: expr.clone(), lower, upper })
}

/// Writes what [`parse_guard`] reads.
pub fn print_guard(p: &mut Printer<'_>, attr: Attr) {
    if let Some(guard) = guard(p.ctx, attr) {
        p.write(&guard.to_string());
    }
}
