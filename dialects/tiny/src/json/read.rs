//! From a text to a module.

use std::collections::HashMap;
use std::ops::Range;

use dlc_core::broadcast::show;
use dlc_core::json::attr::to_attr;
use dlc_core::json::{Document, Kind, Node, Read, Record, Reported, WRONG_VALUE};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::diag::Diagnostics;
use dlc_ir::location::SourceFile;
use dlc_ir::text::REDEFINED;
use dlc_ir::{Attr, Body, Context, Loc, Type, ValueId};

use super::args::JsonArgs;
use super::build::{Build, Operand};
use super::dump;
use super::number;
use super::uops::{Arg, Uop};
use super::{FORMAT, KEPT, OUTPUTS, Spelling, TYPE_DIFFERS, UNKNOWN_UOP};

/// Reads a program in either spelling.
pub(super) fn read(ctx: &Context, file: &SourceFile, part: Range<usize>, diags: &Diagnostics) -> Option<Body> {
    let before = diags.errors();
    let document = Document::new(file, part.clone(), diags);
    let root = document.root().ok()?;
    let read = || match root.entries("an object")?.iter().any(|(key, ..)| key == "format") {
        true => typed(ctx, &root),
        false => dump::read(ctx, &root, (file, part)),
    };
    read().ok().filter(|_| diags.errors() == before)
}

/// Reads `dlc-tiny-uops/1`.
fn typed(ctx: &Context, root: &Node<'_>) -> Read<Body> {
    let keys = ["format", "name", "source", "note", "inputs", "uops", "outputs", "hints"];
    let program = Record::new(root, "a program", &keys)?;
    let format = program.need("format")?;
    if format.string("the name of a format")? != FORMAT {
        let error = format.wrong("a format that is known");
        return Err(format.report(error.suggest(format!("it is \"{FORMAT}\"; a dump has no format"))));
    }
    let name = program.need("name")?.name()?;
    let mut build = Build::new(ctx, root.loc());
    for input in program.need("inputs")?.list("a list of inputs")? {
        // What else is wrong is reported too.
        let _ = typed_input(&mut build, &input);
    }
    let uops = program.need("uops")?.list("a list of uops")?;
    let record = |node| Record::new(node, "a uop", &["uop", "src", "arg", "out", "dtype", "shape"]).ok();
    let uops: Vec<Record<'_>> = uops.iter().filter_map(record).collect();
    let places = places(&uops);
    for uop in &uops {
        let _ = typed_uop(&mut build, uop, &places);
    }
    let outputs = program.need("outputs")?;
    let outputs = outputs.list_of("a list of outputs", |node| output(&build, node))?;
    let mut names: Vec<&str> = Vec::new();
    for (name, _, node) in &outputs {
        if names.contains(&name.as_str()) {
            return Err(node.report(node.error(&REDEFINED, format!("there is an output '{name}' already"))));
        }
        names.push(name);
    }
    if let Some(node) = program.get("hints") {
        hints(&mut build, node)?;
    }
    let names: Vec<Attr> = names.into_iter().map(|name| ctx.str_attr(name)).collect();
    let mut attrs = vec![(OUTPUTS, ctx.array_attr(&names))];
    for key in KEPT {
        if let Some(value) = program.get(key) {
            attrs.push((key, to_attr(ctx, value)?));
        }
    }
    let results: Vec<ValueId> = outputs.iter().map(|(_, value, _)| *value).collect();
    Ok(build.finish(&name, &results, &attrs, root.loc()))
}

fn typed_input(build: &mut Build<'_>, node: &Node<'_>) -> Read<()> {
    let input = Record::new(node, "an input", &["name", "dtype", "shape", "role"])?;
    let place = input.need("name")?;
    let name = place.name()?;
    let read = || {
        let (dtype, shape) = (input.need("dtype")?.dtype(build.ctx)?, input.need("shape")?.sizes()?);
        let role = input.get("role").map(|role| role.string("a word, such as \"data\"")).transpose()?;
        Ok((dtype, shape, role))
    };
    let (dtype, shape, role) = match read() {
        Ok(read) => read,
        Err(Reported) => return build.define(&name, None, place),
    };
    let role = role.map(|role| ("role", build.ctx.str_attr(&role)));
    let ty = Tensor::get(build.ctx, shape, dtype);
    build.input(&name, ty, role.as_slice(), place).map(drop)
}

/// Where each name is defined, to be told when it is used before.
pub(super) fn places(uops: &[Record<'_>]) -> HashMap<String, Loc> {
    let mut places = HashMap::new();
    for out in uops.iter().filter_map(|uop| uop.get("out")).filter(|out| out.kind() == Kind::String) {
        if let Ok(name) = out.string("a name") {
            places.entry(name.to_string()).or_insert(out.loc());
        }
    }
    places
}

fn typed_uop(build: &mut Build<'_>, record: &Record<'_>, places: &HashMap<String, Loc>) -> Read<()> {
    let out = record.need("out")?;
    let name = out.name()?;
    let value = typed_value(build, record, places);
    build.define(&name, value.ok(), out)
}

fn typed_value(build: &mut Build<'_>, record: &Record<'_>, places: &HashMap<String, Loc>) -> Read<ValueId> {
    let uop = uop_of(record.need("uop")?)?;
    let sources = record.need("src")?;
    let operands = sources.list_of("a list of names", |node| {
        let name = node.name()?;
        build.value(&name, node, places.get(&*name).copied())
    });
    let dtype = record.need("dtype").and_then(|node| node.dtype(build.ctx));
    let shape = record.need("shape").and_then(Node::sizes);
    let operands: Vec<Operand> = operands?.into_iter().map(|id| build.operand(id)).collect();
    make(build, uop, record, &operands, Spelling::Typed, (Some(dtype?), Some(shape?)))
}

/// Marks the values that hints want in memory. Hints of other kinds are kept, and not looked at.
fn hints(build: &mut Build<'_>, node: &Node<'_>) -> Read<()> {
    for hint in node.list("a list of hints, such as [{\"kind\": \"CONTIGUOUS\", \"value\": \"y\"}]")? {
        let entries = hint.entries("a hint, such as {\"kind\": \"CONTIGUOUS\", \"value\": \"y\"}")?;
        let is_kind = |(key, _, kind): &(_, _, Node<'_>)| {
            key == "kind" && kind.kind() == Kind::String && kind.string("a kind").is_ok_and(|kind| kind == "CONTIGUOUS")
        };
        if entries.iter().any(is_kind) {
            let place = Record::new(&hint, "a hint", &["kind", "value"])?;
            let place = place.need("value")?;
            let value = build.value(&place.name()?, place, None)?;
            build.mark_source(value, dlc_core::CONTIGUOUS);
        }
    }
    Ok(())
}

/// The uop that a node names.
pub(super) fn uop_of(node: &Node<'_>) -> Read<&'static Uop> {
    let name = node.string("the name of a uop, such as \"ADD\"")?;
    Uop::of_name(&name).ok_or_else(|| {
        let (message, fix) = match &*name {
            "IF" | "ENDIF" => (format!("'{name}' has no JSON"), Some("choose between elements with WHERE".to_string())),
            _ => (format!("there is no uop '{name}'"), Uop::nearest(&name)),
        };
        node.report(node.error(&UNKNOWN_UOP, message).suggest_if(fix))
    })
}

/// Makes the op of a uop, and compares its type with what is written.
pub(super) fn make(
    build: &mut Build<'_>,
    uop: &'static Uop,
    record: &Record<'_>,
    operands: &[Operand],
    spelling: Spelling,
    (dtype, shape): (Option<Type>, Option<Vec<SizeExpr>>),
) -> Read<ValueId> {
    let node = record.node();
    if let Err(message) = uop.takes(operands.len()) {
        let place = record.get("src").unwrap_or(node);
        return Err(place.report(place.error(&WRONG_VALUE, message)));
    }
    let given = JsonArgs { ctx: build.ctx, spelling, uop, record, operands, axes: &build.axes, dtype, shape };
    let parts = given.read()?;
    let ids: Vec<ValueId> = operands.iter().map(|operand| operand.id).collect();
    let (dtype, shape) = (given.dtype, given.shape);
    let value = build.op(uop.def, &ids, (&parts.props, &parts.attrs), parts.ty, node)?;
    let result = build.operand(value);
    let axes = &build.axes;
    JsonArgs { ctx: build.ctx, spelling, uop, record, operands, axes, dtype, shape }.check(result.elem, &result.dims);
    if spelling == Spelling::Dump && uop.arg != Arg::Const {
        build.name_axes(value, uop);
    }
    Ok(value)
}

/// The name and value of an output, whose type must be the one that is written.
fn output<'a>(build: &Build<'_>, node: &Node<'a>) -> Read<(String, ValueId, Node<'a>)> {
    let output = Record::new(node, "an output", &["name", "value", "dtype", "shape"])?;
    let name = output.need("name")?.name()?;
    let place = output.need("value")?;
    let value = build.value(&place.name()?, place, None)?;
    let (dtype, shape) = (output.need("dtype")?, output.need("shape")?);
    let (written, sizes) = (dtype.dtype(build.ctx)?, shape.sizes()?);
    let is = build.operand(value);
    for (node, written, is) in [
        (dtype, number::name(build.ctx, written), number::name(build.ctx, is.elem)),
        (shape, show(&sizes), show(&is.dims)),
    ] {
        if written != is {
            let message = format!("'{}' is {written}, but the value is {is}", node.path());
            node.report(node.error(&TYPE_DIFFERS, message));
        }
    }
    Ok((name.to_string(), value, node.clone()))
}
