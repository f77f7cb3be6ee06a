//! Tests of what text tests cannot see: long guards stay fast, and input of any kind does not panic.

use std::time::{Duration, Instant};

use dlc_ir::diag::Diagnostics;
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context};

fn context() -> Context {
    Context::new([&crate::DIALECT, &dlc_core::DIALECT])
}

fn parse(ctx: &Context, text: &str) -> (Option<Body>, Vec<&'static str>) {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test.mlir", text.into()).expect("the text is short");
    let parsed = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags);
    let body = parsed.ok().filter(|body| verify(ctx, body, &diags));
    (body, diags.take().iter().map(|diagnostic| diagnostic.code.code).collect())
}

/// A thousand pieces, each of which needs a proof of its own, are a warning and take no time to speak of.
#[test]
fn a_thousand_pieces_are_fast() {
    let piece = |n: usize| format!("({n} <= 2*i0 + i1 < M + {n}, 2*i0 + i1 - 1 < M)");
    let pieces: Vec<String> = (1..=1000).map(piece).collect();
    let text = format!(
        "book.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M, 3], f32> {{\n  %y = entry copy axes (i0: M, i1: 3) of %x at \
         (2*i0 + i1 - 1) where {}\n  return %y\n}}",
        pieces.join(" or ")
    );
    let ctx = context();
    let start = Instant::now();
    let (body, codes) = parse(&ctx, &text);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(body.is_some());
    assert_eq!(codes, ["W2101"]);
}

const TEXT: &str = "book.func @f<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[M], i32>) -> tensor<[M, N], f32> {
  %c = const 0.5 : tensor<[], f32>
  %i = iota (2*i0 + i1) axes (i0: M, i1: 4) : tensor<[M, 4], i32>
  %a = entry add axes (i0: M, i1: N) of %x at (i0, i1 - 1) where (1 <= i1) or (0 <= i1 - 1 < N, i0 == 2) else -inf, %c at ()
  %s = reduce sum axes (i0: M) over (i1: N) of %a at (i0, i1) acc f32
  %g = gather non_scop axes (i0: M, i1: N) of %a at [%ids (i0) where (i0 < 2) else 7, i1]
  %r = reshape non_scop %s : tensor<[1, M], f32>
  return %g
}";

/// Whatever is left out of a text, or put twice, it is read or refused.
#[test]
fn mutilated_text_is_refused() {
    let ctx = context();
    assert!(parse(&ctx, TEXT).0.is_some());
    let words: Vec<&str> = TEXT.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    for at in 0..words.len() {
        for with in ["", "0", "i9", "-", "(", "M*i0", "floordiv", "9223372036854775807*"] {
            let text = [&words[..at].concat(), with, &words[at + 1..].concat()].concat();
            let (body, codes) = parse(&ctx, &text);
            assert!(body.is_some() || !codes.is_empty(), "{text}");
        }
    }
}

const JSON: &str = r#"{"index_book": {
  "x": {"axes": [{"id": 0, "name": "m", "size": "M", "kind": "iter"}], "inputs": [], "dtype": "fp32"},
  "y": {"axes": [{"id": 1, "name": "m", "size": "M", "kind": "iter"}], "domain": {"pieces": [{"constraints": [["0<=m-1", "m<M"]]},
    {"constraints": [["else_pad_piece"]]}]}, "inputs": [{"value_id": "x", "map": ["m-1"], "fill": -1.5}]},
  "s": {"axes": [], "inputs": [{"value_id": "y", "map": ["k"]}], "reduce_axes": [1], "function": "max"}}}"#;

/// The same of JSON.
#[test]
fn mutilated_json_is_refused() {
    let ctx = context();
    let read = |text: &str| {
        let diags = Diagnostics::new();
        let file = ctx.sources.add("test.json", text.into()).expect("the text is short");
        let read = crate::json::TRANSLATION.read.expect("it reads");
        (read(&ctx, &file, 0..text.len(), &diags), diags.errors())
    };
    assert!(read(JSON).0.is_some());
    let words: Vec<&str> = JSON.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    for at in 0..words.len() {
        for with in ["", "0", "null", "\"", "[", "{}", "m%", "<="] {
            let text = [&words[..at].concat(), with, &words[at + 1..].concat()].concat();
            let (body, errors) = read(&text);
            assert_eq!(body.is_none(), errors > 0, "{text}");
            if let Some(body) = body {
                verify(&ctx, &body, &Diagnostics::new());
            }
        }
    }
}
