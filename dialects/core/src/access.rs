//! How an operand is read: at which positions, within which guard, and what stands outside of it.
//!
//! ```text
//! at (n, ci, 2*ho + kh - 1) where (0 <= 2*ho + kh - 1 < H) else 0.0
//! ```

use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind, Number};
use dlc_ir::op::AttrKind;
use dlc_ir::text::{ParseResult, Parser, Printer, Token};
use dlc_ir::{Attr, Context, Str, Type};

use crate::constant::{parse_number, print_number};
use crate::guard::{Guard, parse_guard};
use crate::sizes::{Exprs, parse_expr};

/// How one operand is read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Access {
    /// The position on each axis of the operand.
    pub at: Vec<SizeExpr>,
    /// Where it is read at all; everywhere without one.
    pub guard: Option<Guard>,
    /// The number outside of the guard, of the type of the elements; zero without one.
    pub fill: Option<Attr>,
}

impl Access {
    /// The element at these positions, everywhere.
    pub fn everywhere(at: Vec<SizeExpr>) -> Access {
        Access { at, guard: None, fill: None }
    }

    /// Each of the expressions in it replaced. `None` beyond the limits of expressions.
    #[must_use]
    pub fn map(&self, replace: &dyn Fn(&SizeExpr) -> Option<SizeExpr>) -> Option<Access> {
        Some(Access {
            at: self.at.iter().map(replace).collect::<Option<_>>()?,
            guard: match &self.guard {
                Some(guard) => Some(guard.map(replace)?),
                None => None,
            },
            fill: self.fill,
        })
    }

    /// The expressions in it.
    pub fn exprs(&self) -> impl Iterator<Item = &SizeExpr> {
        self.at.iter().chain(self.guard.iter().flat_map(Guard::exprs))
    }
}

/// A list of accesses, one for each operand. In generic form each is a dictionary, `{at = ["i0", 0], where = [["0 <= i0
/// < N"]], fill = 0.0 : f16}`, of which all but `at` may be absent.
pub struct Accesses;

impl Kind for Accesses {
    type Value<'a> = Vec<Access>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of accesses, such as [{at = [\"i0\", 0]}]",
        admits: |ctx, attr| Accesses::get(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<Access>> {
        attr.as_array(ctx)?.iter().map(|&attr| access(ctx, attr)).collect()
    }
    fn make(ctx: &Context, accesses: Vec<Access>) -> Attr {
        let dict = |access: Access| {
            let mut entries: Vec<(Str, Attr)> = vec![(ctx.intern_str("at"), Exprs::make(ctx, access.at))];
            entries.extend(access.guard.map(|guard| (ctx.intern_str("where"), Guard::make(ctx, guard))));
            entries.extend(access.fill.map(|fill| (ctx.intern_str("fill"), fill)));
            ctx.dict_attr(&entries)
        };
        let accesses: Vec<Attr> = accesses.into_iter().map(dict).collect();
        ctx.array_attr(&accesses)
    }
}

fn access(ctx: &Context, attr: Attr) -> Option<Access> {
    let mut access = Access::default();
    let mut has_positions = false;
    for &(key, value) in attr.as_dict(ctx)? {
        match ctx.str(key) {
            "at" => {
                access.at = Exprs::get(ctx, value)?;
                has_positions = true;
            }
            "where" => access.guard = Some(Guard::get(ctx, value)?),
            "fill" => access.fill = Some(value).filter(|&value| (Number::KIND.admits)(ctx, value)),
            _ => return None,
        }
    }
    has_positions.then_some(access)
}

/// Reads `(i0, 2*i1 - 1) where (..) else 0.0`: what stands after `at`. The elements are of the type `elem`.
pub fn parse_access(p: &mut Parser<'_>, elem: Type) -> ParseResult<Access> {
    let at = p.list(Token::LParen, Token::RParen, |p| parse_expr(p, &[Token::Comma, Token::RParen]))?;
    let (guard, fill) = parse_condition(p, elem)?;
    Ok(Access { at, guard, fill })
}

/// Reads `where (..) else 0.0`, if it stands there.
pub fn parse_condition(p: &mut Parser<'_>, elem: Type) -> ParseResult<(Option<Guard>, Option<Attr>)> {
    let guard = if p.eat_word("where") { Some(parse_guard(p)?) } else { None };
    let fill = if p.eat_word("else") { Some(parse_number(p, elem)?) } else { None };
    Ok((guard, fill))
}

/// Writes what [`parse_access`] reads.
pub fn print_access(p: &mut Printer<'_>, access: &Access) {
    p.write("(");
    p.list(&access.at, |p, at| p.write(&at.to_string()));
    p.write(")");
    print_condition(p, access);
}

/// Writes what [`parse_condition`] reads.
pub fn print_condition(p: &mut Printer<'_>, access: &Access) {
    if let Some(guard) = &access.guard {
        p.write(" where ");
        p.write(&guard.to_string());
    }
    if let Some(fill) = access.fill {
        p.write(" else ");
        print_number(p, fill);
    }
}
