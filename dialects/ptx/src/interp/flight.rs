//! What is on its way: boxes that TMA brings or takes, and what products still read.
//!
//! From the time that a copy to shared memory is asked for until it is waited for, its bytes are neither read nor
//! written. What a product or a store reads is not written before it is waited for. When a box comes, and its barrier
//! hears of it, the order decides, and when stored bytes are in global memory: in the usual order at once, in others now or
//! later, at the latest when nobody can go on without it; a store, when it is waited for, or else at the end of the grid.

use dlc_ir::interp::UNDEFINED;
use dlc_ir::{Diagnostic, OpId, OpRef};

use super::execute::combine_element;
use super::machine::{Cluster, Fault, Machine, Warp, lanes};
use super::memory::UNIT;
use super::program::{Code, Rmw};
use super::tensor::{Row, swizzle};

/// How many rounds a box takes at most that does not wait for nobody to go on.
const ROUNDS: usize = 32;

/// A box that comes.
pub struct Flight {
    pub op: OpId,
    pub map: usize,
    pub rows: Vec<Option<Row>>,
    /// The bytes of a row.
    pub row: usize,
    pub to: u32,
    /// The blocks that get it, and whose barriers hear of it.
    pub targets: Vec<(usize, usize)>,
    pub barrier: u32,
    /// The round in which it comes; `None` when nobody can go on without it.
    pub due: Option<u64>,
}

/// A box that goes out.
pub struct Put {
    pub op: OpId,
    pub block: usize,
    /// The units of shared memory that are read.
    pub units: Vec<u32>,
    pub map: usize,
    pub combine: Option<Rmw>,
    /// What comes where; empty when it is there.
    pub lines: Vec<(u64, Vec<u8>)>,
}

/// What a product reads, until a warp of its four waits for its group.
pub struct Reading {
    pub block: usize,
    pub quad: u32,
    pub group: u32,
    pub units: Vec<u32>,
}

impl Machine<'_> {
    /// A box is asked for.
    pub(super) fn fly(&mut self, cluster: &mut Cluster, mut flight: Flight) -> Result<(), String> {
        let span = self.maps[flight.map].value.span;
        for offset in (0..flight.length()).step_by(UNIT as usize) {
            for &(block, _) in &flight.targets {
                cluster.blocks[block].shared.expect(swizzle(flight.to + offset, span), UNIT as usize)?;
            }
        }
        flight.due = match self.order.as_mut().map(|order| (order.below(4), order.below(ROUNDS))) {
            None | Some((0, _)) => return self.bring(cluster, &flight),
            Some((1, _)) => None,
            Some((_, rounds)) => Some(cluster.round + rounds as u64),
        };
        cluster.flights.push(flight);
        Ok(())
    }

    /// It is there, and the barriers hear of it.
    fn bring(&mut self, cluster: &mut Cluster, flight: &Flight) -> Result<(), String> {
        let span = self.maps[flight.map].value.span;
        let mut line = vec![0; flight.row];
        let mut offset = 0;
        for row in &flight.rows {
            line.fill(0);
            if let Some((inside, from)) = row {
                line[inside.clone()].copy_from_slice(self.global.read(*from, inside.len())?);
            }
            for unit in line.chunks(UNIT as usize) {
                for &(block, _) in &flight.targets {
                    cluster.blocks[block].shared.bring(swizzle(flight.to + offset, span), unit)?;
                }
                offset += UNIT;
            }
        }
        for &(_, block) in &flight.targets {
            let barrier = cluster.blocks[block].shared.barrier(flight.barrier)?;
            barrier.bytes -= i64::from(flight.length());
            barrier.settle();
        }
        self.events += 1;
        Ok(())
    }

    /// The same for one that was on its way.
    fn land(&mut self, cluster: &mut Cluster, number: usize) -> Result<(), Box<Diagnostic>> {
        let flight = cluster.flights.remove(number);
        self.bring(cluster, &flight).map_err(|message| self.fault_of(flight.op, message))
    }

    /// What is to come in this round comes.
    pub(super) fn land_due(&mut self, cluster: &mut Cluster) -> Result<(), Box<Diagnostic>> {
        cluster.round += 1;
        while let Some(number) = cluster.flights.iter().position(|it| it.due.is_some_and(|due| due <= cluster.round)) {
            self.land(cluster, number)?;
        }
        Ok(())
    }

    /// Nobody can go on: one of the boxes comes. Whether there is one.
    pub(super) fn land_one(&mut self, running: &mut [Cluster]) -> Result<bool, Box<Diagnostic>> {
        let count: usize = running.iter().map(|cluster| cluster.flights.len()).sum();
        let mut chosen = match &mut self.order {
            Some(order) if count > 0 => order.below(count),
            _ => return Ok(false),
        };
        for cluster in running {
            if chosen < cluster.flights.len() {
                self.land(cluster, chosen)?;
                return Ok(true);
            }
            chosen -= cluster.flights.len();
        }
        Ok(false)
    }

    /// A box goes out, in the open group of a lane.
    pub(super) fn send(&mut self, cluster: &mut Cluster, warp: &mut Warp, lane: usize, put: Put) -> Result<(), String> {
        cluster.blocks[put.block].shared.hold(&put.units, true);
        self.events += 1;
        let is_late = self.order.as_mut().is_some_and(|order| order.below(2) == 1);
        let mut put = put;
        if !is_late {
            self.put_lines(&mut put)?;
        }
        warp.puts.resize_with(32, || vec![Vec::new()]);
        if let Some(open) = warp.puts[lane].last_mut() {
            open.push(put);
        }
        Ok(())
    }

    /// What is stored is in global memory.
    fn put_lines(&mut self, put: &mut Put) -> Result<(), String> {
        let kind = self.maps[put.map].kind;
        let width = dlc_core::launch::width(kind);
        for (to, line) in std::mem::take(&mut put.lines) {
            let Some(combine) = put.combine else {
                self.global.write(to, &line)?;
                continue;
            };
            for (index, element) in line.chunks_exact(width).enumerate() {
                let to = to + (index * width) as u64;
                let sum = combine_element(kind, combine, self.global.read(to, width)?, element);
                self.global.write(to, &sum.to_le_bytes()[..width])?;
            }
        }
        Ok(())
    }

    /// The same at the end.
    pub(super) fn send_late(&mut self, mut put: Put) -> Result<(), Box<Diagnostic>> {
        self.put_lines(&mut put).map_err(|message| self.fault_of(put.op, message))
    }

    /// Lanes wait until all but so many groups of stores have read, or are there.
    pub(super) fn bulk_wait(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        code: &Code,
        here: u32,
        only_read: bool,
    ) -> Result<(), Fault> {
        let left = warp.read(code.args[0])?[0] as usize;
        if warp.puts.is_empty() {
            return Ok(());
        }
        for lane in lanes(here) {
            // The last one is still open, and no group yet.
            let ended = warp.puts[lane].len().saturating_sub(1 + left);
            for group in &mut warp.puts[lane][..ended] {
                for put in group {
                    cluster.blocks[put.block].shared.hold(&std::mem::take(&mut put.units), false);
                    if !only_read {
                        self.put_lines(put)?;
                    }
                }
            }
            if !only_read {
                warp.puts[lane].drain(..ended);
            }
        }
        self.events += 1;
        Ok(())
    }

    /// A warp ends: what it has not waited for is there at some time.
    pub(super) fn leave(&mut self, warp: &mut Warp) {
        let puts = std::mem::take(&mut warp.puts).into_iter().flatten().flatten();
        self.late.extend(puts.filter(|put| !put.lines.is_empty()));
    }

    fn fault_of(&self, op: OpId, message: String) -> Box<Diagnostic> {
        let op = OpRef { id: op, ..self.entry };
        Box::new(Diagnostic::error(&UNDEFINED, op.loc(), message).at(op.name()))
    }
}

impl Flight {
    /// All of its bytes.
    fn length(&self) -> u32 {
        (self.rows.len() * self.row) as u32
    }
}

/// Of four warps one has waited: what their products read may be written.
pub fn have_read(cluster: &mut Cluster, warp: &Warp) {
    let blocks = &mut cluster.blocks;
    cluster.readings.retain(|reading| {
        let ended = reading.block == warp.block && reading.quad == warp.index / 4 && reading.group <= warp.groups.1;
        if ended {
            blocks[reading.block].shared.hold(&reading.units, false);
        }
        !ended
    });
}

/// When the last warp of a block has ended, nothing comes to its memory, and nothing reads it.
pub fn ended(cluster: &Cluster, block: usize) -> Result<(), String> {
    if cluster.blocks[block].live > 0 {
        return Ok(());
    }
    if cluster.flights.iter().any(|flight| flight.targets.iter().any(|&(to, _)| to == block)) {
        return Err("the block ends while a copy to its shared memory is on its way".into());
    }
    match cluster.blocks[block].shared.is_held() {
        true => {
            Err("the block ends while a matrix product or a store that is not awaited may read its shared memory"
                .into())
        }
        false => Ok(()),
    }
}
