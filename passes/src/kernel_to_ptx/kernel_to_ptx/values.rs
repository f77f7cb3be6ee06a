//! What the values of a kernel are in instructions.

use std::collections::BTreeSet;
use std::rc::Rc;

use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::MemRef;
use dlc_core::sizes::{Exprs, value_number};
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Kind;
use dlc_ir::{OpRef, Type, ValueId};
use dlc_kernel::global::strides;
use dlc_kernel::layout::{Fragment, SharedTile};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::{Code, Cond};
use super::natural::is_natural_expr;

/// What a value of a kernel is.
#[derive(Clone, Debug)]
pub enum Lowered {
    /// An integer of 32 bits that all threads agree on, and whether it is known not to be negative.
    Index(Arg, bool),
    /// A number that all threads agree on, of the type that [`held`] gives for its type.
    Number(Arg),
    /// The registers of a fragment, in the order of its layout, each of the type that [`held`] gives for its elements.
    Fragment(Rc<Vec<Arg>>),
    /// The sums of a loop of products that begin with zero: what is in the registers counts where the predicate holds,
    /// which it does not in the first round.
    Sums(Rc<Vec<Arg>>, ValueId),
    /// A tile, or a ring of them.
    Tile(TileAt),
    /// The address of the first of some mbarriers.
    Barriers(Arg),
    /// Memory: the address of its first byte, and whether this kernel only reads it.
    Memory(ValueId, bool),
    /// The address of a tensor map.
    Map(ValueId),
    /// How many groups of asynchronous work have been begun since that of the token, on the way with the fewest.
    Token(u64),
}

/// Where a tile is in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct TileAt {
    /// The address of its first byte, without `low`.
    pub base: Arg,
    /// What is added to the address before units are exchanged: where a part begins within the pattern of a swizzle.
    pub low: u32,
    /// The bytes from one stage to the next.
    pub stride: u32,
}

/// What a token of work that ended long ago says.
pub const LONG_AGO: u64 = u64::MAX / 2;

/// The type of the register that an element of a type is held in: floats of 32 and 64 bits and truth values as they are,
/// smaller floats as their bits, integers of up to 32 bits extended to 32.
pub fn held(code: &Code<'_>, elem: Type) -> Type {
    match elem.bits(code.ctx) {
        _ if elem == Type::INDEX => Type::I32,
        Some(1) => Type::I1,
        Some(64) if elem.float_kind(code.ctx).is_none() => Type::I64,
        _ if elem == Type::F32 || elem == Type::F64 => elem,
        _ if elem.float_kind(code.ctx).is_some() => Type::I16,
        _ => Type::I32,
    }
}

/// The threads that run the same ops.
#[derive(Clone, Copy, Debug)]
pub struct Team {
    /// How many warps they are.
    pub warps: u32,
    /// The number of the warp among them.
    pub warp: Arg,
    /// The number of the thread among them.
    pub thread: Arg,
    /// The number of the lane in its warp.
    pub lane: Arg,
    /// Whether it is one thread.
    pub single: bool,
    /// The number of their barrier.
    pub barrier: Arg,
    /// Which numbers that may be, as bits: groups of a role have one each.
    pub numbers: u16,
}

/// What names in expressions stand for.
pub struct Names<'a> {
    /// The symbols of sizes.
    pub symbols: &'a dyn Fn(&str) -> Option<Arg>,
    /// The values, `_0` and so on: integers, and for fragments what a register has.
    pub values: &'a [(Arg, bool)],
    /// `i0` and so on.
    pub coords: &'a [Arg],
    /// The same as sums of what the thread says and what the register adds, where they are that: what is computed of the
    /// first is the same for all registers.
    pub parts: &'a [(Arg, u32)],
}

impl Names<'_> {
    fn get(&self, name: &str) -> Option<(Arg, bool)> {
        if let Some(number) = value_number(name) {
            return self.values.get(number).copied();
        }
        if let Some(axis) = axis(name) {
            return self.coords.get(axis).map(|&at| (at, true));
        }
        (self.symbols)(name).map(|arg| (arg, true))
    }
}

/// The axis that `i0`, `i1`, .. names.
pub fn axis(name: &str) -> Option<usize> {
    dlc_kernel::interp::axis_number(name)
}

impl Code<'_> {
    /// An expression, and whether it is known not to be negative.
    pub fn expr(&mut self, expr: &SizeExpr, names: &Names<'_>) -> Result<(Arg, bool), Refused> {
        use dlc_ir::affine::Factor;
        let mut sum = Arg::Int(0);
        // The constant last, so that it is folded into what follows.
        let mut constant = 0i64;
        let mut terms: Vec<(Arg, i64)> = Vec::new();
        for (coefficient, factors) in expr.terms() {
            if factors.is_empty() {
                constant += coefficient;
                continue;
            }
            if let [Factor::Symbol(name)] = factors.as_slice()
                && let Some(&(thread, own)) = axis(name).and_then(|axis| names.parts.get(axis))
            {
                terms.push((thread, coefficient));
                constant += coefficient * i64::from(own);
                continue;
            }
            let mut product = Arg::Int(1);
            for factor in &factors {
                let value = match factor {
                    Factor::Symbol(name) => {
                        let known = names.get(name);
                        known.ok_or_else(|| Refused::new(format!("'{name}' in an expression is not known")))?.0
                    }
                    Factor::Quotient(numerator, divisor) => {
                        let (numerator, above) = self.expr(numerator, names)?;
                        let (divisor, below) = self.expr(divisor, names)?;
                        self.floordiv(numerator, divisor, above && below)
                    }
                };
                product = self.mul(product, value);
            }
            terms.push((product, coefficient));
        }
        // A difference of a number and a multiple of a quotient is what is left of it: `x - 8*(x floordiv 8)`.
        for (product, coefficient) in terms {
            sum = match coefficient {
                -1 => match sum {
                    Arg::Int(0) => {
                        let zero = Arg::Int(0);
                        self.sub(zero, product)
                    }
                    sum => self.sub(sum, product),
                },
                coefficient => {
                    let scaled = self.mul(product, Arg::Int(coefficient));
                    self.add(sum, scaled)
                }
            };
        }
        let sum = self.add(sum, Arg::Int(constant));
        let natural = is_natural_expr(expr, &|name| names.get(name).is_some_and(|(_, natural)| natural));
        Ok((sum, natural || matches!(sum, Arg::Int(value) if value >= 0)))
    }

    /// Whether a guard holds.
    pub fn guard(&mut self, guard: &Guard, names: &Names<'_>) -> Result<Cond, Refused> {
        let mut any = Cond::Known(false);
        for piece in &guard.pieces {
            // What is the same for many elements is asked first, and once: of all, of a row, of a column.
            let mut order: Vec<(usize, &Condition)> = piece.iter().map(|one| (shared_by(one), one)).collect();
            order.sort_by_key(|&(by, _)| by);
            let mut all = Cond::Known(true);
            for group in order.chunk_by(|a, b| a.0 == b.0 && a.0 != OF_ELEMENTS) {
                let mut own = Cond::Known(true);
                for (_, condition) in group {
                    let holds = self.holds(condition, names)?;
                    own = self.both(own, holds);
                }
                all = self.both(all, own);
            }
            any = self.either(any, all);
        }
        Ok(any)
    }

    /// Whether a condition holds. A number from zero on, below one that is not negative, is one without a sign below it.
    fn holds(&mut self, condition: &Condition, names: &Names<'_>) -> Result<Cond, Refused> {
        let (value, natural) = self.expr(&condition.expr, names)?;
        let from_zero = condition.lower.as_ref().is_some_and(|lower| lower.as_constant() == Some(0));
        let mut holds = Cond::Known(true);
        let upper = match &condition.upper {
            Some(upper) => Some(self.expr(upper, names)?),
            None => None,
        };
        if let Some((upper, true)) = upper.filter(|_| from_zero && !natural && !matches!(value, Arg::Int(_))) {
            return Ok(Cond::If(self.inst(&table::SETP, "lt.u32", &[value, upper])));
        }
        if let Some(lower) = condition.lower.as_ref().filter(|_| !(natural && from_zero)) {
            let (lower, _) = self.expr(lower, names)?;
            holds = self.compare("ge", value, lower);
        }
        if let Some((upper, _)) = upper {
            let below = self.compare("lt", value, upper);
            holds = self.both(holds, below);
        }
        Ok(holds)
    }
}

/// What is asked of each element by itself.
const OF_ELEMENTS: usize = usize::MAX;

/// What a condition is the same for: 0 for all elements, `1 + axis` for those that are at one place of an axis.
fn shared_by(condition: &Condition) -> usize {
    let bounds = condition.lower.iter().chain(&condition.upper);
    let names = bounds.chain([&condition.expr]).flat_map(SizeExpr::symbols);
    let axes: BTreeSet<usize> = names.filter_map(|name| axis(&name)).collect();
    match axes.len() {
        0 => 0,
        1 => 1 + axes.first().copied().unwrap_or(0),
        _ => OF_ELEMENTS,
    }
}

/// The coordinates of the elements that a thread holds: what its number says, and what the number of the register does.
pub struct Coords {
    /// By axis: the part of the thread, and the bits that may be set in it.
    pub thread: Vec<(Arg, u32)>,
    /// By register and axis.
    pub registers: Vec<Vec<u32>>,
}

impl Coords {
    /// The coordinates of a register.
    pub fn of(&self, code: &mut Code<'_>, register: usize) -> Vec<Arg> {
        let own = &self.registers[register];
        let mut coords = Vec::with_capacity(own.len());
        for (&(thread, bits), &at) in self.thread.iter().zip(own) {
            coords.push(match bits & at {
                0 => code.add(thread, Arg::Int(at.into())),
                _ => code.xor(thread, Arg::Int(at.into())),
            });
        }
        coords
    }

    /// The parts of the coordinates of a register; none where some are no sums.
    pub fn parts(&self, register: usize) -> Vec<(Arg, u32)> {
        let own = self.thread.iter().zip(&self.registers[register]);
        match self.is_sum() {
            true => own.map(|(&(thread, _), &at)| (thread, at)).collect(),
            false => Vec::new(),
        }
    }

    /// Whether what registers add, they add without a carry: coordinates are sums of both parts.
    pub fn is_sum(&self) -> bool {
        self.registers.iter().all(|at| self.thread.iter().zip(at).all(|(&(_, bits), &at)| bits & at == 0))
    }
}

/// The number that bits of the lane and warp make: bit b adds `columns[b]`, by exclusive or. Also the bits that it may
/// have.
pub fn spread(code: &mut Code<'_>, parts: &[(Arg, Vec<u32>)]) -> (Arg, u32) {
    let mut sum = Arg::Int(0);
    let mut taken = 0u32;
    for (number, columns) in parts {
        let mut bit = 0;
        while bit < columns.len() {
            let column = columns[bit];
            if column == 0 {
                bit += 1;
                continue;
            }
            // A run of bits that move together.
            let mut end = bit + 1;
            if column.is_power_of_two() {
                while end < columns.len() && columns[end] == column << (end - bit) {
                    end += 1;
                }
            }
            let mask = ((1u64 << (end - bit)) - 1) as i64;
            let all = end == columns.len() && bit == 0;
            let low = if all { *number } else { code.and(*number, mask << bit) };
            let moved = if column.is_power_of_two() {
                let to = column.trailing_zeros() as usize;
                if to >= bit { code.shl(low, (to - bit) as u32) } else { code.shr(low, (bit - to) as u32) }
            } else {
                let one = code.shr(low, bit as u32);
                code.mul(one, Arg::Int(column.into()))
            };
            let covers = (bit..end).fold(0, |bits, bit| bits | columns[bit]);
            sum = if taken & covers == 0 { code.add(sum, moved) } else { code.xor(sum, moved) };
            taken |= covers;
            bit = end;
        }
    }
    (sum, taken)
}

/// What each bit of the lane and of the warp adds to the coordinates of a fragment.
pub fn columns(fragment: &Fragment, axis: usize) -> (Vec<u32>, Vec<u32>) {
    use dlc_kernel::layout::Dim;
    let map = fragment.map();
    let column = |dim: Dim, bit: u32| map.basis(dim, bit).map_or(0, |column| column[axis]);
    let lanes = (0..map.input_bits(Dim::Lane)).map(|bit| column(Dim::Lane, bit)).collect();
    let warps = (0..map.input_bits(Dim::Warp)).map(|bit| column(Dim::Warp, bit)).collect();
    (lanes, warps)
}

/// The coordinates of a fragment in the threads of a team.
pub fn coords(code: &mut Code<'_>, fragment: &Fragment, team: &Team) -> Coords {
    use dlc_kernel::layout::Dim;
    let rank = fragment.shape().len();
    let thread = (0..rank)
        .map(|axis| {
            let (lanes, warps) = columns(fragment, axis);
            spread(code, &[(team.lane, lanes), (team.warp, warps)])
        })
        .collect();
    let registers = (0..fragment.registers())
        .map(|register| {
            let slot = fragment.slot(register).unwrap_or(0);
            fragment.map().apply(&[(Dim::Register, slot)])
        })
        .collect();
    Coords { thread, registers }
}

/// Which registers exist in the thread: where the shape is no power of two, those outside of it do not.
pub fn exists(code: &mut Code<'_>, fragment: &Fragment, coords: &Coords, register: usize) -> Cond {
    if fragment.is_whole() {
        return Cond::Known(true);
    }
    let at = coords.of(code, register);
    let mut all = Cond::Known(true);
    for (axis, (&size, at)) in fragment.shape().iter().zip(at).enumerate() {
        let most = coords.thread[axis].1 | coords.registers[register][axis];
        if most >= size {
            let inside = code.compare("lt", at, Arg::Int(size.into()));
            all = code.both(all, inside);
        }
    }
    all
}

/// The bytes of an element of memory.
pub fn elem_bytes(code: &Code<'_>, elem: Type) -> u32 {
    elem.bits(code.ctx).unwrap_or(8).div_ceil(8)
}

/// The layout of a tile, and an error where it has none.
pub fn tile_of(code: &Code<'_>, ty: Type) -> Result<(dlc_kernel::types::Tile, SharedTile), Refused> {
    let tile = dlc_kernel::types::Tile::of(code.ctx, ty).ok_or_else(|| Refused::new("the operand is no tile"))?;
    let place = tile.place(code.ctx).map_err(Refused::new)?;
    Ok((tile, place))
}

/// A memref: its sizes, the steps in elements along its axes, the number of its first element, and the elements.
pub struct Memory {
    pub strides: Vec<SizeExpr>,
    pub offset: SizeExpr,
    pub elem: Type,
}

impl Memory {
    pub fn of(code: &Code<'_>, ty: Type) -> Result<Memory, Refused> {
        let ctx = code.ctx;
        let memref = MemRef::of(ctx, ty).ok_or_else(|| Refused::new("the operand is no memref"))?;
        let Some((strides, offset)) = strides(ctx, memref) else {
            return Err(Refused::new(
                "memory that is swizzled, or larger than 64 bits say, has no steps along its axes",
            ));
        };
        Ok(Memory { strides, offset, elem: memref.elem(ctx) })
    }
}

/// The symbols in the expressions of an op.
pub fn symbols_of(op: OpRef<'_>) -> Vec<String> {
    let ctx = op.ctx;
    let mut names: Vec<String> = Vec::new();
    for &(_, attr) in op.body.props(op.id).as_dict(ctx).unwrap_or(&[]) {
        let exprs = Exprs::get(ctx, attr).unwrap_or_default();
        let guard = Guard::get(ctx, attr);
        let guarded = guard.iter().flat_map(Guard::exprs);
        for name in exprs.iter().chain(guarded).flat_map(SizeExpr::symbols) {
            let is_size = value_number(&name).is_none() && axis(&name).is_none();
            if is_size && !names.iter().any(|known| **known == *name) {
                names.push(name.to_string());
            }
        }
    }
    names
}
