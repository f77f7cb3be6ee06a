//! Conversions, run on registers that hold their elements.

use super::{Draw, Random, place, registers};
use crate::layout::{Bits, Conversion, Distributed, Fragment, LANES};

/// Runs a conversion and compares each register of the target. Gives the number of its rounds that exchange, or `None`
/// where it goes through shared memory.
fn check(source: &Fragment, target: &Fragment) -> Option<usize> {
    let (given, wanted) = (source.table(), target.table());
    match source.convert(target).unwrap() {
        Conversion::Shared => None,
        Conversion::Registers(sources) => {
            assert_eq!(sources.len() as u32, target.registers());
            for (r, l, w) in registers(target).filter(|&(r, l, w)| wanted.element(r, l, w).is_some()) {
                assert_eq!(given.element(sources[r as usize], l, w), wanted.element(r, l, w));
            }
            Some(0)
        }
        Conversion::Shuffles(shuffles) => {
            for warp in 0..target.warps() {
                let mut got = vec![vec![None; target.registers() as usize]; LANES as usize];
                for &round in &shuffles.rounds {
                    let step = |lane| shuffles.step(round, lane, warp);
                    let gives: Vec<Option<u32>> = (0..LANES).map(|lane| step(lane).give).collect();
                    for lane in 0..LANES {
                        if shuffles.is_local(round) {
                            assert_eq!(step(lane).from, lane);
                        }
                        let taken = gives[step(lane).from as usize];
                        if let Some(into) = step(lane).into {
                            let element = taken.and_then(|r| given.element(r, step(lane).from, warp));
                            got[lane as usize][into as usize] = element;
                        }
                    }
                }
                for (r, l) in (0..target.registers()).flat_map(|r| (0..LANES).map(move |l| (r, l))) {
                    let element = wanted.element(r, l, warp);
                    assert!(element.is_none() || got[l as usize][r as usize] == element, "{r} {l} {warp}");
                }
            }
            Some(shuffles.rounds.iter().filter(|&&round| !shuffles.is_local(round)).count())
        }
    }
}

#[test]
fn named_layouts() {
    let blocked = "blocked [1, 8] lanes [4, 8] warps [4, 1]";
    for (source, target, shape, bits, rounds) in [
        ("wgmma", "wgmma", &[64, 80][..], 32, Some(0)),
        // The accumulator is the A operand of 16-bit elements; of 8-bit elements a quad exchanges.
        ("wgmma", "wgmma_a", &[128, 48], 16, Some(0)),
        ("wgmma", "mma [4, 1]", &[64, 80], 16, Some(0)),
        ("wgmma", "wgmma_a", &[64, 64], 8, Some(32)),
        ("wgmma_a", "wgmma", &[64, 96], 8, Some(48)),
        // Rows of eight in one thread, over eight lanes: each lane keeps one of its own.
        (blocked, "blocked [1, 1] lanes [4, 8] warps [4, 1]", &[16, 64], 16, Some(7)),
        // Pairs of rows become pairs of columns: neighbours exchange one of their two.
        (
            "blocked [2, 1] lanes [16, 2] warps [4, 1]",
            "blocked [1, 2] lanes [32, 1] warps [4, 1]",
            &[128, 2],
            32,
            Some(1),
        ),
        // A copy that is there already.
        ("slice 1 of (wgmma)", "slice 1 of (mma [4, 1])", &[64], 32, Some(0)),
        ("mma_a [2, 2]", "mma_a [2, 2]", &[32, 32], 16, Some(0)),
        ("mma_a [1, 4]", "blocked [1, 2] lanes [8, 4] warps [1, 4]", &[16, 32], 16, Some(0)),
        // Another warp has it.
        ("wgmma", blocked, &[64, 64], 16, None),
        ("mma [4, 1]", "mma [1, 4]", &[64, 64], 32, None),
        ("slice 1 of (wgmma)", "blocked [1] lanes [32] warps [4]", &[64], 32, None),
    ] {
        let (from, to) = (place(source, shape, bits, 4), place(target, shape, bits, 4));
        assert_eq!(check(&from, &to), rounds, "{source} to {target} of {shape:?}");
    }
}

/// A renaming says which register is which.
#[test]
fn renamed_registers() {
    let source = place("blocked [2, 4] lanes [32, 1] warps [1, 1]", &[64, 4], 32, 1);
    let target = place("blocked [2, 4] lanes [32, 1] warps [1, 1] order [0, 1]", &[64, 4], 32, 1);
    assert_eq!(source.convert(&target), Ok(Conversion::Registers(vec![0, 4, 1, 5, 2, 6, 3, 7])));
}

/// A layout of 2^9 elements: 8 registers, 32 lanes and 2 warps, both warps with the same half of the bits.
fn random(numbers: &mut Random) -> Fragment {
    loop {
        let mut column = |top: u32| vec![numbers.index(256) | top << 8];
        let register = (0..3).map(|_| column(0)).collect();
        let lane = (0..5).map(|_| column(0)).collect();
        let layout = Distributed::Bits(Bits { register, lane, warp: vec![column(1)] });
        if let Ok(fragment) = layout.place(&[1 << 9], 32, 2) {
            return fragment;
        }
    }
}

/// Where both layouts give each warp the same elements, once each, lanes always find a way, in one round a register.
#[test]
fn lanes_always_find_a_way() {
    let mut numbers = Random::new(17);
    for _ in 0..150 {
        let (source, target) = (random(&mut numbers), random(&mut numbers));
        let rounds = check(&source, &target);
        assert!(rounds.is_some_and(|rounds| rounds <= 8), "{} to {}", source.map(), target.map());
    }
}

/// Layouts that replicate: whatever is found is right.
#[test]
fn replicated_layouts() {
    let mut numbers = Random::new(19);
    let mut found = 0;
    for _ in 0..150 {
        let mut layout = |registers: usize| loop {
            let mut column = |top: u32| match numbers.index(4) {
                0 => vec![0],
                _ => vec![numbers.index(64) | top << 6],
            };
            let register = (0..registers).map(|_| column(0)).collect();
            let lane = (0..5).map(|_| column(0)).collect();
            let layout = Distributed::Bits(Bits { register, lane, warp: vec![column(1)] });
            let size = 40 + numbers.index(89);
            if let Ok(fragment) = layout.place(&[size.next_power_of_two()], 32, 2) {
                return fragment;
            }
        };
        let source = layout(3);
        let target = loop {
            let target = layout(4);
            if target.shape() == source.shape() {
                break target;
            }
        };
        found += usize::from(check(&source, &target).is_some());
    }
    assert!(found > 40, "{found}");
}

#[test]
fn what_is_no_conversion() {
    let source = place("wgmma", &[64, 8], 32, 4);
    let other = source.convert(&place("wgmma", &[64, 16], 32, 4)).unwrap_err();
    assert_eq!(other, "the source has the shape [64, 8], the target [64, 16]");
    let other = source.convert(&place("blocked [1, 8] lanes [32, 1] warps [2, 1]", &[64, 8], 32, 2)).unwrap_err();
    assert_eq!(other, "the source is in 4 warps, the target in 2");
}
