// A kernel is not run for sizes that it is not for.

// RUN: not dlc-run %s --shape=N=6 2>&1 | FileCheck %s
// RUN: dlc-run %s --shape=N=8
// CHECK: [E1705]
// CHECK-SAME: 'kernel.require': the kernel is not for these sizes: it requires (N mod 4 == 0)

kernel.func @fours<N>(%x: memref<[N], f32>) -> memref<[N], f32> {
  require (N mod 4 == 0)
  %y = output : memref<[N], f32>
  grid (N ceildiv 128) threads 32 {
    %b = block_id 0
    %v = load %x[128*%b + i0] where (128*%b + i0 < N) : frag<[128], f32, blocked [4] lanes [32] warps [1]>
    store %v to %y[128*%b + i0] where (128*%b + i0 < N)
  }
  return %y
}
