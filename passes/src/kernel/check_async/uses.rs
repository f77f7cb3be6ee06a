//! Which slots instructions read and write.

use super::exprs::Slot;
use super::program::{BarrierAt, COMPUTE, EPILOGUE, Instr, LOAD, TileAt};

impl TileAt {
    fn slots(&self) -> impl Iterator<Item = Slot> {
        [Some(self.base), self.stage].into_iter().flatten()
    }
}

impl BarrierAt {
    fn slots(&self) -> impl Iterator<Item = Slot> {
        [Some(self.base), self.stage].into_iter().flatten()
    }
}

impl Instr {
    /// Visits the slots whose numbers say what is done that others can notice. Numbers that are computed for it alone are
    /// not among them.
    pub fn operands(&self, visit: &mut impl FnMut(Slot)) {
        match self {
            Instr::Wait { barrier, parity } => barrier.slots().chain([*parity]).for_each(visit),
            Instr::Expect { barrier, .. } => barrier.slots().for_each(visit),
            Instr::Arrive { barrier, rank, .. } => barrier.slots().chain(*rank).for_each(visit),
            Instr::Named { id, .. } => visit(*id),
            Instr::Await { tokens: all, .. } | Instr::Use(all) | Instr::Moved(all) => {
                all.iter().copied().for_each(visit)
            }
            Instr::Wgmma { tiles, frags, .. } => {
                tiles.iter().flat_map(TileAt::slots).chain(frags.iter().copied()).for_each(visit);
            }
            Instr::Access { tile, .. }
            | Instr::Through { tile }
            | Instr::CopyAsync { tile, .. }
            | Instr::TmaStore { tile, .. }
            | Instr::Slice { of: tile, .. } => tile.slots().for_each(visit),
            Instr::TmaLoad { tile, barrier, .. } => tile.slots().chain(barrier.slots()).for_each(visit),
            _ => {}
        }
    }

    /// The slots that get something that only the instruction itself can make: a token, a part of a tile.
    pub fn made(&self) -> impl Iterator<Item = Slot> {
        let slots = match self {
            Instr::Slice { out, .. } => [Some(*out), None],
            Instr::Wgmma { out, token, .. } => [Some(*out), Some(*token)],
            Instr::CopyAsync { token, .. } | Instr::TmaStore { token, .. } => [Some(*token), None],
            _ => [None, None],
        };
        slots.into_iter().flatten()
    }

    /// The kind of work that it begins.
    pub fn begins(&self) -> Option<usize> {
        match self {
            Instr::Wgmma { .. } => Some(COMPUTE),
            Instr::CopyAsync { .. } => Some(LOAD),
            Instr::TmaStore { .. } => Some(EPILOGUE),
            _ => None,
        }
    }

    /// Adds all slots that it reads.
    pub fn reads(&self, into: &mut Vec<Slot>) {
        self.operands(&mut |slot| into.push(slot));
        match self {
            Instr::Set(_, expr) => expr.slots(into),
            Instr::Binary(_, _, both) => into.extend(both),
            Instr::Advance { from, .. } => into.extend(from),
            Instr::Order { tile, sizes, .. } => {
                into.push(*tile);
                sizes.iter().for_each(|size| size.slots(into));
            }
            Instr::Move(moves) => into.extend(moves.iter().map(|&(_, from)| from)),
            Instr::Start { bounds, .. } => bounds.iter().for_each(|bound| bound.slots(into)),
            Instr::Test { index, last, .. } => into.extend([*index, *last]),
            Instr::Next { index, step, .. } => into.extend([*index, *step]),
            Instr::Branch(condition, _) => condition.exprs().for_each(|expr| expr.slots(into)),
            Instr::BranchOn(slot, _) => into.push(*slot),
            Instr::Slice { at, .. } => at.iter().for_each(|at| at.slots(into)),
            _ => {}
        }
    }

    /// Adds all slots that it writes.
    pub fn writes(&self, into: &mut Vec<Slot>) {
        match self {
            Instr::Set(slot, _) | Instr::Block(slot, _) | Instr::Binary(slot, ..) | Instr::Choose(slot) => {
                into.push(*slot)
            }
            Instr::Advance { next, .. } => into.extend(next),
            Instr::Order { place, .. } => into.extend(place),
            Instr::Move(moves) => into.extend(moves.iter().map(|&(to, _)| to)),
            Instr::Start { index, last, step, .. } => into.extend([*index, *last, *step]),
            Instr::Next { index, .. } => into.push(*index),
            _ => into.extend(self.made()),
        }
    }
}
