//! Analyses that are kept from pass group to pass group.

use super::*;
use crate::pass::Analysis;

/// The marks of a body and of those in it.
struct Marks(String);

impl Analysis for Marks {
    const NAME: &'static str = "marks";

    fn of(ctx: &Context, body: &Body) -> Self {
        let own = |body: &Body| {
            let marks = OpRef::new(ctx, body, body.root()).attr(ctx.intern_str("marks"));
            marks.and_then(|attr| attr.as_str(ctx)).unwrap_or_default().to_string()
        };
        let inside = body.nested_ops().into_iter().filter_map(|op| body.nested(op)).map(own);
        Marks([own(body)].into_iter().chain(inside).collect::<Vec<_>>().join("|"))
    }
}

fn ask(body: &mut Body, cx: &PassCx<'_>) -> PassResult {
    let marks = cx.analysis::<Marks>(body);
    assert_eq!(marks.get().0, Marks::of(cx.ctx, body).0, "{} was given what does not hold", cx.def.name);
    Ok(())
}

pass!(ASK, "ask", {}, ask);
// In a pass group of its own, as it leads from one layer to another.
pass!(ASK_LAYERED, "ask-layered", { requires: &["one"], adds: &["asked"] }, ask);
// Asks first, so that there is something to preserve.
pass!(ASK_AND_KEEP, "ask-and-keep", { requires: &["one"], adds: &["kept"], preserves: &["marks"] }, |body, cx| {
    ask(body, cx)?;
    body.set_loc(body.root(), Loc::UNKNOWN);
    ask(body, cx)
});
pass!(WHOLE_INSIDE, "whole-inside", { on: On::Module }, |body, cx| {
    ask(body, cx)?;
    for op in body.nested_ops() {
        mark(body.nested_mut(op).expect("it is nested"), cx, "w");
    }
    Ok(())
});
// The stamp of what comes into its place is that of the body, by chance.
pass!(OTHER, "other", { on: On::Module }, |body, cx| {
    for op in body.nested_ops() {
        let body = body.nested_mut(op).expect("it is nested");
        let mut other = body.clone();
        mark(&mut other, cx, "o");
        body.set_loc(body.root(), Loc::UNKNOWN);
        assert_eq!(body.edits(), other.edits());
        *body = other;
    }
    Ok(())
});

fn registry() -> Registry {
    let mut registry = super::registry();
    for pass in [&ASK, &ASK_LAYERED, &ASK_AND_KEEP, &WHOLE_INSIDE, &OTHER] {
        registry.add_pass(pass);
    }
    registry
}

/// How often each pass of a pipeline had to compute the analysis, for a number of functions.
fn made(pipeline: &str, source: &str) -> Vec<u64> {
    let on = |threads| {
        let options = ManagerOptions { threads, ..ManagerOptions::default() };
        let ran = run_with(&registry(), options, pipeline, source);
        assert!(ran.failure.is_none(), "{pipeline}: {:?}", ran.said);
        ran.report.passes.iter().map(|pass| pass.analyses.get("marks").copied().unwrap_or(0)).collect::<Vec<_>>()
    };
    let one = on(1);
    assert_eq!(one, on(4));
    one
}

#[test]
fn kept_past_the_end_of_a_group() {
    let functions = functions(100);
    let made = |pipeline: &str| made(&format!("one.func({pipeline})"), &functions);
    assert_eq!(made("ask,ask"), [100, 0]);
    assert_eq!(made("ask-layered,ask-layered"), [100, 0]);
    assert_eq!(made("ask,ask-layered,empty,symbols,ask"), [100, 0, 0, 0, 100]);
    assert_eq!(made("ask-layered,mark-b,ask-layered,ask"), [100, 0, 100, 0]);
    assert_eq!(made("ask-and-keep,ask-layered,ask"), [100, 0, 0]);
    assert_eq!(made("ask-and-keep,mark-b,ask-and-keep"), [100, 0, 100]);
}

#[test]
fn dropped_where_another_body_was_put() {
    let functions = functions(3);
    assert_eq!(made("one.func(ask-layered),whole,one.func(ask-layered)", &functions), [3, 0, 0]);
    assert_eq!(made("one.func(ask-layered),other,one.func(ask-layered)", &functions), [3, 0, 3]);
}

#[test]
fn forgotten_where_others_are_inside() {
    let functions = functions(2);
    // The analysis of the module reads what stands in it.
    assert_eq!(made("ask,one.func(mark-b),ask-layered,ask", &functions), [3, 0, 2, 1]);
    assert_eq!(made("ask,whole-inside,ask", &functions), [3, 1, 3]);
}
