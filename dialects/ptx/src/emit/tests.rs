//! Which values share a register, and the moves of what does not.

use dlc_ir::diag::{Diagnostics, Style, render};
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::{Body, Context, ValueId};

use super::{Move, Registers, module};

fn context() -> Context {
    Context::new([&crate::DIALECT, &dlc_core::DIALECT])
}

fn parse(ctx: &Context, text: &str) -> Body {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test.mlir", text.into()).expect("the text is short");
    let body = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags).ok();
    body.unwrap_or_else(|| {
        let list: String = diags.take().iter().map(|each| render(ctx, each, Style::default())).collect();
        panic!("{list}\n{text}")
    })
}

/// The text of an entry, from the first instruction on.
fn emitted(target: &str, body: &str) -> String {
    let ctx = context();
    let text = format!(
        "ptx.func @f() attributes {{target = \"{target}\"}} {{\n  entry \"f\" (1) threads 128 shared 0 sizes (1, 2, 3) {{\n  \
         ^start(%a: i32, %b: i32, %c: i32):\n{body}\n  }}\n}}\n"
    );
    let out = module(&ctx, &parse(&ctx, &text), None).unwrap_or_else(|error| panic!("{}", error.message));
    let lines = out.text.lines().skip_while(|line| !line.contains("ld.param"));
    lines.filter(|line| !line.contains("ld.param")).collect::<Vec<_>>().join("\n")
}

#[test]
fn many_parameters_need_a_later_version() {
    // An entry that takes as many tensors, or why it cannot be.
    let entry = |tensors: usize| {
        let ctx = context();
        let list = |each: &dyn Fn(usize) -> String| (0..tensors).map(each).collect::<Vec<_>>().join(", ");
        let memory = "memref<[4], f32, row_major, align 4>";
        let text = format!(
            "ptx.func @f({}) {{\n  entry \"f\" (1) threads 32 shared 0 memory ({}) {{\n  ^start({}):\n    exit\n  }}\n}}\n",
            list(&|at| format!("%m{at}: {memory}")),
            list(&|at| format!("%m{at}")),
            list(&|at| format!("%a{at}: i64")),
        );
        let body = parse(&ctx, &text);
        let diags = Diagnostics::new();
        let _ = dlc_ir::verify::verify(&ctx, &body, &diags);
        // The function has no end, which belongs to another dialect.
        let messages = diags.take().into_iter().map(|error| error.message.to_string());
        let messages: Vec<String> = messages.filter(|message| message.contains("parameters")).collect();
        (messages, module(&ctx, &body, None).map(|module| module.version).ok())
    };
    assert_eq!(entry(544), (vec![], Some((7, 0))));
    assert_eq!(entry(545), (vec![], Some((8, 1))));
    assert_eq!(entry(4095), (vec![], Some((8, 1))));
    assert_eq!(entry(4096).0, ["an entry has up to 32764 bytes of parameters, not 32768"]);
}

/// A value by its number, without a body: every one is alone in its register.
fn single_values(count: u32) -> Vec<ValueId> {
    use dlc_ir::entity::EntityId;
    (0..count).map(|number| ValueId::new(number as usize, 0)).collect()
}

/// What the values are after the moves, from what they were.
fn after(moves: &[Move], values: &[ValueId]) -> Vec<usize> {
    let at = |value: ValueId| values.iter().position(|&known| known == value).expect("it is known");
    let mut holds: Vec<usize> = (0..values.len()).collect();
    let mut spare = usize::MAX;
    for &step in moves {
        match step {
            Move::Copy(from, to) => holds[at(to)] = holds[at(from)],
            Move::Save(from) => spare = holds[at(from)],
            Move::Restore(_, to) => holds[at(to)] = spare,
        }
    }
    holds
}

#[test]
fn moves_happen_all_at_once() {
    let v = single_values(6);
    let registers = Registers::default();
    let cases: [(&str, &[(usize, usize)], bool); 6] = [
        ("a chain", &[(0, 1), (1, 2), (2, 3)], false),
        ("a swap", &[(0, 1), (1, 0)], true),
        ("a ring", &[(0, 1), (1, 2), (2, 0)], true),
        ("a ring, and one that leaves it", &[(0, 1), (1, 2), (2, 0), (1, 3)], true),
        ("two rings", &[(0, 1), (1, 0), (2, 3), (3, 2)], true),
        ("one to many", &[(0, 1), (0, 2), (1, 0)], true),
    ];
    for (name, pairs, ring) in cases {
        let given: Vec<(ValueId, ValueId)> = pairs.iter().map(|&(from, to)| (v[from], v[to])).collect();
        let moves = registers.moves(&given);
        let holds = after(&moves, &v);
        for &(from, to) in pairs {
            assert_eq!(holds[to], from, "{name}: {moves:?}");
        }
        let saves = moves.iter().filter(|step| matches!(step, Move::Save(_))).count();
        assert_eq!(saves > 0, ring, "{name}: {moves:?}");
    }
}

/// What is carried around a loop is one register.
#[test]
fn a_loop_moves_nothing() {
    let text = emitted(
        "sm_80",
        "    bra ^loop(%a, %b)
  ^loop(%i: i32, %s: i32):
    %j = sub.s32 %i, 1
    %t = add.s32 %s, %j
    %more = setp.gt.s32 %j, 0
    bra_if %more, ^loop(%j, %t), ^end(%t)
  ^end(%r: i32):
    bar.sync %r
    exit",
    );
    assert!(!text.contains("mov"), "{text}");
    assert!(text.contains("sub.s32 %r0, %r0, 1"), "{text}");
}

/// The old number is needed after the new one, so they are two registers.
#[test]
fn what_is_needed_longer_is_moved() {
    let text = emitted(
        "sm_80",
        "    bra ^loop(%a)
  ^loop(%i: i32):
    %j = sub.s32 %i, 1
    bar.sync %i, %j
    bar.sync %j, %i
    %more = setp.gt.s32 %j, 0
    bra_if %more, ^loop(%j), ^end
  ^end:
    exit",
    );
    assert_eq!(text.matches("mov.b32").count(), 1, "{text}");
}

/// Two values that change places in each round go through a third register.
#[test]
fn a_swap_in_a_loop_has_a_spare_register() {
    let text = emitted(
        "sm_80",
        "    bra ^loop(%a, %b)
  ^loop(%x: i32, %y: i32):
    %more = setp.gt.s32 %x, %c
    bra_if %more, ^loop(%y, %x), ^end
  ^end:
    bar.sync %x, %y
    exit",
    );
    assert_eq!(text.matches("mov.b32").count(), 3, "{text}");
    // What a conditional branch moves stands apart, and the other way has none of it.
    let edge = text.split("E0:").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(edge.matches("mov.b32").count(), 3, "{text}");
    assert!(edge.contains("bra L1;"), "{text}");
}

/// Moves on both ways of a branch: each is done on its way only.
#[test]
fn both_ways_of_a_branch_may_move() {
    let text = emitted(
        "sm_80",
        "    %p = setp.gt.s32 %a, %b
    bra_if %p, ^join(%a), ^join(%b)
  ^join(%x: i32):
    bar.sync %x, %a
    bar.sync %b, %x
    exit",
    );
    // Both are needed after, so both ways move.
    assert_eq!(text.matches("mov.b32").count(), 2, "{text}");
    assert!(text.contains("bra E0;"), "{text}");
}

/// The sums of a product are one set of registers over a chain and a loop: a move between would make products wait.
#[test]
fn sums_of_products_stay_where_they_are() {
    let body = "    %l = cvt.u64.u32 %a
    %no = setp.lt.s32 %a, 0
    %z:4 = wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f#0, %f#1, %f#2, %f#3}, %l, %l, %no, 1, 1, 0, 0
    bra ^loop(%a, %z#0, %z#1, %z#2, %z#3)
  ^loop(%i: i32, %c0: f32, %c1: f32, %c2: f32, %c3: f32):
    wgmma.fence.sync.aligned
    %d:4 = wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3}, %l, %l, 1, 1, 1, 0, 0
    %e:4 = wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d#0, %d#1, %d#2, %d#3}, %l, %l, 1, 1, 1, 0, 0
    wgmma.commit_group.sync.aligned
    %j = sub.s32 %i, 1
    %more = setp.gt.s32 %j, 0
    bra_if %more, ^loop(%j, %e#0, %e#1, %e#2, %e#3), ^end
  ^end:
    wgmma.wait_group.sync.aligned 0
    %s = add.f32 %e#0, %e#3
    %t = cvt.rzi.u32.f32 %s
    bar.sync %t
    exit";
    let body = format!(
        "    %f0 = mov.f32 0.0\n    %f1 = mov.f32 0.0\n    %f2 = mov.f32 0.0\n    %f3 = mov.f32 0.0\n{}",
        body.replace("%f#", "%f")
    );
    let text = emitted("sm_90a", &body);
    let following = text.split("L1:").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(!following.contains("mov"), "{text}");
    let groups: Vec<&str> = text.lines().filter(|line| line.contains("wgmma.mma_async")).collect();
    let sums = |line: &str| line.split('{').nth(1).and_then(|rest| rest.split('}').next()).map(str::to_owned);
    assert_eq!(groups.len(), 3, "{text}");
    assert!(groups.iter().all(|line| sums(line) == sums(groups[0])), "{text}");
}

/// A value that is needed after the product cannot be its sum: a copy of it is.
#[test]
fn a_sum_that_is_needed_later_is_copied() {
    let text = emitted(
        "sm_90a",
        "    %l = cvt.u64.u32 %a
    %f0 = mov.f32 0.0
    %f1 = mov.f32 1.0
    %f2 = mov.f32 2.0
    %f3 = mov.f32 3.0
    %d:4 = wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %l, %l, 1, 1, 1, 0, 0
    wgmma.wait_group.sync.aligned 0
    %s = add.f32 %d#0, %f0
    %t = cvt.rzi.u32.f32 %s
    bar.sync %t
    exit",
    );
    // Four constants, and the copy of the one.
    assert_eq!(text.matches("mov.f32").count(), 5, "{text}");
}

/// What a guarded instruction gives otherwise is in its register before.
#[test]
fn a_guarded_instruction_writes_over_what_it_gives_otherwise() {
    let text = emitted(
        "sm_80",
        "    %p = setp.gt.s32 %a, 0
    %x = add.s32 %b, 1 if %p else %c
    bar.sync %x
    exit",
    );
    assert!(!text.contains("mov"), "{text}");
    assert!(text.contains("@%p0 add.s32 %r2, %r1, 1;"), "{text}");
}
