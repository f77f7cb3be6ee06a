//! Pipelines as text: what reads back, what is refused and how.

use super::*;
use crate::body::Body;
use crate::pass::registry::PipelineDef;
use crate::pass::{OptionDef, OptionKind, OptionValues, PassResult};
use crate::random::Random;

struct Nothing;

impl Pass for Nothing {
    fn run(&self, _: &mut Body, _: &crate::pass::PassCx<'_>) -> PassResult {
        Ok(())
    }
}

fn nothing(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(Nothing))
}

fn picky(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    if options.int("count") > 9 { Err("more than 9 make no sense".into()) } else { nothing(options) }
}

static PLAIN: PassDef = PassDef { formerly: &["before"], ..PassDef::base("plain", "Does nothing.", nothing) };
static WHOLE: PassDef = PassDef { on: On::Module, ..PassDef::base("whole", "Does nothing to the module.", nothing) };
static OPTIONS: PassDef = PassDef {
    options: &[
        OptionDef { name: "count", kind: OptionKind::Int, default: "3", doc: "A number." },
        OptionDef { name: "deep", kind: OptionKind::Bool, default: "false", doc: "A flag." },
        OptionDef { name: "cmd", kind: OptionKind::Text, default: "", doc: "A text." },
        OptionDef { name: "order", kind: OptionKind::Choice(&["up", "down"]), default: "up", doc: "A word." },
        OptionDef { name: "names", kind: OptionKind::List, default: "", doc: "A list." },
    ],
    ..PassDef::base("options", "Has options.", picky)
};
static SHORT: PipelineDef =
    PipelineDef { name: "short", summary: "Two passes.", text: "plain,sample.func(plain)", to_layer: "", lowering: "" };
static BOTH: PipelineDef = PipelineDef {
    name: "both",
    summary: "Passes with options.",
    text: "options{count=1 deep},plain,sample.func(options)",
    to_layer: "",
    lowering: "",
};
static CYCLE: PipelineDef =
    PipelineDef { name: "cycle", summary: "Itself.", text: "cycle", to_layer: "", lowering: "" };
static WRONG: PipelineDef =
    PipelineDef { name: "wrong", summary: "A mistake.", text: "plain,plaim", to_layer: "", lowering: "" };

fn registry() -> Registry {
    let mut registry = Registry::default();
    for pass in [&PLAIN, &WHOLE, &OPTIONS] {
        registry.add_pass(pass);
    }
    for pipeline in [&SHORT, &BOTH, &CYCLE, &WRONG] {
        registry.add_pipeline(pipeline);
    }
    registry
}

/// The text that a pipeline prints as, which reads back as an equal one.
fn printed(text: &str) -> String {
    let registry = registry();
    let pipeline = Pipeline::parse(&registry, text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let printed = pipeline.to_string();
    assert_eq!(Pipeline::parse(&registry, &printed).expect("what is printed can be read"), pipeline, "{text}");
    printed
}

/// The mistakes in a text: the code, what it points to, the words.
fn errors(text: &str) -> Vec<(&'static str, String, String)> {
    let errors = Pipeline::parse(&registry(), text).expect_err(text);
    let show = |e: PipelineError| {
        let hint = e.suggestion.map_or(String::new(), |hint| format!("; {hint}"));
        (e.code.kind, text[e.span].to_string(), e.message + &hint)
    };
    errors.into_iter().map(show).collect()
}

fn error(text: &str) -> (&'static str, String, String) {
    let mut list = errors(text);
    assert_eq!(list.len(), 1, "{list:?}");
    list.remove(0)
}

#[test]
fn prints_what_was_read() {
    for text in [
        "builtin.module()",
        "builtin.module(plain)",
        "builtin.module(plain,sample.func(plain,any(plain)),whole)",
        "builtin.module(options{count=-4,deep,order=down})",
        "builtin.module(options{cmd=\"python3 my.py\"})",
        "builtin.module(options{cmd=\"a \\\"quoted\\\" \\\\ word, {x} [y]\\n\"})",
        "builtin.module(options{names=[a,b c,d]})",
        "builtin.module(options{cmd=a/b-c.d:e})",
        "builtin.module(options{cmd=\"\"})",
        "builtin.module(lower-to{layer=book})",
        "builtin.module(any(any(plain)),builtin.module(plain))",
    ] {
        assert_eq!(printed(text), text);
    }
}

#[test]
fn what_can_be_left_out() {
    assert_eq!(printed(""), "builtin.module()");
    assert_eq!(printed(" plain ,\n any ( plain ) "), "builtin.module(plain,any(plain))");
    assert_eq!(printed("options{ count=2 deep , order=up }"), "builtin.module(options{count=2,deep,order=up})");
    // Two modules inside the outermost one.
    assert_eq!(printed("builtin.module(plain),plain"), "builtin.module(builtin.module(plain),plain)");
}

#[test]
fn a_named_pipeline_stands_for_its_passes() {
    assert_eq!(printed("whole,short"), "builtin.module(whole,plain,sample.func(plain))");
}

#[test]
fn options_reach_the_pass() {
    let registry = registry();
    let given = |text: &str| {
        let pipeline = Pipeline::parse(&registry, text).expect("it is right");
        let Item::Pass(pass) = &pipeline.items[0] else { panic!("a pass") };
        check(pass.def, &pass.given).expect("it is right")
    };
    let values = given("options{count=5 deep names=[a, b] cmd=\"x y\" count=6}");
    assert_eq!((values.int("count"), values.flag("deep"), values.text("order")), (6, true, "up"));
    assert_eq!((values.list("names"), values.text("cmd")), (vec!["a", "b"], "x y"));
    assert_eq!(given("options").int("count"), 3);
}

#[test]
fn options_of_a_named_pipeline_go_to_its_passes() {
    assert_eq!(printed("both{count=5}"), "builtin.module(options{deep,count=5},plain,sample.func(options{count=5}))");
    assert_eq!(
        printed("both{deep=false}"),
        "builtin.module(options{count=1,deep=false},plain,sample.func(options{deep=false}))"
    );
}

#[test]
fn mistakes_are_found_where_they_are() {
    let at = |text, kind, place: &str, words: &str| {
        let (k, p, message) = error(text);
        assert_eq!((k, p.as_str()), (kind, place), "{text}: {message}");
        assert!(message.contains(words), "{text}: {message}");
    };
    at("plain,plian", "UnknownPass", "plian", "did you mean 'plain'?");
    at("before", "UnknownPass", "before", "'before' was renamed to 'plain'");
    at("any(shrot)", "UnknownPass", "shrot", "did you mean 'short'?");
    at("options{cuont=1}", "BadOption", "cuont=1", "did you mean 'count'?");
    at("options{count=x}", "BadOption", "count=x", "takes a 64-bit integer, not 'x'");
    at("options{count=99999999999999999999}", "BadOption", "count=99999999999999999999", "64-bit");
    at("options{deep=maybe}", "BadOption", "deep=maybe", "true or false");
    at("options{order=dwon}", "BadOption", "order=dwon", "did you mean 'down'?");
    at("options{count=10}", "BadOption", "options", "more than 9 make no sense");
    at("plain{x=1}", "BadOption", "x=1", "it takes none");
    at("short{x=1}", "BadOption", "x=1", "no pass of the named pipeline 'short' has the option 'x'");
    at("both{cuont=1}", "BadOption", "cuont=1", "did you mean 'count'?");
    at("both{count=10}", "BadOption", "count=10", "more than 9 make no sense");
    at("lower-to", "BadOption", "lower-to", "'layer'");
    at("sample.func(whole)", "BadNesting", "whole", "whole module");
    at("plain(plain)", "BadNesting", "plain", "only ops have passes nested");
    at("func(plain)", "BadNesting", "func", "full name of an op");
    at("sample.func{x=1}(plain)", "BadNesting", "sample.func", "both options and nested passes");
    at("cycle", "BadNesting", "cycle", "contains itself");
    at("whole,wrong", "UnknownPass", "wrong", "in the pipeline 'wrong': no pass or pipeline of the name 'plaim'");
}

#[test]
fn every_mistake_is_found() {
    let kinds: Vec<&str> = errors("plian,options{x=1},func(whole)").into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, ["UnknownPass", "BadOption", "BadNesting", "BadNesting"]);
}

#[test]
fn syntax_says_what_was_expected() {
    let at = |text, place: &str, words: &str| {
        let (kind, p, message) = error(text);
        assert_eq!((kind, p.as_str()), ("PipelineSyntax", place), "{text}: {message}");
        assert!(message.contains(words), "{text}: {message}");
    };
    at("plain)", ")", "expected");
    at("any(plain", "", "')'");
    at("plain,,plain", ",", "a name");
    at("options{count=", "", "a value");
    at("options{count=1", "", "'}'");
    at("options{cmd=\"open}", "\"", "a value");
    at("plain;plain", ";", "expected");
    at("pläin", "ä", "expected");
    at(&"any(".repeat(70), "(", "more than 64 deep");
}

#[test]
fn no_text_panics() {
    let pieces = ["plain", "options", "{", "}", "(", ")", ",", "=", "\"", "\\", "[", "]", "é", " ", "any", "1", "\0"];
    let mut random = Random::new(12345);
    for _ in 0..20_000 {
        let text: String = (0..random.below(12)).map(|_| random.one_of(&pieces)).collect();
        if let Ok(pipeline) = Pipeline::parse(&registry(), &text) {
            let again = Pipeline::parse(&registry(), &pipeline.to_string());
            assert_eq!(again.expect("what is printed can be read"), pipeline, "{text}");
        }
    }
}
