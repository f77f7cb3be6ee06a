//! Computes the mean and the variance of many elements from those of their rows, which one kernel has from one reading:
//! `sum (x - c)^2` is, for every number `c`, the sum over rows of `sum (x - m)^2 + L (m - c)^2`, where `m` is the mean of the
//! `L` elements of a row.
//!
//! **Requires**: book.
//! **Ensures**: no sum of squares of differences of 16,777,216 elements or more to what depends on their sum reads them,
//! if they end with rows of 128 to 16,384 contiguous elements, whole vectors of four.
//!
//! **Before**
//! ```mlir before
//! book.func @variance(%x: tensor<[64, 64, 512, 512], f32>) -> tensor<[64], f32> {
//!   %0 = reduce sum axes (i0: 64) over (i1: 64, i2: 512, i3: 512) of %x at (i1, i0, i2, i3) acc f32 : tensor<[64], f32>
//!   %n = const 16777216.0 : tensor<[], f32>
//!   %mean = entry fdiv axes (i0: 64) of %0 at (i0), %n at () : tensor<[64], f32>
//!   %d = entry sub axes (i0: 64, i1: 64, i2: 512, i3: 512) of %x at (i0, i1, i2, i3), %mean at (i1) : tensor<[64, 64, 512, 512], f32>
//!   %s = entry mul axes (i0: 64, i1: 64, i2: 512, i3: 512) of %d at (i0, i1, i2, i3), %d at (i0, i1, i2, i3) : tensor<[64, 64, 512, 512], f32>
//!   %y = reduce sum axes (i0: 64) over (i1: 64, i2: 512, i3: 512) of %s at (i1, i0, i2, i3) acc f32 : tensor<[64], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @variance(%x: tensor<[64, 64, 512, 512], f32>) -> tensor<[64], f32> {
//!   %0 = const 5.120000e+02 : tensor<[], f32>
//!   %1 = reduce sum axes (i0: 64, i1: 64, i2: 512) over (i3: 512) of %x at (i1, i0, i2, i3) acc f32 : tensor<[64, 64, 512], f32>
//!   %2 = entry fdiv axes (i0: 64, i1: 64, i2: 512) of %1 at (i0, i1, i2), %0 at () : tensor<[64, 64, 512], f32>
//!   %3 = reduce sum axes (i0: 64) over (i1: 64, i2: 512) of %2 at (i0, i1, i2) acc f32 : tensor<[64], f32>
//!   %4 = entry mul axes (i0: 64) of %3 at (i0), %0 at () : tensor<[64], f32>
//!   %n = const 0x4B800000 : tensor<[], f32>
//!   %mean = entry fdiv axes (i0: 64) of %4 at (i0), %n at () : tensor<[64], f32>
//!   %d = entry sub axes (i0: 64, i1: 64, i2: 512, i3: 512) of %x at (i0, i1, i2, i3), %mean at (i1) : tensor<[64, 64, 512, 512], f32>
//!   %s = entry mul axes (i0: 64, i1: 64, i2: 512, i3: 512) of %d at (i0, i1, i2, i3), %d at (i0, i1, i2, i3) : tensor<[64, 64, 512, 512], f32>
//!   %5 = entry sub axes (i0: 64, i1: 64, i2: 512, i3: 512) of %x at (i1, i0, i2, i3), %2 at (i0, i1, i2) : tensor<[64, 64, 512, 512], f32>
//!   %6 = entry mul axes (i0: 64, i1: 64, i2: 512, i3: 512) of %5 at (i0, i1, i2, i3), %5 at (i0, i1, i2, i3) : tensor<[64, 64, 512, 512], f32>
//!   %7 = reduce sum axes (i0: 64, i1: 64, i2: 512) over (i3: 512) of %6 at (i0, i1, i2, i3) acc f32 {contiguous} : tensor<[64, 64, 512], f32>
//!   %8 = entry sub axes (i0: 64, i1: 64, i2: 512) of %2 at (i0, i1, i2), %mean at (i0) : tensor<[64, 64, 512], f32>
//!   %9 = entry mul axes (i0: 64, i1: 64, i2: 512) of %8 at (i0, i1, i2), %8 at (i0, i1, i2) : tensor<[64, 64, 512], f32>
//!   %10 = entry mul axes (i0: 64, i1: 64, i2: 512) of %9 at (i0, i1, i2), %0 at () : tensor<[64, 64, 512], f32>
//!   %11 = entry add axes (i0: 64, i1: 64, i2: 512) of %7 at (i0, i1, i2), %10 at (i0, i1, i2) : tensor<[64, 64, 512], f32>
//!   %y = reduce sum axes (i0: 64) over (i1: 64, i2: 512) of %11 at (i0, i1, i2) acc f32 {contiguous} : tensor<[64], f32>
//!   return %y
//! }
//! ```
//!
//! Source: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979.
//! `form-regions` stores the means and the sums of squares of rows, and `join-kernels` makes one kernel of both.
//!
//! **Does not** take elements whose rows are no axes of their own; sums that are rounded to 16 bits; elements of which a cache
//! has most when they are read again.
//!
//! Sums of floats are added in another order. Linear. Rule of the debug counters: `nest`.

use dlc_book::ops::{Const, Entry, Function, Iota, NewEntry, NewReduce, Reduce};
use dlc_book::verify::axis_names;
use dlc_core::access::Access;
use dlc_core::scalar::Combiner;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Attr, Context, Loc, OpId, Type, ValueId};

use crate::analysis::sizes::{ASSUME, AssumedSizes, SYMBOLS};

/// Of so many elements a cache has few when they are read again.
const MANY_ELEMENTS: i64 = 1 << 24;
/// Rows whose sums are little next to their elements.
const SHORTEST_ROW: i64 = 128;
/// Rows that the registers of a block have room for.
const LONGEST_ROW: i64 = 16384;
/// The elements that threads load at once: rows of others would be read one by one.
const VECTOR: i64 = 4;
/// How many entries there may be between a sum and what depends on it.
const MOST_ENTRIES: usize = 8;

static DEF: PassDef = PassDef {
    requires: &["book"],
    options: &[ASSUME, SYMBOLS],
    statistics: &[StatDef { name: "nested", doc: "Sums of squares that are computed from those of rows." }],
    reads_symbols: true,
    ..PassDef::base("nest-variances", "Computes variances of many elements from means and variances of rows.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(NestVariances { sizes: AssumedSizes::of(options)? }))
}

struct NestVariances {
    sizes: AssumedSizes,
}

impl Pass for NestVariances {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut nested = 0;
        for op in body.walk() {
            let Some(found) = self.find(cx.ctx, body, op) else { continue };
            if !cx.allows_rule("nest") {
                continue;
            }
            let message = "the mean and the variance of many elements are those of rows, which are read once for both";
            cx.remark(RemarkKind::Passed, body.loc(op), message);
            nest(cx.ctx, body, found);
            nested += 1;
        }
        cx.count("nested", nested);
        Ok(())
    }
}

/// A sum of squares of differences to what depends on the sum of the same elements.
struct Variance {
    /// The sum of the squares.
    squares: OpId,
    /// The sum of the elements.
    sum: OpId,
    /// The elements, and where they are by the axes of both sums.
    elements: (ValueId, Vec<SizeExpr>),
    /// What is subtracted from them, and where it is.
    center: (ValueId, Vec<SizeExpr>),
    /// The sizes of the axes of the results, and of those that are reduced.
    sizes: [Vec<SizeExpr>; 2],
    /// How many of the reduced axes come before those of a row.
    before: usize,
}

impl NestVariances {
    /// The sum of squares that an op is, if there is one to nest.
    fn find(&self, ctx: &Context, body: &Body, op: OpId) -> Option<Variance> {
        let reduce = Reduce::of(OpRef::new(ctx, body, op))?;
        let at = sum_at(&reduce)?;
        let square = entry(ctx, body, reduce.input(), Function::Mul)?;
        let [(difference, first), (other, second)] = operands(&square, &at)?;
        if difference != other || first != second {
            return None;
        }
        let [elements, center] = operands(&entry(ctx, body, difference, Function::Sub)?, &first)?;
        let (axes, over) = (reduce.axes(), reduce.over());
        let reduced: Vec<SizeExpr> = symbols(axes.len() + over.len()).split_off(axes.len());
        let is_reduced = |name: &str| reduced.iter().any(|axis| axis.as_symbol().is_some_and(|axis| axis == name));
        if center.1.iter().flat_map(SizeExpr::symbols).any(|name| is_reduced(&name)) {
            return None;
        }
        let before = self.rows(&elements.1, &reduced, &over)?;
        let is_many = self.sizes.elements(&axes).saturating_mul(self.sizes.elements(&over)) >= MANY_ELEMENTS;
        let sum = body.uses(elements.0).map(|user| user.op).find(|&user| {
            let sum = Reduce::of(OpRef::new(ctx, body, user));
            sum.is_some_and(|sum| {
                let is_same = sum.axes() == axes && sum.over() == over && sum.acc() == reduce.acc();
                is_same && sum_at(&sum).as_ref() == Some(&elements.1)
            }) && depends(ctx, body, center.0, user)
        });
        let sum = sum.filter(|_| is_many)?;
        Some(Variance { squares: op, sum, elements, center, sizes: [axes, over], before })
    }

    /// How many of some reduced axes come before the longest rows that blocks have room for, of contiguous elements.
    fn rows(&self, at: &[SizeExpr], reduced: &[SizeExpr], sizes: &[SizeExpr]) -> Option<usize> {
        let ends = |before: usize| at.ends_with(&reduced[before..]);
        let length = |before: usize| self.sizes.elements(&sizes[before..]);
        let fits = |length: i64| (SHORTEST_ROW..=LONGEST_ROW).contains(&length) && length % VECTOR == 0;
        (1..sizes.len()).find(|&before| ends(before) && fits(length(before)))
    }
}

/// Where a sum reads elements, by its axes; `None` where it reads some of them alone, or rounds them.
fn sum_at(reduce: &Reduce<'_>) -> Option<Vec<SizeExpr>> {
    let is_wide = reduce.acc() == Type::F32 || reduce.acc() == Type::F64;
    let elem = Tensor::of(reduce.ctx, reduce.type_of(reduce.input()))?.elem(reduce.ctx);
    match &reduce.accesses()[..] {
        [access] if reduce.combiner() == Combiner::Sum && is_wide && elem == reduce.acc() => plain(access),
        _ => None,
    }
}

/// The positions of an access that reads everywhere.
fn plain(access: &Access) -> Option<Vec<SizeExpr>> {
    (*access == Access::everywhere(access.at.clone())).then(|| access.at.clone())
}

/// The entry that computes a value, of a function.
fn entry<'b>(ctx: &'b Context, body: &'b Body, value: ValueId, function: Function) -> Option<Entry<'b>> {
    let entry = Entry::of(OpRef::new(ctx, body, body.defining_op(value)?))?;
    (entry.function() == function && entry.widen().is_none()).then_some(entry)
}

/// The two operands of an entry, and where they are when its axes are at some positions.
fn operands(entry: &Entry<'_>, at: &[SizeExpr]) -> Option<[(ValueId, Vec<SizeExpr>); 2]> {
    let names = axis_names(at.len());
    let axis = |name: &str| names.iter().position(|own| own == name).map(|axis| at[axis].clone());
    let put = |access: &Access| -> Option<Vec<SizeExpr>> {
        plain(access)?.iter().map(|expr| expr.substitute(&axis).ok()).collect()
    };
    let (inputs, accesses): (Vec<ValueId>, Vec<Access>) = (entry.inputs().collect(), entry.accesses());
    match (&inputs[..], &accesses[..]) {
        (&[first, second], [one, other]) => Some([(first, put(one)?), (second, put(other)?)]),
        _ => None,
    }
}

/// Whether a value is computed from the result of an op by a few entries.
fn depends(ctx: &Context, body: &Body, value: ValueId, on: OpId) -> bool {
    let mut values = vec![value];
    for _ in 0..MOST_ENTRIES {
        let Some(value) = values.pop() else { return false };
        let Some(op) = body.defining_op(value) else { continue };
        if op == on {
            return true;
        }
        values.extend(
            Entry::of(OpRef::new(ctx, body, op)).into_iter().flat_map(|entry| entry.inputs().collect::<Vec<_>>()),
        );
    }
    false
}

/// The first axes.
fn symbols(count: usize) -> Vec<SizeExpr> {
    axis_names(count).iter().map(|name| SizeExpr::symbol(name).expect("an axis has a name")).collect()
}

/// Makes sums of the elements and of the squares from those of rows.
fn nest(ctx: &Context, body: &mut Body, found: Variance) {
    let Variance { squares, sum, elements: (x, at), center: (center, center_at), sizes: [axes, over], before } = found;
    let acc = Reduce::from(OpRef::new(ctx, body, sum)).acc();
    let (first, row) = over.split_at(before);
    let kept: Vec<SizeExpr> = axes.iter().chain(first).cloned().collect();
    let all: Vec<SizeExpr> = axes.iter().chain(&over).cloned().collect();
    let (rows, points, results) = (symbols(kept.len()), symbols(all.len()), symbols(axes.len()));
    let length = row.iter().try_fold(SizeExpr::from(1), |length, size| length.mul(size).ok());
    let Some(length) = length else { return };

    let mut emit = Emit { ctx, loc: body.loc(sum), acc, builder: Builder::new(ctx, body, InsertPoint::Before(sum)) };
    let is_known = length.as_constant().is_some();
    let length = emit.number(length);
    let of_row = emit.sum(x, &at, &kept, row);
    // The mean of a row without elements is zero, so that it adds nothing.
    let divisor = match is_known {
        true => length,
        false => {
            let one = emit.number(1.into());
            emit.entry(Function::Max, [(length, &[]), (one, &[])], &[])
        }
    };
    let mean = emit.entry(Function::Fdiv, [(of_row, &rows), (divisor, &[])], &kept);
    let means = emit.sum(mean, &rows, &axes, first);
    let new = emit.entry(Function::Mul, [(means, &results), (length, &[])], &axes);
    replace(body, sum, new);

    let mut emit =
        Emit { ctx, loc: body.loc(squares), acc, builder: Builder::new(ctx, body, InsertPoint::Before(squares)) };
    let off = emit.entry(Function::Sub, [(x, &at), (mean, &rows)], &all);
    let square = emit.entry(Function::Mul, [(off, &points), (off, &points)], &all);
    let inside = emit.sum(square, &points, &kept, row);
    emit.store(inside);
    let off = emit.entry(Function::Sub, [(mean, &rows), (center, &center_at)], &kept);
    let square = emit.entry(Function::Mul, [(off, &rows), (off, &rows)], &kept);
    let between = emit.entry(Function::Mul, [(square, &rows), (length, &[])], &kept);
    let of_rows = emit.entry(Function::Add, [(inside, &rows), (between, &rows)], &kept);
    let new = emit.sum(of_rows, &rows, &axes, first);
    emit.store(new);
    replace(body, squares, new);
}

/// Puts a value in place of what an op gives.
fn replace(body: &mut Body, op: OpId, new: ValueId) {
    let old = body.result(op, 0);
    body.set_value_name(new, body.value_name(old));
    body.replace_all_uses(old, new);
    body.erase_op(op);
}

/// Builds entries and sums of one type.
struct Emit<'b> {
    ctx: &'b Context,
    loc: Loc,
    acc: Type,
    builder: Builder<'b>,
}

impl Emit<'_> {
    /// A size as a number.
    fn number(&mut self, size: SizeExpr) -> ValueId {
        let ty = Tensor::get(self.ctx, Vec::new(), self.acc);
        let number = size.as_constant().map(|size| match self.acc {
            Type::F64 => (size as f64).to_bits(),
            _ => (size as f32).to_bits().into(),
        });
        let op = match number {
            Some(bits) => {
                let number = self.ctx.attr(AttrData::Float { ty: self.acc, bits });
                Const::build(&mut self.builder, self.loc, number, ty)
            }
            None => Iota::build(&mut self.builder, self.loc, vec![size], Vec::new(), ty),
        };
        self.builder.body.result(op, 0)
    }

    /// Says that a value is stored: rows are reduced by a kernel that needs nothing of the whole, and whatever reads the sum
    /// of all of them does not add them again.
    fn store(&mut self, value: ValueId) {
        let body = &mut *self.builder.body;
        if let Some(op) = body.defining_op(value) {
            body.set_attr(self.ctx, op, self.ctx.intern_str(dlc_core::CONTIGUOUS), Some(Attr::UNIT));
        }
    }

    fn entry(&mut self, function: Function, operands: [(ValueId, &[SizeExpr]); 2], axes: &[SizeExpr]) -> ValueId {
        let inputs = operands.map(|(value, _)| value);
        let accesses = operands.map(|(_, at)| Access::everywhere(at.to_vec())).to_vec();
        let entry = NewEntry { inputs: &inputs, function, axes: axes.to_vec(), accesses, elem: None, widen: None };
        let op = entry.build(&mut self.builder, self.loc);
        self.builder.body.result(op, 0)
    }

    fn sum(&mut self, input: ValueId, at: &[SizeExpr], axes: &[SizeExpr], over: &[SizeExpr]) -> ValueId {
        let accesses = vec![Access::everywhere(at.to_vec())];
        let (axes, over) = (axes.to_vec(), over.to_vec());
        let sum = NewReduce { input, combiner: Combiner::Sum, axes, over, accesses, acc: self.acc };
        let op = sum.build(&mut self.builder, self.loc);
        self.builder.body.result(op, 0)
    }
}
