//! What of a program depends on symbols alone, and at which sizes it changes.

use dlc_core::scalar::Binary;
use dlc_ir::affine::gcd;

use super::boundaries::Boundaries;
use super::exprs::{Condition, Expr, Factor, Slot, UNKNOWN};
use super::integers::{compute, rounds, start};
use super::program::{Instr, Program};
use super::scenarios::Launch;

/// Whatever of the program depends on symbols alone.
pub struct Facts<'p> {
    program: &'p Program,
    /// Whether a slot is known from the symbols: at the launch, or as it is computed from such alone.
    known: Vec<bool>,
    /// The instructions after the launch that compute such slots.
    computed: Vec<&'p Instr>,
    exprs: Vec<Expr>,
    slots: Vec<Slot>,
    /// Conditions.
    conditions: Vec<&'p Condition>,
    /// Trip counts: the first integer, the one after the last, the step.
    trips: Vec<&'p [Expr; 3]>,
    /// The integers after the last of loops that blocks share, each with a part of its own.
    shared: Vec<&'p Expr>,
    /// Trip counts that a loop has at most: its end is the smaller of one that symbols decide and another.
    capped: Vec<[Expr; 3]>,
    /// Of each slot, of which symbols it grows with, how fast.
    origins: Vec<Vec<Growth>>,
}

/// A slot grows by so much for so many of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Growth {
    symbol: Slot,
    by: i64,
    of: i64,
}

impl<'p> Facts<'p> {
    /// The facts of a program.
    pub fn of(program: &'p Program) -> Facts<'p> {
        let mut known = vec![false; program.slots];
        known[..program.symbols.len()].fill(true);
        let mut facts = Facts {
            program,
            known,
            computed: Vec::new(),
            exprs: Vec::new(),
            slots: Vec::new(),
            conditions: Vec::new(),
            trips: Vec::new(),
            shared: Vec::new(),
            capped: Vec::new(),
            origins: vec![Vec::new(); program.slots],
        };
        for instr in &program.launch {
            if let Instr::Set(slot, _) | Instr::Binary(slot, ..) = instr {
                facts.known[*slot as usize] = true;
            }
        }
        facts.compute();
        facts.grow();
        for instr in &program.code {
            match instr {
                Instr::Start { bounds, .. } if bounds.iter().all(|bound| facts.is_known(bound)) => {
                    if !facts.trips.contains(&&**bounds) {
                        facts.trips.push(bounds);
                    }
                }
                Instr::Start { bounds, .. } => {
                    bounds.iter().for_each(|bound| facts.add(bound));
                    if facts.is_known(&bounds[1]) {
                        facts.shared.push(&bounds[1]);
                    } else if let Some(end) = facts.cap(&bounds[1]).filter(|_| facts.is_known(&bounds[0])) {
                        facts.capped.push([bounds[0].clone(), end, bounds[2].clone()]);
                    }
                }
                Instr::Branch(condition, _) if condition.exprs().all(|expr| facts.is_known(expr)) => {
                    if !facts.conditions.contains(&&**condition) {
                        facts.conditions.push(condition);
                    }
                }
                Instr::Set(..) | Instr::Order { .. } | Instr::Branch(..) | Instr::Slice { .. } => {
                    exprs_of(instr).into_iter().for_each(|expr| facts.add(expr));
                }
                _ => {
                    let mut slots = Vec::new();
                    instr.reads(&mut slots);
                    facts.slots.extend(slots.into_iter().filter(|&slot| facts.known[slot as usize]));
                }
            }
        }
        facts.slots.sort_unstable();
        facts.slots.dedup();
        facts
    }

    /// Finds what is computed from symbols alone after the launch.
    fn compute(&mut self) {
        for instr in &self.program.code {
            let to = match instr {
                Instr::Set(slot, expr) if self.is_known(expr) => *slot,
                Instr::Binary(slot, _, both) if both.iter().all(|&slot| self.known[slot as usize]) => *slot,
                _ => continue,
            };
            self.known[to as usize] = true;
            self.computed.push(instr);
        }
    }

    /// All slots that symbols decide.
    pub fn known_slots(&self, launch: &Launch) -> Vec<i64> {
        let mut slots = launch.slots.clone();
        self.compute_known(&mut slots);
        slots
    }

    /// Adds to what the launch computes what follows from symbols alone.
    pub fn compute_known(&self, slots: &mut [i64]) {
        for instr in &self.computed {
            compute(instr, slots);
        }
    }

    /// What symbols decide that an integer is not above: one of two of which it is the smaller.
    fn cap(&self, expr: &Expr) -> Option<Expr> {
        let Expr::Slot(end) = expr else { return None };
        let both = self.program.code.iter().find_map(|instr| match instr {
            Instr::Binary(slot, Binary::Min, both) if slot == end => Some(both),
            _ => None,
        })?;
        both.iter().map(|&slot| Expr::Slot(slot)).find(|expr| self.is_known(expr))
    }

    /// Whether an expression follows from symbols alone.
    pub fn is_known(&self, expr: &Expr) -> bool {
        let mut slots = Vec::new();
        expr.slots(&mut slots);
        slots.into_iter().all(|slot| self.known[slot as usize])
    }

    /// The expression, or the parts of it that symbols decide.
    fn add(&mut self, expr: &Expr) {
        if self.is_known(expr) {
            if !matches!(expr, Expr::Const(_)) && !self.exprs.contains(expr) {
                self.exprs.push(expr.clone());
            }
            return;
        }
        match expr {
            Expr::Linear(_, terms) => {
                self.slots.extend(terms.iter().map(|&(slot, _)| slot).filter(|&slot| self.known[slot as usize]));
            }
            Expr::Sum(terms) => {
                let first = terms.iter().flat_map(|(_, factors)| factors);
                for factor in first.filter(|factor| !matches!(factor, Factor::Again(_))) {
                    let whole = Expr::Sum(Box::new([(1, Box::new([factor.clone()]))]));
                    match factor {
                        _ if self.is_known(&whole) => self.add(&whole),
                        Factor::Slot(_) => {}
                        Factor::Quotient(parts) => parts.iter().for_each(|part| self.add(part)),
                        Factor::Again(_) => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds the numbers that decide everything. `known` are the slots that symbols decide.
    pub fn values(&self, grid: [i64; 3], known: &[i64], into: &mut Vec<i64>) {
        let exprs = self.exprs.iter().map(|expr| expr.eval(known));
        let slots = self.slots.iter().map(|&slot| known[slot as usize]);
        let conditions = self.conditions.iter().map(|condition| condition.holds(known).map_or(2, i64::from));
        let trips = self.trips.iter().flat_map(|bounds| match start(bounds, known) {
            Ok([first, last, step]) => [first, step, rounds([first, last, step])],
            Err(_) => [UNKNOWN; 3],
        });
        // The last block has another number in another grid.
        let grid = if self.program.ids || self.program.sizes { &grid[..] } else { &[] };
        into.extend(exprs);
        into.extend(slots);
        into.extend(conditions);
        into.extend(trips);
        into.extend_from_slice(grid);
    }

    /// How often each loop runs that is of use, `most` times as often as for one tile: of those whose trip counts depend on
    /// symbols alone. `one` are the slots that these decide for one tile.
    pub fn limits(&self, one: &[i64], most: i64) -> Vec<i64> {
        let limit = |bounds: &[Expr; 3]| match is_constant(bounds) {
            true => i64::MAX,
            false => start(bounds, one).map_or(1, rounds).max(1).saturating_mul(most),
        };
        self.trips.iter().map(|bounds| limit(bounds)).collect()
    }

    /// Whether no such loop runs for longer. `known` are the slots that symbols decide.
    pub fn is_short(&self, known: &[i64], limits: &[i64]) -> bool {
        let is_short =
            |(bounds, limit): (&&[Expr; 3], &i64)| start(bounds, known).map_or(true, |bounds| rounds(bounds) <= *limit);
        self.trips.iter().zip(limits).all(is_short)
    }

    /// How much farther a loop goes for one tile more of a symbol, with all loops around it that run as often as the text
    /// says. `one` and `two` are the slots without and with that tile.
    pub fn nest(&self, symbol: Slot, one: &[i64], two: &[i64]) -> i64 {
        let mut most = 1;
        for (pc, instr) in self.program.code.iter().enumerate() {
            let Instr::Start { bounds, .. } = instr else { continue };
            let grows = self.growth(&bounds[1]).iter().any(|growth| growth.symbol == symbol);
            if !grows || !bounds.iter().all(|bound| self.is_known(bound)) {
                continue;
            }
            let [one, two] = [one, two].map(|slots| start(bounds, slots).map_or(0, rounds));
            let mut all = (two - one).max(1);
            let mut around = self.program.at[pc].2;
            while let Some(at) = around {
                all = all.saturating_mul(self.program.loops[at].trips.unwrap_or(1));
                around = self.program.loops[at].outer;
            }
            most = most.max(all);
        }
        most
    }

    /// Whether blocks compute something from a symbol, but for how often loops run.
    pub fn is_computed_with(&self, symbol: Slot) -> bool {
        let grows = |growths: &[Growth]| growths.iter().any(|growth| growth.symbol == symbol);
        self.program.code.iter().any(|instr| match instr {
            Instr::Set(slot, _) | Instr::Binary(slot, ..) => grows(&self.origins[*slot as usize]),
            Instr::Slice { at, .. } => at.iter().any(|at| grows(&self.growth(at))),
            _ => false,
        })
    }

    /// Whether each condition on symbols alone is one whose boundaries are found, or was seen to hold and not to.
    pub fn are_covered(&self, launches: &[Launch], boundaries: &Boundaries) -> bool {
        let seen: Vec<Vec<Option<bool>>> = launches.iter().map(|launch| self.conditions(launch)).collect();
        self.conditions.iter().enumerate().all(|(number, condition)| {
            let is_seen = |outcome: bool| seen.iter().any(|all| all[number] == Some(outcome));
            boundaries.reads(condition) || is_seen(true) && is_seen(false)
        })
    }

    /// Which of the conditions on symbols alone hold.
    pub fn conditions(&self, launch: &Launch) -> Vec<Option<bool>> {
        let known = self.known_slots(launch);
        self.conditions.iter().map(|condition| condition.holds(&known)).collect()
    }

    /// How often a block goes through each of the loops that blocks share.
    fn rounds(&self, slots: &[i64], grid: [i64; 3]) -> impl Iterator<Item = i64> {
        let blocks = grid.iter().fold(1, |all: i64, size| all.saturating_mul(*size)).max(1);
        self.shared.iter().map(move |last| last.eval(slots) / blocks)
    }

    /// Whether there are loops that blocks share.
    pub fn has_shared(&self) -> bool {
        !self.shared.is_empty()
    }

    /// How often a block goes through the one of them that it goes through least. `None` where there are none.
    pub fn least_rounds(&self, known: &[i64], grid: [i64; 3]) -> Option<i64> {
        self.rounds(known, grid).min()
    }

    /// How often the loops run whose trip counts follow from symbols alone.
    pub fn trips(&self, known: &[i64]) -> Vec<i64> {
        self.trips.iter().map(|bounds| start(bounds, known).map_or(0, rounds)).collect()
    }

    /// Leaves out launches in which a loop inside of rounds may run for longer than is of use, where others have as many
    /// rounds, up to a few: both together are of no use. Those that are followed to their end stay.
    pub fn leave_long(&self, launches: Vec<Launch>, most: i64, few: i64) -> Vec<Launch> {
        if self.capped.is_empty() || self.shared.is_empty() {
            return launches;
        }
        let of = |launch: &Launch| {
            let slots = self.known_slots(launch);
            let is_short = self.capped.iter().all(|bounds| runs_at_most(bounds, &slots, most));
            (is_short, self.rounds(&slots, launch.grid).min().unwrap_or(0))
        };
        let found: Vec<Option<(bool, i64)>> =
            launches.iter().map(|launch| (!launch.whole).then(|| of(launch))).collect();
        let cut = || found.iter().flatten();
        let all = cut().map(|&(_, rounds)| rounds).max().unwrap_or(0);
        let left = cut().filter(|(is_short, _)| *is_short).map(|&(_, rounds)| rounds).max().unwrap_or(0);
        if left < all.min(few) {
            return launches;
        }
        let stays = |found: &Option<(bool, i64)>| found.is_none_or(|(is_short, _)| is_short);
        launches.into_iter().zip(found).filter(|(_, found)| stays(found)).map(|(launch, _)| launch).collect()
    }

    /// Finds of which symbols slots grow with, through whatever is computed.
    fn grow(&mut self) {
        for symbol in 0..self.program.symbols.len() {
            self.origins[symbol].push(Growth { symbol: symbol as Slot, by: 1, of: 1 });
        }
        for instr in self.program.launch.iter().chain(&self.program.code) {
            let (to, found) = match instr {
                Instr::Set(slot, expr) => (*slot, self.growth(expr)),
                Instr::Binary(slot, _, both) => {
                    (*slot, both.iter().flat_map(|&slot| self.origins[slot as usize].clone()).collect())
                }
                _ => continue,
            };
            let origins = &mut self.origins[to as usize];
            for growth in found {
                if !origins.contains(&growth) {
                    origins.push(growth);
                }
            }
        }
    }

    fn growth(&self, expr: &Expr) -> Vec<Growth> {
        let of = |slot: Slot, factor: i64| {
            let scaled =
                move |growth: &Growth| Growth { by: growth.by.saturating_mul(factor).saturating_abs(), ..*growth };
            self.origins[slot as usize].iter().map(scaled).collect::<Vec<_>>()
        };
        match expr {
            Expr::Const(_) => Vec::new(),
            Expr::Slot(slot) => of(*slot, 1),
            Expr::Linear(_, terms) => terms.iter().flat_map(|&(slot, factor)| of(slot, factor)).collect(),
            Expr::Sum(terms) => {
                let (mut all, mut quotients) = (Vec::new(), Vec::new());
                for (coefficient, factors) in terms {
                    for factor in factors {
                        let parts = match factor {
                            Factor::Slot(_) => None,
                            Factor::Quotient(parts) => {
                                quotients.push(parts);
                                Some(parts)
                            }
                            Factor::Again(number) => Some(quotients[*number]),
                        };
                        match (factor, parts) {
                            (Factor::Slot(slot), _) => all.extend(of(*slot, *coefficient)),
                            (_, None) => {}
                            (_, Some(parts)) => {
                                let below = if let Expr::Const(below) = parts[1] { below.max(1) } else { 1 };
                                all.extend(self.growth(&parts[0]).into_iter().map(|growth| Growth {
                                    by: growth.by.saturating_mul(*coefficient).saturating_abs(),
                                    of: growth.of.saturating_mul(below),
                                    ..growth
                                }));
                            }
                        }
                    }
                }
                all
            }
        }
    }

    /// Of each symbol the sizes at which something changes, least first.
    pub fn units(&self) -> Vec<Vec<i64>> {
        let mut divisors = Vec::new();
        for instr in self.program.launch.iter().chain(&self.program.code) {
            for expr in exprs_of(instr) {
                expr.divisors(&mut divisors);
            }
            if let Instr::Start { bounds, .. } = instr {
                let mut slots = Vec::new();
                bounds[1].slots(&mut slots);
                if let Expr::Const(step) = bounds[2] {
                    divisors.extend(slots.into_iter().map(|slot| (slot, 1, step)));
                }
            }
        }
        for size in &self.program.grid {
            size.divisors(&mut divisors);
        }
        let mut units = vec![Vec::new(); self.program.symbols.len()];
        for (slot, factor, divisor) in divisors {
            for growth in &self.origins[slot as usize] {
                let (by, of) = (growth.by.saturating_mul(factor.saturating_abs()), growth.of.saturating_mul(divisor));
                let unit = of / (gcd(of.unsigned_abs(), by.unsigned_abs()) as i64).max(1);
                if unit > 0 {
                    units[growth.symbol as usize].push(unit);
                }
            }
        }
        for units in &mut units {
            units.sort_unstable();
            units.dedup();
            if units.is_empty() {
                units.push(1);
            }
        }
        units
    }
}

/// Whether a loop runs so often at most; one whose bounds are numbers does not depend on symbols.
fn runs_at_most(bounds: &[Expr; 3], slots: &[i64], most: i64) -> bool {
    is_constant(bounds) || start(bounds, slots).map_or(true, |bounds| rounds(bounds) <= most)
}

fn is_constant(bounds: &[Expr; 3]) -> bool {
    bounds.iter().all(|bound| matches!(bound, Expr::Const(_)))
}

fn exprs_of(instr: &Instr) -> Vec<&Expr> {
    match instr {
        Instr::Set(_, expr) => vec![expr],
        Instr::Order { sizes, .. } => sizes.iter().collect(),
        Instr::Start { bounds, .. } => bounds.iter().collect(),
        Instr::Branch(condition, _) => condition.exprs().collect(),
        Instr::Slice { at, .. } => at.iter().collect(),
        _ => Vec::new(),
    }
}
