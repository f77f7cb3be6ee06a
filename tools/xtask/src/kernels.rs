//! `cargo xtask kernels`: every kernel of the repository, written by hand and generated for both targets, with
//! whether `check-async` verifies it, what that covers and how long it takes.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dlc_ir::diag::Diagnostics;
use dlc_ir::pass::pipeline::{Item, Pipeline};
use dlc_ir::text::{ParseOptions, PrintOptions, print_op};
use dlc_ir::{Body, Context, OpRef, Str};
use dlc_opt::{Setup, input};
use dlc_passes::kernel::check_async::{Proof, check_async, grids};
use dlc_plan::Schedule;

/// What a kernel may take.
pub const BAR: Duration = Duration::from_millis(10);

/// Kernels that are written by hand.
const BY_HAND: &str = "test/kernels";

/// Programs that passes make kernels of, by the plans that they have or by those that are chosen.
const PROGRAMS: [&str; 3] = ["test/gpu/Inputs", "test/programs", "test/ladder"];

/// The targets that they are made for.
const TARGETS: [&str; 2] = ["sm80", "sm90"];

/// A kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Its file, the target that passes made it for, and its name.
    pub name: String,
    /// What its grids cover together; the code and the message where it is not verified.
    pub outcome: Result<Proof, String>,
    /// The median of the runs.
    pub time: Duration,
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "| `{}` | ", self.name)?;
        match &self.outcome {
            Ok(proof) => {
                let Proof { sizes, blocks, choices, ring, rounds, runs, steps, disjoint, open } = proof;
                let stores = disjoint + open;
                write!(f, "yes | {sizes} | {blocks} | {choices} | {ring} | {rounds} | {runs} | {steps} | ")?;
                write!(f, "{disjoint} of {stores} |")?;
            }
            Err(reason) => write!(f, "no: {reason} | | | | | | | | |")?,
        }
        write!(f, " {:.2} |", self.time.as_secs_f64() * 1e3)
    }
}

/// The head of a table of rows.
pub const HEAD: &str = "\
| kernel | verified | cells of sizes | blocks | choices | ring | rounds | runs | steps | stores disjoint | ms |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |";

/// All kernels whose name contains a text, the slowest first, each checked so many times.
///
/// Errors: a file cannot be read, or passes make nothing of it.
pub fn measure(setup: &Setup, root: &Path, wanted: &str, times: usize) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for path in files(&root.join(BY_HAND))? {
        rows.extend(rows_of(setup, root, &path, None, wanted, times)?);
    }
    for folder in PROGRAMS {
        for path in files(&root.join(folder))? {
            for target in TARGETS {
                rows.extend(rows_of(setup, root, &path, Some(target), wanted, times)?);
            }
        }
    }
    rows.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    Ok(rows)
}

/// The instructions that passes make of every program whose name contains a text, for both targets, by the names of files
/// for them. A program that passes refuses has the codes in their place.
///
/// Errors: a file cannot be read.
pub fn instructions(setup: &Setup, root: &Path, wanted: &str) -> Result<Vec<(String, String)>, String> {
    let mut texts = Vec::new();
    for path in PROGRAMS.iter().chain([&BY_HAND]).map(|folder| files(&root.join(folder))) {
        for path in path? {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let text = fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
            for target in TARGETS {
                let file = format!("{}.{target}", name.replace('/', "_"));
                if file.contains(wanted) && !text.contains("// -----") {
                    texts.push((file, instructions_of(setup, &name, text.clone(), target)));
                }
            }
        }
    }
    Ok(texts)
}

fn instructions_of(setup: &Setup, name: &str, text: String, target: &str) -> String {
    let ctx = Context::new(setup.dialects.iter().copied());
    let diags = Diagnostics::new();
    let passes = format!("tiny-to-ptx-{target}");
    let made = lower(setup, &ctx, (name, text, &passes), &[], &diags);
    let codes = || diags.take().iter().map(|each| format!("{}\n", each.code.code)).collect();
    // Without the plans, which say how and not what.
    let ops = |mut module: Body| {
        let functions: Vec<_> = module.entry_block().into_iter().flat_map(|block| module.ops(block)).collect();
        for function in functions {
            if let Some(body) = module.nested_mut(function) {
                take_names(&ctx, body);
            }
        }
        let ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
        let ops = ops.filter(|&id| !OpRef::new(&ctx, &module, id).is(Schedule::DEF));
        ops.map(|id| print_op(&ctx, &module, id, PrintOptions::default()) + "\n").collect()
    };
    made.map_or_else(codes, ops)
}

/// Takes the names of registers away: what differs in names alone are the same instructions.
fn take_names(ctx: &Context, function: &mut Body) {
    let mut ops = Vec::new();
    function.walk_regions(function.root(), &mut ops);
    ops.retain(|&id| OpRef::new(ctx, function, id).is(dlc_ptx::ops::Entry::DEF));
    for entry in ops {
        let blocks: Vec<_> = function.regions(entry).iter().flat_map(|&region| function.blocks(region)).collect();
        // The first one has the parameters of the entry.
        let args = blocks.iter().skip(1).flat_map(|&block| function.args(block).iter().copied());
        let results = blocks.iter().flat_map(|&block| function.ops(block)).flat_map(|id| function.results(id));
        let registers: Vec<_> = args.chain(results).collect();
        for register in registers {
            function.set_value_name(register, Str::EMPTY);
        }
    }
}

/// How many there are, how many are verified, and what they take.
pub fn summary(rows: &[Row]) -> String {
    let verified = rows.iter().filter(|row| row.outcome.is_ok()).count();
    let slow = rows.iter().filter(|row| row.time > BAR).count();
    let all: Duration = rows.iter().map(|row| row.time).sum();
    let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    let median = rows.get(rows.len() / 2).map_or(Duration::ZERO, |row| row.time);
    let most = rows.first().map_or(Duration::ZERO, |row| row.time);
    format!(
        "{} kernels, {verified} verified; {slow} above {}; median {}, at most {}, all together {}",
        rows.len(),
        ms(BAR),
        ms(median),
        ms(most),
        ms(all)
    )
}

/// The programs of a folder: files of IR, and graphs in folders of their own.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut found = Vec::new();
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let graph = path.join("graph.json");
        if path.extension().is_some_and(|extension| extension == "mlir") {
            found.push(path);
        } else if graph.is_file() {
            found.push(graph);
        }
    }
    found.sort();
    Ok(found)
}

/// The kernels of a file, by hand or made for a target.
fn rows_of(
    setup: &Setup,
    root: &Path,
    path: &Path,
    target: Option<&str>,
    wanted: &str,
    times: usize,
) -> Result<Vec<Row>, String> {
    let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
    let full = match target {
        Some(target) => format!("{name} {target}"),
        None => name.clone(),
    };
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    // A file of several parts is no one module.
    if text.contains("// -----") {
        return Ok(Vec::new());
    }
    let ctx = Context::new(setup.dialects.iter().copied());
    let module = module(setup, &ctx, &name, text, target).ok_or_else(|| format!("{full}: there are no kernels"))?;
    let mut rows = Vec::new();
    for id in module.entry_block().into_iter().flat_map(|block| module.ops(block)) {
        let (Some(body), Some(symbol)) = (module.nested(id), OpRef::new(&ctx, &module, id).resolve().symbol_name())
        else {
            continue;
        };
        let name = format!("{full} @{symbol}");
        if grids(&ctx, body).is_empty() || !name.contains(wanted) {
            continue;
        }
        rows.push(row(&ctx, body, name, times));
    }
    Ok(rows)
}

fn row(ctx: &Context, body: &Body, name: String, times: usize) -> Row {
    let mut taken = Vec::new();
    let mut outcome = Ok(Proof::default());
    for _ in 0..times.max(1) {
        let start = Instant::now();
        let checked: Vec<_> = grids(ctx, body).into_iter().map(|grid| check_async(ctx, body, grid)).collect();
        taken.push(start.elapsed());
        outcome = checked.into_iter().try_fold(Proof::default(), |all, one| match one {
            Ok(proof) => Ok(join(all, proof)),
            Err(fault) => Err(format!("{} {}", fault.code.code, fault.message)),
        });
    }
    taken.sort_unstable();
    Row { name, outcome, time: taken[taken.len() / 2] }
}

/// What two grids cover.
fn join(a: Proof, b: Proof) -> Proof {
    Proof {
        sizes: a.sizes + b.sizes,
        blocks: a.blocks + b.blocks,
        choices: a.choices.max(b.choices),
        ring: a.ring.max(b.ring),
        rounds: a.rounds.max(b.rounds),
        runs: a.runs + b.runs,
        steps: a.steps + b.steps,
        disjoint: a.disjoint + b.disjoint,
        open: a.open + b.open,
    }
}

/// The module of a text; with a target, what passes make of it, without the check at their end.
fn module(setup: &Setup, ctx: &Context, name: &str, text: String, target: Option<&str>) -> Option<Body> {
    let diags = Diagnostics::new();
    let Some(target) = target else { return read(setup, ctx, (name, text), &diags) };
    let passes = format!("tiny-to-region,choose-plan{{target={target}}},add-fallback,tensorize,kernel-schedule");
    lower(setup, ctx, (name, text, &passes), &["check-async"], &diags)
}

fn read(setup: &Setup, ctx: &Context, (name, text): (&str, String), diags: &Diagnostics) -> Option<Body> {
    let file = ctx.sources.add(name, text)?;
    input::module(ctx, &setup.registry, &file, 0..file.text.len(), ParseOptions::default(), diags)
}

/// What passes make of a text, but for some of them.
fn lower(
    setup: &Setup,
    ctx: &Context,
    (name, text, passes): (&str, String, &str),
    without: &[&str],
    diags: &Diagnostics,
) -> Option<Body> {
    let mut module = read(setup, ctx, (name, text), diags)?;
    let mut pipeline = Pipeline::parse(&setup.registry, passes).ok()?;
    pipeline.items.retain(|item| !matches!(item, Item::Pass(pass) if without.contains(&pass.def.name)));
    crate::run(setup, ctx, &pipeline, &mut module, diags).is_none().then_some(module)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::Repo;

    #[test]
    fn a_kernel_by_hand_and_those_of_a_program_are_measured() {
        let (setup, root) = (crate::setup(), Repo::root());
        let by_hand = root.join("test/kernels/gelu_add.mlir");
        let rows = rows_of(&setup, &root, &by_hand, None, "", 1).expect("the file is read");
        assert!(!rows.is_empty() && rows.iter().all(|row| row.outcome.is_ok()), "{rows:?}");
        let program = root.join("test/gpu/Inputs/row_softmax.mlir");
        let rows = rows_of(&setup, &root, &program, Some("sm90"), "", 1).expect("the passes make kernels");
        assert!(rows.iter().all(|row| row.name.contains(" sm90 @") && row.outcome.is_ok()), "{rows:?}");
        assert!(summary(&rows).starts_with(&format!("{0} kernels, {0} verified", rows.len())), "{}", summary(&rows));
    }

    #[test]
    fn instructions_are_made_for_both_targets() {
        let made = instructions(&crate::setup(), &Repo::root(), "gelu_add").expect("the files are read");
        let mut names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let program = ["sm80", "sm90"].map(|target| format!("test_gpu_Inputs_gelu_add.mlir.{target}"));
        let by_hand = ["sm80", "sm90"].map(|target| format!("test_kernels_gelu_add.mlir.{target}"));
        assert_eq!(names, [program, by_hand].concat());
        assert!(made.iter().all(|(_, text)| text.contains("ptx.")), "{made:?}");
        // Names of registers are no instructions.
        assert!(made.iter().all(|(_, text)| text.contains("= sreg.tid.x") && !text.contains("%b =")), "{made:?}");
    }

    #[test]
    fn what_is_not_verified_is_listed_with_its_code() {
        let (setup, root) = (crate::setup(), Repo::root());
        let path = root.join("test/passes/kernel_to_ptx/kernel-to-ptx/unsafe.mlir");
        let rows = rows_of(&setup, &root, &path, None, "@early", 1).expect("the file is read");
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert!(row.to_string().contains("| no: E1811 "), "{row}");
    }
}
