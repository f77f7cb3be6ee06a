//! The mutation check: skips each rewrite in turn; some text test must notice.
//!
//! A rule is what a debug counter names: `pass`, or `pass/pattern`. The tests under `test/passes/` are run once with a
//! rule skipped that does not exist, and every `dlc-opt` asked which rules it wanted to use how often. Then, for each
//! rule, the tests that use it are run with every rewrite of the rule skipped, and with single ones skipped; each time
//! one test must fail. A rule that is declared and that no test uses has survived, too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use dlc_opt::Setup;
use dlc_test::discover::{self, Kind, Test};
use dlc_test::features::Features;
use dlc_test::session::{Probe, Session};
use dlc_test::test_file::{self, Outcome};

use crate::repo::Repo;
use crate::tidy::passes;

/// What the list of rules in the header of a pass begins with.
const LISTED: &str = "Rules of the debug counters:";

/// What `dlc-opt --debug-counter-report` begins its lines with.
const LINE: &str = "debug-counter ";

/// Skips what does not exist: where a test fails at that, it fails at the argument, and every mutant would look noticed.
const CONTROL: &str = "--debug-counter=cse/no-such-rule=all";

/// How many single rewrites of a rule are skipped at most.
const MOST_SINGLE: u64 = 32;

/// One way to break the passes: a rule, and the rewrite that is skipped (counted from 0), or all of them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mutant {
    /// The rule.
    pub rule: String,
    /// The rewrite that is skipped; `None` for all.
    pub nth: Option<u64>,
}

impl std::fmt::Display for Mutant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.nth {
            Some(nth) => write!(f, "{}={nth}", self.rule),
            None => write!(f, "{}=all", self.rule),
        }
    }
}

/// How often a rule is used, by test.
type Uses = BTreeMap<String, BTreeMap<String, u64>>;

/// What the run without mutants shows.
#[derive(Debug, Default)]
struct Survey {
    uses: Uses,
    /// How long each test took.
    taken: BTreeMap<String, Duration>,
}

/// The result of the check.
#[derive(Debug)]
pub struct Report {
    /// Each mutant, with the test that noticed it.
    pub noticed: Vec<(Mutant, Option<String>)>,
    /// Rules that are declared and used by no test.
    pub unused: Vec<String>,
}

impl Report {
    /// How many mutants and unused rules nothing notices.
    pub fn survivors(&self) -> usize {
        self.noticed.iter().filter(|(_, test)| test.is_none()).count() + self.unused.len()
    }

    /// A table with a line for each rule, and the score.
    pub fn table(&self) -> String {
        let mut rules: BTreeMap<&str, (usize, Vec<&Mutant>)> = BTreeMap::new();
        for (mutant, test) in &self.noticed {
            let (count, survivors) = rules.entry(&mutant.rule).or_default();
            *count += 1;
            survivors.extend(test.is_none().then_some(mutant));
        }
        let mut text = String::from("| rule | skipped | noticed | survivors |\n| --- | --- | --- | --- |\n");
        for (rule, (count, survivors)) in rules {
            let names: Vec<String> = survivors.iter().map(|mutant| format!("`{mutant}`")).collect();
            text += &format!("| `{rule}` | {count} | {} | {} |\n", count - survivors.len(), names.join(" "));
        }
        for rule in &self.unused {
            text += &format!("| `{rule}` | 1 | 0 | no test uses it |\n");
        }
        let all = self.noticed.len() + self.unused.len();
        text + &format!("\n{} of {all} noticed\n", all - self.survivors())
    }
}

/// Runs the check. `quick` skips whole rules only. With `only`, rules whose names contain one of these.
pub fn run(root: &Path, setup: &Setup, quick: bool, only: &[&str]) -> Result<Report, String> {
    let wanted = |rule: &str| only.is_empty() || only.iter().any(|part| rule.contains(part));
    let scratch = tempfile::tempdir().map_err(|error| format!("a temporary directory: {error}"))?;
    let mut session = session(root, scratch.path())?;
    session.build()?;
    let tests: Vec<Test> = discover::tests(root)?.into_iter().filter(|test| test.name.starts_with("passes/")).collect();
    let survey = survey(&mut session, &tests)?;
    let mutants: Vec<Mutant> = mutants(&survey.uses, quick).into_iter().filter(|mutant| wanted(&mutant.rule)).collect();
    let repo = Repo::load(root).map_err(|error| format!("the repository: {error}"))?;
    let unused =
        declared(setup, &repo).into_iter().filter(|rule| !survey.uses.contains_key(rule) && wanted(rule)).collect();
    Ok(Report { noticed: all(&session, &tests, &survey, mutants), unused })
}

/// Settings of the test runner: as `cargo test` has them, with the programs next to this one.
fn session(root: &Path, scratch: &Path) -> Result<Session, String> {
    let executable = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    let mut target = executable.parent().ok_or("this program is in no folder")?;
    // Tests of this crate are a folder deeper.
    target = if target.ends_with("deps") { target.parent().expect("it is below the target folder") } else { target };
    let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
    Ok(Session {
        root: root.to_owned(),
        target: target.to_owned(),
        elsewhere: std::collections::BTreeMap::new(),
        // Whether LLVM's FileCheck agrees is not the question, and takes half of the time.
        features: features.without("FileCheck"),
        bless: false,
        scratch: scratch.to_owned(),
        limit: Duration::from_secs(60),
        extra_args: Vec::new(),
        probe: None,
        not_run: Mutex::default(),
    })
}

/// The rules that there are: the patterns that ops declare, what headers of passes list, and what passes ask for.
fn declared(setup: &Setup, repo: &Repo) -> BTreeSet<String> {
    let ops = setup.dialects.iter().flat_map(|dialect| dialect.ops);
    let patterns = ops.flat_map(|op| op.canonicalize).map(|pattern| format!("canonicalize/{}", pattern.name));
    let of_passes = passes::files(repo).flat_map(|file| {
        let pass = file.pass();
        rules_of(file.text).into_iter().map(move |rule| format!("{pass}/{rule}"))
    });
    patterns.chain(of_passes).collect()
}

/// The rules that the source of a pass names: in backquotes after [`LISTED`] in its header, up to the full stop, and as
/// texts given to `allows_rule`.
fn rules_of(source: &str) -> BTreeSet<&str> {
    let listed = source.split_once(LISTED).map_or("", |(_, rest)| rest.split('.').next().unwrap_or_default());
    let listed = listed.split('`').skip(1).step_by(2);
    let asked = source.split("allows_rule(\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0));
    listed.chain(asked).collect()
}

/// Runs the tests under [`CONTROL`], and determines which rules they use. All of them must pass.
fn survey(session: &mut Session, tests: &[Test]) -> Result<Survey, String> {
    session.extra_args = vec![CONTROL.to_owned()];
    session.probe = Some(Probe { args: vec!["--debug-counter-report".into()], ..Probe::default() });
    let failed: Mutex<Vec<(&Test, String)>> = Mutex::default();
    let taken: Mutex<BTreeMap<String, Duration>> = Mutex::default();
    in_parallel(tests.len(), |idx| {
        let start = Instant::now();
        if let Outcome::Failed(message) = outcome(session, &tests[idx]) {
            failed.lock().expect("no thread panics with it").push((&tests[idx], message));
        }
        taken.lock().expect("no thread panics with it").insert(tests[idx].name.clone(), start.elapsed());
    });
    session.extra_args.clear();
    let failed = failed.into_inner().expect("no thread panics with it");
    if !failed.is_empty() {
        // Without the argument it is seen whose fault that is.
        let plain = session.nested(&session.scratch);
        let lines = failed.iter().map(|(test, message)| match outcome(&plain, test) {
            Outcome::Failed(message) => format!("{}: {message}", test.name),
            _ => format!("{}: fails at {CONTROL} alone: {message}", test.name),
        });
        let lines: Vec<String> = lines.collect();
        return Err(format!("the tests must pass before anything is skipped\n{}", lines.join("\n")));
    }
    let probe = session.probe.take().expect("it was set above");
    let names: BTreeMap<&PathBuf, &str> = tests.iter().map(|test| (&test.path, test.name.as_str())).collect();
    let mut uses = Uses::new();
    for (file, answer) in probe.answers.into_inner().expect("no thread panics with it") {
        for (rule, count) in counts(&answer) {
            let by_test = uses.entry(rule.to_owned()).or_default();
            let most = by_test.entry(names[&file].to_owned()).or_default();
            *most = count.max(*most);
        }
    }
    Ok(Survey { uses, taken: taken.into_inner().expect("no thread panics with it") })
}

/// The rules and numbers of a report.
fn counts(report: &str) -> impl Iterator<Item = (&str, u64)> {
    report.lines().filter_map(|line| {
        let (rule, count) = line.strip_prefix(LINE)?.rsplit_once(": ")?;
        Some((rule, count.parse().ok()?))
    })
}

/// Every rule as a whole; where it is used more than once, also its single rewrites, as far as [`MOST_SINGLE`].
fn mutants(uses: &Uses, quick: bool) -> BTreeSet<Mutant> {
    let mut mutants = BTreeSet::new();
    for (rule, by_test) in uses {
        mutants.insert(Mutant { rule: rule.clone(), nth: None });
        let most = by_test.values().max().copied().unwrap_or_default();
        if most > 1 && !quick {
            let single = |nth| Mutant { rule: rule.clone(), nth: Some(nth) };
            mutants.extend((0..most.min(MOST_SINGLE)).map(single));
        }
    }
    mutants
}

fn all(session: &Session, tests: &[Test], survey: &Survey, mutants: Vec<Mutant>) -> Vec<(Mutant, Option<String>)> {
    let found: Mutex<BTreeMap<usize, Option<String>>> = Mutex::default();
    in_parallel(mutants.len(), |idx| {
        let noticed = noticed_by(session, tests, survey, &mutants[idx]);
        found.lock().expect("no thread panics with it").insert(idx, noticed);
    });
    let found = found.into_inner().expect("no thread panics with it");
    mutants.into_iter().zip(found.into_values()).collect()
}

/// A test that fails under a mutant. Tests that do not use the rule cannot, so they are not run.
fn noticed_by(session: &Session, tests: &[Test], survey: &Survey, mutant: &Mutant) -> Option<String> {
    let mut session = session.nested(&session.scratch);
    session.extra_args = vec![format!("--debug-counter={mutant}")];
    let fails = |test: &&Test| matches!(outcome(&session, test), Outcome::Failed(_));
    in_order(tests, survey, mutant).into_iter().find(fails).map(|test| test.name.clone())
}

/// The tests that a mutant reaches, those likely to fail soon first: of the folder of the pass, and short ones.
fn in_order<'t>(tests: &'t [Test], survey: &Survey, mutant: &Mutant) -> Vec<&'t Test> {
    let counts = &survey.uses[&mutant.rule];
    let reaches = |test: &&Test| counts.get(&test.name).is_some_and(|count| mutant.nth.is_none_or(|nth| nth < *count));
    let pass = mutant.rule.split('/').next().unwrap_or_default();
    let is_own = |test: &Test| test.name.split('/').any(|folder| folder == pass);
    let mut reached: Vec<&Test> = tests.iter().filter(reaches).collect();
    reached.sort_by_key(|test| (!is_own(test), survey.taken.get(&test.name)));
    reached
}

fn outcome(session: &Session, test: &Test) -> Outcome {
    match &test.kind {
        Kind::Script => test_file::run(session, &test.path),
        Kind::Page => Outcome::Passed,
        Kind::Broken(message) => Outcome::Failed(message.clone()),
    }
}

/// Does a job for each number below `count`, on all processors.
fn in_parallel(count: usize, job: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            match next.fetch_add(1, Ordering::Relaxed) {
                idx if idx < count => job(idx),
                _ => return,
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        let text = "warning: x\ndebug-counter cse/op: 3\ndebug-counter canonicalize/a: b: 1\ndebug-counter x: y\n";
        assert_eq!(counts(text).collect::<Vec<_>>(), [("cse/op", 3), ("canonicalize/a: b", 1)]);
    }

    #[test]
    fn rules_in_sources() {
        let source =
            "//! Rules of the debug counters: `op`,\n//! `arg`. Not `this`.\nif cx.allows_rule(\"block\") {}\n";
        assert_eq!(rules_of(source).into_iter().collect::<Vec<_>>(), ["arg", "block", "op"]);
        assert!(rules_of("//! Drops `it`.\n").is_empty());
    }

    #[test]
    fn which_rewrites_are_skipped() {
        let by_test = |count| BTreeMap::from([("t".to_owned(), count), ("u".to_owned(), 1)]);
        let uses = Uses::from([("a".into(), by_test(1)), ("b".into(), by_test(3))]);
        let names = |quick| mutants(&uses, quick).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(false), ["a=all", "b=all", "b=0", "b=1", "b=2"]);
        assert_eq!(names(true), ["a=all", "b=all"]);
    }

    #[test]
    fn survivors_are_counted() {
        let mutant = |nth| Mutant { rule: "a".into(), nth };
        let noticed = vec![(mutant(None), Some("t".to_owned())), (mutant(Some(0)), None)];
        let report = Report { noticed, unused: vec!["b".into()] };
        assert_eq!(report.survivors(), 2);
        let rows = "| `a` | 2 | 1 | `a=0` |\n| `b` | 1 | 0 | no test uses it |\n\n1 of 3 noticed\n";
        assert!(report.table().ends_with(rows), "{}", report.table());
    }
}
