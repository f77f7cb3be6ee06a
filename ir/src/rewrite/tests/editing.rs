//! Cloning, and the edits that a rewriter offers.

use super::*;
use crate::body::{CloneMap, InsertPoint};
use crate::rewrite::Rewriter;

fn find(bench: &Bench, body: &Body, name: &str) -> OpId {
    let found = body.walk().into_iter().find(|&op| bench.ctx.op_name_str(body.op_name(op)) == name);
    found.unwrap_or_else(|| panic!("no '{name}' in {}", bench.print(body)))
}

const LOOP: &str = r#"%k = "t.const"() <{value = 1}> : () -> i64
    "u.cfg"(%k) ({
    ^bb0(%i: i64):
      "u.br"(%i)[^bb2] : (i64) -> ()
    ^bb1:
      "t.use"(%j, %k) : (i64, i64) -> ()
      "u.br"(%j)[^bb2] : (i64) -> ()
    ^bb2(%n: i64):
      %j = "t.add"(%n, %k) : (i64, i64) -> i64
      "u.br"()[^bb1] : () -> ()
    }) {mark} : (i64) -> ()"#;

#[test]
fn a_clone_in_the_same_body_uses_its_own_values_and_blocks() {
    let bench = Bench::new();
    let mut body = bench.parse(&function(LOOP));
    let original = find(&bench, &body, "u.cfg");
    let mut map = CloneMap::new();
    let clone = body.clone_op(original, &mut map);
    body.insert(clone, InsertPoint::After(original));
    assert_eq!(map.ops().len(), 6);
    assert!(crate::verify::verify(&bench.ctx, &body, &bench.diags), "{:?}", bench.diags.take());
    // `%j` is used before it is met; the copy must use the copy of it.
    assert!(crate::structural::equal_ops(&body, original, clone), "{}", bench.print(&body));
    body.erase_op(original);
    assert!(crate::verify::verify(&bench.ctx, &body, &bench.diags), "{:?}", bench.diags.take());
}

#[test]
fn an_import_maps_what_comes_from_outside() {
    let bench = Bench::new();
    let from = bench.parse(&function(LOOP));
    let mut into = bench.parse(&function("\"t.use\"(%x) : (i64) -> ()"));
    let (cfg, user) = (find(&bench, &from, "u.cfg"), find(&bench, &into, "t.use"));
    let mut map = CloneMap::new();
    map.map_value(from.operand(cfg, 0), into.operand(user, 0));
    let new = into.import_op(&from, cfg, &mut map);
    into.insert(new, InsertPoint::Before(user));
    assert!(crate::verify::verify(&bench.ctx, &into, &bench.diags), "{:?}", bench.diags.take());
    let text = bench.print(&into);
    assert!(text.contains(r#""u.cfg"(%x) ({"#) && text.contains("%j = \"t.add\"(%n, %x)"), "{text}");
}

#[test]
fn an_import_without_its_operands_is_a_mistake() {
    let bench = Bench::new();
    let from = bench.parse(&function(LOOP));
    let mut into = bench.parse(&function(""));
    let cfg = find(&bench, &from, "u.cfg");
    let import = std::panic::AssertUnwindSafe(|| into.import_op(&from, cfg, &mut CloneMap::new()));
    let said = std::panic::catch_unwind(import).expect_err("there is no value to take");
    let said = said.downcast_ref::<String>().map(String::as_str).or(said.downcast_ref::<&str>().copied());
    assert!(said.is_some_and(|said| said.contains("a value from outside of what is imported is in the map")));
}

#[test]
fn isolated_ops_are_cloned_with_their_bodies() {
    let bench = Bench::new();
    let module = bench.parse(&format!("\"t.use\"() : () -> ()\n{}", function("\"t.use\"(%x) : (i64) -> ()")));
    let mut module = module;
    let original = find(&bench, &module, "t.func");
    let clone = module.clone_op(original, &mut CloneMap::new());
    module.insert(clone, InsertPoint::After(original));
    let nested = module.nested_mut(clone).expect("a body of its own");
    let inner = nested.walk()[0];
    nested.erase_op(inner);
    assert_eq!(module.nested(original).map(|body| body.walk().len()), Some(1));
}

#[test]
fn a_block_is_inlined_with_values_for_its_arguments() {
    let bench = Bench::new();
    let mut body = bench.parse(&function(
        r#""t.use"(%x) ({
        ^bb0(%a: i64):
          "t.use"(%a) : (i64) -> ()
        }) {outer} : (i64) -> ()"#,
    ));
    let outer = find(&bench, &body, "t.use");
    let block = body.first_block(body.regions(outer)[0]).expect("has a block");
    let x = body.operand(outer, 0);
    let mut rw = Rewriter::new(&bench.ctx, &mut body);
    rw.inline_block(block, InsertPoint::Before(outer), &[x]);
    rw.erase_op(outer);
    assert!(bench.print(&body).contains("^bb0(%x: i64):\n  \"t.use\"(%x) : (i64) -> ()\n})"), "{}", bench.print(&body));
}

#[test]
fn regions_are_equal_up_to_names_and_not_otherwise() {
    let bench = Bench::new();
    let with = |inner: &str| format!("\"t.use\"(%x) ({{\n^bb0(%a: i64):\n{inner}\n}}) : (i64) -> ()\n");
    let same = |a: &str, b: &str| {
        let body = bench.parse(&function(&(with(a) + &with(b))));
        let block = body.entry_block().expect("has a block");
        let ops: Vec<OpId> = body.ops(block).collect();
        crate::structural::equal_ops(&body, ops[0], ops[1])
    };
    let add = r#"%s = "t.add"(%a, %x) : (i64, i64) -> i64"#;
    assert!(same(add, &add.replace("%s", "%other")));
    assert!(!same(add, &add.replace("%a, %x", "%x, %a")), "other operands");
    assert!(!same(add, &add.replace("%a, %x", "%x, %x")), "a value from outside for one from inside");
    assert!(!same(add, ""), "fewer ops");
    assert!(!same(add, &add.replace("t.add", "t.max")), "another op");
    assert!(!same(r#""t.use"() {v = 1} : () -> ()"#, r#""t.use"() {v = 2} : () -> ()"#), "other attributes");
}

#[test]
fn ops_put_one_after_another_move_few_others() {
    let bench = Bench::new();
    let text = |ops: usize| function(&"\"u.nop\"() : () -> ()\n".repeat(ops));
    let mut costs = Vec::new();
    for ops in [500, 2000] {
        let mut body = bench.parse(&text(2 * ops));
        let block = body.entry_block().expect("a function has a body");
        let all: Vec<OpId> = body.ops(block).collect();
        let (before, mut last) = (crate::entity::visits(), all[0]);
        for &op in &all[ops..2 * ops] {
            body.move_op(op, InsertPoint::After(last));
            last = op;
        }
        costs.extend(crate::entity::visits().zip(before).map(|(after, before)| after - before));
        let order: Vec<OpId> = body.ops(block).collect();
        assert!(order.is_sorted_by(|&a, &b| body.is_before(a, b)));
    }
    if let [small, large] = costs[..] {
        assert!(large < 5 * small, "{small} {large}");
    }
}

#[test]
fn ops_are_in_order_wherever_they_are_put() {
    let bench = Bench::new();
    let mut body = bench.parse(&function(&"\"u.nop\"() : () -> ()\n".repeat(60)));
    let block = body.entry_block().expect("a function has a body");
    let mut random = crate::random::Random::new(7);
    for _ in 0..3000 {
        let all: Vec<OpId> = body.ops(block).collect();
        let movable = &all[..all.len() - 1];
        // Most go to few places.
        let (op, to) = (movable[random.below(movable.len())], movable[random.below(movable.len()) / 7]);
        if op != to {
            body.move_op(op, if random.one_in(2) { InsertPoint::Before(to) } else { InsertPoint::After(to) });
        }
        let order: Vec<OpId> = body.ops(block).collect();
        assert!(order.is_sorted_by(|&a, &b| body.is_before(a, b)));
    }
}
