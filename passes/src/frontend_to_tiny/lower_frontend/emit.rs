//! How the rules are written: an op of frontend in, ops of tiny out.

use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::float;
use dlc_ir::op::OpDef;
use dlc_ir::rewrite::{Conversion, ConversionPattern, Rewrite, Root};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Attr, Builder, Context, Loc, OpId, OpRef, Type, ValueId};
use dlc_tiny::ops as tiny;

/// The values that stand for the results of an op.
pub type Values = SmallVec<[ValueId; 2]>;

/// A rule: the op, and what it becomes.
pub struct Lower {
    /// The op.
    pub op: &'static OpDef,
    /// Makes the ops that compute its results.
    pub emit: fn(&mut Emit<'_>) -> Values,
}

impl ConversionPattern for Lower {
    fn name(&self) -> &'static str {
        self.op.mnemonic()
    }
    fn root(&self) -> Root {
        Root::Op(self.op.name)
    }
    fn convert(&self, op: OpId, operands: &[ValueId], cv: &mut Conversion<'_>) -> Rewrite {
        if !countable(cv.op(op)) {
            return Rewrite::NoMatch("one of its tensors has more elements than 64 bits count");
        }
        let loc = cv.body().loc(op);
        let values = (self.emit)(&mut Emit { builder: cv.before(op), op, operands, loc });
        cv.replace(op, &values);
        Rewrite::Changed
    }
}

/// Whether the elements of each tensor can be counted, whichever of its axes are left out: what an op becomes may be
/// under other sizes. An axis without elements can be split into any number of groups, which are then an axis too.
fn countable(op: OpRef<'_>) -> bool {
    let groups = op.prop_named("groups").and_then(|groups| groups.as_int(op.ctx)).unwrap_or(1);
    let types = op.operands().map(|value| op.type_of(value)).chain(op.result_types());
    types.filter_map(|ty| Tensor::of(op.ctx, ty)).all(|ty| {
        let (empty, sizes): (Vec<_>, Vec<_>) =
            ty.dims(op.ctx).into_iter().partition(|size| size.as_constant() == Some(0));
        let groups = SizeExpr::from(if empty.is_empty() { 1 } else { groups });
        sizes.iter().try_fold(groups, |count, size| count.mul(size)).is_ok()
    })
}

/// An op that is being lowered, and the place where the ops go that it becomes.
pub struct Emit<'e> {
    /// Makes ops before it.
    pub builder: Builder<'e>,
    /// The op of frontend.
    pub op: OpId,
    /// What its operands have become.
    pub operands: &'e [ValueId],
    /// Its place, which what it becomes has too.
    pub loc: Loc,
}

/// Methods that make one op of tiny with two operands.
macro_rules! binary {
    ($($(#[$doc:meta])+ $name:ident => $op:ident;)+) => {
        impl Emit<'_> {$(
            $(#[$doc])+
            pub fn $name(&mut self, lhs: ValueId, rhs: ValueId) -> ValueId {
                let op = tiny::$op::build(&mut self.builder, self.loc, lhs, rhs);
                self.builder.result(op)
            }
        )+}
    };
}

/// Methods that make one op of tiny with one operand.
macro_rules! unary {
    ($($(#[$doc:meta])+ $name:ident => $op:ident;)+) => {
        impl Emit<'_> {$(
            $(#[$doc])+
            pub fn $name(&mut self, input: ValueId) -> ValueId {
                let op = tiny::$op::build(&mut self.builder, self.loc, input);
                self.builder.result(op)
            }
        )+}
    };
}

binary! {
    /// The sum.
    add => Add;
    /// The difference.
    sub => Sub;
    /// The product.
    mul => Mul;
    /// The quotient of floats.
    fdiv => Fdiv;
    /// The larger.
    max => Max;
    /// The smaller.
    min => Min;
    /// The bits of both.
    and => And;
    /// The bits of one or both.
    or => Or;
    /// The bits of one.
    xor => Xor;
    /// The bits moved up.
    shl => Shl;
    /// The bits moved down.
    shr => Shr;
    /// The power.
    pow => Pow;
    /// The quotient of integers, rounded towards zero.
    cdiv => Cdiv;
    /// What that leaves.
    cmod => Cmod;
    /// The quotient of integers, rounded down.
    floordiv => Floordiv;
    /// What that leaves.
    floormod => Floormod;
}

unary! {
    /// The negative.
    neg => Neg;
    /// What is above zero.
    relu => Relu;
    /// The whole number next towards zero.
    trunc => Trunc;
    /// One divided by it.
    recip => Recip;
    /// The square root.
    sqrt => Sqrt;
    /// Two to the power of it.
    exp2 => Exp2;
    /// The logarithm to the base of two.
    log2 => Log2;
    /// The sine.
    sin => Sin;
}

impl Emit<'_> {
    /// The context.
    pub fn ctx(&self) -> &Context {
        self.builder.ctx
    }

    /// The op, to be read.
    pub fn source(&self) -> OpRef<'_> {
        OpRef::new(self.builder.ctx, self.builder.body, self.op)
    }

    fn tensor(&self, value: ValueId) -> Tensor {
        Tensor::expect(self.ctx(), self.builder.body.value_type(value))
    }

    /// The sizes of a value.
    pub fn dims(&self, value: ValueId) -> Vec<SizeExpr> {
        self.tensor(value).dims(self.ctx())
    }

    /// The number of axes of a value.
    pub fn rank(&self, value: ValueId) -> usize {
        self.tensor(value).rank(self.ctx())
    }

    /// The type of the elements of a value.
    pub fn elem(&self, value: ValueId) -> Type {
        self.tensor(value).elem(self.ctx())
    }

    /// The type of the elements of a result of the op.
    pub fn result_elem(&self, index: usize) -> Type {
        self.elem(self.source().result(index))
    }

    /// The sizes of a result of the op.
    pub fn result_dims(&self, index: usize) -> Vec<SizeExpr> {
        self.dims(self.source().result(index))
    }

    /// Whether a type is one of floats.
    pub fn is_float(&self, elem: Type) -> bool {
        elem.float_kind(self.ctx()).is_some()
    }

    /// The value with elements of a type: itself if it has them.
    pub fn cast(&mut self, value: ValueId, elem: Type) -> ValueId {
        if self.elem(value) == elem {
            return value;
        }
        let op = tiny::Cast::build(&mut self.builder, self.loc, value, elem);
        self.builder.result(op)
    }

    /// One number of a type, for every index: a tensor of rank 0, which broadcasts.
    pub fn number(&mut self, value: f64, elem: Type) -> ValueId {
        self.full(value, Vec::new(), elem)
    }

    /// One number for every index below some sizes. Rounded to floats; truncated to integers.
    pub fn full(&mut self, value: f64, dims: Vec<SizeExpr>, elem: Type) -> ValueId {
        let (ctx, attr) = (self.builder.ctx, self.number_attr(value, elem));
        let op = tiny::Const::build(&mut self.builder, self.loc, attr, Tensor::get(ctx, dims, elem));
        self.builder.result(op)
    }

    /// A number of a type as an attribute. Rounded to floats; truncated to integers.
    pub fn number_attr(&self, value: f64, elem: Type) -> Attr {
        match elem.float_kind(self.ctx()) {
            Some(kind) => self.ctx().attr(AttrData::Float { ty: elem, bits: float::encode(value, kind) }),
            None => self.ctx().int_attr(value as i128, elem),
        }
    }

    /// A comparison.
    pub fn cmp(&mut self, predicate: tiny::Predicate, lhs: ValueId, rhs: ValueId) -> ValueId {
        let op = tiny::Cmp::build(&mut self.builder, self.loc, lhs, rhs, predicate);
        self.builder.result(op)
    }

    /// One of two, by a condition.
    pub fn where_(&mut self, condition: ValueId, then: ValueId, otherwise: ValueId) -> ValueId {
        let op = tiny::Where::build(&mut self.builder, self.loc, condition, then, otherwise);
        self.builder.result(op)
    }

    /// The same elements under other sizes: itself if it has them.
    pub fn reshape(&mut self, value: ValueId, shape: Vec<SizeExpr>) -> ValueId {
        if self.dims(value) == shape {
            return value;
        }
        let op = tiny::Reshape::build(&mut self.builder, self.loc, value, shape);
        self.builder.result(op)
    }

    /// The axes in another order: itself if it is the same.
    pub fn permute(&mut self, value: ValueId, order: &[usize]) -> ValueId {
        if order.iter().enumerate().all(|(place, &axis)| place == axis) {
            return value;
        }
        let order = order.iter().map(|&axis| axis as i64).collect();
        let op = tiny::Permute::build(&mut self.builder, self.loc, value, order);
        self.builder.result(op)
    }

    /// Axes combined and gone, in the type `acc`.
    pub fn reduce(&mut self, combiner: tiny::Combiner, value: ValueId, axes: &[usize], acc: Type) -> ValueId {
        let axes = axes.iter().map(|&axis| axis as i64).collect();
        let acc = Some(acc).filter(|&acc| acc != self.elem(value));
        let op = tiny::Reduce::build(&mut self.builder, self.loc, value, combiner, axes, acc);
        self.builder.result(op)
    }

    /// Puts a mark without value on the op that a value is the result of.
    pub fn mark(&mut self, value: ValueId, mark: &str) {
        let (ctx, op) = (self.builder.ctx, self.builder.body.defining_op(value));
        let op = op.expect("an op was made for the value");
        self.builder.body.set_attr(ctx, op, ctx.intern_str(mark), Some(Attr::UNIT));
    }

    /// How many elements there are for some sizes: a number, or, where symbols are in it, a sum of numbers.
    pub fn count(&mut self, sizes: &[SizeExpr], elem: Type) -> ValueId {
        let constant: f64 = sizes.iter().filter_map(SizeExpr::as_constant).map(|size| size as f64).product();
        let symbolic: Vec<SizeExpr> = sizes.iter().filter(|size| size.as_constant().is_none()).cloned().collect();
        if symbolic.is_empty() {
            return self.number(constant, elem);
        }
        let axes: Vec<usize> = (0..symbolic.len()).collect();
        let each = self.full(constant, symbolic, elem);
        self.reduce(tiny::Combiner::Sum, each, &axes, elem)
    }
}
