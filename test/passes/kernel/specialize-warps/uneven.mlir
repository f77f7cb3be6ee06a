// RUN: dlc-opt %s --insert-async-tokens --specialize-warps=roles=ping_pong --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %s --insert-async-tokens --specialize-warps=roles=ping_pong --no-output --remarks=passed,missed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Groups take no turns at tiles of different lengths: the second one would not know how many steps the first one does.

// REMARK: specialize-warps, passed] one thread loads, and 1 group computes, with rings of 4
// REMARK: specialize-warps, missed] no ping-pong: it is not known that all tiles have the same number of steps
// CHECK-LABEL: kernel.func @triangle
// CHECK: grid (2) threads 256
// CHECK: role consumer warps 4 to 8 registers 232
// CHECK: wgmma {{.*}} : frag<[64, 16], f32, wgmma>
kernel.func @triangle<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    for %t = %b to (M ceildiv 64) * (N ceildiv 16) step %bs {
      %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c = for %k = 0 to 64*%m + 64 step 16 carry (%acc = %zero) {
        copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %h = cast %c : frag<[64, 16], f16, wgmma>
      store %h to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
      barrier
    }
  }
  return %D
}

// There are rows for both of them.
// REMARK: specialize-warps, passed] one thread loads, and 2 groups compute, with rings of 4
// REMARK: specialize-warps, missed] no ping-pong: it is not known that all tiles have the same number of steps
// CHECK-LABEL: kernel.func @shared
// CHECK: grid (2) threads 384
// CHECK: role consumer warps 4 to 12 groups 2 (%g: index) registers 232
// CHECK: slice %sA[%stage{{.*}}] at (64*%g, 0)
// CHECK-NOT: barrier_arrive
kernel.func @shared<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    for %t = %b to (M ceildiv 128) * (N ceildiv 16) step %bs {
      %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
      %zero = const 0.0 : frag<[128, 16], f32, wgmma>
      %c = for %k = 0 to 128*%m + 128 step 16 carry (%acc = %zero) {
        copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %h = cast %c : frag<[128, 16], f16, wgmma>
      store %h to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
      barrier
    }
  }
  return %D
}
