//! What is kept of each case in a line, so that runs can be joined, and the report of many.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};

/// The most computing time of a case.
pub const MOST_MILLISECONDS: u64 = 10_000;

/// The most memory of a process.
pub const MOST_KILOBYTES: u64 = 2 << 20;

/// A line.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Record {
    /// What was damaged.
    pub kind: String,
    /// The seed.
    pub seed: u64,
    /// The number of the case.
    pub case: u64,
    /// What became of it: `invalid`, `done`, `refused`, `fault`, `crash` or `hang`.
    pub fate: String,
    /// The code with which it was refused, or what is wrong.
    pub detail: String,
    /// How long it computed.
    pub milliseconds: u64,
    /// The most memory meanwhile.
    pub kilobytes: u64,
}

impl Record {
    /// The record of a line; `None` if it is none.
    pub fn parse(line: &str) -> Option<Record> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[kind, seed, case, fate, detail, milliseconds, kilobytes] = fields.as_slice() else { return None };
        Some(Record {
            kind: kind.into(),
            seed: seed.parse().ok()?,
            case: case.parse().ok()?,
            fate: fate.into(),
            detail: detail.into(),
            milliseconds: milliseconds.parse().ok()?,
            kilobytes: kilobytes.parse().ok()?,
        })
    }

    /// Whether something is wrong: a panic, IR that is broken, too much time or memory.
    pub fn is_fault(&self) -> bool {
        let is_fine = ["invalid", "done", "refused"].contains(&self.fate.as_str());
        !is_fine || self.milliseconds > MOST_MILLISECONDS || self.kilobytes > MOST_KILOBYTES
    }
}

impl Display for Record {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Record { kind, seed, case, fate, detail, milliseconds, kilobytes } = self;
        let detail = detail.replace(['\t', '\n'], " ");
        write!(f, "{kind}\t{seed}\t{case}\t{fate}\t{detail}\t{milliseconds}\t{kilobytes}")
    }
}

/// For each kind how many cases of which seeds had each fate, the codes of what was refused, and the most time and memory.
pub fn report(records: &[Record]) -> String {
    let mut kinds: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    records.iter().for_each(|record| kinds.entry(&record.kind).or_default().push(record));
    let mut out = String::new();
    for (kind, records) in kinds {
        let mut seeds: BTreeMap<u64, usize> = BTreeMap::new();
        let mut fates: BTreeMap<&str, usize> = BTreeMap::new();
        let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
        for record in &records {
            *seeds.entry(record.seed).or_default() += 1;
            *fates.entry(&record.fate).or_default() += 1;
            if record.fate == "refused" {
                *codes.entry(&record.detail).or_default() += 1;
            }
        }
        let list = |counts: &BTreeMap<&str, usize>| {
            counts.iter().map(|(word, count)| format!("{word} {count}")).collect::<Vec<_>>().join(", ")
        };
        let seeds: Vec<String> = seeds.iter().map(|(seed, count)| format!("{count} of seed {seed}")).collect();
        let _ = writeln!(out, "{kind}: {} cases ({}): {}", records.len(), seeds.join(", "), list(&fates));
        if !codes.is_empty() {
            let _ = writeln!(out, "  refused with {}", list(&codes));
        }
        let longest = records.iter().max_by_key(|record| record.milliseconds);
        let largest = records.iter().max_by_key(|record| record.kilobytes);
        if let Some((longest, largest)) = longest.zip(largest) {
            let Record { seed, case, milliseconds, .. } = longest;
            let _ = writeln!(out, "  at most {:.1} s, case {case} of seed {seed}", *milliseconds as f64 / 1e3);
            let Record { seed, case, kilobytes, .. } = largest;
            let _ = writeln!(out, "  at most {:.0} MB, case {case} of seed {seed}", *kilobytes as f64 / 1024.0);
        }
        let faults = records.iter().filter(|record| record.is_fault()).count();
        let _ = writeln!(out, "  faults: {faults}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let mut record = Record {
            kind: "texts".into(),
            seed: 3,
            case: 17,
            fate: "fault".into(),
            detail: "it\tpanicked".into(),
            milliseconds: 1500,
            kilobytes: 2048,
        };
        let read = Record::parse(&record.to_string());
        record.detail = "it panicked".into();
        assert_eq!(read, Some(record.clone()));
        assert_eq!(Record::parse("1\t2"), None);
        let text = report(&[record]);
        let expected = "texts: 1 cases (1 of seed 3): fault 1\n  at most 1.5 s, case 17 of seed 3\n  \
                        at most 2 MB, case 17 of seed 3\n  faults: 1\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn too_much_time_or_memory_is_a_fault() {
        let fine = Record { fate: "done".into(), ..Record::default() };
        assert!(!fine.is_fault());
        assert!(Record { milliseconds: MOST_MILLISECONDS + 1, ..fine.clone() }.is_fault());
        assert!(Record { kilobytes: MOST_KILOBYTES + 1, ..fine.clone() }.is_fault());
        assert!(Record { fate: "crash".into(), ..fine }.is_fault());
    }
}
