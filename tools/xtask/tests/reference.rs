//! The generated pages are as the declarations say.

use xtask::repo::Repo;
use xtask::{picture, reference};

#[test]
fn pages_are_fresh() {
    let stale = reference::stale(&Repo::root(), &reference::pages(&xtask::setup())).expect("the pages can be read");
    assert!(stale.is_empty(), "stale: {}; `cargo bless` rewrites them", stale.join(", "));
}

#[test]
fn the_picture_of_the_layers_is_fresh() {
    let there = std::fs::read_to_string(Repo::root().join(picture::FILE)).unwrap_or_default();
    assert!(there == picture::layers(&xtask::setup()), "{} is stale; `cargo bless` rewrites it", picture::FILE);
}

#[test]
fn equal_declarations_give_equal_pages() {
    assert_eq!(reference::pages(&xtask::setup()), reference::pages(&xtask::setup()));
}

#[test]
fn words_of_others_lead_to_ops() {
    for dialect in xtask::setup().dialects {
        for (place, (word, own)) in dialect.synonyms.iter().enumerate() {
            let name = own.split(' ').next().unwrap_or_default();
            assert!(dialect.op(name).is_some(), "{} has no op '{name}', by which '{word}' is known", dialect.name);
            assert!(dialect.op(word).is_none(), "'{word}' is an op of {}", dialect.name);
            assert!(!dialect.synonyms[..place].iter().any(|(other, _)| other == word), "'{word}' stands twice");
        }
    }
}
