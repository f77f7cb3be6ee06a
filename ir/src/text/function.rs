//! The custom syntax of functions, which every layer writes in the same way:
//!
//! ```text
//! layer.func private @name<M, N>(%x: tensor<[M, N], f16> {role = "data"}, %y: i64) -> (i64, f16) attributes {..} {
//!   ..
//! }
//! ```
//!
//! The visibility, the symbols, the attributes of arguments, the results and the body may be left out; a function
//! without a body is a declaration, and its arguments need no names. Results in parentheses may have attributes too:
//! `-> (tensor<[M], f16> {alignment = 16})`. For ops with the traits `Callable`, `Symbol` and `IsolatedFromAbove` and
//! one region that declare `sym_name` and `function_type`, and as many of `sym_visibility`, `symbols`, `arg_attrs` and
//! `res_attrs` as they want.

use crate::attrs::{Attr, AttrData};
use crate::context::Str;
use crate::diag::Diagnostic;
use crate::location::Loc;
use crate::text::{OpParser, OpPrinter, OperandName, ParseResult, SYNTAX, Token};
use crate::types::{Type, TypeData};

const ARG_ATTRS: &str = "arg_attrs";
const RES_ATTRS: &str = "res_attrs";

/// An argument: its name unless the function is a declaration, its type, its attributes.
struct Argument {
    name: Option<OperandName>,
    ty: Type,
    attrs: Attr,
    loc: Loc,
}

/// Reads a function after the op's name.
pub fn parse(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let visibility = ["private", "public", "nested"].into_iter().find(|word| p.eat_word(word));
    if let Some(word) = visibility {
        // On an op that declares no visibility the verifier says that there is no such attribute.
        p.set_prop("sym_visibility", ctx.str_attr(word));
    }
    let name = p.symbol_name()?;
    p.set_prop("sym_name", ctx.attr(AttrData::String(name)));
    if p.def().declares_attr("symbols") && p.token() == Token::Less {
        let symbols = p.list(Token::Less, Token::Greater, |p| p.word().map(|word| ctx.str_attr(word)))?;
        p.set_prop("symbols", ctx.array_attr(&symbols));
    }
    let open = p.loc();
    let args = p.list(Token::LParen, Token::RParen, |p| {
        let loc = p.loc();
        let name = if p.token() == Token::Value { Some(p.operand_name()?) } else { None };
        if name.is_some() {
            p.expect(Token::Colon)?;
        }
        let ty = p.parse_type()?;
        let attrs = if p.token() == Token::LBrace { p.parse_dict()? } else { Attr::EMPTY_DICT };
        let loc = p.trailing_loc(loc)?;
        Ok(Argument { name, ty, attrs, loc })
    })?;
    let arrow = p.loc();
    let results = if p.eat(Token::Arrow) { parse_results(p)? } else { Vec::new() };
    let inputs: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
    let outputs: Vec<Type> = results.iter().map(|&(ty, _)| ty).collect();
    p.set_prop("function_type", ctx.type_attr(ctx.function_type(&inputs, &outputs)));
    set_dictionaries(p, open, ARG_ATTRS, "arguments", args.iter().map(|arg| arg.attrs).collect())?;
    set_dictionaries(p, arrow, RES_ATTRS, "results", results.iter().map(|&(_, attrs)| attrs).collect())?;
    if p.eat_word("attributes") {
        if p.token() != Token::LBrace {
            return p.expected("'{'");
        }
        p.attr_dict()?;
    }
    if p.token() != Token::LBrace {
        p.empty_region();
        return Ok(());
    }
    let named: Option<Vec<_>> = args.iter().map(|arg| Some((arg.name?, arg.ty, arg.loc))).collect();
    let Some(named) = named else {
        let message = "the arguments of a function with a body have names: '%x: type'";
        return Err(p.fail(Diagnostic::error(&SYNTAX, open, message)));
    };
    let body = p.loc();
    p.region(&named)?;
    if p.region_is_empty() {
        let error = Diagnostic::error(&SYNTAX, body, "the body of the function has nothing in it");
        return Err(p.fail(error.suggest("a function that is defined elsewhere is written without braces")));
    }
    Ok(())
}

/// `t`, `()` or `(t, u {..})`: the types after the arrow, each with its attributes.
fn parse_results(p: &mut OpParser<'_, '_>) -> ParseResult<Vec<(Type, Attr)>> {
    if p.token() != Token::LParen {
        return Ok(vec![(p.parse_type()?, Attr::EMPTY_DICT)]);
    }
    p.list(Token::LParen, Token::RParen, |p| {
        let ty = p.parse_type()?;
        let attrs = if p.token() == Token::LBrace { p.parse_dict()? } else { Attr::EMPTY_DICT };
        Ok((ty, attrs))
    })
}

/// Notes the dictionaries of the arguments or results, unless all are empty.
fn set_dictionaries(p: &mut OpParser<'_, '_>, at: Loc, key: &str, what: &str, attrs: Vec<Attr>) -> ParseResult<()> {
    if attrs.iter().all(|&attrs| attrs == Attr::EMPTY_DICT) {
        return Ok(());
    }
    if !p.def().declares_attr(key) {
        let message = format!("the {what} of '{}' have no attributes", p.def().name);
        return Err(p.fail(Diagnostic::error(&SYNTAX, at, message)));
    }
    p.set_prop(key, p.ctx.array_attr(&attrs));
    Ok(())
}

/// Writes a function after the op's name.
pub fn print(p: &mut OpPrinter<'_, '_>) {
    let (ctx, op) = (p.ctx, p.op);
    let text = |key: Str| op.prop(key).and_then(|attr| attr.as_str(ctx));
    if let Some(visibility) = text(Str::SYM_VISIBILITY) {
        p.write(" ");
        p.write(visibility);
    }
    p.write(" ");
    p.symbol_name(ctx.intern_str(text(Str::SYM_NAME).unwrap_or_default()));
    if let Some(symbols) = op.prop(Str::SYMBOLS).and_then(|attr| attr.as_array(ctx)) {
        p.write("<");
        p.list(symbols, |p, symbol| p.write(symbol.as_str(ctx).unwrap_or_default()));
        p.write(">");
    }
    let ty = op.prop(Str::FUNCTION_TYPE).and_then(|attr| attr.as_type(ctx));
    let (inputs, results): (&[Type], &[Type]) = match ty.map(|ty| ctx.type_data(ty)) {
        Some(TypeData::Function { inputs, results }) => (inputs, results),
        _ => (&[], &[]),
    };
    let arg_attrs = op.prop_named(ARG_ATTRS).and_then(|attr| attr.as_array(ctx)).unwrap_or(&[]);
    let entries = |index: usize| arg_attrs.get(index).and_then(|attrs| attrs.as_dict(ctx)).filter(|e| !e.is_empty());
    let root = op.resolve();
    let has_body = root.regions().first().is_some_and(|&region| root.body.first_block(region).is_some());
    p.write("(");
    if has_body {
        p.region_args(0, |p, index| {
            if let Some(entries) = entries(index) {
                p.write(" ");
                p.dict(entries);
            }
        });
    } else {
        p.list(inputs.iter().enumerate(), |p, (index, &ty)| {
            p.ty(ty);
            if let Some(entries) = entries(index) {
                p.write(" ");
                p.dict(entries);
            }
        });
    }
    p.write(")");
    let res_attrs = op.prop_named(RES_ATTRS).and_then(|attr| attr.as_array(ctx)).unwrap_or(&[]);
    match results {
        [] => {}
        [one] if res_attrs.is_empty() && !matches!(ctx.type_data(*one), TypeData::Function { .. }) => {
            p.write(" -> ");
            p.ty(*one);
        }
        _ => {
            p.write(" -> (");
            p.list(results.iter().enumerate(), |p, (index, &ty)| {
                p.ty(ty);
                let entries = res_attrs.get(index).and_then(|attrs| attrs.as_dict(ctx)).filter(|e| !e.is_empty());
                if let Some(entries) = entries {
                    p.write(" ");
                    p.dict(entries);
                }
            });
            p.write(")");
        }
    }
    let written = ["sym_name", "sym_visibility", "function_type", "symbols", ARG_ATTRS, RES_ATTRS];
    let inherent = op.body.props(op.id).as_dict(ctx).unwrap_or(&[]);
    let others = inherent.iter().any(|(key, _)| !written.contains(&ctx.str(*key)));
    if others || op.body.attrs(op.id) != Attr::EMPTY_DICT {
        p.write(" attributes");
        p.attr_dict(&|key| written.contains(&key));
    }
    if has_body {
        p.write(" ");
        p.region_without_args(0);
    }
}
