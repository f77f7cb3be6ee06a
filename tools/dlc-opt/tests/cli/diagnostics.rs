//! How diagnostics are shown, and `--verify-diagnostics`.

use dlc_opt::Status;

use super::setup::{functions, opt};

#[test]
fn expected_diagnostics_are_matched() {
    let good = |args: &str, input: &str| drop(opt(&format!("--verify-diagnostics {args}"), input).good());
    good("", "// expected-error@+1 {{no dialect registers the op 'a.b'}}\n\"a.b\"() : () -> ()");
    good("", "\"a.b\"() : () -> () // expected-error {{UnknownOp}}".replace("UnknownOp", "E0101").as_str());
    good("", "\"a.b\"() : () -> ()\n// expected-error@-1 {{a.b}}");
    good(
        "",
        "// expected-error@below {{a.b}}\n// not an expectation\n\"a.b\"() : () -> ()"
            .replace("// not an expectation\n", "")
            .as_str(),
    );
    good("", "\"a.b\"() : () -> ()\n// expected-error@above {{a.b}}");
    good("", "// expected-error-re@+1 {{op 'a[.].'}}\n\"a.b\"() : () -> ()");
    good("", "// expected-error-re@+1 {{op '{{[a-z]+}}.b'}}\n\"a.b\"() : () -> ()");
    good("--fail", &format!("// expected-error@+1 {{{{cannot be done}}}}\n{}", functions(&["f"])));
    let marked = "// expected-remark@+2 {{marked it}}\n// expected-remark@+1 {{twice}}\n".to_string();
    good("--mark --remarks", &(marked + &functions(&["f"])));
    good("--panic", "");
}

#[test]
fn what_does_not_match_is_told_either_way() {
    let bad = |input: &str| opt("--verify-diagnostics", input).bad(Status::Failure);
    let said = bad("// expected-error@+1 {{another text}}\n\"a.b\"() : () -> ()");
    assert!(said.contains("unexpected error: E0101") && said.contains("expected error 'another text' did not come"));
    // The wrong line, the wrong kind, too often, nothing at all, a spelling.
    assert!(bad("// expected-error {{a.b}}\n\"a.b\"() : () -> ()").contains("unexpected error"));
    assert!(bad("// expected-warning@+1 {{a.b}}\n\"a.b\"() : () -> ()").contains("did not come"));
    assert!(
        bad("// expected-error@+2 {{a.b}}\n// expected-error@+1 {{a.b}}\n\"a.b\"() : () -> ()").contains("did not")
    );
    assert!(bad("// expected-error {{nothing}}").contains("did not come"));
    assert!(bad("// expected-error@+1 a.b").contains("is written"));
    assert!(bad("// expected-error@above {{x}}").contains("there is no line"));
    assert!(bad("// expected-error-re@+1 {{(}}").contains("cannot be read"));
}

#[test]
fn parts_are_taken_one_by_one() {
    let input = "module @a {}\n// -----\n\"a.b\"() : () -> ()\n// -----\nmodule @c {}";
    let said = opt("--split-input-file", input).bad(Status::Failure);
    assert!(said.contains("<stdin>:3:1"), "{said}");
    let expected = input.replace("// -----\n\"a", "// -----\n// expected-error@+1 {{a.b}}\n\"a");
    let text = opt("--split-input-file --verify-diagnostics", &expected).good();
    let parts: Vec<&str> = text.split("// -----\n").collect();
    assert!(parts.len() == 2 && parts[0].starts_with("module @a {") && parts[1].starts_with("module @c {"), "{text}");
}

#[test]
fn diagnostics_are_json_when_asked_for() {
    let said = opt("--diagnostics=json", "\"a.b\"() : () -> ()").bad(Status::Failure);
    let json: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let first = &json["diagnostics"][0];
    assert_eq!((&first["code"], &first["location"]["line"]), (&"E0101".into(), &1.into()));
    assert_eq!(opt("--diagnostics=json", "").err, "");
}

#[test]
fn errors_are_counted_when_they_are_many() {
    let input: String = (0..30).map(|n| format!("\"high.func\"() ({{ }}) {{n = {n}}} : () -> ()\n")).collect();
    let errors = |said: &str| said.matches("Error:").count();
    let all = opt("--max-errors=1000", &input).bad(Status::Failure);
    let few = opt("--max-errors=7", &input).bad(Status::Failure);
    assert!(errors(&all) >= 30);
    assert_eq!(errors(&few), 7);
    assert!(few.ends_with(&format!("{} more errors are not shown (--max-errors=7)\n", errors(&all) - 7)), "{few}");
}

#[test]
fn remarks_are_shown_by_kind_and_pass() {
    let shown =
        |args: &str| opt(&format!("--mark --no-output {args}"), &functions(&["f"])).err.matches("Remark:").count();
    assert_eq!(shown(""), 0);
    assert_eq!(shown("--remarks"), 2);
    assert_eq!(shown("--remarks=missed"), 1);
    assert_eq!(shown("--remarks=analysis"), 0);
    assert_eq!(shown("--remarks=passed,missed --remarks-filter=^ma"), 2);
    assert_eq!(shown("--remarks --remarks-filter=keep"), 0);
    assert!(opt("--remarks-filter=(", "").bad(Status::Usage).contains("--remarks-filter"));
}

#[test]
fn colours_are_for_terminals() {
    let colored = |args: &str| opt(args, "x").err.contains('\u{1b}');
    assert!(!colored(""));
    assert!(colored("--color=always"));
    assert!(!colored("--color=never"));
}

#[test]
fn what_does_not_read_back_is_a_mistake_of_ours() {
    opt("", "\"high.liar\"() : () -> ()").good();
    let said = opt("--verify-roundtrip", "\"high.liar\"() : () -> ()").bad(Status::Internal);
    assert!(said.contains("[E0503]") && said.contains("the custom form reads back as something else"), "{said}");
}
