//! Sorting along an axis that registers, lanes and warps share.
//!
//! The network is that of Batcher (1968): stage by stage sorted runs of `2^k` elements become sorted runs of twice as many. The
//! first step of a stage compares each position with the one at the same distance from the other end of the run, each further
//! step with the one half as far away as the step before. In every pair the smaller element goes to the lower position, so no
//! step depends on the direction of a run.
//!
//! A position is the sum of what bits of the register, the lane and the warp add to it, each a power of two. So the partner of a
//! position is found by inverting bits: those of the register say which register it is in, those of the lane are the mask of a
//! shuffle, and where bits of the warp are among them all elements go through a tile.

use dlc_core::scalar::Binary;
use dlc_ir::Type;
use dlc_kernel::layout::{Dim, Fragment};
use dlc_kernel::ops as kernel;
use dlc_ptx::inst::Arg;
use dlc_ptx::table;
use rustc_hash::FxHashMap;

use super::Refused;
use super::compute::own_places;
use super::exchange::{bits_along, memory_word};
use super::lower::Lower;
use super::scalar::{Elem, cond_of};
use super::values::{Lowered, elem_bytes, tile_of};

/// What is compared: integers, also in place of floats.
#[derive(Clone, Copy)]
struct Keys {
    elem: Elem,
    ty: Type,
}

/// The bits of the position on an axis, from the lowest to the highest: each is one of the number of a register, lane or warp.
struct Network {
    bits: Vec<(Dim, u32)>,
    /// For each register the one whose position differs by some bits of registers, by these bits.
    registers: Vec<FxHashMap<u32, usize>>,
    /// What the register adds to the position.
    own: Vec<u32>,
}

impl Network {
    fn of(from: &Fragment, axis: usize) -> Result<Network, Refused> {
        if !from.is_whole() {
            return Err(Refused::new("some elements of the layout do not exist")
                .suggest("let each axis of the fragment be a power of two"));
        }
        let bits = bits_along(from, axis)?;
        let places = own_places(from);
        let others = |place: &[u32]| -> Vec<u32> {
            place.iter().enumerate().filter(|&(at, _)| at != axis).map(|(_, &at)| at).collect()
        };
        let own: Vec<u32> = places.iter().map(|place| place[axis]).collect();
        let registers = places.iter().map(|place| {
            let same_row = |other: &&(usize, &[u32])| others(other.1) == others(place);
            let all = places.iter().map(|place| &place[..]).enumerate().collect::<Vec<_>>();
            all.iter().filter(same_row).map(|(register, other)| (other[axis] ^ place[axis], *register)).collect()
        });
        Ok(Network { bits, registers: registers.collect(), own })
    }

    /// Of some bits of the position those of registers, and the bits of lanes and warps that they are.
    fn parts(&self, mask: u32) -> (u32, i64, i64) {
        let (mut registers, mut lanes, mut warps) = (0, 0, 0);
        for (place, &(dim, bit)) in self.bits.iter().enumerate().filter(|&(place, _)| mask >> place & 1 != 0) {
            match dim {
                Dim::Register => registers |= 1 << place,
                Dim::Lane => lanes |= 1 << bit,
                _ => warps |= 1 << bit,
            }
        }
        (registers, lanes, warps)
    }
}

impl<'a, 'c: 'a> Lower<'a, 'c> {
    /// The elements along an axis in ascending order.
    pub fn sort(&mut self, op: kernel::Sort<'a>) -> Result<(), Refused> {
        let (input, ty) = (op.input(), self.elem(op.input()));
        let elem = Elem::of(self.ctx(), ty)?;
        let from = self.fragment(self.kernel.value_type(input))?;
        let network = Network::of(&from, op.axis() as usize)?;
        let key = match elem {
            Elem::F32 => Type::I32,
            Elem::F64 => Type::I64,
            Elem::Int { .. } => ty,
            _ => {
                let message = format!("no instruction orders elements of type {}", ty.display(self.ctx()));
                return Err(Refused::new(message).suggest("cast the elements to f32 or i32 before"));
            }
        };
        let keys = Keys { elem: Elem::of(self.ctx(), key)?, ty: key };
        let mut values = Vec::new();
        for &value in self.registers(input)?.iter() {
            let value = match elem {
                Elem::Int { .. } => value,
                _ => self.float_key(value, ty, keys)?,
            };
            values.push(Arg::Value(self.code.register(value, keys.elem.held())));
        }
        for high in 0..network.bits.len() as u32 {
            // The first step of a stage inverts all bits up to the highest, each further one a lower bit alone.
            let steps = std::iter::once((high, (2u32 << high) - 1)).chain((0..high).rev().map(|bit| (bit, 1 << bit)));
            for (bit, mask) in steps {
                let is_last = bit == 0 && high as usize + 1 == network.bits.len();
                values = self.compare_step(op, (&network, keys), &values, (bit, mask), is_last)?;
            }
        }
        if !matches!(elem, Elem::Int { .. }) {
            for value in &mut values {
                *value = self.key_float(*value, ty, keys)?;
            }
        }
        self.set_fragment(op.out(), values);
        Ok(())
    }

    /// An integer that is ordered as a float is: where the sign is set, the other bits are inverted.
    fn float_key(&mut self, value: Arg, ty: Type, keys: Keys) -> Result<Arg, Refused> {
        let bits = self.code.bitcast(value, ty, keys.ty)?;
        let quiet = if keys.ty == Type::I64 { f64::NAN.to_bits() as i64 } else { i64::from(f32::NAN.to_bits()) };
        let is_nan = self.code.binary(Binary::Ne, value, value, ty)?;
        let bits = self.code.select(cond_of(is_nan), Arg::Int(quiet), bits, keys.elem);
        self.without_sign(bits, keys)
    }

    /// The float that an integer stands for.
    fn key_float(&mut self, key: Arg, ty: Type, keys: Keys) -> Result<Arg, Refused> {
        let bits = self.without_sign(key, keys)?;
        self.code.bitcast(bits, keys.ty, ty)
    }

    fn without_sign(&mut self, bits: Arg, keys: Keys) -> Result<Arg, Refused> {
        let (last, most) = if keys.ty == Type::I64 { (63, i64::MAX) } else { (31, i64::from(i32::MAX)) };
        let sign = self.code.binary(Binary::Shr, bits, Arg::Int(last), keys.ty)?;
        let others = self.code.binary(Binary::And, sign, Arg::Int(most), keys.ty)?;
        self.code.binary(Binary::Xor, bits, others, keys.ty)
    }

    /// Compares each position with the one that differs from it by the bits `mask`, of which `bit` is the highest.
    fn compare_step(
        &mut self,
        op: kernel::Sort<'a>,
        (network, keys): (&Network, Keys),
        values: &[Arg],
        (bit, mask): (u32, u32),
        is_last: bool,
    ) -> Result<Vec<Arg>, Refused> {
        let (registers, lanes, warps) = network.parts(mask);
        let partner = |register: usize| -> Result<usize, Refused> {
            let found = network.registers[register].get(&registers).copied();
            found.ok_or_else(|| Refused::new("the elements along the axis do not each have a place of their own"))
        };
        let partners = (0..values.len()).map(partner).collect::<Result<Vec<usize>, Refused>>()?;
        let (dim, own) = network.bits[bit as usize];
        if lanes == 0 && warps == 0 {
            let mut out = values.to_vec();
            for (low, &high) in partners.iter().enumerate().filter(|&(low, _)| network.own[low] >> bit & 1 == 0) {
                out[low] = self.code.binary(Binary::Min, values[low], values[high], keys.ty)?;
                out[high] = self.code.binary(Binary::Max, values[low], values[high], keys.ty)?;
            }
            return Ok(out);
        }
        let others = match warps {
            0 => {
                let mask = Arg::Int(lanes);
                partners.iter().map(|&other| self.code.shuffled("bfly", values[other], mask, keys.elem)).collect()
            }
            _ => self.through_tile(op, keys, values, (&partners, lanes | warps << 5), is_last)?,
        };
        // Whether a thread has the lower position of its pairs.
        let is_low = match dim {
            Dim::Register => None,
            Dim::Lane => Some(self.code.and(self.thread_group.lane, 1 << own)),
            _ => Some(self.code.and(self.thread_group.warp, 1 << own)),
        };
        let is_low = is_low.map(|number| self.code.compare("eq", number, Arg::Int(0)));
        let mut out = Vec::with_capacity(values.len());
        for (register, (&value, other)) in values.iter().zip(others).enumerate() {
            out.push(match is_low {
                None => {
                    let which = if network.own[register] >> bit & 1 == 0 { Binary::Min } else { Binary::Max };
                    self.code.binary(which, value, other, keys.ty)?
                }
                Some(is_low) => {
                    let is_less = self.code.binary(Binary::Lt, value, other, keys.ty)?;
                    let takes_other = self.code.differ(cond_of(is_less), is_low);
                    self.code.select(takes_other, other, value, keys.elem)
                }
            });
        }
        Ok(out)
    }

    /// What other threads of the block have: each writes its registers to a tile, an array for each register, and reads those of
    /// the thread whose number differs by the bits `mask`.
    fn through_tile(
        &mut self,
        op: kernel::Sort<'a>,
        keys: Keys,
        values: &[Arg],
        (partners, mask): (&[usize], i64),
        is_last: bool,
    ) -> Result<Vec<Arg>, Refused> {
        let Some(tile) = op.through() else {
            return Err(Refused::new("several warps share the axis, and there is no tile to exchange through")
                .suggest("name one: 'through %s'"));
        };
        let from = self.fragment(self.kernel.value_type(op.input()))?;
        let (tile_ty, place) = tile_of(&self.code, self.kernel.value_type(tile))?;
        let at = match self.value(tile)? {
            &Lowered::Tile(at) if tile_ty.stages(self.ctx()) == 1 => at,
            _ => return Err(Refused::new("warps exchange through one tile, not a ring of them")),
        };
        let bytes = i64::from(elem_bytes(&self.code, keys.ty));
        let threads = i64::from(from.warps()) * 32;
        let room = threads * values.len() as i64 * bytes;
        if at.low != 0 || room > i64::from(place.bytes()) {
            let message = format!("the threads exchange {room} bytes, and the tile has {}", place.bytes());
            return Err(Refused::new(message).suggest("let the tile have a number for each register of each thread"));
        }
        let first = self.code.mul(self.thread_group.warp, Arg::Int(32));
        let thread = self.code.add(first, self.thread_group.lane);
        let other = self.code.xor(thread, Arg::Int(mask));
        let mut address = |thread: Arg| {
            let offset = self.code.mul(thread, Arg::Int(bytes));
            let address = self.code.add(at.base, offset);
            self.code.register(address, Type::I32).into()
        };
        let (own, other) = (address(thread), address(other));
        let word = format!("shared.{}", memory_word(keys.elem));
        let array = |register: usize| Arg::Int(register as i64 * threads * bytes);
        for (register, &value) in values.iter().enumerate() {
            self.code.act(&table::ST, &word, &[own, array(register), value]);
        }
        self.meet();
        let mut read = Vec::with_capacity(values.len());
        for &register in partners {
            read.push(self.code.typed(&table::LD, &word, &[other, array(register)], Some(keys.elem.held())).into());
        }
        if !is_last || self.is_used_again(*op, tile) {
            self.meet();
        }
        Ok(read)
    }
}
