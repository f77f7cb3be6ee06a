//! Random input for the text layer, and what must hold for it.
//!
//! Everything is decided by a seed and the number of a case, so a failure is repeated by naming both. Whatever the
//! input: reading it never panics, and ends in a module or in errors that can be shown. A module that passes the
//! verifier prints, reads back as the same module, and prints the same text again, in generic and in custom form, with
//! and without locations; its clone prints the same.

mod damaged;
mod json;
mod module;
mod passes;
mod same;
mod text;
pub mod tiny;

use std::path::Path;

use dlc_ir::diag::{self, Style};
use dlc_ir::random::Random;
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_body};
use dlc_ir::{Body, Context, Diagnostics, verify};

pub use damaged::{Damage, Damaged, DamagedText};
pub use json::{exchange_json, mutate_json};
pub use module::module;
pub use passes::{Fate, Passes, extreme_numbers};
pub use same::same;
pub use text::{bytes, exchange, mutate, mutate_bytes, soup};

/// A kind of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Random bytes.
    Bytes,
    /// Random tokens of the language.
    Soup,
    /// A file of the corpus with tokens deleted, doubled, exchanged, or its end cut off.
    Mutated,
    /// A module that is built to be valid.
    Module,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Kind::Bytes, Kind::Soup, Kind::Mutated, Kind::Module];
}

/// The files under some directories whose names end in `.mlir`, in order: what [`Kind::Mutated`] starts from.
pub fn corpus(directories: &[&Path]) -> std::io::Result<Vec<String>> {
    files(directories, "mlir")
}

/// The files under some directories with an extension, in order.
pub fn files(directories: &[&Path], extension: &str) -> std::io::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut waiting: Vec<_> = directories.iter().map(|directory| directory.to_path_buf()).collect();
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files.into_iter().map(|path| Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())).collect()
}

/// A context with the neutral dialect.
pub fn context() -> Context {
    Context::new([&dlc_sample::DIALECT])
}

/// Runs one case.
pub fn run(kind: Kind, seed: u64, case: u64, corpus: &[String]) -> Result<(), String> {
    let mut rng = Random::of_case(seed, case);
    let ctx = context();
    match kind {
        Kind::Bytes => check_bytes(&ctx, &bytes(&mut rng)),
        Kind::Soup => check_text(&ctx, &soup(&mut rng)),
        Kind::Mutated => match rng.pick(corpus) {
            Some(file) => check_bytes(&ctx, &mutate(&mut rng, file)),
            None => Ok(()),
        },
        Kind::Module => {
            let body = module(&ctx, &mut rng);
            let diags = Diagnostics::new();
            if !verify::verify(&ctx, &body, &diags) {
                return Err(format!("a built module is not valid:\n{}\n{}", shown(&ctx, &diags), generic(&ctx, &body)));
            }
            check_module(&ctx, &body)
        }
    }
}

fn check_bytes(ctx: &Context, input: &[u8]) -> Result<(), String> {
    match std::str::from_utf8(input) {
        Ok(text) => check_text(ctx, text),
        // Not to be read; tools say so.
        Err(_) => Ok(()),
    }
}

/// Checks that text is read into a module that survives printing, or refused with errors.
pub fn check_text(ctx: &Context, text: &str) -> Result<(), String> {
    let diags = Diagnostics::new();
    let Some(body) = read(ctx, text, &diags) else {
        return match diags.errors() {
            0 => Err("the text is refused without an error".into()),
            _ => {
                shown(ctx, &diags);
                Ok(())
            }
        };
    };
    if !verify::verify(ctx, &body, &diags) {
        shown(ctx, &diags);
        // It is shown to the user in generic form.
        generic(ctx, &body);
        return Ok(());
    }
    check_module(ctx, &body)
}

/// Checks that a valid module survives printing, reading and cloning.
pub fn check_module(ctx: &Context, body: &Body) -> Result<(), String> {
    let clone = body.clone();
    for generic in [true, false] {
        for locations in [true, false] {
            let options = PrintOptions { generic, locations, elide_elements: None };
            let text = print(ctx, body, options);
            let whole = |what: &str| format!("{what} ({options:?}):\n{text}");
            if print(ctx, &clone, options) != text {
                return Err(whole("a clone prints otherwise than the module"));
            }
            let diags = Diagnostics::new();
            let Some(again) = read(ctx, &text, &diags) else {
                return Err(whole(&format!("a printed module does not read:\n{}", shown(ctx, &diags))));
            };
            if !verify::verify(ctx, &again, &diags) {
                return Err(whole(&format!("a printed module is not valid:\n{}", shown(ctx, &diags))));
            }
            same(ctx, body, &again).map_err(|reason| whole(&format!("a printed module reads as another: {reason}")))?;
            let second = print(ctx, &again, options);
            if second != text {
                return Err(whole(&format!("a printed module prints otherwise after reading:\n{second}\nbefore")));
            }
        }
    }
    Ok(())
}

fn read(ctx: &Context, text: &str, diags: &Diagnostics) -> Option<Body> {
    let file = ctx.sources.add("fuzz", text.to_owned())?;
    parse_module(ctx, &file, 0..text.len(), ParseOptions { allow_unregistered: true }, diags).ok()
}

fn print(ctx: &Context, body: &Body, options: PrintOptions) -> String {
    let mut text = String::new();
    print_body(ctx, body, options, &mut |piece| text.push_str(piece));
    text
}

fn generic(ctx: &Context, body: &Body) -> String {
    print(ctx, body, PrintOptions { generic: true, ..PrintOptions::default() })
}

/// The diagnostics as text; showing them as JSON must work too.
fn shown(ctx: &Context, diags: &Diagnostics) -> String {
    let list = diags.take();
    diag::to_json(ctx, &list);
    list.iter().take(20).map(|diagnostic| diag::render(ctx, diagnostic, Style::default())).collect()
}
