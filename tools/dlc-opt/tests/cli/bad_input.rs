//! Whatever is read, the answer is a diagnostic.

use dlc_opt::Status;

use super::setup::{opt, opt_args};

#[test]
fn what_cannot_be_read_is_told() {
    assert!(opt("/no/such/file", "").bad(Status::Failure).contains("cannot be read"));
    assert!(opt("/", "").bad(Status::Failure).contains("cannot be read"));
    assert!(opt("a b", "").bad(Status::Usage).contains("unexpected argument"));
}

#[test]
fn what_is_not_utf8_is_told_with_its_place() {
    let said = opt_args(&[], b"module {}\n  \xff").bad(Status::Failure);
    assert!(said.contains("E0002") && said.contains("<stdin>:2:3: the byte 0xff is not UTF-8"), "{said}");
}

#[test]
fn text_that_ends_early_is_a_syntax_error() {
    let whole = "module @m {\n  \"high.func\"() <{sym_name = \"f\"}> ({ ^bb0(%a: i32): }) : () -> ()\n}\n";
    opt("", whole).good();
    for end in 1..whole.trim_end().len() {
        let ran = opt("", &whole[..end]);
        assert!(matches!(ran.status, Status::Failure | Status::Success), "{end}: {}", ran.err);
        assert!(ran.status == Status::Success || ran.err.contains("[E0"), "{end}: {}", ran.err);
    }
    let _ = opt("", &whole[..20]).bad(Status::Failure);
}

#[test]
fn nesting_has_a_limit() {
    let deep = |levels: usize| "module {".repeat(levels) + &"}".repeat(levels);
    let said = opt("", &deep(10_000)).bad(Status::Failure);
    assert!(said.contains("E0003"), "{said}");
    // As deep as it goes, through passes, the verifier and the printer.
    opt("--keep --verify-roundtrip --print-ir-after-all", &deep(200)).good();
}

#[test]
fn blanks_are_an_empty_module() {
    let blanks = " ".repeat(1 << 22);
    assert_eq!(opt("", &blanks).good(), opt("", "").good());
    assert!(opt("", "").good().starts_with("module {\n"));
}
