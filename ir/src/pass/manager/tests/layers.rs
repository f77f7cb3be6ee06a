//! Lowerings that are put in.

use super::*;
use crate::pass::registry::PipelineDef;

fn rename(body: &mut Body, cx: &PassCx<'_>, name: &str) -> PassResult {
    mark(body, cx, cx.def.name);
    body.set_op_name(body.root(), cx.ctx.op_name(name));
    Ok(())
}

pass!(ONE_TO_TWO, "one-to-two", { on: On::Op("one.func"), requires: &["one"], adds: &["two"], removes: &["one"] },
    |body, cx| rename(body, cx, "two.func"));
pass!(TWO_TO_THREE, "two-to-three", { requires: &["two"], adds: &["three"], removes: &["two"] },
    |body, cx| rename(body, cx, "three.func"));
// As short a way, later by name.
pass!(TWO_TO_THREE_LATER, "zwo-to-three", { requires: &["two"], adds: &["three"], removes: &["two"] },
    |body, cx| rename(body, cx, "three.func"));
pass!(VIEW_TWO, "view-two", { on: On::Op("two.func"), requires: &["two"], adds: &["view"] }, |body, cx| {
    mark(body, cx, "view-two");
    let mut view = Body::new(cx.ctx.op_name("view.of"), body.loc(body.root()), 0);
    let of = cx.ctx.symbol_attr(name_of(body, cx));
    view.set_prop(cx.ctx, view.root(), Str::OF, Some(of));
    cx.put_next_to(view);
    Ok(())
});
pass!(USE_VIEW, "use-view", { requires: &["two", "view"] }, |body, cx| {
    mark(body, cx, "use-view");
    Ok(())
});
pass!(TIDY, "tidy", { requires: &["three"], adds: &["tidy"] }, |body, cx| {
    mark(body, cx, "tidy");
    Ok(())
});
pass!(AT_THREE, "at-three", { on: On::Op("three.func"), requires: &["three", "tidy"] }, |body, cx| {
    mark(body, cx, "at-three");
    Ok(())
});
pass!(MODULE_AT_THREE, "module-at-three", { on: On::Module, requires: &["three"] }, |body, cx| {
    mark(body, cx, "module-at-three");
    Ok(())
});
pass!(ELSEWHERE, "elsewhere", { on: On::Op("two.func"), requires: &["four"], adds: &["five"] }, |_, _| Ok(()));
pass!(AT_FIVE, "at-five", { requires: &["five"] }, |_, _| Ok(()));

fn registry() -> Registry {
    let mut registry = super::registry();
    let passes = [
        &TWO_TO_THREE_LATER,
        &ONE_TO_TWO,
        &TWO_TO_THREE,
        &VIEW_TWO,
        &USE_VIEW,
        &TIDY,
        &AT_THREE,
        &MODULE_AT_THREE,
        &ELSEWHERE,
        &AT_FIVE,
    ];
    passes.into_iter().for_each(|pass| registry.add_pass(pass));
    registry
}

const SOURCE: &str = r#"
"one.func"() <{sym_name = "a"}> ({ ^bb0: }) : () -> ()
"two.func"() <{sym_name = "b"}> ({ ^bb0: }) : () -> ()
"three.func"() <{sym_name = "c"}> ({ ^bb0: }) : () -> ()
"four.func"() <{sym_name = "d"}> ({ ^bb0: }) : () -> ()
"#;

fn run(pipeline: &str) -> Ran {
    let options = ManagerOptions { remarks: true, ..ManagerOptions::default() };
    run_with(&registry(), options, pipeline, SOURCE)
}

#[test]
fn each_function_is_lowered_by_its_own_shortest_way() {
    let ran = run("at-three");
    assert!(ran.failure.is_none(), "{:?}", ran.said);
    let expected = "a:one-to-two two-to-three tidy at-three; b:two-to-three tidy at-three; c:tidy at-three; d:";
    assert_eq!(marks(&ran), expected);
    let executed = ran.report.pipeline().to_string();
    let expected = "builtin.module(one-to-two,two.func(two-to-three),three.func(tidy),at-three)";
    assert_eq!(executed, expected);
    assert_eq!(ran.said[0], "Remark: put in to lower @a: 'at-three' needs the layer 'three', 'tidy'");
    assert_eq!(ran.said.len(), 6);
    // What is shown does the same, with nothing put in.
    let again = run(&executed);
    assert_eq!((marks(&again), again.said), (marks(&ran), vec![]));
}

#[test]
fn what_accompanies_a_function_is_one_of_its_layers() {
    let ran = run("use-view");
    assert!(ran.failure.is_none(), "{:?}", ran.said);
    assert_eq!(marks(&ran), "a:one-to-two view-two use-view; b:view-two use-view; c:; d:");
    assert_eq!(ran.text.matches("view.of").count(), 2, "{}", ran.text);
    // A view that is there already is not made again.
    let source = SOURCE.to_string() + "\"view.of\"() <{of = @b}> : () -> ()";
    let ran = run_with(&registry(), ManagerOptions::default(), "use-view", &source);
    assert_eq!(marks(&ran), "a:one-to-two view-two use-view; b:use-view; c:; d:");
}

#[test]
fn lowering_can_be_asked_for_or_be_for_the_module() {
    let ran = run("lower-to{layer=two}");
    assert_eq!(marks(&ran), "a:one-to-two; b:; c:; d:");
    assert_eq!(ran.report.pipeline().to_string(), "builtin.module(one-to-two)");
    let ran = run("module-at-three,mark-a");
    assert_eq!(marks(&ran), "a:one-to-two two-to-three a; b:two-to-three a; c:a; d:a");
}

#[test]
fn a_lowering_that_was_given_is_not_put_in() {
    let ran = run("one-to-two,zwo-to-three,at-three");
    assert_eq!(
        marks(&ran),
        "a:one-to-two zwo-to-three tidy at-three; b:zwo-to-three tidy at-three; c:tidy at-three; d:"
    );
    assert!(ran.report.passes.iter().filter(|pass| pass.inserted).all(|pass| pass.def.name == "tidy"));
}

#[test]
fn a_lowering_is_put_in_with_its_pipeline() {
    static WELL: PipelineDef = PipelineDef {
        name: "well",
        summary: "Marks before and after.",
        text: "mark-a,two-to-three,at-three",
        to_layer: "",
        lowering: "two-to-three",
    };
    let mut registry = registry();
    registry.add_pipeline(&WELL);
    let run = |auto_lower| {
        let options = ManagerOptions { auto_lower, ..ManagerOptions::default() };
        run_with(&registry, options, "module-at-three,tidy", SOURCE)
    };
    let ran = run(AutoLower::Standard);
    assert!(ran.failure.is_none(), "{:?}", ran.said);
    // Functions that were on the layer before are left alone, and so are passes that need a layer more.
    assert_eq!(marks(&ran), "a:one-to-two a two-to-three tidy; b:a two-to-three tidy; c:tidy; d:");
    let exact = run(AutoLower::Exact);
    assert_eq!(marks(&exact), "a:one-to-two two-to-three tidy; b:two-to-three tidy; c:tidy; d:");
}

#[test]
fn a_pipeline_that_cannot_be_put_in_is_an_error() {
    const fn with(text: &'static str) -> PipelineDef {
        PipelineDef { name: "ill", summary: "Is wrong.", text, to_layer: "", lowering: "two-to-three" }
    }
    static UNREADABLE: PipelineDef = with("mark-a,two-too-three");
    static WITHOUT: PipelineDef = with("mark-a,at-three");
    static TWICE: PipelineDef = with("two-to-three,two-to-three");
    static LOWERING: PipelineDef = with("lower-to{layer=three},two-to-three");
    let reasons = [
        (&UNREADABLE, "no pass or pipeline of the name 'two-too-three' is registered"),
        (&WITHOUT, "its passes have 'two-to-three' not once"),
        (&TWICE, "its passes have 'two-to-three' not once"),
        (&LOWERING, "it lowers to the layer 'three' itself"),
    ];
    for (ill, reason) in reasons {
        let mut registry = registry();
        registry.add_pipeline(ill);
        assert_eq!(registry.unusable_lowerings(), [("ill", reason.to_string())]);
        let ran = run_with(&registry, ManagerOptions::default(), "module-at-three", SOURCE);
        assert_eq!(ran.failure.expect("it fails").pass, "two-to-three");
        let said = format!("LayerMissing: the pipeline 'ill' cannot be put in for 'two-to-three': {reason}");
        assert_eq!(ran.said.last(), Some(&said));
    }
}

#[test]
fn without_automatic_lowering_it_is_an_error() {
    let options = ManagerOptions { auto_lower: AutoLower::Off, ..ManagerOptions::default() };
    let ran = run_with(&registry(), options, "two-to-three,mark-a", SOURCE);
    assert_eq!(ran.failure.expect("it fails").pass, "two-to-three");
    assert_eq!(ran.said, ["LayerMissing: 'two-to-three' needs the layer 'two', which @a has not reached"]);
}

#[test]
fn a_lowering_that_does_not_run_is_an_error() {
    let ran = run("at-five");
    assert_eq!(ran.failure.expect("it fails").pass, "elsewhere");
    assert_eq!(
        ran.said.last().expect("a word"),
        "LayerMissing: the pass 'elsewhere' is to lead to the layer 'five' but is not for this op"
    );
}

#[test]
fn output_does_not_depend_on_threads() {
    let source: String = (0..100).map(|n| SOURCE.replace("name = \"", &format!("name = \"f{n}"))).collect();
    let run = |threads| {
        let options = ManagerOptions { threads, remarks: true, ..ManagerOptions::default() };
        run_with(&registry(), options, "use-view,at-three", &source)
    };
    let one = run(1);
    assert!(one.failure.is_none(), "{:?}", one.said);
    for threads in [2, 7] {
        let many = run(threads);
        assert!(one.text == many.text && one.said == many.said, "{threads} threads differ");
    }
}
