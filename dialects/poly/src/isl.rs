//! Sets and maps in the notation of isl, as far as views need them: reading and writing.
//!
//! ```text
//! relation   = [names "->"] "{" [piece {";" piece}] "}"
//! names      = "[" [name {"," name}] "]"
//! piece      = names ["->" name "[" [sum {"," sum}] "]"] [":" chain {"and" chain}]
//! chain      = sum ("<" | "<=" | "=" | ">" | ">=") sum {.. sum}
//! sum        = ["-"] product {("+" | "-") product}
//! product    = factor {"*" factor}
//! factor     = integer | name | "(" sum ")" | "floor" "(" factor "/" integer ")"
//! ```
//!
//! The names before `->` are symbols, those of a piece its dimensions. A set has pieces without `->`, a map pieces with
//! one. A remainder is no part of it: it is written as `e - q*floor((e)/q)`. What is written here is read by isl as well.

use std::fmt::Write;

use dlc_ir::affine::{AffineError, AffineExpr, BinaryOp, Constraint, Relation as Sign, SizeExpr};

/// Deepest nesting of parentheses that is read.
const MAX_NESTING: usize = 100;

/// A set or a map: a union of pieces over the same symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation {
    /// The names of the symbols `s0, s1, ..`.
    pub symbols: Vec<String>,
    /// The pieces.
    pub pieces: Vec<Piece>,
}

/// Points, and for a map where each goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The names of the dimensions `d0, d1, ..`.
    pub dims: Vec<String>,
    /// Of a map.
    pub image: Option<Image>,
    /// What holds of the points.
    pub constraints: Vec<Constraint>,
}

/// An element of a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The tensor.
    pub tensor: String,
    /// The position on each of its axes.
    pub at: Vec<AffineExpr>,
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IslError {
    /// Which kind of mistake it is.
    pub kind: IslErrorKind,
    /// A sentence without a full stop.
    pub message: String,
}

/// The kinds of mistakes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IslErrorKind {
    /// The text is not of the grammar.
    Syntax,
    /// It has a remainder.
    Modulo,
    /// It is not affine, or goes beyond 64 bits.
    NonAffine,
    /// A name is neither a symbol nor a dimension.
    UnknownName,
}

type Result<T> = std::result::Result<T, IslError>;

/// Words that have a meaning of their own in isl.
const RESERVED: [&str; 21] = [
    "and", "or", "not", "implies", "exists", "mod", "floor", "ceil", "floord", "ceild", "min", "max", "rat", "true",
    "false", "infty", "infinity", "NaN", "sum", "div", "card",
];

/// Whether isl reads a text as a name.
pub fn is_name(text: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    let goes_on = |c: char| starts(c) || c.is_ascii_digit();
    text.starts_with(starts) && text.chars().all(goes_on) && !RESERVED.contains(&text)
}

/// A name that isl reads, as like to a text as can be, and not one that is taken.
pub fn name_like(text: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let fine = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = text.chars().map(fine).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, 'v');
    }
    while !is_name(&name) || taken(&name) {
        name.push('_');
    }
    name
}

// Reading.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'t> {
    Name(&'t str),
    Integer(i64),
    Sign(&'t str),
    End,
}

struct Reader<'t> {
    text: &'t str,
    /// What follows the token.
    rest: &'t str,
    token: Token<'t>,
    symbols: Vec<String>,
    dims: Vec<String>,
    nesting: usize,
}

/// Reads a set or a map.
pub fn read(text: &str) -> Result<Relation> {
    let (symbols, dims) = (Vec::new(), Vec::new());
    let mut reader = Reader { text, rest: text, token: Token::End, symbols, dims, nesting: 0 };
    reader.advance()?;
    if reader.token == Token::Sign("[") {
        reader.symbols = reader.names()?;
        reader.expect("->")?;
    }
    reader.expect("{")?;
    let mut pieces = Vec::new();
    if reader.token != Token::Sign("}") {
        pieces.push(reader.piece()?);
        while reader.eat(";")? {
            pieces.push(reader.piece()?);
        }
    }
    reader.expect("}")?;
    match reader.token {
        Token::End => Ok(Relation { symbols: reader.symbols, pieces }),
        _ => Err(reader.unexpected("the end")),
    }
}

fn affine(error: AffineError) -> IslError {
    IslError { kind: IslErrorKind::NonAffine, message: error.message.into_owned() }
}

impl<'t> Reader<'t> {
    fn advance(&mut self) -> Result<()> {
        let rest = self.rest.trim_start();
        let length = |holds: fn(char) -> bool| rest.find(|c| !holds(c)).unwrap_or(rest.len());
        let Some(first) = rest.chars().next() else {
            (self.rest, self.token) = ("", Token::End);
            return Ok(());
        };
        let two = ["->", "<=", ">="].into_iter().find(|sign| rest.starts_with(sign));
        let end = match first {
            'a'..='z' | 'A'..='Z' | '_' => length(|c| c.is_ascii_alphanumeric() || c == '_'),
            '0'..='9' => length(|c| c.is_ascii_digit()),
            _ => two.map_or(first.len_utf8(), str::len),
        };
        let (text, after) = rest.split_at(end);
        self.token = match first {
            'a'..='z' | 'A'..='Z' | '_' => Token::Name(text),
            '0'..='9' => Token::Integer(text.parse().map_err(|_| IslError {
                kind: IslErrorKind::Syntax,
                message: format!("the integer {text} does not fit 64 bits"),
            })?),
            '{' | '}' | '[' | ']' | '(' | ')' | ':' | ';' | ',' | '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' => {
                Token::Sign(text)
            }
            _ => {
                let message = format!("'{first}' has no meaning here");
                return Err(IslError { kind: IslErrorKind::Syntax, message });
            }
        };
        self.rest = after;
        Ok(())
    }

    fn unexpected(&self, wanted: &str) -> IslError {
        let found = match self.token {
            Token::Name(text) | Token::Sign(text) => format!("'{text}'"),
            Token::Integer(value) => format!("'{value}'"),
            Token::End => "the end".into(),
        };
        if matches!(self.token, Token::Sign("%") | Token::Name("mod")) {
            let message = format!("{found} is kept in it");
            return IslError { kind: IslErrorKind::Modulo, message };
        }
        let place = self.text.len() - self.rest.len();
        let message = format!("expected {wanted}, found {found} before column {}", place + 1);
        IslError { kind: IslErrorKind::Syntax, message }
    }

    fn eat(&mut self, sign: &str) -> Result<bool> {
        let there = self.token == Token::Sign(sign);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.eat(sign)? { Ok(()) } else { Err(self.unexpected(&format!("'{sign}'"))) }
    }

    fn name(&mut self) -> Result<&'t str> {
        match self.token {
            Token::Name(name) if is_name(name) => {
                self.advance()?;
                Ok(name)
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    fn names(&mut self) -> Result<Vec<String>> {
        self.expect("[")?;
        let mut names: Vec<String> = Vec::new();
        while self.token != Token::Sign("]") {
            let name = self.name()?;
            if names.iter().chain(&self.symbols).any(|known| known == name) {
                let message = format!("the name '{name}' is there twice");
                return Err(IslError { kind: IslErrorKind::Syntax, message });
            }
            names.push(name.into());
            if !self.eat(",")? {
                break;
            }
        }
        self.expect("]")?;
        Ok(names)
    }

    fn piece(&mut self) -> Result<Piece> {
        self.dims = self.names()?;
        let mut image = None;
        if self.eat("->")? {
            let tensor = self.name()?.into();
            self.expect("[")?;
            let mut at = Vec::new();
            while self.token != Token::Sign("]") {
                at.push(self.sum()?);
                if !self.eat(",")? {
                    break;
                }
            }
            self.expect("]")?;
            image = Some(Image { tensor, at });
        }
        let mut constraints = Vec::new();
        if self.eat(":")? {
            self.chain(&mut constraints)?;
            while self.token == Token::Name("and") {
                self.advance()?;
                self.chain(&mut constraints)?;
            }
        }
        Ok(Piece { dims: self.dims.clone(), image, constraints })
    }

    fn chain(&mut self, constraints: &mut Vec<Constraint>) -> Result<()> {
        let mut left = self.sum()?;
        let mut length = 0;
        while let Token::Sign(sign @ ("<" | "<=" | "=" | ">" | ">=")) = self.token {
            self.advance()?;
            let right = self.sum()?;
            let next = |expr: &AffineExpr| expr.add(&1.into());
            let constraint = match sign {
                "<" => next(&left).and_then(|left| Constraint::at_least(&right, &left)),
                "<=" => Constraint::at_least(&right, &left),
                ">" => next(&right).and_then(|right| Constraint::at_least(&left, &right)),
                ">=" => Constraint::at_least(&left, &right),
                _ => Constraint::equal(&left, &right),
            };
            constraints.push(constraint.map_err(affine)?);
            (left, length) = (right, length + 1);
        }
        if length == 0 { Err(self.unexpected("a comparison")) } else { Ok(()) }
    }

    fn sum(&mut self) -> Result<AffineExpr> {
        let negative = self.eat("-")?;
        let first = self.product()?;
        let mut sum = if negative { first.neg().map_err(affine)? } else { first };
        loop {
            if self.eat("+")? {
                sum = sum.add(&self.product()?).map_err(affine)?;
            } else if self.eat("-")? {
                sum = sum.sub(&self.product()?).map_err(affine)?;
            } else if matches!(self.token, Token::Sign("%") | Token::Name("mod")) {
                return Err(self.unexpected("a sum"));
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<AffineExpr> {
        let mut product = self.factor()?;
        while self.eat("*")? {
            let factor = self.factor()?;
            if product.as_constant().is_none() && factor.as_constant().is_none() {
                let message = "one side of a product is a number".into();
                return Err(IslError { kind: IslErrorKind::NonAffine, message });
            }
            product = product.mul(&factor).map_err(affine)?;
        }
        Ok(product)
    }

    fn factor(&mut self) -> Result<AffineExpr> {
        match self.token {
            Token::Integer(value) => {
                self.advance()?;
                Ok(AffineExpr::Constant(value))
            }
            Token::Name("floor") => {
                self.advance()?;
                self.nested(|reader| {
                    let value = reader.factor()?;
                    reader.expect("/")?;
                    let Token::Integer(divisor) = reader.token else { return Err(reader.unexpected("an integer")) };
                    reader.advance()?;
                    value.floordiv(&divisor.into()).map_err(affine)
                })
            }
            Token::Sign("(") => self.nested(Reader::sum),
            Token::Name(_) => {
                let name = self.name()?;
                let place = |names: &[String]| names.iter().position(|known| known == name).map(|at| at as u32);
                let dim = place(&self.dims).map(AffineExpr::Dim);
                dim.or_else(|| place(&self.symbols).map(AffineExpr::Symbol)).ok_or_else(|| IslError {
                    kind: IslErrorKind::UnknownName,
                    message: format!("'{name}' is neither a symbol before '->' nor a dimension"),
                })
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn nested(&mut self, inside: impl FnOnce(&mut Self) -> Result<AffineExpr>) -> Result<AffineExpr> {
        self.expect("(")?;
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let message = format!("parentheses are nested more than {MAX_NESTING} deep");
            return Err(IslError { kind: IslErrorKind::Syntax, message });
        }
        let value = inside(self)?;
        self.nesting -= 1;
        self.expect(")")?;
        Ok(value)
    }
}

// Writing.

/// The names of dimensions and symbols.
#[derive(Clone, Copy, Debug)]
pub struct Names<'n> {
    /// Of `d0, d1, ..`.
    pub dims: &'n [String],
    /// Of `s0, s1, ..`.
    pub symbols: &'n [String],
}

/// A sum: factors of what has a name or is a quotient, and a number.
#[derive(Default)]
struct Sum {
    terms: Vec<(String, i64)>,
    constant: i64,
}

impl Names<'_> {
    /// An expression in the notation of isl. `None` beyond 64 bits, for what has no name, and for products of what are
    /// no numbers and quotients by them.
    pub fn expr(&self, expr: &AffineExpr) -> Option<String> {
        Some(self.sum(expr)?.text())
    }

    fn sum(&self, expr: &AffineExpr) -> Option<Sum> {
        let mut sum = Sum::default();
        self.add(expr, 1, &mut sum)?;
        sum.terms.retain(|(_, factor)| *factor != 0);
        Some(sum)
    }

    fn add(&self, expr: &AffineExpr, factor: i64, sum: &mut Sum) -> Option<()> {
        let node = match expr {
            AffineExpr::Constant(value) => {
                sum.constant = sum.constant.checked_add(value.checked_mul(factor)?)?;
                return Some(());
            }
            AffineExpr::Dim(dim) => return sum.term(self.dims.get(*dim as usize)?.clone(), factor),
            AffineExpr::Symbol(symbol) => return sum.term(self.symbols.get(*symbol as usize)?.clone(), factor),
            AffineExpr::Binary(node) => node,
        };
        let (lhs, rhs) = (node.lhs(), node.rhs());
        if node.op() == BinaryOp::Add {
            self.add(lhs, factor, sum)?;
            return self.add(rhs, factor, sum);
        }
        let number = rhs.as_constant()?;
        let floor = |value: &Sum| format!("floor(({})/{number})", value.text());
        match node.op() {
            BinaryOp::Mul => self.add(lhs, factor.checked_mul(number)?, sum),
            _ if number <= 0 => None,
            BinaryOp::CeilDiv => {
                let mut value = self.sum(lhs)?;
                value.constant = value.constant.checked_add(number - 1)?;
                sum.term(floor(&value), factor)
            }
            BinaryOp::Mod => {
                self.add(lhs, factor, sum)?;
                sum.term(floor(&self.sum(lhs)?), factor.checked_mul(number)?.checked_neg()?)
            }
            _ => sum.term(floor(&self.sum(lhs)?), factor),
        }
    }

    /// Constraints, those on one dimension alone first, as `0 <= m < M`. `None` as of [`expr`](Names::expr).
    pub fn constraints(&self, constraints: &[Constraint]) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        let mut rest: Vec<Sum> = Vec::new();
        let mut bounds: Vec<(Vec<Sum>, Vec<Sum>)> = self.dims.iter().map(|_| Default::default()).collect();
        let mut equal = Vec::new();
        for constraint in constraints {
            let mut sum = self.sum(&constraint.expr)?;
            if constraint.relation == Sign::Zero {
                equal.push(sum);
                continue;
            }
            let among = |name: &str| self.dims.iter().position(|dim| dim == name);
            let inside = |name: &str| name.contains('(');
            let dims: Vec<usize> = sum.terms.iter().filter_map(|(name, _)| among(name)).collect();
            let sign = dims.first().and_then(|&dim| sum.factor(&self.dims[dim]));
            match (&dims[..], sign) {
                ([dim], Some(1)) if !sum.terms.iter().any(|(name, _)| inside(name)) => {
                    sum.remove(&self.dims[*dim]);
                    bounds[*dim].0.push(sum.negated()?);
                }
                ([dim], Some(-1)) if !sum.terms.iter().any(|(name, _)| inside(name)) => {
                    sum.remove(&self.dims[*dim]);
                    sum.constant = sum.constant.checked_add(1)?;
                    bounds[*dim].1.push(sum);
                }
                _ => rest.push(sum),
            }
        }
        for (dim, (lower, upper)) in self.dims.iter().zip(&bounds) {
            if let ([lower], [upper]) = (&lower[..], &upper[..]) {
                parts.push(format!("{} <= {dim} < {}", lower.text(), upper.text()));
                continue;
            }
            parts.extend(lower.iter().map(|lower| format!("{} <= {dim}", lower.text())));
            parts.extend(upper.iter().map(|upper| format!("{dim} < {}", upper.text())));
        }
        for (sums, sign) in [(&equal, "="), (&rest, "<=")] {
            for sum in sums {
                let (mut left, mut right) = sum.sides()?;
                if sign == "=" && left.terms.is_empty() {
                    std::mem::swap(&mut left, &mut right);
                }
                let less = sign == "<=" && left.constant == 1 && !left.terms.is_empty();
                left.constant -= i64::from(less);
                parts.push(format!("{} {} {}", left.text(), if less { "<" } else { sign }, right.text()));
            }
        }
        Some(parts.join(" and "))
    }

    /// A piece: `[m, k] -> X[m, k] : 0 <= m`. `None` as of [`expr`](Names::expr).
    pub fn piece(&self, image: Option<(&str, &[AffineExpr])>, constraints: &[Constraint]) -> Option<String> {
        let mut text = format!("[{}]", self.dims.join(", "));
        if let Some((tensor, at)) = image {
            let at = at.iter().map(|at| self.expr(at)).collect::<Option<Vec<_>>>()?;
            write!(text, " -> {tensor}[{}]", at.join(", ")).ok()?;
        }
        if !constraints.is_empty() {
            write!(text, " : {}", self.constraints(constraints)?).ok()?;
        }
        Some(text)
    }

    /// A union of pieces; the symbols that are named in them stand before it.
    pub fn relation(&self, pieces: &[String]) -> String {
        let words = |text: &str| {
            let separates = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
            text.split(separates).map(String::from).collect::<Vec<_>>()
        };
        let named: Vec<String> = pieces.iter().flat_map(|piece| words(piece)).collect();
        let symbols = self.symbols.iter().filter(|symbol| named.contains(symbol)).cloned();
        let symbols: Vec<String> = symbols.collect();
        let before = if symbols.is_empty() { String::new() } else { format!("[{}] -> ", symbols.join(", ")) };
        match pieces {
            [] => format!("{before}{{ }}"),
            pieces => format!("{before}{{ {} }}", pieces.join("; ")),
        }
    }

    /// An expression without dimensions as a symbolic integer.
    pub fn size(&self, expr: &AffineExpr) -> Option<SizeExpr> {
        let form = expr.linear_form(0, self.symbols.len() as u32).ok()??;
        let mut sum = SizeExpr::from(form.constant);
        for (name, factor) in self.symbols.iter().zip(form.symbols) {
            let term = SizeExpr::symbol(name).ok()?.mul(&factor.into()).ok()?;
            sum = sum.add(&term).ok()?;
        }
        Some(sum)
    }
}

impl Sum {
    fn term(&mut self, name: String, factor: i64) -> Option<()> {
        match self.terms.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum = sum.checked_add(factor)?,
            None => self.terms.push((name, factor)),
        }
        Some(())
    }

    fn factor(&self, name: &str) -> Option<i64> {
        self.terms.iter().find(|(known, _)| known == name).map(|(_, factor)| *factor)
    }

    fn remove(&mut self, name: &str) {
        self.terms.retain(|(known, _)| known != name);
    }

    fn negated(&self) -> Option<Sum> {
        let terms = self.terms.iter().map(|(name, factor)| Some((name.clone(), factor.checked_neg()?)));
        Some(Sum { terms: terms.collect::<Option<_>>()?, constant: self.constant.checked_neg()? })
    }

    /// What is on either side of `<=` if the sum is not negative, without negative factors.
    fn sides(&self) -> Option<(Sum, Sum)> {
        let (mut left, mut right) = (Sum::default(), Sum::default());
        for (name, factor) in &self.terms {
            let side = if *factor < 0 { &mut left } else { &mut right };
            side.terms.push((name.clone(), factor.checked_abs()?));
        }
        let side = if self.constant < 0 { &mut left } else { &mut right };
        side.constant = self.constant.checked_abs()?;
        Some((left, right))
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let numbers = self.terms.iter().map(|(name, factor)| (Some(name), *factor));
        let last = (self.constant != 0 || self.terms.is_empty()).then_some((None, self.constant));
        for (name, factor) in numbers.chain(last) {
            let sign = match (text.is_empty(), factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text.push_str(sign);
            match (name, factor.unsigned_abs()) {
                (Some(name), 1) => text.push_str(name),
                (Some(name), factor) => text.push_str(&format!("{factor}*{name}")),
                (None, number) => text.push_str(&number.to_string()),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests;
