//! How layouts are spelled, as strings; the custom form is read by the same grammar.

use dlc_ir::Context;
use dlc_ir::define::Kind;

use super::{Draw, Random};
use crate::layout::{Distributed, Shared};

#[test]
fn spellings_print_back() {
    for text in [
        "wgmma",
        "wgmma_a",
        "mma [2, 2]",
        "mma_a [4, 1]",
        "mma_b [1, 8]",
        "blocked [1, 8] lanes [4, 8] warps [4, 1]",
        "blocked [8, 1] lanes [32, 1] warps [1, 1] order [0, 1]",
        "blocked [1, 1, 8] lanes [1, 4, 8] warps [2, 2, 1] order [2, 0, 1]",
        "slice 1 of (wgmma)",
        "slice 0 of (slice 1 of (blocked [1, 8] lanes [4, 8] warps [4, 1]))",
        "bits (register [[0, 1], [8, 0]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [])",
    ] {
        assert_eq!(text.parse::<Distributed>().map(|layout| layout.to_string()).as_deref(), Ok(text));
    }
    for text in
        ["row_major", "row_major pitch 72", "col_major", "col_major pitch 8", "swizzle 128", "swizzle 64 rows 128"]
    {
        assert_eq!(text.parse::<Shared>().map(|layout| layout.to_string()).as_deref(), Ok(text));
    }
    assert_eq!("interleaved rows 64".parse::<Shared>().unwrap(), Shared::Panels { span: 16, rows: Some(64) });
}

#[test]
fn what_is_wrong_is_named() {
    for (text, expected) in [
        ("wgmma 3", "expected the end, found '3'"),
        ("mma [2]", "expected ',', found ']'"),
        ("mma [3, 2]", "a grid of warps has powers of two, not 3"),
        ("mma [8, 8]", "a block has 1 to 32 warps, not 64"),
        ("mma [99999999999, 1]", "expected a number of at most 32 bits, found '99999999999, 1]'"),
        ("blocked [1, 8] lanes [4, 8]", "expected 'warps', found the end"),
        ("blocked [1, 8] lanes [4, 4] warps [4, 1]", "a warp has 32 lanes, not 16"),
        ("blocked [1, 3] lanes [4, 8] warps [4, 1]", "the numbers are powers of two up to 4096, not 3"),
        ("blocked [1, 8] lanes [32] warps [4, 1]", "lanes has 1 numbers for 2 axes"),
        (
            "blocked [1, 8] lanes [4, 8] warps [4, 1] order [0, 0]",
            "the order names each axis once, and 0 is one too many",
        ),
        ("slice 2 of (wgmma)", "a layout of rank 2 has no axis 2"),
        ("bits (register [], lane [[1]], warp [])", "the number of a lane has 5 bits, not 1"),
        (
            "bits (register [[1, 2]], lane [[1], [2], [4], [8], [16]], warp [])",
            "a bit adds to 2 coordinates, another to 1",
        ),
    ] {
        assert_eq!(text.parse::<Distributed>().unwrap_err(), expected, "{text}");
    }
    let deep = format!("{}wgmma{}", "slice 0 of (".repeat(100), ")".repeat(100));
    assert!(deep.parse::<Distributed>().unwrap_err().starts_with("expected at most 8 slices"));
    for (text, expected) in [
        ("swizzle 48", "a swizzle has rows of 32, 64 or 128 bytes, not 48"),
        ("swizzle 128 rows 0", "a panel has 0 rows"),
        ("row_major pitch 0", "the pitch is 0"),
        ("swizzle", "expected a number of at most 32 bits, found the end"),
    ] {
        assert_eq!(text.parse::<Shared>().unwrap_err(), expected, "{text}");
    }
}

/// As attributes, layouts are strings in canonical spelling.
#[test]
fn attributes_are_canonical_strings() {
    let ctx = Context::new([]);
    let admits = |text: &str| (Distributed::KIND.admits)(&ctx, ctx.str_attr(text));
    assert!(admits("mma [2, 2]") && !admits("mma [2,2]") && !admits("mma [3, 2]") && !admits("swizzle 128"));
    assert!(!admits("blocked [1, 8] lanes [4, 8] warps [4, 1] order [1, 0]"));
    let admits = |text: &str| (Shared::KIND.admits)(&ctx, ctx.str_attr(text));
    assert!(admits("swizzle 128") && !admits(" swizzle 128") && !admits("swizzle 16") && !admits("wgmma"));
    let layout = Distributed::Wgmma.slice(1);
    assert_eq!(Distributed::get(&ctx, Distributed::make(&ctx, layout.clone())), Some(layout));
    assert_eq!(Distributed::get(&ctx, ctx.i64_attr(1)), None);
    let layout = Shared::Panels { span: 64, rows: Some(8) };
    assert_eq!(Shared::get(&ctx, Shared::make(&ctx, layout)), Some(layout));
}

/// Text made of the pieces of layouts, in any order, is a layout or an error.
#[test]
fn no_text_is_too_odd() {
    let pieces = [
        "wgmma",
        "mma",
        "mma_a",
        "blocked",
        "slice",
        "bits",
        "of",
        "lanes",
        "warps",
        "order",
        "register",
        "lane",
        "warp",
        "(",
        ")",
        "[",
        "]",
        ",",
        "0",
        "1",
        "2",
        "32",
        "4294967295",
        "[1]",
        "[32]",
        "[2, 2]",
        "swizzle",
        "row_major",
        "pitch",
        "é",
    ];
    let mut numbers = Random::new(11);
    for _ in 0..5000 {
        let text: Vec<&str> = (0..1 + numbers.index(9)).map(|_| pieces[numbers.index(30) as usize]).collect();
        let text = text.join(" ");
        if let Ok(layout) = text.parse::<Distributed>() {
            assert_eq!(layout.to_string().parse(), Ok(layout.clone()));
            let shape: Vec<u32> = (0..numbers.index(4)).map(|_| numbers.index(70)).collect();
            let _ = layout.place(&shape, 1 << numbers.index(8), numbers.index(40));
        }
        if let Ok(layout) = text.parse::<Shared>() {
            assert_eq!(layout.to_string().parse(), Ok(layout));
        }
    }
}
