// Roles that meet nowhere: which of them comes first, the seed decides; what reads before anything was written is reported.

// RUN: dlc-run %s --strict --shape=N=64 --order-seed=2 -o %t.npy
// RUN: not dlc-run %s --strict --shape=N=64 --order-seed=3 2>&1 | FileCheck %s
// RUN: not dlc-run %s --device=cuda --order-seed=1 2>&1 | FileCheck %s --check-prefix=GPU

// GPU: --order-seed is an order of the evaluators, which run on the CPU alone
// CHECK: 'kernel.load_shared': reads byte 0 of shared memory, which nothing was written to

!line = frag<[64], f32, blocked [2] lanes [32] warps [1]>

kernel.func @roles<N>(%x: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %y = output : memref<[N], f32, row_major, align 4>
  grid (N ceildiv 64) threads 64 {
    %s = shared : tile<[64], f32, row_major>
    %b = block_id 0
    role writer warps 0 to 1 {
      %v = load %x[64 * %b + i0] where (64 * %b + i0 < N) : !line
      store_shared %v to %s
    }
    role reader warps 1 to 2 {
      %w = load_shared %s : !line
      store %w to %y[64 * %b + i0] where (64 * %b + i0 < N)
    }
  }
  return %y
}
