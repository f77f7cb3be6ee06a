//! Tests of sizes, types and reads that need no text file.

mod bounds;
mod guard;
mod layout;
mod scalar;
mod space;

use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Kind;
use dlc_ir::{Context, Type};

use crate::sizes::{Bindings, Sizes};
use crate::types::{Tensor, undeclared_symbol};

fn sizes(texts: &[&str]) -> Vec<SizeExpr> {
    texts.iter().map(|text| SizeExpr::parse(text).expect(text)).collect()
}

/// A view that is asked for where only it may stand is never another type.
#[test]
#[should_panic(expected = "'f32' stands where the verifier admits only 'core.tensor'")]
fn another_type_is_no_tensor() {
    let ctx = Context::new([&crate::DIALECT]);
    Tensor::expect(&ctx, Type::F32);
}

#[test]
fn both_spellings_are_one_type() {
    let ctx = Context::new([&crate::DIALECT]);
    let ty = Tensor::get(&ctx, sizes(&["M", "K*2", "2 + 2"]), Type::F16);
    assert_eq!(ty.display(&ctx), "tensor<[M, 2*K, 4], f16>");
    assert_eq!(Sizes::make(&ctx, sizes(&["M", "K*2", "2 + 2"])).display(&ctx), r#"["M", "2*K", 4]"#);
    let view = Tensor::of(&ctx, ty).expect("a tensor");
    assert_eq!((view.rank(&ctx), view.elem(&ctx), view.dims(&ctx)), (3, Type::F16, sizes(&["M", "2*K", "4"])));
    assert_eq!(undeclared_symbol(&ctx, ty, &["M"]).as_deref(), Some("K"));
    assert_eq!(undeclared_symbol(&ctx, ty, &["K", "M"]), None);
}

/// The generic form is not rewritten, so what is not canonical there would be a second type for the same tensor.
#[test]
fn only_canonical_parameters_are_admitted() {
    let ctx = Context::new([&crate::DIALECT]);
    let dims = |attr| Tensor::DEF.check(&ctx, &[ctx.array_attr(&[attr]), ctx.type_attr(Type::F32)]);
    assert!(dims(ctx.str_attr("2*K")).is_ok() && dims(ctx.i64_attr(0)).is_ok());
    for wrong in [ctx.str_attr("K*2"), ctx.str_attr("4"), ctx.str_attr("M N"), ctx.i64_attr(-1), ctx.bool_attr(true)] {
        assert!(dims(wrong).is_err(), "{}", wrong.display(&ctx));
    }
}

#[test]
fn symbols_are_bound_by_what_is_given() {
    let mut bindings = Bindings::default();
    assert_eq!(bindings.bind(&sizes(&["M", "2*K", "K", "3"]), &[5, 8, 4, 3]), Ok(()));
    assert_eq!(bindings.values(&sizes(&["M*K", "K floordiv 3"])), Ok(vec![20, 1]));
    assert!(bindings.bind(&sizes(&["M"]), &[6]).is_err());
    assert!(bindings.bind(&sizes(&["2*K"]), &[9]).is_err());
    assert!(bindings.bind(&sizes(&["M"]), &[]).is_err());
    assert!(bindings.value(&sizes(&["N"])[0]).is_err());
    assert!(bindings.value(&sizes(&["M - 9"])[0]).is_err());
}
