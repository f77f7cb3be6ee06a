// What matters in more ways than are run is not verified, and never taken for right.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// 13 truth values of data: 8192 combinations, where 4096 are run.
kernel.func @data(%F: memref<[64], i32>) -> memref<[64], i32> {
  %D = output : memref<[64], i32>
  // expected-error@+1 {{E1814 'kernel.grid': not verified: what is done depends on data in too many ways}}
  grid (1) threads 128 {
    %zero = const 0 : i32
    %v0 = load %F[0] : i32
    %c0 = binary lt %v0, %zero : i1
    if %c0 {
      barrier
    }
    %v1 = load %F[1] : i32
    %c1 = binary lt %v1, %zero : i1
    if %c1 {
      barrier
    }
    %v2 = load %F[2] : i32
    %c2 = binary lt %v2, %zero : i1
    if %c2 {
      barrier
    }
    %v3 = load %F[3] : i32
    %c3 = binary lt %v3, %zero : i1
    if %c3 {
      barrier
    }
    %v4 = load %F[4] : i32
    %c4 = binary lt %v4, %zero : i1
    if %c4 {
      barrier
    }
    %v5 = load %F[5] : i32
    %c5 = binary lt %v5, %zero : i1
    if %c5 {
      barrier
    }
    %v6 = load %F[6] : i32
    %c6 = binary lt %v6, %zero : i1
    if %c6 {
      barrier
    }
    %v7 = load %F[7] : i32
    %c7 = binary lt %v7, %zero : i1
    if %c7 {
      barrier
    }
    %v8 = load %F[8] : i32
    %c8 = binary lt %v8, %zero : i1
    if %c8 {
      barrier
    }
    %v9 = load %F[9] : i32
    %c9 = binary lt %v9, %zero : i1
    if %c9 {
      barrier
    }
    %v10 = load %F[10] : i32
    %c10 = binary lt %v10, %zero : i1
    if %c10 {
      barrier
    }
    %v11 = load %F[11] : i32
    %c11 = binary lt %v11, %zero : i1
    if %c11 {
      barrier
    }
    %v12 = load %F[12] : i32
    %c12 = binary lt %v12, %zero : i1
    if %c12 {
      barrier
    }
  }
  return %D
}

// -----

// 12 numbers of blocks along each of two axes: 27 blocks along each, where 512 are run together.
kernel.func @blocks<M, N>(%F: memref<[M, N], i32>) -> memref<[64], i32> {
  %D = output : memref<[64], i32>
  // expected-error@+1 {{E1814 'kernel.grid': not verified: what is done depends on the number of the block in too many ways}}
  grid (M, N) threads 128 {
    %m = block_id 0
    %n = block_id 1
    if (%m == 107) {
      barrier
    }
    if (%m == 207) {
      barrier
    }
    if (%m == 307) {
      barrier
    }
    if (%m == 407) {
      barrier
    }
    if (%m == 507) {
      barrier
    }
    if (%m == 607) {
      barrier
    }
    if (%m == 707) {
      barrier
    }
    if (%m == 807) {
      barrier
    }
    if (%m == 907) {
      barrier
    }
    if (%m == 1007) {
      barrier
    }
    if (%m == 1107) {
      barrier
    }
    if (%m == 1207) {
      barrier
    }
    if (%n == 107) {
      barrier
    }
    if (%n == 207) {
      barrier
    }
    if (%n == 307) {
      barrier
    }
    if (%n == 407) {
      barrier
    }
    if (%n == 507) {
      barrier
    }
    if (%n == 607) {
      barrier
    }
    if (%n == 707) {
      barrier
    }
    if (%n == 807) {
      barrier
    }
    if (%n == 907) {
      barrier
    }
    if (%n == 1007) {
      barrier
    }
    if (%n == 1107) {
      barrier
    }
    if (%n == 1207) {
      barrier
    }
  }
  return %D
}

// -----

// 3 boundaries for each of four symbols: 2401 sizes, where 256 are starting points.
kernel.func @sizes<K, L, M, N>(%F: memref<[K, L, M, N], i32>) -> memref<[64], i32> {
  %D = output : memref<[64], i32>
  // expected-error@+1 {{E1814 'kernel.grid': not verified: what is done depends on sizes in too many ways}}
  grid (1) threads 128 {
    if (K < 107) {
      barrier
    }
    if (K < 207) {
      barrier
    }
    if (K < 307) {
      barrier
    }
    if (L < 107) {
      barrier
    }
    if (L < 207) {
      barrier
    }
    if (L < 307) {
      barrier
    }
    if (M < 107) {
      barrier
    }
    if (M < 207) {
      barrier
    }
    if (M < 307) {
      barrier
    }
    if (N < 107) {
      barrier
    }
    if (N < 207) {
      barrier
    }
    if (N < 307) {
      barrier
    }
  }
  return %D
}

// -----

// A loop that is longer than what is followed.
kernel.func @steps() -> memref<[64], i32> {
  %D = output : memref<[64], i32>
  grid (1) threads 128 {
    // expected-error@+1 {{E1814 'kernel.for': the loops go on for too long to be followed}}
    for %k = 0 to 10000000 {
      if (%k floordiv 3 * %k == 7) {
        barrier
      }
    }
  }
  return %D
}

// -----

// A round that is farther than any that is followed.
kernel.func @round_too_far<K>(%A: memref<[64, K], f16, row_major, align 16>, %B: memref<[64, K], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  // expected-error@+1 {{E1814 'kernel.grid': not verified: what is done depends on a round of a loop beyond 10^9}}
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        if (%k == 10000000000000) {
          arrive %empty[%s0] by warp
        }
        await %w
        if (%k < 10000000000000) {
          arrive %empty[%s0] by warp
        }
        if (10000000000001 <= %k) {
          arrive %empty[%s0] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// A size that is farther than any that is tried.
kernel.func @size_too_far<K>(%A: memref<[64, K], f16, row_major, align 16>, %B: memref<[64, K], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  // expected-error@+1 {{E1814 'kernel.grid': not verified: what is done depends on sizes beyond 10^15}}
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        if (K < 3000000000000000) {
          await %w
        }
        if (%k < 2) {
          arrive %empty[%s0] by warp
        }
        if (2 <= %k) {
          arrive %empty[%s0] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// Steps of 10007 / 10006: every size is another part of one.
kernel.func @steps_of_fractions<M>(%X: memref<[256], f32>) -> memref<[256], f32> {
  %Y = output : memref<[256], f32>
  // expected-error@+1 {{E1814 'kernel.grid': not verified: what is done depends on sizes in steps that hardly come again}}
  grid (1) threads 128 {
    %s = shared : tile<[256], f32, row_major>
    for %t = 0 to 10006 * M step 10007 {
      copy %X[i0] to %s by blocked [1] lanes [32] warps [4]
      if (%t + 1 < 10006 * M) {
        barrier
      }
      %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
      barrier
      store %x to %Y[i0]
    }
  }
  return %Y
}

// -----

// Each barrier is known to have come somewhere, and each knows how far all others have.
kernel.func @thousands_of_barriers<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[N, K], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  %mA = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %mB = tensor_map %B : tensormap<[64, 16], f16, swizzle 32>
  // expected-error@+1 {{E1814 'kernel.grid': not verified: all that it may do takes too long to follow}}
  grid (M ceildiv 64, N ceildiv 64) threads 256 {
    %sA = shared : tile<3 x [64, 16], f16, swizzle 32>
    %sB = shared : tile<3 x [64, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<4096>
    %m = block_id 0
    %n = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      for %k = 0 to K step 16 carry (%s = %zero, %p = %one) {
        %k1 = index (%k floordiv 16)
        %t = index (1000000007 * %k1)
        %u = min %t, %t
        %pp = index (1 - (%u floordiv 3000000021) mod 2)
        wait %empty[%s] parity %pp
        expect %full[%s] bytes 4096
        tma_load %mA[64 * %m, %k] to %sA[%s] signal %full[%s]
        tma_load %mB[64 * %n, %k] to %sB[%s] signal %full[%s]
        %s1, %p1 = advance %s, %p over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 registers 232 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K step 16 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store %h to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}

// -----

// A tile of many is another one, in a step of many.
kernel.func @far_tile_and_step<M, K>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  // expected-error@+1 {{E1814 'kernel.grid': not verified: all that it may do takes too long to follow}}
  grid (4) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    %b = block_id 0
    %bs = grid_size 0
    role producer warps 0 to 4 single {
      %x:2 = for %t = %b to M ceildiv 64 step %bs carry (%s2 = %zero, %p2 = %one) {
        %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %s2, %p0 = %p2) {
          wait %empty[%s0] parity %p0
          expect %full[%s0] bytes 8192
          tma_load %mA[0, 0] to %sA[%s0] signal %full[%s0]
          %s1, %p1 = advance %s0, %p0 over 3
          yield %s1, %p1
        }
        yield %s, %p
      }
    }
    role consumer warps 4 to 8 {
      %y:2 = for %t = %b to M ceildiv 64 step %bs carry (%s2 = %zero, %p2 = %zero) {
        %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
        %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %s2, %p0 = %p2) {
          wait %full[%s0] parity %p0
          %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
          if (%t == 50000) {
            if (%k == 255) {
              arrive %empty[%s0] by warp
            } else {
              await %w
              arrive %empty[%s0] by warp
            }
            await %w
          } else {
            await %w
            arrive %empty[%s0] by warp
          }
          %s1, %p1 = advance %s0, %p0 over 3
          yield %c2, %s1, %p1
        }
        store %c to %D[i0, i1]
        yield %s, %p
      }
    }
  }
  return %D
}
