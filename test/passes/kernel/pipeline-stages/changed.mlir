// Threads change what was copied before they read it: it is loaded ahead all the same, and they meet at the end of each step.

// RUN: dlc-opt %s --pipeline-stages=stages=3 --evaluate-each --check-async | FileCheck %s

// CHECK-LABEL: kernel.func @changed<
// CHECK: %tile = shared : tile<3 x [32, 64], f16, swizzle 128>
// CHECK: for %m = 0 to M step 32
// CHECK: barrier
// CHECK: if (%m + 64 < M)
// CHECK: copy_async %X[
// CHECK: }
// CHECK: if (
// CHECK: load_shared %tile[%stage]
// CHECK: store_shared %{{.+}} to %tile[%stage]
// CHECK: barrier
// CHECK: load_shared %tile[%stage]
// CHECK: barrier
// CHECK: yield
kernel.func @changed<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[32, 64], f32> {
  %Y = output : memref<[32, 64], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %sum = for %m = 0 to M step 32 carry (%acc = %zero) : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]> {
      %t = copy_async %X[%m + i0, i1] where (%m + i0 < M) to %tile by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      if (%m < 64) {
        %x = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
        %none = const 0.0 : f16
        %cut = select where (%m + i0 <= i1) then %x else %none : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
        store_shared %cut to %tile
        barrier
      }
      %x = load_shared %tile : frag<[32, 64], f16, blocked [1, 8] lanes [8, 4] warps [2, 2]>
      %y = convert %x : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %f = cast %y : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %d = binary add %acc, %f : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      barrier
      yield %d
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}
