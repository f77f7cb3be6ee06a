//! Making ops of kernel: where they go, and the values that expressions name.

use std::cell::RefCell;

use dlc_core::guard::Guard;
use dlc_core::sizes::value_name;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{BlockId, Body, Builder, Context, Loc, OpId, Type, ValueId};
use dlc_kernel::layout::{Distributed, Shared};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, Tile};
use rustc_hash::FxHashMap;

use super::axes::{LowerError, map_guard};
use super::lower::bits_of;

/// A loop that is being made.
pub struct Open {
    /// The loop.
    pub op: OpId,
    /// The integer that it counts.
    pub counter: ValueId,
    /// What it carries.
    pub carried: Vec<ValueId>,
    outside: BlockId,
}

/// A loop that is open.
struct Around {
    op: OpId,
    /// Whether it has one step, so that there is nothing to do before it.
    is_single: bool,
}

/// A kernel that grows.
pub struct Emit<'c> {
    pub ctx: &'c Context,
    pub body: Body,
    /// Where the next op goes: to the end of this block.
    pub block: BlockId,
    pub loc: Loc,
    /// The warps of the block that ops are made for, where fragments are those of its tile.
    pub warps: Option<u32>,
    /// The loops that are open, from the outside in.
    loops: Vec<Around>,
    /// The values that expressions name: `_u0` is the first.
    named: Vec<ValueId>,
    /// The first fragment that has none, and why.
    unplaced: RefCell<Option<String>>,
    /// The place of each among them.
    numbers: FxHashMap<ValueId, usize>,
}

impl<'c> Emit<'c> {
    pub fn new(ctx: &'c Context, body: Body, block: BlockId, loc: Loc) -> Emit<'c> {
        let unplaced = RefCell::default();
        let (loops, named) = (Vec::new(), Vec::new());
        Emit { ctx, body, block, loc, warps: None, loops, named, numbers: FxHashMap::default(), unplaced }
    }

    pub fn builder(&mut self) -> Builder<'_> {
        Builder::at_end(self.ctx, &mut self.body, self.block)
    }

    /// A value as it stands in expressions.
    pub fn name(&mut self, value: ValueId) -> SizeExpr {
        let number = *self.numbers.entry(value).or_insert_with(|| {
            self.named.push(value);
            self.named.len() - 1
        });
        SizeExpr::symbol(&format!("_u{number}")).expect("a letter and digits are a name")
    }

    /// Gives a value a name for readers, with a number after it where it is taken.
    pub fn set_name(&mut self, value: ValueId, name: &str) {
        let name = self.ctx.intern_str(name);
        self.body.set_value_name(value, name);
    }

    /// The expressions with values as an op names them, and those values.
    pub fn operands(
        &self,
        exprs: &[SizeExpr],
        guard: Option<&Guard>,
    ) -> Result<(Vec<ValueId>, Vec<SizeExpr>, Option<Guard>), LowerError> {
        let mut values: Vec<ValueId> = Vec::new();
        let mut numbers: Vec<(String, usize)> = Vec::new();
        let guarded = guard.into_iter().flat_map(Guard::exprs);
        for name in exprs.iter().chain(guarded).flat_map(SizeExpr::symbols) {
            let number = name.strip_prefix("_u").and_then(|number| number.parse::<usize>().ok());
            let Some(value) = number.and_then(|number| self.named.get(number).copied()) else { continue };
            if !numbers.iter().any(|(known, _)| *known == *name) {
                numbers.push((name.to_string(), values.len()));
                values.push(value);
            }
        }
        let replace = |name: &str| {
            let (_, number) = numbers.iter().find(|(known, _)| known == name)?;
            SizeExpr::symbol(&value_name(*number)).ok()
        };
        let put = |expr: &SizeExpr| expr.substitute(&replace).map_err(LowerError::Expr);
        let exprs = exprs.iter().map(put).collect::<Result<Vec<_>, _>>()?;
        let guard = guard.map(|guard| map_guard(guard, &put)).transpose()?;
        Ok((values, exprs, guard))
    }

    /// An integer.
    pub fn index(&mut self, expr: &SizeExpr) -> Result<ValueId, LowerError> {
        let (values, exprs, _) = self.operands(std::slice::from_ref(expr), None)?;
        let loc = self.loc;
        let op = kernel::Index::build(&mut self.builder(), loc, &values, exprs, Type::INDEX);
        Ok(self.body.result(op, 0))
    }

    /// A constant of a type, a number or a fragment.
    pub fn constant(&mut self, value: dlc_ir::Attr, ty: Type) -> ValueId {
        let loc = self.loc;
        let op = kernel::Const::build(&mut self.builder(), loc, value, ty);
        self.body.result(op, 0)
    }

    /// Memory between the grids of the kernel, before the next one begins.
    pub fn workspace(&mut self, ty: Type, name: &str) -> ValueId {
        let loc = self.loc;
        let op = kernel::Workspace::build(&mut self.builder(), loc, ty);
        let value = self.body.result(op, 0);
        self.set_name(value, name);
        value
    }

    /// The same with zeros in it.
    pub fn scratch(&mut self, ty: Type, name: &str) -> ValueId {
        let loc = self.loc;
        let op = kernel::Scratch::build(&mut self.builder(), loc, ty);
        let value = self.body.result(op, 0);
        self.set_name(value, name);
        value
    }

    /// Begins a loop from 0 to `last` by `step` that carries values: what is made next is in it, up to
    /// [`Emit::close_loop`].
    pub fn open_loop(&mut self, last: &SizeExpr, step: u32, name: &str, inits: &[ValueId]) -> Result<Open, LowerError> {
        self.open_loop_from([&SizeExpr::from(0), last], step, name, inits)
    }

    /// The same from a number on.
    pub fn open_loop_from(
        &mut self,
        [first, last]: [&SizeExpr; 2],
        step: u32,
        name: &str,
        inits: &[ValueId],
    ) -> Result<Open, LowerError> {
        let bounds = [first.clone(), last.clone(), SizeExpr::from(i64::from(step))];
        let (values, bounds, _) = self.operands(&bounds, None)?;
        let types: Vec<Type> = inits.iter().map(|&value| self.body.value_type(value)).collect();
        let loc = self.loc;
        let op = kernel::NewFor { args: &values, inits, bounds, unroll: None, outs_type: &types }
            .build(&mut self.builder(), loc);
        let region = self.body.regions(op)[0];
        let block = self.body.append_block(region);
        let counter = self.body.add_arg(block, Type::INDEX, loc);
        self.set_name(counter, name);
        let carried = types.iter().map(|&ty| self.body.add_arg(block, ty, loc)).collect();
        let outside = std::mem::replace(&mut self.block, block);
        let size = last.sub(first).ok().and_then(|size| size.as_constant());
        self.loops.push(Around { op, is_single: size.is_some_and(|size| size <= i64::from(step)) });
        Ok(Open { op, counter, carried, outside })
    }

    /// Marks a loop to be unrolled.
    pub fn unroll(&mut self, open: &Open) {
        let name = self.ctx.intern_str("unroll");
        self.body.set_prop(self.ctx, open.op, name, Some(dlc_ir::Attr::UNIT));
    }

    /// Ends a loop with what it carries on, and gives its results.
    pub fn close_loop(&mut self, open: Open, next: &[ValueId]) -> Vec<ValueId> {
        let loc = self.loc;
        kernel::Yield::build(&mut self.builder(), loc, next);
        self.block = open.outside;
        self.loops.pop();
        self.body.results(open.op).collect()
    }

    /// Whether something stands in a loop.
    pub fn is_in_loop(&self) -> bool {
        !self.loops.is_empty()
    }

    /// The outermost loop in all of whose steps some values are the same; `None` where each loop changes one of them.
    pub fn unchanging_loop(&self, values: &[ValueId]) -> Option<OpId> {
        let is_inside = |value: ValueId, around: OpId| {
            let made = self.body.defining_op(value);
            let ops = std::iter::successors(made, |&op| self.body.parent_op(op));
            let counts = || self.body.first_block(self.body.regions(around)[0]);
            ops.into_iter().any(|op| op == around)
                || counts().is_some_and(|block| self.body.args(block).contains(&value))
        };
        let changes = |around: &&Around| values.iter().any(|&value| is_inside(value, around.op));
        let outermost = self.loops.iter().rev().take_while(|around| !changes(around));
        outermost.filter(|around| !around.is_single).last().map(|around| around.op)
    }

    /// All threads of the block meet.
    pub fn barrier(&mut self) {
        let loc = self.loc;
        kernel::Barrier::build(&mut self.builder(), loc, None, None);
    }

    /// The fragment type of a shape. One that has no layout is an error of [`Emit::check_layouts`].
    pub fn frag(&self, shape: &[u32], elem: Type, layout: &Distributed) -> Type {
        let ty = Frag::get(self.ctx, shape.iter().map(|&size| size.into()).collect(), elem, layout.clone());
        if let Some(warps) = self.warps {
            let placed = layout.place_once(self.ctx, shape, bits_of(self.ctx, elem), warps);
            if let (Err(why), unplaced @ None) = (placed, &mut *self.unplaced.borrow_mut()) {
                *unplaced = Some(format!("a fragment of {} has no layout: {why}", sizes_text(shape)));
            }
        }
        ty
    }

    /// The type of a tile in shared memory.
    pub fn tile(&self, shape: &[u32], elem: Type, layout: Shared) -> Result<Type, LowerError> {
        let placed = layout.place(shape, bits_of(self.ctx, elem));
        let why = |why: String| format!("a tile of {} in shared memory has no layout: {why}", sizes_text(shape));
        placed.map_err(|reason| LowerError::Layout(why(reason)))?;
        Ok(Tile::get(self.ctx, 1, shape.iter().map(|&size| size.into()).collect(), elem, layout))
    }

    /// Every fragment that was made has a layout.
    pub fn check_layouts(&self) -> Result<(), LowerError> {
        self.unplaced.borrow().clone().map_or(Ok(()), |why| Err(LowerError::Layout(why)))
    }
}

fn sizes_text(shape: &[u32]) -> String {
    shape.iter().map(u32::to_string).collect::<Vec<_>>().join(" x ")
}
