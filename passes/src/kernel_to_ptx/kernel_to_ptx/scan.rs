//! Scans along an axis that registers, lanes and warps share.
//!
//! The axis is a tree: its lowest bits are those of the registers of a thread, then come bits of lanes, of warps, and of
//! registers again where a fragment repeats its layout. Level by level each part of the axis gets what all its elements
//! combine to, and what the parts before it combine to; the elements themselves are combined with that once, at last. The
//! order in which numbers are combined depends on the layout alone.

use dlc_core::scalar::Combiner;
use dlc_ir::Type;
use dlc_kernel::layout::{Dim, Fragment};
use dlc_kernel::ops as kernel;
use dlc_ptx::inst::Arg;

use super::Refused;
use super::code::Cond;
use super::compute::{groups, neutral, own_places};
use super::exchange::{Shared, along};
use super::lower::Lower;
use super::scalar::Elem;
use crate::analysis::numbers::function;

/// Bits of the axis next to each other that are of one kind, the lowest first.
struct Level {
    dim: Dim,
    bits: Vec<u32>,
}

/// Elements next to each other that a thread has along the axis.
struct Run {
    /// The registers, from the first position to the last.
    registers: Vec<usize>,
    /// What the elements up to each combine to.
    sums: Vec<Arg>,
    /// What the elements before the run combine to, as far as it is known.
    before: Option<Arg>,
}

/// Some runs that are one part of the axis, and what they and those of other threads in it combine to.
struct Part {
    runs: std::ops::Range<usize>,
    all: Arg,
}

/// What a thread has at one position along the other axes.
struct Row {
    runs: Vec<Run>,
    parts: Vec<Part>,
}

/// How numbers are combined.
#[derive(Clone, Copy)]
struct How {
    combiner: Combiner,
    reverse: bool,
    elem: Elem,
    ty: Type,
}

/// The levels of an axis, from its lowest bits to its highest.
fn levels(from: &Fragment, axis: usize) -> Result<Vec<Level>, Refused> {
    let mut bits = Vec::new();
    for dim in [Dim::Register, Dim::Lane, Dim::Warp] {
        let own = along(from, dim, axis).ok_or_else(|| {
            Refused::new("bits of the layout move along the axis and another one at once")
                .suggest("convert the fragment to a layout of blocks before")
        })?;
        let step = |bit: u32| from.map().basis(dim, bit).map_or(0, |column| column[axis]);
        bits.extend(own.into_iter().map(|bit| (step(bit), dim, bit)));
    }
    bits.sort_unstable_by_key(|&(step, ..)| step);
    let mut levels: Vec<Level> = Vec::new();
    for (place, (step, dim, bit)) in bits.into_iter().enumerate() {
        if step != 1 << place {
            return Err(Refused::new("the elements along the axis do not each have a place of their own"));
        }
        match levels.last_mut().filter(|level| level.dim == dim) {
            Some(level) => level.bits.push(bit),
            None => levels.push(Level { dim, bits: vec![bit] }),
        }
    }
    Ok(levels)
}

impl<'a, 'c: 'a> Lower<'a, 'c> {
    /// Each element combined with those before it.
    pub fn scan(&mut self, op: kernel::Scan<'a>) -> Result<(), Refused> {
        let (input, axis, combiner) = (op.input(), op.axis() as usize, op.combiner());
        let ty = self.elem(input);
        let elem = Elem::of(self.ctx(), ty)?;
        let how = How { combiner, reverse: op.reverse().is_some(), elem: elem.wide(), ty: elem.wide().ty(ty) };
        let from = self.fragment(self.kernel.value_type(input))?;
        let to = self.fragment(self.kernel.value_type(op.before()))?;
        let mut levels = levels(&from, axis)?;
        let numbers = self.wide_inputs(input, combiner)?;
        let mut befores = Vec::new();
        for &before in self.registers(op.before())?.iter() {
            befores.push(self.code.cast(before, ty, how.ty)?);
        }
        let own = match levels.first() {
            Some(level) if level.dim == Dim::Register => 1 << levels.remove(0).bits.len(),
            _ => 1,
        };
        let places = own_places(&from);
        let mut rows = Vec::new();
        for mut registers in groups(&from, &to, axis)? {
            registers.sort_by_key(|&register| places[register][axis]);
            if how.reverse {
                registers.reverse();
            }
            rows.push(self.scanned_row(&registers, own, &numbers, how)?);
        }
        for level in &levels {
            match level.dim {
                Dim::Register => self.join_parts(&mut rows, 1 << level.bits.len(), how)?,
                Dim::Lane => self.scan_lanes(&mut rows, &level.bits, how)?,
                _ => self.scan_warps(op, &mut rows, &level.bits, (&from, &to), how)?,
            }
        }
        let (mut out, mut next) = (vec![None; numbers.len()], Vec::with_capacity(rows.len()));
        for (row, before) in rows.into_iter().zip(befores) {
            for run in row.runs {
                let first = self.both(Some(before), run.before, how)?.unwrap_or(before);
                let exclusive = op.exclusive().is_some();
                let sums = [None].into_iter().filter(|_| exclusive).chain(run.sums.into_iter().map(Some));
                for (register, sum) in run.registers.into_iter().zip(sums) {
                    let value = self.both(Some(first), sum, how)?.unwrap_or(first);
                    out[register] = Some(self.code.cast(value, how.ty, ty)?);
                }
            }
            let all = row.parts.first().map(|part| part.all);
            let all = self.both(Some(before), all, how)?.unwrap_or(before);
            next.push(self.code.cast(all, how.ty, ty)?);
        }
        let out: Option<Vec<Arg>> = out.into_iter().collect();
        let out = out.ok_or_else(|| Refused::new("an element is at no position along the other axes"))?;
        self.set_fragment(op.out(), out);
        self.set_fragment(op.next(), next);
        Ok(())
    }

    /// Two numbers combined, the first before the second, of which one may be none.
    fn both(&mut self, a: Option<Arg>, b: Option<Arg>, how: How) -> Result<Option<Arg>, Refused> {
        match (a, b) {
            (Some(a), Some(b)) => self.code.binary(function(how.combiner), a, b, how.ty).map(Some),
            (a, b) => Ok(a.or(b)),
        }
    }

    /// The elements of a thread in runs of `own`, each combined one after another.
    fn scanned_row(&mut self, registers: &[usize], own: usize, numbers: &[Arg], how: How) -> Result<Row, Refused> {
        let mut row = Row { runs: Vec::new(), parts: Vec::new() };
        for (at, registers) in registers.chunks(own).enumerate() {
            let (mut sums, mut sum) = (Vec::with_capacity(registers.len()), None);
            for &register in registers {
                let value = self.both(sum, Some(numbers[register]), how)?.unwrap_or(numbers[register]);
                sums.push(value);
                sum = Some(value);
            }
            let all = sum.unwrap_or_else(|| neutral(how.combiner, how.elem));
            row.parts.push(Part { runs: at..at + 1, all });
            row.runs.push(Run { registers: registers.to_vec(), sums, before: None });
        }
        Ok(row)
    }

    /// Puts what is before a part before each of its runs.
    fn put_before(&mut self, runs: &mut [Run], before: Option<Arg>, how: How) -> Result<(), Refused> {
        for run in runs {
            run.before = self.both(before, run.before, how)?;
        }
        Ok(())
    }

    /// Parts of a thread next to each other become one.
    fn join_parts(&mut self, rows: &mut [Row], count: usize, how: How) -> Result<(), Refused> {
        for row in rows {
            let mut joined = Vec::new();
            for parts in std::mem::take(&mut row.parts).chunks(count) {
                let mut before = None;
                for part in parts {
                    self.put_before(&mut row.runs[part.runs.clone()], before, how)?;
                    before = self.both(before, Some(part.all), how)?;
                }
                if let (Some(first), Some(last), Some(all)) = (parts.first(), parts.last(), before) {
                    joined.push(Part { runs: first.runs.start..last.runs.end, all });
                }
            }
            row.parts = joined;
        }
        Ok(())
    }

    /// The parts of the lanes of a warp become one: in each round what is before a lane grows by the other half.
    fn scan_lanes(&mut self, rows: &mut [Row], bits: &[u32], how: How) -> Result<(), Refused> {
        let mut befores: Vec<Vec<Option<Arg>>> = rows.iter().map(|row| vec![None; row.parts.len()]).collect();
        for &bit in bits {
            let lane = self.code.and(self.team.lane, 1 << bit);
            let is_after = self.code.compare(if how.reverse { "eq" } else { "ne" }, lane, Arg::Int(0));
            // Round by round for all parts, so that they are on their way together.
            let mut others = Vec::new();
            for part in rows.iter().flat_map(|row| &row.parts) {
                // Of a known number all lanes have as many.
                let own = Arg::Value(self.code.register(part.all, how.elem.held()));
                others.push(self.code.shuffled("bfly", own, Arg::Int(1 << bit), how.elem));
            }
            let parts = rows.iter_mut().zip(&mut befores).flat_map(|(row, befores)| row.parts.iter_mut().zip(befores));
            for ((part, before), other) in parts.zip(others) {
                let after = self.both(Some(other), *before, how)?.unwrap_or(other);
                let no = before.unwrap_or_else(|| neutral(how.combiner, how.elem));
                *before = Some(self.code.select(is_after, after, no, how.elem));
                part.all = self.both(Some(part.all), Some(other), how)?.unwrap_or(other);
            }
        }
        for (row, befores) in rows.iter_mut().zip(befores) {
            for (part, before) in row.parts.iter().zip(befores) {
                self.put_before(&mut row.runs[part.runs.clone()], before, how)?;
            }
        }
        Ok(())
    }

    /// The parts of the warps that share an axis become one, through a tile.
    fn scan_warps(
        &mut self,
        op: kernel::Scan<'a>,
        rows: &mut [Row],
        bits: &[u32],
        (from, to): (&Fragment, &Fragment),
        how: How,
    ) -> Result<(), Refused> {
        let Some(tile) = op.through() else {
            return Err(Refused::new("several warps share the axis, and there is no tile to exchange through")
                .suggest("name one: 'through %s'"));
        };
        let own = self.warp_number(bits);
        let count = 1i64 << bits.len();
        let order: Vec<i64> = if how.reverse { (0..count).rev().collect() } else { (0..count).collect() };
        let is_own: Vec<Cond> = order.iter().map(|&number| self.code.compare("eq", own, Arg::Int(number))).collect();
        let parts = rows.iter().map(|row| row.parts.len()).max().unwrap_or(0);
        let lists: Vec<Vec<Arg>> =
            (0..parts).map(|part| rows.iter().map(|row| row.parts[part].all).collect()).collect();
        let mut found = Vec::new();
        let shared = Shared { op: *op, to, from, warps: bits, tile, ty: how.ty };
        self.between_warps(&shared, &lists, |lower, numbers| {
            let (mut all, mut before) = (None, neutral(how.combiner, how.elem));
            for (&number, &is_own) in order.iter().zip(&is_own) {
                if let Some(all) = all {
                    before = lower.code.select(is_own, all, before, how.elem);
                }
                all = lower.both(all, Some(numbers[number as usize]), how)?;
            }
            found.push((before, all.unwrap_or(before)));
            Ok(())
        })?;
        // List by list, and in each row by row.
        let mut found = found.into_iter();
        for part in 0..parts {
            for row in rows.iter_mut() {
                let Some((before, all)) = found.next() else { continue };
                let runs = row.parts[part].runs.clone();
                row.parts[part].all = all;
                self.put_before(&mut row.runs[runs], Some(before), how)?;
            }
        }
        Ok(())
    }
}
