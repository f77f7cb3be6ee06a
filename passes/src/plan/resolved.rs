//! A plan with every decision made for one region: [`resolve`] fills in each default once, in order, and then checks the
//! result against the region and the target.
//!
//! 1. Products: whether the region has one that the instruction can compute.
//! 2. Mapping: the axes of blocks, rows and columns; the tile and its threads.
//! 3. Footprint: threads, fragments, the registers of all accumulators.
//!
//! A plan that cannot be resolved is refused, with the clause that is at fault and, where a change makes it fit, that change.

use dlc_core::guard::Condition;
use dlc_ir::affine::{AffineErrorKind, SizeExpr};
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::{Code, Diagnostic};
use dlc_ir::{Context, Loc, Type};
use dlc_kernel::layout::MAX_WARPS;
use dlc_plan::check::{
    BAD_INSTRUCTION, BAD_THREADS, BAD_TILE, Broken, CONFLICT, TOO_MANY_REGISTERS, difference, nearest,
};
use dlc_plan::clause::{Kind, Through};
use dlc_plan::{Schedule, Target};
use dlc_region::ops::Reduce;
use dlc_region::verify::KernelAxes;

use super::clauses;
use super::compare::with_widths;
use super::defaults;
use super::mapping::Mapping;
use super::parts::{Parts, parts};
use super::repair::{clause_of, free, halve};
use super::scattered::{Scattered, scattered};
use super::shape::{
    Axis, Groups, Scanned, Shape, axes_to_share, groups, groups_of_rows, held_values, reduces_columns, reduces_rows,
    scanned, sorted,
};
use super::tiling::{Form, PlannedProduct, Tiling};
use crate::analysis::axes::reductions;
use crate::analysis::conditions::{conditions, kept};
use crate::region_to_kernel::tensorize::NOT_A_KERNEL;
use crate::region_to_kernel::tensorize::axes::{LowerError, product};

/// The longest rows that a tile holds where no plan says, and the most numbers of them that a thread has.
const DEFAULT_COLUMNS: i64 = 256;
const MOST_HELD: u64 = 192;

/// What a kernel is made by.
#[derive(Clone)]
pub struct ResolvedPlan {
    /// Where the axes go.
    pub mapping: Mapping,
    /// What the kernel requires of sizes.
    pub requires: Vec<Condition>,
    /// The sizes of the axes that registers hold whole, and what they are at most.
    pub register_resident: Vec<(SizeExpr, i64)>,
    /// The axes that are reduced.
    pub reduced: Vec<String>,
    /// The clauses that change nothing in this kernel, and why.
    pub unfollowed: Vec<(&'static str, String)>,
    /// Why no tile of a product holds its rows, which are reduced next.
    pub not_held: Option<String>,
    /// The reduction that blocks share, which the mapping is for, and where the axes go of the region that combines the parts.
    pub parts: Option<(Parts, Box<Mapping>)>,
    /// The reduction whose elements go to positions that are data, where the mapping is for the elements, and the mappings of
    /// the regions that fill its memory and read it.
    pub scattered: Option<(Scattered, Box<[Mapping; 2]>)>,
}

/// Why a plan cannot be resolved.
pub enum Refused {
    /// An expression of positions goes beyond 64 bits.
    TooLarge,
    /// What the plan breaks, and the clauses of the nearest plan that fits.
    Plan(Broken, Option<String>),
}

impl Refused {
    /// The rule that is broken.
    pub(super) fn broken(self) -> Broken {
        match self {
            Refused::TooLarge => Broken::new(&[], &NOT_A_KERNEL, "positions go beyond 64 bits"),
            Refused::Plan(broken, _) => broken,
        }
    }
}

impl From<LowerError> for Refused {
    fn from(error: LowerError) -> Refused {
        match error {
            LowerError::Guard => Refused::TooLarge,
            LowerError::Expr(error) => match error.kind {
                AffineErrorKind::Overflow | AffineErrorKind::TooLarge => Refused::TooLarge,
                // What is divided by is positive, and what is named is there.
                _ => Refused::Plan(
                    Broken::new(&[], &NOT_A_KERNEL, format!("a position cannot be computed: {error}")),
                    None,
                ),
            },
            LowerError::Layout(message) => Refused::Plan(Broken::new(&[], &NOT_A_KERNEL, message), None),
        }
    }
}

/// The diagnostic of a plan that breaks a rule, with the nearest plan that fits.
pub fn refusal(loc: Loc, broken: Broken, near: Option<String>) -> Diagnostic {
    let fix = near.map(|near| format!("the nearest plan that fits has {near}"));
    let fix = fix.unwrap_or_else(|| "change the plan, or leave it out".into());
    Diagnostic::error(broken.code, loc, broken.message).suggest(fix)
}

/// Makes every decision for a region: as its plan says, and by default where it does not. Targets are those that the plan is
/// for; `tensor_cores` lets products of 16-bit floats be of `mma` without a plan.
///
/// An error says what the plan breaks, and names the nearest plan that fits.
pub fn resolve(
    ctx: &Context,
    region: &Body,
    plan: Option<&Schedule>,
    targets: &[Target],
    tensor_cores: bool,
) -> Result<ResolvedPlan, Refused> {
    let attempt = |plan: Option<&Schedule>| resolve_once(ctx, region, plan, targets, tensor_cores);
    let (broken, plan) = match (attempt(plan), plan) {
        (Err(Refused::Plan(broken, _)), Some(plan)) => (broken, plan),
        (resolved, _) => return resolved,
    };
    let check_matches_kernel = |plan: &Schedule| attempt(Some(plan)).err().map(Refused::broken);
    let near = nearest(ctx, plan, targets, &check_matches_kernel);
    Err(Refused::Plan(broken, near.map(|near| difference(ctx, plan, &near))))
}

/// [`resolve`] without the nearest plan where one is refused.
pub(super) fn resolve_once(
    ctx: &Context,
    region: &Body,
    plan: Option<&Schedule>,
    targets: &[Target],
    tensor_cores: bool,
) -> Result<ResolvedPlan, Refused> {
    let explicit = plan.map(|plan| with_widths(ctx, region, plan));
    let plan = explicit.as_deref();
    Resolver { ctx, region, plan, targets, tensor_cores }.resolve()
}

#[derive(Clone, Copy)]
pub(super) struct Resolver<'a> {
    pub(super) ctx: &'a Context,
    pub(super) region: &'a Body,
    pub(super) plan: Option<&'a Schedule>,
    pub(super) targets: &'a [Target],
    pub(super) tensor_cores: bool,
}

impl Resolver<'_> {
    fn resolve(&self) -> Result<ResolvedPlan, Refused> {
        let (ctx, region) = (self.ctx, self.region);
        let axes = KernelAxes::of(ctx, region);
        self.names(&axes)?;
        self.descriptions(&axes)?;
        self.roles()?;
        let mut unfollowed = Vec::new();
        let is_planned = self.plan.is_some_and(|plan| plan.tile.is_some());
        if let Some(scattered) = scattered(ctx, region).filter(|_| !is_planned) {
            let of = |region: &Body| {
                resolve_once(ctx, region, None, &[], self.tensor_cores).map(|resolved| resolved.mapping)
            };
            let mappings = [of(&scattered.fill)?, of(&scattered.rest)?];
            let mut resolved = Resolver { region: &scattered.elements, plan: None, ..*self }.mapped(unfollowed)?;
            resolved.scattered = Some((scattered, Box::new(mappings)));
            return Ok(resolved);
        }
        let parts = self.plan.map_or(Ok(None), |plan| parts(ctx, region, plan)).unwrap_or_else(|why| {
            unfollowed.push(("split_k", format!("'split_k': the reduction is not divided: {why}")));
            None
        });
        let Some(parts) = parts else { return self.mapped(unfollowed) };
        let split = self.plan.and_then(|plan| plan.split_k.as_ref());
        if let Some(through) = split.and_then(|split| split.through).filter(|through| *through != Through::Workspace) {
            let message = format!(
                "'split_k': parts that a region combines come together through memory, in order, and not 'through {}'",
                through.word()
            );
            unfollowed.push(("split_k", message));
        }
        let combine = resolve_once(ctx, &parts.combine, None, &[], self.tensor_cores)?;
        let mut resolved = Resolver { region: &parts.partial, ..*self }.mapped(unfollowed)?;
        // Launches look at what the plan says of the whole region.
        resolved.requires = self.plan.map(|plan| conditions(ctx, region, plan)).unwrap_or_default();
        resolved.parts = Some((parts, Box::new(combine.mapping)));
        Ok(resolved)
    }

    /// What follows from the axes of products and reductions.
    fn mapped(&self, mut unfollowed: Vec<(&'static str, String)>) -> Result<ResolvedPlan, Refused> {
        let (ctx, region) = (self.ctx, self.region);
        let axes = KernelAxes::of(ctx, region);
        let shape = Shape::of(ctx, region, &axes);
        let mut grouped = groups(ctx, region, &shape);
        let mut not_held = None;
        if grouped.is_none()
            && let Some(of_rows) = groups_of_rows(ctx, region, &shape, &axes)
        {
            match self.holds(&of_rows)? {
                Ok(()) => grouped = Some(of_rows),
                Err(why) => not_held = Some(why),
            }
        }
        if let Some(groups) = grouped.as_mut().filter(|groups| groups.elem == Type::F32) {
            groups.halves |= self.precision().is_some();
        }
        self.algorithms(grouped.as_ref())?;
        self.instruction(grouped.as_ref())?;
        if let Some(groups) = &mut grouped {
            self.sides(groups, &shape);
            groups.window = self.window(groups)?;
        }
        let kept = self.plan.map(|plan| kept(ctx, region, plan)).unwrap_or_default();
        let mapping = self.mapping(&shape, grouped.as_ref(), !kept.is_empty())?;
        self.fragments(&mapping)?;
        self.threads(&mapping)?;
        self.registers(&mapping, grouped.as_ref())?;
        let requires = self.plan.map(|plan| conditions(ctx, region, plan)).unwrap_or_default();
        unfollowed.extend(self.plan.map(|plan| clauses::unfollowed(plan, &mapping)).unwrap_or_default());
        unfollowed.extend(self.undescribed(&axes, &mapping));
        let inner = shape.inner.iter().map(|(axis, _)| axis.clone());
        let reduced = axes.names[axes.iters..].iter().cloned().chain(inner);
        let reduced = reduced.filter(|axis| mapping.held.as_ref().is_none_or(|(held, _)| held != axis)).collect();
        Ok(ResolvedPlan {
            mapping,
            requires,
            register_resident: kept,
            reduced,
            unfollowed,
            not_held,
            parts: None,
            scattered: None,
        })
    }

    pub(super) fn refuse<T>(
        &self,
        clauses: &[&str],
        code: &'static Code,
        message: impl Into<String>,
    ) -> Result<T, Refused> {
        Err(Refused::Plan(Broken::new(clauses, code, message), None))
    }

    pub(super) fn refuse_with<T>(
        &self,
        clauses: &[&str],
        code: &'static Code,
        message: impl Into<String>,
        fix: impl Fn(&mut Schedule) + 'static,
    ) -> Result<T, Refused> {
        let broken = Broken { fix: Some(Box::new(fix)), ..Broken::new(clauses, code, message) };
        Err(Refused::Plan(broken, None))
    }

    /// Whether a tile holds whole rows of a product that are reduced next, as the plan says it, or by default where it says
    /// no tile; if not, why. An error where tensor cores are asked for and the rows have no room.
    fn holds(&self, groups: &Groups) -> Result<Result<(), String>, Refused> {
        let Some((column, size)) = groups.columns.first() else { return Ok(Err("it has no columns".into())) };
        let fixed = |name: &str| self.plan.and_then(|plan| plan.fix.as_ref()?.get(name).copied());
        let known = size.as_constant().or_else(|| fixed(size.as_symbol()?));
        let name = column.clone();
        let (Some(plan), kind) =
            (self.plan.filter(|plan| plan.tile.is_some()), self.plan.and_then(|plan| plan.instruction.as_ref()))
        else {
            let most = DEFAULT_COLUMNS;
            return Ok(match known {
                _ if !groups.halves || !self.tensor_cores => Err("threads multiply its factors".into()),
                None => Err(format!("a tile has a number of columns, and {size} is none")),
                Some(columns) if columns > most => Err(format!("the default tile has at most {most} columns")),
                Some(columns) => {
                    let values = held_values(self.ctx, self.region, groups);
                    let held = defaults::held_by_default(default_tile(columns, values), values);
                    let fits = held <= MOST_HELD;
                    if fits { Ok(()) } else { Err(format!("a thread would hold {held} numbers of them")) }
                }
            });
        };
        let Some(kind) = kind.map(|of| of.kind).filter(|kind| *kind != Kind::Fma) else {
            return Ok(Err(
                "the plan has threads share the rows; 'instruction mma' would hold them in its fragments".into()
            ));
        };
        let word = kind.word();
        let Some(columns) = known else {
            let message = format!(
                "'instruction {word}': the rows of {size} columns are reduced after the product, and a tile holds rows of a \
                 known number of columns"
            );
            return self.refuse_with(&["instruction"], &BAD_INSTRUCTION, message, |plan| {
                plan.instruction = None;
                plan.in_flight = None;
            });
        };
        if plan.swap_operands {
            let message =
                format!("'swap_operands': '{name}' is reduced after the product, along the columns of its tile");
            return self.refuse_with(&["swap_operands"], &CONFLICT, message, |plan| plan.swap_operands = false);
        }
        let tile = plan.tile_of(column);
        if tile >= columns {
            return Ok(Ok(()));
        }
        let message = format!(
            "the {columns} columns along '{name}' are reduced after the product, and the tile has {tile} of them"
        );
        let whole = match kind {
            Kind::Wgmma => columns.div_euclid(8).saturating_add(i64::from(columns % 8 != 0)).saturating_mul(8),
            _ => columns.clamp(16, 1 << 20).unsigned_abs().next_power_of_two() as i64,
        };
        self.refuse_with(&["tile"], &BAD_TILE, message, move |plan| {
            let Some(tile) = &mut plan.tile else { return };
            match tile.get_mut(&name) {
                Some(extent) => *extent = whole,
                // The axis of the sum is the last one.
                None => tile.0.insert(tile.0.len().saturating_sub(1), (name.clone(), whole)),
            }
            plan.instruction.iter_mut().for_each(|of| of.shape = None);
            free(plan);
        })
    }

    /// Which operand fills the rows.
    fn sides(&self, groups: &mut Groups, shape: &Shape) {
        if let Some(plan) = self.plan.filter(|plan| plan.tile.is_some()) {
            let last = shape.outer.last();
            if !groups.streams && !groups.holds_rows && last.is_some_and(|last| groups.rows.contains(last)) {
                // As plans have it, whichever factor is named first: adjacent elements are columns.
                std::mem::swap(&mut groups.rows, &mut groups.columns);
            }
            groups.leave_single(plan);
        }
        if self.plan.is_some_and(|plan| plan.swap_operands) {
            // What is narrow goes where the instruction may be narrow.
            std::mem::swap(&mut groups.rows, &mut groups.columns);
        }
    }

    /// The tile of a product, as the plan says it, and else by default.
    fn tiling_of_product(&self, groups: &Groups) -> Result<Tiling, Refused> {
        let names = |axes: &[Axis]| axes.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let size = |axes: &[Axis]| product(axes.iter().map(|(_, size)| size));
        let halves = groups.halves && self.tensor_cores;
        if let Some(plan) = self.plan.filter(|plan| plan.tile.is_some()) {
            let sides = [names(&groups.rows), names(&groups.columns)];
            let planned = self.product(plan, &sides, groups).map(|tiling| self.with_precision(tiling));
            return planned.or_else(|why| self.refuse_with(&[clause_of(&why), "tile"], &BAD_TILE, why, free));
        }
        let (rows, columns) = (size(&groups.rows)?, size(&groups.columns)?);
        let tiling = self.with_precision(Tiling::of_product([&rows, &columns], halves, groups.streams));
        if groups.streams || !groups.holds_rows {
            return Ok(tiling);
        }
        let values = held_values(self.ctx, self.region, groups);
        Ok(tiling.with_tile(default_tile(columns.as_constant().unwrap_or(DEFAULT_COLUMNS), values)))
    }

    /// The tile of a kernel without a product and whether it is that of the plan: else the default one of sides of these
    /// sizes. A plan whose tile fits no threads is refused.
    fn shared(
        &self,
        form: Form,
        planned: Option<(&Schedule, &[Axis], &Axis)>,
        sizes: [&SizeExpr; 2],
    ) -> Result<(Tiling, bool), Refused> {
        let tiling = planned.map_or(Ok(None), |(plan, rows, (column, _))| {
            let rows: Vec<String> = rows.iter().map(|(name, _)| name.clone()).collect();
            Tiling::of_plan(form, plan, &rows, column)
        });
        match tiling {
            Ok(Some(tiling)) => Ok((tiling, true)),
            Ok(None) => Ok((Tiling::by_default(form, sizes), false)),
            Err(why) => self.refuse_with(&[clause_of(&why), "tile"], &BAD_TILE, why, free),
        }
    }

    fn mapping(&self, shape: &Shape, groups: Option<&Groups>, keeps: bool) -> Result<Mapping, Refused> {
        let (ctx, region, plan) = (self.ctx, self.region, self.plan);
        let one = &SizeExpr::from(1);
        let map = |tiling: Tiling, [batch, rows, columns]: [Vec<Axis>; 3]| Mapping {
            batch,
            near: shape.outer.iter().filter(|axis| groups.is_some_and(|of| of.near.contains(axis))).cloned().collect(),
            rows,
            columns,
            held: None,
            inner: shape.inner.clone(),
            tiling,
            along: None,
            every: None,
            products: groups.map_or(0, |groups| groups.sums),
            deep: groups.map_or(16, |groups| groups.deep),
            is_planned: false,
            is_of_rows: false,
            keeps_rows: false,
            own: Vec::new(),
        };
        if let Some(sorted) = sorted(ctx, region, shape).or_else(|why| self.refuse(&[], &NOT_A_KERNEL, why))? {
            let form = Form::SortedRows { single: shape.outer.is_empty() };
            let tiling = Tiling::by_default(form, [one, &sorted.length]);
            let mapping = map(tiling, [Vec::new(), shape.outer.clone(), Vec::new()]);
            return Ok(Mapping { along: Some(sorted.along.0), every: sorted.every, is_of_rows: true, ..mapping });
        }
        let scanned = scanned(ctx, region, shape).or_else(|why| self.refuse(&[], &NOT_A_KERNEL, why))?;
        if let Some(Scanned { along, column, every, operands }) = scanned {
            let bits = self.most_bits();
            let length = every.map_or(along.1.clone(), SizeExpr::from);
            let ((tiling, is_planned), batch, rows) = match column {
                Some(column) => {
                    let form = Form::ScannedColumns { bits };
                    let batch = self.alongside(shape, &column)?;
                    let planned = plan.map(|plan| (plan, std::slice::from_ref(&along), &column));
                    (self.shared(form, planned, [&column.1, &length])?, batch, vec![column])
                }
                None => {
                    let form = Form::ScannedRows { single: shape.outer.is_empty(), bits, operands };
                    let planned = plan.map(|plan| (plan, &*shape.outer, &along));
                    (self.shared(form, planned, [one, &length])?, Vec::new(), shape.outer.clone())
                }
            };
            let mapping = map(tiling, [batch, rows, Vec::new()]);
            return Ok(Mapping { along: Some(along.0), every, is_planned, is_of_rows: true, ..mapping });
        }
        if let Some(groups) = groups {
            let tiling = self.tiling_of_product(groups)?;
            let is_planned = plan.is_some_and(|plan| plan.tile.is_some());
            if groups.holds_rows {
                let mapping = map(tiling.holding_rows(), [groups.batch.clone(), groups.rows.clone(), Vec::new()]);
                return Ok(Mapping { is_planned, held: groups.columns.first().cloned(), ..mapping });
            }
            let mapping = map(tiling, [groups.batch.clone(), groups.rows.clone(), groups.columns.clone()]);
            return Ok(Mapping { is_planned, ..mapping });
        }
        if let Some(along) = reduces_rows(ctx, region, shape) {
            return self.rows(shape, along, keeps, &map);
        }
        if let Some([column, along]) = reduces_columns(ctx, region, shape) {
            let planned = plan.map(|plan| (plan, std::slice::from_ref(&along), &column));
            let (tiling, is_planned) = self.shared(Form::Columns, planned, [&column.1, &along.1])?;
            let batch = self.alongside(shape, &column)?;
            let keeps_rows = is_planned && keeps;
            let mapping = map(tiling, [batch, vec![column], Vec::new()]);
            return Ok(Mapping { along: Some(along.0), is_planned, keeps_rows, ..mapping });
        }
        if let Some(along) = self.shared_axis() {
            let mapping = self.rows(shape, along, keeps, &map)?;
            if mapping.is_planned {
                return Ok(mapping);
            }
        }
        self.elements(shape, &map)
    }

    /// The mapping of a kernel whose threads share an axis that is reduced, `map` that of a tiling with its axes.
    fn rows(
        &self,
        shape: &Shape,
        along: Axis,
        keeps: bool,
        map: &dyn Fn(Tiling, [Vec<Axis>; 3]) -> Mapping,
    ) -> Result<Mapping, Refused> {
        // Results along what is reduced are along that alone.
        let is_alone = shape.inner.iter().all(|axis| axis.0 == along.0);
        let planned = self.plan.filter(|_| is_alone).map(|plan| (plan, &*shape.outer, &along));
        let (tiling, is_planned) = self.shared(Form::Rows, planned, [&SizeExpr::from(1), &along.1])?;
        let mapping = map(tiling, [Vec::new(), shape.outer.clone(), Vec::new()]);
        let keeps_rows = is_planned && keeps;
        Ok(Mapping { along: Some(along.0), is_planned, is_of_rows: true, keeps_rows, ..mapping })
    }

    /// The axis of a reduction that threads share by the plan, however memory lies.
    fn shared_axis(&self) -> Option<Axis> {
        let threads = self.plan?.threads.as_ref()?;
        axes_to_share(self.ctx, self.region).into_iter().find(|(axis, _)| threads.along(axis) > 1)
    }

    /// The axes of the results besides the columns that a kernel goes along: a block has one position of each.
    fn alongside(&self, shape: &Shape, column: &Axis) -> Result<Vec<Axis>, Refused> {
        let batch: Vec<Axis> = shape.outer.iter().filter(|axis| axis.0 != column.0).cloned().collect();
        let plan = self.plan.into_iter();
        let tables = plan
            .flat_map(|plan| [("tile", &plan.tile), ("thread_tile", &plan.thread_tile), ("threads", &plan.threads)]);
        for (word, table) in tables {
            let count = |axis: &Axis| table.as_ref().map_or(1, |table| table.along(&axis.0));
            if let Some(axis) = batch.iter().find(|axis| count(axis) > 1) {
                let message =
                    format!("'{word}' has {} along '{}', and a block has one position of it", count(axis), axis.0);
                return self.refuse_with(&[word, "tile"], &BAD_TILE, message, free);
            }
        }
        Ok(batch)
    }

    /// The mapping of a kernel that computes its elements one by one, `map` that of a tiling with its axes.
    fn elements(&self, shape: &Shape, map: &dyn Fn(Tiling, [Vec<Axis>; 3]) -> Mapping) -> Result<Mapping, Refused> {
        let plan = self.plan;
        let (rows, columns) = match shape.outer.split_last() {
            Some((last, rows)) if shape.inner.is_empty() => (rows.to_vec(), vec![last.clone()]),
            _ => (shape.outer.clone(), Vec::new()),
        };
        let one = SizeExpr::from(1);
        let size = columns.first().or(shape.inner.last()).map_or(&one, |(_, size)| size);
        // What is reduced each thread goes over for its own elements, one position after the other.
        let own = match columns.is_empty() {
            true => Vec::new(),
            false => reduced(self.ctx, self.region),
        };
        let is_own = |plan: &&Schedule| own.iter().all(|(axis, _)| plan.tile_of(axis) <= 1);
        let planned = plan.filter(is_own).zip(columns.first()).map(|(plan, column)| (plan, &*rows, column));
        let (tiling, is_planned) = self.shared(Form::Elements, planned, [&one, size])?;
        let own = if is_planned { own } else { Vec::new() };
        // Positions along an axis of blocks are computed once for all threads, and neighbours along the others lie a constant
        // apart.
        let is_alone = !tiling.across.is_empty() || !own.is_empty();
        let is_single = |axis: &Axis| is_alone && plan.is_some_and(|plan| plan.tile_of(&axis.0) <= 1);
        let (batch, rows) = rows.into_iter().partition(is_single);
        Ok(Mapping { is_planned, own, ..map(tiling, [batch, rows, columns]) })
    }

    /// The tile of a product. Where the plan names no instruction it is of `mma`, if that computes the product on every
    /// target, the tile is one of whole instructions, and the plan does not say which elements a thread has; else threads
    /// multiply numbers.
    fn product(&self, plan: &Schedule, sides: &[Vec<String>; 2], groups: &Groups) -> Result<Tiling, String> {
        let (reduced, streams, window) = (groups.reduced.as_slice(), groups.streams, groups.window.as_ref());
        let tiling = |kind: Kind| PlannedProduct { plan, kind, sides, reduced, streams, window }.tiling();
        if let Some(given) = &plan.instruction {
            return tiling(given.kind);
        }
        let has_own = |place: &str| place.starts_with("thread.") || place.starts_with("lane.");
        let says_elements = plan.thread_tile.is_some()
            || plan.lanes.is_some()
            || plan.threads.is_some()
            || plan.bind.iter().flat_map(|bind| &bind.0).any(|(_, place)| has_own(place));
        let multiplies = |target: &Target| target.rate(self.ctx, Kind::Mma, groups.elem).is_some();
        let by_mma = groups.halves && self.tensor_cores && !says_elements && self.targets.iter().all(multiplies);
        match by_mma.then(|| tiling(Kind::Mma)) {
            Some(Ok(mma)) => Ok(mma),
            _ => tiling(Kind::Fma),
        }
    }

    /// The width of the widest elements that are read or stored.
    fn most_bits(&self) -> u32 {
        let memory = self.tensors().into_iter().filter_map(|(_, memory)| memory);
        memory.filter_map(|memory| memory.elem(self.ctx).bits(self.ctx)).max().unwrap_or(32)
    }

    /// The tile has a layout over the warps of the block.
    fn fragments(&self, mapping: &Mapping) -> Result<(), Refused> {
        let tiling = &mapping.tiling;
        let [rows, columns] = tiling.tile;
        let columns = if tiling.matrix.is_none() { columns.max(tiling.reduction_tile) } else { columns };
        if tiling.warps > MAX_WARPS {
            return Ok(());
        }
        let most = self.targets.iter().map(|target| target.registers_per_thread).min().unwrap_or(255);
        match tiling.layout.place_once(self.ctx, &[rows, columns], 32, tiling.warps) {
            // Of what is reduced each thread has its part of a tile at once.
            Ok(part) if mapping.is_planned && mapping.along.is_some() && i64::from(part.registers()) > most => {
                let registers = part.registers();
                let message = format!(
                    "a tile of {rows} x {columns} takes {registers} registers of each thread, and it has {most}"
                );
                let sides = [&mapping.rows, &mapping.columns].map(|axes| axes.last().map(|(name, _)| name.clone()));
                self.refuse_with(&["tile"], &TOO_MANY_REGISTERS, message, move |plan| {
                    halve(plan, [&sides[0], &sides[1]])
                })
            }
            Ok(_) => Ok(()),
            Err(why) => self.refuse(&["tile"], &BAD_TILE, format!("a tile of {rows} x {columns} has no layout: {why}")),
        }
    }

    /// A block has at most as many threads as the target admits, and so have the blocks that share an SM.
    fn threads(&self, mapping: &Mapping) -> Result<(), Refused> {
        let roles = self.plan.and_then(|plan| plan.roles.as_ref());
        let warps = roles.map_or(i64::from(mapping.tiling.warps), |roles| 4 + 4 * roles.consumers);
        let threads = warps * 32;
        let least = self.targets.iter().min_by_key(|target| target.threads_per_block);
        let most = least.map_or(i64::from(MAX_WARPS) * 32, |target| target.threads_per_block);
        let blocks = mapping.resident(self.plan).unwrap_or(1);
        if let Some(target) = self.targets.iter().find(|target| blocks.saturating_mul(threads) > target.threads_per_sm)
            && threads <= most
        {
            let message = format!(
                "{blocks} blocks of {threads} threads are too many for an SM of {}, which has {}",
                target.name, target.threads_per_sm
            );
            let fit = target.threads_per_sm / threads;
            return self.refuse_with(&["blocks_per_sm"], &BAD_THREADS, message, move |plan| {
                plan.blocks_per_sm = (fit > 1).then_some(fit);
            });
        }
        if threads <= most {
            return Ok(());
        }
        let name = least.map_or("a block", |target| target.name.as_str());
        let [rows, columns] = [&mapping.rows, &mapping.columns].map(|axes| axes.last().map(|(name, _)| name.clone()));
        let message = format!(
            "a tile of {} x {} is for {threads} threads, and {name} has at most {most}",
            mapping.tiling.tile[0], mapping.tiling.tile[1]
        );
        self.refuse_with(&["threads", "warps", "tile"], &BAD_THREADS, message, move |plan| {
            halve(plan, [&rows, &columns])
        })
    }
}

/// The axes that reductions go over, each once.
fn reduced(ctx: &Context, region: &Body) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for id in reductions(ctx, region) {
        let Some(reduce) = Reduce::of(OpRef::new(ctx, region, id)) else { continue };
        for (axis, size) in reduce.axes().into_iter().zip(reduce.sizes()) {
            if !axes.iter().any(|(known, _)| known == axis) {
                axes.push((axis.to_string(), size));
            }
        }
    }
    axes
}

/// The tile that holds rows of so many columns where no plan says, for so many values of them at once.
fn default_tile(columns: i64, values: usize) -> [u32; 2] {
    let wide = columns.clamp(16, DEFAULT_COLUMNS).unsigned_abs().next_power_of_two() as u32;
    let fits = wide <= 128 && defaults::held_by_default([64, wide], values) <= MOST_HELD;
    [if fits { 64 } else { 32 }, wide]
}
