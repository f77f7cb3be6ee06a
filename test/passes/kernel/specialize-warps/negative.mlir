// RUN: dlc-opt %s --insert-async-tokens -o %t.mlir
// RUN: dlc-opt %t.mlir --specialize-warps | cmp %t.mlir -
// RUN: dlc-opt %t.mlir --specialize-warps --no-output --remarks=missed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// A group has 64 rows.
// REMARK: missed] 'roles': the warps of this grid get none: 64 rows are not 2 times a multiple of 64
kernel.func @few_rows<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
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
    store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// Blocks of a cluster meet.
// REMARK: missed] 'roles': the warps of this grid get none: 'kernel.cluster_barrier' is for all threads of the block
kernel.func @cluster<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    cluster_barrier
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// Threads meet by number.
// REMARK: missed] 'roles': the warps of this grid get none: 'kernel.barrier' is for all threads of the block
kernel.func @named<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    barrier id %m threads 128
    store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// The right matrix is aligned to 4 bytes, and threads copy it.
// REMARK: missed] 'roles': the warps of this grid get none: its threads copy, too
kernel.func @copies<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 4>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 2] lanes [4, 8] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// What goes through shared memory after the loop would be the same place for both consumers.
// REMARK: missed] 'roles': the warps of this grid get none: its threads write shared memory, which several consumers would all do
kernel.func @writes<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %sC = shared : tile<[128, 16], f32, row_major>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    store_shared %c to %sC
    barrier
    %e = load_shared %sC : frag<[128, 16], f32, wgmma>
    store %e to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// Where the rows are is not known.
// REMARK: missed] 'roles': the warps of this grid get none: a fragment lies otherwise than products have it
kernel.func @other_layout<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    %h = cast %c : frag<[128, 16], f16, wgmma>
    %e = convert %h : frag<[128, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %f = cast %e : frag<[128, 16], f32, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    store %f to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// Both consumers would add what is the same for all rows.
// REMARK: missed] 'roles': the warps of this grid get none: what is the same for all rows is added to memory, which every consumer would do
kernel.func @adds_twice<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
    %e = const 1.0 : frag<[16], f32, slice 0 of (wgmma)>
    store combine sum %e to %D[0, 16*%n + i0] where (16*%n + i0 < N)
  }
  return %D
}

// Nothing is loaded in a loop.
// REMARK: missed] 'roles': the warps of this grid get none: no loop loads by TMA, or a condition decides about it
kernel.func @only_before<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %k = index (0)
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %zero : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
    store %d to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// A product goes on while the next step begins.
// REMARK: missed] 'roles': the warps of this grid get none: a product that reads a tile is not awaited in its step
kernel.func @goes_on<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %none = done : token<compute>
    %c:2 = for %k = 0 to K step 16 carry (%acc = %zero, %held = %none) : frag<[128, 16], f32, wgmma>, token<compute> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %held
      barrier
      yield %d, %t
    }
    await %c#1
    store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// TMA stores what was loaded.
// REMARK: missed] 'roles': the warps of this grid get none: 'kernel.tma_store' reads a tile, and does not wait until it has
kernel.func @stored<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %E = output : memref<[M, K], f16, row_major, align 16>
  %mE = tensor_map %E : tensormap<[128, 16], f16, swizzle 32>
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      %e = elect : token<epilogue> {
        %s = tma_store %sA to %mE[128*%m, %k] : token<epilogue>
        await_read %s
        yield %s
      }
      barrier
      yield %d
    }
    store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// The upper half of the rows is for itself.
// REMARK: missed] 'roles': the warps of this grid get none: a part along axis 0, that of the rows, is taken out of a fragment
kernel.func @halves<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 256, N ceildiv 16) threads 128 {
    %sA = shared : tile<[256, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[256, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[256, 16], f32, wgmma> {
      copy %A[256*%m + i0, %k + i1] where (256*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[256, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    %e = extract %c at [0, 0] : frag<[128, 16], f32, wgmma>
    store %e to %D[256*%m + i0, 16*%n + i1] where (256*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// The block has roles.
// REMARK: missed] 'roles': the warps of this grid get none: it has roles already
kernel.func @early<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
    role idle warps 0 to 4 {
    }
  }
  return %D
}

// The rings do not fit.
// REMARK: missed] 'roles': the warps of this grid get none: rings of 4 take 294968 bytes of shared memory, and a block of sm90 has 232448
kernel.func @large<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 256], f16, swizzle 128>
    %sB = shared : tile<[16, 256], f16, swizzle 128>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 256 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}
