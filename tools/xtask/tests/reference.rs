//! The generated pages are as the declarations say.

use xtask::reference;
use xtask::repo::Repo;

#[test]
fn pages_are_fresh() {
    let stale = reference::stale(&Repo::root(), &reference::pages(&xtask::setup())).expect("the pages can be read");
    assert!(stale.is_empty(), "stale: {}; `cargo bless` rewrites them", stale.join(", "));
}

#[test]
fn equal_declarations_give_equal_pages() {
    assert_eq!(reference::pages(&xtask::setup()), reference::pages(&xtask::setup()));
}
