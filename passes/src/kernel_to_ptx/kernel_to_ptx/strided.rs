//! Loads of elements that lie a few apart in memory, or begin between two vectors of it, as those of windows do: by the
//! vectors of memory that they are part of. Windows next to each other read the same vectors, which `cse` then merges.

use std::collections::BTreeMap;

use dlc_core::guard::Guard;
use dlc_ir::OpRef;
use dlc_kernel::global::{GlobalAccess, names_axis};
use dlc_kernel::ops as kernel;
use dlc_ptx::inst::Arg;

use super::Refused;
use super::global::{Site, Target};
use super::lower::Lower;
use super::values::Coords;
use super::words::Place;
use crate::analysis::vectors::{Strided, strided};

impl<'a, 'c: 'a> Lower<'a, 'c> {
    /// Elements that lie a few apart, of whole vectors of memory: neighbouring windows read the same ones.
    pub fn load_strided(
        &mut self,
        op: kernel::Load<'a>,
        site: &Site,
        target: &Target<'_>,
        strided: Strided,
        otherwise: Arg,
    ) -> Result<Vec<Arg>, Refused> {
        let shape = self.shape(self.kernel.value_type(op.out()));
        let mut registers = vec![Arg::Int(0); target.coords.registers.len()];
        for (_, elements) in vectors_of(target.coords, &strided) {
            // The condition is that of the first element of the vector, whichever of its elements is wanted.
            let (register, following) = elements[0];
            let shifted = op.guard().map(|guard| shifted(&guard, strided.axis, following)).transpose()?;
            let own = self.loaded_site(op, shifted, &shape)?;
            let cond = self.inside(&own, target.coords, register)?;
            let (base, offset) = self.address(site, target.coords, register)?;
            let offset = offset.wrapping_sub(i64::from(following).wrapping_mul(strided.bytes.into()));
            let place = Place { space: site.space, base, offset };
            let loaded = self.load_vector(place, target.elem, strided.vector as usize, cond, otherwise)?;
            for (register, at) in elements {
                registers[register] = loaded[at as usize];
            }
        }
        Ok(registers)
    }
}

/// The vectors by which elements that lie a few apart are loaded, if those are fewer than so many accesses.
pub fn strided_of(op: OpRef<'_>, target: &Target<'_>, accesses: usize) -> Option<Strided> {
    let access = GlobalAccess::of(op).filter(|access| access.vector.is_none())?;
    let Target { fragment, coords, .. } = target;
    if !coords.is_sum || !fragment.is_whole() {
        return None;
    }
    let found = (0..coords.thread.len()).filter_map(|axis| strided(op, &access, axis)).filter_map(|strided| {
        // What threads add is whole vectors, too.
        let apart = coords.thread[strided.axis].1;
        let apart = i64::from(apart & apart.wrapping_neg()) * strided.step;
        let whole = if apart == 0 { strided.vector } else { strided.vector.min((apart & -apart) as u32) };
        let strided = Strided { vector: whole, ..strided };
        Some((vectors_of(coords, &strided).len(), strided)).filter(|_| whole > 1)
    });
    found.min_by_key(|(count, _)| *count).filter(|(count, _)| *count < accesses).map(|(_, strided)| strided)
}

/// Where a vector begins: by axis of the fragment, along that of the vector counted in vectors.
type Begin = Vec<i64>;

/// The vectors of a thread, with the registers that are elements of each, and which ones, the first element first.
fn vectors_of(coords: &Coords, strided: &Strided) -> Vec<(Begin, Vec<(usize, u32)>)> {
    let mut vectors: BTreeMap<Begin, Vec<(usize, u32)>> = BTreeMap::new();
    for (register, at) in coords.registers.iter().enumerate() {
        let number = i64::from(at[strided.axis]) * strided.step + strided.first;
        let mut begin: Begin = at.iter().map(|&at| i64::from(at)).collect();
        begin[strided.axis] = number.div_euclid(strided.vector.into());
        let following = number.rem_euclid(strided.vector.into()) as u32;
        vectors.entry(begin).or_default().push((register, following));
    }
    vectors.values_mut().for_each(|elements| elements.sort_by_key(|(_, following)| *following));
    vectors.into_iter().collect()
}

/// A guard so many elements of memory earlier along an axis.
fn shifted(guard: &Guard, axis: usize, elements: u32) -> Result<Guard, Refused> {
    let mut guard = guard.clone();
    let named = guard.pieces.iter_mut().flatten().filter(|condition| names_axis(&condition.expr, axis));
    for condition in named {
        let earlier = condition.expr.sub(&i64::from(elements).into());
        condition.expr = earlier.map_err(|error| Refused::new(error.message.into_owned()))?;
    }
    Ok(guard)
}
