//! Holds that the work of the compiler grows no faster than the program, by counts that are the same on every machine.
//!
//! Visits of records of the IR and allocated bytes are counted at two sizes of each shape. Scans of lists outside of the
//! IR are neither; `cargo test -p xtask --test suite growth::` counts the instructions of those.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Mutex;
use std::thread;

use dlc_ir::{Context, entity};
use dlc_opt::Setup;
use dlc_test::growth::{self, SHAPES, Shape};

// What is linked in registers itself.
use {dlc_frontend as _, dlc_passes as _};

/// The most that twice the ops may cost.
const MOST: f64 = 2.2;

/// Allocates from the system, and counts.
struct Counting;

thread_local! {
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

fn count(bytes: usize) {
    // A thread that ends may allocate when its counter is gone.
    let _ = BYTES.try_with(|all| all.set(all.get() + bytes as u64));
}

// SAFETY: all is left to the allocator of the system.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promises are those that are asked for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What compiling a program costs.
#[derive(Clone, Copy, Debug)]
struct Costs {
    ops: usize,
    visits: Option<u64>,
    bytes: u64,
}

/// Compiles a program of a shape.
fn compile_counted(setup: &Setup, shape: &Shape, ops: usize) -> Costs {
    counted(setup, shape.name, (shape.text)(ops))
}

/// Compiles a text.
fn counted(setup: &Setup, name: &str, text: String) -> Costs {
    let ctx = Context::new(setup.dialects.iter().copied());
    let before = (entity::visits(), BYTES.get());
    let compiled = growth::compile(&ctx, &setup.registry, text);
    let compiled = compiled.unwrap_or_else(|error| panic!("{name}: {error}"));
    let visits = entity::visits().zip(before.0).map(|(after, before)| after - before);
    Costs { ops: compiled.ops, visits, bytes: BYTES.get() - before.1 }
}

/// Runs on a stack like that of `dlc-opt`.
fn on_big_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(growth::STACK).spawn_scoped(scope, run);
        thread.expect("a thread starts").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The sizes of a shape for counts: a product of matrices is two kernels of a thousand ops.
fn sizes(shape: &Shape) -> [usize; 2] {
    match shape.name {
        "layers" => [120, 240],
        "symbols" | "kernels" | "functions" | "plans" => [240, 480],
        "deep" => [720, 1440],
        "reductions" => [240, 480],
        _ => [2000, 4000],
    }
}

/// What a cost grows to, on a line, and whether that is too much.
fn judge(what: &str, shape: &Shape, ops: [usize; 2], cost: [u64; 2]) -> (String, bool) {
    let ratio = growth::ratio(ops, cost.map(|cost| cost as f64));
    (format!("{:10} {what:12} {:>12} {:>12}  {ratio:.2}", shape.name, cost[0], cost[1]), ratio > MOST)
}

/// The costs of a shape: bytes, and visits in builds that count them.
fn measure(setup: &Setup, shape: &Shape) -> Vec<(String, bool)> {
    let [small, large] = sizes(shape).map(|ops| compile_counted(setup, shape, ops));
    let ops = [small.ops, large.ops];
    let visits = small.visits.zip(large.visits).map(|(small, large)| judge("visits", shape, ops, [small, large]));
    [judge("bytes", shape, ops, [small.bytes, large.bytes])].into_iter().chain(visits).collect()
}

#[test]
fn visits_and_allocations_grow_with_the_program() {
    let setup = Setup::linked();
    // Tables that are made once for the process are made here, and count for no shape.
    on_big_stack(|| compile_counted(&setup, &SHAPES[0], 10));
    // Counters are of a thread, so that shapes can be compiled at the same time.
    let (left, judged) = (Mutex::new(SHAPES.iter()), Mutex::new(Vec::new()));
    let work = || {
        while let Some(shape) = { left.lock().expect("no thread panics with the lock").next() } {
            let lines = measure(&setup, shape);
            judged.lock().expect("no thread panics with the lock").extend(lines);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(|| on_big_stack(work)))));
    let judged = judged.into_inner().expect("no thread panics with the lock");
    judged.iter().for_each(|(line, _)| println!("{line}"));
    let wrong: Vec<&str> = judged.iter().filter(|(_, wrong)| *wrong).map(|(line, _)| line.as_str()).collect();
    assert!(wrong.is_empty(), "more than {MOST} times the work for twice the ops:\n{}", wrong.join("\n"));
}

/// A program with a buffer for each of so many symbolic sizes, most of which live at once.
fn buffers(sizes: usize) -> String {
    let list = |text: &dyn Fn(usize) -> String| (0..sizes).map(text).collect::<Vec<_>>().join(", ");
    let (symbols, inputs) = (list(&|i| format!("N{i}")), list(&|i| format!("%x{i}: tensor<[N{i}, 64], f32>")));
    let mut text = format!("frontend.graph @f<{symbols}>({inputs}) -> tensor<[], f32> {{\n");
    let mut last = String::new();
    for i in 0..sizes {
        text += &format!(
            "  %g{i} = gemm %x{i}, %x{i} trans_b\n  %s{i} = sum %g{i} over [0]\n  %b{i} = sum %s{i} over [0]\n"
        );
        if i > 0 {
            text += &format!("  %t{i} = add {last}, %b{i}\n");
        }
        last = if i > 0 { format!("%t{i}") } else { format!("%b{i}") };
    }
    text + &format!("  output {last}\n}}\n")
}

/// The place of a buffer after others is the sum of their sizes, so that twice as many take four times the text.
#[test]
fn buffers_of_many_sizes_take_no_more_than_their_places() {
    let setup = Setup::linked();
    let costs = on_big_stack(|| [40, 80].map(|sizes| counted(&setup, "buffers", buffers(sizes)).bytes));
    assert!(costs[1] as f64 <= 4.4 * costs[0] as f64, "bytes for 40 and for 80 sizes: {costs:?}");
}
