// Loops and branches that go on for long only where two sizes, or a row of tiles, are large: no free stage is waited for.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// Wrong at M = K = 640, block (0, 9), step 4: a loop of min(block + 1, K ceildiv 64) steps over a
// ring of 4, the producer never waits for a free stage.
kernel.func @causal_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 1 : mbarrier<4>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)
    %steps = index (K ceildiv 64)
    %own = index (%m + 1)
    %last = min %own, %steps
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to %last carry (%s0 = %zero, %p0 = %one) {
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 4
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to %last carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 4
        yield %c2, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = K = 1280, step 5: min(M, K) ceildiv 64 steps over a ring of 5, the producer never waits for a free
// stage.
kernel.func @min_sizes_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64) threads 256 {
    %sA = shared : tile<5 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<5 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<5>
    %empty = mbarriers arrivals 1 : mbarrier<5>
    %n = block_id 0
    %m = index (0)
    %zero = index (0)
    %one = index (1)
    %a = index (K ceildiv 64)
    %b = index (M ceildiv 64)
    %last = min %a, %b
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to %last carry (%s0 = %zero, %p0 = %one) {
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 5
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to %last carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 5
        yield %c2, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = N = 1280, block (19, 19), step 5: min(row, column) + 1 steps over a ring of 5 without a wait.
kernel.func @both_axes_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<5 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<5 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<5>
    %empty = mbarriers arrivals 1 : mbarrier<5>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)
    %own = index (%m + 1)
    %own2 = index (%n + 1)
    %last = min %own, %own2
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to %last carry (%s0 = %zero, %p0 = %one) {
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 5
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to %last carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 5
        yield %c2, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = K = 1280, W = 20, step 3: a window of W blocks, from max(row - W, 0) to min(row + 1, K ceildiv 64),
// ring of 3, the producer never waits for a free stage.
kernel.func @window_no_wait<M, N, K, W>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)
    %steps = index (K ceildiv 64)
    %own = index (%m + 1)
    %last = min %own, %steps
    %before = index (%m - W)
    %first = max %before, %zero
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = %first to %last carry (%s0 = %zero, %p0 = %one) {
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = %first to %last carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = N = 64000: min(M, N) ceildiv 64 tiles over 132 blocks, ring of 2, the producer never waits; no run
// has a second tile in a block.
kernel.func @persistent_min_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  %sms = index (132)
  %tiles = index (M ceildiv 64)
  %tn = index (N ceildiv 64)
  %both = min %tiles, %tn
  %blocks = min %sms, %both
  grid (%blocks) threads 256 {
    %sA = shared : tile<2 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<2 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 1 : mbarrier<2>
    %block = block_id 0
    %steps = index (1)
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      // expected-error@+1 {{E1814 'kernel.for': not verified: in no run the loop goes around 6 times, and it may}}
      %all = for %t = %block to %both step %blocks carry (%i0 = %zero) {
        %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) grouped 8

        %i4 = for %k = 0 to %steps carry (%i = %i0) {
          %s0 = index ((%i) mod 2)
          %p0 = index (((%i) floordiv 2 + 1) mod 2)
          expect %full[%s0] bytes 16384
          tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
          tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
          %i1 = index (%i + 1)
          yield %i1
        }
        yield %i4
      }
    }
    role consumer warps 4 to 8 {
      %all = for %t = %block to %both step %blocks carry (%i0 = %zero) {
        %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) grouped 8

        %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
        %c, %i4 = for %k = 0 to %steps carry (%c1 = %c0, %i = %i0) {
          %s0 = index ((%i) mod 2)
          %p0 = index (((%i) floordiv 2) mod 2)
          wait %full[%s0] parity %p0
          %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
          await %w
          arrive %empty[%s0] by one
          %i1 = index (%i + 1)
          yield %c2, %i1
        }
        store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
        yield %i4
      }
    }
  }
  return %D
}

// -----

// Wrong at M = N = 640, K = 1280, step 2: a product over a ring of 2, in tiles that lie inside of M and N (64*m +
// 64 <= M and the same of N) the producer does not wait for a free stage.
kernel.func @full_tile_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<2 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<2 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 1 : mbarrier<2>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        if (64 * %m + 64 <= M, 64 * %n + 64 <= N) {
        } else {
          wait %empty[%s0] parity %p0
        }
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 2
        yield %c2, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = N = K = 1280: clusters of two blocks with multicast, ring of 3; the producer does not wait for a
// free stage in tiles inside of M and N.
kernel.func @cluster_full_tile_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[32, 64], f16, swizzle 128>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  grid (N ceildiv 64, 2 * (M ceildiv 128)) cluster [1, 2] threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sD = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 2 : mbarrier<3>
    %n = block_id 0
    %m = block_id 1
    %rank = block_rank
    %zero = index (0)
    %one = index (1)
    cluster_barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        if (64 * %m + 64 <= M, 64 * %n + 64 <= N) {
        } else {
          wait %empty[%s0] parity %p0
        }
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        %half = slice %sB[%s0] at (32 * %rank, 0) : tile<[32, 64], f16, swizzle 128>
        tma_load %mB[64 * %n + 32 * %rank, 64 * %k] to %half signal %full[%s0] multicast 3
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
      %s2, %p2 = for %k = 0 to 3 carry (%s3 = %s, %p3 = %p) {
        wait %empty[%s3] parity %p3
        %s4, %p4 = advance %s3, %p3 over 3
        yield %s4, %p4
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] on %zero by one
        arrive %empty[%s0] on %one by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store_shared %h to %sD
      fence_async
      barrier
      elect {
        %e = tma_store %sD to %mD[64 * %m, 64 * %n] : token<epilogue>
        await_read %e
      }
    }
  }
  return %D
}

// -----

// Wrong at M = K = 1280, step 4: K ceildiv 64 steps, of which both roles do those with k <= row; ring of 4, the
// producer never waits. Runs do 0 to 4 of them.
kernel.func @guarded_causal_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 1 : mbarrier<4>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        %s1, %p1 = if (%k <= %m) : index, index {
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s2, %p2 = advance %s0, %p0 over 4
        yield %s2, %p2
        } else {
        yield %s0, %p0
        }
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        %c5, %s1, %p1 = if (%k <= %m) : frag<[64, 64], f32, wgmma>, index, index {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s2, %p2 = advance %s0, %p0 over 4
        yield %c2, %s2, %p2
        } else {
        yield %c1, %s0, %p0
        }
        yield %c5, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = N = 640, K = 1280: the same where row + column >= 5, ring of 2.
kernel.func @rows_and_columns_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<2 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<2 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 1 : mbarrier<2>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        if (%m + %n >= 5) {
        } else {
          wait %empty[%s0] parity %p0
        }
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 2
        yield %c2, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = 640, K = 1280, step 4: the same in rows m mod 3 == 2, ring of 4.
kernel.func @third_row_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 1 : mbarrier<4>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        if (%m mod 3 == 2) {
        } else {
          wait %empty[%s0] parity %p0
        }
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 4
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 4
        yield %c2, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = 640, K = 1280, step 12, row 5: ring of 6, there the parity is 1 in the first turn and 0 in all
// others.
kernel.func @third_turn_row_5<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<6 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<6 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<6>
    %empty = mbarriers arrivals 1 : mbarrier<6>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        %left = index (6 - %k)
        %l1 = min %left, %one
        %l0 = max %l1, %zero
        if (%m == 5) {
          wait %empty[%s0] parity %l0
        } else {
          wait %empty[%s0] parity %p0
        }
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 6
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 6
        yield %c2, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = N = K = 192, step 2: 'require (M == N, N == K)', ring of 2, the producer never waits for a free
// stage. 1 cell, 1 run: M = N = K = 1.
kernel.func @require_square_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  require (M == N, N == K)
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<2 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<2 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 1 : mbarrier<2>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 2
        yield %c2, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = 480, K = 320: 'require (2 * M == 3 * K)', ring of 2 (or 4), no wait; 1 cell.
kernel.func @require_ratio_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  require (2 * M == 3 * K)
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<2 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<2 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 1 : mbarrier<2>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      // expected-error@+1 {{E1814 'kernel.for': not verified: in no run the loop goes around 6 times, and it may}}
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        expect %full[%s0] bytes 16384
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 2
        yield %c2, %s1, %p1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at K = 320, step 4: a product over K in steps of 64, ring of 4, the producer never waits for a free stage;
// after it the consumer has another loop over K in steps of 16 (with a warp_sync).
kernel.func @two_units_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 1 : mbarrier<4>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 4
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 4
        yield %c2, %s1, %p1
      }
      for %j = 0 to K ceildiv 16 {
        warp_sync
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at K = 1088, step 16: tiles of A come every 4th step over a ring of 4 of their own (advance inside of 'if
// (k mod 4 == 0)'), the producer never waits for a free stage of it.
kernel.func @slow_ring_no_wait<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>

  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<4 x [64, 64], f16, swizzle 128>
    %fullA = mbarriers arrivals 1 : mbarrier<4>
    %emptyA = mbarriers arrivals 1 : mbarrier<4>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 1 : mbarrier<4>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      %s, %p, %sa, %pa = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one, %a0 = %zero, %q0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        %a1, %q1 = if (%k mod 4 == 0) : index, index {
          expect %fullA[%a0] bytes 8192
          tma_load %mA[64 * %m, 64 * %k] to %sA[%a0] signal %fullA[%a0]
          %a2, %q2 = advance %a0, %q0 over 4
          yield %a2, %q2
        } else {
          yield %a0, %q0
        }
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 4
        yield %s1, %p1, %a1, %q1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p, %sa, %pa = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero, %a0 = %zero, %q0 = %zero) {
        wait %full[%s0] parity %p0
        if (%k mod 4 == 0) {
          wait %fullA[%a0] parity %q0
        }
        %c2, %w = wgmma %sA[%a0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %a1, %q1 = if (%k mod 4 == 3) : index, index {
          // expected-error@+1 {{E1804 'kernel.arrive': arrives at %emptyA[0] a second time: 1 complete a phase, and phase 0 has ended without this one}}
          arrive %emptyA[%a0] by one
          %a2, %q2 = advance %a0, %q0 over 4
          yield %a2, %q2
        } else {
          yield %a0, %q0
        }
        %s1, %p1 = advance %s0, %p0 over 4
        yield %c2, %s1, %p1, %a1, %q1
      }
      store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N, i0 < 0)
    }
  }
  return %D
}
