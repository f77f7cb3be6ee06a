//! Text that is probably wrong.

use dlc_ir::random::Random;

/// Up to a few hundred bytes, most of them printable.
pub fn bytes(rng: &mut Random) -> Vec<u8> {
    let len = rng.below(300);
    let byte = |rng: &mut Random| if rng.one_in(8) { rng.bits() as u8 } else { b' ' + rng.below(95) as u8 };
    (0..len).map(|_| byte(rng)).collect()
}

/// The pieces of the language.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    "::",
    ":",
    "=",
    "->",
    "-",
    "+",
    "*",
    "?",
    "/",
    "...",
    "{-#",
    "#-}",
    "//",
    "\n",
    " ",
    "%0",
    "%1",
    "%x",
    "%x#1",
    "%0:2",
    "%4000000000",
    "^bb0",
    "^bb1",
    "^x",
    "@f",
    "@\"odd\\22\"",
    "!x.y",
    "!t",
    "!x<",
    "#a",
    "#b",
    "#x.y",
    "#x.y<",
    "#a = ",
    "\n#a = ",
    "\n!t = ",
    "0",
    "1",
    "-1",
    "255",
    "1.5",
    "1.0e5",
    "0x1F",
    "0x7F800000",
    "99999999999999999999999999999999999999999",
    "\"x.y\"",
    "\"a\"",
    "\"\\FF\"",
    "\"\\q\"",
    "\"open",
    "\"x.y\"() : () -> ()",
    "\"x.y\"(%0) : (i32) -> i32",
    "i32",
    "i1",
    "i0",
    "i127",
    "i128",
    "si8",
    "ui8",
    "index",
    "f32",
    "f64",
    "f8E4M3FN",
    "tf32",
    "none",
    "tuple<",
    "tensor<",
    "tensor<4xf32>",
    "tensor<0x3xi1>",
    "vector<",
    "vector<[4]xi8>",
    "memref<",
    "complex<f32>",
    "true",
    "false",
    "unit",
    "dense<",
    "dense<[1, 2]> : tensor<2xi8>",
    "dense<\"0x0102\">",
    "dense_resource<k> : tensor<2xi8>",
    "array<",
    "array<i32: 1>",
    "affine_map<",
    "affine_map<(d0)[s0] -> (d0 + s0)>",
    "affine_set<(d0) : (d0 >= 0)>",
    "distinct[0]<",
    "strided<[1]>",
    "sparse<",
    "opaque<",
    "loc(",
    "loc(unknown)",
    "loc(\"f\":1:2)",
    "fused",
    "callsite",
    "at",
    "unknown",
    "to",
    "module",
    "module {",
    "builtin.module",
    "attributes",
    "dialect_resources",
    "builtin",
    "k",
    "{a = ",
    "{a}",
    "sample.func",
    "func",
    "@f()",
    "addi",
    "sample.addi",
    "return",
    "sample.br",
    "sample.loop",
    "sample.if",
    "sample.sum",
    "sample.dot",
    "sample.constant",
    "by",
    "else",
    "carry",
];

/// Tokens in random order.
pub fn soup(rng: &mut Random) -> String {
    let len = rng.below(60);
    let mut text = String::new();
    for _ in 0..len {
        text += rng.one_of(TOKENS);
        if !rng.one_in(3) {
            text.push(' ');
        }
    }
    text
}

/// A text with a few changes.
pub fn mutate(rng: &mut Random, text: &str) -> Vec<u8> {
    // A piece of it is enough, and quicker.
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let start = if rng.one_in(2) { rng.below(lines.len()) } else { 0 };
    let count = if rng.one_in(2) { rng.below(lines.len() - start) + 1 } else { lines.len() };
    let mut pieces: Vec<Vec<u8>> = lines.iter().skip(start).take(count).flat_map(|line| tokens(line)).collect();
    for _ in 0..rng.below(5) {
        let (at, other) = (rng.below(pieces.len()), rng.below(pieces.len()));
        if pieces.is_empty() {
            break;
        }
        match rng.below(8) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[other].clone()),
            2 => pieces.swap(at, other),
            3 => pieces.insert(at, rng.one_of(TOKENS).into()),
            4 => pieces[at] = rng.one_of(TOKENS).into(),
            5 => pieces.truncate(at),
            6 => {
                // A run of tokens, doubled.
                let end = pieces.len().min(at + rng.below(20));
                let run = pieces[at..end].to_vec();
                pieces.splice(other..other, run);
            }
            _ => {
                let piece = &mut pieces[at];
                let byte = rng.below(piece.len());
                piece[byte] = if rng.one_in(4) { rng.bits() as u8 } else { b' ' + rng.below(95) as u8 };
            }
        }
    }
    let mut bytes = pieces.concat();
    if rng.one_in(4) {
        bytes.truncate(rng.below(bytes.len() + 1));
    }
    bytes
}

/// A text in which one to three words are others of the same text that look alike: values, numbers, types, other words.
/// Most such texts parse.
pub fn exchange(rng: &mut Random, text: &str) -> String {
    let mut pieces: Vec<Vec<u8>> = text.split_inclusive('\n').flat_map(tokens).collect();
    // An op that begins a line is alike to others, an operand to others.
    let kind = |piece: &[u8]| match piece {
        [first @ (b'%' | b'@' | b'#' | b'!' | b'^'), ..] => *first,
        [first, ..] if first.is_ascii_digit() => b'0',
        [first, rest @ ..] if first.is_ascii_alphabetic() && rest.iter().any(u8::is_ascii_digit) => b't',
        [first, ..] if first.is_ascii_alphabetic() => b'a',
        _ => 0,
    };
    let words: Vec<usize> = (0..pieces.len()).filter(|&at| kind(&pieces[at]) != 0).collect();
    for _ in 0..1 + rng.below(3) {
        let Some(&at) = rng.pick(&words) else { break };
        let alike: Vec<usize> =
            words.iter().copied().filter(|&other| kind(&pieces[other]) == kind(&pieces[at])).collect();
        if let Some(&other) = rng.pick(&alike) {
            pieces[at] = pieces[other].clone();
        }
    }
    String::from_utf8_lossy(&pieces.concat()).into_owned()
}

/// Bytes of which some are changed, left out, doubled or put in.
pub fn mutate_bytes(rng: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len());
        let end = (at + 1 + rng.below(8)).min(bytes.len());
        match rng.below(6) {
            _ if bytes.is_empty() => break,
            0 => bytes[at] = rng.bits() as u8,
            1 => bytes[at..end].fill([0, 0x7f, 0xff][rng.below(3)]),
            2 => drop(bytes.drain(at..end)),
            3 => drop(bytes.splice(at..at, b"99999999999999999999".iter().copied().take(1 + rng.below(20)))),
            4 => {
                let piece = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            _ => bytes.truncate(if rng.one_in(4) { at } else { bytes.len() }),
        }
    }
    bytes
}

/// Words, and every other byte for itself.
fn tokens(line: &str) -> impl Iterator<Item = Vec<u8>> {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.%@#!^".contains(byte);
    line.as_bytes().chunk_by(move |a, b| word(a) && word(b)).map(<[u8]>::to_vec)
}
