//! What is kept of each plan in a line, so that runs can be joined, and the report of many.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter, Write};

use super::{Drawn, Fate, Origin};
use crate::runs::general;

/// How many of the commonest refusals are shown.
const COMMONEST: usize = 10;

/// A line.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Record {
    /// The number of the plan.
    pub number: usize,
    /// Its region, target, seed and number.
    pub name: String,
    /// Where it is from: `drawn` or `edited`.
    pub origin: String,
    /// What became of it: `right`, `left` (not evaluated), `refused`, `internal`, `wrong` or `slow`.
    pub fate: String,
    /// How far it came: `plan`, `kernel`, `check-async`, `instructions` or `evaluation`.
    pub stage: String,
    /// The code with which it was refused, or that of an internal error.
    pub code: String,
    /// At how many sizes it evaluates as its region.
    pub sizes: usize,
    /// What was said of it, without names and numbers.
    pub reason: String,
}

impl Record {
    /// What is kept of a plan.
    pub fn of(drawn: &Drawn) -> Record {
        let said = |fate: &str, stage: &str, code: &str, reason: &str| Record {
            number: drawn.number,
            name: drawn.name.clone(),
            origin: if drawn.origin == Origin::Drawn { "drawn" } else { "edited" }.into(),
            fate: fate.into(),
            stage: stage.into(),
            code: code.into(),
            sizes: 0,
            reason: general(reason),
        };
        match &drawn.fate {
            Fate::Right(sizes) => Record { sizes: *sizes, ..said("right", EVALUATION, "", "") },
            Fate::NotEvaluated(why) => said("left", EVALUATION, "", why),
            Fate::Refused { stage, code, message } => said("refused", stage, code, message),
            Fate::Internal { stage, code, message } => said("internal", stage, code, message),
            Fate::Wrong(what) => said("wrong", EVALUATION, "", what),
            Fate::Slow => said("slow", "", "", ""),
        }
    }

    /// The record of a line; `None` if it is none.
    pub fn parse(line: &str) -> Option<Record> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[number, name, origin, fate, stage, code, sizes, reason] = fields.as_slice() else { return None };
        Some(Record {
            number: number.parse().ok()?,
            name: name.into(),
            origin: origin.into(),
            fate: fate.into(),
            stage: stage.into(),
            code: code.into(),
            sizes: sizes.parse().ok()?,
            reason: reason.into(),
        })
    }

    /// Whether it came through a stage.
    fn is_past(&self, stage: &str) -> bool {
        let place = |name: &str| STAGES.iter().position(|(known, _)| *known == name);
        self.fate == "right" || place(&self.stage) > place(stage)
    }

    /// The seed that it was drawn from.
    fn seed(&self) -> &str {
        self.name.rsplit(' ').next().and_then(|case| case.split('/').next()).unwrap_or_default()
    }
}

impl Display for Record {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Record { number, name, origin, fate, stage, code, sizes, reason } = self;
        write!(f, "{number}\t{name}\t{origin}\t{fate}\t{stage}\t{code}\t{sizes}\t{reason}")
    }
}

/// The stage of what compiles.
pub const EVALUATION: &str = "evaluation";

/// The stages, with what a plan does that comes through.
const STAGES: [(&str, &str); 5] = [
    ("plan", "pass the plan check"),
    ("kernel", "become kernels"),
    ("check-async", "are verified by check-async"),
    ("instructions", "become instructions"),
    (EVALUATION, "evaluate as their region"),
];

/// For drawn and edited plans apart: how many came through each stage, the fates, the codes of what was refused, the
/// commonest reasons, and every fault.
pub fn report(records: &[Record]) -> String {
    let mut out = String::new();
    for (origin, what) in [("drawn", "of legal values"), ("edited", "plans that exist with one edit")] {
        let own: Vec<&Record> = records.iter().filter(|record| record.origin == origin).collect();
        if own.is_empty() {
            continue;
        }
        let mut seeds: BTreeMap<&str, usize> = BTreeMap::new();
        own.iter().for_each(|record| *seeds.entry(record.seed()).or_default() += 1);
        let seeds: Vec<String> = seeds.iter().map(|(seed, count)| format!("{count} of seed {seed}")).collect();
        let regions: BTreeSet<Option<&str>> = own.iter().map(|record| record.name.split(' ').next()).collect();
        let of = format!("{} plans ({}) for {} regions", own.len(), seeds.join(", "), regions.len());
        let _ = writeln!(out, "{origin}, {what}: {of}");
        for (stage, what) in STAGES {
            let count = own.iter().filter(|record| record.is_past(stage)).count();
            let _ = writeln!(out, "{count:7}  {:5.1} %  {what}", 100.0 * count as f64 / own.len() as f64);
        }
        let _ = writeln!(out, "  fates: {}", counts(own.iter().map(|record| record.fate.as_str())));
        let refused = || own.iter().filter(|record| record.fate == "refused");
        let _ = writeln!(out, "  refused with {}", counts(refused().map(|record| record.code.as_str())));
        let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        refused().for_each(|record| *reasons.entry((&record.code, &record.reason)).or_default() += 1);
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        for ((code, reason), count) in reasons.into_iter().take(COMMONEST) {
            let _ = writeln!(out, "{count:7}  {code}  {reason}");
        }
        let faults = own.iter().filter(|record| ["internal", "wrong", "slow"].contains(&record.fate.as_str()));
        for Record { name, fate, code, reason, .. } in faults {
            let _ = writeln!(out, "  {fate}: {name}  {code} {reason}");
        }
    }
    out
}

/// How often each word is there.
fn counts<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    words.for_each(|word| *counts.entry(word).or_default() += 1);
    counts.iter().map(|(word, count)| format!("{word} {count}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(number: usize, origin: Origin, fate: Fate) -> Drawn {
        let name = format!("gemm.f sm80 3/{number}");
        Drawn { number, name, origin, edit: String::new(), text: String::new(), fate }
    }

    #[test]
    fn records_are_read_as_they_were_written_and_reported_by_kind() {
        let refused = |stage| Fate::Refused { stage, code: "E1601".into(), message: "a tile\tof 12 %rows".into() };
        let internal = Fate::Internal { stage: "kernel", code: "panic".into(), message: "it\nfailed".into() };
        let plans = [
            drawn(0, Origin::Drawn, Fate::Right(2)),
            drawn(1, Origin::Edited, refused("check-async")),
            drawn(2, Origin::Drawn, refused("plan")),
            drawn(3, Origin::Edited, Fate::NotEvaluated("too long".into())),
            drawn(5, Origin::Edited, internal),
        ];
        let records: Vec<Record> = plans.iter().map(Record::of).collect();
        assert!(records.iter().all(|record| Record::parse(&record.to_string()).as_ref() == Some(record)));
        assert_eq!(Record::parse("1\t2"), None);
        let expected = "\
drawn, of legal values: 2 plans (2 of seed 3) for 1 regions
      1   50.0 %  pass the plan check
      1   50.0 %  become kernels
      1   50.0 %  are verified by check-async
      1   50.0 %  become instructions
      1   50.0 %  evaluate as their region
  fates: refused 1, right 1
  refused with E1601 1
      1  E1601  a tile of # %_
edited, plans that exist with one edit: 3 plans (3 of seed 3) for 1 regions
      3  100.0 %  pass the plan check
      2   66.7 %  become kernels
      1   33.3 %  are verified by check-async
      1   33.3 %  become instructions
      0    0.0 %  evaluate as their region
  fates: internal 1, left 1, refused 1
  refused with E1601 1
      1  E1601  a tile of # %_
  internal: gemm.f sm80 3/5  panic it failed
";
        assert_eq!(report(&records), expected);
    }
}
