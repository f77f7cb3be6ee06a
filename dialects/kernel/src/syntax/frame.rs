//! Grids, roles, loops, conditions, integers.

use dlc_core::constant::Written;
use dlc_core::guard::parse_guard;
use dlc_core::sizes::{parse_expr, parse_expr_until, print_expression};
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{IntArray, Kind, Text};
use dlc_ir::diag::Diagnostic;
use dlc_ir::text::{BAD_LITERAL, OpParser, OpPrinter, ParseResult, Token};
use dlc_ir::{Attr, Type, ValueId};

use super::{Groups, parse_tuple, print_exprs, set_exprs, set_guard};
use crate::ops::{Const, For, Grid, If, Index, Order, Require, Role, TileOrder};
use crate::types::elem_of;

/// `(N ceildiv 64, M ceildiv 128) cluster [2, 1] threads 384 blocks_per_sm 1 { .. }`
pub fn parse_grid(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let dims = p.expressions(parse_tuple)?;
    set_exprs(p, "dims", dims);
    if p.eat_word("cluster") {
        let cluster = p.list(Token::LBracket, Token::RBracket, |p| p.integer())?;
        let cluster = IntArray::make(p.ctx, cluster.to_vec());
        p.set_prop("cluster", cluster);
    }
    p.expect_word("threads")?;
    let threads = p.integer()?;
    let threads = p.ctx.i64_attr(threads);
    p.set_prop("threads", threads);
    if p.eat_word("blocks_per_sm") {
        let blocks = p.integer()?;
        let blocks = p.ctx.i64_attr(blocks);
        p.set_prop("blocks_per_sm", blocks);
    }
    p.region(&[])?;
    p.attr_dict()
}

/// Writes what [`parse_grid`] reads.
pub fn print_grid(p: &mut OpPrinter<'_, '_>) {
    let op = Grid::from(p.op);
    p.write(" (");
    print_exprs(p, &op.dims(), 0);
    p.write(")");
    if let Some(cluster) = op.cluster() {
        p.write(&format!(" cluster {cluster:?}"));
    }
    p.write(&format!(" threads {} ", op.threads()));
    if let Some(blocks) = op.blocks_per_sm() {
        p.write(&format!("blocks_per_sm {blocks} "));
    }
    p.region(0);
    p.attr_dict(&|key| matches!(key, "dims" | "cluster" | "threads" | "blocks_per_sm"));
}

/// `consumer warps 4 to 12 groups 2 (%g: index) registers 232 single { .. }`
pub fn parse_role(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let name = p.word()?;
    p.set_prop("name", Text::make(p.ctx, name));
    p.expect_word("warps")?;
    let first = p.integer()?;
    p.expect_word("to")?;
    let last = p.integer()?;
    let groups = if p.eat_word("groups") { p.integer()? } else { 1 };
    for (key, value) in [("first", first), ("last", last), ("groups", groups)] {
        let value = p.ctx.i64_attr(value);
        p.set_prop(key, value);
    }
    let args = match p.token() {
        Token::LParen => p.list(Token::LParen, Token::RParen, |p| p.parse_argument())?.into_iter().collect(),
        _ => Vec::new(),
    };
    if p.eat_word("registers") {
        let registers = p.integer()?;
        let registers = p.ctx.i64_attr(registers);
        p.set_prop("registers", registers);
    }
    if p.eat_word("single") {
        p.set_prop("single", Attr::UNIT);
    }
    p.region(&args)?;
    p.attr_dict()
}

/// Writes what [`parse_role`] reads.
pub fn print_role(p: &mut OpPrinter<'_, '_>) {
    let op = Role::from(p.op);
    p.write(&format!(" {} warps {} to {}", op.name(), op.first(), op.last()));
    if op.groups() != 1 {
        p.write(&format!(" groups {}", op.groups()));
    }
    if op.body.first_block(Role::body(op)).is_some_and(|block| !op.body.args(block).is_empty()) {
        p.write(" (");
        p.region_args(0, |_, _| {});
        p.write(")");
    }
    if let Some(registers) = op.registers() {
        p.write(&format!(" registers {registers}"));
    }
    p.write(if op.single().is_some() { " single " } else { " " });
    p.region_without_args(0);
    p.attr_dict(&|key| matches!(key, "name" | "first" | "last" | "groups" | "registers" | "single"));
}

/// `(K mod 8 == 0, N <= 8192)`
pub fn parse_require(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let guard = p.expressions(parse_guard)?;
    set_guard(p, Some(guard));
    p.attr_dict()
}

/// Writes what [`parse_require`] reads.
pub fn print_require(p: &mut OpPrinter<'_, '_>) {
    p.write(" ");
    print_expression(p, &Require::from(p.op).guard().to_string(), 0);
    p.attr_dict(&|key| key == "guard");
}

const BOUND_ENDS: &[Token] = &[Token::Colon, Token::LBrace];
const BOUND_WORDS: &[&str] = &["to", "step", "carry", "unroll"];

/// `%k = 0 to K step 64 unroll carry (%acc = %zero) : frag<..> { .. }`
pub fn parse_for(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let mut groups = Groups::default();
    let (loc, name) = (p.loc(), p.operand_name()?);
    p.expect(Token::Equal)?;
    let bounds = groups.read(p, |p| {
        p.expressions(|p| {
            let first = parse_expr_until(p, BOUND_ENDS, BOUND_WORDS)?;
            p.expect_word("to")?;
            let last = parse_expr_until(p, BOUND_ENDS, BOUND_WORDS)?;
            let step = match p.eat_word("step") {
                true => parse_expr_until(p, BOUND_ENDS, BOUND_WORDS)?,
                false => SizeExpr::from(1),
            };
            Ok(vec![first, last, step])
        })
    })?;
    set_exprs(p, "bounds", bounds);
    if p.eat_word("unroll") {
        p.set_prop("unroll", Attr::UNIT);
    }
    let mut args = vec![(name, Type::INDEX, loc)];
    groups.read(p, |p| {
        if !p.eat_word("carry") {
            return Ok(());
        }
        p.expect(Token::LParen)?;
        while p.token() != Token::RParen {
            let (loc, name) = (p.loc(), p.operand_name()?);
            p.expect(Token::Equal)?;
            let value: ValueId = p.operand()?;
            args.push((name, p.current_body().value_type(value), loc));
            if !p.eat(Token::Comma) {
                break;
            }
        }
        p.expect(Token::RParen)
    })?;
    groups.set(p);
    if p.eat(Token::Colon) {
        loop {
            let ty = p.parse_type()?;
            p.state.results.push(ty);
            if !p.eat(Token::Comma) {
                break;
            }
        }
    } else {
        p.state.results = args[1..].iter().map(|&(_, ty, _)| ty).collect();
    }
    p.region(&args)?;
    p.attr_dict()
}

/// Writes what [`parse_for`] reads.
pub fn print_for(p: &mut OpPrinter<'_, '_>) {
    let op = For::from(p.op);
    let args: Vec<ValueId> = match op.body.first_block(For::body(op)) {
        Some(block) => op.body.args(block).to_vec(),
        None => Vec::new(),
    };
    p.write(" ");
    if let Some(&first) = args.first() {
        p.value_name(first);
    }
    let bounds = op.bounds();
    for (bound, before) in bounds.iter().zip([" = ", " to ", " step "]) {
        if before == " step " && bound.as_constant() == Some(1) {
            continue;
        }
        p.write(before);
        print_expression(p, &bound.to_string(), 0);
    }
    if op.unroll().is_some() {
        p.write(" unroll");
    }
    let values = op.args().len();
    if op.inits().len() > 0 {
        p.write(" carry (");
        for (index, &arg) in args.iter().skip(1).enumerate() {
            p.write(if index > 0 { ", " } else { "" });
            p.value_name(arg);
            p.write(" = ");
            p.operand(values + index);
        }
        p.write(")");
    }
    p.result_types();
    p.write(" ");
    p.region_without_args(0);
    p.attr_dict(&|key| matches!(key, "bounds" | "unroll"));
}

/// `(%k > 0) : frag<..> { .. } else { .. }`, or `%c { .. }`
pub fn parse_if(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let mut groups = Groups::default();
    if p.token() == Token::Value {
        groups.none();
        groups.one(p)?;
    } else {
        let guard = groups.read(p, |p| p.expressions(parse_guard))?;
        set_guard(p, Some(guard));
        groups.none();
    }
    groups.set(p);
    if p.eat(Token::Colon) {
        loop {
            let ty = p.parse_type()?;
            p.state.results.push(ty);
            if !p.eat(Token::Comma) {
                break;
            }
        }
    }
    p.region(&[])?;
    if p.eat_word("else") {
        p.region(&[])?;
    }
    p.attr_dict()
}

/// Writes what [`parse_if`] reads.
pub fn print_if(p: &mut OpPrinter<'_, '_>) {
    let op = If::from(p.op);
    p.write(" ");
    match op.guard() {
        Some(guard) => print_expression(p, &guard.to_string(), 0),
        None => p.operands(0..p.op.operands().len()),
    }
    p.result_types();
    p.write(" ");
    p.region(0);
    if !op.otherwise().is_empty() {
        p.write(" else ");
        p.region(1);
    }
    p.attr_dict(&|key| key == "guard");
}

/// `(128 * %m + 1)`, and of a fragment `: frag<..>`
pub fn parse_index(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.expect(Token::LParen)?;
    let value = p.expressions(|p| parse_expr(p, &[Token::RParen]))?;
    p.expect(Token::RParen)?;
    set_exprs(p, "value", vec![value]);
    p.attr_dict()?;
    let ty = if p.eat(Token::Colon) { p.parse_type()? } else { Type::INDEX };
    p.state.results.push(ty);
    Ok(())
}

/// Writes what [`parse_index`] reads.
pub fn print_index(p: &mut OpPrinter<'_, '_>) {
    p.write(" (");
    print_exprs(p, &Index::from(p.op).value(), 0);
    p.write(")");
    p.attr_dict(&|key| key == "value");
    if p.op.result_types().next() != Some(Type::INDEX) {
        p.result_types();
    }
}

/// `%t of (M ceildiv 128, N ceildiv 128) grouped 8`
pub fn parse_tile_order(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.operand()?;
    p.expect_word("of")?;
    let tiles = p.expressions(parse_tuple)?;
    set_exprs(p, "tiles", tiles);
    let order = p.one_of("an order of tiles", Order::WORDS)?;
    p.set_prop("order", Text::make(p.ctx, order));
    if p.token() == Token::Integer {
        let group = p.integer()?;
        let group = p.ctx.i64_attr(group);
        p.set_prop("group", group);
    }
    p.attr_dict()?;
    p.infer_results()
}

/// Writes what [`parse_tile_order`] reads.
pub fn print_tile_order(p: &mut OpPrinter<'_, '_>) {
    let op = TileOrder::from(p.op);
    p.write(" ");
    p.operand(0);
    p.write(" of (");
    print_exprs(p, &op.tiles(), 1);
    p.write(&format!(") {}", op.order().word()));
    if let Some(group) = op.group() {
        p.write(&format!(" {group}"));
    }
    p.attr_dict(&|key| matches!(key, "tiles" | "order" | "group"));
}

/// `0.0 : frag<[64, 64], f32, wgmma>`
pub fn parse_const(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let start = p.loc();
    let number = Written::read(p)?;
    p.attr_dict()?;
    p.result_types()?;
    let ctx = p.ctx;
    let elem = p.state.results.first().map(|&ty| elem_of(ctx, ty));
    let Some(elem) = elem.filter(|elem| elem.bits(ctx).is_some()) else {
        return Err(p.fail(Diagnostic::error(&BAD_LITERAL, start, "a constant is a number or a fragment of numbers")));
    };
    let value = number.number(p, elem)?;
    p.set_prop("value", value);
    Ok(())
}

/// Writes what [`parse_const`] reads.
pub fn print_const(p: &mut OpPrinter<'_, '_>) {
    p.write(" ");
    let value = Const::from(p.op).value();
    dlc_core::constant::print_number(p, value);
    p.attr_dict(&|key| key == "value");
    p.result_types();
}
