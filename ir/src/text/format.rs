//! Assembly formats: the custom syntax of an op as data, from which both its parser and its printer follow.
//!
//! The declaration macro turns a format string into [`Directive`]s, so a mistake in it is an error at compile time:
//!
//! | in the string | directive |
//! | --- | --- |
//! | `` `by` ``, `` `,` `` | [`Directive::Word`], [`Directive::Mark`] |
//! | `$lhs` of an operand, attribute, region, successor | [`Directive::Operand`] and so on |
//! | `type($out)` after `` `:` `` for all results | [`Directive::ResultTypes`] |
//! | `attr-dict` | [`Directive::AttrDict`] |
//! | ``(`with` $x^)?`` | [`Directive::Optional`] |

use crate::attrs::Attr;
use crate::context::Str;
use crate::diag::did_you_mean;
use crate::op::{Arity, OpDef};
use crate::text::lexer::Token;
use crate::text::{OpParser, OpPrinter, ParseResult};

/// One piece of a format.
#[derive(Clone, Copy, Debug)]
pub enum Directive {
    /// A keyword.
    Word(&'static str),
    /// A punctuation mark.
    Mark(&'static str),
    /// The operands of a group: one, or a list with commas.
    Operand(u8),
    /// An inherent attribute in the short spelling of its kind.
    Attr(u8),
    /// The regions of a group: one, or a list with commas.
    Region(u8),
    /// The successors of a group, each with the operands that become its arguments: `^bb1(%a, %b)`.
    Successor(u8),
    /// `: a, b`: the types of all results. On input it may be left out where they can be inferred.
    ResultTypes,
    /// `{..}`: discardable attributes, and inherent ones that the format does not name. Nothing when there are none.
    AttrDict,
    /// A group that stands or is left out as a whole; it begins with a word or mark, by which the parser decides, and
    /// the printer decides by the first operand group, attribute or region in it.
    Optional(&'static [Directive]),
}

/// Reads an op by its format.
pub(super) fn parse_op(p: &mut OpParser<'_, '_>, def: &'static OpDef) -> ParseResult<()> {
    let mut sizes = vec![0i32; def.operands.len()];
    parse_directives(p, def, def.format, &mut sizes)?;
    if !contains(def.format, &|d| matches!(d, Directive::ResultTypes)) && !def.results.is_empty() {
        p.infer_results()?;
    }
    if def.operands.iter().filter(|operand| operand.arity != Arity::One).count() > 1 {
        let sizes = p.ctx.i32_array(&sizes);
        p.state.props.push((Str::OPERAND_SEGMENTS, sizes));
    }
    if def.results.iter().filter(|result| result.arity != Arity::One).count() > 1 {
        return p.expected("the generic form: several groups of results have no custom one");
    }
    Ok(())
}

fn parse_directives(
    p: &mut OpParser<'_, '_>,
    def: &'static OpDef,
    directives: &[Directive],
    sizes: &mut [i32],
) -> ParseResult<()> {
    for directive in directives {
        match *directive {
            Directive::Word(word) if p.eat_word(word) => {}
            Directive::Word(word) => {
                let near = (p.token() == Token::Word).then(|| did_you_mean(p.text(), keywords(def.format))).flatten();
                return Err(p.fail(p.unexpected(&format!("'{word}'")).suggest_if(near)));
            }
            Directive::Mark(mark) => p.expect(mark_token(mark))?,
            Directive::Operand(group) => {
                let before = p.state.operands.len();
                match def.operands[group as usize].arity {
                    Arity::One => drop(p.operand()?),
                    Arity::Optional if !p.at_operand() => {}
                    Arity::Optional => drop(p.operand()?),
                    Arity::Variadic => parse_values(p)?,
                }
                sizes[group as usize] = (p.state.operands.len() - before) as i32;
            }
            Directive::Attr(index) => {
                let spec = &def.attrs[index as usize];
                let start = p.loc();
                let attr = match spec.kind.parse {
                    Some(parse) => parse(p)?,
                    None => p.parse_attr()?,
                };
                if !(spec.kind.admits)(p.ctx, attr) {
                    let message = format!("'{}' must be {}", spec.name, spec.kind.name);
                    return Err(
                        p.fail(crate::diag::Diagnostic::error(&super::BAD_LITERAL, start, message).at(def.name))
                    );
                }
                p.set_prop(spec.name, attr);
            }
            Directive::Region(group) => match def.regions[group as usize].arity {
                Arity::One => p.region(&[])?,
                _ => {
                    while p.token() == Token::LBrace {
                        p.region(&[])?;
                        if !p.eat(Token::Comma) {
                            break;
                        }
                    }
                }
            },
            Directive::Successor(group) => {
                let block = p.successor()?;
                p.state.successors.push(block);
                let args = def.operands.iter().position(|operand| operand.successor == Some(group));
                if let Some(args) = args {
                    let before = p.state.operands.len();
                    if p.eat(Token::LParen) {
                        parse_values(p)?;
                        p.expect(Token::RParen)?;
                    }
                    sizes[args] = (p.state.operands.len() - before) as i32;
                }
            }
            // An op that may have no results writes no types then.
            Directive::ResultTypes if p.token() != Token::Colon && has_no_results(def) => {}
            Directive::ResultTypes => p.result_types()?,
            Directive::AttrDict => p.attr_dict()?,
            Directive::Optional(group) => {
                let present = match group.first() {
                    Some(Directive::Word(word)) => p.token() == Token::Word && p.text() == *word,
                    Some(Directive::Mark(mark)) => p.token() == mark_token(mark),
                    _ => false,
                };
                if present {
                    parse_directives(p, def, group, sizes)?;
                }
            }
        }
    }
    Ok(())
}

/// Whether an op without types of results is one without results.
fn has_no_results(def: &OpDef) -> bool {
    def.infer.is_none() && def.results.iter().all(|result| result.arity != Arity::One)
}

fn parse_values(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    if !p.at_operand() {
        return Ok(());
    }
    p.operand()?;
    while p.eat(Token::Comma) {
        p.operand()?;
    }
    Ok(())
}

fn mark_token(mark: &str) -> Token {
    Token::of_punctuation(mark).expect("the declaration macro admits known marks only")
}

/// Writes an op by its format, after its name.
pub(super) fn print_op(p: &mut OpPrinter<'_, '_>, def: &'static OpDef) {
    print_directives(p, def, def.format, true);
}

/// `after_word` says whether the name of the op or a word was written last.
fn print_directives(p: &mut OpPrinter<'_, '_>, def: &'static OpDef, directives: &[Directive], mut after_word: bool) {
    for directive in directives {
        let glued = !std::mem::replace(&mut after_word, matches!(directive, Directive::Word(_)));
        match *directive {
            Directive::Word(word) => {
                p.space();
                p.write(word);
            }
            Directive::Mark(mark) => {
                // An opening bracket stands at what it belongs to, as in `@f(%a)`, but not at a word: `by [%b]`.
                match mark {
                    "," | ")" | "]" | ">" | "::" => {}
                    "(" | "[" | "<" if glued => {}
                    _ => p.space(),
                }
                p.write(mark);
            }
            Directive::Operand(group) => {
                let range = p.op.operand_group(group as usize);
                if !range.is_empty() {
                    p.space();
                    p.operands(range);
                }
            }
            Directive::Attr(index) => {
                let spec = &def.attrs[index as usize];
                // A unit attribute is there when its word is there: it has no spelling of its own.
                if let Some(attr) = p.op.prop_named(spec.name).filter(|&attr| attr != Attr::UNIT) {
                    p.space();
                    match spec.kind.print {
                        Some(print) => print(p, attr),
                        None => p.attr(attr),
                    }
                }
            }
            Directive::Region(group) => {
                let regions = p.op.resolve().regions();
                let before = def.regions[..group as usize].len();
                let count = if def.regions[group as usize].arity == Arity::One { 1 } else { regions.len() - before };
                for (i, _) in regions.iter().enumerate().skip(before).take(count) {
                    if i > before {
                        p.write(",");
                    }
                    p.space();
                    p.region(i);
                }
            }
            Directive::Successor(group) => {
                p.space();
                let block = p.op.successors()[group as usize];
                p.block_name(block);
                let args = p.op.successor_operands(group as usize);
                if !args.is_empty() {
                    p.write("(");
                    p.operands(args);
                    p.write(")");
                }
            }
            Directive::ResultTypes => p.result_types(),
            Directive::AttrDict => {
                let named = |key: &str| {
                    contains(def.format, &|d| matches!(d, Directive::Attr(i) if def.attrs[*i as usize].name == key))
                };
                p.attr_dict(&named);
            }
            Directive::Optional(group) => {
                if is_present(p, def, group) {
                    print_directives(p, def, group, !glued);
                }
            }
        }
    }
}

fn is_present(p: &OpPrinter<'_, '_>, def: &'static OpDef, group: &[Directive]) -> bool {
    let anchor = group.iter().find_map(|directive| match *directive {
        Directive::Operand(group) => Some(!p.op.operand_group(group as usize).is_empty()),
        Directive::Attr(index) => Some(p.op.prop_named(def.attrs[index as usize].name).is_some()),
        Directive::Region(group) => Some(p.op.resolve().regions().len() > group as usize),
        _ => None,
    });
    anchor.unwrap_or(false)
}

/// The keywords of a format, in the order in which they are written.
pub(super) fn keywords(directives: &[Directive]) -> Vec<&'static str> {
    let mut words = Vec::new();
    for directive in directives {
        match directive {
            Directive::Word(word) => words.push(*word),
            Directive::Optional(group) => words.extend(keywords(group)),
            _ => {}
        }
    }
    words
}

fn contains(directives: &[Directive], wanted: &impl Fn(&Directive) -> bool) -> bool {
    directives.iter().any(|directive| match directive {
        Directive::Optional(group) => contains(group, wanted),
        other => wanted(other),
    })
}

/// The type that all operands and results have, of an op with the trait `SameType`: inference for that trait.
pub fn infer_same_type(cx: &crate::op::InferCx<'_>) -> crate::op::Inferred {
    match cx.operand_type(0) {
        Some(ty) => Ok(smallvec::SmallVec::from_elem(ty, 1)),
        None => Err("there is no operand to infer the type of the result from".into()),
    }
}

/// The type of the constant in the attribute `value`: inference for constant-like ops.
pub fn infer_from_value(cx: &crate::op::InferCx<'_>) -> crate::op::Inferred {
    let ty = cx.prop("value").and_then(|attr| attr.value_type(cx.ctx));
    ty.map(|ty| smallvec::SmallVec::from_elem(ty, 1)).ok_or_else(|| "the type of the constant is not known".into())
}
