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
