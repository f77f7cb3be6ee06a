//! Programs of any number of ops, in fourteen shapes, by which the growth of the compiler is measured.
//!
//! The time of a compiler should grow with the program and no faster. Each shape stresses another list: the ops of a
//! chain, the results of a kernel, the functions of a module, the symbols of a signature.
//! `cargo xtask growth` measures times, `cargo test --test growth` holds counts.

use std::fmt::Write as _;

use dlc_ir::pass::manager::{Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::timing::Report;
use dlc_ir::pass::{DebugCounters, NoHost};
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::{Body, Context, Diagnostics};

/// The pipeline that all shapes go through, from text to instructions.
pub const PIPELINE: &str = "tiny-to-ptx-sm90";

/// The stack of a thread that compiles: that of `dlc-opt`.
pub const STACK: usize = 256 << 20;

/// Programs that are alike but for their size.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Its name on the command line.
    pub name: &'static str,
    /// What grows.
    pub summary: &'static str,
    /// The program of about so many ops.
    pub text: fn(usize) -> String,
}

/// All shapes.
pub static SHAPES: [Shape; 14] = [
    Shape { name: "chain", summary: "elementwise ops, each on the result of the one before", text: chain },
    Shape { name: "tree", summary: "sums of pairs, to one result", text: tree },
    Shape {
        name: "reductions",
        summary: "sums over everything, each added to what the next one sums",
        text: reductions,
    },
    Shape { name: "wide", summary: "results of one input", text: wide },
    Shape { name: "layers", summary: "products of matrices, each on the result of the one before", text: layers },
    Shape { name: "functions", summary: "functions of four ops", text: functions },
    Shape { name: "symbols", summary: "sizes in the signature of a function", text: symbols },
    Shape { name: "constants", summary: "constants, each added to the result before", text: constants },
    Shape { name: "deep", summary: "nests of 60 loops in one another", text: deep },
    Shape { name: "kernels", summary: "kernels of one function, on inputs of different widths", text: kernels },
    Shape { name: "inputs", summary: "inputs of one kernel, each added to the result before", text: inputs },
    Shape { name: "pads", summary: "rows moved down by one, again and again", text: pads },
    Shape { name: "parts", summary: "parts of one input, each added to the result before", text: parts },
    Shape { name: "plans", summary: "kernels with a plan each", text: plans },
];

/// A shape by its name.
pub fn shape(name: &str) -> Option<&'static Shape> {
    SHAPES.iter().find(|shape| shape.name == name)
}

/// What compiling a program took.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The ops of the program that was read, nested ones included.
    pub ops: usize,
    /// What each pass took.
    pub report: Report,
}

/// Reads a program and runs the pipeline on it, on this thread.
///
/// Errors: the program is refused.
pub fn compile(ctx: &Context, registry: &Registry, text: String) -> Result<Compiled, String> {
    let diags = Diagnostics::new();
    let refused = |diags: &Diagnostics| match diags.take().first() {
        Some(first) => dlc_ir::diag::render(ctx, first, dlc_ir::diag::Style::default()),
        None => "refused without a reason".to_owned(),
    };
    let file = ctx.sources.add("growth", text).ok_or("the program is too large")?;
    let options = ParseOptions::default();
    let Ok(mut module) = parse_module(ctx, &file, 0..file.text.len(), options, &diags) else {
        return Err(refused(&diags));
    };
    let ops = ops(&module);
    let pipeline = Pipeline::parse(registry, PIPELINE).map_err(|error| format!("{error:?}"))?;
    let counters = DebugCounters::off();
    let options = ManagerOptions { timing: true, ..ManagerOptions::default() };
    let manager = Manager { ctx, registry, options, instruments: vec![], counters: &counters, host: &NoHost };
    let outcome = manager.run(&pipeline, &mut module, &diags);
    match outcome.failure {
        None => Ok(Compiled { ops, report: outcome.report }),
        Some(failure) => Err(format!("{failure:?}: {}", refused(&diags))),
    }
}

/// The ops of a body and of those nested in it.
fn ops(body: &Body) -> usize {
    let nested: usize = body.nested_ops().into_iter().filter_map(|op| body.nested(op)).map(ops).sum();
    body.num_ops() + nested
}

/// By how much a cost grows for twice the ops, from the cost at two sizes.
pub fn ratio(ops: [usize; 2], cost: [f64; 2]) -> f64 {
    let doublings = (ops[1] as f64 / ops[0] as f64).log2();
    (cost[1] / cost[0]).powf(doublings.recip())
}

/// A graph of one input and one result, from its ops and the name of the last value.
fn graph(ops: &str, result: &str) -> String {
    let ty = "tensor<[N, 64], f32>";
    format!("frontend.graph @f<N>(%x: {ty}) -> {ty} {{\n{ops}  output {result}\n}}\n")
}

/// Adds a line.
macro_rules! line {
    ($text:expr, $($rest:tt)*) => {
        writeln!($text, $($rest)*).expect("a string takes everything")
    };
}

/// The texts for each number below `count`, between commas.
fn list(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect::<Vec<_>>().join(", ")
}

fn chain(ops: usize) -> String {
    let (mut text, mut last) = (String::new(), "%x".to_owned());
    for i in 0..ops {
        line!(text, "  %v{i} = {} {last}", if i % 2 == 0 { "neg" } else { "relu" });
        last = format!("%v{i}");
    }
    graph(&text, &last)
}

fn tree(ops: usize) -> String {
    let (mut text, mut values) = (String::new(), Vec::new());
    for i in 0..ops.div_ceil(3) {
        line!(text, "  %k{i} = full {i}.5 : tensor<[], f32>\n  %u{i} = mul %x, %k{i}");
        values.push(format!("%u{i}"));
    }
    let mut sums = 0;
    while values.len() > 1 {
        let mut next = Vec::new();
        for pair in values.chunks(2) {
            if let [a, b] = pair {
                line!(text, "  %t{sums} = add {a}, {b}");
                next.push(format!("%t{sums}"));
                sums += 1;
            } else {
                next.extend_from_slice(pair);
            }
        }
        values = next;
    }
    graph(&text, &values[0])
}

fn reductions(ops: usize) -> String {
    let (mut text, mut last) = (String::new(), "%x".to_owned());
    for i in 0..ops.div_ceil(2) {
        line!(text, "  %s{i} = sum {last} over [0, 1]\n  %v{i} = add {last}, %s{i}");
        last = format!("%v{i}");
    }
    graph(&text, &last)
}

fn wide(ops: usize) -> String {
    let count = ops.div_ceil(2);
    let types = list(count, |_| "tensor<[N, 64], f32>".to_owned());
    let mut text = format!("frontend.graph @f<N>(%x: tensor<[N, 64], f32>) -> ({types}) {{\n");
    for i in 0..count {
        line!(text, "  %k{i} = full {i}.5 : tensor<[], f32>\n  %v{i} = mul %x, %k{i}");
    }
    line!(text, "  output {}\n}}", list(count, |i| format!("%v{i}")));
    text
}

fn layers(ops: usize) -> String {
    let count = ops.div_ceil(4);
    let weights = list(count, |i| format!("%w{i}: tensor<[64, 64], f16>"));
    let ty = "tensor<[N, 64], f16>";
    let mut text = format!("frontend.graph @f<N>(%x: {ty}, {weights}) -> {ty} {{\n");
    let mut last = "%x".to_owned();
    for i in 0..count {
        // Equal layers would be one kernel.
        line!(text, "  %k{i} = full {i}.5 : tensor<[], f32>\n  %m{i} = gemm {last}, %w{i}");
        line!(text, "  %s{i} = mul %m{i}, %k{i}\n  %v{i} = cast %s{i} to f16");
        last = format!("%v{i}");
    }
    line!(text, "  output {last}\n}}");
    text
}

fn functions(ops: usize) -> String {
    let mut text = String::new();
    for i in 0..ops.div_ceil(4) {
        line!(text, "frontend.graph @f{i}<N>(%x: tensor<[N, 64], f32>) -> tensor<[N], f32> {{");
        line!(text, "  %k = full {i}.5 : tensor<[], f32>\n  %a = mul %x, %k\n  %c = sum %a over [1]\n  output %c\n}}");
    }
    text
}

/// Sums of the rows of so many inputs, no two of them one kernel.
fn sums(ops: usize, symbols: &str, rows: impl Fn(usize) -> String, columns: impl Fn(usize) -> usize) -> String {
    let count = ops.div_ceil(3);
    let inputs = list(count, |i| format!("%x{i}: tensor<[{}, {}], f32>", rows(i), columns(i)));
    let types = list(count, |i| format!("tensor<[{}], f32>", rows(i)));
    let mut text = format!("frontend.graph @f<{symbols}>({inputs}) -> ({types}) {{\n");
    for i in 0..count {
        line!(text, "  %k{i} = full {i}.5 : tensor<[], f32>\n  %a{i} = mul %x{i}, %k{i}\n  %c{i} = sum %a{i} over [1]");
    }
    line!(text, "  output {}\n}}", list(count, |i| format!("%c{i}")));
    text
}

fn symbols(ops: usize) -> String {
    sums(ops, &list(ops.div_ceil(3), |i| format!("N{i}")), |i| format!("N{i}"), |_| 8)
}

fn kernels(ops: usize) -> String {
    // The widths repeat, so that a kernel takes no longer where there are more of them.
    sums(ops, "N", |_| "N".to_owned(), |i| 8 * (i % 16 + 1))
}

fn constants(ops: usize) -> String {
    let (mut text, mut last) = (String::new(), "%x".to_owned());
    for i in 0..ops.div_ceil(2) {
        line!(text, "  %k{i} = full {i}.25 : tensor<[], f32>\n  %v{i} = add {last}, %k{i}");
        last = format!("%v{i}");
    }
    graph(&text, &last)
}

fn inputs(ops: usize) -> String {
    let inputs = list(ops + 1, |i| format!("%x{i}: tensor<[N, 64], f32>"));
    let mut text = format!("frontend.graph @f<N>({inputs}) -> tensor<[N, 64], f32> {{\n");
    let mut last = "%x0".to_owned();
    for i in 1..=ops {
        line!(text, "  %v{i} = add {last}, %x{i}");
        last = format!("%v{i}");
    }
    line!(text, "  output {last}\n}}");
    text
}

fn pads(ops: usize) -> String {
    let (mut text, mut last) = (String::new(), "%x".to_owned());
    for i in 0..ops.div_ceil(2) {
        line!(text, "  %p{i} = pad {last} low [1, 0] high [0, 0]\n  %v{i} = slice %p{i} from [0, 0] to [N, 64]");
        last = format!("%v{i}");
    }
    graph(&text, &last)
}

/// The split becomes an op for each part, all of them put before those that stand after it.
fn parts(ops: usize) -> String {
    let ops = ops.max(2);
    let names = list(ops, |i| format!("%s{i}"));
    let mut text = format!("  {names} = split %x over 0 into [{}]\n  %v0 = neg %s0\n", list(ops, |_| "1".to_owned()));
    for i in 1..ops {
        line!(text, "  %v{i} = add %v{}, %s{i}", i - 1);
    }
    let ty = |rows: usize| format!("tensor<[{rows}, 64], f32>");
    format!("frontend.graph @f(%x: {}) -> {} {{\n{text}  output %v{}\n}}\n", ty(ops), ty(1), ops - 1)
}

/// Loops in one another: the parser reads 256 levels at most, so programs grow by more of such nests.
const LEVELS: usize = 60;

fn deep(ops: usize) -> String {
    let mut text = String::new();
    let depth = ops.div_ceil(3);
    for from in (0..depth).step_by(LEVELS) {
        nest(&mut text, &format!("f{from}"), LEVELS.min(depth - from));
    }
    text
}

/// A kernel of loops in one another.
fn nest(text: &mut String, name: &str, depth: usize) {
    let ty = "frag<[1], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>";
    line!(text, "kernel.func @{name}<N>(%src: memref<[N], f32>) -> memref<[1], f32> {{");
    line!(text, "  %dst = output : memref<[1], f32>\n  grid (1) threads 32 {{\n  %v0 = const 0.0 : {ty}");
    for i in 0..depth {
        line!(text, "  %w{i} = for %t{i} = 0 to N step 4 carry (%a{i} = %v{i}) : {ty} {{");
        line!(text, "  %v{} = binary add %a{i}, %v0 : {ty}", i + 1);
    }
    line!(text, "  yield %v{depth}\n  }}");
    for i in (1..depth).rev() {
        line!(text, "  yield %w{i}\n  }}");
    }
    line!(text, "  store %w0 to %dst[i0]\n  }}\n  return %dst\n}}");
}

fn plans(ops: usize) -> String {
    let ty = "memref<[M], f32, row_major, align 16>";
    let mut text = String::new();
    for i in 0..ops.div_ceil(6) {
        line!(text, "region.func @k{i}<M> iters (m: M) ins (%X: {ty}) outs (Y: {ty} materialize gmem) {{");
        line!(text, "  %x = read %X[m] : f32 over (m)\n  %y = unary relu %x : f32 over (m)\n  yield %y to Y\n}}");
        line!(text, "plan.schedule of @k{i} for sm80 {{\n  tile (m: 256)\n}}");
    }
    text
}
