//! Holds that the instructions which the compiler executes grow no faster than the program: searches of lists count here,
//! unlike in the counts of visits and bytes (`test/growth.rs`).

use std::path::Path;
use std::sync::Mutex;
use std::thread;

use dlc_test::features::Features;
use dlc_test::growth::{SHAPES, Shape};
use xtask::growth;

/// The most that twice the ops may cost. The counts do not vary, so this leaves no room for noise.
const MOST: f64 = 2.05;

/// As many ops as take some billions of instructions.
fn sizes(shape: &Shape) -> [usize; 2] {
    match shape.name {
        "layers" => [120, 240],
        "symbols" => [400, 800],
        "kernels" | "functions" => [300, 600],
        "deep" => [2000, 4000],
        _ => [1000, 2000],
    }
}

#[test]
fn instructions_grow_with_the_program() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if Features::on_path(&path).program("valgrind").is_none() {
        println!("skipped: no valgrind");
        return;
    }
    let xtask = Path::new(env!("CARGO_BIN_EXE_xtask"));
    let (left, wrong) = (Mutex::new(SHAPES.iter()), Mutex::new(Vec::new()));
    let work = || {
        while let Some(shape) = { left.lock().expect("no thread panics").next() } {
            let counts = growth::count(xtask, shape, &sizes(shape)).expect("the program compiles");
            println!("{counts}");
            if counts.ratio > MOST {
                wrong.lock().expect("no thread panics").push(counts.to_string());
            }
        }
    };
    thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().expect("no thread panics");
    assert!(wrong.is_empty(), "more than {MOST} times the instructions for twice the ops:\n{}", wrong.join("\n"));
}
