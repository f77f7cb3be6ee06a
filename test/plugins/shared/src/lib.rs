//! A plugin of the second kind: a shared library, for `dlc-opt --load-plugin`.
//!
//! ```text
//! %y = mad.mul_add %a, %b, %c : i64
//! ```

mod misbehave;

use dlc_ir::define::{AnyInteger, op};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::plugin::Plugin;
use dlc_ir::{Body, Builder, OpId, OpRef};
use dlc_sample::ops::{Addi, Muli};

dlc_ir::plugin!("example", register);

fn register(plugin: &mut Plugin) {
    misbehave::on_load(plugin);
    plugin.dialect(&DIALECT);
    plugin.pass(&FUSE);
    plugin.pass(&misbehave::DEF);
}

/// A product and a sum, modulo two to the power of the width.
///
/// `out = a * b + c`
#[op(
    "mad.mul_add",
    traits(Pure, SameType),
    format = "$a `,` $b `,` $c attr-dict `:` type($out)",
    example = "%y = mad.mul_add %a, %b, %c : i64"
)]
pub struct MulAdd {
    a: Operand<AnyInteger>,
    b: Operand<AnyInteger>,
    c: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

dlc_ir::dialect! {
    name: "mad",
    summary: "One op, for an example of a plugin in a shared library.",
    ops: [MulAdd],
    types: [],
    attrs: [],
    materialize: None,
}

static FUSE: PassDef = PassDef {
    options: &[OptionDef {
        name: "most",
        kind: OptionKind::Int,
        default: "1000000",
        doc: "How many are fused in a body at most.",
    }],
    statistics: &[StatDef { name: "fused", doc: "Sums that took a product in." }],
    ..PassDef::base("fuse-mul-add", "Fuses a product into the sum that alone uses it.", create)
};

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    match u64::try_from(options.int("most")) {
        Ok(most) => Ok(Box::new(Fuse { most })),
        Err(_) => Err("'most' must not be negative".into()),
    }
}

struct Fuse {
    most: u64,
}

impl Pass for Fuse {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut fused = 0;
        for op in body.walk() {
            if fused < self.most && fuse(op, body, cx) {
                fused += 1;
            }
        }
        cx.count("fused", fused);
        Ok(())
    }
}

/// Fuses the product that a sum uses, if nothing else uses it.
fn fuse(op: OpId, body: &mut Body, cx: &PassCx<'_>) -> bool {
    let Some(sum) = Addi::of(OpRef::new(cx.ctx, body, op)) else { return false };
    let product = |value| {
        let own = body.defining_op(value).filter(|_| body.has_one_use(value))?;
        let product = Muli::of(OpRef::new(cx.ctx, body, own))?;
        Some((own, product.lhs(), product.rhs()))
    };
    let found = product(sum.lhs()).map(|p| (p, sum.rhs())).or_else(|| product(sum.rhs()).map(|p| (p, sum.lhs())));
    let Some(((product, a, b), c)) = found else { return false };
    let (out, loc) = (sum.out(), cx.ctx.fused_loc(&[body.loc(product), body.loc(op)]));
    let mut builder = Builder::new(cx.ctx, body, dlc_ir::body::InsertPoint::Before(op));
    let made = MulAdd::build(&mut builder, loc, a, b, c);
    let value = builder.result(made);
    body.set_value_name(value, body.value_name(out));
    body.replace_all_uses(out, value);
    body.erase_op(op);
    body.erase_op(product);
    cx.remark(RemarkKind::Passed, loc, "a product was fused into a sum");
    true
}
