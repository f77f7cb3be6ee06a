//! A grid on its way to instructions: its values, its blocks, integers that all threads agree on. What each op becomes is
//! in the files next to this one.

mod control;
mod tokens;

use std::rc::Rc;
use std::sync::Arc;

use dlc_core::guard::Guard;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{BlockId, Body, Context, OpId, OpRef, Str, Type, ValueId};
use dlc_kernel::barrier_numbers::BarrierNumbers;
use dlc_kernel::layout::Fragment;
use dlc_kernel::ops as kernel;
use dlc_kernel::places::SmemLayout;
use dlc_kernel::types::{Frag, Tile, Work};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;
use rustc_hash::FxHashMap;

use super::Refused;
use super::code::{Code, Cond};
use super::exprs::Names;
use super::values::{Lowered, ThreadGroup, held};
use crate::analysis::index_ranges::{IndexRanges, is_narrow};
pub use tokens::awaited;

/// A grid that becomes instructions.
pub struct Lower<'a, 'c> {
    pub code: Code<'c>,
    /// The kernel.
    pub kernel: &'a Body,
    pub values: FxHashMap<ValueId, Lowered>,
    /// Between which numbers its integers are.
    pub ranges: Rc<IndexRanges<'a>>,
    pub thread_group: ThreadGroup,
    /// The sizes that are parameters of the entry.
    pub symbols: Rc<FxHashMap<String, Arg>>,
    /// Those that are one number, as the kernel requires it.
    pub fixed: FxHashMap<String, SizeExpr>,
    pub places: SmemLayout,
    /// The address of the block's shared memory.
    pub smem: Arg,
    /// The blocks of a cluster.
    pub cluster: i64,
    /// The numbers of barriers that have none in the text.
    pub barriers: BarrierNumbers,
    /// The threads of a block.
    pub threads: u32,
    /// The blocks that an SM has room for at once.
    pub resident: u32,
    /// Whether the machine has the instructions of `sm_90`: warps store matrices, and atomic additions take vectors.
    pub is_sm90: bool,
    /// Sums that a loop has given which may not have run: they are zero then, which is seen to where they are first used,
    /// after the wait for the products. Each with its block and with whether the loop has run.
    unfinished: Vec<(ValueId, BlockId, Cond)>,
    /// How many groups of asynchronous work have been begun so far, by kind, on the way with the fewest.
    begun: [u64; 3],
    /// How many steps of loops have been unrolled.
    unrolled: u64,
}

/// What the region of an op gave.
type Yielded = Vec<Lowered>;

/// The kinds of asynchronous work.
pub fn work_number(work: Work) -> usize {
    match work {
        Work::Load => 0,
        Work::Compute => 1,
        Work::Epilogue => 2,
    }
}

impl<'a, 'c> Lower<'a, 'c> {
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        code: Code<'c>,
        kernel: &'a Body,
        grid: kernel::Grid<'_>,
        symbols: Rc<FxHashMap<String, Arg>>,
        values: FxHashMap<ValueId, Lowered>,
        ranges: IndexRanges<'a>,
        places: SmemLayout,
        barriers: BarrierNumbers,
        is_sm90: bool,
    ) -> Lower<'a, 'c> {
        let threads = u32::try_from(grid.threads()).unwrap_or(32);
        let cluster = grid.cluster().unwrap_or_default().iter().product();
        let mut lower = Lower {
            code,
            kernel,
            values,
            ranges: Rc::new(ranges),
            thread_group: ThreadGroup {
                warps: threads / 32,
                warp: Arg::Int(0),
                thread: Arg::Int(0),
                lane: Arg::Int(0),
                single: false,
                barrier: barriers.get(&grid.id).map(|&number| Arg::Int(number)),
            },
            symbols,
            fixed: FxHashMap::default(),
            places,
            smem: Arg::Int(0),
            cluster,
            barriers,
            threads,
            resident: grid.blocks_per_sm().and_then(|blocks| u32::try_from(blocks).ok()).unwrap_or(1).max(1),
            is_sm90,
            unfinished: Vec::new(),
            // Far from zero, which says that work ended long ago.
            begun: [1 << 20; 3],
            unrolled: 0,
        };
        let code = &mut lower.code;
        let thread: Arg = code.inst(&table::SREG, "tid.x", &[]).into();
        let lane = code.and(thread, 31);
        // All lanes of a warp agree on its number, and are seen to.
        let warp = code.shr(thread, 5);
        let warp: Arg = match threads {
            32 => Arg::Int(0),
            _ => code.inst(&table::SHFL, "idx.b32", &[warp, 0.into(), 31.into(), (-1).into()]).into(),
        };
        if lower.places.bytes > 0 {
            lower.smem = lower.code.inst(&table::SMEM, "", &[]).into();
        }
        lower.thread_group = ThreadGroup { warp, thread, lane, ..lower.thread_group };
        lower
    }

    pub fn ctx(&self) -> &'c Context {
        self.code.ctx
    }

    pub fn at(&self, op: OpId) -> OpRef<'a>
    where
        'c: 'a,
    {
        OpRef::new(self.code.ctx, self.kernel, op)
    }

    // Values.

    pub fn value(&self, value: ValueId) -> Result<&Lowered, Refused> {
        self.values.get(&value).ok_or_else(|| Refused::new("a value is used that no instruction gives"))
    }

    /// An integer of 32 or 64 bits, and whether it is known not to be negative.
    pub fn index(&self, value: ValueId) -> Result<(Arg, bool), Refused> {
        match self.value(value)? {
            &Lowered::Index(arg, natural) => Ok((arg, natural)),
            _ => Err(Refused::new("an integer is wanted")),
        }
    }

    /// The lower 32 bits of an integer, for what has no more.
    pub fn index32(&mut self, value: ValueId) -> Result<Arg, Refused> {
        let (at, _) = self.index(value)?;
        Ok(self.code.in32(at))
    }

    /// The type of the register of an integer that a block takes.
    fn index_type(&self, value: ValueId) -> Type {
        if is_narrow(self.ranges.value(value)) { Type::I32 } else { Type::I64 }
    }

    /// An integer in a register of a type.
    fn index_register(&mut self, at: Arg, ty: Type) -> ValueId {
        let at = if ty == Type::I64 { self.code.in64(at) } else { self.code.in32(at) };
        self.code.register(at, ty)
    }

    /// The registers of a fragment.
    pub fn registers(&self, value: ValueId) -> Result<Rc<Vec<Arg>>, Refused> {
        match self.value(value)? {
            Lowered::Fragment(registers) => Ok(registers.clone()),
            _ => Err(Refused::new("a fragment is wanted")),
        }
    }

    pub fn set(&mut self, value: ValueId, lowered: Lowered) {
        self.name(value, &lowered);
        self.values.insert(value, lowered);
    }

    /// Gives registers without a name the name of the value that they hold, those of a fragment with their number.
    fn name(&mut self, value: ValueId, lowered: &Lowered) {
        let name = self.kernel.value_name(value);
        let held: &[Arg] = match lowered {
            Lowered::Index(arg, _) | Lowered::Number(arg) | Lowered::Barriers(arg) => std::slice::from_ref(arg),
            Lowered::Tile(at) => std::slice::from_ref(&at.base),
            Lowered::Fragment(registers) | Lowered::Sums(registers, _) => registers,
            Lowered::Memory(..) | Lowered::Map(_) | Lowered::Token(_) => &[],
        };
        if name == Str::EMPTY {
            return;
        }
        let ctx = self.code.ctx;
        for (number, &arg) in held.iter().enumerate().filter(|&(_, &arg)| arg != self.smem) {
            let Arg::Value(register) = arg else { continue };
            if self.code.body.value_name(register) == Str::EMPTY {
                let own = match held.len() {
                    1 => name,
                    _ => ctx.intern_str(&format!("{}.{number}", ctx.str(name))),
                };
                self.code.body.set_value_name(register, own);
            }
        }
    }

    /// The layout of a fragment in the threads that are here.
    pub fn fragment(&self, ty: Type) -> Result<Arc<Fragment>, Refused> {
        let frag = Frag::of(self.ctx(), ty).ok_or_else(|| Refused::new("a fragment is wanted"))?;
        frag.place(self.ctx(), self.thread_group.warps).map_err(Refused::new)
    }

    /// An expression of values that are integers.
    pub fn expr(&mut self, expr: &SizeExpr, args: &[ValueId]) -> Result<(Arg, bool), Refused> {
        let values: Vec<(Arg, bool)> = args.iter().map(|&value| self.index(value)).collect::<Result<_, _>>()?;
        let (symbols, ranges) = (&self.symbols, &self.ranges);
        let names = Names { symbols: &|name| symbols.get(name).copied(), values: &values, coords: &[], parts: &[] };
        self.code.expr(expr, &names, &|expr| ranges.expr(expr, args))
    }

    /// The lower 32 bits of an expression, for what has no more.
    pub fn expr32(&mut self, expr: &SizeExpr, args: &[ValueId]) -> Result<Arg, Refused> {
        let (at, _) = self.expr(expr, args)?;
        Ok(self.code.in32(at))
    }

    fn holds(&mut self, guard: &Guard, args: &[ValueId]) -> Result<Cond, Refused> {
        let values: Vec<(Arg, bool)> = args.iter().map(|&value| self.index(value)).collect::<Result<_, _>>()?;
        let (symbols, ranges) = (&self.symbols, &self.ranges);
        let names = Names { symbols: &|name| symbols.get(name).copied(), values: &values, coords: &[], parts: &[] };
        self.code.guard(guard, &names, &|expr| ranges.expr(expr, args))
    }

    /// A value as registers, for a block that takes it as `of`, and back.
    fn flat(&mut self, lowered: &Lowered, of: ValueId) -> Vec<ValueId> {
        let ty = self.kernel.value_type(of);
        let ctx = self.ctx();
        match lowered {
            &Lowered::Index(arg, _) => {
                let held = self.index_type(of);
                vec![self.index_register(arg, held)]
            }
            &Lowered::Number(arg) => {
                let held = held(&self.code, ty);
                vec![self.code.register(arg, held)]
            }
            Lowered::Fragment(registers) => {
                let elem = Frag::of(ctx, ty).map_or(ty, |frag| frag.elem(ctx));
                let held = held(&self.code, elem);
                registers.clone().iter().map(|&arg| self.code.register(arg, held)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The types of the registers of a value that a block takes as `of`.
    fn flat_types(&mut self, lowered: &Lowered, of: ValueId) -> Vec<Type> {
        let ty = self.kernel.value_type(of);
        let ctx = self.ctx();
        match lowered {
            Lowered::Index(..) => vec![self.index_type(of)],
            Lowered::Number(_) => vec![held(&self.code, ty)],
            Lowered::Fragment(registers) => {
                let elem = Frag::of(ctx, ty).map_or(ty, |frag| frag.elem(ctx));
                vec![held(&self.code, elem); registers.len()]
            }
            _ => Vec::new(),
        }
    }

    /// The value whose registers these are, the first of them; what has none stays what it is.
    fn from_flat(like: &Lowered, from: &mut impl Iterator<Item = ValueId>) -> Lowered {
        let mut next = |arg: Arg| from.next().map_or(arg, Arg::Value);
        match like {
            &Lowered::Index(arg, natural) => Lowered::Index(next(arg), natural),
            &Lowered::Number(arg) => Lowered::Number(next(arg)),
            Lowered::Fragment(registers) => {
                Lowered::Fragment(Rc::new(registers.iter().map(|&arg| next(arg)).collect()))
            }
            other => other.clone(),
        }
    }

    // Control.

    /// The ops of a block, one after another; what it yields.
    pub fn block(&mut self, block: BlockId) -> Result<Yielded, Refused>
    where
        'c: 'a,
    {
        let ops: Vec<OpId> = self.kernel.ops(block).collect();
        for id in ops {
            let op = self.at(id);
            self.code.loc = op.loc();
            self.finish_for(op);
            if let Some(op) = kernel::Yield::of(op) {
                let values: Vec<ValueId> = op.values().collect();
                return values.into_iter().map(|value| self.value(value).cloned()).collect();
            }
            self.op(op).and_then(|()| self.code.check()).map_err(|refused| refused.at(op))?;
        }
        Ok(Vec::new())
    }

    /// Puts zeros into sums that an op, or one inside of it, uses, where the loop that gives them has not run.
    fn finish_for(&mut self, op: OpRef<'a>)
    where
        'c: 'a,
    {
        let Some(here) = self.kernel.block_of(op.id) else { return };
        let is_used = |value: ValueId| {
            self.kernel.uses(value).any(|only| {
                let mut at = only.op;
                while self.kernel.block_of(at) != Some(here) {
                    match self.kernel.parent_op(at) {
                        Some(parent) => at = parent,
                        None => return false,
                    }
                }
                at == op.id
            })
        };
        let wanted: Vec<usize> = (0..self.unfinished.len())
            .filter(|&index| self.unfinished[index].1 == here && is_used(self.unfinished[index].0))
            .collect();
        for index in wanted.into_iter().rev() {
            let (value, _, ran) = self.unfinished.remove(index);
            let Some(Lowered::Fragment(registers)) = self.values.get(&value).cloned() else { continue };
            let registers: Vec<ValueId> =
                registers.iter().map(|&register| self.code.register(register, Type::F32)).collect();
            let types = vec![Type::F32; registers.len()];
            let (zeros, join) = (self.code.new_block(&[]), self.code.new_block(&types));
            self.code.bra_if(ran, (join, &registers), (zeros, &[]));
            self.code.start(zeros);
            self.code.open();
            let zero = self.code.register(Arg::F32(0), Type::F32);
            self.code.bra(join, &vec![zero; registers.len()]);
            self.code.close();
            self.code.start(join);
            let joined = self.code.args(join).into_iter().map(Arg::Value).collect();
            self.set(value, Lowered::Fragment(Rc::new(joined)));
        }
    }

    fn region(&self, op: OpRef<'_>, index: usize) -> Option<BlockId> {
        op.regions().get(index).and_then(|&region| self.kernel.first_block(region))
    }

    fn op(&mut self, op: OpRef<'a>) -> Result<(), Refused>
    where
        'c: 'a,
    {
        if let Some(op) = kernel::For::of(op) {
            self.for_(op)
        } else if let Some(op) = kernel::If::of(op) {
            self.if_(op)
        } else if let Some(op) = kernel::Elect::of(op) {
            self.elect(op)
        } else if let Some(op) = kernel::Role::of(op) {
            self.role(op)
        } else if let Some(op) = kernel::WarpIf::of(op) {
            self.warp_if(op)
        } else if self.integers(op)?
            || self.sync(op)?
            || self.flags(op)?
            || self.global(op)?
            || self.shared(op)?
            || self.engines(op)?
            || self.compute(op)?
        {
            Ok(())
        } else {
            Err(Refused::new(format!("there are no instructions for '{}'", op.name())))
        }
    }

    /// The number of the first thread of those that are here.
    pub fn first_thread(&mut self) -> Cond {
        match self.thread_group.single {
            true => Cond::Known(true),
            false => self.code.compare("eq", self.thread_group.thread, Arg::Int(0)),
        }
    }

    /// Integers that all threads agree on.
    fn integers(&mut self, op: OpRef<'a>) -> Result<bool, Refused> {
        let out = op.results().next();
        let sreg = |axis: i64, name: &str| format!("{name}.{}", ["x", "y", "z"][axis.clamp(0, 2) as usize]);
        if let Some(inner) = kernel::BlockId::of(op) {
            let at = self.code.inst(&table::SREG, &sreg(inner.axis(), "ctaid"), &[]);
            self.set(inner.out(), Lowered::Index(at.into(), true));
        } else if let Some(inner) = kernel::GridSize::of(op) {
            let at = self.code.inst(&table::SREG, &sreg(inner.axis(), "nctaid"), &[]);
            self.set(inner.out(), Lowered::Index(at.into(), true));
        } else if let Some(inner) = kernel::BlockRank::of(op) {
            let at = match self.cluster {
                0 | 1 => Arg::Int(0),
                _ => self.code.inst(&table::SREG, "cluster_ctarank", &[]).into(),
            };
            self.set(inner.out(), Lowered::Index(at, true));
        } else if let Some(inner) = kernel::Min::of(op) {
            let ((a, x), (b, y)) = (self.index(inner.lhs())?, self.index(inner.rhs())?);
            let least = self.code.min(a, b);
            self.set(inner.out(), Lowered::Index(least, x && y));
        } else if let Some(inner) = kernel::Max::of(op) {
            let ((a, x), (b, y)) = (self.index(inner.lhs())?, self.index(inner.rhs())?);
            let most = self.code.max(a, b);
            self.set(inner.out(), Lowered::Index(most, x || y));
        } else if let Some(inner) = kernel::Index::of(op) {
            if out.is_none_or(|out| self.kernel.value_type(out) != Type::INDEX) {
                return Ok(false);
            }
            let args: Vec<ValueId> = inner.args().collect();
            let exprs = inner.value();
            let Some(expr) = exprs.first() else { return Err(Refused::new("there is no expression")) };
            let (at, natural) = self.expr(expr, &args)?;
            self.set(inner.out(), Lowered::Index(at, natural));
        } else if let Some(inner) = kernel::Advance::of(op) {
            let ((stage, natural), (parity, is_parity)) = (self.index(inner.stage())?, self.index(inner.parity())?);
            let next = self.code.add(stage, Arg::Int(1));
            let wraps = self.code.compare("eq", next, Arg::Int(inner.stages()));
            let stage = self.code.choose(wraps, Arg::Int(0), next);
            let turned = self.code.xor(parity, Arg::Int(1));
            let parity = self.code.choose(wraps, turned, parity);
            self.set(inner.next(), Lowered::Index(stage, natural));
            self.set(inner.next_parity(), Lowered::Index(parity, is_parity));
        } else if let Some(inner) = kernel::TileOrder::of(op) {
            self.tile_order(inner)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// The row and the column of a tile.
    fn tile_order(&mut self, op: kernel::TileOrder<'a>) -> Result<(), Refused> {
        let args: Vec<ValueId> = op.args().collect();
        let tiles = op.tiles();
        let [rows, columns] = tiles.as_slice() else { return Err(Refused::new("tiles have rows and columns")) };
        let per = self.ranges.expr(columns, &args).hi().and_then(|most| most.checked_mul(op.group().unwrap_or(1)));
        let wide = per.is_none_or(|per| per > i64::from(i32::MAX)) || !is_narrow(self.ranges.value(op.tile()));
        let (tile, _) = self.index(op.tile())?;
        let ((rows, _), (columns, _)) = (self.expr(rows, &args)?, self.expr(columns, &args)?);
        let code = &mut self.code;
        let of_bits = |code: &mut Code<'_>, at: Arg| if wide { code.in64(at) } else { code.in32(at) };
        let (tile, rows, columns) = (of_bits(code, tile), of_bits(code, rows), of_bits(code, columns));
        let (row, column) = match op.order() {
            kernel::Order::Rows => (code.floordiv(tile, columns, true), code.floormod(tile, columns, true)),
            kernel::Order::Columns => (code.floormod(tile, rows, true), code.floordiv(tile, rows, true)),
            kernel::Order::Grouped => {
                let group = Arg::Int(op.group().unwrap_or(1));
                let per = code.mul(columns, group);
                let number = code.floordiv(tile, per, true);
                let first = code.mul(number, group);
                let rest = {
                    let back = code.mul(number, per);
                    code.sub(tile, back)
                };
                let left = code.sub(rows, first);
                let height = code.min(left, group);
                let column = code.floordiv(rest, height, true);
                let back = code.mul(column, height);
                let within = code.sub(rest, back);
                (code.add(first, within), column)
            }
            kernel::Order::Hilbert => {
                return Err(Refused::new("a walk along a Hilbert curve that leaves tiles out has no formula")
                    .suggest("let tiles be 'grouped'"));
            }
        };
        self.set(op.row(), Lowered::Index(row, true));
        self.set(op.column(), Lowered::Index(column, true));
        Ok(())
    }

    /// The type of one stage of a tile, and where it is.
    pub fn stage(&mut self, tile: ValueId, stage: Option<ValueId>) -> Result<super::values::TileAt, Refused> {
        let mut at = match self.value(tile)? {
            &Lowered::Tile(at) => at,
            _ => return Err(Refused::new("a tile is wanted")),
        };
        if let Some(stage) = stage {
            let stage = self.index32(stage)?;
            let offset = self.code.mul(stage, Arg::Int(at.stride.into()));
            at.base = self.code.add(at.base, offset);
        }
        Ok(at)
    }

    pub fn tile_type(&self, value: ValueId) -> Result<Tile, Refused> {
        Tile::of(self.ctx(), self.kernel.value_type(value)).ok_or_else(|| Refused::new("a tile is wanted"))
    }
}
