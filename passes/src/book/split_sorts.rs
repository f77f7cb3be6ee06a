//! Sorts in groups what is longer than a block sorts, and then merges the groups: each element goes to the position that is the
//! number of elements before it in all groups, which are found by binary search.
//!
//! **Requires**: book.
//! **Ensures**: integers are sorted along at most 8192 positions at once.
//!
//! **Before**
//! ```mlir before {group=2 assume=4}
//! book.func @sort<N>(%x: tensor<[N], i64>) -> tensor<[N], i64> {
//!   %s = sort axes (i0: N) along 0 of %x at (i0) : tensor<[N], i64>
//!   return %s
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @sort<N>(%x: tensor<[N], i64>) -> tensor<[N], i64> {
//!   %0 = sort axes (i0: N) along 0 every 2 of %x at (i0) : tensor<[N], i64>
//!   %1 = iota (i1) axes (i0: N, i1: N ceildiv 2) : tensor<[N, N ceildiv 2], i32>
//!   %2 = iota (i0 floordiv 2) axes (i0: N, i1: N ceildiv 2) : tensor<[N, N ceildiv 2], i32>
//!   %3 = entry lt axes (i0: N, i1: N ceildiv 2) of %1 at (i0, i1), %2 at (i0, i1) : tensor<[N, N ceildiv 2], i1>
//!   %4 = entry eq axes (i0: N, i1: N ceildiv 2) of %1 at (i0, i1), %2 at (i0, i1) : tensor<[N, N ceildiv 2], i1>
//!   %5 = iota (N) axes (i0: N, i1: N ceildiv 2) : tensor<[N, N ceildiv 2], i32>
//!   %6 = iota (0) axes (i0: N, i1: N ceildiv 2) : tensor<[N, N ceildiv 2], i32>
//!   %7 = iota (2*i1) axes (i0: N, i1: N ceildiv 2) : tensor<[N, N ceildiv 2], i32>
//!   %8 = entry add axes (i0: N, i1: N ceildiv 2) of %7 at (i0, i1), %6 at (i0, i1) : tensor<[N, N ceildiv 2], i32>
//!   %9 = gather non_scop axes (i0: N, i1: N ceildiv 2) of %0 at [%8 (i0, i1)] : tensor<[N, N ceildiv 2], i64>
//!   %10 = entry lt axes (i0: N, i1: N ceildiv 2) of %8 at (i0, i1), %5 at (i0, i1) : tensor<[N, N ceildiv 2], i1>
//!   %11 = entry lt axes (i0: N, i1: N ceildiv 2) of %9 at (i0, i1), %0 at (i0) : tensor<[N, N ceildiv 2], i1>
//!   %12 = entry eq axes (i0: N, i1: N ceildiv 2) of %9 at (i0, i1), %0 at (i0) : tensor<[N, N ceildiv 2], i1>
//!   %13 = entry and axes (i0: N, i1: N ceildiv 2) of %12 at (i0, i1), %3 at (i0, i1) : tensor<[N, N ceildiv 2], i1>
//!   %14 = entry or axes (i0: N, i1: N ceildiv 2) of %11 at (i0, i1), %13 at (i0, i1) : tensor<[N, N ceildiv 2], i1>
//!   %15 = entry and axes (i0: N, i1: N ceildiv 2) of %14 at (i0, i1), %10 at (i0, i1) : tensor<[N, N ceildiv 2], i1>
//!   %16 = iota (1) axes (i0: N, i1: N ceildiv 2) : tensor<[N, N ceildiv 2], i32>
//!   %17 = entry add axes (i0: N, i1: N ceildiv 2) of %6 at (i0, i1), %16 at (i0, i1) : tensor<[N, N ceildiv 2], i32>
//!   %18 = entry where axes (i0: N, i1: N ceildiv 2) of %15 at (i0, i1), %17 at (i0, i1), %6 at (i0, i1) : tensor<[N, N ceildiv 2], i32>
//!   %19 = iota (2*i1) axes (i0: N, i1: N ceildiv 2) : tensor<[N, N ceildiv 2], i32>
//!   %20 = entry add axes (i0: N, i1: N ceildiv 2) of %19 at (i0, i1), %18 at (i0, i1) : tensor<[N, N ceildiv 2], i32>
//!   %21 = gather non_scop axes (i0: N, i1: N ceildiv 2) of %0 at [%20 (i0, i1)] : tensor<[N, N ceildiv 2], i64>
//!   %22 = entry lt axes (i0: N, i1: N ceildiv 2) of %20 at (i0, i1), %5 at (i0, i1) : tensor<[N, N ceildiv 2], i1>
//!   %23 = entry lt axes (i0: N, i1: N ceildiv 2) of %21 at (i0, i1), %0 at (i0) : tensor<[N, N ceildiv 2], i1>
//!   %24 = entry eq axes (i0: N, i1: N ceildiv 2) of %21 at (i0, i1), %0 at (i0) : tensor<[N, N ceildiv 2], i1>
//!   %25 = entry and axes (i0: N, i1: N ceildiv 2) of %24 at (i0, i1), %3 at (i0, i1) : tensor<[N, N ceildiv 2], i1>
//!   %26 = entry or axes (i0: N, i1: N ceildiv 2) of %23 at (i0, i1), %25 at (i0, i1) : tensor<[N, N ceildiv 2], i1>
//!   %27 = entry and axes (i0: N, i1: N ceildiv 2) of %26 at (i0, i1), %22 at (i0, i1) : tensor<[N, N ceildiv 2], i1>
//!   %28 = iota (1) axes (i0: N, i1: N ceildiv 2) : tensor<[N, N ceildiv 2], i32>
//!   %29 = entry add axes (i0: N, i1: N ceildiv 2) of %18 at (i0, i1), %28 at (i0, i1) : tensor<[N, N ceildiv 2], i32>
//!   %30 = entry where axes (i0: N, i1: N ceildiv 2) of %27 at (i0, i1), %29 at (i0, i1), %18 at (i0, i1) : tensor<[N, N ceildiv 2], i32>
//!   %31 = iota (i0 mod 2) axes (i0: N, i1: N ceildiv 2) : tensor<[N, N ceildiv 2], i32>
//!   %32 = entry where axes (i0: N, i1: N ceildiv 2) of %4 at (i0, i1), %31 at (i0, i1), %30 at (i0, i1) : tensor<[N, N ceildiv 2], i32>
//!   %33 = reduce sum axes (i0: N) over (i1: N ceildiv 2) of %32 at (i0, i1) acc i32 {contiguous} : tensor<[N], i32>
//!   %34 = iota (i0) axes (i0: N, i1: N) : tensor<[N, N], i32>
//!   %35 = entry eq axes (i0: N, i1: N) of %34 at (i0, i1), %33 at (i1) : tensor<[N, N], i1>
//!   %36 = const 0 : tensor<[], i64>
//!   %37 = entry where axes (i0: N, i1: N) of %35 at (i0, i1), %0 at (i1), %36 at () : tensor<[N, N], i64>
//!   %s = reduce sum axes (i0: N) over (i1: N) of %37 at (i0, i1) acc i64 {any_order} : tensor<[N], i64>
//!   return %s
//! }
//! ```
//!
//! Groups have 8192 positions where no option says otherwise, and no more than a row whose length `symbols` says. With `own` as
//! the sorted groups, a search for the element at `i0` in the group `i1` reads `own` at `8192*i1 + count + 4095`, adds 4096 to
//! `count` if that is less, and goes on with half of it. In its own group an element has as many before it as its position says.
//! The sum over all groups is the position in the result, and `own` is added there to zero, by the reduction that `scatter_add`
//! is, marked `any_order`: no two elements have the same position.
//!
//! Before that, groups are merged in pairs, by a search in the other one of the pair, as often as leaves two of a row of the
//! length that the options say; of a row of known length as often as leaves one, and nothing is left to merge. Any other length
//! takes the same kernels: it leaves more groups.
//!
//! **Does not** touch floats, which `tensorize` refuses along axes that are too long.
//!
//! For each element as many reads as the binary logarithm of a group for each time in pairs, and for each group that is left.
//! Rule of the debug counters: `split`.

use dlc_book::ops::{Function, NewEntry, NewGather, NewReduce, NewSort, Sort};
use dlc_core::access::Access;
use dlc_core::scalar::{ANY_ORDER, Combiner};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Attr, Context, Loc, OpId, Type, ValueId};

use crate::analysis::sizes::{ASSUME, AssumedSizes, SYMBOLS};
use crate::plan::shape::MOST_SORTED;

static DEF: PassDef = PassDef {
    requires: &["book"],
    options: &[
        OptionDef {
            name: "group",
            kind: OptionKind::Int,
            default: "8192",
            doc: "The positions of a group: a power of two up to 8192.",
        },
        ASSUME,
        SYMBOLS,
    ],
    statistics: &[StatDef { name: "split", doc: "Sorts that are of groups." }],
    ..PassDef::base("split-sorts", "Splits sorts of long rows into groups that are merged.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let group = options.int("group");
    match (2..=MOST_SORTED).contains(&group) && group.count_ones() == 1 {
        true => Ok(Box::new(SplitSorts { group, sizes: AssumedSizes::of(options)? })),
        false => Err(format!("groups have a power of two of positions, from 2 to {MOST_SORTED}, and not {group}")),
    }
}

/// The fewest positions of a group whose size follows from a length: a warp has so many elements.
const FEWEST: i64 = 256;

struct SplitSorts {
    group: i64,
    sizes: AssumedSizes,
}

impl Pass for SplitSorts {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut split = 0;
        for op in body.walk() {
            let Some(sort) = Sort::of(OpRef::new(cx.ctx, body, op)).filter(|sort| is_long(*sort)) else { continue };
            let group = self.group_of(sort);
            let rounds = self.rounds(sort, group);
            if cx.allows_rule("split") && replace(cx.ctx, body, op, group, rounds).is_some() {
                let pairs = if rounds == 0 { String::new() } else { format!(", {rounds} times in pairs") };
                let message = format!("groups of {group} positions are sorted separately, and merged{pairs}");
                cx.remark(RemarkKind::Passed, body.loc(op), message);
                body.erase_op(op);
                split += 1;
            }
        }
        cx.count("split", split);
        Ok(())
    }
}

impl SplitSorts {
    /// The positions of a group: no more than a row has whose length is named.
    fn group_of(&self, sort: Sort<'_>) -> i64 {
        let length = self.sizes.named(&sort.axes()[sort.along() as usize]).map(|length| length.max(FEWEST) as u64);
        length.map_or(self.group, |length| self.group.min(length.next_power_of_two() as i64))
    }

    /// How often groups are merged in pairs: until one is left, or two of a row whose length is assumed, since another length
    /// leaves more.
    fn rounds(&self, sort: Sort<'_>, group: i64) -> u32 {
        let length = &sort.axes()[sort.along() as usize];
        let (size, left) = (self.sizes.size(length), if length.as_constant().is_some() { 1 } else { 2 });
        let mut rounds = 0;
        while rounds < 61 && group.saturating_mul(left << rounds) < size {
            rounds += 1;
        }
        rounds
    }
}

/// Whether a block cannot sort rows of integers whole.
fn is_long(sort: Sort<'_>) -> bool {
    let length = sort.axes().into_iter().nth(sort.along() as usize);
    let is_long = length.and_then(|length| length.as_constant()).is_none_or(|length| length > MOST_SORTED);
    let elem = Tensor::expect(sort.ctx, sort.type_of(sort.out())).elem(sort.ctx);
    is_long && sort.every().is_none() && matches!(elem, Type::I32 | Type::I64)
}

fn symbol(axis: usize) -> SizeExpr {
    SizeExpr::symbol(&format!("i{axis}")).expect("a letter and digits are a name")
}

/// Lets all who read a sort read the merged groups. `None` where positions go beyond 64 bits.
fn replace(ctx: &Context, body: &mut Body, op: OpId, group: i64, rounds: u32) -> Option<()> {
    let sort = Sort::from(OpRef::new(ctx, body, op));
    let (axes, along, input, accesses) = (sort.axes(), sort.along() as usize, sort.input(), sort.accesses());
    let elem = Tensor::expect(ctx, sort.type_of(sort.out())).elem(ctx);
    let (loc, old) = (body.loc(op), body.result(op, 0));
    let mut emit = Emit { builder: Builder::new(ctx, body, InsertPoint::Before(op)), loc };
    let new = NewSort { input, axes: axes.clone(), along: along as i64, every: Some(group), accesses };
    let own = new.build(&mut emit.builder, loc);
    let own = emit.builder.result(own);
    let mut merge = Merge { own, elem, axes, along, group };
    for _ in 0..rounds {
        let places = merge.places_in_pairs(&mut emit)?;
        merge.own = merge.stored(&mut emit, places)?;
        merge.group = merge.group.checked_mul(2)?;
    }
    if merge.axes[along].as_constant().is_none_or(|length| length > merge.group) {
        let places = merge.places(&mut emit)?;
        merge.own = merge.stored(&mut emit, places)?;
    }
    let result = merge.own;
    let name = body.value_name(old);
    body.replace_all_uses(old, result);
    body.set_value_name(result, name);
    Some(())
}

/// Sorted groups that become one.
struct Merge {
    own: ValueId,
    elem: Type,
    axes: Vec<SizeExpr>,
    along: usize,
    /// The positions of a group.
    group: i64,
}

impl Merge {
    /// The positions at a point of the axes.
    fn points(&self) -> Vec<SizeExpr> {
        (0..self.axes.len()).map(symbol).collect()
    }

    /// The place of each element when the groups are merged in pairs: how many are before it in the own group and in the
    /// other one of the pair.
    fn places_in_pairs(&self, emit: &mut Emit<'_>) -> Option<ValueId> {
        let (axes, here) = (&self.axes, || Access::everywhere(self.points()));
        let (at, size, pair) =
            (symbol(self.along), SizeExpr::from(self.group), SizeExpr::from(self.group.checked_mul(2)?));
        let (begin, second) = (at.floordiv(&pair).and_then(|n| n.mul(&pair)).ok()?, at.floordiv(&size).ok()?);
        let second = second.modulo(&2.into()).ok()?;
        // The first group of a pair is searched by the second one, and the second one by the first.
        let other = SizeExpr::from(1).sub(&second).and_then(|n| n.mul(&size)).and_then(|n| n.add(&begin)).ok()?;
        let (second, one) = (emit.iota(second, axes), emit.iota(1.into(), axes));
        let is_before = emit.entry(Function::Eq, &[second, one], axes, vec![here(), here()], None);
        let count = self.search(emit, axes, &other, is_before)?;
        let own = emit.iota(at.modulo(&size).and_then(|n| n.add(&begin)).ok()?, axes);
        Some(emit.entry(Function::Add, &[own, count], axes, vec![here(), here()], None))
    }

    /// The place of each element when all groups are merged: how many are before it in each.
    fn places(&self, emit: &mut Emit<'_>) -> Option<ValueId> {
        let (group, size) = (symbol(self.axes.len()), SizeExpr::from(self.group));
        let groups = self.axes[self.along].ceildiv(&size).ok()?;
        let axes: &[SizeExpr] = &[&self.axes[..], std::slice::from_ref(&groups)].concat();
        let here = || Access::everywhere((0..axes.len()).map(symbol).collect());
        // Groups before the own one have what equals the element before it.
        let (this, own) = (emit.iota(group.clone(), axes), emit.iota(symbol(self.along).floordiv(&size).ok()?, axes));
        let is_before = emit.entry(Function::Lt, &[this, own], axes, vec![here(), here()], None);
        let is_own = emit.entry(Function::Eq, &[this, own], axes, vec![here(), here()], None);
        let count = self.search(emit, axes, &group.mul(&size).ok()?, is_before)?;
        let place = emit.iota(symbol(self.along).modulo(&size).ok()?, axes);
        let count = emit.entry(Function::Where, &[is_own, place, count], axes, vec![here(), here(), here()], None);
        let (axes, over) = (self.axes.clone(), vec![groups]);
        let acc = Type::I32;
        let new = NewReduce { input: count, combiner: Combiner::Sum, axes, over, accesses: vec![here()], acc };
        let op = new.build(&mut emit.builder, emit.loc);
        let hint = emit.builder.ctx.intern_str(dlc_core::CONTIGUOUS);
        emit.builder.body.set_attr(emit.builder.ctx, op, hint, Some(Attr::UNIT));
        Some(emit.builder.result(op))
    }

    /// How many elements of the group that begins at `first` are before the own element, by binary search; of equal ones those
    /// of groups that are before its own.
    fn search(&self, emit: &mut Emit<'_>, axes: &[SizeExpr], first: &SizeExpr, is_before: ValueId) -> Option<ValueId> {
        let here = || Access::everywhere((0..axes.len()).map(symbol).collect());
        let of_own = || Access::everywhere(self.points());
        let length = emit.iota(self.axes[self.along].clone(), axes);
        let mut count = emit.iota(SizeExpr::from(0), axes);
        // Half of the group, then half of that, down to one, and one again.
        let steps = std::iter::successors(Some(self.group / 2), |step| (*step > 1).then_some(step / 2));
        for step in steps.chain([1]) {
            let at = emit.iota(first.add(&(step - 1).into()).ok()?, axes);
            let place = emit.entry(Function::Add, &[at, count], axes, vec![here(), here()], None);
            let other = emit.gather(self, place, axes);
            let is_there = emit.entry(Function::Lt, &[place, length], axes, vec![here(), here()], None);
            let is_less = emit.entry(Function::Lt, &[other, self.own], axes, vec![here(), of_own()], None);
            let is_equal = emit.entry(Function::Eq, &[other, self.own], axes, vec![here(), of_own()], None);
            let is_equal = emit.entry(Function::And, &[is_equal, is_before], axes, vec![here(), here()], None);
            let counts = emit.entry(Function::Or, &[is_less, is_equal], axes, vec![here(), here()], None);
            let counts = emit.entry(Function::And, &[counts, is_there], axes, vec![here(), here()], None);
            let by = emit.iota(SizeExpr::from(step), axes);
            let more = emit.entry(Function::Add, &[count, by], axes, vec![here(), here()], None);
            count = emit.entry(Function::Where, &[counts, more, count], axes, vec![here(), here(), here()], None);
        }
        Some(count)
    }

    /// Each element at its place.
    fn stored(&self, emit: &mut Emit<'_>, places: ValueId) -> Option<ValueId> {
        let mut axes = self.axes.clone();
        axes.push(self.axes[self.along].clone());
        let all: Vec<SizeExpr> = (0..axes.len()).map(symbol).collect();
        let mut from = self.points();
        from[self.along] = symbol(self.axes.len());
        let (here, from) = (Access::everywhere(all), Access::everywhere(from));
        let place = emit.iota(symbol(self.along), &axes);
        let is_here = emit.entry(Function::Eq, &[place, places], &axes, vec![here.clone(), from.clone()], None);
        let zero = emit.builder.ctx.int_attr(0, self.elem);
        let ty = Tensor::get(emit.builder.ctx, Vec::new(), self.elem);
        let zero = dlc_book::ops::Const::build(&mut emit.builder, emit.loc, zero, ty);
        let zero = emit.builder.result(zero);
        let accesses = vec![here.clone(), from, Access::everywhere(Vec::new())];
        let parts = emit.entry(Function::Where, &[is_here, self.own, zero], &axes, accesses, None);
        let over = axes.pop().into_iter().collect();
        let (combiner, acc) = (Combiner::Sum, self.elem);
        let op = NewReduce { input: parts, combiner, axes, over, accesses: vec![here], acc };
        let op = op.build(&mut emit.builder, emit.loc);
        let mark = emit.builder.ctx.intern_str(ANY_ORDER);
        emit.builder.body.set_attr(emit.builder.ctx, op, mark, Some(Attr::UNIT));
        Some(emit.builder.result(op))
    }
}

/// Where values are put.
struct Emit<'b> {
    builder: Builder<'b>,
    loc: Loc,
}

impl Emit<'_> {
    fn entry(
        &mut self,
        function: Function,
        inputs: &[ValueId],
        axes: &[SizeExpr],
        accesses: Vec<Access>,
        elem: Option<Type>,
    ) -> ValueId {
        let op = NewEntry { inputs, function, axes: axes.to_vec(), accesses, elem, widen: None };
        let op = op.build(&mut self.builder, self.loc);
        self.builder.result(op)
    }

    /// A number that the axes say.
    fn iota(&mut self, value: SizeExpr, axes: &[SizeExpr]) -> ValueId {
        let ty = Tensor::get(self.builder.ctx, axes.to_vec(), Type::I32);
        let op = dlc_book::ops::Iota::build(&mut self.builder, self.loc, vec![value], axes.to_vec(), ty);
        self.builder.result(op)
    }

    /// The elements of groups at positions along the axis.
    fn gather(&mut self, merge: &Merge, place: ValueId, axes: &[SizeExpr]) -> ValueId {
        let mut at = merge.points();
        at[merge.along] = dlc_book::syntax::element(0);
        let accesses = vec![Access::everywhere((0..axes.len()).map(symbol).collect())];
        let new = NewGather { table: merge.own, indices: &[place], axes: axes.to_vec(), at, accesses };
        let op = new.build(&mut self.builder, self.loc);
        self.builder.result(op)
    }
}
