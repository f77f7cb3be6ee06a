//! The layer kernel: what the blocks, warps and lanes of a GPU do, with asynchronous work in order.
//!
//! From above come functions of axes and a plan that says how they are computed; here that is a program of blocks. Tiles
//! lie in shared memory and in the registers of threads as layouts say; warps have roles; what is asynchronous (copies,
//! matrix products, stores) is ordered by barriers and tokens. A program here cannot leave open where anything is, and it
//! says nothing of instructions.
//!
//! ```text
//! role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
//!   %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%acc = %zero, %stage = %first, %parity = %first) : .. {
//!     wait %full[%stage] parity %parity
//!     %d, %t = wgmma %sA[%stage], %sB[%stage] transposed, %acc : frag<[64, 128], f32, wgmma>, token<compute>
//!     await %t
//!     arrive %empty[%stage] by one
//!     %next, %turn = advance %stage, %parity over 6
//!     yield %d, %next, %turn
//!   }
//! }
//! ```

pub mod barrier_numbers;
pub mod counters;
pub mod global;
pub mod interp;
pub mod layout;
pub mod ops;
pub mod places;
pub mod syntax;
pub mod types;
pub mod verify;

dlc_ir::dialect! {
    name: "kernel",
    summary: "What the blocks, warps and lanes of a GPU do.",
    ops: [
        ops::Func, ops::Require, ops::Output, ops::Scratch, ops::Workspace, ops::Return, ops::Grid, ops::Role, ops::Elect, ops::For, ops::If, ops::Yield,
        ops::BlockId, ops::GridSize, ops::BlockRank, ops::Index, ops::Min, ops::Max, ops::TileOrder, ops::Advance,
        ops::Const, ops::Barrier, ops::WarpSync, ops::BarrierArrive, ops::ClusterBarrier, ops::MBarriers, ops::Wait, ops::Expect,
        ops::Arrive, ops::FenceAsync, ops::Await, ops::AwaitRead, ops::Done, ops::Shared, ops::Slice, ops::TensorMapOf,
        ops::Load, ops::Store, ops::Copy, ops::CopyAsync, ops::LoadShared, ops::StoreShared, ops::TmaLoad, ops::TmaStore,
        ops::Unary, ops::Binary, ops::Select, ops::Cast, ops::Broadcast, ops::Extract,
        ops::MulAcc, ops::ThreadReduce, ops::ThreadBroadcast, ops::WarpIf, ops::GridRelease, ops::GridWait, ops::Reduce, ops::Scan, ops::Sort, ops::Convert, ops::Mma, ops::Fma,
        ops::Wgmma, ops::Ticket, ops::Release, ops::Acquire
    ],
    types: [types::Frag, types::Tile, types::MBarrier, types::TensorMap, types::Token],
    attrs: [],
    materialize: None,
    synonyms: [
        "neg" => "unary neg", "relu" => "unary relu", "recip" => "unary recip", "sqrt" => "unary sqrt",
        "exp2" => "unary exp2", "log2" => "unary log2", "add" => "binary add", "sub" => "binary sub",
        "mul" => "binary mul", "fdiv" => "binary fdiv", "pow" => "binary pow", "div" => "binary fdiv",
        "where" => "select", "constant" => "const", "syncthreads" => "barrier", "sync" => "barrier", "syncwarp" => "warp_sync", "dot" => "mma",
        "atomic_add" => "ticket", "signal" => "release", "spin" => "acquire",
        "alloc" => "shared", "smem" => "shared", "launch" => "grid", "program_id" => "block_id",
    ],
}
