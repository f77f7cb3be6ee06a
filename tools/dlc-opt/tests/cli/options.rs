//! Help, lists, forms of output.

use dlc_opt::Status;

use super::setup::{functions, opt, opt_args};

#[test]
fn help_comes_from_the_registry() {
    let help = opt("--help=passes", "").good();
    for part in ["Passes on any layer:", "Passes on the layer low:", "--at-low", "How often. [default: 3]", "--both"] {
        assert!(help.contains(part), "{part}: {help}");
    }
    // Passes are many: all help but theirs is one page, and most used options are one screen.
    let all = opt("--help", "").good();
    assert!(all.contains("--pass-pipeline") && all.contains("--help=passes") && !all.contains("--at-low"), "{all}");
    let short = opt("-h", "").good();
    assert!(short.contains("--output") && !short.contains("--debug-counter") && short.lines().count() < 40, "{short}");
    assert!(opt("--version", "").good().starts_with("dlc-opt "));
    let list = opt("--list-passes", "").good();
    for part in ["Passes on the layer high:", "adds low", "count (3) How often.", "keep,high.func(mark)"] {
        assert!(list.contains(part), "{part}: {list}");
    }
}

#[test]
fn help_has_topics_passes_and_ops() {
    let low = opt("--help=low", "").good();
    assert!(low.contains("--at-low") && !low.contains("--output"), "{low}");
    let pass = opt("--help=at-low", "").good();
    assert!(pass.starts_with("at-low: ") && pass.contains("Layers:\n  needs            low\n"), "{pass}");
    let op = opt("--help=high.func", "").good();
    assert!(op.starts_with("high.func\n"), "{op}");
    assert!(opt("--help=at-lwo", "").bad(Status::Usage).contains("did you mean 'at-low'?"));
    let none = opt("--help=everything-else", "").bad(Status::Usage);
    assert!(none.contains("the topics are input, passes, looking, checks, time, "), "{none}");
    // After '--' it is the name of a file.
    assert!(opt("-- --help", "").bad(Status::Failure).contains("--help"));
}

#[test]
fn completions_know_every_flag() {
    for shell in ["bash", "zsh", "fish"] {
        let text = opt(&format!("--completions={shell}"), "").good();
        assert!(text.contains("at-low") && text.contains("verify-diagnostics"), "{shell}: {text}");
    }
}

#[test]
fn dialects_are_shown() {
    let text = opt("--show-dialects", "").good();
    assert!(text.contains("builtin") && text.contains("high "), "{text}");
    let text = opt("--show-dialects=high", "").good();
    assert!(text.contains("high.func") && text.contains("IsolatedFromAbove"), "{text}");
    let said = opt("--show-dialects=hihg", "").bad(Status::Usage);
    assert!(said.contains("did you mean 'high'?"), "{said}");
}

#[test]
fn output_has_the_form_that_was_asked_for() {
    let input = functions(&["f"]);
    assert!(opt("--print-generic", &input).good().starts_with("\"builtin.module\"()"));
    assert!(opt("--print-locations", &input).good().contains("loc("));
    assert!(!opt("", &input).good().contains("loc("));
    assert_eq!(opt("--no-output", &input).good(), "");
    assert_eq!(opt("--verify-only", &input).good(), "");
    let dense = "\"high.func\"() <{sym_name = \"f\"}> ({ ^bb0: }) {d = dense<[1, 2, 3]> : tensor<3xi32>} : () -> ()";
    assert!(opt("--elide-elements=2", dense).good().contains("dense<...>"));
    assert!(opt("--elide-elements=3", dense).good().contains("[1, 2, 3]"));
    assert!(opt("--verify-roundtrip", &input).good().contains("high.func"));
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("out.mlir");
    let name = file.to_str().expect("UTF-8");
    let input = functions(&["f"]);
    assert_eq!(opt_args(&["-o", name], input.as_bytes()).good(), "");
    let text = std::fs::read_to_string(&file).expect("it was written");
    assert!(text.contains("high.func"));
    opt_args(&["-o", name, "--fail"], input.as_bytes()).bad(Status::Failure);
    assert_eq!(std::fs::read_to_string(&file).expect("it is still there"), text);
    assert_eq!(std::fs::read_dir(dir.path()).expect("readable").count(), 1, "nothing else is left after");
    let said = opt_args(&["-o", "/no/such/folder/x"], input.as_bytes()).bad(Status::Failure);
    assert!(said.contains("cannot be written"), "{said}");
    assert_eq!(opt_args(&["-o", "/dev/null"], input.as_bytes()).good(), "");
}

#[test]
fn output_does_not_depend_on_threads() {
    let names: Vec<String> = (0..400).map(|n| format!("f{n}")).collect();
    let input = functions(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let run = |threads: &str| {
        let ran = opt(&format!("--mark --keep --mark --remarks --print-ir-after-all --statistics {threads}"), &input);
        (ran.err.clone(), ran.good())
    };
    let one = run("--no-threads");
    assert!(one == run("--threads=2") && one == run("--threads=7"));
}
