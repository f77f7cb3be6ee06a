//! Tests of what text tests cannot see: constructors, views, and running programs.

mod declare;
mod run;
mod text;

use dlc_ir::diag::Diagnostics;
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_body};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context};

/// A context with the dialect.
fn context() -> Context {
    Context::new([&crate::DIALECT])
}

/// The module of a text, verified; otherwise the messages.
fn parse(ctx: &Context, text: &str) -> Result<Body, Vec<String>> {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test.mlir", text.into()).expect("the text is short");
    let parsed = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags);
    let body = parsed.ok().filter(|body| verify(ctx, body, &diags));
    let messages = diags.take();
    body.ok_or_else(|| messages.into_iter().map(|d| d.message).collect())
}

fn print(ctx: &Context, body: &Body, generic: bool) -> String {
    let mut text = String::new();
    print_body(ctx, body, PrintOptions { generic, ..PrintOptions::default() }, &mut |piece| text.push_str(piece));
    text
}
