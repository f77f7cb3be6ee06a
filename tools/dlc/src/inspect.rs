//! A program looked at: its text at a layer, the plans of its kernels, its PTX, and why passes decided as they did.

use dlc_ir::body::OpRef;
use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean, line_column};
use dlc_ir::pass::instrument::Instrument;
use dlc_ir::pass::layers::dialect_of;
use dlc_ir::pass::manager::{Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::{DebugCounters, LAYER_MISSING, NoHost};
use dlc_ir::text::{PrintOptions, print_body};
use dlc_ir::{Body, Context, Loc};
use dlc_opt::explore::Explore;
use dlc_opt::layers::{LAYERS, layer_name, pipeline_to};
use dlc_opt::{explain, json};
use dlc_plan::Schedule;
use dlc_translate::manifest;

use crate::cuda::compile::{
    Compiler, IndexWidth, PlannedSizes, not_compiled, others, planned_pipeline_to, put_measured,
};
use crate::error::{Error, NO_LAYER};
use crate::options::{Passes, Planning, ShapeSet};
use crate::program::Program;
use crate::session::on_big_stack;

/// The target of a program where neither its options nor a device say it.
const TARGET: &str = "sm90";

/// How a kernel is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelPlan {
    /// The kernel, without `@`.
    pub kernel: String,
    /// The plan as JSON.
    pub json: String,
    /// Its clauses as they stand in the text of the IR.
    pub clauses: Vec<String>,
}

/// What runs on a GPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ptx {
    /// The text of the module.
    pub text: String,
    /// Its launch manifest, as JSON.
    pub manifest: String,
}

impl Program {
    /// The program at a layer: `frontend`, `tiny`, `book`, `poly`, `region`, `plan`, `kernel` or `ptx`. Kernels and plans
    /// are chosen for the sizes and the target of the options, where they are given.
    ///
    /// # Errors
    /// That there is no such layer, or that the program cannot be lowered to it; what passes report.
    pub fn text(&self, layer: &str) -> Result<String, Error> {
        on_big_stack(|| {
            let module = self.at(layer, false, &Diagnostics::new())?;
            let mut text = String::new();
            print_body(&self.compiled.ctx, &module, PrintOptions::default(), &mut |piece| text.push_str(piece));
            Ok(text)
        })?
    }

    /// The plans of its kernels: those next to them, and those that are chosen.
    ///
    /// # Errors
    /// What passes report.
    pub fn plans(&self) -> Result<Vec<KernelPlan>, Error> {
        on_big_stack(|| {
            let (ctx, diags) = (&self.compiled.ctx, Diagnostics::new());
            let module = self.at("plan", false, &diags)?;
            let mut plans = Vec::new();
            for op in module.entry_block().into_iter().flat_map(|block| module.ops(block)) {
                let view = OpRef::new(ctx, &module, op);
                let Some(plan) = Schedule::of(view) else { continue };
                let json = json::write_op(ctx, &self.session.0.setup.registry, view, &diags);
                let json = json.ok_or_else(|| Error::of(ctx, &diags.take()))?;
                plans.push(KernelPlan {
                    kernel: plan.of.clone().unwrap_or_default(),
                    json,
                    clauses: plan.clauses(ctx),
                });
            }
            Ok(plans)
        })?
    }

    /// Its PTX and launch manifest, compiled for the sizes and the target of its options.
    ///
    /// # Errors
    /// What passes and the verification of kernels report, and that no passes lead from its layer to instructions.
    pub fn ptx(&self) -> Result<Ptx, Error> {
        on_big_stack(|| {
            let (compiled, diags) = (&*self.compiled, Diagnostics::new());
            let measured = compiled.measured();
            let (compiler, target) = (Compiler { measured: &measured, ..self.compiler(&diags) }, self.target());
            let (module, function, options) = (&compiled.module, &compiled.function, &compiled.options);
            let sizes = &options.sizes;
            let made = match options.shape_sets.is_empty() {
                false => compiler.compile_for_sets(module, function, target),
                true if sizes.len() == function.symbols.len() => {
                    compiler.compile_for(module, function, sizes, target).map(|made| made.map(|(made, _)| made))
                }
                true => {
                    let sizes = PlannedSizes::of(sizes);
                    compiler.compile(module, function, sizes, compiler.planning, target, IndexWidth::Narrow)
                }
            };
            let made = made.map_err(|_| Error::of(&compiled.ctx, &diags.take()))?;
            let made = made.ok_or_else(|| Error::one(&not_compiled(function)))?.translated;
            Ok(Ptx { manifest: manifest::write(&made.manifest), text: made.ptx })
        })?
    }

    /// What it takes and gives, a table of its kernels with their plans and how long an estimate says they take, why each ends
    /// where it does, and what else passes decided on the way to instructions; what is alike is counted.
    ///
    /// # Errors
    /// What passes report.
    pub fn explain(&self) -> Result<String, Error> {
        on_big_stack(|| {
            let (ctx, diags) = (&self.compiled.ctx, Diagnostics::new());
            // Without planning there are no plans to ask for.
            let layer = if self.compiled.options.planning == Planning::Off { "region" } else { "plan" };
            let module = self.at(layer, false, &Diagnostics::new())?;
            self.at("ptx", true, &diags)?;
            let launched = explain::launched(ctx, &module, self.name(), self.compiled.options.formed_for());
            let mut text = format!("{}\n\n{}", self.headline(), explain::kernels(&launched));
            let remarks = diags.take();
            text += &explain::ends(ctx, &launched, &remarks);
            Ok(text + &explain::decisions(ctx, &remarks))
        })?
    }

    /// A page (HTML) that shows the program after each pass on its way to instructions, its kernels with their plans and
    /// what passes decided: that of `dlc-opt --explore`. Where compilation fails it shows what there was, and why.
    ///
    /// # Errors
    /// That the machine gives no thread to compile with.
    pub fn explore(&self) -> Result<String, Error> {
        on_big_stack(|| {
            let (ctx, diags) = (&self.compiled.ctx, Diagnostics::new());
            let of_program =
                line_column(ctx, self.compiled.function.loc).and_then(|(name, ..)| ctx.sources.named(&name));
            let (name, text) = of_program.as_ref().map_or(("", ""), |file| (&file.name, &file.text));
            let explore = Explore::new(&self.session.0.setup.registry, name, PrintOptions::default());
            self.lowered("ptx", true, Some(&explore), &diags);
            explore.page(ctx, text, &diags.take())
        })
    }

    /// The function with its types, sizes and target.
    fn headline(&self) -> String {
        let ports = |ports: Vec<crate::Port>| {
            ports.into_iter().map(|port| format!("{}: {}", port.name, port.ty)).collect::<Vec<_>>().join(", ")
        };
        let options = &self.compiled.options;
        let text =
            |set: &ShapeSet| set.iter().map(|(name, size)| format!("{name} = {size}")).collect::<Vec<_>>().join(", ");
        let sets = std::iter::once(&options.sizes).chain(&options.shape_sets).filter(|set| !set.is_empty());
        let sets: Vec<String> = sets.map(text).collect();
        let sizes = if sets.is_empty() { String::new() } else { format!(", {}", sets.join("; ")) };
        let (inputs, outputs, target) = (ports(self.inputs()), ports(self.outputs()), self.target());
        format!("@{}({inputs}) -> ({outputs}) for {target}{sizes}", self.name())
    }

    fn target(&self) -> &str {
        self.compiled.options.target.as_deref().unwrap_or(TARGET)
    }

    /// The module at a layer.
    fn at(&self, layer: &str, remarks: bool, diags: &Diagnostics) -> Result<Body, Error> {
        let lowered = self.lowered(layer, remarks, None, diags);
        lowered.ok_or_else(|| Error::of(&self.compiled.ctx, &diags.take()))
    }

    /// The same, looked at between passes; what goes wrong is reported.
    fn lowered(&self, layer: &str, remarks: bool, explore: Option<&Explore<'_>>, diags: &Diagnostics) -> Option<Body> {
        let compiled = &*self.compiled;
        let (ctx, registry) = (&compiled.ctx, &self.session.0.setup.registry);
        let layer = layer_name(layer);
        if !LAYERS.contains(&layer) {
            let near = did_you_mean(layer, LAYERS.iter().copied());
            let near = near.unwrap_or_else(|| format!("the layers are {}", LAYERS.join(", ")));
            let error = Diagnostic::error(&NO_LAYER, Loc::UNKNOWN, format!("there is no layer '{layer}'"));
            diags.emit(error.suggest(near));
            return None;
        }
        let Compiler { planning, .. } = self.compiler(diags);
        let others = others(&compiled.function, &compiled.options.shape_sets);
        let sizes = PlannedSizes { symbols: compiled.options.formed_for(), others: &others };
        let pipeline = planned_pipeline_to(layer, planning, self.target(), sizes);
        let pipeline = pipeline.unwrap_or_else(|| pipeline_to(registry, layer));
        let pipeline = Pipeline::parse_reporting(registry, ctx, ("<pipeline to the layer>", &pipeline), false, diags);
        let pipeline = pipeline?;
        let mut module = compiled.module.clone();
        let counters = DebugCounters::off();
        let threads = self.session.0.options.threads;
        let options = ManagerOptions { threads, verify_each: false, remarks, ..ManagerOptions::default() };
        let instruments = explore.map(|explore| explore as &dyn Instrument).into_iter().collect();
        let manager = Manager { ctx, registry, options, instruments, counters: &counters, host: &NoHost };
        let named = matches!(compiled.options.passes, Passes::Text(_)).then_some(&compiled.pipeline);
        let is_there = |module: &Body| has_layer(ctx, module, layer);
        if planning != Planning::Off && ["plan", "kernel", "ptx"].contains(&layer) && !is_there(&module) {
            put_measured(ctx, &mut module, &compiled.measured());
        }
        for pipeline in named.into_iter().chain((!is_there(&module)).then_some(&pipeline)) {
            if manager.run(pipeline, &mut module, diags).failure.is_some() {
                return None;
            }
        }
        match is_there(&module) {
            true => Some(module),
            false => {
                let message = format!("@{} cannot be lowered to the layer {layer}", self.name());
                let error = Diagnostic::error(&LAYER_MISSING, Loc::UNKNOWN, message);
                diags.emit(error.suggest("ask for a layer below that of the program"));
                None
            }
        }
    }
}

/// Whether something in a module is on a layer.
pub(crate) fn has_layer(ctx: &Context, module: &Body, layer: &str) -> bool {
    let ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
    let mut layers = ops.map(|op| dialect_of(OpRef::new(ctx, module, op).name()));
    layers.any(|own| own == layer)
}
