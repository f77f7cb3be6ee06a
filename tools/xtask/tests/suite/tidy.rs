//! The rules of [`xtask::tidy`], on this repository.

use std::sync::LazyLock;

use dlc_ir::pass::PassDef;
use xtask::repo::Repo;
use xtask::tidy::{Complaints, codes, crates, functions, pages, passes, sentences, sources, spelling, words};
use xtask::{header, reference};

static REPO: LazyLock<Repo> = LazyLock::new(|| Repo::load(&Repo::root()).expect("the repository can be read"));

#[track_caller]
fn none(complaints: Complaints) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

fn registered() -> Vec<&'static PassDef> {
    xtask::setup().registry.passes().collect()
}

#[test]
fn the_repository_is_found() {
    assert!(REPO.text("tools/xtask/src/lib.rs").is_some() && REPO.text("Cargo.toml").is_some());
    assert!(passes::files(&REPO).count() > 0 && !registered().is_empty());
}

/// Tests work in folders of their own, and leave nothing in the root.
#[test]
fn nothing_is_left_in_the_root() {
    let known = [
        "CHANGELOG.md",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE",
        "README.md",
        "dialects",
        "docs",
        "ir",
        "passes",
        "pyproject.toml",
        "rustfmt.toml",
        "target",
        "test",
        "tools",
    ];
    let entries = std::fs::read_dir(Repo::root()).expect("the root can be read");
    let names = entries.map(|entry| entry.expect("an entry can be read").file_name().to_string_lossy().into_owned());
    let stray: Vec<String> = names.filter(|name| !name.starts_with('.') && !known.contains(&name.as_str())).collect();
    assert!(stray.is_empty(), "files in the root that do not belong there; remove them: {}", stray.join(", "));
}

#[test]
fn module_docs() {
    none(sources::module_docs(&REPO));
}

#[test]
fn no_orphans() {
    none(sources::orphans(&REPO));
}

#[test]
fn no_long_files() {
    none(sources::length(&REPO));
}

#[test]
fn no_long_functions() {
    none(functions::length(&REPO));
}

#[test]
fn white_space() {
    none(sources::white_space(&REPO));
}

#[test]
fn notes_have_reasons() {
    none(sources::notes(&REPO));
}

#[test]
fn only_tools_reach_outside() {
    none(sources::reach(&REPO));
}

#[test]
fn crates_depend_downwards() {
    none(crates::edges(&REPO));
}

#[test]
fn versions_stand_once() {
    none(crates::versions(&REPO));
}

#[test]
fn dialects_are_linked() {
    none(crates::linked(&REPO));
}

#[test]
fn passes_have_headers() {
    none(passes::headers(&REPO));
}

#[test]
fn rules_of_debug_counters() {
    none(passes::rules(&REPO));
}

#[test]
fn passes_are_registered() {
    none(passes::registered(&REPO, &registered()));
}

#[test]
fn passes_are_tested() {
    none(passes::tested(&REPO));
}

#[test]
fn passes_use_their_layers() {
    none(passes::layers(&REPO, &registered()));
}

#[test]
fn passes_import_no_passes() {
    none(passes::imports(&REPO));
}

#[test]
fn quotes_are_true() {
    none(pages::quotes(&REPO));
}

#[test]
fn links_lead_somewhere() {
    none(pages::links(&REPO));
}

#[test]
fn codes_are_tested() {
    none(codes::tested(&REPO, &reference::codes()));
}

#[test]
fn codes_are_raised() {
    none(codes::raised(&REPO, &reference::codes()));
}

#[test]
fn codes_are_unique() {
    let codes = reference::codes();
    let twice = codes.windows(2).filter(|pair| pair[0].code == pair[1].code);
    none(twice.map(|pair| format!("{} is both {} and {}", pair[0].code, pair[0].kind, pair[1].kind)).collect());
}

/// The example in the header of each pass: `dlc-opt --pass` makes of the first block what the second says, in this or
/// another form that reads the same.
#[test]
fn examples_in_headers() {
    let mut complaints = Vec::new();
    for file in passes::files(&REPO) {
        // That there is a header at all is another test.
        let Ok(example) = header::read(file.text) else { continue };
        let flag = match example.options.as_str() {
            "" => format!("--{}", file.pass()),
            options => format!("--{}={options}", file.pass()),
        };
        let (printed, wanted) = (dlc_opt(&[&flag], &example.before), dlc_opt(&[], &example.after));
        match (printed, wanted) {
            (Ok(printed), Ok(wanted)) if header::normalized(&printed) == header::normalized(&wanted) => {}
            (Ok(other) | Err(other), Ok(_)) | (_, Err(other)) => {
                complaints.push(format!("{}: dlc-opt {flag} gives\n{other}", file.path));
            }
        }
    }
    none(complaints);
}

/// What `dlc-opt` prints for a text, or what is wrong with that.
fn dlc_opt(args: &[&str], text: &str) -> Result<String, String> {
    let (mut input, mut output, mut errors) = (text.as_bytes(), Vec::new(), Vec::new());
    let mut io = dlc_opt::Io { stdin: &mut input, stdout: &mut output, stderr: &mut errors, terminal: false };
    let args = std::iter::once("dlc-opt").chain(args.iter().copied()).map(Into::into);
    match dlc_opt::run_on_big_stack(&xtask::setup(), args, &mut io) {
        dlc_opt::Status::Success => Ok(String::from_utf8_lossy(&output).into_owned()),
        _ => Err(String::from_utf8_lossy(&errors).into_owned()),
    }
}

#[test]
fn standard_words() {
    none(words::standard(&REPO));
}

#[test]
fn short_sentences() {
    none(sentences::short(&REPO));
}

#[test]
fn known_words() {
    none(spelling::known(&REPO));
}
