//! Which instruction multiplies each product of a kernel, what brings its factors, and why that is not better: as remarks,
//! or as a warning where the plan requires an instruction that is not used.

use dlc_core::scalar::{self, Combiner};
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Context, Loc, OpId, Type, ValueId};
use dlc_plan::Schedule;
use dlc_plan::clause::{Barrier, Kind};
use dlc_region::ops::{Binary, Cast, Func, Reduce, Yield};
use dlc_region::verify::axes_of;

use crate::analysis::axes::{before_broadcasts, elem, reductions};
use crate::plan::defaults;
use crate::plan::report::not_followed;
use crate::plan::shape::is_multiplied;

/// A product of matrices that was lowered.
pub struct Multiplied {
    /// The reduction, or what an online softmax sums.
    pub of: Of,
    /// Where it stands.
    pub loc: Loc,
    /// What multiplies.
    pub by: Kind,
    /// Its factors: the names of tensors that are copied to shared memory, and nothing for one that is computed.
    pub factors: [Option<String>; 2],
}

/// What is multiplied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// A reduction.
    Sum(OpId),
    /// The contribution to a sum of an online softmax.
    Contribution(ValueId),
}

/// A sum of products of two values in a region.
struct Product {
    sum: OpId,
    product: OpId,
    factors: [ValueId; 2],
    /// Whether the products are rounded before they are summed.
    is_rounded: bool,
    acc: Type,
}

/// Reports each product of a kernel. `of_rows` says, of a kernel whose tiles are rows that are reduced, why they are none of
/// a product.
pub fn report(region: &Body, plan: Option<&Schedule>, of_rows: Option<&str>, made: &[Multiplied], cx: &PassCx<'_>) {
    for multiplied in made {
        let word = multiplied.by.word();
        let routes = routes(plan, multiplied);
        match (multiplied.by, plan) {
            (Kind::Fma, _) => {
                let why = match multiplied.of {
                    Of::Sum(sum) => product_of(cx.ctx, region, sum).map(|product| why_fma(cx.ctx, region, &product)),
                    Of::Contribution(_) => None,
                };
                let why = why.flatten().unwrap_or_else(|| "the plan or the option 'instruction' says so".into());
                let message = format!("{word} multiplies, no tensor cores: {why}; {routes}");
                cx.remark(RemarkKind::Missed, multiplied.loc, message);
            }
            (Kind::Mma, None) => {
                let message = format!("{word} multiplies, as on any target: no plan requires wgmma; {routes}");
                cx.remark(RemarkKind::Missed, multiplied.loc, message);
            }
            (Kind::Wgmma, _) if multiplies_bytes(cx.ctx, region, multiplied) => {
                let promote = plan.and_then(|plan| plan.instruction.as_ref()).is_some_and(|of| of.promote);
                let sums = if promote { "the sum of each step, which is added in f32" } else { "sums of 8-bit floats" };
                let message = format!("{word} multiplies, and keeps some 14 bits of {sums}; {routes}");
                cx.remark(RemarkKind::Passed, multiplied.loc, message);
            }
            _ => cx.remark(RemarkKind::Passed, multiplied.loc, format!("{word} multiplies; {routes}")),
        }
    }
    let asked = plan.and_then(|plan| plan.instruction.as_ref()).map(|of| of.kind).filter(|kind| *kind != Kind::Fma);
    for sum in reductions(cx.ctx, region) {
        if made.iter().any(|multiplied| multiplied.of == Of::Sum(sum)) {
            continue;
        }
        let Some(product) = product_of(cx.ctx, region, sum).filter(|product| is_matrix(cx.ctx, region, product)) else {
            continue;
        };
        let why = why_fma(cx.ctx, region, &product).unwrap_or_else(|| match of_rows {
            Some(why) => format!("{why}; stored before ('contiguous'), it would be a kernel of its own"),
            None => "the tile of its kernel is that of another reduction".into(),
        });
        let loc = region.loc(product.product);
        match asked {
            Some(kind) => {
                let message = format!("'instruction {}' of the plan does not multiply this: {why}", kind.word());
                not_followed(cx, region, plan, &["instruction"], (loc, Func::DEF.name), message);
            }
            None => cx.remark(RemarkKind::Missed, loc, format!("no tensor cores: {why}")),
        }
    }
}

/// Whether the factors of a product are 8-bit floats.
fn multiplies_bytes(ctx: &Context, region: &Body, multiplied: &Multiplied) -> bool {
    let Of::Sum(sum) = multiplied.of else { return false };
    let product = product_of(ctx, region, sum);
    product.is_some_and(|product| elem(ctx, region, product.factors[0]).bits(ctx) == Some(8))
}

/// What brings the factors of a product.
fn routes(plan: Option<&Schedule>, multiplied: &Multiplied) -> String {
    let is_overlapped = plan.is_some_and(|plan| plan.overlap.as_ref().is_none_or(|overlap| overlap.enable));
    let by = match plan.filter(|_| is_overlapped).map(defaults::barrier) {
        Some(Barrier::Mbarrier) => "TMA",
        Some(Barrier::CpAsyncGroup) => "cp.async",
        _ => "threads",
    };
    let copied: Vec<&str> = multiplied.factors.iter().flatten().map(String::as_str).collect();
    let computed = "is computed in registers, so neither TMA nor cp.async copies it ahead";
    match copied.as_slice() {
        [] => format!("each factor {computed}"),
        [name] if multiplied.factors.iter().any(Option::is_none) => {
            format!("the plan has {by} copy {name}, and the other factor {computed}")
        }
        [first, second] if first != second => format!("the plan has {by} copy {first} and {second}"),
        [name, ..] => format!("the plan has {by} copy {name}"),
    }
    .replace("the plan has threads", "threads")
}

/// The sum of products that a reduction is.
fn product_of(ctx: &Context, region: &Body, sum: OpId) -> Option<Product> {
    let reduce = Reduce::of(OpRef::new(ctx, region, sum)).filter(|op| op.combiner() == Some(Combiner::Sum))?;
    let body = region.first_block(*reduce.regions().first()?)?;
    let end = Yield::of(OpRef::new(ctx, region, region.last_op(body)?))?;
    let mut value = before_broadcasts(ctx, region, end.values().next()?);
    while let Some(cast) = region.defining_op(value).and_then(|op| Cast::of(OpRef::new(ctx, region, op))) {
        value = before_broadcasts(ctx, region, cast.input());
    }
    let product = Binary::of(OpRef::new(ctx, region, region.defining_op(value)?))?;
    let is_product = product.function() == scalar::Binary::Mul && product.lhs() != product.rhs();
    let acc = *reduce.acc().first()?;
    let is_rounded = product.widen().is_none() && is_multiplied(ctx, elem(ctx, region, value));
    is_product.then(|| Product { sum, product: product.id, factors: [product.lhs(), product.rhs()], is_rounded, acc })
}

/// Whether each factor serves several results, and so takes part in a product of matrices.
fn is_matrix(ctx: &Context, region: &Body, product: &Product) -> bool {
    let Some(result) = region.results(product.sum).next() else { return false };
    let results = axes_of(ctx, region.value_type(result));
    product.factors.iter().all(|&factor| {
        let own = axes_of(ctx, region.value_type(factor));
        results.iter().any(|axis| !own.contains(axis))
    })
}

/// Why tensor cores cannot compute a product, whatever tile it has.
fn why_fma(ctx: &Context, region: &Body, product: &Product) -> Option<String> {
    let elems = product.factors.map(|factor| elem(ctx, region, factor));
    let shown = |ty: Type| ty.display(ctx).to_string();
    if product.is_rounded {
        return Some("the products are rounded before they are summed; 'widen' would let them stay".into());
    }
    if let Some(&other) = elems.iter().find(|&&elem| !is_multiplied(ctx, elem)) {
        return Some(format!("they multiply floats of 8 and 16 bits, and a factor is {}", shown(other)));
    }
    if elems[0] != elems[1] {
        return Some(format!("the factors are {} and {}", shown(elems[0]), shown(elems[1])));
    }
    (product.acc != Type::F32).then(|| format!("they sum in f32, and this sum is in {}", shown(product.acc)))
}
