//! Loops in the text, and of which numbers depends what they do.

use super::exprs::{Condition, Expr, Slot, UNKNOWN};
use super::facts::Facts;
use super::program::{Instr, Pc, Program};

/// Of which numbers depends what a part of the program does.
pub struct Inputs<'p> {
    /// The slots that it reads from before, and those that it writes which are read later.
    pub reads: Vec<Slot>,
    pub writes: Vec<Slot>,
    /// Conditions and bounds of loops that nothing in it changes: only what comes out of them matters.
    pub conditions: Vec<&'p Condition>,
    pub bounds: Vec<&'p [Expr; 3]>,
    /// Whether it asks for the number of the block.
    pub asks: bool,
}

/// A loop in the text.
pub struct Loop<'p> {
    /// Where each of its rounds begins, and what is after the last.
    pub head: Pc,
    pub exit: Pc,
    pub inputs: Inputs<'p>,
    /// Whether the text does not say how often it runs.
    pub varies: bool,
    /// Whether its rounds may be some that were followed: loops around others begin with other numbers in each run. In a run
    /// that is followed to its end, those of one around others may be some that it has gone through itself.
    pub orbits: bool,
    pub returns: bool,
    /// The most rounds that are of use where no launch says how many there are: with one tile or many.
    pub cap: i64,
    /// Its integer, and what is asked of that, if this is all that its rounds have to do with it.
    pub index: Slot,
    pub asked: Option<Vec<Level>>,
    /// In how many rounds its rings go around twice.
    pub reach: usize,
}

/// Something linear in the integer of a loop, of which it is asked whether it is negative.
pub struct Level {
    /// What is taken away from what; one less if `both` may be the same.
    above: Expr,
    below: Expr,
    both: bool,
    /// How much it grows with the integer.
    slope: i64,
}

/// The rest of a round of a loop, after the integers that are computed first.
pub struct Body<'p> {
    /// Its first instruction, and the one after its last, which is the end of the round.
    pub from: Pc,
    pub end: Pc,
    pub inputs: Inputs<'p>,
}

impl<'p> Inputs<'p> {
    /// `written` are slots that are written before it by what belongs to it.
    fn of(program: &'p Program, from: Pc, end: Pc, written: &[Slot]) -> Inputs<'p> {
        let code = &program.code[from as usize..end as usize];
        let mut writes = written.to_vec();
        code.iter().for_each(|instr| instr.writes(&mut writes));
        writes.sort_unstable();
        writes.dedup();
        let stays = |expr: &Expr| {
            let mut slots = Vec::new();
            expr.slots(&mut slots);
            slots.iter().all(|slot| writes.binary_search(slot).is_err())
        };
        let (mut conditions, mut bounds): (Vec<&Condition>, Vec<&[Expr; 3]>) = (Vec::new(), Vec::new());
        let (mut reads, mut read, mut before) = (Vec::new(), Vec::new(), written.to_vec());
        for instr in code {
            match instr {
                Instr::Branch(condition, _) if condition.exprs().all(stays) => conditions.push(condition),
                Instr::Start { bounds: found, .. } if found.iter().all(stays) => {
                    if !found.iter().all(|bound| matches!(bound, Expr::Const(_))) {
                        bounds.push(found);
                    }
                }
                _ => instr.reads(&mut read),
            }
            reads.extend(read.drain(..).filter(|slot| !before.contains(slot)));
            instr.writes(&mut before);
        }
        reads.sort_unstable();
        reads.dedup();
        // What is neither read in the next round nor after it is of no interest.
        let mut following = Vec::new();
        for instr in program.code[..from as usize].iter().chain(&program.code[end as usize..]) {
            instr.reads(&mut following);
        }
        writes.retain(|slot| reads.binary_search(slot).is_ok() || following.contains(slot));
        let asks = code.iter().any(|instr| matches!(instr, Instr::Block(..)));
        Inputs { reads, writes, conditions, bounds, asks }
    }
}

impl<'p> Loop<'p> {
    /// The loop that begins at an instruction; `None` for one that begins roles.
    pub fn of(program: &'p Program, facts: &Facts<'_>, start: Pc) -> Option<Loop<'p>> {
        let Instr::Start { bounds, .. } = &program.code[start as usize] else { return None };
        let head = start + 1;
        let Instr::Test { index, exit, .. } = &program.code[head as usize] else { return None };
        let code = &program.code[head as usize..*exit as usize];
        if code.iter().any(|instr| matches!(instr, Instr::Fork(_))) {
            return None;
        }
        let varies = !bounds.iter().all(|bound| matches!(bound, Expr::Const(_)));
        // The launches are chosen by the trip counts that follow from symbols alone.
        let cap = if bounds.iter().all(|bound| facts.is_known(bound)) { i64::MAX } else { program.most_rounds() };
        let is_outer = code.iter().any(|instr| matches!(instr, Instr::Start { .. }));
        let orbits = !(program.data || varies && is_outer);
        let returns = !program.data;
        let mut written = Vec::new();
        program.code[start as usize].writes(&mut written);
        let mut inputs = Inputs::of(program, head, *exit, &written);
        // The next round reads it.
        if !inputs.writes.contains(index) {
            inputs.writes.push(*index);
        }
        let asked = asked(&code[1..], *index);
        let reach = program.most_rounds() as usize;
        Some(Loop { head, exit: *exit, inputs, varies, orbits, returns, cap, index: *index, asked, reach })
    }

    /// Whether it is followed to its end, however long that is, in a run that is so or not.
    pub fn ends(&self, whole: bool) -> bool {
        whole || !self.varies || self.cap == i64::MAX
    }

    /// Whether so many rounds are more than are of use, whatever is done in them: rings that are waited for in every other
    /// one have gone around twice, and on.
    pub fn is_long(&self, rounds: i64) -> bool {
        self.varies && rounds / 2 > self.cap
    }
}

/// What the rounds of a loop ask of its integer. `None` if they do something else with it.
fn asked(code: &[Instr], index: Slot) -> Option<Vec<Level>> {
    let (last, code) = code.split_last()?;
    let (mut levels, mut read, mut written) = (Vec::new(), Vec::new(), Vec::new());
    code.iter().for_each(|instr| instr.writes(&mut written));
    for instr in code {
        instr.reads(&mut read);
        let is_read = read.drain(..).fold(false, |any, slot| any | (slot == index));
        match instr {
            Instr::Branch(condition, _) if is_read => {
                for (expr, lower, upper) in condition.bounds() {
                    let bounds = [lower.map(|lower| (expr, lower, true)), upper.map(|upper| (upper, expr, false))];
                    for (above, below, both) in bounds.into_iter().flatten() {
                        let slope = above.slope(index)?.checked_sub(below.slope(index)?)?;
                        let mut slots = Vec::new();
                        [above, below].into_iter().for_each(|expr| expr.slots(&mut slots));
                        if slots.iter().any(|slot| written.contains(slot)) {
                            return None;
                        }
                        levels.push(Level { above: above.clone(), below: below.clone(), both, slope });
                    }
                }
            }
            _ if is_read => return None,
            _ => {}
        }
    }
    matches!(last, Instr::Next { .. }).then_some(levels)
}

impl Level {
    /// Its sign in the round that begins, and in how many rounds from there on it is the same: `i64::MAX` for all.
    pub fn stays(&self, slots: &[i64], step: i64) -> Option<(bool, i64)> {
        let (above, below) = (self.above.eval(slots), self.below.eval(slots));
        if above == UNKNOWN || below == UNKNOWN {
            return None;
        }
        let value = i128::from(above) - i128::from(below) - i128::from(!self.both);
        let by = i128::from(self.slope) * i128::from(step);
        let rounds = match value < 0 {
            true if by > 0 => (by - 1 - value) / by,
            false if by < 0 => value / -by + 1,
            _ => i64::MAX.into(),
        };
        Some((value < 0, i64::try_from(rounds).unwrap_or(i64::MAX)))
    }
}

impl<'p> Body<'p> {
    /// `None` where branches on data decide, and where nothing but integers is computed.
    pub fn of(program: &'p Program, found: &Loop<'_>) -> Option<Body<'p>> {
        let end = found.exit - 1;
        let is_number = |instr: &Instr| {
            matches!(instr, Instr::Set(..) | Instr::Move(_) | Instr::Block(..) | Instr::Binary(..))
                || matches!(instr, Instr::Advance { .. } | Instr::Order { .. })
        };
        let all = &program.code[found.head as usize + 1..end as usize];
        let from = found.head + 1 + all.iter().take_while(|instr| is_number(instr)).count() as Pc;
        let is_round = matches!(program.code[end as usize], Instr::Next { head, .. } if head == found.head);
        (!program.data && from < end && is_round).then(|| Body {
            from,
            end,
            inputs: Inputs::of(program, from, end, &[]),
        })
    }
}
