//! What threads exchange: reductions along an axis that they share, and elements that go to other threads.

use dlc_core::scalar::Combiner;
use dlc_ir::{OpRef, Type, ValueId};
use dlc_kernel::layout::{Conversion, Dim, Fragment, LANES, Linear, Shuffles};
use dlc_kernel::ops as kernel;
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::{Code, Cond};
use super::compute::groups;
use super::lower::Lower;
use super::scalar::{Elem, cond_of};
use super::values::{Coords, Lowered, coords, elem_bytes, exists, spread, tile_of};
use crate::analysis::numbers::function;

impl Code<'_> {
    /// What another lane has in a register.
    pub fn shuffled(&mut self, mode: &str, x: Arg, lane: Arg, elem: Elem) -> Arg {
        let value = match x {
            // Everybody has it.
            Arg::Value(value) => value,
            known => return known,
        };
        let shuffle = |code: &mut Self, value, ty| {
            let args = [Arg::Value(value), lane, Arg::Int(31), Arg::Int(-1)];
            code.typed(&table::SHFL, &format!("{mode}.b32"), &args, Some(ty))
        };
        match elem {
            Elem::F32 => shuffle(self, value, Type::F32).into(),
            Elem::Truth => {
                let number = self.made(&table::SELP, "b32", &[Arg::Int(1), Arg::Int(0), x]);
                let number = self.register(number, Type::I32);
                let number = shuffle(self, number, Type::I32);
                self.made(&table::SETP, "ne.s32", &[number.into(), Arg::Int(0)])
            }
            Elem::Small(_) => {
                let wide = self.inst(&table::CVT, "u32.u16", &[x]);
                let wide = shuffle(self, wide, Type::I32);
                self.made(&table::CVT, "u16.u32", &[wide.into()])
            }
            Elem::Int { bits: 64, .. } | Elem::F64 => {
                let bits = self.bits(value, Type::I64);
                let halves = self.insts(&table::UNPACK, "b64", &[bits.into()]);
                let halves: Vec<Arg> = halves.into_iter().map(|half| shuffle(self, half, Type::I32).into()).collect();
                let both = self.inst(&table::PACK, "b64", &halves);
                self.bits(both, elem.held()).into()
            }
            Elem::Int { .. } => shuffle(self, value, Type::I32).into(),
        }
    }
}

/// What warps that share an axis exchange, and through which tile.
pub struct Shared<'a, 'f> {
    pub op: OpRef<'a>,
    /// The numbers that each of them has.
    pub to: &'f Fragment,
    /// The elements that these consist of.
    pub from: &'f Fragment,
    /// The bits of the number of a warp that tell them apart.
    pub warps: &'f [u32],
    pub tile: ValueId,
    /// The type of the numbers.
    pub ty: Type,
}

/// The bits of a number that move along an axis, if each of them moves along no other one.
pub fn along(fragment: &Fragment, dim: Dim, axis: usize) -> Option<Vec<u32>> {
    let map = fragment.map();
    let mut bits = Vec::new();
    for bit in 0..map.input_bits(dim) {
        let column = map.basis(dim, bit)?;
        if column[axis] == 0 {
            continue;
        }
        if column.iter().filter(|&&step| step != 0).count() > 1 || !column[axis].is_power_of_two() {
            return None;
        }
        bits.push(bit);
    }
    Some(bits)
}

/// The bits of registers, lanes and warps that are those of the position along an axis, from the lowest on.
pub fn bits_along(from: &Fragment, axis: usize) -> Result<Vec<(Dim, u32)>, Refused> {
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
    if bits.iter().enumerate().any(|(place, &(step, ..))| step != 1 << place) {
        return Err(Refused::new("the elements along the axis do not each have a place of their own"));
    }
    Ok(bits.into_iter().map(|(_, dim, bit)| (dim, bit)).collect())
}

/// How the words for numbers in shared memory are.
pub fn memory_word(elem: Elem) -> &'static str {
    match elem {
        Elem::F32 => "f32",
        Elem::F64 => "f64",
        Elem::Int { bits: 64, .. } => "b64",
        Elem::Small(_) => "b16",
        _ => "b32",
    }
}

impl<'a, 'c: 'a> Lower<'a, 'c> {
    /// What the elements along an axis combine to: first those of a thread, then those of the lanes of a warp, then
    /// those of warps through a tile.
    pub fn reduce(&mut self, op: kernel::Reduce<'a>) -> Result<(), Refused> {
        let (input, axis, combiner) = (op.input(), op.axis() as usize, op.combiner());
        let ty = self.elem(input);
        let elem = Elem::of(self.ctx(), ty)?;
        let (wide, wide_ty) = (elem.wide(), elem.wide().ty(ty));
        let from = self.fragment(self.kernel.value_type(input))?;
        let to = self.fragment(self.kernel.value_type(op.out()))?;
        let numbers = self.wide_inputs(input, combiner)?;
        let parts = groups(&from, &to, axis)?;
        let lanes = along(&from, Dim::Lane, axis);
        let warps = along(&from, Dim::Warp, axis);
        let registers = along(&from, Dim::Register, axis);
        let (Some(lanes), Some(warps), Some(_)) = (lanes, warps, registers) else {
            return Err(Refused::new("bits of the layout move along the axis and another one at once")
                .suggest("convert the fragment to a layout of blocks before"));
        };
        let mut results = Vec::with_capacity(parts.len());
        for part in parts {
            let own: Vec<Arg> = part.iter().map(|&register| numbers[register]).collect();
            results.push(self.combined(combiner, own, wide_ty)?);
        }
        // Round by round for all registers, so that they are on their way together.
        for bit in lanes.into_iter().rev() {
            for result in &mut results {
                // Of a known number all lanes have as many.
                let own = Arg::Value(self.code.register(*result, wide.held()));
                let other = self.code.shuffled("bfly", own, Arg::Int(1 << bit), wide);
                *result = self.code.binary(function(combiner), own, other, wide_ty)?;
            }
        }
        if !warps.is_empty() {
            let Some(tile) = op.through() else {
                return Err(Refused::new("several warps share the axis, and there is no tile to exchange through")
                    .suggest("name one: 'through %s'"));
            };
            results = self.across_warps(*op, &results, &to, &from, &warps, tile, combiner, wide_ty)?;
        }
        let mut registers = Vec::with_capacity(results.len());
        for result in results {
            registers.push(self.code.cast(result, wide_ty, ty)?);
        }
        self.set_fragment(op.out(), registers);
        Ok(())
    }

    /// What the warps that share an axis have, combined: each writes its numbers, and all read those of all.
    #[allow(clippy::too_many_arguments)]
    fn across_warps(
        &mut self,
        op: OpRef<'a>,
        results: &[Arg],
        to: &Fragment,
        from: &Fragment,
        warps: &[u32],
        tile: ValueId,
        combiner: Combiner,
        ty: Type,
    ) -> Result<Vec<Arg>, Refused> {
        let mut sums = Vec::with_capacity(results.len());
        let shared = Shared { op, to, from, warps, tile, ty };
        self.between_warps(&shared, &[results.to_vec()], |lower, parts| {
            sums.push(lower.combined(combiner, parts, ty)?);
            Ok(())
        })?;
        Ok(sums)
    }

    /// Gives each warp what the warps that share an axis have, one list for each number, in the order of the numbers: each
    /// warp writes its own to a tile, and all read those of all. There may be several lists of numbers, each of them for the
    /// registers of one fragment.
    pub fn between_warps(
        &mut self,
        shared: &Shared<'a, '_>,
        lists: &[Vec<Arg>],
        mut each: impl FnMut(&mut Self, Vec<Arg>) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let &Shared { op, to, from, warps, tile, ty } = shared;
        let elem = Elem::of(self.ctx(), ty)?;
        if !to.warps().is_power_of_two() {
            return Err(Refused::new("warps that share an axis must be a power of two"));
        }
        // Truth values as numbers.
        let is_truth = elem == Elem::Truth;
        let as_number = |lower: &mut Self, arg: Arg| match is_truth {
            true => lower.code.select(cond_of(arg), 1.into(), 0.into(), INT),
            false => arg,
        };
        let lists: Vec<Vec<Arg>> =
            lists.iter().map(|list| list.iter().map(|&arg| as_number(self, arg)).collect()).collect();
        let kept = if is_truth { INT } else { elem };
        let bytes = if is_truth { 4 } else { elem_bytes(&self.code, ty) };
        let (tile_ty, place) = tile_of(&self.code, self.kernel.value_type(tile))?;
        let at = match self.value(tile)? {
            &Lowered::Tile(at) if tile_ty.stages(self.ctx()) == 1 => at,
            _ => return Err(Refused::new("warps exchange through one tile, not a ring of them")),
        };
        let elements: u32 = to.shape().iter().product();
        let count = 1u32 << warps.len();
        let numbers = u64::from(elements) * lists.len() as u64;
        let room = numbers * u64::from(count) * u64::from(bytes);
        if at.low != 0 || room > u64::from(place.bytes()) {
            let message = format!(
                "{count} warps exchange {numbers} numbers each, {room} bytes, and the tile has {}",
                place.bytes()
            );
            return Err(Refused::new(message).suggest("let the tile have a number for each warp and element"));
        }
        let thread_group = self.thread_group;
        let places = coords(&mut self.code, to, &thread_group);
        let offsets = self.offsets(to, &places, at.base, bytes);
        // Which of the warps that share the axis this one is.
        let number = self.warp_number(warps);
        let own = self.code.mul(number, Arg::Int((elements * bytes).into()));
        // The first of the lanes that have a number writes it.
        let free = to.free().lanes;
        let mut first = Cond::Known(true);
        if free != 0 {
            let lane =
                if free == LANES - 1 { thread_group.lane } else { self.code.and(thread_group.lane, free.into()) };
            first = self.code.compare("eq", lane, Arg::Int(0));
        }
        let alike = from.free().warps;
        if alike != 0 {
            let warp = self.code.and(thread_group.warp, alike.into());
            let is_first = self.code.compare("eq", warp, Arg::Int(0));
            first = self.code.both(first, is_first);
        }
        let word = memory_word(kept);
        let conditions: Vec<Cond> =
            (0..offsets.len()).map(|register| exists(&mut self.code, to, &places, register)).collect();
        let step = count * elements * bytes;
        for (list, results) in (0u32..).zip(&lists) {
            for (register, &result) in results.iter().enumerate() {
                let (address, offset) = offsets[register];
                let address = self.code.add(address, own);
                let address = self.code.register(address, Type::I32).into();
                let cond = self.code.both(first, conditions[register]);
                let result = self.code.register(result, kept.held()).into();
                let args = [address, Arg::Int((offset + list * step).into()), result];
                self.code.guarded(cond, &table::ST, &format!("shared.{word}"), &args, &[]);
            }
        }
        self.meet();
        for list in (0u32..).take(lists.len()) {
            for &(address, offset) in &offsets {
                let address = self.code.register(address, Type::I32).into();
                let mut parts = Vec::with_capacity(count as usize);
                for number in 0..count {
                    let at = Arg::Int((offset + list * step + number * elements * bytes).into());
                    let part =
                        self.code.typed(&table::LD, &format!("shared.{word}"), &[address, at], Some(kept.held()));
                    parts.push(match is_truth {
                        true => self.code.made(&table::SETP, "ne.s32", &[part.into(), Arg::Int(0)]),
                        false => part.into(),
                    });
                }
                each(self, parts)?;
            }
        }
        if self.is_used_again(op, tile) {
            self.meet();
        }
        Ok(())
    }

    /// The number that some bits of the number of a warp make, the first the lowest.
    pub fn warp_number(&mut self, warps: &[u32]) -> Arg {
        let mut bits = vec![0; 5];
        for (number, &bit) in warps.iter().enumerate() {
            bits[bit as usize] = 1 << number;
        }
        let warp = self.thread_group.warp;
        spread(&mut self.code, &[(warp, bits)]).0
    }

    /// Where each register of a fragment lies in a tile in row-major order: an address, and bytes after it.
    fn offsets(&mut self, to: &Fragment, places: &Coords, base: Arg, bytes: u32) -> Vec<(Arg, u32)> {
        // The steps of the result in memory, in its row-major order.
        let shape = to.shape().to_vec();
        let steps: Vec<u32> = (0..shape.len()).map(|axis| bytes * shape[axis + 1..].iter().product::<u32>()).collect();
        let is_sum = places.is_sum;
        let mut offsets = Vec::with_capacity(places.registers.len());
        let mut common = base;
        if is_sum {
            for (&(thread, _), &step) in places.thread.iter().zip(&steps) {
                let moved = self.code.mul(thread, Arg::Int(step.into()));
                common = self.code.add(common, moved);
            }
        }
        for register in 0..places.registers.len() {
            let own = &places.registers[register];
            offsets.push(match is_sum {
                true => (common, own.iter().zip(&steps).map(|(at, step)| at * step).sum::<u32>()),
                false => {
                    let mut address = base;
                    for (at, &step) in places.of(&mut self.code, register).into_iter().zip(&steps) {
                        let moved = self.code.mul(at, Arg::Int(step.into()));
                        address = self.code.add(address, moved);
                    }
                    (address, 0)
                }
            });
        }
        offsets
    }

    /// Whether what a tile has is written again, by another op or in the next round of a loop.
    pub fn is_used_again(&self, op: OpRef<'a>, tile: ValueId) -> bool {
        let made = self.kernel.defining_op(tile).map(|id| self.at(id));
        let alone = made.and_then(kernel::Shared::of).is_some_and(|made| made.at().is_none());
        let mut around = self.kernel.parent_op(op.id);
        let mut looped = false;
        while let Some(id) = around {
            looped |= kernel::For::of(self.at(id)).is_some();
            around = self.kernel.parent_op(id);
        }
        !alone || looped || self.kernel.uses(tile).count() > 1
    }

    /// The same elements in another layout.
    pub fn convert(&mut self, op: kernel::Convert<'a>) -> Result<(), Refused> {
        let (input, out) = (op.input(), op.out());
        let (ty, target_ty) = (self.kernel.value_type(input), self.kernel.value_type(out));
        let elem = Elem::of(self.ctx(), self.elem(input))?;
        let (from, to) = (self.fragment(ty)?, self.fragment(target_ty)?);
        let registers = self.registers(input)?;
        let taken = match from.convert(&to).map_err(Refused::new)? {
            Conversion::Registers(sources) => sources.into_iter().map(|source| registers[source as usize]).collect(),
            Conversion::Shuffles(shuffles) => self.exchanged(&shuffles, &registers, &from, &to, elem),
            Conversion::Shared => {
                let Some(tile) = op.through() else {
                    return Err(Refused::new("elements go from warp to warp, and there is no tile for them")
                        .suggest("name one of the shape of the fragment: 'through %s'"));
                };
                let (tile_ty, place) = tile_of(&self.code, self.kernel.value_type(tile))?;
                if place.shape() != from.shape() || tile_ty.elem(self.ctx()) != self.elem(input) {
                    return Err(Refused::new("the tile is not of the shape and elements of the fragment")
                        .suggest("let it have as many rows and columns"));
                }
                let at = self.stage(tile, None)?;
                self.store_to_tile(&registers, ty, at, &place)?;
                self.meet();
                let taken = self.load_from_tile(target_ty, at, &place)?;
                if self.is_used_again(*op, tile) {
                    self.meet();
                }
                taken
            }
        };
        self.set_fragment(out, taken);
        Ok(())
    }

    /// The registers of a target, exchanged between the lanes of a warp: in each round a lane gives one register and
    /// takes one.
    fn exchanged(
        &mut self,
        shuffles: &Shuffles,
        registers: &[Arg],
        from: &Fragment,
        to: &Fragment,
        elem: Elem,
    ) -> Vec<Arg> {
        let round_of = |map: &Linear, round: u32| map.apply(&[(Dim::Register, round)])[0];
        let gives = self.moved(&shuffles.give);
        let intos = self.moved(&shuffles.into);
        let same_lane = (0..LANES.ilog2()).all(|bit| shuffles.from.basis(Dim::Lane, bit) == Some(vec![1 << bit]))
            && (0..shuffles.from.input_bits(Dim::Warp)).all(|bit| shuffles.from.basis(Dim::Warp, bit) == Some(vec![0]));
        let lane = match same_lane {
            true => Arg::Int(0),
            false => self.moved(&shuffles.from).of,
        };
        // What each lane gives, and from where it takes, round by round.
        let mut given = Vec::with_capacity(shuffles.rounds.len());
        for &round in &shuffles.rounds {
            let start = round_of(&shuffles.give, round);
            let register = |slot: u32| from.register(slot).map(|register| registers[register as usize]);
            let own = self.chosen(&register, start, gives.bits, gives.of, elem).unwrap_or(zero(elem));
            given.push((round, own, round_of(&shuffles.from, round)));
        }
        let mode = if same_lane { "bfly" } else { "idx" };
        let mut received: Vec<(u32, Arg)> = Vec::with_capacity(given.len());
        let mut waiting: Vec<(u32, Arg, u32)> = Vec::new();
        for (round, own, step) in given {
            if same_lane && step == 0 {
                received.push((round, own));
                continue;
            }
            let from_lane = |code: &mut Code<'c>| match same_lane {
                true => Arg::Int(step.into()),
                false => code.xor(lane, Arg::Int(step.into())),
            };
            if !matches!((elem, own), (Elem::Small(_), Arg::Value(_))) {
                let lane = from_lane(&mut self.code);
                received.push((round, self.code.shuffled(mode, own, lane, elem)));
                continue;
            }
            // Two halves that come from the same lane come together.
            let Some(other) = waiting.iter().position(|&(_, _, other)| other == step) else {
                waiting.push((round, own, step));
                continue;
            };
            let (first, low, _) = waiting.swap_remove(other);
            let word = self.code.pack_halves(low, own);
            let lane = from_lane(&mut self.code);
            let word = self.code.shuffled(mode, word, lane, INT);
            let [low, high] = self.code.unpack_halves(word);
            received.extend([(first, low), (round, high)]);
        }
        for (round, own, step) in waiting {
            let lane = match same_lane {
                true => Arg::Int(step.into()),
                false => self.code.xor(lane, Arg::Int(step.into())),
            };
            received.push((round, self.code.shuffled(mode, own, lane, elem)));
        }
        // A register of the target is written in the round that the lane says.
        let mut taken = Vec::with_capacity(to.registers() as usize);
        for register in 0..to.registers() {
            let slot = to.slot(register).unwrap_or(0);
            let of_round =
                |round: u32| received.iter().find(|&&(known, _)| known == round).map(|&(_, received)| received);
            taken.push(self.chosen(&of_round, slot, intos.bits, intos.of, elem).unwrap_or(zero(elem)));
        }
        taken
    }

    /// What lane and warp add to a number.
    fn moved(&mut self, map: &Linear) -> Moved {
        let columns = |dim: Dim| {
            (0..map.input_bits(dim)).map(|bit| map.basis(dim, bit).map_or(0, |column| column[0])).collect::<Vec<u32>>()
        };
        let parts = [(self.thread_group.lane, columns(Dim::Lane)), (self.thread_group.warp, columns(Dim::Warp))];
        let (of, bits) = spread(&mut self.code, &parts);
        Moved { of, bits }
    }

    /// The one of several registers that a number says: that with the number `start`, with those bits turned which `of`
    /// has. Registers that do not exist are not asked for.
    fn chosen(
        &mut self,
        registers: &dyn Fn(u32) -> Option<Arg>,
        start: u32,
        bits: u32,
        of: Arg,
        elem: Elem,
    ) -> Option<Arg> {
        if bits == 0 {
            return registers(start);
        }
        let bit = bits & bits.wrapping_neg();
        let no = self.chosen(registers, start, bits ^ bit, of, elem);
        let yes = self.chosen(registers, start ^ bit, bits ^ bit, of, elem);
        match (yes, no) {
            (Some(yes), Some(no)) => {
                let own = self.code.and(of, bit.into());
                let holds = self.code.compare("ne", own, Arg::Int(0));
                Some(self.code.select(holds, yes, no, elem))
            }
            (one, other) => one.or(other),
        }
    }
}

/// A number that lane and warp say, and the bits that it may have.
struct Moved {
    of: Arg,
    bits: u32,
}

/// 32-bit integers.
const INT: Elem = Elem::Int { bits: 32, signed: true };

/// What stands where nothing counts.
fn zero(elem: Elem) -> Arg {
    match elem {
        Elem::F32 => 0f32.into(),
        Elem::F64 => Arg::F64(0),
        _ => Arg::Int(0),
    }
}
