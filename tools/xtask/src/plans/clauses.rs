//! For each clause of a plan a kernel on which it changes what is launched, or is refused because the kernel is otherwise,
//! or is reported as changing nothing.

use dlc_ir::diag::{Diagnostics, Severity};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_op};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context};
use dlc_opt::Setup;
use dlc_passes::plan::clauses::{CLAUSES, Use};

use super::{Region, regions};
use crate::repo::Repo;

/// What a clause does in a kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Then {
    /// The launches are others.
    Changes,
    /// The plan contradicts the kernel, and is refused with this code.
    Refused(&'static str),
    /// It is reported that it changes nothing.
    Reported,
    /// It says what the kernel is without it, and nothing is reported.
    Same,
}

use Then::{Changes, Refused, Reported, Same};

/// A product by wgmma with roles.
const WGMMA: &str = "tile (m: 128, n: 128, k: 64)
assume (K: 8, N: 8)
instruction wgmma [64, 128, 16]
stages 4
roles cooperative consumers 2
registers (producer: 40, consumer: 232)
cache A (m, k) f16 in smem
cache B (n, k) f16 in smem
swizzle (A: 128, B: 128)
predicate_tail [m, n, k]
barrier mbarrier
persistent sms
async overlap_epilogue";

/// The same with as many registers for all threads.
const ALIKE: &str = "tile (m: 128, n: 128, k: 64)
assume (K: 8, N: 8)
instruction wgmma
stages 4
roles cooperative consumers 2
registers (thread: 168)
barrier mbarrier
persistent sms";

/// A product by mma.
const MMA: &str = "tile (m: 64, n: 64, k: 32)
warp_tile (m: 32, n: 32)
assume (K: 32, N: 64, M: 64)
instruction mma [16, 8, 16]
stages 3
cache A (m, k) f16 in smem
cache B f16 in smem
barrier cp_async_group";

/// The same with room for results in shared memory.
const WIDE: &str = "tile (m: 64, n: 64, k: 64)
warp_tile (m: 32, n: 32)
assume (K: 8, N: 8)
instruction mma
stages 2
cache A f16 in smem
cache B f16 in smem";

/// A product by threads, through shared memory.
const FMA: &str = "tile (m: 64, n: 64, k: 16)
instruction fma
thread_tile (m: 4, n: 4)
cache A (m, k) f32 in smem
cache B (k, n) f32 in smem
assume (K: 4, N: 4)";

/// A product of f32 on tensor cores.
const SPLIT: &str = "tile (m: 64, n: 64, k: 32)
warp_tile (m: 32, n: 32)
assume (K: 4, N: 4)
instruction mma [16, 8, 8] as tf32x3
stages 2
cache A (m, k) f32 in smem
cache B (k, n) f32 in smem";

const ROWS: &str = "tile (m: 4, n: 128)
reduced [n]
fix (N: 128)";

const ELEMENTS: &str = "tile (m: 4, n: 256)";

/// The same with rows that are whole vectors.
const WHOLE: &str = "tile (m: 4, n: 256)\nassume (N: 8)";

/// The clause, the region, the target, a plan, what of it is replaced (nothing: a clause is added), by what, and what then
/// happens.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str, Then);

const CASES: &[Case] = &[
    ("tile", "gemm_nt_f16", "sm80", MMA, "n: 64, k: 32", "n: 128, k: 32", Changes),
    (
        "reduced",
        "row_softmax",
        "sm80",
        "tile (m: 4, n: 128)\nfix (N: 128)\ncache X (m, n) f16 in reg",
        "",
        "reduced [n]",
        Changes,
    ),
    ("fix", "gemm_nt_f16", "sm80", MMA, "", "fix (K: 64)", Changes),
    ("assume", "gemm_nt_f16", "sm80", MMA, "K: 32, N: 64, M: 64", "K: 8", Changes),
    ("instruction", "gemm_nt_f16", "sm80", WIDE, "instruction mma\nstages 2", "instruction fma", Changes),
    ("instruction", "gemm_nt_f16", "sm80", MMA, "[16, 8, 16]", "[16, 8, 8]", Reported),
    ("instruction", "gemm_nt_f16", "sm90", WGMMA, "[64, 128, 16]", "[64, 64, 16]", Reported),
    ("instruction", "gemm_nt_f16", "sm90", WGMMA, "[64, 128, 16]", "[64, 128, 16] promote", Changes),
    ("instruction", "sgemm", "sm80", SPLIT, " as tf32x3", " as tf32", Changes),
    ("instruction", "gemm_nt_f16", "sm80", MMA, "[16, 8, 16]", "[16, 8, 16] as tf32x3", Refused("E1605")),
    ("reduced", "gelu_add", "sm80", ELEMENTS, "", "reduced [m]", Refused("E1609")),
    ("cluster", "gemm_nt_f16", "sm90", WGMMA, "", "cluster (m: 2, n: 2)", Reported),
    ("order", "gemm_nt_f16", "sm90", WGMMA, "", "order grouped 4 along n", Reported),
    ("order", "gemm_nt_f16", "sm90", WGMMA, "", "order longest_first", Reported),
    ("cache", "gemm_nt_f16", "sm80", MMA, "cache B f16 in smem", "cache B f16 in global", Reported),
    ("cache", "gemm_bias_relu", "sm80", MMA, "", "cache bias in smem", Reported),
    ("cache", "gemm_nt_f16", "sm80", MMA, "cache B f16 in smem", "cache B in smem\ncache B in smem", Refused("E1609")),
    ("swizzle", "gemm_nt_f16", "sm80", MMA, "", "swizzle (out: 128)", Reported),
    ("swizzle", "sgemm", "sm80", FMA, "", "swizzle (A: 64)", Reported),
    ("vectorize", "gelu_add", "sm80", ELEMENTS, "", "vectorize m.i by 2", Reported),
    ("predicate_tail", "gemm_nt_f16", "sm90", WGMMA, "[m, n, k]", "[m, n]", Reported),
    ("async", "gemm_nt_f16", "sm80", MMA, "", "async overlap_epilogue", Reported),
    ("async", "gelu_add", "sm80", ELEMENTS, "", "async prefetch 2", Reported),
    ("edge", "gemm_bias_relu", "sm80", MMA, "", "edge A to relu in reg", Reported),
    ("epilogue", "gemm_bias_relu", "sm80", MMA, "", "epilogue [relu, bias]", Refused("E1609")),
    ("algo", "gemm_nt_f16", "sm90", WGMMA, "", "algo (stagger_m: 5)", Reported),
    ("algo", "gemm_nt_f16", "sm90", WGMMA, "", "algo (load_A: im2col)", Reported),
    ("warp_tile", "gemm_nt_f16", "sm80", MMA, "warp_tile (m: 32, n: 32)", "warp_tile (m: 32, n: 16)", Changes),
    ("thread_tile", "sgemm", "sm80", FMA, "thread_tile (m: 4", "thread_tile (m: 8", Changes),
    ("lanes", "sgemm", "sm80", FMA, "", "lanes (m: 4, n: 8)", Changes),
    ("warps", "sgemm", "sm80", FMA, "", "warps (m: 2, n: 4)", Changes),
    ("threads", "gelu_add", "sm80", ELEMENTS, "", "threads (m: 4, n: 64)", Changes),
    ("stages", "gemm_nt_f16", "sm80", MMA, "stages 3", "stages 4", Changes),
    ("unroll", "sgemm", "sm80", FMA, "", "unroll (k: 16)", Changes),
    ("bind", "gemm_nt_f16", "sm80", MMA, "", "bind (m.o: block.x, n.o: block.y)", Changes),
    ("bind", "gemm_nt_f16", "sm80", MMA, "", "bind (m.i: thread.x)", Reported),
    ("bind", "gelu_add", "sm80", ELEMENTS, "", "bind (m.i: thread.x)", Reported),
    ("bind", "sgemm", "sm80", FMA, "", "bind (m.i: thread.x)", Changes),
    ("cluster", "gemm_nt_f16", "sm90", WGMMA, "", "cluster (m: 2)", Changes),
    ("multicast", "gemm_nt_f16", "sm90", WGMMA, "", "cluster (m: 2)\nmulticast [B]", Changes),
    ("multicast", "gemm_nt_f16", "sm90", WGMMA, "", "cluster (m: 1)\nmulticast [B]", Reported),
    ("persistent", "gemm_nt_f16", "sm90", WGMMA, "persistent sms", "persistent 7", Changes),
    ("order", "gemm_nt_f16", "sm90", WGMMA, "", "order grouped 4 along m", Changes),
    ("order", "gemm_nt_f16", "sm90", WGMMA, "", "order hilbert", Reported),
    ("roles", "gemm_nt_f16", "sm90", WGMMA, "cooperative", "ping_pong", Changes),
    ("registers", "gemm_nt_f16", "sm90", WGMMA, "producer: 40, consumer: 232", "producer: 24, consumer: 240", Changes),
    ("registers", "gemm_nt_f16", "sm90", ALIKE, "thread: 168", "thread: 160", Reported),
    ("registers", "gemm_nt_f16", "sm90", ALIKE, "thread: 168", "thread: 168, consumer: 232", Refused("E1609")),
    ("registers", "gemm_nt_f16", "sm80", MMA, "", "registers (thread: 128)", Reported),
    ("blocks_per_sm", "gemm_nt_f16", "sm80", MMA, "", "blocks_per_sm 2", Changes),
    ("split_k", "gemm_nt_f16", "sm80", MMA, "", "split_k 4 along k", Changes),
    ("stream_k", "gemm_nt_f16", "sm90", WGMMA, "", "stream_k at_least 8", Changes),
    ("cache", "row_softmax", "sm80", ROWS, "", "cache X (m, n) f16 in reg", Changes),
    ("cache", "gemm_nt_f16", "sm80", MMA, "cache A (m, k)", "cache A (m, n)", Refused("E1609")),
    ("cache", "gemm_nt_f16", "sm80", MMA, "cache A (m, k) f16", "cache A (m, k) f32", Refused("E1605")),
    (
        "cache",
        "gemm_nt_f16",
        "sm80",
        MMA,
        "cache A (m, k) f16 in smem",
        "cache A (m, k) f16 in smem at m.i",
        Refused("E1609"),
    ),
    ("cache", "gemm_nt_f16", "sm80", WIDE, "stages 2\ncache A f16 in smem", "cache A f16 in smem pingpong", Same),
    (
        "cache",
        "gemm_nt_f16",
        "sm80",
        MMA,
        "cache A (m, k) f16 in smem",
        "cache A (m, k) f16 in smem buffers 5",
        Reported,
    ),
    (
        "cache",
        "gemm_nt_f16",
        "sm90",
        WGMMA,
        "cache A (m, k) f16 in smem",
        "cache A (m, k) f16 in smem buffers 3",
        Reported,
    ),
    (
        "cache",
        "gemm_nt_f16",
        "sm90",
        WGMMA,
        "f16 in smem\ncache B (n, k) f16 in smem",
        "f16 in smem buffers 3\ncache B (n, k) f16 in smem buffers 3",
        Changes,
    ),
    ("policy", "gemm_nt_f16", "sm90", WGMMA, "", "policy (A: evict_first)", Changes),
    ("swizzle", "gemm_nt_f16", "sm80", MMA, "", "swizzle (A: 0)", Changes),
    ("stride", "gemm_nt_f16", "sm80", MMA, "", "stride (A: col)", Refused("E1609")),
    ("vectorize", "gemm_nt_f16", "sm80", WIDE, "", "vectorize n.i.i by 8", Changes),
    ("vectorize", "gemm_nt_f16", "sm80", MMA, "", "vectorize k.i.i by 4", Changes),
    ("vectorize", "gemm_nt_f16", "sm80", MMA, "", "vectorize k.i.i by 16", Refused("E1608")),
    ("vectorize", "gelu_add", "sm80", WHOLE, "", "vectorize n.i by 2", Changes),
    ("vectorize", "gelu_add", "sm80", WHOLE, "", "vectorize n.i by 8", Reported),
    ("vectors", "gelu_add", "sm80", WHOLE, "", "vectors (X: 2)", Changes),
    ("vectorize", "sgemm", "sm80", FMA, "", "vectorize k.i by 4", Changes),
    ("vectors", "sgemm", "sm80", FMA, "", "vectors (A: 4)", Changes),
    ("vectors", "sgemm", "sm80", FMA, "", "vectors (A: 2)", Changes),
    ("vectors", "gemm_nt_f16", "sm80", MMA, "", "vectors (A: 4)", Changes),
    ("vectors", "gemm_nt_f16", "sm80", WIDE, "", "vectors (out: 1)", Changes),
    ("vectors", "gemm_nt_f16", "sm80", WIDE, "", "vectors (out: 2)\nstore rows", Reported),
    ("vectors", "gemm_bias_relu", "sm80", MMA, "", "vectors (bias: 1)", Changes),
    ("vectors", "gemm_nt_f16", "sm90", WGMMA, "", "vectors (A: 4)", Reported),
    ("predicate_tail", "gemm_nt_f16", "sm80", MMA, "", "predicate_tail [k]", Changes),
    ("barrier", "gemm_nt_f16", "sm80", MMA, "barrier cp_async_group", "barrier block", Changes),
    ("async", "gemm_nt_f16", "sm90", WGMMA, "async overlap_epilogue", "async off", Changes),
    ("in_flight", "gemm_nt_f16", "sm80", MMA, "", "in_flight 1", Changes),
    ("edge", "gemm_bias_relu", "sm80", MMA, "", "edge sum_k to relu in smem_ring", Refused("E1609")),
    ("edge", "gemm_bias_relu", "sm80", MMA, "", "edge A to relu in smem_ring depth 5", Refused("E1609")),
    ("edge", "gemm_bias_relu", "sm80", MMA, "", "edge nothing to relu in reg", Refused("E1612")),
    ("epilogue", "gemm_bias_relu", "sm80", MMA, "", "epilogue [relu]", Refused("E1609")),
    ("epilogue", "gemm_bias_relu", "sm80", MMA, "", "epilogue [add, gelu]", Refused("E1609")),
    ("store", "gemm_nt_f16", "sm80", WIDE, "", "store rows", Changes),
    ("algo", "gemm_nt_f16", "sm90", WGMMA, "", "algo (stagger_k: 5)", Changes),
    ("algo", "gemm_nt_f16", "sm90", WGMMA, "", "algo (matmul: best)", Refused("E1609")),
    ("algo", "gemm_nt_f16", "sm90", WGMMA, "", "algo (conv: implicit_gemm)", Refused("E1609")),
    ("swap_operands", "gemm_nt_f16", "sm90", WGMMA, "", "swap_operands", Changes),
    ("deterministic", "gemm_nt_f16", "sm80", MMA, "", "split_k 4 along k\ndeterministic", Changes),
    ("launch_overlap", "gemm_nt_f16", "sm90", WGMMA, "", "launch_overlap", Changes),
    ("launch_overlap", "gemm_nt_f16", "sm80", MMA, "", "launch_overlap", Reported),
];

/// What a region becomes by a plan: its launches as text, or the codes of errors; and whether something is reported.
fn made(setup: &Setup, region: &Region, target: &str, plan: &str) -> (Result<String, Vec<&'static str>>, bool) {
    let text =
        format!("{}\nplan.schedule of @{} for {target} {{\n{plan}\n}}\n", region.text.trim_end(), region.function);
    let ctx = Context::new(setup.dialects.iter().copied());
    let diags = Diagnostics::new();
    let body = compiled(setup, &ctx, text, &diags);
    let found = diags.take();
    let reported = found.iter().any(|diag| diag.severity == Severity::Warning && diag.code.code == "E1614");
    let codes = found.iter().filter(|diag| diag.severity == Severity::Error).map(|diag| diag.code.code).collect();
    let launches = body.map(|body| {
        let text = print_op(&ctx, &body, body.root(), PrintOptions::default());
        // The plan stays next to its kernel.
        text.split("plan.schedule").next().unwrap_or_default().to_string()
    });
    (launches.ok_or(codes), reported)
}

fn compiled(setup: &Setup, ctx: &Context, text: String, diags: &Diagnostics) -> Option<Body> {
    let file = ctx.sources.add("plan", text)?;
    let mut body = parse_module(ctx, &file, 0..file.text.len(), ParseOptions::default(), diags).ok()?;
    verify(ctx, &body, diags).then_some(())?;
    let passes = "tensorize,kernel-schedule,kernel-to-ptx,licm,cse,dce";
    let pipeline = Pipeline::parse(&setup.registry, passes).expect("the passes are linked in");
    crate::run(setup, ctx, &pipeline, &mut body, diags).is_none().then_some(body)
}

#[test]
fn every_clause_changes_a_kernel_or_says_so() {
    let setup = crate::setup();
    let all = regions(&setup, &Repo::root(), "").expect("the programs can be read");
    for clause in CLAUSES {
        // What is followed gives another kernel somewhere, what is compared is refused somewhere.
        let wanted = |then: &Then| match clause.used {
            Use::Followed => *then == Changes,
            Use::Compared => matches!(then, Refused(_)),
        };
        let has = CASES.iter().any(|(word, .., then)| *word == clause.word && wanted(then));
        assert!(has, "no case has '{}' as a clause that is {:?}", clause.word, clause.used);
    }
    let mut wrong = Vec::new();
    for &(word, name, target, plan, old, new, then) in CASES {
        let region = all.iter().find(|region| region.name.starts_with(&format!("{name}."))).expect(name);
        let changed = if old.is_empty() { format!("{plan}\n{new}") } else { plan.replace(old, new) };
        assert_ne!(plan, changed, "{word}");
        let base =
            if word == "multicast" && then == Changes { format!("{plan}\ncluster (m: 2)") } else { plan.to_string() };
        let base = if word == "deterministic" { format!("{plan}\nsplit_k 4 along k") } else { base };
        let (before, reported_before) = made(&setup, region, target, &base);
        let (after, reported) = made(&setup, region, target, &changed);
        let is_so = match (then, &before, &after) {
            (Changes, Ok(before), Ok(after)) => before != after && !reported,
            (Reported, Ok(before), Ok(after)) => before == after && reported && !reported_before,
            (Same, Ok(before), Ok(after)) => before == after && !reported,
            (Refused(code), Ok(_), Err(codes)) => codes[..] == [code],
            _ => false,
        };
        if !is_so {
            let same = before == after;
            let after = after.map(|_| "launches");
            wrong.push(format!("'{new}' of {name}: {then:?} is wanted; {after:?}, same: {same}, reported: {reported}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
