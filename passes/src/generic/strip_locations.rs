//! Takes the location of every op and argument away, so that programs can be compared by their text.
//!
//! **Requires**: any layer.
//! **Ensures**: every location is unknown.
//!
//! **Before**
//! ```mlir before
//! sample.func @f(%x: i64) -> i64 {
//!   return %x loc("f.mlir":1:2)
//! } loc("f.mlir":1:1)
//! ```
//! **After**
//! ```mlir after
//! sample.func @f(%x: i64) -> i64 {
//!   return %x
//! }
//! ```
//!
//! **Does not** touch locations that are attributes.
//!
//! Rules of the debug counters: `op`, `arg`.

use dlc_ir::body::{Body, OpRef};
use dlc_ir::op::Traits;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{BlockId, Loc, OpId};

static DEF: PassDef = PassDef {
    statistics: &[StatDef { name: "stripped", doc: "Ops and arguments that had a location." }],
    ..PassDef::base("strip-locations", "Removes the locations of ops and arguments.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(StripLocations))
}

struct StripLocations;

impl Pass for StripLocations {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let stripped = strip_locations(body, cx);
        cx.count("stripped", stripped);
        Ok(())
    }
}

/// Takes the location of every op and argument of a body away. How many had one.
pub fn strip_locations(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let mut stripped = 0;
    let ops: Vec<OpId> = std::iter::once(body.root()).chain(body.walk()).collect();
    for op in ops {
        // The location of an isolated op belongs to its own body, where it is the root.
        let view = OpRef::new(cx.ctx, body, op);
        let is_elsewhere = op != body.root() && view.has(Traits::ISOLATED_FROM_ABOVE);
        if body.loc(op) != Loc::UNKNOWN && !is_elsewhere && cx.allows_rule("op") {
            body.set_loc(op, Loc::UNKNOWN);
            stripped += 1;
        }
        let blocks: Vec<BlockId> = body.regions(op).iter().flat_map(|&region| body.blocks(region)).collect();
        for block in blocks {
            for index in 0..body.args(block).len() {
                if body.arg_loc(block, index) != Loc::UNKNOWN && cx.allows_rule("arg") {
                    body.set_arg_loc(block, index, Loc::UNKNOWN);
                    stripped += 1;
                }
            }
        }
    }
    stripped
}
