//! A pass with a mistake in it, for `--evaluate-each` to find: it takes every `tiny.relu` out.

use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult};
use dlc_ir::{Body, OpRef};
use dlc_tiny::ops::Relu;

static DEF: PassDef = PassDef {
    requires: &["tiny"],
    ..PassDef::base("drop-relu", "Takes tiny.relu out, which is wrong.", |_: &OptionValues| Ok(Box::new(DropRelu)))
};
dlc_ir::inventory::submit! { &DEF }

struct DropRelu;

impl Pass for DropRelu {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        for op in body.walk() {
            let Some(relu) = Relu::of(OpRef::new(cx.ctx, body, op)) else { continue };
            let (input, result) = (relu.input(), relu.out());
            body.replace_all_uses(result, input);
            body.erase_op(op);
        }
        Ok(())
    }
}
