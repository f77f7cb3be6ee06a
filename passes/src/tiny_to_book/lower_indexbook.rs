//! Turns a tensor program into entries: every movement of elements becomes an index, so that each value says by itself
//! which elements of which others it is computed from.
//!
//! **Requires**: tiny.
//! **Ensures**: book. No op of tiny is left; a function keeps its name, symbols, argument attributes and the names of its
//! values. Every operand is read at one affine access, however many views stood in between.
//!
//! **Before**
//! ```mlir before
//! tiny.func @halves<M>(%x: tensor<[M], f32>, %b: tensor<[1], f32>) -> tensor<[M, 3], f32> {
//!   %p = pad %x low [1] high [1] value 0.5 : f32 : tensor<[M + 2], f32>
//!   %w = load %p at [i0 + i1] : tensor<[M, 3], f32>
//!   %y = mul %w, %b : tensor<[M, 3], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @halves<M>(%x: tensor<[M], f32>, %b: tensor<[1], f32>) -> tensor<[M, 3], f32> {
//!   %y = entry mul axes (i0: M, i1: 3) of %x at (i0 + i1 - 1) where (0 <= i0 + i1 - 1 < M) else 5.000000e-01, %b at (0) : tensor<[M, 3], f32>
//!   return %y
//! }
//! ```
//!
//! **Does not** compute anything: it neither folds constants nor finds contractions (`tiny-simplify`), nor makes what is
//! computed twice one (`cse`).
//!
//! - Views are no entries: an operand is followed down its views to what they are views of
//!   ([`crate::analysis::access`]), pads becoming guards. A view is an entry `copy` where it is a result of the function,
//!   and where a chain of views is more than one access: pads with different numbers one within the other.
//! - So is a `where` that takes one number outside of bounds of positions: a maximum over windows is padded like that.
//! - A reshape whose axes do not pair is `reshape non_scop`, with a remark.
//! - A contraction is a product that is not rounded and a sum; a `mulacc` such a product, and a sum of two.
//! - `index` is `gather non_scop`. Its table is followed down its views while these keep the axes that are indexed.
//! - Both regions of an `if` are computed, and `where` chooses between their results.
//! - A `bitcast` between types of different widths is arithmetic on unsigned integers: shifts, and a sum of parts.
//! - A `view` under symbolic strides computes positions, and gathers from the elements in a row.
//! - Where it cannot be shown that a position is within an operand (a `load` promises that), a guard says so.
//!
//! With `ref-compat` every view is an entry `copy` with the map of just this view, as the walkthrough prints them.
//!
//! Linear in the ops and, for each of them, in the views before it; ranks are taken to be small. Rules of the debug
//! counters: the names of the ops.

mod bits;
mod contraction;
mod entries;
mod gather;
mod read;
mod rules;

use dlc_book::ops as book;
use dlc_core::bounds::AXIS_ALIGNMENT_MISMATCH;
use dlc_ir::body::Body;
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::diag::Diagnostic;
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::{OpId, OpRef, Str};
use dlc_tiny::ops as tiny;

use entries::Lower;

static DEF: PassDef = PassDef {
    on: On::Op("tiny.func"),
    options: &[OptionDef {
        name: "ref-compat",
        kind: OptionKind::Bool,
        default: "false",
        doc: "Whether every view becomes an entry of its own.",
    }],
    statistics: &[
        StatDef { name: "entries", doc: "Entries made, constants and reductions among them." },
        StatDef { name: "copies", doc: "Entries that only move elements." },
        StatDef { name: "non_scop", doc: "Reshapes and gathers that no affine expression says." },
    ],
    requires: &["tiny"],
    adds: &["book"],
    removes: &["tiny"],
    ..PassDef::base(
        "lower-indexbook",
        "Lowers tensor programs to accesses: every movement becomes an index expression.",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(LowerIndexbook { ref_compat: options.flag("ref-compat") }))
}

struct LowerIndexbook {
    ref_compat: bool,
}

impl Pass for LowerIndexbook {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let counts = lower_indexbook(body, self.ref_compat, cx)?;
        cx.count("entries", counts.entries);
        cx.count("copies", counts.copies);
        cx.count("non_scop", counts.non_scop);
        Ok(())
    }
}

/// What was made.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Entries, constants and reductions among them.
    pub entries: u64,
    /// Entries that only move elements.
    pub copies: u64,
    /// What no affine expression says.
    pub non_scop: u64,
}

/// Turns a function of tiny, the root of the body, into one of book. On failure, which is reported, the body is in
/// between.
pub fn lower_indexbook(body: &mut Body, ref_compat: bool, cx: &PassCx<'_>) -> Result<Counts, PassFailed> {
    let root = body.root();
    symbols_are_no_axes(OpRef::new(cx.ctx, body, root), cx)?;
    let Some(block) = body.entry_block() else { return Ok(Counts::default()) };
    let old: Vec<OpId> = body.ops(block).collect();
    let mut lower = Lower::new(cx, body, block, ref_compat);
    lower.ops(&old)?;
    let counts = lower.counts;
    // Users before what they use.
    for op in old.into_iter().rev() {
        body.erase_op(op);
    }
    body.set_op_name(root, cx.ctx.op_name(book::Func::DEF.name));
    Ok(counts)
}

/// Axes are named `i0`, `i1`, .., and elements of index operands `_0`, `_1`, ..: a symbol of such a name would be taken
/// for one.
fn symbols_are_no_axes(func: OpRef<'_>, cx: &PassCx<'_>) -> Result<(), PassFailed> {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_axis = |name: &&str| name.strip_prefix(['i', '_']).is_some_and(is_number);
    let symbols = func.prop(Str::SYMBOLS).and_then(|attr| TextArray::get(func.ctx, attr)).unwrap_or_default();
    match symbols.into_iter().find(is_axis) {
        None => Ok(()),
        Some(name) => {
            let message = format!("the symbol '{name}' has the name of an axis");
            let error = Diagnostic::error(&AXIS_ALIGNMENT_MISMATCH, func.loc(), message).at(tiny::Func::DEF.name);
            Err(cx.fail(error.suggest("give the symbol another name: axes are named i0, i1, .. here")))
        }
    }
}
