//! What index arithmetic costs: `cargo bench -p dlc-passes --bench affine`.
//!
//! The views of a convolution, as tinygrad writes them, folded into one access; and questions about sets of the kind
//! that guards and tiles give. Times are of one thread, medians of several runs.

use std::hint::black_box;
use std::time::Instant;

use dlc_core::space::Space;
use dlc_ir::affine::{AffineExpr, Constraint, Domain, IntegerSet, Ranges, parse_expr};
use dlc_ir::diag::Diagnostics;
use dlc_ir::{Body, Context, OpRef, ValueId};
use dlc_passes::analysis::access::{Access, Shapes, Step};
use dlc_tiny::ops::{Cast, Mul, Reduce};

const RUNS: usize = 41;

fn main() {
    convolution();
    for (name, sizes, guard) in GUARDS {
        guards(name, sizes, guard);
    }
}

/// Sizes of the dimensions, and constraints that hold in a part of their box.
const GUARDS: [(&str, &[&str], &[&str]); 3] = [
    (
        "4 dims, 4 constraints",
        &["8", "9", "3", "3"],
        &["d0 * 2 + d2 - 1", "-d0 * 2 - d2 + 15", "d1 * 2 + d3 - 1", "-d1 * 2 - d3 + 17"],
    ),
    (
        "8 dims, 8 constraints",
        &["2", "12", "8", "9", "8", "3", "3", "4"],
        &[
            "d2 * 2 + d5 - 1",
            "-d2 * 2 - d5 + 15",
            "d3 * 2 + d6 - 1",
            "-d3 * 2 - d6 + 17",
            "d1 - d4",
            "d7 * 2 - d0",
            "-d4 * 4 - d7 + 29",
            "d0 * 12 + d1 - 3",
        ],
    ),
    (
        "6 dims, 5 constraints, symbolic",
        &["s0 ceildiv 128", "128", "s1 ceildiv 64", "64", "3", "3"],
        &[
            "s0 - d0 * 128 - d1 - 1",
            "s1 - d2 * 64 - d3 - 1",
            "d0 * 128 + d1 - d2 * 64 - d3",
            "d0 * 128 + d1 + d4 - 1",
            "s0 - d0 * 128 - d1 - d4",
        ],
    ),
];

/// The input of the product that the program `conv2d_s2_p1` sums up, followed through all views.
fn convolution() {
    let text = include_str!("../../test/programs/conv2d_s2_p1/graph.json");
    let ctx = Context::new([&dlc_tiny::DIALECT, &dlc_core::DIALECT]);
    let diags = Diagnostics::new();
    let file = ctx.sources.add("graph.json", text.into()).expect("the text is short");
    let read = dlc_tiny::json::TRANSLATION.read.expect("JSON of tiny can be read");
    let module = read(&ctx, &file, 0..text.len(), &diags).expect("the program is right");
    let func = module.ops(module.entry_block().expect("a module has a block")).next().expect("there is a function");
    let body = module.nested(func).expect("a function is isolated");
    let mut ops = body.walk().into_iter().map(|op| OpRef::new(&ctx, body, op));
    let sum = ops.find_map(Reduce::of).expect("a convolution sums up").input();
    let shapes = Shapes::default();
    let (views, access, _) = fold(&ctx, body, sum, &shapes);
    let text: Vec<String> = access.index.iter().map(ToString::to_string).collect();
    let us = micros(|| drop(black_box(fold(&ctx, body, black_box(sum), &shapes))));
    println!("| {views} views of a convolution to one access, [{}] | {us:.1} |", text.join(", "));
}

/// The access to what is below all views, and how many they are.
fn fold(ctx: &Context, body: &Body, value: ValueId, shapes: &Shapes) -> (usize, Access, Space) {
    let sizes = shapes.of(ctx, body.value_type(value));
    let mut space = Space::of(&sizes).expect("the sizes are small");
    let (mut access, mut views) = (Access::of(value, sizes.len()), 0);
    loop {
        match access.step(ctx, body, &mut space, shapes) {
            Step::To(next) => (access, views) = (next, views + 1),
            Step::Unknown(why) => panic!("{why}"),
            Step::Source => {
                let Some(op) = body.defining_op(access.source).map(|op| OpRef::new(ctx, body, op)) else {
                    return (views, access, space);
                };
                access.source = match (Cast::of(op), Mul::of(op)) {
                    (Some(cast), _) => cast.input(),
                    (_, Some(mul)) => mul.lhs(),
                    _ => panic!("neither a product nor a cast"),
                };
            }
        }
    }
}

fn guards(name: &str, sizes: &[&str], guard: &[&str]) {
    let dims: Vec<String> = (0..sizes.len()).map(|dim| format!("d{dim}")).collect();
    let dims: Vec<&str> = dims.iter().map(String::as_str).collect();
    let expr = |text: &str| parse_expr(text, &dims, &["s0", "s1"]).expect(text);
    let ranges = Ranges::of_symbolic_sizes(&sizes.iter().map(|size| expr(size)).collect::<Vec<_>>());
    let not_negative = |text: &&str| Constraint::at_least(&expr(text), &AffineExpr::Constant(0)).expect("small");
    let constraints: Vec<Constraint> = guard.iter().map(not_negative).collect();
    let set = |constraints: &[Constraint]| {
        IntegerSet::new(dims.len() as u32, 2, constraints.to_vec()).expect("all are declared")
    };
    let (all, half) = (set(&constraints), set(&constraints[..constraints.len() / 2]));
    let (last, rest) = constraints.split_last().expect("there are some");
    let rest = set(rest);
    let anything = Domain::new(dims.len() as u32, 2, vec![set(&[])]).expect("alike");
    // The outside of the guard in disjoint pieces, and with the inside everything.
    let outside = anything.subtract(&all, &ranges).expect("small");
    let pieces = [outside.pieces(), std::slice::from_ref(&all)].concat();
    let whole = Domain::new(dims.len() as u32, 2, pieces).expect("alike");
    let row = |what: &str, answer: String, us: f64| println!("| {name}: {what} ({answer}) | {us:.1} |");
    let us = micros(|| _ = black_box(black_box(&all).is_empty(&ranges)));
    row("is it empty", format!("{:?}", all.is_empty(&ranges)), us);
    let us = micros(|| _ = black_box(black_box(&rest).implies(last, &ranges)));
    row("does the last constraint follow", rest.implies(last, &ranges).to_string(), us);
    let us = micros(|| drop(black_box(black_box(&all).gist(&half, &ranges))));
    row("gist in the first half", format!("{} left", all.gist(&half, &ranges).constraints().len()), us);
    let us = micros(|| drop(black_box(black_box(&anything).subtract(&all, &ranges))));
    row("subtract it from the box", format!("{} pieces", outside.pieces().len()), us);
    let us = micros(|| drop(black_box(black_box(&whole).coalesce(&ranges))));
    let left = whole.coalesce(&ranges).pieces().len();
    row("coalesce that and itself", format!("{} pieces to {left}", whole.pieces().len()), us);
}

/// The median of the time of one call.
fn micros(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    call();
    // Each run takes a millisecond or more, so that the clock does not matter.
    let calls = (1e-3 / start.elapsed().as_secs_f64()).ceil().max(1.0) as usize;
    let mut runs: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            (0..calls).for_each(|_| call());
            start.elapsed().as_secs_f64() / calls as f64 * 1e6
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    runs[RUNS / 2]
}
