// What all steps of a loop read is copied once, out of as many loops as can be; what is computed for the copy goes with it.

// RUN: dlc-opt %s --hoist-copies --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --hoist-copies | cmp %t.mlir -
// RUN: dlc-opt %s --hoist-copies=planned | FileCheck %s --check-prefix=PLANNED

// PLANNED-LABEL: @twice
// PLANNED: for %k
// PLANNED-NEXT: index
// PLANNED: copy %x

// CHECK-LABEL: @twice
// CHECK: index (32*%b)
// CHECK-NEXT: copy %x
// CHECK-NEXT: barrier
// CHECK-NEXT: %{{.*}} = for %j
// CHECK: for %k
// CHECK-NOT: copy %x
// CHECK: copy %y
// CHECK-NEXT: barrier
kernel.func @twice<M>(%x: memref<[M, 32], f32>, %y: memref<[2, 8, 32, 32], f32>) -> memref<[M, 32], f32> {
  %z = output : memref<[M, 32], f32>
  grid (M ceildiv 32) threads 128 {
    %b = block_id 0
    %left = shared : tile<[32, 32], f32, row_major>
    %right = shared : tile<[32, 32], f32, row_major>
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %j = 0 to 2 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      %inner = for %k = 0 to 8 carry (%own = %acc) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
        %row = index (32 * %b)
        copy %x[%row + i0, i1] where (%row + i0 < M) to %left by blocked [1, 8] lanes [8, 4] warps [4, 1]
        copy %y[%j, %k, i0, i1] to %right by blocked [1, 8] lanes [8, 4] warps [4, 1]
        barrier
        %v = load_shared %left transposed : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        %w = load_shared %right transposed : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        %p = binary mul %v, %w : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        %s = binary add %own, %p : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        barrier
        yield %s
      }
      yield %inner
    }
    store %sum to %z[32 * %b + i0, i1] where (32 * %b + i0 < M)
  }
  return %z
}
