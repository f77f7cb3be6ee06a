// Each rule of schedules, with the number that breaks it and the nearest plan that fits.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

// Extents are positive, and each axis is there once.
plan.schedule for sm90 {
  // expected-error@+2 {{E1601 'plan.schedule': 'tile' has 'm' twice}}
  // expected-error@+1 {{E1601 'plan.schedule': 'tile' of 'm' is 0, which is not from 1 to 16777216}}
  tile (m: 0, n: 64, m: 4)
}

// -----

// What does not divide the tile.
plan.schedule for sm90 {
  tile (m: 100, n: 64, k: 32)
  // expected-error@+1 {{E1601 'plan.schedule': the tile of 'm' is 100, and 'warp_tile' 32 does not divide it; the nearest plan that fits has 'tile (m: 128, n: 64, k: 32)'}}
  warp_tile (m: 32, n: 32)
}

// -----

// A grid of warps that is not the tile.
plan.schedule for sm90 {
  tile (m: 128, n: 64)
  warp_tile (m: 32, n: 32)
  // expected-error@+1 {{E1601 'plan.schedule': 2 warps of 32 along 'm' are 64, and the tile is 128; the nearest plan that fits has 'tile (m: 64, n: 64)'}}
  warps (m: 2, n: 2)
}

// -----

// Threads that do not divide the tile of their warp.
plan.schedule for sm90 {
  tile (m: 96, n: 48, k: 8)
  instruction fma
  warp_tile (m: 48, n: 48)
  // expected-error@+1 {{E1601 'plan.schedule': the tile of a warp along 'm' is 48, and its threads take 64 at once; the nearest plan that fits has 'tile (m: 128, n: 48, k: 8)', 'warp_tile (m: 64, n: 48)'}}
  thread_tile (m: 8, n: 4)
  lanes (m: 8, n: 4)
}

// -----

// A grid of lanes that is no warp.
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  // expected-error@+1 {{E1601 'plan.schedule': 'lanes' is a grid of 16 threads, and a warp has 32}}
  lanes (m: 4, n: 4)
}

// -----

// An axis that the tile does not have.
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  // expected-error@+1 {{E1601 'plan.schedule': 'cluster' has the axis 'b', and the tile has m, n}}
  cluster (b: 2)
}

// -----

// An axis that is reduced, and that the tile does not have.
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  // expected-error@+1 {{E1601 'plan.schedule': 'reduced' has the axis 'k', and the tile has m, n}}
  reduced [k]
}

// -----

// Counts have bounds.
plan.schedule for sm90 {
  // expected-error@+1 {{E1601 'plan.schedule': 'stages' is 0, which is not from 1 to 16}}
  stages 0
  // expected-error@+1 {{E1601 'plan.schedule': 'blocks_per_sm' is 65, which is not from 1 to 64}}
  blocks_per_sm 65
  // expected-error@+1 {{E1601 'plan.schedule': 'K' is fixed to -1, and sizes are not negative}}
  fix (K: -1)
  // expected-error@+1 {{E1601 'plan.schedule': there are 8 consumers, and a block has from 1 to 7 besides the producer}}
  roles cooperative consumers 8
  // expected-error@+1 {{E1601 'plan.schedule': 'A' has 0 buffers, and there are from 1 to 64}}
  cache A in smem buffers 0
  // expected-error@+1 {{E1601 'plan.schedule': 'store' has 65 panels, which is not from 0 to 64}}
  store tma panels 65
}

// -----

// A loop of no axis, one that does not end with its steps, and an unknown place, and one that is taken.
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  // expected-error@+4 {{E1610 'plan.schedule': 'bind' has the loop 'b.o', and loops are axes of the tile (m, n) with '.o' and '.i'}}
  // expected-error@+3 {{E1610 'plan.schedule': 'bind' has the loop 'm.o.i', and loops are axes of the tile (m, n) with '.o' and '.i'}}
  // expected-error@+2 {{E1610 'plan.schedule': 'm.o' is bound to 'grid.x', and places are cluster, block, warp, thread and lane, each .x, .y or .z}}
  // expected-error@+1 {{E1610 'plan.schedule': two loops are bound to 'block.z'}}
  bind (b.o: block.x, m.o.i: block.y, m.o: grid.x, n.o: block.z, n.i: block.z)
  // expected-error@+1 {{E1610 'plan.schedule': 'vectorize' has the loop 'k', and loops are axes of the tile (m, n) with '.o' and '.i'}}
  vectorize k by 4
  // expected-error@+1 {{E1610 'plan.schedule': 'predicate_tail' has the loop 'x.i', and loops are axes of the tile (m, n) with '.o' and '.i'}}
  predicate_tail [x.i]
  // expected-error@+1 {{E1610 'plan.schedule': 'cache' has the loop 'l.o', and loops are axes of the tile (m, n) with '.o' and '.i'}}
  cache A in smem at l.o
}

// -----

// An unknown role.
plan.schedule for sm90 {
  // expected-error@+1 {{E1610 'plan.schedule': 'registers' has the role 'loader', and there are producer, consumer and thread}}
  registers (loader: 40)
}

// -----

// Too much shared memory: fewer stages fit.
plan.schedule for sm90 {
  tile (m: 128, n: 256, k: 64)
  // expected-error@+1 {{E1602 'plan.schedule': the block needs 393344 bytes of shared memory (8 stages of 49152, and what else it keeps), and sm90 has 232448; the nearest plan that fits has 'stages 4', 'async prefetch 3'}}
  stages 8
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  barrier mbarrier
  async prefetch 7
}

// -----

// Two stages are too much: the tile is halved.
plan.schedule for sm80 {
  tile (m: 256, n: 256, k: 128)
  // expected-error@+1 {{E1602 'plan.schedule': the block needs 524288 bytes of shared memory (2 stages of 262144, and what else it keeps), and sm80 has 166912; the nearest plan that fits has 'tile (m: 64, n: 64, k: 128)'}}
  stages 2
  cache A (m, k) f32 in smem
  cache B (k, n) f32 in smem
}

// -----

// Too much for two blocks on an SM.
plan.schedule for sm80 {
  tile (m: 128, n: 128, k: 64)
  // expected-error@+1 {{E1602 'plan.schedule': the block needs 131072 bytes of shared memory (2 stages of 65536, and what else it keeps), and sm80 has 82944 for each of 2 blocks; the nearest plan that fits has no 'blocks_per_sm'}}
  stages 2
  blocks_per_sm 2
  threads (m: 8, n: 16)
  cache A (m, k) f32 in smem
  cache B (k, n) f32 in smem
}

// -----

// The buffers of one tensor are too many.
plan.schedule for sm90 {
  tile (m: 128, k: 128)
  // expected-error@+1 {{E1602 'plan.schedule': the block needs 327680 bytes of shared memory (1 stages of 0, and what else it keeps), and sm90 has 232448; the nearest plan that fits has 'cache A (m, k) f32 in smem buffers 3'}}
  cache A (m, k) f32 in smem buffers 5
}

// -----

// Too many accumulators for the threads.
plan.schedule for sm90 {
  // expected-error@+1 {{E1603 'plan.schedule': each thread that computes holds 256 registers of its tile and needs some 24 more, and it has 168; the nearest plan that fits has 'tile (m: 128, n: 256, k: 64)'}}
  tile (m: 256, n: 256, k: 64)
  instruction wgmma
  stages 2
  roles cooperative consumers 2
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  barrier mbarrier
}

// -----

// Too few registers for what a thread holds.
plan.schedule for sm90 {
  // expected-error@+1 {{E1603 'plan.schedule': each thread that computes holds 128 registers of its tile and needs some 24 more, and it has 100; the nearest plan that fits has 'registers (thread: 152)'}}
  tile (m: 128, n: 128, k: 8)
  instruction fma
  thread_tile (m: 8, n: 16)
  registers (thread: 100)
}

// -----

// All threads have as many, or each role its own.
plan.schedule for sm90 {
  // expected-error@+1 {{E1609 'plan.schedule': 'registers' gives all threads as many, and a role as many as it says; the nearest plan that fits has 'registers (consumer: 232)'}}
  registers (thread: 168, consumer: 232)
}

// -----

// A role with a number of registers that there is not.
plan.schedule for sm90 {
  // expected-error@+1 {{E1603 'plan.schedule': 'producer' has 42 registers, which is not from 24 to 256 by 8; the nearest plan that fits has 'registers (producer: 40)'}}
  registers (producer: 42)
}

// -----

// Roles that ask for more registers than the block has: it would wait for them forever.
plan.schedule for sm90 {
  tile (m: 128, n: 128, k: 64)
  roles cooperative consumers 2
  // expected-error@+1 {{E1603 'plan.schedule': a producer of 48 registers and consumers of 240 need 67584 together, and the block starts with 64512; the nearest plan that fits has 'registers (producer: 48, consumer: 224)'}}
  registers (producer: 48, consumer: 240)
}

// -----

// Too many threads.
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  // expected-error@+1 {{E1604 'plan.schedule': the block has 2048 threads, and sm90 has at most 1024; the nearest plan that fits has 'threads (m: 32, n: 32)'}}
  threads (m: 64, n: 32)
}

// -----

// Threads that are no whole warps.
plan.schedule for sm90 {
  tile (m: 8, n: 3)
  // expected-error@+1 {{E1604 'plan.schedule': the block has 24 threads, which is no number of whole warps of 32}}
  threads (m: 8, n: 3)
}

// -----

// More threads than an SM has.
plan.schedule for sm90 {
  tile (m: 32, n: 32)
  threads (m: 32, n: 32)
  // expected-error@+1 {{E1604 'plan.schedule': 3 blocks of 1024 threads are too many for an SM, which has 2048 of at most 32 blocks; the nearest plan that fits has 'blocks_per_sm 2'}}
  blocks_per_sm 3
}

// -----

// Warps that are no groups of four.
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 16)
  instruction wgmma
  // expected-error@+1 {{E1604 'plan.schedule': 64 threads compute, and 'wgmma' is done by groups of 128; the nearest plan that fits has no 'warps'}}
  warps (m: 2)
}

// -----

// A shape that there is not.
plan.schedule for sm80 {
  tile (m: 128, n: 128, k: 64)
  // expected-error@+1 {{E1605 'plan.schedule': 'mma' has no shape [16, 16, 16]: it takes 16 rows, 8 columns, and a depth of 16 or 8; the tile is (m: 128, n: 128, k: 64); the nearest plan that fits has 'instruction mma'}}
  instruction mma [16, 16, 16]
  warp_tile (m: 64, n: 32)
}

// -----

plan.schedule for sm90 {
  tile (m: 128, n: 128, k: 64)
  // expected-error@+1 {{E1605 'plan.schedule': 'wgmma' has no shape [64, 100, 16]: it takes 64 rows, 8 to 256 columns in steps of 8, and a depth of 16; the tile is (m: 128, n: 128, k: 64);}}
  instruction wgmma [64, 100, 16]
}

// -----

// A shape of what has none.
plan.schedule for sm90 {
  tile (m: 32, n: 32)
  // expected-error@+1 {{E1605 'plan.schedule': 'fma' is for one number of each thread, and has no shape; the nearest plan that fits has 'instruction fma'}}
  instruction fma [1, 1, 1]
}

// -----

// Sums of threads are of f32 as they are.
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 64)
  // expected-error@+1 {{E1609 'plan.schedule': 'promote' is for sums of tensor cores, and those of 'fma' are f32; the nearest plan that fits has 'instruction fma'}}
  instruction fma promote
}

// -----

// Only factors in registers are split.
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{E1609 'plan.schedule': 'as tf32x3' is for factors in registers, of 'mma', and not for 'wgmma'; the nearest plan that fits has 'instruction wgmma'}}
  instruction wgmma as tf32x3
}

// -----

// A product that is promoted lies next to the sum.
plan.schedule for sm90 {
  // expected-error@+1 {{E1603 'plan.schedule': each thread that computes holds 256 registers of its tile and needs some 24 more, and it has 232; the nearest plan that fits has 'tile (m: 128, n: 128, k: 128)'}}
  tile (m: 128, n: 256, k: 128)
  instruction wgmma promote
  roles cooperative consumers 2
  registers (producer: 40, consumer: 232)
  cache A (m, k) f8E4M3FN in smem
  cache B (n, k) f8E4M3FN in smem
}

// -----

// A type that tensor cores do not take.
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 64)
  // expected-error@+1 {{E1605 'plan.schedule': sm90 has no 'mma' of i16; the nearest plan that fits has 'instruction fma'}}
  instruction mma
  cache A (m, k) i16 in smem
}

// -----

// The rows of a consumer are no whole instructions.
plan.schedule for sm90 {
  // expected-error@+2 {{E1605 'plan.schedule': the tile of all consumers has 96 rows along 'm', and 'wgmma' multiplies 128 at a time; the nearest plan that fits has 'tile (m: 128, n: 128, k: 64)'}}
  // expected-error@+1 {{E1605 'plan.schedule': each consumer has 60 steps of the sum along 'k', and 'wgmma' multiplies 16 at a time}}
  tile (m: 96, n: 128, k: 60)
  instruction wgmma
  roles cooperative consumers 2
  barrier mbarrier
}

// -----

// Short axes are gone over together, and are no whole instruction.
plan.schedule for sm80 {
  // expected-error@+1 {{E1605 'plan.schedule': each warp has 4 steps of the sum along 'c', and 'mma' multiplies 8 at a time; the nearest plan that fits has 'tile (m: 64, n: 64, s: 2, c: 4)'}}
  tile (m: 64, n: 64, s: 2, c: 2)
  reduced [s, c]
  instruction mma
  warp_tile (m: 32, n: 32)
}

// -----

// The columns of a warp.
plan.schedule for sm80 {
  tile (m: 64, n: 24, k: 32)
  instruction mma
  // expected-error@+1 {{E1605 'plan.schedule': each warp has 12 columns along 'n', and 'mma' multiplies 8 at a time; the nearest plan that fits has 'tile (m: 64, n: 32, k: 32)', 'warp_tile (m: 16, n: 16)'}}
  warp_tile (m: 16, n: 12)
}

// -----

// What only the newer machine has.
plan.schedule for sm80 {
  tile (m: 128, n: 128, k: 64)
  // expected-error@+1 {{E1606 'plan.schedule': 'instruction wgmma' needs the feature 'wgmma', which sm80 does not have; the nearest plan that fits has 'instruction mma', 'warp_tile (m: 64, n: 64)', 'barrier cp_async_group', 'store fragments', no 'cluster', no 'multicast', no 'roles', no 'registers', no 'in_flight'}}
  instruction wgmma [64, 128, 16]
  stages 3
  // expected-error@+1 {{E1606 'plan.schedule': 'cluster' needs the feature 'cluster', which sm80 does not have}}
  cluster (m: 2)
  multicast [B]
  persistent sms
  // expected-error@+1 {{E1606 'plan.schedule': 'roles' needs the feature 'tma', which sm80 does not have}}
  roles ping_pong consumers 2
  // expected-error@+1 {{E1606 'plan.schedule': 'registers' of a role needs the feature 'setmaxnreg', which sm80 does not have}}
  registers (producer: 40, consumer: 232)
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  // expected-error@+1 {{E1606 'plan.schedule': 'barrier mbarrier' needs the feature 'tma', which sm80 does not have}}
  barrier mbarrier
  async prefetch 2
  in_flight 1
  // expected-error@+1 {{E1606 'plan.schedule': 'store tma' needs the feature 'tma', which sm80 does not have}}
  store tma panels 2
  launch_overlap
}

// -----

// A cluster of too many blocks.
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  // expected-error@+1 {{E1607 'plan.schedule': the cluster has 16 blocks, and sm90 has at most 8; the nearest plan that fits has 'cluster (m: 4, n: 2)'}}
  cluster (m: 4, n: 4)
}

// -----

// Nobody to share with.
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 16)
  // expected-error@+1 {{E1607 'plan.schedule': 'multicast' is for the blocks of a cluster, and there is no 'cluster'; the nearest plan that fits has no 'multicast'}}
  multicast [A]
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
}

// -----

// No operand is in shared memory.
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 16)
  cluster (m: 2)
  // expected-error@+1 {{E1607 'plan.schedule': 'multicast' has 'W', and the plan has no tensor in shared memory: that is a clause 'cache', a line for each}}
  multicast [W]
}

// -----

// An operand that differs in each block, and one that is not there.
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 16)
  cluster (m: 2)
  // expected-error@+2 {{E1607 'plan.schedule': each block of a cluster along m reads a different tile of 'A', so no block can load it for all; the nearest plan that fits has no 'multicast'}}
  // expected-error@+1 {{E1607 'plan.schedule': 'multicast' has 'C', of which there is no tile in shared memory, as there is of A, B}}
  multicast [A, C]
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
}

// -----

// More parts than a cluster has blocks.
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 16)
  // expected-error@+1 {{E1607 'plan.schedule': 'split_k' puts 16 parts into a cluster, and sm90 has 8 blocks in one; the nearest plan that fits has 'split_k 16 through workspace'}}
  split_k 16 through cluster
}

// -----

// Widths of accesses: too wide, no power of two, and wider than the tile.
plan.schedule for sm90 {
  tile (m: 64, n: 20, k: 16)
  cache A (m, k) f16 in smem
  // expected-error@+2 {{E1608 'plan.schedule': the width of 'A' is 16 16-bit elements, and an access has 1 to 8 of them, a power of two; the nearest plan that fits has 'vectorize n by 4', 'vectors (A: 8, B: 2)'}}
  // expected-error@+1 {{E1608 'plan.schedule': the width of 'B' is 3 8-bit elements, and an access has 1 to 16 of them, a power of two}}
  vectors (A: 16, B: 3)
  // expected-error@+1 {{E1608 'plan.schedule': the tile along 'n' is 20, and accesses of 8 elements do not divide it}}
  vectorize n by 8
}

// -----

// A width of an access that is too wide for every type.
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  // expected-error@+1 {{E1608 'plan.schedule': the width of 'n' is 32 8-bit elements, and an access has 1 to 16 of them, a power of two; the nearest plan that fits has 'vectorize n by 16'}}
  vectorize n by 32
}

// -----

// Rows that are no atoms of the swizzle, and a swizzle that there is not.
plan.schedule for sm90 {
  tile (m: 64, k: 48)
  cache A (m, k) f16 in smem
  cache B (k) f16 in smem
  // expected-error@+2 {{E1608 'plan.schedule': a row of 'A' has 96 bytes, which is no multiple of the 128 bytes of the swizzle; the nearest plan that fits has 'swizzle (A: 32, B: auto)'}}
  // expected-error@+1 {{E1608 'plan.schedule': the swizzle of 'B' is 16, and it is 0, 32, 64, 128 or auto}}
  swizzle (A: 128, B: 16)
}

// -----

// Roles wait at barriers in shared memory.
plan.schedule for sm90 {
  roles cooperative consumers 2
  // expected-error@+1 {{E1609 'plan.schedule': roles wait for each other at barriers in shared memory, and 'barrier' is cp_async_group; the nearest plan that fits has 'barrier mbarrier'}}
  barrier cp_async_group
}

// -----

// Copies by threads and by TMA.
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 16)
  cluster (m: 2)
  multicast [B]
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  barrier cp_async_group
  // The clause 'multicast' needs TMA as well, which follows from the first error.
  // expected-error@+1 {{E1609 'plan.schedule': 'barrier cp_async_group' is for copies by threads, and 'store tma' for copies by TMA; the nearest plan that fits has 'barrier mbarrier'}}
  store tma
}

// -----

// More tiles ahead than there is room for.
plan.schedule for sm90 {
  stages 2
  // expected-error@+1 {{E1609 'plan.schedule': 'prefetch' is 3, and there is room for 2 tiles; the nearest plan that fits has 'async prefetch 2', 'in_flight 1'}}
  async prefetch 3
  // expected-error@+1 {{E1609 'plan.schedule': 'in_flight' is 9, which is not from 0 to 7}}
  in_flight 9
}

// -----

// A number that is no multiple of what is assumed.
plan.schedule for sm90 {
  // expected-error@+1 {{E1609 'plan.schedule': 'M' is fixed to 7, which 'assume' says is a multiple of 4; the nearest plan that fits has 'assume (N: 8)'}}
  fix (M: 7)
  assume (N: 8, M: 4)
}

// -----

// A ping-pong has two sides and goes from tile to tile.
plan.schedule for sm90 {
  // expected-error@+2 {{E1609 'plan.schedule': 'ping_pong' is between two consumers, and there are 3; the nearest plan that fits has 'persistent sms', 'roles ping_pong consumers 2'}}
  // expected-error@+1 {{E1609 'plan.schedule': 'ping_pong' goes from tile to tile, and the blocks are not 'persistent'}}
  roles ping_pong consumers 3
  barrier mbarrier
}

// -----

// Blocks that go on.
plan.schedule for sm90 {
  // expected-error@+1 {{E1609 'plan.schedule': 'persistent' is 'forever', and it is 'sms' or a number of blocks; the nearest plan that fits has 'persistent sms'}}
  persistent forever
}

// -----

// Fewer than one block.
plan.schedule for sm90 {
  // expected-error@+1 {{E1609 'plan.schedule': 'persistent' is 0 blocks; the nearest plan that fits has 'persistent sms'}}
  persistent 0
}

// -----

// One sum divided twice.
plan.schedule for sm90 {
  split_k 2
  // expected-error@+1 {{E1609 'plan.schedule': 'split_k' and 'stream_k' both divide the sum; the nearest plan that fits has no 'stream_k'}}
  stream_k
}

// -----

// Parts of nothing.
plan.schedule for sm90 {
  // expected-error@+1 {{E1609 'plan.schedule': 'stream_k' has parts of at least 0 steps; the nearest plan that fits has 'stream_k'}}
  stream_k at_least 0
}

// -----

// Parts of a tile anywhere.
plan.schedule for sm90 {
  // expected-error@+1 {{E1609 'plan.schedule': 'stream_k' gives the parts of a tile to any blocks, and not to those of a cluster; the nearest plan that fits has 'stream_k at_least 4 through workspace'}}
  stream_k at_least 4 through cluster
}

// -----

// Blocks that load for each other do the same steps.
plan.schedule for sm90 {
  tile (m: 128, n: 128, k: 64)
  // expected-error@+1 {{E1609 'plan.schedule': 'stream_k' gives each block steps of its own, and those of a 'cluster' load for each other; the nearest plan that fits has no 'cluster'}}
  cluster (m: 2)
  stream_k
}

// -----

// Too many parts of a sum.
plan.schedule for sm90 {
  // expected-error@+1 {{E1609 'plan.schedule': 'split_k' has 2000 parts, which is not from 1 to 1024; the nearest plan that fits has 'split_k 1024'}}
  split_k 2000
}

// -----

// Sums in one order.
plan.schedule for sm90 {
  // expected-error@+1 {{E1609 'plan.schedule': 'deterministic' wants sums in one order, and atomic additions have none; the nearest plan that fits has 'split_k 4 through workspace'}}
  split_k 4 through atomic
  deterministic
}

// -----

// No such target.
// expected-error@+1 {{E1611 'plan.schedule': there is no target 'sm91'; did you mean 'sm90'?}}
plan.schedule for sm91 {}

// -----

// No name near it.
// expected-error@+1 {{E1611 'plan.schedule': there is no target 'tpu'; the targets are sm80, sm90, and those that 'plan.target' declares, with an @}}
plan.schedule for tpu {}

// -----

// A machine like none.
// expected-error@+1 {{E1611 'plan.target': there is no target 'h200'; the targets are sm80, sm90, and those that 'plan.target' declares, with an @}}
plan.target @mine like h200 {}

// -----

// Numbers of a machine.
// expected-error@+1 {{E0201 'plan.target': 'sms' is 0, which is not from 1 to 2^40}}
plan.target @mine like sm90 {
  sms 0
}

// -----

// A machine that is none.
region.func @f<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}

// expected-error@+1 {{E0302 'plan.schedule': '@f' is no target; a target is declared by 'plan.target'}}
plan.schedule of @f for @f {}

// -----

// A machine that is not there.
// expected-error@+1 {{E0302 'plan.schedule': no symbol @mine can be seen from here}}
plan.schedule for @mine {}

// -----

// A kernel that is not there.
// expected-error@+1 {{E0302 'plan.schedule': no symbol @nothing can be seen from here}}
plan.schedule of @nothing for sm90 {}

// -----

// What the machine of the module cannot.
plan.target @small like sm90 {
  smem_per_block 49152
}

plan.schedule for @small {
  tile (m: 128, n: 128, k: 64)
  // expected-error@+1 {{E1602 'plan.schedule': the block needs 65536 bytes of shared memory (2 stages of 32768, and what else it keeps), and small has 49152; the nearest plan that fits has 'tile (m: 64, n: 128, k: 64)'}}
  stages 2
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
}

// -----

// Features that are not there.
plan.target @bare like sm80 {
  features []
}

plan.schedule for @bare {
  // expected-error@+1 {{E1606 'plan.schedule': 'barrier cp_async_group' needs the feature 'cp_async', which bare does not have; the nearest plan that fits has 'barrier block'}}
  barrier cp_async_group
}

// -----

// A machine is no kernel.
plan.target @mine like sm90 {}

// expected-error@+1 {{E0302 'plan.schedule': '@mine' is no kernel}}
plan.schedule of @mine for sm90 {}

// -----

// Symbols that the kernel does not have.
region.func @f<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}

plan.schedule of @f for sm90 {
  // expected-error@+1 {{E1612 'plan.schedule': 'fix' has the symbol 'MM', and the symbols of @f are M; did you mean 'M'?}}
  fix (MM: 64)
  // expected-error@+1 {{E1612 'plan.schedule': 'assume' has the symbol 'Columns', and the symbols of @f are M}}
  assume (Columns: 8)
}

// -----

// Numbers that together go beyond 64 bits.
plan.schedule for sm90 {
  tile (a: 16777216, b: 16777216, c: 16384)
  // expected-error@+1 {{E1604 'plan.schedule': the block has 4611686018427387904 threads, and sm90 has at most 1024}}
  threads (a: 16777216, b: 16777216, c: 16384)
  // expected-error@+1 {{E1604 'plan.schedule': 2 blocks of 4611686018427387904 threads are too many for an SM, which has 2048 of at most 32 blocks}}
  blocks_per_sm 2
  // expected-error@+1 {{E1602 'plan.schedule': the block needs too many bytes of shared memory (1 stages of 9223372036854775807, and what else it keeps), and sm90 has 115712 for each of 2 blocks}}
  cache x (a, b, c) f32 in reg
  cache y (a, b, c) f64 in smem
}

// -----

// A width beyond every tile is refused at once.
plan.schedule for sm90 {
  tile (m: 64, n: 64)
  // expected-error@+1 {{E1608 'plan.schedule': the width of 'n' is 9223372036854775807 8-bit elements, and an access has 1 to 16 of them, a power of two; the nearest plan that fits has 'vectorize n by 16'}}
  vectorize n by 9223372036854775807
}

// -----

// With two consumers the registers suffice: that there are too many of these follows from the first error.
plan.schedule for sm90 {
  tile (m: 128, n: 128, k: 64)
  persistent sms
  // expected-error@+1 {{E1609 'plan.schedule': 'ping_pong' is between two consumers, and there are 3; the nearest plan that fits has 'roles ping_pong consumers 2'}}
  roles ping_pong consumers 3
  registers (producer: 40, consumer: 232)
}
