//! Puts a plan next to every kernel that has none: of some candidates the one that an estimate says is fastest. A plan is
//! what the lowering to the layer kernel follows, and this is the last place where a kernel is seen as what it computes.
//!
//! **Requires**: region.
//! **Ensures**: region, plan. After each kernel stands a `plan.schedule` of it that fits the target; the kernel is the same,
//! but that of a product may read factors that another kernel has copied in another order (`pack`).
//!
//! **Before**
//! ```mlir before
//! region.func @gemm<M, N> iters (m: M, n: N)
//!     ins (%X: memref<[M, 4096], f16, row_major, align 128>, %W: memref<[4096, N], f16, row_major, align 128>)
//!     outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
//!   %s = reduce sum (k: 4096) acc f32 init 0.0 {
//!     %x = read %X[m, k] : f16 over (m, k)
//!     %w = read %W[k, n] : f16 over (n, k)
//!     %p = binary mul %x, %w widen : f32 over (m, n, k)
//!     yield %p
//!   } : f32 over (m, n)
//!   %r = unary relu %s : f32 over (m, n)
//!   yield %r to Y as f16
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @gemm<M, N> iters (m: M, n: N)
//!   ins (%X: memref<[M, 4096], f16, row_major, align 128>, %W: memref<[4096, N], f16, row_major, align 128>)
//!   outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
//!   %s = reduce sum (k: 4096) acc f32 init 0.0 {
//!     %x = read %X[m, k] : f16 over (m, k)
//!     %w = read %W[k, n] : f16 over (n, k)
//!     %p = binary mul %x, %w widen : f32 over (m, n, k)
//!     yield %p
//!   } : f32 over (m, n)
//!   %r = unary relu %s : f32 over (m, n)
//!   yield %r to Y as f16
//! }
//! plan.schedule of @gemm for sm90 {
//!   tile (m: 64, n: 64, k: 64)
//!   assume (N: 8)
//!   instruction wgmma [64, 64, 16]
//!   stages 8
//!   persistent sms
//!   order grouped 8 along m
//!   roles cooperative consumers 1
//!   registers (producer: 40, consumer: 232)
//!   split_k 8 through workspace
//!   cache X (m, k) f16 in smem
//!   cache W (k, n) f16 in smem
//!   swizzle (X: 128, W: 128)
//!   predicate_tail [m, n]
//!   barrier mbarrier
//!   async overlap_epilogue
//!   in_flight 1
//!   epilogue [relu]
//!   store tma panels 2 together 1
//! }
//! ```
//!
//! **Does not** change what a kernel computes, or run it. Beyond it, only launches change, of kernels that others copy for,
//! and of those that are cut in two (`cut`). A
//! plan that is there, written by hand, stays: it is compared with its kernel (axes, tensors), as its verifier cannot.
//! Nothing is found by names: what a kernel is follows from its reductions, and from where it reads.
//!
//! *Algorithm.* (1) Facts: sizes, with a number in place of symbols; which reductions are sums of products, and which
//! axes only one factor has; where neighbouring elements lie. (2) Some twenty candidates (`candidates`, `warpgroups`,
//! `memory`, `parts`); those that the target cannot do are left out, as its rules say (`dlc_plan::check`). (3) An estimate of each
//! (`cost`), by section 11 of the specification; those that its conditions stop (more than 80 % of the shared memory,
//! registers for one block alone) count only if no other is left. The fastest is taken; of those within half a
//! percent of it with as many threads and loads in flight the one whose sums have the fewest parts, of equal ones the
//! first. The terms are reported as a remark. Linear in the kernel for each candidate. Rules of the debug counters: `plan`,
//! `pack`, `cut`.
//!
//! A plan that was measured at these sizes, a `plan.measured` of the module whose key is that of the kernel, replaces
//! the estimate; of several the fastest. They are gone after this pass.

mod candidates;
mod chain;
pub mod cost;
mod cut;
pub mod facts;
mod live;
pub mod measured;
mod memory;
mod pack;
mod parts;
mod phases;
mod resident_windows;
mod runs;
mod scans;
mod sizes;
mod warpgroups;
mod windows;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dlc_core::precision::Precision;
use dlc_ir::body::{Body, InsertPoint};
use dlc_ir::diag::{Diagnostic, RemarkKind, did_you_mean};
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::{Builder, Context, OpId, OpRef};
use dlc_plan::check::{NOT_OF_KERNEL, UNKNOWN_TARGET, check};
use dlc_plan::clause::{Async, Split};
use dlc_plan::value::Table;
use dlc_plan::{Measured, Schedule, Schedules, Target, TargetName};
use dlc_region::ops::Func;
use dlc_region::verify::KernelAxes;

use rustc_hash::FxHashSet;

use crate::analysis;
use crate::analysis::conditions::conditions;
use crate::analysis::sizes::{SYMBOLS, assumed_symbol};
use crate::host::plan_arena::plan_arena;
use crate::plan::parts::MOST_UNROLLED;
use crate::plan::resolved::{Refused, resolve};
use crate::rewrites::launches::{Launches, symbols};
use candidates::CandidateGenerator;
use cost::{Cost, cost_of_sizes, estimate, resident_by_registers};
use facts::Facts;
use measured::MeasuredPlans;

dlc_ir::codes! {
    /// An option names a symbol of sizes that no function has.
    UNKNOWN_SIZE = "E1613" "UnknownSize";
    /// A plan that was measured cannot be that of its kernel, and the estimate chooses one.
    MEASURED_REFUSED = "E1616" "MeasuredRefused";
}

/// Estimates up to this factor above the best are taken as equal: the model is no more exact.
const NEAR: f64 = 1.005;

static DEF: PassDef = PassDef {
    on: On::Module,
    options: &[
        OptionDef {
            name: "target",
            kind: OptionKind::Text,
            default: "sm90",
            doc: "The machine: one that is built in, or the name of a `plan.target` of the module.",
        },
        OptionDef {
            name: "assume",
            kind: OptionKind::Int,
            default: "128",
            doc: "The size that a symbol is taken to have where plans are compared.",
        },
        SYMBOLS,
        OptionDef {
            name: "sizes",
            kind: OptionKind::List,
            default: "[]",
            doc: "Sizes for which plans of their own are chosen, of which launches take one: a number for all symbols, or one for each in order, as in '16x14336x4096'.",
        },
        OptionDef {
            name: "top",
            kind: OptionKind::Int,
            default: "1",
            doc: "How many of the best plans are reported as remarks.",
        },
        OptionDef {
            name: "skip",
            kind: OptionKind::List,
            default: "[]",
            doc: "How many of the best plans of some kernels are skipped, as in 'gemm_0:1', since they were not verified. A kernel has no plan where none is left.",
        },
        OptionDef {
            name: "f32",
            kind: OptionKind::Choice(&["ieee", "tf32x3", "tf32"]),
            default: "tf32x3",
            doc: "How products of f32 are multiplied: by threads, or by tensor cores as three products of tf32 or one.",
        },
    ],
    statistics: &[
        StatDef { name: "plans", doc: "Kernels that got a plan." },
        StatDef { name: "candidates", doc: "Plans that were compared." },
        StatDef { name: "stopped", doc: "Plans that a condition stopped." },
        StatDef { name: "cut", doc: "Kernels without a plan that are two." },
        StatDef { name: "packed", doc: "Factors of products that are packed first." },
    ],
    requires: &["region"],
    adds: &["plan"],
    ..PassDef::base("choose-plan", "Chooses a plan for every kernel that has none, by a cost model.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let positive = |name: &str| match options.int(name) {
        value @ 1.. => Ok(value),
        value => Err(format!("'{name}' must be at least 1, but is {value}")),
    };
    let target = options.text("target").trim_start_matches('@').to_string();
    let sizes = options.list("sizes").into_iter().map(sizes::parse).collect::<Result<_, _>>()?;
    let symbols = options.list("symbols").into_iter().map(assumed_symbol).collect::<Result<_, _>>()?;
    let skipped = options.list("skip").into_iter().map(skipped).collect::<Result<_, _>>()?;
    // With 'ieee' threads multiply.
    let precision = Precision::of(options.text("f32"));
    let (assume, top) = (positive("assume")?, positive("top")? as usize);
    Ok(Box::new(ChoosePlan { target, assume, symbols, sizes, top, skipped, precision }))
}

/// The name of a kernel, and how many of its best plans are skipped.
fn skipped(text: &str) -> Result<(String, usize), String> {
    let wrong = || format!("'{text}' is no kernel with a number of plans, as in 'gemm_0:1'");
    let (name, plans) = text.rsplit_once(':').ok_or_else(wrong)?;
    Ok((name.trim().to_owned(), plans.trim().parse().map_err(|_| wrong())?))
}

struct ChoosePlan {
    target: String,
    assume: i64,
    symbols: BTreeMap<String, i64>,
    sizes: Vec<Vec<i64>>,
    top: usize,
    /// How many of the best plans of some kernels are skipped.
    skipped: BTreeMap<String, usize>,
    /// How tensor cores may multiply `f32`.
    precision: Option<Precision>,
}

impl Pass for ChoosePlan {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let ctx = cx.ctx;
        let Some(block) = body.entry_block() else { return Ok(()) };
        let ops: Vec<OpId> = body.ops(block).collect();
        let mut kernels: VecDeque<OpId> = ops.into_iter().filter(|&op| is_kernel(ctx, body, op)).collect();
        if kernels.is_empty() {
            return Ok(());
        }
        for &op in &kernels {
            body.nested_mut(op).into_iter().for_each(|kernel| name_inputs(ctx, kernel));
        }
        let (name, target) = self.target(body, kernels[0], cx)?;
        let only = kernels.len() == 1;
        let plans = Schedules::of(ctx, body);
        let measured = MeasuredPlans::take(ctx, body, &self.target);
        let mut packing = pack::Packing { launches: Launches::of_module(ctx, body), arenas: BTreeSet::new() };
        self.check_symbols(body, kernels.make_contiguous(), &packing.launches, cx)?;
        let mut programs = sizes::ProgramSymbols::default();
        while let Some(mut op) = kernels.pop_front() {
            let view = OpRef::new(ctx, body, op);
            let (Some(kernel), Some(symbol)) = (body.nested(op), view.symbol_name()) else { continue };
            let all = plans.plans_of(ctx, body, symbol);
            let own: Vec<_> = all.into_iter().filter(|(_, plan)| only || plan.of.is_some()).collect();
            if !own.is_empty() {
                for (at, plan) in own {
                    check_matches_kernel(cx, OpRef::new(ctx, body, at), &plan, kernel)?;
                }
                continue;
            }
            let base = Schedule { targets: vec![name.clone()], ..Schedule::new(symbol, "") };
            let names = sizes::Symbols::of(ctx, body, &packing.launches, op, &mut programs);
            let of_program = |name: &str| self.symbols.get(name).copied().unwrap_or(self.assume);
            let assumed = |name: &str| names.number(&[], name, &of_program);
            if let Some(plan) = sole_plan(ctx, kernel, &base, &target, &assumed) {
                let loc = view.loc();
                if let Some(plan) = plan.filter(|_| cx.allows_rule("plan")) {
                    cx.count("plans", 1);
                    written(plan).build(&mut Builder::new(ctx, body, InsertPoint::After(op)), loc);
                }
                continue;
            }
            let cases = pack::cases(&names, &self.sizes, &of_program);
            let precision = self.precision;
            let is_given = |numbers: &[i64], name: &str| names.is_given(numbers, name, &self.symbols);
            let given = |name: &str| is_given(self.sizes.first().map_or(&[][..], Vec::as_slice), name);
            let packer = pack::Packer { cx, target: &target, precision, base: &base, cases: &cases, given: &given };
            op = packer.pack(body, op, &mut packing).unwrap_or(op);
            let view = OpRef::new(ctx, body, op);
            let Some(kernel) = body.nested(op) else { continue };
            let known = measured.plans_of(cx, view.symbol_name().unwrap_or_default(), kernel);
            let chosen = |numbers: &[i64]| {
                let size = |name: &str| names.number(numbers, name, &of_program);
                let facts = Facts::of(ctx, kernel, &size)?;
                let mut chosen = choose_plan(ctx, kernel, base.clone(), (&target, precision), &size)?;
                chosen.keep_given(&|name| is_given(numbers, name));
                if let Some(fastest) = measured::fastest(known, ctx, kernel, &size) {
                    let taken = chosen.take_measured(ctx, (kernel, &facts), fastest, (&base, &target), &size);
                    taken.unwrap_or_else(|why| cx.diags.emit(measured_refused(view, fastest, &why)));
                }
                Some((chosen, facts))
            };
            let Some(general) = chosen(&[]) else { continue };
            let others = self.sizes.iter().enumerate();
            let others: Vec<(usize, (Chosen, Facts))> =
                others.filter_map(|(at, sizes)| Some((at, chosen(sizes)?))).collect();
            let all =
                || std::iter::once(&general).chain(others.iter().map(|(_, chosen)| chosen)).map(|chosen| &chosen.0);
            self.report(cx, view, all());
            if all().any(|chosen| cut::is_to_cut(ctx, kernel, &chosen.ranked, &target))
                && let Some(parts) = packer.cut(body, op, &mut packing)
            {
                parts.into_iter().rev().for_each(|part| kernels.push_front(part));
                continue;
            }
            let view = OpRef::new(ctx, body, op);
            let Some(kernel) = body.nested(op) else { continue };
            let skipped = self.skipped(view.symbol_name().unwrap_or_default());
            let variant = |(chosen, facts): &(Chosen, Facts), number: usize| {
                let plan = chosen.ranked.get(number)?.0.clone();
                let cost = cost_of_sizes(ctx, kernel, facts, &plan, &target);
                let requires = conditions(ctx, kernel, &plan);
                Some(sizes::Variant { plan: written(plan), cost, requires, at: Vec::new() })
            };
            let open = general.0.first_open(skipped);
            let Some(for_all) = variant(&general, open).filter(|_| cx.allows_rule("plan")) else { continue };
            let fixed = variant(&general, skipped).filter(|_| open != skipped);
            let of_sizes = others.into_iter().filter_map(|(at, chosen)| Some((at, variant(&chosen, skipped)?)));
            let number = |at: usize, name: &str| names.number(&self.sizes[at], name, &of_program);
            let plans = sizes::variants((for_all, fixed), of_sizes, &symbols(ctx, kernel), &number);
            add_plans(cx, body, op, plans, &mut packing.launches);
        }
        for function in packing.arenas {
            if let Some(body) = body.nested_mut(function) {
                plan_arena(body, cx)?;
            }
        }
        Ok(())
    }
}

/// Puts plans next to a kernel: the first, which is for all sizes, after it, and each other one after a copy of it.
fn add_plans(cx: &PassCx<'_>, module: &mut Body, kernel: OpId, plans: Vec<sizes::Variant>, launches: &mut Launches) {
    let (ctx, loc) = (cx.ctx, module.loc(kernel));
    let others = plans.len() - 1;
    plans[0].plan.build(&mut Builder::new(ctx, module, InsertPoint::After(kernel)), loc);
    let made = if others == 0 { Vec::new() } else { sizes::add_variants(ctx, module, launches, kernel, plans) };
    cx.count("plans", 1 + made.len() as u64);
    if others > 0 && made.is_empty() && cx.wants_remarks() {
        let message = format!("plans for other sizes ({others}) are left out: no launch runs this kernel alone");
        cx.remark(RemarkKind::Missed, loc, message);
    }
    for (copy, plan) in made {
        plan.build(&mut Builder::new(ctx, module, InsertPoint::After(copy)), loc);
    }
}

/// The plan of a kernel that can be mapped in one way alone, if it has one: a scan; sorted rows, which have the default
/// mapping and no plan; and elements that go to positions that are data, where the target alone decides how they are added.
fn sole_plan(
    ctx: &Context,
    kernel: &Body,
    base: &Schedule,
    target: &Target,
    assumed: &dyn Fn(&str) -> i64,
) -> Option<Option<Schedule>> {
    if !analysis::axes::scans(ctx, kernel).is_empty() {
        return Some(scans::plan(ctx, kernel, base, target, assumed));
    }
    if !analysis::axes::sorts(ctx, kernel).is_empty() {
        return Some(None);
    }
    crate::plan::scattered::is_scattered(ctx, kernel, assumed).then(|| Some(base.clone()))
}

/// Names the inputs that have no name, as those that another kernel stores: a plan speaks of tensors by their names.
fn name_inputs(ctx: &Context, kernel: &mut Body) {
    let Some(block) = kernel.entry_block() else { return };
    let args = kernel.args(block).to_vec();
    let mut taken: FxHashSet<String> = args.iter().map(|&arg| ctx.str(kernel.value_name(arg)).to_string()).collect();
    if !taken.remove("") {
        return;
    }
    taken.extend(Func::from(OpRef::new(ctx, kernel, kernel.root())).outputs().into_iter().map(String::from));
    for (number, &arg) in args.iter().enumerate() {
        if ctx.str(kernel.value_name(arg)).is_empty() {
            let free = (number..).map(|number| format!("in{number}")).find(|name| !taken.contains(name));
            let name = free.unwrap_or_default();
            kernel.set_value_name(arg, ctx.intern_str(&name));
            taken.insert(name);
        }
    }
}

fn is_kernel(ctx: &Context, body: &Body, op: OpId) -> bool {
    let has_body = body.nested(op).is_some_and(|kernel| kernel.entry_block().is_some());
    has_body && OpRef::new(ctx, body, op).is(Func::DEF)
}

impl ChoosePlan {
    /// The target of the module or of the table; that there is none is said at a kernel.
    fn target(&self, module: &Body, kernel: OpId, cx: &PassCx<'_>) -> Result<(TargetName, Target), PassFailed> {
        let declared = module.walk().into_iter().filter_map(|op| Target::of(OpRef::new(cx.ctx, module, op)));
        let declared: Vec<Target> = declared.collect();
        if let Some(target) = declared.iter().find(|target| target.name == self.target) {
            return Ok((TargetName::Symbol(self.target.clone()), target.clone()));
        }
        if let Some(target) = Target::built_in(&self.target) {
            return Ok((TargetName::BuiltIn(self.target.clone()), target));
        }
        let known: Vec<String> =
            declared.into_iter().map(|target| target.name).chain(Target::names().map(String::from)).collect();
        let error =
            Diagnostic::error(&UNKNOWN_TARGET, module.loc(kernel), format!("there is no target '{}'", self.target));
        let near = did_you_mean(&self.target, known.iter().map(String::as_str));
        cx.diags.emit(error.suggest(near.unwrap_or_else(|| format!("the targets are {}", known.join(", ")))));
        Err(PassFailed)
    }

    /// Every symbol of the options is one that some function of the module takes; that it is not is said at a kernel.
    fn check_symbols(&self, module: &Body, kernels: &[OpId], launches: &Launches, cx: &PassCx<'_>) -> PassResult {
        let kernel = kernels[0];
        // A symbol of a kernel that its launch computes is none that has a size of its own.
        let functions = module.nested_ops().into_iter().filter(|op| !kernels.contains(op));
        let mut known: BTreeSet<String> =
            functions.filter_map(|op| module.nested(op)).flat_map(|function| symbols(cx.ctx, function)).collect();
        let alone = kernels.iter().filter(|&&op| {
            let name = OpRef::new(cx.ctx, module, op).symbol_name();
            name.is_none_or(|name| launches.of(name).is_empty())
        });
        known.extend(alone.filter_map(|&op| module.nested(op)).flat_map(|kernel| symbols(cx.ctx, kernel)));
        let Some(unknown) = self.symbols.keys().find(|name| !known.contains(*name)) else { return Ok(()) };
        let all = known.iter().map(String::as_str).collect::<Vec<_>>();
        let fix = did_you_mean(unknown, all.iter().copied()).unwrap_or_else(|| match all.as_slice() {
            [] => "there are none".into(),
            all => format!("the symbols are {}", all.join(", ")),
        });
        let message = format!("'symbols' names the symbol '{unknown}', which no function of the module has");
        cx.diags.emit(Diagnostic::error(&UNKNOWN_SIZE, module.loc(kernel), message).suggest(fix));
        Err(PassFailed)
    }

    /// How many of the best plans of a kernel are skipped: those of the kernel, or of one derived from it, whose name begins
    /// with its name and `_`.
    fn skipped(&self, kernel: &str) -> usize {
        let is_of = |name: &str| name.strip_prefix(kernel).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
        self.skipped.iter().filter(|(name, _)| is_of(name)).map(|(_, plans)| *plans).max().unwrap_or(0)
    }

    /// Counts the plans that were compared for a kernel, and reports the best ones.
    fn report<'a>(&self, cx: &PassCx<'_>, kernel: OpRef<'_>, all: impl Iterator<Item = &'a Chosen>) {
        for chosen in all {
            cx.count("candidates", chosen.ranked.len() as u64);
            cx.count("stopped", chosen.stopped as u64);
            if cx.wants_remarks() {
                self.tell(cx, kernel, chosen);
            }
        }
    }

    fn tell(&self, cx: &PassCx<'_>, kernel: OpRef<'_>, chosen: &Chosen) {
        let name = kernel.symbol_name().unwrap_or_default();
        let (count, stopped) = (chosen.ranked.len(), chosen.stopped);
        for (at, (plan, cost)) in chosen.ranked.iter().take(self.top).enumerate() {
            let place = if at == 0 { "the plan".to_string() } else { format!("plan {}", at + 1) };
            let time =
                chosen.measured.filter(|_| at == 0).map(|time| format!("measured {:.2} us; ", time as f64 / 1e3));
            let (plan, time) = (summary(cx.ctx, plan), time.unwrap_or_default());
            let message = format!("{place} of @{name}, of {count} candidates, {stopped} refused: {plan}: {time}{cost}");
            cx.remark(RemarkKind::Analysis, kernel.loc(), message);
        }
        for why in chosen.refused.iter().take(self.top) {
            cx.remark(
                RemarkKind::Missed,
                kernel.loc(),
                format!("a plan of @{name} that {} cannot do, {why}", self.target),
            );
        }
    }
}

/// A plan of blocks that share a reduction: each has one part of one tile, and stores accumulators, which are not the results.
fn of_parts(plan: Schedule) -> Schedule {
    let split_k = plan.split_k.map(|split| Split { parts: split.parts.min(MOST_UNROLLED), ..split });
    let overlap = plan.overlap.map(|overlap| Async { epilogue_overlap: false, ..overlap });
    Schedule { persistent: None, order: None, store: None, split_k, overlap, ..plan }
}

/// A plan as it is written, and compared. Widths of one element are what is known of sizes, and not what the kernel is to keep to.
pub fn written(mut plan: Schedule) -> Schedule {
    plan.vectors.iter_mut().for_each(|vectors| vectors.0.retain(|(_, width)| *width > 1));
    plan.vectors = plan.vectors.filter(|vectors| !vectors.0.is_empty());
    plan
}

/// The clauses that tell plans apart.
pub fn summary(ctx: &Context, plan: &Schedule) -> String {
    let shown = [
        "tile ",
        "instruction ",
        "warp_tile ",
        "thread_tile ",
        "threads ",
        "stages ",
        "cluster ",
        "roles ",
        "split_k ",
        "unroll ",
    ];
    let is_shown = |clause: &String| shown.iter().any(|word| clause.starts_with(word));
    let clauses: Vec<String> = plan.clauses(ctx).into_iter().filter(is_shown).collect();
    if clauses.is_empty() { "nothing to decide".into() } else { clauses.join(" ") }
}

/// Plans for a kernel, the best first, with what they cost.
pub struct Chosen {
    /// The plans.
    pub ranked: Vec<(Schedule, Cost)>,
    /// How many a condition stopped.
    pub stopped: usize,
    /// Plans that the target cannot do, and why.
    pub refused: Vec<String>,
    /// The nanoseconds that the first plan took, where it was measured.
    pub measured: Option<i64>,
}

impl Chosen {
    /// Leaves out the plans that fix symbols whose sizes nobody gave, if others are left.
    fn keep_given(&mut self, is_given: &dyn Fn(&str) -> bool) {
        let is_open =
            |(plan, _): &(Schedule, Cost)| plan.fix.iter().flat_map(|fix| &fix.0).all(|(name, _)| is_given(name));
        if self.ranked.iter().any(is_open) {
            self.ranked.retain(is_open);
        }
    }

    /// The best plan from a number on that fixes no sizes; that number where each does.
    fn first_open(&self, from: usize) -> usize {
        let plans = self.ranked.iter().enumerate().skip(from);
        plans.filter(|(_, (plan, _))| plan.fix.is_none()).map(|(number, _)| number).next().unwrap_or(from)
    }

    /// Puts a plan that was measured before all others. An error says why the kernel cannot have it.
    fn take_measured(
        &mut self,
        ctx: &Context,
        (kernel, facts): (&Body, &Facts),
        measured: &Measured,
        (base, target): (&Schedule, &Target),
        assume: &dyn Fn(&str) -> i64,
    ) -> Result<(), String> {
        let plan = Schedule { of: base.of.clone(), ..measured.plan.clone() };
        if is_for_other_sizes(ctx, kernel, &plan, assume) {
            return Err("another kernel runs in its place at these sizes".into());
        }
        let known = self.ranked.iter().position(|(other, _)| written(other.clone()) == plan);
        match known {
            Some(known) => self.ranked[..=known].rotate_right(1),
            None => {
                // It stays as it is written: what is not followed of it is reported, as of every plan.
                followed(ctx, kernel, plan.clone(), target)?;
                let cost = estimate(ctx, kernel, facts, &plan, target);
                self.ranked.insert(0, (plan, cost));
            }
        }
        self.measured = Some(measured.nanoseconds);
        Ok(())
    }
}

/// The plans for a kernel that fit a target, the best first, and before all others those that run at the sizes that
/// `assume` gives symbols; `base` has its name and that of the target;
/// `precision` is how tensor cores may multiply `f32`. `None` for a body that is no kernel.
pub fn choose_plan(
    ctx: &Context,
    kernel: &Body,
    base: Schedule,
    (target, precision): (&Target, Option<Precision>),
    assume: &dyn Fn(&str) -> i64,
) -> Option<Chosen> {
    let facts = Facts::of(ctx, kernel, assume)?;
    let precision = facts.precision(precision);
    let maker = CandidateGenerator { ctx, body: kernel, facts: &facts, target, base: base.clone(), precision };
    let (mut plans, mut refused): (Vec<Schedule>, Vec<String>) = Default::default();
    for plan in maker.candidates() {
        match followed(ctx, kernel, plan.clone(), target) {
            Err(message) => refused.push(format!("{}: {message}", summary(ctx, &plan))),
            Ok(plan) if plans.contains(&plan) => {}
            Ok(plan) => plans.push(plan),
        }
    }
    if plans.is_empty() {
        plans.push(base);
    }
    let cost = |plan: Schedule| {
        let cost = estimate(ctx, kernel, &facts, &plan, target);
        ([is_for_other_sizes(ctx, kernel, &plan, assume), is_pruned(ctx, &plan, target)], cost, plan)
    };
    let mut ranked: Vec<([bool; 2], Cost, Schedule)> = plans.into_iter().map(cost).collect();
    let stopped = ranked.iter().filter(|([_, stop], ..)| *stop).count();
    // A stable sort: of equal ones the first candidate stays first.
    ranked.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.time.total_cmp(&b.1.time)));
    // Of those that are estimated to be as fast, and have as many threads and loads in flight, the one with the fewest
    // partial sums.
    let threads =
        |cost: &Cost, plan: &Schedule| cost.tiles * plan.threads.as_ref().and_then(Table::product).unwrap_or(1) as f64;
    let is_alike = |(order, cost, plan): &([bool; 2], Cost, Schedule)| {
        let (first_order, first, best) = &ranked[0];
        let is_as_busy = threads(cost, plan) >= threads(first, best) && cost.in_flight >= first.in_flight;
        order == first_order && cost.time <= first.time * NEAR && is_as_busy
    };
    let parts = |at: &usize| ranked[*at].2.split_k.as_ref().map_or(1, |split| split.parts);
    if let Some(best) = (0..ranked.len()).filter(|&at| is_alike(&ranked[at])).min_by_key(parts) {
        ranked[..=best].rotate_right(1);
    }
    let ranked = ranked.into_iter().map(|(_, cost, plan)| (plan, cost)).collect();
    Some(Chosen { ranked, stopped, refused, measured: None })
}

/// A plan without clauses that change nothing. An error says why a target cannot do it, or the kernel has no use for it.
fn followed(ctx: &Context, kernel: &Body, plan: Schedule, target: &Target) -> Result<Schedule, String> {
    if let Some(broken) = check(ctx, &plan, target).into_iter().next() {
        return Err(broken.message);
    }
    let resolved = match resolve(ctx, kernel, Some(&plan), std::slice::from_ref(target), true) {
        Ok(resolved) => resolved,
        Err(Refused::Plan(rule, _)) => return Err(rule.message),
        Err(Refused::TooLarge) => return Ok(plan),
    };
    if plan.tile.is_some() && !resolved.mapping.is_planned {
        return Err("its tile is none that the reductions of the kernel go along".into());
    }
    // A cache is more than what is reported of it.
    let words = resolved.unfollowed.iter().map(|(word, _)| *word).filter(|word| *word != "cache");
    let mut followed = plan.clone();
    words.for_each(|word| followed.clear(word));
    // What changes nothing may still be what says how many threads there are.
    let plan = if check(ctx, &followed, target).is_empty() { followed } else { plan };
    Ok(if resolved.parts.is_some() { of_parts(plan) } else { plan })
}

/// Whether another kernel runs in place of one with a plan, at the sizes that `assume` gives symbols.
fn is_for_other_sizes(ctx: &Context, kernel: &Body, plan: &Schedule, assume: &dyn Fn(&str) -> i64) -> bool {
    let size = |symbol: &str| Some(assume(symbol));
    conditions(ctx, kernel, plan).iter().any(|condition| condition.holds(&size) != Ok(true))
}

/// What is said of a measured plan that cannot be that of its kernel.
fn measured_refused(kernel: OpRef<'_>, measured: &Measured, why: &str) -> Diagnostic {
    let name = kernel.symbol_name().unwrap_or_default();
    let time = measured.nanoseconds as f64 / 1e3;
    let message = format!("the plan of @{name} that took {time:.2} us on {} is not taken: {why}", measured.device);
    let warning = Diagnostic::warning(&MEASURED_REFUSED, kernel.loc(), message);
    warning.suggest("measure it again, or remove it from the file of measured plans")
}

/// Whether a condition of section 11 stops a plan: it takes more than four fifths of the shared memory, or so many registers
/// that one block fills an SM. Blocks with roles, or that go from tile to tile, are alone there by
/// intent, and so are those whose fragments are loaded ahead.
fn is_pruned(ctx: &Context, plan: &Schedule, target: &Target) -> bool {
    if plan.persistent.is_some() || plan.roles.is_some() || plan.in_flight.is_some() {
        return false;
    }
    let smem = plan.footprint(ctx).smem.unwrap_or(i64::MAX);
    smem > target.smem_per_block / 5 * 4 || resident_by_registers(ctx, plan, target) < 2
}

/// A plan that is there names axes and tensors of its kernel.
fn check_matches_kernel(cx: &PassCx<'_>, op: OpRef<'_>, plan: &Schedule, kernel: &Body) -> PassResult {
    let axes = KernelAxes::of(cx.ctx, kernel);
    let root = OpRef::new(cx.ctx, kernel, kernel.root());
    let args = kernel.entry_block().map_or(&[][..], |block| kernel.args(block));
    let mut tensors: Vec<&str> = args.iter().map(|&arg| cx.ctx.str(kernel.value_name(arg))).collect();
    tensors.extend(Func::of(root).map(Func::outputs).unwrap_or_default());
    let own = plan.tile.iter().flat_map(|tile| tile.names());
    let read = plan.caches.iter().flat_map(|cache| cache.axes.iter().flatten()).map(String::as_str);
    let axis = own.chain(read).find(|axis| axes.position(axis).is_none());
    let tensor = plan.caches.iter().map(|cache| cache.tensor.as_str()).find(|name| !tensors.contains(name));
    let (what, name, all) = match (axis, tensor) {
        (Some(axis), _) => ("axis", axis, axes.names.iter().map(String::as_str).collect::<Vec<_>>()),
        (None, Some(tensor)) => ("tensor", tensor, tensors),
        (None, None) => return Ok(()),
    };
    let kernel = root.symbol_name().unwrap_or_default();
    let plural = if what == "axis" { "axes" } else { "tensors" };
    let message = format!("the plan has the {what} '{name}', and the {plural} of @{kernel} are {}", all.join(", "));
    let near = did_you_mean(name, all.iter().copied());
    let error = Diagnostic::error(&NOT_OF_KERNEL, op.loc(), message).at(op.name()).suggest_if(near);
    cx.diags.emit(error.note(root.loc(), "the kernel is here"));
    Err(PassFailed)
}
