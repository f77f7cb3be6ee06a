//! `cargo xtask`: the chores of the repository.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs};

use xtask::mutants::emit;
use xtask::mutants::record::{self, Record};
use xtask::repo::Repo;
use xtask::runs::{self, Log, Range};
use xtask::tidy::spelling;
use xtask::{fuzz, growth, kernels, mutants, mutate, new_pass, picture, plans, reference};

const USAGE: &str = "\
cargo xtask ci                        everything that must hold before a change lands (.ci/run)
cargo xtask bless                     rewrites the snapshots of the text tests and docs/reference/; also `cargo bless`
cargo xtask reference [--check]       rewrites docs/reference/ and the picture of the layers, or says whether the former is stale
cargo xtask grammar                   rewrites the grammars for editors; a test of dlc-lsp says whether they are stale
cargo xtask spelling                  rewrites the list of known words from documents, comments and messages; read the diff
cargo xtask new-pass <group> <name>   writes the files of a new pass
cargo xtask new-plugin DIR            writes the project of a plugin that builds on this checkout
cargo xtask mutate [--quick] [rule..] skips each rewrite in turn; some text test must notice
cargo xtask mutants [--seed S] [--from N] [--count N] [--jobs N] [--seconds N] [--kernel NAME] [--by-hand]
                    [--sizes N] [--orders N] [--no-ptx] [--refused] [--ops] [--save DIR] [--emit DIR] [--log FILE] [--known FILE]
                    [--root DIR]
                                      edits kernels; what check-async accepts no evaluator may find at fault
cargo xtask mutants --report FILE..   the report of logs together
cargo xtask kernels [--times N] [--only TEXT]
                                      says of every kernel whether check-async verifies it, what that covers and takes
cargo xtask kernels --save DIR | --compare DIR [--only TEXT]
                                      writes the instructions of every program for both targets, or names those that differ
cargo xtask plans [--seed S] [--from N] [--count N] [--jobs N] [--seconds N] [--only TEXT]
                  [--save DIR] [--log FILE] [--root DIR]
                                      draws plans for regions; each compiles and evaluates as its region, or is refused
cargo xtask plans --report FILE..     the report of logs together
cargo xtask fuzz texts|json|plans|arrays [--seed S] [--from N] [--count N] [--jobs N] [--seconds N]
                 [--save DIR] [--log FILE] [--root DIR]
                                      damages input and sends it through passes or dlc-run, which may refuse it
cargo xtask fuzz --report FILE..      the report of logs together
cargo xtask growth [--shape NAME] [--sizes A,B,..] [--times N | --instructions]
                                      says how the time from text to PTX, or the instructions that valgrind counts, grow for twice the ops, by
                                      shapes of programs
";

fn main() -> ExitCode {
    dlc_allocator::keep_freed();
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = Repo::root();
    let done = match args.as_slice() {
        ["ci"] => run(Command::new(root.join(".ci/run")).current_dir(&root)),
        ["bless"] => write_reference(&root).and_then(|()| bless(&root)),
        ["reference"] => write_reference(&root),
        ["reference", "--check"] => check_reference(&root),
        ["grammar"] => write_grammar(&root),
        ["spelling"] => write_spelling(&root),
        ["new-pass", group, name] => write_pass(&root, group, name),
        ["new-plugin", dir] => write_plugin(&root, dir),
        ["mutate", rest @ ..] => mutate(&root, rest),
        ["kernels", rest @ ..] => list_kernels(&root, rest),
        ["growth", rest @ ..] => measure_growth(rest),
        ["fuzz", "--report", files @ ..] => report_damaged(files),
        ["plans", "--report", files @ ..] => report_plans(files),
        ["mutants", "--report", files @ ..] => report_mutants(files),
        ["fuzz", kind, rest @ ..] => fuzz_damaged(&root, kind, rest),
        ["plans", rest @ ..] => draw_plans(&root, rest),
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

fn write_grammar(root: &Path) -> Result<(), String> {
    let files = dlc_lsp::grammar::files(&xtask::setup());
    files.iter().try_for_each(|(path, text)| write(&root.join(path), text))
}

fn write_spelling(root: &Path) -> Result<(), String> {
    let repo = Repo::load(root).map_err(|error| error.to_string())?;
    write(&root.join(spelling::LIST), &spelling::list(&repo))
}

fn reference_pages(root: &Path) -> Result<BTreeMap<String, String>, String> {
    let repo = Repo::load(root).map_err(|error| error.to_string())?;
    Ok(reference::pages(&xtask::setup(), &repo))
}

fn write_reference(root: &Path) -> Result<(), String> {
    let pages = reference_pages(root)?;
    let folder = root.join(reference::FOLDER);
    for stale in reference::stale(root, &pages)? {
        match pages.get(&stale) {
            Some(text) => write(&folder.join(&stale), text)?,
            None => fs::remove_file(folder.join(&stale)).map_err(|error| format!("{stale}: {error}"))?,
        }
        println!("{}/{stale}", reference::FOLDER);
    }
    write(&root.join(picture::FILE), &picture::layers(&xtask::setup()))
}

fn check_reference(root: &Path) -> Result<(), String> {
    let stale = reference::stale(root, &reference_pages(root)?)?;
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("stale in {}: {}; `cargo xtask reference` rewrites them", reference::FOLDER, stale.join(", ")))
}

fn write_pass(root: &Path, group: &str, name: &str) -> Result<(), String> {
    let repo = Repo::load(root).map_err(|error| error.to_string())?;
    let files = new_pass::files(&repo, group, name)?;
    for (path, text) in &files {
        write(&root.join(path), text)?;
        println!("{path}");
    }
    println!(
        "It builds and passes its test; `cargo xtask reference` adds it to the reference. Now say in the header what it does, and make it so."
    );
    Ok(())
}

fn write_plugin(root: &Path, dir: &str) -> Result<(), String> {
    let args = ["dlc-opt".into(), "--new-plugin".into(), dir.into(), "--source".into(), root.into()];
    match dlc_opt::start_with(xtask::setup, dlc_opt::run, args.into_iter()) {
        dlc_opt::Status::Success => Ok(()),
        _ => Err("no project was written".into()),
    }
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

fn list_kernels(root: &Path, args: &[&str]) -> Result<(), String> {
    let (mut times, mut only, mut save, mut compare) = (15, "", None, None);
    let mut args = args.iter();
    while let Some(&flag) = args.next() {
        let value = args.next().copied().ok_or_else(|| format!("{flag}: a value is missing"))?;
        match flag {
            "--times" => times = value.parse().map_err(|error| format!("{value}: {error}"))?,
            "--only" => only = value,
            "--save" => save = Some(Path::new(value)),
            "--compare" => compare = Some(Path::new(value)),
            _ => return Err(USAGE.to_owned()),
        }
    }
    if let Some(folder) = save.or(compare) {
        let texts = kernels::instructions(&xtask::setup(), root, only)?;
        return match save {
            Some(_) => texts.iter().try_for_each(|(name, text)| write(&folder.join(name), text)),
            None => compare_texts(folder, &texts),
        };
    }
    let rows = kernels::measure(&xtask::setup(), root, only, times)?;
    println!("{}", kernels::HEAD);
    rows.iter().for_each(|row| println!("{row}"));
    println!("\n{}", kernels::summary(&rows));
    match rows.iter().all(|row| row.outcome.is_ok()) {
        true => Ok(()),
        false => Err("some kernels are not verified".into()),
    }
}

/// Names the texts that a folder does not have, or has otherwise.
fn compare_texts(folder: &Path, texts: &[(String, String)]) -> Result<(), String> {
    let is_same = |name: &String, text: &String| fs::read_to_string(folder.join(name)).is_ok_and(|old| old == *text);
    let differing: Vec<&String> =
        texts.iter().filter(|(name, text)| !is_same(name, text)).map(|(name, _)| name).collect();
    differing.iter().for_each(|name| println!("{name}"));
    println!("{} programs, {} differ", texts.len(), differing.len());
    if differing.is_empty() { Ok(()) } else { Err("some instructions differ".into()) }
}

fn draw_plans(root: &Path, args: &[&str]) -> Result<(), String> {
    let (mut only, mut save, mut log, mut root) = ("", None, None, root);
    let mut range = Range { seed: 1, from: 0, count: 1000, jobs: 0, time: Duration::MAX };
    let mut args = args.iter();
    while let Some(&flag) = args.next() {
        let value = args.next().copied().ok_or_else(|| format!("{flag}: a value is missing"))?;
        let number = |text: &str| text.parse::<u32>().map_err(|error| format!("{text}: {error}"));
        match flag {
            "--count" => range.count = number(value)? as usize,
            "--from" => range.from = number(value)? as usize,
            "--jobs" => range.jobs = number(value)? as usize,
            "--seed" => range.seed = number(value)?.into(),
            "--seconds" => range.time = Duration::from_secs(number(value)?.into()),
            "--only" => only = value,
            "--save" => save = Some(Path::new(value)),
            "--log" => log = Some(Path::new(value)),
            "--root" => root = Path::new(value),
            _ => return Err(USAGE.to_owned()),
        }
    }
    let setup = Arc::new(xtask::setup());
    let regions = plans::regions(&setup, root, only)?;
    if regions.is_empty() {
        return Err("there is no such region".into());
    }
    let mut log = log.map(Log::open).transpose()?;
    let (mut said, mut failed, mut records) = (Instant::now(), None, Vec::new());
    let drawn = plans::run(&setup, &regions, range, |plan| {
        let mut keep = |done: Result<(), String>| failed = failed.take().or(done.err());
        let record = plans::record::Record::of(plan);
        if let Some(log) = &mut log {
            keep(log.add(&record));
        }
        records.push(record);
        if plan.fate.is_fault() {
            println!("{}: {:?}\n{}\n", plan.name, plan.fate, plan.edit);
        }
        if let Some(folder) = save {
            let file = plan.name.replace([' ', '/'], "_");
            keep(write(&folder.join(format!("{file}.mlir")), &plan.saved()));
        }
        if said.elapsed() > Duration::from_secs(10) {
            eprintln!("{} plans", records.len());
            said = Instant::now();
        }
    });
    print!("{}", plans::record::report(&records));
    println!("the next one: --from {}", drawn.last().map_or(range.from, |plan| plan.number + 1));
    match failed {
        Some(error) => Err(error),
        None if drawn.iter().any(|plan| plan.fate.is_fault()) => {
            Err("a plan ends in an internal error, or evaluates as something else".into())
        }
        None => Ok(()),
    }
}

/// The report of logs together.
fn report_plans(files: &[&str]) -> Result<(), String> {
    let records = runs::read(files, plans::record::Record::parse, |record| record.name.clone())?;
    print!("{}", plans::record::report(&records));
    Ok(())
}

fn measure_growth(args: &[&str]) -> Result<(), String> {
    let (mut name, mut sizes, mut times, mut counts) = (None, growth::SIZES.to_vec(), 3, false);
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text}: {error}"));
    if let ["--compile", programs @ ..] = args {
        return growth::compile_each(&xtask::setup(), programs);
    }
    let mut args = args.iter();
    while let Some(&flag) = args.next() {
        if flag == "--instructions" {
            counts = true;
            continue;
        }
        let value = args.next().copied().ok_or_else(|| format!("{flag}: a value is missing"))?;
        match flag {
            "--shape" => name = Some(value),
            "--times" => times = number(value)?,
            "--sizes" => {
                sizes = value.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
                if sizes.len() < 2 || sizes[0] == 0 || !sizes.is_sorted_by(|a, b| a < b) {
                    return Err("--sizes: two numbers or more with commas, each larger than the one before".into());
                }
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    if counts {
        let own = env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
        println!("{}", growth::counts_head(sizes.len()));
        let work: Vec<_> = growth::shapes(name)?.into_iter().map(|shape| (shape, sizes.clone())).collect();
        growth::count(&own, &work)?.iter().for_each(|counts| println!("{counts}"));
        return Ok(());
    }
    let setup = xtask::setup();
    println!("{}", growth::head(sizes.len()));
    for shape in growth::shapes(name)? {
        println!("{}", growth::measure(&setup, shape, &sizes, times)?);
    }
    Ok(())
}

fn find_mutants(root: &Path, args: &[&str]) -> Result<(), String> {
    let (mut root, mut kernel, mut save, mut emit, mut log, mut by_hand) =
        (root.to_owned(), None, None, None, None, false);
    let mut range = Range { seed: 1, from: 0, count: 1000, jobs: 0, time: Duration::MAX };
    let mut effort = mutants::Effort::default();
    let mut known: HashMap<u64, Record> = HashMap::new();
    let mut args = args.iter();
    while let Some(&flag) = args.next() {
        let mut text = || args.next().copied().ok_or_else(|| format!("{flag}: a value is missing"));
        let number = |text: &str| text.parse::<u32>().map_err(|error| format!("{text}: {error}"));
        match flag {
            "--count" => range.count = number(text()?)? as usize,
            "--from" => range.from = number(text()?)? as usize,
            "--jobs" => range.jobs = number(text()?)? as usize,
            "--seed" => range.seed = number(text()?)?.into(),
            "--seconds" => range.time = Duration::from_secs(number(text()?)?.into()),
            "--sizes" => effort.sizes = number(text()?)? as usize,
            "--orders" => effort.orders = number(text()?)?.into(),
            "--kernel" => kernel = Some(text()?),
            "--save" => save = Some(Path::new(text()?)),
            "--emit" => emit = Some(Path::new(text()?)),
            "--log" => log = Some(Path::new(text()?)),
            "--known" => {
                let earlier = runs::read(&[text()?], Record::parse, |record| record.number)?;
                known.extend(earlier.into_iter().filter(Record::is_right).map(|record| (record.hash, record)));
            }
            "--root" => root = text()?.into(),
            "--refused" => effort.refused = true,
            "--ops" => effort.ops = true,
            "--no-ptx" => effort.ptx = false,
            "--by-hand" => by_hand = true,
            _ => return Err(USAGE.to_owned()),
        }
    }
    let setup = Arc::new(xtask::setup());
    let mut kernels = mutants::kernels(&root)?;
    if !by_hand {
        kernels.extend(mutants::generated(&setup, &root)?);
    }
    kernels.retain(|(name, _)| kernel.is_none_or(|wanted| wanted == name));
    if kernels.is_empty() {
        return Err("there is no such kernel".into());
    }
    let folders = [save, emit].into_iter().flatten();
    folders.map(fs::create_dir_all).collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let mut log = log.map(Log::open).transpose()?;
    let (mut said, mut failed, mut records, mut emitted) = (Instant::now(), None, Vec::new(), 0);
    let hashes = known.keys().copied().collect();
    let found = mutants::run(&setup, mutants::check, (effort, &hashes), &kernels, range, |mutant| {
        let mut record = Record::of(mutant);
        if let Some(earlier) = known.get(&record.hash).filter(|_| record.fate == "accepted") {
            record.take_found(earlier);
        }
        let mut keep = |done: Result<(), String>| failed = failed.take().or(done.err());
        if let Some(log) = &mut log {
            keep(log.add(&record));
        }
        records.push(record);
        if let Some(complaint) = mutants::complaint(mutant) {
            println!("{complaint}");
            let file = save.map(|folder| folder.join(format!("{}.mlir", mutant.name)));
            keep(file.map_or(Ok(()), |file| write(&file, &mutant.saved())));
        }
        if let Some(folder) = emit.filter(|_| emit::is_wanted(mutant)) {
            match emit::emit(&setup, folder, mutant) {
                Ok(is_written) => emitted += usize::from(is_written),
                Err(error) => keep(Err(error)),
            }
        }
        if said.elapsed() > Duration::from_secs(10) {
            eprint!("{}", record::tally(&records));
            said = Instant::now();
        }
    });
    print!("of {} kernels: {}", kernels.len(), record::report(&records));
    // They are taken in order, and what was begun is done.
    println!("the next one: --from {}", found.last().map_or(range.from, |mutant| mutant.number + 1));
    if emit.is_some() {
        println!("{emitted} mutants for a GPU");
    }
    match failed {
        Some(error) => Err(error),
        None if found.iter().any(|mutant| mutants::complaint(mutant).is_some()) => {
            Err("an accepted mutant is at fault, or something panicked".into())
        }
        None => Ok(()),
    }
}

/// The report of logs together.
fn report_mutants(files: &[&str]) -> Result<(), String> {
    print!("{}", record::report(&runs::read(files, Record::parse, |record| record.name.clone())?));
    Ok(())
}

fn fuzz_damaged(root: &Path, kind: &str, args: &[&str]) -> Result<(), String> {
    let known = || format!("there is no '{kind}' to damage; there are {}", fuzz::KINDS.join(", "));
    let kind = fuzz::KINDS.into_iter().find(|known| *known == kind).ok_or_else(known)?;
    let (mut save, mut log, mut works) = (None, None, false);
    let (root, time) = (root.to_owned(), Duration::MAX);
    let mut range = fuzz::Range { kind, root, seed: 1, from: 0, count: 1000, jobs: 0, time };
    let mut args = args.iter();
    while let Some(&flag) = args.next() {
        let mut text = || args.next().copied().ok_or_else(|| format!("{flag}: a value is missing"));
        let number = |text: &str| text.parse::<u32>().map_err(|error| format!("{text}: {error}"));
        match flag {
            "--seed" => range.seed = number(text()?)?.into(),
            "--from" => range.from = number(text()?)?.into(),
            "--count" => range.count = number(text()?)?.into(),
            "--jobs" => range.jobs = number(text()?)? as usize,
            "--seconds" => range.time = Duration::from_secs(number(text()?)?.into()),
            "--root" => range.root = text()?.into(),
            "--save" => save = Some(Path::new(text()?)),
            "--log" => log = Some(Path::new(text()?)),
            "--worker" => works = true,
            _ => return Err(USAGE.to_owned()),
        }
    }
    if works {
        let work = || fuzz::work(kind, &range.root, range.seed, std::io::stdin().lock(), std::io::stdout().lock());
        return growth::on_big_stack(work).map_err(|error| error.to_string());
    }
    let mut log = log.map(Log::open).transpose()?;
    let (mut said, mut failed, mut records) = (Instant::now(), None, Vec::new());
    let found = fuzz::run(
        &range,
        || fuzz::worker(&range),
        fuzz::LONGEST,
        |record| {
            let mut keep = |done: Result<(), String>| failed = failed.take().or(done.err());
            if let Some(log) = &mut log {
                keep(log.add(record));
            }
            if record.is_fault() {
                println!("{record}");
                if let Some((folder, text)) = save.zip(fuzz::shown(&range, record.case)) {
                    keep(write(&folder.join(format!("{kind}_{}_{}", record.seed, record.case)), &text));
                }
            }
            records.push(record.clone());
            if said.elapsed() > Duration::from_secs(30) {
                eprint!("{}", fuzz::record::report(&records));
                said = Instant::now();
            }
        },
    );
    let found = found.map_err(|error| error.to_string())?;
    print!("{}", fuzz::record::report(&found));
    println!("the next one: --from {}", found.last().map_or(range.from, |record| record.case + 1));
    match failed {
        Some(error) => Err(error),
        None if found.iter().any(fuzz::record::Record::is_fault) => Err("something is wrong, see above".into()),
        None => Ok(()),
    }
}

/// The report of logs together.
fn report_damaged(files: &[&str]) -> Result<(), String> {
    let key = |record: &fuzz::record::Record| (record.kind.clone(), record.seed, record.case);
    print!("{}", fuzz::record::report(&runs::read(files, fuzz::record::Record::parse, key)?));
    Ok(())
}
