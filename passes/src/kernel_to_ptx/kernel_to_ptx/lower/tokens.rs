//! How old asynchronous work is when it is waited for: how many groups of its kind have been begun since.

use dlc_ir::affine::SizeExpr;
use dlc_ir::{BlockId, OpId, OpRef, ValueId};
use dlc_kernel::ops::{self as kernel, Wgmma};
use dlc_kernel::types::{Token, Work};
use rustc_hash::FxHashMap;

use super::super::Refused;
use super::super::values::{LONG_AGO, Lowered};
use super::{Lower, work_number};

impl<'a, 'c> Lower<'a, 'c> {
    /// How many groups of a kind may be left when a token has been waited for.
    pub fn pending(&self, token: ValueId) -> Result<(usize, u64), Refused> {
        let work = self.work(token)?;
        match self.value(token)? {
            &Lowered::Token(born) => Ok((work, age(self.begun[work], born))),
            _ => Err(Refused::new("a token is wanted")),
        }
    }

    /// The number of the kind of work of a token.
    pub(super) fn work(&self, token: ValueId) -> Result<usize, Refused> {
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

    /// For each carried token how old it is at least at the start of an iteration: how many groups of its kind have been
    /// begun since. `None` for what is no token.
    pub(super) fn loop_tokens(&mut self, body: BlockId, inits: &[ValueId]) -> Result<Vec<Option<(usize, u64)>>, Refused>
    where
        'c: 'a,
    {
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

    /// How many groups of a kind the ops of a block begin, at least, after one of them.
    pub(super) fn groups_in(&self, block: BlockId, following: Option<OpId>, work: usize) -> u64
    where
        'c: 'a,
    {
        let mut count = 0u64;
        let mut at = match following {
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
            return u64::from(work == 0 && awaited(op).is_some());
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
}

/// The token of a copy, if somebody has a use for it.
pub fn awaited(copy: OpRef<'_>) -> Option<ValueId> {
    copy.results().next().filter(|&token| copy.body.uses(token).next().is_some())
}

/// How many groups have been begun since one.
pub(super) fn age(begun: u64, born: u64) -> u64 {
    if born == 0 { LONG_AGO } else { begun.saturating_sub(born) }
}

/// The number that says that so many groups have been begun since.
pub(super) fn born_at(begun: u64, age: u64) -> u64 {
    if age >= LONG_AGO { 0 } else { begun.saturating_sub(age).max(1) }
}

/// Where what a loop carries was begun, as seen from the start of an iteration.
pub(super) fn begins_at(token: &Option<(usize, u64)>, begun: &[u64; 3]) -> u64 {
    token.map_or(0, |(work, age)| born_at(begun[work], age))
}
