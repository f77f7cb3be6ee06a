//! What a kernel requires of a machine, whatever it is called: its axes with numbers for their sizes, what it reads and writes,
//! which of its reductions are products of matrices, and how much there is to compute.

mod reads;

use std::collections::BTreeMap;

use dlc_core::guard::Guard;
use dlc_core::memref::{Layout, MemRef};
use dlc_core::precision::{Precision, ROUNDED, TF32};
use dlc_core::scalar::{self, Binary as BinaryFn};
use dlc_ir::affine::{self, SizeExpr, gcd};
use dlc_ir::body::ValueDef;
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, Body, Context, OpId, OpRef, Type, ValueId};
use dlc_kernel::global::contiguous_axis;
use dlc_plan::Schedule;
use dlc_region::ops::{Binary, BroadcastInDim, Cast, Func, Read, Reduce, Select, Transpose, Unary, Yield};
use dlc_region::verify::KernelAxes;

use super::live::live;
use super::windows::At;
use crate::analysis::axes::{axes, contributions, elem, reductions};
use crate::analysis::boxes::{ALIGNMENT, inside};
use crate::analysis::masks::{mask_of, zero_mask};
use crate::analysis::taps::Taps;
use crate::plan::shape::{Shape, groups, groups_of_rows, held_values, is_multiplied};

/// What a kernel requires of a machine.
pub struct Facts {
    /// Its axes: those of the results, then those that are reduced.
    pub axes: KernelAxes,
    /// Numbers for their sizes, the assumed one for symbols.
    pub sizes: Vec<i64>,
    /// The memrefs that it reads.
    pub inputs: Vec<Tensor>,
    /// Those that it writes.
    pub outputs: Vec<Tensor>,
    /// Its reductions that are products of matrices, in order.
    pub products: Vec<Product>,
    /// The rows of a product that are reduced next: a tile has whole ones.
    pub whole_rows: Option<WholeRows>,
    /// The axes that its reductions go over; a result may lie along one of them as well.
    pub reduced: Vec<String>,
    /// The same, once for each reduction.
    pub sums: Vec<String>,
    /// The axes on which results of reductions depend.
    pub summed_over: Vec<String>,
    /// Additions, multiplications and the like outside of products, one for each point of each op.
    pub simple: f64,
    /// How many of these are multiplications whose product is only added to something.
    pub joined: f64,
    /// Exponentials, roots and the like.
    pub special: f64,
    /// The most numbers of a point that are computed already and still needed.
    pub live: usize,
    /// Whether something is read under a guard or at positions that are not axes.
    pub pieces: bool,
    /// What is done to results of products, as words, in order.
    pub epilogue: Vec<String>,
    /// Where inputs are read.
    pub reads: Vec<At>,
    /// What reductions combine that is no product: one for each point of each of them.
    pub combined: f64,
    /// The numbers that symbols in the sizes of tensors stand for.
    pub symbols: BTreeMap<String, i64>,
    /// How many positions of the last product's depth, up to its own, a row sees, where positions hide those before.
    pub window: Option<i64>,
}

/// Rows of a product that are reduced next.
#[derive(Clone, Copy)]
pub struct WholeRows {
    /// How many elements they have.
    pub columns: i64,
    /// How many values of them are there at once.
    pub values: i64,
}

/// A memref of a kernel.
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub elem: Type,
    /// The axes of the kernel that it is read or written along, the contiguous one last.
    pub axes: Vec<String>,
    /// The axes along which neighbouring elements are read, each once.
    pub along: Vec<String>,
    /// The axis of which neighbours of one phase are read next to each other: see [`Neighbours`](crate::plan::shape::Neighbours).
    pub phased: Option<String>,
    /// How many elements it has.
    pub elems: f64,
    /// How many of them are read, and those next to them in the same words of memory: at positions that are values there may be
    /// fewer reads than elements.
    pub touched: f64,
    /// The same as its sizes say it; `None` beyond 64 bits.
    pub count: Option<SizeExpr>,
    /// Whether its last axis is contiguous and each position is an axis, without a guard.
    pub plain: bool,
    /// The same where other positions may be numbers, as along axes of size one.
    pub is_matrix: bool,
    /// Whether its last axis is contiguous and the position there an axis, on which no guard depends: neighbours are read
    /// together.
    pub in_rows: bool,
    /// Whether TMA may find its elements: guards say nothing but that positions are in the memory, and no position is a quotient
    /// of several axes.
    pub has_boxes: bool,
    /// How many neighbours each read takes together: they begin at multiples of this number in a row, and guards hold for all
    /// of them or for none. 0 for any number of them, 1 where a read does not go along rows.
    pub run: u64,
    /// How many reads there are of it at a place of its rows that is a value: no two elements of a thread come together.
    pub scattered: usize,
    /// How many reads there are of it at a place that is a value, on any axis.
    pub indexed: usize,
    /// The size of the contiguous axis; `None` where the layout has none.
    pub row: Option<SizeExpr>,
    /// How many elements lie between neighbours along each axis of its memory; none where it has no contiguous rows.
    pub strides: Vec<f64>,
    /// How many reads there are of it.
    pub reads: usize,
}

impl Tensor {
    /// How many neighbours each read takes together, a power of two up to some number.
    pub fn run_up_to(&self, most: i64) -> i64 {
        match self.run {
            _ if self.in_rows => most,
            0 => most,
            run => 1 << run.trailing_zeros().min(most.max(1).ilog2()),
        }
    }

    /// The bytes of it that a tile of a plan reads at once.
    pub fn tile_bytes(&self, ctx: &Context, facts: &Facts, plan: &Schedule) -> f64 {
        let extent = |axis: &String| plan.tile_of(axis).clamp(1, facts.size(axis).max(1)) as f64;
        self.axes.iter().map(extent).product::<f64>() * bits(ctx, self.elem) / 8.0
    }
}

/// A sum of products along axes that both factors have.
#[derive(Clone)]
pub struct Product {
    /// The reduction.
    pub op: OpId,
    /// The factors. The second has the last axis of the results if only one of them has.
    pub factors: [Factor; 2],
    /// Axes of the results that only the first has, in the order of the kernel.
    pub rows: Vec<String>,
    /// Those that only the second has.
    pub columns: Vec<String>,
    /// Those that are reduced.
    pub depth: Vec<String>,
    /// Whether the products are added without being rounded: then a tensor core may.
    pub exact: bool,
    /// Whether factors of `f32` may be rounded to `tf32`.
    pub tf32: bool,
    /// Whether they were.
    pub rounded: bool,
}

impl Product {
    /// Whether its factors are numbers of `tf32`, and its sum is to be as exact as of any numbers of `f32`.
    pub fn is_exact_f32(&self) -> bool {
        self.rounded && !self.tf32
    }
}

/// One side of a product.
#[derive(Clone)]
pub struct Factor {
    /// The value.
    pub value: ValueId,
    /// The type of its numbers.
    pub elem: Type,
    /// The input that it is an element of, if it is computed from no other.
    pub input: Option<usize>,
    /// Whether it is that element itself, and not a function of it.
    pub direct: bool,
    /// Whether it is zero instead on one side of a diagonal.
    pub masked: bool,
    /// The axes in the order of that input's, the contiguous one last.
    pub axes: Vec<String>,
    /// Where it is read; elsewhere it is zero.
    pub guard: Option<Guard>,
}

impl Facts {
    /// Whether there are several products, and they have the same rows, columns and steps, so that one loop makes their sums
    /// next to each other.
    pub fn are_alongside(&self) -> bool {
        let [first, others @ ..] = self.products.as_slice() else { return false };
        let is_alongside = |other: &Product| {
            let same_axes = first.rows == other.rows && first.columns == other.columns && first.depth == other.depth;
            same_axes && first.exact == other.exact && first.factors[0].elem == other.factors[0].elem
        };
        !others.is_empty() && others.iter().all(is_alongside)
    }

    /// The positions of a reduced axis that a product multiplies, where tiles have one position of the axes in `points`.
    fn taps(&self, product: &Product, axis: &str, points: &dyn Fn(&str) -> bool) -> f64 {
        let (count, point) = (self.size(axis), |name: &str| points(name).then(|| self.size(name)));
        let guards = product.factors.iter().filter_map(|factor| factor.guard.as_ref());
        Taps::of(guards, axis, count, &point).mean(count, &point)
    }

    /// The share of its steps that a product has by a plan: the others multiply zeros.
    pub fn share(&self, product: &Product, plan: &Schedule) -> f64 {
        let is_single = |axis: &str| self.iters().iter().any(|iter| iter == axis) && plan.tile_of(axis) == 1;
        let share = |axis: &String| match plan.tile_of(axis) {
            1 => self.taps(product, axis, &is_single) / self.size(axis).max(1) as f64,
            _ => 1.0,
        };
        product.depth.iter().map(share).product()
    }

    /// A product of phases one by one: those axes of one factor alone that say which steps multiply zeros are of no tile.
    /// `None` where there are none, or no others.
    pub fn by_phases(&self, product: &Product) -> Option<Product> {
        let sides = || [&product.rows, &product.columns].into_iter().flatten();
        let guards = || product.factors.iter().filter_map(|factor| factor.guard.as_ref());
        let point = |name: &str| sides().any(|axis| axis == name).then(|| self.size(name));
        let taps = product.depth.iter().flat_map(|axis| Taps::of(guards(), axis, self.size(axis), &point).axes());
        let phases: Vec<String> = taps.collect();
        let mut alone = product.clone();
        alone.rows.retain(|axis| !phases.contains(axis));
        alone.columns.retain(|axis| !phases.contains(axis));
        (!phases.is_empty() && !alone.rows.is_empty() && !alone.columns.is_empty()).then_some(alone)
    }

    /// Whether a product is made from what another one gives.
    pub fn are_chained(&self) -> bool {
        self.products.len() > 1 && !self.are_alongside()
    }

    /// Looks at a kernel; `assume` is the size of a symbol.
    pub fn of(ctx: &Context, body: &Body, assume: &dyn Fn(&str) -> i64) -> Option<Facts> {
        let root = OpRef::new(ctx, body, body.root());
        let func = Func::of(root)?;
        let block = body.entry_block()?;
        let kernel = KernelAxes::of(ctx, body);
        let number = |size: &SizeExpr| size.eval(&|name| Some(assume(name))).unwrap_or(i64::MAX).clamp(0, 1 << 40);
        let sizes: Vec<i64> = kernel.sizes.iter().map(number).collect();
        let count = |dims: &[SizeExpr]| dims.iter().map(|dim| number(dim) as f64).product::<f64>();
        let tensor = |name: &str, ty: Type| {
            let memref = MemRef::of(ctx, ty)?;
            let dims = memref.dims(ctx);
            let row = dims.last().filter(|row| has_rows(&memref.layout(ctx), row)).cloned();
            let steps = memref.layout(ctx).strides(&dims).filter(|_| row.is_some());
            let strides = steps.into_iter().flat_map(|(strides, _)| strides).map(|stride| number(&stride) as f64);
            let strides = strides.collect();
            let (elem, elems) = (memref.elem(ctx), count(&dims));
            let all = dims.iter().try_fold(SizeExpr::from(1), |all, dim| all.mul(dim).ok());
            let (name, axes, along) = (name.to_string(), Vec::new(), Vec::new());
            let [plain, is_matrix, in_rows, has_boxes] = [true; 4];
            Some(Tensor {
                name,
                elem,
                axes,
                along,
                phased: None,
                elems,
                touched: 0.0,
                count: all,
                plain,
                is_matrix,
                in_rows,
                has_boxes,
                run: 0,
                scattered: 0,
                indexed: 0,
                row,
                strides,
                reads: 0,
            })
        };
        let args = body.args(block);
        let name = |(at, &arg): (usize, &ValueId)| match ctx.str(body.value_name(arg)) {
            "" => tensor(&at.to_string(), body.value_type(arg)),
            name => tensor(name, body.value_type(arg)),
        };
        let inputs = args.iter().enumerate().map(name).collect::<Option<Vec<_>>>()?;
        let results = match ctx.type_data(func.function_type()) {
            dlc_ir::TypeData::Function { results, .. } => results.to_vec(),
            _ => Vec::new(),
        };
        let outputs = func.outputs().into_iter().zip(results);
        let outputs = outputs.map(|(name, ty)| tensor(name, ty)).collect::<Option<Vec<_>>>()?;
        let mut facts = Facts {
            axes: kernel,
            sizes,
            inputs,
            outputs,
            products: Vec::new(),
            whole_rows: None,
            reduced: Vec::new(),
            sums: Vec::new(),
            summed_over: Vec::new(),
            simple: 0.0,
            joined: 0.0,
            special: 0.0,
            live: live(ctx, body),
            pieces: false,
            epilogue: Vec::new(),
            reads: Vec::new(),
            combined: 0.0,
            symbols: BTreeMap::new(),
            window: None,
        };
        let rows = facts.inputs.iter().chain(&facts.outputs).filter_map(|tensor| tensor.row.as_ref());
        let sizes = rows.chain(&facts.axes.sizes);
        let named: Vec<String> = sizes.flat_map(SizeExpr::symbols).map(|name| name.to_string()).collect();
        facts.symbols.extend(named.into_iter().map(|name| (name.clone(), assume(&name))));
        let iters: Vec<String> = func.iters().into_iter().map(String::from).collect();
        for output in &mut facts.outputs {
            output.axes.clone_from(&iters);
            output.along.extend(iters.last().cloned());
        }
        facts.work(ctx, body, args);
        facts.find_products(ctx, body, args);
        facts.find_rows(ctx, body);
        facts.find_epilogue(ctx, body);
        facts.window = facts.find_window(ctx, body);
        Some(facts)
    }

    /// The size of an axis.
    pub fn size(&self, axis: &str) -> i64 {
        self.axes.position(axis).map_or(1, |at| self.sizes[at])
    }

    /// The axes of the results.
    pub fn iters(&self) -> &[String] {
        &self.axes.names[..self.axes.iters]
    }

    /// The size of the longest axis that is reduced; 0 without one.
    pub fn longest_sum(&self) -> i64 {
        self.reduced.iter().map(|axis| self.size(axis)).max().unwrap_or(0)
    }

    /// The points of some axes.
    pub fn points<'a>(&self, axes: impl IntoIterator<Item = &'a str>) -> f64 {
        axes.into_iter().map(|axis| self.size(axis) as f64).product()
    }

    /// Multiplications and additions of a product, each counted.
    pub fn flops(&self, product: &Product, ctx: &Context, body: &Body) -> f64 {
        let mut over: Vec<&str> = axes(ctx, body, product.factors[0].value);
        over.extend(axes(ctx, body, product.factors[1].value));
        over.sort_unstable();
        over.dedup();
        2.0 * self.points(over)
    }

    /// All that is computed: products, and each other op once for each of its points.
    pub fn all_flops(&self, ctx: &Context, body: &Body) -> f64 {
        let products = self.products.iter().map(|product| self.flops(product, ctx, body));
        products.sum::<f64>() + self.simple + self.special
    }

    /// How often a kernel goes along an axis: for each reduction over it, and for results along it or along one as long.
    pub fn passes(&self, axis: &str) -> usize {
        let size = self.axes.size(axis);
        let as_long = |iter: &String| self.axes.size(iter) == size && !self.summed_over.contains(iter);
        self.sums.iter().filter(|own| *own == axis).count() + usize::from(self.iters().iter().any(as_long))
    }

    fn work(&mut self, ctx: &Context, body: &Body, args: &[ValueId]) {
        let root = OpRef::new(ctx, body, body.root());
        for id in body.walk() {
            let op = OpRef { id, ..root };
            if let Some(read) = Read::of(op) {
                self.read(ctx, body, read, args);
                continue;
            }
            if op.results().len() != 1 {
                continue;
            }
            let points = self.points(axes(ctx, body, op.result(0)));
            if let Some(unary) = Unary::of(op) {
                match unary.function() {
                    scalar::Unary::Neg | scalar::Unary::Relu | scalar::Unary::Trunc => self.simple += points,
                    _ => self.special += points,
                }
            } else if let Some(binary) = Binary::of(op) {
                match binary.function() {
                    BinaryFn::Fdiv | BinaryFn::Pow | BinaryFn::Cdiv | BinaryFn::Cmod => self.special += points,
                    _ => self.simple += points,
                }
                if binary.function() == BinaryFn::Mul && is_added(ctx, body, op.result(0)) {
                    self.joined += points;
                }
            } else if op.is(Select::DEF) || op.is(Cast::DEF) {
                self.simple += points;
            }
        }
        for reduce in reductions(ctx, body) {
            let own = Reduce::of(OpRef { id: reduce, ..root }).map(Reduce::axes).unwrap_or_default();
            self.sums.extend(own.into_iter().map(String::from));
            let ends = contributions(body, reduce).and_then(|block| body.last_op(block));
            let values = ends.into_iter().flat_map(|end| OpRef { id: end, ..root }.operands().collect::<Vec<_>>());
            let is_product = |value: ValueId| {
                let made = body.defining_op(value).and_then(|op| Binary::of(OpRef { id: op, ..root }));
                made.is_some_and(|made| made.function() == BinaryFn::Mul && made.widen().is_some())
            };
            let others = values.filter(|&value| !is_product(value));
            self.combined += others.map(|value| self.points(axes(ctx, body, value))).sum::<f64>();
            for result in body.results(reduce) {
                self.summed_over.extend(axes(ctx, body, result).into_iter().map(String::from));
            }
        }
        for axis in &self.sums {
            if !self.reduced.contains(axis) {
                self.reduced.push(axis.clone());
            }
        }
    }

    /// How tensor cores may multiply factors of `f32`: what the program allows for its products, and what changes nothing of
    /// factors that are numbers of `tf32`. The option may still forbid it.
    pub fn precision(&self, option: Option<Precision>) -> Option<Precision> {
        let may_round =
            !self.products.is_empty() && self.products.iter().all(|product| product.tf32 || product.rounded);
        option.map(|precision| if may_round { Precision::Tf32 } else { precision })
    }

    fn find_products(&mut self, ctx: &Context, body: &Body, args: &[ValueId]) {
        for reduce in reductions(ctx, body) {
            let view = OpRef::new(ctx, body, reduce);
            let (Some(of), Some(block)) = (Reduce::of(view), contributions(body, reduce)) else { continue };
            let sums = of.combiner().is_none_or(|combiner| combiner == scalar::Combiner::Sum);
            let end = body.ops(block).last().and_then(|end| Yield::of(OpRef { id: end, ..view }));
            let (Some(end), true) = (end, sums) else { continue };
            let reduced: Vec<&str> = of.axes();
            // Of a reduction with several accumulators the one that is a product decides.
            let values: Vec<ValueId> = end.values().collect();
            let found =
                values.iter().find_map(|&value| Some((value, self.product(ctx, body, reduce, value, &reduced, args)?)));
            if let Some((value, product)) = found {
                // It is counted as a product, and not as a multiplication besides.
                self.simple -= self.points(axes(ctx, body, value));
                self.products.push(product);
            } else if of.combiner().is_none() {
                self.products.extend(self.weighted(ctx, body, reduce, &values, &reduced, args));
            }
        }
    }

    /// A reduction that a region combines may weigh one contribution by another, as a streaming softmax does: then its
    /// result has axes that the contribution has not, and that the other one has.
    fn weighted(
        &self,
        ctx: &Context,
        body: &Body,
        op: OpId,
        values: &[ValueId],
        reduced: &[&str],
        args: &[ValueId],
    ) -> Option<Product> {
        let results: Vec<ValueId> = body.results(op).collect();
        values.iter().zip(&results).find_map(|(&second, &result)| {
            let own = axes(ctx, body, second);
            let more: Vec<&str> = axes(ctx, body, result).into_iter().filter(|axis| !own.contains(axis)).collect();
            let weighs = |value: &&ValueId| {
                let over = axes(ctx, body, **value);
                !more.is_empty() && more.iter().all(|axis| over.contains(axis))
            };
            let first = *values.iter().find(weighs)?;
            let mut factors = [first, second].map(|value| factor(ctx, body, value, args));
            // Weights are rounded to what they weigh, as they are between zero and one.
            if let Some(read) = (0..2).find(|&side| factors[side].input.is_some()) {
                factors[1 - read].elem = factors[read].elem;
            }
            let exact = factors[0].elem == factors[1].elem;
            self.sides(ctx, body, op, factors, reduced, exact)
        })
    }

    fn product(
        &self,
        ctx: &Context,
        body: &Body,
        op: OpId,
        value: ValueId,
        reduced: &[&str],
        args: &[ValueId],
    ) -> Option<Product> {
        let def = OpRef::new(ctx, body, body.defining_op(value)?);
        let mul = Binary::of(def).filter(|mul| mul.function() == BinaryFn::Mul)?;
        let factors = [mul.lhs(), mul.rhs()].map(|value| factor(ctx, body, value, args));
        let exact = mul.widen().is_some() && factors[0].elem == factors[1].elem;
        let tf32 = mul.attr(ctx.intern_str(TF32)).is_some();
        let rounded = mul.attr(ctx.intern_str(ROUNDED)).is_some();
        Some(Product { tf32, rounded, ..self.sides(ctx, body, op, factors, reduced, exact)? })
    }

    /// Sorts the axes of two factors by who has them. `None` where there is no matrix on each side.
    fn sides(
        &self,
        ctx: &Context,
        body: &Body,
        op: OpId,
        mut factors: [Factor; 2],
        reduced: &[&str],
        exact: bool,
    ) -> Option<Product> {
        let own = |factor: &Factor| axes(ctx, body, factor.value);
        let last = self.iters().last().map(String::as_str);
        if last.is_some_and(|last| own(&factors[0]).contains(&last) && !own(&factors[1]).contains(&last)) {
            factors.reverse();
        }
        let (first, second) = (own(&factors[0]), own(&factors[1]));
        let among = |keep: &dyn Fn(&str) -> bool| {
            self.axes.names.iter().filter(|axis| keep(axis)).cloned().collect::<Vec<String>>()
        };
        let depth = among(&|axis| reduced.contains(&axis) && first.contains(&axis) && second.contains(&axis));
        let rows = among(&|axis| !reduced.contains(&axis) && first.contains(&axis) && !second.contains(&axis));
        let columns = among(&|axis| !reduced.contains(&axis) && !first.contains(&axis) && second.contains(&axis));
        let there = !depth.is_empty() && !rows.is_empty() && !columns.is_empty();
        there.then_some(Product { op, factors, rows, columns, depth, exact, tf32: false, rounded: false })
    }

    /// Whether rows of products are reduced next. Their axis is the column then, and other axes of that factor are none of a
    /// tile.
    fn find_rows(&mut self, ctx: &Context, body: &Body) {
        let shape = Shape::of(ctx, body, &self.axes);
        if groups(ctx, body, &shape).is_some() {
            return;
        }
        let Some(groups) = groups_of_rows(ctx, body, &shape, &self.axes) else { return };
        let values = held_values(ctx, body, &groups) as i64;
        let Some((column, size)) = groups.columns.into_iter().next() else { return };
        self.whole_rows =
            size.as_constant().filter(|&columns| columns > 0).map(|columns| WholeRows { columns, values });
        for product in self.products.iter_mut().filter(|_| size.as_constant().is_some()) {
            if product.rows.contains(&column) {
                product.factors.reverse();
                std::mem::swap(&mut product.rows, &mut product.columns);
            }
            product.columns.retain(|axis| *axis == column);
        }
    }

    /// The number `w` of scores that the last product weighs by, if they are hidden but where `0 <= depth - row + w - 1`.
    fn find_window(&self, ctx: &Context, body: &Body) -> Option<i64> {
        let last = self.products.last()?;
        let (row, depth) = (last.rows.last()?, last.depth.last()?);
        let distance = SizeExpr::symbol(depth).ok()?.sub(&SizeExpr::symbol(row).ok()?).ok()?;
        let end = contributions(body, last.op).and_then(|block| body.last_op(block))?;
        let is_hidden = |number: Attr| {
            let number = Datum::of_attr(ctx, number).and_then(|number| number.as_float());
            number.is_some_and(|number| number <= f64::from(f32::MIN))
        };
        let scores = OpRef::new(ctx, body, end).operands();
        let masks = scores.filter_map(|score| mask_of(ctx, body, score, &is_hidden));
        let width = |side: SizeExpr| side.sub(&distance).ok()?.as_constant()?.checked_add(1);
        masks.flat_map(|mask| mask.holds).filter_map(width).min()
    }

    /// The functions after the last product, in order, each once in a row.
    fn find_epilogue(&mut self, ctx: &Context, body: &Body) {
        let Some(last) = self.products.last() else { return };
        let Some(block) = body.block_of(last.op).filter(|&block| Some(block) == body.entry_block()) else { return };
        let mut reached: Vec<ValueId> = body.results(last.op).collect();
        let mut words: Vec<String> = Vec::new();
        for id in body.ops(block) {
            let op = OpRef::new(ctx, body, id);
            if !op.operands().any(|operand| reached.contains(&operand)) {
                continue;
            }
            reached.extend(op.results());
            let word = Unary::of(op).map(|unary| unary.function().word());
            let word = word.or_else(|| Binary::of(op).map(|binary| binary.function().word()));
            words.extend(word.map(String::from));
        }
        self.epilogue = words;
    }
}

/// Whether a value is used once, in a sum or a difference.
fn is_added(ctx: &Context, body: &Body, value: ValueId) -> bool {
    let mut uses = body.uses(value).map(|used| Binary::of(OpRef::new(ctx, body, used.op)));
    let added = |op: Binary<'_>| matches!(op.function(), BinaryFn::Add | BinaryFn::Sub);
    uses.next().flatten().is_some_and(added) && uses.next().is_none()
}

/// Whether memory consists of rows of this many contiguous elements, each of which begins at a multiple of that number:
/// row-major memory and slices of it.
fn has_rows(layout: &Layout, row: &SizeExpr) -> bool {
    let Layout::Strided { strides, offset } = layout else { return *layout == Layout::RowMajor };
    let Some((last, others)) = strides.split_last() else { return false };
    let is_multiple = |stride: &SizeExpr| row.as_constant().is_some_and(|row| row > 0 && stride.divisible_by(row));
    last.as_constant() == Some(1) && offset.as_constant() == Some(0) && others.iter().all(is_multiple)
}

/// The bits of a number, 32 for what has none.
pub fn bits(ctx: &Context, elem: Type) -> f64 {
    elem.bits(ctx).map_or(32.0, |bits| f64::from(bits.max(8)))
}

/// The axes of a read in the order of its positions; an axis of several positions counts where it comes first.
fn read_along(ctx: &Context, body: &Body, read: Read<'_>) -> Vec<String> {
    let over = axes(ctx, body, read.out());
    let mut found: Vec<String> = Vec::new();
    for position in read.at() {
        let own = over.iter().filter(|axis| position.symbols().iter().any(|symbol| &**symbol == **axis));
        for axis in own {
            if !found.iter().any(|known| known == axis) {
                found.push(axis.to_string());
            }
        }
    }
    found
}

/// The place of a value among the arguments of the kernel.
fn argument(body: &Body, value: ValueId, args: &[ValueId]) -> Option<usize> {
    match body.value_def(value) {
        ValueDef::Arg(_, place) => Some(place).filter(|&place| args.get(place) == Some(&value)),
        _ => None,
    }
}

/// Whether TMA may find what is read: see [`Tensor::has_boxes`].
fn is_box(ctx: &Context, body: &Body, read: Read<'_>) -> bool {
    let at = read.at();
    let is_quotient = |at: &SizeExpr| {
        let factors = at.terms().into_iter().flat_map(|(_, factors)| factors);
        factors.into_iter().any(|factor| match factor {
            affine::Factor::Symbol(_) => false,
            affine::Factor::Quotient(over, _) => over.symbols().len() > 1,
        })
    };
    let Some(memory) = MemRef::of(ctx, body.value_type(read.source())) else { return false };
    // Within rows it begins at multiples of 16 bytes, as the tile of one axis does.
    let bits = u64::from(memory.elem(ctx).bits(ctx).unwrap_or(8));
    let along = axes(ctx, body, read.out());
    let begins_aligned = |at: &SizeExpr| {
        let is_axis = |(times, factors): &(i64, Vec<affine::Factor>)| matches!((times, factors.as_slice()), (1, [affine::Factor::Symbol(name)]) if along.contains(&&**name));
        let (own, others): (Vec<_>, Vec<_>) = at.terms().into_iter().partition(is_axis);
        let common = others.iter().fold(0, |common, (times, _)| gcd(common, times.unsigned_abs()));
        own.len() <= 1 && common * bits % (8 * ALIGNMENT) == 0
    };
    let is_aligned = contiguous_axis(ctx, memory).is_none_or(|axis| at.get(axis).is_none_or(begins_aligned));
    let guard = read.guard();
    is_aligned && !at.iter().any(is_quotient) && inside(guard.as_ref(), &memory.dims(ctx), &at).is_ok()
}

fn factor(ctx: &Context, body: &Body, value: ValueId, args: &[ValueId]) -> Factor {
    let mut factor = Factor {
        value,
        elem: elem(ctx, body, value),
        input: None,
        direct: true,
        masked: false,
        axes: Vec::new(),
        guard: None,
    };
    let mut at = value;
    // Zeros are put into tiles that tensor cores read.
    if let Some(mask) = zero_mask(ctx, body, value).filter(|_| is_multiplied(ctx, factor.elem)) {
        (at, factor.masked) = (mask.seen, true);
    }
    while let Some(op) = body.defining_op(at) {
        let op = OpRef::new(ctx, body, op);
        if let Some(read) = Read::of(op) {
            factor.input = argument(body, read.source(), args);
            factor.direct &= read.indices().next().is_none();
            (factor.axes, factor.guard) = (read_along(ctx, body, read), read.guard());
            break;
        }
        let moved = BroadcastInDim::of(op).map(BroadcastInDim::input).or(Transpose::of(op).map(Transpose::input));
        let made = Cast::of(op).map(Cast::input).or(Unary::of(op).map(Unary::input));
        factor.direct &= moved.is_some();
        match moved.or(made) {
            Some(input) => at = input,
            None => break,
        }
    }
    factor.direct &= factor.input.is_some();
    factor
}
