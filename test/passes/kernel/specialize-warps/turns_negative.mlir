// RUN: dlc-opt %s --insert-async-tokens -o %t.mlir
// RUN: dlc-opt %t.mlir --specialize-warps=roles=ping_pong | cmp %t.mlir -
// RUN: dlc-opt %t.mlir --specialize-warps=roles=ping_pong --no-output --remarks=missed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// A block has one tile.
// REMARK: missed] 'roles': the warps of this grid get none: its blocks do not go from tile to tile, which ping-pong needs
kernel.func @one<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
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

// What a tile gives the next one needs.
// REMARK: missed] 'roles': the warps of this grid get none: a tile needs what the one before it gives
kernel.func @chained<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    %none = const 0.0 : frag<[64, 16], f32, wgmma>
    %all = for %t = %b to (M ceildiv 64) * (N ceildiv 16) step %bs carry (%zero = %none) : frag<[64, 16], f32, wgmma> {
      %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
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
      yield %c
    }
  }
  return %D
}

// All consumers would store it.
// REMARK: missed] 'roles': the warps of this grid get none: 'kernel.store' is done next to the tiles, which each consumer would do
kernel.func @next_to<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    %v = const 0.0 : frag<[64, 16], f16, wgmma>
    store %v to %D[i0, i1] where (i0 < M, i1 < N)
    for %t = %b to (M ceildiv 64) * (N ceildiv 16) step %bs {
      %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
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
