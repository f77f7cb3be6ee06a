//! Comparison with `mlir-opt`, which must print what we print. Where it is not installed, the test says so and passes.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::super::{AffineMap, IntegerSet};
use super::Random;

const PROGRAM: &str = "mlir-opt-22";

/// What `mlir-opt` prints for each attribute; `None` if it is not installed.
fn printed_by_mlir(attributes: &[String]) -> Option<Vec<String>> {
    let mut child = Command::new(PROGRAM)
        .args(["--allow-unregistered-dialect", "--mlir-print-op-generic", "--mlir-print-local-scope"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let input: String = attributes.iter().map(|text| format!("\"t.op\"() {{m = {text}}} : () -> ()\n")).collect();
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads its input");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{PROGRAM} refused what we accept");
    let output = String::from_utf8(output.stdout).expect("text");
    let attribute = |line: &str| Some(line.split_once("{m = ")?.1.rsplit_once("} :")?.0.to_owned());
    Some(output.lines().filter_map(attribute).collect())
}

/// The text of a sum over `d0..d2` and `s0, s1`.
fn sum(random: &mut Random, depth: u32) -> String {
    let mut text = product(random, depth);
    for _ in 0..random.within(0, 2) {
        text += random.one_of(&[" + ", " - "]);
        text += &product(random, depth);
    }
    if random.within(0, 2) == 0 {
        text += &format!(" {} {}", random.one_of(&["+", "-"]), random.within(0, 12));
    }
    text
}

fn product(random: &mut Random, depth: u32) -> String {
    let inner = match random.within(0, 3) {
        0 if depth > 0 => format!("({}) {}", sum(random, depth - 1), divided(random)),
        1 if depth > 0 => {
            format!("({}) * {}", sum(random, depth - 1), random.one_of(&["-1", "3", "-4", "s0", "(s1 - 2)"]))
        }
        _ => format!("d{}", random.within(0, 2)),
    };
    match random.within(0, 5) {
        0 => format!("-{inner}"),
        1 => format!("{inner} * {}", random.within(-4, 8)),
        2 => format!("{inner} {}", divided(random)),
        3 => format!("s{} * {inner}", random.within(0, 1)),
        _ => inner,
    }
}

fn divided(random: &mut Random) -> String {
    let divisor = random.one_of(&["1", "2", "3", "4", "6", "12", "s0", "(s1 + 1)"]);
    format!("{} {divisor}", random.one_of(&["floordiv", "ceildiv", "mod"]))
}

#[test]
fn maps_and_sets_print_as_mlir_prints_them() {
    let mut random = Random::new(7);
    let (mut given, mut ours) = (Vec::new(), Vec::new());
    while given.len() < 400 {
        let (depth, first) = (random.within(0, 3) as u32, sum(&mut random, 1));
        let second = sum(&mut random, depth);
        let map = format!("(d0, d1, d2)[s0, s1] -> ({first}, {second})");
        let set = format!("(d0, d1, d2)[s0, s1] : ({second} >= 0, {first} == 0)");
        if let (Ok(read_map), Ok(read_set)) = (AffineMap::parse(&map), IntegerSet::parse(&set)) {
            given.extend([format!("affine_map<{map}>"), format!("affine_set<{set}>")]);
            ours.extend([read_map.to_string(), read_set.to_string()]);
        }
    }
    let Some(theirs) = printed_by_mlir(&given) else {
        eprintln!("not compared: {PROGRAM} is not on the PATH");
        return;
    };
    // Where sums nest to the right, MLIR's print of a text is not what it prints for that print (see `build`);
    // we print what it settles on.
    let settled = printed_by_mlir(&theirs).expect("it is installed");
    let at_once = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours == theirs).count();
    assert!(at_once * 10 > ours.len() * 9, "{at_once} of {}", ours.len());
    compare(&given, &ours, &settled);
}

/// Trees of any shape: what we print, `mlir-opt` leaves as it is.
#[test]
fn mlir_leaves_our_text_alone() {
    let mut random = Random::new(8);
    let mut ours = BTreeSet::new();
    while ours.len() < 400 {
        let depth = random.within(1, 5) as u32;
        let map = AffineMap::new(3, 2, vec![random.expr(depth)]).expect("over d0..d2 and s0, s1");
        ours.insert(map.to_string());
    }
    let ours: Vec<String> = ours.into_iter().collect();
    match printed_by_mlir(&ours) {
        Some(theirs) => compare(&ours, &ours, &theirs),
        None => eprintln!("not compared: {PROGRAM} is not on the PATH"),
    }
}

fn compare(given: &[String], ours: &[String], theirs: &[String]) {
    assert_eq!(theirs.len(), ours.len());
    for ((given, ours), theirs) in given.iter().zip(ours).zip(theirs) {
        assert_eq!(ours, theirs, "for {given}");
    }
}
