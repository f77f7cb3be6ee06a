// What a round does by its number is found, long after the ring has begun to go on in circles.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// A stage is given back before its product is awaited in the round 70 by a count that is carried.
kernel.func @gemm(%A: memref<[64, 6400], f16, row_major, align 16>, %B: memref<[64, 6400], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to 100 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a matrix product may still read it: it is awaited only later}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %none = done : token<compute>
      %c, %s, %p, %last, %prev, %count = for %k = 0 to 100 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero, %held = %none, %before = %zero, %n = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        %n1 = index (%n + 1)
        if (%n == 70) {
          arrive %empty[%before] by warp
        }
        await %held
        if (1 <= %n < 70) {
          arrive %empty[%before] by warp
        }
        if (71 <= %n) {
          arrive %empty[%before] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1, %w, %s0, %n1
      }
      await %last
      arrive %empty[%prev] by warp
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// By an integer that is computed from that of the loop.
kernel.func @gemm(%A: memref<[64, 6400], f16, row_major, align 16>, %B: memref<[64, 6400], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to 100 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a matrix product may still read it: it is awaited only later}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %none = done : token<compute>
      %c, %s, %p, %last, %prev = for %k = 0 to 100 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero, %held = %none, %before = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        %n = index (%k floordiv 70 - %k floordiv 71)
        if (%n == 1) {
          arrive %empty[%before] by warp
        }
        await %held
        if (%n == 0, 1 <= %k) {
          arrive %empty[%before] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1, %w, %s0
      }
      await %last
      arrive %empty[%prev] by warp
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// By the integer of the loop and a stage.
kernel.func @gemm(%A: memref<[64, 6400], f16, row_major, align 16>, %B: memref<[64, 6400], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to 100 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a matrix product may still read it: it is awaited only later}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %none = done : token<compute>
      %c, %s, %p, %last, %prev = for %k = 0 to 100 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero, %held = %none, %before = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        if (%k + %s0 == 71) {
          arrive %empty[%before] by warp
        }
        await %held
        if (1 <= %k + %s0 < 71) {
          arrive %empty[%before] by warp
        }
        if (72 <= %k + %s0) {
          arrive %empty[%before] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1, %w, %s0
      }
      await %last
      arrive %empty[%prev] by warp
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// By which of the two is greater.
kernel.func @gemm(%A: memref<[64, 6400], f16, row_major, align 16>, %B: memref<[64, 6400], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to 100 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a matrix product may still read it: it is awaited only later}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %none = done : token<compute>
      %c, %s, %p, %last, %prev = for %k = 0 to 100 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero, %held = %none, %before = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        if (1 <= %s0, 40 * %s0 <= %k) {
          arrive %empty[%before] by warp
        }
        await %held
        if (%s0 == 0, 1 <= %k) {
          arrive %empty[%before] by warp
        }
        if (1 <= %s0, %k < 40 * %s0) {
          arrive %empty[%before] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1, %w, %s0
      }
      await %last
      arrive %empty[%prev] by warp
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// By an integer of which another one is taken away.
kernel.func @gemm(%A: memref<[64, 6400], f16, row_major, align 16>, %B: memref<[64, 6400], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to 100 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a matrix product may still read it: it is awaited only later}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %none = done : token<compute>
      %c, %s, %p, %last, %prev = for %k = 0 to 100 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero, %held = %none, %before = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        if (100 - %k == 30) {
          arrive %empty[%before] by warp
        }
        await %held
        if (30 < 100 - %k < 100) {
          arrive %empty[%before] by warp
        }
        if (100 - %k < 30) {
          arrive %empty[%before] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1, %w, %s0
      }
      await %last
      arrive %empty[%prev] by warp
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// The store before the loop is awaited, not those of its first rounds.
kernel.func @stores(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f16, row_major, align 16>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %first = shared : tile<[64, 64], f16, swizzle 128>
    %early = shared : tile<[64, 64], f16, swizzle 128>
    %late = shared : tile<[64, 64], f16, swizzle 128>
    %x = const 0.0 : frag<[64, 64], f16, wgmma>
    store_shared %x to %first
    store_shared %x to %early
    store_shared %x to %late
    fence_async
    barrier
    %stored = elect : token<epilogue> {
      %s = tma_store %first to %mD[0, 0] : token<epilogue>
      yield %s
    }
    for %k = 0 to 100 {
      if (%k < 40) {
        elect {
          %s = tma_store %early to %mD[0, 0] : token<epilogue>
        }
      }
      if (40 <= %k) {
        elect {
          %s = tma_store %late to %mD[0, 0] : token<epilogue>
        }
      }
    }
    elect {
      await_read %stored
    }
    barrier
    // expected-error@+1 {{E1802 'kernel.store_shared': writes to %early: a store that is not awaited may still read it}}
    store_shared %x to %early
    fence_async
    barrier
    elect {
      %last = tma_store %early to %mD[0, 0] : token<epilogue>
      await_read %last
    }
  }
  return %D
}
