// What a kernel requires of its sizes is known of them.

// RUN: dlc-opt %s --predicate-tails --evaluate-each | FileCheck %s

// CHECK-LABEL: kernel.func @rows<
// CHECK: for %k = 0 to K step 32 carry
// CHECK-NEXT: load %x[4*%t + i0, %k + i1] where (4*%t + i0 < M) :
// CHECK-NOT: for
kernel.func @rows<M, K>(%x: memref<[M, K], f32>) -> memref<[M, 32], f32> {
  require (K mod 32 == 0)
  %y = output : memref<[M, 32], f32>
  grid (M ceildiv 4) threads 128 {
    %t = block_id 0
    %zero = const 0.0 : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    %sum = for %k = 0 to K step 32 carry (%acc = %zero) : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]> {
      %v = load %x[4*%t + i0, %k + i1] where (4*%t + i0 < M, %k + i1 < K) : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
      %next = binary add %acc, %v : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
      yield %next
    }
    store %sum to %y[4*%t + i0, i1] where (4*%t + i0 < M)
  }
  return %y
}
