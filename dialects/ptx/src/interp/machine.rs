//! The machine: lanes, warps, blocks and clusters, and who goes on next.
//!
//! Each lane has its own place in the program. A warp does the instruction at the least place for all lanes that are
//! there, so that lanes which went apart meet again. Warps take turns of some instructions; which goes first and
//! how far, a seed decides, unless it is 0. A warp whose lanes have all
//! asked whether something has come, and it has not, ends its turn. What is on its way comes as `flight` says, at the
//! latest when nobody can go on without it. When for a while nothing changes any more, the next cluster begins; when there
//! is none, the threads deadlock.

use std::sync::Arc;

use dlc_core::launch::MapValue;
use dlc_ir::interp::{EVAL_LIMIT, MORE_STEPS, UNDEFINED};
use dlc_ir::random::Random;
use dlc_ir::{Diagnostic, OpRef};

use super::flight::{Flight, Put, Reading};
use super::memory::{Global, Shared};
use super::program::{Code, Operand, Program, Together};

/// The most instructions of a turn.
const TURN: usize = 512;

/// After how many rounds in which everybody only asks and nothing changes another cluster begins.
const PATIENCE: usize = 64;

/// After how many nothing will change any more.
const IDLE: usize = 10_000;

/// The most clusters that run at once where blocks tell each other something.
const RESIDENT: usize = 4;

/// Of how many clusters that have not begun any may be the next.
const WINDOW: usize = 4096;

/// What went wrong, and in which lane.
pub struct Fault {
    pub lane: Option<usize>,
    pub message: String,
}

impl From<String> for Fault {
    fn from(message: String) -> Fault {
        Fault { lane: None, message }
    }
}

impl From<&str> for Fault {
    fn from(message: &str) -> Fault {
        Fault { lane: None, message: message.into() }
    }
}

/// Says in which lane it was.
pub fn in_lane(lane: usize) -> impl Fn(String) -> Fault {
    move |message| Fault { lane: Some(lane), message }
}

/// What is the same for all blocks.
pub struct Launch {
    pub grid: [u32; 3],
    pub cluster: [u32; 3],
    pub threads: u32,
    pub shared: usize,
    pub params: Vec<u64>,
}

/// A tensor map, and where its memory is.
pub struct Map {
    pub value: Arc<MapValue>,
    pub kind: dlc_core::tensor::ElemKind,
    pub base: u64,
}

/// Where the addresses of tensor maps begin.
pub const MAP_BASE: u64 = 1 << 56;

/// A named barrier.
#[derive(Clone, Copy, Default)]
pub struct Bar {
    pub arrived: u32,
    pub phase: u32,
    /// How many threads are to arrive; 0 for all of the block.
    pub wanted: u32,
}

/// A block.
pub struct Block {
    pub id: [u32; 3],
    pub shared: Shared,
    pub bars: [Bar; 16],
    /// The warps that have not ended.
    pub live: u32,
}

/// What a warp waits for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Wait {
    #[default]
    Nothing,
    /// A barrier of the block, and the phase that is to end.
    Bar(usize, u32),
    /// That of the cluster.
    Cluster(u32),
    /// The other warps of its group, at the same instruction.
    Group(u32),
}

/// A warp.
#[derive(Default)]
pub struct Warp {
    pub block: usize,
    pub index: u32,
    pub regs: Vec<[u64; 32]>,
    pub pc: [u32; 32],
    pub live: u32,
    /// Lanes that have asked in this turn for what has not come.
    pub yielded: u32,
    pub wait: Wait,
    /// Of each lane the copies of each group that has not been waited for: address and length. The last group is open.
    pub copies: Vec<Vec<Vec<(u32, usize)>>>,
    /// The same for stores of TMA.
    pub puts: Vec<Vec<Vec<Put>>>,
    /// For each register the group of products that writes it, counted from one.
    pub busy: Vec<u32>,
    /// The groups that were made, and those that have ended.
    pub groups: (u32, u32),
    pub arrived_at_cluster: u32,
    /// When its lanes last met.
    pub met: u32,
    /// How many instructions it has done since it asked for what had not come; `None` if it never did.
    pub since_asked: Option<usize>,
}

/// The blocks of a cluster.
#[derive(Default)]
pub struct Cluster {
    pub blocks: Vec<Block>,
    pub warps: Vec<Warp>,
    /// For each thread what it had written when it last said that TMA should see it.
    pub fenced: Vec<u32>,
    pub clock: u32,
    pub arrived: u32,
    pub phase: u32,
    pub id: [u32; 3],
    /// How often all warps have had a turn.
    pub round: u64,
    /// What TMA has still to bring.
    pub flights: Vec<Flight>,
    /// What products that are not awaited read.
    pub readings: Vec<Reading>,
}

impl Cluster {
    /// The number of a thread in the cluster.
    pub fn thread(&self, warp: &Warp, lane: usize) -> usize {
        warp.block * 1024 + warp.index as usize * 32 + lane
    }
}

/// Everything.
pub struct Machine<'p> {
    pub program: &'p Program,
    pub launch: Launch,
    pub global: Global,
    pub maps: Vec<Map>,
    pub entry: OpRef<'p>,
    /// Counts what others can see.
    pub events: u64,
    pub steps: u64,
    pub limit: u64,
    /// What decides the order of warps and when copies come; `None` for the usual order, and copies that come at once.
    pub order: Option<Random>,
    /// Stores that nobody has waited for.
    pub late: Vec<Put>,
}

/// How a turn went.
#[derive(PartialEq, Eq)]
enum Turn {
    Waits,
    Asked,
    Ran,
}

impl<'p> Machine<'p> {
    /// Runs all blocks.
    pub fn run(&mut self) -> Result<(), Box<Diagnostic>> {
        let (grid, size) = (self.launch.grid, self.launch.cluster);
        let counts: Vec<u32> = (0..3).map(|axis| grid[axis] / size[axis]).collect();
        let total = u64::from(counts[0]) * u64::from(counts[1]) * u64::from(counts[2]);
        let (mut next, mut waiting) = (0, Vec::new());
        let mut running: Vec<Cluster> = Vec::new();
        let mut idle = 0;
        // Where blocks tell each other something, and the order is drawn, they begin in any, and others only when one has
        // ended.
        let resident = match &mut self.order {
            Some(order) if self.program.has_flags() => Some(1 + order.below(RESIDENT)),
            _ => None,
        };
        loop {
            running.retain(|cluster| cluster.blocks.iter().any(|block| block.live > 0));
            while next < total && waiting.len() < if resident.is_some() { WINDOW } else { 1 } {
                waiting.push(next);
                next += 1;
            }
            if running.is_empty() && waiting.is_empty() {
                let late = std::mem::take(&mut self.late);
                return late.into_iter().try_for_each(|put| self.send_late(put));
            }
            let may_begin = match resident {
                Some(resident) => running.len() < resident,
                None => running.is_empty() || idle > PATIENCE,
            };
            if idle > IDLE && (waiting.is_empty() || !may_begin) {
                return Err(self.deadlock(&running));
            }
            if may_begin && !waiting.is_empty() {
                let chosen = self.order.as_mut().filter(|_| resident.is_some());
                let chosen = chosen.map_or(0, |order| order.below(waiting.len()));
                let number = waiting.swap_remove(chosen);
                let (x, y) = (number % u64::from(counts[0]), number / u64::from(counts[0]) % u64::from(counts[1]));
                let z = number / u64::from(counts[0]) / u64::from(counts[1]);
                running.push(self.start([x as u32, y as u32, z as u32]));
                idle = 0;
            }
            let events = self.events;
            let (mut ran, mut asked) = (false, false);
            for cluster in &mut running {
                self.land_due(cluster)?;
                let mut warps: Vec<usize> = (0..cluster.warps.len()).collect();
                if let Some(order) = &mut self.order {
                    (1..warps.len()).rev().for_each(|last| warps.swap(last, order.below(last + 1)));
                }
                for warp in warps {
                    match self.turn(cluster, warp)? {
                        Turn::Ran => ran = true,
                        Turn::Asked => asked = true,
                        Turn::Waits => {}
                    }
                }
            }
            let stands = self.events == events && !ran;
            idle = match (!stands || self.land_one(&mut running)?, asked) {
                (true, _) => 0,
                (false, true) => idle + 1,
                // Nothing asks, so nobody will hear.
                (false, false) => IDLE + 1,
            };
        }
    }

    fn start(&self, id: [u32; 3]) -> Cluster {
        let (size, warps) = (self.launch.cluster, self.launch.threads / 32);
        let mut cluster = Cluster { id, ..Cluster::default() };
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let number = cluster.blocks.len();
                    cluster.blocks.push(Block {
                        id: [id[0] * size[0] + x, id[1] * size[1] + y, id[2] * size[2] + z],
                        shared: Shared::new(self.launch.shared),
                        bars: [Bar::default(); 16],
                        live: warps,
                    });
                    for index in 0..warps {
                        let mut regs = vec![[0; 32]; self.program.registers];
                        for (&register, &value) in self.program.params.iter().zip(&self.launch.params) {
                            regs[register as usize] = [value; 32];
                        }
                        cluster.warps.push(Warp { block: number, index, regs, live: u32::MAX, ..Warp::default() });
                    }
                }
            }
        }
        cluster.fenced = vec![0; cluster.blocks.len() * 1024];
        cluster
    }

    /// A warp goes on until it must wait or has gone far enough.
    fn turn(&mut self, cluster: &mut Cluster, number: usize) -> Result<Turn, Box<Diagnostic>> {
        let warp = &mut cluster.warps[number];
        if warp.live == 0 {
            return Ok(Turn::Waits);
        }
        let waits = match warp.wait {
            Wait::Nothing => false,
            Wait::Bar(id, phase) => cluster.blocks[warp.block].bars[id].phase == phase,
            Wait::Cluster(phase) => cluster.phase == phase,
            Wait::Group(_) => true,
        };
        if waits {
            return Ok(Turn::Waits);
        }
        warp.wait = Wait::Nothing;
        warp.yielded = 0;
        let mut warp = std::mem::take(warp);
        // Short turns let others in between any two instructions, long ones let a warp run away.
        let turn = self.order.as_mut().map_or(TURN, |order| 1 << order.below(TURN.ilog2() as usize + 1));
        let mut steps = 0;
        let mut asked = false;
        let mut failed = None;
        while steps < turn && warp.wait == Wait::Nothing {
            let Some((pc, lanes, skips)) = self.pick(&warp) else { break };
            steps += 1;
            let code = &self.program.code[pc as usize];
            let done = match skips {
                true => self.skip(&mut warp, code, lanes),
                false => self.execute(cluster, &mut warp, number, code, pc, lanes),
            };
            asked = asked || warp.yielded != 0;
            if let Err(fault) = done {
                failed = Some((pc, fault));
                break;
            }
        }
        self.steps += steps as u64;
        // A short turn may end between two questions of a loop that only asks.
        warp.since_asked = if asked { Some(0) } else { warp.since_asked.map(|since| since.saturating_add(steps)) };
        let asked = warp.since_asked.is_some_and(|since| since <= TURN);
        let failed = failed.map(|(pc, fault)| self.failure(cluster, &warp, pc, fault));
        cluster.warps[number] = warp;
        match failed {
            Some(failure) => Err(failure),
            None if self.steps > self.limit => {
                let (warp, lane) = (&cluster.warps[number], 0);
                let message = format!("the kernel is stopped after {} instructions of warps", self.limit);
                let place = self.place(cluster, warp, Some(lane));
                let op = self.op(warp.pc[lane]);
                let error = Diagnostic::error(&EVAL_LIMIT, op.loc(), message).at(op.name()).note(op.loc(), place);
                Err(Box::new(error.suggest(MORE_STEPS)))
            }
            None if steps == 0 => Ok(Turn::Waits),
            None if asked => Ok(Turn::Asked),
            None => Ok(Turn::Ran),
        }
    }

    /// The lanes that go on next, where they are, and whether they pass an instruction by that is not for them.
    fn pick(&self, warp: &Warp) -> Option<(u32, u32, bool)> {
        let mut open = warp.live & !warp.yielded;
        while open != 0 {
            let mut pc = u32::MAX;
            for lane in lanes(open) {
                pc = pc.min(warp.pc[lane]);
            }
            let here = lanes(open).filter(|&lane| warp.pc[lane] == pc).fold(0, |here, lane| here | 1 << lane);
            let code = &self.program.code[pc as usize];
            if let Some((register, holds)) = code.guard {
                let predicate = &warp.regs[register as usize];
                let skipping = lanes(here).filter(|&lane| (predicate[lane] & 1 == 1) != holds);
                let skipping = skipping.fold(0, |skipping, lane| skipping | 1 << lane);
                if skipping != 0 {
                    return Some((pc, skipping, true));
                }
            }
            match code.together {
                Together::Alone => return Some((pc, here, false)),
                Together::Warp if here == warp.live => return Some((pc, here, false)),
                Together::Warp => {}
                Together::Named(operand) => {
                    let mut left = here;
                    while left != 0 {
                        let first = left.trailing_zeros() as usize;
                        let names = |lane: usize| match code.args[operand] {
                            Operand::Reg(register) => warp.regs[register as usize][lane] as u32,
                            Operand::Const(value) => value as u32,
                        };
                        let named = names(first);
                        let group =
                            lanes(left).filter(|&lane| names(lane) == named).fold(0, |all, lane| all | 1 << lane);
                        if group == named & warp.live {
                            return Some((pc, group, false));
                        }
                        left &= !group;
                    }
                }
            }
            open &= !here;
        }
        None
    }

    /// The results of an instruction that is not for these lanes.
    fn skip(&self, warp: &mut Warp, code: &Code, here: u32) -> Result<(), Fault> {
        for (&from, &to) in code.otherwise.iter().zip(&code.outs) {
            let values = warp.read(Operand::Reg(from))?;
            for lane in lanes(here) {
                warp.regs[to as usize][lane] = values[lane];
            }
        }
        warp.advance(here);
        Ok(())
    }

    pub fn op(&self, pc: u32) -> OpRef<'p> {
        OpRef { id: self.program.code[pc as usize].op, ..self.entry }
    }

    /// Who it was, in words.
    fn place(&self, cluster: &Cluster, warp: &Warp, lane: Option<usize>) -> String {
        let [x, y, z] = cluster.blocks[warp.block].id;
        let lane = lane.map_or(String::new(), |lane| format!(", lane {lane}"));
        format!("block ({x}, {y}, {z}), warp {}{lane}", warp.index)
    }

    fn failure(&self, cluster: &Cluster, warp: &Warp, pc: u32, fault: Fault) -> Box<Diagnostic> {
        let op = self.op(pc);
        let message = format!("{}: {}", self.place(cluster, warp, fault.lane), fault.message);
        Box::new(Diagnostic::error(&UNDEFINED, op.loc(), message).at(op.name()))
    }

    /// Everybody waits: who, and where.
    fn deadlock(&self, running: &[Cluster]) -> Box<Diagnostic> {
        let message = "no thread can go on: all of them wait";
        let mut error = Diagnostic::error(&UNDEFINED, self.entry.loc(), message).at(self.entry.name());
        let mut notes = 0;
        for cluster in running {
            for warp in cluster.warps.iter().filter(|warp| warp.live != 0) {
                // One that waits has gone past the barrier at which it does.
                let following = u32::from(matches!(warp.wait, Wait::Bar(..) | Wait::Cluster(_)));
                let mut places: Vec<u32> = lanes(warp.live).map(|lane| warp.pc[lane] - following).collect();
                places.sort_unstable();
                places.dedup();
                for pc in places {
                    let op = self.op(pc);
                    let here: Vec<usize> = lanes(warp.live).filter(|&lane| warp.pc[lane] - following == pc).collect();
                    let who = match here.len() {
                        32 => "all lanes".to_string(),
                        1 => format!("lane {}", here[0]),
                        count => format!("{count} lanes from lane {} on", here[0]),
                    };
                    let place = self.place(cluster, warp, None);
                    notes += 1;
                    if notes <= 16 {
                        error = error.note(op.loc(), format!("{place}: {who} at '{}'", op.name()));
                    }
                }
            }
        }
        Box::new(error)
    }

    /// Ends what waits for threads that are no more.
    pub fn recount(&mut self, cluster: &mut Cluster, block: usize) {
        let live = cluster.blocks[block].live;
        for bar in &mut cluster.blocks[block].bars {
            if bar.wanted == 0 && bar.arrived > 0 && bar.arrived >= 32 * live {
                (bar.arrived, bar.phase) = (0, bar.phase + 1);
            }
        }
        self.cluster_arrival(cluster, 0);
    }

    /// Warps arrive at the barrier of the cluster.
    pub fn cluster_arrival(&mut self, cluster: &mut Cluster, warps: u32) {
        self.events += 1;
        cluster.arrived += warps;
        let live: u32 = cluster.blocks.iter().map(|block| block.live).sum();
        if cluster.arrived > 0 && cluster.arrived >= live {
            (cluster.arrived, cluster.phase) = (0, cluster.phase + 1);
        }
    }
}

/// The lanes of a mask.
pub fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(lane)
    })
}

impl Warp {
    /// What an operand is in each lane.
    pub fn read(&self, operand: Operand) -> Result<[u64; 32], Fault> {
        match operand {
            Operand::Const(value) => Ok([value; 32]),
            Operand::Reg(register) => {
                let busy = self.busy.get(register as usize).copied().unwrap_or(0);
                match busy > self.groups.1 {
                    true => Err("reads a register that a matrix product which is not awaited writes".into()),
                    false => Ok(self.regs[register as usize]),
                }
            }
        }
    }

    /// Puts a result into the registers of lanes.
    pub fn set(&mut self, register: u32, here: u32, values: &[u64; 32]) {
        let target = &mut self.regs[register as usize];
        if here == u32::MAX {
            *target = *values;
            return;
        }
        for lane in lanes(here) {
            target[lane] = values[lane];
        }
    }

    /// The next instruction.
    pub fn advance(&mut self, here: u32) {
        for lane in lanes(here) {
            self.pc[lane] += 1;
        }
    }

    /// Goes where a branch goes.
    pub fn branch(&mut self, edge: &super::program::Edge, here: u32) {
        let values: Vec<[u64; 32]> = edge.moves.iter().map(|&(from, _)| self.regs[from as usize]).collect();
        if !self.busy.is_empty() {
            // A product that runs writes what is handed over, by whatever name.
            let busy: Vec<u32> = edge.moves.iter().map(|&(from, _)| self.busy[from as usize]).collect();
            for (&(_, to), busy) in edge.moves.iter().zip(busy) {
                self.busy[to as usize] = busy;
            }
        }
        for (&(_, to), values) in edge.moves.iter().zip(&values) {
            self.set(to, here, values);
        }
        for lane in lanes(here) {
            self.pc[lane] = edge.to;
        }
    }
}
