//! The table of clauses and the words of plans.

use dlc_passes::plan::clauses::CLAUSES;
use dlc_plan::Schedule;

#[test]
fn every_clause_has_a_row() {
    let words: Vec<&str> = CLAUSES.iter().map(|clause| clause.word).collect();
    assert_eq!(words, Schedule::WORDS);
    assert!(CLAUSES.iter().all(|clause| !clause.reader.is_empty()));
}
