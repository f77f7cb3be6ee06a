//! How instructions and entries are written: as PTX writes them, with the results in front.

use dlc_core::constant::{parse_number, print_number};
use dlc_core::sizes::{Exprs, parse_expr, print_expression};
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{IntArray, Kind, Text};
use dlc_ir::op::InferCx;
use dlc_ir::text::{OpParser, OpPrinter, ParseResult, Parser, Token};
use dlc_ir::{Attr, Type};

use crate::form::{Class, Slot, instruction, signatures};
use crate::inst::{Arg, Inst};
use crate::ops::Entry;
use crate::verify::infer_instruction;

/// `%a, [%p + 16], {%b, %c}, 4 if %q else %x`
pub fn parse_instruction(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let mut literals = Vec::new();
    let begins = |token| {
        use Token::{Float, Hex, Integer, LBrace, LBracket, Minus, Value};
        matches!(token, Value | Integer | Hex | Float | Minus | LBrace | LBracket)
    };
    let sink = |p: &OpParser<'_, '_>| p.token() == Token::Word && p.text() == "_";
    // After an instruction without operands the next line begins, perhaps with a value.
    let modifiers = p.state.props.first().and_then(|(_, attr)| attr.as_str(p.ctx)).unwrap_or("");
    let known = instruction(p.def()).map(|row| signatures(row, modifiers));
    let without = known.is_some_and(|known| known.first().is_some_and(|first| first.operands.is_empty()));
    if without {
        // Nothing to read.
    } else if begins(p.token()) || sink(p) {
        loop {
            match p.token() {
                Token::Word if p.text() == "_" => p.advance(),
                Token::LBrace => parse_group(p, &mut literals)?,
                Token::LBracket => parse_address(p, &mut literals)?,
                _ => parse_item(p, &mut literals)?,
            }
            if !p.eat(Token::Comma) {
                break;
            }
        }
    }
    if literals.iter().any(|&literal| literal != Attr::UNIT) {
        let literals = p.ctx.array_attr(&literals);
        p.set_prop("literals", literals);
    }
    for word in ["if", "unless"] {
        if p.eat_word(word) {
            p.set_prop("guarded", p.ctx.str_attr(word));
            p.operand()?;
            if p.eat_word("else") {
                p.operand()?;
                while p.eat(Token::Comma) {
                    p.operand()?;
                }
            }
        }
    }
    p.attr_dict()?;
    if p.token() == Token::Colon {
        return p.result_types();
    }
    // What is not given has its default.
    if let Some(row) = instruction(p.def()) {
        let cx = InferCx { ctx: p.ctx, body: p.current_body(), operands: &p.state.operands, props: &p.state.props };
        if let Ok(types) = infer_instruction(row, &cx) {
            p.state.results = types;
        }
    }
    Ok(())
}

fn parse_item(p: &mut OpParser<'_, '_>, literals: &mut Vec<Attr>) -> ParseResult<()> {
    match p.token() {
        Token::Value => {
            p.operand()?;
            literals.push(Attr::UNIT);
        }
        Token::Float => {
            let number = parse_float(p)?;
            literals.push(number);
        }
        _ => {
            // `-1` and `-1.0` begin alike.
            let negative = p.eat(Token::Minus);
            if p.token() == Token::Float {
                let number = parse_float(p)?;
                let Some(Arg::F32(bits)) = float_arg(p, number) else { return p.expected("a 32-bit number") };
                literals.push(Arg::F32(if negative { bits ^ 1 << 31 } else { bits }).literal(p.ctx));
            } else if p.token() == Token::Hex {
                // The bits of a float, of 64 bits if there are as many digits.
                let ty = if p.text().len() == 18 { Type::F64 } else { Type::F32 };
                let number = parse_number(p, ty)?;
                literals.push(number);
            } else {
                // Without its sign, the least integer would not fit.
                let value = match p.text().parse::<i128>() {
                    Ok(value) if negative && p.token() == Token::Integer => i64::try_from(-value).ok(),
                    _ => None,
                };
                let value = match value {
                    Some(value) => {
                        p.advance();
                        value
                    }
                    None if negative => return p.expected("a 64-bit integer"),
                    None => p.integer()?,
                };
                literals.push(p.ctx.i64_attr(value));
            }
        }
    }
    Ok(())
}

fn float_arg(p: &OpParser<'_, '_>, attr: Attr) -> Option<Arg> {
    match *p.ctx.attr_data(attr) {
        dlc_ir::attrs::AttrData::Float { ty: Type::F32, bits } => Some(Arg::F32(bits as u32)),
        _ => None,
    }
}

fn parse_float(p: &mut OpParser<'_, '_>) -> ParseResult<Attr> {
    let parser: &mut Parser<'_> = p;
    parse_number(parser, Type::F32)
}

fn parse_group(p: &mut OpParser<'_, '_>, literals: &mut Vec<Attr>) -> ParseResult<()> {
    p.expect(Token::LBrace)?;
    loop {
        parse_item(p, literals)?;
        if !p.eat(Token::Comma) {
            return p.expect(Token::RBrace);
        }
    }
}

/// `[%p]`, `[%p + 16]`, `[%map, {%x, %y}]`
fn parse_address(p: &mut OpParser<'_, '_>, literals: &mut Vec<Attr>) -> ParseResult<()> {
    p.expect(Token::LBracket)?;
    parse_item(p, literals)?;
    if p.eat(Token::Comma) {
        parse_group(p, literals)?;
        return p.expect(Token::RBracket);
    }
    let offset = match p.token() {
        Token::Plus => {
            p.advance();
            p.integer()?
        }
        Token::Minus => p.integer()?,
        _ => 0,
    };
    literals.push(p.ctx.i64_attr(offset));
    p.expect(Token::RBracket)
}

/// Writes what [`parse_instruction`] reads.
pub fn print_instruction(p: &mut OpPrinter<'_, '_>) {
    if let Some(modifiers) = p.op.prop_named("modifiers").and_then(|attr| attr.as_str(p.op.ctx)) {
        p.write(".");
        p.write(modifiers);
    }
    let Ok(inst) = Inst::of(p.op) else { return print_unknown(p) };
    let mut first = true;
    for (slot, args) in inst.slots() {
        p.write(if first { " " } else { ", " });
        first = false;
        match slot {
            Slot::Reg(_) | Slot::Immediate => print_arg(p, args[0]),
            Slot::Group(..) | Slot::Tied(..) => print_group(p, args),
            Slot::Address(_) => {
                p.write("[");
                print_arg(p, args[0]);
                match args[1] {
                    Arg::Int(0) => {}
                    Arg::Int(offset) if offset < 0 => p.write(&format!(" - {}", offset.unsigned_abs())),
                    Arg::Int(offset) => p.write(&format!(" + {offset}")),
                    other => print_arg(p, other),
                }
                p.write("]");
            }
            Slot::Tensor(_) => {
                p.write("[");
                print_arg(p, args[0]);
                p.write(", ");
                print_group(p, &args[1..]);
                p.write("]");
            }
            Slot::Sink => p.write("_"),
        }
    }
    if let Some((predicate, holds)) = inst.guard {
        p.write(if holds { " if " } else { " unless " });
        p.value_name(predicate);
        for (index, &value) in inst.otherwise.iter().enumerate() {
            p.write(if index == 0 { " else " } else { ", " });
            p.value_name(value);
        }
    }
    p.attr_dict(&|key| matches!(key, "modifiers" | "literals" | "guarded"));
    let usual = inst.signature.result_classes();
    let op = p.op;
    if !op.result_types().eq(usual.into_iter().map(Class::default_type)) {
        p.result_types();
    }
}

/// An instruction that the table does not know: its operands one by one, and everything else as attributes.
fn print_unknown(p: &mut OpPrinter<'_, '_>) {
    let count = p.op.operands().count();
    if count > 0 {
        p.write(" ");
        p.operands(0..count);
    }
    p.attr_dict(&|key| key == "modifiers");
    p.result_types();
}

fn print_arg(p: &mut OpPrinter<'_, '_>, arg: Arg) {
    match arg {
        Arg::Value(value) => p.value_name(value),
        Arg::Int(value) => p.write(&value.to_string()),
        Arg::F32(bits) => {
            let number = f32::from_bits(bits);
            match number.is_finite() {
                true => {
                    let literal = arg.literal(p.ctx);
                    print_number(p, literal);
                }
                false => p.write(&format!("0x{bits:08X}")),
            }
        }
        Arg::F64(bits) => p.write(&format!("0x{bits:016X}")),
    }
}

fn print_group(p: &mut OpPrinter<'_, '_>, args: &[Arg]) {
    p.write("{");
    for (index, &arg) in args.iter().enumerate() {
        p.write(if index > 0 { ", " } else { "" });
        print_arg(p, arg);
    }
    p.write("}");
}

/// `"f_0" (N ceildiv 128) cluster [2] threads 128 shared 1024 blocks 2 memory (%X, %Y) maps (%m) sizes (N, 2*N) { .. }`
pub fn parse_entry(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let name = p.string()?;
    p.set_prop("name", Text::make(p.ctx, &name));
    // Values in the expressions are the first operands, and the expressions stand apart: those of the grid are read
    // first, and those of the sizes after the other operands, so they are moved.
    let dims = p.expressions(parse_tuple)?;
    let in_dims = p.state.operands.len();
    set_exprs(p, "dims", dims);
    if p.eat_word("cluster") {
        let cluster = p.list(Token::LBracket, Token::RBracket, |p| p.integer())?;
        let cluster = IntArray::make(p.ctx, cluster.to_vec());
        p.set_prop("cluster", cluster);
    }
    p.expect_word("threads")?;
    set_int(p, "threads")?;
    p.expect_word("shared")?;
    set_int(p, "shared")?;
    if p.eat_word("blocks") {
        set_int(p, "blocks")?;
    }
    let mut groups = vec![in_dims as i32];
    for word in ["memory", "maps"] {
        let before = p.state.operands.len();
        if p.eat_word(word) {
            p.expect(Token::LParen)?;
            loop {
                p.operand()?;
                if !p.eat(Token::Comma) {
                    break;
                }
            }
            p.expect(Token::RParen)?;
        }
        groups.push((p.state.operands.len() - before) as i32);
    }
    let mut sizes = Vec::new();
    if p.eat_word("sizes") {
        let before = p.state.operands.len();
        sizes = p.expressions(parse_tuple)?;
        // The values of these expressions go after those of the grid.
        let moved = p.state.operands.len() - before;
        p.state.operands[in_dims..].rotate_right(moved);
        groups[0] += moved as i32;
        sizes = sizes.iter().map(|expr| shift(expr, in_dims)).collect();
    }
    set_exprs(p, "sizes", sizes);
    let groups = p.ctx.i32_array(&groups);
    p.set_prop("operandSegmentSizes", groups);
    p.region(&[])?;
    p.attr_dict()
}

/// The expression with its value `_0` as `_n`, and so on.
fn shift(expr: &SizeExpr, by: usize) -> SizeExpr {
    use dlc_core::sizes::{value_name, value_number};
    expr.substitute(&|name| SizeExpr::symbol(&value_name(value_number(name)? + by)).ok())
        .unwrap_or_else(|_| expr.clone())
}

fn parse_tuple(p: &mut Parser<'_>) -> ParseResult<Vec<SizeExpr>> {
    let items = p.list(Token::LParen, Token::RParen, |p| parse_expr(p, &[Token::Comma, Token::RParen]))?;
    Ok(items.into_iter().collect())
}

fn set_exprs(p: &mut OpParser<'_, '_>, key: &str, exprs: Vec<SizeExpr>) {
    let exprs = Exprs::make(p.ctx, exprs);
    p.set_prop(key, exprs);
}

fn set_int(p: &mut OpParser<'_, '_>, key: &str) -> ParseResult<()> {
    let value = p.integer()?;
    let value = p.ctx.i64_attr(value);
    p.set_prop(key, value);
    Ok(())
}

/// Writes what [`parse_entry`] reads.
pub fn print_entry(p: &mut OpPrinter<'_, '_>) {
    let op = Entry::from(p.op);
    p.write(" ");
    p.string(op.name());
    p.write(" (");
    print_exprs(p, &op.dims());
    p.write(")");
    if let Some(cluster) = op.cluster() {
        p.write(&format!(" cluster {cluster:?}"));
    }
    p.write(&format!(" threads {} shared {}", op.threads(), op.shared()));
    if let Some(blocks) = op.blocks() {
        p.write(&format!(" blocks {blocks}"));
    }
    for (word, group) in [("memory", 1), ("maps", 2)] {
        let range = p.op.operand_group(group);
        if !range.is_empty() {
            p.write(&format!(" {word} ("));
            p.operands(range);
            p.write(")");
        }
    }
    let sizes = op.sizes();
    if !sizes.is_empty() {
        p.write(" sizes (");
        print_exprs(p, &sizes);
        p.write(")");
    }
    p.write(" ");
    p.region(0);
    let named = |key: &str| matches!(key, "name" | "dims" | "cluster" | "threads" | "shared" | "blocks" | "sizes");
    p.attr_dict(&named);
}

fn print_exprs(p: &mut OpPrinter<'_, '_>, exprs: &[SizeExpr]) {
    for (index, expr) in exprs.iter().enumerate() {
        p.write(if index > 0 { ", " } else { "" });
        print_expression(p, &expr.to_string(), 0);
    }
}
