//! Reading affine expressions, maps, sets and sizes from text. The grammar is `affine.pest`.
//!
//! Every error has a span in bytes of the given text. No text panics or exhausts the stack: parentheses are counted
//! before the recursive grammar runs, everything else is read in loops, and the constructors bound what is built.

use std::ops::Range;

use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;
use pest_derive::Parser;
use rustc_hash::FxHashMap;

use super::error::{AffineError, AffineErrorKind, Result};
use super::expr::{AffineExpr, BinaryOp};
use super::map::AffineMap;
use super::set::{Constraint, IntegerSet};
use super::size::SizeExpr;

/// Deepest nesting of parentheses that is read.
pub const MAX_NESTING: usize = 200;

#[derive(Parser)]
#[grammar = "affine/affine.pest"]
struct Grammar;

impl AffineMap {
    /// Reads `(i, j)[n] -> (i + n, j)`, with or without `affine_map<` and `>` around it. Any names will do; dimensions
    /// and symbols are numbered in order.
    ///
    /// Errors: `Syntax`, `UnknownName`, `DuplicateName`, `IntegerTooLarge`, `NonAffine`, `Divisor`, `Overflow`,
    /// `TooLarge`, each with its span.
    pub fn parse(text: &str) -> Result<AffineMap> {
        let (names, body) = header_and_body(Rule::map, text)?;
        let sums = body.into_iter().filter(|pair| pair.as_rule() == Rule::sum);
        let results = sums.map(|pair| read_sum(pair, &names)).collect::<Result<Vec<_>>>()?;
        AffineMap::new(names.num_dims, names.num_symbols, results)
    }
}

impl IntegerSet {
    /// Reads `(i)[n] : (i >= 0, n - i - 1 >= 0)`, with or without `affine_set<` and `>` around it. Both sides of `>=`,
    /// `<=` and `==` may be expressions; all is moved to the left of `>= 0` or `== 0`.
    ///
    /// Errors: as [`AffineMap::parse`].
    pub fn parse(text: &str) -> Result<IntegerSet> {
        let (names, body) = header_and_body(Rule::set, text)?;
        let constraints = body.into_iter().filter(|pair| pair.as_rule() == Rule::constraint);
        let constraints = constraints.map(|pair| read_constraint(pair, &names)).collect::<Result<Vec<_>>>()?;
        IntegerSet::new(names.num_dims, names.num_symbols, constraints)
    }
}

/// Reads one expression over the given names, `d0, d1, ...` and `s0, s1, ...` being their numbers in the result.
///
/// Errors: as [`AffineMap::parse`].
pub fn parse_expr(text: &str, dims: &[&str], symbols: &[&str]) -> Result<AffineExpr> {
    let mut names = Names::default();
    for name in dims {
        names.declare(name, false)?;
    }
    for name in symbols {
        names.declare(name, true)?;
    }
    read_sum(only_sum(text)?, &names)
}

pub(super) fn parse_size(text: &str) -> Result<SizeExpr> {
    // Most sizes are a number or a name, and those that are read a million times should not go through a grammar.
    let word = text.trim_matches([' ', '\t', '\r', '\n']);
    if word.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(value) = word.parse::<i64>()
    {
        return Ok(SizeExpr::from(value));
    }
    if is_symbol_name(word) {
        return Ok(SizeExpr::variable(word));
    }
    read_sum(only_sum(text)?, &Sizes)
}

/// Whether a text is the grammar's `name`, and not one of its operators.
pub(super) fn is_symbol_name(name: &str) -> bool {
    let starts = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let goes_on = |byte: u8| starts(byte) || byte.is_ascii_digit() || matches!(byte, b'$' | b'.');
    let reserved = matches!(name, "floordiv" | "ceildiv" | "mod");
    !reserved && name.bytes().next().is_some_and(starts) && name.bytes().all(goes_on)
}

impl std::str::FromStr for AffineMap {
    type Err = AffineError;

    fn from_str(text: &str) -> Result<AffineMap> {
        AffineMap::parse(text)
    }
}

impl std::str::FromStr for IntegerSet {
    type Err = AffineError;

    fn from_str(text: &str) -> Result<IntegerSet> {
        IntegerSet::parse(text)
    }
}

impl std::str::FromStr for SizeExpr {
    type Err = AffineError;

    fn from_str(text: &str) -> Result<SizeExpr> {
        SizeExpr::parse(text)
    }
}

/// What an expression is read into.
trait Algebra {
    type Value;
    fn name(&self, name: &str) -> Result<Self::Value>;
    fn constant(&self, value: i64) -> Self::Value;
    fn apply(&self, op: BinaryOp, lhs: &Self::Value, rhs: &Self::Value) -> Result<Self::Value>;
}

/// The names of a map or set.
#[derive(Default)]
struct Names<'a> {
    num_dims: u32,
    num_symbols: u32,
    by_name: FxHashMap<&'a str, AffineExpr>,
}

impl<'a> Names<'a> {
    fn declare(&mut self, name: &'a str, symbol: bool) -> Result<()> {
        let (count, leaf): (_, fn(u32) -> AffineExpr) = match symbol {
            false => (&mut self.num_dims, AffineExpr::Dim),
            true => (&mut self.num_symbols, AffineExpr::Symbol),
        };
        let index = *count;
        *count += 1;
        match self.by_name.insert(name, leaf(index)) {
            None => Ok(()),
            Some(_) => {
                Err(AffineError::new(AffineErrorKind::DuplicateName, format!("the name '{name}' is declared twice")))
            }
        }
    }
}

impl Algebra for Names<'_> {
    type Value = AffineExpr;

    fn name(&self, name: &str) -> Result<AffineExpr> {
        self.by_name.get(name).cloned().ok_or_else(|| {
            AffineError::new(AffineErrorKind::UnknownName, format!("'{name}' is neither a dimension nor a symbol"))
        })
    }

    fn constant(&self, value: i64) -> AffineExpr {
        AffineExpr::Constant(value)
    }

    fn apply(&self, op: BinaryOp, lhs: &AffineExpr, rhs: &AffineExpr) -> Result<AffineExpr> {
        AffineExpr::binary(op, lhs, rhs)
    }
}

/// Sizes take names as they come.
struct Sizes;

impl Algebra for Sizes {
    type Value = SizeExpr;

    fn name(&self, name: &str) -> Result<SizeExpr> {
        SizeExpr::symbol(name)
    }

    fn constant(&self, value: i64) -> SizeExpr {
        SizeExpr::from(value)
    }

    fn apply(&self, op: BinaryOp, lhs: &SizeExpr, rhs: &SizeExpr) -> Result<SizeExpr> {
        lhs.apply(op, rhs)
    }
}

/// Names declared by a map or set, and the pairs that follow them.
fn header_and_body(rule: Rule, text: &str) -> Result<(Names<'_>, Vec<Pair<'_, Rule>>)> {
    let mut names = Names::default();
    let mut body = Vec::new();
    for pair in parse_rule(rule, text)?.into_inner() {
        let symbol = pair.as_rule() == Rule::symbols;
        if !symbol && pair.as_rule() != Rule::dims {
            body.push(pair);
            continue;
        }
        for name in pair.into_inner().filter(|pair| pair.as_rule() == Rule::name) {
            names.declare(name.as_str(), symbol).map_err(|error| error.at(span(&name)))?;
        }
    }
    Ok((names, body))
}

fn only_sum(text: &str) -> Result<Pair<'_, Rule>> {
    let whole = parse_rule(Rule::whole_sum, text)?;
    Ok(whole.into_inner().next().expect("the rule holds a sum"))
}

fn read_constraint(pair: Pair<'_, Rule>, names: &Names<'_>) -> Result<Constraint> {
    let place = span(&pair);
    let mut inner = pair.into_inner();
    let mut next = || inner.next().expect("a constraint is a sum, a relation and a sum");
    let lhs = read_sum(next(), names)?;
    let relation = next();
    let rhs = read_sum(next(), names)?;
    let constraint = match relation.as_str() {
        "==" => Constraint::equal(&lhs, &rhs),
        ">=" => Constraint::at_least(&lhs, &rhs),
        _ => Constraint::at_least(&rhs, &lhs),
    };
    constraint.map_err(|error| error.at(place))
}

fn read_sum<A: Algebra>(pair: Pair<'_, Rule>, algebra: &A) -> Result<A::Value> {
    read_chain(pair, algebra, read_product)
}

fn read_product<A: Algebra>(pair: Pair<'_, Rule>, algebra: &A) -> Result<A::Value> {
    read_chain(pair, algebra, read_operand)
}

/// Operands joined by operators of one strength, from left to right.
fn read_chain<'a, A: Algebra>(
    pair: Pair<'a, Rule>,
    algebra: &A,
    read: fn(Pair<'a, Rule>, &A) -> Result<A::Value>,
) -> Result<A::Value> {
    let mut inner = pair.into_inner();
    let mut value = read(inner.next().expect("a chain has an operand"), algebra)?;
    while let Some(operator) = inner.next() {
        let rhs = read(inner.next().expect("an operator has a right operand"), algebra)?;
        let result = match operator.as_str() {
            "+" => algebra.apply(BinaryOp::Add, &value, &rhs),
            "-" => negate(algebra, &rhs).and_then(|rhs| algebra.apply(BinaryOp::Add, &value, &rhs)),
            "*" => algebra.apply(BinaryOp::Mul, &value, &rhs),
            "floordiv" => algebra.apply(BinaryOp::FloorDiv, &value, &rhs),
            "ceildiv" => algebra.apply(BinaryOp::CeilDiv, &value, &rhs),
            _ => algebra.apply(BinaryOp::Mod, &value, &rhs),
        };
        value = result.map_err(|error| error.at(span(&operator)))?;
    }
    Ok(value)
}

fn read_operand<A: Algebra>(pair: Pair<'_, Rule>, algebra: &A) -> Result<A::Value> {
    let mut negative = false;
    for inner in pair.into_inner() {
        let place = span(&inner);
        let value = match inner.as_rule() {
            Rule::minus => {
                negative = !negative;
                continue;
            }
            // The sign belongs to the literal: the least integer has no positive counterpart.
            Rule::integer => return Ok(algebra.constant(read_integer(&inner, negative)?)),
            Rule::name => algebra.name(inner.as_str()),
            _ => read_sum(inner, algebra),
        };
        let result = value.and_then(|value| if negative { negate(algebra, &value) } else { Ok(value) });
        return result.map_err(|error| if error.span.is_empty() { error.at(place) } else { error });
    }
    unreachable!("an operand has a value")
}

fn negate<A: Algebra>(algebra: &A, value: &A::Value) -> Result<A::Value> {
    algebra.apply(BinaryOp::Mul, value, &algebra.constant(-1))
}

fn read_integer(pair: &Pair<'_, Rule>, negative: bool) -> Result<i64> {
    let text = pair.as_str();
    let magnitude = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let value =
        magnitude.ok().map(i128::from).and_then(|value| i64::try_from(if negative { -value } else { value }).ok());
    value.ok_or_else(|| {
        let message = "the integer does not fit 64 bits";
        AffineError::new(AffineErrorKind::IntegerTooLarge, message).at(span(pair))
    })
}

fn span(pair: &Pair<'_, Rule>) -> Range<usize> {
    let span = pair.as_span();
    span.start()..span.end()
}

fn parse_rule(rule: Rule, text: &str) -> Result<Pair<'_, Rule>> {
    check_nesting(text)?;
    let mut pairs = Grammar::parse(rule, text).map_err(|error| syntax_error(&error, text))?;
    Ok(pairs.next().expect("a rule that matches gives its pair"))
}

fn check_nesting(text: &str) -> Result<()> {
    let mut depth = 0_usize;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // One level is the list of results or constraints around the expressions.
        if depth > MAX_NESTING + 1 {
            let message = format!("parentheses are nested deeper than {MAX_NESTING}");
            return Err(AffineError::new(AffineErrorKind::TooLarge, message).at(place..place + 1));
        }
    }
    Ok(())
}

fn syntax_error(error: &pest::error::Error<Rule>, text: &str) -> AffineError {
    let start = match error.location {
        InputLocation::Pos(place) | InputLocation::Span((place, _)) => place,
    };
    let length = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let mut expected: Vec<&'static str> = Vec::new();
    if let ErrorVariant::ParsingError { positives, .. } = &error.variant {
        for rule in positives {
            let words = describe(*rule);
            if !expected.contains(&words) {
                expected.push(words);
            }
        }
    }
    let message = match &expected[..] {
        [] => "this is not understood".to_owned(),
        [all @ .., last] if !all.is_empty() => format!("expected {} or {last}", all.join(", ")),
        all => format!("expected {}", all.join(", ")),
    };
    AffineError { kind: AffineErrorKind::Syntax, span: start..start + length, message: message.into(), expected }
}

fn describe(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI => "the end of the text",
        Rule::name => "a name",
        Rule::integer => "an integer",
        Rule::minus | Rule::operand | Rule::product | Rule::sum | Rule::whole_sum => "an expression",
        Rule::sum_op | Rule::product_op => "an operator",
        Rule::relation => "'==', '>=' or '<='",
        Rule::constraint => "a constraint",
        Rule::dims => "the dimensions in parentheses",
        Rule::symbols => "the symbols in brackets",
        Rule::arrow => "'->'",
        Rule::colon => "':'",
        Rule::open => "'('",
        Rule::close => "')'",
        Rule::close_bracket => "']'",
        Rule::close_angle => "'>'",
        Rule::map => "an affine map",
        Rule::set => "an integer set",
        _ => "a word",
    }
}
