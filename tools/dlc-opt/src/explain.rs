//! The kernels of a program as a table: what each computes, by which plan, how long an estimate says it takes, and what limits
//! it.

use std::collections::BTreeSet;

use dlc_core::precision::Precision;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::{Diagnostic, RemarkKind, line_column};
use dlc_ir::{Context, Loc, OpId};
use dlc_passes::analysis::axes::contributions;
use dlc_passes::region::choose_plan::cost::Cost;
use dlc_passes::region::choose_plan::{Chosen, choose_plan, summary};
use dlc_plan::Schedule;
use dlc_region::ops::{Binary, Reduce, Scan, Sort, Unary};
use indexmap::{IndexMap, IndexSet};

use crate::planned::{ASSUMED, LaunchedKernel, PlannedKernel, machine, size_of};
use crate::report::pattern;
use crate::table::{lines, table};

/// The most functions that are named of a kernel.
const MOST_NAMED: usize = 6;

/// A kernel that a program launches.
pub struct Launched {
    /// Its name, without `@`.
    pub name: String,
    /// Where the value is that it stores.
    pub loc: Loc,
    /// What it computes, in words.
    pub computes: String,
    /// Its plan, in a line.
    pub plan: String,
    /// What it costs by the estimate, if the module says for which machine its plan is.
    pub cost: Option<Cost>,
    /// What its symbols are.
    sizes: Vec<(String, i64)>,
    /// The number of its launch; kernels that a launch chooses from have the same.
    pub launch: usize,
    /// Whether another kernel of its launch stands before it.
    pub is_alternative: bool,
}

impl Launched {
    /// The plans that are compared for it, for the machine that its plan is for.
    pub fn candidates(
        &self,
        ctx: &Context,
        module: &Body,
        plan: &Schedule,
        precision: Option<Precision>,
    ) -> Option<Chosen> {
        let size = |symbol: &str| size_of(&self.sizes, symbol);
        let base = Schedule { targets: plan.targets.clone(), ..Schedule::new(&self.name, "") };
        let target = machine(ctx, module, plan)?;
        choose_plan(ctx, nested(ctx, module, &self.name)?, base, (&target, precision), &size)
    }

    /// The row of the table of kernels.
    fn row(&self) -> [String; 5] {
        let name = if self.is_alternative { format!("or @{}", self.name) } else { format!("@{}", self.name) };
        let time = self.cost.map_or(String::new(), |cost| format!("{:.1}", cost.time));
        let limit = self.cost.as_ref().map_or("", limit).to_string();
        [name, time, limit, self.computes.clone(), self.plan.clone()]
    }
}

/// The kernels that a function launches, in order, of a module with plans; those of the module where it launches none.
/// `symbols` are the sizes that they are estimated for.
pub fn launched(ctx: &Context, module: &Body, function: &str, symbols: &[(String, i64)]) -> Vec<Launched> {
    let of_program = |name: &str| symbols.iter().find(|(own, _)| own == name).map_or(ASSUMED, |(_, size)| *size);
    let kernels = LaunchedKernel::all(ctx, module, function, &of_program);
    kernels.iter().filter_map(|kernel| launched_kernel(ctx, module, kernel)).collect()
}

fn nested<'b>(ctx: &Context, module: &'b Body, name: &str) -> Option<&'b Body> {
    let mut ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
    module.nested(ops.find(|&op| OpRef::new(ctx, module, op).symbol_name() == Some(name))?)
}

fn launched_kernel(ctx: &Context, module: &Body, launched: &LaunchedKernel) -> Option<Launched> {
    let LaunchedKernel { name, launch, is_alternative, .. } = launched;
    let (launch, is_alternative) = (*launch, *is_alternative);
    let kernel = PlannedKernel::of(ctx, module, name, &|symbol| launched.size(symbol))?;
    let plan = kernel.plan.as_ref().map_or_else(|| "the default tiling".to_string(), |plan| summary(ctx, plan));
    let computes = computes(ctx, nested(ctx, module, name)?, &kernel.products);
    let (name, loc, cost, sizes) = (name.to_string(), kernel.loc, kernel.cost, launched.sizes.clone());
    Some(Launched { name, loc, computes, plan, cost, sizes, launch, is_alternative })
}

/// The terms of an estimate, in microseconds, and what each is.
pub fn terms(cost: &Cost) -> [(f64, &'static str); 6] {
    [
        (cost.compute, "computing"),
        (cost.memory, "memory"),
        (cost.cache, "L2 cache"),
        (cost.latency, "waiting for loads"),
        (cost.epilogue, "storing"),
        (cost.penalties, "penalties"),
    ]
}

/// The term of an estimate that is the largest.
pub fn limit(cost: &Cost) -> &'static str {
    let work = terms(cost).into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    work.filter(|(time, _)| 2.0 * time > cost.time).map_or("the launch", |(_, word)| word)
}

/// What a kernel does, as words, in the order of the text, each once.
fn computes(ctx: &Context, kernel: &Body, products: &[OpId]) -> String {
    let mut words: Vec<String> = Vec::new();
    let factors: Vec<_> = products.iter().filter_map(|&product| contributions(kernel, product)).collect();
    for op in kernel.walk() {
        let view = OpRef::new(ctx, kernel, op);
        if Binary::of(view).is_some() && kernel.block_of(op).is_some_and(|block| factors.contains(&block)) {
            continue;
        }
        let word = match Reduce::of(view) {
            Some(_) if products.contains(&op) => Some("sum of products".to_string()),
            Some(reduce) => Some(reduce.combiner().map_or("combine", |of| of.word()).to_string()),
            None => Unary::of(view)
                .map(|unary| unary.function().word())
                .or_else(|| Binary::of(view).map(|binary| binary.function().word()))
                .or_else(|| view.is(Scan::DEF).then_some("scan"))
                .or_else(|| view.is(Sort::DEF).then_some("sort"))
                .map(str::to_string),
        };
        words.extend(word.filter(|word| !words.contains(word)));
    }
    let more = words.len().saturating_sub(MOST_NAMED);
    words.truncate(MOST_NAMED);
    match (words.is_empty(), more) {
        (true, _) => "copy".into(),
        (false, 0) => words.join(", "),
        (false, more) => format!("{}, {more} more", words.join(", ")),
    }
}

/// The table of kernels, and how long all together take.
pub fn kernels(launched: &[Launched]) -> String {
    let mut shown = table(["kernel", "estimate, us", "limited by", "computes", "plan"], &[1]);
    launched.iter().for_each(|kernel| {
        shown.add_row(kernel.row());
    });
    // The best of the kernels that a launch chooses from, if all of them have an estimate.
    let mut of_launches: IndexMap<usize, Option<f64>> = IndexMap::new();
    for kernel in launched {
        let time = kernel.cost.map(|cost| cost.time);
        let best = of_launches.entry(kernel.launch).or_insert(time);
        *best = best.zip(time).map(|(best, time)| best.min(time));
    }
    let all = of_launches.values().copied().sum::<Option<f64>>();
    let count = match of_launches.len() {
        1 => "1 kernel".to_string(),
        count => format!("{count} kernels"),
    };
    let all = all.map_or(String::new(), |all| format!(", {all:.1} us by the estimate"));
    format!("{count}{all}\n{}", lines(&shown))
}

/// Why kernels end where they do: what passes say of the values that they store.
pub fn ends(ctx: &Context, launched: &[Launched], remarks: &[Diagnostic]) -> String {
    let mut stored: IndexMap<Loc, Vec<&Diagnostic>> = IndexMap::new();
    for remark in remarks.iter().filter(|remark| is_stored(remark)) {
        stored.entry(remark.loc).or_default().push(remark);
    }
    let mut by_place: IndexMap<Loc, Vec<&Launched>> = IndexMap::new();
    launched.iter().for_each(|kernel| by_place.entry(kernel.loc).or_default().push(kernel));
    let mut lines: IndexSet<String> = IndexSet::new();
    for kernel in launched.iter().filter(|kernel| kernel.loc != Loc::UNKNOWN && !kernel.is_alternative) {
        let missed = stored.get(&kernel.loc).map(Vec::as_slice).unwrap_or_default();
        // A kernel that copies for another one is where that is, and before it.
        let is_later = |other: &Launched| other.launch > kernel.launch && other.name != kernel.name;
        if missed.is_empty() || by_place[&kernel.loc].iter().any(|other| is_later(other)) {
            continue;
        }
        let line = |remark: &&Diagnostic| format!("  @{}: {}{}\n", kernel.name, place(ctx, remark), remark.message);
        lines.extend(missed.iter().map(line));
    }
    let lines: String = lines.into_iter().collect();
    if lines.is_empty() { lines } else { format!("\nwhy kernels end there\n{lines}") }
}

/// Whether a remark says why a value is stored.
fn is_stored(remark: &Diagnostic) -> bool {
    matches!(remark.remark, Some(("form-regions", RemarkKind::Missed)))
}

/// What passes decided that the tables do not have.
pub fn decisions(ctx: &Context, remarks: &[Diagnostic]) -> String {
    let is_plan = |remark: &Diagnostic| matches!(remark.remark, Some(("choose-plan", RemarkKind::Analysis)));
    let others = remarks.iter().filter(|remark| !is_stored(remark) && !is_plan(remark));
    let lines: String = grouped(ctx, others).into_iter().map(|line| format!("  {line}\n")).collect();
    format!("\ndecisions\n{lines}")
}

/// Remarks and warnings on a line each; those that differ in names, sizes and numbers alone once, with how many there are.
fn grouped<'d>(ctx: &Context, remarks: impl Iterator<Item = &'d Diagnostic>) -> Vec<String> {
    let mut groups: IndexMap<String, (String, BTreeSet<String>)> = IndexMap::new();
    for remark in remarks {
        let by = remark.remark.map_or(remark.severity.word(), |(pass, _)| pass);
        let line = format!("{}{by}: {}", place(ctx, remark), remark.message);
        let (_, all) =
            groups.entry(format!("{by}: {}", pattern(&remark.message))).or_insert((line.clone(), BTreeSet::new()));
        // A kernel and its fallback are lowered alike.
        all.insert(line);
    }
    let line = |(first, all): (String, BTreeSet<String>)| match all.len() {
        1 => first,
        count => format!("{first} ({count} alike)"),
    };
    groups.into_values().map(line).collect()
}

fn place(ctx: &Context, remark: &Diagnostic) -> String {
    line_column(ctx, remark.loc).map_or(String::new(), |(_, line, column)| format!("{line}:{column} "))
}
