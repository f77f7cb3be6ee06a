//! Making ops at a place of a body.

use smallvec::SmallVec;

use crate::attrs::{Attr, NamedAttr};
use crate::body::{Body, InsertPoint, OpParts};
use crate::context::{Context, Str};
use crate::entity::{BlockId, OpId, RegionId, ValueId};
use crate::location::Loc;
use crate::op::{Arity, InferCx, OpDef, Traits};
use crate::types::Type;

/// Makes ops and puts them at its place, one after another.
pub struct Builder<'a> {
    /// The context.
    pub ctx: &'a Context,
    /// The body that grows.
    pub body: &'a mut Body,
    at: InsertPoint,
    /// Where a rewriter notes what was made.
    log: Option<&'a mut Vec<OpId>>,
}

impl<'a> Builder<'a> {
    /// A builder whose first op goes to a place.
    pub fn new(ctx: &'a Context, body: &'a mut Body, at: InsertPoint) -> Builder<'a> {
        Builder { ctx, body, at, log: None }
    }

    /// A builder that notes every op that it makes.
    pub(crate) fn logged(
        ctx: &'a Context,
        body: &'a mut Body,
        at: InsertPoint,
        log: Option<&'a mut Vec<OpId>>,
    ) -> Builder<'a> {
        Builder { ctx, body, at, log }
    }

    /// A builder at the end of a block.
    pub fn at_end(ctx: &'a Context, body: &'a mut Body, block: BlockId) -> Builder<'a> {
        Builder::new(ctx, body, InsertPoint::EndOf(block))
    }

    /// Where the next op goes.
    pub fn place(&self) -> InsertPoint {
        self.at
    }

    /// Lets the next op go elsewhere.
    pub fn set_place(&mut self, at: InsertPoint) {
        self.at = at;
    }

    /// Makes an op at the place. The next one follows it.
    pub fn create(&mut self, parts: OpParts<'_>) -> OpId {
        let op = self.body.create_op(parts);
        self.body.insert(op, self.at);
        if let Some(log) = &mut self.log {
            log.push(op);
        }
        if !matches!(self.at, InsertPoint::Before(_) | InsertPoint::EndOf(_)) {
            self.at = InsertPoint::After(op);
        }
        op
    }

    /// Makes the op for a constant of a type, by the dialect `dialect` or, failing that, by any that can hold it.
    pub fn constant(&mut self, dialect: &str, loc: Loc, value: Attr, ty: Type) -> Option<OpId> {
        let own = self.ctx.dialect(dialect).and_then(|d| d.materialize);
        own.and_then(|materialize| materialize(self, loc, value, ty))
    }

    /// The only result of an op.
    pub fn result(&self, op: OpId) -> ValueId {
        self.body.result(op, 0)
    }
}

/// A declared op that is being put together: what the `build` of a declaration uses. The groups of operands and results
/// are given in the order of their declaration.
pub struct NewOp {
    def: &'static OpDef,
    loc: Loc,
    operands: SmallVec<[ValueId; 4]>,
    operand_groups: SmallVec<[i32; 4]>,
    results: SmallVec<[Type; 2]>,
    result_groups: SmallVec<[i32; 2]>,
    props: SmallVec<[NamedAttr; 4]>,
    regions: usize,
    successors: SmallVec<[BlockId; 2]>,
}

impl NewOp {
    /// An op of a declaration, with nothing in it yet.
    pub fn new(def: &'static OpDef, loc: Loc) -> NewOp {
        NewOp {
            def,
            loc,
            operands: SmallVec::new(),
            operand_groups: SmallVec::new(),
            results: SmallVec::new(),
            result_groups: SmallVec::new(),
            props: SmallVec::new(),
            regions: 0,
            successors: SmallVec::new(),
        }
    }

    /// The next group of operands.
    pub fn operands(&mut self, operands: &[ValueId]) {
        self.operands.extend_from_slice(operands);
        self.operand_groups.push(operands.len() as i32);
    }

    /// The types of the next group of results.
    pub fn results(&mut self, types: &[Type]) {
        self.results.extend_from_slice(types);
        self.result_groups.push(types.len() as i32);
    }

    /// An inherent attribute.
    pub fn attr(&mut self, builder: &Builder<'_>, key: &str, attr: Attr) {
        self.props.push((builder.ctx.intern_str(key), attr));
    }

    /// That many empty regions more.
    pub fn regions(&mut self, count: usize) {
        self.regions += count;
    }

    /// The next successor.
    pub fn successor(&mut self, block: BlockId) {
        self.successors.push(block);
    }

    /// Lets the declaration say the types of the results.
    ///
    /// # Panics
    /// If it cannot, with what is there.
    pub fn infer_results(&mut self, builder: &Builder<'_>) {
        let infer = self.def.infer.expect("called for declarations that infer");
        let cx = InferCx { ctx: builder.ctx, body: builder.body, operands: &self.operands, props: &self.props };
        match infer(&cx) {
            Ok(types) => self.results = types,
            Err(broken) => panic!("'{}' is built from what it does not take: {}", self.def.name, broken.message),
        }
    }

    /// Makes the op at the place of the builder.
    pub fn build(mut self, builder: &mut Builder<'_>) -> OpId {
        let ctx = builder.ctx;
        if self.def.operands.iter().filter(|group| group.arity != Arity::One).count() > 1 {
            self.props.push((Str::OPERAND_SEGMENTS, ctx.i32_array(&self.operand_groups)));
        }
        if self.def.results.iter().filter(|group| group.arity != Arity::One).count() > 1 {
            self.props.push((Str::RESULT_SEGMENTS, ctx.i32_array(&self.result_groups)));
        }
        let name = ctx.op_name(self.def.name);
        let props = if self.props.is_empty() { Attr::EMPTY_DICT } else { ctx.dict_attr(&self.props) };
        let isolated = self.def.traits.has(Traits::ISOLATED_FROM_ABOVE);
        let nested = isolated.then(|| {
            let mut nested = Box::new(Body::new(name, self.loc, self.regions));
            nested.set_props(nested.root(), props);
            nested
        });
        let own = if isolated { 0 } else { self.regions };
        let regions: SmallVec<[RegionId; 2]> = (0..own).map(|_| builder.body.create_region()).collect();
        builder.create(OpParts {
            operands: &self.operands,
            results: &self.results,
            props: if isolated { Attr::EMPTY_DICT } else { props },
            regions: &regions,
            successors: &self.successors,
            nested,
            ..OpParts::new(name, self.loc)
        })
    }
}
