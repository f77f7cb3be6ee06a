//! The generated pages are as the declarations say.

use std::collections::BTreeMap;

use dlc_ir::diag::fold_spelling;
use xtask::repo::Repo;
use xtask::{picture, reference};

fn pages() -> BTreeMap<String, String> {
    let repo = Repo::load(&Repo::root()).expect("the repository can be read");
    reference::pages(&xtask::setup(), &repo)
}

#[test]
fn pages_are_fresh() {
    let stale = reference::stale(&Repo::root(), &pages()).expect("the pages can be read");
    assert!(stale.is_empty(), "stale: {}; `cargo xtask reference` rewrites them", stale.join(", "));
}

#[test]
fn the_picture_of_the_layers_is_fresh() {
    let there = std::fs::read_to_string(Repo::root().join(picture::FILE)).unwrap_or_default();
    assert!(
        there == picture::layers(&xtask::setup()),
        "{} is stale; `cargo xtask reference` rewrites it",
        picture::FILE
    );
}

#[test]
fn equal_declarations_give_equal_pages() {
    assert_eq!(pages(), pages());
}

#[test]
fn words_of_others_lead_to_ops() {
    for dialect in xtask::setup().dialects {
        for (place, (word, own)) in dialect.synonyms.iter().enumerate() {
            // An answer in words is a clause, with more words than an op and what belongs to it.
            let is_answer = own.contains([',', ':']);
            let name = dialect.name;
            assert!(dialect.names_op(own) || is_answer, "{name} has no op '{own}', by which '{word}' is known");
            assert!(dialect.op_spelled(word).is_none(), "'{word}' is an op of {name}");
            let word = fold_spelling(word);
            let is_same = |(other, _): &(&str, &str)| fold_spelling(other) == word;
            assert!(!dialect.synonyms[..place].iter().any(is_same), "'{word}' stands twice");
        }
    }
}
