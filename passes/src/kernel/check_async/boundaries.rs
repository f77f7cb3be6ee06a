//! At which sizes, blocks and rounds of loops something changes: found from the text, for values on both sides of each.
//!
//! Whatever decides something is compared with something else: a condition, the end of a loop, the smaller of two numbers.
//! The difference of both is nearly linear in symbols, positions of blocks and integers of loops; quotients are as
//! many parts, off by less than one. Where it is 0 is a boundary. With symbols alone in it that is one value (a
//! *threshold*); with a loop or a block as well it comes again after each step of these (a *residue*). Where it is not
//! linear, or asks for a remainder, the values of a whole period are tried.

use dlc_core::scalar::Binary;
use smallvec::SmallVec;

use super::exprs::{Condition, Expr, Factor, Slot, UNKNOWN};
use super::program::{Instr, Of, Program};

/// The longest period of remainders of which each value is tried.
const LONGEST_PERIOD: i64 = 4096;

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
    /// Something changes at each value that is so much more than a multiple of a unit.
    Each { unit: i64, rest: i64 },
}

/// Whatever a program compares.
pub struct Boundaries {
    crossings: Vec<Crossing>,
    /// What a loop or a block adds from one value to the next: the slot, the least value, the step, whether it is a loop.
    steps: Vec<(Slot, f64, f64, bool)>,
    /// The slot of the number of the block along an axis.
    blocks: Vec<(Slot, usize)>,
    symbols: usize,
    /// The conditions that are not linear.
    unread: Vec<Condition>,
}

/// Linear forms of slots as far as the text was read.
struct Reader {
    forms: Vec<Option<Linear>>,
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

    /// Whether both are linear.
    fn compare(&mut self, above: &Expr, below: &Expr, more: f64) -> bool {
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
                let form = self.of(expr);
                self.forms[*slot as usize] = form;
            }
            Instr::Block(slot, Of::Id(axis)) => {
                self.forms[*slot as usize] = Some(Linear::of_slot(*slot));
                self.found.steps.push((*slot, 0.0, program.cluster[*axis] as f64, false));
                self.found.blocks.push((*slot, *axis));
            }
            Instr::Binary(slot, function, [a, b]) => {
                let compares = matches!(function, Binary::Min | Binary::Max | Binary::Eq | Binary::Ne);
                let orders = matches!(function, Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge);
                if compares || orders {
                    let [a, b] = [*a, *b].map(Expr::Slot);
                    self.compare(&a, &b, 0.0);
                    self.compare(&b, &a, 0.0);
                }
                self.forms[*slot as usize] = None;
            }
            Instr::Branch(condition, _) => self.condition(condition),
            Instr::Start { index, bounds, .. } => {
                let [first, last, step] = &**bounds;
                let (from, by) = (self.of(first), self.of(step));
                let constant = |form: &Option<Linear>| {
                    form.as_ref().filter(|form| form.terms.is_empty()).map(|form| form.constant)
                };
                let (from, by) = (constant(&from).unwrap_or(0.0), constant(&by).unwrap_or(1.0));
                // A round more.
                let rounds = self.step(0.0, by, true);
                self.forms[*index as usize] = Some(Linear::of_slot(*index));
                self.found.steps.push((*index, from, by, true));
                if let (Some(mut difference), Some(first)) = (self.of(last), self.of(first)) {
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
        let found =
            Boundaries { crossings: Vec::new(), steps: Vec::new(), blocks: Vec::new(), symbols, unread: Vec::new() };
        let mut reader = Reader { forms, found };
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

    /// Whether something asks for a remainder of a symbol that comes again after too many values to try each.
    pub fn has_long_period(&self) -> bool {
        self.crossings.iter().any(|Crossing { difference, divided }| {
            let cancels = |&slot: &Slot| self.is_symbol(slot) && difference.factor(slot) == 0.0;
            divided.iter().any(cancels) && difference.period().is_none()
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
                let unit = whole((by * step / factor).abs());
                let Some(unit) = unit.filter(|&unit| unit > 1) else { continue };
                let rest = |at: f64| (at.clamp(-1e15, 1e15) as i64).rem_euclid(unit);
                add(Boundary::Each { unit, rest: rest(zero.ceil()) });
                add(Boundary::Each { unit, rest: rest(zero.floor() + 1.0) });
                if off > 0.0 && off < unit as f64 {
                    add(Boundary::Each { unit, rest: rest((zero - off).ceil()) });
                    add(Boundary::Each { unit, rest: rest((zero + off).ceil()) });
                }
            }
            if is_alone && zero.abs() < 1e15 {
                for at in [zero - off, zero, zero + off] {
                    add(Boundary::At(at.ceil() as i64));
                    add(Boundary::At(at.floor() as i64 + 1));
                }
            }
        }
        found
    }

    /// The rounds of loops at which something changes, whatever the sizes.
    pub fn rounds(&self) -> Vec<i64> {
        let mut found = Vec::new();
        for Crossing { difference, .. } in &self.crossings {
            let is_loop = |slot: Slot| self.step(slot).is_some_and(|&(.., is_loop)| is_loop);
            let (loops, others): (Vec<_>, Vec<_>) = difference.terms.iter().partition(|&&(slot, _)| is_loop(slot));
            let [(slot, factor)] = loops[..] else { continue };
            let Some(&(_, first, step, _)) = self.step(slot) else { continue };
            let by = (factor * step).abs();
            match others[..] {
                [] => found.push(((-difference.constant / factor - first) / step).abs()),
                // A quotient comes around again.
                [(other, times)] if !self.is_symbol(other) => {
                    let period = self.step(other).map_or(0.0, |&(_, _, step, _)| times.abs() * step);
                    found.push(2.0 * period / by);
                }
                _ => {}
            }
        }
        let mut found: Vec<i64> = found.into_iter().filter(|at| *at < 1e12).map(|at| at.ceil() as i64).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The numbers of blocks at which something changes whatever the sizes: as many blocks must there be.
    pub fn numbered_blocks(&self) -> Vec<i64> {
        let of = |Crossing { difference, .. }: &Crossing| match difference.terms[..] {
            [(slot, factor)] if self.blocks.iter().any(|&(block, _)| block == slot) => {
                let at = (difference.error - difference.constant / factor).ceil();
                (1.0..1e9).contains(&at).then_some(at as i64)
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
        for axis in &mut found {
            axis.sort_unstable();
            axis.dedup();
        }
        found
    }
}

/// The integer that a number is, up to what is lost in rounding; or the least multiple that is one.
fn whole(value: f64) -> Option<i64> {
    let near = |times: &i64| {
        let value = value * *times as f64;
        (value - value.round()).abs() < 1e-6 && value < 1e12
    };
    (1..=64).find(near).map(|times| (value * times as f64).round() as i64)
}

fn lcm(a: i64, b: i64) -> Option<i64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x.max(1)).checked_mul(b)
}
