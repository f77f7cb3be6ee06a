//! The formulas on accesses whose answer is plain, and on all tiles of small programs by counting.

use std::collections::BTreeSet;

use dlc_core::access::Access;
use dlc_ir::affine::SizeExpr;
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::{Body, Context, Diagnostics, verify};
use dlc_passes::analysis::locality::*;

fn expr(text: &str) -> SizeExpr {
    SizeExpr::parse(text).expect(text)
}

fn exprs(texts: &[&str]) -> Vec<SizeExpr> {
    texts.iter().map(|text| expr(text)).collect()
}

fn locality_of(sizes: &[&str], accesses: &[&[&str]]) -> Option<(Vec<String>, String)> {
    let accesses: Vec<Access> = accesses.iter().map(|at| Access::everywhere(exprs(at))).collect();
    let halo = halo(&exprs(sizes), &accesses, 16, 2)?;
    Some((halo.per_axis.iter().map(SizeExpr::to_string).collect(), halo.bytes.to_string()))
}

fn is(per_axis: &[&str], bytes: &str) -> Option<(Vec<String>, String)> {
    Some((per_axis.iter().map(ToString::to_string).collect(), bytes.into()))
}

#[test]
fn halos_of_windows() {
    assert_eq!(locality_of(&["M", "N", "K"], &[&["i0", "i2"]]), is(&["0", "0", "0"], "0"));
    assert_eq!(locality_of(&["H", "3"], &[&["i0 + i1 - 1"]]), is(&["2", "0"], "4"));
    assert_eq!(locality_of(&["H", "3"], &[&["2*i0 + i1 - 1"]]), is(&["1", "0"], "2"));
    assert_eq!(locality_of(&["H", "2"], &[&["2*i0 + i1"]]), is(&["0", "0"], "0"));
    assert_eq!(locality_of(&["H", "3"], &[&["i0 + 2*i1"]]), is(&["4", "0"], "8"));
    assert_eq!(locality_of(&["H", "K"], &[&["i0 + i1"]]), is(&["K - 1", "0"], "2*K - 2"));
    // (16 + 2) * (16 + 2) - 16 * 16
    assert_eq!(locality_of(&["H", "W", "3", "3"], &[&["0", "i0 + i2", "i1 + i3"]]), is(&["2", "2", "0", "0"], "136"));
    assert_eq!(locality_of(&["M", "4"], &[&["4*i0 + i1"]]), is(&["0", "0"], "0"));
    assert_eq!(locality_of(&["8", "3"], &[&["i0 + i1"]]), is(&["2", "0"], "4"));
    assert_eq!(locality_of(&["M"], &[&["M - 1 - i0"]]), is(&["0"], "0"));
    assert_eq!(locality_of(&["M"], &[&["i0 floordiv 4", "i0 mod 4"]]), is(&["0"], "0"));
    assert_eq!(locality_of(&["M", "N"], &[&["(i0 + i1) floordiv 4"]]), None);
    assert_eq!(locality_of(&[], &[&[]]), is(&[], "0"));
    // Two reads of one operand.
    assert_eq!(locality_of(&["M"], &[&["i0 - 1"], &["i0 + 1"], &["i0"]]), is(&["2"], "4"));
    assert_eq!(locality_of(&["M", "M"], &[&["i0"], &["i1"]]), None);
    assert_eq!(locality_of(&["M"], &[&["i0 floordiv 2"], &["i0 floordiv 3"]]), None);
    assert_eq!(locality_of(&["M", "9223372036854775807"], &[&["i0 + 4*i1"]]), None);
}

/// What is read by a tile beyond the step to the next tile, counted.
#[test]
fn halos_are_what_is_counted() {
    for (c, w, n) in (1..5i64).flat_map(|c| (0..4i64).flat_map(move |w| (1..5i64).map(move |n| (c, w, n)))) {
        let (text, sizes) = (format!("{c}*i0 + {w}*i1"), ["64".to_string(), n.to_string()]);
        let access = Access::everywhere(vec![expr(&text)]);
        let sizes = [expr(&sizes[0]), expr(&sizes[1])];
        let found = halo(&sizes, &[access], 16, 1).expect("small").per_axis[0].as_constant().expect("numbers");
        let tile = |from: i64| -> BTreeSet<i64> {
            (from..from + 16).flat_map(|i| (0..n).map(move |j| c * i + w * j)).collect()
        };
        let span = |tile: &BTreeSet<i64>| tile.last().expect("points") - tile.first().expect("points") + 1;
        let counted = (span(&tile(0)) - 16 * c).max(0);
        assert_eq!(found, counted, "{text} of {n}");
    }
}

#[test]
fn tails_are_axes_that_no_tile_divides() {
    assert_eq!(tails(&exprs(&["M", "16*M", "3", "16", "48", "50", "0", "8*M", "16*M + 1"]), 16), [0, 5, 7, 8]);
}

fn context() -> Context {
    Context::new([&dlc_book::DIALECT, &dlc_core::DIALECT])
}

/// The localities of the only function of a text, by the names of values.
fn of(ctx: &Context, text: &str) -> (Body, Vec<(String, Locality)>) {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test.mlir", text.into()).expect("the text is short");
    let module = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags).expect("right");
    assert!(verify::verify(ctx, &module, &diags), "{:?}", diags.take());
    let func = module.nested_ops().first().and_then(|&op| module.nested(op)).expect("a function");
    let all = localities(ctx, func, 16);
    let name = |value| ctx.str(func.value_name(value)).to_string();
    let named = all.into_iter().map(|found| (name(found.value), found)).collect();
    (module, named)
}

#[test]
fn a_chain_of_elements_stays_in_registers() {
    let ctx = context();
    let (_module, found) = of(
        &ctx,
        "book.func @f<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
          %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen
          %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32
          %t = entry relu axes (i0: N, i1: M) of %s at (i1, i0)
          %y = entry cast axes (i0: M, i1: N) of %t at (i1, i0) to f16
          return %y
        }",
    );
    let buffers: Vec<_> = found.iter().map(|(name, found)| (name.as_str(), found.buffer, found.depth)).collect();
    let reg = |name| (name, Buffer::Reg, Some(2));
    assert_eq!(buffers, [reg("p"), reg("s"), reg("t"), ("y", Buffer::Gmem, None)]);
    let [_, (_, sum), (_, turned), _] = &found[..] else { panic!("four values") };
    assert_eq!((sum.reduced, &sum.tails[..], sum.fan_out), (1, &[0, 1, 2][..], 1));
    let at = sum.reads[0].compute_at.as_ref().expect("a value that is computed");
    assert_eq!((at.refused, &at.distance[..], at.repeated.len()), (None, &[Some(0); 3][..], 0));
    assert_eq!(turned.reads[0].compute_at.as_ref().and_then(|at| at.refused), None);
    assert!(
        found[0].1.reads.iter().all(|read| read.compute_at.is_none() && read.halo.as_ref().is_some_and(Halo::is_none))
    );
}

#[test]
fn what_tiles_share_is_not_reduced_again() {
    let ctx = context();
    let (_module, found) = of(
        &ctx,
        "book.func @f<M, N>(%x: tensor<[M, N], f32>, %ids: tensor<[M], i32>) -> (tensor<[M], f32>, tensor<[M], f32>) {
          %e = entry neg axes (i0: M, i1: N) of %x at (i0, i1)
          %s = reduce sum axes (i0: M) over (i1: N) of %e at (i0, i1) acc f32
          %w = reduce max axes (i0: M) over (i1: 3) of %s at (i0 + i1 - 1) where (0 <= i0 + i1 - 1 < M) acc f32
          %u = reduce sum axes (i0: M) over (i1: N) of %x at (i0, i1) acc f32
          %a = entry neg axes (i0: M) of %u at (i0)
          %b = entry neg axes (i0: M) of %u at (M - 1 - i0)
          %c = entry sub axes (i0: M) of %a at (i0), %b at (i0)
          %n = entry neg axes (i0: M) of %c at (i0)
          %g = gather non_scop axes (i0: M) of %n at [%ids (i0)]
          %d = entry sub axes (i0: M) of %g at (i0), %w at (i0 - 1) where (1 <= i0)
          return %d, %g
        }",
    );
    let get = |name: &str| &found.iter().find(|(known, _)| known == name).expect(name).1;
    let refused = |name: &str, read: usize| get(name).reads[read].compute_at.as_ref().expect("a value").refused;
    assert_eq!((get("s").buffer, get("s").depth), (Buffer::SmemRing, Some(3)));
    assert_eq!(refused("w", 0), Some(Refusal::Halo));
    assert_eq!((get("u").buffer, get("u").depth, get("u").fan_out), (Buffer::SmemRing, Some(2), 2));
    assert_eq!((refused("a", 0), refused("b", 0)), (Some(Refusal::FanOut), Some(Refusal::FanOut)));
    assert_eq!((refused("g", 0), get("n").buffer), (Some(Refusal::NonScop), Buffer::Gmem));
    assert_eq!((refused("d", 0), get("g").buffer), (Some(Refusal::NonScop), Buffer::Gmem));
    assert_eq!(
        get("d").reads[1].compute_at.as_ref().map(|at| (at.refused, at.distance.clone())),
        Some((None, vec![Some(-1)]))
    );
    assert_eq!(get("w").buffer, Buffer::Reg);
}
