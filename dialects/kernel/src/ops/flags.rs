//! What blocks tell each other: flags and counters in global memory.

use dlc_core::memref::MemRef;
use dlc_core::sizes::Exprs;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Index as IndexType, Int, op};
use dlc_ir::{OpRef, ValueId};

use crate::syntax::flags as syntax;
use crate::{interp, verify};

/// Adds one to a counter in global memory and returns its old value: 0 for the first block that comes, then 1, 2, ..
///
/// The threads that are here meet, and all of them get the number. The op acquires and releases: a block sees what every
/// block with a lower ticket of the same counter wrote before it took its ticket. A block with a lower ticket is running
/// or done, so others may wait for it.
#[op("kernel.ticket", parse = syntax::parse_ticket, print = syntax::print_ticket, infer = verify::infer_index,
     verify = verify::ticket, eval = interp::flags::ticket, example = "%t = ticket %order[%n]")]
pub struct Ticket {
    counter: Operand<MemRef>,
    /// Values in `at`.
    args: Variadic<IndexType>,
    /// For each axis of the counters an expression.
    at: Attr<Exprs>,
    out: Result<IndexType>,
}

/// Sets a flag in global memory, after the threads that are here have met: whoever acquires it with this value or a later
/// one sees what they wrote before.
#[op("kernel.release", parse = syntax::parse_release, print = syntax::print_release, verify = verify::release,
     eval = interp::flags::release, example = "release 1 to %ready[%t]")]
pub struct Release {
    flag: Operand<MemRef>,
    /// Values in `at`.
    args: Variadic<IndexType>,
    /// For each axis of the flags an expression.
    at: Attr<Exprs>,
    /// What the flag becomes.
    value: Attr<Int>,
}

/// Waits until a flag in global memory has at least a value, and returns what it has. The threads that are here meet, and
/// see what was written before the flag was released.
#[op("kernel.acquire", parse = syntax::parse_acquire, print = syntax::print_acquire, infer = verify::infer_index,
     verify = verify::acquire, eval = interp::flags::acquire, example = "%state = acquire %states[%t - 1] until 1")]
pub struct Acquire {
    flag: Operand<MemRef>,
    /// Values in `at`.
    args: Variadic<IndexType>,
    /// For each axis of the flags an expression.
    at: Attr<Exprs>,
    /// The least value that it waits for.
    value: Attr<Int>,
    /// The value that it saw.
    out: Result<IndexType>,
}

/// What the ops on flags have in common.
pub struct Flag {
    /// The flags or counters.
    pub memory: ValueId,
    /// Values in `at`.
    pub args: Vec<ValueId>,
    /// For each axis of the memory an expression.
    pub at: Vec<SizeExpr>,
}

impl Flag {
    /// The flag that an op names; `None` for an op on no flag.
    pub fn of(op: OpRef<'_>) -> Option<Flag> {
        macro_rules! parts {
            ($op:expr, $memory:ident) => {
                $op.map(|op| Flag { memory: op.$memory(), args: op.args().collect(), at: op.at() })
            };
        }
        parts!(Ticket::of(op), counter)
            .or_else(|| parts!(Release::of(op), flag))
            .or_else(|| parts!(Acquire::of(op), flag))
    }
}
