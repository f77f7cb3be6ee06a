// Classes of kernels that fooled the checker once, with copies of threads in place of TMA. Each stands next to a right one.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// The sizes that a 'require' leaves are looked for.
kernel.func @after_require<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  require (N mod 64 == 5)
  require (N >= 5000)
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// The same with the barrier.
kernel.func @after_require_right<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  require (N mod 64 == 5)
  require (N >= 5000)
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    barrier
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// From a size that is named on.
kernel.func @named_size<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (N < 3000) {
      barrier
    }
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// One way or the other: there is a barrier.
kernel.func @named_size_right<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (N < 3000) {
      barrier
    }
    if (N >= 3000) {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// In two blocks in the middle of the grid.
kernel.func @in_the_middle<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64 * N], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64 * N], f32>
  grid (N) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (%b < 7) {
      barrier
    }
    if (%b >= 9) {
      barrier
    }
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, 64 * %b + i1]
  }
  return %Y
}

// -----

// The same, and no block is left.
kernel.func @in_the_middle_right<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64 * N], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64 * N], f32>
  grid (N) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (%b < 7) {
      barrier
    }
    if (%b >= 7) {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, 64 * %b + i1]
  }
  return %Y
}

// -----

// The last step has no barrier.
kernel.func @last_step<K>(%X: memref<[64, K], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %zero = const 0.0 : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %sum = for %k = 0 to K step 64 carry (%old = %zero) {
      barrier
      %t = copy_async %X[i0, %k + i1] where (%k + i1 < K) else 0.0 to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      if (%k + 64 < K) {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %new = binary add %old, %y : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      yield %new
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// -----

// Each step has one.
kernel.func @last_step_right<K>(%X: memref<[64, K], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %zero = const 0.0 : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %sum = for %k = 0 to K step 64 carry (%old = %zero) {
      barrier
      %t = copy_async %X[i0, %k + i1] where (%k + i1 < K) else 0.0 to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      if (%k < K) {
        barrier
      }
      %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %new = binary add %old, %y : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      yield %new
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// -----

// A step that ends within the tile has none.
kernel.func @part_of_a_step<K>(%X: memref<[64, K], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %zero = const 0.0 : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %sum = for %k = 0 to K step 64 carry (%old = %zero) {
      barrier
      %t = copy_async %X[i0, %k + i1] where (%k + i1 < K) else 0.0 to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t
      if (%k + 64 <= K) {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %new = binary add %old, %y : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      yield %new
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// -----

// The second turn of a ring deeper than 12 stages.
kernel.func @second_turn<K>(%X: memref<[16, K], f32, row_major, align 16>) -> memref<[16, 16], f32> attributes {target = "sm80"} {
  %Y = output : memref<[16, 16], f32>
  grid (1) threads 128 {
    %s = shared : tile<15 x [16, 16], f32, row_major>
    %zero = const 0.0 : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
    %at = index (0)
    %turn = index (0)
    %sum, %last, %turns = for %k = 0 to K step 16 carry (%old = %zero, %stage = %at, %parity = %turn) {
      barrier
      %t = copy_async %X[i0, %k + i1] where (%k + i1 < K) else 0.0 to %s[%stage] by blocked [1, 1] lanes [2, 16] warps [4, 1] : token<load>
      await %t
      if (%parity == 0) {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s[0]: other warps wrote to it, with no barrier between}}
      %y = load_shared %s[%stage] transposed : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      %new = binary add %old, %y : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      %next, %other = advance %stage, %parity over 15
      yield %new, %next, %other
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// -----

// The same in both turns.
kernel.func @second_turn_right<K>(%X: memref<[16, K], f32, row_major, align 16>) -> memref<[16, 16], f32> attributes {target = "sm80"} {
  %Y = output : memref<[16, 16], f32>
  grid (1) threads 128 {
    %s = shared : tile<15 x [16, 16], f32, row_major>
    %zero = const 0.0 : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
    %at = index (0)
    %turn = index (0)
    %sum, %last, %turns = for %k = 0 to K step 16 carry (%old = %zero, %stage = %at, %parity = %turn) {
      barrier
      %t = copy_async %X[i0, %k + i1] where (%k + i1 < K) else 0.0 to %s[%stage] by blocked [1, 1] lanes [2, 16] warps [4, 1] : token<load>
      await %t
      if (%parity < 2) {
        barrier
      }
      %y = load_shared %s[%stage] transposed : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      %new = binary add %old, %y : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      %next, %other = advance %stage, %parity over 15
      yield %new, %next, %other
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}
