//! The greedy driver: folding, constants, order, patterns, and what ends it.

use super::*;
use crate::rewrite::{GreedyCounts, GreedyOptions, PatternSet, RewritePattern, Rewriter, Root, rewrite_greedily};

fn canonicalize(bench: &Bench, body: &mut Body) -> GreedyCounts {
    let run = |cx: &PassCx<'_>| rewrite_greedily(body, &PatternSet::canonical(), &GreedyOptions::default(), cx);
    bench.with_cx(&DebugCounters::off(), run).expect("it ends")
}

/// What is left of a function, in lines, without what is around it.
fn canonical(ops: &str) -> Vec<String> {
    let bench = Bench::new();
    let mut body = bench.parse(&function(ops));
    canonicalize(&bench, &mut body);
    assert!(crate::verify::verify(&bench.ctx, &body, &bench.diags));
    let before = body.edits();
    assert_eq!(canonicalize(&bench, &mut body).total(), 0, "nothing is left to do");
    assert_eq!(body.edits(), before);
    let text = bench.print(&body);
    let lines = text.lines().skip(2).map(|line| line.trim().to_string());
    lines.take_while(|line| !line.starts_with('}')).collect()
}

#[test]
fn folds_chains_of_constants_to_one_at_the_start() {
    let lines = canonical(
        r#""t.use"(%x) : (i64) -> ()
        %a = "t.const"() <{value = 1}> : () -> i64
        %b = "t.add"(%a, %a) : (i64, i64) -> i64
        %c = "t.add"(%b, %a) : (i64, i64) -> i64
        "t.use"(%c) : (i64) -> ()"#,
    );
    assert_eq!(
        lines,
        [
            r#"%c = "t.const"() <{value = 3}> : () -> i64"#,
            r#""t.use"(%x) : (i64) -> ()"#,
            r#""t.use"(%c) : (i64) -> ()"#,
        ]
    );
}

#[test]
fn merges_constants_out_of_regions_but_not_out_of_unknown_ops() {
    let lines = canonical(
        r#"%a = "t.const"() <{value = 7}> : () -> i64
        "t.use"(%a) ({
          %b = "t.const"() <{value = 7}> : () -> i64
          "t.use"(%b) : (i64) -> ()
        }) : (i64) -> ()
        "u.isolated_perhaps"() ({
          "t.use"() : () -> ()
          %c = "t.const"() <{value = 7}> : () -> i64
          "t.use"(%c) : (i64) -> ()
        }) : () -> ()"#,
    );
    assert_eq!(
        lines,
        [r#"%a = "t.const"() <{value = 7}> : () -> i64"#, r#""t.use"(%a) ({"#, r#""t.use"(%a) : (i64) -> ()"#,]
    );

    let bench = Bench::new();
    let mut body = bench.parse(&function(
        r#""u.isolated_perhaps"() ({
          "t.use"() : () -> ()
          %c = "t.const"() <{value = 7}> : () -> i64
          "t.use"(%c) : (i64) -> ()
        }) : () -> ()"#,
    ));
    canonicalize(&bench, &mut body);
    let text = bench.print(&body);
    let (unknown, constant) = (text.find("u.isolated").expect("stays"), text.find("t.const").expect("stays"));
    assert!(unknown < constant && constant < text.find("t.use").expect("stays"), "{text}");
}

#[test]
fn constants_go_last_and_equal_ones_of_other_types_are_kept() {
    let lines = canonical(
        r#"%a = "t.const"() <{value = 7}> : () -> i64
        %b = "t.const"() <{value = 7 : i32}> : () -> i32
        %c = "t.add"(%a, %x) : (i64, i64) -> i64
        "t.use"(%b, %c) : (i32, i64) -> ()"#,
    );
    assert_eq!(lines[1], r#"%b = "t.const"() <{value = 7 : i32}> : () -> i32"#);
    assert_eq!(lines[2], r#"%c = "t.add"(%x, %a) : (i64, i64) -> i64"#);
}

#[test]
fn idempotent_ops_fold_by_their_trait() {
    let lines = canonical(
        r#"%a = "t.abs"(%x) : (i64) -> i64
        %b = "t.abs"(%a) : (i64) -> i64
        %c = "t.max"(%b, %b) : (i64, i64) -> i64
        %d = "t.max"(%c, %x) : (i64, i64) -> i64
        "t.use"(%d) : (i64) -> ()"#,
    );
    assert_eq!(
        lines,
        [
            r#"%a = "t.abs"(%x) : (i64) -> i64"#,
            r#"%d = "t.max"(%a, %x) : (i64, i64) -> i64"#,
            r#""t.use"(%d) : (i64) -> ()"#,
        ]
    );
}

#[test]
fn dead_chains_go_and_unknown_ops_stay() {
    let lines = canonical(
        r#"%a = "t.abs"(%x) : (i64) -> i64
        %b = "t.abs"(%a) : (i64) -> i64
        %c = "u.unknown"(%x) : (i64) -> i64"#,
    );
    assert_eq!(lines, [r#"%c = "u.unknown"(%x) : (i64) -> i64"#]);
}

#[test]
fn an_op_that_folds_to_itself_is_left_alone() {
    // In the module, where order does not matter, an op may use its own result.
    let bench = Bench::new();
    let mut body = bench.parse(
        r#"%z = "t.const"() <{value = 0}> : () -> i64
        %a = "t.add"(%a, %z) : (i64, i64) -> i64
        "t.use"(%a) : (i64) -> ()"#,
    );
    assert_eq!(canonicalize(&bench, &mut body).total(), 0);
}

#[test]
fn rules_that_undo_each_other_are_named_with_their_place() {
    let bench = Bench::new();
    let mut body = bench.parse(&function(r#""t.ping"() : () -> ()"#));
    let options = GreedyOptions { rewrites_per_op: 10, ..GreedyOptions::default() };
    let run = |cx: &PassCx<'_>| rewrite_greedily(&mut body, &PatternSet::canonical(), &options, cx);
    assert!(bench.with_cx(&DebugCounters::off(), run).is_err());
    let all = bench.diags.take();
    assert_eq!(all[0].code.code, "E0451");
    assert_eq!(
        all[0].message,
        "the rules 'ping-to-pong', 'pong-to-ping' do not end: 1021 rewrites so far, in what are now 2 ops"
    );
    let place = crate::diag::line_column(&bench.ctx, all[0].loc).expect("the place of the op");
    assert_eq!((place.1, place.2), (3, 1));
}

#[test]
fn rounds_are_bounded_too() {
    // Each application is found only by going through the body once more: the pattern changes an op far from its root.
    struct Far;
    impl RewritePattern for Far {
        fn name(&self) -> &'static str {
            "far"
        }
        fn root(&self) -> Root {
            Root::Op("t.ping")
        }
        fn apply(&self, op: OpId, rw: &mut Rewriter<'_>) -> Rewrite {
            let block = rw.body().block_of(op).expect("stands in a block");
            let last = rw.body().last_op(block).expect("has ops");
            let attr = rw.ctx.i64_attr(rw.body().edits() as i64);
            rw.set_attr(last, Str::VALUE, Some(attr));
            Rewrite::Changed
        }
    }
    let bench = Bench::new();
    let mut body = bench.parse(&function("\"t.ping\"() : () -> ()\n\"t.use\"() : () -> ()"));
    let options = GreedyOptions { rounds: 5, ..GreedyOptions::default() };
    let patterns = PatternSet::new().with(&Far);
    let run = |cx: &PassCx<'_>| rewrite_greedily(&mut body, &patterns, &options, cx);
    assert!(bench.with_cx(&DebugCounters::off(), run).is_err());
    assert!(bench.diagnostic().starts_with("E0451: the rule 'far' does not end: 5 rewrites so far"));
}

#[test]
fn patterns_that_misreport_are_errors() {
    static SAYS_CHANGED: Pattern =
        Pattern { name: "says-changed", benefit: 1, root: Some("t.use"), apply: |_, _| Rewrite::Changed };
    static SAYS_NOTHING: Pattern = Pattern {
        name: "says-nothing",
        benefit: 1,
        root: None,
        apply: |op, rw| {
            if rw.op(op).name() == "t.use" {
                rw.erase_op(op);
            }
            Rewrite::NoMatch("so it says")
        },
    };
    for (pattern, said) in [
        (&SAYS_CHANGED, "E0452: the pattern 'says-changed' says that it changed the program and did not"),
        (&SAYS_NOTHING, "E0452: the pattern 'says-nothing' changed the program and says that it did not match"),
    ] {
        let bench = Bench::new();
        let mut body = bench.parse(&function("\"t.use\"() : () -> ()"));
        let patterns = PatternSet::new().with(pattern);
        let run = |cx: &PassCx<'_>| rewrite_greedily(&mut body, &patterns, &GreedyOptions::default(), cx);
        assert!(bench.with_cx(&DebugCounters::off(), run).is_err());
        assert_eq!(bench.diagnostic(), said);
    }
}

#[test]
fn the_highest_benefit_is_tried_first() {
    static LOW: Pattern = Pattern { name: "low", benefit: 1, root: None, apply: |op, rw| once(op, rw, "low") };
    static HIGH: Pattern =
        Pattern { name: "high", benefit: 9, root: Some("t.use"), apply: |op, rw| once(op, rw, "high") };
    fn once(op: OpId, rw: &mut Rewriter<'_>, by: &str) -> Rewrite {
        if rw.op(op).name() != "t.use" || rw.body().attrs(op) != Attr::EMPTY_DICT {
            return Rewrite::NoMatch("not, or done");
        }
        let by = rw.ctx.str_attr(by);
        rw.set_attr(op, Str::OF, Some(by));
        Rewrite::Changed
    }
    let bench = Bench::new();
    let mut body = bench.parse(&function("\"t.use\"() : () -> ()"));
    let patterns = PatternSet::new().with(&LOW).with(&HIGH);
    let run = |cx: &PassCx<'_>| rewrite_greedily(&mut body, &patterns, &GreedyOptions::default(), cx);
    assert_eq!(bench.with_cx(&DebugCounters::off(), run).expect("it ends").rewritten, 1);
    assert!(bench.print(&body).contains("of = \"high\""));
}

#[test]
fn a_debug_counter_skips_one_rewrite_and_counts_only_rewrites() {
    // The pattern matches every other op: attempts that do not match have no number.
    static MARK: Pattern = Pattern {
        name: "mark",
        benefit: 1,
        root: Some("t.use"),
        apply: |op, rw| {
            if rw.body().num_operands(op) == 0 || rw.body().attrs(op) != Attr::EMPTY_DICT {
                return Rewrite::NoMatch("not this one");
            }
            rw.set_attr(op, Str::OF, Some(Attr::UNIT));
            Rewrite::Changed
        },
    };
    let bench = Bench::new();
    let text = function(&"\"t.use\"() : () -> ()\n\"t.use\"(%x) : (i64) -> ()\n".repeat(3));
    let counters = DebugCounters::new([("test/mark".to_string(), Some(1))]);
    let mut body = bench.parse(&text);
    let patterns = PatternSet::new().with(&MARK);
    let run = |cx: &PassCx<'_>| rewrite_greedily(&mut body, &patterns, &GreedyOptions::default(), cx);
    assert_eq!(bench.with_cx(&counters, run).expect("it ends").rewritten, 2);
    assert_eq!(counters.report(), [("test/mark".to_string(), 3)]);
    let text = bench.print(&body);
    let marked: Vec<bool> = text.lines().filter(|l| l.contains("(%x)")).map(|l| l.contains("of")).collect();
    assert_eq!(marked, [true, false, true]);
}
