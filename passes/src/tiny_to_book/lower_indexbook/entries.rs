//! The function that is being lowered, and making entries.

use dlc_book::ops::{self as book, Function};
use dlc_core::access::Access;
use dlc_core::scalar::Combiner;
use dlc_core::space::Space;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint};
use dlc_ir::diag::Diagnostic;
use dlc_ir::pass::{PASS_FAILED, PassCx, PassFailed};
use dlc_ir::{Attr, BlockId, Builder, Context, Loc, OpId, OpRef, Str, Type, ValueId};
use rustc_hash::FxHashMap;

use super::Counts;
use super::read::Read;
use crate::analysis::access::{Access as Chain, Shapes};

/// A function that is being lowered. What is made goes to the end of its block.
pub struct Lower<'l> {
    /// The context.
    pub ctx: &'l Context,
    /// What the pass was given.
    pub cx: &'l PassCx<'l>,
    /// The function.
    pub body: &'l mut Body,
    block: BlockId,
    /// The sizes of types.
    pub shapes: Shapes,
    /// Whether every view is an entry.
    pub ref_compat: bool,
    /// What was made.
    pub counts: Counts,
    /// What stands for a value, element by element. What was made stands for itself.
    made: FxHashMap<ValueId, ValueId>,
    /// Numbers as constants of rank 0.
    numbers: FxHashMap<Attr, ValueId>,
    /// The names of axes.
    names: Vec<SizeExpr>,
}

impl<'l> Lower<'l> {
    /// Nothing is lowered yet.
    pub fn new(cx: &'l PassCx<'l>, body: &'l mut Body, block: BlockId, ref_compat: bool) -> Lower<'l> {
        Lower {
            ctx: cx.ctx,
            cx,
            body,
            block,
            shapes: Shapes::default(),
            ref_compat,
            counts: Counts::default(),
            made: FxHashMap::default(),
            numbers: FxHashMap::default(),
            names: Vec::new(),
        }
    }

    /// An op, to be read.
    pub fn op(&self, op: OpId) -> OpRef<'_> {
        OpRef::new(self.ctx, self.body, op)
    }

    /// The sizes of a value.
    pub fn sizes(&self, value: ValueId) -> Vec<SizeExpr> {
        self.shapes.of(self.ctx, self.body.value_type(value)).to_vec()
    }

    /// The type of the elements of a value.
    pub fn elem(&self, value: ValueId) -> Type {
        Tensor::expect(self.ctx, self.body.value_type(value)).elem(self.ctx)
    }

    /// What stands for a value, if it does element by element.
    pub fn plain(&self, value: ValueId) -> Option<ValueId> {
        match self.made.get(&value) {
            Some(&made) => Some(made),
            None => self.body.defining_op(value).is_none().then_some(value),
        }
    }

    /// Lets a value stand for another one from now on. It takes its name, unless it has one.
    pub fn define(&mut self, old: ValueId, new: ValueId) {
        let name = self.body.value_name(old);
        if name != Str::EMPTY && self.body.value_name(new) == Str::EMPTY {
            self.body.set_value_name(new, name);
        }
        self.made.insert(old, new);
    }

    /// The axes of an entry as dimensions.
    pub fn space(&mut self, loc: Loc, sizes: &[SizeExpr]) -> Result<Space, PassFailed> {
        for axis in self.names.len()..sizes.len() {
            self.names.push(SizeExpr::symbol(&format!("i{axis}")).expect("a letter and digits are a name"));
        }
        Space::of(sizes).ok_or_else(|| self.too_large(loc))
    }

    /// The name of an axis, which a space has had.
    pub fn axis(&self, axis: u32) -> Option<SizeExpr> {
        self.names.get(axis as usize).cloned()
    }

    /// Reports that positions go beyond 64 bits.
    pub fn too_large(&self, loc: Loc) -> PassFailed {
        let error = Diagnostic::error(&PASS_FAILED, loc, "the positions of the elements go beyond 64 bits");
        self.cx.fail(error.suggest("use smaller sizes"))
    }

    /// A builder at the end of the function.
    pub fn builder(&mut self) -> Builder<'_> {
        Builder::new(self.ctx, self.body, InsertPoint::EndOf(self.block))
    }

    /// Counts what was made, which stands for itself.
    fn new_value(&mut self, op: OpId) -> ValueId {
        let value = self.body.result(op, 0);
        self.counts.entries += 1;
        self.made.insert(value, value);
        value
    }

    /// Puts a mark without value on the op that made a value.
    pub fn mark(&mut self, value: ValueId, mark: &str) {
        if let Some(op) = self.body.defining_op(value) {
            self.body.set_attr(self.ctx, op, self.ctx.intern_str(mark), Some(Attr::UNIT));
        }
    }

    // Making entries.

    /// An entry of given reads.
    pub fn entry(&mut self, loc: Loc, function: Function, reads: Vec<Read>, sizes: &[SizeExpr]) -> ValueId {
        self.entry_to(loc, function, reads, sizes, None, false)
    }

    /// An entry that gives elements of a type: a cast, or with `widen` a product that is not rounded.
    pub fn entry_to(
        &mut self,
        loc: Loc,
        function: Function,
        reads: Vec<Read>,
        sizes: &[SizeExpr],
        elem: Option<Type>,
        widen: bool,
    ) -> ValueId {
        let (values, accesses): (Vec<ValueId>, Vec<Access>) = reads.into_iter().map(Read::parts).unzip();
        self.counts.copies += u64::from(function == Function::Copy);
        let widen = widen.then_some(());
        let op = book::NewEntry { inputs: &values, function, axes: sizes.to_vec(), accesses, elem, widen }
            .build(&mut self.builder(), loc);
        self.new_value(op)
    }

    /// A reduction of what is read along the last axes.
    pub fn reduce(
        &mut self,
        loc: Loc,
        combiner: Combiner,
        read: Read,
        axes: &[SizeExpr],
        over: &[SizeExpr],
        acc: Type,
    ) -> ValueId {
        let (value, access) = read.parts();
        let (axes, over) = (axes.to_vec(), over.to_vec());
        let op = book::NewReduce { input: value, combiner, axes, over, accesses: vec![access], acc }
            .build(&mut self.builder(), loc);
        self.new_value(op)
    }

    /// A scan of what is read.
    pub fn scan(&mut self, loc: Loc, new: book::NewScan<'_>) -> ValueId {
        let op = new.build(&mut self.builder(), loc);
        self.new_value(op)
    }

    /// What is read in order.
    pub fn sort(&mut self, loc: Loc, new: book::NewSort<'_>) -> ValueId {
        let op = new.build(&mut self.builder(), loc);
        self.new_value(op)
    }

    /// The elements of a table at positions, some of which are elements.
    pub fn gather(
        &mut self,
        loc: Loc,
        table: ValueId,
        indices: Vec<Read>,
        sizes: &[SizeExpr],
        at: Vec<SizeExpr>,
    ) -> ValueId {
        let (values, accesses): (Vec<ValueId>, Vec<Access>) = indices.into_iter().map(Read::parts).unzip();
        self.counts.non_scop += 1;
        let op = book::NewGather { table, indices: &values, axes: sizes.to_vec(), at, accesses }
            .build(&mut self.builder(), loc);
        self.new_value(op)
    }

    /// The elements in row-major order under other sizes.
    pub fn reshape(&mut self, loc: Loc, input: ValueId, ty: Type) -> ValueId {
        self.counts.non_scop += 1;
        let op = book::Reshape::build(&mut self.builder(), loc, input, ty);
        self.new_value(op)
    }

    /// The value of an expression at each point.
    pub fn iota(&mut self, loc: Loc, value: SizeExpr, sizes: &[SizeExpr], elem: Type) -> ValueId {
        let ty = Tensor::get(self.ctx, sizes.to_vec(), elem);
        let op = book::Iota::build(&mut self.builder(), loc, vec![value], sizes.to_vec(), ty);
        self.new_value(op)
    }

    /// A constant of a type.
    pub fn constant(&mut self, loc: Loc, value: Attr, ty: Type) -> ValueId {
        let op = book::Const::build(&mut self.builder(), loc, value, ty);
        self.new_value(op)
    }

    /// A number as a constant of rank 0, one for each number.
    pub fn number(&mut self, loc: Loc, number: Attr, name: Str) -> ValueId {
        if let Some(&value) = self.numbers.get(&number) {
            return value;
        }
        let elem = number.value_type(self.ctx).expect("a number has its type");
        let value = self.constant(loc, number, Tensor::get(self.ctx, Vec::new(), elem));
        self.body.set_value_name(value, name);
        self.numbers.insert(number, value);
        value
    }

    // Entries of values.

    /// The function of values, element by element, broadcast to some sizes.
    pub fn map(
        &mut self,
        loc: Loc,
        function: Function,
        operands: &[ValueId],
        sizes: &[SizeExpr],
    ) -> Result<ValueId, PassFailed> {
        self.map_to(loc, function, operands, sizes, None, false)
    }

    /// As [`Lower::map`], with elements of a type, as [`Lower::entry_to`] gives them.
    pub fn map_to(
        &mut self,
        loc: Loc,
        function: Function,
        operands: &[ValueId],
        sizes: &[SizeExpr],
        elem: Option<Type>,
        widen: bool,
    ) -> Result<ValueId, PassFailed> {
        let mut space = self.space(loc, sizes)?;
        let mut reads = Vec::with_capacity(operands.len());
        for &operand in operands {
            let own = self.shapes.of(self.ctx, self.body.value_type(operand));
            let chain = Chain::of(operand, sizes.len()).to_operand(operand, &own, sizes);
            reads.push(self.read(loc, &mut space, chain)?);
        }
        Ok(self.entry_to(loc, function, reads, sizes, elem, widen))
    }

    /// A value with elements of a type: itself if it has them.
    pub fn cast(&mut self, loc: Loc, value: ValueId, elem: Type) -> Result<ValueId, PassFailed> {
        match self.elem(value) == elem {
            true => Ok(value),
            false => {
                let sizes = self.sizes(value);
                self.map_to(loc, Function::Cast, &[value], &sizes, Some(elem), false)
            }
        }
    }

    /// The bits of a value as another type of the same width: itself if it has that.
    pub fn bits_as(&mut self, loc: Loc, value: ValueId, elem: Type) -> Result<ValueId, PassFailed> {
        match self.elem(value) == elem {
            true => Ok(value),
            false => {
                let sizes = self.sizes(value);
                self.map_to(loc, Function::Bitcast, &[value], &sizes, Some(elem), false)
            }
        }
    }
}
