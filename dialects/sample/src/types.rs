//! Types and attributes with parameters, one of each.

use dlc_ir::define::{Int, TypeAttr, attr, ty};
use dlc_ir::{Attr, Context};

/// A box with a value of one type in it.
#[ty("sample.box", what = "a box", example = "!sample.box<i64>")]
pub struct BoxType {
    content: TypeAttr,
}

/// A buffer of values of one type; how many there are is known when the program runs.
#[ty("sample.buffer", what = "a buffer", example = "!sample.buffer<i64>")]
pub struct Buffer {
    elem: TypeAttr,
}

/// The integers from `low` to `high`, both included.
#[attr("sample.range", what = "a range, such as #sample.range<0, 9>", verify = verify_range,
       example = "#sample.range<0, 9>")]
pub struct Range {
    low: Int,
    high: Int,
}

fn verify_range(ctx: &Context, params: &[Attr]) -> Result<(), String> {
    match params[0].as_int(ctx) <= params[1].as_int(ctx) {
        true => Ok(()),
        false => Err("the low end is above the high end".into()),
    }
}
