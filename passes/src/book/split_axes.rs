//! Splits an axis of an element-by-element result whose quotient and remainder say which element of a reduction is read:
//! groups of channels, heads inside an axis. Each part is an axis of its own below, so a reduction is computed once for
//! its group, and a product has its rows, columns and batches as axes.
//!
//! **Requires**: book.
//! **Ensures**: no entry reads a value that is computed by reductions at the quotient of a whole axis by a divisor of its
//! size, except for the short parts named below. Results keep their sizes by a `reshape`.
//!
//! **Before**
//! ```mlir before
//! book.func @groups<N>(%x: tensor<[N, 32, 10], f32>, %g: tensor<[320], f32>) -> tensor<[N, 320], f32> {
//!   %s = reduce sum axes (i0: N, i1: 32) over (i2: 10) of %x at (i0, i1, i2) acc f32 : tensor<[N, 32], f32>
//!   %y = entry mul axes (i0: N, i1: 320) of %s at (i0, i1 floordiv 10), %g at (i1) : tensor<[N, 320], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @groups<N>(%x: tensor<[N, 32, 10], f32>, %g: tensor<[320], f32>) -> tensor<[N, 320], f32> {
//!   %s = reduce sum axes (i0: N, i1: 32) over (i2: 10) of %x at (i0, i1, i2) acc f32 : tensor<[N, 32], f32>
//!   %0 = entry mul axes (i0: N, i1: 32, i2: 10) of %s at (i0, i1), %g at (10*i1 + i2) : tensor<[N, 32, 10], f32>
//!   %y = reshape non_scop %0 : tensor<[N, 320], f32>
//!   return %y
//! }
//! ```
//!
//! Entries that read a split value at their own axes are split alike, so the `reshape` stands after the last of them. Those
//! that read phases next to a reduction of these, as norms do, read the whole: rows of both stay on chip in one kernel. Rows that
//! are read along one axis (`i1 floordiv 4, i1 mod 4`) are those of a `reshape`.
//! An axis may have several divisors, if each divides the next. A product that is summed keeps its axes: a factor that it reads
//! at quotients is copied into their order, in parts, so that whatever computes the factor stores it so.
//!
//! The axes of a sum of products of matrices are split where a factor is read at one remainder of the sum of two positions
//! alone, as for the zeros between the elements of a strided transposed convolution (`(i2 + i5) mod 2 == 0`): each remainder
//! of the result's axis is a *phase*, for which one remainder of the reduced axis is left. What is left out is zero times the
//! other factor, which is zero where that is finite: with the option `finite` that is so of all floats. Where the divisor does
//! not divide the size of the result's axis, that is up to an eighth longer, and its first positions are read.
//!
//! **Does not** split the axes that a reduction has or reduces but into phases. Unless a reduction would otherwise be computed again within
//! the parts, it does not split an axis that a later reduction keeps, as the heads of attention, whose rows stay on chip; nor
//! the last axis into parts of less than 32 bytes: a row of the result is stored in such parts.
//!
//! Changes no number, but for what is not finite with `finite`. Linear, up to 64 steps for each quotient. Rules of the debug
//! counters: `split`, `phase`, `rows`.

mod phases;
mod rows;

use std::collections::BTreeSet;

use dlc_book::ops::{Entry, Function, NewEntry, Reduce, Reshape};
use dlc_book::verify::axis_names;
use dlc_core::access::{Access, Accesses};
use dlc_core::space::Space;
use dlc_core::types::Tensor;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::define::Kind as _;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, Loc, OpId, Str, Type, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Parts of a row of results that are stored together have so many bytes at least: a sector of the cache.
const SECTOR: i64 = 32;

/// How many values are looked at to find a reduction that is the same within a part.
const MAX_VISITS: usize = 64;

static DEF: PassDef = PassDef {
    requires: &["book"],
    statistics: &[
        StatDef { name: "split", doc: "Values with axes that are split." },
        StatDef { name: "moved", doc: "Factors that are brought into the order of their product." },
        StatDef { name: "phases", doc: "Sums that are split into phases." },
    ],
    options: &[OptionDef {
        name: "finite",
        kind: OptionKind::Bool,
        default: "false",
        doc: "Floats are finite: what is multiplied by a zero is zero.",
    }],
    ..PassDef::base("split-axes", "Splits axes whose quotients say which element of a reduction is read.", |options| {
        Ok(Box::new(SplitAxes { finite: options.flag("finite") }))
    })
};
dlc_ir::inventory::submit! { &DEF }

struct SplitAxes {
    finite: bool,
}

impl Pass for SplitAxes {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut split = Splits { finite: self.finite, ..Splits::default() };
        for op in body.walk() {
            split.visit(body, op, cx);
        }
        cx.count("split", split.of.len() as u64);
        cx.count("phases", split.phases);
        cx.count("moved", split.moved);
        split.finish(cx.ctx, body);
        Ok(())
    }
}

/// The divisors of each axis of a value, rising; none for an axis that stays.
type Divisors = Vec<Vec<i64>>;

/// What was split so far.
#[derive(Default)]
struct Splits {
    /// The values that are computed by reductions.
    reductions: FxHashSet<ValueId>,
    /// For each value that is split the new one, and the divisors of its axes.
    of: FxHashMap<ValueId, (ValueId, Divisors)>,
    /// The ops that are split, in order.
    order: Vec<OpId>,
    /// How many factors of products were brought into the order of these.
    moved: u64,
    /// How many sums were split into phases.
    phases: u64,
    /// Whether floats are finite.
    finite: bool,
    /// What is computed from sums that were split into phases, and what is computed from reductions of that: its rows are
    /// read whole.
    of_phases: FxHashSet<ValueId>,
    after_rows: FxHashSet<ValueId>,
    /// Values with phases whose rows are read along one axis, seen so.
    rows: FxHashMap<(ValueId, Type), ValueId>,
    /// The sizes of what has phases that do not divide it: longer ones, of which the first positions are read.
    longer: FxHashMap<ValueId, Vec<SizeExpr>>,
}

impl Splits {
    fn visit(&mut self, body: &mut Body, op: OpId, cx: &PassCx<'_>) {
        let view = OpRef::new(cx.ctx, body, op);
        let reads = |values: &FxHashSet<ValueId>| view.operands().any(|operand| values.contains(&operand));
        let is_of_phases = reads(&self.of_phases);
        if reads(&self.after_rows) || is_of_phases && Reduce::of(view).is_some() {
            self.after_rows.extend(view.results());
            self.join_rows(body, op, cx);
        } else if is_of_phases {
            self.of_phases.extend(view.results());
        }
        let view = OpRef::new(cx.ctx, body, op);
        if Reduce::of(view).is_some() {
            self.reductions.insert(view.result(0));
            return self.visit_sum(body, op, cx);
        }
        let Some(entry) = Entry::of(view) else { return };
        let result = view.result(0);
        if view.operands().any(|operand| self.reductions.contains(&operand)) {
            self.reductions.insert(result);
        }
        if entry.widen().is_some() {
            return self.visit_product(body, op, cx);
        }
        let Some(divisors) = self.divisors(entry) else { return };
        let Some(parts) = Parts::of(&entry.axes(), &divisors) else { return };
        let Some((inputs, accesses)) = self.reads(entry, &divisors, &parts) else { return };
        if !cx.allows_rule("split") {
            return;
        }
        let message = "parts of an axis are axes of their own: its quotients say which reduction is read";
        cx.remark(RemarkKind::Passed, view.loc(), message);
        let (function, elem, widen) = (entry.function(), entry.elem(), entry.widen());
        let (loc, attrs, name) = (view.loc(), body.attrs(op), body.value_name(result));
        let axes = parts.sizes.clone();
        let mut builder = Builder::new(cx.ctx, body, InsertPoint::Before(op));
        let new = NewEntry { inputs: &inputs, function, axes, accesses, elem, widen }.build(&mut builder, loc);
        body.set_attrs(new, attrs);
        let value = body.result(new, 0);
        body.set_value_name(value, name);
        self.reductions.insert(value);
        self.of.insert(result, (value, divisors));
        self.order.push(op);
    }

    /// A product that is not rounded has the axes of its sum: what it reads at quotients is brought into the order of its
    /// axes, in parts, and read as a whole.
    fn visit_product(&mut self, body: &mut Body, op: OpId, cx: &PassCx<'_>) {
        let ctx = cx.ctx;
        let entry = Entry::from(OpRef::new(ctx, body, op));
        let (operands, mut accesses) = (entry.operands().collect::<Vec<_>>(), entry.accesses());
        let (sizes, loc) = (entry.axes(), body.loc(op));
        let names = axis_names(sizes.len());
        for (index, operand) in operands.into_iter().enumerate() {
            let access = &accesses[index];
            let named = access.at.iter().flat_map(SizeExpr::symbols).collect::<BTreeSet<_>>();
            let axes: Vec<usize> = (0..sizes.len()).filter(|&axis| named.contains(&*names[axis])).collect();
            let own = |name: &str| axes.iter().position(|&axis| names[axis] == name);
            let number = |name: &str| own(name).and_then(|at| SizeExpr::symbol(&names[at]).ok());
            let Some(moved) = access.map(&|expr| expr.substitute(&number).ok()) else { continue };
            let axis =
                |at: &SizeExpr| at.as_symbol().and_then(|name| names[..axes.len()].iter().position(|own| own == name));
            let mut divisors = vec![BTreeSet::new(); axes.len()];
            for (_, factors) in moved.at.iter().flat_map(SizeExpr::terms) {
                for (axis, divisor) in factors.iter().filter_map(|factor| quotient(factor, &axis)) {
                    divisors[axis].insert(divisor);
                }
            }
            let divisors: Divisors = divisors.into_iter().map(|divisors| divisors.into_iter().collect()).collect();
            let elem = Tensor::of(ctx, body.value_type(operand)).map(|ty| ty.elem(ctx));
            let (true, None, Some(elem)) = (self.reductions.contains(&operand), &moved.guard, elem) else { continue };
            let is_long =
                divisors.last().and_then(|last| last.first()).is_none_or(|&part| bytes(ctx, elem, part) >= SECTOR);
            let whole: Vec<SizeExpr> = axes.iter().map(|&axis| sizes[axis].clone()).collect();
            let Some(mut parts) =
                Parts::of(&whole, &divisors).filter(|_| is_long && !divisors.iter().all(Vec::is_empty))
            else {
                continue;
            };
            let Some(at) = parts.access(&moved).filter(|_| cx.allows_rule("split")) else { continue };
            let message = "a factor is brought into the order of its product: it is read at quotients of its axes";
            cx.remark(RemarkKind::Passed, loc, message);
            let at_axes =
                axes.iter().map(|&axis| SizeExpr::symbol(&names[axis]).expect("an axis has a name")).collect();
            accesses[index] = Access::everywhere(at_axes);
            let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
            let (inputs, accesses) = ([operand], vec![at]);
            let function = Function::Copy;
            let copy = NewEntry { inputs: &inputs, function, axes: parts.sizes, accesses, elem: None, widen: None };
            let copy = copy.build(&mut builder, loc);
            let copy = builder.body.result(copy, 0);
            let whole = Reshape::build(&mut builder, loc, copy, Tensor::get(ctx, whole, elem));
            let whole = body.result(whole, 0);
            body.set_operand(op, index, whole);
            self.moved += 1;
        }
        body.set_prop(ctx, op, ctx.intern_str("accesses"), Some(Accesses::make(ctx, accesses)));
    }

    /// The divisors by which the axes of an entry are split, if any is.
    fn divisors(&self, entry: Entry<'_>) -> Option<Divisors> {
        let axes = entry.axes();
        let names = axis_names(axes.len());
        let axis = |at: &SizeExpr| at.as_symbol().and_then(|name| names.iter().position(|own| own == name));
        let mut found: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); axes.len()];
        let mut quotients = Vec::new();
        let is_after = entry.operands().any(|operand| self.after_rows.contains(&operand));
        for (operand, access) in entry.operands().zip(entry.accesses()) {
            let goes_on = !is_after || !self.of_phases.contains(&operand);
            if let Some((_, divisors)) = self.of.get(&operand).filter(|_| goes_on) {
                // The same elements at the same places: what follows goes on with the parts.
                if access.at.len() == axes.len()
                    && access.at.iter().enumerate().all(|(at, expr)| axis(expr) == Some(at))
                {
                    found.iter_mut().zip(divisors).for_each(|(found, divisors)| found.extend(divisors));
                }
            } else if self.reductions.contains(&operand) {
                let here = access.at.iter().flat_map(|at| at.terms()).flat_map(|(_, factors)| factors);
                let here: Vec<(usize, i64)> = here.filter_map(|factor| quotient(&factor, &axis)).collect();
                let read = (operand, access);
                quotients.extend(here.into_iter().map(|(axis, divisor)| (axis, divisor, read.clone())));
            }
        }
        let elem = Tensor::of(entry.ctx, entry.type_of(entry.out()))?.elem(entry.ctx);
        let fits = |(axis, divisor, read): &(usize, i64, (ValueId, Access))| {
            let is_long = axis + 1 < axes.len() || bytes(entry.ctx, elem, *divisor) >= SECTOR;
            is_long && !is_kept(*entry, entry.out(), *axis) || self.is_recomputed(entry, *axis, *divisor, read)
        };
        if quotients.iter().all(fits) {
            for (axis, divisor, _) in quotients {
                found[axis].insert(divisor);
            }
        }
        let divisors: Divisors = found.into_iter().map(|divisors| divisors.into_iter().collect()).collect();
        divisors.iter().any(|divisors| !divisors.is_empty()).then_some(divisors)
    }

    /// Whether a reduction that a read leads to is the same for all remainders of an axis by a divisor.
    fn is_recomputed(&self, entry: Entry<'_>, axis: usize, divisor: i64, read: &(ValueId, Access)) -> bool {
        let mut divisors = vec![Vec::new(); entry.axes().len()];
        divisors[axis] = vec![divisor];
        let Some(mut parts) = Parts::of(&entry.axes(), &divisors) else { return false };
        let inner = axis_names(parts.sizes.len()).swap_remove(axis + 1);
        let Some(first) = parts.access(&read.1) else { return false };
        let mut work = vec![(read.0, first.at)];
        for _ in 0..MAX_VISITS {
            let Some((value, at)) = work.pop() else { return false };
            let Some(op) = entry.body.defining_op(value).map(|id| OpRef::new(entry.ctx, entry.body, id)) else {
                continue;
            };
            if Reduce::of(op).is_some() {
                if !at.iter().any(|at| at.symbols().iter().any(|name| **name == *inner)) {
                    return true;
                }
                continue;
            }
            let Some(own) = Entry::of(op) else { continue };
            let names = axis_names(own.axes().len());
            let place = |name: &str| names.iter().position(|own| own == name).map(|axis| at[axis].clone());
            for (operand, access) in own.operands().zip(own.accesses()).filter(|(it, _)| self.reductions.contains(it)) {
                let at: Option<_> = access.at.iter().map(|at| parts.simplified(&at.substitute(&place).ok()?)).collect();
                work.extend(at.map(|at| (operand, at)));
            }
        }
        false
    }

    /// What an entry with split axes reads, and how: split operands where they are read at parts, others as they are.
    fn reads(&self, entry: Entry<'_>, divisors: &Divisors, parts: &Parts) -> Option<(Vec<ValueId>, Vec<Access>)> {
        let mut parts = parts.clone();
        let (mut inputs, mut accesses) = (Vec::new(), Vec::new());
        for (operand, access) in entry.operands().zip(entry.accesses()) {
            let split =
                self.of.get(&operand).and_then(|(value, of)| Some((*value, parts.split(&access, of, divisors)?)));
            let (value, access) = match split {
                Some(split) => split,
                None => (operand, parts.access(&access)?),
            };
            inputs.push(value);
            accesses.push(access);
        }
        Some((inputs, accesses))
    }

    /// Gives those who still read a value that was split the whole of it, and erases what nothing reads.
    fn finish(self, ctx: &Context, body: &mut Body) {
        for op in self.order.into_iter().rev() {
            let old = body.result(op, 0);
            // The product of a sum that was split has no part of its own.
            if let Some(&(new, _)) = self.of.get(&old).filter(|_| body.has_uses(old)) {
                let (mut ty, loc, name) = (body.value_type(old), body.loc(op), body.value_name(old));
                let tensor = Tensor::expect(ctx, ty);
                if let Some(sizes) = self.longer.get(&old) {
                    ty = Tensor::get(ctx, sizes.clone(), tensor.elem(ctx));
                }
                let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
                let whole = Reshape::build(&mut builder, loc, new, ty);
                let whole = builder.body.result(whole, 0);
                if self.longer.contains_key(&old) {
                    first_positions(&mut builder, loc, (old, whole), &tensor.dims(ctx));
                }
                body.set_value_name(whole, name);
                body.set_value_name(new, Str::EMPTY);
                body.replace_all_uses(old, whole);
            }
            body.erase_op(op);
        }
    }
}

/// Gives those who read a value as a whole, and not at positions, the first positions of a longer one.
fn first_positions(builder: &mut Builder<'_>, loc: Loc, (old, longer): (ValueId, ValueId), sizes: &[SizeExpr]) {
    let (ctx, body) = (builder.ctx, &*builder.body);
    let reads_positions = |op: OpId| {
        let op = OpRef::new(ctx, body, op);
        Entry::of(op).is_some() || Reduce::of(op).is_some()
    };
    let others: Vec<_> = body.uses(old).filter(|used| !reads_positions(used.op)).collect();
    if others.is_empty() {
        return;
    }
    let names = axis_names(sizes.len());
    let at = names.iter().map(|name| SizeExpr::symbol(name).expect("an axis has a name")).collect();
    let (inputs, accesses, axes) = ([longer], vec![Access::everywhere(at)], sizes.to_vec());
    let copy = NewEntry { inputs: &inputs, function: Function::Copy, axes, accesses, elem: None, widen: None };
    let copy = copy.build(builder, loc);
    let copy = builder.body.result(copy, 0);
    for used in others {
        builder.body.set_operand(used.op, used.index, copy);
    }
}

/// Whether a reduction goes on with an axis of a value, itself or after element-by-element work: it would be stored whole
/// for that, where it may be reduced on chip. So would one that is reduced along the axis, and has more elements than all that it
/// is computed from: what a scatter adds at each position.
fn is_kept(op: OpRef<'_>, value: ValueId, axis: usize) -> bool {
    let (ctx, body) = (op.ctx, op.body);
    let elements = |value: ValueId| -> Option<i64> {
        let dims = Tensor::of(ctx, body.value_type(value))?.dims(ctx);
        dims.iter().try_fold(1i64, |all, dim| all.checked_mul(dim.as_constant()?))
    };
    let read = op.operands().map(elements).try_fold(0, |most: i64, own| Some(most.max(own?)));
    let is_outer = elements(value).zip(read).is_some_and(|(own, read)| own > read);
    let mut work = vec![(value, axis)];
    for _ in 0..MAX_VISITS {
        let Some((value, axis)) = work.pop() else { return false };
        for reader in body.uses(value).map(|used| OpRef::new(ctx, body, used.op)) {
            let accesses = match (Entry::of(reader), Reduce::of(reader)) {
                (Some(entry), _) => entry.accesses(),
                (_, Some(reduce)) => reduce.accesses(),
                _ => continue,
            };
            let reads = reader.operands().zip(accesses).filter(|(operand, _)| *operand == value);
            let own = |(_, access): (ValueId, Access)| axis_of(access.at.get(axis)?.as_symbol()?);
            for own in reads.filter_map(own) {
                match Reduce::of(reader) {
                    Some(reduce) if own < reduce.axes().len() || is_outer => return true,
                    Some(_) => {}
                    None => work.push((reader.result(0), own)),
                }
            }
        }
    }
    true
}

/// The axis of a name: `i0`, `i1`, ...
fn axis_of(name: &str) -> Option<usize> {
    name.strip_prefix('i')?.parse().ok()
}

/// The bytes of so many elements of a type.
fn bytes(ctx: &Context, elem: Type, count: i64) -> i64 {
    count.saturating_mul(i64::from(elem.bits(ctx).unwrap_or(8).div_ceil(8)))
}

/// The axis and the divisor of a quotient of a whole axis.
fn quotient(factor: &Factor, axis: &dyn Fn(&SizeExpr) -> Option<usize>) -> Option<(usize, i64)> {
    match factor {
        Factor::Quotient(of, by) => Some((axis(of)?, by.as_constant().filter(|&by| by > 1)?)),
        Factor::Symbol(_) => None,
    }
}

/// The axes of an entry and their parts.
#[derive(Clone)]
struct Parts {
    /// The sizes of the parts of all axes.
    sizes: Vec<SizeExpr>,
    /// Each axis in terms of its parts.
    axes: Vec<SizeExpr>,
    /// The first part of each axis.
    first: Vec<usize>,
    /// The names of the parts.
    names: Vec<String>,
    space: Space,
}

impl Parts {
    /// The parts of axes of some sizes. `None` unless each divisor divides the next, and the last of them the size.
    fn of(sizes: &[SizeExpr], divisors: &Divisors) -> Option<Parts> {
        let (mut all, mut first) = (Vec::new(), Vec::new());
        for (size, divisors) in sizes.iter().zip(divisors) {
            first.push(all.len());
            let mut rest = size.clone();
            for &divisor in divisors.iter().rev() {
                all.push(rest.try_div(&divisor.into())?);
                rest = divisor.into();
            }
            all.push(rest);
        }
        let names = axis_names(all.len());
        let mut axes = Vec::new();
        for (&first, divisors) in first.iter().zip(divisors) {
            let part = |at: usize| SizeExpr::symbol(&names[first + at]);
            let mut axis = part(divisors.len()).ok()?;
            for (at, &divisor) in divisors.iter().rev().enumerate() {
                axis = part(at).and_then(|part| part.mul(&divisor.into())).and_then(|part| part.add(&axis)).ok()?;
            }
            axes.push(axis);
        }
        let space = Space::of(&all)?;
        Some(Parts { sizes: all, axes, first, names, space })
    }

    /// An expression of the parts within their sizes.
    fn simplified(&mut self, expr: &SizeExpr) -> Option<SizeExpr> {
        let dim = |name: &str| self.names.iter().position(|own| own == name).map(|at| at as u32);
        let affine = self.space.read(expr, &dim)?;
        let affine = self.space.simplify(&affine);
        self.space.to_size(&affine, &|dim| SizeExpr::symbol(&self.names[dim as usize]).ok())
    }

    /// An access in terms of the axes, in terms of the parts.
    fn access(&mut self, access: &Access) -> Option<Access> {
        let names = axis_names(self.axes.len());
        let whole = |name: &str| names.iter().position(|own| own == name).map(|axis| self.axes[axis].clone());
        let access = access.map(&|expr| expr.substitute(&whole).ok())?;
        let parts = std::cell::RefCell::new(self);
        access.map(&|expr| parts.borrow_mut().simplified(expr))
    }

    /// How the split form of a value is read at the parts, if each of its split axes is read at an axis that is split
    /// alike.
    fn split(&mut self, access: &Access, of: &Divisors, divisors: &Divisors) -> Option<Access> {
        let names = axis_names(self.axes.len());
        let mut at = Vec::new();
        let whole = self.access(access)?;
        for ((before, after), of) in access.at.iter().zip(whole.at).zip(of) {
            if of.is_empty() {
                at.push(after);
                continue;
            }
            let axis = before.as_symbol().and_then(|name| names.iter().position(|own| own == name))?;
            if divisors[axis] != *of {
                return None;
            }
            let parts = self.first[axis]..=self.first[axis] + of.len();
            at.extend(parts.map(|part| SizeExpr::symbol(&self.names[part]).expect("an axis has a name")));
        }
        Some(Access { at, ..whole })
    }
}
