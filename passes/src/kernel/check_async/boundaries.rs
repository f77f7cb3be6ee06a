//! At which sizes, blocks and rounds of loops something changes: found from the text, for values on both sides of each.
//!
//! Whatever decides something is compared with something else: a condition, the end of a loop, the smaller of two numbers.
//! The difference of both is nearly linear in symbols, positions of blocks and integers of loops; quotients are as
//! many parts, off by less than one. Where it is 0 is a boundary. With symbols alone in it that is one value (a
//! *threshold*); with a loop or a block as well it comes again after each step of these (a *residue*). Where it is not
//! linear, or asks for a remainder, the values of a whole period are tried.

use dlc_core::scalar::Binary;
use smallvec::SmallVec;

use super::MOST_FORMS;
use super::exprs::{Condition, Expr, Factor, Slot, UNKNOWN};
use super::kind::lcm;
use super::program::{Instr, Of, Program};

/// The longest period of remainders of which each value is tried.
const LONGEST_PERIOD: i64 = 4096;

/// The farthest round, block and size at which something changes that are tried: no grid has more blocks along an axis.
const MOST_ROUND: f64 = 1e9;
const MOST_BLOCK: f64 = (1u64 << 31) as f64;
const MOST_SIZE: f64 = 1e15;

/// Nearly a linear function of slots that nothing computes.
#[derive(Clone, Default, Debug)]
struct Linear {
    terms: SmallVec<[(Slot, f64); 4]>,
    constant: f64,
    /// How far off it may be.
    error: f64,
    /// What is divided by in it.
    divisors: SmallVec<[i64; 2]>,
}

impl Linear {
    fn of_slot(slot: Slot) -> Linear {
        Linear { terms: SmallVec::from_slice(&[(slot, 1.0)]), ..Linear::default() }
    }

    fn constant(constant: f64) -> Linear {
        Linear { constant, ..Linear::default() }
    }

    fn factor(&self, of: Slot) -> f64 {
        self.terms.iter().find(|&&(slot, _)| slot == of).map_or(0.0, |&(_, factor)| factor)
    }

    /// After how many values its remainders come again. `None` where that is too many to try each.
    fn period(&self) -> Option<i64> {
        let period = self.divisors.iter().try_fold(1i64, |all, &by| lcm(all, by));
        period.filter(|&period| period <= LONGEST_PERIOD)
    }

    /// Adds another one so many times.
    fn add(&mut self, other: &Linear, times: f64) {
        for &(slot, factor) in &other.terms {
            match self.terms.iter_mut().find(|(known, _)| *known == slot) {
                Some((_, known)) => *known += times * factor,
                None => self.terms.push((slot, times * factor)),
            }
        }
        // What cancels is gone, up to what is lost in rounding.
        self.terms.retain(|(_, factor)| factor.abs() > 1e-9);
        self.constant += times * other.constant;
        self.error += times.abs() * other.error;
        self.divisors.extend(other.divisors.iter().copied());
    }
}

/// A sum of slots, each with a factor, in which something changes where it is 0.
#[derive(Debug)]
struct Crossing {
    difference: Linear,
    /// The symbols in quotients of it.
    divided: Vec<Slot>,
}

/// A value of a symbol, or that and one of each so many.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Boundary {
    /// Something changes from the value before to this one.
    At(i64),
    /// The same in the first round of a loop, or the first block; in others it does at others.
    From(i64),
    /// Something changes at each value that is so much more than a multiple of a unit.
    Each { unit: i64, rest: i64 },
    /// Something changes at values that are not tried.
    Far(&'static str),
}

/// Whatever a program compares.
pub struct Boundaries {
    crossings: Vec<Crossing>,
    /// What a loop or a block adds from one value to the next: the slot, the least value, the step, whether it is a loop.
    steps: Vec<(Slot, f64, f64, bool)>,
    /// The integers of loops that run as often whatever the sizes, and the last of each.
    constant: Vec<(Slot, f64)>,
    /// The integers of loops that begin elsewhere in each block, and where.
    begins: Vec<(Slot, Linear)>,
    /// The slot of the number of the block along an axis.
    blocks: Vec<(Slot, usize)>,
    symbols: usize,
    /// The conditions that are not linear.
    unread: Vec<Condition>,
}

/// Linear forms of slots as far as the text was read.
struct Reader {
    forms: Vec<Option<Linear>>,
    /// Of slots that are the smaller or the greater of two others, and what is computed from one such: what they may be.
    either: Vec<Vec<Linear>>,
    found: Boundaries,
}

impl Reader {
    fn of(&self, expr: &Expr) -> Option<Linear> {
        match expr {
            Expr::Const(UNKNOWN) => None,
            Expr::Const(value) => Some(Linear::constant(*value as f64)),
            Expr::Slot(slot) => self.forms[*slot as usize].clone(),
            Expr::Linear(constant, terms) => {
                let mut sum = Linear::constant(*constant as f64);
                for &(slot, factor) in terms {
                    sum.add(self.forms[slot as usize].as_ref()?, factor as f64);
                }
                Some(sum)
            }
            Expr::Sum(terms) => {
                let (mut sum, mut quotients) = (Linear::default(), Vec::new());
                for (coefficient, factors) in terms {
                    let mut product = Linear::constant(*coefficient as f64);
                    for factor in factors {
                        let form = match factor {
                            Factor::Slot(slot) => self.forms[*slot as usize].clone()?,
                            Factor::Quotient(parts) => {
                                let quotient = self.quotient(&parts[0], &parts[1])?;
                                quotients.push(quotient.clone());
                                quotient
                            }
                            Factor::Again(number) => quotients.get(*number)?.clone(),
                        };
                        product = multiply(product, form)?;
                    }
                    sum.add(&product, 1.0);
                }
                Some(sum)
            }
        }
    }

    fn quotient(&self, above: &Expr, below: &Expr) -> Option<Linear> {
        let Expr::Const(divisor) = *below else { return None };
        if divisor <= 0 {
            return None;
        }
        let mut quotient = Linear { error: 1.0, ..Linear::default() };
        quotient.add(&self.of(above)?, 1.0 / divisor as f64);
        quotient.divisors.push(divisor);
        Some(quotient)
    }

    /// A slot in expressions that may be one of several.
    fn varied(&self, exprs: [&Expr; 2]) -> Option<Slot> {
        let mut slots = Vec::new();
        exprs.into_iter().for_each(|expr| expr.slots(&mut slots));
        slots.into_iter().find(|&slot| self.forms[slot as usize].is_none() && !self.either[slot as usize].is_empty())
    }

    /// What an expression may be.
    fn all_of(&mut self, expr: &Expr) -> Vec<Linear> {
        let Some(slot) = self.varied([expr, expr]) else { return self.of(expr).into_iter().collect() };
        let mut all = Vec::new();
        for form in self.either[slot as usize].clone() {
            self.forms[slot as usize] = Some(form);
            all.extend(self.all_of(expr));
        }
        self.forms[slot as usize] = None;
        all.truncate(MOST_FORMS);
        all
    }

    /// Whether both are linear.
    fn compare(&mut self, above: &Expr, below: &Expr, more: f64) -> bool {
        if let Some(slot) = self.varied([above, below]) {
            let mut is_read = true;
            for form in self.either[slot as usize].clone() {
                self.forms[slot as usize] = Some(form);
                is_read &= self.compare(above, below, more);
            }
            self.forms[slot as usize] = None;
            return is_read;
        }
        let mut divided = Vec::new();
        [above, below].into_iter().for_each(|expr| self.divided(expr, &mut divided));
        let (Some(mut difference), Some(below)) = (self.of(above), self.of(below)) else { return false };
        difference.add(&below, -1.0);
        difference.constant += more;
        self.found.crossings.push(Crossing { difference, divided });
        true
    }

    /// Adds the symbols that are divided in an expression.
    fn divided(&self, expr: &Expr, into: &mut Vec<Slot>) {
        let Expr::Sum(terms) = expr else { return };
        for factor in terms.iter().flat_map(|(_, factors)| factors) {
            let Factor::Quotient(parts) = factor else { continue };
            if let Some(form) = self.of(&parts[0]) {
                into.extend(form.terms.iter().map(|&(slot, _)| slot));
            }
        }
    }

    fn condition(&mut self, condition: &Condition) {
        let mut is_read = true;
        for (expr, lower, upper) in condition.bounds() {
            is_read &= lower.is_none_or(|lower| self.compare(expr, lower, 0.0));
            is_read &= upper.is_none_or(|upper| self.compare(upper, expr, -1.0));
            self.quotients(expr);
        }
        if !is_read {
            self.found.unread.push(condition.clone());
        }
    }

    /// Where the quotients in an expression change.
    fn quotients(&mut self, expr: &Expr) {
        let Expr::Sum(terms) = expr else { return };
        for factor in terms.iter().flat_map(|(_, factors)| factors) {
            let Factor::Quotient(parts) = factor else { continue };
            self.quotients(&parts[0]);
            let (Some(mut difference), Expr::Const(divisor)) = (self.of(&parts[0]), &parts[1]) else { continue };
            // A multiple of the divisor is taken away: it is as if a loop of such steps went on.
            let slot = self.step(0.0, *divisor as f64, false);
            difference.add(&Linear::of_slot(slot), -1.0);
            self.found.crossings.push(Crossing { difference, divided: Vec::new() });
        }
    }

    /// A number that goes on in steps, which no slot of the program holds.
    fn step(&mut self, first: f64, step: f64, is_loop: bool) -> Slot {
        let slot = Slot::MAX - self.found.steps.len() as Slot;
        self.found.steps.push((slot, first, step, is_loop));
        slot
    }

    fn read(&mut self, instr: &Instr, program: &Program) {
        match instr {
            Instr::Set(slot, expr) => {
                self.quotients(expr);
                match self.varied([expr, expr]) {
                    Some(_) => self.either[*slot as usize] = self.all_of(expr),
                    None => self.forms[*slot as usize] = self.of(expr),
                }
            }
            Instr::Block(slot, Of::Id(axis)) => {
                self.forms[*slot as usize] = Some(Linear::of_slot(*slot));
                self.found.steps.push((*slot, 0.0, program.cluster[*axis] as f64, false));
                self.found.blocks.push((*slot, *axis));
            }
            Instr::Binary(slot, function, [a, b]) => {
                let compares = matches!(function, Binary::Min | Binary::Max | Binary::Eq | Binary::Ne);
                let orders = matches!(function, Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge);
                let [a, b] = [*a, *b].map(Expr::Slot);
                if compares || orders {
                    self.compare(&a, &b, 0.0);
                    self.compare(&b, &a, 0.0);
                }
                self.forms[*slot as usize] = None;
                if matches!(function, Binary::Min | Binary::Max) {
                    let (mut all, others) = (self.all_of(&a), self.all_of(&b));
                    all.extend(others);
                    all.truncate(MOST_FORMS);
                    self.either[*slot as usize] = all;
                }
            }
            Instr::Branch(condition, _) => self.condition(condition),
            Instr::Start { index, bounds, .. } => {
                let [first, last, step] = &**bounds;
                let (from, by) = (self.of(first), self.of(step));
                // A loop that runs as often whatever the sizes comes to all of its rounds in each run.
                let is_constant = bounds.iter().all(|bound| matches!(bound, Expr::Const(_)));
                let constant = |form: &Option<Linear>| {
                    form.as_ref().filter(|form| form.terms.is_empty()).map(|form| form.constant)
                };
                let (from, by) = (constant(&from).unwrap_or(0.0), constant(&by).unwrap_or(1.0));
                // A round more.
                let rounds = self.step(0.0, by, true);
                self.forms[*index as usize] = Some(Linear::of_slot(*index));
                self.found.steps.push((*index, from, by, true));
                if let (Some(form), false) = (self.of(first), is_constant) {
                    self.found.begins.push((*index, form));
                }
                if let (Expr::Const(last), true) = (last, is_constant) {
                    let rounds = ((*last as f64 - from) / by).ceil().max(1.0);
                    self.found.constant.push((*index, from + (rounds - 1.0) * by));
                } else if let (Some(mut difference), Some(first)) = (self.of(last), self.of(first)) {
                    difference.add(&first, -1.0);
                    difference.constant -= 1.0;
                    difference.add(&Linear::of_slot(rounds), -1.0);
                    self.found.crossings.push(Crossing { difference, divided: Vec::new() });
                }
            }
            Instr::Slice { at, .. } => at.iter().for_each(|at| self.quotients(at)),
            _ => {}
        }
    }
}

/// The product of two forms. `None` unless one of them is a constant.
fn multiply(a: Linear, b: Linear) -> Option<Linear> {
    let is_constant = |form: &Linear| form.terms.is_empty() && form.error == 0.0;
    let (constant, form) = match (is_constant(&a), is_constant(&b)) {
        (true, _) => (a.constant, b),
        (_, true) => (b.constant, a),
        _ => return None,
    };
    let mut product = Linear::default();
    product.add(&form, constant);
    Some(product)
}

impl Boundaries {
    /// Whatever a program compares.
    pub fn of(program: &Program) -> Boundaries {
        let mut forms = vec![None; program.slots];
        for (symbol, form) in forms.iter_mut().enumerate().take(program.symbols.len()) {
            *form = Some(Linear::of_slot(symbol as Slot));
        }
        let symbols = program.symbols.len();
        let found = Boundaries {
            crossings: Vec::new(),
            steps: Vec::new(),
            constant: Vec::new(),
            begins: Vec::new(),
            blocks: Vec::new(),
            symbols,
            unread: Vec::new(),
        };
        let mut reader = Reader { forms, either: vec![Vec::new(); program.slots], found };
        program.launch.iter().for_each(|instr| reader.read(instr, program));
        program.requires.iter().flatten().for_each(|condition| reader.condition(condition));
        program.grid.iter().for_each(|size| reader.quotients(size));
        program.code.iter().for_each(|instr| reader.read(instr, program));
        reader.found
    }

    /// Whether the boundaries of a condition are found.
    pub fn reads(&self, condition: &Condition) -> bool {
        !self.unread.contains(condition)
    }

    /// Whether what is asked for remainders of symbols comes again only after too many values to try each, all of them together.
    pub fn has_long_period(&self) -> bool {
        let mut all = 0;
        self.crossings.iter().any(|Crossing { difference, divided }| {
            let cancels = |&&slot: &&Slot| self.is_symbol(slot) && difference.factor(slot) == 0.0;
            let count = divided.iter().filter(cancels).count() as i64;
            all += count * difference.period().filter(|_| count > 0).unwrap_or(0);
            count > 0 && difference.period().is_none() || all > 4 * LONGEST_PERIOD
        })
    }

    fn is_symbol(&self, slot: Slot) -> bool {
        (slot as usize) < self.symbols
    }

    fn step(&self, slot: Slot) -> Option<&(Slot, f64, f64, bool)> {
        self.steps.iter().find(|&&(known, ..)| known == slot)
    }

    /// What a form is without some slots: symbols have values, what goes on in steps is where it begins.
    fn rest(&self, form: &Linear, symbols: &[i64], without: Slot) -> f64 {
        let value = |&(slot, factor): &(Slot, f64)| match symbols.get(slot as usize) {
            _ if slot == without => 0.0,
            Some(&value) => factor * value as f64,
            None => factor * self.step(slot).map_or(0.0, |&(_, first, ..)| first),
        };
        form.constant + form.terms.iter().map(value).sum::<f64>()
    }

    /// Where something changes with a symbol, the others having values.
    pub fn of_symbol(&self, symbol: Slot, symbols: &[i64]) -> Vec<Boundary> {
        let mut found: Vec<Boundary> = Vec::new();
        let mut add = |boundary: Boundary| {
            if !found.contains(&boundary) {
                found.push(boundary);
            }
        };
        for Crossing { difference, divided } in &self.crossings {
            let factor = difference.factor(symbol);
            if factor == 0.0 {
                // Of a remainder every value may decide.
                if let Some(period) = difference.period().filter(|_| divided.contains(&symbol)) {
                    (0..period).for_each(|rest| add(Boundary::Each { unit: period, rest }));
                }
                continue;
            }
            let zero = -self.rest(difference, symbols, symbol) / factor;
            let off = difference.error / factor.abs();
            let steps = difference.terms.iter().filter(|&&(slot, _)| !self.is_symbol(slot));
            let mut is_alone = true;
            for &(slot, by) in steps {
                is_alone = false;
                let Some(&(_, _, step, _)) = self.step(slot) else { continue };
                let step = (by * step / factor).abs();
                // What is rounded changes where its quotients do. Other steps are not all whole: each has its place.
                let is_exact = off == 0.0;
                let Some((unit, parts)) =
                    fraction(step).filter(|&(unit, parts)| unit <= LONGEST_PERIOD || parts == 1 || !is_exact)
                else {
                    if is_exact {
                        add(Boundary::Far("what is done depends on sizes in steps that hardly come again"));
                    }
                    continue;
                };
                if unit <= 1 {
                    continue;
                }
                let rest = |at: f64| (at.clamp(-MOST_SIZE, MOST_SIZE) as i64).rem_euclid(unit);
                if is_exact && parts > 1 {
                    for part in 0..parts.min(LONGEST_PERIOD) {
                        let at = zero + part as f64 * step;
                        add(Boundary::Each { unit, rest: rest(at.ceil()) });
                        add(Boundary::Each { unit, rest: rest(at.floor() + 1.0) });
                    }
                    continue;
                }
                add(Boundary::Each { unit, rest: rest(zero.ceil()) });
                add(Boundary::Each { unit, rest: rest(zero.floor() + 1.0) });
                if off > 0.0 && off < unit as f64 {
                    add(Boundary::Each { unit, rest: rest((zero - off).ceil()) });
                    add(Boundary::Each { unit, rest: rest((zero + off).ceil()) });
                }
            }
            if zero - off >= MOST_SIZE {
                add(Boundary::Far("what is done depends on sizes beyond 10^15"));
                continue;
            }
            let boundary = if is_alone { Boundary::At } else { Boundary::From };
            let mut near = |zero: f64| {
                for at in [zero - off, zero, zero + off] {
                    add(boundary(at.ceil().max(-1.0) as i64));
                    add(boundary((at.floor().max(-1.0) as i64).saturating_add(1)));
                }
            };
            near(zero);
            // In the last round of a loop that runs as often whatever the sizes it is elsewhere.
            let last = |&(slot, by): &(Slot, f64)| {
                let (_, last) = self.constant.iter().find(|&&(known, _)| known == slot)?;
                Some(by * (last - self.step(slot)?.1))
            };
            let far: f64 = difference.terms.iter().filter_map(last).sum();
            if far != 0.0 {
                near(zero - far / factor);
            }
        }
        found
    }

    /// Whether a loop begins at the number of the block.
    fn begins_at_block(&self, index: Slot) -> bool {
        let is_block = |slot: Slot| self.blocks.iter().any(|&(block, _)| block == slot);
        let mut begins = self.begins.iter().filter(|&&(known, _)| known == index);
        begins.any(|(_, form)| form.terms.iter().any(|&(slot, _)| is_block(slot)))
    }

    /// The rounds of loops at which something changes, whatever the sizes: of such loops as sizes make longer.
    ///
    /// Errors: what is not tried.
    pub fn rounds(&self) -> Result<Vec<i64>, &'static str> {
        let mut found = Vec::new();
        for Crossing { difference, .. } in &self.crossings {
            let last = |slot: Slot| self.constant.iter().find(|&&(known, _)| known == slot).map(|&(_, last)| last);
            let (mut loops, mut others, mut ends) = (Vec::new(), Vec::new(), [difference.constant; 2]);
            let is_shared = difference.terms.iter().any(|&(slot, _)| self.begins_at_block(slot));
            for &(slot, factor) in &difference.terms {
                match (self.step(slot), last(slot)) {
                    (Some(&(_, first, ..)), Some(last)) => {
                        ends[0] += factor * first;
                        ends[1] += factor * last;
                    }
                    (Some(&(_, first, step, true)), None) => {
                        // Blocks share the rounds of a loop that begins elsewhere in each of them.
                        loops.push((factor, if self.begins_at_block(slot) { 1.0 } else { step }));
                        ends.iter_mut().for_each(|end| *end += factor * first);
                    }
                    _ => others.push((slot, factor)),
                }
            }
            for &(factor, step) in &loops {
                let by = (factor * step).abs();
                if by == 0.0 {
                    continue;
                }
                match others[..] {
                    // Of two loops, each with the other in its first round.
                    [] => found.extend(ends.map(|end| (end / by).abs())),
                    // A size of one makes several rounds of it.
                    [(other, times)] if self.is_symbol(other) && times.abs() >= 2.0 * by && !is_shared => {
                        found.extend(ends.map(|end| ((end + times) / by).abs()));
                    }
                    // A quotient comes around again.
                    [(other, times)] if !self.is_symbol(other) => {
                        let period = self.step(other).map_or(0.0, |&(_, _, step, _)| times.abs() * step);
                        found.push(2.0 * period / by);
                    }
                    _ => {}
                }
            }
        }
        if found.iter().any(|at| *at > MOST_ROUND) {
            return Err("what is done depends on a round of a loop beyond 10^9");
        }
        let mut found: Vec<i64> = found.into_iter().map(|at| at.ceil() as i64).collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The numbers of blocks at which something changes whatever the sizes: as many blocks must there be.
    pub fn numbered_blocks(&self) -> Vec<i64> {
        let of = |Crossing { difference, .. }: &Crossing| match difference.terms[..] {
            [(slot, factor)] if self.blocks.iter().any(|&(block, _)| block == slot) => {
                let at = (difference.error - difference.constant / factor).ceil();
                (1.0..MOST_BLOCK).contains(&at).then_some(at as i64)
            }
            _ => None,
        };
        let mut found: Vec<i64> = self.crossings.iter().filter_map(of).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The numbers of blocks along each axis around which something changes.
    pub fn blocks(&self, symbols: &[i64], grid: [i64; 3]) -> [Vec<i64>; 3] {
        let mut found: [Vec<i64>; 3] = Default::default();
        for &(block, axis) in &self.blocks {
            for Crossing { difference, .. } in &self.crossings {
                let factor = difference.factor(block);
                let is_loop = |slot: Slot| self.step(slot).is_some_and(|&(.., is_loop)| is_loop);
                if factor == 0.0 || difference.terms.iter().any(|&(slot, _)| is_loop(slot)) {
                    continue;
                }
                let zero = -self.rest(difference, symbols, block) / factor;
                let off = difference.error / factor.abs();
                for at in [zero - off, zero, zero + off] {
                    let at = at.clamp(-1e15, 1e15).floor() as i64;
                    found[axis].extend((at - 1..=at + 1).filter(|at| (0..grid[axis]).contains(at)));
                }
            }
        }
        // A loop that begins elsewhere in each block, and goes on by the number of blocks, comes to an integer in one of them.
        for Crossing { difference, .. } in &self.crossings {
            for (index, begin) in &self.begins {
                let factor = difference.factor(*index);
                let zero = -self.rest(difference, symbols, *index) / factor;
                for &(block, axis) in self.blocks.iter().filter(|&&(block, _)| begin.factor(block) != 0.0) {
                    let at = (zero - self.rest(begin, symbols, block)) / begin.factor(block);
                    if factor != 0.0 && at.abs() < MOST_SIZE {
                        let near = [-1, 0, 1].map(|more| (at.floor() as i64 + more).rem_euclid(grid[axis].max(1)));
                        found[axis].extend(near);
                    }
                }
            }
        }
        for axis in &mut found {
            axis.sort_unstable();
            axis.dedup();
        }
        found
    }
}

/// The fraction that a number is, up to what is lost in rounding: what is above, and below (by continued fractions).
fn fraction(value: f64) -> Option<(i64, i64)> {
    let (mut above, mut below) = ([0.0, 1.0], [1.0, 0.0]);
    let mut rest = value;
    for _ in 0..32 {
        let part = (rest + 1e-9).floor();
        above = [above[1], part * above[1] + above[0]];
        below = [below[1], part * below[1] + below[0]];
        if below[1] > 1e6 || above[1] > 1e12 {
            return None;
        }
        if (value * below[1] - above[1]).abs() <= 1e-9 * value.max(1.0) {
            return Some((above[1] as i64, below[1] as i64));
        }
        rest = 1.0 / (rest - part);
    }
    None
}
