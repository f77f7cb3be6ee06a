//! What is read and written again, and what is wrong with texts that are not read.

use super::*;

fn names(relation: &Relation, piece: usize) -> (Vec<String>, Vec<String>) {
    (relation.pieces[piece].dims.clone(), relation.symbols.clone())
}

/// Reads a text, and writes it again.
fn again(text: &str) -> String {
    let relation = read(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let (mut pieces, mut last) = (Vec::new(), (Vec::new(), relation.symbols.clone()));
    for (index, piece) in relation.pieces.iter().enumerate() {
        last = names(&relation, index);
        let names = Names { dims: &last.0, symbols: &last.1 };
        let image = piece.image.as_ref().map(|image| (image.tensor.as_str(), &image.at[..]));
        pieces.push(names.piece(image, &piece.constraints).expect("it is affine"));
    }
    Names { dims: &last.0, symbols: &last.1 }.relation(&pieces)
}

#[test]
fn what_is_written_reads_the_same() {
    for text in [
        "{ }",
        "{ [] }",
        "{ [] -> y[] }",
        "[M, N, K] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < K }",
        "{ [m, n, k] -> X[m, k] }",
        "[H] -> { [h, k] -> X[2*h + k - 1] : 2*h + k <= H and 1 <= 2*h + k }",
        "[M] -> { [i] : 1 <= i < M; [i] : i = 0 }",
        "{ [i, j] -> X[floor((4*i + j)/8), i - 4*floor((i)/4)] }",
        "{ [i] -> X[-i + 7] }",
        "[M] -> { [i] : 0 <= i and i < M and i < 8 }",
    ] {
        assert_eq!(again(text), text);
    }
}

#[test]
fn signs_chains_and_remainders_have_one_form() {
    assert_eq!(again("[ M ]->{[ i,j ]:M>i>=0 and 3 > j > -1}"), "[M] -> { [i, j] : 0 <= i < M and 0 <= j < 3 }");
    assert_eq!(again("[M] -> { [i] -> X[(i + 1)*2 - (i - M)] }"), "[M] -> { [i] -> X[i + M + 2] }");
    let dims = ["i".to_string()];
    let names = Names { dims: &dims, symbols: &[] };
    let i = AffineExpr::Dim(0);
    let text = |expr: Option<AffineExpr>| names.expr(&expr.expect("it fits")).expect("it is affine");
    assert_eq!(text(i.modulo(&4.into()).ok()), "i - 4*floor((i)/4)");
    assert_eq!(text(i.ceildiv(&4.into()).ok()), "floor((i + 3)/4)");
    assert_eq!(names.expr(&AffineExpr::Dim(1)), None);
}

#[test]
fn what_is_wrong_is_said() {
    let deep = format!("{{ [i] : {}i{} < 1 }}", "(".repeat(200), ")".repeat(200));
    for (text, kind, message) in [
        ("", IslErrorKind::Syntax, "expected '{', found the end"),
        ("{ [i] : 0 <= i < 4", IslErrorKind::Syntax, "expected '}', found the end"),
        ("{ [i] } x", IslErrorKind::Syntax, "expected the end, found 'x'"),
        ("{ [i, i] }", IslErrorKind::Syntax, "the name 'i' is there twice"),
        ("[i] -> { [i] }", IslErrorKind::Syntax, "the name 'i' is there twice"),
        ("{ [i] : i }", IslErrorKind::Syntax, "expected a comparison, found '}'"),
        ("{ [i] : i < 99999999999999999999 }", IslErrorKind::Syntax, "does not fit 64 bits"),
        ("{ [i] : i & 1 }", IslErrorKind::Syntax, "'&' has no meaning here"),
        ("{ [max] }", IslErrorKind::Syntax, "expected a name, found 'max'"),
        ("{ [i] : floor(i) < 1 }", IslErrorKind::Syntax, "expected '/', found ')'"),
        (&deep, IslErrorKind::Syntax, "nested more than 100 deep"),
        ("{ [i] -> X[i % 4] }", IslErrorKind::Modulo, "'%' is kept"),
        ("{ [i] -> X[i mod 4] }", IslErrorKind::Modulo, "'mod' is kept"),
        ("{ [i] : (i + 1) mod 4 = 0 }", IslErrorKind::Modulo, "'mod' is kept"),
        ("{ [i, j] -> X[i*j] }", IslErrorKind::NonAffine, "one side of a product is a number"),
        ("{ [i] -> X[floor(i/0)] }", IslErrorKind::NonAffine, "the divisor must be positive"),
        ("{ [i] : i < 9223372036854775807*2 }", IslErrorKind::NonAffine, "64 bits"),
        ("{ [i] -> X[j] }", IslErrorKind::UnknownName, "'j' is neither"),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(error.kind, kind, "{text}: {error:?}");
        assert!(error.message.contains(message), "{text}: {error:?}");
    }
}

#[test]
fn names_that_isl_reads() {
    assert!(is_name("X_1") && is_name("_0") && !is_name("0x") && !is_name("a.b") && !is_name("floor") && !is_name(""));
    assert_eq!(name_like("a.b", &|_| false), "a_b");
    assert_eq!(name_like("12", &|_| false), "v12");
    assert_eq!(name_like("max", &|name| name == "max_"), "max__");
}
