//! Programs down to PTX: every program of `programs/`, those of symbolic sizes and random ones are translated, and
//! assembled where `ptxas` is installed. Kernels for tensor cores keep their registers.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dlc_ir::Context;
use dlc_ir::random::Random;
use dlc_test::child::{self, Ending};
use dlc_test::features::Features;
use dlc_test::fuzz::tiny::{self, Style};

use crate::tool::tool;

// What is linked in registers itself.
use {dlc_book as _, dlc_core as _, dlc_host as _, dlc_kernel as _, dlc_passes as _, dlc_region as _, dlc_tiny as _};

/// The ways to instructions: blocks that fit any machine, the same without tensor cores, and what plans for an A100 and for an
/// H200 ask for. Each with the machines that it is assembled for.
const VARIANTS: [(&str, &[&str], &[&str]); 4] = [
    ("default", &["--tiny-to-ptx"], &["sm_80", "sm_90a"]),
    ("fma", &["--tiny-to-region", "--tensorize=instruction=fma", "--region-to-ptx"], &["sm_80"]),
    ("sm80", &["--tiny-to-ptx-sm80"], &["sm_80"]),
    ("sm90", &["--tiny-to-ptx-sm90"], &["sm_90a"]),
];

/// As many folders as there are: one that is not found would be missed by nobody.
const PROGRAMS: usize = 28;

/// How many random programs there are of each style.
const RANDOM: u64 = 120;

/// The program in instructions, as text.
fn lowered(file: &str, input: &str, way: &[&str]) -> Result<String, String> {
    let args: Vec<&str> = ["dlc-opt", file].into_iter().chain(way.iter().copied()).collect();
    tool(dlc_opt::run, &args, input)
}

fn translated(instructions: &str) -> Result<String, String> {
    tool(dlc_translate::run, &["dlc-translate", "-", "--to-ptx"], instructions)
}

/// The assembler, where there is one.
fn assembler() -> Option<PathBuf> {
    let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
    let found = features.program("ptxas").map(Path::to_path_buf);
    if found.is_none() {
        // Told also when the test passes: the harness swallows what the print macros write.
        let _ = writeln!(std::io::stderr(), "\nptx: nothing is assembled, ptxas is not installed");
    }
    found
}

/// Assembles a module: every entry, and none with tensor cores that spills or waits where it need not.
fn assemble(ptxas: &Path, ptx: &str, machine: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("module.ptx");
    std::fs::write(&file, ptx).map_err(|error| error.to_string())?;
    let mut command = Command::new(ptxas);
    command.arg("-v").arg(format!("-arch={machine}")).arg(&file).arg("-o").arg(folder.path().join("module.cubin"));
    let output = child::run(&mut command, b"", true, Duration::from_secs(120))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.ending != Ending::Code(0) {
        return Err(format!("ptxas refuses it for {machine}: {said}"));
    }
    // Advice such as C7510: products of matrices that wait for each other.
    if said.contains("C75") {
        return Err(format!("ptxas warns for {machine}: {said}"));
    }
    let mut entry = "";
    for line in said.lines() {
        if let Some(name) = line.split("Compiling entry function '").nth(1) {
            entry = name.split('\'').next().unwrap_or("");
        }
        let spills =
            line.contains("bytes spill stores") && !line.contains(" 0 bytes spill stores, 0 bytes spill loads");
        if spills && has_tensor_cores(ptx, entry) {
            return Err(format!("{entry} spills for {machine}: {}", line.trim()));
        }
    }
    Ok(())
}

fn has_tensor_cores(ptx: &str, entry: &str) -> bool {
    let bodies = ptx.split(".entry ");
    bodies
        .filter(|body| body.starts_with(&format!("{entry}(")))
        .any(|body| body.contains("mma.sync") || body.contains("wgmma.mma"))
}

/// Does all jobs, and gives what failed.
fn all<J: Sync>(jobs: &[J], job: impl Fn(&J) -> Result<(), String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failures = Vec::new();
        while let Some(one) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            failures.extend(job(one).err());
        }
        failures
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut failures: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    failures.sort();
    failures
}

/// Each file on each way.
fn check(files: &[PathBuf]) {
    let ptxas = assembler();
    let jobs: Vec<_> = files.iter().flat_map(|file| VARIANTS.map(|variant| (file, variant))).collect();
    let failures = all(&jobs, |(file, (variant, way, machines))| {
        let name = || format!("{} ({variant})", file.display());
        let ptx = lowered(&file.to_string_lossy(), "", way)
            .and_then(|instructions| translated(&instructions))
            .map_err(|why| format!("{}: {why}", name()))?;
        for machine in machines.iter().filter(|_| ptxas.is_some()) {
            let ptxas = ptxas.as_deref().unwrap_or(Path::new(""));
            assemble(ptxas, &ptx, machine).map_err(|why| format!("{}: {why}", name()))?;
        }
        Ok(())
    });
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), jobs.len(), failures.join("\n"));
}

#[test]
fn every_program_becomes_ptx() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let entries = std::fs::read_dir(&root).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path().join("graph.json"))
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    assert_eq!(files.len(), PROGRAMS);
    check(&files);
}

#[test]
fn programs_of_symbolic_sizes_become_ptx() {
    let layers = Path::new(env!("CARGO_MANIFEST_DIR")).join("layers");
    check(&[layers.join("programs.mlir"), layers.join("convolution.mlir")]);
}

/// Those that a machine has no instructions for are refused with a reason. Few are.
fn check_random(style: Style) {
    let ptxas = assembler();
    let cases: Vec<u64> = (0..RANDOM).collect();
    let refused = std::sync::Mutex::new(BTreeMap::<String, usize>::new());
    let made = std::sync::Mutex::new(Vec::new());
    let failures = all(&cases, |&case| {
        let text = {
            let ctx = Context::new([&dlc_core::DIALECT, &dlc_tiny::DIALECT]);
            tiny::program(&ctx, &mut Random::of_case(1, case), style).text().replace("@f", &format!("@f{case}"))
        };
        let (variant, way, _) = VARIANTS[case as usize % VARIANTS.len()];
        let instructions = match lowered("-", &text, way) {
            Ok(instructions) => instructions,
            Err(why) if why.contains("[E1910]") => {
                let line = why.lines().find(|line| line.contains("[E1910]")).unwrap_or_default();
                *refused.lock().expect("nobody panics").entry(line.to_string()).or_default() += 1;
                return Ok(());
            }
            Err(why) => return Err(format!("case {case} ({variant}): {why}\n{text}")),
        };
        let ptx = translated(&instructions).map_err(|why| format!("case {case} ({variant}): {why}\n{text}"))?;
        made.lock().expect("nobody panics").push((case, ptx));
        Ok(())
    });
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
    let refused = refused.into_inner().expect("nobody panics");
    let count: usize = refused.values().sum();
    assert!(count * 5 <= cases.len(), "{count} of {} are refused: {refused:#?}", cases.len());
    let Some(ptxas) = ptxas else { return };
    let made = made.into_inner().expect("nobody panics");
    let chunks: Vec<_> = made.chunks(made.len().div_ceil(4).max(1)).collect();
    let failures = all(&chunks, |chunk| assemble(&ptxas, &joined(chunk), "sm_90a"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Modules as one, whose entries have different names.
fn joined(modules: &[(u64, String)]) -> String {
    let mut all =
        String::from(".version 8.5\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n");
    for (_, module) in modules {
        // Without what is there once, and lines of files.
        let from = module.find(".visible").unwrap_or(module.len());
        let lines = module[from..].lines().filter(|line| !line.starts_with(".file") && !line.starts_with("\t.loc"));
        lines.for_each(|line| all.extend([line, "\n"]));
    }
    all
}

#[test]
fn random_programs_become_ptx_or_are_refused() {
    check_random(Style::Any);
}

#[test]
fn smooth_random_programs_become_ptx_or_are_refused() {
    check_random(Style::Smooth);
}

/// Sizes with which tensor cores and TMA are used, and sizes that fill no tile and no vector, by the symbols
/// of a program.
const SMALL: [(&str, [&str; 2]); 6] = [
    ("B, S, T", ["B=2,S=200,T=136", "B=1,S=77,T=101"]),
    ("Z, M, N", ["Z=2,M=136,N=136", "Z=1,M=77,N=101"]),
    ("B, H, W, C, O", ["B=2,H=9,W=8,C=16,O=72", "B=1,H=9,W=11,C=7,O=13"]),
    ("M, N, K", ["M=136,N=72,K=200", "M=101,N=67,K=33"]),
    ("M, N", ["M=9,N=520", "M=5,N=333"]),
    // NCHW: a plane of pixels is a row.
    ("nchw", ["B=1,H=8,W=8,C=16,O=72", "B=1,H=9,W=11,C=7,O=13"]),
];

/// As many programs as there are in `gpu/Inputs`.
const KERNELS: usize = 33;

#[test]
fn every_generated_kernel_runs_as_its_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("gpu/Inputs");
    let entries = std::fs::read_dir(&root).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.sort();
    assert_eq!(files.len(), KERNELS);
    let failures = all(&files, |file| runs_as_its_program(file));
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), files.len(), failures.join("\n"));
}

/// The plans that are chosen for a program of `gpu/Inputs`, for the sizes that it names, for large ones and for sm80, give
/// in instructions what the program gives: the warps in order and out of it.
fn runs_as_its_program(file: &Path) -> Result<(), String> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let options = text.lines().find_map(|line| line.strip_prefix("// choose-plan: ")).unwrap_or("assume=4096");
    let declared = text.split(&format!("@{name}<")).nth(1).and_then(|rest| rest.split('>').next()).unwrap_or_default();
    let symbols = if name.starts_with("conv_nchw") { "nchw" } else { declared };
    let Some((_, sizes)) = SMALL.iter().find(|(known, _)| *known == symbols) else {
        return Err(format!("{name}: no sizes for the symbols '{symbols}'"));
    };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let run = |args: &[&str]| tool(dlc_run::run, args, "");
    let source = file.to_string_lossy();
    for (number, sizes) in sizes.iter().enumerate() {
        let (shape, expected) = (format!("--shape={sizes}"), path("expected.npz"));
        run(&["dlc-run", &source, "--device=cpu", "--seed=1", &shape, "-o", &expected])?;
        // Without a fallback the kernel for large sizes is the one that runs.
        let ways = [
            format!("choose-plan{{{options}}},add-fallback"),
            format!("choose-plan{{assume=4096}}{}", if number == 0 { "" } else { ",add-fallback" }),
            "choose-plan{target=sm80 assume=4096},add-fallback".to_string(),
        ];
        for (way, order) in ways.iter().zip(["0", "5", "9"]) {
            let passes = format!(
                "--pass-pipeline=lower-frontend,tiny-to-region,{way},tensorize,kernel-schedule,kernel-to-ptx,cse,dce"
            );
            let (made, wanted, order) =
                (path("made.mlir"), format!("--check={expected}"), format!("--order-seed={order}"));
            tool(dlc_opt::run, &["dlc-opt", &source, &passes, "-o", &made], "")
                .and_then(|_| run(&["dlc-run", &made, "--device=cpu", "--seed=1", &shape, &order, &wanted]))
                .map_err(|why| format!("{name} with {way} at {sizes}: {why}"))?;
        }
    }
    Ok(())
}
