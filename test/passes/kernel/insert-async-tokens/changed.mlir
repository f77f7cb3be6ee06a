// What TMA brings threads may change before it is read, after the barrier at which they waited for it, and with a fence before
// the next request: without one check-async refuses the kernel (changed_without_fence).

// RUN: dlc-opt %s --insert-async-tokens --evaluate-each --check-async | FileCheck %s

// CHECK-LABEL: kernel.func @changed<
// CHECK: tma_load %{{.+}}[64*%m, %k] to %s
// CHECK: wait
// CHECK: barrier
// CHECK: if (
// CHECK: store_shared %{{.+}} to %s
// CHECK-NEXT: fence_async
kernel.func @changed<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, 16], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %s by blocked [1, 8] lanes [16, 2] warps [4, 1]
      barrier
      if (%k < 64*%m) {
        %w = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
        %none = const 0.0 : f16
        %cut = select where (64*%m + i0 <= %k + i1) then %w else %none : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
        store_shared %cut to %s
        fence_async
      }
      %x = load_shared %s : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %f = cast %x : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      %d = binary add %acc, %f : frag<[64, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}
