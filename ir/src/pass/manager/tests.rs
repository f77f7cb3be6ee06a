//! Passes over a dialect of four layers, `one.func` to `four.func`.

use std::sync::atomic::AtomicUsize;

use super::*;
use crate::attrs::Attr;
use crate::body::OpRef;
use crate::builtin::STRING;
use crate::context::Str;
use crate::op::{Arity, AttrKind, AttrSpec, Dialect, Effects, OpDef, RegionDef, Traits};
use crate::pass::{
    Code, NoHost, OptionDef, OptionKind, OptionValues, PASS_FAILED, Pass, PassFailed, PassResult, StatDef,
};
use crate::text::{ParseOptions, PrintOptions, parse_module, print_body};

static NAMED: [AttrSpec; 1] = [AttrSpec { name: "sym_name", kind: &STRING, optional: false }];

const fn func(name: &'static str) -> OpDef {
    OpDef {
        traits: Traits::ISOLATED_FROM_ABOVE.with(Traits::SYMBOL).with(Traits::NO_TERMINATOR),
        effects: Some(Effects::ANY),
        attrs: &NAMED,
        regions: &[RegionDef { name: "body", arity: Arity::One }],
        ..OpDef::bare(name)
    }
}

/// An op that must have the attribute `good`.
static ITEM: OpDef = OpDef {
    attrs: &[AttrSpec { name: "good", kind: &STRING, optional: false }],
    effects: Some(Effects::ANY),
    ..OpDef::bare("one.item")
};
static ONE: OpDef = func("one.func");
static TWO: OpDef = func("two.func");
static THREE: OpDef = func("three.func");
static FOUR: OpDef = func("four.func");
static REFERENCE: AttrKind =
    AttrKind { name: "a symbol", admits: |ctx, attr| attr.as_symbol(ctx).is_some(), parse: None, print: None };
static VIEW: OpDef =
    OpDef { attrs: &[AttrSpec { name: "of", kind: &REFERENCE, optional: false }], ..OpDef::bare("view.of") };

const fn dialect(name: &'static str, ops: &'static [&'static OpDef]) -> Dialect {
    Dialect { name, summary: "A layer.", ops, types: &[], attrs: &[], materialize: None, synonyms: &[] }
}

static DIALECTS: [Dialect; 5] = [
    dialect("one", &[&ONE, &ITEM]),
    dialect("two", &[&TWO]),
    dialect("three", &[&THREE]),
    dialect("four", &[&FOUR]),
    dialect("view", &[&VIEW]),
];

/// A pass that is a function.
struct Run(fn(&mut Body, &PassCx<'_>) -> PassResult);

impl Pass for Run {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        (self.0)(body, cx)
    }
}

macro_rules! pass {
    ($name:ident, $text:literal, { $($field:ident: $value:expr),* $(,)? }, $run:expr) => {
        static $name: PassDef = PassDef {
            $($field: $value,)*
            ..PassDef::base($text, "For tests.", |_: &OptionValues| Ok(Box::new(Run($run))))
        };
    };
}

mod analyses;
mod layers;

fn mark(body: &mut Body, cx: &PassCx<'_>, with: &str) {
    let key = cx.ctx.intern_str("marks");
    let old = OpRef::new(cx.ctx, body, body.root()).attr(key).and_then(|attr| attr.as_str(cx.ctx));
    let marks = old.map_or(with.to_string(), |old| format!("{old} {with}"));
    body.set_attr(cx.ctx, body.root(), key, Some(cx.ctx.str_attr(&marks)));
}

fn name_of<'a>(body: &Body, cx: &PassCx<'a>) -> &'a str {
    let attr = body.prop(cx.ctx, body.root(), Str::SYM_NAME);
    attr.and_then(|attr| attr.as_str(cx.ctx)).unwrap_or("module")
}

static COUNT: StatDef = StatDef { name: "seen", doc: "Bodies seen." };

pass!(MARK_A, "mark-a", { statistics: std::slice::from_ref(&COUNT) }, |body, cx| {
    cx.count("seen", 1);
    mark(body, cx, "a");
    Ok(())
});
pass!(MARK_B, "mark-b", { on: On::Op("one.func") }, |body, cx| {
    mark(body, cx, "b");
    Ok(())
});
pass!(EMPTY, "empty", {}, |_, _| Ok(()));
pass!(SAY, "say", {}, |body, cx| {
    // A little work of uneven length, so that threads finish out of order.
    let spin = name_of(body, cx).bytes().map(u64::from).sum::<u64>() * 37 % 400;
    let sum: u64 = (0..spin * 50).fold(0, |sum, n| sum.wrapping_mul(31).wrapping_add(n));
    cx.remark(RemarkKind::Analysis, body.loc(body.root()), format!("{} {}", name_of(body, cx), sum & 1));
    mark(body, cx, "s");
    Ok(())
});
pass!(FAIL_ODD, "fail-odd", {}, |body, cx| {
    if name_of(body, cx).ends_with(['1', '3', '5']) {
        let message = format!("odd: {}", name_of(body, cx));
        return Err(cx.fail(Diagnostic::error(&PASS_FAILED, body.loc(body.root()), message)));
    }
    Ok(())
});
pass!(FAIL_SILENTLY, "fail-silently", {}, |_, _| Err(PassFailed));
pass!(REPORT_ONLY, "report-only", {}, |body, cx| {
    cx.error(&PASS_FAILED, body.loc(body.root()), "reported");
    Ok(())
});
pass!(PANIC, "panic", { on: On::Op("one.func") }, |body, cx| {
    mark(body, cx, "half");
    assert!(name_of(body, cx) != "f2", "the pass gives up on {}", name_of(body, cx));
    Ok(())
});
pass!(BREAK_ITEM, "break-item", {}, |body, cx| {
    for op in body.walk() {
        if cx.ctx.op_name_str(body.op_name(op)) == "one.item" {
            body.set_props(op, Attr::EMPTY_DICT);
        }
    }
    Ok(())
});
pass!(SAME_NAME, "same-name", { on: On::Op("one.func") }, |body, cx| {
    body.set_prop(cx.ctx, body.root(), Str::SYM_NAME, Some(cx.ctx.str_attr("same")));
    Ok(())
});
pass!(SYMBOLS, "symbols", { on: On::Op("one.func"), reads_symbols: true }, |body, cx| {
    let mut names: Vec<&str> = cx.symbols.names().map(|name| cx.ctx.str(name)).collect();
    names.sort_unstable();
    mark(body, cx, &names.join("+"));
    Ok(())
});
pass!(UNDECLARED, "undeclared", { on: On::Op("one.func") }, |_, cx| {
    assert_eq!(cx.symbols.names().count(), 0, "a pass that does not say that it reads symbols sees none");
    Ok(())
});
pass!(RENAME, "rename", { on: On::Op("one.func") }, |body, cx| {
    let name = format!("{}_new", name_of(body, cx));
    body.set_prop(cx.ctx, body.root(), Str::SYM_NAME, Some(cx.ctx.str_attr(&name)));
    Ok(())
});
pass!(TO_FOUR, "to-four", { on: On::Op("one.func") }, |body, cx| {
    body.set_op_name(body.root(), cx.ctx.op_name("four.func"));
    Ok(())
});
pass!(WHOLE, "whole", { on: On::Module }, |body, cx| {
    let count = body.nested_ops().len();
    mark(body, cx, &format!("whole{count}"));
    Ok(())
});
pass!(WHOLE_BREAKS, "whole-breaks", { on: On::Module }, |body, _| {
    let first = body.nested_ops()[0];
    let nested = body.nested_mut(first).expect("it is nested");
    let item = nested.walk()[0];
    nested.set_props(item, Attr::EMPTY_DICT);
    Ok(())
});
pass!(OTHER_KIND, "other-kind", { on: On::Op("one.func") }, |body, cx| {
    if !name_of(body, cx).starts_with('f') {
        return Ok(());
    }
    for number in 0..2 {
        let mut new = Body::new(cx.ctx.op_name("one.func"), body.loc(body.root()), 1);
        let region = new.root_region();
        new.append_block(region);
        let name = format!("of_{}_{number}", name_of(body, cx));
        new.set_prop(cx.ctx, new.root(), Str::SYM_NAME, Some(cx.ctx.str_attr(&name)));
        cx.put_next_to(new);
    }
    Ok(())
});

static OPTION: PassDef = PassDef {
    options: &[OptionDef { name: "text", kind: OptionKind::Text, default: "?", doc: "Marks with it." }],
    ..PassDef::base("option", "For tests.", |options| {
        struct Mark(String);
        impl Pass for Mark {
            fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
                mark(body, cx, &self.0);
                Ok(())
            }
        }
        Ok(Box::new(Mark(options.text("text").to_string())))
    })
};

fn registry() -> Registry {
    let mut registry = Registry::default();
    let passes = [
        &MARK_A,
        &MARK_B,
        &EMPTY,
        &SAY,
        &FAIL_ODD,
        &FAIL_SILENTLY,
        &REPORT_ONLY,
        &PANIC,
        &BREAK_ITEM,
        &SAME_NAME,
        &SYMBOLS,
        &UNDECLARED,
        &RENAME,
        &TO_FOUR,
        &WHOLE,
        &WHOLE_BREAKS,
        &OTHER_KIND,
        &OPTION,
    ];
    passes.into_iter().for_each(|pass| registry.add_pass(pass));
    registry
}

/// A run, with everything that can be seen of it.
struct Ran {
    text: String,
    marks: String,
    /// Code and message of each diagnostic.
    said: Vec<String>,
    report: Report,
    failure: Option<Failure>,
}

fn run_with(registry: &Registry, options: ManagerOptions, pipeline: &str, source: &str) -> Ran {
    let ctx = Context::new(&DIALECTS);
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test", source.to_string()).expect("small");
    let read = parse_module(&ctx, &file, 0..source.len(), ParseOptions::default(), &diags);
    let mut module = read.unwrap_or_else(|_| panic!("{:?}", diags.take()));
    assert!(crate::verify::verify(&ctx, &module, &diags), "{:?}", diags.take());
    let pipeline = Pipeline::parse(registry, pipeline).unwrap_or_else(|errors| panic!("{errors:?}"));
    let counters = DebugCounters::off();
    let manager = Manager { ctx: &ctx, registry, options, instruments: Vec::new(), counters: &counters, host: &NoHost };
    let outcome = manager.run(&pipeline, &mut module, &diags);
    let mut text = String::new();
    print_body(&ctx, &module, PrintOptions::default(), &mut |piece| text.push_str(piece));
    let mut marks = Vec::new();
    marks_in(&ctx, &module, &mut marks);
    let marks = marks.join("; ");
    let said = diags.take().into_iter().map(|d| format!("{}: {}", d.code.kind, d.message)).collect();
    Ran { text, marks, said, report: outcome.report, failure: outcome.failure }
}

fn run(pipeline: &str, source: &str) -> Ran {
    run_with(&registry(), ManagerOptions { remarks: true, ..ManagerOptions::default() }, pipeline, source)
}

/// The names of functions with their marks, in order: `f0:a b; f1:a`.
fn marks_in(ctx: &Context, body: &Body, list: &mut Vec<String>) {
    for op in body.nested_ops() {
        let nested = body.nested(op).expect("it is nested");
        let root = OpRef::new(ctx, nested, nested.root());
        let text = |key: &str| root.attr(ctx.intern_str(key)).and_then(|attr| attr.as_str(ctx)).unwrap_or("");
        if !root.is(&crate::builtin::MODULE) {
            list.push(format!("{}:{}", text("sym_name"), text("marks")));
        }
        marks_in(ctx, nested, list);
    }
}

fn marks(ran: &Ran) -> String {
    ran.marks.clone()
}

fn functions(count: usize) -> String {
    let one = |n| {
        format!(
            "\"one.func\"() <{{sym_name = \"f{n}\"}}> ({{ \"one.item\"() <{{good = \"yes\"}}> : () -> () }}) : () -> ()\n"
        )
    };
    (0..count).map(one).collect()
}

#[test]
fn a_pass_runs_on_the_bodies_that_it_is_for() {
    let source = functions(2) + "\"two.func\"() <{sym_name = \"g\"}> ({ ^bb0: }) : () -> ()";
    let ran = run("mark-a,mark-b", &source);
    assert!(ran.failure.is_none(), "{:?}", ran.said);
    assert_eq!(marks(&ran), "f0:a b; f1:a b; g:a");
    assert!(ran.text.starts_with("module attributes {marks = \"a\"}"), "{}", ran.text);
    // The module, three functions.
    assert_eq!(ran.report.passes[0].statistics, [4]);
    let ran = run("two.func(mark-a),one.func(mark-b)", &source);
    assert_eq!(marks(&ran), "f0:b; f1:b; g:a");
    let ran = run("any(mark-a)", &source);
    assert_eq!(marks(&ran), "f0:a; f1:a; g:a");
    assert!(ran.text.starts_with("module {"), "{}", ran.text);
}

const NESTED: &str = r#"
builtin.module @inner {
  "one.func"() <{sym_name = "f"}> ({ ^bb0: }) : () -> ()
  "two.func"() <{sym_name = "g"}> ({
    "one.func"() <{sym_name = "h"}> ({ ^bb0: }) : () -> ()
  }) : () -> ()
}
"one.func"() <{sym_name = "k"}> ({ ^bb0: }) : () -> ()
"#;

#[test]
fn nests_select_by_the_way_from_the_module() {
    let marks = |pipeline: &str| {
        let ran = run(pipeline, NESTED);
        assert!(ran.failure.is_none(), "{:?}", ran.said);
        super::tests::marks(&ran)
    };
    // Not in any nest: at every depth.
    assert_eq!(marks("mark-b"), "f:b; g:; h:b; k:b");
    // What is directly inside the module, with everything below it.
    assert_eq!(marks("one.func(mark-b)"), "f:; g:; h:; k:b");
    assert_eq!(marks("builtin.module(builtin.module(mark-b))"), "f:b; g:; h:b; k:");
    assert_eq!(marks("any(any(any(mark-a)))"), "f:; g:; h:a; k:");
    assert_eq!(marks("builtin.module(two.func(mark-b)),mark-a"), "f:a; g:a; h:b a; k:a");
}

#[test]
fn a_nest_keeps_an_op_that_changes_its_name() {
    let ran = run("one.func(to-four,mark-a,symbols,mark-a)", &functions(1));
    // `symbols` begins another pass group, and is for one.func only.
    assert_eq!(marks(&ran), "f0:a a");
    assert!(ran.text.contains("four.func"), "{}", ran.text);
    let ran = run("one.func(to-four),one.func(mark-a),four.func(mark-a)", &functions(1));
    assert_eq!(marks(&ran), "f0:a");
}

#[test]
fn symbols_are_as_all_passes_before_have_left_them() {
    let ran = run("rename,symbols", &functions(2));
    assert_eq!(marks(&ran), "f0_new:f0_new+f1_new; f1_new:f0_new+f1_new");
    let ran = run("rename,undeclared", &functions(2));
    assert!(ran.failure.is_none(), "{:?}", ran.said);
}

#[test]
fn what_is_put_next_to_goes_through_the_passes_that_follow() {
    let ran = run("mark-b,other-kind,mark-a,whole", &functions(2));
    let expected = "f0:b a; of_f0_0:a; of_f0_1:a; f1:b a; of_f1_0:a; of_f1_1:a";
    assert_eq!(marks(&ran), expected);
    assert!(ran.text.contains("whole6"), "{}", ran.text);
}

#[test]
fn output_does_not_depend_on_threads() {
    let source = functions(300) + NESTED;
    let pipeline = "say,other-kind,mark-a,rename,symbols,say";
    let run = |threads| {
        let options = ManagerOptions { threads, remarks: true, ..ManagerOptions::default() };
        run_with(&registry(), options, pipeline, &source)
    };
    let one = run(1);
    assert!(one.failure.is_none(), "{:?}", one.said);
    assert!(one.said[1].contains(" f0 "), "in the order of the text: {:?}", &one.said[..3]);
    for threads in [2, 7] {
        let many = run(threads);
        assert!(one.text == many.text, "{threads} threads give another module");
        assert_eq!(one.said, many.said);
    }
}

#[test]
fn every_body_is_told_of_and_the_pipeline_ends() {
    for threads in [1, 2, 7] {
        let options = ManagerOptions { threads, ..ManagerOptions::default() };
        let ran = run_with(&registry(), options, "mark-a,fail-odd,mark-a", &functions(200));
        let failure = ran.failure.expect("it fails");
        assert_eq!((failure.kind, failure.pass.as_str()), (FailureKind::Failed, "fail-odd"));
        assert_eq!(failure.pipeline, "builtin.module(fail-odd)");
        assert_eq!(ran.said.len(), 60);
        assert_eq!(ran.said[..3], ["PassFailed: odd: f1", "PassFailed: odd: f3", "PassFailed: odd: f5"]);
    }
}

#[test]
fn a_failure_without_words_gets_some() {
    let ran = run("fail-silently", &functions(1));
    assert_eq!(ran.said, ["PassFailed: the pass 'fail-silently' failed"]);
    let ran = run("report-only,whole", &functions(1));
    assert_eq!(ran.failure.expect("an error is a failure").pass, "report-only");
}

#[test]
fn a_panic_is_a_diagnostic_and_can_be_reproduced() {
    let options = ManagerOptions { keep_before: true, threads: 2, ..ManagerOptions::default() };
    let ran = run_with(&registry(), options, "mark-a,one.func(panic),whole", &functions(50));
    let failure = ran.failure.expect("it panicked");
    assert_eq!(failure.kind, FailureKind::Panicked);
    assert_eq!(failure.pipeline, "builtin.module(one.func(panic))");
    assert_eq!(ran.said.len(), 1);
    assert!(ran.said[0].starts_with("PassPanicked: the pass 'panic' panicked"), "{:?}", ran.said);
    assert!(ran.said[0].ends_with("the pass gives up on f2"), "{:?}", ran.said);
    let before = failure.before.expect("it was kept");
    assert_eq!(before.nested_ops().len(), 50);
}

#[test]
fn what_a_pass_breaks_is_found_after_it() {
    let ran = run("break-item,mark-a", &functions(1));
    assert_eq!(ran.failure.expect("it is broken").kind, FailureKind::BrokeIr);
    assert_eq!(ran.said[0], "PassBrokeIr: the pass 'break-item' left IR that breaks the rules");
    assert!(ran.said[1].starts_with("WrongAttr: "), "{:?}", ran.said);
    let ran = run("whole-breaks", &functions(1));
    assert_eq!(ran.failure.expect("it is broken").pass, "whole-breaks");
    assert!(ran.said[1].starts_with("WrongAttr: "), "{:?}", ran.said);
    let ran = run("mark-a,same-name", &functions(2));
    assert_eq!(ran.failure.expect("it is broken").kind, FailureKind::BrokeIr);
    assert!(ran.said[0].contains("'mark-a', 'same-name'"), "{:?}", ran.said);
    assert!(ran.said[1].starts_with("DuplicateSymbol: "), "{:?}", ran.said);
    let options = ManagerOptions { verify_each: false, ..ManagerOptions::default() };
    let ran = run_with(&registry(), options, "break-item,same-name", &functions(2));
    assert!(ran.failure.is_none(), "{:?}", ran.said);
}

#[test]
fn options_reach_the_pass() {
    let ran = run("any(option{text=x},option,option{text=\"y z\"})", &functions(1));
    assert_eq!(marks(&ran), "f0:x ? y z");
}

/// Counts the calls.
#[derive(Default)]
struct Watch {
    module: bool,
    calls: std::sync::Mutex<Vec<String>>,
    groups: AtomicUsize,
}

impl Instrument for Watch {
    fn wants_module(&self) -> bool {
        self.module
    }
    fn start(&self, _: &Context, _: &Body) {
        self.calls.lock().expect("no panic").push("start".into());
    }
    fn before(&self, at: &At<'_>, _: &Body) {
        self.calls.lock().expect("no panic").push(format!("before {} {}", at.number, at.pass.def.name));
    }
    fn after(&self, at: &At<'_>, _: &Body) -> PassResult {
        self.calls.lock().expect("no panic").push(format!("after {} {}", at.pipeline, at.changed));
        if at.pass.def.name == "mark-b" { Err(PassFailed) } else { Ok(()) }
    }
    fn failed(&self, at: &At<'_>, module: Option<&Body>) {
        self.calls.lock().expect("no panic").push(format!("failed {} {}", at.pass.def.name, module.is_some()));
    }
    fn progress(&self, _: &str, _: usize, _: usize) {
        self.groups.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

fn watched(pipeline: &str, watch: &Watch) -> Option<Failure> {
    let ctx = Context::new(&DIALECTS);
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test", functions(3)).expect("small");
    let mut module =
        parse_module(&ctx, &file, 0..file.text.len(), ParseOptions::default(), &diags).expect("it is right");
    let registry = registry();
    let pipeline = Pipeline::parse(&registry, pipeline).expect("it is right");
    let counters = DebugCounters::off();
    let instruments: Vec<&dyn Instrument> = vec![watch];
    let manager = Manager {
        ctx: &ctx,
        registry: &registry,
        options: ManagerOptions::default(),
        instruments,
        counters: &counters,
        host: &NoHost,
    };
    manager.run(&pipeline, &mut module, &diags).failure
}

#[test]
fn instruments_see_the_module_between_passes() {
    let watch = Watch { module: true, ..Watch::default() };
    assert!(watched("mark-a,any(empty)", &watch).is_none());
    let calls = watch.calls.into_inner().expect("no panic");
    let expected = [
        "start",
        "before 0 mark-a",
        "after builtin.module(mark-a) true",
        "before 1 empty",
        "after builtin.module(any(empty)) false",
    ];
    assert_eq!(calls, expected);
}

#[test]
fn an_instrument_can_end_the_pipeline() {
    let watch = Watch { module: true, ..Watch::default() };
    assert_eq!(watched("mark-b,panic", &watch).expect("it was ended").pass, "mark-b");
    assert_eq!(watch.calls.into_inner().expect("no panic")[3..], ["failed mark-b true"]);
    let watch = Watch { module: true, ..Watch::default() };
    assert_eq!(watched("panic", &watch).expect("it panics").kind, FailureKind::Panicked);
    assert_eq!(watch.calls.into_inner().expect("no panic")[2..], ["failed panic false"]);
}

#[test]
fn passes_that_follow_each_other_are_one_group() {
    let groups = |pipeline: &str| {
        let watch = Watch::default();
        assert!(watched(pipeline, &watch).is_none());
        assert_eq!(watch.calls.into_inner().expect("no panic"), ["start"]);
        watch.groups.into_inner()
    };
    assert_eq!(groups("mark-a,mark-b,any(empty),one.func(empty,empty)"), 1);
    assert_eq!(groups("mark-a,whole,mark-b"), 3);
    assert_eq!(groups("mark-a,symbols,mark-b"), 2);
}

#[test]
fn codes_are_registered() {
    let codes: Vec<&str> = inventory::iter::<&'static Code>().map(|code| code.code).collect();
    assert!(["E0401", "E0402", "E0403", "E0415"].iter().all(|code| codes.contains(code)));
}
