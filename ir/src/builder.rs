//! Making ops at a place of a body.

use crate::attrs::Attr;
use crate::body::{Body, InsertPoint, OpParts};
use crate::context::Context;
use crate::entity::{BlockId, OpId, ValueId};
use crate::location::Loc;
use crate::types::Type;

/// Makes ops and puts them at its place, one behind the other.
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
