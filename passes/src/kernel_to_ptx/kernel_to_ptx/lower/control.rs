//! Loops, conditions, roles, and what one thread does for the others.

use dlc_ir::affine::SizeExpr;
use dlc_ir::{BlockId, OpRef, Type, ValueId};
use dlc_kernel::ops::{self as kernel, Wgmma};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::super::Refused;
use super::super::code::Cond;
use super::super::natural::is_natural;
use super::super::values::{Lowered, ThreadGroup};
use super::tokens::{age, begins_at, born_at};
use super::{Lower, Yielded};
use crate::analysis::index_ranges::is_narrow;

/// How many steps of loops are unrolled in a grid at most.
const MOST_STEPS: u64 = 1 << 16;

/// As many instructions as a grid with unrolled loops has: no assembler takes more in a time that one waits for.
const MOST_INSTRUCTIONS: usize = 1 << 18;

impl<'a, 'c> Lower<'a, 'c> {
    pub(super) fn for_(&mut self, op: kernel::For<'a>) -> Result<(), Refused>
    where
        'c: 'a,
    {
        self.prepare_mbarriers(op.id)?;
        let args: Vec<ValueId> = op.args().collect();
        let args_of_bounds = args.clone();
        let inits: Vec<ValueId> = op.inits().collect();
        let bounds = op.bounds();
        let [first, last, step] = bounds.as_slice() else {
            return Err(Refused::new("a loop has a first integer, a last one and a step"));
        };
        let ((first, natural), (last, _), (step, _)) =
            (self.expr(first, &args)?, self.expr(last, &args)?, self.expr(step, &args)?);
        let Some(body) = self.region(*op, 0) else { return Err(Refused::new("a loop has a body")) };
        let taken: Vec<ValueId> = self.kernel.args(body).to_vec();
        let outs: Vec<ValueId> = op.outs().collect();
        let carried: Vec<Lowered> = inits.iter().map(|&value| self.value(value).cloned()).collect::<Result<_, _>>()?;
        if op.unroll().is_some() {
            return self.unrolled_for(op, body, carried, [first, last, step]);
        }
        // The loop is entered only if it runs, and asks at its end whether it runs again.
        let begins = self.begun;
        let tokens = self.loop_tokens(body, &inits)?;
        let fresh: Vec<bool> =
            taken[1..].iter().zip(&carried).map(|(&arg, value)| self.begins_fresh(arg, value, body)).collect();
        let (flat, entering, flat_types) = self.carried_registers(&carried, &taken[1..], &fresh);
        let runs = self.code.compare("lt", first, last);
        let counts = self.counter_type(&bounds, &args_of_bounds, taken[0]);
        let mut head_types = vec![counts];
        head_types.extend(flat_types.iter().copied());
        let (head, end) = (self.code.new_block(&head_types), self.code.new_block(&flat_types));
        let first = self.index_register(first, counts);
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
        let naturals = self.stay_natural(body, &carried, natural);
        let starts = carried.iter().zip(&tokens).zip(&fresh).zip(naturals);
        for (&arg, (((value, token), &fresh), natural)) in taken[1..].iter().zip(starts) {
            let value = match Self::from_flat(value, &mut registers) {
                Lowered::Index(at, _) => Lowered::Index(at, natural),
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
        for (value, &arg) in yielded.iter().zip(&taken[1..]) {
            back.extend(self.flat(value, arg));
        }
        let next = Arg::Value(self.index_register(next, counts));
        let again = self.code.compare("lt", next, last);
        let next = self.index_register(next, counts);
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
            let value = Self::from_flat(&yielded[index], &mut registers);
            let value = self.after_loop(out, &carried[index], value, begins, ends)?;
            self.set(out, value);
        }
        Ok(())
    }

    /// The registers of what a loop carries at first, those that it is entered with, and their types.
    fn carried_registers(
        &mut self,
        carried: &[Lowered],
        args: &[ValueId],
        fresh: &[bool],
    ) -> (Vec<ValueId>, Vec<ValueId>, Vec<Type>) {
        let (mut flat, mut entering): (Vec<ValueId>, Vec<ValueId>) = (Vec::new(), Vec::new());
        let mut flat_types = Vec::new();
        for ((value, &arg), &fresh) in carried.iter().zip(args).zip(fresh) {
            let own = self.flat_types(value, arg);
            let registers = match fresh {
                // Nothing is put into the registers that the first product does not read.
                true => own.iter().flat_map(|_| self.code.insts(&table::UNDEF, "f32", &[])).collect(),
                false => self.flat(value, arg),
            };
            entering.extend(registers.iter().copied());
            flat_types.extend(own);
            flat.extend(registers);
        }
        (flat, entering, flat_types)
    }

    /// Lowers every step of a loop whose bounds are numbers.
    fn unrolled_for(
        &mut self,
        op: kernel::For<'a>,
        body: BlockId,
        mut carried: Vec<Lowered>,
        bounds: [Arg; 3],
    ) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let taken: Vec<ValueId> = self.kernel.args(body).to_vec();
        let [Arg::Int(first), Arg::Int(last), Arg::Int(step)] = bounds else {
            return Err(Refused::new("the bounds of a loop that is to be unrolled are not known"));
        };
        let too_many = |what: String| {
            Err(Refused::new(format!("more than {what} of loops are unrolled")).suggest("leave 'unroll' out"))
        };
        let steps = if first < last && step > 0 { first.abs_diff(last).div_ceil(step.unsigned_abs()) } else { 0 };
        self.unrolled = self.unrolled.saturating_add(steps);
        if self.unrolled > MOST_STEPS {
            return too_many(format!("{MOST_STEPS} steps"));
        }
        let mut at = first;
        for _ in 0..steps {
            if self.code.body.num_ops() > MOST_INSTRUCTIONS {
                return too_many(format!("{MOST_INSTRUCTIONS} instructions"));
            }
            self.set(taken[0], Lowered::Index(Arg::Int(at), at >= 0));
            for (&arg, value) in taken[1..].iter().zip(&carried) {
                self.set(arg, value.clone());
            }
            carried = self.block(body)?;
            at = at.saturating_add(step);
        }
        for (out, value) in op.outs().collect::<Vec<_>>().into_iter().zip(carried) {
            self.set(out, value);
        }
        Ok(())
    }

    /// A result of a loop that may not have run: `before` is what it carries at first, `after` what it yields.
    fn after_loop(
        &self,
        out: ValueId,
        before: &Lowered,
        after: Lowered,
        begins: [u64; 3],
        ends: [u64; 3],
    ) -> Result<Lowered, Refused> {
        Ok(match after {
            Lowered::Index(at, natural) => Lowered::Index(at, natural && matches!(before, Lowered::Index(_, true))),
            Lowered::Token(born) => {
                let work = self.work(out)?;
                let before = match *before {
                    Lowered::Token(before) => age(begins[work], before),
                    _ => 0,
                };
                Lowered::Token(born_at(begins[work], before.min(age(ends[work], born))))
            }
            other => other,
        })
    }

    /// The type of the register that counts the rounds of a loop: it counts to one step after the last.
    fn counter_type(&self, bounds: &[SizeExpr], args: &[ValueId], counter: ValueId) -> Type {
        let counted = self.ranges.value(counter);
        let step = bounds.last().and_then(|step| self.ranges.expr(step, args).hi());
        let end = counted.hi().zip(step).and_then(|(last, step)| last.checked_add(step));
        let is_narrow = is_narrow(counted) && end.is_some_and(|end| i32::try_from(end).is_ok());
        if is_narrow { Type::I32 } else { Type::I64 }
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

    /// Which of the values that a loop carries are integers that are never negative: they begin so, and are so at the end
    /// of an iteration if all of them are at its start.
    fn stay_natural(&self, body: BlockId, carried: &[Lowered], counts_natural: bool) -> Vec<bool> {
        let mut natural: Vec<bool> = carried.iter().map(|value| matches!(value, Lowered::Index(_, true))).collect();
        let args = self.kernel.args(body);
        let end = self.kernel.last_op(body).and_then(|id| kernel::Yield::of(self.at(id)));
        let yielded: Vec<ValueId> = end.map_or_else(Vec::new, |end| end.values().collect());
        loop {
            let known = |value: ValueId| match args.iter().position(|&arg| arg == value) {
                Some(0) => Some(counts_natural),
                Some(place) => Some(natural[place - 1]),
                None if self.kernel.defining_op(value).is_some_and(|id| self.kernel.block_of(id) == Some(body)) => None,
                None => Some(matches!(self.values.get(&value), Some(Lowered::Index(_, true)))),
            };
            let stays = |(index, &holds): (usize, &bool)| {
                holds && yielded.get(index).is_some_and(|&value| is_natural(self.code.ctx, self.kernel, value, &known))
            };
            let next: Vec<bool> = natural.iter().enumerate().map(stays).collect();
            if next == natural {
                return natural;
            }
            natural = next;
        }
    }

    pub(super) fn if_(&mut self, op: kernel::If<'a>) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let args: Vec<ValueId> = op.args().collect();
        let cond = match (op.guard(), op.cond()) {
            (Some(guard), _) => self.holds(&guard, &args)?,
            (None, Some(cond)) => match *self.value(cond)? {
                Lowered::Number(Arg::Value(predicate)) => Cond::If(predicate),
                Lowered::Number(Arg::Int(value)) => Cond::Known(value != 0),
                _ => return Err(Refused::new("a condition is wanted")),
            },
            (None, None) => return Err(Refused::new("there is no condition")),
        };
        let outs: Vec<ValueId> = op.outs().collect();
        let (then, otherwise) = (self.region(*op, 0), self.region(*op, 1));
        if let Cond::Known(known) = cond {
            let block = if known { then } else { otherwise };
            let begins = self.begun;
            let yielded = match block {
                Some(block) => self.block(block)?,
                None => Vec::new(),
            };
            self.fill_up(begins[0], self.most_copies([then, otherwise]));
            for (out, value) in outs.into_iter().zip(yielded) {
                self.set(out, value);
            }
            return Ok(());
        }
        self.branch(cond, [then, otherwise], &outs)
    }

    /// How many groups of copies the side with the most of them begins.
    fn most_copies(&self, sides: [Option<BlockId>; 2]) -> u64
    where
        'c: 'a,
    {
        sides.into_iter().flatten().map(|block| self.groups_in(block, None, 0)).max().unwrap_or(0)
    }

    /// Begins empty groups of copies until they are so many since `begins`: both sides of a condition begin as many, so
    /// that whoever counts them need not know which side it was.
    fn fill_up(&mut self, begins: u64, most: u64) {
        for _ in self.begun[0] - begins..most {
            self.code.act(&table::CP_ASYNC_COMMIT, "", &[]);
            self.begun[0] += 1;
        }
    }

    /// One of two blocks by a condition, and the values that it yields.
    fn branch(&mut self, cond: Cond, sides: [Option<BlockId>; 2], outs: &[ValueId]) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let most = self.most_copies(sides);
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
            self.fill_up(begins[0], most);
            let mut flat = Vec::new();
            for (value, &out) in yielded.iter().zip(outs) {
                flat.extend(self.flat(value, out));
            }
            self.code.close();
            ends.push((self.code.block, flat, yielded, self.begun));
        }
        let mut flat_types = Vec::new();
        if let Some((_, _, yielded, _)) = ends.first() {
            for (value, &out) in yielded.clone().iter().zip(outs) {
                flat_types.extend(self.flat_types(value, out));
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

    pub(super) fn elect(&mut self, op: kernel::Elect<'a>) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let Some(block) = self.region(*op, 0) else { return Err(Refused::new("there is nothing to do")) };
        let cond = self.first_thread();
        let outer = self.thread_group;
        let (inside, following) = (self.code.new_block(&[]), self.code.new_block(&[]));
        self.code.bra_if(cond, (inside, &[]), (following, &[]));
        self.code.start(inside);
        self.code.open();
        self.thread_group.single = true;
        let yielded = self.block(block)?;
        self.thread_group = outer;
        self.code.close();
        self.code.bra(following, &[]);
        self.code.start(following);
        // What leaves are tokens: the thread that has begun the work also waits for it.
        for (out, value) in op.outs().zip(yielded) {
            match value {
                Lowered::Token(_) => self.set(out, value),
                _ => return Err(Refused::new("only tokens leave what one thread does")),
            }
        }
        Ok(())
    }

    pub(super) fn role(&mut self, op: kernel::Role<'a>) -> Result<(), Refused>
    where
        'c: 'a,
    {
        let Some(block) = self.region(*op, 0) else { return Err(Refused::new("a role has a body")) };
        let (first, last, groups) = (op.first(), op.last(), op.groups());
        let warps = (last - first) / groups.max(1);
        let outer = self.thread_group;
        let begins = self.begun;
        let above = self.code.compare("ge", outer.warp, Arg::Int(first));
        let below = self.code.compare("lt", outer.warp, Arg::Int(last));
        // At the start nobody is below the first warp, at the end nobody is above the last.
        let cond = match (first, last == i64::from(outer.warps)) {
            (0, _) => below,
            (_, true) => above,
            _ => self.code.both(above, below),
        };
        let (inside, following) = (self.code.new_block(&[]), self.code.new_block(&[]));
        self.code.bra_if(cond, (inside, &[]), (following, &[]));
        self.code.start(inside);
        self.code.open();
        if let Some(registers) = op.registers() {
            // What a thread has at the start: all registers shared out among blocks and threads, in steps of eight.
            let own = i64::from(65_536 / self.resident / self.threads / 8 * 8).min(255);
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
        let barrier = match warps * 32 == i64::from(self.threads) {
            true => outer.barrier,
            false => self.barriers.get(&op.id).copied().map(|first| self.code.add(group, Arg::Int(first))),
        };
        if let Some(&arg) = self.kernel.args(block).first() {
            self.set(arg, Lowered::Index(group, true));
        }
        let single = op.single().is_some();
        self.thread_group = ThreadGroup { warps: warps as u32, warp, thread, lane: outer.lane, single, barrier };
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
        self.thread_group = outer;
        self.begun = begins;
        self.code.start(following);
        Ok(())
    }

    pub(super) fn warp_if(&mut self, op: kernel::WarpIf<'a>) -> Result<(), Refused>
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
}
