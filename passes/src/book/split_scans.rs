//! Scans in steps what has few rows and many elements: groups of positions first, each by itself, then what whole groups
//! combine to, and then both together. So every group has a multiprocessor.
//!
//! **Requires**: book.
//! **Ensures**: where fewer than 128 multiprocessors would scan rows that take one of them long, the scan is of groups.
//!
//! **Before**
//! ```mlir before
//! book.func @cumsum(%x: tensor<[1000000], f32>) -> tensor<[1000000], f32> {
//!   %s = scan sum axes (i0: 1000000) along 0 of %x at (i0) acc f32 : tensor<[1000000], f32>
//!   return %s
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @cumsum(%x: tensor<[1000000], f32>) -> tensor<[1000000], f32> {
//!   %0 = reduce sum axes (i0: 123) over (i1: 8192) of %x at (8192*i0 + i1) where (8192*i0 + i1 < 1000000) else 0.0 acc f32 : tensor<[123], f32>
//!   %1 = scan sum axes (i0: 123) along 0 of %0 at (i0) acc f32 exclusive : tensor<[123], f32>
//!   %2 = scan sum axes (i0: 1000000) along 0 every 8192 of %x at (i0) acc f32 : tensor<[1000000], f32>
//!   %s = entry add axes (i0: 1000000) of %2 at (i0), %1 at (i0 floordiv 8192) : tensor<[1000000], f32>
//!   return %s
//! }
//! ```
//!
//! Elements are read twice and results stored once: `form-regions` adds what is before a group in the kernel that scans it.
//! Of rows one multiprocessor has one, of columns 32.
//!
//! **Does not** read elements once, which takes blocks that wait for each other (`docs/decisions/0028`); split what symbols
//! make long at run time alone: sizes are those of the options. Sums of floats of 16 bits are taken in `f32` on the way, and
//! rounded once.
//!
//! Sums of floats are added in another order, the same in every run. Linear. Rule of the debug counters: `split`.

use dlc_book::ops::{Function, NewEntry, NewReduce, NewScan, Scan};
use dlc_book::verify::axis_names;
use dlc_core::access::Access;
use dlc_core::guard::{Condition, Guard};
use dlc_core::scalar::{Combiner, neutral};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId, Type};

use crate::analysis::sizes::{ASSUME, AssumedSizes, LONG_ROW, SYMBOLS};

/// The positions of a group along rows, and along columns, of which a multiprocessor has several.
const GROUP: i64 = 8192;
const GROUP_OF_COLUMNS: i64 = 1024;
/// The columns that a multiprocessor has.
const COLUMNS: i64 = 32;
/// So many multiprocessors that each go along a row read and write about as fast as all do in two passes.
const ENOUGH: i64 = 128;

static DEF: PassDef = PassDef {
    requires: &["book"],
    options: &[ASSUME, SYMBOLS],
    statistics: &[StatDef { name: "split", doc: "Scans that are of groups." }],
    reads_symbols: true,
    ..PassDef::base("split-scans", "Scans in groups what has few rows and many elements.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(SplitScans { sizes: AssumedSizes::of(options)? }))
}

struct SplitScans {
    sizes: AssumedSizes,
}

impl Pass for SplitScans {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut split = 0;
        for op in body.walk() {
            let group = Scan::of(OpRef::new(cx.ctx, body, op)).and_then(|scan| self.group(scan));
            let Some(group) = group.filter(|_| cx.allows_rule("split")) else { continue };
            if replace(cx.ctx, body, op, group).is_some() {
                let message = format!("few rows of many elements: groups of {group} are scanned by themselves first");
                cx.remark(RemarkKind::Passed, body.loc(op), message);
                body.erase_op(op);
                split += 1;
            }
        }
        cx.count("split", split);
        Ok(())
    }
}

impl SplitScans {
    /// How many positions a group has, if a scan is worth splitting.
    fn group(&self, scan: Scan<'_>) -> Option<i64> {
        let (mut others, along) = (scan.axes(), scan.along() as usize);
        let length = self.sizes.size(&others.remove(along));
        let is_rows = along == others.len();
        let elements = self.sizes.elements(&others);
        let (blocks, each, group) = match is_rows {
            true => (elements, 1, GROUP),
            false => ((elements - 1) / COLUMNS + 1, COLUMNS.min(elements.max(1)), GROUP_OF_COLUMNS),
        };
        let is_worth = blocks < ENOUGH && length.saturating_mul(each) > LONG_ROW && length > group;
        (is_worth && scan.every().is_none()).then_some(group)
    }
}

fn symbol(axis: usize) -> SizeExpr {
    SizeExpr::symbol(&format!("i{axis}")).expect("a letter and digits are a name")
}

/// What combines two elements.
fn function(combiner: Combiner) -> Function {
    match combiner {
        Combiner::Sum => Function::Add,
        Combiner::Prod => Function::Mul,
        Combiner::Max => Function::Max,
        Combiner::Min => Function::Min,
    }
}

/// Lets all who read a scan read one of groups. `None` where positions go beyond 64 bits.
fn replace(ctx: &Context, body: &mut Body, op: OpId, group: i64) -> Option<()> {
    let scan = Scan::from(OpRef::new(ctx, body, op));
    let (input, combiner, axes, along) = (scan.input(), scan.combiner(), scan.axes(), scan.along() as usize);
    let (exclusive, reverse, elem) = (scan.exclusive(), scan.reverse(), scan.acc());
    let access = scan.accesses().into_iter().next()?;
    let is_short = elem.float_kind(ctx).is_some() && elem.bits(ctx).is_some_and(|bits| bits < 32);
    let rounds = matches!(combiner, Combiner::Sum | Combiner::Prod);
    let acc = if is_short && rounds { Type::F32 } else { elem };
    let group = SizeExpr::from(group);
    let groups = axes[along].ceildiv(&group).ok()?;

    // What is read at a position of a group, which is the last axis.
    let position = symbol(along).mul(&group).ok()?.add(&symbol(axes.len())).ok()?;
    let name = axis_names(axes.len()).swap_remove(along);
    let put = |expr: &SizeExpr| expr.substitute(&|other| (other == name).then(|| position.clone())).ok();
    let mut inside = access.map(&put)?;
    let bound = Condition { expr: position.clone(), lower: None, upper: Some(axes[along].clone()) };
    let from = Tensor::of(ctx, body.value_type(input))?.elem(ctx);
    let identity = neutral(ctx, combiner, from);
    // Outside of a guard of its own there may be another number, and beyond the end none.
    if inside.guard.is_some() && inside.fill.unwrap_or_else(|| neutral(ctx, Combiner::Sum, from)) != identity {
        return None;
    }
    let mut pieces = inside.guard.map_or_else(|| vec![Vec::new()], |guard| guard.pieces);
    pieces.iter_mut().for_each(|piece| piece.push(bound.clone()));
    (inside.guard, inside.fill) = (Some(Guard { pieces }), Some(identity));

    let (loc, old) = (body.loc(op), body.result(op, 0));
    let mut parts_axes = axes.clone();
    parts_axes[along] = groups;
    let at: Vec<SizeExpr> = (0..axes.len()).map(symbol).collect();
    let everywhere = || vec![Access::everywhere(at.clone())];
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let over = vec![group.clone()];
    let parts = NewReduce { input, combiner, axes: parts_axes.clone(), over, accesses: vec![inside], acc };
    let parts = parts.build(&mut builder, loc);
    let parts = builder.body.result(parts, 0);
    let along_attr = along as i64;
    let before = NewScan {
        input: parts,
        combiner,
        axes: parts_axes,
        along: along_attr,
        every: None,
        accesses: everywhere(),
        acc,
        exclusive: Some(()),
        reverse,
    };
    let before = before.build(&mut builder, loc);
    let before = builder.body.result(before, 0);
    let every = group.as_constant();
    let accesses = vec![access];
    let own =
        NewScan { input, combiner, axes: axes.clone(), along: along_attr, every, accesses, acc, exclusive, reverse };
    let own = own.build(&mut builder, loc);
    let own = builder.body.result(own, 0);
    let mut of_group = at.clone();
    of_group[along] = symbol(along).floordiv(&group).ok()?;
    let accesses = vec![Access::everywhere(at.clone()), Access::everywhere(of_group)];
    let both = NewEntry {
        inputs: &[own, before],
        function: function(combiner),
        axes: axes.clone(),
        accesses,
        elem: None,
        widen: None,
    };
    let both = both.build(&mut builder, loc);
    let mut result = builder.body.result(both, 0);
    if acc != elem {
        let cast = NewEntry {
            inputs: &[result],
            function: Function::Cast,
            axes,
            accesses: everywhere(),
            elem: Some(elem),
            widen: None,
        };
        let cast = cast.build(&mut builder, loc);
        result = builder.body.result(cast, 0);
    }
    let name = body.value_name(old);
    body.replace_all_uses(old, result);
    body.set_value_name(result, name);
    Some(())
}
