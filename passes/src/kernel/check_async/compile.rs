//! From a grid to the program of the abstract machine. Only integers that decide what is done, tokens, and fragments
//! that a matrix product may still write have slots; the rest is left out.

use dlc_core::guard::Guard;
use dlc_core::scalar::Binary as Function;
use dlc_core::sizes::value_number;
use dlc_ir::affine::SizeExpr;
use dlc_ir::diag::Diagnostic;
use dlc_ir::entity::EntityId as _;
use dlc_ir::{Body, Context, OpId, OpRef, RegionId, Type, ValueId};
use dlc_kernel::barrier_numbers::barrier_numbers;
use dlc_kernel::layout::Distributed;
use dlc_kernel::ops::{self, Flag};
use dlc_kernel::places::{SmemLayout, shared_memory};
use dlc_kernel::types::{Frag, MBarrier, Tile, Token, Work};
use rustc_hash::FxHashMap;

use super::blocks::CrossBlockValues;
use super::exprs::{Condition, Expr, Slot, UNKNOWN};
use super::program::{
    Around, BarrierAt, COMPUTE, Class, EPILOGUE, Instr, LOAD, Of, Pc, Program, Role, TileAt, TileType,
};
use super::values::{Flow, adds_in_place, is_data, through, yielded};
use super::{DIVERGENT_SYNCHRONIZATION, NOT_CHECKED};
use crate::analysis::expressions::required_values;

/// The program of a grid, and what of the grid is followed in it.
///
/// Errors: what the machine cannot run, and branches on data that synchronize differently.
pub fn compile(function: ops::Func<'_>, grid: ops::Grid<'_>) -> Result<(Program, Flow), Box<Diagnostic>> {
    let fail = |message: String| Box::new(Diagnostic::error(&NOT_CHECKED, grid.loc(), message).at(grid.name()));
    let places = shared_memory(*grid).map_err(fail)?;
    barrier_numbers(grid).map_err(fail)?;
    let flow = Flow::of(*grid);
    let (ctx, body) = (grid.ctx, grid.body);
    let mut program = Program { bytes: places.bytes, depth: 1, ..Program::default() };
    program.warps = u32::try_from(grid.threads() / 32).unwrap_or(1);
    program.cluster = [1; 3];
    for (axis, size) in grid.cluster().unwrap_or_default().into_iter().enumerate().take(3) {
        program.cluster[axis] = size.max(1);
    }
    program.symbols = function.symbols().unwrap_or_default().iter().map(|name| name.to_string()).collect();
    program.slots = program.symbols.len();
    let slot_of = |name: &String| program.symbols.iter().position(|known| known == name);
    let fixed = required_values(ctx, body).into_iter();
    program.fixed = fixed.filter_map(|(name, number)| Some((slot_of(&name)?, number))).collect();
    let warps = program.warps;
    let mut compiler = Compiler {
        ctx,
        body,
        symbols: (0..program.slots).map(|slot| (program.symbols[slot].clone(), slot as Slot)).collect(),
        slots: vec![Slot::MAX; body.value_slots()],
        program,
        places,
        flow,
        cross_block: CrossBlockValues::of(grid),
        tiles: FxHashMap::default(),
        around: None,
        single: false,
        warps,
        target: Vec::new(),
    };
    // The launch: what is computed for the sizes of the grid and used in it.
    let mut before = Vec::new();
    let mut at = body.prev_op(grid.id);
    while let Some(id) = at {
        before.push(id);
        at = body.prev_op(id);
    }
    for id in before.into_iter().rev() {
        compiler.integer(OpRef { id, ..*grid });
        if let Some(require) = ops::Require::of(OpRef { id, ..*grid }) {
            let args: Vec<ValueId> = require.args().collect();
            let condition = compiler.condition(&require.guard(), &args);
            let mut slots = Vec::new();
            condition.exprs().for_each(|expr| expr.slots(&mut slots));
            let is_of_symbols = slots.iter().all(|&slot| (slot as usize) < compiler.program.symbols.len());
            compiler.program.requires[usize::from(!is_of_symbols)].push(condition);
        }
    }
    compiler.push(grid.id, Instr::End);
    compiler.program.launch = std::mem::take(&mut compiler.program.code);
    compiler.program.at.clear();
    let args: Vec<ValueId> = grid.args().collect();
    compiler.program.grid = grid.dims().iter().map(|expr| compiler.expr(expr, &args)).collect();
    compiler.region(ops::Grid::body(grid))?;
    compiler.push(grid.id, Instr::End);
    // The roles come after, each from its own start.
    for (index, role) in std::mem::take(&mut compiler.target).into_iter().enumerate() {
        compiler.role(index, ops::Role::from(OpRef { id: role, ..*grid }))?;
    }
    let Compiler { mut program, flow, .. } = compiler;
    let operands = |instr: &Instr| {
        let mut slots = Vec::new();
        instr.operands(&mut |slot| slots.push(slot));
        slots.into()
    };
    program.operands = program.code.iter().map(operands).collect();
    Ok((program, flow))
}

struct Compiler<'a> {
    ctx: &'a Context,
    body: &'a Body,
    symbols: FxHashMap<String, Slot>,
    /// The slot of each value, `Slot::MAX` for none.
    slots: Vec<Slot>,
    program: Program,
    places: SmemLayout,
    flow: Flow,
    cross_block: CrossBlockValues<'a>,
    tiles: FxHashMap<Type, u32>,
    around: Option<usize>,
    single: bool,
    warps: u32,
    /// The roles that are not compiled yet.
    target: Vec<OpId>,
}

type Done = Result<(), Box<Diagnostic>>;

impl<'a> Compiler<'a> {
    fn push(&mut self, op: OpId, instr: Instr) -> usize {
        self.program.named |= matches!(instr, Instr::Named { .. });
        self.program.code.push(instr);
        self.program.at.push((op, self.single, self.around));
        self.program.code.len() - 1
    }

    fn pc(&self) -> Pc {
        self.program.code.len() as Pc
    }

    fn slot(&mut self, value: ValueId) -> Slot {
        let slot = &mut self.slots[value.index()];
        if *slot == Slot::MAX {
            *slot = self.program.slots as Slot;
            self.program.slots += 1;
        }
        *slot
    }

    fn fresh(&mut self) -> Slot {
        self.program.slots += 1;
        self.program.slots as Slot - 1
    }

    fn expr(&mut self, expr: &SizeExpr, args: &[ValueId]) -> Expr {
        let args: Vec<Slot> = args.iter().map(|&arg| self.slot(arg)).collect();
        Expr::compile(expr, &|name| match value_number(name) {
            Some(number) => args.get(number).copied(),
            None => self.symbols.get(name).copied(),
        })
    }

    fn condition(&mut self, guard: &Guard, args: &[ValueId]) -> Condition {
        let args: Vec<Slot> = args.iter().map(|&arg| self.slot(arg)).collect();
        Condition::compile(guard, &|name| match value_number(name) {
            Some(number) => args.get(number).copied(),
            None => self.symbols.get(name).copied(),
        })
    }

    fn name(&mut self, value: ValueId) -> u32 {
        let name = self.ctx.str(self.body.value_name(value));
        let name = if name.is_empty() { "the buffer".to_owned() } else { format!("%{name}") };
        match self.program.names.iter().position(|known| *known == name) {
            Some(at) => at as u32,
            None => {
                self.program.names.push(name);
                self.program.names.len() as u32 - 1
            }
        }
    }

    fn tile_type(&mut self, op: OpRef<'_>, ty: Type) -> Result<u32, Box<Diagnostic>> {
        if let Some(&number) = self.tiles.get(&ty) {
            return Ok(number);
        }
        let wrong = |reason: &str| Box::new(Diagnostic::error(&NOT_CHECKED, op.loc(), reason).at(op.name()));
        let tile = Tile::of(self.ctx, ty).ok_or_else(|| wrong("the operand is no tile"))?;
        let place = tile.place(self.ctx).map_err(|reason| wrong(&reason))?;
        let count: u64 = place.shape().iter().map(|&size| u64::from(size)).product();
        let whole = count * u64::from(place.elem_bytes()) == u64::from(place.bytes()) || self.is_alone(ty);
        let number = self.program.tiles.len() as u32;
        let (bytes, stride) = (place.bytes(), place.stride());
        self.program.tiles.push(TileType { place, stages: tile.stages(self.ctx), bytes, stride, whole });
        self.tiles.insert(ty, number);
        Ok(number)
    }

    /// Whether tiles of a type have no parts, are no parts, and lie over no others: nothing else has bytes between theirs.
    fn is_alone(&self, ty: Type) -> bool {
        let mut all = Vec::new();
        for id in self.body.walk() {
            let op = OpRef { ctx: self.ctx, body: self.body, id };
            if let Some(slice) = ops::Slice::of(op)
                && [slice.tile(), slice.out()].iter().any(|&value| op.type_of(value) == ty)
            {
                return false;
            }
            if let (Some(shared), Some(&start)) = (ops::Shared::of(op), self.places.tiles.get(&id)) {
                let Some(tile) = Tile::of(self.ctx, op.type_of(shared.out())) else { return false };
                let Ok(place) = tile.place(self.ctx) else { return false };
                let stages = u32::try_from(tile.stages(self.ctx)).unwrap_or(1).max(1);
                let end = start + (stages - 1) * place.stride() + place.bytes();
                all.push((start, end, op.type_of(shared.out()) == ty));
            }
        }
        let meets = |a: usize, b: usize| a != b && all[a].0 < all[b].1 && all[b].0 < all[a].1;
        !(0..all.len()).any(|a| all[a].2 && (0..all.len()).any(|b| meets(a, b)))
    }

    fn tile(&mut self, op: OpRef<'_>, tile: ValueId, stage: Option<ValueId>) -> Result<TileAt, Box<Diagnostic>> {
        let ty = self.tile_type(op, op.type_of(tile))?;
        let stage = stage.map(|stage| self.slot(stage));
        Ok(TileAt { base: self.slot(tile), stage, ty, name: self.name(tile) })
    }

    fn barrier(&mut self, op: OpRef<'_>, barrier: ValueId, stage: Option<ValueId>) -> BarrierAt {
        let count = MBarrier::expect(self.ctx, op.type_of(barrier)).count(self.ctx);
        let stage = stage.map(|stage| self.slot(stage));
        BarrierAt { base: self.slot(barrier), stage, count: count.clamp(1, 4096) as u32, name: self.name(barrier) }
    }

    fn class(&mut self, tile: u32, layout: Distributed, first: bool, transposed: bool) -> u32 {
        let class = Class { tile, layout, warps: self.warps, first, transposed };
        match self.program.classes.iter().position(|known| *known == class) {
            Some(at) => at as u32,
            None => {
                self.program.classes.push(class);
                self.program.classes.len() as u32 - 1
            }
        }
    }

    fn region(&mut self, region: RegionId) -> Done {
        let Some(block) = self.body.first_block(region) else { return Ok(()) };
        for id in self.body.ops(block) {
            let op = OpRef { ctx: self.ctx, body: self.body, id };
            if !self.integer(op) && !self.control(op)? && !self.synchronization(op) {
                self.memory(op)?;
            }
        }
        Ok(())
    }

    fn role(&mut self, index: usize, role: ops::Role<'a>) -> Done {
        self.single = role.single().is_some();
        let groups = role.groups().max(1);
        self.warps = u32::try_from((role.last() - role.first()) / groups).unwrap_or(1);
        let region = ops::Role::body(role);
        let arg = self.body.first_block(region).and_then(|block| self.body.args(block).first().copied());
        let group = arg.map(|arg| self.slot(arg));
        let start = self.pc();
        self.program.roles[index] = Role {
            name: role.name().to_string(),
            groups: groups as u32,
            warps: self.warps,
            single: self.single,
            group,
            start,
        };
        self.region(region)?;
        self.push(role.id, Instr::End);
        Ok(())
    }

    /// Integers that decide something. Whether the op is such.
    fn integer(&mut self, op: OpRef<'a>) -> bool {
        let results: Vec<ValueId> = op.results().collect();
        let wanted = results.iter().any(|&value| self.flow.is_needed(value));
        let instr = if let Some(op) = ops::Index::of(op) {
            if !wanted || op.type_of(op.out()) != Type::INDEX {
                return true;
            }
            let args: Vec<ValueId> = op.args().collect();
            let value = op.value().first().map_or(Expr::Const(UNKNOWN), |expr| self.expr(expr, &args));
            Instr::Set(self.slot(op.out()), value)
        } else if let Some(op) = ops::BlockId::of(op) {
            self.program.ids |= wanted;
            Instr::Block(self.slot(op.out()), Of::Id(op.axis().clamp(0, 2) as usize))
        } else if let Some(op) = ops::GridSize::of(op) {
            let axis = op.axis().clamp(0, 2) as usize;
            match self.program.grid.get(axis) {
                Some(&Expr::Const(size)) => Instr::Set(self.slot(op.out()), Expr::Const(size)),
                _ => {
                    self.program.sizes |= wanted;
                    Instr::Block(self.slot(op.out()), Of::Size(axis))
                }
            }
        } else if let Some(op) = ops::BlockRank::of(op) {
            Instr::Block(self.slot(op.out()), Of::Rank)
        } else if let Some(op) = ops::Min::of(op) {
            Instr::Binary(self.slot(op.out()), Function::Min, [self.slot(op.lhs()), self.slot(op.rhs())])
        } else if let Some(op) = ops::Max::of(op) {
            Instr::Binary(self.slot(op.out()), Function::Max, [self.slot(op.lhs()), self.slot(op.rhs())])
        } else if let Some(op) = ops::Binary::of(op) {
            let is_number = |value| matches!(op.type_of(value), Type::INDEX | Type::I1);
            if !wanted || !is_number(op.lhs()) || !is_number(op.rhs()) {
                return false;
            }
            Instr::Binary(self.slot(op.out()), op.function(), [self.slot(op.lhs()), self.slot(op.rhs())])
        } else if let Some(op) = ops::Advance::of(op) {
            let from = [self.slot(op.stage()), self.slot(op.parity())];
            let next = [self.slot(op.next()), self.slot(op.next_parity())];
            Instr::Advance { next, from, stages: op.stages() }
        } else if let Some(op) = ops::TileOrder::of(op) {
            let (args, tiles): (Vec<ValueId>, _) = (op.args().collect(), op.tiles());
            let [rows, columns] = tiles.as_slice() else { return true };
            let sizes = Box::new([self.expr(rows, &args), self.expr(columns, &args)]);
            let place = [self.slot(op.row()), self.slot(op.column())];
            let group = op.group().unwrap_or(1).max(1);
            Instr::Order { place, tile: self.slot(op.tile()), sizes, order: op.order(), group }
        } else {
            return false;
        };
        if wanted {
            self.push(op.id, instr);
        }
        true
    }

    /// Values are handed on to others.
    fn moves(&mut self, op: OpId, from: impl Iterator<Item = ValueId>, to: &[ValueId]) {
        let needed: Vec<_> = from.zip(to).filter(|&(_, &to)| self.flow.is_needed(to)).collect();
        let mut left: Vec<(Slot, Slot)> =
            needed.into_iter().map(|(from, &to)| (self.slot(to), self.slot(from))).collect();
        left.retain(|(to, from)| to != from);
        // First those whose old number nobody else needs.
        let mut moves = Vec::with_capacity(left.len());
        let is_free = |left: &[(Slot, Slot)], to: Slot| left.iter().all(|&(other, from)| from != to || other == to);
        while let Some(at) = left.iter().position(|&(to, _)| is_free(&left, to)) {
            moves.push(left.remove(at));
        }
        // The rest goes around in circles.
        for pair in &mut left {
            let between = self.fresh();
            moves.push((between, std::mem::replace(&mut pair.1, between)));
        }
        moves.append(&mut left);
        if !moves.is_empty() {
            self.push(op, Instr::Move(moves.into()));
        }
    }

    /// Roles, loops, conditions. Whether the op is such.
    fn control(&mut self, op: OpRef<'a>) -> Result<bool, Box<Diagnostic>> {
        if let Some(op) = ops::For::of(op) {
            self.loop_(op)?;
        } else if let Some(op) = ops::If::of(op) {
            self.branch(op)?;
        } else if let Some(op) = ops::Elect::of(op) {
            let single = std::mem::replace(&mut self.single, true);
            let region = ops::Elect::body(op);
            self.region(region)?;
            self.single = single;
            let results: Vec<ValueId> = op.results().collect();
            for (result, value) in results.into_iter().zip(yielded(*op, region)) {
                let slot = self.slot(value);
                self.slots[result.index()] = slot;
            }
        } else if let Some(op) = ops::WarpIf::of(op) {
            // It computes on registers only: both ways, as some warps go one and some the other. Products of an model
            // thread end in order, so the result of both ways is there when the later product is.
            let results: Vec<ValueId> = op.results().collect();
            for (number, &region) in op.regions().iter().enumerate() {
                self.region(region)?;
                if number == 0 {
                    self.moves(op.id, yielded(*op, region).into_iter(), &results);
                    continue;
                }
                for (value, &result) in yielded(*op, region).into_iter().zip(&results) {
                    if !self.flow.is_needed(result) {
                        continue;
                    }
                    let is_frag = Frag::of(self.ctx, op.type_of(result)).is_some();
                    let (result, value) = (self.slot(result), self.slot(value));
                    let both = Instr::Binary(result, Function::Max, [result, value]);
                    // A number may be either.
                    self.push(op.id, if is_frag { both } else { Instr::Set(result, Expr::Const(UNKNOWN)) });
                }
            }
        } else if ops::Role::of(op).is_some() {
            self.push(op.id, Instr::Fork(self.target.len()));
            self.target.push(op.id);
            self.program.roles.push(Role {
                name: String::new(),
                groups: 1,
                warps: 1,
                single: false,
                group: None,
                start: 0,
            });
        } else {
            let moved: Box<[Slot]> = self.flow.moved(op).into_iter().map(|value| self.slot(value)).collect();
            if !moved.is_empty() {
                self.push(op.id, Instr::Moved(moved));
            }
            return Ok(ops::Yield::of(op).is_some());
        }
        Ok(true)
    }

    fn loop_(&mut self, op: ops::For<'a>) -> Done {
        if !self.flow.is_followed(*op) {
            return Ok(());
        }
        let region = ops::For::body(op);
        let Some(block) = self.body.first_block(region) else { return Ok(()) };
        let args = self.body.args(block).to_vec();
        let (Some(&index), bounds) = (args.first(), op.bounds()) else { return Ok(()) };
        let [first, last, step] = bounds.as_slice() else { return Ok(()) };
        let values: Vec<ValueId> = op.args().collect();
        self.cross_block.check_loop(op)?;
        let bounds = Box::new([first, last, step].map(|bound| self.expr(bound, &values)));
        let trips = match bounds.as_ref() {
            &[Expr::Const(first), Expr::Const(last), Expr::Const(step)] if step > 0 => {
                Some(last.saturating_sub(first).max(0).saturating_add(step - 1) / step)
            }
            _ => None,
        };
        self.moves(op.id, op.inits(), &args[1..]);
        let (index_slot, last, step) = (self.slot(index), self.fresh(), self.fresh());
        self.push(op.id, Instr::Start { index: index_slot, last, step, bounds });
        let name = self.name(index);
        let name = self.program.names[name as usize].clone();
        self.program.loops.push(Around { outer: self.around, name, index: index_slot, trips });
        let outer = self.around.replace(self.program.loops.len() - 1);
        let head = self.push(op.id, Instr::Test { index: index_slot, last, exit: 0 });
        self.region(region)?;
        self.moves(op.id, yielded(*op, region).into_iter(), &args[1..]);
        self.push(op.id, Instr::Next { index: index_slot, step, head: head as Pc });
        self.around = outer;
        self.program.code[head] = Instr::Test { index: index_slot, last, exit: self.pc() };
        // After the loop the results are what its arguments are at the end.
        for (result, &arg) in op.results().zip(&args[1..]) {
            let slot = self.slot(arg);
            self.slots[result.index()] = slot;
        }
        Ok(())
    }

    fn branch(&mut self, op: ops::If<'a>) -> Done {
        if !self.flow.is_followed(*op) {
            return Ok(());
        }
        let results: Vec<ValueId> = op.results().collect();
        let instr = match (op.guard(), op.cond()) {
            _ if self.cross_block.has_any(op.operands()) => {
                self.same_synchronization(op)?;
                let cond = self.fresh();
                self.program.data = true;
                self.push(op.id, Instr::Choose(cond));
                Instr::BranchOn(cond, 0)
            }
            (Some(guard), _) => {
                let args: Vec<ValueId> = op.args().collect();
                let condition = self.condition(&guard, &args);
                Instr::Branch(Box::new(condition), 0)
            }
            (None, Some(cond)) if !is_data(*op, cond) => Instr::BranchOn(self.slot(cond), 0),
            (None, Some(cond)) => {
                self.same_synchronization(op)?;
                Instr::BranchOn(self.slot(cond), 0)
            }
            (None, None) => return Ok(()),
        };
        let at = self.push(op.id, instr);
        let then = ops::If::then(op);
        self.region(then)?;
        self.moves(op.id, yielded(*op, then).into_iter(), &results);
        let jump = self.push(op.id, Instr::Jump(0));
        let otherwise = self.pc();
        match &mut self.program.code[at] {
            Instr::Branch(_, to) | Instr::BranchOn(_, to) => *to = otherwise,
            _ => {}
        }
        if let Some(&region) = op.otherwise().first() {
            self.region(region)?;
            self.moves(op.id, yielded(*op, region).into_iter(), &results);
        }
        self.program.code[jump] = Instr::Jump(self.pc());
        Ok(())
    }

    /// Whatever the data are, other warps meet the same.
    fn same_synchronization(&self, op: ops::If<'_>) -> Done {
        let listed = |region: Option<RegionId>| {
            let mut all = Vec::new();
            let mut stack: Vec<OpId> = region
                .and_then(|region| self.body.first_block(region))
                .into_iter()
                .flat_map(|block| self.body.ops(block))
                .collect();
            stack.reverse();
            while let Some(id) = stack.pop() {
                let inner = OpRef { id, ctx: self.ctx, body: self.body };
                let meets = ops::Barrier::of(inner).is_some_and(|barrier| barrier.id().is_some());
                let met = meets
                    || [ops::Wait::DEF, ops::Expect::DEF, ops::Arrive::DEF, ops::BarrierArrive::DEF]
                        .into_iter()
                        .chain([ops::ClusterBarrier::DEF, ops::TmaLoad::DEF])
                        .any(|def| inner.is(def));
                if met || ops::For::of(inner).is_some() {
                    all.push((inner, inner.operands().collect::<Vec<_>>(), met));
                }
                for &region in inner.regions().iter().rev() {
                    let block = self.body.first_block(region);
                    let mut ops: Vec<OpId> = block.into_iter().flat_map(|block| self.body.ops(block)).collect();
                    ops.reverse();
                    stack.extend(ops);
                }
            }
            // Loops matter where something is met in them.
            if all.iter().all(|(_, _, met)| !met) { Vec::new() } else { all }
        };
        let (then, otherwise) = (listed(Some(ops::If::then(op))), listed(op.otherwise().first().copied()));
        let same = |(a, b): (&(OpRef<'_>, Vec<ValueId>, bool), &(OpRef<'_>, Vec<ValueId>, bool))| {
            a.0.op_name() == b.0.op_name() && self.body.props(a.0.id) == self.body.props(b.0.id) && a.1 == b.1
        };
        if then.len() == otherwise.len() && then.iter().zip(&otherwise).all(same) {
            return Ok(());
        }
        let differs = then.iter().zip(&otherwise).position(|pair| !same(pair));
        let at = differs.unwrap_or(then.len().min(otherwise.len()));
        let found = then.get(at).or(otherwise.get(at)).map_or(*op, |(found, ..)| *found);
        let message = format!(
            "the condition of an 'if' around '{}' depends on data, and both ways do not synchronize alike",
            found.name()
        );
        let error = Diagnostic::error(&DIVERGENT_SYNCHRONIZATION, found.loc(), message)
            .at(found.name())
            .suggest("decide by integers that all warps know, or move what others wait for out of the 'if'")
            .note(op.loc(), "the condition is here");
        Err(Box::new(error))
    }

    /// Barriers, fences, tokens. Whether the op is such.
    fn synchronization(&mut self, op: OpRef<'a>) -> bool {
        let instr = if let Some(op) = ops::MBarriers::of(op) {
            let count = MBarrier::expect(self.ctx, op.type_of(op.out())).count(self.ctx).clamp(1, 4096);
            let (first, name) = (self.program.arrivals.len() as u32, self.name(op.out()));
            for number in 0..count as u32 {
                self.program.arrivals.push(u32::try_from(op.arrivals()).unwrap_or(u32::MAX));
                self.program.barriers.push((name, (count > 1).then_some(number)));
            }
            self.program.depth = self.program.depth.max(count);
            let slot = self.slot(op.out());
            self.push(op.id, Instr::Set(slot, Expr::Const(first.into())));
            Instr::Barriers { first, count: count as u32 }
        } else if let Some(op) = ops::Wait::of(op) {
            Instr::Wait { barrier: self.barrier(*op, op.barrier(), op.stage()), parity: self.slot(op.parity()) }
        } else if let Some(op) = ops::Expect::of(op) {
            Instr::Expect { barrier: self.barrier(*op, op.barrier(), op.stage()), bytes: op.bytes() }
        } else if let Some(op) = ops::Arrive::of(op) {
            let rank = op.rank().map(|rank| self.slot(rank));
            Instr::Arrive { barrier: self.barrier(*op, op.barrier(), op.stage()), rank, by: op.by() }
        } else if let Some(op) = ops::Barrier::of(op) {
            match op.id() {
                Some(id) => Instr::Named { id: self.slot(id), threads: op.threads().unwrap_or(0), waits: true },
                None => Instr::Meet,
            }
        } else if let Some(op) = ops::BarrierArrive::of(op) {
            Instr::Named { id: self.slot(op.id()), threads: op.threads(), waits: false }
        } else if ops::ClusterBarrier::of(op).is_some() {
            Instr::Cluster
        } else if ops::WarpSync::of(op).is_some() {
            Instr::MeetLanes
        } else if Flag::of(op).is_some() {
            // The threads meet. Other blocks go on, as `blocks` shows.
            if let Some(out) = op.results().next().filter(|&out| self.flow.is_needed(out)) {
                let (slot, axis) = (self.slot(out), self.cross_block.axis(op));
                self.program.ids |= axis.is_some();
                let unknown = Instr::Set(slot, Expr::Const(UNKNOWN));
                self.push(op.id, axis.map_or(unknown, |axis| Instr::Block(slot, Of::Id(axis))));
            }
            Instr::Meet
        } else if ops::GridWait::of(op).is_some() {
            Instr::GridWait
        } else if ops::FenceAsync::of(op).is_some() {
            Instr::Fence
        } else if ops::Await::of(op).is_some() || ops::AwaitRead::of(op).is_some() {
            // Each kind of work is awaited by itself.
            for (kind, work) in [(LOAD, Work::Load), (COMPUTE, Work::Compute), (EPILOGUE, Work::Epilogue)] {
                let of_kind = |&token: &ValueId| {
                    Token::of(self.ctx, op.type_of(token)).is_some_and(|ty| ty.work(self.ctx) == work)
                };
                let tokens: Vec<ValueId> = op.operands().filter(of_kind).collect();
                if !tokens.is_empty() {
                    let tokens = tokens.into_iter().map(|token| self.slot(token)).collect();
                    self.push(op.id, Instr::Await { kind, tokens });
                }
            }
            return true;
        } else {
            return false;
        };
        self.push(op.id, instr);
        true
    }

    /// Tiles and fragments.
    fn memory(&mut self, op: OpRef<'a>) -> Done {
        let frags = |compiler: &mut Self, from: &[ValueId]| -> Box<[Slot]> {
            let late = from.iter().filter(|&&value| compiler.flow.is_late(op, value)).copied().collect::<Vec<_>>();
            late.into_iter().map(|value| compiler.slot(value)).collect()
        };
        if let Some((memory, writes)) = self.flow.unsettled(op) {
            let memory = self.name(memory);
            self.push(op.id, Instr::Global { memory, writes });
        }
        if let Some(op) = ops::Wgmma::of(op) {
            let mut tiles = Vec::new();
            let mut registers = Vec::new();
            match Tile::of(self.ctx, op.type_of(op.lhs())) {
                Some(_) => tiles.push(self.tile(*op, op.lhs(), op.lhs_stage())?),
                None => registers.push(op.lhs()),
            }
            tiles.push(self.tile(*op, op.rhs(), op.rhs_stage())?);
            if !adds_in_place(op) {
                registers.push(op.acc());
            }
            let (frags, tiles) = (frags(self, &registers), tiles.into());
            let (out, token) = (self.slot(op.out()), self.slot(op.token()));
            self.push(op.id, Instr::Wgmma { tiles, frags, out, token });
            return Ok(());
        }
        let operands: Vec<ValueId> = op.operands().collect();
        let read = frags(self, &operands);
        if !read.is_empty() {
            self.push(op.id, Instr::Use(read));
        }
        let instr = if let Some(op) = ops::Shared::of(op) {
            let ty = self.tile_type(*op, op.type_of(op.out()))?;
            let base = self.places.tiles.get(&op.id).copied().unwrap_or(0);
            self.program.depth = self.program.depth.max(self.program.tiles[ty as usize].stages);
            Instr::Set(self.slot(op.out()), Expr::Const(base.into()))
        } else if let Some(op) = ops::Slice::of(op) {
            let args: Vec<ValueId> = op.args().collect();
            let of = self.tile(*op, op.tile(), op.stage())?;
            let at = op.at().iter().map(|expr| self.expr(expr, &args)).collect();
            Instr::Slice { out: self.slot(op.out()), of, at }
        } else if let Some(op) = ops::LoadShared::of(op) {
            let tile = self.tile(*op, op.tile(), op.stage())?;
            let layout = layout_of(self.ctx, op.type_of(op.out()));
            let class = self.class(tile.ty, layout, false, op.transposed().is_some());
            Instr::Access { tile, class, writes: false }
        } else if let Some(op) = ops::StoreShared::of(op) {
            let tile = self.tile(*op, op.tile(), op.stage())?;
            let layout = layout_of(self.ctx, op.type_of(op.value()));
            let class = self.class(tile.ty, layout, true, op.transposed().is_some());
            Instr::Access { tile, class, writes: true }
        } else if let Some(op) = ops::Copy::of(op) {
            let tile = self.tile(*op, op.tile(), op.stage())?;
            Instr::Access { tile, class: self.class(tile.ty, op.by(), true, false), writes: true }
        } else if let Some(op) = ops::CopyAsync::of(op) {
            let tile = self.tile(*op, op.tile(), op.stage())?;
            let class = self.class(tile.ty, op.by(), true, false);
            Instr::CopyAsync { tile, class, token: self.slot(op.token()) }
        } else if let Some(op) = ops::TmaLoad::of(op) {
            let tile = self.tile(*op, op.tile(), op.stage())?;
            let barrier = self.barrier(*op, op.barrier(), op.barrier_stage());
            let place = &self.program.tiles[tile.ty as usize].place;
            let count: i64 = place.shape().iter().map(|&size| i64::from(size)).product();
            Instr::TmaLoad { tile, barrier, bytes: count * i64::from(place.elem_bytes()), mask: op.multicast() }
        } else if let Some(op) = ops::TmaStore::of(op) {
            Instr::TmaStore { tile: self.tile(*op, op.tile(), op.stage())?, token: self.slot(op.token()) }
        } else if let Some(op) = ops::Done::of(op) {
            Instr::Set(self.slot(op.out()), Expr::Const(0))
        } else if let Some(through) = through(op) {
            Instr::Through { tile: self.tile(op, through, None)? }
        } else {
            let unknown: Vec<ValueId> = op
                .results()
                .filter(|&value| self.flow.is_needed(value) && matches!(op.type_of(value), Type::INDEX | Type::I1))
                .collect();
            for value in unknown {
                let slot = self.slot(value);
                let is_truth = op.type_of(value) == Type::I1;
                self.program.data |= is_truth;
                let unknown = Instr::Set(slot, Expr::Const(UNKNOWN));
                self.push(op.id, if is_truth { Instr::Choose(slot) } else { unknown });
            }
            return Ok(());
        };
        self.push(op.id, instr);
        Ok(())
    }
}

fn layout_of(ctx: &Context, frag: Type) -> Distributed {
    Frag::of(ctx, frag).map_or(Distributed::Wgmma, |frag| frag.layout(ctx))
}
