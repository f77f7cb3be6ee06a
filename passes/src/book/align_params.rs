//! Makes the sizes of all entries agree with the signature, so that whoever calls the function knows every size in it.
//!
//! The symbols in the types of arguments and results are the truth. A size of another name may come from a reshape whose
//! axes do not pair: that it has as many elements as its operand says what the size is.
//!
//! **Requires**: book.
//! **Ensures**: every symbol in a function is one of its signature.
//!
//! **Before**
//! ```mlir before
//! book.func @f<M, K, R>(%x: tensor<[M, 2*K], f32>) -> tensor<[K], f32> {
//!   %a = reshape non_scop %x : tensor<[R, 2, K], f32>
//!   %y = reduce sum axes (i0: K) over (i1: R, i2: 2) of %a at (i1, i2, i0) acc f32 : tensor<[K], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @f<M, K, R>(%x: tensor<[M, 2*K], f32>) -> tensor<[K], f32> {
//!   %a = reshape non_scop %x : tensor<[M, 2, K], f32>
//!   %y = reduce sum axes (i0: K) over (i1: M, i2: 2) of %a at (i1, i2, i0) acc f32 : tensor<[K], f32>
//!   return %y
//! }
//! ```
//!
//! **Does not** change the signature, symbols that nothing uses among it; nor does it compare sizes that are all of the
//! signature, where only who calls knows whether they are equal: the verifier sees to it that nothing is read outside.
//!
//! - A size that the signature has only within an expression, such as `K` in `2*K`, is known.
//! - A reshape between `n*S` and `c` elements, where `S` is a symbol that the signature lacks, says that `S` is `c/n`
//!   if that is a size whatever the symbols. Each symbol is replaced once, the first reshape in the text before others.
//! - What is left is an error (`AxisAlignmentMismatch`), unless the option `free` leaves it to who runs the function;
//!   and so is a reshape that cannot have as many elements then.
//!
//! Linear for each symbol that is replaced. Rule of the debug counters: `align`.

use std::collections::BTreeSet;
use std::sync::Arc;

use dlc_book::ops::Reshape;
use dlc_core::access::Accesses;
use dlc_core::bounds::AXIS_ALIGNMENT_MISMATCH;
use dlc_core::sizes::{Exprs, Sizes};
use dlc_core::types::Tensor;
use dlc_ir::affine::{SizeExpr, SizeRanges};
use dlc_ir::body::Body;
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::diag::{Diagnostic, RemarkKind};
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::{Attr, Context, OpId, OpRef, Str, Type, TypeData, ValueId};

static DEF: PassDef = PassDef {
    on: On::Op("book.func"),
    requires: &["book"],
    options: &[OptionDef {
        name: "free",
        kind: OptionKind::Bool,
        default: "false",
        doc: "Leave symbols that the function declares and no argument or result has: who runs it says what they are.",
    }],
    statistics: &[StatDef { name: "aligned", doc: "Symbols that became sizes of the signature." }],
    ..PassDef::base("align-params", "Makes the sizes of all entries agree with the signature.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(AlignParams { free: options.flag("free") }))
}

struct AlignParams {
    free: bool,
}

impl Pass for AlignParams {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let aligned = align_params(body, self.free, cx)?;
        cx.count("aligned", aligned);
        Ok(())
    }
}

type Names = BTreeSet<Arc<str>>;

/// Makes the sizes of the entries of a function, the root of the body, agree with its signature. How many symbols were
/// replaced. Errors, which are reported, where one stays that the signature lacks.
pub fn align_params(body: &mut Body, free: bool, cx: &PassCx<'_>) -> Result<u64, PassFailed> {
    let known = signature(OpRef::new(cx.ctx, body, body.root()));
    let mut aligned = 0;
    let ops = body.walk();
    // Most functions are aligned as they are.
    while let Some((op, name, size)) = ops.iter().find_map(|&op| solved(OpRef::new(cx.ctx, body, op), &known)) {
        if !cx.allows_rule("align") {
            break;
        }
        let message = format!("'{name}' is {size}: the reshape has as many elements before and after");
        cx.remark(RemarkKind::Passed, body.loc(op), message);
        replace(cx.ctx, body, &ops, &name, &size);
        aligned += 1;
    }
    let mut known = known;
    if free {
        let declared = OpRef::new(cx.ctx, body, body.root()).prop(Str::SYMBOLS);
        let declared = declared.and_then(|attr| TextArray::get(cx.ctx, attr)).unwrap_or_default();
        known.extend(declared.into_iter().map(Arc::from));
    }
    match ops.into_iter().find_map(|op| misaligned(OpRef::new(cx.ctx, body, op), &known)) {
        Some(error) => Err(cx.fail(error)),
        None => Ok(aligned),
    }
}

/// The symbols in the types of arguments and results.
fn signature(func: OpRef<'_>) -> Names {
    let ctx = func.ctx;
    let ty = func.prop(Str::FUNCTION_TYPE).and_then(|attr| attr.as_type(ctx));
    let Some(TypeData::Function { inputs, results }) = ty.map(|ty| ctx.type_data(ty)) else { return Names::new() };
    let sizes = inputs.iter().chain(results.iter()).flat_map(|&ty| dims(ctx, ty));
    sizes.flat_map(|size| size.symbols()).collect()
}

fn dims(ctx: &Context, ty: Type) -> Vec<SizeExpr> {
    Tensor::of(ctx, ty).map(|ty| ty.dims(ctx)).unwrap_or_default()
}

/// The number of elements of a value.
fn count(op: OpRef<'_>, value: ValueId) -> Option<SizeExpr> {
    dims(op.ctx, op.type_of(value)).iter().try_fold(SizeExpr::from(1), |count, size| count.mul(size).ok())
}

/// What a reshape says about a symbol that the signature lacks.
fn solved(op: OpRef<'_>, known: &Names) -> Option<(OpId, Arc<str>, SizeExpr)> {
    let reshape = Reshape::of(op)?;
    let (from, to) = (count(op, reshape.input())?, count(op, reshape.out())?);
    let lacks = |size: &SizeExpr| size.symbols().iter().any(|name| !known.contains(name));
    for (count, other) in [(&to, &from), (&from, &to)] {
        if lacks(other) {
            continue;
        }
        let name = count.symbols().into_iter().find(|name| !known.contains(name));
        let found = name.and_then(|name| {
            // All that it is multiplied with is known, or the quotient has it.
            let factor = count.try_div(&SizeExpr::symbol(&name).ok()?)?;
            let size = other.try_div(&factor).filter(|size| !lacks(size))?;
            Some((op.id, name, size))
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// What is wrong with an op: a symbol that the signature lacks, or a reshape between different numbers of elements.
fn misaligned(op: OpRef<'_>, known: &Names) -> Option<Diagnostic> {
    let ctx = op.ctx;
    let error = |why: String| {
        let error = Diagnostic::error(&AXIS_ALIGNMENT_MISMATCH, op.loc(), why).at(op.name());
        error.suggest("check the names and sizes of symbols in the signature, and correct the views of the tensors")
    };
    let unknown = |size: &SizeExpr| size.symbols().into_iter().find(|name| !known.contains(name) && !is_axis(name));
    for ty in op.result_types() {
        let sizes = dims(ctx, ty);
        if let Some((axis, size)) = sizes.iter().enumerate().find(|(_, size)| unknown(size).is_some()) {
            return Some(error(format!("the size of axis i{axis}, {size}, does not agree with the signature")));
        }
    }
    let others = attributes(op).into_iter().find_map(|(_, exprs, _)| exprs.iter().find_map(unknown));
    if let Some(name) = others {
        return Some(error(format!("'{name}' is no size of the signature")));
    }
    let reshape = Reshape::of(op)?;
    let (from, to) = (count(op, reshape.input())?, count(op, reshape.out())?);
    let differ = from.prove_ne(&to, &SizeRanges::default()) == Some(true);
    differ.then(|| error(format!("{from} elements cannot become {to}: the sizes do not agree with the signature")))
}

/// Whether a name is that of an axis, or of an element of an index operand: the verifier lets no symbol have such a one.
fn is_axis(name: &str) -> bool {
    let digits = name.strip_prefix(['i', '_']);
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// An attribute with expressions in it: its key, these, and the attribute with each of them replaced.
type Written = (Str, Vec<SizeExpr>, fn(&Context, Attr, &dyn Fn(&SizeExpr) -> Option<SizeExpr>) -> Option<Attr>);

/// The attributes of an entry that have expressions in them.
fn attributes(op: OpRef<'_>) -> Vec<Written> {
    let mut found: Vec<Written> = Vec::new();
    for key in ["axes", "over"] {
        let key = op.ctx.intern_str(key);
        if let Some(sizes) = op.prop(key).and_then(|attr| Sizes::get(op.ctx, attr)) {
            found.push((key, sizes, |ctx, attr, replace| {
                let sizes = Sizes::get(ctx, attr)?.iter().map(replace).collect::<Option<_>>()?;
                Some(Sizes::make(ctx, sizes))
            }));
        }
    }
    for key in ["at", "value"] {
        let key = op.ctx.intern_str(key);
        if let Some(exprs) = op.prop(key).and_then(|attr| Exprs::get(op.ctx, attr)) {
            found.push((key, exprs, |ctx, attr, replace| {
                let exprs = Exprs::get(ctx, attr)?.iter().map(replace).collect::<Option<_>>()?;
                Some(Exprs::make(ctx, exprs))
            }));
        }
    }
    let key = op.ctx.intern_str("accesses");
    if let Some(accesses) = op.prop(key).and_then(|attr| Accesses::get(op.ctx, attr)) {
        found.push((
            key,
            accesses.iter().flat_map(|access| access.exprs().cloned()).collect(),
            |ctx, attr, replace| {
                let accesses =
                    Accesses::get(ctx, attr)?.iter().map(|access| access.map(replace)).collect::<Option<_>>()?;
                Some(Accesses::make(ctx, accesses))
            },
        ));
    }
    found
}

/// Puts a size in place of a symbol, in the types and attributes of ops.
fn replace(ctx: &Context, body: &mut Body, ops: &[OpId], name: &str, size: &SizeExpr) {
    let put = |expr: &SizeExpr| expr.substitute(&|symbol| (symbol == name).then(|| size.clone())).ok();
    for &op in ops {
        let results: Vec<ValueId> = body.results(op).collect();
        for value in results {
            let Some(ty) = Tensor::of(ctx, body.value_type(value)) else { continue };
            if let Some(sizes) = ty.dims(ctx).iter().map(put).collect() {
                body.set_value_type(value, Tensor::get(ctx, sizes, ty.elem(ctx)));
            }
        }
        let view = OpRef::new(ctx, body, op);
        let changed =
            attributes(view).into_iter().filter_map(|(key, _, map)| Some((key, map(ctx, view.prop(key)?, &put)?)));
        for (key, attr) in changed.collect::<Vec<_>>() {
            body.set_prop(ctx, op, key, Some(attr));
        }
    }
}
