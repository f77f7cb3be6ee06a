//! Instructions that move integers of a model thread or decide where it goes on: nobody else notices them.

use dlc_core::scalar::Binary as Function;

use smallvec::SmallVec;

use super::exprs::{Expr, Slot, UNKNOWN};
use super::order::place;
use super::program::{Instr, Of, Pc, Program, TileAt};

/// Where a model thread is.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// The blocks of a cluster along the axes.
    pub cluster: [i64; 3],
    /// The blocks of the grid.
    pub grid: [i64; 3],
    /// The first block of the cluster.
    pub first: [i64; 3],
    /// The number of the block in the cluster.
    pub rank: usize,
}

/// Why it is not given where a model thread goes on.
#[derive(Clone, Copy, Debug)]
pub enum UnknownInteger {
    /// How often a loop runs is unknown.
    Loop,
    /// The step of a loop is not positive.
    Step(i64),
    /// A condition is unknown.
    Condition,
    /// Which part of a tile is meant is unknown.
    Part,
    /// Data are asked for truth values too often.
    Choices,
}

/// The truth values that data have for a model thread, in the order in which it asks for them; `false` is a bit that is set.
pub type Choices = u32;

/// How many truth values of data a model thread may ask for.
pub const MOST_CHOICES: u32 = Choices::BITS;

/// A slot gets the next truth value. `None` where there are no more.
pub fn choose(slot: Slot, slots: &mut [i64], choices: Choices, asked: &mut u32) -> Option<()> {
    let bit = choices.checked_shr(*asked)? & 1;
    *asked += 1;
    slots[slot as usize] = i64::from(bit == 0);
    Some(())
}

/// Runs an instruction that gives slots other values.
pub fn integer(instr: &Instr, slots: &mut [i64], site: &Site) {
    match instr {
        Instr::Set(..) | Instr::Binary(..) => compute(instr, slots),
        Instr::Block(slot, of) => {
            let [x, y, _] = site.cluster;
            let r = site.rank as i64;
            let within = [r % x, r / x % y, r / (x * y)];
            slots[*slot as usize] = match of {
                Of::Id(axis) => site.first[*axis] + within[*axis],
                Of::Size(axis) => site.grid[*axis],
                Of::Rank => r,
            };
        }
        Instr::Advance { next, from, stages } => {
            let [stage, parity] = from.map(|slot| slots[slot as usize]);
            let stage = if stage == UNKNOWN { UNKNOWN } else { stage.checked_add(1).unwrap_or(UNKNOWN) };
            let other = if parity == UNKNOWN { UNKNOWN } else { 1i64.checked_sub(parity).unwrap_or(UNKNOWN) };
            let (stage, parity) = if stage >= *stages { (0, other) } else { (stage, parity) };
            slots[next[0] as usize] = stage;
            slots[next[1] as usize] = parity;
        }
        Instr::Order { place: at, tile, sizes, order, group } => {
            let (rows, columns) = (sizes[0].eval(slots), sizes[1].eval(slots));
            let found = place(*order, *group, slots[*tile as usize], rows, columns);
            let (row, column) = found.unwrap_or((UNKNOWN, UNKNOWN));
            slots[at[0] as usize] = row;
            slots[at[1] as usize] = column;
        }
        _ => {}
    }
}

/// Slots get what others hold, one after another.
#[inline]
pub fn shift(moves: &[(Slot, Slot)], slots: &mut [i64]) {
    for &(to, from) in moves {
        slots[to as usize] = slots[from as usize];
    }
}

/// The first byte of a part of a tile. `None` where it does not follow from integers, or lies outside.
pub fn part(program: &Program, of: TileAt, at: &[Expr], slots: &[i64]) -> Option<i64> {
    let ty = &program.tiles[of.ty as usize];
    let stage = of.stage.map_or(0, |slot| slots[slot as usize]);
    let base = u32::try_from(slots[of.base as usize]).ok().filter(|_| (0..ty.stages.max(1)).contains(&stage))?;
    let mut places: SmallVec<[u32; 4]> = SmallVec::new();
    for (at, &size) in at.iter().zip(ty.place.shape()) {
        places.push(u32::try_from(at.eval(slots)).ok().filter(|&at| at < size)?);
    }
    Some(i64::from(base + stage as u32 * ty.stride + ty.place.offset(&places)))
}

/// What is computed from other integers alone, of neither the block nor a ring.
pub fn compute(instr: &Instr, slots: &mut [i64]) {
    match instr {
        Instr::Set(slot, expr) => slots[*slot as usize] = expr.eval(slots),
        Instr::Binary(slot, function, [a, b]) => {
            let value = binary(*function, slots[*a as usize], slots[*b as usize]);
            slots[*slot as usize] = value.unwrap_or(UNKNOWN);
        }
        _ => {}
    }
}

/// The first integer of a loop, the one after the last, the step.
pub fn start(bounds: &[Expr; 3], slots: &[i64]) -> Result<[i64; 3], UnknownInteger> {
    let values = [0, 1, 2].map(|part: usize| bounds[part].eval(slots));
    match values {
        _ if values.contains(&UNKNOWN) => Err(UnknownInteger::Loop),
        [_, _, step] if step <= 0 => Err(UnknownInteger::Step(step)),
        _ => Ok(values),
    }
}

/// How often a loop runs.
pub fn rounds([first, last, step]: [i64; 3]) -> i64 {
    last.saturating_sub(first).max(0).saturating_add(step - 1) / step
}

/// Where a model thread goes on after a branch.
pub fn branch(instr: &Instr, pc: Pc, slots: &[i64]) -> Result<Pc, UnknownInteger> {
    let (goes_on, to) = match instr {
        Instr::Branch(condition, to) => (condition.holds(slots).ok_or(UnknownInteger::Condition)?, *to),
        Instr::BranchOn(slot, to) => match slots[*slot as usize] {
            UNKNOWN => return Err(UnknownInteger::Condition),
            value => (value != 0, *to),
        },
        _ => (true, 0),
    };
    Ok(if goes_on { pc + 1 } else { to })
}

/// A function of two integers. `None` beyond 64 bits and where nothing is defined.
pub fn binary(function: Function, a: i64, b: i64) -> Option<i64> {
    if a == UNKNOWN || b == UNKNOWN {
        return None;
    }
    Some(match function {
        Function::Add => a.checked_add(b)?,
        Function::Sub => a.checked_sub(b)?,
        Function::Mul => a.checked_mul(b)?,
        Function::Max => a.max(b),
        Function::Min => a.min(b),
        Function::Floordiv => a.checked_div_euclid(b).filter(|_| b > 0)?,
        Function::Floormod => a.checked_rem_euclid(b).filter(|_| b > 0)?,
        Function::And => a & b,
        Function::Or => a | b,
        Function::Xor => a ^ b,
        Function::Eq => (a == b).into(),
        Function::Ne => (a != b).into(),
        Function::Lt => (a < b).into(),
        Function::Le => (a <= b).into(),
        Function::Gt => (a > b).into(),
        Function::Ge => (a >= b).into(),
        _ => return None,
    })
}
