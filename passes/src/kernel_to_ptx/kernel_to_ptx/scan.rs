//! Scans along an axis that registers, lanes and warps share.
//!
//! The axis is a tree: its lowest bits are those of the registers of a thread, then come bits of lanes, of warps, and of
//! registers again where a fragment repeats its layout. Level by level each part of the axis gets what all its elements
//! combine to, and what the parts before it combine to; the elements themselves are combined with that once, at last. The
//! order in which numbers are combined depends on the layout alone.
//!
//! A linear recurrence combines the functions `h -> a h + b` of its elements: that of `(a1, b1)` and then `(a2, b2)` is
//! `(a1 a2, a2 b1 + b2)`. What is before all elements is a number, to which a function is applied.

use dlc_core::scalar::{Binary, Combiner, ScanCombiner};
use dlc_ir::{Type, ValueId};
use dlc_kernel::layout::{Dim, Fragment};
use dlc_kernel::ops as kernel;
use dlc_ptx::inst::Arg;

use super::Refused;
use super::code::Cond;
use super::compute::{groups, identity_arg, own_places};
use super::exchange::{Shared, bits_along};
use super::lower::Lower;
use super::scalar::Elem;
use crate::analysis::numbers::function;

/// What elements combine to: a number, or with a factor the function that a recurrence applies to what is before.
#[derive(Clone, Copy)]
struct Number {
    factor: Option<Arg>,
    value: Arg,
}

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
    sums: Vec<Number>,
    /// What the elements before the run combine to, as far as it is known.
    before: Option<Number>,
}

/// Some runs that are one part of the axis, and what they and those of other threads in it combine to.
struct Part {
    runs: std::ops::Range<usize>,
    all: Number,
}

/// What a thread has at one position along the other axes.
struct Row {
    runs: Vec<Run>,
    parts: Vec<Part>,
}

/// How numbers are combined.
#[derive(Clone, Copy)]
struct How {
    combiner: ScanCombiner,
    reverse: bool,
    elem: Elem,
    ty: Type,
}

impl How {
    /// What changes nothing that it is combined with.
    fn identity(self) -> Number {
        let factor = (self.combiner == ScanCombiner::Linear).then(|| identity_arg(Combiner::Prod, self.elem));
        Number { factor, value: identity_arg(self.combiner.running(), self.elem) }
    }
}

/// The levels of an axis, from its lowest bits to its highest.
fn levels(from: &Fragment, axis: usize) -> Result<Vec<Level>, Refused> {
    let mut levels: Vec<Level> = Vec::new();
    for (dim, bit) in bits_along(from, axis)? {
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
        let (axis, combiner) = (op.axis() as usize, op.combiner());
        let inputs: Vec<ValueId> = op.inputs().collect();
        let Some(&input) = inputs.last() else { return Err(Refused::new("nothing is scanned")) };
        let ty = self.elem(input);
        let elem = Elem::of(self.ctx(), ty)?;
        let how = How { combiner, reverse: op.reverse().is_some(), elem: elem.wide(), ty: elem.wide().ty(ty) };
        let from = self.fragment(self.kernel.value_type(input))?;
        let to = self.fragment(self.kernel.value_type(op.before()))?;
        let mut levels = levels(&from, axis)?;
        let mut parts = Vec::new();
        for (&input, part) in inputs.iter().zip(combiner.operands()) {
            parts.push(self.wide_inputs(input, *part)?);
        }
        let values = parts.pop().unwrap_or_default();
        let factor = |register: usize| parts.first().map(|factors| factors[register]);
        let with_factor = |(register, value)| Number { factor: factor(register), value };
        let numbers: Vec<Number> = values.into_iter().enumerate().map(with_factor).collect();
        let mut befores = Vec::new();
        for &before in self.registers(op.before())?.iter() {
            befores.push(Number { factor: None, value: self.code.cast(before, ty, how.ty)? });
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
                let first = self.followed(before, run.before, how)?;
                let exclusive = op.exclusive().is_some();
                let sums = [None].into_iter().filter(|_| exclusive).chain(run.sums.into_iter().map(Some));
                for (register, sum) in run.registers.into_iter().zip(sums) {
                    let number = self.followed(first, sum, how)?;
                    out[register] = Some(self.code.cast(number.value, how.ty, ty)?);
                }
            }
            let all = row.parts.first().map(|part| part.all);
            let all = self.followed(before, all, how)?;
            next.push(self.code.cast(all.value, how.ty, ty)?);
        }
        let out: Option<Vec<Arg>> = out.into_iter().collect();
        let out = out.ok_or_else(|| Refused::new("an element is at no position along the other axes"))?;
        self.set_fragment(op.out(), out);
        self.set_fragment(op.next(), next);
        Ok(())
    }

    /// Two numbers combined, the first before the second.
    fn both(&mut self, a: Number, b: Number, how: How) -> Result<Number, Refused> {
        let factor = match (a.factor, b.factor) {
            (Some(a), Some(b)) => Some(self.code.binary(Binary::Mul, a, b, how.ty)?),
            _ => None,
        };
        Ok(Number { factor, value: self.value_of_both(a, b, how)? })
    }

    fn value_of_both(&mut self, a: Number, b: Number, how: How) -> Result<Arg, Refused> {
        match (b.factor, how.elem) {
            (None, _) => self.code.binary(function(how.combiner.running()), a.value, b.value, how.ty),
            (Some(factor), Elem::F32 | Elem::F64) => self.code.mulacc(factor, a.value, b.value, how.ty),
            (Some(factor), _) => {
                let product = self.code.binary(Binary::Mul, factor, a.value, how.ty)?;
                self.code.binary(Binary::Add, product, b.value, how.ty)
            }
        }
    }

    /// A number, combined with one after it if there is one.
    fn followed(&mut self, a: Number, b: Option<Number>, how: How) -> Result<Number, Refused> {
        b.map_or(Ok(a), |b| self.both(a, b, how))
    }

    /// One of two numbers.
    fn chosen_number(&mut self, cond: Cond, yes: Number, no: Number, how: How) -> Number {
        let factor = yes.factor.zip(no.factor).map(|(yes, no)| self.code.select(cond, yes, no, how.elem));
        Number { factor, value: self.code.select(cond, yes.value, no.value, how.elem) }
    }

    /// The elements of a thread in runs of `own`, each combined one after another.
    fn scanned_row(&mut self, registers: &[usize], own: usize, numbers: &[Number], how: How) -> Result<Row, Refused> {
        let mut row = Row { runs: Vec::new(), parts: Vec::new() };
        for (at, registers) in registers.chunks(own).enumerate() {
            let mut sums: Vec<Number> = Vec::with_capacity(registers.len());
            for &register in registers {
                let own = numbers[register];
                let sum = sums.last().map_or(Ok(own), |&before| self.both(before, own, how))?;
                sums.push(sum);
            }
            let all = sums.last().copied().unwrap_or_else(|| how.identity());
            row.parts.push(Part { runs: at..at + 1, all });
            row.runs.push(Run { registers: registers.to_vec(), sums, before: None });
        }
        Ok(row)
    }

    /// Puts what is before a part before each of its runs.
    fn put_before(&mut self, runs: &mut [Run], before: Option<Number>, how: How) -> Result<(), Refused> {
        let Some(before) = before else { return Ok(()) };
        for run in runs {
            run.before = Some(self.followed(before, run.before, how)?);
        }
        Ok(())
    }

    /// Parts of a thread besides each other become one.
    fn join_parts(&mut self, rows: &mut [Row], count: usize, how: How) -> Result<(), Refused> {
        for row in rows {
            let mut joined = Vec::new();
            for parts in std::mem::take(&mut row.parts).chunks(count) {
                let mut before: Option<Number> = None;
                for part in parts {
                    self.put_before(&mut row.runs[part.runs.clone()], before, how)?;
                    before = Some(before.map_or(Ok(part.all), |before| self.both(before, part.all, how))?);
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
        let mut befores: Vec<Vec<Option<Number>>> = rows.iter().map(|row| vec![None; row.parts.len()]).collect();
        for &bit in bits {
            let lane = self.code.and(self.thread_group.lane, 1 << bit);
            let is_after = self.code.compare(if how.reverse { "eq" } else { "ne" }, lane, Arg::Int(0));
            // Round by round for all parts, so that they are on their way together.
            let mut others = Vec::new();
            for part in rows.iter().flat_map(|row| &row.parts) {
                let mut shuffled = |own: Arg| {
                    // Of a known number all lanes have as many.
                    let own = Arg::Value(self.code.register(own, how.elem.held()));
                    self.code.shuffled("bfly", own, Arg::Int(1 << bit), how.elem)
                };
                others.push(Number { factor: part.all.factor.map(&mut shuffled), value: shuffled(part.all.value) });
            }
            let parts = rows.iter_mut().zip(&mut befores).flat_map(|(row, befores)| row.parts.iter_mut().zip(befores));
            for ((part, before), other) in parts.zip(others) {
                let after = self.followed(other, *before, how)?;
                let no = before.unwrap_or_else(|| how.identity());
                *before = Some(self.chosen_number(is_after, after, no, how));
                let own = part.all;
                part.all = self.both(own, other, how)?;
                // The order of factors does not matter, that of functions does.
                if part.all.factor.is_some() {
                    let after = self.value_of_both(other, own, how)?;
                    part.all.value = self.code.select(is_after, after, part.all.value, how.elem);
                }
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
        // The factors of a part come before its values.
        let mut lists: Vec<Vec<Arg>> = Vec::new();
        for part in 0..parts {
            let all = || rows.iter().map(|row| row.parts[part].all);
            lists.extend(all().map(|all| all.factor).collect::<Option<Vec<Arg>>>().filter(|list| !list.is_empty()));
            lists.push(all().map(|all| all.value).collect());
        }
        let each = lists.len() / parts.max(1);
        let (mut found, mut factors, mut count) = (Vec::new(), Vec::new(), 0..);
        let shared = Shared { op: *op, to, from, warps: bits, tile, ty: how.ty };
        let height = rows.len().max(1);
        self.between_warps(&shared, &lists, |lower, numbers| {
            let place: usize = count.next().unwrap_or_default();
            if place / height % each + 1 < each {
                factors.push(numbers);
                return Ok(());
            }
            let factors = factors.get(place / height / each * height + place % height);
            let (mut all, mut before): (Option<Number>, _) = (None, how.identity());
            for (&number, &is_own) in order.iter().zip(&is_own) {
                let number = number as usize;
                let own = Number { factor: factors.map(|factors: &Vec<Arg>| factors[number]), value: numbers[number] };
                if let Some(all) = all {
                    before = lower.chosen_number(is_own, all, before, how);
                }
                all = Some(all.map_or(Ok(own), |all| lower.both(all, own, how))?);
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
