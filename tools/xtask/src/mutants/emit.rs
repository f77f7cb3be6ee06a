//! Accepted mutants that change synchronization, for a machine with a GPU.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use dlc_ir::Context;
use dlc_ir::text::{PrintOptions, print_op};
use dlc_opt::{Io, RunFn, Setup, Status};

use super::evaluate::{function, instructions, shape};
use super::{Fate, Mutant, module};

/// What a line has that synchronizes.
const WORDS: [&str; 14] = [
    "wait",
    "expect",
    "arrive",
    "barrier",
    "fence",
    "tma_",
    "copy_async",
    "advance",
    "warp_sync",
    "token",
    "signal",
    "parity",
    "mod ",
    "done",
];

/// Whether a mutant is accepted, every evaluation came to its end and gave all results, and its edit is one of
/// synchronization.
pub fn is_wanted(mutant: &Mutant) -> bool {
    let Fate::Accepted(found) = &mutant.fate else { return false };
    let is_right = found.faults.iter().all(Option::is_none) && found.stopped.iter().all(Option::is_none);
    let synchronizes = || mutant.diff.lines().any(|line| WORDS.iter().any(|word| line.contains(word)));
    found.ended[1] > 0 && is_right && !found.unwritten && synchronizes()
}

/// Writes a mutant for a GPU: NAME.ptx and NAME.json, and for each of its sizes NAME.N.npz, what it gives, and NAME.N.args,
/// with which arguments of `dlc-run`. Whether there was anything to write.
///
/// Errors: a file cannot be written, or a tool fails.
pub fn emit(setup: &Setup, folder: &Path, mutant: &Mutant) -> Result<bool, String> {
    let Fate::Accepted(found) = &mutant.fate else { return Ok(false) };
    let ctx = Context::new(setup.dialects.iter().copied());
    let Some(body) = module(&ctx, &mutant.name, &mutant.text) else { return Ok(false) };
    let (Some(function), Some(made)) = (function(&ctx, &body), instructions(setup, &ctx, &body)) else {
        return Ok(false);
    };
    let path = |ending: &str| folder.join(format!("{}.{ending}", mutant.name)).to_string_lossy().into_owned();
    let write = |path: &str, text: &str| fs::write(path, text).map_err(|error| format!("{path}: {error}"));
    let text = print_op(&ctx, &made, made.root(), PrintOptions::default());
    write(&path("mlir"), &text)?;
    tool(setup, dlc_translate::run, &["dlc-translate", &path("mlir"), "--to-ptx", "-o", &path("ptx")])?;
    for (number, sizes) in found.sizes.iter().enumerate() {
        let (wanted, shape) = (path(&format!("{number}.npz")), format!("--shape={}", shape(&function, sizes)));
        let mut args = vec!["--seed=1"];
        if !sizes.is_empty() {
            args.push(&shape);
        }
        let all = [vec!["dlc-run"], args.clone(), vec!["--device=cpu", "-o", &wanted]].concat();
        let source = path("mlir");
        tool(setup, dlc_run::run, &[&all[..1], &[source.as_str()], &all[1..]].concat())?;
        write(&path(&format!("{number}.args")), &(args.join(" ") + "\n"))?;
    }
    fs::remove_file(path("mlir")).map_err(|error| format!("{}: {error}", path("mlir")))?;
    Ok(true)
}

/// Runs a tool. Errors: what it says where it fails.
fn tool(setup: &Setup, run: RunFn, args: &[&str]) -> Result<(), String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut stdin: &[u8] = &[];
    let mut io = Io { stdin: &mut stdin, stdout: &mut out, stderr: &mut err, terminal: false };
    match dlc_opt::on_big_stack(run, setup, args.iter().map(OsString::from), &mut io) {
        Status::Success => Ok(()),
        _ => Err(String::from_utf8_lossy(&err).into_owned()),
    }
}
