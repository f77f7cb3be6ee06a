//! The server's parts on the texts of `test/`, whole and damaged.

use std::path::{Path, PathBuf};

use dlc_lsp::document::Document;
use dlc_lsp::tokens::Tokens;
use dlc_lsp::{complete, format, hover, navigate, semantic};
use dlc_opt::Setup;

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, into);
        } else if path.extension().is_some_and(|end| end == "mlir" || end == "tiny" || end == "test") {
            into.push(path);
        }
    }
}

/// The texts of `test/`, those that are not too large, with their names.
fn texts() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test"), &mut paths);
    let read = |path: PathBuf| Some((path.display().to_string(), std::fs::read_to_string(&path).ok()?));
    let texts: Vec<_> = paths.into_iter().filter_map(read).filter(|(_, text)| text.len() < 100_000).collect();
    assert!(texts.len() > 100, "{} texts", texts.len());
    texts
}

#[test]
fn formatting_keeps_tokens_and_is_done_in_one_step() {
    let spelled = |text: &str, tokens: &Tokens| -> Vec<String> {
        tokens.list.iter().map(|lexed| text[lexed.range.clone()].to_string()).collect()
    };
    let ctx = dlc_ir::Context::new(Setup::linked().dialects.iter().copied());
    for (name, text) in texts() {
        let tokens = Tokens::of(&text);
        let once = format::formatted(&ctx, &text, &tokens);
        let again = Tokens::of(&once);
        assert_eq!(spelled(&text, &tokens), spelled(&once, &again), "{name}");
        assert_eq!(format::formatted(&ctx, &once, &again), once, "{name}");
    }
}

#[test]
fn printed_programs_are_formatted() {
    let setup = Setup::linked();
    let mut compared = 0;
    for (name, text) in texts().into_iter().step_by(5) {
        let ctx = dlc_ir::Context::new(setup.dialects.iter().copied());
        let diags = dlc_ir::diag::Diagnostics::new();
        let Some(file) = ctx.sources.add("<text>", text) else { continue };
        let read = dlc_ir::text::parse_module(&ctx, &file, 0..file.text.len(), Default::default(), &diags);
        let Ok(body) = read else { continue };
        if !dlc_ir::verify::verify(&ctx, &body, &diags) {
            continue;
        }
        let mut printed = String::new();
        dlc_ir::text::print_body(&ctx, &body, Default::default(), &mut |piece| printed.push_str(piece));
        assert_eq!(format::formatted(&ctx, &printed, &Tokens::of(&printed)), printed, "{name}");
        compared += 1;
    }
    assert!(compared > 20, "{compared} programs");
}

/// Everything that the server answers, at some places of a text.
fn ask_everything(setup: &Setup, text: &str, seed: usize) {
    let document = Document::new(setup, "file:///in.mlir", text.to_string());
    assert_eq!(semantic::encoded(&document).len() % 5, 0);
    format::formatted(&document.ctx, text, &document.tokens);
    for step in 0..8 {
        let line = (seed + step * 7919) % (text.matches('\n').count() + 1);
        let offset = document.text.offset(line, (seed + step * 13) % 60);
        hover::at(setup, &document, offset);
        navigate::definition(&document, "file:///in.mlir", None, offset);
        complete::at(setup, &document, offset);
    }
    let failed = document.diagnostics.iter().any(|found| found["code"].is_null());
    assert!(!failed, "dlc failed on:\n{text}");
}

#[test]
fn damaged_texts_are_answered() {
    let setup = Setup::linked();
    let work = move || {
        for (number, (_, text)) in texts().into_iter().enumerate().filter(|(number, _)| number % 4 == 0) {
            let bytes = text.as_bytes();
            let mut seed = number.wrapping_mul(2_654_435_761).wrapping_add(12_345);
            for round in 0..3 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (seed >> 20) % bytes.len().max(1);
                let mut damaged = bytes.to_vec();
                match round {
                    0 => damaged.truncate(at),
                    1 => damaged[at] = b"(){}[]<>%@,:=\"x9"[(seed >> 8) % 16],
                    _ => drop(damaged.drain(at..(at + 9).min(bytes.len()))),
                }
                ask_everything(&setup, &String::from_utf8_lossy(&damaged), seed >> 33);
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(dlc_opt::STACK).spawn(work).expect("a thread");
    thread.join().expect("no text makes the server fail");
}
