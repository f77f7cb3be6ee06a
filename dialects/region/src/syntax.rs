//! How the ops are written whose syntax no format describes.

use dlc_core::access::{Access, parse_condition, print_condition};
use dlc_core::constant::{Written, parse_number, print_number};
use dlc_core::guard::{Guard, parse_guard};
use dlc_core::memref::MemRef;
use dlc_core::scalar::{Combiner, ScanCombiner};
use dlc_core::sizes::{Exprs, Sizes, parse_expr, parse_size};
use dlc_core::types::Types;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::{Kind, Number, TextArray};
use dlc_ir::diag::Diagnostic;
use dlc_ir::op::AttrKind;
use dlc_ir::text::{BAD_LITERAL, OpParser, OpPrinter, ParseResult, Parser, SYNTAX, Token};
use dlc_ir::{Attr, Context, Loc, Type};

use crate::ops::{Const, Func, Index, Read, Reduce, Scan, Select, Sort, Yield};
use crate::types::Value;
use crate::verify::ACC_DTYPE_MISSING;

/// A list of numbers, each with its type.
pub struct Numbers;

impl Kind for Numbers {
    type Value<'a> = &'a [Attr];
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of numbers",
        admits: |ctx, attr| {
            attr.as_array(ctx).is_some_and(|items| items.iter().all(|&item| (Number::KIND.admits)(ctx, item)))
        },
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<&[Attr]> {
        attr.as_array(ctx)
    }
    fn make(ctx: &Context, numbers: &[Attr]) -> Attr {
        ctx.array_attr(numbers)
    }
}

/// `(m: M, n: N)`
fn parse_axes(p: &mut OpParser<'_, '_>, names: &str, sizes: &str) -> ParseResult<()> {
    let axes = p.list(Token::LParen, Token::RParen, |p| {
        let name = p.word()?;
        p.expect(Token::Colon)?;
        Ok((name, parse_size(p, &[Token::Comma, Token::RParen])?))
    })?;
    let (axes, extents): (Vec<&str>, Vec<SizeExpr>) = axes.into_iter().unzip();
    let (axes, extents) = (TextArray::make(p.ctx, axes), Sizes::make(p.ctx, extents));
    p.set_prop(names, axes);
    p.set_prop(sizes, extents);
    Ok(())
}

fn print_axes(p: &mut OpPrinter<'_, '_>, names: &[&str], sizes: &[SizeExpr]) {
    p.write("(");
    p.list(names.iter().zip(sizes), |p, (name, size)| p.write(&format!("{name}: {size}")));
    p.write(")");
}

/// `private @f<M> iters (m: M) ins (%X: memref<..> {..}) outs (Y: memref<..> materialize gmem) { .. }`
pub fn parse_func(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let visibility = ["private", "public", "nested"].into_iter().find(|word| p.eat_word(word));
    if let Some(word) = visibility {
        p.set_prop("sym_visibility", ctx.str_attr(word));
    }
    let name = p.symbol_name()?;
    p.set_prop("sym_name", ctx.attr(AttrData::String(name)));
    if p.token() == Token::Less {
        let symbols = p.list(Token::Less, Token::Greater, |p| p.word().map(|word| ctx.str_attr(word)))?;
        p.set_prop("symbols", ctx.array_attr(&symbols));
    }
    p.expect_word("iters")?;
    parse_axes(p, "iters", "iter_sizes")?;
    p.expect_word("ins")?;
    let ins = p.list(Token::LParen, Token::RParen, |p| {
        let (loc, name) = (p.loc(), p.operand_name()?);
        p.expect(Token::Colon)?;
        let ty = p.parse_type()?;
        let attrs = if p.token() == Token::LBrace { p.parse_dict()? } else { Attr::EMPTY_DICT };
        Ok((name, ty, p.trailing_loc(loc)?, attrs))
    })?;
    p.expect_word("outs")?;
    let outs = p.list(Token::LParen, Token::RParen, |p| {
        let name = p.word()?;
        p.expect(Token::Colon)?;
        let ty = p.parse_type()?;
        p.expect_word("materialize")?;
        Ok((name, ty, p.one_of("'gmem' or 'deferred'", MATERIALIZE)?))
    })?;
    let inputs: Vec<Type> = ins.iter().map(|&(_, ty, ..)| ty).collect();
    let results: Vec<Type> = outs.iter().map(|&(_, ty, _)| ty).collect();
    p.set_prop("function_type", ctx.type_attr(ctx.function_type(&inputs, &results)));
    let attrs: Vec<Attr> = ins.iter().map(|&(.., attrs)| attrs).collect();
    if attrs.iter().any(|&attrs| attrs != Attr::EMPTY_DICT) {
        p.set_prop("arg_attrs", ctx.array_attr(&attrs));
    }
    p.set_prop("outputs", TextArray::make(ctx, outs.iter().map(|&(name, ..)| name).collect()));
    p.set_prop("materialize", TextArray::make(ctx, outs.iter().map(|&(.., how)| how).collect()));
    if p.eat_word("attributes") {
        p.attr_dict()?;
    }
    let args: Vec<_> = ins.iter().map(|&(name, ty, loc, _)| (name, ty, loc)).collect();
    let body = p.loc();
    p.region(&args)?;
    match p.region_is_empty() {
        false => Ok(()),
        true => Err(p.fail(Diagnostic::error(&SYNTAX, body, "the body of the region has nothing in it"))),
    }
}

/// What may be done with a result.
pub const MATERIALIZE: &[&str] = &["gmem", "deferred"];

/// Writes what [`parse_func`] reads.
pub fn print_func(p: &mut OpPrinter<'_, '_>) {
    let (ctx, op) = (p.ctx, Func::from(p.op));
    if let Some(visibility) = op.sym_visibility() {
        p.write(" ");
        p.write(visibility);
    }
    p.write(" ");
    p.symbol_name(ctx.intern_str(op.sym_name()));
    if let Some(symbols) = op.symbols() {
        p.write("<");
        p.list(symbols, |p, symbol| p.write(symbol));
        p.write(">");
    }
    p.write(" iters ");
    print_axes(p, &op.iters(), &op.iter_sizes());
    p.write("\n    ins (");
    let attrs = op.arg_attrs().unwrap_or(&[]);
    p.region_args(0, |p, index| {
        let entries = attrs.get(index).and_then(|attrs| attrs.as_dict(p.ctx)).filter(|entries| !entries.is_empty());
        if let Some(entries) = entries {
            p.write(" ");
            p.dict(entries);
        }
    });
    p.write(")\n    outs (");
    let results = match ctx.type_data(op.function_type()) {
        dlc_ir::TypeData::Function { results, .. } => *results,
        _ => &[],
    };
    let how = op.materialize();
    p.list(op.outputs().into_iter().zip(results).zip(how), |p, ((name, &ty), how)| {
        p.write(name);
        p.write(": ");
        p.ty(ty);
        p.write(" materialize ");
        p.write(how);
    });
    p.write(")");
    let written = ["sym_name", "function_type", "sym_visibility", "symbols", "arg_attrs", "iters", "iter_sizes"];
    let written = |key: &str| written.contains(&key) || matches!(key, "outputs" | "materialize");
    if op.body.attrs(op.id) != Attr::EMPTY_DICT {
        p.write(" attributes");
        p.attr_dict(&written);
    }
    p.write(" ");
    p.region_without_args(0);
}

/// `yield %a, %b`, or `yield %c2 to Y as f16`
pub fn parse_yield(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let (mut to, mut casts) = (Vec::new(), Vec::new());
    while p.token() == Token::Value {
        p.operand()?;
        if p.eat_word("to") {
            to.push(p.word()?);
        }
        casts.push(if p.eat_word("as") { p.parse_type()? } else { Type::NONE });
        if !p.eat(Token::Comma) {
            break;
        }
    }
    if !to.is_empty() {
        let to = TextArray::make(p.ctx, to);
        p.set_prop("to", to);
    }
    if casts.iter().any(|&ty| ty != Type::NONE) {
        let casts = Types::make(p.ctx, casts);
        p.set_prop("casts", casts);
    }
    p.attr_dict()
}

/// Writes what [`parse_yield`] reads.
pub fn print_yield(p: &mut OpPrinter<'_, '_>) {
    let op = Yield::from(p.op);
    let (to, casts) = (op.to().unwrap_or_default(), op.casts().unwrap_or_default());
    for index in 0..op.operands().len() {
        p.write(if index > 0 { ", " } else { " " });
        p.operand(index);
        if let Some(name) = to.get(index) {
            p.write(" to ");
            p.write(name);
        }
        if let Some(&ty) = casts.get(index).filter(|&&ty| ty != Type::NONE) {
            p.write(" as ");
            p.ty(ty);
        }
    }
    p.attr_dict(&|key| matches!(key, "to" | "casts"));
}

/// `0.5 : f32 over ()`
pub fn parse_const(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let start = p.loc();
    let number = Written::read(p)?;
    p.attr_dict()?;
    p.result_types()?;
    let ctx = p.ctx;
    let Some(elem) = p.state.results.first().and_then(|&ty| Value::of(ctx, ty)).map(|ty| ty.elem(ctx)) else {
        let error = Diagnostic::error(&BAD_LITERAL, start, "the type of a constant must be a value over axes");
        return Err(p.fail(error.suggest("for example 'f32 over ()'")));
    };
    let value = number.number(p, elem)?;
    p.set_prop("value", value);
    Ok(())
}

/// Writes what [`parse_const`] reads.
pub fn print_const(p: &mut OpPrinter<'_, '_>) {
    p.write(" ");
    let value = Const::from(p.op).value();
    print_number(p, value);
    p.attr_dict(&|key| key == "value");
    p.result_types();
}

/// `(2*m + 1) : i32 over (m)`
pub fn parse_index(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.expect(Token::LParen)?;
    let value = parse_expr(p, &[Token::RParen])?;
    p.expect(Token::RParen)?;
    let value = Exprs::make(p.ctx, vec![value]);
    p.set_prop("value", value);
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_index`] reads.
pub fn print_index(p: &mut OpPrinter<'_, '_>) {
    let value = Index::from(p.op).value();
    p.write(&format!(" ({})", value.first().map(SizeExpr::to_string).unwrap_or_default()));
    p.attr_dict(&|key| key == "value");
    p.result_types();
}

/// `%X[m, %id, 2*n - 1] where (..) else 0.0 : f16 over (m, n)`
pub fn parse_read(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let source = p.operand()?;
    let ctx = p.ctx;
    let elem = MemRef::of(ctx, p.current_body().value_type(source)).map_or(Type::F32, |ty| ty.elem(ctx));
    p.expect(Token::LBracket)?;
    let (mut at, mut indices) = (Vec::new(), 0);
    while p.token() != Token::RBracket {
        if p.token() == Token::Value {
            p.operand()?;
            at.push(element(indices));
            indices += 1;
        } else {
            at.push(parse_expr(p, &[Token::Comma, Token::RBracket])?);
        }
        if !p.eat(Token::Comma) {
            break;
        }
    }
    p.expect(Token::RBracket)?;
    let (guard, fill) = parse_condition(p, elem)?;
    p.set_prop("at", Exprs::make(ctx, at));
    if let Some(guard) = guard {
        p.set_prop("guard", Guard::make(ctx, guard));
    }
    if let Some(fill) = fill {
        p.set_prop("fill", fill);
    }
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_read`] reads.
pub fn print_read(p: &mut OpPrinter<'_, '_>) {
    let op = Read::from(p.op);
    p.write(" ");
    p.operand(0);
    p.write("[");
    for (axis, at) in op.at().iter().enumerate() {
        p.write(if axis > 0 { ", " } else { "" });
        match element_of(at).filter(|index| 1 + index < op.operands().len()) {
            Some(index) => p.operand(1 + index),
            None => p.write(&at.to_string()),
        }
    }
    p.write("]");
    print_condition(p, &access(op));
    p.attr_dict(&|key| matches!(key, "at" | "guard" | "fill"));
    p.result_types();
}

/// How a read reads, positions that are values as `_0`, `_1`, ..
pub fn access(op: Read<'_>) -> Access {
    Access { at: op.at(), guard: op.guard(), fill: op.fill() }
}

/// What stands for a position that is a value: `_0`.
pub fn element(index: usize) -> SizeExpr {
    SizeExpr::symbol(&format!("_{index}")).unwrap_or_else(|_| SizeExpr::from(0))
}

/// The index operand that is a position.
pub fn element_of(expr: &SizeExpr) -> Option<usize> {
    expr.as_symbol()?.strip_prefix('_')?.parse().ok()
}

/// `%c, %a, %b : ..`, or `where (..) then %a else %b : ..`
pub fn parse_select(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    if p.eat_word("where") {
        let guard = parse_guard(p)?;
        let guard = Guard::make(p.ctx, guard);
        p.set_prop("guard", guard);
        p.expect_word("then")?;
        p.operand()?;
        p.expect_word("else")?;
        p.operand()?;
    } else {
        p.operand()?;
        p.expect(Token::Comma)?;
        p.operand()?;
        p.expect(Token::Comma)?;
        p.operand()?;
    }
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_select`] reads.
pub fn print_select(p: &mut OpPrinter<'_, '_>) {
    p.write(" ");
    match Select::from(p.op).guard() {
        Some(guard) => {
            p.write(&format!("where {guard} then "));
            p.operands(0..1);
            p.write(" else ");
            p.operands(1..p.op.operands().len());
        }
        None => p.operands(0..p.op.operands().len()),
    }
    p.attr_dict(&|key| key == "guard");
    p.result_types();
}

/// `along n every 64`: an axis, and of how many positions groups along it are.
fn parse_along(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.expect_word("along")?;
    let along = p.word()?;
    let along = p.ctx.str_attr(along);
    p.set_prop("along", along);
    if p.eat_word("every") {
        let every = p.integer()?;
        let every = p.ctx.i64_attr(every);
        p.set_prop("every", every);
    }
    Ok(())
}

/// Writes what [`parse_along`] reads.
fn print_along(p: &mut OpPrinter<'_, '_>, along: &str, every: Option<i64>) {
    p.write(&format!(" along {along}"));
    if let Some(every) = every {
        p.write(&format!(" every {every}"));
    }
}

/// `sum %x along n every 64 exclusive reverse : f32 over (m, n)`; there may be several operands, `linear %a, %b`.
pub fn parse_scan(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let combiner = p.one_of("combiner", ScanCombiner::WORDS)?;
    let combiner = p.ctx.str_attr(combiner);
    p.set_prop("combiner", combiner);
    p.operand()?;
    while p.eat(Token::Comma) {
        p.operand()?;
    }
    parse_along(p)?;
    for word in ["exclusive", "reverse"] {
        if p.eat_word(word) {
            p.set_prop(word, Attr::UNIT);
        }
    }
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_scan`] reads.
pub fn print_scan(p: &mut OpPrinter<'_, '_>) {
    let op = Scan::from(p.op);
    p.write(&format!(" {} ", op.combiner().word()));
    p.operands(0..p.op.operands().len());
    print_along(p, op.along(), op.every());
    p.write(if op.exclusive().is_some() { " exclusive" } else { "" });
    p.write(if op.reverse().is_some() { " reverse" } else { "" });
    p.attr_dict(&|key| matches!(key, "combiner" | "along" | "every" | "exclusive" | "reverse"));
    p.result_types();
}

/// `%x along n every 64 : i64 over (m, n)`
pub fn parse_sort(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.operand()?;
    parse_along(p)?;
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_sort`] reads.
pub fn print_sort(p: &mut OpPrinter<'_, '_>) {
    let op = Sort::from(p.op);
    p.write(" ");
    p.operand(0);
    print_along(p, op.along(), op.every());
    p.attr_dict(&|key| matches!(key, "along" | "every"));
    p.result_types();
}

/// One item, or a list of them in parentheses.
fn parse_some<'s, T>(
    p: &mut OpParser<'_, 's>,
    mut item: impl FnMut(&mut Parser<'s>) -> ParseResult<T>,
) -> ParseResult<Vec<T>> {
    match p.token() {
        Token::LParen => Ok(p.list(Token::LParen, Token::RParen, item)?.into_iter().collect()),
        _ => Ok(vec![item(p)?]),
    }
}

/// `sum (k: K) acc f32 init 0.0 { .. } : ..`, or `(n: N) acc (f32, f32) init (-inf, 0.0) { .. } combine (..) { .. } : ..`
pub fn parse_reduce(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let combiner = match p.token() {
        Token::LParen => None,
        _ => Some(p.one_of("combiner", Combiner::WORDS)?),
    };
    if let Some(combiner) = combiner {
        p.set_prop("combiner", ctx.str_attr(combiner));
    }
    parse_axes(p, "axes", "sizes")?;
    let at = p.loc();
    if !p.eat_word("acc") {
        let error = Diagnostic::error(&ACC_DTYPE_MISSING, at, "nothing says in which type it accumulates");
        return Err(p.fail(error.suggest("write 'acc f32' after the axes")));
    }
    let acc = parse_some(p, |p| p.parse_type())?;
    let at = p.loc();
    p.expect_word("init")?;
    let mut next = acc.iter();
    let init = parse_some(p, |p| match next.next() {
        Some(&ty) => parse_number(p, ty),
        None => p.expected("as many numbers as accumulators"),
    })?;
    if init.len() != acc.len() {
        let message = format!("{} accumulators start with {} numbers", acc.len(), init.len());
        return Err(p.fail(Diagnostic::error(&SYNTAX, at, message)));
    }
    p.set_prop("acc", Types::make(ctx, acc));
    p.set_prop("init", Numbers::make(ctx, &init));
    p.region(&[])?;
    if p.eat_word("combine") {
        let args = p.list(Token::LParen, Token::RParen, |p| {
            let (loc, name) = (p.loc(), p.operand_name()?);
            p.expect(Token::Colon)?;
            let ty = p.parse_type()?;
            Ok((name, ty, p.trailing_loc(loc)?))
        })?;
        let args: Vec<(_, Type, Loc)> = args.into_iter().collect();
        p.region(&args)?;
    } else {
        p.empty_region();
    }
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_reduce`] reads.
pub fn print_reduce(p: &mut OpPrinter<'_, '_>) {
    let op = Reduce::from(p.op);
    if let Some(combiner) = op.combiner() {
        p.write(" ");
        p.write(combiner.word());
    }
    p.write(" ");
    print_axes(p, &op.axes(), &op.sizes());
    let (acc, init) = (op.acc(), op.init());
    let several = acc.len() != 1;
    p.write(if several { " acc (" } else { " acc " });
    p.list(acc, |p, ty| p.ty(ty));
    p.write(if several { ") init (" } else { " init " });
    p.list(init, |p, &number| print_number(p, number));
    p.write(if several { ") " } else { " " });
    p.region(0);
    if op.regions().get(1).is_some_and(|&region| op.body.first_block(region).is_some()) {
        p.write(" combine (");
        p.region_args(1, |_, _| {});
        p.write(") ");
        p.region_without_args(1);
    }
    p.attr_dict(&|key| matches!(key, "combiner" | "axes" | "sizes" | "acc" | "init"));
    p.result_types();
}
