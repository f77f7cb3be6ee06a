//! Reading the input: a file or standard input, all of it, and never more than dlc handles.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use dlc_core::json::outline::Outline;
use dlc_ir::body::{InsertPoint, OpParts, OpRef};
use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean};
use dlc_ir::location::{Loc, SourceFile, SourceMap};
use dlc_ir::pass::layers::dialect_of;
use dlc_ir::pass::registry::Registry;

use dlc_ir::text::{NOT_UTF8, ParseOptions, TOO_LARGE, parse_module};
use dlc_ir::verify::UNKNOWN_SYMBOL;
use dlc_ir::{Attr, Body, Context};
use dlc_plan::Schedule;
use dlc_plan::check::NOT_OF_KERNEL;
use dlc_plan::json::in_order;
use dlc_plan::places::place_of;
use dlc_region::ops::Func;
use dlc_region::verify::KernelAxes;

use crate::formats;

dlc_ir::codes! {
    /// A file cannot be read.
    CANNOT_READ = "E0501" "CannotRead";
    /// A file cannot be written.
    CANNOT_WRITE = "E0502" "CannotWrite";
    /// A file is JSON of a form, or a file of a format, that nothing here reads.
    UNKNOWN_FORM = "E0504" "UnknownForm";
}

/// Reads a file, or standard input when its name is `-`, into the sources of a context.
pub fn read(ctx: &Context, name: &str, stdin: &mut dyn Read, diags: &Diagnostics) -> Option<Arc<SourceFile>> {
    let (shown, bytes) = if name == "-" { ("<stdin>", read_all(stdin, 0)) } else { (name, read_file(name)) };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = format!("'{shown}' cannot be read: {error}");
            diags.emit(Diagnostic::error(&CANNOT_READ, Loc::UNKNOWN, message));
            return None;
        }
    };
    if bytes.len() >= SourceMap::MAX_BYTES {
        too_large(shown, diags);
        return None;
    }
    if let Some((format, door)) = formats::recognize(&bytes) {
        let message = format!("'{shown}' is {format}, which is not read as a program");
        diags.emit(Diagnostic::error(&UNKNOWN_FORM, Loc::UNKNOWN, message).suggest(door));
        return None;
    }
    let text = match String::from_utf8(bytes) {
        // A byte order mark says nothing in UTF-8, but some editors write it.
        Ok(text) => text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text),
        Err(error) => {
            let (at, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
            let line = bytes[..at].iter().filter(|b| **b == b'\n').count() + 1;
            let column = at - bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1) + 1;
            let message = format!("{shown}:{line}:{column}: the byte 0x{:02x} is not UTF-8", bytes[at]);
            diags.emit(Diagnostic::error(&NOT_UTF8, Loc::UNKNOWN, message));
            return None;
        }
    };
    add(ctx, shown, text, diags)
}

/// Puts a text into the sources of a context. That it is too large is reported.
pub fn add(ctx: &Context, name: &str, text: String, diags: &Diagnostics) -> Option<Arc<SourceFile>> {
    let file = ctx.sources.add(name, text);
    if file.is_none() {
        too_large(name, diags);
    }
    file
}

fn too_large(name: &str, diags: &Diagnostics) {
    let message = format!("'{name}' is larger than the {} bytes that dlc reads", SourceMap::MAX_BYTES);
    diags.emit(Diagnostic::error(&TOO_LARGE, Loc::UNKNOWN, message));
}

/// Reads the module that a part of a source holds, not verified: as IR, or as the JSON that the name of the source or
/// else the text itself says it is.
pub fn module(
    ctx: &Context,
    registry: &Registry,
    file: &Arc<SourceFile>,
    part: Range<usize>,
    options: ParseOptions,
    diags: &Diagnostics,
) -> Option<Body> {
    let text = &file.text[part.clone()];
    let is_json = file.name.ends_with(".json") || (file.name.starts_with('<') && !Outline::of(text).keys.is_empty());
    let by_text = || if is_json { registry.reader_of_text(text) } else { None };
    match registry.reader_of(&file.name).or_else(by_text).and_then(|reader| reader.read) {
        Some(read) => read(ctx, file, part, diags),
        None if is_json => {
            let forms = registry.translations().filter(|form| form.detects.is_some());
            let forms: Vec<String> = forms.map(|form| format!("{}: {}", form.name, form.summary)).collect();
            if Outline::of(text).has("poly_view") {
                let message = "'poly_view' describes what a pass makes, without the types that a program has";
                let error = Diagnostic::error(&UNKNOWN_FORM, file.loc(part.start), message);
                diags.emit(error.suggest("give the program that it was made of"));
                return None;
            }
            let message = format!("'{}' is none of the forms of JSON that are read", file.name);
            let error = Diagnostic::error(&UNKNOWN_FORM, file.loc(part.start), message);
            diags.emit(error.suggest(format!("these are:\n{}", forms.join("\n"))));
            None
        }
        None => parse_module(ctx, file, part, options, diags).ok(),
    }
}

/// Puts the schedules and targets of a file, as text or JSON, at the end of a module: those that name a kernel belong to
/// it, others to the only one. Of several documents, as `--emit-json` writes a kernel and its plan, those of plans are taken.
pub fn add_plans(
    ctx: &Context,
    registry: &Registry,
    module: &mut Body,
    file: &Arc<SourceFile>,
    diags: &Diagnostics,
) -> Option<()> {
    let parts = split(&file.text);
    let several = parts.len() > 1;
    for part in parts {
        let plans = self::module(ctx, registry, file, part, ParseOptions::default(), diags)?;
        add_plans_of(ctx, module, &plans, (&file.name, several), diags)?;
    }
    Some(())
}

fn add_plans_of(
    ctx: &Context,
    module: &mut Body,
    plans: &Body,
    (name, several): (&str, bool),
    diags: &Diagnostics,
) -> Option<()> {
    let end = module.entry_block().map(InsertPoint::EndOf)?;
    let Some(block) = plans.entry_block() else { return Some(()) };
    let kernels = kernels(ctx, module);
    for op in plans.ops(block) {
        let view = OpRef::new(ctx, plans, op);
        if dialect_of(view.name()) != "plan" {
            if several {
                continue;
            }
            let message =
                format!("a file of '--plan' holds ops of the layer 'plan' only, and '{name}' has '{}'", view.name());
            let error = Diagnostic::error(&UNKNOWN_FORM, view.loc(), message);
            diags.emit(error.suggest("give the program as the input, and with '--plan' the ops of its plans"));
            return None;
        }
        let attrs = plans.attrs(op);
        let plan = Schedule::of(view);
        if let Some(missing) = plan.as_ref().and_then(|plan| missing_kernel(ctx, module, plan, &kernels)) {
            diags.emit(Diagnostic { loc: view.loc(), ..missing }.at(view.name()));
            return None;
        }
        let props = match plan {
            Some(plan) => match plan_for_kernel(ctx, &plan, (plans.props(op), attrs), &kernels) {
                Ok(props) => props,
                Err(message) => {
                    let place = place_of(ctx, view.loc(), "tile").unwrap_or(view.loc());
                    let error = Diagnostic::error(&NOT_OF_KERNEL, place, message).at(view.name());
                    let names: Vec<&str> = kernels.iter().map(|(name, _)| name.as_str()).collect();
                    diags.emit(error.suggest(format!("the kernels are {}", names.join(", "))));
                    return None;
                }
            },
            None => plans.props(op),
        };
        let copy = module.create_op(OpParts { props, attrs, ..OpParts::new(plans.op_name(op), view.loc()) });
        module.insert(copy, end);
    }
    Some(())
}

/// What is wrong with a plan of a kernel that the input does not have. The kernels of a graph are there only once it is
/// lowered, so a similar name of the graph is none.
fn missing_kernel(
    ctx: &Context,
    module: &Body,
    plan: &Schedule,
    kernels: &[(String, Vec<String>)],
) -> Option<Diagnostic> {
    let name = plan.of.as_deref()?;
    let ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
    if ops.into_iter().any(|op| OpRef::new(ctx, module, op).symbol_name() == Some(name)) {
        return None;
    }
    let error = Diagnostic::error(&UNKNOWN_SYMBOL, Loc::UNKNOWN, format!("the input has no kernel @{name}"));
    if kernels.is_empty() {
        return Some(error.suggest(format!(
            "its kernels are made by '--tiny-to-region': lower it first, or leave 'of @{name}' out where there is one kernel"
        )));
    }
    let names = kernels.iter().map(|(name, _)| name.as_str());
    let near = did_you_mean(name, names.clone()).map(|hint| hint.replacen('\'', "'@", 1));
    let list = || format!("the kernels are {}", names.collect::<Vec<_>>().join(", "));
    Some(error.suggest(near.unwrap_or_else(list)))
}

/// The kernels of a module, with their axes: those of the results, then those that are reduced.
fn kernels(ctx: &Context, module: &Body) -> Vec<(String, Vec<String>)> {
    let block = module.entry_block();
    let ops = block.into_iter().flat_map(|block| module.ops(block));
    ops.filter_map(|op| {
        let name = OpRef::new(ctx, module, op).symbol_name()?.to_string();
        let body = module.nested(op)?;
        Func::of(OpRef::new(ctx, body, body.root()))?;
        Some((name, KernelAxes::of(ctx, body).names))
    })
    .collect()
}

/// The attributes of a schedule that is put next to kernels: it names its kernel unless there is one, and a tile that is a
/// list has the axes of the kernel.
fn plan_for_kernel(
    ctx: &Context,
    plan: &Schedule,
    parts: (Attr, Attr),
    kernels: &[(String, Vec<String>)],
) -> Result<Attr, String> {
    let kernel = match (&plan.of, kernels) {
        (Some(name), _) => kernels.iter().find(|(own, _)| own == name),
        (None, [one]) => Some(one),
        (None, []) => None,
        (None, several) => return Err(format!("the plan names no kernel, and there are {}", several.len())),
    };
    kernel.map_or(Ok(parts.0), |(_, axes)| in_order(ctx, parts, axes))
}

fn read_file(name: &str) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(name)?;
    let size = file.metadata()?.len();
    read_all(&mut file, size)
}

/// Everything, or a byte more than is handled.
fn read_all(from: &mut dyn Read, expected: u64) -> std::io::Result<Vec<u8>> {
    let limit = SourceMap::MAX_BYTES as u64;
    let mut bytes = Vec::new();
    // Without memory for it this is an error, not an abort.
    let capacity = if expected < limit { expected as usize + 1 } else { 0 };
    bytes.try_reserve_exact(capacity).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
    if expected >= limit {
        return Err(std::io::Error::other(format!("it has more than the {limit} bytes that dlc reads")));
    }
    from.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The parts of a text between lines that are `// -----`.
pub fn split(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        if line.trim_end() == "// -----" {
            parts.push(start..at);
            start = next;
        }
        at = next;
    }
    parts.push(start..text.len());
    parts
}
