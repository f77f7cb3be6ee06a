//! Brings ops into their simplest form: folds them, and applies the rewrites that they declare, until nothing changes.
//!
//! Every layer has some of it to do after each lowering, and passes can count on the form: constants stand at the start
//! of a body, one op for each, and last among the operands of a commutative op.
//!
//! **Requires**: any layer.
//! **Ensures**: no reachable op folds, matches a rule of its own, or is dead.
//!
//! **Before**
//! ```mlir before
//! sample.func @f(%x: i64) -> i64 {
//!   %zero = constant 0 : i64
//!   %two = constant 2 : i64
//!   %three = constant 3 : i64
//!   %sum = addi %x, %zero : i64
//!   %six = muli %two, %three : i64
//!   %product = muli %six, %sum : i64
//!   return %product
//! }
//! ```
//! **After**
//! ```mlir after
//! sample.func @f(%x: i64) -> i64 {
//!   %six = constant 6 : i64
//!   %product = muli %x, %six : i64
//!   return %product
//! }
//! ```
//!
//! **Does not** merge equal ops (`cse`), look through branches (`sccp`), or touch unreachable blocks (`dce`).
//!
//! The algorithm is the greedy driver of [`dlc_ir::rewrite`], after MLIR's. Rules of the debug counters: `dead`,
//! `constants`, `commute`, `fold`, and each pattern by its name.

use dlc_ir::Body;
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::rewrite::{GreedyCounts, GreedyOptions, PatternSet, rewrite_greedily};

static DEF: PassDef = PassDef {
    on: On::EachBody,
    options: &[
        OptionDef {
            name: "rewrites-per-op",
            kind: OptionKind::Int,
            default: "100",
            doc: "After this many rewrites per op, rules are said not to end.",
        },
        OptionDef {
            name: "rounds",
            kind: OptionKind::Int,
            default: "32",
            doc: "How often the whole body is gone through at most.",
        },
    ],
    statistics: &[
        StatDef { name: "folded", doc: "Ops replaced with what they fold to." },
        StatDef { name: "rewritten", doc: "Rules applied." },
        StatDef { name: "erased", doc: "Dead ops erased." },
        StatDef { name: "ordered", doc: "Constants merged or moved, operands put in order." },
    ],
    ..PassDef::base(
        "canonicalize",
        "Folds ops and applies the rewrites that they declare, until nothing changes.",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let positive = |name: &str| match options.int(name) {
        value @ 1.. => Ok(value.unsigned_abs()),
        value => Err(format!("'{name}' must be positive, but is {value}")),
    };
    let rounds = u32::try_from(positive("rounds")?).map_err(|_| "'rounds' must fit 32 bits".to_string())?;
    Ok(Box::new(Canonicalize(GreedyOptions {
        rewrites_per_op: positive("rewrites-per-op")?,
        rounds,
        ..GreedyOptions::default()
    })))
}

struct Canonicalize(GreedyOptions);

impl Pass for Canonicalize {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let counts = canonicalize(body, &self.0, cx)?;
        cx.count("folded", counts.folded);
        cx.count("rewritten", counts.rewritten);
        cx.count("erased", counts.erased);
        cx.count("ordered", counts.ordered);
        Ok(())
    }
}

/// Folds ops and applies the rewrites that they declare, until nothing changes.
pub fn canonicalize(body: &mut Body, options: &GreedyOptions, cx: &PassCx<'_>) -> Result<GreedyCounts, PassFailed> {
    rewrite_greedily(body, &PatternSet::canonical(), options, cx)
}
