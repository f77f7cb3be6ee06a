//! Factors of products that lie so that nothing fast brings them: the elements that are multiplied and summed lie apart, and
//! along the neighbours goes a window, or rows are no whole 16-byte units. They are copied first, by a kernel of their
//! own, with what is summed as the last axis, where the copy takes less time than it saves. Where windows go along what is
//! summed, as in the gradient of a filter, the last axis is one of the results: their channels.
//!
//! The copy may round factors of `f32` to `tf32`, where a product allows that: then `wgmma`, which reads shared memory
//! and ignores low bits, multiplies what `mma` would have rounded itself. Where a product does not allow it, the copy has
//! the two numbers of `tf32` that `tf32x3` multiplies each factor as. With the low ones of `x` first and those of `w` second,
//! one sum over an axis that is three times as long has the three products:
//!
//! | `x` | low | high | high |
//! | --- | --- | --- | --- |
//! | `w` | high | low | high |

use std::collections::BTreeSet;

use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::{Layout, MemRef};
use dlc_core::precision::{Precision, ROUNDED};
use dlc_core::scalar::{self, Binary as Function};
use dlc_core::sizes::{Exprs, Sizes};
use dlc_host::choice::Choice;
use dlc_host::ops::{Launch, View};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::define::{Kind, Text, TextArray};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Attr, Builder, Context, Loc, OpId, Str, Type, ValueId};
use dlc_plan::clause::Kind as Unit;
use dlc_plan::{Schedule, Target};
use dlc_region::ops::{self as region, Func, NewRead, Read};
use dlc_region::types::Value;

use super::choose_plan;
use super::cost::Cost;
use super::facts::{Facts, Product};
use super::sizes::Symbols;
use crate::analysis::axes::{before_broadcasts, combined, contributions, reductions};
use crate::plan::shape::is_multiplied;
use crate::rewrites::launches::{Launches, add_kernel, copy_kernel, set_signature, symbols};

/// A case for which plans are compared: the size of a symbol.
pub type Case<'a> = Box<dyn Fn(&str) -> i64 + 'a>;

/// The cases of some numbers for symbols, those that plans are wanted for or else what is assumed.
pub fn cases<'a>(names: &'a Symbols, sizes: &'a [Vec<i64>], assumed: &'a dyn Fn(&str) -> i64) -> Vec<Case<'a>> {
    let case = |numbers: &'a [i64]| -> Case<'a> { Box::new(move |name| names.number(numbers, name, assumed)) };
    if sizes.is_empty() { vec![case(&[])] } else { sizes.iter().map(|numbers| case(numbers)).collect() }
}

/// What the copies of factors have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// The same numbers.
    Same,
    /// The numbers, rounded to `tf32`.
    Rounded,
    /// The numbers of `tf32` whose sum a number of `f32` is.
    Parts,
}

impl Content {
    /// How many of its numbers there are for each one of the factor.
    fn parts(self) -> i64 {
        if self == Content::Parts { i64::from(Precision::Tf32x3.products()) } else { 1 }
    }

    /// What remarks say of it.
    fn describe(self) -> &'static str {
        match self {
            Content::Same => "",
            Content::Rounded => ", rounded to tf32",
            Content::Parts => ", as numbers of tf32",
        }
    }
}

/// An argument of a kernel that is packed: copied by a kernel of its own, with another axis last.
struct PackedOperand {
    /// Its number.
    input: usize,
    /// The axis of it that becomes the last.
    place: usize,
    /// What it is now.
    ty: MemRef,
    /// The sizes of all axes before that one, of it, and of all after it: what is copied is a stack of matrices.
    sizes: [SizeExpr; 3],
    /// How long the axis is in the copy, where zeros fill it up.
    filled: Option<SizeExpr>,
    content: Content,
    /// Which factor it is. Of this number of its parts is the low one.
    side: usize,
    /// Whether the axis is one of the results, not of the sum.
    is_across: bool,
    /// The copy.
    copy: Option<String>,
}

impl PackedOperand {
    fn of(ctx: &Context, body: &Body, input: usize, place: usize) -> Option<PackedOperand> {
        let &arg = body.args(body.entry_block()?).get(input)?;
        let ty = MemRef::of(ctx, body.value_type(arg)).filter(|ty| ty.layout(ctx) == Layout::RowMajor)?;
        let dims = ty.dims(ctx);
        let product = |dims: &[SizeExpr]| dims.iter().try_fold(SizeExpr::from(1), |all, size| all.mul(size).ok());
        let sizes = [product(&dims[..place])?, dims[place].clone(), product(&dims[place + 1..])?];
        Some(PackedOperand {
            input,
            place,
            ty,
            sizes,
            filled: None,
            content: Content::Same,
            side: 0,
            is_across: false,
            copy: None,
        })
    }

    /// The argument as it is then, where symbols are these.
    fn packed_type(&self, ctx: &Context, put: &dyn Fn(&SizeExpr) -> SizeExpr) -> Type {
        let mut dims: Vec<SizeExpr> = self.ty.dims(ctx).iter().map(put).collect();
        let moved = dims.remove(self.place);
        let part = self.filled.as_ref().map_or(moved, put);
        dims.push(part.mul(&SizeExpr::from(self.content.parts())).unwrap_or(part));
        MemRef::get(ctx, dims, self.ty.elem(ctx), Layout::RowMajor, self.ty.align(ctx), false)
    }

    /// A stack of matrices.
    fn stack(&self, ctx: &Context, dims: Vec<SizeExpr>) -> Type {
        MemRef::get(ctx, dims, self.ty.elem(ctx), Layout::RowMajor, self.ty.align(ctx), false)
    }

    /// The sizes of what is copied, of what it becomes, where the axes have these.
    fn copied(&self, ctx: &Context, [outer, moved, inner]: [SizeExpr; 3]) -> Option<Vec<SizeExpr>> {
        let moved = if self.filled.is_some() { self.whole(ctx, &moved)? } else { moved };
        let rows = [outer, inner].into_iter().take(if self.has_rows() { 1 } else { 2 });
        let parts = (self.content == Content::Parts).then(|| SizeExpr::from(self.content.parts()));
        Some(rows.chain(parts).chain([moved]).collect())
    }

    /// What is copied, where the axes have these sizes.
    fn source(&self, [outer, moved, inner]: [SizeExpr; 3]) -> Vec<SizeExpr> {
        if self.has_rows() { vec![outer, moved] } else { vec![outer, moved, inner] }
    }

    /// The axes of the copy, and of those the ones of what is copied, in that order.
    fn axes(&self) -> [Vec<&'static str>; 2] {
        let [outer, moved, inner] = AXES;
        let rows = || [outer, inner].into_iter().take(if self.has_rows() { 1 } else { 2 });
        let parts = (self.content == Content::Parts).then_some(PART);
        [rows().chain(parts).chain([moved]).collect(), rows().chain([moved]).collect()]
    }

    /// Whether the axis is the last one already.
    fn has_rows(&self) -> bool {
        self.sizes[2].as_constant() == Some(1)
    }

    /// How many elements the copy has where symbols are these.
    fn elements(&self, size: &dyn Fn(&str) -> i64) -> Option<i64> {
        let sizes = self.sizes.iter().map(|own| own.eval(&|name| Some(size(name))).ok());
        sizes.chain([Some(self.content.parts())]).try_fold(1i64, |all, size| all.checked_mul(size?))
    }

    /// How long the sum is then, if it is another one.
    fn summed(&self) -> Option<SizeExpr> {
        match self.content {
            Content::Parts => {
                let part = self.filled.as_ref().unwrap_or(&self.sizes[1]);
                part.mul(&SizeExpr::from(self.content.parts())).ok()
            }
            _ => self.filled.clone(),
        }
    }

    /// A size up to whole units.
    fn whole(&self, ctx: &Context, size: &SizeExpr) -> Option<SizeExpr> {
        let unit = SizeExpr::from(unit(ctx, self.ty.elem(ctx)));
        size.ceildiv(&unit).and_then(|units| units.mul(&unit)).ok()
    }

    /// Whether anything is another one then: the order in memory, or the numbers.
    fn copies(&self) -> bool {
        self.content != Content::Same || [1, 2].iter().all(|&axis| self.sizes[axis].as_constant() != Some(1))
    }

    /// The sizes of the copying kernel: numbers, or symbols of its own.
    fn own_sizes(&self) -> [SizeExpr; 3] {
        let own = |axis: usize| match self.sizes[axis].as_constant() {
            Some(number) => SizeExpr::from(number),
            None => SizeExpr::symbol(SYMBOLS[axis]).unwrap_or_else(|_| SizeExpr::from(0)),
        };
        [own(0), own(1), own(2)]
    }
}

/// The symbols and the axes of a kernel that copies.
const SYMBOLS: [&str; 3] = ["A", "K", "S"];
const AXES: [&str; 3] = ["a", "k", "s"];
/// The axis of the parts of a number.
const PART: &str = "p";
/// What the copied axis is filled up to multiples of: the elements of 16 bytes.
fn unit(ctx: &Context, elem: Type) -> i64 {
    128 / i64::from(elem.bits(ctx).unwrap_or(16).max(1))
}

/// The most elements that are copied as several numbers each: kernels of larger tensors have places of 64 bits, and such a
/// tensor takes more memory than it should.
const MOST_COPIED: i64 = 0x7F00_0000;

/// The rows of an instruction of a group of warps.
const SHORT_ROWS: i64 = 64;

/// What is compared: the machine, and the sizes.
pub struct Packer<'a, 'c> {
    pub cx: &'a PassCx<'c>,
    pub target: &'a Target,
    pub precision: Option<Precision>,
    pub base: &'a Schedule,
    pub cases: &'a [Case<'a>],
    /// Whether the size of a symbol was given, and is not assumed.
    pub given: &'a dyn Fn(&str) -> bool,
}

/// The state of a module while factors are packed.
pub struct Packing {
    /// Its launches.
    pub launches: Launches,
    /// The functions with new buffers, where all buffers have places.
    pub arenas: BTreeSet<OpId>,
}

impl Packer<'_, '_> {
    /// Packs the factors of a product, if that is faster: the kernel that replaces it.
    pub fn pack(&self, module: &mut Body, kernel: OpId, packing: &mut Packing) -> Option<OpId> {
        let ctx = self.cx.ctx;
        let body = module.nested(kernel)?;
        let facts = self.cases.first().and_then(|size| Facts::of(ctx, body, size))?;
        let name = OpRef::new(ctx, module, kernel).symbol_name().map(String::from).unwrap_or_default();
        let launches = packing.launches.always_of(ctx, module, &name);
        let contents = [Content::Same, Content::Rounded, Content::Parts];
        let choices = contents.into_iter().map(|content| self.wanted(body, &facts, content));
        let choices = choices.chain([self.wanted_across(body, &facts)]);
        let choices: Vec<Vec<PackedOperand>> = choices.filter(|operands| !operands.is_empty()).collect();
        if choices.is_empty() || launches.is_empty() || !self.cx.allows_rule("pack") {
            return None;
        }
        let before = self.time(body, &[])?;
        let (mut best, mut least): (Option<Attempt>, f64) = (None, before);
        for operands in choices {
            let Some(attempt) = self.attempt(module, (kernel, &name), operands, packing) else { continue };
            let time = attempt.after + attempt.copied;
            self.report(module, kernel, &attempt, (&name, before, time < least));
            let worse = if time < least { best.replace(attempt) } else { Some(attempt) };
            least = least.min(time);
            worse.into_iter().for_each(|worse| worse.withdraw(ctx, module, packing));
        }
        let Attempt { made, mut operands, copies, .. } = best?;
        self.cx.count("packed", operands.len() as u64);
        for (number, copy) in copies {
            operands[number].copy = OpRef::new(ctx, &copy, copy.root()).symbol_name().map(String::from);
            self.put(module, kernel, copy, &operands[number].sizes);
        }
        let names = module.nested(kernel).map(|body| symbols(ctx, body)).unwrap_or_default();
        for (function, op) in launches {
            let Some(body) = module.nested_mut(function) else { continue };
            for operand in &operands {
                if let Some((copy, launch)) = operand.copy.as_ref().zip(launch_packed(ctx, body, op, operand, &names)) {
                    packing.launches.note(copy, (function, launch));
                }
            }
            // What is new in memory needs a place where everything has one.
            if OpRef::new(ctx, body, body.root()).prop_named("arena").is_some() {
                packing.arenas.insert(function);
            }
        }
        module.erase_op(kernel);
        if let Some(body) = module.nested_mut(made) {
            body.set_prop(ctx, body.root(), Str::SYM_NAME, Some(Text::make(ctx, &name)));
        }
        Some(made)
    }

    /// A kernel that reads copies of its factors, and the kernels that make them.
    fn attempt(
        &self,
        module: &mut Body,
        (kernel, name): (OpId, &str),
        operands: Vec<PackedOperand>,
        packing: &mut Packing,
    ) -> Option<Attempt> {
        let ctx = self.cx.ctx;
        // Under this name for as long as it is compared.
        let own = packing.launches.take_name(&format!("{name}_packed"));
        packing.launches.free_name(&own);
        let made = copy_kernel(ctx, module, kernel, &own);
        let after = match module.nested_mut(made) {
            Some(body) => {
                operands.iter().for_each(|operand| read_packed(ctx, body, operand));
                if operands.iter().any(|operand| operand.content != Content::Same) {
                    mark_rounded(ctx, body);
                }
                self.time(body, &[])
            }
            None => None,
        };
        let mut copies: Vec<(usize, Body)> = Vec::new();
        for (number, operand) in operands.iter().enumerate().filter(|(_, operand)| operand.copies()) {
            let tensor = input_name(ctx, module, made, operand.input).unwrap_or_default().to_string();
            let name = packing.launches.take_name(&format!("{name}_{tensor}"));
            copies.extend(copying(ctx, operand, &name, module.loc(kernel)).map(|copy| (number, copy)));
        }
        let copied = copies.iter().map(|(number, copy)| self.time(copy, &operands[*number].sizes)).sum::<Option<f64>>();
        let attempt =
            Attempt { made, operands, copies, after: after.unwrap_or_default(), copied: copied.unwrap_or_default() };
        if after.is_none() || copied.is_none() {
            attempt.withdraw(ctx, module, packing);
            return None;
        }
        Some(attempt)
    }

    fn report(&self, module: &Body, kernel: OpId, attempt: &Attempt, (name, before, is_faster): (&str, f64, bool)) {
        if !self.cx.wants_remarks() {
            return;
        }
        let names =
            attempt.operands.iter().filter_map(|operand| input_name(self.cx.ctx, module, attempt.made, operand.input));
        let message = format!(
            "@{name} takes {before:.1} us as its factors lie, and {:.1} where ({}) lie along {}{}, besides {:.1} for copies",
            attempt.after,
            names.collect::<Vec<_>>().join(", "),
            if attempt.operands.iter().any(|operand| operand.is_across) { "the results" } else { "the sum" },
            attempt.operands.first().map_or("", |operand| operand.content.describe()),
            attempt.copied,
        );
        let kind = if is_faster { RemarkKind::Passed } else { RemarkKind::Analysis };
        self.cx.remark(kind, module.loc(kernel), message);
    }

    /// The operands to pack: factors that tensor cores could multiply, along the longest axis of the sum that has a position
    /// of its own in both. Where their copies have other numbers all factors, for `wgmma` of `tf32`.
    fn wanted(&self, body: &Body, facts: &Facts, content: Content) -> Vec<PackedOperand> {
        let ctx = self.cx.ctx;
        let [product] = facts.products.as_slice() else { return Vec::new() };
        let elem = product.factors[0].elem;
        let has_product = is_multiplied(ctx, elem) || elem == Type::F32 && self.precision.is_some();
        let is_multiplied = has_product && self.target.rate(ctx, Unit::Mma, elem).is_some();
        let precision = match content {
            Content::Same => None,
            Content::Rounded => Some(Precision::Tf32),
            Content::Parts => Some(Precision::Tf32x3),
        };
        let by_wgmma = || {
            let is_meant = elem == Type::F32 && facts.precision(self.precision) == precision;
            is_meant && !product.rounded && self.target.rate(ctx, Unit::Wgmma, elem).is_some()
        };
        if precision.is_some() && !by_wgmma() {
            return Vec::new();
        }
        let fits = product.exact && is_multiplied;
        let unit = unit(ctx, elem);
        let Some(reads) = reads(ctx, body, facts, product).filter(|_| fits) else { return Vec::new() };
        let alone = |at: &[SizeExpr], axis: &str| {
            let mut own = (0..at.len()).filter(|&place| at[place].symbols().iter().any(|name| **name == *axis));
            own.next().filter(|&place| own.next().is_none() && at[place].as_symbol().is_some())
        };
        let depth = product.depth.iter().filter(|axis| reads.iter().all(|(_, at)| alone(at, axis).is_some()));
        let Some(axis) = depth.max_by_key(|axis| facts.size(axis)) else { return Vec::new() };
        let mut operands: Vec<PackedOperand> = Vec::new();
        operands.extend(reads.iter().enumerate().filter_map(|(side, (input, at))| {
            let place = alone(at, axis)?;
            if precision.is_some() {
                return Some(PackedOperand { content, side, ..PackedOperand::of(ctx, body, *input, place)? });
            }
            let (last, row) = (at.last()?, facts.inputs[*input].row.as_ref()?);
            // Along an axis of the batch neighbours are of other products.
            // So they are along another axis of the sum than that of the other factor.
            let sides = [&product.rows, &product.columns];
            let is_side = |name: &str| name == axis || sides.iter().any(|axes| axes.iter().any(|own| own == name));
            let is_axis = last.as_symbol().is_some_and(|name| facts.axes.position(name).is_some() && is_side(name));
            // Unaligned rows of matrices can be padded.
            let whole = |size: &Case<'_>| row.eval(&|name| Some(size(name))).is_ok_and(|row| row % unit == 0);
            let padded = at.len() == 2 && row.as_constant().is_none();
            // `wgmma` reads bytes along the sum alone.
            let is_read = unit <= 8 || self.target.rate(ctx, Unit::Wgmma, elem).is_none();
            // Of rows that are shorter than those of an instruction a box has a few bytes each.
            let short = |size: &Case<'_>| row.eval(&|name| Some(size(name))).is_ok_and(|row| row < SHORT_ROWS);
            let is_long = !self.cases.iter().all(short);
            let comes =
                is_read && is_axis && is_long && (row.divisible_by(unit) || padded || self.cases.iter().all(whole));
            (!comes && place + 1 < at.len()).then(|| PackedOperand::of(ctx, body, *input, place))?
        }));
        // Zeros add nothing, where both factors have them; of few elements they would be the most.
        let long = self.cases.iter().all(|size| size_of(facts, axis, size) >= unit);
        if operands.len() == 2 && operands.iter().all(PackedOperand::copies) && long {
            for operand in &mut operands {
                operand.filled = operand.whole(ctx, &operand.sizes[1]).filter(|_| !operand.sizes[1].divisible_by(unit));
            }
        }
        // Parts stand for one number where nothing else depends on its place along the sum.
        let is_all = |operand: &PackedOperand| {
            facts.axes.size(axis).is_some_and(|size| *size == operand.sizes[1])
                && self.cases.iter().all(|size| operand.elements(size).is_some_and(|elements| elements <= MOST_COPIED))
        };
        let is_whole =
            content != Content::Parts || is_sum_alone(ctx, body, product.op, axis) && operands.iter().all(is_all);
        // A product of factors of which one is none that can be copied is not one of rounded factors.
        if precision.is_some() && (operands.len() < 2 || !is_whole) { Vec::new() } else { operands }
    }

    /// The operands to pack where one has windows along what is summed, as the gradient of a filter has: both then lie along an
    /// axis of the results, the channels, and TMA brings a box of them for each pixel, wherever the window begins.
    fn wanted_across(&self, body: &Body, facts: &Facts) -> Vec<PackedOperand> {
        let [product] = facts.products.as_slice() else { return Vec::new() };
        let elem = product.factors[0].elem;
        let is_half = is_multiplied(self.cx.ctx, elem) && elem.bits(self.cx.ctx) == Some(16);
        let has_boxes = self.target.rate(self.cx.ctx, Unit::Wgmma, elem).is_some() && self.target.has("tma");
        let fits = product.exact && is_half && has_boxes;
        let Some(reads) = reads(self.cx.ctx, body, facts, product).filter(|_| fits) else { return Vec::new() };
        let is_summed = |name: &str| product.depth.iter().any(|axis| axis == name);
        let is_window = |at: &SizeExpr| {
            // Places of a filter are few, pixels many.
            let names = at.symbols();
            let longest = |summed: bool| {
                let own = names.iter().filter(|name| is_summed(name) == summed && facts.axes.position(name).is_some());
                own.map(|name| facts.size(name)).max()
            };
            longest(true).zip(longest(false)).is_some_and(|(summed, other)| summed > other)
        };
        if !reads.iter().any(|(_, at)| at.iter().any(is_window)) {
            return Vec::new();
        }
        let unit = unit(self.cx.ctx, elem);
        let places = reads.iter().zip([&product.rows, &product.columns]).map(|((_, at), axes)| {
            let long =
                (0..at.len()).filter(|&place| at[place].as_symbol().is_some_and(|own| axes.iter().any(|it| it == own)));
            let size = |place: usize| at[place].as_symbol().map_or(0, |axis| facts.size(axis));
            long.filter(|&place| size(place) % unit == 0).max_by_key(|&place| size(place))
        });
        let Some(places) = places.collect::<Option<Vec<usize>>>() else { return Vec::new() };
        let operands = reads.iter().zip(places).enumerate().map(|(side, ((input, _), place))| {
            Some(PackedOperand { side, is_across: true, ..PackedOperand::of(self.cx.ctx, body, *input, place)? })
        });
        let operands: Vec<PackedOperand> = operands.collect::<Option<_>>().unwrap_or_default();
        if operands.iter().any(PackedOperand::copies) { operands } else { Vec::new() }
    }

    /// What the best plan of a kernel takes in all cases; the symbols of a copying one are what these sizes are.
    pub(super) fn time(&self, body: &Body, sizes: &[SizeExpr]) -> Option<f64> {
        let time = |size: &Case<'_>| {
            let plans = self.plans(body, size, sizes)?;
            plans.first().map(|(_, cost)| cost.time)
        };
        self.cases.iter().map(time).sum()
    }

    pub(super) fn plans(
        &self,
        body: &Body,
        size: &dyn Fn(&str) -> i64,
        sizes: &[SizeExpr],
    ) -> Option<Vec<(Schedule, Cost)>> {
        let number = |name: &str| {
            let own = SYMBOLS.iter().position(|&known| known == name).and_then(|axis| sizes.get(axis));
            own.and_then(|own| own.eval(&|name| Some(size(name))).ok()).unwrap_or_else(|| size(name))
        };
        let mut chosen = choose_plan(self.cx.ctx, body, self.base.clone(), (self.target, self.precision), &number)?;
        chosen.keep_given(self.given);
        Some(chosen.ranked)
    }

    /// Puts a copying kernel before another one, with the plan for the case in which it takes longest.
    fn put(&self, module: &mut Body, kernel: OpId, copy: Body, sizes: &[SizeExpr]) {
        let ctx = self.cx.ctx;
        let chosen = |size: &Case<'_>| self.plans(&copy, size, sizes)?.into_iter().next();
        let longest = self.cases.iter().filter_map(chosen).max_by(|a, b| a.1.time.total_cmp(&b.1.time));
        let plan = longest.map(|(plan, _)| plan);
        let root = OpRef::new(ctx, &copy, copy.root());
        let (name, loc) = (root.symbol_name().map(String::from), root.loc());
        let op = add_kernel(module, copy, kernel);
        if let Some(plan) = plan {
            self.cx.count("plans", 1);
            Schedule { of: name, ..plan }.build(&mut Builder::new(ctx, module, InsertPoint::After(op)), loc);
        }
    }
}

/// A kernel that reads copies of its factors.
struct Attempt {
    made: OpId,
    operands: Vec<PackedOperand>,
    /// The kernels that copy, each with the number of its operand.
    copies: Vec<(usize, Body)>,
    /// What the kernel takes, and its copies, in microseconds.
    after: f64,
    copied: f64,
}

impl Attempt {
    /// Leaves the module as it was.
    fn withdraw(self, ctx: &Context, module: &mut Body, packing: &mut Packing) {
        for name in self.copies.iter().filter_map(|(_, copy)| OpRef::new(ctx, copy, copy.root()).symbol_name()) {
            packing.launches.free_name(name);
        }
        module.erase_op(self.made);
    }
}

/// What an argument of a kernel is called.
fn input_name<'a>(ctx: &'a Context, module: &Body, kernel: OpId, input: usize) -> Option<&'a str> {
    let body = module.nested(kernel)?;
    Some(ctx.str(body.value_name(body.args(body.entry_block()?)[input])))
}

/// Marks products whose factors were rounded.
fn mark_rounded(ctx: &Context, body: &mut Body) {
    let products: Vec<OpId> = reductions(ctx, body).into_iter().filter_map(|op| multiplied(ctx, body, op)).collect();
    for op in products {
        body.set_attr(ctx, op, ctx.intern_str(ROUNDED), Some(Attr::UNIT));
    }
}

/// The product that a reduction sums.
pub(super) fn multiplied(ctx: &Context, body: &Body, op: OpId) -> Option<OpId> {
    let reduce = region::Reduce::of(OpRef::new(ctx, body, op))?;
    let value = *combined(reduce).first()?;
    let op = body.defining_op(before_broadcasts(ctx, body, value))?;
    let product = region::Binary::of(OpRef::new(ctx, body, op))?;
    (product.function() == Function::Mul).then_some(op)
}

/// Whether a reduction sums products of two factors that are read, and where they are read depends on an axis at one
/// place of each alone.
fn is_sum_alone(ctx: &Context, body: &Body, op: OpId, axis: &str) -> bool {
    let is_part = |id: OpId| {
        let op = OpRef::new(ctx, body, id);
        let is_free =
            |read: Read<'_>| read.guard().is_none_or(|guard| guard.exprs().all(|at| !at.symbols().contains(axis)));
        Read::of(op).is_none_or(is_free)
            && [Read::DEF, region::BroadcastInDim::DEF, region::Transpose::DEF, region::Binary::DEF, region::Yield::DEF]
                .into_iter()
                .any(|def| op.is(def))
    };
    let is_one = region::Reduce::of(OpRef::new(ctx, body, op)).is_some_and(|reduce| combined(reduce).len() == 1);
    let ops = |block| body.ops(block).collect::<Vec<_>>();
    let products = |ops: &[OpId]| ops.iter().filter(|&&id| OpRef::new(ctx, body, id).is(region::Binary::DEF)).count();
    let own = contributions(body, op).map(ops);
    is_one && own.is_some_and(|own| own.iter().all(|&id| is_part(id)) && products(&own) == 1)
}

/// How long an axis is where symbols are these.
fn size_of(facts: &Facts, axis: &str, size: &dyn Fn(&str) -> i64) -> i64 {
    facts.axes.size(axis).and_then(|own| own.eval(&|name| Some(size(name))).ok()).unwrap_or(1)
}

/// The arguments that both factors are read from, and where; `None` where something else is multiplied, or one of them is read
/// elsewhere too.
fn reads(ctx: &Context, body: &Body, facts: &Facts, product: &Product) -> Option<Vec<(usize, Vec<SizeExpr>)>> {
    let all = body.walk().into_iter().filter_map(|op| Read::of(OpRef::new(ctx, body, op))).collect::<Vec<_>>();
    let args = body.args(body.entry_block()?);
    let of = |input: usize| {
        let read = all.iter().find(|read| read.source() == args[input])?;
        (facts.inputs[input].reads == 1 && read.indices().len() == 0).then(|| read.at())
    };
    product.factors.iter().map(|factor| Some((factor.input.filter(|_| factor.direct)?, of(factor.input?)?))).collect()
}

/// Lets a kernel read a packed argument.
fn read_packed(ctx: &Context, body: &mut Body, operand: &PackedOperand) {
    let Some(entry) = body.entry_block() else { return };
    let arg = body.args(entry)[operand.input];
    body.set_value_type(arg, operand.packed_type(ctx, &SizeExpr::clone));
    set_signature(ctx, body, None);
    for op in body.walk() {
        let Some(read) = Read::of(OpRef::new(ctx, body, op)).filter(|read| read.source() == arg) else { continue };
        let mut at = read.at();
        let moved = at.remove(operand.place);
        at.push(moved.clone());
        body.set_prop(ctx, op, ctx.intern_str("at"), Some(Exprs::make(ctx, at)));
        if let (Some(size), Some(axis)) = (operand.summed(), moved.as_symbol()) {
            sum_over(ctx, body, axis, &size);
        }
    }
}

/// Gives the axis of a reduction another size.
fn sum_over(ctx: &Context, body: &mut Body, axis: &str, size: &SizeExpr) {
    for op in reductions(ctx, body) {
        let reduce = region::Reduce::from(OpRef::new(ctx, body, op));
        let Some(place) = reduce.axes().iter().position(|own| *own == axis) else { continue };
        let mut sizes = reduce.sizes();
        sizes[place] = size.clone();
        body.set_prop(ctx, op, ctx.intern_str("sizes"), Some(Sizes::make(ctx, sizes)));
    }
}

/// A kernel that copies a stack of matrices, each transposed.
fn copying(ctx: &Context, operand: &PackedOperand, name: &str, loc: Loc) -> Option<Body> {
    let mut body = Body::new(ctx.op_name(Func::DEF.name), loc, 1);
    let block = body.append_block(body.root_region());
    let sizes = operand.own_sizes();
    let copied = operand.copied(ctx, sizes.clone())?;
    let [from, to] = [operand.source(sizes.clone()), copied.clone()].map(|dims| operand.stack(ctx, dims));
    let arg = body.add_arg(block, from, loc);
    body.set_value_name(arg, ctx.intern_str("X"));
    let [iters, read_over] = operand.axes();
    let at =
        AXES.iter().filter(|axis| read_over.contains(axis)).filter_map(|axis| SizeExpr::symbol(axis).ok()).collect();
    let guard = operand.filled.as_ref().map(|_| {
        let expr = SizeExpr::symbol(AXES[1]).ok()?;
        Some(Guard::all(vec![Condition { expr, lower: None, upper: Some(sizes[1].clone()) }]))
    });
    let ty = Value::get(ctx, operand.ty.elem(ctx), read_over);
    let op = NewRead { source: arg, indices: &[], at, guard: guard.flatten(), fill: None, out_type: ty }
        .build(&mut Builder::at_end(ctx, &mut body, block), loc);
    let mut value = body.result(op, 0);
    let mut emit = Builder::at_end(ctx, &mut body, block);
    let unary = |emit: &mut Builder<'_>, function| {
        let op = region::Unary::build(emit, loc, value, function);
        emit.body.result(op, 0)
    };
    value = match operand.content {
        Content::Same => value,
        Content::Rounded => unary(&mut emit, scalar::Unary::Tf32),
        Content::Parts => {
            let [high, low] = [scalar::Unary::Tf32High, scalar::Unary::Tf32Low].map(|part| unary(&mut emit, part));
            select_part(&mut emit, loc, operand.side, [high, low], iters.clone())?
        }
    };
    region::Yield::build(&mut Builder::at_end(ctx, &mut body, block), loc, &[value], Some(vec!["Y"]), None);
    let text = |items: Vec<&str>| TextArray::make(ctx, items);
    let own = sizes.iter().filter_map(|size| size.as_symbol()).collect::<Vec<_>>();
    let mut props = vec![
        ("sym_name", ctx.str_attr(name)),
        ("sym_visibility", ctx.str_attr("private")),
        ("function_type", ctx.type_attr(ctx.function_type(&[from], &[to]))),
        ("iters", text(iters)),
        ("iter_sizes", Sizes::make(ctx, copied)),
        ("outputs", text(vec!["Y"])),
        ("materialize", text(vec!["gmem"])),
    ];
    if !own.is_empty() {
        props.push(("symbols", text(own)));
    }
    let props: Vec<_> = props.into_iter().map(|(key, attr)| (ctx.intern_str(key), attr)).collect();
    body.set_props(body.root(), ctx.dict_attr(&props));
    Some(body)
}

/// The low one of two parts at the number of its factor, and the high one elsewhere.
fn select_part(
    emit: &mut Builder<'_>,
    loc: Loc,
    side: usize,
    parts: [ValueId; 2],
    iters: Vec<&str>,
) -> Option<ValueId> {
    let ctx = emit.ctx;
    let side = SizeExpr::from(side as i64);
    let next = side.add(&SizeExpr::from(1)).ok();
    let is_low = Condition { expr: SizeExpr::symbol(PART).ok()?, lower: Some(side), upper: next };
    let [high, low] = parts;
    let ty = Value::get(ctx, Type::F32, iters);
    let op = region::Select::build(emit, loc, &[low, high], Some(Guard::all(vec![is_low])), ty);
    Some(emit.body.result(op, 0))
}

/// Lets a launch have an argument transposed, by a launch before it where its elements move, which is given back.
fn launch_packed(ctx: &Context, body: &mut Body, op: OpId, operand: &PackedOperand, names: &[String]) -> Option<OpId> {
    let launch = Launch::from(OpRef::new(ctx, body, op));
    let (loc, choices, inputs) = (launch.loc(), launch.choices(), launch.inputs().collect::<Vec<ValueId>>());
    let choice = choices.first()?;
    let size = |name: &str| choice.sizes.get(names.iter().position(|known| known == name)?).cloned();
    let put = |expr: &SizeExpr| expr.substitute(&size).unwrap_or_else(|_| expr.clone());
    let view = |body: &mut Body, input: ValueId, ty: Type| {
        let view = View::build(&mut Builder::new(ctx, body, InsertPoint::Before(op)), loc, input, None, ty);
        body.result(view, 0)
    };
    let (mut value, mut before) = (inputs[operand.input], None);
    if let Some(copy) = &operand.copy {
        let sizes = [0, 1, 2].map(|axis| put(&operand.sizes[axis]));
        let own = operand.own_sizes();
        let given = (0..3).filter(|&axis| own[axis].as_symbol().is_some()).map(|axis| sizes[axis].clone());
        let choices = vec![Choice::always(ctx, copy, given.collect())];
        let copied = operand.copied(ctx, sizes.clone())?;
        let stack = view(body, value, operand.stack(ctx, operand.source(sizes)));
        let to = operand.stack(ctx, copied);
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        let made = Launch::build(&mut builder, loc, &[stack], choices, None, &[to]);
        value = body.result(made, 0);
        before = Some(made);
    }
    value = view(body, value, operand.packed_type(ctx, &put));
    body.set_operand(op, operand.input, value);
    before
}
