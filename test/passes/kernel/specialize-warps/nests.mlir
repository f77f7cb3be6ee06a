// Loops around that of a ring which do nothing but run it again are one loop for the consumers, whose products are awaited
// one step later through all of it. The producer, which needs their numbers, has them all.

// RUN: dlc-opt %s --insert-async-tokens --specialize-warps=consumers=2,stages=3 --check-async -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=places --shape=P=3,M=150,K=40 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=places --shape=P=3,M=150,K=40 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=places --shape=P=0,M=20,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=places --shape=P=0,M=20,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=places --shape=P=2,M=20,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=places --shape=P=2,M=20,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=weighted --shape=P=3,M=150,K=40 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=weighted --shape=P=3,M=150,K=40 --seed=0 --check=%t.npy

// CHECK-LABEL: kernel.func @places<
// CHECK: role producer
// CHECK: for %r = 0 to P
// CHECK: for %q = 0 to 2
// CHECK: for %k = 0 to K step 16
// CHECK: role consumer
// CHECK-NOT: for %r
// CHECK: for %k = 0 to 2*P*(K ceildiv 16) carry
// CHECK: wgmma
// CHECK: if (1 <= %k)
// CHECK: if (1 <= 2*P*(K ceildiv 16))
kernel.func @places<P, M, K>(%A: memref<[P, 2, M, K], f16, row_major, align 16>, %B: memref<[16, K], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 128) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %r = 0 to P carry (%c0 = %zero) {
      %c1 = for %q = 0 to 2 carry (%c2 = %c0) {
        %c3 = for %k = 0 to K step 16 carry (%acc = %c2) {
          copy %A[%r, %q, 128 * %m + i0, %k + i1] where (128 * %m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
          copy %B[i0, %k + i1] where (%k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
          fence_async
          barrier
          %d, %w = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
          await %w
          barrier
          yield %d
        }
        yield %c3
      }
      yield %c1
    }
    store %c to %D[128 * %m + i0, i1] where (128 * %m + i0 < M)
  }
  return %D
}

// A loop that does more than that stays: what is around it is begun again.
// CHECK-LABEL: kernel.func @weighted<
// CHECK: role consumer
// CHECK: for %r = 0 to P carry
// CHECK: for %k = 0 to 2*(K ceildiv 16) carry
// CHECK: binary add
kernel.func @weighted<P, M, K>(%A: memref<[P, 2, M, K], f16, row_major, align 16>, %B: memref<[16, K], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 128) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %r = 0 to P carry (%c0 = %zero) {
      %c1 = for %q = 0 to 2 carry (%c2 = %zero) {
        %c3 = for %k = 0 to K step 16 carry (%acc = %c2) {
          copy %A[%r, %q, 128 * %m + i0, %k + i1] where (128 * %m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
          copy %B[i0, %k + i1] where (%k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
          fence_async
          barrier
          %d, %w = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
          await %w
          barrier
          yield %d
        }
        yield %c3
      }
      %s = binary add %c0, %c1 : frag<[128, 16], f32, wgmma>
      yield %s
    }
    store %c to %D[128 * %m + i0, i1] where (128 * %m + i0 < M)
  }
  return %D
}
