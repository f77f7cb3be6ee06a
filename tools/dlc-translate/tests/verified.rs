//! That a kernel was verified is known down to the manifest, and not of instructions that were changed.

use std::fs;
use std::path::Path;

use dlc_ir::Context;
use dlc_ir::diag::Diagnostics;
use dlc_ir::pass::manager::{Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::{DebugCounters, NoHost};
use dlc_ir::text::{ParseOptions, PrintOptions, print_op};
use dlc_ir::verify::verify;
use dlc_opt::{Setup, input};
use dlc_translate::manifest::schema::Kernel;
use dlc_translate::manifest::verified::unverified;
use dlc_translate::ptx::translate;

// What is linked in registers itself.
use {
    dlc_book as _, dlc_core as _, dlc_frontend as _, dlc_host as _, dlc_kernel as _, dlc_passes as _, dlc_plan as _,
    dlc_poly as _, dlc_ptx as _, dlc_region as _, dlc_sample as _, dlc_tiny as _,
};

/// The text that passes make of another one, and the kernels of its manifest if it is in instructions. `None` of a text
/// that is not valid.
fn made(name: &str, text: &str, passes: &str) -> Option<(String, Vec<Kernel>)> {
    let setup = Setup::linked();
    let ctx = Context::new(setup.dialects.iter().copied());
    let (diags, counters) = (Diagnostics::new(), DebugCounters::off());
    let file = ctx.sources.add(name, text.to_string())?;
    let mut module = input::module(&ctx, &setup.registry, &file, 0..text.len(), ParseOptions::default(), &diags)?;
    if !verify(&ctx, &module, &diags) || diags.errors() > 0 {
        return None;
    }
    let manager = Manager {
        ctx: &ctx,
        registry: &setup.registry,
        options: ManagerOptions { threads: 1, ..ManagerOptions::default() },
        instruments: vec![],
        counters: &counters,
        host: &NoHost,
    };
    let pipeline = Pipeline::parse(&setup.registry, passes).expect("the passes are registered");
    if manager.run(&pipeline, &mut module, &diags).failure.is_some() {
        return None;
    }
    let text = print_op(&ctx, &module, module.root(), PrintOptions::default());
    let kernels = translate(&ctx, &module, "m.ptx", false, &diags).map(|made| {
        let not = unverified(&made.manifest, &made.ptx);
        let warned = diags.take().iter().filter(|each| each.code.code == "E0547").count();
        assert_eq!(warned, usize::from(!not.is_empty()), "{name}: one warning for all");
        made.manifest.kernels
    });
    Some((text, kernels.unwrap_or_default()))
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn is_verified(kernels: &[Kernel]) -> bool {
    !kernels.is_empty() && kernels.iter().all(|kernel| kernel.verified)
}

/// The passes of the pipeline move, merge and erase instructions and put blocks before loops.
#[test]
fn verified_kernels_are_so_in_the_manifest() {
    for (path, passes) in [
        ("kernels/sgemm.mlir", "region-to-ptx"),
        ("kernels/gemm_sm80.mlir", "region-to-ptx"),
        ("kernels/gemm_pingpong.mlir", "region-to-ptx"),
        ("kernels/attention_causal.mlir", "region-to-ptx"),
        ("kernels/conv_window.mlir", "kernel-to-ptx,licm,dce"),
        ("kernels/row_softmax.mlir", "kernel-to-ptx,cse,licm,cse,dce"),
        ("ladder/3-shared.mlir", "tiny-to-ptx-sm80"),
        ("gpu/Inputs/gemm_nn_f16.mlir", "tiny-to-ptx-sm90"),
        ("gpu/Inputs/row_layernorm.mlir", "tiny-to-ptx"),
        ("programs/gpt2_block.mlir", "tiny-to-ptx-sm90"),
    ] {
        let (text, kernels) = made(path, &read(path), passes).expect(path);
        let unverified = kernels.iter().find(|kernel| !kernel.verified);
        assert!(is_verified(&kernels), "{path}: {:?}", unverified.map(|kernel| (&kernel.name, &kernel.reason)));
        for launch in kernels.iter().flat_map(|kernel| &kernel.launches) {
            let covered = launch.covered.expect("what was covered");
            assert!(covered.sizes > 0 && covered.runs > 0 && covered.blocks >= covered.sizes, "{path}: {covered:?}");
        }
        // It is known of the text too.
        let (_, again) = made(path, &text, "dce").expect(path);
        assert_eq!(again, kernels, "{path}");
    }
}

/// Each line of the instructions is left out in turn: what is valid without it is not verified, unless nothing used it.
#[test]
fn edits_of_instructions_are_noticed() {
    for (path, least) in [("kernels/gemm_sm80.mlir", 50), ("kernels/gemm_pingpong.mlir", 40)] {
        let (text, kernels) = made(path, &read(path), "region-to-ptx").expect(path);
        assert!(is_verified(&kernels));
        let lines: Vec<&str> = text.lines().collect();
        let (mut noticed, mut step) = (0, 0);
        for leave in 0..lines.len() {
            let line = lines[leave].trim();
            // Those without results are valid without them; of the many that are alike some are enough.
            if line.starts_with('%') || line.starts_with('^') || line.ends_with('{') || line.starts_with('}') {
                continue;
            }
            step += 1;
            if line.starts_with("st.") && step % 8 != 0 {
                continue;
            }
            let edited: String =
                (0..lines.len()).filter(|&at| at != leave).map(|at| lines[at].to_string() + "\n").collect();
            let Some((_, kernels)) = made(path, &edited, "dce") else { continue };
            assert!(!kernels.is_empty() && !is_verified(&kernels), "{path}: without '{line}'");
            noticed += 1;
        }
        assert!(noticed >= least, "{path}: {noticed}");
    }
}

/// Numbers and conditions count as much as what is done.
#[test]
fn other_numbers_are_noticed() {
    let (path, passes) = ("kernels/gemm_pingpong.mlir", "region-to-ptx");
    let (text, _) = made(path, &read(path), passes).expect(path);
    for (word, other) in [
        ("threads 384", "threads 352"),
        ("setp.lt.s32", "setp.le.s32"),
        ("bar.sync 0", "bar.sync 15"),
        ("kernel.require (0 <= K mod 8 < 1)", "kernel.require (0 <= K mod 4 < 1)"),
    ] {
        if !text.contains(word) {
            continue;
        }
        let edited = text.replacen(word, other, 1);
        let Some((_, kernels)) = made(path, &edited, "dce") else { panic!("{other} is not valid") };
        assert!(!is_verified(&kernels), "{other}");
    }
    // Names and places are no part of it.
    let (_, kernels) = made(path, &text.replace("%0", "%zeroth"), "dce").unwrap_or_default();
    assert!(kernels.is_empty() || is_verified(&kernels));
}
