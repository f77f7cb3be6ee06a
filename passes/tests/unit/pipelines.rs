//! The named pipelines.

use dlc_ir::pass::registry::Registry;

#[test]
fn pipelines_that_are_put_in_for_a_lowering_have_it() {
    let registry = Registry::linked();
    assert_eq!(registry.unusable_lowerings(), []);
    for def in registry.pipelines().filter(|def| !def.lowering.is_empty()) {
        let same = registry.pipelines().filter(|other| other.lowering == def.lowering).count();
        assert_eq!(same, 1, "{}: one pipeline is put in for a lowering", def.lowering);
    }
}
