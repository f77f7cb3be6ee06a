//! The type of what a kernel computes with.

use dlc_ir::define::{TextArray, TypeAttr, ty};
use dlc_ir::smallvec::{SmallVec, smallvec};
use dlc_ir::text::{ParseResult, Parser, Printer, Token};
use dlc_ir::{Attr, Context};

/// A number for each point of some axes: `f32 over (m, n)`. Axes go by name; their sizes are those that the region and
/// its reductions give them. The order of the axes is that in which an explicit broadcast or a store sees them.
#[ty("region.value", infix = "over", what = "a value over axes", parse = parse_axes, print = print_axes,
     verify = verify_value, example = "f32 over (m, n)")]
pub struct Value {
    /// The type of the numbers.
    elem: TypeAttr,
    /// The axes.
    axes: TextArray,
}

fn parse_axes(p: &mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>> {
    let axes = p.list(Token::LParen, Token::RParen, |p| p.word().map(|axis| p.ctx.str_attr(axis)))?;
    Ok(smallvec![p.ctx.array_attr(&axes)])
}

fn print_axes(p: &mut Printer<'_>, params: &[Attr]) {
    let ctx = p.ctx;
    p.write("(");
    let axes = params.first().and_then(|axes| axes.as_array(ctx)).unwrap_or(&[]);
    p.list(axes, |p, axis| p.write(axis.as_str(ctx).unwrap_or_default()));
    p.write(")");
}

fn verify_value(ctx: &Context, params: &[Attr]) -> Result<(), String> {
    if params[0].as_type(ctx).is_none_or(|elem| elem.bits(ctx).is_none()) {
        return Err("the numbers must be integers, index or floats".into());
    }
    let axes = params[1].as_array(ctx).unwrap_or(&[]);
    let twice = axes.iter().enumerate().find(|(at, axis)| axes[..*at].contains(axis));
    match twice {
        Some((_, axis)) => Err(format!("the axis {} is named twice", axis.as_str(ctx).unwrap_or_default())),
        None => Ok(()),
    }
}
