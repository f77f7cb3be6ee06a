//! The producer: the loops of a grid with nothing in them but the requests to TMA.

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::{BlockId, Builder, Context, OpId, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, Token};

use super::Ring;
use crate::analysis::expressions::{BoundExpr, index};
use crate::analysis::nesting::block_of;
use crate::analysis::tiles::with_inner;
use crate::rewrites::rings::name_stage;
use crate::rewrites::unused::erase_unused;

/// What is copied, and where it comes from.
pub struct Source<'a> {
    pub rings: &'a [Ring],
    /// All requests of the grid, rings or not.
    pub requests: &'a [OpId],
    /// The ops of the grid that stay where all roles see them.
    pub shared: &'a [OpId],
    pub grid: BlockId,
}

struct Slice<'a> {
    ctx: &'a Context,
    source: &'a Source<'a>,
    map: CloneMap,
    /// For each ring the stage and the parity with which its tiles are waited for.
    states: Vec<[ValueId; 2]>,
    /// What was copied in case that a request needs it.
    copied: Vec<OpId>,
}

/// Fills the block of the producer.
pub fn slice(ctx: &Context, body: &mut Body, into: BlockId, source: &Source<'_>) -> Result<(), String> {
    let loc = source.grid_loc(body);
    let mut states = Vec::new();
    for _ in source.rings {
        // A tile that was never filled is empty: its barrier has passed parity 1.
        let mut number = |number: i64| {
            let value = index(&mut Builder::at_end(ctx, body, into), loc, &BoundExpr::plain(SizeExpr::from(number)));
            value.ok_or("an integer goes beyond 64 bits")
        };
        states.push([number(0)?, number(1)?]);
    }
    let mut slice = Slice { ctx, source, map: CloneMap::new(), states, copied: Vec::new() };
    slice.block(body, source.grid, into)?;
    slice.drain(body, into);
    let copied = std::mem::take(&mut slice.copied);
    erase_unused(ctx, body, copied);
    Ok(())
}

impl Source<'_> {
    fn grid_loc(&self, body: &Body) -> dlc_ir::Loc {
        let grid = body.region_of(self.grid).and_then(|region| body.region_parent(region));
        grid.map_or(dlc_ir::Loc::UNKNOWN, |grid| body.loc(grid))
    }

    /// The rings whose loop is an op or in it.
    fn rings_in(&self, body: &Body, op: OpId) -> Vec<usize> {
        let inner = with_inner(body, op);
        (0..self.rings.len()).filter(|&ring| inner.contains(&self.rings[ring].found.op)).collect()
    }
}

impl Slice<'_> {
    /// A value as the producer sees it; `None` for what only the consumers have.
    fn value(&self, body: &Body, value: ValueId) -> Option<ValueId> {
        if let Some(made) = self.map.value(value) {
            return Some(made);
        }
        let Some(block) = body.defining_block(value) else { return Some(value) };
        let is_outside = Some(block) == body.entry_block();
        let stays = body.defining_op(value).is_some_and(|op| self.source.shared.contains(&op));
        (is_outside || stays).then_some(value)
    }

    fn has_all(&self, body: &Body, op: OpId) -> bool {
        body.operands(op).all(|value| self.value(body, value).is_some())
    }

    fn clone(&mut self, body: &mut Body, op: OpId, into: BlockId) -> OpId {
        let made = body.clone_op(op, &mut self.map);
        body.insert(made, InsertPoint::EndOf(into));
        made
    }

    fn block(&mut self, body: &mut Body, from: BlockId, into: BlockId) -> Result<(), String> {
        let ops: Vec<OpId> = body.ops(from).collect();
        for op in ops {
            let view = OpRef::new(self.ctx, body, op);
            if self.source.shared.contains(&op) || view.is(kernel::Role::DEF) {
                continue;
            }
            if self.source.requests.contains(&op) {
                self.request(body, op, into)?;
                continue;
            }
            if view.is(kernel::For::DEF) && with_inner(body, op).iter().any(|op| self.source.requests.contains(op)) {
                self.loop_(body, op, into)?;
                continue;
            }
            let plain = |ty| Frag::of(self.ctx, ty).is_none() && Token::of(self.ctx, ty).is_none();
            let is_integer = dlc_ir::effects::is_speculatable(self.ctx, body, op)
                && view.regions().is_empty()
                && view.results().len() > 0
                && view.result_types().all(plain);
            if is_integer && self.has_all(body, op) {
                let made = self.clone(body, op, into);
                self.copied.push(made);
            }
        }
        Ok(())
    }

    /// A request: when its tile is empty, by the one thread that is here.
    fn request(&mut self, body: &mut Body, op: OpId, into: BlockId) -> Result<(), String> {
        let ctx = self.ctx;
        let loc = body.loc(op);
        let ring = self.source.rings.iter().position(|ring| ring.found.loads.contains(&op));
        if let Some(number) = ring.filter(|&number| self.source.rings[number].found.loads.first() == Some(&op)) {
            let [stage, parity] = self.states[number];
            let empty = self.source.rings[number].empty;
            kernel::Wait::build(&mut Builder::at_end(ctx, body, into), loc, empty, Some(stage), parity);
        }
        let block =
            kernel::Elect::of(OpRef::new(ctx, body, op)).and_then(|op| body.first_block(kernel::Elect::body(op)));
        let inner: Vec<OpId> = block.map_or_else(Vec::new, |block| body.ops(block).collect());
        for inner in inner {
            if OpRef::new(ctx, body, inner).is(kernel::Yield::DEF) {
                continue;
            }
            if !self.has_all(body, inner) {
                return Err("where a request reads depends on what the consumers compute".into());
            }
            let made = self.clone(body, inner, into);
            if let Some(number) = ring {
                name_stage(ctx, body, made, &self.source.rings[number].found.rings, self.states[number][0]);
            }
        }
        if let Some(number) = ring.filter(|&number| self.source.rings[number].found.loads.last() == Some(&op)) {
            let [stage, parity] = self.states[number];
            let mut builder = Builder::at_end(ctx, body, into);
            let next = kernel::Advance::build(&mut builder, loc, stage, parity, self.source.rings[number].stages);
            self.states[number] = [body.result(next, 0), body.result(next, 1)];
            body.set_value_name(body.result(next, 0), ctx.intern_str("next"));
        }
        Ok(())
    }

    /// Waits for all tiles that other blocks give back, too: they arrive at barriers of this one, which must be there.
    fn drain(&mut self, body: &mut Body, into: BlockId) {
        let ctx = self.ctx;
        for (number, ring) in self.source.rings.iter().enumerate().filter(|(_, ring)| !ring.ranks.is_empty()) {
            let (loc, stages) = (ring.found.loc, ring.stages);
            let bounds = [0, stages, 1].map(SizeExpr::from).to_vec();
            let types = [dlc_ir::Type::INDEX; 2];
            let mut builder = Builder::at_end(ctx, body, into);
            let made =
                kernel::NewFor { args: &[], inits: &self.states[number], bounds, unroll: None, outs_type: &types }
                    .build(&mut builder, loc);
            let block = body.append_block(body.regions(made)[0]);
            let args = ["left", "stage", "parity"].map(|name| {
                let arg = body.add_arg(block, dlc_ir::Type::INDEX, loc);
                body.set_value_name(arg, ctx.intern_str(name));
                arg
            });
            let mut builder = Builder::at_end(ctx, body, block);
            kernel::Wait::build(&mut builder, loc, ring.empty, Some(args[1]), args[2]);
            let next = kernel::Advance::build(&mut builder, loc, args[1], args[2], stages);
            let next: Vec<ValueId> = body.results(next).collect();
            body.set_value_name(next[0], ctx.intern_str("next"));
            kernel::Yield::build(&mut Builder::at_end(ctx, body, block), loc, &next);
        }
    }

    /// A loop that carries stages and parities alone.
    fn loop_(&mut self, body: &mut Body, op: OpId, into: BlockId) -> Result<(), String> {
        let ctx = self.ctx;
        let rings = self.source.rings_in(body, op);
        let view = kernel::For::from(OpRef::new(ctx, body, op));
        let (loc, bounds, unroll) = (view.loc(), view.bounds(), view.unroll());
        let args: Option<Vec<ValueId>> = view.args().map(|value| self.value(body, value)).collect();
        let args = args.ok_or("how often it loads depends on what the consumers compute")?;
        let from = block_of(ctx, body, op).ok_or("a loop is empty")?;
        let counter = body.args(from)[0];
        let inits: Vec<ValueId> = rings.iter().flat_map(|&ring| self.states[ring]).collect();
        let types = vec![dlc_ir::Type::INDEX; inits.len()];
        let made = kernel::NewFor { args: &args, inits: &inits, bounds, unroll, outs_type: &types }
            .build(&mut Builder::at_end(ctx, body, into), loc);
        let block = body.append_block(body.regions(made)[0]);
        let name = body.value_name(counter);
        let count = body.add_arg(block, dlc_ir::Type::INDEX, loc);
        body.set_value_name(count, name);
        self.map.map_value(counter, count);
        for &ring in &rings {
            self.states[ring] = ["stage", "parity"].map(|name| {
                let arg = body.add_arg(block, dlc_ir::Type::INDEX, loc);
                body.set_value_name(arg, ctx.intern_str(name));
                arg
            });
        }
        self.block(body, from, block)?;
        let next: Vec<ValueId> = rings.iter().flat_map(|&ring| self.states[ring]).collect();
        if !next.is_empty() {
            kernel::Yield::build(&mut Builder::at_end(ctx, body, block), loc, &next);
        }
        for (at, &ring) in rings.iter().enumerate() {
            self.states[ring] = [body.result(made, 2 * at), body.result(made, 2 * at + 1)];
        }
        Ok(())
    }
}
