// A symbol that several sizes share makes tiles and the steps in each more: there are no sizes with many tiles of few steps.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// The consumer begins each tile at the stage of the tile before, which is right if a tile has a multiple of 6 steps.
kernel.func @stage_stays<N>(%A: memref<[N, N], f16, row_major, align 128, noalias>, %B: memref<[N, N], f16, row_major, align 128, noalias>) -> memref<[N, N], f16, row_major, align 128, noalias> attributes {target = "sm90"} {
  require (N mod 8 == 0)
  %out = output : memref<[N, N], f16, row_major, align 128, noalias>
  %tiles = index ((N ceildiv 128)*(N ceildiv 256))
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
      %1:2 = for %tile = %cluster to (N ceildiv 128)*(N ceildiv 256) step %clusters carry (%stage = %0, %parity = %one) : index, index {
        %row, %column = tile_order %tile of (N ceildiv 256, N ceildiv 128) grouped 8
        %2:2 = for %k = 0 to N step 64 carry (%stage_0 = %stage, %parity_0 = %parity) : index, index {
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
      %stage = index ((%g*(N ceildiv 64)) mod 6)
      %parity = index (((%g*(N ceildiv 64)) floordiv 6) mod 2)
      %mine = index (%g + 8)
      %other = index ((%g + 1) mod 2 + 8)
      if (%g == 1, %cluster < (N ceildiv 128)*(N ceildiv 256)) {
        barrier_arrive id %other threads 256
      }
      %6 = done : token<epilogue>
      %7:4 = for %tile = %g*%clusters + %cluster to (N ceildiv 128)*(N ceildiv 256) step 2*%clusters carry (%parity_1 = %parity, %stage_1 = %stage, %stored = %6, %stored_0 = %6) : index, index, token<epilogue>, token<epilogue> {
        %row, %column = tile_order %tile of (N ceildiv 256, N ceildiv 128) grouped 8
        %8 = const 0.0 : frag<[128, 128], f32, wgmma>
        %9 = done : token<compute>
        barrier id %mine threads 256
        %p:5 = for %k = 0 to N step 64 carry (%10 = %8, %parity_2 = %parity_1, %stage_2 = %stage_1, %held = %9, %before = %stage_1) : frag<[128, 128], f32, wgmma>, index, index, token<compute>, index {
          // expected-error@+1 {{E1803 'kernel.wait': waits for the end of phase 12 of %full[2] of block 1, and the phase after it may have ended before: then parity 0 means another phase}}
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
        if (%tile + %clusters < (N ceildiv 128)*(N ceildiv 256)) {
          barrier_arrive id %other threads 256
        }
        await %p#3
        if (1 <= N) {
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
        %30 = index (%p#2)
        %31 = index ((%p#1 + (N + 64*%p#2 + 63) floordiv 384) mod 2)
        yield %31, %30, %24, %28
      }
      elect {
        await_read %7#2, %7#3
      }
    }
  }
  return %out
}

// -----

// The same with the parity.
kernel.func @parity_stays<N>(%A: memref<[N, N], f16, row_major, align 128, noalias>, %B: memref<[N, N], f16, row_major, align 128, noalias>) -> memref<[N, N], f16, row_major, align 128, noalias> attributes {target = "sm90"} {
  require (N mod 8 == 0)
  %out = output : memref<[N, N], f16, row_major, align 128, noalias>
  %tiles = index ((N ceildiv 128)*(N ceildiv 256))
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
      %1:2 = for %tile = %cluster to (N ceildiv 128)*(N ceildiv 256) step %clusters carry (%stage = %0, %parity = %one) : index, index {
        %row, %column = tile_order %tile of (N ceildiv 256, N ceildiv 128) grouped 8
        %2:2 = for %k = 0 to N step 64 carry (%stage_0 = %stage, %parity_0 = %parity) : index, index {
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
      %stage = index ((%g*(N ceildiv 64)) mod 6)
      %parity = index (((%g*(N ceildiv 64)) floordiv 6) mod 2)
      %mine = index (%g + 8)
      %other = index ((%g + 1) mod 2 + 8)
      if (%g == 1, %cluster < (N ceildiv 128)*(N ceildiv 256)) {
        barrier_arrive id %other threads 256
      }
      %6 = done : token<epilogue>
      %7:4 = for %tile = %g*%clusters + %cluster to (N ceildiv 128)*(N ceildiv 256) step 2*%clusters carry (%parity_1 = %parity, %stage_1 = %stage, %stored = %6, %stored_0 = %6) : index, index, token<epilogue>, token<epilogue> {
        %row, %column = tile_order %tile of (N ceildiv 256, N ceildiv 128) grouped 8
        %8 = const 0.0 : frag<[128, 128], f32, wgmma>
        %9 = done : token<compute>
        barrier id %mine threads 256
        %p:5 = for %k = 0 to N step 64 carry (%10 = %8, %parity_2 = %parity_1, %stage_2 = %stage_1, %held = %9, %before = %stage_1) : frag<[128, 128], f32, wgmma>, index, index, token<compute>, index {
          // expected-error@+1 {{E1803 'kernel.wait': waits for the end of phase 12 of %full[2] of block 0, and the phase after it may have ended before: then parity 0 means another phase}}
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
        if (%tile + %clusters < (N ceildiv 128)*(N ceildiv 256)) {
          barrier_arrive id %other threads 256
        }
        await %p#3
        if (1 <= N) {
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
        %30 = index ((%p#2 + N ceildiv 64) mod 6)
        %31 = index (%p#1)
        yield %31, %30, %24, %28
      }
      elect {
        await_read %7#2, %7#3
      }
    }
  }
  return %out
}
