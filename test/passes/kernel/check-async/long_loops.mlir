// Loops that go on for long are followed as far as they do something new, whatever numbers are in the text.

// RUN: dlc-opt %s --check-async --no-output --split-input-file

// The rounds of a loop go one way up to one that is far, and another way from there on.
kernel.func @far_round<K>(%A: memref<[64, K], f16, row_major, align 16>, %B: memref<[64, K], f16, row_major, align 16>)
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
        await %w
        if (%k < 1000000) {
          arrive %empty[%s0] by warp
        }
        if (1000000 <= %k) {
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

// The same where the text says how often.
kernel.func @many_rounds(%A: memref<[64, 64], f16, row_major, align 16>, %B: memref<[64, 64], f16, row_major, align 16>)
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
      %s, %p = for %k = 0 to 300000000 carry (%s0 = %zero, %p0 = %one) {
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
      %c, %s, %p = for %k = 0 to 300000000 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        if (%k < 100000000) {
          arrive %empty[%s0] by warp
        }
        if (100000000 <= %k) {
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

// Blocks share a hundred million tiles, each of many steps.
kernel.func @many_tiles(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[132, 64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[132, 64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (132) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    %b = block_id 0
    %bs = grid_size 0
    role producer warps 0 to 4 single {
      %x:2 = for %t = %b to 100000000 step %bs carry (%s2 = %zero, %p2 = %one) {
        %s, %p = for %k = 0 to 64 carry (%s0 = %s2, %p0 = %p2) {
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
      %y:2 = for %t = %b to 100000000 step %bs carry (%s2 = %zero, %p2 = %zero) {
        %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
        %c, %s, %p = for %k = 0 to 64 carry (%c1 = %c0, %s0 = %s2, %p0 = %p2) {
          wait %full[%s0] parity %p0
          %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
          await %w
          arrive %empty[%s0] by warp
          %s1, %p1 = advance %s0, %p0 over 3
          yield %c2, %s1, %p1
        }
        store %c to %D[%b, i0, i1]
        yield %s, %p
      }
    }
  }
  return %D
}

// -----

// The same on a machine where copies are awaited by those that began them.
kernel.func @far_round_sm80<K>(%X: memref<[256], f32>) -> memref<[256], f32> attributes {target = "sm80"} {
  %Y = output : memref<[256], f32>
  grid (1) threads 128 {
    %s = shared : tile<2 x [256], f32, row_major>
    %zero = index (0)
    %t = copy_async %X[i0] to %s[%zero] by blocked [2] lanes [32] warps [4] : token<load>
    %last = for %k = 0 to K carry (%t0 = %t) {
      %now = index (%k mod 2)
      %next = index ((%k + 1) mod 2)
      await %t0
      if (%k < 300000) {
        barrier
      }
      if (300000 <= %k) {
        barrier
      }
      %t1 = copy_async %X[i0] to %s[%next] by blocked [2] lanes [32] warps [4] : token<load>
      %x = load_shared %s[%now] : frag<[256], f32, blocked [1] lanes [32] warps [4]>
      store %x to %Y[i0]
      yield %t1
    }
    await %last
  }
  return %Y
}

// -----

// A size that is far.
kernel.func @far_size<K>(%A: memref<[64, K], f16, row_major, align 16>, %B: memref<[64, K], f16, row_major, align 16>)
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
        if (K < 64000000) {
          await %w
        } else {
          await %w
        }
        arrive %empty[%s0] by warp
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}
