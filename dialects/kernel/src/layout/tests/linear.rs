//! The algebra of linear maps against brute force.

use super::{Draw, Random};
use crate::layout::{Dim, Linear};

const AXES: [Dim; 2] = [Dim::Axis(0), Dim::Axis(1)];

/// A map of `bits` input bits onto two axes of 3 bits, any columns.
fn random(numbers: &mut Random, bits: usize) -> Linear {
    let mut column = || vec![numbers.index(8), numbers.index(8)];
    let register = (0..bits / 2).map(|_| column()).collect();
    let lane = (bits / 2..bits).map(|_| column()).collect();
    Linear::new(&[(Dim::Register, register), (Dim::Lane, lane)], &[(AXES[0], 3), (AXES[1], 3)]).unwrap()
}

#[test]
fn a_map_is_linear_and_counts_its_image() {
    let mut numbers = Random::new(1);
    for _ in 0..200 {
        let bits = numbers.index(9) as usize;
        let map = random(&mut numbers, bits);
        let mut images: Vec<u64> = (0..1 << bits).map(|input| map.apply_flat(input)).collect();
        for (one, other) in [(3, 5), (9, 12)] {
            assert_eq!(map.apply_flat(one ^ other), map.apply_flat(one) ^ map.apply_flat(other));
        }
        images.sort_unstable();
        images.dedup();
        assert_eq!(images.len(), 1 << map.rank());
        assert_eq!(map.is_injective(), images.len() == 1 << bits);
        assert_eq!(map.is_surjective(), images.len() == 64);
        assert_eq!(map.image().len() as u32, map.rank());
        assert!(map.kernel().iter().all(|&input| input != 0 && map.apply_flat(input) == 0));
        assert_eq!(map.kernel().len() as u32 + map.rank(), bits as u32);
    }
}

/// Each output is solved by its least input, and the inputs whose free bits are 0 are just those.
#[test]
fn the_least_input_has_no_free_bits() {
    let mut numbers = Random::new(2);
    for _ in 0..100 {
        let map = random(&mut numbers, 8);
        let free = u64::from(map.free(Dim::Register)) | u64::from(map.free(Dim::Lane)) << 4;
        for output in 0..64 {
            let least = (0..256).find(|&input| map.apply_flat(input) == output);
            assert_eq!(map.solve(output), least, "{map}");
            assert!(least.is_none_or(|input| input & free == 0));
        }
        assert_eq!((0..256u64).filter(|input| input & free == 0).count(), 1 << map.rank());
    }
}

#[test]
fn inverses_undo() {
    let mut numbers = Random::new(3);
    let (mut bijections, mut onto) = (0, 0);
    for _ in 0..300 {
        let bits = 6 + numbers.index(3) as usize;
        let map = random(&mut numbers, bits);
        if let Some(right) = map.right_inverse() {
            onto += 1;
            let round = right.then(&map).unwrap();
            assert!((0..64).all(|output| round.apply_flat(output) == output), "{map}");
        }
        assert_eq!(map.right_inverse().is_some(), map.is_surjective());
        if let Some(inverse) = map.inverse() {
            bijections += 1;
            let round = map.then(&inverse).unwrap();
            assert!((0..1 << bits).all(|input| round.apply_flat(input) == input), "{map}");
        }
        assert_eq!(map.inverse().is_some(), map.is_surjective() && map.is_injective());
    }
    assert!(bijections > 5 && onto > 50);
}

#[test]
fn composition_is_one_after_the_other() {
    let mut numbers = Random::new(4);
    for _ in 0..100 {
        let first = random(&mut numbers, 8);
        // The inputs of the second in another order than the outputs of the first.
        let column = |numbers: &mut Random| vec![numbers.index(64)];
        let columns = |numbers: &mut Random, bits| (0..bits).map(|_| column(numbers)).collect::<Vec<_>>();
        let inputs = [(AXES[1], columns(&mut numbers, 4)), (AXES[0], columns(&mut numbers, 3))];
        let second = Linear::new(&inputs, &[(Dim::Offset, 6)]).unwrap();
        let both = first.then(&second).unwrap();
        for input in 0..256u64 {
            let at = [(Dim::Register, input as u32 & 15), (Dim::Lane, input as u32 >> 4)];
            let between = first.apply(&at);
            let expected = second.apply(&[(AXES[0], between[0]), (AXES[1], between[1])]);
            assert_eq!(both.apply(&at), expected);
        }
    }
    let narrow = Linear::identity(AXES[0], Dim::Offset, 2);
    let error = random(&mut numbers, 4).then(&narrow).unwrap_err();
    assert_eq!(error, "axis0 has 3 bits, of which the next map takes 2");
}

/// A product is the inner map within each piece of the outer one.
#[test]
fn a_product_tiles() {
    let mut numbers = Random::new(5);
    for _ in 0..100 {
        let inner = random(&mut numbers, 6);
        let outer = random(&mut numbers, 4).product(&Linear::zeros(Dim::Warp, 1)).unwrap();
        let both = inner.product(&outer).unwrap();
        for input in 0..1u32 << 11 {
            let (register, lane, warp) = (input & 31, input >> 5 & 31, input >> 10);
            let low = inner.apply(&[(Dim::Register, register & 7), (Dim::Lane, lane & 7)]);
            let high = outer.apply(&[(Dim::Register, register >> 3), (Dim::Lane, lane >> 3), (Dim::Warp, warp)]);
            let expected = vec![low[0] + 8 * high[0], low[1] + 8 * high[1]];
            assert_eq!(both.apply(&[(Dim::Register, register), (Dim::Lane, lane), (Dim::Warp, warp)]), expected);
        }
        assert!(inner.product(&Linear::unit()).unwrap().is_same_map(&inner));
        assert!(Linear::unit().product(&inner).unwrap().is_same_map(&inner));
    }
    let wide = Linear::identity(Dim::Offset, AXES[0], 20);
    assert_eq!(wide.product(&wide).unwrap_err(), "a product of 40 bits, of at most 64 and 32 each");
}

#[test]
fn what_has_no_bits_does_not_count() {
    let one = Linear::new(&[(Dim::Register, vec![vec![1]]), (Dim::Warp, vec![])], &[(AXES[0], 1)]).unwrap();
    let other = Linear::new(&[(Dim::Register, vec![vec![0, 1]])], &[(AXES[1], 0), (AXES[0], 1)]).unwrap();
    assert!(one.is_same_map(&other) && one != other);
    assert!(!one.is_same_map(&Linear::identity(Dim::Lane, AXES[0], 1)));
    assert!(!one.is_same_map(&one.product(&Linear::zeros(Dim::Lane, 1)).unwrap()));
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let refused = |columns: Vec<Vec<u32>>| Linear::new(&[(Dim::Lane, columns)], &[(AXES[0], 3)]).unwrap_err();
    assert_eq!(refused(vec![vec![1], vec![8]]), "bit 1 of lane adds 8 to axis0, which has 8 values");
    assert_eq!(refused(vec![vec![1, 2]]), "bit 0 of lane has 2 numbers for 1 axes");
    let twice = Linear::new(&[(Dim::Lane, vec![]), (Dim::Lane, vec![])], &[]).unwrap_err();
    assert_eq!(twice, "lane is given twice");
}

#[test]
fn a_map_prints_its_columns() {
    let lane = vec![vec![0, 1], vec![2, 3]];
    let map = Linear::new(&[(Dim::Register, vec![]), (Dim::Lane, lane)], &[(AXES[0], 2), (AXES[1], 3)]).unwrap();
    assert_eq!(map.to_string(), "register [], lane [[0, 1], [2, 3]] -> [4, 8]");
    assert_eq!(Linear::unit().to_string(), "-> []");
}
