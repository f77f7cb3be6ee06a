//! Holds that the instructions which the compiler executes grow no faster than the program: searches of lists count here,
//! unlike in the counts of visits and bytes (`test/growth.rs`).

use std::path::Path;

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
    let work: Vec<_> = SHAPES.iter().map(|shape| (shape, sizes(shape).to_vec())).collect();
    let counts = growth::count(xtask, &work).expect("the programs compile");
    counts.iter().for_each(|counts| println!("{counts}"));
    let wrong: Vec<String> = counts.iter().filter(|counts| counts.ratio > MOST).map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "more than {MOST} times the instructions for twice the ops:\n{}", wrong.join("\n"));
}
