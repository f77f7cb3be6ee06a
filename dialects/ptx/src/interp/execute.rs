//! What each instruction does.

use dlc_core::launch::{self, Number};
use dlc_core::tensor::ElemKind;
use dlc_ir::types::FloatKind;

use super::machine::{Block, Cluster, Fault, Machine, Wait, Warp, in_lane, lanes};
use super::memory::Reader;
use super::number::{Exact, Mode, Ty, integer, mask, value};
use super::program::{Code, Kind, Rmw, SHARED_BASE, Shuffle, Space, Special};
use super::scalar::Scalar;

impl Machine<'_> {
    /// Does an instruction for lanes that are there.
    pub(super) fn execute(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        number: usize,
        code: &Code,
        pc: u32,
        here: u32,
    ) -> Result<(), Fault> {
        match &code.kind {
            Kind::Bra(edge) => {
                warp.branch(edge, here);
                return Ok(());
            }
            Kind::BraIf(then, otherwise) => {
                let condition = warp.read(code.args[0])?;
                let taken = lanes(here).filter(|&lane| condition[lane] & 1 == 1).fold(0, |all, lane| all | 1 << lane);
                for (edge, lanes) in [(then, taken), (otherwise, here & !taken)] {
                    if lanes != 0 {
                        warp.branch(edge, lanes);
                    }
                }
                return Ok(());
            }
            Kind::Exit => {
                warp.live &= !here;
                if warp.live == 0 {
                    self.leave(warp);
                    cluster.blocks[warp.block].live -= 1;
                    dangling(&cluster.blocks[warp.block])?;
                    super::flight::ended(cluster, warp.block)?;
                    // Who is no more is not waited for, so its arrival does not count either.
                    if warp.arrived_at_cluster == cluster.phase + 1 {
                        cluster.arrived -= 1;
                    }
                    self.recount(cluster, warp.block);
                }
                return Ok(());
            }
            Kind::Wgmma { .. } => return self.wgmma(cluster, warp, number, code, pc),
            _ => {}
        }
        self.plain(cluster, warp, code, here)?;
        warp.advance(here);
        Ok(())
    }

    /// An instruction after which the next one follows.
    fn plain(&mut self, cluster: &mut Cluster, warp: &mut Warp, code: &Code, here: u32) -> Result<(), Fault> {
        match &code.kind {
            Kind::Scalar(f) => {
                let out = scalar(warp, code, here, f)?;
                warp.set(code.outs[0], here, &out);
            }
            Kind::Unpack(half) => {
                let whole = warp.read(code.args[0])?;
                warp.set(code.outs[0], here, &whole.map(|x| x & mask(*half)));
                warp.set(code.outs[1], here, &whole.map(|x| x >> half));
            }
            Kind::Special(special) => {
                let values = std::array::from_fn(|lane| self.special(cluster, warp, *special, lane));
                warp.set(code.outs[0], here, &values);
            }
            Kind::Load { space, ty, polls } => {
                self.load(cluster, warp, code, here, *space, *ty)?;
                if *polls {
                    warp.yielded |= here;
                }
            }
            Kind::Store { space, ty } => self.store(cluster, warp, code, here, *space, *ty)?,
            Kind::Red { space, ty, what } | Kind::Atom { space, ty, what } => {
                self.atomic(cluster, warp, code, here, (*space, *ty, *what))?;
            }
            Kind::CpAsync { reads } => self.cp_async(cluster, warp, code, here, *reads)?,
            Kind::CpCommit => {
                warp.copies.resize_with(32, || vec![Vec::new()]);
                lanes(here).for_each(|lane| warp.copies[lane].push(Vec::new()));
            }
            Kind::CpWait => self.cp_wait(cluster, warp, code, here)?,
            Kind::TensorLoad { axes, windows, multicast } => {
                for lane in lanes(here) {
                    self.tensor_load(cluster, warp, code, lane, (*axes, *windows, *multicast))?;
                }
            }
            Kind::TensorStore { axes, combine } => {
                for lane in lanes(here) {
                    self.tensor_store(cluster, warp, code, lane, *axes, *combine)?;
                }
            }
            Kind::BulkCommit => {
                warp.puts.resize_with(32, || vec![Vec::new()]);
                lanes(here).for_each(|lane| warp.puts[lane].push(Vec::new()));
            }
            Kind::BulkWait { reads } => self.bulk_wait(cluster, warp, code, here, *reads)?,
            Kind::MbarrierInit | Kind::MbarrierInval | Kind::MbarrierArrive { .. } | Kind::MbarrierTryWait => {
                self.mbarrier(cluster, warp, code, here)?;
            }
            Kind::FenceProxy => {
                for lane in lanes(here) {
                    let thread = cluster.thread(warp, lane);
                    cluster.fenced[thread] = cluster.clock;
                }
            }
            Kind::Nothing | Kind::Setmaxnreg => {}
            Kind::BarWarp => warp.met = cluster.clock,
            Kind::Bar { waits } => self.bar(cluster, warp, code, here, *waits)?,
            Kind::ClusterArrive => {
                warp.met = cluster.clock;
                warp.arrived_at_cluster = cluster.phase + 1;
                self.cluster_arrival(cluster, 1);
            }
            Kind::ClusterWait => {
                let Some(phase) = warp.arrived_at_cluster.checked_sub(1) else {
                    return Err("waits at the barrier of the cluster, at which it has not arrived".into());
                };
                warp.arrived_at_cluster = 0;
                warp.wait = Wait::Cluster(phase);
                if cluster.phase != phase {
                    warp.wait = Wait::Nothing;
                }
            }
            Kind::Shuffle(how) => shuffle(warp, code, here, *how)?,
            Kind::Vote(how) => vote(warp, code, here, how)?,
            Kind::Redux(how, ty) => redux(warp, code, here, how, *ty)?,
            Kind::Elect => {
                let mut out = [0; 32];
                out[here.trailing_zeros() as usize] = 1;
                warp.set(code.outs[0], here, &out);
            }
            Kind::Ldmatrix { trans } => self.ldmatrix(cluster, warp, code, here, *trans)?,
            Kind::Stmatrix { trans } => self.stmatrix(cluster, warp, code, here, *trans)?,
            Kind::Mma { a, b, acc, k } => super::matrix::mma(warp, code, here, (*a, *b, *acc), *k)?,
            Kind::WgmmaCommit => warp.groups.0 += 1,
            Kind::WgmmaWait => {
                let left = warp.read(code.args[0])?[0] as u32;
                warp.groups.1 = warp.groups.1.max(warp.groups.0.saturating_sub(left));
                super::flight::have_read(cluster, warp);
            }
            Kind::Trap => return Err(Fault { lane: Some(here.trailing_zeros() as usize), message: "traps".into() }),
            Kind::Bra(_) | Kind::BraIf(..) | Kind::Exit | Kind::Wgmma { .. } => {}
        }
        Ok(())
    }

    fn mbarrier(&mut self, cluster: &mut Cluster, warp: &mut Warp, code: &Code, here: u32) -> Result<(), Fault> {
        match &code.kind {
            Kind::MbarrierInit => {
                let count = warp.read(code.args[2])?;
                for lane in lanes(here) {
                    let address = address(warp, code, 0, lane)? as u32;
                    let (block, address) = owner(cluster, warp, address).map_err(in_lane(lane))?;
                    self.events += 1;
                    cluster.blocks[block].shared.init(address, count[lane] as u32).map_err(in_lane(lane))?;
                }
            }
            Kind::MbarrierInval => {
                for lane in lanes(here) {
                    let address = address(warp, code, 0, lane)? as u32;
                    let (block, address) = owner(cluster, warp, address).map_err(in_lane(lane))?;
                    self.events += 1;
                    cluster.blocks[block].shared.invalidate(address).map_err(in_lane(lane))?;
                }
            }
            Kind::MbarrierArrive { expects, counts } => {
                let third = if *counts { Some(warp.read(code.args[2])?) } else { None };
                for lane in lanes(here) {
                    let address = address(warp, code, 0, lane)? as u32;
                    let given = third.map(|values| values[lane] as u32);
                    let (arrivals, bytes) = match expects {
                        true => (1, given.unwrap_or(0)),
                        false => (given.unwrap_or(1), 0),
                    };
                    self.arrive(cluster, warp, address, arrivals, bytes.into()).map_err(in_lane(lane))?;
                }
            }
            Kind::MbarrierTryWait => {
                let parity = warp.read(code.args[2])?;
                let mut out = [0; 32];
                for lane in lanes(here) {
                    let address = address(warp, code, 0, lane)? as u32;
                    let (block, address) = owner(cluster, warp, address).map_err(in_lane(lane))?;
                    let barrier = cluster.blocks[block].shared.barrier(address).map_err(in_lane(lane))?;
                    let passed = u64::from(barrier.phase % 2) != parity[lane] % 2;
                    out[lane] = passed.into();
                    if passed {
                        // Perhaps the lanes arrived there after they wrote: that is as good.
                        warp.met = cluster.clock;
                    } else {
                        warp.yielded |= 1 << lane;
                    }
                }
                warp.set(code.outs[0], here, &out);
            }
            _ => {}
        }
        Ok(())
    }

    fn special(&self, cluster: &Cluster, warp: &Warp, special: Special, lane: usize) -> u64 {
        let launch = &self.launch;
        let size = launch.cluster;
        let block = &cluster.blocks[warp.block];
        let number = match special {
            Special::Tid(0) => warp.index * 32 + lane as u32,
            Special::Tid(_) => 0,
            Special::Ntid(0) => launch.threads,
            Special::Ntid(_) => 1,
            Special::Ctaid(axis) => block.id[axis],
            Special::Nctaid(axis) => launch.grid[axis],
            Special::Lane => lane as u32,
            Special::Warp => warp.index,
            Special::ClusterCtaid(axis) => block.id[axis] % size[axis],
            Special::ClusterNctaid(axis) => size[axis],
            Special::Cluster(axis) => cluster.id[axis],
            Special::Nclusters(axis) => launch.grid[axis] / size[axis],
            Special::ClusterRank => warp.block as u32,
            Special::ClusterSize => cluster.blocks.len() as u32,
            Special::Smem if cluster.blocks.len() == 1 => SHARED_BASE,
            Special::Smem => (warp.block as u32 + 1) << 24 | SHARED_BASE,
        };
        number.into()
    }

    fn load(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        code: &Code,
        here: u32,
        space: Space,
        ty: Ty,
    ) -> Result<(), Fault> {
        let width = ty.bits() as usize / 8;
        let length = width * code.outs.len();
        let mut outs = vec![[0; 32]; code.outs.len()];
        for lane in lanes(here) {
            let address = address(warp, code, 0, lane)?;
            let bytes = self.bytes(cluster, (warp, lane), (space, address), length).map_err(in_lane(lane))?;
            for (out, bytes) in outs.iter_mut().zip(bytes.chunks_exact(width)) {
                out[lane] = extend(word(bytes), ty);
            }
        }
        for (&register, values) in code.outs.iter().zip(&outs) {
            warp.set(register, here, values);
        }
        Ok(())
    }

    /// Bytes at an aligned address as a thread sees them.
    fn bytes<'m>(
        &'m self,
        cluster: &'m Cluster,
        (warp, lane): (&Warp, usize),
        (space, address): (Space, u64),
        length: usize,
    ) -> Result<&'m [u8], String> {
        aligned(address, length)?;
        match space {
            Space::Global => self.global.read(address, length),
            Space::Shared | Space::Cluster => {
                let (block, address) = place(cluster, warp, space, address as u32)?;
                let reader = Reader::Thread { thread: cluster.thread(warp, lane), met: warp.met };
                cluster.blocks[block].shared.read(address, length, reader)
            }
        }
    }

    fn put(
        &mut self,
        cluster: &mut Cluster,
        warp: &Warp,
        lane: usize,
        (space, address): (Space, u64),
        bytes: &[u8],
    ) -> Result<(), String> {
        aligned(address, bytes.len())?;
        self.events += 1;
        match space {
            Space::Global => self.global.write(address, bytes),
            Space::Shared | Space::Cluster => {
                let (block, address) = place(cluster, warp, space, address as u32)?;
                let by = (cluster.clock, cluster.thread(warp, lane));
                cluster.blocks[block].shared.write(address, bytes, by, false)
            }
        }
    }

    fn store(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        code: &Code,
        here: u32,
        space: Space,
        ty: Ty,
    ) -> Result<(), Fault> {
        let width = ty.bits() as usize / 8;
        let values = code.args[2..].iter().map(|&arg| warp.read(arg)).collect::<Result<Vec<_>, _>>()?;
        cluster.clock += 1;
        let mut bytes = Vec::with_capacity(width * values.len());
        for lane in lanes(here) {
            bytes.clear();
            for values in &values {
                bytes.extend_from_slice(&values[lane].to_le_bytes()[..width]);
            }
            let address = address(warp, code, 0, lane)?;
            self.put(cluster, warp, lane, (space, address), &bytes).map_err(in_lane(lane))?;
        }
        Ok(())
    }

    /// Lanes combine with memory one after another.
    fn atomic(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        code: &Code,
        here: u32,
        (space, ty, what): (Space, Ty, Rmw),
    ) -> Result<(), Fault> {
        let width = ty.bits() as usize / 8;
        let count = if what == Rmw::Compare { 1 } else { code.args.len() - 2 };
        let values = code.args[2..].iter().map(|&arg| warp.read(arg)).collect::<Result<Vec<_>, _>>()?;
        cluster.clock += 1;
        let mut out = [0; 32];
        for lane in lanes(here) {
            let address = address(warp, code, 0, lane)?;
            aligned(address, width * count).map_err(in_lane(lane))?;
            for (index, operand) in values.iter().enumerate().take(count) {
                let address = address + (index * width) as u64;
                let old = word(self.bytes(cluster, (warp, lane), (space, address), width).map_err(in_lane(lane))?);
                let new = match what {
                    Rmw::Compare => {
                        if old == operand[lane] {
                            values[1][lane]
                        } else {
                            old
                        }
                    }
                    _ => combine(ty, what, old, operand[lane]),
                };
                out[lane] = old;
                if new == old && matches!(code.kind, Kind::Atom { .. }) {
                    // It may be asked again and again for what has not come.
                    warp.yielded |= 1 << lane;
                    continue;
                }
                let bytes = new.to_le_bytes();
                self.put(cluster, warp, lane, (space, address), &bytes[..width]).map_err(in_lane(lane))?;
            }
        }
        if let Some(&register) = code.outs.first() {
            warp.set(register, here, &out);
        }
        Ok(())
    }

    fn cp_async(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        code: &Code,
        here: u32,
        reads: bool,
    ) -> Result<(), Fault> {
        let size = warp.read(code.args[4])?[0] as usize;
        let taken = if reads { Some(warp.read(code.args[5])?) } else { None };
        if !matches!(size, 4 | 8 | 16) {
            return Err(format!("copies 4, 8 or 16 bytes, not {size}").into());
        }
        cluster.clock += 1;
        self.events += 1;
        warp.copies.resize_with(32, || vec![Vec::new()]);
        for lane in lanes(here) {
            let (to, from) = (address(warp, code, 0, lane)?, address(warp, code, 2, lane)?);
            let taken = taken.map_or(size, |taken| taken[lane] as usize);
            let mut bytes = [0; 16];
            let done = (|| {
                aligned(to, size)?;
                aligned(from, size)?;
                if taken > size {
                    return Err(format!("reads {taken} bytes, of which it copies {size}"));
                }
                if taken > 0 {
                    bytes[..taken].copy_from_slice(self.global.read(from, taken)?);
                }
                let (block, to) = place(cluster, warp, Space::Shared, to as u32)?;
                let by = (cluster.clock, cluster.thread(warp, lane));
                cluster.blocks[block].shared.write(to, &bytes[..size], by, true)?;
                Ok(to)
            })();
            let to = done.map_err(in_lane(lane))?;
            if let Some(open) = warp.copies[lane].last_mut() {
                open.push((to, size));
            }
        }
        Ok(())
    }

    fn cp_wait(&mut self, cluster: &mut Cluster, warp: &mut Warp, code: &Code, here: u32) -> Result<(), Fault> {
        let left = warp.read(code.args[0])?[0] as usize;
        if warp.copies.is_empty() {
            return Ok(());
        }
        cluster.clock += 1;
        let shared = &mut cluster.blocks[warp.block].shared;
        for lane in lanes(here) {
            let groups = &mut warp.copies[lane];
            // The last one is still open, and no group yet.
            let ended = groups.len().saturating_sub(1 + left);
            for (address, length) in groups.drain(..ended).flatten() {
                shared.arrive(address, length, cluster.clock);
            }
        }
        Ok(())
    }

    /// Arrivals at an mbarrier, and bytes that are expected there.
    fn arrive(
        &mut self,
        cluster: &mut Cluster,
        warp: &Warp,
        address: u32,
        arrivals: u32,
        bytes: i64,
    ) -> Result<(), String> {
        let (block, address) = owner(cluster, warp, address)?;
        self.events += 1;
        let barrier = cluster.blocks[block].shared.barrier(address)?;
        barrier.bytes += bytes;
        let Some(pending) = barrier.pending.checked_sub(arrivals) else {
            return Err(format!("more arrive at an mbarrier than the {} that it is for", barrier.count));
        };
        barrier.pending = pending;
        barrier.settle();
        Ok(())
    }

    fn bar(
        &mut self,
        cluster: &mut Cluster,
        warp: &mut Warp,
        code: &Code,
        here: u32,
        waits: bool,
    ) -> Result<(), Fault> {
        let first = here.trailing_zeros() as usize;
        let id = warp.read(code.args[0])?[first] as usize;
        let wanted = match code.args.get(1) {
            Some(&count) => warp.read(count)?[first] as u32,
            None => 0,
        };
        if id > 15 {
            return Err(format!("a block has the barriers 0 to 15, not {id}").into());
        }
        if code.args.len() > 1 && (wanted == 0 || wanted % 32 != 0) {
            return Err(format!("whole warps meet at a barrier, not {wanted} threads").into());
        }
        self.events += 1;
        warp.met = cluster.clock;
        let block = &mut cluster.blocks[warp.block];
        let needed = if wanted == 0 { 32 * block.live } else { wanted };
        let bar = &mut block.bars[id];
        if bar.arrived > 0 && bar.wanted != wanted {
            return Err(format!("barrier {id} is for {} threads, and here for {wanted}", bar.wanted).into());
        }
        bar.wanted = wanted;
        bar.arrived += 32;
        if bar.arrived >= needed {
            (bar.arrived, bar.phase) = (0, bar.phase + 1);
        } else if waits {
            warp.wait = Wait::Bar(id, bar.phase);
        }
        Ok(())
    }
}

/// When the last warp of a block has ended, no barrier is left at which some have arrived and others will not.
fn dangling(block: &Block) -> Result<(), String> {
    let left = block.bars.iter().enumerate().find(|(_, bar)| block.live == 0 && bar.wanted > 0 && bar.arrived > 0);
    match left {
        Some((id, bar)) => {
            Err(format!("the block ends, and {} of {} threads have come to barrier {id}", bar.arrived, bar.wanted))
        }
        None => Ok(()),
    }
}

/// What a function of single numbers gives in each lane.
fn scalar(warp: &Warp, code: &Code, here: u32, f: &Scalar) -> Result<[u64; 32], Fault> {
    let mut operands = [[0; 32]; 4];
    let count = code.args.len().min(4);
    for (operand, &arg) in operands.iter_mut().zip(&code.args) {
        *operand = warp.read(arg)?;
    }
    let mut out = [0; 32];
    let mut x = [0; 4];
    for lane in lanes(here) {
        x.iter_mut().zip(&operands).for_each(|(x, operand)| *x = operand[lane]);
        out[lane] = f(&x[..count]).map_err(|message| in_lane(lane)(message.into()))?;
    }
    Ok(out)
}

/// The address that an operand and the number after it are.
pub fn address(warp: &Warp, code: &Code, index: usize, lane: usize) -> Result<u64, Fault> {
    let base = one(warp, code, index, lane)?;
    let offset = one(warp, code, index + 1, lane)?;
    Ok(base.wrapping_add(offset))
}

/// An operand in a lane.
pub fn one(warp: &Warp, code: &Code, index: usize, lane: usize) -> Result<u64, Fault> {
    use super::program::Operand;
    match code.args[index] {
        Operand::Const(value) => Ok(value),
        Operand::Reg(register) if warp.busy.is_empty() => Ok(warp.regs[register as usize][lane]),
        operand => Ok(warp.read(operand)?[lane]),
    }
}

/// The block that an address in shared memory is in, and the address there.
pub fn owner(cluster: &Cluster, warp: &Warp, address: u32) -> Result<(usize, u32), String> {
    match (address >> 24) as usize {
        0 => Ok((warp.block, address)),
        rank if rank <= cluster.blocks.len() => Ok((rank - 1, address & 0xFF_FFFF)),
        rank => Err(format!("the cluster has {} blocks, and none of number {}", cluster.blocks.len(), rank - 1)),
    }
}

/// The same for the space that an instruction names.
pub fn place(cluster: &Cluster, warp: &Warp, space: Space, address: u32) -> Result<(usize, u32), String> {
    let (block, at) = owner(cluster, warp, address)?;
    match space == Space::Shared && block != warp.block {
        true => Err(format!("the address is in block {block} of the cluster, and only 'shared::cluster' goes there")),
        false => Ok((block, at)),
    }
}

/// An address is a multiple of what is read there.
pub fn aligned(address: u64, length: usize) -> Result<(), String> {
    match address % length as u64 {
        0 => Ok(()),
        _ => Err(format!("address {address:#x} is no multiple of {length}, as many bytes as are accessed")),
    }
}

fn word(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

/// What was loaded, as it is in a register.
fn extend(bits: u64, ty: Ty) -> u64 {
    match ty {
        Ty::Int { bits: 8, signed: true } => integer(bits, 8, true) as u64 & 0xFFFF,
        _ => bits,
    }
}

/// A value combined with what is in memory.
pub fn combine(ty: Ty, what: Rmw, old: u64, new: u64) -> u64 {
    let float = |kind: FloatKind, old: u64, new: u64| {
        let (a, b) = (value(old, kind), value(new, kind));
        match what {
            Rmw::Add => Exact::sum(a, b).round(kind, Mode::Nearest),
            Rmw::Min => Exact::from(a.min(b)).round(kind, Mode::Nearest),
            Rmw::Max => Exact::from(a.max(b)).round(kind, Mode::Nearest),
            Rmw::Exchange | Rmw::Compare => new,
        }
    };
    match ty {
        Ty::Float(kind) => float(kind, old, new),
        Ty::Pair(kind) => {
            let half = |at: u32| float(kind, old >> at & 0xFFFF, new >> at & 0xFFFF) << at;
            half(0) | half(16)
        }
        Ty::Int { bits, signed } => {
            let (a, b) = (integer(old, bits, signed), integer(new, bits, signed));
            let combined = match what {
                Rmw::Add => a + b,
                Rmw::Min => a.min(b),
                Rmw::Max => a.max(b),
                Rmw::Exchange | Rmw::Compare => b,
            };
            combined as u64 & mask(bits)
        }
        Ty::Pred => new,
    }
}

/// The same for an element of a tensor.
pub fn combine_element(kind: ElemKind, what: Rmw, old: &[u8], new: &[u8]) -> u64 {
    match kind {
        ElemKind::Float(float) => combine(Ty::Float(float), what, word(old), word(new)),
        ElemKind::Int { signed, .. } => {
            let bits = 8 * launch::width(kind) as u32;
            let number = |bytes| match launch::number(kind, bytes) {
                Number::Int(value) => value as u64,
                Number::Float(_) => 0,
            };
            combine(Ty::Int { bits, signed }, what, number(old), number(new))
        }
    }
}

fn shuffle(warp: &mut Warp, code: &Code, here: u32, how: Shuffle) -> Result<(), Fault> {
    let values = warp.read(code.args[0])?;
    let (by, clamps) = (warp.read(code.args[1])?, warp.read(code.args[2])?);
    let mut out = [0; 32];
    for lane in lanes(here) {
        let (by, clamp, segments) = (by[lane] & 31, clamps[lane] & 31, clamps[lane] >> 8 & 31);
        let own = lane as u64;
        let most = own & segments | clamp & !segments;
        let (from, inside) = match how {
            Shuffle::Index => {
                let from = (own & segments) | (by & !segments & 31);
                (from, from <= most)
            }
            Shuffle::Butterfly => (own ^ by, own ^ by <= most),
            Shuffle::Up => (own.wrapping_sub(by), own >= by && own - by >= most),
            Shuffle::Down => (own + by, own + by <= most),
        };
        let from = if inside { from as usize } else { lane };
        if here >> from & 1 == 0 {
            return Err(Fault { lane: Some(lane), message: format!("takes from lane {from}, which does not give") });
        }
        out[lane] = values[from];
    }
    warp.set(code.outs[0], here, &out);
    Ok(())
}

fn vote(warp: &mut Warp, code: &Code, here: u32, how: &str) -> Result<(), Fault> {
    let predicate = warp.read(code.args[0])?;
    let ballot = lanes(here).filter(|&lane| predicate[lane] & 1 == 1).fold(0u32, |all, lane| all | 1 << lane);
    let result = match how {
        "any" => u64::from(ballot != 0),
        "all" => u64::from(ballot == here),
        "uni" => u64::from(ballot == 0 || ballot == here),
        _ => ballot.into(),
    };
    warp.set(code.outs[0], here, &[result; 32]);
    Ok(())
}

fn redux(warp: &mut Warp, code: &Code, here: u32, how: &str, ty: Ty) -> Result<(), Fault> {
    let values = warp.read(code.args[0])?;
    let combined = lanes(here).map(|lane| values[lane]).reduce(|a, b| match how {
        "add" => combine(ty, Rmw::Add, a, b),
        "min" => combine(ty, Rmw::Min, a, b),
        "max" => combine(ty, Rmw::Max, a, b),
        "and" => a & b,
        "or" => a | b,
        _ => a ^ b,
    });
    warp.set(code.outs[0], here, &[combined.unwrap_or(0); 32]);
    Ok(())
}
