//! What is kept of each mutant in a line, so that runs can be joined, and the report of many.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter, Write};

use super::{Fate, Mutant, hash};
use crate::runs::general;

/// A line.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Record {
    /// The number of the mutant.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// What became of it: `invalid`, `accepted`, `refused`, `slow` or `panicked`.
    pub fate: String,
    /// With which code it was refused.
    pub code: String,
    /// What was said of it, without names and numbers.
    pub reason: String,
    /// How many edits were drawn for it.
    pub edits: usize,
    /// How many evaluations came to their end, as kernels and as instructions.
    pub ended: [usize; 2],
    /// The kinds of faults that were found; empty where there was none.
    pub faults: [String; 2],
    /// Why an evaluation did not come to its end, without names and numbers.
    pub stopped: [String; 2],
    /// At how many sizes it was evaluated, whether on both sides of a boundary, and whether there are no instructions.
    pub sizes: usize,
    /// See `sizes`.
    pub boundary: bool,
    /// See `sizes`.
    pub no_ptx: bool,
    /// Tells texts apart.
    pub hash: u64,
}

impl Record {
    /// What is kept of a mutant.
    pub fn of(mutant: &Mutant) -> Record {
        let mut record = Record {
            number: mutant.number,
            name: mutant.name.clone(),
            edits: mutant.edits,
            hash: hash(&mutant.text),
            ..Record::default()
        };
        let (fate, found) = match &mutant.fate {
            Fate::Invalid => ("invalid", None),
            Fate::Accepted(found) => ("accepted", Some(found)),
            Fate::Refused(code, reason, found) => {
                (record.code, record.reason) = (code.clone(), general(reason));
                ("refused", found.as_ref())
            }
            Fate::Slow => ("slow", None),
            Fate::Panicked(what) => {
                record.reason = general(what);
                ("panicked", None)
            }
        };
        record.fate = fate.into();
        if let Some(found) = found {
            record.ended = found.ended;
            record.faults = found.faults.clone().map(|fault| fault.map_or(String::new(), |(kind, _)| kind.into()));
            record.stopped = found.stopped.clone().map(|why| general(&why.unwrap_or_default()));
            (record.sizes, record.boundary, record.no_ptx) = (found.sizes.len(), found.boundary, found.no_ptx);
        }
        record
    }

    /// The record of a line; `None` if it is none.
    pub fn parse(line: &str) -> Option<Record> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[number, name, fate, code, reason, edits, ref found @ ..] = fields.as_slice() else { return None };
        let &[runs, ptx, fault, ptx_fault, stopped, ptx_stopped, sizes, boundary, no_ptx, hash] = found else {
            return None;
        };
        Some(Record {
            number: number.parse().ok()?,
            name: name.into(),
            fate: fate.into(),
            code: code.into(),
            reason: reason.into(),
            edits: edits.parse().ok()?,
            ended: [runs.parse().ok()?, ptx.parse().ok()?],
            faults: [fault.into(), ptx_fault.into()],
            stopped: [stopped.into(), ptx_stopped.into()],
            sizes: sizes.parse().ok()?,
            boundary: boundary == "true",
            no_ptx: no_ptx == "true",
            hash: hash.parse().ok()?,
        })
    }

    /// Takes what evaluations found from the record of an earlier run, if that evaluated the same text.
    pub fn take_found(&mut self, earlier: &Record) {
        let Record { ended, faults, stopped, sizes, boundary, no_ptx, .. } = earlier.clone();
        *self = Record { ended, faults, stopped, sizes, boundary, no_ptx, ..self.clone() };
    }

    /// Whether it was accepted, and evaluated with no fault found.
    pub fn is_right(&self) -> bool {
        self.fate == "accepted" && self.sizes > 0 && !self.is_found()
    }

    fn is_found(&self) -> bool {
        self.faults.iter().any(|fault| !fault.is_empty())
    }

    /// The kernel that was edited.
    fn kernel(&self) -> &str {
        self.name.rsplitn(3, '_').last().unwrap_or_default()
    }
}

impl Display for Record {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Record { number, name, fate, code, reason, edits, sizes, boundary, no_ptx, hash, .. } = self;
        let ([runs, ptx], [fault, ptx_fault]) = (self.ended, &self.faults);
        let [stopped, ptx_stopped] = &self.stopped;
        write!(f, "{number}\t{name}\t{fate}\t{code}\t{reason}\t{edits}\t{runs}\t{ptx}\t{fault}\t{ptx_fault}\t")?;
        write!(f, "{stopped}\t{ptx_stopped}\t{sizes}\t{boundary}\t{no_ptx}\t{hash}")
    }
}

/// How many of the records are so.
fn count(records: &[Record], is: impl Fn(&Record) -> bool) -> usize {
    records.iter().filter(|record| is(record)).count()
}

/// How many mutants had each fate.
pub fn tally(records: &[Record]) -> String {
    let of = |fate: &str| count(records, |record| record.fate == fate);
    let accepted = |is: &dyn Fn(&Record) -> bool| count(records, |record| record.fate == "accepted" && is(record));
    let mut out = format!(
        "edits {}, that verify {}: refused {}, accepted {} (at fault {}), too slow {}, panics {}\n",
        records.iter().map(|record| record.edits).sum::<usize>(),
        records.len() - of("invalid"),
        of("refused"),
        of("accepted"),
        accepted(&Record::is_found),
        of("slow"),
        of("panicked")
    );
    let _ = writeln!(
        out,
        "accepted and evaluated to the end as kernels {}, as instructions {}, on both sides of a boundary {}; with no instructions {}",
        accepted(&|record| record.ended[0] > 0),
        accepted(&|record| record.ended[1] > 0),
        accepted(&|record| record.boundary),
        accepted(&|record| record.no_ptx)
    );
    out
}

/// The fates, the codes of what was refused, the kinds of faults that evaluation found, and why those were refused in which
/// none was found.
pub fn report(records: &[Record]) -> String {
    let kernels: BTreeSet<&str> = records.iter().map(Record::kernel).collect();
    let texts: BTreeSet<u64> = records.iter().map(|record| record.hash).collect();
    let runs = [0, 1].map(|level| records.iter().map(|record| record.ended[level]).sum::<usize>());
    let mut out = format!("{} kernels, {} texts, {} + {} evaluations\n", kernels.len(), texts.len(), runs[0], runs[1]);
    out += &tally(records);
    let mut codes: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut right: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for record in records {
        let is_refused = record.fate == "refused";
        for (level, fault) in record.faults.iter().enumerate().filter(|(_, fault)| !fault.is_empty()) {
            kinds.entry(fault).or_default()[2 * level + usize::from(is_refused)] += 1;
        }
        if is_refused {
            let is = record.faults.each_ref().map(|fault| !fault.is_empty());
            let row = codes.entry(&record.code).or_default();
            let which = [true, is[0], is[1], is[0] || is[1], !is[0] && !is[1] && record.ended[0] > 0];
            row.iter_mut().zip(which).for_each(|(count, is)| *count += usize::from(is));
            if which[4] {
                *right.entry((&record.code, &record.reason)).or_default() += 1;
            }
        }
    }
    out += "code    refused  found as kernel  as instructions  by either  evaluated and not found\n";
    for (code, [refused, kernel, ptx, either, none]) in codes {
        let _ = writeln!(out, "{code:6}  {refused:7}  {kernel:15}  {ptx:15}  {either:9}  {none:23}");
    }
    out += "accepted  refused  accepted, as instructions  refused, as instructions  found by evaluation\n";
    for (kind, [accepted, refused, ptx, ptx_refused]) in kinds {
        let _ = writeln!(out, "{accepted:8}  {refused:7}  {ptx:25}  {ptx_refused:24}  {kind}");
    }
    out += "refused, and evaluated with nothing found\n";
    list(&mut out, right.into_iter().map(|((code, reason), count)| (count, code, reason)));
    let mut stopped: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for record in records.iter().filter(|record| record.fate == "accepted" && !record.is_found()) {
        for (level, name) in
            ["kernel", "instructions"].iter().enumerate().filter(|&(level, _)| record.ended[level] == 0)
        {
            let why = match record.stopped[level].as_str() {
                "" if record.no_ptx => "there are no instructions",
                "" if record.sizes == 0 => "no sizes were found that the kernel is for",
                "" => "it was not evaluated",
                why => why,
            };
            *stopped.entry((name, why)).or_default() += 1;
        }
    }
    out += "accepted, and no evaluation came to its end\n";
    list(&mut out, stopped.into_iter().map(|((level, why), count)| (count, level, why)));
    out
}

/// Rows with a count, the greatest first.
fn list<'a>(out: &mut String, rows: impl Iterator<Item = (usize, &'a str, &'a str)>) {
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|&(count, ..)| std::cmp::Reverse(count));
    for (count, what, why) in rows {
        let _ = writeln!(out, "{count:6}  {what}  {why}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let record = Record {
            number: 7,
            name: "gemm_1_7".into(),
            fate: "refused".into(),
            code: "E1801".into(),
            reason: general("reads %sA[12]\tof 'K'"),
            edits: 2,
            ended: [24, 3],
            faults: ["a".into(), String::new()],
            stopped: [String::new(), "b".into()],
            sizes: 3,
            boundary: true,
            no_ptx: false,
            hash: 99,
        };
        assert_eq!(record.reason, "reads %_[#] of 'K'");
        assert_eq!(Record::parse(&record.to_string()), Some(record.clone()));
        assert_eq!(Record::parse("1\t2"), None);
        let report = report(&[record]);
        assert!(
            report.starts_with("1 kernels, 1 texts, 24 + 3 evaluations\nedits 2, that verify 1: refused 1,"),
            "{report}"
        );
    }
}
