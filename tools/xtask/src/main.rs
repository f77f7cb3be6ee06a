//! `cargo xtask`: the chores of the repository.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

use xtask::repo::Repo;
use xtask::{mutants, mutate, new_pass, reference};

const USAGE: &str = "\
cargo xtask ci                        everything that must hold before a change lands (.ci/run)
cargo xtask bless                     rewrites the snapshots of the text tests and docs/reference/; also `cargo bless`
cargo xtask reference [--check]       rewrites docs/reference/, or says whether it is stale
cargo xtask new-pass <group> <name>   writes the files of a new pass
cargo xtask mutate [--quick] [rule..] skips each rewrite in turn; some text test must notice
cargo xtask mutants [--count N] [--seed S] [--kernel NAME] [--save DIR]
                                      edits kernels; what check-async accepts no evaluator may find at fault
";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = Repo::root();
    let done = match args.as_slice() {
        ["ci"] => run(Command::new(root.join(".ci/run")).current_dir(&root)),
        ["bless"] => write_reference(&root).and_then(|()| bless(&root)),
        ["reference"] => write_reference(&root),
        ["reference", "--check"] => check_reference(&root),
        ["new-pass", group, name] => write_pass(&root, group, name),
        ["mutate", rest @ ..] => mutate(&root, rest),
        ["mutants", rest @ ..] => find_mutants(&root, rest),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

fn bless(root: &Path) -> Result<(), String> {
    run(cargo(root).args(["test", "--quiet", "--package", "dlc-test", "--test", "lit"]).env("DLC_BLESS", "1"))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(wrong)?;
    fs::write(path, text).map_err(wrong)
}

fn write_reference(root: &Path) -> Result<(), String> {
    let pages = reference::pages(&xtask::setup());
    let folder = root.join(reference::FOLDER);
    for stale in reference::stale(root, &pages)? {
        match pages.get(&stale) {
            Some(text) => write(&folder.join(&stale), text)?,
            None => fs::remove_file(folder.join(&stale)).map_err(|error| format!("{stale}: {error}"))?,
        }
        println!("{}/{stale}", reference::FOLDER);
    }
    Ok(())
}

fn check_reference(root: &Path) -> Result<(), String> {
    let stale = reference::stale(root, &reference::pages(&xtask::setup()))?;
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("stale in {}: {}; `cargo bless` rewrites them", reference::FOLDER, stale.join(", ")))
}

fn write_pass(root: &Path, group: &str, name: &str) -> Result<(), String> {
    let repo = Repo::load(root).map_err(|error| error.to_string())?;
    let files = new_pass::files(&repo, group, name)?;
    for (path, text) in &files {
        write(&root.join(path), text)?;
        println!("{path}");
    }
    println!(
        "It builds and passes its test; `cargo bless` adds it to the reference. Now say in the header what it does, and make it so."
    );
    Ok(())
}

fn mutate(root: &Path, args: &[&str]) -> Result<(), String> {
    let (flags, rules): (Vec<&str>, Vec<&str>) = args.iter().partition(|arg| arg.starts_with("--"));
    let quick = match flags.as_slice() {
        [] => false,
        ["--quick"] => true,
        _ => return Err(USAGE.to_owned()),
    };
    let report = mutate::run(root, &xtask::setup(), quick, &rules)?;
    print!("{}", report.table());
    if report.survivors() == 0 { Ok(()) } else { Err("some rewrites can be skipped without any test noticing".into()) }
}

fn find_mutants(root: &Path, args: &[&str]) -> Result<(), String> {
    let (mut count, mut seed, mut kernel, mut save) = (1000, 1, None, None);
    for pair in args.chunks(2) {
        let number = |text: &str| text.parse::<u32>().map_err(|error| format!("{text}: {error}"));
        match *pair {
            ["--count", text] => count = number(text)? as usize,
            ["--seed", text] => seed = number(text)?.into(),
            ["--kernel", name] => kernel = Some(name),
            ["--save", folder] => save = Some(Path::new(folder)),
            _ => return Err(USAGE.to_owned()),
        }
    }
    let mut kernels = mutants::kernels(root)?;
    kernels.extend(mutants::generated(&xtask::setup(), root)?);
    kernels.retain(|(name, _)| kernel.is_none_or(|wanted| wanted == name));
    if kernels.is_empty() {
        return Err("there is no such kernel".into());
    }
    let found = mutants::run(&xtask::setup(), &kernels, count, seed);
    print!("{} kernels: {}", kernels.len(), mutants::report(&found));
    for mutant in &found {
        if let (Some(folder), mutants::Fate::Faulty(what)) = (save, &mutant.fate) {
            let text = format!("// {}\n{}", what.replace('\n', " "), mutant.text);
            write(&folder.join(format!("{}.mlir", mutant.name)), &text)?;
        }
    }
    if mutants::is_bad(&found) { Err("an accepted mutant is at fault".into()) } else { Ok(()) }
}
