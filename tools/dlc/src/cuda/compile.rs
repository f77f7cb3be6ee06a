//! From a program of any layer to PTX for the device.

use std::collections::BTreeMap;

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::context::Str;
use dlc_ir::define::{Kind, Text};
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::op::Traits;
use dlc_ir::pass::instrument::Instrument;
use dlc_ir::pass::pipeline::{Item, Pipeline};
use dlc_ir::pass::registry::Registry;
use dlc_ir::{Builder, Context, Loc, OpId};
use dlc_opt::Status;
use dlc_opt::function::Function;
use dlc_passes::kernel::check_async::{NOT_CHECKED, check_async, grids};
use dlc_plan::Measured;
use dlc_translate::manifest::plan::Plan;
use dlc_translate::manifest::{Manifest, NOT_FOR_SIZES};
use dlc_translate::ptx::{Translated, translate};

use super::NOT_COMPILED;
use super::driver::Device;
use super::module::choose;
use crate::module::{self, Verified};
use crate::options::{F32, Planning, ShapeSet};
use dlc_opt::planned::Planned;

dlc_ir::codes! {
    /// The plan that was chosen for a kernel is not verified, and another one is taken.
    PLAN_NOT_VERIFIED = "E0568" "PlanNotVerified";
}

/// How many of the best plans of a kernel that is not verified are skipped, by attempt. In the last one it has no plan, and
/// the default tile.
const SKIPPED: [i64; 3] = [1, 6, i64::MAX];

/// The layers that are launched.
const LAUNCHED: [&str; 2] = ["host", "ptx"];

/// What is to be run of a module, as PTX.
pub struct Compiled {
    /// The text, and how it is launched.
    pub translated: Translated,
    /// The kernels as they were planned, where somebody wants to know.
    pub planned: Option<Planned>,
}

/// The machine that programs are compiled for: the one that is named, or the one that the device is most like.
pub fn target<'a>(named: Option<&'a str>, device: &Device) -> &'a str {
    match named {
        Some(target) => target,
        // Instructions of sm_90a are for that alone.
        None if device.capability == (9, 0) => "sm90",
        None => "sm80",
    }
}

/// The bits of places in tensors whose sizes are symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexWidth {
    /// 32: kernels are for tensors of up to some 2^31 elements.
    Narrow,
    /// 64.
    Wide,
}

impl IndexWidth {
    /// The pipeline from kernels with plans to instructions.
    fn pipeline(self) -> &'static str {
        match self {
            IndexWidth::Narrow => "region-to-ptx",
            IndexWidth::Wide => "region-to-ptx-wide",
        }
    }
}

/// How many of the best plans are skipped, by the name of the kernel.
type Skipped = BTreeMap<String, i64>;

/// The sizes that plans are chosen for.
#[derive(Clone, Copy, Default)]
pub struct PlannedSizes<'a> {
    /// What symbols are: kernels are formed and plans compared for these.
    pub symbols: &'a [(String, i64)],
    /// Others that plans of their own are chosen for, each with a number for each symbol of the function, in its order.
    pub others: &'a [Vec<i64>],
}

impl<'a> PlannedSizes<'a> {
    /// Those of one binding.
    pub fn of(symbols: &'a [(String, i64)]) -> PlannedSizes<'a> {
        PlannedSizes { symbols, others: &[] }
    }

    /// The option `symbols`, or nothing. A size of nothing is no size to plan for.
    fn known(self) -> String {
        let sizes: Vec<String> = self.symbols.iter().map(|(name, size)| format!("{name}:{}", (*size).max(1))).collect();
        if sizes.is_empty() { String::new() } else { format!("symbols=[{}]", sizes.join(",")) }
    }

    /// The option `sizes`, or nothing.
    fn others(self) -> String {
        let text = |sizes: &Vec<i64>| sizes.iter().map(|size| (*size).max(1).to_string()).collect::<Vec<_>>().join("x");
        let others: Vec<String> = self.others.iter().map(text).collect();
        if others.is_empty() { String::new() } else { format!(" sizes=[{}]", others.join(",")) }
    }
}

/// The sizes of all shape sets but the first, in the order of the symbols of a function.
pub fn others(function: &Function, sets: &[ShapeSet]) -> Vec<Vec<i64>> {
    let number = |set: &ShapeSet, name: &String| set.iter().find(|(own, _)| own == name).map_or(1, |(_, size)| *size);
    sets.iter().skip(1).map(|set| function.symbols.iter().map(|name| number(set, name)).collect()).collect()
}

/// The pipeline that leads to instructions, for sizes. Without a plan it is `tiny-to-ptx`, with one `tiny-to-ptx-sm90` or its
/// like, where kernels and plans are compared for these sizes.
fn ptx_pipeline(
    skipped: &Skipped,
    planning: Planning,
    target: &str,
    sizes: PlannedSizes<'_>,
    places: IndexWidth,
) -> String {
    format!("{},add-fallback,{}", planned(skipped, planning, target, sizes), places.pipeline())
}

/// The beginning of the pipeline to instructions that leads to a layer; `None` for a layer above `region`.
pub fn planned_pipeline_to(layer: &str, planning: Planning, target: &str, sizes: PlannedSizes<'_>) -> Option<String> {
    let none = Skipped::new();
    match layer {
        "region" => Some(planned(&none, Planning::Off, target, sizes)),
        "plan" => Some(planned(&none, planning, target, sizes)),
        "kernel" => Some(format!("{},add-fallback,tensorize,kernel-schedule", planned(&none, planning, target, sizes))),
        "ptx" => Some(ptx_pipeline(&none, planning, target, sizes, IndexWidth::Narrow)),
        _ => None,
    }
}

/// The part of [`ptx_pipeline`] that leads to kernels, with their plans.
fn planned(skipped: &Skipped, planning: Planning, target: &str, sizes: PlannedSizes<'_>) -> String {
    let known = sizes.known();
    let regions = if known.is_empty() { String::new() } else { format!("{{{known}}}") };
    match planning {
        Planning::Off => format!("tiny-to-region{regions}"),
        Planning::Choose(f32) => {
            let own = if f32 == F32::default() { String::new() } else { format!(" f32={}", f32.word()) };
            let skip: Vec<String> = skipped.iter().map(|(kernel, plans)| format!("{kernel}:{plans}")).collect();
            let skip = if skip.is_empty() { String::new() } else { format!(" skip=[{}]", skip.join(",")) };
            let options = format!("target={target}{own}{skip} {known}{}", sizes.others());
            format!("tiny-to-region{regions},choose-plan{{{}}}", options.trim_end())
        }
    }
}

/// What compiling needs besides the program.
#[derive(Clone, Copy)]
pub struct Compiler<'a> {
    /// The context.
    pub ctx: &'a Context,
    /// The passes there are.
    pub registry: &'a Registry,
    /// The passes that the user names, which run first.
    pub passes: Option<&'a Pipeline>,
    /// How kernels without a plan are made.
    pub planning: Planning,
    /// Sizes that plans of their own are chosen for: with some, a program is compiled for all sizes at once.
    pub shape_sets: &'a [ShapeSet],
    /// Plans that were measured on the device, which replace the estimate.
    pub measured: &'a [Measured],
    /// Whether kernels that are not verified are compiled too.
    pub unchecked: bool,
    /// How many threads run passes.
    pub threads: usize,
    /// Whether [`Compiled::planned`] is wanted.
    pub keeps_planned: bool,
    /// The file that the PTX is written to, if it is: then it says which lines of the program it is of.
    pub ptx_file: Option<&'a str>,
    /// Where to report.
    pub diags: &'a Diagnostics,
}

impl Compiler<'_> {
    /// Compiles a function of a module with all that it needs, for a machine. `None` where no passes lead from its layer to
    /// instructions. What goes wrong is reported.
    ///
    /// Where the plan that was chosen for a kernel is not verified, others are tried, and a warning says so.
    pub fn compile(
        &self,
        module: &Body,
        function: &Function,
        sizes: PlannedSizes<'_>,
        planning: Planning,
        target: &str,
        places: IndexWidth,
    ) -> Result<Option<Compiled>, Status> {
        let report = |own: Vec<Diagnostic>| own.into_iter().for_each(|diagnostic| self.diags.emit(diagnostic));
        let mut first: Option<(Status, Vec<Diagnostic>)> = None;
        let (mut skipped, mut refusals) = (Skipped::new(), Vec::new());
        for skip in SKIPPED.into_iter().map(Some).chain([None]) {
            let text = format!("symbol-dce,{}", ptx_pipeline(&skipped, planning, target, sizes, places));
            let own = Diagnostics::new();
            let (status, refused) = match self.attempt(module, function, &text, &own) {
                Ok(compiled) => {
                    report(refusals);
                    report(own.take());
                    return Ok(compiled);
                }
                Err(failed) => failed,
            };
            let own = own.take();
            let is_new = |kernel: &&Unverified| skipped.get(&kernel.name).is_none_or(|plans| Some(*plans) < skip);
            let others: Vec<&Unverified> = refused.iter().filter(is_new).collect();
            let is_over = skip.is_none() || others.is_empty() || planning == Planning::Off;
            let (status, own) = first.take().unwrap_or((status, own));
            if is_over {
                report(own);
                return Err(status);
            }
            first = Some((status, own));
            for kernel in others {
                if skipped.insert(kernel.name.clone(), skip.unwrap_or(i64::MAX)).is_none() {
                    refusals.push(kernel.warning());
                }
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Compiles by a pipeline. Errors: the status, and the kernels that are not verified, if that alone is wrong.
    fn attempt(
        &self,
        module: &Body,
        function: &Function,
        text: &str,
        diags: &Diagnostics,
    ) -> Result<Option<Compiled>, (Status, Vec<Unverified>)> {
        let Compiler { ctx, registry, threads, .. } = *self;
        let pipeline = Pipeline::parse_reporting(registry, ctx, ("<pipeline to PTX>", text), false, diags);
        let mut pipeline = pipeline.ok_or((Status::Internal, Vec::new()))?;
        if self.unchecked {
            leave_unchecked(registry, &mut pipeline.items);
        }
        let mut module = self.prepared(module, function, diags).map_err(|status| (status, Vec::new()))?;
        let planned = Planned::default();
        let watch: &[&dyn Instrument] = if self.keeps_planned { &[&planned] } else { &[] };
        module::transform(ctx, registry, &pipeline, &mut module, threads, Verified::AtEnd, watch, diags)
            .map_err(|status| (status, Unverified::of(ctx, &module)))?;
        let mut all = functions(ctx, &module);
        if !all.any(|(_, name, layer)| name == function.name && LAUNCHED.contains(&layer)) {
            return Ok(None);
        }
        // Lines of the program are for readers of the file; without them the same text is the same module elsewhere.
        let name = self.ptx_file.map_or_else(|| format!("{}.ptx", function.name), str::to_string);
        let translated = translate(ctx, &module, &name, self.ptx_file.is_some(), diags);
        let mut translated = translated.ok_or((Status::Failure, Vec::new()))?;
        // Passes make other values of outputs; their names are those that the program gave them.
        let made = translated.manifest.programs.iter_mut().find(|program| program.name == function.name);
        for (made, own) in made.into_iter().flat_map(|program| &mut program.outputs).zip(&function.outputs) {
            made.name.clone_from(&own.name);
        }
        Ok(Some(Compiled { translated, planned: self.keeps_planned.then_some(planned) }))
    }

    /// A copy of a module in which one function is public, after the passes that the user names, with the plans that were
    /// measured.
    fn prepared(&self, module: &Body, function: &Function, diags: &Diagnostics) -> Result<Body, Status> {
        let Compiler { ctx, registry, threads, .. } = *self;
        let mut module = module.clone();
        make_only_public(ctx, &mut module, &function.name);
        if let Some(passes) = self.passes {
            module::transform(ctx, registry, passes, &mut module, threads, Verified::Each, &[], diags)?;
        }
        if self.planning != Planning::Off {
            put_measured(ctx, &mut module, self.measured);
        }
        Ok(module)
    }

    /// The kernels of a function with their plans, before they are made into blocks; plans that were not verified are not
    /// looked for. What goes wrong is reported.
    pub fn with_plans(
        &self,
        module: &Body,
        function: &Function,
        sizes: PlannedSizes<'_>,
        target: &str,
    ) -> Result<Body, Status> {
        let Compiler { ctx, registry, threads, diags, .. } = *self;
        let mut module = self.prepared(module, function, diags)?;
        let text = format!("symbol-dce,{}", planned(&Skipped::new(), self.planning, target, sizes));
        let pipeline = Pipeline::parse_reporting(registry, ctx, ("<pipeline to plans>", &text), false, diags);
        let pipeline = pipeline.ok_or(Status::Internal)?;
        module::transform(ctx, registry, &pipeline, &mut module, threads, Verified::AtEnd, &[], diags)?;
        Ok(module)
    }

    /// Compiles a kernel as it stands in a module, with the plan that stands next to it, if it is verified. What goes wrong is
    /// reported.
    pub fn compile_kernel(
        &self,
        module: &Body,
        kernel: &Function,
        places: IndexWidth,
    ) -> Result<Option<Compiled>, Status> {
        let alone = Compiler { passes: None, measured: &[], unchecked: false, ..*self };
        let text = format!("symbol-dce,{}", places.pipeline());
        alone.attempt(module, kernel, &text, self.diags).map_err(|(status, _)| status)
    }

    /// Compiles a function once for all sizes, with plans for the shape sets: kernels are formed for the first. `None` where no
    /// passes lead from its layer to instructions. What goes wrong is reported.
    pub fn compile_for_sets(
        &self,
        module: &Body,
        function: &Function,
        target: &str,
    ) -> Result<Option<Compiled>, Status> {
        let sets = self.shape_sets;
        let others = others(function, sets);
        let sizes = PlannedSizes { symbols: sets.first().map_or(&[], Vec::as_slice), others: &others };
        self.compile(module, function, sizes, self.planning, target, IndexWidth::Narrow)
    }

    /// Compiles a function so that it runs with these sizes, and the launches of that run. `None` where no passes lead from
    /// its layer to instructions. What goes wrong is reported.
    ///
    /// Places of 32 bits are for tensors of up to some 2^31 elements, and a plan may require something of sizes: where the
    /// sizes are none that it is for, the function is compiled with places of 64 bits, and then without a plan. A program
    /// that launches kernels has a fallback kernel next to that with a plan; this is for kernels that no program launches.
    pub fn compile_for(
        &self,
        module: &Body,
        function: &Function,
        symbols: &[(String, i64)],
        target: &str,
    ) -> Result<Option<(Compiled, Plan)>, Status> {
        let plan = |compiled: &Compiled| plan_of(&compiled.translated.manifest, function, symbols);
        if !self.shape_sets.is_empty() {
            let compiled = self.compile_for_sets(module, function, target)?;
            // At other sizes it is compiled for these alone.
            if let Some((compiled, Ok(plan))) = compiled.map(|compiled| {
                let plan = plan(&compiled);
                (compiled, plan)
            }) {
                return Ok(Some((compiled, plan)));
            }
        }
        let compile =
            |planning, places| self.compile(module, function, PlannedSizes::of(symbols), planning, target, places);
        let Some(compiled) = compile(self.planning, IndexWidth::Narrow)? else { return Ok(None) };
        let refused = match plan(&compiled) {
            Ok(plan) => return Ok(Some((compiled, plan))),
            Err(error) => error,
        };
        let others =
            [(self.planning, IndexWidth::Wide), (Planning::Off, IndexWidth::Narrow), (Planning::Off, IndexWidth::Wide)];
        for (planning, places) in others.into_iter().filter(|_| refused.code == &NOT_FOR_SIZES) {
            if let Some(compiled) = compile(planning, places)?
                && let Ok(plan) = plan(&compiled)
            {
                return Ok(Some((compiled, plan)));
            }
        }
        self.diags.emit(*refused);
        Err(Status::Failure)
    }
}

/// The launches of a function at these sizes.
///
/// # Errors
/// The sizes are none that it was compiled for, and what else a manifest says of them.
pub fn plan_of(manifest: &Manifest, function: &Function, symbols: &[(String, i64)]) -> Result<Plan, Box<Diagnostic>> {
    choose(manifest, Some(&function.name))?.plan(manifest, &symbols.iter().cloned().collect())
}

/// A kernel that is not verified.
struct Unverified {
    /// Its name.
    name: String,
    /// What is not verified of it.
    refusal: Box<Diagnostic>,
}

impl Unverified {
    /// Those of a module, where nothing else is wrong with its kernels.
    fn of(ctx: &Context, module: &Body) -> Vec<Unverified> {
        let mut found = Vec::new();
        for (op, name, _) in functions(ctx, module) {
            let Some(body) = module.nested(op) else { continue };
            for grid in grids(ctx, body) {
                match check_async(ctx, body, grid) {
                    Err(refusal) if refusal.code == &NOT_CHECKED => {
                        found.push(Unverified { name: name.to_owned(), refusal });
                    }
                    Err(_) => return Vec::new(),
                    Ok(_) => {}
                }
            }
        }
        found
    }

    fn warning(&self) -> Diagnostic {
        let Unverified { name, refusal } = self;
        let message =
            format!("the plan that is estimated to be the fastest for @{name} is skipped: {}", refusal.message);
        let warning = Diagnostic::warning(&PLAN_NOT_VERIFIED, refusal.loc, message);
        let warning = refusal.at.iter().fold(warning, |warning, op| warning.at(op));
        warning.suggest("the kernel has the next plan that is verified; with --unchecked it keeps this one")
    }
}

/// Lets passes go on with kernels that are not verified: none only asks for that, and the lowering to instructions warns.
fn leave_unchecked(registry: &Registry, items: &mut Vec<Item>) {
    items.retain(|item| !matches!(item, Item::Pass(pass) if pass.def.name == "check-async"));
    for item in items {
        match item {
            Item::Pass(pass) if pass.def.name == "kernel-to-ptx" => {
                // It keeps its other options.
                let text = pass.to_string();
                let options = text.trim_start_matches(pass.def.name).trim_matches(['{', '}']);
                let unchecked = Pipeline::parse(registry, &format!("{}{{{options} unchecked}}", pass.def.name));
                if let Some(Item::Pass(made)) = unchecked.ok().and_then(|made| made.items.into_iter().next()) {
                    *pass = made;
                }
            }
            Item::Nest(_, inner) => leave_unchecked(registry, inner),
            _ => {}
        }
    }
}

/// Puts plans that were measured at the end of a module, for `choose-plan`.
pub(crate) fn put_measured(ctx: &Context, module: &mut Body, plans: &[Measured]) {
    let Some(end) = module.entry_block() else { return };
    for plan in plans {
        plan.build(&mut Builder::new(ctx, module, InsertPoint::EndOf(end)), Loc::UNKNOWN);
    }
}

/// What is reported of a function that no pass makes into instructions.
pub fn not_compiled(function: &Function) -> Diagnostic {
    let message = format!("no registered pass makes instructions of @{}", function.name);
    Diagnostic::error(&NOT_COMPILED, function.loc, message).suggest("--device=cpu evaluates it")
}

/// Makes a function the only one that is not private, so that what it does not need can go.
fn make_only_public(ctx: &Context, module: &mut Body, name: &str) {
    let all: Vec<(OpId, bool)> = functions(ctx, module).map(|(op, own, _)| (op, own == name)).collect();
    if all.len() < 2 {
        return;
    }
    for (op, is_chosen) in all {
        let visibility = (!is_chosen).then(|| Text::make(ctx, "private"));
        if let Some(body) = module.nested_mut(op) {
            let root = body.root();
            body.set_prop(ctx, root, Str::SYM_VISIBILITY, visibility);
        }
    }
}

/// The functions of a module, with their names and layers.
fn functions<'a>(ctx: &'a Context, module: &'a Body) -> impl Iterator<Item = (OpId, &'a str, &'a str)> {
    let ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
    ops.filter_map(|id| {
        let op = OpRef::new(ctx, module, id).resolve();
        let name = op.symbol_name().filter(|_| op.has(Traits::CALLABLE))?;
        Some((id, name, op.name().split_once('.').map_or("", |(layer, _)| layer)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_reach_what_compares_kernels_and_plans() {
        let setup = dlc_opt::Setup::linked();
        let symbols = [("M".into(), 16), ("N".into(), 0)];
        let planning = Planning::Choose(F32::Ieee);
        let text = ptx_pipeline(
            &Skipped::from([("a".into(), 2)]),
            planning,
            "sm80",
            PlannedSizes::of(&symbols),
            IndexWidth::Narrow,
        );
        let text = Pipeline::parse(&setup.registry, &text).expect("it is a pipeline").to_string();
        assert!(text.contains("form-regions{symbols=[M:16,N:1]}"), "{text}");
        assert!(text.contains("choose-plan{target=sm80,f32=ieee,skip=[a:2],symbols=[M:16,N:1]}"), "{text}");
    }

    #[test]
    fn unverified_kernels_keep_their_wide_places() {
        let setup = dlc_opt::Setup::linked();
        let text = ptx_pipeline(&Skipped::new(), Planning::Off, "sm90", PlannedSizes::default(), IndexWidth::Wide);
        let mut pipeline = Pipeline::parse(&setup.registry, &text).expect("it is a pipeline");
        leave_unchecked(&setup.registry, &mut pipeline.items);
        let text = pipeline.to_string();
        assert!(text.contains("kernel-to-ptx{index=64,unchecked}") && !text.contains("check-async"), "{text}");
    }
}
