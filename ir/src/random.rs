//! Pseudorandom numbers that depend on nothing but a seed: the one generator of tests, fuzzers and evaluators.
//!
//! It is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).

/// What the state grows by at each step: two to the 64th divided by the golden ratio, made odd.
pub const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// The output function of SplitMix64: a permutation of the 64-bit numbers.
pub const fn mix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

/// A generator. Two with the same seed give the same numbers on every machine.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The generator of a numbered case. The cases of one seed are independent of each other.
    pub fn of_case(seed: u64, case: u64) -> Random {
        Random(Random(seed).bits() ^ case.wrapping_mul(GAMMA))
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }

    /// A number below `limit`; 0 when that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.bits() % limit as u64) as usize }
    }

    /// A number of `lo..=hi`, which is not empty.
    pub fn within(&mut self, lo: i64, hi: i64) -> i64 {
        lo + (self.bits() % (hi - lo + 1) as u64) as i64
    }

    /// A float in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True once in `times` calls on average.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of some items, or `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// One of some items.
    ///
    /// # Panics
    /// If there are none.
    pub fn one_of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs from the state 0, as the program of its authors prints them.
    #[test]
    fn it_is_splitmix64() {
        let mut random = Random::new(0);
        let outputs = [(); 3].map(|()| random.bits());
        assert_eq!(outputs, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]);
    }

    #[test]
    fn numbers_are_in_their_range() {
        let mut random = Random::of_case(1, 2);
        for _ in 0..1000 {
            assert!(random.below(3) < 3 && (-2..=2).contains(&random.within(-2, 2)) && random.unit() < 1.0);
        }
        assert_eq!((random.below(0), random.pick::<u8>(&[])), (0, None));
        assert_ne!(Random::of_case(1, 0).bits(), Random::of_case(1, 1).bits());
    }
}
