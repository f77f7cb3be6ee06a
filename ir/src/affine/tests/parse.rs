//! Reading: errors with their places, and texts that must neither panic nor exhaust the stack.

use super::super::{AffineErrorKind, AffineMap, IntegerSet, MAX_NESTING, Ranges, SizeExpr};
use super::Random;

/// Checks the kind and the text at the span of the error.
fn check(text: &str, kind: AffineErrorKind, at: &str) {
    let error = AffineMap::parse(text).expect_err(text);
    assert_eq!((error.kind, &text[error.span.clone()]), (kind, at), "{text}: {error}");
}

#[test]
fn errors_have_their_place() {
    check("(i) -> (j)", AffineErrorKind::UnknownName, "j");
    check("(i, i) -> (i)", AffineErrorKind::DuplicateName, "i");
    check("(i)[i] -> (i)", AffineErrorKind::DuplicateName, "i");
    check("(i, j) -> (i * j)", AffineErrorKind::NonAffine, "*");
    check("(i, j) -> ((i + 1) mod (2 - j))", AffineErrorKind::NonAffine, "mod");
    check("(i) -> (i floordiv (1 - 1))", AffineErrorKind::Divisor, "floordiv");
    check("(i) -> (9223372036854775808)", AffineErrorKind::IntegerTooLarge, "9223372036854775808");
    check("(i) -> (i * 4611686018427387904 * 2)", AffineErrorKind::Overflow, "*");
    check("(i) -> (-(-9223372036854775808))", AffineErrorKind::Overflow, "-9223372036854775808");
    check("(i) -> (i +)", AffineErrorKind::Syntax, ")");
    check("(i) -> (2i)", AffineErrorKind::Syntax, "2");
    check("(i) -> (i floordiv2)", AffineErrorKind::Syntax, "f");
    check("(i) -> (é)", AffineErrorKind::Syntax, "é");
    check("(i) -> (i", AffineErrorKind::Syntax, "");
    check("affine_map<(i) -> (i)", AffineErrorKind::Syntax, "");
    check("", AffineErrorKind::Syntax, "");
    let error = IntegerSet::parse("(i) : (i > 1)").expect_err("not a relation");
    assert_eq!((error.kind, error.span), (AffineErrorKind::Syntax, 9..10));
}

#[test]
fn syntax_errors_say_what_was_expected() {
    let expected = |text: &str| AffineMap::parse(text).expect_err(text).expected;
    assert_eq!(expected("(i) -> (i"), ["')'", "an operator"]);
    assert_eq!(expected("(i) (i)"), ["the symbols in brackets", "'->'"]);
    assert_eq!(expected("(i) -> (i) x"), ["the end of the text"]);
    let error = SizeExpr::parse("2*").expect_err("no operand");
    assert_eq!(error.to_string(), "expected an expression");
}

#[test]
fn long_and_deep_texts_are_refused_or_read() {
    // On the smallest stack that a thread of the compiler has.
    let run = || {
        let nested = |depth: usize| format!("(i) -> ({}i{})", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(AffineMap::parse(&nested(MAX_NESTING)), AffineMap::parse("(i) -> (i)"));
        let error = AffineMap::parse(&nested(MAX_NESTING + 1)).expect_err("too deep");
        assert_eq!((error.kind, error.span.start), (AffineErrorKind::TooLarge, 8 + MAX_NESTING));
        assert!(AffineMap::parse(&"(".repeat(100_000)).is_err());
        assert!(SizeExpr::parse(&format!("{}M", "(1+".repeat(100_000))).is_err());

        let minus = SizeExpr::parse(&format!("{}M", "-".repeat(10_001))).expect("signs are read in a loop");
        assert_eq!(minus.to_string(), "-M");
        let digits = format!("(i) -> (i + {})", "7".repeat(1000));
        let error = AffineMap::parse(&digits).expect_err("a thousand digits");
        assert_eq!((error.kind, error.span), (AffineErrorKind::IntegerTooLarge, 12..1012));

        let dims: Vec<String> = (0..2000).map(|index| format!("x{index}")).collect();
        let sum = format!("({}) -> ({})", dims.join(", "), dims.join(" + "));
        assert_eq!(AffineMap::parse(&sum).expect_err("a long sum").kind, AffineErrorKind::TooLarge);
        let chain = format!("(i)[n] -> (i{})", " mod n floordiv n".repeat(5000));
        assert_eq!(AffineMap::parse(&chain).expect_err("a long chain").kind, AffineErrorKind::TooLarge);
        let chain = format!("M{}", " floordiv 3 * 2 + 1".repeat(5000));
        assert!(SizeExpr::parse(&chain).is_ok(), "a sum of constants");
        let nested = (0..190).fold("M".to_owned(), |text, _| format!("(({text}) floordiv 3 * 2 + N) mod 7"));
        let _ = SizeExpr::parse(&nested).map(|size| size.to_string());
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread");
    thread.join().expect("no panic");
}

/// Random words of the languages in random order, and well-formed texts with words exchanged.
#[test]
fn no_text_panics() {
    let words = [
        "(",
        ")",
        "[",
        "]",
        "->",
        ":",
        ",",
        "d0",
        "d1",
        "s0",
        "M",
        "+",
        "-",
        "*",
        "floordiv",
        "ceildiv",
        "mod",
        "==",
        ">=",
        "<=",
        "0",
        "1",
        "2",
        "7",
        "9223372036854775807",
        "-9223372036854775808",
        "0x",
        "0xfffffffffffffffff",
        "affine_map<",
        "affine_set<",
        ">",
        "//",
        "\n",
        " ",
        "é",
        "\0",
        "_",
        ".",
        "$",
        "\"",
    ];
    let good = [
        "(d0, d1)[s0] -> (d0 + s0 * 2, -d1 mod 7)",
        "(d0)[s0] : (d0 - 1 >= 0, d0 mod 2 == 0)",
        "(M + 3) floordiv 4 * M",
    ];
    let mut random = Random::new(6);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let text = if random.within(0, 1) == 0 {
            (0..random.within(0, 14)).map(|_| random.one_of(&words)).collect::<Vec<_>>().join(" ")
        } else {
            let mut tokens: Vec<&str> = random.one_of(&good).split(' ').collect();
            let place = random.within(0, tokens.len() as i64 - 1) as usize;
            tokens[place] = random.one_of(&words);
            tokens.join(" ")
        };
        for error in [AffineMap::parse(&text).err(), IntegerSet::parse(&text).err(), SizeExpr::parse(&text).err()] {
            match error {
                Some(error) => assert!(text.get(error.span.clone()).is_some(), "{text:?} at {:?}", error.span),
                None => accepted += 1,
            }
        }
        if let Ok(map) = AffineMap::parse(&text) {
            assert_eq!(AffineMap::parse(&map.to_string()), Ok(map));
        }
    }
    assert!(accepted > 500, "{accepted}");
}

/// What is looked at one by one is bounded in number: without that, these would take minutes.
#[test]
fn wide_texts_do_not_take_long() {
    let sum = |count: usize, term: &dyn Fn(usize) -> String| (0..count).map(term).collect::<Vec<_>>().join(" + ");
    for text in [
        format!("({}) floordiv 4", sum(400, &|index| format!("2*(M{index} floordiv 3)"))),
        format!("({}) floordiv 12", sum(400, &|index| format!("{}*(M floordiv {})", index + 1, index + 2))),
        format!("({}) mod (N + 1)", sum(400, &|index| format!("M{index}*(K floordiv {})", index + 2))),
        format!("({}) floordiv 6 * N mod 5", sum(400, &|index| format!("M{index} mod {}", index + 2))),
    ] {
        let size = SizeExpr::parse(&text).expect("small enough");
        assert_eq!(SizeExpr::parse(&size.to_string()), Ok(size));
    }
    let dims = (0..200).map(|index| format!("d{index}")).collect::<Vec<_>>().join(", ");
    let remainders = sum(200, &|index| format!("2 * (d{index} mod {})", index + 2));
    let map = AffineMap::parse(&format!("({dims}) -> (({remainders}) floordiv 12)")).expect("small enough");
    let simplified = map.simplify_under(&Ranges::of_sizes(&[7; 200]));
    assert_eq!(AffineMap::parse(&simplified.to_string()), Ok(simplified));
}
