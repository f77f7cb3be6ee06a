//! A plugin of the first kind: a crate that is linked in. What it declares registers itself.
//!
//! ```text
//! %d = twice.double %x : i64
//! ```

use dlc_ir::define::{AnyInteger, op};
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Body, Builder, OpRef};
use dlc_sample::ops::Addi;

/// Twice an integer, modulo two to the power of the width.
///
/// `out = 2 * value`
#[op(
    "twice.double",
    traits(Pure, SameType),
    format = "$value attr-dict `:` type($out)",
    example = "%d = twice.double %x : i64"
)]
pub struct Double {
    value: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

dlc_ir::dialect! {
    name: "twice",
    summary: "One op, for an example of a linked plugin.",
    ops: [Double],
    types: [],
    attrs: [],
    materialize: None,
}

static DEF: PassDef = PassDef {
    statistics: &[StatDef { name: "expanded", doc: "Doubles that became sums." }],
    ..PassDef::base("expand-double", "Turns twice.double into a sum.", |_: &OptionValues| Ok(Box::new(ExpandDouble)))
};
dlc_ir::inventory::submit! { &DEF }

struct ExpandDouble;

impl Pass for ExpandDouble {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        for op in body.walk() {
            let Some(double) = Double::of(OpRef::new(cx.ctx, body, op)) else { continue };
            let (value, result, loc) = (double.value(), double.out(), body.loc(op));
            let mut builder = Builder::new(cx.ctx, body, dlc_ir::body::InsertPoint::Before(op));
            let sum = Addi::build(&mut builder, loc, value, value);
            let sum = builder.result(sum);
            body.set_value_name(sum, body.value_name(result));
            body.replace_all_uses(result, sum);
            body.erase_op(op);
            cx.count("expanded", 1);
        }
        Ok(())
    }
}
