//! `--against`: the product of matrices that a program is, compared with that of a library, interleaved in one process.

use comfy_table::Table;
use dlc::cuda::OUT_OF_MEMORY;
use dlc::cuda::driver::{ArgSlots, Baseline, Driver, Epilogue, Failure, Kind, Product};
use dlc::cuda::exec::Loaded;
use dlc::cuda::module::values;
use dlc_core::memref::MemRef;
use dlc_ir::diag::Diagnostic;
use dlc_ir::{Body, Context, Loc};
use dlc_opt::compare::{Tolerance, compare, index_of};
use dlc_opt::planned::Planned;
use dlc_opt::table::table;
use dlc_passes::region::choose_plan::facts::Facts;
use dlc_translate::manifest::numbers::Use;
use dlc_translate::manifest::plan::{Place, Plan, Run};
use dlc_translate::manifest::schema::Elem;

use super::bench::{Measured, fails};
use super::{DISAGREES, NO_LIBRARY, NOT_A_PRODUCT};
use crate::show::short;

/// How many runs of each algorithm decide which of the library's is the fastest.
const TRIALS: usize = 5;

/// A product, and where its parts are.
#[derive(Clone, PartialEq, Debug)]
pub struct LibraryProduct {
    /// The product.
    pub product: Product,
    /// The left factor.
    pub a: Place,
    /// The right factor.
    pub b: Place,
    /// What is added to each row.
    pub bias: Option<Place>,
}

/// A product, and which of a kernel's inputs are its parts.
struct KernelProduct {
    product: Product,
    /// The left factor, the right one, and what is added to each row.
    inputs: [Option<usize>; 3],
}

/// The product that a program is. An error says why it is none.
pub fn find(ctx: &Context, plan: &Plan, planned: Option<&Planned>) -> Result<LibraryProduct, Box<Diagnostic>> {
    let none = |why: String| {
        let message = format!("the program is not a product of matrices that a library has: {why}");
        Box::new(Diagnostic::error(&NOT_A_PRODUCT, Loc::UNKNOWN, message))
    };
    let Some((run, copies)) = plan.runs.split_last() else { return Err(none("it has no kernels".into())) };
    let of = |run: &Run| planned?.kernel(ctx, &run.kernel, |kernel| product(ctx, kernel, run));
    let unknown = || "its kernel is not of the layer region, so what it computes is not known".to_string();
    let KernelProduct { mut product, inputs } = of(run).unwrap_or_else(|| Err(unknown())).map_err(none)?;
    let mut places = inputs.map(|input| place_of(run, Use::Input(input?)));
    // Factors that were copied for the kernel are given to the library as they were.
    for copy in copies {
        let made = place_of(copy, Use::Output(0));
        let side = places.iter().take(2).position(|place| place.is_some() && *place == made);
        let source = planned.and_then(|planned| planned.kernel(ctx, &copy.kernel, |kernel| source(ctx, kernel, copy)));
        let Some((side, (along_depth, depth))) = side.zip(source.flatten()) else {
            return Err(none(format!("it has {} kernels", plan.runs.len())));
        };
        // The left factor has its rows first as it is, and the right one the sum.
        let turned = if side == 0 { &mut product.trans_a } else { &mut product.trans_b };
        (*turned, product.k) = (along_depth == (side == 1), depth);
        places[side] = place_of(copy, Use::Input(0));
    }
    let [Some(a), Some(b), bias] = places else { return Err(none("a factor is no input of it".into())) };
    Ok(LibraryProduct { product, a, b, bias })
}

/// Where a kernel has a buffer.
fn place_of(run: &Run, is: Use) -> Option<Place> {
    let at = run.numbers.buffers.iter().position(|(_, buffer)| *buffer == is)?;
    run.places.get(at).copied()
}

/// Of a kernel that copies a matrix so that rows lie along a sum, as `choose-plan` makes it: whether the matrix has such
/// rows itself, and how long the sum is. `None` of another kernel.
fn source(ctx: &Context, kernel: &Body, run: &Run) -> Option<(bool, u64)> {
    let size = |name: &str| run.symbols.get(name).copied().unwrap_or(1);
    let facts = Facts::of(ctx, kernel, &size)?;
    let ([input], true) = (&facts.inputs[..], facts.sums.is_empty()) else { return None };
    let axis = facts.iters().last()?;
    let memory = MemRef::of(ctx, kernel.value_type(*kernel.args(kernel.entry_block()?).first()?))?;
    // The copy may have more: zeros, or several numbers for each one.
    let depth = memory.dims(ctx).get(1)?.eval(&|name| Some(size(name))).ok()? as u64;
    match &input.axes[..] {
        [_, own] if own == axis => Some((true, depth)),
        [outer, own, _] if own == axis && facts.size(outer) == 1 => Some((false, depth)),
        _ => None,
    }
}

/// The product that a kernel computes for the sizes of a run. Errors, as the end of a sentence.
fn product(ctx: &Context, kernel: &Body, run: &Run) -> Result<KernelProduct, String> {
    let size = |name: &str| run.symbols.get(name).copied().unwrap_or(1);
    let facts = Facts::of(ctx, kernel, &size).ok_or("its kernel is no region")?;
    let [product] = &facts.products[..] else {
        return Err(format!("its kernel has {} products", facts.products.len()));
    };
    let ([row], [column], [depth]) = (&product.rows[..], &product.columns[..], &product.depth[..]) else {
        return Err("it goes over several axes at once".into());
    };
    if facts.iters() != [row.clone(), column.clone()] || facts.sums != [depth.clone()] {
        return Err("its results lie along more than rows and columns".into());
    }
    if !product.exact {
        return Err("it rounds what it multiplies before that is added".into());
    }
    let side = |at: usize, own: &String| -> Result<(usize, bool), String> {
        let factor = &product.factors[at];
        let input = factor.input.filter(|&input| factor.direct && facts.inputs[input].plain);
        let input = input.ok_or("a factor is no input of it")?;
        match &factor.axes[..] {
            [first, second] if first == own && second == depth => Ok((input, at == 1)),
            [first, second] if first == depth && second == own => Ok((input, at == 0)),
            _ => Err("a factor is no matrix".into()),
        }
    };
    let ((a, trans_a), (b, trans_b)) = (side(0, row)?, side(1, column)?);
    let elem = |ty| Elem::of(ty).filter(|elem| matches!(elem, Elem::F16 | Elem::BF16 | Elem::F32));
    let types = || "its elements are none of f16, bf16 and f32".to_string();
    let factors = elem(facts.inputs[a].elem).filter(|_| facts.inputs[a].elem == facts.inputs[b].elem);
    let [output] = &facts.outputs[..] else { return Err("it has several results".into()) };
    let (factors, out) = (factors.ok_or_else(types)?, elem(output.elem).ok_or_else(types)?);
    let words: Vec<&str> = facts.epilogue.iter().map(String::as_str).collect();
    let epilogue = match words[..] {
        [] => Epilogue::None,
        ["relu"] => Epilogue::Relu,
        ["add"] => Epilogue::Bias,
        ["add", "relu"] => Epilogue::BiasRelu,
        _ => return Err(format!("after it stands {}", words.join(", "))),
    };
    let mut others = (0..facts.inputs.len()).filter(|&input| input != a && input != b);
    let bias = match (epilogue, others.next(), others.next()) {
        (Epilogue::None | Epilogue::Relu, None, _) => None,
        (Epilogue::Bias | Epilogue::BiasRelu, Some(bias), None) => {
            let of = &facts.inputs[bias];
            if !of.plain || of.axes != [column.clone()] || of.elem != output.elem {
                return Err("what is added to it is no row of the type of the result".into());
            }
            Some(bias)
        }
        _ => return Err("more is read than two factors and a row".into()),
    };
    let (m, n, k) = (facts.size(row) as u64, facts.size(column) as u64, facts.size(depth) as u64);
    let product = Product { m, n, k, elem: factors, out, trans_a, trans_b, epilogue };
    Ok(KernelProduct { product, inputs: [Some(a), Some(b), bias] })
}

/// Both times, and how far the results are apart.
pub struct Against {
    /// What it was measured against: `cublasLt 13.1.0`.
    pub library: String,
    /// Of this program.
    pub ours: Measured,
    /// Of the library.
    pub theirs: Measured,
    /// The largest distance of two elements.
    pub largest: f64,
}

/// Measures a program that ran and the library in turn, each with cold caches, and compares what they give.
pub fn measure(
    ctx: &Context,
    loaded: &mut Loaded<'_>,
    found: &LibraryProduct,
    count: usize,
    tolerance: Tolerance,
) -> Result<Against, Box<Diagnostic>> {
    let plan = loaded.plan();
    let Some((output, place)) = plan.outputs.first() else {
        return Err(failure_diagnostic(&Failure { kind: Kind::Other, message: "there is no result".into() }));
    };
    let mut tensors = plan.inputs.iter().chain(plan.outputs.iter().map(|(tensor, _)| tensor));
    if let Some(tensor) = tensors.find(|tensor| !tensor.placement.is_dense()) {
        let message = format!("'{}' does not lie row by row, as the library is given it", tensor.name);
        return Err(failure_diagnostic(&Failure { kind: Kind::Other, message }));
    }
    let bias = found.bias.map_or(0, |place| loaded.at(place));
    let (a, b, d) = (loaded.at(found.a), loaded.at(found.b), loaded.at(*place));
    let own = loaded.memory("the result of the library", output.bytes())?;
    let places = ArgSlots { a, b, bias, d: own };
    let baselines = loaded.driver().library(&found.product, &places).map_err(|failure| failure_diagnostic(&failure))?;
    let library = loaded.driver().library_name();
    let mut best: Option<(f64, Baseline)> = None;
    for &baseline in &baselines {
        let mut times = Vec::new();
        for _ in 0..TRIALS {
            times.push(theirs(loaded, baseline)?);
        }
        let time = Measured::of(times).median();
        if best.is_none_or(|(other, _)| time < other) {
            best = Some((time, baseline));
        }
    }
    let Some((_, baseline)) = best else {
        return Err(failure_diagnostic(&Failure {
            kind: Kind::Other,
            message: "it has no algorithm for this product".into(),
        }));
    };
    let (mut mine, mut other) = (Vec::new(), Vec::new());
    // Neither goes first always.
    for turn in 0..count {
        if turn % 2 == 0 {
            mine.push(ours(loaded)?);
            other.push(theirs(loaded, baseline)?);
        } else {
            other.push(theirs(loaded, baseline)?);
            mine.push(ours(loaded)?);
        }
    }
    let mut read = |at| {
        let mut bytes = vec![0; output.bytes() as usize];
        loaded.driver().download(at, &mut bytes).map_err(|failure| failure_diagnostic(&failure))?;
        let none = || failure_diagnostic(&Failure { kind: Kind::Other, message: "its result has no numbers".into() });
        values(ctx, output, bytes).ok_or_else(none)
    };
    let (is, expected) = (read(d)?, read(own)?);
    let compared = compare(&is.numbers, &expected.numbers, tolerance);
    if let Some(worst) = compared.worst.filter(|_| compared.differing > 0) {
        let (differing, all, index) = (compared.differing, is.numbers.len(), index_of(&is.shape, worst));
        let message = format!(
            "{differing} of {all} elements are not as {library} has them, the worst at {index:?} (off by at most {})",
            short(compared.largest)
        );
        return Err(Box::new(Diagnostic::error(&DISAGREES, Loc::UNKNOWN, message)));
    }
    let (ours, theirs) = (Measured::of(mine), Measured::of(other));
    Ok(Against { library, ours, theirs, largest: compared.largest })
}

/// The milliseconds of a run of this program.
fn ours(loaded: &mut Loaded<'_>) -> Result<f64, Box<Diagnostic>> {
    loaded.driver().flush().map_err(fails)?;
    let from = loaded.driver().mark().map_err(fails)?;
    loaded.enqueue()?;
    let to = loaded.driver().mark().map_err(fails)?;
    loaded.wait()?;
    loaded.driver().between(from, to).map(f64::from).map_err(fails)
}

/// The same of the library.
fn theirs(loaded: &mut Loaded<'_>, baseline: Baseline) -> Result<f64, Box<Diagnostic>> {
    let limit = loaded.limit();
    let driver: &mut dyn Driver = loaded.driver();
    let mut once = || {
        driver.flush()?;
        let from = driver.mark()?;
        driver.compete(baseline)?;
        let to = driver.mark()?;
        driver.wait(limit)?;
        driver.between(from, to).map(f64::from)
    };
    once().map_err(|failure| failure_diagnostic(&failure))
}

/// What is reported of a library that fails.
fn failure_diagnostic(failure: &Failure) -> Box<Diagnostic> {
    let message = &failure.message;
    Box::new(match failure.kind {
        Kind::NoLibrary => {
            let error = Diagnostic::error(&NO_LIBRARY, Loc::UNKNOWN, format!("there is no cublasLt: {message}"));
            error.suggest("install it, and let LD_LIBRARY_PATH have its folder")
        }
        Kind::OutOfMemory => {
            Diagnostic::error(&OUT_OF_MEMORY, Loc::UNKNOWN, format!("there is no memory for cublasLt: {message}"))
        }
        _ => Diagnostic::error(&NO_LIBRARY, Loc::UNKNOWN, format!("cublasLt does not do it: {message}")),
    })
}

/// The table of both. The ratio is above 1 where the program is faster.
pub fn shown(name: &str, against: &Against) -> Table {
    let mut shown = table(["against", "library", "ours us", "library us", "ratio", "off by"], &[2, 3, 4, 5]);
    let (ours, theirs) = (against.ours.median(), against.theirs.median());
    shown.add_row([
        name.to_string(),
        against.library.clone(),
        format!("{:.2}", 1e3 * ours),
        format!("{:.2}", 1e3 * theirs),
        format!("{:.3}", theirs / ours),
        short(against.largest),
    ]);
    shown
}
