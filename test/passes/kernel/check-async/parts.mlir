// Parts of sums: how many rounds one has, and which it is, is asked of runs.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// Wrong where M >= 5: in round 4 of a part there is no barrier.
kernel.func @part_round_4<M, N, K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (4) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %p = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    %first = index (%p * M)
    %behind = index (%p * M + M)
    for %k = %first to %behind {
      %t2 = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t2
      if (%k >= %first + 4) {
      } else {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %z = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %z to %Y[i0, i1] where (i0 < 0)
      barrier
    }
    barrier
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Wrong where M >= 5: a part with 5 rounds or more has no barrier.
kernel.func @part_has_5<M, N, K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (4) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %p = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    %first = index (%p * M)
    %behind = index (%p * M + M)
    for %k = %first to %behind {
      %t2 = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t2
      if (%first + 5 <= %behind) {
      } else {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %z = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %z to %Y[i0, i1] where (i0 < 0)
      barrier
    }
    barrier
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Wrong where M > 5000: no barrier while 5000 rounds or more are left.
kernel.func @part_left_5000<M, N, K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (4) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %p = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    %first = index (%p * M)
    %behind = index (%p * M + M)
    for %k = %first to %behind {
      %t2 = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t2
      // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, and it may}}
      if (%k + 5000 < %behind) {
      } else {
        barrier
      }
      %z = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %z to %Y[i0, i1] where (i0 < 0)
      barrier
    }
    barrier
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Wrong where K >= 305: parts are K ceildiv 4, the end is the smaller of K: a part of 77 rounds or more has no
// barrier.
kernel.func @part_min_has_77<M, N, K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (4) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %p = block_id 0
    %chunk = index (K ceildiv 4)
    %e0 = index (%p * %chunk + %chunk)
    %kk = index (K)
    %e = min %e0, %kk
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    %first = index (%p * %chunk)
    %behind = index (%e)
    for %k = %first to %behind {
      %t2 = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
      await %t2
      if (%first + 77 <= %behind) {
      } else {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %z = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %z to %Y[i0, i1] where (i0 < 0)
      barrier
    }
    barrier
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Wrong in block 1009 where M = 1013, N = 1010: b*M >= 1022117, no barrier.
kernel.func @rounds_of_block<M, N, K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (N) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    for %i = 0 to %b * M {
      barrier
    }
    %t2 = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t2
    if (%b * M >= 1022117) {
    } else {
      barrier
    }
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Wrong at M = 2, N = 10000 (M + 5000 <= 2*N): the loop from M*N to M*N + M + 5000 - 2*N, in which the only barrier
// is, has no round.
kernel.func @product_none<M, N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (4) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %p = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    %first = index (M * N)
    // expected-error@+1 {{E1814 'kernel.for': not verified: in no run the loop has no round, and it may}}
    for %k = %first to M * N + M + 5000 - 2 * N  {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}
