//! What is left of a grid when the data are taken away: the program of the abstract machine.

use dlc_core::scalar::Binary;
use dlc_ir::OpId;
use dlc_kernel::layout::SharedTile;
use dlc_kernel::ops::{Arrivals, Order};

use super::exprs::{Condition, Expr, Slot};

/// The number of an instruction.
pub type Pc = u32;

/// The kinds of asynchronous work, as indices.
pub const LOAD: usize = 0;
/// Matrix products.
pub const COMPUTE: usize = 1;
/// Stores by TMA.
pub const EPILOGUE: usize = 2;

/// An instruction.
#[derive(Debug)]
pub enum Instr {
    /// A slot gets the value of an expression.
    Set(Slot, Expr),
    /// A slot gets a number of the block.
    Block(Slot, Of),
    /// A slot gets a function of two others.
    Binary(Slot, Binary, [Slot; 2]),
    /// The next stage and parity of a ring.
    Advance { next: [Slot; 2], from: [Slot; 2], stages: i64 },
    /// The row and the column of a tile.
    Order { place: [Slot; 2], tile: Slot, sizes: Box<[Expr; 2]>, order: Order, group: i64 },
    /// A slot gets a truth value that depends on data: either may be.
    Choose(Slot),
    /// Each first slot gets what the second one holds, one after another.
    Move(Box<[(Slot, Slot)]>),
    /// The first integer of a loop, the one after the last, the step.
    Start { index: Slot, last: Slot, step: Slot, bounds: Box<[Expr; 3]> },
    /// Leaves the loop at its end.
    Test { index: Slot, last: Slot, exit: Pc },
    /// The next integer.
    Next { index: Slot, step: Slot, head: Pc },
    /// Goes on if the condition holds.
    Branch(Box<Condition>, Pc),
    /// Goes on if the slot is not 0.
    BranchOn(Slot, Pc),
    /// Goes elsewhere.
    Jump(Pc),
    /// The groups of a role begin.
    Fork(usize),
    /// The warps have done everything.
    End,
    /// New mbarriers.
    Barriers { first: u32, count: u32 },
    /// A part of a tile.
    Slice { out: Slot, of: TileAt, at: Box<[Expr]> },
    /// Waits for a phase of an mbarrier.
    Wait { barrier: BarrierAt, parity: Slot },
    /// Expects bytes, and arrives.
    Expect { barrier: BarrierAt, bytes: i64 },
    /// Arrives at an mbarrier.
    Arrive { barrier: BarrierAt, rank: Option<Slot>, by: Arrivals },
    /// All warps of the model thread meet.
    Meet,
    /// The lanes of each warp meet.
    MeetLanes,
    /// Waits for the grids before this one.
    GridWait,
    /// Reads or writes memory that a grid before this one may still write or read.
    Global { memory: u32, writes: bool },
    /// A barrier with a number.
    Named { id: Slot, threads: i64, waits: bool },
    /// All warps of the cluster meet.
    Cluster,
    /// What was written is there for TMA and the tensor cores.
    Fence,
    /// The work of tokens has ended.
    Await { kind: usize, tokens: Box<[Slot]> },
    /// Fragments are read.
    Use(Box<[Slot]>),
    /// Registers of fragments are moved or overwritten.
    Moved(Box<[Slot]>),
    /// A matrix product begins.
    Wgmma { tiles: Box<[TileAt]>, frags: Box<[Slot]>, out: Slot, token: Slot },
    /// Threads read a tile, or write it.
    Access { tile: TileAt, class: u32, writes: bool },
    /// The op writes a tile and reads it, with barriers of its own.
    Through { tile: TileAt },
    /// Threads begin to copy to a tile.
    CopyAsync { tile: TileAt, class: u32, token: Slot },
    /// TMA begins to fill a tile.
    TmaLoad { tile: TileAt, barrier: BarrierAt, bytes: i64, mask: Option<i64> },
    /// TMA begins to read a tile.
    TmaStore { tile: TileAt, token: Slot },
}

/// A number of the block.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    /// The block along an axis.
    Id(usize),
    /// The blocks along an axis.
    Size(usize),
    /// The block in the cluster.
    Rank,
}

/// A tile operand: the slot with its first byte, the stage, its type.
#[derive(Clone, Copy, Debug)]
pub struct TileAt {
    /// Where the first byte is said.
    pub base: Slot,
    /// Where the stage is said.
    pub stage: Option<Slot>,
    /// The number of the type in [`Program::tiles`].
    pub ty: u32,
    /// The name in the text.
    pub name: u32,
}

/// An mbarrier operand.
#[derive(Clone, Copy, Debug)]
pub struct BarrierAt {
    /// Where the number of the first is said.
    pub base: Slot,
    /// Where the stage is said.
    pub stage: Option<Slot>,
    /// How many there are.
    pub count: u32,
    /// The name in the text.
    pub name: u32,
}

/// A type of tiles.
#[derive(Debug)]
pub struct TileType {
    /// Where the elements are.
    pub place: SharedTile,
    /// How many stages there are.
    pub stages: i64,
    /// The bytes of a stage, and those from one to the next.
    pub bytes: u32,
    pub stride: u32,
    /// Whether all bytes from the first to the last are its own: those of its elements, and such between them as nothing
    /// else has.
    pub whole: bool,
}

/// How warps share the elements of a tile.
#[derive(PartialEq, Debug)]
pub struct Class {
    /// The type of the tile.
    pub tile: u32,
    /// The layout.
    pub layout: dlc_kernel::layout::Distributed,
    /// The number of warps.
    pub warps: u32,
    /// Whether those that hold a copy are left out, as they do not write.
    pub first: bool,
    /// Whether the tile is read the other way round.
    pub transposed: bool,
}

/// A role.
#[derive(Debug)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// How many groups there are.
    pub groups: u32,
    /// The warps of a group.
    pub warps: u32,
    /// Whether one thread runs it.
    pub single: bool,
    /// The slot of the number of the group.
    pub group: Option<Slot>,
    /// Where it begins.
    pub start: Pc,
}

/// A loop around an instruction.
#[derive(Clone, Debug)]
pub struct Around {
    /// The loop around it.
    pub outer: Option<usize>,
    /// The name of its integer.
    pub name: String,
    /// The slot of its integer.
    pub index: Slot,
    /// How often it runs, if the text says so.
    pub trips: Option<i64>,
}

/// A grid as the machine runs it.
#[derive(Debug, Default)]
pub struct Program {
    /// What is computed at the launch, for all blocks.
    pub launch: Vec<Instr>,
    /// The instructions; the blocks begin at the first.
    pub code: Vec<Instr>,
    /// Of each instruction: the op, whether one thread runs it, the innermost loop around it.
    pub at: Vec<(OpId, bool, Option<usize>)>,
    /// Of each instruction, the slots whose numbers say what others can notice of it.
    pub operands: Vec<Box<[Slot]>>,
    /// How many slots there are.
    pub slots: usize,
    /// The symbols of the function; the slot of each is its place here.
    pub symbols: Vec<String>,
    /// The symbols that are required to be a number, and the number.
    pub fixed: Vec<(usize, i64)>,
    /// Names of values.
    pub names: Vec<String>,
    /// The roles.
    pub roles: Vec<Role>,
    /// Loops.
    pub loops: Vec<Around>,
    /// Types of tiles.
    pub tiles: Vec<TileType>,
    /// Layouts of accesses.
    pub classes: Vec<Class>,
    /// The arrivals of each mbarrier.
    pub arrivals: Vec<u32>,
    /// The name of each mbarrier, and its number among those of one op if there are several.
    pub barriers: Vec<(u32, Option<u32>)>,
    /// The bytes of shared memory.
    pub bytes: u32,
    /// What must hold at the launch: of symbols alone, and of what it computes.
    pub requires: [Vec<Condition>; 2],
    /// The sizes of the grid.
    pub grid: Vec<Expr>,
    /// The sizes of a cluster.
    pub cluster: [i64; 3],
    /// The warps of a block.
    pub warps: u32,
    /// Whether numbered barriers are used.
    pub named: bool,
    /// Whether something that is done depends on data.
    pub data: bool,
    /// Whether the number of the block matters, and whether the number of blocks does.
    pub ids: bool,
    pub sizes: bool,
    /// The most stages of a ring.
    pub depth: i64,
}

impl Program {
    /// Sizes with the required ones in their places.
    pub fn with_fixed(&self, mut symbols: Vec<i64>) -> Vec<i64> {
        self.fixed.iter().for_each(|&(symbol, size)| symbols[symbol] = size);
        symbols
    }

    /// As often as a loop runs that is of use: the deepest ring goes around twice, and on.
    pub fn most_rounds(&self) -> i64 {
        2 * self.depth + 2
    }

    /// Whether the text says that the grid has no blocks.
    pub fn is_never_launched(&self) -> bool {
        self.grid.iter().any(|size| matches!(size, Expr::Const(size) if *size <= 0))
    }

    /// The model threads of a block: all its warps until roles begin, and the groups of each role.
    pub fn threads_of_block(&self) -> usize {
        1 + self.roles.iter().map(|role| role.groups as usize).sum::<usize>()
    }

    /// The blocks of a cluster.
    pub fn cluster_blocks(&self) -> usize {
        self.cluster.iter().product::<i64>() as usize
    }
}
