//! The built-in commands.
//!
//! An `Err` of a command says that the test itself is wrong, which `not` does not turn round.

use crate::child::Output;
use crate::exec::{Manner, Shell};
use crate::filecheck::{self, Options, Problem};
use crate::test_file::{self, Outcome};
use crate::{features, markdown, snapshot};
use dlc_core::json::without_comments;
use std::fs;
use std::time::Duration;

/// A built-in command: its arguments and its standard input give its output.
pub type Builtin = fn(&Shell<'_>, &Manner, &[String], Vec<u8>) -> Result<Output, String>;

/// The names of the built-in commands.
pub const NAMES: &[&str] = &[
    "FileCheck",
    "cat",
    "cmp",
    "cp",
    "diff",
    "echo",
    "lit",
    "mkdir",
    "rm",
    "snapshot",
    "split-file",
    "test-file-exists",
];

/// Looks a command up.
pub fn find(name: &str) -> Option<Builtin> {
    Some(match name {
        "FileCheck" => file_check,
        "cat" => cat,
        "cmp" => cmp,
        "cp" => cp,
        "diff" => diff,
        "echo" => echo,
        "lit" => lit,
        "mkdir" => mkdir,
        "rm" => rm,
        "snapshot" => snapshot,
        "split-file" => split_file,
        "test-file-exists" => test_file_exists,
        _ => return None,
    })
}

/// `FileCheck [options] file`: our own, and LLVM's too where it is installed.
fn file_check(shell: &Shell<'_>, _: &Manner, args: &[String], input: Vec<u8>) -> Result<Output, String> {
    let result = own_file_check(shell, args, &input);
    let message = result.as_ref().err().map_or_else(String::new, ToString::to_string);
    let output = Output::of(i32::from(result.is_err()), "", message.as_str());
    // LLVM's has no guards to compare with.
    let guarded = matches!(result, Err(Problem::Guard(_)));
    let Some(tool) = shell.session.features.program("FileCheck").filter(|_| !guarded) else { return Ok(output) };
    let (passed, printed) = filecheck::llvm::verdict(tool, args, &input, &shell.directory, shell.session.limit)?;
    if passed != result.is_ok() {
        let verdict = |passed: bool| if passed { "accepts" } else { "refuses" };
        let (ours, theirs) = (verdict(result.is_ok()), verdict(passed));
        let tool = tool.display();
        return Err(format!("our FileCheck {ours}:\n{message}\nand {tool} {theirs}:\n{printed}"));
    }
    Ok(output)
}

fn own_file_check(shell: &Shell<'_>, args: &[String], input: &[u8]) -> Result<(), Problem> {
    let mut options = Options::parse(args)?;
    options.other_prefixes.clone_from(&shell.prefixes);
    let read = |path: &str| {
        fs::read(shell.path(path)).map_err(|error| Problem::Invalid(format!("FileCheck: {path}: {error}")))
    };
    let check_bytes = read(&options.check_file)?;
    let input = match &options.input_file {
        Some(path) if path != "-" => read(path)?,
        _ => input.to_vec(),
    };
    if let Some(name) = shell.file.file_name().filter(|_| shell.path(&options.check_file) == shell.file) {
        options.check_file = name.to_string_lossy().into_owned();
    }
    filecheck::check(&options, &String::from_utf8_lossy(&check_bytes), &String::from_utf8_lossy(&input))
}

/// `snapshot file [--name=x]`: the input is the block of the file; see [`crate::snapshot`].
fn snapshot(shell: &Shell<'_>, manner: &Manner, args: &[String], input: Vec<u8>) -> Result<Output, String> {
    let (flags, files): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| arg.starts_with("--"));
    let [file] = files[..] else { return Err("snapshot: one file is wanted".into()) };
    let name = match flags[..] {
        [] => "",
        [flag] => flag.strip_prefix("--name=").ok_or_else(|| format!("snapshot: `{flag}` is not known"))?,
        _ => return Err("snapshot: one `--name=` is allowed".into()),
    };
    let path = shell.path(file);
    let output = String::from_utf8(input).map_err(|_| "snapshot: the input is no text")?;
    let whole = file.ends_with(".expected");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(_) if whole && shell.session.bless => String::new(),
        Err(error) => return Ok(Output::of(1, "", format!("snapshot: {file}: {error}"))),
    };
    let result = if whole {
        let (expected, actual) = (snapshot::normalize(&text), snapshot::normalize(&output));
        let same = expected == actual;
        let message =
            || format!("not the snapshot (-), DLC_BLESS=1 rewrites it:\n{}", snapshot::diff(&expected, &actual));
        if same { Ok(()) } else { Err(message()) }
    } else {
        snapshot::compare(&text, name, &output)
    };
    let Err(message) = result else { return Ok(Output::of(0, "", "")) };
    // Under `not` the difference is what the test wants.
    if !shell.session.bless || manner.not {
        return Ok(Output::of(1, "", format!("snapshot: {file}: {message}")));
    }
    let blessed = if whole { snapshot::normalize(&output) } else { snapshot::bless(&text, name, &output)? };
    fs::write(&path, blessed).map_err(|error| format!("snapshot: {file}: {error}"))?;
    Ok(Output::of(0, "", ""))
}

/// `lit file [--time-limit=s] [--without=feature] [--bless]`: runs another test file or page and prints how it went.
fn lit(shell: &Shell<'_>, _: &Manner, args: &[String], _: Vec<u8>) -> Result<Output, String> {
    let mut session = shell.session.nested(&shell.directory);
    let mut file = None;
    for arg in args {
        match arg.split_once('=') {
            Some(("--time-limit", seconds)) => {
                let seconds = seconds.parse().map_err(|_| format!("lit: `{seconds}` is no number"))?;
                session.limit = Duration::from_secs_f64(seconds);
            }
            Some(("--without", name)) if features::is_known(name) => session.features = session.features.without(name),
            None if arg == "--bless" => session.bless = true,
            None if !arg.starts_with('-') => file = Some(shell.path(arg)),
            _ => return Err(format!("lit: `{arg}` is not known")),
        }
    }
    let file = file.ok_or("lit: no file")?;
    let is_page = file.extension().is_some_and(|extension| extension == "md");
    let run = if is_page { markdown::run } else { test_file::run };
    Ok(match run(&session, &file) {
        Outcome::Passed => Output::of(0, "PASSED\n", ""),
        Outcome::NotRun(missing) => Output::of(0, format!("NOT RUN: needs {}\n", missing.join(", ")), ""),
        Outcome::Failed(message) => Output::of(1, format!("FAILED: {}\n", message.trim_end()), ""),
    })
}

fn cat(shell: &Shell<'_>, _: &Manner, args: &[String], input: Vec<u8>) -> Result<Output, String> {
    if args.is_empty() {
        return Ok(Output::of(0, input, ""));
    }
    let mut stdout = Vec::new();
    for arg in args {
        match fs::read(shell.path(arg)) {
            Ok(bytes) => stdout.extend(bytes),
            Err(error) => return Ok(Output::of(1, stdout, format!("cat: {arg}: {error}\n"))),
        }
    }
    Ok(Output::of(0, stdout, ""))
}

fn echo(_: &Shell<'_>, _: &Manner, args: &[String], _: Vec<u8>) -> Result<Output, String> {
    Ok(match args {
        [flag, rest @ ..] if flag == "-n" => Output::of(0, rest.join(" "), ""),
        words => Output::of(0, words.join(" ") + "\n", ""),
    })
}

/// `diff a b`: the lines that differ; `-` is the input.
fn diff(shell: &Shell<'_>, _: &Manner, args: &[String], input: Vec<u8>) -> Result<Output, String> {
    let [a, b] = two_files(shell, "diff", args, input)?;
    let code = i32::from(a != b);
    Ok(Output::of(code, snapshot::diff(&String::from_utf8_lossy(&a), &String::from_utf8_lossy(&b)), ""))
}

/// `cmp a b`: whether the bytes are the same; `-` is the input.
/// `cmp [--json] a b`: whether two files are equal, or say the same as JSON, in which there may be comments.
fn cmp(shell: &Shell<'_>, _: &Manner, args: &[String], input: Vec<u8>) -> Result<Output, String> {
    if let Some((_, files)) = args.split_first().filter(|(first, _)| *first == "--json") {
        let json = two_files(shell, "cmp", files, input)?.map(|bytes| -> Result<serde_json::Value, String> {
            let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
            serde_json::from_str(&without_comments(&text)).map_err(|error| error.to_string())
        });
        return Ok(match json {
            [Ok(a), Ok(b)] if a == b => Output::of(0, "", ""),
            [Ok(a), Ok(b)] => {
                let [a, b] = [a, b].map(|value| format!("{value:#}\n"));
                Output::of(1, "", format!("{} differ:\n{}", files.join(" and "), snapshot::diff(&a, &b)))
            }
            [a, b] => {
                let errors = [a, b].map(|read| read.err().unwrap_or_default());
                Output::of(1, "", format!("cmp: no JSON: {}\n", errors.concat()))
            }
        });
    }
    let [a, b] = two_files(shell, "cmp", args, input)?;
    if a == b {
        return Ok(Output::of(0, "", ""));
    }
    let at = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    Ok(Output::of(1, "", format!("{} differ after {at} bytes\n", args.join(" and "))))
}

fn two_files(shell: &Shell<'_>, name: &str, args: &[String], input: Vec<u8>) -> Result<[Vec<u8>; 2], String> {
    let read = |path: &String| match path.as_str() {
        "-" => Ok(input.clone()),
        path => fs::read(shell.path(path)).map_err(|error| format!("{name}: {path}: {error}")),
    };
    match args {
        [a, b] => Ok([read(a)?, read(b)?]),
        _ => Err(format!("{name}: two files are wanted")),
    }
}

fn test_file_exists(shell: &Shell<'_>, _: &Manner, args: &[String], _: Vec<u8>) -> Result<Output, String> {
    let missing = args.iter().find(|arg| !shell.path(arg).exists());
    Ok(match missing {
        Some(arg) => Output::of(1, "", format!("there is no {arg}\n")),
        None => Output::of(0, "", ""),
    })
}

/// `rm [-rf] files`: only inside the directory of the test.
fn rm(shell: &Shell<'_>, _: &Manner, args: &[String], _: Vec<u8>) -> Result<Output, String> {
    let (flags, files): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| arg.starts_with('-'));
    let has = |flag: char| flags.iter().any(|flags| flags.contains(flag));
    for file in files {
        let path = inside(shell, "rm", file)?;
        let result = if path.is_dir() && has('r') { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match result {
            Err(error) if !has('f') => return Ok(Output::of(1, "", format!("rm: {file}: {error}\n"))),
            _ => {}
        }
    }
    Ok(Output::of(0, "", ""))
}

fn mkdir(shell: &Shell<'_>, _: &Manner, args: &[String], _: Vec<u8>) -> Result<Output, String> {
    for arg in args.iter().filter(|arg| *arg != "-p") {
        let path = inside(shell, "mkdir", arg)?;
        fs::create_dir_all(path).map_err(|error| format!("mkdir: {arg}: {error}"))?;
    }
    Ok(Output::of(0, "", ""))
}

fn cp(shell: &Shell<'_>, _: &Manner, args: &[String], _: Vec<u8>) -> Result<Output, String> {
    let [from, to] = args else { return Err("cp: two files are wanted".into()) };
    fs::copy(shell.path(from), inside(shell, "cp", to)?).map_err(|error| format!("cp: {from}: {error}"))?;
    Ok(Output::of(0, "", ""))
}

/// `split-file file directory`: writes the parts under `//--- name` lines as files.
fn split_file(shell: &Shell<'_>, _: &Manner, args: &[String], _: Vec<u8>) -> Result<Output, String> {
    let [file, directory] = args else { return Err("split-file: a file and a directory are wanted".into()) };
    let directory = inside(shell, "split-file", directory)?;
    let wrong = |error: std::io::Error| format!("split-file: {error}");
    let text = fs::read_to_string(shell.path(file)).map_err(wrong)?;
    fs::create_dir_all(&directory).map_err(wrong)?;
    let mut parts: Vec<(&str, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let name = ["//--- ", "#--- ", ";--- "].iter().find_map(|mark| line.strip_prefix(mark));
        match (name, parts.last_mut()) {
            (Some(name), _) => parts.push((name.trim(), String::new())),
            (None, Some((_, part))) => part.push_str(line),
            (None, None) => {}
        }
    }
    if parts.is_empty() {
        return Err(format!("split-file: {file} has no line `//--- name`"));
    }
    for (name, part) in parts {
        fs::write(directory.join(name), part).map_err(wrong)?;
    }
    Ok(Output::of(0, "", ""))
}

/// The path of a file that a command writes or removes, which must be in the directory of the test.
fn inside(shell: &Shell<'_>, command: &str, file: &str) -> Result<std::path::PathBuf, String> {
    let path = shell.path(file);
    if !path.starts_with(&shell.directory) || file.contains("..") {
        return Err(format!("{command}: {file} is outside of the directory of the test (%T)"));
    }
    Ok(path)
}
