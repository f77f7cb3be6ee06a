//! The regions that plans are drawn for: those of the specification, and those that passes make of programs.

use std::fs;
use std::path::Path;

use dlc_core::precision::Precision;
use dlc_core::scalar::Binary;
use dlc_ir::diag::Diagnostics;
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::text::{ParseOptions, PrintOptions, print_op};
use dlc_ir::{Body, Context, OpRef, Type};
use dlc_opt::function::functions;
use dlc_opt::{Setup, input};
use dlc_passes::analysis::axes::elem;
use dlc_passes::region::choose_plan::choose_plan;
use dlc_plan::{Schedule, Target};
use dlc_region::ops;
use dlc_region::verify::KernelAxes;

/// The targets that plans are for.
pub const TARGETS: [&str; 2] = ["sm80", "sm90"];

/// How many of the plans that `choose-plan` compares are edited, the best first.
const BEST: usize = 4;

/// The sizes that symbols are taken to have where `choose-plan` compares plans.
const ASSUMED: [i64; 2] = [128, 4096];

/// Where a program is, and the sizes of its symbols, in their order.
struct Source {
    path: &'static str,
    sizes: &'static [&'static [i64]],
}

// The second sizes are multiples of what an edited plan may assume, so that its kernel is for one of them.
const fn source(path: &'static str, sizes: &'static [&'static [i64]]) -> Source {
    Source { path, sizes }
}

const SOURCES: [Source; 24] = [
    source("test/golden/region/gemm-bias-relu.json", &[&[40, 72, 48], &[80, 144, 96]]),
    source("test/golden/region/attention.json", &[&[1, 2, 40, 48, 32], &[1, 1, 72, 64, 64]]),
    source("test/golden/region/conv3x3.json", &[&[1, 16, 3, 8, 8, 6, 16], &[2, 24, 4, 16, 16, 8, 32]]),
    source("test/gpu/Inputs/gemm_nn_f16.mlir", &[&[40, 72, 48], &[80, 144, 96]]),
    source("test/gpu/Inputs/gemm_nt_f16.mlir", &[&[40, 72, 48], &[80, 144, 96]]),
    source("test/gpu/Inputs/gemm_tn_f16.mlir", &[&[40, 72, 48], &[80, 144, 96]]),
    source("test/plans/Inputs/gemm_tt_f16.mlir", &[&[40, 72, 48], &[80, 144, 96]]),
    source("test/gpu/Inputs/gemm_bias_relu.mlir", &[&[40, 72, 48], &[80, 144, 96]]),
    source("test/gpu/Inputs/sgemm.mlir", &[&[40, 72, 48], &[80, 144, 96]]),
    source("test/gpu/Inputs/attention_d64.mlir", &[&[1, 40, 48], &[1, 72, 136]]),
    source("test/gpu/Inputs/attention_causal_d64.mlir", &[&[1, 40, 40], &[1, 72, 72]]),
    source("test/gpu/Inputs/conv_3x3.mlir", &[&[1, 5, 6, 16, 24], &[2, 4, 4, 32, 48]]),
    source("test/gpu/Inputs/chain_64_128.mlir", &[&[1, 24, 48], &[1, 64, 96]]),
    source("test/gpu/Inputs/row_softmax.mlir", &[&[5, 96], &[3, 1024], &[3, 64]]),
    source("test/gpu/Inputs/row_layernorm.mlir", &[&[5, 96], &[3, 1024], &[3, 64]]),
    source("test/gpu/Inputs/sum_columns.mlir", &[&[40, 72], &[200, 144]]),
    source("test/gpu/Inputs/sum_all.mlir", &[&[40, 72], &[200, 144]]),
    source("test/gpu/Inputs/gelu_add.mlir", &[&[5, 72], &[40, 144]]),
    source("test/plans/Inputs/gather.mlir", &[&[2, 5, 40], &[2, 9, 144]]),
    source("test/plans/Inputs/depthwise.mlir", &[&[1, 5, 7], &[2, 6, 32]]),
    source("test/plans/Inputs/max_pool.mlir", &[&[1, 7, 9], &[2, 6, 64]]),
    source("test/plans/Inputs/windows_last.mlir", &[&[1, 7], &[2, 40]]),
    source("test/plans/Inputs/linear_softmax.mlir", &[&[40], &[72]]),
    source("test/plans/Inputs/swiglu.mlir", &[&[40, 72, 48], &[80, 144, 96]]),
];

/// The plan of section 8.1 of the specification, for its region.
const PRINTED: (&str, &str) = (
    "gemm-bias-relu",
    "tile (m: 128, n: 64, k: 64)\nwarp_tile (m: 64, n: 64)\nstages 2\n\
     bind (m.o: block.y, n.o: block.x, m.i.o: warp.y, n.i.o: warp.x)\ncache A in smem at k.i pingpong\n\
     cache B in smem at k.i pingpong\nswizzle (A: auto, B: auto)\nstride (C: row)\nvectorize n.i.i by 8\n\
     predicate_tail [m.i.i, n.i.i, k.i.i]\nbarrier cp_async_group\nasync prefetch 2 overlap_epilogue\n\
     edge sum_k to relu in reg\nepilogue [bias, relu]\nalgo (matmul: implicit_gemm)",
);

/// A tensor that a region reads.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// The axes that its positions depend on, in the order of memory.
    pub axes: Vec<String>,
    /// The type of its elements, as it is written.
    pub elem: String,
}

/// What plans are drawn from.
#[derive(Clone, Debug)]
pub struct Region {
    /// The file and the function.
    pub name: String,
    /// The function, without `@`.
    pub function: String,
    /// Its text.
    pub text: String,
    /// The axes of the results.
    pub iters: Vec<String>,
    /// Those that are reduced.
    pub reduced: Vec<String>,
    /// The axes of the results that are reduced as well, and the size of each that is known: a tile of a product has all of them.
    pub whole: Vec<(String, i64)>,
    /// The symbols of its sizes.
    pub symbols: Vec<String>,
    /// What is read.
    pub tensors: Vec<Tensor>,
    /// The names of the results.
    pub results: Vec<String>,
    /// Whether something multiplies what two tensors are read as, and sums it.
    pub multiplies: bool,
    /// Sizes to evaluate it at, in the order of the symbols.
    pub sizes: Vec<Vec<i64>>,
    /// For each target plans that are there already: their clauses.
    pub plans: [Vec<Vec<String>>; 2],
}

/// All of them whose name contains a text.
///
/// Errors: a program cannot be read, or passes make no region of it.
pub fn regions(setup: &Setup, root: &Path, wanted: &str) -> Result<Vec<Region>, String> {
    let mut found = Vec::new();
    for source in &SOURCES {
        found.extend(of_source(setup, root, source)?.into_iter().filter(|region| region.name.contains(wanted)));
    }
    Ok(found)
}

fn of_source(setup: &Setup, root: &Path, source: &Source) -> Result<Vec<Region>, String> {
    let path = root.join(source.path);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let ctx = Context::new(setup.dialects.iter().copied());
    let diags = Diagnostics::new();
    let wrong = |what: &str| format!("{}: {what}: {:?}", source.path, diags.take());
    let file = ctx.sources.add(source.path, text).ok_or_else(|| wrong("it is too large"))?;
    let part = 0..file.text.len();
    let module = input::module(&ctx, &setup.registry, &file, part, ParseOptions::default(), &diags);
    let mut module = module.ok_or_else(|| wrong("it cannot be read"))?;
    let symbols = functions(&ctx, &module).into_iter().next().ok_or_else(|| wrong("it has no function"))?.symbols;
    let pipeline = Pipeline::parse(&setup.registry, "tiny-to-region").map_err(|_| wrong("there is no pipeline"))?;
    if crate::run(setup, &ctx, &pipeline, &mut module, &diags).is_some() {
        return Err(wrong("passes make no region of it"));
    }
    let mut found = Vec::new();
    for id in module.entry_block().into_iter().flat_map(|block| module.ops(block)) {
        let op = OpRef::new(&ctx, &module, id);
        let (Some(body), Some(name)) = (module.nested(id), op.resolve().symbol_name()) else { continue };
        if op.is(ops::Func::DEF) {
            let text = print_op(&ctx, &module, id, PrintOptions::default());
            found.push(of_body(&ctx, body, (&stem, name, text), (&symbols, source.sizes)));
        }
    }
    Ok(found)
}

/// The size of a symbol of a region: that of the program's symbol, or their product where `merge-axes` has made one symbol of
/// several and named it after them.
fn size_of(name: &str, symbols: &[String], sizes: &[i64]) -> i64 {
    fn product(name: &str, known: &[(&str, i64)]) -> Option<i64> {
        if name.is_empty() {
            return Some(1);
        }
        known.iter().find_map(|(symbol, size)| Some(size * product(name.strip_prefix(symbol)?, known)?))
    }
    let known: Vec<(&str, i64)> = symbols.iter().map(String::as_str).zip(sizes.iter().copied()).collect();
    let own = known.iter().find(|(symbol, _)| *symbol == name).map(|(_, size)| *size);
    own.or_else(|| product(name, &known)).expect("symbols of regions are those of the program")
}

fn of_body(
    ctx: &Context,
    body: &Body,
    (stem, name, text): (&str, &str, String),
    (of_program, sizes): (&[String], &[&[i64]]),
) -> Region {
    let axes = KernelAxes::of(ctx, body);
    let root = OpRef::new(ctx, body, body.root());
    let symbols = dlc_passes::rewrites::launches::symbols(ctx, body);
    let mut tensors: Vec<Tensor> = Vec::new();
    let mut whole: Vec<(String, i64)> = Vec::new();
    let mut multiplies = false;
    for id in body.walk() {
        let op = OpRef::new(ctx, body, id);
        if let Some(read) = ops::Read::of(op) {
            let own: Vec<String> = read.at().iter().flat_map(|at| at.symbols()).map(|name| name.to_string()).collect();
            let name = ctx.str(body.value_name(read.source())).to_string();
            if !tensors.iter().any(|tensor| tensor.name == name) {
                let axes = own.into_iter().filter(|name| axes.names.contains(name)).collect();
                tensors.push(Tensor { name, axes, elem: elem(ctx, body, op.result(0)).display(ctx) });
            }
        }
        for axis in ops::Reduce::of(op).into_iter().flat_map(|reduce| reduce.axes()) {
            let is_result = axes.position(axis).is_some_and(|at| at < axes.iters);
            let size = axes.size(axis).and_then(|size| size.as_constant()).filter(|_| is_result);
            whole.extend(size.map(|size| (axis.to_string(), size)));
        }
        let factor = ops::Binary::of(op).filter(|op| op.function() == Binary::Mul);
        multiplies |= factor.is_some_and(|op| {
            let reads = [op.lhs(), op.rhs()].map(|value| body.defining_op(value));
            let is_read = |id: Option<dlc_ir::OpId>| id.is_some_and(|id| OpRef::new(ctx, body, id).is(ops::Read::DEF));
            let is_float = [Type::F16, Type::BF16, Type::F32].contains(&elem(ctx, body, op.lhs()));
            reads.into_iter().all(is_read) && is_float
        });
    }
    let plan_of = |target: &str| {
        let machine = Target::built_in(target).expect("the target is built in");
        let mut plans: Vec<Vec<String>> = Vec::new();
        for assumed in ASSUMED {
            let base = Schedule::new(name, target);
            let chosen = choose_plan(ctx, body, base, (&machine, Some(Precision::Tf32x3)), &|_| assumed);
            let best = chosen.into_iter().flat_map(|chosen| chosen.ranked).take(BEST);
            plans.extend(best.map(|(plan, _)| plan.clauses(ctx)).filter(|clauses| !clauses.is_empty()));
        }
        plans.dedup();
        plans
    };
    let mut plans = TARGETS.map(plan_of);
    if stem == PRINTED.0 {
        plans.iter_mut().for_each(|plans| plans.push(PRINTED.1.lines().map(String::from).collect()));
    }
    Region {
        name: format!("{stem}.{name}"),
        function: name.to_string(),
        text,
        iters: axes.names[..axes.iters].to_vec(),
        reduced: axes.names[axes.iters..].to_vec(),
        whole,
        sizes: sizes
            .iter()
            .map(|sizes| symbols.iter().map(|name| size_of(name, of_program, sizes)).collect())
            .collect(),
        symbols,
        tensors,
        results: ops::Func::of(root)
            .map(|func| func.outputs().into_iter().map(String::from).collect())
            .unwrap_or_default(),
        multiplies,
        plans,
    }
}
