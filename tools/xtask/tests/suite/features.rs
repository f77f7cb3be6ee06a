//! A plugin fits a `dlc-opt` only if both have the same build of `dlc-ir`, and cargo builds packages with the features that
//! all members which are built together ask for. So these must be the same whichever members are built.

use std::collections::BTreeSet;
use std::process::Command;

use xtask::repo::Repo;

/// The lines of `cargo tree`: packages with their versions and features.
fn tree(args: &[&str]) -> BTreeSet<String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["tree", "--offline", "--locked", "--prefix=none", "--no-dedupe", "--format={p} {f}"]);
    let output = command.args(args).current_dir(Repo::root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// The name and version at the start of a line.
fn package(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    Some((words.next()?, words.next()?))
}

#[test]
fn dlc_ir_is_one_build_whichever_members_are_built() {
    let own = tree(&["--package=dlc-ir", "--edges=no-dev"]);
    let own: BTreeSet<_> = own.iter().filter_map(|line| package(line)).collect();
    let features = |selected: &[&str]| -> BTreeSet<String> {
        tree(selected).into_iter().filter(|line| package(line).is_some_and(|package| own.contains(&package))).collect()
    };
    // As `cargo test` builds it.
    let all = features(&["--workspace"]);
    assert!(all.len() >= own.len() && own.len() > 20, "{all:#?}");
    let selections: [&[&str]; 3] = [
        &["--package=dlc-opt"],
        &["--package=dlc-run"],
        &["--package=dlc-opt", "--package=dlc-sample", "--package=dlc-test"],
    ];
    for selected in selections {
        let some = features(&[selected, &["--edges=no-dev"]].concat());
        let (less, more): (Vec<_>, Vec<_>) = (all.difference(&some).collect(), some.difference(&all).collect());
        assert!(
            less.is_empty() && more.is_empty(),
            "{selected:?} is built with {more:#?}, and the workspace with {less:#?}: its Cargo.toml must ask for all \
             features of these"
        );
    }
}
