// Where a plan requires TMA, a copy that TMA cannot do is reported by a warning.

// RUN: dlc-opt %s --insert-async-tokens=planned -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not=Warning
// RUN: FileCheck %s --check-prefix=MADE < %t.mlir
// RUN: dlc-opt %s --insert-async-tokens=planned -o /dev/null --remarks=missed 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK: [E1614] Warning: 'plan.schedule': the plan requires TMA, and it does not copy X: the memref is aligned to 8 bytes, not to 16
// REMARK: missed] it is no box for TMA: the memref is aligned to 8 bytes, not to 16
// MADE: copy_async
kernel.func @half<M>(%X: memref<[M, 64], f16, row_major, align 8>) -> memref<[M, 32], f32> {
  %Y = output : memref<[M, 32], f32>
  grid (M ceildiv 32) threads 128 {
    %tile = shared : tile<[32, 32], f16, swizzle 64>
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %k = 0 to 64 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      copy %X[32*%b + i0, %k + i1] where (32*%b + i0 < M) to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
      barrier
      %x = load_shared %tile : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %s = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      yield %s
    }
    store %sum to %Y[32*%b + i0, i1] where (32*%b + i0 < M)
  }
  return %Y
}
plan.schedule of @half for sm90 {
  barrier mbarrier
}
