//! Kernels as CUDA C++: every kernel of `kernels/`, and every program of `programs/` on two ways down, is written, the
//! same each time, and compiled with NVRTC where that is installed, for each machine that it is for. What NVRTC gives is
//! assembled where `ptxas` is installed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use dlc_test::child::{self, Ending};
use dlc_test::features::Features;

use crate::tool::tool;

// What is linked in registers itself.
use {dlc_book as _, dlc_core as _, dlc_host as _, dlc_kernel as _, dlc_passes as _, dlc_region as _, dlc_tiny as _};

/// The ways to kernels of a program: blocks that fit any machine, and plans for an H200.
const WAYS: [&[&str]; 2] = [&["--tiny-to-kernel"], &["--tiny-to-region", "--choose-plan=target=sm90", "--tensorize"]];

/// A file in C++.
fn written(file: &Path, way: &[&str]) -> Result<String, String> {
    let file = file.to_string_lossy();
    let mut args = vec!["dlc-opt", &file];
    args.extend(way);
    args.extend(["--kernel-to-ptx", "--cse", "--dce", "--print-locations"]);
    let instructions = tool(dlc_opt::run, &args, "")?;
    let translate = || tool(dlc_translate::run, &["dlc-translate", "-", "--to-cuda"], &instructions);
    let text = translate()?;
    if translate()? != text {
        return Err("it is another text the second time".into());
    }
    Ok(text)
}

/// The compilers that are there.
struct Compilers {
    python: PathBuf,
    ptxas: Option<PathBuf>,
}

fn compilers() -> Option<Compilers> {
    let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
    let found = features.program("nvrtc").map(Path::to_path_buf);
    if found.is_none() {
        // Told also when the test passes: the harness swallows what the print macros write.
        let _ = writeln!(std::io::stderr(), "\ncuda: nothing is compiled, NVRTC is not installed");
    }
    Some(Compilers { python: found?, ptxas: features.program("ptxas").map(Path::to_path_buf) })
}

/// Compiles a text for the machine that it is for, and code for `sm_80` also for the later one.
fn compile(with: &Compilers, text: &str) -> Result<(), String> {
    let own = if text.contains("code=sm_90a") { "sm_90a" } else { "sm_80" };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (source, ptx) = (folder.path().join("module.cu"), folder.path().join("module.ptx"));
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/nvrtc.py");
    let machines: &[&str] = if own == "sm_80" { &["sm_80", "sm_90a"] } else { &["sm_90a"] };
    for machine in machines {
        let mut command = Command::new(&with.python);
        command.arg(&script).arg(&source).arg(machine).arg(&ptx);
        let output = child::run(&mut command, b"", true, Duration::from_secs(300))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.ending != Ending::Code(0) {
            return Err(format!("NVRTC refuses it for {machine}: {said}"));
        }
        let Some(ptxas) = &with.ptxas else { continue };
        let mut command = Command::new(ptxas);
        command.arg("-v").arg(format!("-arch={machine}")).arg(&ptx).arg("-o").arg(folder.path().join("module.cubin"));
        let output = child::run(&mut command, b"", true, Duration::from_secs(300))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.ending != Ending::Code(0) {
            return Err(format!("ptxas refuses it for {machine}: {said}"));
        }
        // Products that wait for each other. That the compiler puts a fence of its own before some (C7519) is no such
        // thing.
        if said.contains("C7510") || said.contains("C7514") {
            return Err(format!("products wait for each other on {machine}: {said}"));
        }
    }
    Ok(())
}

fn check(files: &[(PathBuf, &[&str])]) {
    let with = compilers();
    let mut failures = Vec::new();
    for (file, way) in files {
        let made = written(file, way).and_then(|text| with.as_ref().map_or(Ok(()), |with| compile(with, &text)));
        failures.extend(made.err().map(|why| format!("{} {way:?}: {why}", file.display())));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn files(folder: &str, name: &dyn Fn(&Path) -> Option<PathBuf>) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut found: Vec<PathBuf> =
        entries.filter_map(|entry| name(&entry.expect("the folder can be read").path())).collect();
    found.sort();
    found
}

#[test]
fn every_kernel_is_cuda() {
    let kernels = files("kernels", &|path| Some(path.to_path_buf()).filter(|path| path.is_file()));
    assert!(kernels.len() >= 12, "the kernels are there");
    let all: Vec<(PathBuf, &[&str])> = kernels.into_iter().map(|file| (file, &[][..])).collect();
    check(&all);
}

#[test]
fn every_program_is_cuda() {
    let programs = files("programs", &|path| Some(path.join("graph.json")).filter(|path| path.is_file()));
    assert!(programs.len() >= 18, "the programs are there");
    let all: Vec<(PathBuf, &[&str])> =
        programs.into_iter().flat_map(|file| WAYS.map(|way| (file.clone(), way))).collect();
    check(&all);
}
