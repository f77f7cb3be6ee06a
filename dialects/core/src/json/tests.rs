//! Tests of reading and writing JSON.

use dlc_ir::diag::Diagnostics;
use dlc_ir::types::FloatKind;
use dlc_ir::{Context, Type, float};

use super::attr::{from_attr, to_attr};
use super::names::{dtype_name, shortest, sizes_item};
use super::outline::Outline;
use super::{Document, Item, Node, Record, Scalar};

/// Reads a text with `read` and gives the diagnostics: where each stands (line and column), its code and its words.
fn complaints(text: &str, read: impl FnOnce(&Context, &Node<'_>)) -> Vec<String> {
    let ctx = Context::new([&crate::DIALECT]);
    let file = ctx.sources.add("t.json", text.to_string()).expect("a small file");
    let diags = Diagnostics::new();
    let document = Document::new(&file, 0..text.len(), &diags);
    if let Ok(root) = document.root() {
        read(&ctx, &root);
    }
    let shown = |diagnostic: dlc_ir::Diagnostic| {
        let place = diagnostic.loc.source_offset().map(|at| file.line_column((at - file.base()) as usize));
        let (line, column) = place.unwrap_or_default();
        let suggestion = diagnostic.suggestion.map_or(String::new(), |text| format!("; {text}"));
        format!("{line}:{column} {} {}{suggestion}", diagnostic.code.code, diagnostic.message)
    };
    diags.take().into_iter().map(shown).collect()
}

/// The only complaint.
fn complaint(text: &str, read: impl FnOnce(&Context, &Node<'_>)) -> String {
    let mut all = complaints(text, read);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn comments_are_blank_and_places_are_those_of_the_file() {
    let text = "// ü\n{\"a\": 1, // \"\n \"b//\": \"//\"} // end";
    let all = complaints(text, |_, root| {
        let record = Record::new(root, "a test", &["a", "b//"]).expect("an object");
        assert_eq!(record.get("a").map(Node::int), Some(Ok(1)));
        assert_eq!(record.get("b//").and_then(|node| node.string("a string").ok()).as_deref(), Some("//"));
        record.get("b//").map(Node::int);
    });
    assert_eq!(all, ["3:9 E0605 'b//' must be an integer, not \"//\""]);
}

#[test]
fn what_is_not_json_is_shown_where_it_breaks() {
    let check = |text: &str, expected: &str| assert_eq!(complaint(text, |_, _| ()), expected);
    check("{\"a\": 1,\n}", "2:1 E0601 this is not JSON: key must be a string; JSON has no comma after the last entry");
    check("", "1:1 E0601 this is not JSON: EOF while parsing a value");
    check("{\"a\": \"é\" x}", "1:12 E0601 this is not JSON: expected `,` or `}`");
    check("[1] 2", "1:5 E0601 this is not JSON: trailing characters");
    check("[\"a\nb\"]", "1:3 E0601 this is not JSON: control character (\\u0000-\\u001F) found while parsing a string");
    // A lone half of a surrogate pair shows when the string is read.
    let lone = complaint(r#"["\ud800"]"#, |_, root| {
        let items = root.list("a list").expect("a list");
        assert!(items[0].string("a string").is_err());
    });
    assert!(lone.starts_with("1:2 E0601 this is not JSON: "), "{lone}");
}

#[test]
fn nesting_without_end_is_no_danger() {
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    let all = complaints(&deep, |ctx, root| {
        let record = Record::new(root, "a test", &["a"]).expect("an object");
        assert!(record.get("a").is_some_and(|node| node.sizes().is_err()));
        assert!(record.get("a").is_some_and(|node| to_attr(ctx, node).is_err()));
    });
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[1].contains("nested at most 64 deep"), "{all:?}");
}

#[test]
fn keys_of_records() {
    let text = "{\"uops\": [{\"uop\": \"ADD\", \"scr\": [], \"uop\": 1, \"zzzzzz\": 1}]}";
    let all = complaints(text, |_, root| {
        let root = Record::new(root, "a test", &["uops"]).expect("an object");
        let uop = &root.need("uops").expect("there").list("a list").expect("a list")[0];
        let uop = Record::new(uop, "a uop", &["uop", "src", "out"]).expect("an object");
        assert!(uop.need("out").is_err());
        assert_eq!(uop.entries().map(|(key, _)| key).collect::<Vec<_>>(), ["uop"]);
    });
    assert_eq!(
        all,
        [
            "1:26 E0602 a uop has no key 'scr' ('uops[0]'); did you mean 'src'?",
            "1:37 E0604 the key 'uop' comes twice ('uops[0]')",
            "1:47 E0602 a uop has no key 'zzzzzz' ('uops[0]'); its keys are uop, src, out",
            "1:11 E0603 a uop needs the key 'out' ('uops[0]')",
        ]
    );
}

#[test]
fn numbers_sizes_and_types() {
    let check = |text: &str, read: fn(&Context, &Node<'_>), expected: &[&str]| {
        assert_eq!(complaints(text, read), expected, "{text}");
    };
    check("5", |_, node| assert_eq!(node.int(), Ok(5)), &[]);
    let int = |_: &Context, node: &Node<'_>| assert!(node.int().is_err());
    check("5.0", int, &["1:1 E0605 'the document' must be an integer, not 5.0"]);
    check(
        "99999999999999999999",
        int,
        &["1:1 E0605 'the document' must be an integer of at most 64 bits, not 99999999999999999999"],
    );
    check(
        "[1, -1.5, \"-inf\", true]",
        |_, node| {
            let values = node.list_of("numbers", Node::scalar);
            let expected =
                vec![Scalar::Int(1), Scalar::Float(-1.5), Scalar::Float(f64::NEG_INFINITY), Scalar::Bool(true)];
            assert_eq!(values, Ok(expected.clone()));
            assert_eq!(Item::list(expected.into_iter().map(Scalar::item)).to_string(), "[1, -1.5, \"-inf\", true]");
        },
        &[],
    );
    let scalar = |_: &Context, node: &Node<'_>| assert!(node.scalar().is_err());
    check(
        "1e999",
        scalar,
        &["1:1 E0605 'the document' must be a number that a 64-bit float can hold, not 1e999; \
           infinity is written \"inf\""],
    );
    check(
        "null",
        scalar,
        &["1:1 E0605 'the document' must be a number, true, false, \"inf\", \"-inf\" or \"nan\", not null"],
    );
    check(
        "[\"M\", 4, \"2*K+1\"]",
        |_, node| {
            let sizes = node.sizes().expect("sizes");
            assert_eq!(sizes_item(&sizes).to_string(), "[\"M\", 4, \"2*K + 1\"]");
        },
        &[],
    );
    let sizes = |_: &Context, node: &Node<'_>| assert!(node.sizes().is_err());
    check(
        "[\"2*\", -1, null]",
        sizes,
        &[
            "1:2 E0605 '[0]': \"2*\" is no integer: expected an expression",
            "1:8 E0605 '[1]' must be a size, which is not negative, not -1",
            "1:12 E0605 '[2]' must be an integer, such as 4, \"M\" or \"2*K + 1\", not null",
        ],
    );
}

#[test]
fn every_element_type_has_one_name() {
    let ctx = Context::new([&crate::DIALECT]);
    for name in super::names::DTYPES {
        let text = format!("\"{name}\"");
        assert_eq!(
            complaints(&text, |ctx, node| {
                let ty = node.dtype(ctx).expect("a type");
                assert_eq!(dtype_name(ctx, ty), Some(name));
            }),
            Vec::<String>::new()
        );
    }
    assert_eq!(dtype_name(&ctx, Type::INDEX), None);
}

#[test]
fn element_types_of_others_are_suggested() {
    let names = [
        ("f16", "fp16"),
        ("torch.float32", "fp32"),
        ("Half", "fp16"),
        ("e4m3", "fp8e4m3"),
        ("bool_", "bool"),
        ("short", "int16"),
        ("ui8", "uint8"),
        ("ulong", "uint64"),
        ("f64", "fp64"),
    ];
    for (other, name) in names {
        let all = complaint(&format!("\"{other}\""), |ctx, node| assert!(node.dtype(ctx).is_err()));
        let said = format!("'the document': there is no element type '{other}'; did you mean '{name}'?");
        assert_eq!(all, format!("1:1 E0605 {said}"));
    }
}

#[test]
fn floats_are_written_with_the_fewest_digits() {
    let check = |value: f64, kind: FloatKind, expected: &str| {
        let short = shortest(float::encode(value, kind), kind);
        assert_eq!(Scalar::Float(short).item().to_string(), expected, "{value} as {kind:?}");
    };
    check(1.25e-3, FloatKind::F32, "0.00125");
    check(std::f64::consts::LOG2_E, FloatKind::F32, "1.442695");
    check(std::f64::consts::LOG2_E, FloatKind::F16, "1.442");
    check(std::f64::consts::LOG2_E, FloatKind::F64, "1.4426950408889634");
    check(1e-5, FloatKind::F16, "1e-05");
    check(0.1, FloatKind::BF16, "0.1");
    check(-0.0, FloatKind::F32, "-0.0");
    check(65504.0, FloatKind::F16, "65504.0");
    check(f64::NEG_INFINITY, FloatKind::F16, "\"-inf\"");
    check(f64::NAN, FloatKind::F32, "\"nan\"");
    check(f64::MAX, FloatKind::F64, "1.7976931348623157e+308");
    check(448.0, FloatKind::F8E4M3FN, "448.0");
}

#[test]
fn any_json_is_kept() {
    let text = r#"{"a": [1, 2.5, true, null, "x\n", {}], "b c": {"d": "-inf", "e": [1e-05]}}"#;
    let all = complaints(text, |ctx, node| {
        let attr = to_attr(ctx, node).expect("an attribute");
        assert_eq!(from_attr(ctx, attr).map(|item| item.to_string()).as_deref(), Some(text));
    });
    assert_eq!(all, Vec::<String>::new());
    let twice = complaint(r#"{"a": 1, "a": 2}"#, |ctx, node| assert!(to_attr(ctx, node).is_err()));
    assert_eq!(twice, "1:10 E0604 the key 'a' comes twice");
}

#[test]
fn a_record_has_a_line() {
    let row = |name: &str| Item::object([("name", name.into()), ("shape", Item::list([2i64, 3]))]);
    let document = Item::object([
        ("format", "x/1".into()),
        ("source", Item::object([("frontend", "t".into())])),
        ("inputs", Item::List(vec![row("A"), row("B")])),
        ("outputs", Item::List(vec![])),
        ("tensors", Item::object([("A", row("A"))])),
    ]);
    let expected = r#"{
  "format": "x/1",
  "source": {"frontend": "t"},
  "inputs": [
    {"name": "A", "shape": [2, 3]},
    {"name": "B", "shape": [2, 3]}
  ],
  "outputs": [],
  "tensors": {
    "A": {"name": "A", "shape": [2, 3]}
  }
}
"#;
    assert_eq!(document.document(), expected);
}

#[test]
fn outlines() {
    let check = |text: &str, keys: &[&str], format: Option<&str>| {
        assert_eq!(Outline::of(text), Outline { keys: keys.to_vec(), format }, "{text}");
    };
    check(
        "// x: {\n{\"format\": \"a/1\", \"uops\": [{\"x\": 1}], // y\n \"z\": \"format\"}",
        &["format", "uops", "z"],
        Some("a/1"),
    );
    check("{\"format\": [\"a\"], \"b\\\"\": {\"format\": \"c\"}}", &["format", "b\\\""], None);
    // What is wrong is found by the reader.
    check("{\"uops\": [}, ]", &["uops"], None);
    check("{\"uops: 1}\n{\"a\" \"b\": 1", &[], None);
    check("module { \"a\": 1 }", &[], None);
    check("[{\"uops\": 1}]", &[], None);
    check("", &[], None);
    check("{\"a\\", &[], None);
}
