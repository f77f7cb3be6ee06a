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

// -----

// Many tiles of many steps each: 1584 steps come again in a tile, and tiles of two groups after each other.
kernel.func @both_long(%A: memref<[101376, 101376], f16, row_major, align 128, noalias>, %B: memref<[101376, 101376], f16, row_major, align 128, noalias>) -> memref<[101376, 101376], f16, row_major, align 128, noalias> attributes {target = "sm90"} {
  %out = output : memref<[101376, 101376], f16, row_major, align 128, noalias>
  %tiles = index ((101376 ceildiv 128)*(101376 ceildiv 256))
  %waves = index (%tiles ceildiv 66)
  %one = index (1)
  %rounds = max %waves, %one
  %few = index (2*(%tiles ceildiv %rounds))
  %most = index (132)
  %needed = min %most, %few
  %map_A = tensor_map %A : tensormap<[128, 64], f16, swizzle 128>
  %map_B = tensor_map %B : tensormap<[32, 64], f16, swizzle 128>
  %map_out = tensor_map %out : tensormap<[64, 64], f16, swizzle 128>
  grid (%needed) cluster [2] threads 384 {
    %panels = shared : tile<4 x [64, 64], f16, swizzle 128>
    %rank = block_rank
    %0 = index (0)
    %rhs = shared : tile<6 x [64, 128], f16, swizzle 128>
    %lhs = shared : tile<6 x [128, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<6>
    %empty = mbarriers arrivals 8 : mbarrier<6>
    %block = block_id 0
    %blocks = grid_size 0
    %cluster = index (%block floordiv 2)
    %clusters = index (%blocks floordiv 2)
    cluster_barrier
    role producer warps 0 to 4 registers 40 single {
      %1:2 = for %tile = %cluster to (101376 ceildiv 128)*(101376 ceildiv 256) step %clusters carry (%stage = %0, %parity = %one) : index, index {
        %row, %column = tile_order %tile of (101376 ceildiv 256, 101376 ceildiv 128) grouped 8
        %2:2 = for %k = 0 to 101376 step 64 carry (%stage_0 = %stage, %parity_0 = %parity) : index, index {
          wait %empty[%stage_0] parity %parity_0
          expect %full[%stage_0] bytes 32768
          tma_load %map_A[128*%rank + 256*%row, %k] to %lhs[%stage_0] signal %full[%stage_0]
          %3 = slice %rhs[%stage_0] at (32*%rank, 0) : tile<[32, 64], f16, swizzle 128>
          tma_load %map_B[%k + 32*%rank, 128*%column] to %3 signal %full[%stage_0] multicast 3
          %4 = slice %rhs[%stage_0] at (32*%rank, 64) : tile<[32, 64], f16, swizzle 128>
          tma_load %map_B[%k + 32*%rank, 128*%column + 64] to %4 signal %full[%stage_0] multicast 3
          %next:2 = advance %stage_0, %parity_0 over 6
          yield %next, %next#1
        }
        yield %2, %2#1
      }
      %5:2 = for %left = 0 to 6 carry (%stage = %1, %parity = %1#1) : index, index {
        wait %empty[%stage] parity %parity
        %next:2 = advance %stage, %parity over 6
        yield %next, %next#1
      }
    }
    role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
      %stage = index ((%g*(101376 ceildiv 64)) mod 6)
      %parity = index (((%g*(101376 ceildiv 64)) floordiv 6) mod 2)
      %mine = index (%g + 8)
      %other = index ((%g + 1) mod 2 + 8)
      if (%g == 1, %cluster < (101376 ceildiv 128)*(101376 ceildiv 256)) {
        barrier_arrive id %other threads 256
      }
      %6 = done : token<epilogue>
      %7:4 = for %tile = %g*%clusters + %cluster to (101376 ceildiv 128)*(101376 ceildiv 256) step 2*%clusters carry (%parity_1 = %parity, %stage_1 = %stage, %stored = %6, %stored_0 = %6) : index, index, token<epilogue>, token<epilogue> {
        %row, %column = tile_order %tile of (101376 ceildiv 256, 101376 ceildiv 128) grouped 8
        %8 = const 0.0 : frag<[128, 128], f32, wgmma>
        %9 = done : token<compute>
        barrier id %mine threads 256
        %p:5 = for %k = 0 to 101376 step 64 carry (%10 = %8, %parity_2 = %parity_1, %stage_2 = %stage_1, %held = %9, %before = %stage_1) : frag<[128, 128], f32, wgmma>, index, index, token<compute>, index {
          wait %full[%stage_2] parity %parity_2
          %11:2 = wgmma %lhs[%stage_2], %rhs[%stage_2], %10 : frag<[128, 128], f32, wgmma>, token<compute>
          await %held
          if (1 <= %k) {
            arrive %empty[%before] on %0 by warp
            arrive %empty[%before] on %one by warp
          }
          %next:2 = advance %stage_2, %parity_2 over 6
          yield %11, %next#1, %next, %11#1, %stage_2
        }
        if (%tile + %clusters < (101376 ceildiv 128)*(101376 ceildiv 256)) {
          barrier_arrive id %other threads 256
        }
        await %p#3
        if (1 <= 101376) {
          arrive %empty[%p#4] on %0 by warp
          arrive %empty[%p#4] on %one by warp
        }
        elect {
          await_read %stored
        }
        barrier
        %12 = index (2*%g)
        %13 = extract %p at [0, 0] : frag<[64, 64], f32, wgmma>
        %14 = cast %13 : frag<[64, 64], f16, wgmma>
        store_shared %14 to %panels[%12]
        fence_async
        barrier
        %15 = elect : token<epilogue> {
          %16 = tma_store %panels[%12] to %map_out[128*%rank + 256*%row, 128*%column] : token<epilogue>
          yield %16
        }
        elect {
          await_read %stored_0
        }
        barrier
        %17 = index (2*%g + 1)
        %18 = extract %p at [0, 64] : frag<[64, 64], f32, wgmma>
        %19 = cast %18 : frag<[64, 64], f16, wgmma>
        store_shared %19 to %panels[%17]
        fence_async
        barrier
        %20 = elect : token<epilogue> {
          %21 = tma_store %panels[%17] to %map_out[128*%rank + 256*%row, 128*%column + 64] : token<epilogue>
          yield %21
        }
        elect {
          await_read %15
        }
        barrier
        %22 = extract %p at [64, 0] : frag<[64, 64], f32, wgmma>
        %23 = cast %22 : frag<[64, 64], f16, wgmma>
        store_shared %23 to %panels[%12]
        fence_async
        barrier
        %24 = elect : token<epilogue> {
          %25 = tma_store %panels[%12] to %map_out[128*%rank + 256*%row + 64, 128*%column] : token<epilogue>
          yield %25
        }
        elect {
          await_read %20
        }
        barrier
        %26 = extract %p at [64, 64] : frag<[64, 64], f32, wgmma>
        %27 = cast %26 : frag<[64, 64], f16, wgmma>
        store_shared %27 to %panels[%17]
        fence_async
        barrier
        %28 = elect : token<epilogue> {
          %29 = tma_store %panels[%17] to %map_out[128*%rank + 256*%row + 64, 128*%column + 64] : token<epilogue>
          yield %29
        }
        %30 = index ((%p#2 + 101376 ceildiv 64) mod 6)
        %31 = index ((%p#1 + (101376 + 64*%p#2 + 63) floordiv 384) mod 2)
        yield %31, %30, %24, %28
      }
      elect {
        await_read %7#2, %7#3
      }
    }
  }
  return %out
}
