//! Numbers of plain loops: what C++ writes for the functions of numbers, and where they are rounded.

use dlc_core::precision::{KEPT_MASK, LARGE, LARGE_MASK};
use dlc_core::scalar::{Binary, Unary};
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, Context, Type};

use super::kinds::element;
use crate::manifest::Elem;

/// The type of a variable that holds numbers of a type.
pub fn variable(elem: Type, ctx: &Context) -> &'static str {
    match elem {
        Type::F64 => "double",
        Type::I1 => "bool",
        _ if elem.float_kind(ctx).is_some() => "float",
        Type::UI64 => "uint64_t",
        _ => "int64_t",
    }
}

/// A number of a type, rounded to it.
pub fn rounded(text: &str, elem: Type, ctx: &Context) -> String {
    match elem {
        Type::F64 | Type::I64 | Type::INDEX | Type::UI64 | Type::I1 => text.to_string(),
        Type::F32 => format!("float({text})"),
        _ => match Elem::of(elem) {
            Some(of) if elem.float_kind(ctx).is_some() => format!(
                "float({}({}))",
                element(of),
                if text.starts_with("float(") { text.to_string() } else { format!("float({text})") }
            ),
            Some(of) => format!("{}({text})", element(of)),
            None => text.to_string(),
        },
    }
}

pub fn converted(text: &str, from: Type, to: Type, ctx: &Context) -> String {
    let is_float = |ty: Type| ty.float_kind(ctx).is_some();
    match (from == to, is_float(from), is_float(to)) {
        (true, ..) => text.to_string(),
        (_, true, true) if to == Type::F64 || (to == Type::F32 && from != Type::F64) => text.to_string(),
        (_, true, true) => rounded(text, to, ctx),
        (_, false, true) => rounded(&format!("double({text})"), to, ctx),
        _ if to == Type::I1 => format!("({text} != 0)"),
        _ => rounded(&format!("int64_t({text})"), to, ctx),
    }
}

/// An element of memory as a number.
pub fn load(text: &str, elem: Elem) -> String {
    match elem {
        Elem::F16 | Elem::BF16 | Elem::F8E4M3FN | Elem::F8E5M2 => format!("float({text})"),
        _ => text.to_string(),
    }
}

/// A number as an element of memory.
pub fn store(text: &str, elem: Elem) -> String {
    format!("{}({text})", element(elem))
}

pub fn zero(elem: Type, ctx: &Context) -> String {
    if elem.float_kind(ctx).is_some() { "0.0f".into() } else { "0".into() }
}

pub fn literal(ctx: &Context, attr: Attr, elem: Type) -> String {
    match Datum::of_attr(ctx, attr) {
        Some(Datum::Float(value)) if value.is_infinite() => if value > 0.0 { "INFINITY" } else { "-INFINITY" }.into(),
        Some(Datum::Float(value)) if value.is_nan() => "NAN".into(),
        Some(Datum::Float(value)) if elem == Type::F64 => format!("{value:?}"),
        Some(Datum::Float(value)) => format!("{:?}f", value as f32),
        Some(Datum::Int(value)) if elem == Type::I1 => if value != 0 { "true" } else { "false" }.into(),
        Some(Datum::Int(value)) => value.to_string(),
        _ => "0".into(),
    }
}

pub fn unary(function: Unary, of: &str, from: Type, elem: Type, ctx: &Context) -> String {
    let of = &converted(of, from, elem, ctx);
    let text = match function {
        Unary::Neg if elem == Type::I1 => return format!("!{of}"),
        Unary::Neg => format!("-{of}"),
        Unary::Relu if elem.float_kind(ctx).is_some() => return format!("{of} <= 0 ? 0 : {of}"),
        Unary::Relu => return format!("{of} > 0 ? {of} : 0"),
        Unary::Trunc => format!("std::trunc({of})"),
        Unary::Recip => format!("1 / {of}"),
        Unary::Sqrt => format!("std::sqrt({of})"),
        Unary::Exp2 => format!("std::exp2({of})"),
        Unary::Log2 => format!("std::log2({of})"),
        Unary::Sin => format!("std::sin({of})"),
        Unary::Tf32 => as_tf32(of),
        Unary::Tf32High => high_tf32(of),
        Unary::Tf32Low => {
            let low = format!("({of} - ({}))", high_tf32(of));
            let bits = format!("__builtin_bit_cast(unsigned, {low})");
            format!("{low} != {low} ? {low} : __builtin_bit_cast(float, {bits} & {KEPT_MASK:#x}u)")
        }
    };
    in_type(text, elem, ctx)
}

/// A number of `f32` rounded to `tf32`.
fn as_tf32(of: &str) -> String {
    let bits = format!("__builtin_bit_cast(unsigned, {of})");
    format!("{of} != {of} ? {of} : __builtin_bit_cast(float, ({bits} + 0x1000u) & {KEPT_MASK:#x}u)")
}

/// The high one of the two numbers of `tf32` that a number of `f32` is taken for.
fn high_tf32(of: &str) -> String {
    let near_one = format!("__builtin_bit_cast(float, __builtin_bit_cast(unsigned, {of}) & {LARGE_MASK:#x}u)");
    format!("std::abs({of}) >= {LARGE:e}f ? {near_one} : ({})", as_tf32(of))
}

/// What floats of 32 and 64 bits give is rounded already.
fn in_type(text: String, elem: Type, ctx: &Context) -> String {
    if elem == Type::F32 { text } else { rounded(&text, elem, ctx) }
}

pub fn binary(
    function: Binary,
    (a, from_a): (&str, Type),
    (b, from_b): (&str, Type),
    elem: Type,
    ctx: &Context,
) -> String {
    let sign = match function {
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        _ => "",
    };
    if !sign.is_empty() {
        return format!("{a} {sign} {b}");
    }
    let (a, b) = (
        converted(a, from_a, elem, ctx),
        if matches!(function, Binary::Shl | Binary::Shr) { b.to_string() } else { converted(b, from_b, elem, ctx) },
    );
    let is_bool = elem == Type::I1;
    let text = match function {
        Binary::Add if is_bool => return format!("{a} || {b}"),
        Binary::Mul if is_bool => return format!("{a} && {b}"),
        Binary::Add => format!("{a} + {b}"),
        Binary::Sub => format!("{a} - {b}"),
        Binary::Mul => format!("{a} * {b}"),
        Binary::Max => format!("larger({a}, {b})"),
        Binary::Min => format!("smaller({a}, {b})"),
        Binary::Fdiv => format!("{a} / {b}"),
        Binary::Pow => format!("std::pow({a}, {b})"),
        Binary::Cdiv => format!("({b} == 0 ? {a} : {a} / {b})"),
        Binary::Cmod => format!("({b} == 0 ? 0 : {a} % {b})"),
        Binary::Floordiv => format!("({b} == 0 ? {a} : floor_div({a}, {b}))"),
        Binary::Floormod => format!("({b} == 0 ? 0 : {a} - floor_div({a}, {b}) * {b})"),
        Binary::And => format!("({a} & {b})"),
        Binary::Or => format!("({a} | {b})"),
        Binary::Xor => format!("({a} ^ {b})"),
        Binary::Shl => format!("({a} << {b})"),
        _ => format!("({a} >> {b})"),
    };
    in_type(text, elem, ctx)
}
