//! What the ops of models compute: against numbers made with numpy, and before against after they are lowered to
//! the ops of `tiny`.
//!
//! - Every graph in `test/golden/frontend/Inputs/` gives the numbers that stand next to it. `make.py` above that folder
//!   wrote them.
//! - Every graph of the text tests reads back from its JSON as it is.
//! - Every graph in the text tests of the layer and of its lowering gives the same numbers before and after, on random
//!   sizes (0 and 1 among them), random elements (infinities and what is not a number among them), and other types of
//!   elements where these can be put in.

use std::path::{Path, PathBuf};

use dlc_core::sizes::Bindings;
use dlc_core::tensor::TensorValue;
use dlc_core::types::Tensor;
use dlc_ir::context::Str;
use dlc_ir::diag::Diagnostics;
use dlc_ir::interp::{Datum, Interpreter};
use dlc_ir::pass::manager::{Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::{Registry, Translation};
use dlc_ir::pass::{DebugCounters, NoHost};
use dlc_ir::random::Random;
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_op};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context, OpRef, Type, TypeData};
use serde_json::Value;
use {dlc_passes as _, dlc_tiny as _};

fn context() -> Context {
    Context::new([&dlc_frontend::DIALECT, &dlc_tiny::DIALECT, &dlc_core::DIALECT])
}

fn test_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A module that reads and verifies; otherwise what is said of it.
fn parse(ctx: &Context, text: &str) -> Result<Body, Vec<String>> {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test.mlir", text.into()).expect("the text is short");
    let parsed = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags);
    let body = parsed.ok().filter(|body| verify(ctx, body, &diags));
    let messages = diags.take();
    body.ok_or_else(|| messages.into_iter().map(|d| d.message).collect())
}

/// The module with every graph lowered.
fn lowered(ctx: &Context, module: &Body) -> Result<Body, String> {
    let (registry, counters, diags) = (Registry::linked(), DebugCounters::off(), Diagnostics::new());
    let manager = Manager {
        ctx,
        registry: &registry,
        options: ManagerOptions::default(),
        instruments: vec![],
        counters: &counters,
        host: &NoHost,
    };
    let pipeline = Pipeline::parse(&registry, "lower-frontend").expect("the pass is linked in");
    let mut module = module.clone();
    let outcome = manager.run(&pipeline, &mut module, &diags);
    let messages: Vec<String> = diags.take().into_iter().map(|d| d.message).collect();
    if outcome.failure.is_some() { Err(messages.join("\n")) } else { Ok(module) }
}

/// Runs a graph. `bindings` are for symbols that no argument has alone.
fn call(
    ctx: &Context,
    module: &Body,
    name: &str,
    args: &[Datum],
    bindings: &Bindings,
) -> Result<Vec<TensorValue>, String> {
    let mut interpreter = Interpreter::new(ctx, module);
    *interpreter.state::<Bindings>() = bindings.clone();
    let results = interpreter.call(name, args).map_err(|failure| failure.message.clone())?;
    Ok(results.iter().map(|result| result.as_opaque::<TensorValue>().expect("a tensor").clone()).collect())
}

/// A graph of a module: its name, its symbols, the types of its arguments.
fn graphs(ctx: &Context, module: &Body) -> Vec<(String, Vec<String>, Vec<Type>)> {
    let ops = module.nested_ops().into_iter().map(|op| OpRef::new(ctx, module, op));
    let graph = |op: OpRef<'_>| {
        let root = op.resolve();
        let ty = root.prop(Str::FUNCTION_TYPE)?.as_type(ctx)?;
        let TypeData::Function { inputs, .. } = ctx.type_data(ty) else { return None };
        let symbols = root.prop(Str::SYMBOLS).and_then(|symbols| symbols.as_array(ctx)).unwrap_or_default();
        let symbols = symbols.iter().filter_map(|symbol| symbol.as_str(ctx)).map(str::to_string).collect();
        Some((op.symbol_name()?.to_string(), symbols, inputs.to_vec()))
    };
    ops.filter(|op| op.name() == "frontend.graph").filter_map(graph).collect()
}

/// How far numbers of a type may be from each other.
fn tolerance(ctx: &Context, elem: Type) -> f64 {
    match elem.bits(ctx) {
        Some(..=8) => 0.15,
        Some(16) => 2e-2,
        _ => 1e-3,
    }
}

/// The first difference of two tensors that is larger than a tolerance, relative and absolute.
fn difference(is: &TensorValue, wanted: &TensorValue, tolerance: f64) -> Option<String> {
    if (is.shape(), is.elem()) != (wanted.shape(), wanted.elem()) {
        return Some(format!("the sizes or types: {:?} and {:?}", is.shape(), wanted.shape()));
    }
    let exact = !is.kind().is_float();
    let close = |a: f64, b: f64| {
        a == b || (a.is_nan() && b.is_nan()) || (!exact && (a - b).abs() <= tolerance + tolerance * b.abs())
    };
    let numbers = is.to_f64s().into_iter().zip(wanted.to_f64s());
    let (place, (is, wanted)) = numbers.enumerate().find(|(_, (a, b))| !close(*a, *b))?;
    Some(format!("element {place} is {is}, wanted is {wanted}"))
}

// Numbers made with numpy.

/// `{"shape": [2, 3], "data": [..]}`; numbers that JSON has not are strings.
fn tensor_of_json(ctx: &Context, json: &Value, elem: Type) -> TensorValue {
    let list = |key: &str| json[key].as_array().unwrap_or_else(|| panic!("'{key}' is a list")).clone();
    let shape = list("shape").iter().map(|size| size.as_u64().expect("a size") as usize).collect();
    let number = |value: &Value| match value {
        Value::String(text) => text.parse().expect("inf, -inf or nan"),
        Value::Bool(value) => f64::from(u8::from(*value)),
        _ => value.as_f64().expect("a number"),
    };
    let numbers = list("data").iter().map(number).collect();
    TensorValue::from_f64(ctx, shape, elem, numbers).expect("as many numbers as the shape says")
}

#[test]
fn numbers_are_those_of_numpy() {
    let mut failures = Vec::new();
    let mut cases = 0;
    for path in files(&test_folder().join("golden/frontend/Inputs"), ".json") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let json: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for case in json["cases"].as_array().expect("a list of cases") {
            cases += 1;
            if let Err(reason) = check(case) {
                failures.push(format!("{}: {}: {reason}", path.display(), case["name"]));
            }
        }
    }
    assert!(cases > 50, "only {cases} cases were found");
    assert!(failures.is_empty(), "{} of {cases}:\n{}", failures.len(), failures.join("\n"));
}

/// Whether the graph of a case gives the numbers of the case, before and after it is lowered.
fn check(case: &Value) -> Result<(), String> {
    let ctx = context();
    let module = parse(&ctx, case["graph"].as_str().expect("a text")).map_err(|messages| messages.join("\n"))?;
    let (name, _, types) = graphs(&ctx, &module).into_iter().next().ok_or("there is no graph")?;
    let elem = |ty: Type| Tensor::of(&ctx, ty).map_or(Type::F32, |ty| ty.elem(&ctx));
    let inputs = case["inputs"].as_array().expect("a list").iter().zip(&types);
    let args: Vec<Datum> = inputs.map(|(json, &ty)| Datum::opaque(tensor_of_json(&ctx, json, elem(ty)))).collect();
    let none = Bindings::default();
    let before = call(&ctx, &module, &name, &args, &none)?;
    let after = call(&ctx, &lowered(&ctx, &module)?, &name, &args, &none);
    let after = after.map_err(|reason| format!("lowered: {reason}"))?;
    let outputs = case["outputs"].as_array().expect("a list");
    for (index, output) in outputs.iter().enumerate() {
        let before = before.get(index).ok_or("a result is missing")?;
        let wanted = tensor_of_json(&ctx, output, before.elem());
        // The evaluator is rounded once; so are the numbers of the file, which were computed in f64.
        let exact = tolerance(&ctx, before.elem()) / 1e2;
        let reason = difference(before, &wanted, exact).map(|reason| format!("result {index}: {reason}"));
        reason.map_or(Ok(()), Err)?;
        let loose = case["tolerance"].as_f64().unwrap_or(0.0).max(tolerance(&ctx, before.elem()));
        let reason = difference(&after[index], &wanted, loose);
        reason.map_or(Ok(()), |reason| Err(format!("lowered, result {index}: {reason}")))?;
    }
    Ok(())
}

/// The files of text tests with graphs, and what they hold.
fn graph_files() -> Vec<(PathBuf, String)> {
    let mut paths = files(&test_folder().join("dialects/frontend"), ".mlir");
    paths.extend(files(&test_folder().join("passes/frontend_to_tiny"), ".mlir"));
    let text = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        (path, text)
    };
    // Files of what is refused say so.
    let accepted = |(_, text): &(PathBuf, String)| !text.contains("expected-error") && !text.contains("RUN: not ");
    paths.into_iter().map(text).filter(accepted).collect()
}

// JSON.

#[test]
fn json_says_all_of_a_graph() {
    let (registry, mut failures, mut written) = (Registry::linked(), Vec::new(), 0);
    let json =
        registry.translations().find(|translation| translation.name == "frontend-json").expect("it is linked in");
    for (path, text) in graph_files() {
        let ctx = context();
        let module = parse(&ctx, &text).unwrap_or_else(|messages| panic!("{}: {messages:?}", path.display()));
        for op in module.nested_ops() {
            let op = OpRef::new(&ctx, &module, op);
            // JSON has no visibility, and no notes of other tools.
            let notes = print_op(&ctx, &module, op.id, PrintOptions::default()).contains("onnx.name");
            if op.name() != "frontend.graph" || notes {
                continue;
            }
            written += 1;
            if let Err(reason) = through_json(&ctx, json, &module, op) {
                failures.push(format!("{}: @{}: {reason}", path.display(), op.symbol_name().unwrap_or_default()));
            }
        }
    }
    assert!(written > 50, "only {written} graphs were written");
    assert!(failures.is_empty(), "{} of {written}:\n{}", failures.len(), failures.join("\n"));
}

/// Whether a graph that is written as JSON and read again is the same.
fn through_json(ctx: &Context, json: &Translation, module: &Body, op: OpRef<'_>) -> Result<(), String> {
    let diags = Diagnostics::new();
    let messages = || diags.take().into_iter().map(|d| d.message).collect::<Vec<_>>().join("\n");
    let (write, read) = (json.write.expect("it writes"), json.read.expect("it reads"));
    let text = write(ctx, op, &diags).ok_or_else(messages)?;
    let file = ctx.sources.add("graph.json", text.clone()).expect("the text is short");
    let again = read(ctx, &file, 0..text.len(), &diags).ok_or_else(|| format!("{}\n{text}", messages()))?;
    if !verify(ctx, &again, &diags) {
        return Err(format!("{}\n{text}", messages()));
    }
    // The order of symbols is that of their first use, and the types say what was asked for anyway.
    let body = |module: &Body, op| {
        let text = print_op(ctx, module, op, PrintOptions::default());
        text.split_once('(').map(|(_, rest)| rest.to_string())
    };
    let graph = again.nested_ops().first().copied().ok_or("there is no graph")?;
    match (body(module, op.id), body(&again, graph)) {
        (was, is) if was == is => Ok(()),
        (was, is) => Err(format!("was {}\nis {}", was.unwrap_or_default(), is.unwrap_or_default())),
    }
}

// Before against after.

#[test]
fn lowering_keeps_the_numbers() {
    let mut failures = Vec::new();
    let mut compared = 0;
    for (path, text) in graph_files() {
        for part in text.split("// -----") {
            let others = ["f16", "bf16", "f64", "i32", "ui8"].map(|elem| part.replace("f32>", &format!("{elem}>")));
            for (variant, part) in std::iter::once(part.to_string()).chain(others).enumerate() {
                match compare(&part, variant > 0) {
                    Ok(graphs) => compared += graphs,
                    Err(reason) => failures.push(format!("{}: {reason}\n{part}", path.display())),
                }
            }
        }
    }
    assert!(compared > 50, "only {compared} graphs were compared");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Runs every graph of a text before and after. How many there were. A variant may fit no rule, or no sizes.
fn compare(text: &str, variant: bool) -> Result<usize, String> {
    let ctx = context();
    let module = match parse(&ctx, text) {
        Ok(module) => module,
        Err(_) if variant => return Ok(0),
        Err(messages) => return Err(messages.join("\n")),
    };
    let after = lowered(&ctx, &module)?;
    if !verify(&ctx, &after, &Diagnostics::new()) {
        return Err("what it is lowered to does not verify".into());
    }
    let graphs = graphs(&ctx, &module);
    for (name, symbols, types) in &graphs {
        let mut random = Random::new(name.len() as u64);
        let (mut runs, mut refused) = (0, String::new());
        for attempt in 0..60 {
            let Some((args, sizes)) = arguments(&ctx, &mut random, symbols, types, attempt) else { continue };
            // Some sizes do not go with some ops: a window that is larger than its axis.
            let before = match call(&ctx, &module, name, &args, &sizes) {
                Ok(before) => before,
                Err(reason) => {
                    refused = reason;
                    continue;
                }
            };
            let shapes: Vec<&[usize]> =
                args.iter().filter_map(|arg| arg.as_opaque::<TensorValue>()).map(TensorValue::shape).collect();
            let after = call(&ctx, &after, name, &args, &sizes)
                .map_err(|reason| format!("@{name} with {shapes:?} does not run when it is lowered: {reason}"))?;
            for (index, (is, wanted)) in after.iter().zip(&before).enumerate() {
                let elems = types.iter().filter_map(|&ty| Tensor::of(&ctx, ty)).map(|ty| ty.elem(&ctx));
                let loosest = elems.map(|elem| tolerance(&ctx, elem)).fold(tolerance(&ctx, is.elem()), f64::max);
                if let Some(reason) = difference(is, wanted, loosest) {
                    return Err(format!("@{name} with {shapes:?}, result {index}: {reason}"));
                }
            }
            runs += 1;
            if runs == 6 {
                break;
            }
        }
        if runs == 0 && !variant {
            return Err(format!("@{name} runs with no sizes: {refused}"));
        }
    }
    Ok(graphs.len())
}

/// Random tensors for random sizes, and these. `None` when the sizes are none.
fn arguments(
    ctx: &Context,
    random: &mut Random,
    symbols: &[String],
    types: &[Type],
    attempt: usize,
) -> Option<(Vec<Datum>, Bindings)> {
    let mut bindings = Bindings::default();
    for symbol in symbols {
        // The first attempts have no edge sizes, so that every graph is run on some numbers.
        let sizes: &[i64] = if attempt < 3 { &[2, 3, 4, 5] } else { &[0, 1, 1, 2, 3, 4, 5, 6, 8] };
        bindings.set(symbol, sizes[random.below(sizes.len())]).ok()?;
    }
    let argument = |ty: &Type| {
        let ty = Tensor::of(ctx, *ty)?;
        let shape = bindings.values(&ty.dims(ctx)).ok()?;
        let (len, elem): (usize, Type) = (shape.iter().product(), ty.elem(ctx));
        let float = elem.float_kind(ctx).is_some();
        let number = |_| match random.below(if attempt >= 3 { 20 } else { 1000 }) {
            0 if float => [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.0, -0.0][random.below(5)],
            _ if float => normal(random),
            _ => random.below(9) as f64 - 2.0,
        };
        let numbers = (0..len).map(number).collect();
        Some(Datum::opaque(TensorValue::from_f64(ctx, shape, elem, numbers).ok()?))
    };
    let args = types.iter().map(argument).collect::<Option<_>>()?;
    Some((args, bindings))
}

/// About normally distributed: the sum of twelve uniform numbers.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

/// The files below a folder whose names end so, sorted.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found.sort();
    found
}
