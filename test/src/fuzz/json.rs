//! JSON that is nearly right.

use dlc_ir::random::Random;

/// What is put in: the words of the forms that are read, and what JSON allows elsewhere.
const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "1e999",
    "99999999999999999999999",
    "4611686018427387904",
    "{}",
    "[]",
    "\"\"",
    "\"x\"",
    "\"M\"",
    "\"2*M - 1\"",
    "\"M floordiv 0\"",
    "\"\\ud800\"",
    "\"inf\"",
    "\"uop\"",
    "\"src\"",
    "\"arg\"",
    "\"out\"",
    "\"dtype\"",
    "\"shape\"",
    "\"fp16\"",
    "\"bool\"",
    "\"uint64\"",
    "\"ADD\"",
    "\"CONST\"",
    "\"PAD\"",
    "\"EXPAND\"",
    "\"REDUCE\"",
    "\"CONTRACT\"",
    "\"WHERE\"",
    "\"INDEX\"",
    "\"RANGE\"",
    "\"axes\"",
    "\"value\"",
    "\"values\"",
    "{\"gt\": \"x,0\"}",
    "{\"mul\": [\"x\", 2.0]}",
    "[0, 0]",
    "[1, \"M\"]",
    "[[[[[[]]]]]]",
    "// \n",
];

/// A text with some of its tokens deleted, doubled, exchanged or replaced, or its end cut off.
pub fn mutate_json(rng: &mut Random, text: &str) -> String {
    let mut pieces = tokens(text);
    for _ in 0..rng.below(5) + 1 {
        let (at, other) = (rng.below(pieces.len()), rng.below(pieces.len()));
        if pieces.is_empty() {
            break;
        }
        match rng.below(7) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[other].clone()),
            2 => pieces.swap(at, other),
            3 => pieces.insert(at, rng.one_of(WORDS).into()),
            // Most mistakes leave JSON as it is.
            4 | 5 => {
                let of_a_kind: Vec<usize> =
                    (0..pieces.len()).filter(|&i| kind(&pieces[i]) == kind(&pieces[at])).collect();
                let from = rng.pick(&of_a_kind).copied().unwrap_or(at);
                pieces[at] = if rng.one_in(2) { pieces[from].clone() } else { rng.one_of(WORDS).into() };
            }
            _ => pieces.truncate(if rng.one_in(4) { at } else { pieces.len() }),
        }
    }
    pieces.concat()
}

/// A text in which one to three tokens are others of the same text that look alike. Most such texts are JSON.
pub fn exchange_json(rng: &mut Random, text: &str) -> String {
    let mut pieces = tokens(text);
    let words: Vec<usize> = (0..pieces.len())
        .filter(|&at| pieces[at].starts_with(|first: char| first == '"' || first.is_alphanumeric()))
        .collect();
    for _ in 0..1 + rng.below(3) {
        let Some(&at) = rng.pick(&words) else { break };
        let is_key = |at: usize| pieces.get(at + 1).is_some_and(|next| next == ":");
        let alike = |&other: &usize| kind(&pieces[other]) == kind(&pieces[at]) && is_key(other) == is_key(at);
        let alike: Vec<usize> = words.iter().copied().filter(alike).collect();
        if let Some(&other) = rng.pick(&alike) {
            pieces[at] = pieces[other].clone();
        }
    }
    pieces.concat()
}

fn kind(piece: &str) -> Option<u8> {
    piece.bytes().next().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte })
}

/// Strings, numbers and words, signs, blanks.
fn tokens(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        let mut piece = String::from(first);
        if first == '"' {
            while let Some(next) = chars.next_if(|&next| next != '\n') {
                piece.push(next);
                match next {
                    '"' => break,
                    '\\' => piece.extend(chars.next()),
                    _ => {}
                }
            }
        } else if first.is_alphanumeric() || first == '-' {
            while let Some(next) = chars.next_if(|next| next.is_alphanumeric() || ".+-".contains(*next)) {
                piece.push(next);
            }
        } else if first.is_whitespace() {
            while let Some(next) = chars.next_if(|next| next.is_whitespace()) {
                piece.push(next);
            }
        }
        pieces.push(piece);
    }
    pieces
}
