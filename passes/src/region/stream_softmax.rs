//! Computes a maximum and the sums of exponentials below it in one pass over their axes, because two passes must keep or
//! compute twice what they are over, in attention a matrix of all pairs.
//!
//! **Requires**: region.
//! **Ensures**: no sum over the axes of a maximum has contributions `2^(c*(s - max s)) * g`, `c` a positive number and `g`
//! something that does not depend on the maximum.
//!
//! **Before**
//! ```mlir before
//! region.func @softmax<M, N> iters (m: M, n: N)
//!     ins (%X: memref<[M, N], f32, row_major, align 4>)
//!     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//!   %x = read %X[m, n] : f32 over (m, n)
//!   %max = reduce max (n: N) acc f32 init -inf {
//!     yield %x
//!   } : f32 over (m)
//!   %d = binary sub %x, %max : f32 over (m, n)
//!   %e = unary exp2 %d : f32 over (m, n)
//!   %sum = reduce sum (n: N) acc f32 init 0.0 {
//!     yield %e
//!   } : f32 over (m)
//!   %y = binary fdiv %e, %sum : f32 over (m, n)
//!   yield %y to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @softmax<M, N> iters (m: M, n: N)
//!     ins (%X: memref<[M, N], f32, row_major, align 4>)
//!     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//!   %x = read %X[m, n] : f32 over (m, n)
//!   %max, %sum = reduce (n: N) acc (f32, f32) init (-inf, 0.0) {
//!     %one = const 1.0 : f32 over ()
//!     yield %x, %one
//!   } combine (%max0: f32 over (m), %sum0: f32 over (m), %max1: f32 over (m), %sum1: f32 over (m)) {
//!     %top = binary max %max0, %max1 : f32 over (m)
//!     %one = const 1.0 : f32 over ()
//!     %below0 = binary sub %max0, %top : f32 over (m)
//!     %power0 = unary exp2 %below0 : f32 over (m)
//!     %same0 = binary eq %max0, %top : i1 over (m)
//!     %weight0 = select %same0, %one, %power0 : f32 over (m)
//!     %below1 = binary sub %max1, %top : f32 over (m)
//!     %power1 = unary exp2 %below1 : f32 over (m)
//!     %same1 = binary eq %max1, %top : i1 over (m)
//!     %weight1 = select %same1, %one, %power1 : f32 over (m)
//!     %left = binary mul %sum0, %weight0 : f32 over (m)
//!     %right = binary mul %sum1, %weight1 : f32 over (m)
//!     %both = binary add %left, %right : f32 over (m)
//!     yield %top, %both
//!   } {reassoc} : f32 over (m), f32 over (m)
//!   %zero = binary sub %max, %max : f32 over (m)
//!   %none = const 0.0 : f32 over ()
//!   %defect = select where (1 <= N) then %zero else %none : f32 over (m)
//!   %d = binary sub %x, %max : f32 over (m, n)
//!   %e = unary exp2 %d : f32 over (m, n)
//!   %sum_0 = binary add %sum, %defect : f32 over (m)
//!   %y = binary fdiv %e, %sum_0 : f32 over (m, n)
//!   yield %y to Y
//! }
//! ```
//!
//! **Does not** take exponents with a further term (`s - max + b`), exponentials that are added to something before they
//! are summed, or chosen by a `select` (a mask belongs into `s`), sums over other axes than those of the maximum, or
//! maxima inside of a reduction. Two computations of one value are the same to it, but not two reductions (`cse`).
//!
//! *Numbers.* The rewrite is exact in real arithmetic: the fast-math flag `reassoc`, a mark on the new reduction. What the
//! program rounds between the exponential and the sum no longer is, where the type is narrower than that of the sum: the
//! fast-math flag `fuse`, a second mark. With `fuse=false` such a sum stays. An accumulator is never narrower than `f32`.
//! At infinity: a masked element, `-inf`, adds nothing, before the first finite one (its weight is then set to zero by
//! the rescaling) and after it. The weight of equal maxima is 1 and not `2^(-inf + inf)`, so that the initial element is
//! the identity. Where the maximum of a row is infinite, as in one that is masked throughout, the program computes
//! `s - max` from two infinities, and its sums are not numbers: `max - max`, which is 0 for finite ones, is added to
//! keep that, unless the sum has a factor that keeps it. Over no element at all sums stay 0. A maximum that the program
//! bounds by the lowest finite number, `max(max s, -3.4e38)`, begins with that number: where everything is masked, sums
//! are 0 then. Log-sum-exp subtracts a number in place of a maximum that is not finite (`select |max| < inf`): then a
//! sum without other factors is `2^(c*(max - number))` there, zero or infinite as in the program.
//!
//! *Algorithm.* (1) Values get numbers, equal for equal computations; what depends on the maximum is marked. (2) The
//! contribution of each sum is read as a product (`terms`): weights `2^(a*s + b*max)`, for which `a = -b` is asked;
//! factors that do not depend on the maximum, which stay inside; factors without the axes of the maximum, as one by the
//! sum of weights is, which come out. (3) One reduction replaces the maximum (`build`). The contribution of a
//! point to a sum is what its maximum would be alone, `g`; two parts are combined by
//! `(max(m0, m1), l0*2^(c*(m0 - m)) + l1*2^(c*(m1 - m)), ..)`. After Milakov and Gimelshein, "Online normalizer
//! calculation for softmax" (2018), and Rabe and Staats, "Self-attention does not need O(n^2) memory" (2021). Linear in
//! the region for each maximum. Rule of the debug counters: `stream`.

mod build;
mod terms;

use dlc_core::scalar::{self, Combiner};
use dlc_core::tensor::ElemKind;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::Kind as _;
use dlc_ir::diag::RemarkKind;
use dlc_ir::interp::Datum;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::rewrite::Rewriter;
use dlc_ir::{Attr, Context, OpId, Type, ValueId};
use dlc_region::ops::{Binary, Const, Func, Reduce};
use dlc_region::syntax;
use dlc_region::types::Value;

use terms::{Algebra, Term};

use crate::analysis::axes::combined;
use crate::analysis::value_numbers::Numbers;

static DEF: PassDef = PassDef {
    requires: &["region"],
    options: &[OptionDef {
        name: "fuse",
        kind: OptionKind::Bool,
        default: "true",
        doc: "Whether exponentials may stay unrounded on their way to a sum in a wider type.",
    }],
    statistics: &[
        StatDef { name: "maxima", doc: "Maxima that are now computed along with sums." },
        StatDef { name: "sums", doc: "Sums that are computed along with a maximum." },
    ],
    ..PassDef::base("stream-softmax", "Turns a softmax of several passes into an online softmax.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(StreamSoftmax { fuse: options.flag("fuse") }))
}

struct StreamSoftmax {
    fuse: bool,
}

impl Pass for StreamSoftmax {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let (maxima, sums) = stream_softmax(body, self.fuse, cx);
        cx.count("maxima", maxima);
        cx.count("sums", sums);
        Ok(())
    }
}

/// Turns a softmax of several passes into an online softmax. How many maxima, and how many sums.
pub fn stream_softmax(body: &mut Body, fuse: bool, cx: &PassCx<'_>) -> (u64, u64) {
    let (ctx, mut maxima, mut sums) = (cx.ctx, 0, 0);
    let Some(block) = body.entry_block().filter(|_| OpRef::new(ctx, body, body.root()).is(Func::DEF)) else {
        return (0, 0);
    };
    let candidates: Vec<OpId> = body.ops(block).filter(|&op| is_maximum(ctx, body, op)).collect();
    for max in candidates {
        let bound = bound(ctx, body, max);
        let kept = bound.map(|_| body.clone());
        bound.into_iter().for_each(|bound| take_bound(ctx, body, max, bound));
        let Some(stream) = find(body, max, fuse, cx).filter(|_| cx.allows_rule("stream")) else {
            // No other maximum may begin with that number.
            kept.into_iter().for_each(|kept| *body = kept);
            continue;
        };
        if cx.wants_remarks() {
            cx.remark(RemarkKind::Passed, body.loc(max), stream.describe(ctx, body));
        }
        maxima += 1;
        sums += stream.sums.len() as u64;
        build::replace(ctx, body, &stream);
    }
    (maxima, sums)
}

/// What becomes one reduction.
struct Stream {
    /// The maximum.
    max: OpId,
    /// What it is the maximum of.
    score: ValueId,
    sums: Vec<Sum>,
    /// The axes that are reduced.
    axes: Vec<String>,
    /// For each value the number that it has in common with equal ones.
    numbers: Numbers,
}

/// A sum, and its contributions.
struct Sum {
    op: OpId,
    terms: Vec<Term>,
}

impl Stream {
    fn describe(&self, ctx: &Context, body: &Body) -> String {
        let (axes, sums) = (self.axes.join(", "), self.sums.len());
        let reductions = if sums == 1 { "a sum".to_string() } else { format!("{sums} sums") };
        let mut text = format!(
            "online softmax in one pass over ({axes}) instead of {}: a running maximum, and {reductions} rescaled with it",
            sums + 1
        );
        for ty in self.roundings() {
            text += &format!("; what is summed is no longer rounded to {}", ty.display(ctx));
        }
        let elem = Value::of(ctx, body.value_type(self.score)).map(|ty| ty.elem(ctx));
        if elem.is_some_and(|elem| build::wide(ctx, elem) != elem) {
            text += "; the maximum runs in f32";
        }
        text
    }

    /// Whether something is no longer rounded that the program rounds.
    fn is_rounded_less(&self) -> bool {
        !self.roundings().is_empty()
    }

    /// The types that something is no longer rounded to, each once.
    fn roundings(&self) -> Vec<Type> {
        let mut types: Vec<Type> = Vec::new();
        for &ty in self.sums.iter().flat_map(|sum| &sum.terms).flat_map(|term| &term.rounded) {
            if !types.contains(&ty) {
                types.push(ty);
            }
        }
        types
    }
}

/// A maximum of one value of a float type, which begins with a number that has no weight among others.
fn is_maximum(ctx: &Context, body: &Body, op: OpId) -> bool {
    let Some(reduce) = Reduce::of(OpRef::new(ctx, body, op)) else { return false };
    let (acc, init) = (reduce.acc(), reduce.init());
    let (&[elem], &[init]) = (&acc[..], init) else { return false };
    let first = Datum::of_attr(ctx, init).and_then(|init| init.as_float());
    let is_low = ElemKind::of(ctx, elem).zip(first).is_some_and(|(kind, first)| kind.round(first) <= 0.0);
    reduce.combiner() == Some(Combiner::Max) && all_floats(reduce) && is_low
}

/// The only user of a maximum, which takes the larger of that and of the lowest finite number, and this number.
fn bound(ctx: &Context, body: &Body, max: OpId) -> Option<(OpId, Attr)> {
    let top = body.result(max, 0);
    let users: Vec<OpId> = body.uses(top).map(|used| used.op).collect();
    let &[user] = users.as_slice() else { return None };
    let larger = Binary::of(OpRef::new(ctx, body, user))?;
    let other = if larger.lhs() == top { larger.rhs() } else { larger.lhs() };
    let is_same = body.value_type(larger.out()) == body.value_type(top) && larger.function() == scalar::Binary::Max;
    let number = body.defining_op(other).and_then(|op| Const::of(OpRef::new(ctx, body, op))).map(Const::value)?;
    let is_lowest = Datum::of_attr(ctx, number)?.as_float() == Some(f64::from(f32::MIN));
    let elem = Value::of(ctx, body.value_type(top)).map(|ty| ty.elem(ctx));
    (is_same && is_lowest && elem == Some(Type::F32)).then_some((user, number))
}

/// Lets a maximum begin with the lowest finite number where its only user takes the larger of both, as programs do to keep
/// rows apart that are masked throughout. That is the identity among finite numbers, and elements of `-inf` have no weight.
fn take_bound(ctx: &Context, body: &mut Body, max: OpId, (user, number): (OpId, Attr)) {
    let init = syntax::Numbers::make(ctx, &[number]);
    body.set_prop(ctx, max, ctx.intern_str("init"), Some(init));
    let top = body.result(max, 0);
    Rewriter::new(ctx, body).replace_op(user, &[top]);
}

fn all_floats(reduce: Reduce<'_>) -> bool {
    reduce.acc().iter().all(|ty| ty.float_kind(reduce.ctx).is_some())
}

/// The sums that go with a maximum. `None` where there is none.
fn find(body: &Body, max: OpId, fuse: bool, cx: &PassCx<'_>) -> Option<Stream> {
    let ctx = cx.ctx;
    let reduce = Reduce::of(OpRef::new(ctx, body, max))?;
    let (axes, score) = (reduce.axes(), combined(reduce).into_iter().next()?);
    let algebra = Algebra::new(ctx, body, max, score, &axes);
    let same_axes = |other: &[&str]| other.len() == axes.len() && axes.iter().all(|axis| other.contains(axis));
    let mut sums = Vec::new();
    for op in std::iter::successors(body.next_op(max), |&op| body.next_op(op)) {
        let Some(sum) = Reduce::of(OpRef::new(ctx, body, op)) else { continue };
        let depends = sum.results().any(|value| algebra.depends(value));
        if !depends || sum.combiner() != Some(Combiner::Sum) || !same_axes(&sum.axes()) || !all_floats(sum) {
            continue;
        }
        match terms_of(sum, &algebra, fuse) {
            Ok(terms) => sums.push(Sum { op, terms }),
            Err(why) => {
                let message = format!("this sum over ({}) is not joined to the maximum: {why}", axes.join(", "));
                cx.remark(RemarkKind::Missed, sum.loc(), message);
            }
        }
    }
    let axes = axes.into_iter().map(str::to_string).collect();
    (!sums.is_empty()).then_some(Stream { max, score, sums, axes, numbers: algebra.numbers })
}

/// The contributions to a sum as products, or why it stays.
fn terms_of(sum: Reduce<'_>, algebra: &Algebra<'_>, fuse: bool) -> Result<Vec<Term>, String> {
    let terms = combined(sum).into_iter().zip(sum.acc()).map(|(value, acc)| algebra.term(value, acc));
    let terms = terms.collect::<Result<Vec<Term>, String>>()?;
    // What is summed in a narrow type would be summed in f32.
    let narrow = |ty: &Type| ty.bits(sum.ctx).is_some_and(|bits| bits < if fuse { 16 } else { 32 });
    if let Some(ty) = sum.acc().into_iter().find(narrow) {
        return Err(format!("it is summed in {}", ty.display(sum.ctx)));
    }
    match terms.iter().find_map(|term| term.rounded.first()).filter(|_| !fuse) {
        Some(ty) => Err(format!("what is summed is rounded to {} on the way", ty.display(sum.ctx))),
        None => Ok(terms),
    }
}
