//! TMA: boxes of tensors between global and shared memory.

use dlc_core::launch;

use super::execute::{address, one, owner};
use super::flight::{Flight, Put};
use super::machine::{Cluster, Fault, MAP_BASE, Machine, Map, Warp, in_lane};
use super::memory::{Reader, UNIT};
use super::number::signed;
use super::program::{Code, Rmw};

/// What the hardware does to an address in the mode for rows of `span` bytes.
pub fn swizzle(address: u32, span: u32) -> u32 {
    address ^ (((address >> 7) & (span / 16).saturating_sub(1)) << 4)
}

/// A row of a box inside of the tensor: where in the row its bytes are, and their address.
pub type Row = (std::ops::Range<usize>, u64);

/// A box as it is copied.
struct Boxed {
    map: usize,
    /// The bytes of an element and of a row.
    width: usize,
    row: usize,
    /// Where it begins, the slowest axis first.
    at: Vec<i64>,
    offsets: Vec<i64>,
}

impl Boxed {
    /// The rows: their bytes in global memory, those outside left out, as where they are in the row and the address.
    fn rows(&self, map: &Map) -> Vec<Option<Row>> {
        let (Some(&first), Some(&size)) = (self.at.last(), map.value.sizes.last()) else { return Vec::new() };
        let count = (self.row / self.width) as i64;
        let (from, to) = ((-first).clamp(0, count), (size as i64 - first).clamp(0, count));
        let mut rows = Vec::new();
        map.value.rows(&self.at, &self.offsets, &mut |_, line| {
            rows.push(line.filter(|_| from < to).map(|(_, begin)| {
                let element = (begin + first + from) as u64;
                let inside = from as usize * self.width..to as usize * self.width;
                (inside, map.base + element * self.width as u64)
            }));
        });
        rows
    }
}

impl Machine<'_> {
    /// The box that a map and the coordinates after it say, with offsets of windows.
    fn the_box(
        &self,
        warp: &Warp,
        code: &Code,
        lane: usize,
        (index, axes): (usize, usize),
        windows: Option<Vec<i64>>,
    ) -> Result<Boxed, Fault> {
        let pointer = one(warp, code, index, lane)?;
        let map = pointer.checked_sub(MAP_BASE).filter(|at| at % 128 == 0).map(|at| (at / 128) as usize);
        let Some((number, map)) = map.and_then(|number| Some((number, self.maps.get(number)?))) else {
            return Err(in_lane(lane)(format!("there is no tensor map at {pointer:#x}")));
        };
        let mut at = Vec::with_capacity(axes);
        for axis in (0..axes).rev() {
            at.push(signed(one(warp, code, index + 1 + axis, lane)?, 32));
        }
        if at.len() != map.value.sizes.len() || map.value.windows.is_some() != windows.is_some() {
            let kind = if map.value.windows.is_some() { "windows of " } else { "" };
            let message = format!("the tensor map is for {kind}{} axes", map.value.sizes.len());
            return Err(in_lane(lane)(message));
        }
        let width = launch::width(map.kind);
        let first = at.last().copied().unwrap_or(0);
        if first * width as i64 % 16 != 0 {
            let message = format!("TMA begins rows at multiples of 16 bytes, not at element {first}");
            return Err(in_lane(lane)(message));
        }
        let row = map.value.shape.last().map_or(0, |&size| size as usize * width);
        Ok(Boxed { map: number, width, row, at, offsets: windows.unwrap_or_default() })
    }

    /// A box comes to shared memory, of all blocks that are named.
    pub(super) fn tensor_load(
        &mut self,
        cluster: &mut Cluster,
        warp: &Warp,
        code: &Code,
        lane: usize,
        (axes, windows, multicast): (usize, bool, bool),
    ) -> Result<(), Fault> {
        let to = address(warp, code, 0, lane)? as u32;
        // After the destination stand the map, the coordinates, the barrier, offsets, blocks.
        let mut next = 2 + 1 + axes;
        let barrier = address(warp, code, next, lane)? as u32;
        next += 2;
        let mut offsets = Vec::new();
        if windows {
            // They are unsigned, the fastest axis first.
            for axis in (0..axes - 2).rev() {
                offsets.push((one(warp, code, next + axis, lane)? & 0xFFFF) as i64);
            }
            next += axes - 2;
        }
        let named = if multicast { Some(one(warp, code, next, lane)?) } else { None };
        let wanted = self.the_box(warp, code, lane, (2, axes), windows.then_some(offsets))?;
        let (own, to) = owner(cluster, warp, to).map_err(in_lane(lane))?;
        let (barrier_block, barrier) = owner(cluster, warp, barrier).map_err(in_lane(lane))?;
        if to % 128 != 0 {
            return Err(in_lane(lane)(format!(
                "a box begins at a multiple of 128 bytes in shared memory, not at {to}"
            )));
        }
        let targets: Vec<(usize, usize)> = match named {
            Some(blocks) => {
                if blocks >> cluster.blocks.len() != 0 {
                    let count = cluster.blocks.len();
                    return Err(in_lane(lane)(format!(
                        "the mask {blocks:#b} names blocks beyond the {count} there are"
                    )));
                }
                (0..cluster.blocks.len())
                    .filter(|&block| blocks >> block & 1 == 1)
                    .map(|block| (block, block))
                    .collect()
            }
            None => vec![(own, barrier_block)],
        };
        let flight = Flight {
            op: code.op,
            rows: wanted.rows(&self.maps[wanted.map]),
            map: wanted.map,
            row: wanted.row,
            to,
            targets,
            barrier,
            due: None,
        };
        self.fly(cluster, flight).map_err(in_lane(lane))
    }

    /// A box of shared memory goes to global memory; what is outside is left out.
    pub(super) fn tensor_store(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        code: &Code,
        lane: usize,
        axes: usize,
        combine: Option<Rmw>,
    ) -> Result<(), Fault> {
        let wanted = self.the_box(warp, code, lane, (0, axes), None)?;
        let from = address(warp, code, 1 + axes, lane)? as u32;
        let (block, from) = owner(cluster, warp, from).map_err(in_lane(lane))?;
        if from % 128 != 0 {
            let message = format!("a box begins at a multiple of 128 bytes in shared memory, not at {from}");
            return Err(in_lane(lane)(message));
        }
        let map = &self.maps[wanted.map];
        let (rows, span) = (wanted.rows(map), map.value.span);
        let thread = cluster.thread(warp, lane);
        let shared = &cluster.blocks[block].shared;
        let reader = Reader::Engine { thread, fenced: &cluster.fenced };
        let mut put = Put { op: code.op, block, units: Vec::new(), map: wanted.map, combine, lines: Vec::new() };
        let mut offset = 0;
        for row in rows {
            let mut line = Vec::with_capacity(wanted.row);
            while line.len() < wanted.row {
                let unit = swizzle(from + offset, span);
                line.extend_from_slice(shared.read(unit, UNIT as usize, reader).map_err(in_lane(lane))?);
                put.units.push(unit);
                offset += UNIT;
            }
            if let Some((inside, to)) = row {
                put.lines.push((to, line[inside].to_vec()));
            }
        }
        self.send(cluster, warp, lane, put).map_err(in_lane(lane))
    }
}
