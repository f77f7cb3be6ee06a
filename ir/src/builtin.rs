//! The dialect that is always there: the module that holds everything.

use crate::context::Str;
use crate::op::{Arity, AttrKind, AttrSpec, Dialect, Effects, OpDef, RegionDef, Traits};
use crate::text::{OpParser, OpPrinter, ParseResult, Token};

/// The dialect `builtin`.
pub static DIALECT: Dialect = Dialect {
    name: "builtin",
    summary: "The module, which holds everything.",
    ops: &[&MODULE],
    types: &[],
    attrs: &[],
    materialize: None,
    synonyms: &[],
};

/// A string.
pub static STRING: AttrKind =
    AttrKind { name: "a string", admits: |ctx, attr| attr.as_str(ctx).is_some(), parse: None, print: None };

/// `builtin.module`, written `module`.
pub static MODULE: OpDef = OpDef {
    doc: "Holds the functions, kernels and other symbols of a program.\n\nText that has no module around it is read into one.",
    example: "module { }",
    traits: Traits::ISOLATED_FROM_ABOVE
        .with(Traits::SYMBOL_TABLE)
        .with(Traits::SINGLE_BLOCK)
        .with(Traits::NO_TERMINATOR)
        .with(Traits::GRAPH_REGION),
    effects: Some(Effects::ANY),
    attrs: &[
        AttrSpec { name: "sym_name", kind: &STRING, optional: true },
        AttrSpec { name: "sym_visibility", kind: &STRING, optional: true },
    ],
    regions: &[RegionDef { name: "body", arity: Arity::One }],
    format_text: "(@name)? (`attributes` attr-dict)? $body",
    parse: Some(parse_module),
    print: Some(print_module),
    ..OpDef::bare("builtin.module")
};

fn parse_module(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    if matches!(p.token(), Token::Symbol | Token::QuotedSymbol) {
        let name = p.symbol_name()?;
        let name = p.ctx.attr(crate::attrs::AttrData::String(name));
        p.state.props.push((Str::SYM_NAME, name));
    }
    if p.eat_word("attributes") {
        p.attr_dict()?;
    }
    p.region(&[])
}

fn print_module(p: &mut OpPrinter<'_, '_>) {
    if let Some(name) = p.op.prop(Str::SYM_NAME).and_then(|attr| attr.as_str(p.ctx)) {
        let name = p.ctx.intern_str(name);
        p.write(" ");
        p.symbol_name(name);
    }
    let others = p.op.body.attrs(p.op.id) != crate::attrs::Attr::EMPTY_DICT || p.op.prop(Str::SYM_VISIBILITY).is_some();
    if others {
        p.write(" attributes");
        p.attr_dict(&|key| key == "sym_name");
    }
    p.write(" ");
    // Its block has no arguments and no branches to it, so it needs no label even when it is empty.
    p.region_without_args(0);
}
