//! Reads tables that are computed element by element at what they are computed from: a table of numbers that are scaled or
//! converted is no memory of its own, and a gather of what was gathered is one gather.
//!
//! **Requires**: book.
//! **Ensures**: book. No gather reads a table that is a few functions of memory, that nothing but gathers reads, and that takes
//! longer to store than to compute where it is read.
//!
//! **Before**
//! ```mlir before
//! book.func @f<N>(%x: tensor<[1024, 16], f16>, %i: tensor<[N], i32>) -> tensor<[N, 16], f32> {
//!   %c = entry cast axes (i0: 1024, i1: 16) of %x at (i0, i1) to f32 : tensor<[1024, 16], f32>
//!   %y = gather non_scop axes (i0: N, i1: 16) of %c at [%i (i0), i1] : tensor<[N, 16], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @f<N>(%x: tensor<[1024, 16], f16>, %i: tensor<[N], i32>) -> tensor<[N, 16], f32> {
//!   %c = entry cast axes (i0: 1024, i1: 16) of %x at (i0, i1) to f32 : tensor<[1024, 16], f32>
//!   %0 = gather non_scop axes (i0: N, i1: 16) of %x at [%i (i0), i1] : tensor<[N, 16], f16>
//!   %y = entry cast axes (i0: N, i1: 16) of %0 at (i0, i1) to f32 : tensor<[N, 16], f32>
//!   return %y
//! }
//! ```
//!
//! **Does not** remove the table (`dce`); touch tables that are read within guards, products that are not rounded, positions of a
//! table that an element of an index is only a part of, and tables that are read at many more points than they have elements.
//!
//! Outside of the table a gather is zero, which a function of zeros need not be: where it is not known to be, each position is
//! compared with the size. Results have the same bits. Linear in gathers times the ops of their tables, which are few. Rule of the
//! debug counters: `hoist`.

use dlc_book::ops::{Const, Entry, Function, Gather, Iota, NewEntry, NewGather};
use dlc_book::syntax::element_of;
use dlc_book::verify::axis_names;
use dlc_core::CONTIGUOUS;
use dlc_core::access::Access;
use dlc_core::scalar::{Combiner, identity_of};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, Loc, OpId, Type, ValueId};
use rustc_hash::FxHashMap;

use crate::analysis::sizes::{ASSUME, AssumedSizes, SYMBOLS};

/// The most functions and gathers that a gather becomes.
const MOST_STEPS: usize = 32;
/// How many reads and functions of an element take less than writing and reading it, in any kernel.
const OPS_OF_STORING: i64 = 4;

static DEF: PassDef = PassDef {
    requires: &["book"],
    options: &[ASSUME, SYMBOLS],
    statistics: &[StatDef { name: "hoisted", doc: "Gathers that read what their table is computed from." }],
    reads_symbols: true,
    ..PassDef::base("hoist-gathers", "Moves gathers to the operands of the tables that they read.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(HoistGathers { sizes: AssumedSizes::of(options)? }))
}

struct HoistGathers {
    sizes: AssumedSizes,
}

impl Pass for HoistGathers {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut hoisted = 0;
        for op in body.walk() {
            let Some(gather) = Gather::of(OpRef::new(cx.ctx, body, op)) else { continue };
            let Some(plan) = Plan::of(gather).filter(|plan| self.is_worth(gather, plan)) else { continue };
            if !cx.allows_rule("hoist") {
                continue;
            }
            let message = "the table is computed where it is read, which is less work than to store it";
            cx.remark(RemarkKind::Passed, body.loc(op), message.to_string());
            plan.build(cx.ctx, body, op);
            hoisted += 1;
        }
        cx.count("hoisted", hoisted);
        Ok(())
    }
}

impl HoistGathers {
    /// Whether the table of a gather is computed for gathers alone, by so few functions that this takes no longer at all their
    /// points than to store it.
    fn is_worth(&self, gather: Gather<'_>, plan: &Plan) -> bool {
        let (ctx, body, table) = (gather.ctx, gather.body, gather.table());
        let contiguous = ctx.intern_str(CONTIGUOUS);
        let entry = body.defining_op(table).and_then(|op| Entry::of(OpRef::new(ctx, body, op)));
        let Some(entry) = entry else { return false };
        let mut points: i64 = 0;
        for user in body.uses(table) {
            let Some(other) = Gather::of(OpRef::new(ctx, body, user.op)).filter(|_| user.index == 0) else {
                return false;
            };
            points = points.saturating_add(self.sizes.elements(&other.axes()));
        }
        let stored = self.sizes.elements(&entry.axes()).saturating_mul(OPS_OF_STORING);
        let ops = i64::try_from(plan.functions()).unwrap_or(i64::MAX);
        entry.attr(contiguous).is_none() && points.saturating_mul(ops.saturating_add(1)) <= stored
    }
}

/// A value to be read at positions of the gather's axes, and how.
#[derive(Clone)]
enum Source {
    /// A value that is there, read by axes alone.
    There(ValueId, Access),
    /// A step before, at the same point.
    Step(usize),
}

/// A value that is made at each point of the gather.
enum Step {
    Gather { table: ValueId, indices: Vec<(ValueId, Access)>, at: Vec<SizeExpr> },
    Entry { function: Function, elem: Option<Type>, inputs: Vec<Source> },
}

/// What is made in place of a gather.
struct Plan {
    steps: Vec<Step>,
    /// The axes of the gather.
    axes: Vec<SizeExpr>,
    /// The indices, each with the size of the axis of the table that it goes along; none where zeros become zero.
    checked: Vec<(ValueId, Access, SizeExpr)>,
    indices: Vec<(ValueId, Access)>,
    made: FxHashMap<(ValueId, Vec<SizeExpr>), usize>,
    /// Whether all functions give zero for zeros, at the same positions of the same sizes.
    keeps_zeros: bool,
    /// The sizes of the axes of the table.
    sizes: Vec<SizeExpr>,
}

impl Plan {
    /// `None` where the table cannot be read at what it is computed from.
    fn of(gather: Gather<'_>) -> Option<Plan> {
        let (ctx, body) = (gather.ctx, gather.body);
        let indices: Vec<(ValueId, Access)> = gather.indices().zip(gather.accesses()).collect();
        let sizes = Tensor::of(ctx, body.value_type(gather.table()))?.dims(ctx);
        let at = gather.at();
        let mut checked = Vec::new();
        for (position, size) in at.iter().zip(&sizes) {
            if let Some((value, access)) = element_of(position).and_then(|index| indices.get(index)) {
                checked.push((*value, access.clone(), size.clone()));
            }
        }
        let (steps, made, axes) = (Vec::new(), FxHashMap::default(), gather.axes());
        let mut plan = Plan { steps, axes, checked, indices, made, keeps_zeros: true, sizes };
        plan.value(ctx, body, gather.table(), &at)?;
        if plan.keeps_zeros {
            plan.checked.clear();
        }
        Some(plan)
    }

    /// How many functions are computed at each point, but for conversions.
    fn functions(&self) -> usize {
        let is_function = |step: &&Step| match step {
            Step::Entry { function, .. } => !matches!(function, Function::Cast | Function::Copy | Function::Bitcast),
            Step::Gather { .. } => false,
        };
        self.steps.iter().filter(is_function).count()
    }

    /// Makes a value at positions, of which some are elements of indices. The step that it is.
    fn value(&mut self, ctx: &Context, body: &Body, value: ValueId, at: &[SizeExpr]) -> Option<usize> {
        let key = (value, at.to_vec());
        if let Some(&known) = self.made.get(&key) {
            return Some(known);
        }
        let op = body.defining_op(value).map(|op| OpRef::new(ctx, body, op));
        let step = if let Some(entry) = op.and_then(Entry::of) {
            self.entry(ctx, body, entry, at)?
        } else if let Some(gather) = op.and_then(Gather::of) {
            self.keeps_zeros = false;
            self.composed(gather, at)?
        } else if op.and_then(Iota::of).is_some() || op.and_then(Const::of).is_some() {
            return None;
        } else {
            let (at, indices) = self.numbered(at, &self.indices)?;
            let has_sizes = Tensor::of(ctx, body.value_type(value))?.dims(ctx) == self.sizes;
            self.keeps_zeros &= has_sizes && indices.len() == self.indices.len();
            Step::Gather { table: value, indices, at }
        };
        if self.steps.len() >= MOST_STEPS {
            return None;
        }
        self.steps.push(step);
        self.made.insert(key, self.steps.len() - 1);
        Some(self.steps.len() - 1)
    }

    /// A function at positions.
    fn entry(&mut self, ctx: &Context, body: &Body, entry: Entry<'_>, at: &[SizeExpr]) -> Option<Step> {
        let keeps = matches!(entry.function(), Function::Cast | Function::Copy | Function::Neg | Function::Relu);
        self.keeps_zeros &= keeps;
        if entry.widen().is_some() {
            return None;
        }
        let mut inputs = Vec::new();
        for (input, access) in entry.inputs().zip(entry.accesses()) {
            if access.guard.is_some() {
                return None;
            }
            let placed = placed(&access.at, at)?;
            inputs.push(match placed.iter().any(names_element) {
                true => Source::Step(self.value(ctx, body, input, &placed)?),
                false => {
                    self.keeps_zeros = false;
                    Source::There(input, Access::everywhere(placed))
                }
            });
        }
        Some(Step::Entry { function: entry.function(), elem: entry.elem(), inputs })
    }

    /// A gather at positions.
    fn composed(&self, gather: Gather<'_>, at: &[SizeExpr]) -> Option<Step> {
        let mut all = self.indices.clone();
        let outer = all.len();
        for (index, access) in gather.indices().zip(gather.accesses()) {
            let placed = placed(&access.at, at)?;
            // An index that is gathered itself is one too many.
            if access.guard.is_some() || placed.iter().any(names_element) {
                return None;
            }
            all.push((index, Access::everywhere(placed)));
        }
        let mut positions = Vec::new();
        for position in gather.at() {
            positions.push(match element_of(&position) {
                Some(index) => element(outer + index)?,
                None => placed(&[position], at)?.pop()?,
            });
        }
        let (at, indices) = self.numbered(&positions, &all)?;
        Some(Step::Gather { table: gather.table(), indices, at })
    }

    /// Positions with the indices that they name alone, each of which is a position. `None` where an element is a part of one, or
    /// two of them.
    fn numbered(
        &self,
        at: &[SizeExpr],
        indices: &[(ValueId, Access)],
    ) -> Option<(Vec<SizeExpr>, Vec<(ValueId, Access)>)> {
        let (mut positions, mut used) = (Vec::new(), Vec::new());
        for position in at {
            match element_of(position) {
                Some(index) => {
                    positions.push(element(used.len())?);
                    used.push(indices.get(index)?.clone());
                }
                None if names_element(position) => return None,
                None => positions.push(position.clone()),
            }
        }
        (!used.is_empty()).then_some((positions, used))
    }

    /// Puts what was found in place of the gather.
    fn build(self, ctx: &Context, body: &mut Body, op: OpId) {
        let (loc, old) = (body.loc(op), body.result(op, 0));
        let name = body.value_name(old);
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        let here: Vec<SizeExpr> =
            axis_names(self.axes.len()).iter().filter_map(|name| SizeExpr::symbol(name).ok()).collect();
        let mut values: Vec<ValueId> = Vec::new();
        for step in self.steps {
            let op = match step {
                Step::Gather { table, indices, at } => {
                    let (indices, accesses): (Vec<ValueId>, Vec<Access>) = indices.into_iter().unzip();
                    NewGather { table, indices: &indices, axes: self.axes.clone(), at, accesses }
                        .build(&mut builder, loc)
                }
                Step::Entry { function, elem, inputs } => {
                    let read = |source: Source| match source {
                        Source::There(value, access) => (value, access),
                        Source::Step(step) => (values[step], Access::everywhere(here.clone())),
                    };
                    let (inputs, accesses): (Vec<ValueId>, Vec<Access>) = inputs.into_iter().map(read).unzip();
                    NewEntry { inputs: &inputs, function, axes: self.axes.clone(), accesses, elem, widen: None }
                        .build(&mut builder, loc)
                }
            };
            values.push(builder.body.result(op, 0));
        }
        let Some(mut value) = values.pop() else { return };
        for (index, access, size) in self.checked {
            value = within(ctx, &mut builder, loc, (value, &self.axes, &here), (index, access, size));
        }
        body.set_value_name(value, name);
        body.replace_all_uses(old, value);
        body.erase_op(op);
    }
}

/// A value where an index is a position of an axis of some size, and zero elsewhere.
fn within(
    ctx: &Context,
    builder: &mut Builder<'_>,
    loc: Loc,
    (value, axes, here): (ValueId, &[SizeExpr], &[SizeExpr]),
    (index, access, size): (ValueId, Access, SizeExpr),
) -> ValueId {
    let (elem, dims) = {
        let tensor = |value: ValueId| Tensor::of(ctx, builder.body.value_type(value)).expect("values are tensors");
        (tensor(value).elem(ctx), tensor(index).dims(ctx))
    };
    let own: Vec<SizeExpr> = axis_names(dims.len()).iter().filter_map(|name| SizeExpr::symbol(name).ok()).collect();
    let number = || Access::everywhere(Vec::new());
    let entry = |builder: &mut Builder<'_>, function, sizes: &[SizeExpr], inputs: &[(ValueId, Access)], elem| {
        let (values, accesses): (Vec<ValueId>, Vec<Access>) = inputs.iter().cloned().unzip();
        let op = NewEntry { inputs: &values, function, axes: sizes.to_vec(), accesses, elem, widen: None }
            .build(builder, loc);
        builder.body.result(op, 0)
    };
    let of_index = Access::everywhere(own);
    let wide = Type::I64;
    let position = entry(builder, Function::Cast, &dims, &[(index, of_index.clone())], Some(wide));
    let iota = |builder: &mut Builder<'_>, expr: SizeExpr| {
        let op = Iota::build(builder, loc, vec![expr], Vec::new(), Tensor::get(ctx, Vec::new(), wide));
        builder.body.result(op, 0)
    };
    let (first, end) = (iota(builder, 0.into()), iota(builder, size));
    let below = entry(builder, Function::Lt, &dims, &[(position, of_index.clone()), (first, number())], None);
    let inside = entry(builder, Function::Lt, &dims, &[(position, of_index), (end, number())], None);
    let zero = Const::build(builder, loc, identity_of(ctx, Combiner::Sum, elem), Tensor::get(ctx, Vec::new(), elem));
    let zero = builder.body.result(zero, 0);
    let at_point = Access::everywhere(here.to_vec());
    let value = entry(
        builder,
        Function::Where,
        axes,
        &[(inside, access.clone()), (value, at_point.clone()), (zero, number())],
        None,
    );
    entry(builder, Function::Where, axes, &[(below, access), (zero, number()), (value, at_point)], None)
}

/// The element of an index as a position.
fn element(index: usize) -> Option<SizeExpr> {
    SizeExpr::symbol(&format!("_{index}")).ok()
}

/// Whether an expression names an element of an index.
fn names_element(expr: &SizeExpr) -> bool {
    expr.symbols().iter().any(|name| SizeExpr::symbol(name).is_ok_and(|symbol| element_of(&symbol).is_some()))
}

/// Positions of a value, whose axes are at some positions, in terms of these.
fn placed(exprs: &[SizeExpr], at: &[SizeExpr]) -> Option<Vec<SizeExpr>> {
    let axis = |name: &str| at.get(name.strip_prefix('i')?.parse::<usize>().ok()?).cloned();
    exprs.iter().map(|expr| expr.substitute(&axis).ok()).collect()
}
