//! Conversions: how a tile gets from one distributed layout to another.
//!
//! For each register, lane and warp of the target, a source in the same warp is a linear function of their numbers,
//! found bit by bit: the nearest source first, which is the same thread, then the same warp. If each source is in the
//! thread itself and its register does not depend on the thread, registers get other names. If it is in the warp, each
//! round of exchange moves one register of each lane. Else the tile goes through shared memory. Source: as [`Linear`],
//! section "Layout conversion".

use super::distributed::LANES;
use super::fragment::Fragment;
use super::linear::{Dim, Linear, Span};

/// The cheapest way from one layout to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// Register `i` of the target is this register of the source, in all threads.
    Registers(Vec<u32>),
    /// Lanes of a warp exchange registers.
    Shuffles(Box<Shuffles>),
    /// Some element has no source in the warp that needs it.
    Shared,
}

/// An exchange in rounds, the same for each warp: in a round each lane gives one register, takes what one lane gives,
/// and puts it into one register. The three numbers are linear in those of the round, the lane and the warp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shuffles {
    /// The numbers of the rounds: inputs [`Dim::Register`] of the maps.
    pub rounds: Vec<u32>,
    /// The number in the map of the source of the register that a lane gives, see [`Fragment::register`].
    pub give: Linear,
    /// The lane from which a lane takes.
    pub from: Linear,
    /// The number in the map of the target of the register that a lane writes.
    pub into: Linear,
    sources: Vec<u32>,
    targets: Vec<u32>,
}

/// What a lane does in a round. A register that does not exist is `None`: it gives or keeps nothing that is needed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The register of the source that it gives.
    pub give: Option<u32>,
    /// The lane from which it takes.
    pub from: u32,
    /// The register of the target that it writes.
    pub into: Option<u32>,
}

impl Shuffles {
    /// What a lane does in a round, which is one of [`Shuffles::rounds`].
    pub fn step(&self, round: u32, lane: u32, warp: u32) -> Step {
        let at = [(Dim::Register, round), (Dim::Lane, lane), (Dim::Warp, warp)];
        let value = |map: &Linear| map.apply(&at)[0];
        let register = |slots: &[u32], slot| slots.binary_search(&slot).ok().map(|register| register as u32);
        Step {
            give: register(&self.sources, value(&self.give)),
            from: value(&self.from),
            into: register(&self.targets, value(&self.into)),
        }
    }

    /// Whether each lane takes what it gives itself in a round, so that nothing is exchanged.
    pub fn is_local(&self, round: u32) -> bool {
        let warps = self.from.input_bits(Dim::Warp);
        let from = |lane, warp| self.from.apply(&[(Dim::Register, round), (Dim::Lane, lane), (Dim::Warp, warp)])[0];
        (0..1 << warps).all(|warp| (0..LANES).all(|lane| from(lane, warp) == lane))
    }
}

/// Where a bit of a number of the target comes from: what it adds to the number of the register and of the lane.
#[derive(Clone, Copy, Default)]
struct Source {
    slot: u64,
    lane: u64,
}

impl Fragment {
    /// How this fragment becomes one of another layout. An error where shapes or warps differ.
    pub fn convert(&self, target: &Fragment) -> Result<Conversion, String> {
        if self.shape() != target.shape() {
            return Err(format!("the source has the shape {:?}, the target {:?}", self.shape(), target.shape()));
        }
        if self.warps() != target.warps() {
            return Err(format!("the source is in {} warps, the target in {}", self.warps(), target.warps()));
        }
        let Some([registers, lanes, warps]) = self.sources(target) else { return Ok(Conversion::Shared) };
        let is_own = |(bit, source): (usize, &Source)| source.slot == 0 && source.lane == 1 << bit;
        let same_thread = registers.iter().all(|source| source.lane == 0)
            && lanes.iter().enumerate().all(is_own)
            && warps.iter().all(|source| source.slot == 0 && source.lane == 0);
        if same_thread {
            let slots: Vec<u64> = registers.iter().map(|source| source.slot).collect();
            let source = |register| self.register(sum(&slots, u64::from(target.slot(register)?)) as u32);
            let sources: Option<Vec<u32>> = (0..target.registers()).map(source).collect();
            return Ok(sources.map_or(Conversion::Shared, Conversion::Registers));
        }
        let shuffles = self.shuffles(target, &registers, &lanes, &warps);
        Ok(shuffles.map_or(Conversion::Shared, |shuffles| Conversion::Shuffles(Box::new(shuffles))))
    }

    /// The sources of the bits of the target: of its registers, lanes and warps. `None` where one is in another warp.
    fn sources(&self, target: &Fragment) -> Option<[Vec<Source>; 3]> {
        let bits = self.map().input_bits(Dim::Register);
        let [own_registers, own_lanes, own_warps] = columns(self);
        let in_thread = Span::of(&own_registers);
        let in_warp = Span::of(&[own_registers, own_lanes.clone()].concat());
        let in_thread = |column| in_thread.solve(column).map(|slot| Source { slot, lane: 0 });
        let in_warp =
            |column| in_warp.solve(column).map(|at| Source { slot: at & ((1 << bits) - 1), lane: at >> bits });
        let [registers, lanes, warps] = columns(target);
        let registers = registers.iter().map(|&column| in_thread(column).or_else(|| in_warp(column)));
        let lanes = lanes.iter().enumerate().map(|(bit, &column)| {
            let own = in_thread(column ^ own_lanes[bit]).map(|source| Source { lane: 1 << bit, ..source });
            own.or_else(|| in_warp(column))
        });
        let warps = warps.iter().zip(&own_warps).map(|(column, own)| {
            let column = column ^ own;
            in_thread(column).or_else(|| in_warp(column))
        });
        Some([registers.collect::<Option<_>>()?, lanes.collect::<Option<_>>()?, warps.collect::<Option<_>>()?])
    }

    /// The exchange with these sources. In round t, lane l writes slot `t + P l` and takes from lane
    /// `C (t + P l) + D l`, C and D being the lanes of the sources of slots and lanes. P is chosen such that lanes
    /// which want different registers take from different lanes: where D sends lanes to one lane, P lets them write
    /// slots that C brings from elsewhere. `None` where that is not possible.
    fn shuffles(
        &self,
        target: &Fragment,
        registers: &[Source],
        lanes: &[Source],
        warps: &[Source],
    ) -> Option<Shuffles> {
        let lane_of = |sources: &[Source]| sources.iter().map(|source| source.lane).collect::<Vec<u64>>();
        let slot_of = |sources: &[Source]| sources.iter().map(|source| source.slot).collect::<Vec<u64>>();
        let (c, d, f) = (lane_of(registers), lane_of(lanes), lane_of(warps));
        let (a, b, e) = (slot_of(registers), slot_of(lanes), slot_of(warps));
        let span = Span::of(&d);
        // The lanes that D sends to lane 0, and the registers that they want from it.
        let meeting = span.kernel();
        let wanted: Vec<u64> = meeting.iter().map(|&lane| sum(&b, lane)).collect();
        let wanted_span = Span::of(&wanted);
        let mut p = vec![0u64; lanes.len()];
        let mut reached = d.clone();
        let mut chosen: Vec<u64> = vec![0; meeting.len()];
        for (at, &lane) in meeting.iter().enumerate() {
            // What depends on the wishes before it follows their choices.
            let before = match wanted_span.kernel().iter().find(|vector| vector.ilog2() as usize == at) {
                Some(vector) => vector ^ 1 << at,
                None => {
                    let bit = (0..c.len()).find(|&bit| Span::of(&reached).solve(c[bit]).is_none())?;
                    reached.push(c[bit]);
                    chosen[at] = 1 << bit;
                    p[lane.ilog2() as usize] = chosen[at];
                    continue;
                }
            };
            chosen[at] = sum(&chosen, before);
            p[lane.ilog2() as usize] = chosen[at];
        }
        // Where each lane takes from in round 0, and what it wants there.
        let takes: Vec<u64> = (0..lanes.len()).map(|bit| sum(&c, p[bit]) ^ d[bit]).collect();
        let wants: Vec<u64> = (0..lanes.len()).map(|bit| sum(&a, p[bit]) ^ b[bit]).collect();
        let taken = Span::of(&takes);
        // What the lane that takes from this one wants; nothing takes from what is not reached.
        let units: Vec<u64> = (0..lanes.len() as u32).map(|bit| taken.part(1 << bit)).collect();
        let wish = |lane: u64| sum(&wants, sum(&units, lane));
        let bits = |bits: u32| (0..bits).map(|bit| 1u64 << bit).collect::<Vec<_>>();
        let (round_bits, warp_bits) = (registers.len() as u32, warps.len() as u32);
        let give = [
            (0..registers.len()).map(|bit| a[bit] ^ wish(c[bit])).collect(),
            (0..lanes.len()).map(|bit| wish(1 << bit)).collect(),
            (0..warps.len()).map(|bit| e[bit] ^ wish(f[bit])).collect(),
        ];
        let source_bits = self.map().input_bits(Dim::Register);
        let give = linear(give, Dim::Register, source_bits)?;
        let from = linear([c, takes, f], Dim::Lane, LANES.ilog2())?;
        let slots = |fragment: &Fragment| (0..fragment.registers()).filter_map(|at| fragment.slot(at)).collect();
        let is_needed = |&round: &u32| {
            let into = |lane: u32| u64::from(round) ^ sum(&p, u64::from(lane));
            (0..LANES).any(|lane| target.register(into(lane) as u32).is_some())
        };
        let rounds = (0..1u32 << round_bits).filter(is_needed).collect();
        let into = linear([bits(round_bits), p, vec![0; warp_bits as usize]], Dim::Register, round_bits)?;
        let shuffles = Shuffles { rounds, give, from, into, sources: slots(self), targets: slots(target) };
        Some(shuffles)
    }
}

/// The columns of the register, the lane and the warp.
fn columns(fragment: &Fragment) -> [Vec<u64>; 3] {
    let map = fragment.map();
    let (registers, threads) = map.columns().split_at(map.input_bits(Dim::Register) as usize);
    let (lanes, warps) = threads.split_at(map.input_bits(Dim::Lane) as usize);
    [registers.to_vec(), lanes.to_vec(), warps.to_vec()]
}

/// The sum of the columns whose bits are set.
fn sum(columns: &[u64], bits: u64) -> u64 {
    columns.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).fold(0, |sum, (_, column)| sum ^ column)
}

/// The map with these columns of the round, the lane and the warp to one number.
fn linear([rounds, lanes, warps]: [Vec<u64>; 3], to: Dim, bits: u32) -> Option<Linear> {
    let columns = |columns: Vec<u64>| columns.into_iter().map(|column| vec![column as u32]).collect::<Vec<_>>();
    let inputs = [(Dim::Register, columns(rounds)), (Dim::Lane, columns(lanes)), (Dim::Warp, columns(warps))];
    Linear::new(&inputs, &[(to, bits)]).ok()
}
