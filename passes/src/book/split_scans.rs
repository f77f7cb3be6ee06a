//! Scans in steps what has few rows and many elements: groups of positions first, each by itself, then what whole groups
//! combine to, and then both together. So every group has an SM.
//!
//! **Requires**: book.
//! **Ensures**: where fewer than 128 SMs would scan rows that take one of them long, the scan is of groups.
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
//! A linear recurrence has no reduction: each group is scanned from zero, and stored, for what it ends with; then once more with
//! what is before it as a part of its first element.
//! Of rows one SM has one, of columns 32.
//!
//! **Does not** read elements once, which takes blocks that wait for each other (`docs/decisions/0028`); split what symbols
//! make long at run time alone: sizes are those of the options. Sums of 16-bit floats are taken in `f32` on the way, and
//! rounded once.
//!
//! Sums of floats are added in another order, the same in every run. Linear. Rule of the debug counters: `split`.

use dlc_book::ops::{Function, NewEntry, NewReduce, NewScan, Scan};
use dlc_book::verify::axis_names;
use dlc_core::access::Access;
use dlc_core::guard::{Condition, Guard};
use dlc_core::scalar::{Combiner, ScanCombiner, identity_of};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, Loc, OpId, Type, ValueId};

use crate::analysis::sizes::{ASSUME, AssumedSizes, LONG_ROW, SYMBOLS};

/// The positions of a group along rows, and along columns, of which an SM has several.
const GROUP: i64 = 8192;
const GROUP_OF_COLUMNS: i64 = 1024;
/// The columns that an SM has.
const COLUMNS: i64 = 32;
/// So many SMs that each go along a row read and write about as fast as all do in two passes.
const ENOUGH: i64 = 128;

static DEF: PassDef = PassDef {
    requires: &["book"],
    options: &[ASSUME, SYMBOLS],
    statistics: &[StatDef { name: "split", doc: "Scans that are of groups." }],
    reads_symbols: true,
    ..PassDef::base("split-scans", "Splits scans with few rows and many elements into groups.", create)
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

/// A scan, with the groups that it is split into.
struct Split {
    inputs: Vec<ValueId>,
    accesses: Vec<Access>,
    combiner: ScanCombiner,
    axes: Vec<SizeExpr>,
    along: usize,
    exclusive: Option<()>,
    reverse: Option<()>,
    /// The type in which elements are combined.
    acc: Type,
    /// The positions of a group.
    group: SizeExpr,
    /// The axes of the result, with one for the groups in place of the one that is scanned.
    of_groups: Vec<SizeExpr>,
}

/// Lets all who read a scan read one of groups. `None` where positions go beyond 64 bits.
fn replace(ctx: &Context, body: &mut Body, op: OpId, group: i64) -> Option<()> {
    let scan = Scan::from(OpRef::new(ctx, body, op));
    let (axes, along, combiner, elem) = (scan.axes(), scan.along() as usize, scan.combiner(), scan.acc());
    let is_short = elem.float_kind(ctx).is_some() && elem.bits(ctx).is_some_and(|bits| bits < 32);
    let acc = if is_short && combiner.rounds() { Type::F32 } else { elem };
    let group = SizeExpr::from(group);
    let mut of_groups = axes.clone();
    of_groups[along] = axes[along].ceildiv(&group).ok()?;
    let split = Split {
        inputs: scan.inputs().collect(),
        accesses: scan.accesses(),
        combiner,
        axes,
        along,
        exclusive: scan.exclusive(),
        reverse: scan.reverse(),
        acc,
        group,
        of_groups,
    };
    let inside = split.inside(ctx, body)?;
    let (loc, old) = (body.loc(op), body.result(op, 0));
    let mut emit = Emit { builder: Builder::new(ctx, body, InsertPoint::Before(op)), loc };
    let mut result = match combiner.combiner() {
        Some(combiner) => split.combined(&mut emit, combiner, inside)?,
        None => split.recurrence(&mut emit, inside)?,
    };
    if acc != elem {
        let at = Access::everywhere(split.points());
        result = emit.entry(Function::Cast, &[result], &split.axes, vec![at], Some(elem));
    }
    let name = body.value_name(old);
    body.replace_all_uses(old, result);
    body.set_value_name(result, name);
    Some(())
}

impl Split {
    /// The positions of a result at a point of the axes.
    fn points(&self) -> Vec<SizeExpr> {
        (0..self.axes.len()).map(symbol).collect()
    }

    /// The same with another one along the axis.
    fn at(&self, position: SizeExpr) -> Vec<SizeExpr> {
        let mut at = self.points();
        at[self.along] = position;
        at
    }

    /// How the first operand is read at a position of a group, which is the last axis; beyond the end it is the identity.
    fn inside(&self, ctx: &Context, body: &Body) -> Option<Access> {
        let position = symbol(self.along).mul(&self.group).ok()?.add(&symbol(self.axes.len())).ok()?;
        let name = axis_names(self.axes.len()).swap_remove(self.along);
        let put = |expr: &SizeExpr| expr.substitute(&|other| (other == name).then(|| position.clone())).ok();
        let mut inside = self.accesses.first()?.map(&put)?;
        let bound = Condition { expr: position.clone(), lower: None, upper: Some(self.axes[self.along].clone()) };
        let from = Tensor::of(ctx, body.value_type(*self.inputs.first()?))?.elem(ctx);
        let identity = identity_of(ctx, *self.combiner.operands().first()?, from);
        // Outside of a guard of its own there may be another number, and beyond the end none.
        if inside.guard.is_some() && inside.fill.unwrap_or_else(|| identity_of(ctx, Combiner::Sum, from)) != identity {
            return None;
        }
        let mut pieces = inside.guard.map_or_else(|| vec![Vec::new()], |guard| guard.pieces);
        pieces.iter_mut().for_each(|piece| piece.push(bound.clone()));
        (inside.guard, inside.fill) = (Some(Guard { pieces }), Some(identity));
        Some(inside)
    }

    /// What the first operand combines to in each group.
    fn parts(&self, emit: &mut Emit<'_>, combiner: Combiner, inside: Access) -> ValueId {
        let (axes, over) = (self.of_groups.clone(), vec![self.group.clone()]);
        let new = NewReduce { input: self.inputs[0], combiner, axes, over, accesses: vec![inside], acc: self.acc };
        let op = new.build(&mut emit.builder, emit.loc);
        emit.builder.result(op)
    }

    /// What comes before each group, from the values of each.
    fn before(&self, emit: &mut Emit<'_>, parts: &[ValueId]) -> ValueId {
        let accesses = vec![Access::everywhere(self.points()); parts.len()];
        self.scan(emit, parts, accesses, (self.of_groups.clone(), None), Some(()))
    }

    fn scan(
        &self,
        emit: &mut Emit<'_>,
        inputs: &[ValueId],
        accesses: Vec<Access>,
        (axes, every): (Vec<SizeExpr>, Option<i64>),
        exclusive: Option<()>,
    ) -> ValueId {
        let &Split { combiner, acc, reverse, .. } = self;
        let along = self.along as i64;
        let new = NewScan { inputs, combiner, axes, along, every, accesses, acc, exclusive, reverse };
        let op = new.build(&mut emit.builder, emit.loc);
        emit.builder.result(op)
    }

    /// A scan of each group by itself.
    fn own(&self, emit: &mut Emit<'_>, inputs: &[ValueId], accesses: Vec<Access>, exclusive: Option<()>) -> ValueId {
        self.scan(emit, inputs, accesses, (self.axes.clone(), self.group.as_constant()), exclusive)
    }

    /// Each group by itself, combined with what comes before it.
    fn combined(&self, emit: &mut Emit<'_>, combiner: Combiner, inside: Access) -> Option<ValueId> {
        let parts = self.parts(emit, combiner, inside);
        let before = self.before(emit, &[parts]);
        let own = self.own(emit, &self.inputs, self.accesses.clone(), self.exclusive);
        let of_group = self.at(symbol(self.along).floordiv(&self.group).ok()?);
        let accesses = vec![Access::everywhere(self.points()), Access::everywhere(of_group)];
        Some(emit.entry(function(combiner), &[own, before], &self.axes, accesses, None))
    }

    /// A recurrence goes through each group twice: first from zero, for what it ends with. What comes before a group is then
    /// known, and becomes part of the first element.
    fn recurrence(&self, emit: &mut Emit<'_>, inside: Access) -> Option<ValueId> {
        let &[factors, input] = &self.inputs[..] else { return None };
        let (ctx, acc) = (emit.builder.ctx, self.acc);
        let (zero, one) = (SizeExpr::from(0), SizeExpr::from(1));
        let products = self.parts(emit, Combiner::Prod, inside);
        let own = self.own(emit, &self.inputs, self.accesses.clone(), None);
        // The group that the axis ends in is before no other one.
        let start = symbol(self.along).mul(&self.group).ok()?;
        let last = self.group.sub(&one).ok()?;
        let end = if self.reverse.is_some() { start } else { start.add(&last).ok()? };
        let bound = Condition { expr: end.clone(), lower: None, upper: Some(self.axes[self.along].clone()) };
        let guard = Guard { pieces: vec![vec![bound]] };
        let fill = Some(identity_of(ctx, Combiner::Sum, acc));
        let ends = Access { at: self.at(end), guard: Some(guard), fill };
        let ends = emit.entry(Function::Copy, &[own], &self.of_groups, vec![ends], None);
        let before = self.before(emit, &[products, ends]);
        // What is before a group counts at its first position, which with `reverse` is its last.
        let (group, first) = (&self.group, if self.reverse.is_some() { last } else { zero });
        let place = symbol(self.along).modulo(group).ok()?;
        let upper = Some(first.add(&one).ok()?);
        let guard = Guard { pieces: vec![vec![Condition { expr: place, lower: Some(first), upper }]] };
        let begins = |at| Access { at, guard: Some(guard.clone()), fill };
        let of_group = self.at(symbol(self.along).floordiv(group).ok()?);
        let [of_factors, of_input] = [0, 1].map(|index| self.accesses[index].clone());
        let points = || Access::everywhere(self.points());
        let accesses = vec![of_factors.clone(), Access::everywhere(of_group.clone())];
        let carried = emit.entry(Function::Mul, &[factors, before], &self.axes, accesses, None);
        let accesses = vec![of_input, begins(self.points())];
        let begun = emit.entry(Function::Add, &[input, carried], &self.axes, accesses, None);
        let mut result = self.own(emit, &[factors, begun], vec![of_factors, points()], self.exclusive);
        if self.exclusive.is_some() {
            // The first position has no element before it in its group.
            result = emit.entry(Function::Add, &[result, before], &self.axes, vec![points(), begins(of_group)], None);
        }
        Some(result)
    }
}

/// Where entries are put.
struct Emit<'b> {
    builder: Builder<'b>,
    loc: Loc,
}

impl Emit<'_> {
    fn entry(
        &mut self,
        function: Function,
        inputs: &[ValueId],
        axes: &[SizeExpr],
        accesses: Vec<Access>,
        elem: Option<Type>,
    ) -> ValueId {
        let op = NewEntry { inputs, function, axes: axes.to_vec(), accesses, elem, widen: None };
        let op = op.build(&mut self.builder, self.loc);
        self.builder.result(op)
    }
}
