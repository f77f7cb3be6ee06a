//! The expressions of model threads.

use dlc_ir::affine::SizeExpr;
use dlc_passes::kernel::check_async::exprs::Expr;

#[test]
fn slopes() {
    let symbol = |name: &str| SizeExpr::symbol(name).expect("a name");
    let sum = symbol("a").mul(&2.into()).and_then(|all| all.add(&symbol("b"))).and_then(|all| all.sub(&symbol("c")));
    // Two names of one value.
    let slot = |name: &str| Some(if name == "c" { 1 } else { 0 });
    let expr = Expr::compile(&sum.expect("small"), &slot);
    assert_eq!([0, 1, 2].map(|of| expr.slope(of)), [Some(3), Some(-1), Some(0)]);
    let quotient = symbol("a").floordiv(&3.into()).expect("small");
    let expr = Expr::compile(&quotient, &slot);
    assert_eq!([0, 1].map(|of| expr.slope(of)), [None, Some(0)]);
}
