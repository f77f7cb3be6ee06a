//! Notes what the results of a program are called, in its attribute `outputs`: what is called so may be another value after
//! the next rewrite, and who runs the program knows its results by their names.
//!
//! **Requires**: tiny.
//! **Ensures**: tiny. A program whose results all have names, each its own, has them in `outputs`.
//!
//! **Before**
//! ```mlir before
//! tiny.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
//!   %y = relu %x : tensor<[M], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! tiny.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> attributes {outputs = ["y"]} {
//!   %y = relu %x : tensor<[M], f32>
//!   return %y
//! }
//! ```
//!
//! **Does not** change names that are noted already, or invent any. `form-regions` takes the note away where the results of
//! the host function are called so themselves. Rule of the debug counters: `name`.

use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_tiny::ops::{Func, Return};

use crate::analysis::names::own_names;

static DEF: PassDef = PassDef {
    on: On::Op(Func::NAME),
    // It does not ask for the layer: a graph is not lowered for it, and `lower-frontend` notes the names itself.
    consults: &["tiny"],
    statistics: &[StatDef { name: "named", doc: "Programs whose results were noted." }],
    ..PassDef::base("name-outputs", "Records the names of the results of a program.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(NameOutputs))
}

struct NameOutputs;

impl Pass for NameOutputs {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let key = cx.ctx.intern_str("outputs");
        let root = OpRef::new(cx.ctx, body, body.root());
        let last = body.entry_block().and_then(|block| body.last_op(block)).map(|op| OpRef::new(cx.ctx, body, op));
        let Some(end) = last.filter(|op| op.is(Return::DEF) && root.attr(key).is_none()) else { return Ok(()) };
        let Some(names) = own_names(cx.ctx, body, end.operands()).filter(|names| !names.is_empty()) else {
            return Ok(());
        };
        if cx.allows_rule("name") {
            let names = TextArray::make(cx.ctx, names);
            body.set_attr(cx.ctx, body.root(), key, Some(names));
            cx.count("named", 1);
        }
        Ok(())
    }
}
