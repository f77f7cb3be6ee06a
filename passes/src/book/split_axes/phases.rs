//! Sums of products of which a factor is read only where the sum of two positions has some remainder, as those of a strided
//! transposed convolution: for each remainder of the result's axis, a *phase*, the same few positions of the reduced axis
//! remain.

use dlc_book::ops::{Entry, Function, NewEntry, NewReduce, Reduce};
use dlc_book::verify::axis_names;
use dlc_core::access::Access;
use dlc_core::guard::{Condition, Guard};
use dlc_core::precision::TF32;
use dlc_core::scalar::Combiner;
use dlc_core::types::Tensor;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Attr, OpId, ValueId};

use super::{Divisors, Parts, Splits};

/// The largest stride that has phases.
const MOST_PHASES: i64 = 64;

/// Two axes of a product whose positions `p` and `q` are read where `scale*p + sign*q + shift` is a multiple of `stride`.
struct Phase {
    /// The axis of the result, and the one that is reduced, among those of the product.
    axes: [usize; 2],
    stride: i64,
    scale: i64,
    /// 1 or -1.
    sign: i64,
    shift: i64,
    /// What says so, and of which factor.
    condition: Condition,
    side: usize,
}

impl Phase {
    /// What a condition says of the axes of a product, of which the first `results` are those of the result.
    fn of(condition: &Condition, side: usize, names: &[String], results: usize) -> Option<Phase> {
        let only = condition.lower.as_ref()?.as_constant()?;
        if condition.upper.as_ref()?.as_constant()?.checked_sub(1) != Some(only) {
            return None;
        }
        let divided =
            condition.expr.terms().into_iter().flat_map(|(_, factors)| factors).find_map(|factor| match factor {
                Factor::Quotient(of, by) => Some((of, by.as_constant()?)),
                Factor::Symbol(_) => None,
            });
        let (of, stride) = divided.filter(|(_, by)| (2..=MOST_PHASES).contains(by) && (0..*by).contains(&only))?;
        let (terms, base) = of.as_linear()?;
        if of.modulo(&stride.into()).ok()? != condition.expr {
            return None;
        }
        let axis = |name: &str| names.iter().position(|own| own == name);
        let [(first, a), (second, b)] = terms.as_slice() else { return None };
        let mut both = [(axis(first)?, *a), (axis(second)?, *b)];
        both.sort_unstable();
        let [(own, scale), (reduced, sign)] = both;
        let fits = own < results && reduced >= results && [1, -1].contains(&sign);
        let shift = base.checked_sub(only)?;
        fits.then(|| Phase { axes: [own, reduced], stride, scale, sign, shift, condition: condition.clone(), side })
    }

    /// The first position of the reduced axis for each remainder of the other one.
    fn firsts(&self) -> Vec<i64> {
        let [scale, shift] = [self.scale, self.shift].map(|number| number.rem_euclid(self.stride));
        (0..self.stride).map(|phase| (-self.sign * (scale * phase + shift)).rem_euclid(self.stride)).collect()
    }

    /// The same as an expression of the phase.
    fn first(&self, phase: &SizeExpr) -> Option<SizeExpr> {
        let firsts = self.firsts();
        let (begin, step) = (firsts[0], firsts[1] - firsts[0]);
        if firsts.windows(2).all(|pair| pair[1] - pair[0] == step) {
            return phase.mul(&step.into()).and_then(|moved| moved.add(&begin.into())).ok();
        }
        let moved = phase.mul(&self.scale.into()).and_then(|moved| moved.add(&self.shift.into())).ok()?;
        moved.mul(&(-self.sign).into()).and_then(|moved| moved.modulo(&self.stride.into())).ok()
    }
}

/// A sum that is split, and the product that it sums.
struct Split {
    product: OpId,
    /// Whether floats are finite.
    finite: bool,
    phases: Vec<Phase>,
    divisors: Divisors,
}

impl Splits {
    /// Splits the axes of a sum of products by the remainders at which these are read, if they are.
    pub(super) fn visit_sum(&mut self, body: &mut Body, op: OpId, cx: &PassCx<'_>) {
        let Some(split) = self.phases(body, op, cx).filter(|_| cx.allows_rule("phase")) else { return };
        let Some((new, product, sizes)) = split.build(body, op, cx) else { return };
        cx.remark(
            RemarkKind::Passed,
            body.loc(op),
            "remainders of an axis are an axis of their own: they say which positions of the sum are read",
        );
        let old = body.result(op, 0);
        body.set_value_name(new, body.value_name(old));
        body.set_value_name(product, body.value_name(body.result(split.product, 0)));
        self.reductions.insert(new);
        self.order.extend([split.product, op]);
        self.of.insert(old, (new, split.divisors));
        self.of_phases.insert(old);
        let dims = Tensor::of(cx.ctx, body.value_type(old)).map(|ty| ty.dims(cx.ctx));
        if dims.is_some_and(|dims| dims != sizes) {
            self.longer.insert(old, sizes);
        }
        self.phases += 1;
    }

    /// The phases of a sum over all axes of a product of two matrices that nothing else reads.
    fn phases(&self, body: &Body, op: OpId, cx: &PassCx<'_>) -> Option<Split> {
        let ctx = cx.ctx;
        let reduce = Reduce::of(OpRef::new(ctx, body, op)).filter(|reduce| reduce.combiner() == Combiner::Sum)?;
        let product = Entry::of(OpRef::new(ctx, body, body.defining_op(reduce.input())?))?;
        let is_product = product.function() == Function::Mul;
        let (results, sizes) = (reduce.axes(), product.axes());
        let names = axis_names(sizes.len());
        let own: Option<Vec<SizeExpr>> = names.iter().map(|name| SizeExpr::symbol(name).ok()).collect();
        let whole = reduce.accesses() == [Access::everywhere(own?)];
        if !is_product || !whole || body.uses(reduce.input()).count() != 1 {
            return None;
        }
        let accesses = product.accesses();
        let is_matrix = (0..2).all(|side| {
            let alone = |name: &String| names_axis(&accesses[side], name) && !names_axis(&accesses[1 - side], name);
            names[..results.len()].iter().any(alone)
        });
        // Zero times an infinity is no zero: where one factor alone is not read, the other one must be finite.
        let elem = Tensor::of(ctx, product.type_of(product.out()))?.elem(ctx);
        let may_leave = self.finite || elem.float_kind(ctx).is_none();
        let mut phases: Vec<Phase> = Vec::new();
        for (side, access) in accesses.iter().enumerate() {
            let Some([piece]) = access.guard.as_ref().map(|guard| guard.pieces.as_slice()) else { continue };
            for condition in piece {
                let Some(phase) = Phase::of(condition, side, &names, results.len()) else { continue };
                let is_new = phases.iter().all(|known| (0..2).all(|at| known.axes[at] != phase.axes[at]));
                let other = accesses[1 - side].guard.as_ref();
                let both = other.is_some_and(|guard| guard.pieces.iter().all(|piece| piece.contains(condition)));
                let zero = access.fill.is_none();
                let has_size = padded(&sizes[phase.axes[0]], phase.stride).is_some();
                if is_new && zero && has_size && (both || may_leave) {
                    phases.push(phase);
                }
            }
        }
        let mut divisors = vec![Vec::new(); results.len()];
        phases.iter().for_each(|phase| divisors[phase.axes[0]] = vec![phase.stride]);
        (is_matrix && !phases.is_empty()).then(|| Split { product: product.id, finite: may_leave, phases, divisors })
    }
}

impl Split {
    /// The sum with its axes in parts, and its product.
    /// The sizes are those of the axes as a whole.
    fn build(&self, body: &mut Body, op: OpId, cx: &PassCx<'_>) -> Option<(ValueId, ValueId, Vec<SizeExpr>)> {
        let ctx = cx.ctx;
        let reduce = Reduce::from(OpRef::new(ctx, body, op));
        let product = Entry::from(OpRef::new(ctx, body, self.product));
        let (mut results, mut over) = (reduce.axes(), reduce.over());
        let mut longer = Vec::new();
        for phase in &self.phases {
            let axis = phase.axes[0];
            let size = padded(&results[axis], phase.stride)?;
            if size != results[axis] {
                longer.push(axis);
                results[axis] = size;
            }
        }
        let mut parts = Parts::of(&results, &self.divisors)?;
        let mut guards = Vec::new();
        let shared = parts.sizes.len();
        let names = axis_names(shared + over.len());
        let mut places = parts.axes.clone();
        for (at, size) in over.iter_mut().enumerate() {
            let own = SizeExpr::symbol(&names[shared + at]).ok()?;
            let Some(phase) = self.phases.iter().find(|phase| phase.axes[1] == results.len() + at) else {
                places.push(own);
                continue;
            };
            let stride = SizeExpr::from(phase.stride);
            let remainder = SizeExpr::symbol(&names[parts.first[phase.axes[0]] + 1]).ok()?;
            let place = own.mul(&stride).ok()?.add(&phase.first(&remainder)?).ok()?;
            if !size.divisible_by(phase.stride) {
                guards.push((phase.side, Condition::within(place.clone(), size.clone())));
            }
            *size = size.ceildiv(&stride).ok()?;
            places.push(place);
        }
        let sizes: Vec<SizeExpr> = parts.sizes.iter().chain(&over).cloned().collect();
        let mut space = Parts::of(&sizes, &vec![Vec::new(); sizes.len()])?;
        let inputs: Vec<ValueId> = product.operands().collect();
        let mut accesses = Vec::new();
        for (side, access) in product.accesses().iter().enumerate() {
            let mut access = self.access(access, &places, &mut space)?;
            let dims = Tensor::of(ctx, body.value_type(inputs[side]))?.dims(ctx);
            // Zero is multiplied by a finite number, if that is read within its tensor.
            let is_left = |at: usize| self.finite && at == side && is_bounded(&access, &dims);
            let mut own: Vec<Condition> =
                guards.iter().filter(|(at, _)| !is_left(*at)).map(|(_, condition)| condition.clone()).collect();
            // What is read at the positions after the end of a longer axis may be beyond the end of a tensor too.
            for (at, dim) in access.at.iter().zip(&dims) {
                let is_longer = |axis: &usize| at.symbols().iter().any(|name| **name == names[parts.first[*axis]]);
                let inside = Condition::within(at.clone(), dim.clone());
                let is_inside =
                    access.guard.iter().any(|guard| guard.pieces.iter().all(|piece| piece.contains(&inside)));
                if longer.iter().any(is_longer) && !is_inside {
                    own.push(inside);
                }
            }
            for condition in own {
                let guard = access.guard.get_or_insert(Guard { pieces: vec![Vec::new()] });
                guard.pieces.iter_mut().for_each(|piece| piece.push(condition.clone()));
            }
            accesses.push(access);
        }
        let (function, elem, widen) = (product.function(), product.elem(), product.widen());
        let (combiner, acc, loc) = (reduce.combiner(), reduce.acc(), reduce.loc());
        let own: Option<Vec<SizeExpr>> = names.iter().map(|name| SizeExpr::symbol(name).ok()).collect();
        let (product_loc, is_tf32) = (product.loc(), product.attr(ctx.intern_str(TF32)).is_some());
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        let new = NewEntry { inputs: &inputs, function, axes: sizes, accesses, elem, widen };
        let new = new.build(&mut builder, product_loc);
        if is_tf32 {
            builder.body.set_attr(ctx, new, ctx.intern_str(TF32), Some(Attr::UNIT));
        }
        let input = builder.body.result(new, 0);
        let accesses = vec![Access::everywhere(own?)];
        let axes = std::mem::take(&mut parts.sizes);
        let sum = NewReduce { input, combiner, axes, over, accesses, acc }.build(&mut builder, loc);
        Some((body.result(sum, 0), input, results))
    }

    /// An access of the product at the new places, without what phases are there for.
    fn access(&self, access: &Access, places: &[SizeExpr], space: &mut Parts) -> Option<Access> {
        let names = axis_names(places.len());
        let mut access = access.clone();
        for piece in access.guard.iter_mut().flat_map(|guard| &mut guard.pieces) {
            piece.retain(|condition| !self.phases.iter().any(|phase| phase.condition == *condition));
        }
        access.guard = access.guard.filter(|guard| guard.pieces.iter().all(|piece| !piece.is_empty()));
        let place = |name: &str| names.iter().position(|own| own == name).map(|axis| places[axis].clone());
        let access = access.map(&|expr| expr.substitute(&place).ok())?;
        let space = std::cell::RefCell::new(space);
        let mut access = access.map(&|expr| space.borrow_mut().simplified(expr))?;
        for condition in access.guard.iter_mut().flat_map(|guard| &mut guard.pieces).flatten() {
            self.phases.iter().for_each(|phase| divide(condition, phase.stride));
        }
        Some(access)
    }
}

/// The size of an axis with as many positions for each remainder: itself if the divisor divides it, and otherwise up to an
/// eighth longer. `None` where that would be more, or is not known.
fn padded(size: &SizeExpr, divisor: i64) -> Option<SizeExpr> {
    if size.divisible_by(divisor) {
        return Some(size.clone());
    }
    let known = size.as_constant()?;
    let longer = known.checked_add(divisor - 1)? / divisor * divisor;
    (longer - known <= known / 8).then(|| longer.into())
}

/// Whether a guard alone keeps an access within a tensor of these sizes, or the position is one axis.
fn is_bounded(access: &Access, dims: &[SizeExpr]) -> bool {
    let within = |at: &SizeExpr, dim: &SizeExpr| {
        let condition = Condition::within(at.clone(), dim.clone());
        access.guard.as_ref().is_some_and(|guard| guard.pieces.iter().all(|piece| piece.contains(&condition)))
    };
    access.at.iter().zip(dims).all(|(at, dim)| at.as_symbol().is_some() || within(at, dim))
}

/// Whether an access names an axis.
fn names_axis(access: &Access, name: &str) -> bool {
    access.at.iter().any(|at| at.symbols().iter().any(|own| **own == *name))
}

/// Divides both sides of a condition, if all of it is divisible.
fn divide(condition: &mut Condition, by: i64) {
    let by = SizeExpr::from(by);
    if condition.exprs().all(|expr| expr.try_div(&by).is_some())
        && let Some(divided) = condition.map(&|expr| expr.try_div(&by))
    {
        *condition = divided;
    }
}
