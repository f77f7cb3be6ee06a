//! The rules of single ops beyond those of shapes.

mod norms;

pub use norms::{PARAMETER_MISMATCH, batch_norm, group_norm, layer_norm, rms_norm};

use dlc_core::types::{Tensor, said_layout, verify_function};
use dlc_ir::op::op_error;
use dlc_ir::{Attr, Diagnostics, OpRef, Type, TypeData};

use crate::ops::{Arange, Celu, Clamp, Full, Graph, Output, Pad, Softplus};

dlc_ir::codes! {
    /// The signature of a graph says something of an argument or result that it cannot say.
    BAD_SIGNATURE = "E1201" "BadSignature";
    /// A graph gives other results than its signature says.
    OUTPUT_MISMATCH = "E1202" "OutputMismatch";
}

/// What the signature may say: a key, its words, whether it is given of results too.
const SIGNATURE: [(&str, &[&str], bool); 5] = [
    ("role", &["data", "param", "state"], false),
    ("mutability", &["immutable", "mutable"], false),
    ("storage", &["gmem", "const_pool"], true),
    ("layout", &[], true),
    ("alignment", &[], true),
];

/// A graph is one block, every symbol in a type is one that it takes, the signature says what can be said, and the
/// results are those of the signature.
pub fn graph(op: Graph<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let TypeData::Function { inputs, results } = ctx.type_data(op.function_type()) else { return };
    entries(op, "argument", op.arg_attrs(), inputs, diags);
    entries(op, "result", op.res_attrs(), results, diags);
    if !verify_function(*op, "graph", diags) {
        return;
    }
    let root = op.resolve();
    let ops = root.body.walk().into_iter().map(|id| OpRef { id, ..root });
    for inner in ops.filter(|inner| inner.is(Output::DEF)) {
        outputs(op, Output::from(inner), results, diags);
    }
}

/// What the signature says of the arguments or of the results.
fn entries(op: Graph<'_>, what: &str, attrs: Option<&[Attr]>, types: &[Type], diags: &Diagnostics) {
    let ctx = op.ctx;
    let wrong = |message: String| dlc_ir::Diagnostic::error(&BAD_SIGNATURE, op.loc(), message).at(op.name());
    for (index, &ty) in types.iter().enumerate() {
        if Tensor::of(ctx, ty).is_none() {
            diags.emit(wrong(format!("{what} {index} must be a tensor, but is {}", ty.display(ctx))));
        }
    }
    let Some(attrs) = attrs else { return };
    if attrs.len() != types.len() {
        return diags.emit(wrong(format!("{} dictionaries are given for {} {what}s", attrs.len(), types.len())));
    }
    for (index, dict) in attrs.iter().enumerate() {
        for &(key, value) in dict.as_dict(ctx).unwrap_or_default() {
            let key = ctx.str(key);
            if let Err((why, fix)) = entry(op, what == "result", types[index], key, value) {
                diags.emit(wrong(format!("{what} {index}: {why}")).suggest(fix));
            }
        }
    }
}

/// Whether a key may have a value; else why not, and what it may have.
fn entry(graph: Graph<'_>, of_result: bool, ty: Type, key: &str, value: Attr) -> Result<(), (String, String)> {
    let ctx = graph.ctx;
    // Keys with a dot are notes of other tools.
    if key.contains('.') {
        return Ok(());
    }
    let Some(&(_, words, _)) =
        SIGNATURE.iter().find(|(known, _, on_results)| *known == key && (*on_results || !of_result))
    else {
        let known: Vec<&str> =
            SIGNATURE.iter().filter(|(.., on)| *on || !of_result).map(|(known, ..)| *known).collect();
        return Err((format!("the signature says nothing about '{key}'"), format!("it knows {}", known.join(", "))));
    };
    let written = value.display(ctx);
    if key == "alignment" {
        let power_of_two =
            value.as_int(ctx).and_then(|value| u64::try_from(value).ok()).is_some_and(u64::is_power_of_two);
        let why = || (format!("'alignment' is {written}"), "it counts bytes and is a power of two".to_string());
        return if power_of_two { Ok(()) } else { Err(why()) };
    }
    if key == "layout" {
        // What is no tensor is reported for that.
        let Some(tensor) = Tensor::of(ctx, ty) else { return Ok(()) };
        let declared = graph.symbols().unwrap_or_default();
        let said = said_layout(ctx, value, tensor, &declared, of_result);
        return said.map(|_| ()).map_err(|why| (format!("'layout' is {written}"), why));
    }
    if value.as_str(ctx).is_some_and(|word| words.contains(&word)) {
        return Ok(());
    }
    Err((format!("'{key}' is {written}"), format!("it is one of \"{}\"", words.join("\", \""))))
}

/// The results are those of the signature.
fn outputs(graph: Graph<'_>, op: Output<'_>, results: &[Type], diags: &Diagnostics) {
    let ctx = op.ctx;
    let elems = op.elems();
    let given = op.values().enumerate().map(|(index, value)| {
        let ty = op.type_of(value);
        match (Tensor::of(ctx, ty), elems.iter().flatten().nth(index)) {
            (Some(tensor), Some(&elem)) => Tensor::get(ctx, tensor.dims(ctx), elem),
            _ => ty,
        }
    });
    let given: Vec<Type> = given.collect();
    let error = |message: String| {
        let error = dlc_ir::Diagnostic::error(&OUTPUT_MISMATCH, op.loc(), message).at(op.name());
        error.note(graph.loc(), "the graph is here")
    };
    if given.len() != results.len() {
        let message = format!("{} values are given, but the graph has {} results", given.len(), results.len());
        return diags.emit(error(message));
    }
    for (index, (&given, &wanted)) in
        given.iter().zip(results).enumerate().filter(|(_, (given, wanted))| given != wanted)
    {
        let message = format!("result {index} is {}, but the graph says {}", given.display(ctx), wanted.display(ctx));
        let dims = |ty: Type| Tensor::of(ctx, ty).map(|ty| ty.dims(ctx));
        let elem = Tensor::of(ctx, wanted).map(|ty| ty.elem(ctx).display(ctx)).unwrap_or_default();
        let fix = (dims(given) == dims(wanted)).then(|| format!("write 'as {elem}' after the value"));
        diags.emit(error(message).suggest_if(fix));
    }
}

/// A type for each value, or none at all.
pub fn output(op: Output<'_>, diags: &Diagnostics) {
    if let Some(elems) = op.elems().filter(|elems| elems.len() != op.values().count()) {
        diags.emit(op_error(*op, format!("{} types are given for {} values", elems.len(), op.values().count())));
    }
}

/// What is divided by is not zero.
pub fn celu(op: Celu<'_>, diags: &Diagnostics) {
    not_zero(*op, "alpha", op.alpha_or_default(), diags);
}

/// What is divided by is not zero.
pub fn softplus(op: Softplus<'_>, diags: &Diagnostics) {
    not_zero(*op, "beta", op.beta_or_default(), diags);
}

fn not_zero(op: OpRef<'_>, name: &str, value: f64, diags: &Diagnostics) {
    if value == 0.0 || value.is_nan() {
        diags.emit(op_error(op, format!("'{name}' is divided by, and must not be {value}")));
    }
}

/// There is a bound.
pub fn clamp(op: Clamp<'_>, diags: &Diagnostics) {
    if op.min().is_none() && op.max().is_none() {
        diags.emit(op_error(*op, "there must be a bound, 'min' or 'max'"));
    }
}

/// One axis, and whole numbers for integers.
pub fn arange(op: Arange<'_>, diags: &Diagnostics) {
    let Some(ty) = Tensor::of(op.ctx, op.type_of(op.out())) else { return };
    if ty.rank(op.ctx) != 1 {
        diags.emit(op_error(*op, format!("numbers in steps have one axis, not {}", ty.rank(op.ctx))));
    }
    for (name, value) in [("from", op.start()), ("step", op.step())] {
        whole(*op, name, value, ty.elem(op.ctx), diags);
    }
}

/// A whole number for integers.
pub fn full(op: Full<'_>, diags: &Diagnostics) {
    let Some(ty) = Tensor::of(op.ctx, op.type_of(op.out())) else { return };
    whole(*op, "value", Some(op.value()), ty.elem(op.ctx), diags);
}

/// A whole number for integers.
pub fn pad(op: Pad<'_>, diags: &Diagnostics) {
    let Some(ty) = Tensor::of(op.ctx, op.type_of(op.out())) else { return };
    whole(*op, "fill", op.fill(), ty.elem(op.ctx), diags);
}

fn whole(op: OpRef<'_>, name: &str, value: Option<f64>, elem: Type, diags: &Diagnostics) {
    if let Some(value) = value.filter(|value| value.fract() != 0.0 && elem.float_kind(op.ctx).is_none()) {
        diags.emit(op_error(op, format!("'{name}' is {value}, and the elements are of type {}", elem.display(op.ctx))));
    }
}
