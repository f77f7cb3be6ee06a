// What is not loaded for other blocks, and why; the warps get their roles all the same.

// RUN: dlc-opt %s --insert-async-tokens -o %t.mlir
// RUN: dlc-opt %t.mlir --specialize-warps='consumers=1,multicast=[A,B]' --check-async | FileCheck %s --implicit-check-not=multicast
// RUN: dlc-opt %t.mlir --specialize-warps='consumers=1,multicast=[A,B]' --no-output --remarks=missed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// CHECK: role producer

// REMARK: missed] blocks load nothing for each other: they are in no clusters along one axis
kernel.func @alone<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (M ceildiv 64, N ceildiv 16) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[64, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, wgmma> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    %h = cast %c : frag<[64, 16], f16, wgmma>
    store %h to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// Of the left matrix every block needs other rows, of the right one a block would have four.
// REMARK: missed] each block of a cluster loads all of A that it needs: not all of them need the same
// REMARK: missed] each block of a cluster loads all of B that it needs: 8 rows cannot be shared among 2 blocks
kernel.func @few<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (4) cluster [2] threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[8, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    %c0 = index (%b floordiv 2)
    %cs = index (%bs floordiv 2)
    %r = block_rank
    for %t = %c0 to (M ceildiv 128) * (N ceildiv 8) step %cs {
      %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 8) rows
      %zero = const 0.0 : frag<[64, 8], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[128*%m + 64*%r + i0, %k + i1] where (128*%m + 64*%r + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[8*%n + i0, %k + i1] where (8*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 8], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %h = cast %c : frag<[64, 8], f16, wgmma>
      store %h to %D[128*%m + 64*%r + i0, 8*%n + i1] where (128*%m + 64*%r + i0 < M, 8*%n + i1 < N)
      barrier
    }
  }
  return %D
}

// REMARK: missed] each block of a cluster loads all of A that it needs: they may run different numbers of steps
// REMARK: missed] each block of a cluster loads all of B that it needs: they may run different numbers of steps
kernel.func @steps<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (4) cluster [2] threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    %c0 = index (%b floordiv 2)
    %cs = index (%bs floordiv 2)
    %r = block_rank
    for %t = %c0 to (M ceildiv 128) * (N ceildiv 16) step %cs {
      %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c = for %k = 0 to K - 8*%r step 16 carry (%acc = %zero) {
        copy %A[128*%m + 64*%r + i0, %k + i1] where (128*%m + 64*%r + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %h = cast %c : frag<[64, 16], f16, wgmma>
      store %h to %D[128*%m + 64*%r + i0, 16*%n + i1] where (128*%m + 64*%r + i0 < M, 16*%n + i1 < N)
      barrier
    }
  }
  return %D
}
