//! LLVM's own FileCheck as a second opinion.
//!
//! Where it is installed, each FileCheck of a test runs under both, and they must agree.
//! So a test does not depend on a mistake of ours, and can be moved to another project.

use crate::child::{self, Ending};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Runs `tool` with the same arguments and input; returns its verdict and what it printed.
pub fn verdict(
    tool: &Path,
    args: &[String],
    input: &[u8],
    directory: &Path,
    limit: Duration,
) -> Result<(bool, String), String> {
    let mut command = Command::new(tool);
    // The options of the environment would change LLVM's side alone.
    command.args(args).current_dir(directory).env_remove("FILECHECK_OPTS");
    let output = child::run(&mut command, input, false, limit)?;
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.ending {
        Ending::Code(code) => Ok((code == 0, printed)),
        ending => Err(format!("{} {ending}\n{printed}", tool.display())),
    }
}

#[cfg(test)]
mod tests {
    //! Random directives on random texts: the two FileChecks must agree, on refusals too.
    //! One known difference is kept out: of `{{a|ab}}` LLVM takes the longest, and the `regex` crate the first.

    use super::*;
    use crate::features::Features;
    use crate::filecheck::{Options, Problem, check};
    use dlc_ir::random::Random;
    use std::fmt::Write;

    fn input(random: &mut Random) -> String {
        let words = ["a", "b", "ab", "ba", "%0", "%1", "$x", "f:", "[[", "é"];
        let mut text = String::new();
        for _ in 0..1 + random.below(7) {
            for _ in 0..random.below(4) {
                text += random.one_of(&words);
                text += random.one_of(&[" ", " ", "\t  ", ""]);
            }
            text += random.one_of(&["\n", "\n", "\n", "\n\n", "\r\n"]);
        }
        // Not every output ends its last line.
        if random.below(4) == 0 { text.trim_end().to_owned() } else { text }
    }

    fn directives(random: &mut Random, input: &str) -> String {
        let words: Vec<&str> = input.split_whitespace().filter(|word| !word.contains("[[")).collect();
        let suffixes = ["", "", "", "-NEXT", "-SAME", "-NOT", "-NOT", "-DAG", "-DAG", "-LABEL", "-EMPTY", "-COUNT-2"];
        let pieces = [
            "a",
            "b",
            "ab",
            "%0",
            "$x",
            "f:",
            " ",
            " ",
            "{{ab|a}}",
            "{{%[0-9]}}",
            "{{^}}",
            "{{$}}",
            "{{.*}}",
            "{{[^a]}}",
            "[[X:%[0-9]]]",
            "[[X:[ab]+]]",
            "[[X]]",
            "[[X]]",
            "{{b*}}",
            "{{\\[+}}",
            "{{[[:alpha:]]}}",
            "[[$Y:a+]]",
            "[[$Y]]",
            "{{é}}",
            "{{^$}}",
        ];
        let mut text = String::new();
        for _ in 0..1 + random.below(6) {
            let suffix = random.one_of(&suffixes);
            write!(text, "CHECK{suffix}: ").expect("writing to a string");
            if suffix != "-EMPTY" {
                // What the input has is there often enough for cases that are accepted.
                match random.pick(&words).filter(|_| random.one_in(2)) {
                    Some(word) => text += word,
                    None => (0..1 + random.below(3)).for_each(|_| text += random.one_of(&pieces)),
                }
            }
            text += "\n";
        }
        text
    }

    #[test]
    fn agree_on_random_cases() {
        let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
        let Some(tool) = features.program("FileCheck") else {
            eprintln!("not run: there is no FileCheck of LLVM");
            return;
        };
        let cases = std::env::var("DLC_FILECHECK_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200_u64);
        let directory = tempfile::tempdir().expect("a directory");
        let args: Vec<String> = ["checks", "--enable-var-scope"].map(str::to_owned).into();
        let options = Options::parse(&args).expect("options");
        let mut accepted = 0;
        for seed in 1..=cases {
            let mut random = Random::new(seed);
            let input = input(&mut random);
            let directives = directives(&mut random, &input);
            std::fs::write(directory.path().join("checks"), &directives).expect("a file");
            let ours = check(&options, &directives, &input);
            assert!(!matches!(ours, Err(Problem::Guard(_))), "{directives}{ours:?}");
            let limit = Duration::from_secs(60);
            let theirs = verdict(tool, &args, input.as_bytes(), directory.path(), limit).expect("a verdict");
            assert_eq!(
                ours.is_ok(),
                theirs.0,
                "seed {seed}\n{directives}--- on\n{input:?}\n--- ours\n{ours:?}\n--- LLVM's\n{}",
                theirs.1
            );
            accepted += u64::from(theirs.0);
        }
        assert!(accepted * 20 > cases, "too few cases are accepted to mean anything: {accepted} of {cases}");
    }
}
