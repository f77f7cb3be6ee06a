//! The rules of the specification's sections 6.3 and 6.4. Those that look at axes are checked for a whole region at
//! once: which axes there are is given by the region and by every reduction in it.

mod axes;
mod combine;
mod layout;

use dlc_core::access::Access;
use dlc_core::bounds::{AXIS_ALIGNMENT_MISMATCH, Axes, verify_access, verify_guard};
use dlc_core::broadcast::{BROADCAST_MISMATCH, promote, show};
use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_core::scalar::{self, Combiner};
use dlc_core::types::undeclared_symbol;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::op::{BrokenRule, InferCx, Inferred, op_error};
use dlc_ir::smallvec::smallvec;
use dlc_ir::verify::{OP_RULE, keeps_declaration};
use dlc_ir::{Attr, Context, Diagnostics, OpRef, RegionId, Str, Type, TypeData, ValueId};

use crate::ops::{
    Binary, BroadcastInDim, Cast, Const, Func, Index, Read, Reduce, Scan, Select, Sort, Transpose, Unary, Yield,
};
use crate::syntax::element_of;
use crate::types::Value;

pub use axes::KernelAxes;
pub use dlc_core::scalar::identity_of;

dlc_ir::codes! {
    /// A reduction does not say in which type it accumulates.
    ACC_DTYPE_MISSING = "E1303" "AccDtypeMissing";
    /// An accumulator starts with a number that changes what is combined with it.
    INVALID_IDENTITY = "E1305" "InvalidIdentity";
    /// The order in which contributions are combined changes what comes out.
    NON_ASSOCIATIVE_COMBINER = "E1307" "NonAssociativeCombiner";
}

/// The mark of a value of which a tile is kept on chip, from where it is computed to the reductions that use it, and
/// which never goes to memory: a discardable attribute without value on its op.
pub const DEFERRED: &str = "deferred";

/// The axes that a value depends on, in order; none for what is no value over axes.
pub fn axes_of(ctx: &Context, ty: Type) -> Vec<&str> {
    Value::of(ctx, ty).map(|ty| ty.axes(ctx)).unwrap_or_default()
}

/// The same axes with other numbers.
pub fn infer_unary(cx: &InferCx<'_>) -> Inferred {
    let ty = cx.operand_type(0).and_then(|ty| Value::of(cx.ctx, ty)).ok_or("the operand must be a value over axes")?;
    let function =
        cx.prop("function").and_then(|attr| scalar::Unary::get(cx.ctx, attr)).ok_or("there is no function")?;
    let elem = function.elem(cx.ctx, ty.elem(cx.ctx));
    Ok(smallvec![Value::get(cx.ctx, elem, ty.axes(cx.ctx))])
}

/// What is looked at while a region is verified.
struct Checker<'a, 'd> {
    axes: &'a KernelAxes,
    affine: Axes<'a>,
    symbols: Vec<&'a str>,
    diags: &'d Diagnostics,
}

/// The signature, then every op in it.
pub fn func(op: Func<'_>, diags: &Diagnostics) {
    let (ctx, root) = (op.ctx, op.resolve());
    let TypeData::Function { inputs, results } = ctx.type_data(op.function_type()) else { return };
    let fail = |message: String| diags.emit(op_error(*op, message));
    let (iters, sizes) = (op.iters(), op.iter_sizes());
    if iters.len() != sizes.len() {
        return fail(format!("{} axes have {} sizes", iters.len(), sizes.len()));
    }
    if let Some((_, name)) = iters.iter().enumerate().find(|(at, name)| iters[..*at].contains(name)) {
        return fail(format!("the axis '{name}' is named twice"));
    }
    let outputs = op.outputs();
    if outputs.len() != results.len() || op.materialize().len() != results.len() {
        return fail(format!("{} results have {} names", results.len(), outputs.len()));
    }
    if outputs.is_empty() {
        return fail("a region writes at least one result".into());
    }
    if let Some((_, name)) = outputs.iter().enumerate().find(|(at, name)| outputs[..*at].contains(name)) {
        return fail(format!("the result '{name}' is named twice"));
    }
    if let Some(how) = op.materialize().into_iter().find(|how| !crate::syntax::MATERIALIZE.contains(how)) {
        return fail(format!("a result is materialized in 'gmem' or 'deferred', not '{how}'"));
    }
    if op.arg_attrs().is_some_and(|attrs| attrs.len() != inputs.len()) {
        return fail(format!("'arg_attrs' must have a dictionary for each of the {} arguments", inputs.len()));
    }
    if let Some(ty) = inputs.iter().chain(results.iter()).find(|&&ty| MemRef::of(ctx, ty).is_none()) {
        return fail(format!("a region reads and writes memrefs, not {}", ty.display(ctx)));
    }
    if let Some(why) = layout::wrong(ctx, inputs, results, &outputs) {
        return fail(why);
    }
    let body = root.body;
    let axes = KernelAxes::of(ctx, body);
    let symbols = op.symbols().unwrap_or_default();
    let names = axes.names.iter().map(String::as_str).chain(symbols.iter().copied()).chain(outputs.iter().copied());
    if let Some(name) = names.into_iter().find(|name| !is_name(name)) {
        return fail(format!("'{name}' is no name for an axis, a symbol or a result"));
    }
    if let Some((_, name)) = symbols.iter().enumerate().find(|(at, name)| symbols[..*at].contains(name)) {
        return fail(format!("the symbol '{name}' is declared twice"));
    }
    if let Some(name) = axes.names.iter().find(|name| symbols.contains(&name.as_str())) {
        return fail(format!("'{name}' is both an axis and a symbol"));
    }
    let dims = |ty: &Type| MemRef::of(ctx, *ty).map(|ty| ty.dims(ctx)).unwrap_or_default();
    for size in axes.sizes.iter().cloned().chain(inputs.iter().chain(results.iter()).flat_map(dims)) {
        if let Some(name) = size.symbols().iter().find(|name| !symbols.contains(&&***name)) {
            let error = op_error(*op, format!("the symbol '{name}' is not declared"));
            let name = op.sym_name();
            return diags.emit(error.suggest(format!("declare it after the name: @{name}<{size}>")));
        }
    }
    if let Some(name) = inputs.iter().chain(results.iter()).find_map(|&ty| undeclared_symbol(ctx, ty, &symbols)) {
        let error = op_error(*op, format!("the symbol '{name}' is not declared"));
        return diags.emit(error.suggest(format!("declare it after the name: @{}<{name}>", op.sym_name())));
    }
    let root = OpRef { id: body.root(), ..root };
    // What breaks its declaration is reported when it is verified itself, and cannot be looked at.
    if !body.walk().into_iter().all(|id| keeps_declaration(OpRef { id, ..root })) {
        return;
    }
    let affine = Axes::new(axes.names.iter().map(String::as_str).collect(), &axes.sizes);
    let mut checker = Checker { axes: &axes, affine, symbols, diags };
    for id in body.walk() {
        checker.op(OpRef { id, ..root });
    }
    if let Some(end) = body.entry_block().and_then(|block| body.last_op(block)) {
        checker.end(OpRef { id: end, ..root }, &outputs, results);
    }
}

impl<'a> Checker<'a, '_> {
    fn fail(&self, op: OpRef<'_>, broken: impl Into<BrokenRule>) {
        self.diags.emit(broken.into().diagnostic(&OP_RULE, op.loc()).at(op.name()));
    }

    fn misaligned(&self, op: OpRef<'_>, message: String) {
        self.fail(op, BrokenRule::new(&AXIS_ALIGNMENT_MISMATCH, message));
    }

    fn elem(&self, op: OpRef<'_>, value: ValueId) -> Type {
        Value::of(op.ctx, op.type_of(value)).map_or(Type::NONE, |ty| ty.elem(op.ctx))
    }

    fn axes(&self, op: OpRef<'a>, value: ValueId) -> Vec<&'a str> {
        axes_of(op.ctx, op.type_of(value))
    }

    /// The result is over exactly the axes that it depends on.
    fn expect_axes(&self, op: OpRef<'a>, depends: &[&str]) {
        let own = self.axes(op, op.result(0));
        if let Some(missing) = depends.iter().find(|axis| !own.contains(axis)) {
            let message = format!("the result depends on the axis '{missing}', and its type does not say so");
            self.misaligned(op, message);
        } else if let Some(more) = own.iter().find(|axis| !depends.contains(axis)) {
            let message = format!("the result does not depend on the axis '{more}' of its type");
            self.fail(op, BrokenRule::new(&AXIS_ALIGNMENT_MISMATCH, message).suggest("use 'broadcast_in_dim'"));
        }
    }

    fn expect_elem(&self, op: OpRef<'a>, wanted: Type) {
        let own = self.elem(op, op.result(0));
        if own != wanted {
            let (own, wanted) = (own.display(op.ctx), wanted.display(op.ctx));
            self.fail(op, format!("the result is of type {wanted}, not {own}"));
        }
    }

    /// The axes that expressions name.
    fn named<'e>(&self, exprs: impl Iterator<Item = &'e SizeExpr>) -> Vec<&'a str> {
        let mut named = Vec::new();
        for name in exprs.flat_map(|expr| expr.symbols()) {
            if let Some(at) = self.axes.position(&name)
                && !named.contains(&self.axes.names[at].as_str())
            {
                named.push(self.axes.names[at].as_str());
            }
        }
        named
    }

    /// Operands that are computed with together: each over axes of the result, in its order.
    fn elementwise(&self, op: OpRef<'a>, operands: &[ValueId], more: Vec<&'a str>) {
        let own = self.axes(op, op.result(0));
        let mut depends = more;
        for &operand in operands {
            let axes = self.axes(op, operand);
            let shared: Vec<&str> = axes.iter().copied().filter(|axis| own.contains(axis)).collect();
            let in_order = is_subsequence(&shared, &own);
            if !in_order {
                let list = |axes: &[&str]| axes.join(", ");
                let message = format!("the axes ({}) are in another order than ({})", list(&axes), list(&own));
                self.fail(op, BrokenRule::new(&AXIS_ALIGNMENT_MISMATCH, message).suggest("use 'transpose'"));
                return;
            }
            for axis in axes {
                if !depends.contains(&axis) {
                    depends.push(axis);
                }
            }
        }
        self.expect_axes(op, &depends);
    }

    fn guard(&self, op: OpRef<'a>, guard: &Guard) -> Vec<&'a str> {
        let declared = |name: &str| self.symbols.contains(&name);
        if let Some(broken) = guard.exprs().find_map(|expr| self.affine.check(expr, &declared).err()) {
            self.fail(op, broken);
        }
        verify_guard(op, guard, self.diags);
        self.named(guard.exprs())
    }

    fn op(&mut self, op: OpRef<'a>) {
        if !op.name().starts_with("region.") {
            return self.fail(op, "only ops of region stand in a region");
        }
        for result in op.results() {
            if let Some(axis) = self.axes(op, result).into_iter().find(|axis| self.axes.position(axis).is_none()) {
                let known = self.axes.names.join(", ");
                let message = format!("there is no axis '{axis}'; the axes here are ({known})");
                return self.misaligned(op, message);
            }
        }
        if let Some(mark) = op.attr(op.ctx.intern_str(DEFERRED)) {
            self.deferred(op, mark);
        }
        if let Some(op) = Const::of(op) {
            self.expect_axes(*op, &[]);
        } else if let Some(index) = Index::of(op) {
            let value = index.value();
            let [value] = &value[..] else {
                return self.fail(op, format!("one expression is the value, and {} are given", value.len()));
            };
            if let Err(broken) = self.affine.check(value, &|name| self.symbols.contains(&name)) {
                return self.fail(op, broken);
            }
            self.expect_axes(op, &self.named([value].into_iter()));
        } else if let Some(read) = Read::of(op) {
            self.read(read);
        } else if let Some(unary) = Unary::of(op) {
            self.elementwise(op, &[unary.input()], Vec::new());
        } else if let Some(binary) = Binary::of(op) {
            self.binary(binary);
        } else if let Some(select) = Select::of(op) {
            self.select(select);
        } else if let Some(cast) = Cast::of(op) {
            self.elementwise(op, &[cast.input()], Vec::new());
        } else if let Some(reduce) = Reduce::of(op) {
            self.reduce(reduce);
        } else if let Some(scan) = Scan::of(op) {
            self.scan(scan);
        } else if let Some(sort) = Sort::of(op) {
            self.sort(sort);
        } else if let Some(broadcast) = BroadcastInDim::of(op) {
            self.broadcast(broadcast);
        } else if let Some(transpose) = Transpose::of(op) {
            self.transpose(transpose);
        }
    }

    /// What is kept on chip is a value directly in the kernel that a reduction needs and that is not stored.
    fn deferred(&self, op: OpRef<'a>, mark: Attr) {
        let (body, root) = (op.body, op.body.root());
        let [value] = op.results().collect::<Vec<_>>()[..] else {
            return self.fail(op, format!("one value is '{DEFERRED}', and this op has {}", op.results().len()));
        };
        let own = self.axes(op, value);
        let reduces =
            |id| Reduce::of(OpRef { id, ..op }).is_some_and(|r| r.axes().iter().any(|axis| own.contains(axis)));
        let stored = |id| body.parent_op(id) == Some(root) && Yield::of(OpRef { id, ..op }).is_some();
        if mark != Attr::UNIT {
            self.fail(op, format!("'{DEFERRED}' is a mark without value"));
        } else if body.parent_op(op.id) != Some(root) {
            let broken = BrokenRule::from(format!("what is '{DEFERRED}' stands directly in the kernel"));
            self.fail(op, broken.suggest("move it before the reduction around it"));
        } else if body.uses(value).any(|used| stored(used.op)) {
            let broken = BrokenRule::from(format!("what is '{DEFERRED}' does not go to memory, but this is a result"));
            self.fail(op, broken.suggest("leave the mark out"));
        } else if !body.walk().into_iter().any(reduces) {
            let axes = own.join(", ");
            self.fail(
                op,
                format!("what is '{DEFERRED}' is for a reduction, and none is over one of its axes ({axes})"),
            );
        }
    }

    fn read(&mut self, op: Read<'a>) {
        let ctx = op.ctx;
        let Some(source) = MemRef::of(ctx, op.type_of(op.source())) else { return };
        let (at, dims) = (op.at(), source.dims(ctx));
        if at.len() != dims.len() {
            let message = format!("the memref has {} axes, and is read at {} positions", dims.len(), at.len());
            return self.misaligned(*op, message);
        }
        self.expect_elem(*op, source.elem(ctx));
        if op.fill().is_some_and(|fill| fill.value_type(ctx) != Some(source.elem(ctx))) {
            self.fail(*op, "the number outside of the guard is not of the type of the elements");
        }
        let mut used: Vec<usize> = at.iter().filter_map(element_of).collect();
        used.sort_unstable();
        let indices: Vec<ValueId> = op.indices().collect();
        if used != (0..indices.len()).collect::<Vec<_>>() {
            return self.fail(*op, "each value among the operands is one position");
        }
        if op.fill().is_some() && op.guard().is_none() && indices.is_empty() {
            let fix = "write 'where (..)' before 'else', or leave 'else' out";
            self.fail(*op, BrokenRule::from("it is read everywhere, so there is nothing outside").suggest(fix));
        }
        if let Some(&index) = indices.iter().find(|&&index| !self.elem(*op, index).is_integer(ctx)) {
            let elem = self.elem(*op, index).display(ctx);
            self.fail(*op, format!("a position is an integer, not of type {elem}"));
        }
        // A position that is a value is guarded by itself.
        let rest = at.iter().cloned().zip(dims).filter(|(at, _)| element_of(at).is_none());
        let (positions, sizes): (Vec<SizeExpr>, Vec<SizeExpr>) = rest.unzip();
        let checked = Access { at: positions, guard: op.guard(), fill: op.fill() };
        let symbols = &self.symbols;
        let declared = |name: &str| symbols.contains(&name);
        verify_access(*op, &mut self.affine, "the memref", &checked, &sizes, &declared, self.diags);
        let mut depends = self.named(checked.exprs());
        for index in indices {
            let more: Vec<&str> = self.axes(*op, index).into_iter().filter(|axis| !depends.contains(axis)).collect();
            depends.extend(more);
        }
        self.expect_axes(*op, &depends);
    }

    fn binary(&self, op: Binary<'a>) {
        let ctx = op.ctx;
        self.elementwise(*op, &[op.lhs(), op.rhs()], Vec::new());
        let (lhs, rhs) = (self.elem(*op, op.lhs()), self.elem(*op, op.rhs()));
        let own = match op.function().elem(ctx, lhs, rhs) {
            Ok(elem) => elem,
            Err(broken) => return self.fail(*op, broken),
        };
        if op.widen().is_none() {
            return self.expect_elem(*op, own);
        }
        let wide = promote(ctx, own, self.elem(*op, op.out())).is_ok_and(|wide| wide == self.elem(*op, op.out()));
        let product = op.function() == scalar::Binary::Mul;
        if !product || !wide || !is_only_summed(*op, op.out()) {
            let message =
                "only a product that is only summed, in a type that is no narrower, may stay without rounding";
            self.fail(*op, BrokenRule::from(message).suggest("leave 'widen' out"));
        }
    }

    fn select(&self, op: Select<'a>) {
        let ctx = op.ctx;
        let operands: Vec<ValueId> = (*op).operands().collect();
        let (guard, values) = (op.guard(), operands.len());
        let wanted = if guard.is_some() { 2 } else { 3 };
        if values != wanted {
            return self.fail(*op, format!("it takes {wanted} values, and {values} are given"));
        }
        if guard.is_none() && self.elem(*op, operands[0]) != Type::I1 {
            self.fail(*op, "the condition must be of type i1");
        }
        let axes = guard.map(|guard| self.guard(*op, &guard)).unwrap_or_default();
        self.elementwise(*op, &operands, axes);
        let (then, otherwise) = (self.elem(*op, operands[wanted - 2]), self.elem(*op, operands[wanted - 1]));
        match promote(ctx, then, otherwise) {
            Ok(elem) => self.expect_elem(*op, elem),
            Err(broken) => self.fail(*op, broken),
        }
    }

    fn reduce(&self, op: Reduce<'a>) {
        let ctx = op.ctx;
        let (axes, sizes, acc, init) = (op.axes(), op.sizes(), op.acc(), op.init());
        if axes.len() != sizes.len() {
            return self.fail(*op, format!("{} axes have {} sizes", axes.len(), sizes.len()));
        }
        if let Some((_, axis)) = axes.iter().enumerate().find(|(at, axis)| axes[..*at].contains(axis)) {
            return self.misaligned(*op, format!("the axis '{axis}' is named twice"));
        }
        if let Some(axis) = axes.iter().find(|axis| self.is_bound_around(*op, axis)) {
            return self.misaligned(*op, format!("the axis '{axis}' is reduced by the reduction around this one"));
        }
        for (axis, size) in axes.iter().zip(&sizes) {
            if let Some(known) = self.axes.size(axis).filter(|known| *known != size) {
                return self
                    .misaligned(*op, format!("the axis '{axis}' has the size {known} elsewhere, and {size} here"));
            }
        }
        let outs: Vec<ValueId> = op.results().collect();
        if acc.is_empty() && !outs.is_empty() {
            let error = BrokenRule::new(&ACC_DTYPE_MISSING, "nothing says in which type it accumulates");
            return self.fail(*op, error.suggest("write 'acc f32' after the axes"));
        }
        if acc.len() != outs.len() || init.len() != outs.len() || outs.is_empty() {
            let message = format!(
                "{} results, {} accumulators and {} numbers do not go together",
                outs.len(),
                acc.len(),
                init.len()
            );
            return self.fail(*op, message);
        }
        for (at, &out) in outs.iter().enumerate() {
            if self.elem(*op, out) != acc[at] || init[at].value_type(ctx) != Some(acc[at]) {
                let message = format!("accumulator {at}, the number it starts with and its result must be of one type");
                return self.fail(*op, message);
            }
            if let Some(axis) = self.axes(*op, out).into_iter().find(|axis| axes.contains(axis)) {
                return self.misaligned(*op, format!("a result depends on the axis '{axis}', which is reduced"));
            }
        }
        if let Some(combiner) = op.combiner()
            && let Some(at) =
                init.iter().zip(&acc).position(|(&init, &ty)| !scalar::is_identity_of(ctx, combiner, init, ty))
        {
            let message = format!("accumulator {at} starts with a number that changes a {}", combiner.word());
            let fix = "the identity element of a sum is 0, of a product 1, of a maximum -inf, of a minimum inf";
            return self.fail(*op, BrokenRule::new(&INVALID_IDENTITY, message).suggest(fix));
        }
        let regions = op.regions();
        let Some(end) = self.region_end(*op, regions[0]) else { return };
        if op.body.first_block(regions[0]).is_some_and(|block| !op.body.args(block).is_empty()) {
            return self.fail(*op, "the region of contributions takes no arguments");
        }
        let contributions: Vec<ValueId> = end.operands().collect();
        if contributions.len() != acc.len() {
            let message = format!("{} contributions are yielded for {} accumulators", contributions.len(), acc.len());
            return self.fail(end, message);
        }
        for (at, &value) in contributions.iter().enumerate() {
            let kept: Vec<&str> = self.axes(*op, value).into_iter().filter(|axis| !axes.contains(axis)).collect();
            let own = self.axes(*op, outs[at]);
            if !is_subsequence(&kept, &own) {
                let (kept, own) = (kept.join(", "), own.join(", "));
                let message = format!("contribution {at} leaves the axes ({kept}), and its result is over ({own})");
                self.misaligned(*op, message);
            }
            let elem = self.elem(*op, value);
            if promote(ctx, elem, acc[at]).ok() != Some(acc[at]) {
                let (elem, acc) = (elem.display(ctx), acc[at].display(ctx));
                self.fail(
                    *op,
                    format!("contributions of type {elem} cannot be accumulated in {acc}, which is narrower"),
                );
            }
        }
        let combined = op.body.first_block(regions[1]);
        match (op.combiner(), combined) {
            (Some(_), Some(_)) => self.fail(*op, "it is combined by a function or by a region, not by both"),
            (None, None) => self.fail(*op, "nothing says how contributions are combined"),
            (None, Some(block)) => {
                let types: Vec<Type> = op.body.args(block).iter().map(|&arg| op.type_of(arg)).collect();
                let results: Vec<Type> = op.result_types().collect();
                let yields = |end: OpRef<'_>| end.operands().map(|value| end.type_of(value)).collect::<Vec<_>>();
                let Some(end) = self.region_end(*op, regions[1]) else { return };
                if types != [&results[..], &results[..]].concat() || yields(end) != results {
                    let message =
                        "the second region takes each accumulator twice and yields each once, as the results are";
                    return self.fail(*op, message);
                }
                if self.combiner_axes(op, regions[1])
                    && let Some(broken) = combine::broken(op, block, end)
                {
                    self.fail(*op, broken);
                }
            }
            (Some(_), None) => {}
        }
    }

    /// Whether a reduction around an op reduces an axis already.
    fn is_bound_around(&self, op: OpRef<'a>, axis: &str) -> bool {
        let mut around = op.body.parent_op(op.id);
        while let Some(id) = around {
            if Reduce::of(OpRef { id, ..op }).is_some_and(|outer| outer.axes().contains(&axis)) {
                return true;
            }
            around = op.body.parent_op(id);
        }
        false
    }

    /// A combiner computes with accumulators: what it uses depends on no more axes than they, and it reduces nothing.
    fn combiner_axes(&self, op: Reduce<'a>, region: RegionId) -> bool {
        let known: Vec<&str> = op.results().flat_map(|out| self.axes(*op, out)).collect();
        for block in op.body.blocks(region) {
            for id in op.body.ops(block) {
                let inner = OpRef { id, ..*op };
                if inner.is(Reduce::DEF) {
                    self.fail(inner, "a combiner has no reduction in it");
                    return false;
                }
                for value in inner.operands().chain(inner.results()) {
                    if let Some(axis) = self.axes(*op, value).into_iter().find(|axis| !known.contains(axis)) {
                        let message = format!("a combiner uses a value over '{axis}', on which no accumulator depends");
                        self.misaligned(inner, message);
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The `yield` of a region.
    fn region_end(&self, op: OpRef<'a>, region: RegionId) -> Option<OpRef<'a>> {
        let end = op.body.first_block(region).and_then(|block| op.body.last_op(block));
        let end = end.map(|id| OpRef { id, ..op }).filter(|end| end.is(Yield::DEF));
        if end.is_none() || !op.body.has_single_block(region) {
            self.fail(op, "its regions are one block each, which ends with 'yield'");
            return None;
        }
        if let Some(end) = end.and_then(Yield::of).filter(|end| end.to().is_some() || end.casts().is_some()) {
            self.fail(*end, "only what a kernel yields is given a name or a type");
            return None;
        }
        end
    }

    fn broadcast(&self, op: BroadcastInDim<'a>) {
        let (own, dims, shape) = (self.axes(*op, op.out()), op.dims(), op.shape());
        let sizes: Vec<SizeExpr> = own.iter().filter_map(|axis| self.axes.size(axis).cloned()).collect();
        if sizes != shape {
            let message = format!("the axes of the result have the sizes {}, not {}", show(&sizes), show(&shape));
            return self.fail(*op, BrokenRule::new(&BROADCAST_MISMATCH, message));
        }
        let placed: Option<Vec<&str>> =
            dims.iter().map(|&dim| usize::try_from(dim).ok().and_then(|dim| own.get(dim).copied())).collect();
        let ascending = dims.windows(2).all(|pair| pair[0] < pair[1]);
        if placed.as_deref() != Some(&self.axes(*op, op.input())) || !ascending {
            let message = "'dims' must say which axis of the result each axis of the operand is, in order";
            return self.fail(*op, BrokenRule::new(&BROADCAST_MISMATCH, message));
        }
        self.expect_elem(*op, self.elem(*op, op.input()));
    }

    fn scan(&self, op: Scan<'a>) {
        let (own, along) = (self.axes(*op, op.out()), op.along());
        let elems: Vec<Type> = op.inputs().map(|input| self.elem(*op, input)).collect();
        if let Err(broken) = op.combiner().check(&elems) {
            return self.fail(*op, broken);
        }
        if !self.goes_along(*op, &own, (along, op.every()), "a scan") {
            return;
        }
        let acc = self.elem(*op, op.out());
        if let Some(&elem) = elems.iter().find(|&&elem| promote(op.ctx, elem, acc).ok() != Some(acc)) {
            let (elem, acc) = (elem.display(op.ctx), acc.display(op.ctx));
            self.fail(*op, format!("numbers of type {elem} cannot be accumulated in {acc}, which is narrower"));
        }
    }

    fn sort(&self, op: Sort<'a>) {
        let own = self.axes(*op, op.out());
        if self.goes_along(*op, &own, (op.along(), op.every()), "a sort") {
            self.expect_elem(*op, self.elem(*op, op.input()));
        }
    }

    /// Whether an op may go along an axis of its operands and its result, in groups of `every` positions; reports why not.
    fn goes_along(&self, op: OpRef<'a>, own: &[&'a str], (along, every): (&str, Option<i64>), what: &str) -> bool {
        let misaligned = |message: String| {
            self.misaligned(op, message);
            false
        };
        if let Some(from) = op.operands().map(|input| self.axes(op, input)).find(|from| from != own) {
            let (own, from) = (own.join(", "), from.join(", "));
            return misaligned(format!("the result is over the axes ({own}), and its operand over ({from})"));
        }
        if !own.contains(&along) {
            let own = own.join(", ");
            return misaligned(format!("the axis '{along}' is none of the operand's, which are ({own})"));
        }
        if self.axes.position(along).is_none_or(|at| at >= self.axes.iters) {
            return misaligned(format!("the axis '{along}' is none of the results"));
        }
        if let Some(every @ ..1) = every {
            self.fail(op, format!("at least 1 position goes together, not {every}"));
            return false;
        }
        if op.body.parent_op(op.id) != Some(op.body.root()) {
            let broken = BrokenRule::from(format!("{what} stands directly in the kernel"));
            self.fail(op, broken.suggest("move it before the reduction around it"));
            return false;
        }
        true
    }

    fn transpose(&self, op: Transpose<'a>) {
        let (own, from, by) = (self.axes(*op, op.out()), self.axes(*op, op.input()), op.by());
        let turned: Option<Vec<&str>> =
            by.iter().map(|&axis| usize::try_from(axis).ok().and_then(|axis| from.get(axis).copied())).collect();
        if turned.as_deref() != Some(&own) || by.len() != from.len() {
            return self.misaligned(*op, "axis 'i' of the result must be axis 'by[i]' of the operand".into());
        }
        self.expect_elem(*op, self.elem(*op, op.input()));
    }

    /// What the kernel writes is what its signature says.
    fn end(&self, op: OpRef<'a>, outputs: &[&str], results: &[Type]) {
        let Some(end) = Yield::of(op) else { return self.fail(op, "a region ends with 'yield'") };
        let (ctx, to) = (op.ctx, end.to().unwrap_or_default());
        let values: Vec<ValueId> = op.operands().collect();
        if to != outputs || values.len() != outputs.len() {
            let wanted: Vec<String> = outputs.iter().map(|name| format!("%.. to {name}")).collect();
            let error = BrokenRule::from("every result is yielded once, in the order of 'outs'");
            return self.fail(op, error.suggest(format!("yield {}", wanted.join(", "))));
        }
        let casts = end.casts().unwrap_or_else(|| vec![Type::NONE; values.len()]);
        if casts.len() != values.len() {
            return self.fail(op, format!("{} values are rounded to {} types", values.len(), casts.len()));
        }
        for (at, &value) in values.iter().enumerate() {
            let Some(memref) = MemRef::of(ctx, results[at]) else { continue };
            let axes = self.axes(op, value);
            let sizes: Vec<SizeExpr> = axes.iter().filter_map(|axis| self.axes.size(axis).cloned()).collect();
            if let Some(axis) = axes.iter().find(|axis| self.axes.position(axis).is_none_or(|at| at >= self.axes.iters))
            {
                self.misaligned(op, format!("'{}' depends on '{axis}', which is no axis of the kernel", to[at]));
            } else if sizes != memref.dims(ctx) {
                let message = format!(
                    "'{}' has the sizes {}, but its value has {}",
                    to[at],
                    show(&memref.dims(ctx)),
                    show(&sizes)
                );
                self.misaligned(op, message);
            }
            let elem = if casts[at] == Type::NONE { self.elem(op, value) } else { casts[at] };
            if elem != memref.elem(ctx) {
                let (elem, wanted) = (elem.display(ctx), memref.elem(ctx).display(ctx));
                let error = BrokenRule::from(format!("'{}' has elements of type {wanted}, not {elem}", to[at]));
                self.fail(op, error.suggest(format!("round it: 'as {wanted}'")));
            }
        }
    }
}

/// Whether the text of the IR can name an axis so. `_0` stands for a position that is a value.
fn is_name(name: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let symbol = SizeExpr::symbol(name).is_ok_and(|symbol| element_of(&symbol).is_none());
    symbol && name.bytes().all(inside) && !name.as_bytes().first().is_none_or(u8::is_ascii_digit)
}

/// Whether a value is only summed: by a reduction or by an addition, broadcast or transposed before or not.
fn is_only_summed(op: OpRef<'_>, value: ValueId) -> bool {
    op.body.uses(value).all(|used| {
        let user = OpRef { id: used.op, ..op };
        let parent = op.body.parent_op(user.id).map(|id| OpRef { id, ..op });
        let sum = |reduce: Reduce<'_>| reduce.combiner() == Some(Combiner::Sum);
        if user.is(BroadcastInDim::DEF) || user.is(Transpose::DEF) {
            return user.results().next().is_some_and(|result| is_only_summed(op, result));
        }
        Binary::of(user).is_some_and(|binary| binary.function() == scalar::Binary::Add)
            || user.is(Yield::DEF) && parent.and_then(Reduce::of).is_some_and(sum)
    })
}

/// Whether a list is another one with some of its items left out.
fn is_subsequence(part: &[&str], whole: &[&str]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|item| rest.any(|other| other == item))
}

/// The function around an op declares its symbols.
pub fn symbols(op: OpRef<'_>) -> Vec<&str> {
    let root = OpRef { id: op.body.root(), ..op };
    root.prop(Str::SYMBOLS).and_then(|attr| TextArray::get(op.ctx, attr)).unwrap_or_default()
}

/// The number is of the type of the value.
pub fn const_(op: Const<'_>, diags: &Diagnostics) {
    let elem = Value::of(op.ctx, op.type_of(op.out())).map(|ty| ty.elem(op.ctx));
    if op.value().value_type(op.ctx) != elem {
        diags.emit(op_error(*op, "the number must be of the type of the value"));
    }
}

/// Bits are taken as a type of as many bits.
pub fn cast(op: Cast<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let bits =
        |value: ValueId| Value::of(ctx, op.type_of(value)).and_then(|ty| ty.elem(ctx).bits(ctx)).map(|b| b.max(8));
    if op.bits().is_some() && bits(op.input()) != bits(op.out()) {
        diags.emit(op_error(*op, "the bits of a number are taken as a type of as many bits"));
    }
}
