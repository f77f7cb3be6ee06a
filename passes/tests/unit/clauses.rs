//! The table of clauses and the words of plans.

use dlc_ir::pass::registry::Registry;
use dlc_passes::plan::clauses::CLAUSES;
use dlc_plan::Schedule;

#[test]
fn every_clause_has_a_row() {
    let words: Vec<&str> = CLAUSES.iter().map(|clause| clause.word).collect();
    assert_eq!(words, Schedule::WORDS);
}

#[test]
fn readers_are_passes() {
    let registry = Registry::linked();
    let is_known = |reader: &str| reader == "resolve" || registry.pass(reader).is_some();
    for clause in CLAUSES {
        let unknown: Vec<&str> = clause.reader.split(", ").filter(|reader| !is_known(reader)).collect();
        assert!(unknown.is_empty(), "'{}' is read by {unknown:?}", clause.word);
    }
    let of = |word: &str| CLAUSES.iter().find(|clause| clause.word == word).map(|clause| clause.reader);
    assert_eq!(of("blocks_per_sm"), Some("tensorize, order-tiles, split-reduction"));
}
