//! The command line: what exists, and what was given.

use std::ffi::OsString;
use std::str::FromStr;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use dlc::cuda::cache::USUAL_BYTES;
use dlc::files::Format;
use dlc::options::{Device, F32, Passes, Planning, ShapeSet};
use dlc_opt::args::{refuse, shown, shown_args, threads, threads_arg};
use dlc_opt::help::{self, Help};
use dlc_opt::report::Shown;
use dlc_opt::shell;
use dlc_opt::{Io, Setup, Status};

/// What the command line asks for.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is run.
    pub what: What,
    /// `--function`
    pub function: Option<String>,
    /// The inputs that are given.
    pub given: Vec<InputFile>,
    /// `--shape`: symbols and what they are.
    pub shape: Vec<(String, i64)>,
    /// `--explain`: the program is shown and not run.
    pub explain: bool,
    /// `--explore`: the file of a page that shows the program; it is not run.
    pub explore: Option<String>,
    /// `--shape-set`: sizes that plans are chosen for, each with a number for each symbol.
    pub shape_sets: Vec<ShapeSet>,
    /// `--seed`
    pub seed: u64,
    /// `--order-seed`
    pub order_seed: u64,
    /// `--max-steps`: how many ops or instructions an evaluation may take.
    pub max_steps: Option<u64>,
    /// `--output`: a file for the outputs.
    pub output: Option<String>,
    /// `--out-dir`: a folder for a file of each output.
    pub out_dir: Option<String>,
    /// `--check`: a file with what is expected.
    pub check: Option<String>,
    /// `--rtol`
    pub rtol: Option<f64>,
    /// `--atol`
    pub atol: Option<f64>,
    /// `--max-bytes`: how many bytes an array of a file may have.
    pub max_bytes: Option<u64>,
    /// What is run before the program is evaluated.
    pub passes: Passes,
    /// `--device`
    pub device: Device,
    /// `--target`: the machine that programs are compiled for, where it is not that of the device.
    pub target: Option<String>,
    /// `--plan=choose`, `--plan=off`
    pub plan: Planning,
    /// `--plan=FILE`: files of plans.
    pub plans: Vec<String>,
    /// `--tune`: for how long plans are measured.
    pub tune: Option<Duration>,
    /// `--tune-log`: a file that gets a line for each plan that was measured.
    pub tune_log: Option<String>,
    /// `--plan-cache`: a file of measured plans.
    pub plan_cache: Option<String>,
    /// `--unchecked`: whether kernels that are not verified are compiled too.
    pub unchecked: bool,
    /// `--bench`: how many runs are measured.
    pub bench: Option<usize>,
    /// `--against`: whether the library cublasLt is measured against it.
    pub against: bool,
    /// `--log`: a file that gets a line for each run.
    pub log: Option<String>,
    /// `--emit-manifest`: a file for the launch manifest of what runs.
    pub emit_manifest: Option<String>,
    /// How many bytes of compiled modules are kept; `None` if none are kept or used.
    pub cache: Option<u64>,
    /// `--time-limit`: what a kernel may take.
    pub time_limit: Duration,
    /// `--time`
    pub time: bool,
    /// How many threads there may be.
    pub threads: usize,
    /// How diagnostics are shown.
    pub shown: Shown,
    /// Whether a line of progress may be shown.
    pub progress: bool,
}

/// What is run.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// The program in a file; `-` for standard input.
    Program(String),
    /// Every program below a folder.
    Batch(String),
    /// Nothing: `--cache-info` says what is kept.
    CacheInfo,
    /// Nothing: `--cache-clear` removes what is kept.
    CacheClear,
}

/// One `--plan`.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Plan {
    How(Planning),
    File(String),
}

/// An input, or all those of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct InputFile {
    /// The name of the input; without one every array of the file goes to the input of its own name.
    pub name: Option<String>,
    /// The file.
    pub file: String,
    /// The name of the array in the file, where it is not that of the input.
    pub entry: Option<String>,
}

const INPUTS: &str = "Inputs";
const OUTPUTS: &str = "Outputs";
const RUN: &str = "Running";
const DEVICE: &str = "Device, plans, measuring";

/// The options that `-h` shows.
const COMMON: [&str; 15] = [
    "help",
    "version",
    "function",
    "shape",
    "output",
    "check",
    "explain",
    "explore",
    "device",
    "target",
    "plan",
    "tune",
    "bench",
    "emit-manifest",
    "batch",
];

/// What asks for a run, or for the result of one.
const WITHOUT_RUNNING: [&str; 11] =
    ["inputs", "output", "out-dir", "check", "bench", "against", "emit-manifest", "batch", "log", "tune", "time"];

const EXAMPLES: &str = "\
Examples:
  dlc-run gemm.tiny --shape=M=4,N=3,K=8         run on inputs made from a seed, show what comes out
  dlc-run gemm.tiny X=x.npy W=w.npy -o y.npy    run on arrays, write the result
  dlc-run gemm.tiny inputs.npz --check=expected.npz
  dlc-run --batch=test/programs                 run and check everything in a folder
  dlc-run gemm.tiny --shape=M=4096,N=4096,K=4096 --device=cuda --bench
                                                compile it, run it on the GPU, measure it
  dlc-run gemm.tiny --shape=M=200,N=4096,K=4096 --tune --plan-cache=plans.mlir
                                                measure plans on the GPU, keep the fastest, run with it
  dlc-run gemm.json --shape=M=4096,N=4096,K=4096
                                                run PTX by its launch manifest

Exit status:
  0  all went well
  1  something is wrong with the input or differs from what is expected
  2  dlc-run was called wrongly
  3  dlc itself has made a mistake";

fn option(name: &'static str, value: &'static str, heading: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help).help_heading(heading)
}

fn flag(name: &'static str, heading: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help).help_heading(heading)
}

/// What the program is and what it takes.
fn input_args() -> [Arg; 4] {
    [
        option("function", "NAME", INPUTS, "The function to run, where the program has several"),
        option("shape", "SYMBOL=N", INPUTS, "What symbols of sizes are; inputs that are given say it too")
            .action(ArgAction::Append)
            .value_delimiter(',')
            .value_parser(shape),
        option("max-bytes", "N", INPUTS, "How many bytes an array of a file may have")
            .value_parser(value_parser!(u64))
            .long_help(
                "How many bytes an array of a file may have: one that claims more is refused before it is read. \
                 Without it, what the program takes and 64 KiB more, or 1 GiB where sizes are not known before",
            ),
        option("seed", "N", INPUTS, "The seed of inputs that are not given").value_parser(seed).default_value("0"),
    ]
}

/// Where the outputs go, and what they are compared with.
fn output_args() -> [Arg; 5] {
    [
        option("output", "FILE", OUTPUTS, "Write the outputs: one to .npy, any number to .npz or .safetensors")
            .short('o'),
        option("out-dir", "DIR", OUTPUTS, "Write each output to a .npy file of its name"),
        option("check", "FILE", OUTPUTS, "Compare the outputs with the arrays of a file"),
        option("rtol", "X", OUTPUTS, "With --check: how far a float may be off, relative to what is expected")
            .value_parser(tolerance),
        option("atol", "X", OUTPUTS, "With --check: how far it may be off on top of that")
            .value_parser(tolerance)
            .long_help(
                "With --check: how far it may be off on top of that. Both are 0.001, or 0.02 for programs that \
                 compute with floats of fewer than 32 bits; integers are compared exactly",
            ),
    ]
}

/// How the program runs.
fn run_args() -> [Arg; 10] {
    [
        flag("strict", RUN, "Evaluate the program on the CPU as it is written, without passes").conflicts_with("passes"),
        option("order-seed", "N", RUN, "Evaluate kernels on the CPU in another order of warps and asynchronous work")
            .value_parser(value_parser!(u64)),
        option("max-steps", "N", RUN, "How many ops, or instructions of warps, an evaluation on the CPU may take")
            .value_parser(value_parser!(u64).range(1..))
            .long_help(
                "How many ops, or instructions of warps, an evaluation on the CPU may take before it is stopped with an \
                 error. Without it 268435456",
            ),
        option("passes", "PIPELINE", RUN, "Run these passes first, not the pipeline 'evaluate'"),
        option("batch", "DIR", RUN, "Run every program below a folder on its inputs.npz, check expected.npz")
            .conflicts_with_all(["inputs", "output", "out-dir", "check", "bench", "against", "emit-manifest"]),
        option("log", "FILE", RUN, "Append a line for each run to a table (CSV)"),
        flag("explain", RUN, "Show its kernels, their plans and estimates, and why; run nothing")
            .conflicts_with_all(WITHOUT_RUNNING)
            .long_help(
                "Show the kernels that it is compiled to, for --shape and --target: what each computes, its plan, how long an \
                 estimate says it takes and what limits it; why kernels end where they do; and what else passes \
                 decided, with what is alike counted. Nothing runs, and no GPU is needed",
            ),
        option("explore", "FILE", RUN, "Write a page (HTML) of the program after each pass, and of its kernels; run nothing")
            .conflicts_with_all(WITHOUT_RUNNING)
            .conflicts_with("explain"),
        flag("time", RUN, "Show how long reading, passes and evaluation took"),
        threads_arg(RUN, "How many threads work on functions, or on programs of a folder"),
    ]
}

/// What it runs on, and what is measured and kept there.
fn device_args() -> [Arg; 17] {
    [
        option("device", "DEVICE", DEVICE, "What it runs on: cpu, cuda, cuda:1 (the second GPU), auto, or none")
            .value_parser(Device::from_str)
            .default_value("auto")
            .long_help(
                "What it runs on: cpu, cuda, cuda:1 (the second GPU), or auto, which is the GPU if there is a driver and a \
                 device, else the CPU. On a GPU programs of any layer are compiled to PTX, on the CPU they are \
                 evaluated; launch manifests run on a GPU alone. With none, a program is compiled for --target and \
                 written by --emit-manifest, and no device is looked for",
            ),
        option("target", "MACHINE", DEVICE, "Compile for this machine, not for the device that runs it")
            .value_parser(["sm80", "sm90"]),
        option("shape-set", "SYMBOL=N,..", DEVICE, "Sizes that a plan of its own is chosen for; once for each plan")
            .action(ArgAction::Append)
            .value_parser(shape_set)
            .long_help(
                "Sizes that a plan of its own is chosen for, with a number for each symbol of the program, such as \
                 M=16,N=4096; once for each plan. The program is then compiled for all sizes at once, and each launch \
                 takes the plan with the least cost at its sizes. Without it, it is compiled for the sizes of the run",
            ),
        option("plan", "PLAN", DEVICE, "A file of plans for its kernels; or choose (the default), or off")
            .action(ArgAction::Append)
            .value_parser(plan)
            .long_help(
                "A file of plans, text or JSON, that are put next to the kernels of the program: those that name no \
                 kernel belong to the only one. Or how kernels are made that have none: choose the plan that an \
                 estimate says is fastest on the target, the default, or off, which takes the default tiling",
            ),
        option("tune", "SECONDS", DEVICE, "Measure plans of each kernel on the device, and take the fastest [default: 10]")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("10")
            .value_parser(seconds)
            .conflicts_with("batch")
            .long_help(
                "Measure the plans of each kernel that the estimate finds best, for about so many seconds in all, and take \
                 the fastest of those that give the same numbers. --plan-cache keeps them",
            ),
        option("tune-log", "FILE", DEVICE, "With --tune: append a line for each plan that is measured to a table (CSV)")
            .requires("tune"),
        option("plan-cache", "FILE", DEVICE, "A file of measured plans, which replace the estimate")
            .long_help(
                "A file of measured plans, as text. A kernel takes the one that was measured for it, at its sizes, on the \
                 device and driver that it runs on, in place of the plan that the estimate finds best; with --device=none \
                 the fastest that was measured on any device. With --tune, what is measured is written there, in place \
                 of what was measured before for the same kernel, sizes and device",
            ),
        option("f32", "HOW", DEVICE, "How chosen plans multiply f32: tf32x3 (the default), tf32, or ieee")
            .value_parser(F32::WORDS)
            .default_value(F32::default().word())
            .long_help(
                "How products of f32 are multiplied where plans are chosen. With tf32x3, the default, tensor cores \
                 compute three products of tf32 for each, with an error near that of f32; with tf32 one, with factors \
                 that are rounded to 11 bits. With ieee threads multiply and add, each step rounded to f32",
            ),
        flag("unchecked", DEVICE, "Compile kernels too that check-async does not verify: its findings are warnings")
            .long_help(
                "Compile kernels too that check-async does not verify to be free of races and deadlocks: what it finds \
                 is a warning, and the launch manifest says that they are not verified, and why. Without it they are \
                 refused. PTX that comes from elsewhere runs in any case, with a warning",
            ),
        option("emit-manifest", "FILE", DEVICE, "Write the launch manifest of what runs, and its PTX next to it"),
        option("bench", "N", DEVICE, "Measure N runs on the device, with cold caches")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("100")
            .value_parser(value_parser!(u32).range(1..)),
        option("against", "LIBRARY", DEVICE, "Interleave with a library, for a program that is a product of matrices")
            .value_parser(["cublaslt"]),
        flag("no-cache", DEVICE, "Compile the module again, and keep nothing"),
        option("cache-size", "BYTES", DEVICE, "How many bytes of compiled modules are kept [default: 1 GiB]")
            .value_parser(value_parser!(u64)),
        flag("cache-info", DEVICE, "Say where compiled modules are kept, and how many; run nothing")
            .conflicts_with("batch"),
        flag("cache-clear", DEVICE, "Remove all compiled modules that are kept; run nothing")
            .conflicts_with_all(["batch", "cache-info"]),
        option("time-limit", "SECONDS", DEVICE, "How long a kernel may run")
            .value_parser(value_parser!(u32).range(1..))
            .default_value("30"),
    ]
}

/// The command line.
pub fn command() -> Command {
    Command::new("dlc-run")
        .about("Runs a tensor program on arrays, and shows, writes or checks what it gives.")
        .version(dlc_opt::VERSION)
        .disable_help_flag(true)
        .arg(help::arg())
        .args_override_self(true)
        .after_help(EXAMPLES)
        .args([
            Arg::new("program")
                .value_name("FILE")
                .help("The program: IR, the JSON of a layer, or the launch manifest of PTX; '-' is standard input")
                .required_unless_present_any(["batch", "cache-info", "cache-clear"])
                .conflicts_with_all(["batch", "cache-info", "cache-clear"]),
            Arg::new("inputs").value_name("NAME=FILE").num_args(0..).help(
                "An input: x=a.npy, x=a.npz (the array x), x=a.npz:b (the array b); or a file without a name, whose \
                 arrays go to the inputs of their names. Files are .npy, .npz, .safetensors",
            ),
        ])
        .args(input_args())
        .args(output_args())
        .args(run_args())
        .args(device_args())
        .args(shown_args(RUN))
        .args(shell::args(RUN))
}

/// Reads a command line; when there is nothing more to do, how the process ends.
pub fn parse(setup: &Setup, args: &[OsString], io: &mut Io<'_>) -> Result<Options, Status> {
    let linked = help::Linked { registry: &setup.registry, dialects: &setup.dialects };
    let help = Help { common: &COMMON, named: None, explained: Some(&linked) };
    let mut command = command();
    if let Some(status) = help.printed(&command, args, io).or_else(|| shell::printed(&mut command, args, io)) {
        return Err(status);
    }
    let matches = command.try_get_matches_from(args).map_err(|error| refuse(&error, io))?;
    options(&matches, io.terminal).map_err(|message| {
        // Nothing can be reported where this fails.
        let _ = writeln!(io.stderr, "error: {message}\n\nFor more information, try '--help'.");
        Status::Usage
    })
}

fn options(matches: &ArgMatches, terminal: bool) -> Result<Options, String> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let what = match (text("batch"), text("program")) {
        _ if matches.get_flag("cache-info") => What::CacheInfo,
        _ if matches.get_flag("cache-clear") => What::CacheClear,
        (Some(folder), _) => What::Batch(folder),
        (None, Some(file)) => What::Program(file),
        (None, None) => return Err("no program is given".into()),
    };
    let given = matches.get_many::<String>("inputs").unwrap_or_default().map(|text| given(text));
    let given: Vec<InputFile> = given.collect::<Result<_, _>>()?;
    for file in [text("output"), text("check")].iter().flatten() {
        Format::of(file)?;
    }
    let device = matches.get_one::<Device>("device").copied().unwrap_or(Device::Auto);
    let plans = || matches.get_many::<Plan>("plan").unwrap_or_default();
    if matches.get_flag("strict") && matches!(device, Device::Cuda(_)) {
        return Err("--strict evaluates a program as it is written, which no GPU does".into());
    }
    let ordered = matches.contains_id("order-seed");
    if ordered && !matches!(device, Device::Cpu | Device::Auto) {
        return Err("--order-seed is an order of the evaluators, which run on the CPU alone".into());
    }
    let device = if ordered { Device::Cpu } else { device };
    if matches!(device, Device::None) {
        if matches.get_flag("strict") || matches!(what, What::Batch(_)) {
            return Err("--device=none compiles one program, and evaluates none".into());
        }
        let has_aim =
            ["emit-manifest", "explore"].iter().any(|name| text(name).is_some()) || matches.get_flag("explain");
        if text("target").is_none() || !has_aim {
            return Err("--device=none needs --target, the machine to compile for, and --emit-manifest, --explain or \
                        --explore"
                .into());
        }
    }
    let is_off = plans().any(|plan| matches!(plan, Plan::How(Planning::Off)));
    let choosing = ["shape-set", "tune", "plan-cache"].into_iter().find(|name| matches.contains_id(name));
    if let Some(name) = choosing.filter(|_| is_off) {
        return Err(format!("--{name} chooses plans, and --plan=off puts none"));
    }
    if matches.contains_id("tune") && matches!(device, Device::None | Device::Cpu) {
        return Err("--tune measures plans on a GPU".into());
    }
    let passes = match text("passes") {
        _ if matches.get_flag("strict") => Passes::None,
        Some(pipeline) => Passes::Text(pipeline),
        None => Passes::Standard,
    };
    let f32 = text("f32").and_then(|word| word.parse().ok()).unwrap_or_default();
    Ok(Options {
        what,
        function: text("function").map(|name| name.strip_prefix('@').unwrap_or(&name).to_string()),
        given,
        shape: matches.get_many::<(String, i64)>("shape").unwrap_or_default().cloned().collect(),
        explain: matches.get_flag("explain"),
        explore: text("explore"),
        shape_sets: matches.get_many::<ShapeSet>("shape-set").unwrap_or_default().cloned().collect(),
        seed: matches.get_one::<u64>("seed").copied().unwrap_or(0),
        order_seed: matches.get_one::<u64>("order-seed").copied().unwrap_or(0),
        max_steps: matches.get_one::<u64>("max-steps").copied(),
        output: text("output"),
        out_dir: text("out-dir"),
        check: text("check"),
        rtol: matches.get_one::<f64>("rtol").copied(),
        atol: matches.get_one::<f64>("atol").copied(),
        max_bytes: matches.get_one::<u64>("max-bytes").copied(),
        passes,
        device,
        target: text("target"),
        unchecked: matches.get_flag("unchecked"),
        plan: plans().fold(Planning::Choose(f32), |how, plan| match plan {
            Plan::How(Planning::Off) => Planning::Off,
            Plan::How(Planning::Choose(_)) => Planning::Choose(f32),
            Plan::File(_) => how,
        }),
        plans: plans().filter_map(|plan| if let Plan::File(file) = plan { Some(file.clone()) } else { None }).collect(),
        against: matches.contains_id("against"),
        log: text("log"),
        tune: matches.get_one::<Duration>("tune").copied(),
        plan_cache: text("plan-cache"),
        tune_log: text("tune-log"),
        emit_manifest: text("emit-manifest"),
        bench: matches.get_one::<u32>("bench").map(|&count| count as usize),
        cache: (!matches.get_flag("no-cache"))
            .then(|| matches.get_one::<u64>("cache-size").copied().unwrap_or(USUAL_BYTES)),
        time_limit: Duration::from_secs(matches.get_one::<u32>("time-limit").copied().unwrap_or(30).into()),
        time: matches.get_flag("time"),
        threads: threads(matches),
        shown: shown(matches, terminal),
        progress: terminal,
    })
}

/// `choose`, `off` or a file: its name has a dot or a slash.
fn plan(text: &str) -> Result<Plan, String> {
    match text {
        "choose" => Ok(Plan::How(Planning::Choose(F32::default()))),
        "off" => Ok(Plan::How(Planning::Off)),
        file if file.contains(['.', '/']) => Ok(Plan::File(file.to_string())),
        _ => Err("it must be choose, off, or the name of a file, such as gemm.plan.json".into()),
    }
}

/// A seed.
fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("it must be a number from 0 to {}", u64::MAX))
}

/// `M=150`
fn shape(text: &str) -> Result<(String, i64), String> {
    let wrong = || "it must be a symbol and a size, such as M=150".to_string();
    let (symbol, size) = text.split_once('=').ok_or_else(wrong)?;
    // As the summary of a run shows them: 'M = 2, N = 3'.
    let (symbol, size) = (symbol.trim(), size.trim());
    let size: i64 = size.parse().map_err(|_| wrong())?;
    match size >= 0 && !symbol.is_empty() {
        true => Ok((symbol.to_string(), size)),
        false => Err(wrong()),
    }
}

/// A time of more than nothing, and at most a day.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: Option<f64> = text.parse().ok().filter(|number| *number > 0.0 && *number <= 86_400.0);
    number.map(Duration::from_secs_f64).ok_or_else(|| "it must be a number of seconds, such as 10".to_string())
}

/// `M=16,N=4096`
fn shape_set(text: &str) -> Result<ShapeSet, String> {
    text.split(',').map(shape).collect()
}

fn tolerance(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number.filter(|number| *number >= 0.0).ok_or_else(|| "it must be a number that is not negative".to_string())
}

/// `x=a.npz:b`
fn given(text: &str) -> Result<InputFile, String> {
    let (name, file) = match text.split_once('=') {
        Some((name, file)) => (Some(name.strip_prefix('%').unwrap_or(name).to_string()), file),
        None => (None, text),
    };
    let cut = [".npz:", ".safetensors:"].iter().filter_map(|end| Some(file.rfind(end)? + end.len())).max();
    let (file, entry) = match cut {
        Some(at) if name.is_some() => (&file[..at - 1], Some(file[at..].to_string())),
        _ => (file, None),
    };
    Format::of(file)?;
    Ok(InputFile { name, file: file.to_string(), entry })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_made() {
        command().debug_assert();
    }

    #[test]
    fn plans_are_files_or_words() {
        assert_eq!(plan("off"), Ok(Plan::How(Planning::Off)));
        assert_eq!(plan("gemm.plan.json"), Ok(Plan::File("gemm.plan.json".into())));
        assert!(["chose", ""].iter().all(|text| plan(text).is_err()));
    }

    #[test]
    fn inputs_are_told_apart() {
        let all = |text: &str| given(text).map(|given| (given.name, given.file, given.entry));
        let some = |text: &str| Some(text.to_string());
        assert_eq!(all("x=a.npy"), Ok((some("x"), "a.npy".into(), None)));
        assert_eq!(all("%x=d/a.npz:b.npz:c"), Ok((some("x"), "d/a.npz:b.npz".into(), some("c"))));
        assert_eq!(all("x=a.safetensors:b=c"), Ok((some("x"), "a.safetensors".into(), some("b=c"))));
        assert_eq!(all("a.npz"), Ok((None, "a.npz".into(), None)));
        assert!(all("a.txt").is_err() && all("a.npz:b").is_err() && all("x=").is_err());
    }
}
