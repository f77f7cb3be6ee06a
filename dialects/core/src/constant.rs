//! Constants, which every layer of tensors writes in the same way: `const 0.5 : tensor<[M, 1], f32>` for one number
//! everywhere, `const dense<[1, 2, 3]> : tensor<3xi32>` for a number each. Their attribute is `value`.

use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::{AttrData, Container, DenseData, integer_fits};
use dlc_ir::define::Kind;
use dlc_ir::diag::Diagnostic;
use dlc_ir::float;
use dlc_ir::interp::{CANNOT_RUN, Datum, Eval, EvalResult};
use dlc_ir::op::{AttrKind, op_error};
use dlc_ir::text::{BAD_LITERAL, OpParser, OpPrinter, ParseResult, Parser, Printer, Token};
use dlc_ir::{Attr, Context, Diagnostics, Loc, OpRef, Type};

use crate::eval::{elem, give, shape};
use crate::tensor::{Data, TensorValue};
use crate::types::Tensor;

/// The elements of a constant: a number for all of them, or a dense tensor.
pub struct Elements;

impl Kind for Elements {
    type Value<'a> = Attr;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a number or a dense tensor of numbers",
        admits: |ctx, attr| {
            matches!(ctx.attr_data(attr), AttrData::Integer { .. } | AttrData::Float { .. } | AttrData::Dense(_))
        },
        parse: None,
        print: None,
    };
    fn get(_: &Context, attr: Attr) -> Option<Attr> {
        Some(attr)
    }
    fn make(_: &Context, value: Attr) -> Attr {
        value
    }
}

/// The type of a tensor with the elements of a dense attribute. `None` for the elements of a vector.
pub fn dense_type(ctx: &Context, dense: &DenseData<'_>) -> Option<Type> {
    // A size beyond 63 bits is refused by the verifier: no such tensor could be written.
    let dims = dense.shape.iter().map(|&size| SizeExpr::from(i64::try_from(size).unwrap_or(i64::MAX))).collect();
    (dense.container == Container::Tensor).then(|| Tensor::get(ctx, dims, dense.elem))
}

/// `-0.5 {..} : tensor<..>`: the number takes its type from the elements of the tensor. Or `dense<..> : tensor<2xf32>`,
/// which has the type in it.
pub fn parse_const(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let (ctx, start) = (p.ctx, p.loc());
    if p.token() == Token::Word && p.text().starts_with("dense") {
        let value = p.parse_attr()?;
        let ty = match ctx.attr_data(value) {
            AttrData::Dense(dense) => dense_type(ctx, dense),
            _ => None,
        };
        let Some(ty) = ty else {
            let error = Diagnostic::error(&BAD_LITERAL, start, "the constant is no dense tensor of numbers");
            return Err(p.fail(error));
        };
        p.set_prop("value", value);
        p.attr_dict()?;
        p.state.results.push(ty);
        return Ok(());
    }
    let written = Written::read(p)?;
    p.attr_dict()?;
    p.result_types()?;
    let Some(elem) = p.state.results.first().and_then(|&ty| Tensor::of(ctx, ty)).map(|ty| ty.elem(ctx)) else {
        let error = Diagnostic::error(&BAD_LITERAL, start, "the type of a constant must be a tensor");
        return Err(p.fail(error));
    };
    let value = written.number(p, elem)?;
    p.set_prop("value", value);
    Ok(())
}

/// A number that has been read, whose type stands after it.
pub struct Written<'s> {
    at: Loc,
    negative: bool,
    token: Token,
    text: &'s str,
}

impl<'s> Written<'s> {
    /// Reads `-0.5`, `7`, `inf`, or the bits of a float, `0xFF800000`.
    pub fn read(p: &mut Parser<'s>) -> ParseResult<Written<'s>> {
        let at = p.loc();
        let negative = p.eat(Token::Minus);
        let (token, text) = (p.token(), p.text());
        let word = matches!(text, "inf" | "nan") && token == Token::Word;
        if !word && !matches!(token, Token::Integer | Token::Float | Token::Hex) {
            // A symbol, most likely.
            let fix = (token == Token::Word && text != "dense").then_some(
                "a size is no constant: as a number it is the sum of ones, of a constant 1 over an axis of that size",
            );
            return Err(p.fail(p.unexpected("a number").suggest_if(fix.map(str::to_string))));
        }
        p.advance();
        Ok(Written { at, negative, token, text })
    }

    /// The number as one of a type.
    pub fn number(&self, p: &mut Parser<'_>, elem: Type) -> ParseResult<Attr> {
        let (ctx, negative, text) = (p.ctx, self.negative, self.text);
        let sign = if negative { -1.0 } else { 1.0 };
        let value = match (elem.float_kind(ctx), self.token) {
            (Some(_), Token::Hex) if !negative => {
                // The bits.
                let bits = u64::from_str_radix(&text[2..], 16).ok();
                let fits = bits.filter(|bits| elem.bits(ctx).is_some_and(|width| width == 64 || bits >> width == 0));
                fits.map(|bits| AttrData::Float { ty: elem, bits })
            }
            // Rust reads `inf` and `nan`, too.
            (Some(kind), Token::Integer | Token::Float | Token::Word) => {
                let value = text.parse::<f64>().ok().map(|value| value * sign);
                let bits = value.map(|value| (value, float::encode(value, kind)));
                // Some types have no infinity.
                let fits = bits
                    .filter(|(value, bits)| value.is_finite() || float::decode(*bits, kind).is_nan() == value.is_nan());
                fits.map(|(_, bits)| AttrData::Float { ty: elem, bits })
            }
            (None, Token::Integer) => {
                // With its sign: the lowest integer has no positive counterpart.
                let value = if negative { format!("-{text}").parse::<i128>() } else { text.parse::<i128>() }.ok();
                let fits = value.filter(|&value| integer_fits(value, ctx.type_data(elem)));
                fits.map(|value| AttrData::Integer { ty: elem, value })
            }
            _ => None,
        };
        match value {
            Some(AttrData::Integer { ty, value }) => Ok(ctx.int_attr(value, ty)),
            Some(other) => Ok(ctx.attr(other)),
            None => {
                let message = format!("the number does not fit the type {}", elem.display(ctx));
                Err(p.fail(Diagnostic::error(&BAD_LITERAL, self.at, message)))
            }
        }
    }
}

/// Reads a number of a type that is known: `-0.5`, `7`, `inf`, or the bits of a float, `0xFF800000`.
pub fn parse_number(p: &mut Parser<'_>, elem: Type) -> ParseResult<Attr> {
    Written::read(p)?.number(p, elem)
}

/// Writes what [`parse_number`] reads: numbers of a usual size in as few digits as they need.
pub fn print_number(p: &mut Printer<'_>, value: Attr) {
    match p.ctx.attr_data(value) {
        AttrData::Float { ty, bits } => match ty.float_kind(p.ctx).map(|kind| (kind, float::decode(*bits, kind))) {
            Some((_, number)) if number.is_infinite() => p.write(if number > 0.0 { "inf" } else { "-inf" }),
            // Of what is no number there are many, and one has this name.
            Some((kind, number)) if number.is_nan() && float::encode(f64::NAN, kind) == *bits => p.write("nan"),
            Some((_, number)) if number == 0.0 || (1e-4..1e7).contains(&number.abs()) => match ty.bits(p.ctx) {
                Some(64) => p.write(&format!("{number:?}")),
                _ => p.write(&format!("{:?}", number as f32)),
            },
            _ => p.float(*bits, *ty),
        },
        // `true` and `false` are written as numbers.
        AttrData::Integer { value, .. } => p.integer(*value, Type::I64),
        _ => {}
    }
}

/// Writes what [`parse_const`] reads.
pub fn print_const(p: &mut OpPrinter<'_, '_>) {
    let ctx = p.ctx;
    let Some(value) = p.op.prop_named("value") else { return };
    p.write(" ");
    match ctx.attr_data(value) {
        AttrData::Dense(_) => {
            p.attr(value);
            return p.attr_dict(&|key| key == "value");
        }
        AttrData::Float { ty, bits } => p.float(*bits, *ty),
        // `true` and `false` are written as numbers: the type stands after.
        AttrData::Integer { value, .. } => p.integer(*value, Type::I64),
        _ => {}
    }
    p.attr_dict(&|key| key == "value");
    p.result_types();
}

/// The elements are those of the type.
pub fn verify(op: OpRef<'_>, value: Attr, diags: &Diagnostics) {
    let ctx = op.ctx;
    let ty = op.type_of(op.result(0));
    match ctx.attr_data(value) {
        AttrData::Dense(dense) if dense_type(ctx, dense) != Some(ty) => {
            let wanted = ty.display(ctx);
            let message = match dense_type(ctx, dense) {
                Some(has) => format!("the elements are those of {}, not of {wanted}", has.display(ctx)),
                None => format!("the elements are those of a vector, not of {wanted}"),
            };
            diags.emit(op_error(op, message));
        }
        AttrData::Dense(_) => {}
        _ if Tensor::of(ctx, ty).map(|ty| ty.elem(ctx)) != value.value_type(ctx) => {
            diags.emit(op_error(op, "the number must be of the type of the tensor's elements"));
        }
        _ => {}
    }
}

/// A number everywhere, or a number for each element.
pub fn eval(cx: &mut Eval<'_, '_>, value: Attr) -> EvalResult {
    let (ctx, shape) = (cx.op.ctx, shape(cx)?);
    let AttrData::Dense(dense) = ctx.attr_data(value) else {
        let number = Datum::of_attr(ctx, value).unwrap_or(Datum::Int(0));
        return give(cx, TensorValue::splat(ctx, shape, elem(cx), &number));
    };
    let each = dense.elem_bytes(ctx);
    if each > 8 {
        return Err(cx.fail(&CANNOT_RUN, format!("tensors of {} cannot be run", dense.elem.display(ctx))));
    }
    let bits = |at: usize| {
        let mut bytes = [0; 8];
        bytes[..each].copy_from_slice(&dense.payload[at * each..(at + 1) * each]);
        u64::from_le_bytes(bytes)
    };
    let stored = dense.payload.len() / each.max(1);
    let data = match dense.elem.float_kind(ctx) {
        Some(kind) if kind.bits() == 64 => Data::F64((0..stored).map(|at| f64::from_bits(bits(at))).collect()),
        Some(kind) => Data::F32((0..stored).map(|at| float::decode(bits(at), kind) as f32).collect()),
        None => {
            let unused = 64 - 8 * each as u32;
            let signed = |bits: u64| ((bits << unused) as i64) >> unused;
            let unsigned = dense.elem.is_unsigned(ctx);
            let integer = |bits: u64| if unsigned { bits as i64 } else { signed(bits) };
            Data::Int((0..stored).map(|at| integer(bits(at))).collect())
        }
    };
    // One element stands for all, however many they are.
    let value = match stored {
        1 => TensorValue::from_data(ctx, Vec::new(), dense.elem, data).and_then(|one| one.broadcast_to(&shape)),
        _ => TensorValue::from_data(ctx, shape, dense.elem, data),
    };
    give(cx, value)
}
