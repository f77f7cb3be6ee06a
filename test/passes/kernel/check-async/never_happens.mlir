// Ways that no run goes are shown to be impossible, or sizes are found for them.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// A persistent loop over a number of tiles that is a difference of products: each block has a tile.
kernel.func @tiles_of_a_difference<A, B>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  %tiles = index (2 * ((3 * A * B - 6 * A) ceildiv 32))
  %waves = index (%tiles ceildiv 132)
  %one = index (1)
  %rounds = max %waves, %one
  %few = index (%tiles ceildiv %rounds)
  %most = index (132)
  %needed = min %most, %few
  grid (%needed) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %blocks = grid_size 0
    for %tile = %b to 2 * ((3 * A * B - 6 * A) ceildiv 32) step %blocks {
      %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %y to %Y[i0, i1] where (%tile == 0)
      barrier
      yield
    }
  }
  return %Y
}

// -----

// In a loop over tiles each size that they are counted by has one.
kernel.func @loops_in_tiles<A, B>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (132) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %blocks = grid_size 0
    for %tile = %b to 6 * (A ceildiv 128) * (B ceildiv 64) step %blocks {
      for %k = 0 to A step 64 {
        %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
        await %t
        barrier
        %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
        store %y to %Y[i0, i1] where (%tile == 0)
        barrier
        yield
      }
      yield
    }
  }
  return %Y
}

// -----

// The same with a loop for another size, that need not have a round.
kernel.func @loops_that_may_have_none<A, B, C>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (132) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %blocks = grid_size 0
    for %tile = %b to 6 * (A ceildiv 128) * (B ceildiv 64) step %blocks {
      %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      for %k = 0 to C step 64 {
        barrier
        yield
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %y to %Y[i0, i1] where (%tile == 0)
      barrier
      yield
    }
  }
  return %Y
}

// -----

// A grid of as many blocks as are written has a fifth round of tiles where there are more than four times as many.
kernel.func @rounds_of_a_known_grid<A, B>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (132) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %blocks = grid_size 0
    for %tile = %b to 4 * (A ceildiv 64) step %blocks {
      %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      if (%tile + 4 * %blocks < 4 * (A ceildiv 64)) {
        barrier
      } else {
        barrier
      }
      for %k = 0 to B step 128 {
        %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
        store %y to %Y[i0, i1] where (%tile == 0)
        barrier
        yield
      }
      barrier
      yield
    }
  }
  return %Y
}

// -----

// Without the barrier there.
kernel.func @no_barrier_in_the_fifth_round<A, B>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (132) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %blocks = grid_size 0
    for %tile = %b to 4 * (A ceildiv 64) step %blocks {
      %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      if (%tile + 4 * %blocks < 4 * (A ceildiv 64)) {
      } else {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %y to %Y[i0, i1] where (%tile == 0)
      barrier
      yield
    }
  }
  return %Y
}

// -----

// Blocks have as many tiles as their rings have a use for only where the one size is large: the steps of a tile are a number.
kernel.func @one_size<M>(%A: memref<[M, 512], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %tiles = index (32 * (M ceildiv 256))
  %most = index (66)
  %blocks = min %most, %tiles
  grid (%blocks) threads 256 {
    %sA = shared : tile<6 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<6>
    %empty = mbarriers arrivals 1 : mbarrier<6>
    %zero = index (0)
    %one = index (1)
    %b = block_id 0
    %step = grid_size 0
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %tile = %b to 32 * (M ceildiv 256) step %step carry (%s0 = %zero, %p0 = %one) {
        %s1, %p1 = for %k = 0 to 512 step 64 carry (%s2 = %s0, %p2 = %p0) {
          wait %empty[%s2] parity %p2
          expect %full[%s2] bytes 8192
          tma_load %mA[0, %k] to %sA[%s2] signal %full[%s2]
          %s3, %p3 = advance %s2, %p2 over 6
          yield %s3, %p3
        }
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %tile = %b to 32 * (M ceildiv 256) step %step carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        %d, %s1, %p1 = for %k = 0 to 512 step 64 carry (%c2 = %c1, %s2 = %s0, %p2 = %p0) {
          wait %full[%s2] parity %p2
          %c3, %w = wgmma %sA[%s2], %sA[%s2] transposed, %c2 : frag<[64, 64], f32, wgmma>, token<compute>
          await %w
          arrive %empty[%s2] by one
          %s3, %p3 = advance %s2, %p2 over 6
          yield %c3, %s3, %p3
        }
        yield %d, %s1, %p1
      }
      store %c to %D[i0, i1] where (%b == 0)
    }
  }
  return %D
}

// -----

// A remainder by a size is not negative: each tile has a step.
kernel.func @steps_of_a_remainder<A>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (2 * A) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %tile = block_id 0
    %all = index (A)
    %own = index (%tile mod A + 1)
    %end = min %all, %own
    for %k = 0 to %end {
      %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %y to %Y[i0, i1] where (%tile == 0)
      barrier
      yield
    }
  }
  return %Y
}

// -----

// A remainder by a size is less than that: each tile has a step.
kernel.func @steps_after_a_remainder<A>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (2 * A) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %tile = block_id 0
    %all = index (A)
    %r = index (%tile mod A)
    %own = index (A - %r)
    %end = min %all, %own
    for %k = 0 to %end {
      %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      barrier
      %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %y to %Y[i0, i1] where (%tile == 0)
      barrier
      yield
    }
  }
  return %Y
}

// -----

// No block of 115 has more than four of 459 tiles, as the step is the number of blocks, which is known.
kernel.func @few_tiles_of_a_few_blocks(%x0: memref<[3, 520, 8], f16, row_major, align 128, noalias>, %x1: memref<[3, 1031, 8], f16, row_major, align 128>, %x2: memref<[3, 520, 1031], f32, row_major, align 128, noalias>) -> memref<[3, 520, 1031], f32, row_major, align 128, noalias> attributes {target = "sm90"} {
  %v2 = output : memref<[3, 520, 1031], f32, row_major, align 128, noalias>
  %map_x0 = tensor_map %x0 : tensormap<[1, 64, 16], f16, swizzle 32>
  %map_x1 = tensor_map %x1 : tensormap<[1, 64, 16], f16, swizzle 32>
  grid (115) threads 256 {
    %rhs = shared : tile<8 x [64, 16], f16, swizzle 32>
    %lhs = shared : tile<8 x [64, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<8>
    %empty = mbarriers arrivals 4 : mbarrier<8>
    barrier
    %block = block_id 0
    %blocks = grid_size 0
    %0 = index (0)
    role producer warps 0 to 4 registers 40 single {
      %1 = index (1)
      %2:2 = for %tile = %block to 459 step %blocks carry (%stage = %0, %parity = %1) : index, index {
        %3 = index (%tile mod 153)
        %row, %column = tile_order %3 of (9, 17) grouped 8
        wait %empty[%stage] parity %parity
        expect %full[%stage] bytes 4096
        tma_load %map_x0[%tile floordiv 153, 64*%row, 0] to %lhs[%stage] signal %full[%stage]
        tma_load %map_x1[%tile floordiv 153, 64*%column, 0] to %rhs[%stage] signal %full[%stage]
        %next:2 = advance %stage, %parity over 8
        yield %next, %next#1
      }
    }
    role consumer warps 4 to 8 registers 232 {
      %4:2 = for %tile = %block to 459 step %blocks carry (%parity = %0, %stage = %0) : index, index {
        %5 = index (%tile mod 153)
        %row, %column = tile_order %5 of (9, 17) grouped 8
        %6 = const 0.0 : frag<[64, 64], f32, wgmma>
        wait %full[%stage] parity %parity
        %7:2 = wgmma %lhs[%stage], %rhs[%stage] transposed, %6 : frag<[64, 64], f32, wgmma>, token<compute>
        await %7#1
        arrive %empty[%stage] by warp
        %8 = load %x2[%tile floordiv 153, 64*%row + i0, 64*%column + i1] where (64*%row + i0 < 520, 64*%column + i1 < 1031) : frag<[64, 64], f32, wgmma>
        %v2_0 = binary add %8, %7 : frag<[64, 64], f32, wgmma>
        store %v2_0 to %v2[%tile floordiv 153, 64*%row + i0, 64*%column + i1] where (64*%row + i0 < 520, 64*%column + i1 < 1031)
        %next:2 = advance %stage, %parity over 8
        yield %next#1, %next
      }
    }
  }
  return %v2
}
