//! Sizes for the symbols of a kernel.

use dlc_core::sizes::Bindings;
use dlc_ir::random::Random;

/// The sizes that are drawn, on both sides of the tiles that kernels have, the smallest first.
const SIZES: [i64; 15] = [1, 8, 15, 16, 56, 63, 64, 65, 72, 127, 128, 129, 136, 200, 328];

/// The greatest size on a side of a boundary.
const MOST: i64 = 400;

/// How far from a boundary a size may be that a kernel is for: copies are of 16 bytes.
const REACH: i64 = 16;

/// First small sizes, then larger ones of one symbol after another, so that loops have many rounds while there are few
/// blocks.
pub fn draw(symbols: &[String], attempt: usize, random: &mut Random) -> Option<Vec<i64>> {
    (0..symbols.len())
        .map(|at| {
            let large = attempt % 2 == 1 && at == attempt / 2 % symbols.len();
            let from = if large {
                4 + random.below(SIZES.len() - 4)
            } else {
                random.below((4 + attempt / 4).min(SIZES.len()))
            };
            SIZES.get(from).copied()
        })
        .collect()
}

/// The sizes as the symbols of a kernel.
pub fn bound(symbols: &[String], sizes: &[i64]) -> Option<Bindings> {
    let mut bindings = Bindings::default();
    symbols.iter().zip(sizes).try_for_each(|(symbol, &size)| bindings.set(symbol, size)).ok()?;
    Some(bindings)
}

/// Where the text of a kernel changes with a symbol: the number of the symbol, the greatest size on the one side of the
/// first boundary, and how far it is to the next one, if there are more.
fn boundaries(text: &str, symbols: &[String]) -> Vec<(usize, i64, Option<i64>)> {
    let spaced: String = text.chars().map(|c| if "(),[]{}:*+".contains(c) { ' ' } else { c }).collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut found = Vec::new();
    for at in words.windows(3) {
        let symbol = |word: &str| symbols.iter().position(|symbol| symbol == word);
        let (left, right) = (symbol(at[0]), symbol(at[2]));
        let number = |word: &str| word.parse::<i64>().ok().filter(|&number| number > 0);
        found.extend(match (left, number(at[2]), number(at[0]), right) {
            (Some(symbol), Some(number), ..) => match at[1] {
                "ceildiv" => Some((symbol, number, Some(number))),
                "floordiv" | "mod" => Some((symbol, number - 1, Some(number))),
                "<" | ">=" | "==" => Some((symbol, number - 1, None)),
                "<=" | ">" => Some((symbol, number, None)),
                _ => None,
            },
            (_, _, Some(number), Some(symbol)) => match at[1] {
                "<=" | ">" => Some((symbol, number - 1, None)),
                "<" | ">=" => Some((symbol, number, None)),
                _ => None,
            },
            _ => None,
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Sizes on both sides of a boundary: those to be tried for each side, the nearest first.
pub fn sides(text: &str, symbols: &[String], attempt: usize, random: &mut Random) -> Option<[Vec<Vec<i64>>; 2]> {
    let mut all = boundaries(text, symbols);
    all.retain(|&(_, first, _)| first <= MOST);
    let &(symbol, first, next) = all.get(random.below(all.len()))?;
    let more = next.map_or(0, |next| ((MOST - first) / next).min(6));
    // Few rounds are more frequent than many.
    let turns = random.below(1 + random.clone().below(more as usize + 1)) as i64;
    let below = first + next.unwrap_or(0) * turns;
    let sizes: Vec<i64> = symbols.iter().map(|_| SIZES[random.below(4 + attempt)]).collect();
    let at = |size: i64| {
        let mut sizes = sizes.clone();
        sizes[symbol] = size;
        sizes
    };
    let low = (below - REACH + 1..=below).rev().filter(|&size| size > 0);
    Some([low.map(at).collect(), (below + 1..=below + REACH).map(at).collect()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_a_boundary() {
        let symbols = ["M".to_string(), "K".to_string()];
        let text = "require (K mod 8 == 0)\ngrid (M ceildiv 128) threads 32 {\n if (M < 2000) {\n if (K >= 5) {";
        let wanted = [(0, 128, Some(128)), (0, 1999, None), (1, 4, None), (1, 7, Some(8))];
        assert_eq!(boundaries(text, &symbols), wanted);
        let mut random = Random::new(1);
        for attempt in 0..8 {
            let [below, above] = sides(text, &symbols, attempt, &mut random).expect("there are boundaries");
            assert!(!below.is_empty() && above.len() == 16);
            let differ = |at: usize| below[0][at] + 1 == above[0][at];
            assert!(differ(0) != differ(1), "{below:?} {above:?}");
        }
        assert!(sides("", &symbols, 0, &mut random).is_none());
    }
}
