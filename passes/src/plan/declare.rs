//! The declaration of a region that is made from another one.

use dlc_core::sizes::Sizes;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::{Attr, Context, Type, TypeData};
use dlc_region::ops::Func;

/// Gives a region other iteration axes and results, which are all in global memory.
pub fn declare(ctx: &Context, body: &mut Body, iters: Vec<(&str, SizeExpr)>, results: &[(&str, Type)]) {
    let text = |names: Vec<&str>| <TextArray as Kind>::make(ctx, names);
    let (axes, sizes) = iters.into_iter().unzip();
    let (names, types): (Vec<&str>, Vec<Type>) = results.iter().copied().unzip();
    set(ctx, body, "iters", Some(text(axes)));
    set(ctx, body, "iter_sizes", Some(<Sizes as Kind>::make(ctx, sizes)));
    set(ctx, body, "materialize", Some(text(vec!["gmem"; names.len()])));
    set(ctx, body, "outputs", Some(text(names)));
    let function = ctx.function_type(signature(ctx, body).0, &types);
    set(ctx, body, "function_type", Some(ctx.type_attr(function)));
}

/// Gives a region more inputs, of which it has the arguments.
pub fn add_inputs(ctx: &Context, body: &mut Body, memories: &[Type]) {
    let (inputs, results) = signature(ctx, body);
    let function = ctx.function_type(&[inputs, memories].concat(), results);
    set(ctx, body, "function_type", Some(ctx.type_attr(function)));
    set(ctx, body, "arg_attrs", None);
}

/// Sets a property of the function of a region.
fn set(ctx: &Context, body: &mut Body, name: &str, value: Option<Attr>) {
    let root = body.root();
    body.set_prop(ctx, root, ctx.intern_str(name), value);
}

/// The inputs and results of a region.
fn signature<'a>(ctx: &'a Context, region: &Body) -> (&'a [Type], &'a [Type]) {
    let func = Func::from(OpRef::new(ctx, region, region.root()));
    match ctx.type_data(func.function_type()) {
        TypeData::Function { inputs, results } => (inputs, results),
        _ => unreachable!("the verifier admits only types of functions"),
    }
}
