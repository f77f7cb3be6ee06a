//! What the values of a kernel are in instructions.

use std::rc::Rc;

use dlc_core::guard::Guard;
use dlc_core::layout::Linear;
use dlc_core::memref::MemRef;
use dlc_core::sizes::{Exprs, value_number};
use dlc_ir::affine::{AffineError, SizeExpr};
use dlc_ir::define::Kind;
use dlc_ir::{OpRef, Type, ValueId};
use dlc_kernel::layout::{Fragment, SharedTile};
use dlc_ptx::inst::Arg;

use super::Refused;
use super::code::{Code, Cond};

/// What a value of a kernel is.
#[derive(Clone, Debug)]
pub enum Lowered {
    /// An integer of 32 or 64 bits that all threads agree on, and whether it is known not to be negative.
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
/// smaller floats as their bits, integers of up to 32 bits extended to 32. Indices that single threads have are in 64.
pub fn held(code: &Code<'_>, elem: Type) -> Type {
    match elem.bits(code.ctx) {
        _ if elem == Type::INDEX => Type::I64,
        Some(1) => Type::I1,
        Some(64) if elem.float_kind(code.ctx).is_none() => Type::I64,
        _ if elem == Type::F32 || elem == Type::F64 => elem,
        _ if elem.float_kind(code.ctx).is_some() => Type::I16,
        _ => Type::I32,
    }
}

/// The threads that run the same ops.
#[derive(Clone, Copy, Debug)]
pub struct ThreadGroup {
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
    /// The number of their barrier, if they meet at one.
    pub barrier: Option<Arg>,
}

/// The axis that `i0`, `i1`, .. names.
pub fn axis(name: &str) -> Option<usize> {
    dlc_kernel::interp::axis_number(name)
}

/// The coordinates of the elements that a thread holds: what its number says, and what the number of the register does.
pub struct Coords {
    /// By axis: the part of the thread, and the bits that may be set in it.
    pub thread: Vec<(Arg, u32)>,
    /// By register and axis.
    pub registers: Vec<Vec<u32>>,
    /// Whether what registers add, they add without a carry: coordinates are sums of both parts.
    pub is_sum: bool,
}

impl Coords {
    /// The coordinates of what the number of a thread says and what registers add.
    pub fn new(thread: Vec<(Arg, u32)>, registers: Vec<Vec<u32>>) -> Coords {
        let sums = |at: &Vec<u32>| thread.iter().zip(at).all(|(&(_, bits), &at)| bits & at == 0);
        let is_sum = registers.iter().all(sums);
        Coords { thread, registers, is_sum }
    }

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
        match self.is_sum {
            true => own.map(|(&(thread, _), &at)| (thread, at)).collect(),
            false => Vec::new(),
        }
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

/// The coordinates of a fragment in the threads of a thread group.
pub fn coords(code: &mut Code<'_>, fragment: &Fragment, thread_group: &ThreadGroup) -> Coords {
    use dlc_kernel::layout::Dim;
    let rank = fragment.shape().len();
    let thread = (0..rank)
        .map(|axis| {
            let (lanes, warps) = columns(fragment, axis);
            spread(code, &[(thread_group.lane, lanes), (thread_group.warp, warps)])
        })
        .collect();
    let registers = (0..fragment.registers())
        .map(|register| {
            let slot = fragment.slot(register).unwrap_or(0);
            fragment.map().apply(&[(Dim::Register, slot)])
        })
        .collect();
    Coords::new(thread, registers)
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

/// An element of a memref: its number as a sum of positions times strides and an offset, and the elements.
pub struct Memory {
    pub at: Vec<SizeExpr>,
    pub strides: Vec<SizeExpr>,
    pub offset: SizeExpr,
    pub elem: Type,
    /// How many elements there are from the first of the memory to after the last.
    pub extent: SizeExpr,
}

impl Memory {
    pub fn of(code: &Code<'_>, ty: Type, at: &[SizeExpr]) -> Result<Memory, Refused> {
        let ctx = code.ctx;
        let memref = MemRef::of(ctx, ty).ok_or_else(|| Refused::new("the operand is no memref"))?;
        let (elem, dims, layout) = (memref.elem(ctx), memref.dims(ctx), memref.layout(ctx));
        let bytes = i64::from(elem_bytes(code, elem));
        let beyond = |error: AffineError| Refused::new(error.message.into_owned());
        let Linear { at, strides, offset } = layout.linear(&dims, bytes, at).map_err(beyond)?;
        let extent = layout.extent(&dims, bytes).map_err(beyond)?;
        Ok(Memory { at, strides, offset, elem, extent })
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
