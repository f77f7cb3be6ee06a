//! A pass that goes wrong at a `tiny.relu` of a `tiny.neg`, for `dlc-reduce` to find.

use std::time::Duration;

use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult};
use dlc_ir::{Body, OpRef, Type};
use dlc_tiny::ops::{Neg, Relu};

static DEF: PassDef = PassDef {
    requires: &["tiny"],
    options: &[OptionDef {
        name: "how",
        kind: OptionKind::Choice(&["panic", "invalid", "slow"]),
        default: "panic",
        doc: "What goes wrong.",
    }],
    ..PassDef::base("plant-failure", "Goes wrong at a relu of a neg, for tests.", |options: &OptionValues| {
        Ok(Box::new(PlantFailure { how: options.text("how").to_string() }))
    })
};
dlc_ir::inventory::submit! { &DEF }

struct PlantFailure {
    how: String,
}

impl Pass for PlantFailure {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        for op in body.walk() {
            let Some(relu) = Relu::of(OpRef::new(cx.ctx, body, op)) else { continue };
            let (input, result) = (relu.input(), relu.out());
            let Some(neg) = body.defining_op(input) else { continue };
            if Neg::of(OpRef::new(cx.ctx, body, neg)).is_none() {
                continue;
            }
            match self.how.as_str() {
                "invalid" => body.set_value_type(result, Type::I1),
                "slow" => std::thread::sleep(Duration::from_secs(30)),
                _ => panic!("a relu of a neg"),
            }
        }
        Ok(())
    }
}
