//! Control: grids, roles, loops, conditions. What each op becomes is in the files beside this one.

use std::rc::Rc;

use dlc_core::guard::Guard;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{BlockId, Body, Context, OpId, OpRef, Type, ValueId};
use dlc_kernel::layout::Fragment;
use dlc_kernel::ops::{self as kernel, Wgmma};
use dlc_kernel::places::Places;
use dlc_kernel::types::{Frag, Tile, Token, Work, sizes};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;
use rustc_hash::FxHashMap;

use super::Refused;
use super::code::{Code, Cond};
use super::facts::Facts;
use super::values::{LONG_AGO, Lowered, Names, Team, held};

/// A grid that becomes instructions.
pub struct Lower<'a, 'c> {
    pub code: Code<'c>,
    /// The kernel.
    pub kernel: &'a Body,
    pub values: FxHashMap<ValueId, Lowered>,
    pub team: Team,
    /// The sizes that the entry is told.
    pub symbols: FxHashMap<String, Arg>,
    pub places: Places,
    pub facts: Facts,
    /// The address of the block's shared memory.
    pub smem: Arg,
    /// The blocks of a cluster.
    pub cluster: i64,
    /// The next number of a barrier that no text names: they are given out from the last one down.
    pub next_barrier: i64,
    /// The threads of a block.
    pub threads: u32,
    /// Whether warps store matrices.
    pub has_stmatrix: bool,
    /// Sums that a loop has given which may not have run: they are zero then, which is seen to where they are first used,
    /// behind the wait for the products. Each with its block and with whether the loop has run.
    unfinished: Vec<(ValueId, BlockId, Cond)>,
    fragments: FxHashMap<Type, Rc<Fragment>>,
    /// How many groups of asynchronous work have been begun so far, by kind, on the way with the fewest.
    begun: [u64; 3],
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
        symbols: FxHashMap<String, Arg>,
        values: FxHashMap<ValueId, Lowered>,
        places: Places,
        facts: Facts,
        has_stmatrix: bool,
    ) -> Lower<'a, 'c> {
        let threads = u32::try_from(grid.threads()).unwrap_or(32);
        let cluster = grid.cluster().unwrap_or_default().iter().product();
        let mut lower = Lower {
            code,
            kernel,
            values,
            team: Team {
                warps: threads / 32,
                warp: Arg::Int(0),
                thread: Arg::Int(0),
                lane: Arg::Int(0),
                single: false,
                barrier: Arg::Int(0),
            },
            symbols,
            places,
            facts,
            smem: Arg::Int(0),
            cluster,
            next_barrier: 15,
            threads,
            has_stmatrix,
            unfinished: Vec::new(),
            fragments: FxHashMap::default(),
            // Far from zero, which says that work ended long ago.
            begun: [1 << 20; 3],
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
        lower.team = Team { warp, thread, lane, ..lower.team };
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

    /// An integer, and whether it is known not to be negative.
    pub fn index(&self, value: ValueId) -> Result<(Arg, bool), Refused> {
        match self.value(value)? {
            &Lowered::Index(arg, natural) => Ok((arg, natural)),
            _ => Err(Refused::new("an integer is wanted")),
        }
    }

    /// The registers of a fragment.
    pub fn registers(&self, value: ValueId) -> Result<Rc<Vec<Arg>>, Refused> {
        match self.value(value)? {
            Lowered::Fragment(registers) => Ok(registers.clone()),
            _ => Err(Refused::new("a fragment is wanted")),
        }
    }

    pub fn set(&mut self, value: ValueId, lowered: Lowered) {
        self.values.insert(value, lowered);
    }

    /// The layout of a fragment in the threads that are here.
    pub fn fragment(&mut self, ty: Type) -> Result<Rc<Fragment>, Refused> {
        if let Some(known) = self.fragments.get(&ty) {
            return Ok(known.clone());
        }
        let ctx = self.ctx();
        let frag = Frag::of(ctx, ty).ok_or_else(|| Refused::new("a fragment is wanted"))?;
        let shape = sizes(&frag.shape(ctx)).ok_or_else(|| Refused::new("the sizes of a fragment are positive"))?;
        let bits = frag.elem(ctx).bits(ctx).unwrap_or(64);
        let placed = frag.layout(ctx).place(&shape, bits, self.team.warps).map_err(Refused::new)?;
        let placed = Rc::new(placed);
        self.fragments.insert(ty, placed.clone());
        Ok(placed)
    }

    /// An expression of values that are integers.
    pub fn expr(&mut self, expr: &SizeExpr, args: &[ValueId]) -> Result<(Arg, bool), Refused> {
        let values: Vec<(Arg, bool)> = args.iter().map(|&value| self.index(value)).collect::<Result<_, _>>()?;
        let symbols = &self.symbols;
        let names = Names { symbols: &|name| symbols.get(name).copied(), values: &values, coords: &[] };
        self.code.expr(expr, &names)
    }

    fn holds(&mut self, guard: &Guard, args: &[ValueId]) -> Result<Cond, Refused> {
        let values: Vec<(Arg, bool)> = args.iter().map(|&value| self.index(value)).collect::<Result<_, _>>()?;
        let symbols = &self.symbols;
        let names = Names { symbols: &|name| symbols.get(name).copied(), values: &values, coords: &[] };
        self.code.guard(guard, &names)
    }

    /// A value as registers, for a block that takes it, and back.
    fn flat(&mut self, lowered: &Lowered, ty: Type) -> Vec<ValueId> {
        let ctx = self.ctx();
        match lowered {
            &Lowered::Index(arg, _) => vec![self.code.register(arg, Type::I32)],
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

    /// The types of the registers of a value.
    fn flat_types(&mut self, lowered: &Lowered, ty: Type) -> Vec<Type> {
        let ctx = self.ctx();
        match lowered {
            Lowered::Index(..) => vec![Type::I32],
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

    // Tokens.

    /// How many groups of a kind may be left when a token has been waited for.
    pub fn pending(&self, token: ValueId) -> Result<(usize, u64), Refused> {
        let work = self.work(token)?;
        match self.value(token)? {
            &Lowered::Token(born) => Ok((work, age(self.begun[work], born))),
            _ => Err(Refused::new("a token is wanted")),
        }
    }

    fn work(&self, token: ValueId) -> Result<usize, Refused> {
        let ctx = self.ctx();
        let ty = Token::of(ctx, self.kernel.value_type(token)).ok_or_else(|| Refused::new("a token is wanted"))?;
        Ok(work_number(ty.work(ctx)))
    }

    /// A group of a kind has been begun: its token.
    pub fn begin(&mut self, work: Work) -> Lowered {
        let begun = &mut self.begun[work_number(work)];
        *begun += 1;
        Lowered::Token(*begun)
    }

    // Control.

    /// The ops of a block, one after the other; what it yields.
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
        } else if self.integers(op)? || self.sync(op)? || self.global(op)? || self.shared(op)? || self.engines(op)? {
            Ok(())
        } else if self.compute(op)? {
            Ok(())
        } else {
            Err(Refused::new(format!("there are no instructions for '{}'", op.name())))
        }
    }

    /// The number of the first thread of those that are here.
    pub fn first_thread(&mut self) -> Cond {
        match self.team.single {
            true => Cond::Known(true),
            false => self.code.compare("eq", self.team.thread, Arg::Int(0)),
        }
    }

    fn for_(&mut self, op: kernel::For<'a>) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let args: Vec<ValueId> = op.args().collect();
        let inits: Vec<ValueId> = op.inits().collect();
        let bounds = op.bounds();
        let &[ref first, ref last, ref step] = bounds.as_slice() else {
            return Err(Refused::new("a loop has a first integer, a last one and a step"));
        };
        let ((first, natural), (last, _), (step, _)) =
            (self.expr(first, &args)?, self.expr(last, &args)?, self.expr(step, &args)?);
        let Some(body) = self.region(*op, 0) else { return Err(Refused::new("a loop has a body")) };
        let taken: Vec<ValueId> = self.kernel.args(body).to_vec();
        let outs: Vec<ValueId> = op.outs().collect();
        let mut carried: Vec<Lowered> =
            inits.iter().map(|&value| self.value(value).cloned()).collect::<Result<_, _>>()?;
        if op.unroll().is_some() {
            let (Arg::Int(first), Arg::Int(last), Arg::Int(step)) = (first, last, step) else {
                return Err(Refused::new("the bounds of a loop that is to be written out are not known"));
            };
            let mut at = first;
            while at < last && step > 0 {
                self.set(taken[0], Lowered::Index(Arg::Int(at), at >= 0));
                for (&arg, value) in taken[1..].iter().zip(&carried) {
                    self.set(arg, value.clone());
                }
                carried = self.block(body)?;
                at += step;
            }
            for (out, value) in outs.into_iter().zip(carried) {
                self.set(out, value);
            }
            return Ok(());
        }
        // The loop is entered only if it runs, and asks at its end whether it runs again.
        let begins = self.begun;
        let tokens = self.loop_tokens(op, body, &inits)?;
        let types: Vec<Type> = inits.iter().map(|&value| self.kernel.value_type(value)).collect();
        let (mut flat, mut entering): (Vec<ValueId>, Vec<ValueId>) = (Vec::new(), Vec::new());
        let mut flat_types = Vec::new();
        let fresh: Vec<bool> =
            taken[1..].iter().zip(&carried).map(|(&arg, value)| self.begins_fresh(arg, value, body)).collect();
        for ((value, &ty), &fresh) in carried.iter().zip(&types).zip(&fresh) {
            let own = self.flat_types(value, ty);
            let registers = match fresh {
                // Nothing is put into the registers that the first product does not read.
                true => own.iter().flat_map(|_| self.code.insts(&table::UNDEF, "f32", &[])).collect(),
                false => self.flat(value, ty),
            };
            entering.extend(registers.iter().copied());
            flat_types.extend(own);
            flat.extend(registers);
        }
        let runs = self.code.compare("lt", first, last);
        let mut head_types = vec![Type::I32];
        head_types.extend(flat_types.iter().copied());
        let (head, end) = (self.code.new_block(&head_types), self.code.new_block(&flat_types));
        let first = self.code.register(first, Type::I32);
        let mut into: Vec<ValueId> = vec![first];
        into.extend(entering);
        self.code.bra_if(runs, (head, &into), (end, &flat));
        self.code.start(head);
        self.code.open();
        let args_of_head = self.code.args(head);
        let counter = args_of_head[0];
        self.set(taken[0], Lowered::Index(counter.into(), natural));
        let mut registers = args_of_head[1..].iter().copied();
        let again = fresh.contains(&true).then(|| self.code.compare("ne", counter.into(), first.into()));
        let again = again.map(|again| self.code.predicate(again));
        for (((&arg, value), token), &fresh) in taken[1..].iter().zip(&carried).zip(&tokens).zip(&fresh) {
            // A carried integer is not negative if the one it begins with is not, and so what is yielded: see below.
            let value = match Self::from_flat(value, &mut registers) {
                Lowered::Index(at, natural) => Lowered::Index(at, natural && self.stays_natural(op, arg, body)),
                Lowered::Token(_) => Lowered::Token(begins_at(token, &self.begun)),
                Lowered::Fragment(registers) if fresh => match again {
                    Some(again) => Lowered::Sums(registers, again),
                    None => Lowered::Fragment(registers),
                },
                other => other,
            };
            self.set(arg, value);
        }
        let yielded = self.block(body)?;
        let next = self.code.add(counter.into(), step);
        let mut back = Vec::new();
        for (value, &ty) in yielded.iter().zip(&types) {
            back.extend(self.flat(value, ty));
        }
        let again = self.code.compare("lt", next, last);
        let next = self.code.register(next, Type::I32);
        let mut into = vec![next];
        into.extend(back.iter().copied());
        self.code.bra_if(again, (head, &into), (end, &back));
        self.code.close();
        self.code.start(end);
        let mut registers = self.code.args(end).into_iter();
        let ends = self.begun;
        // It may not have run: then nothing has been begun in it.
        self.begun = begins;
        for (index, out) in outs.into_iter().enumerate() {
            if fresh[index]
                && runs != Cond::Known(true)
                && let Some(block) = self.kernel.block_of(op.id)
            {
                self.unfinished.push((out, block, runs));
            }
            let value = match Self::from_flat(&yielded[index], &mut registers) {
                Lowered::Index(at, natural) => {
                    let before = matches!(carried[index], Lowered::Index(_, true));
                    Lowered::Index(at, natural && before)
                }
                Lowered::Token(born) => {
                    let work = self.work(out)?;
                    let before = match carried[index] {
                        Lowered::Token(before) => age(begins[work], before),
                        _ => 0,
                    };
                    Lowered::Token(born_at(begins[work], before.min(age(ends[work], born))))
                }
                other => other,
            };
            self.set(out, value);
        }
        Ok(())
    }

    /// Whether what a loop carries are sums that begin with zero, which only a `wgmma` in its body reads: it can be told
    /// that there is nothing to add to yet.
    fn begins_fresh(&self, arg: ValueId, init: &Lowered, body: BlockId) -> bool {
        let zero = matches!(init, Lowered::Fragment(registers) if registers.iter().all(|&sum| sum == Arg::F32(0)));
        let mut uses = self.kernel.uses(arg);
        let (Some(only), None) = (uses.next(), uses.next()) else { return false };
        let product = Wgmma::of(OpRef::new(self.code.ctx, self.kernel, only.op));
        zero && product.is_some_and(|product| product.acc() == arg && self.kernel.block_of(only.op) == Some(body))
    }

    /// Whether what a loop carries as an argument is never negative if it begins so: where it only goes through ops that
    /// keep that, or is handed on unchanged.
    fn stays_natural(&self, op: kernel::For<'_>, arg: ValueId, body: BlockId) -> bool {
        let _ = op;
        let Some(index) = self.kernel.args(body)[1..].iter().position(|&other| other == arg) else { return false };
        let end =
            self.kernel.last_op(body).and_then(|id| kernel::Yield::of(OpRef::new(self.code.ctx, self.kernel, id)));
        let Some(yielded) = end.and_then(|end| end.values().nth(index)) else { return false };
        self.is_natural(yielded, 0)
    }

    /// Whether an integer is not negative if those that loops carry are not.
    fn is_natural(&self, value: ValueId, depth: usize) -> bool {
        if depth > 8 {
            return false;
        }
        let Some(id) = self.kernel.defining_op(value) else {
            // What a loop carries, or what it counts.
            return true;
        };
        let op = OpRef::new(self.code.ctx, self.kernel, id);
        if let Some(Lowered::Index(_, natural)) = self.values.get(&value) {
            return *natural;
        }
        if let Some(op) = kernel::Index::of(op) {
            let exprs = op.value();
            let plus = exprs.iter().all(|expr| expr.terms().iter().all(|&(coefficient, _)| coefficient >= 0));
            return plus && op.args().all(|arg| self.is_natural(arg, depth + 1));
        }
        if let Some(op) = kernel::Min::of(op) {
            return self.is_natural(op.lhs(), depth + 1) && self.is_natural(op.rhs(), depth + 1);
        }
        let known = kernel::Advance::of(op).is_some()
            || kernel::BlockId::of(op).is_some()
            || kernel::GridSize::of(op).is_some()
            || kernel::TileOrder::of(op).is_some();
        known
    }

    /// For each carried token how old it is at least at the start of an iteration: how many groups of its kind have been
    /// begun since. `None` for what is no token.
    fn loop_tokens(
        &mut self,
        op: kernel::For<'a>,
        body: BlockId,
        inits: &[ValueId],
    ) -> Result<Vec<Option<(usize, u64)>>, Refused>
    where
        'c: 'a,
    {
        let _ = op;
        let args: Vec<ValueId> = self.kernel.args(body)[1..].to_vec();
        let end = self.kernel.last_op(body).and_then(|id| kernel::Yield::of(self.at(id)));
        let yielded: Vec<ValueId> = end.map_or_else(Vec::new, |end| end.values().collect());
        let mut ages: FxHashMap<ValueId, u64> = FxHashMap::default();
        let mut works = Vec::new();
        for (&arg, &init) in args.iter().zip(inits) {
            let is_token = Token::of(self.ctx(), self.kernel.value_type(arg)).is_some();
            works.push(if is_token { Some(self.work(arg)?) } else { None });
            if is_token {
                let (_, pending) = self.pending(init)?;
                ages.insert(arg, pending);
            }
        }
        // Ages only fall, and there are few tokens: what is left after as many rounds is the least.
        for _ in 0..=args.len() {
            for (index, &arg) in args.iter().enumerate() {
                let Some(work) = works[index] else { continue };
                let at_end = self.age_at_end(yielded.get(index).copied(), body, work, &ages);
                let age = ages.get(&arg).copied().unwrap_or(0).min(at_end);
                ages.insert(arg, age);
            }
        }
        Ok(args
            .iter()
            .zip(works)
            .map(|(arg, work)| work.map(|work| (work, ages.get(arg).copied().unwrap_or(0))))
            .collect())
    }

    /// How many groups of a kind have been begun since a token at the end of a block, at least.
    fn age_at_end(&self, token: Option<ValueId>, block: BlockId, work: usize, ages: &FxHashMap<ValueId, u64>) -> u64
    where
        'c: 'a,
    {
        let Some(token) = token else { return 0 };
        let Some(id) = self.kernel.defining_op(token) else {
            return ages.get(&token).copied().map_or(0, |age| age.saturating_add(self.groups_in(block, None, work)));
        };
        if kernel::Done::of(self.at(id)).is_some() {
            return LONG_AGO;
        }
        if self.kernel.block_of(id) != Some(block) {
            // From outside of the loop: as old as it was, or older.
            return match self.values.get(&token) {
                Some(&Lowered::Token(born)) => age(self.begun[work], born),
                _ => 0,
            };
        }
        let inner = match kernel::If::of(self.at(id)) {
            Some(op) => {
                let place = op.outs().position(|out| out == token).unwrap_or(0);
                let branch = |index: usize| {
                    let block = self.region(*op, index)?;
                    let end = self.kernel.last_op(block).and_then(|id| kernel::Yield::of(self.at(id)))?;
                    Some(self.age_at_end(end.values().nth(place), block, work, ages))
                };
                branch(0).unwrap_or(0).min(branch(1).unwrap_or(0))
            }
            None => match kernel::Elect::of(self.at(id)) {
                Some(op) => {
                    let place = op.outs().position(|out| out == token).unwrap_or(0);
                    let block = self.region(*op, 0);
                    let end = block.and_then(|block| self.kernel.last_op(block));
                    let end = end.and_then(|id| kernel::Yield::of(self.at(id)));
                    match (block, end) {
                        (Some(block), Some(end)) => self.age_at_end(end.values().nth(place), block, work, ages),
                        _ => 0,
                    }
                }
                None => 0,
            },
        };
        inner.saturating_add(self.groups_in(block, Some(id), work))
    }

    /// How many groups of a kind the ops of a block begin, at least, behind one of them.
    fn groups_in(&self, block: BlockId, behind: Option<OpId>, work: usize) -> u64
    where
        'c: 'a,
    {
        let mut count = 0u64;
        let mut at = match behind {
            Some(id) => self.kernel.next_op(id),
            None => self.kernel.first_op(block),
        };
        while let Some(id) = at {
            count += self.groups_of(self.at(id), work);
            at = self.kernel.next_op(id);
        }
        count
    }

    fn groups_of(&self, op: OpRef<'a>, work: usize) -> u64
    where
        'c: 'a,
    {
        let inside = |index: usize| self.region(op, index).map_or(0, |block| self.groups_in(block, None, work));
        if kernel::CopyAsync::of(op).is_some() {
            return u64::from(work == 0);
        }
        if Wgmma::of(op).is_some() {
            return u64::from(work == 1);
        }
        if kernel::TmaStore::of(op).is_some() {
            return u64::from(work == 2);
        }
        if kernel::If::of(op).is_some() {
            // The side with fewer copies is filled up with empty groups.
            return if work == 0 { inside(0).max(inside(1)) } else { inside(0).min(inside(1)) };
        }
        if kernel::Elect::of(op).is_some() {
            return inside(0);
        }
        if let Some(op) = kernel::For::of(op) {
            let bounds = op.bounds();
            let known: Option<Vec<i64>> = bounds.iter().map(SizeExpr::as_constant).collect();
            let times = known.filter(|_| op.unroll().is_some()).and_then(|bounds| {
                let &[first, last, step] = bounds.as_slice() else { return None };
                (step > 0)
                    .then(|| (last - first).max(0).div_euclid(step) + i64::from((last - first).max(0) % step != 0))
            });
            return times.map_or(0, |times| inside(0) * times as u64);
        }
        0
    }

    fn if_(&mut self, op: kernel::If<'a>) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let args: Vec<ValueId> = op.args().collect();
        let cond = match (op.guard(), op.cond()) {
            (Some(guard), _) => self.holds(&guard, &args)?,
            (None, Some(cond)) => match self.value(cond)? {
                &Lowered::Number(Arg::Value(predicate)) => Cond::If(predicate),
                &Lowered::Number(Arg::Int(value)) => Cond::Known(value != 0),
                _ => return Err(Refused::new("a condition is wanted")),
            },
            (None, None) => return Err(Refused::new("there is no condition")),
        };
        let outs: Vec<ValueId> = op.outs().collect();
        let (then, otherwise) = (self.region(*op, 0), self.region(*op, 1));
        if let Cond::Known(known) = cond {
            let block = if known { then } else { otherwise };
            let yielded = match block {
                Some(block) => self.block(block)?,
                None => Vec::new(),
            };
            for (out, value) in outs.into_iter().zip(yielded) {
                self.set(out, value);
            }
            return Ok(());
        }
        self.branch(cond, [then, otherwise], &outs)
    }

    /// One of two blocks by a condition, and the values that it yields.
    fn branch(&mut self, cond: Cond, sides: [Option<BlockId>; 2], outs: &[ValueId]) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let types: Vec<Type> = outs.iter().map(|&value| self.kernel.value_type(value)).collect();
        let copies = sides.map(|side| side.map_or(0, |block| self.groups_in(block, None, 0)));
        let most = copies[0].max(copies[1]);
        let begins = self.begun;
        let begin_blocks = [self.code.new_block(&[]), self.code.new_block(&[])];
        let empty_else = sides[1].is_none() && most == 0;
        let join_early = if empty_else { Some(begin_blocks[1]) } else { None };
        self.code.bra_if(cond, (begin_blocks[0], &[]), (begin_blocks[1], &[]));
        let mut ends = Vec::new();
        for (side, start) in sides.into_iter().zip(begin_blocks) {
            if join_early == Some(start) {
                break;
            }
            self.begun = begins;
            self.code.start(start);
            self.code.open();
            let yielded = match side {
                Some(block) => self.block(block)?,
                None => Vec::new(),
            };
            // Both sides begin as many groups of copies, so that whoever counts them need not know which side it was.
            let own = self.begun[0] - begins[0];
            for _ in own..most {
                self.code.act(&table::CP_ASYNC_COMMIT, "", &[]);
                self.begun[0] += 1;
            }
            let mut flat = Vec::new();
            for (value, &ty) in yielded.iter().zip(&types) {
                flat.extend(self.flat(value, ty));
            }
            self.code.close();
            ends.push((self.code.block, flat, yielded, self.begun));
        }
        let mut flat_types = Vec::new();
        if let Some((_, _, yielded, _)) = ends.first() {
            for (value, &ty) in yielded.clone().iter().zip(&types) {
                flat_types.extend(self.flat_types(value, ty));
            }
        }
        let join = match join_early {
            Some(block) => block,
            None => self.code.new_block(&flat_types),
        };
        for (block, flat, ..) in &ends {
            self.code.block = *block;
            self.code.bra(join, flat);
        }
        self.code.start(join);
        let begun_on = |work: usize, ends: &[(BlockId, Vec<ValueId>, Yielded, [u64; 3])]| {
            let least = ends.iter().map(|(.., begun)| begun[work]).min().unwrap_or(begins[work]);
            if join_early.is_some() { least.min(begins[work]) } else { least }
        };
        self.begun = [begun_on(0, &ends), begun_on(1, &ends), begun_on(2, &ends)];
        let mut registers = self.code.args(join).into_iter();
        for (index, &out) in outs.iter().enumerate() {
            let first = &ends[0].2[index];
            let value = match Self::from_flat(first, &mut registers) {
                Lowered::Index(at, _) => Lowered::Index(
                    at,
                    ends.iter().all(|(_, _, yielded, _)| matches!(yielded[index], Lowered::Index(_, true))),
                ),
                Lowered::Token(_) => {
                    let work = self.work(out)?;
                    let ages = ends.iter().map(|(_, _, yielded, begun)| match yielded[index] {
                        Lowered::Token(born) => age(begun[work], born),
                        _ => 0,
                    });
                    Lowered::Token(born_at(self.begun[work], ages.min().unwrap_or(0)))
                }
                other => other,
            };
            self.set(out, value);
        }
        Ok(())
    }

    fn elect(&mut self, op: kernel::Elect<'a>) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let Some(block) = self.region(*op, 0) else { return Err(Refused::new("there is nothing to do")) };
        let cond = self.first_thread();
        let outer = self.team;
        let (inside, behind) = (self.code.new_block(&[]), self.code.new_block(&[]));
        self.code.bra_if(cond, (inside, &[]), (behind, &[]));
        self.code.start(inside);
        self.code.open();
        self.team.single = true;
        let yielded = self.block(block)?;
        self.team = outer;
        self.code.close();
        self.code.bra(behind, &[]);
        self.code.start(behind);
        // What leaves are tokens: the thread that has begun the work also waits for it.
        for (out, value) in op.outs().zip(yielded) {
            match value {
                Lowered::Token(_) => self.set(out, value),
                _ => return Err(Refused::new("only tokens leave what one thread does")),
            }
        }
        Ok(())
    }

    fn role(&mut self, op: kernel::Role<'a>) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let Some(block) = self.region(*op, 0) else { return Err(Refused::new("a role has a body")) };
        let (first, last, groups) = (op.first(), op.last(), op.groups());
        let warps = (last - first) / groups.max(1);
        let outer = self.team;
        let begins = self.begun;
        let above = self.code.compare("ge", outer.warp, Arg::Int(first));
        let below = self.code.compare("lt", outer.warp, Arg::Int(last));
        // At the start nobody is below the first warp, at the end nobody is above the last.
        let cond = match (first, last == i64::from(outer.warps)) {
            (0, _) => below,
            (_, true) => above,
            _ => self.code.both(above, below),
        };
        let (inside, behind) = (self.code.new_block(&[]), self.code.new_block(&[]));
        self.code.bra_if(cond, (inside, &[]), (behind, &[]));
        self.code.start(inside);
        self.code.open();
        if let Some(registers) = op.registers() {
            // What a thread has at the start: all registers shared out, in steps of eight.
            let own = i64::from(65_536 / self.threads / 8 * 8).min(255);
            let word = if registers <= own { "dec.sync.aligned.u32" } else { "inc.sync.aligned.u32" };
            self.code.act(&table::SETMAXNREG, word, &[Arg::Int(registers)]);
        }
        let relative = self.code.sub(outer.warp, Arg::Int(first));
        let group = self.code.floordiv(relative, Arg::Int(warps), true);
        let group = if groups == 1 { Arg::Int(0) } else { group };
        let back = self.code.mul(group, Arg::Int(warps));
        let warp = self.code.sub(relative, back);
        let start = self.code.add(back, Arg::Int(first));
        let start = self.code.mul(start, Arg::Int(32));
        let thread = self.code.sub(outer.thread, start);
        self.next_barrier -= groups;
        let barrier = self.code.add(group, Arg::Int(self.next_barrier + 1));
        if let Some(&arg) = self.kernel.args(block).first() {
            self.set(arg, Lowered::Index(group, true));
        }
        let single = op.single().is_some();
        self.team = Team { warps: warps as u32, warp, thread, lane: outer.lane, single, barrier };
        if single {
            // One lane of the first warp stays.
            let is_first = self.code.compare("eq", warp, Arg::Int(0));
            let (of_warp, chosen) = (self.code.new_block(&[]), self.code.new_block(&[]));
            let gone = self.code.new_block(&[]);
            self.code.bra_if(is_first, (of_warp, &[]), (gone, &[]));
            self.code.start(of_warp);
            let lane = self.code.inst(&table::ELECT, "", &[Arg::Int(-1)]);
            self.code.bra_if(Cond::If(lane), (chosen, &[]), (gone, &[]));
            self.code.start(chosen);
            self.block(block)?;
            self.code.exit();
            self.code.start(gone);
        } else {
            self.block(block)?;
        }
        self.code.exit();
        self.code.close();
        self.team = outer;
        self.begun = begins;
        self.code.start(behind);
        Ok(())
    }

    fn warp_if(&mut self, op: kernel::WarpIf<'a>) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let registers = self.registers(op.cond())?;
        let mut any = Cond::Known(false);
        for &register in registers.iter() {
            let holds = match register {
                Arg::Value(value) => Cond::If(value),
                other => Cond::Known(other != Arg::Int(0)),
            };
            any = self.code.either(any, holds);
        }
        let predicate = self.code.predicate(any);
        let warp = self.code.inst(&table::VOTE, "any.pred", &[predicate.into(), Arg::Int(-1)]);
        let outs: Vec<ValueId> = op.outs().collect();
        self.branch(Cond::If(warp), [self.region(*op, 0), self.region(*op, 1)], &outs)
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
            let ((stage, _), (parity, _)) = (self.index(inner.stage())?, self.index(inner.parity())?);
            let next = self.code.add(stage, Arg::Int(1));
            let wraps = self.code.compare("eq", next, Arg::Int(inner.stages()));
            let stage = self.code.choose(wraps, Arg::Int(0), next);
            let turned = self.code.xor(parity, Arg::Int(1));
            let parity = self.code.choose(wraps, turned, parity);
            self.set(inner.next(), Lowered::Index(stage, true));
            self.set(inner.next_parity(), Lowered::Index(parity, true));
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
        let (tile, _) = self.index(op.tile())?;
        let ((rows, _), (columns, _)) = (self.expr(rows, &args)?, self.expr(columns, &args)?);
        let code = &mut self.code;
        let (row, column) = match op.order() {
            kernel::Order::Rows => (code.floordiv(tile, columns, true), code.floormod(tile, columns, true)),
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
            let (stage, _) = self.index(stage)?;
            let offset = self.code.mul(stage, Arg::Int(at.stride.into()));
            at.base = self.code.add(at.base, offset);
        }
        Ok(at)
    }

    pub fn tile_type(&self, value: ValueId) -> Result<Tile, Refused> {
        Tile::of(self.ctx(), self.kernel.value_type(value)).ok_or_else(|| Refused::new("a tile is wanted"))
    }
}

/// How many groups have been begun since one.
fn age(begun: u64, born: u64) -> u64 {
    if born == 0 { LONG_AGO } else { begun.saturating_sub(born) }
}

/// The number that says that so many groups have been begun since.
fn born_at(begun: u64, age: u64) -> u64 {
    if age >= LONG_AGO { 0 } else { begun.saturating_sub(age).max(1) }
}

fn begins_at(token: &Option<(usize, u64)>, begun: &[u64; 3]) -> u64 {
    token.map_or(0, |(work, age)| born_at(begun[work], age))
}
