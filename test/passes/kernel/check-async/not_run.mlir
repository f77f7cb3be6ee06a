// What no run does is not verified, and what is run is.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// One block of eight leaves the barrier out, of a grid whose size is a number.
kernel.func @a_block_in_the_middle<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (64) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (%b mod 8 == 5) {
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

// One corner of two by two.
kernel.func @a_corner<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (2, 2) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %c = block_id 1
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (%b == 0, %c == 1) {
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

// A block that two numbers name together.
kernel.func @of_two_axes<M, N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (M, N) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %c = block_id 1
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, and it may}}
    if (%b == 2 * %c + 1, %c == 9) {
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Whichever way it goes, all meet: but not all blocks were tried.
kernel.func @right_but_not_all_blocks<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (64) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (%b mod 8 == 5) {
      barrier
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// The first block and the others are tried.
kernel.func @first_and_others<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (N) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (%b == 0) {
      barrier
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Two equations hold at one pair of sizes.
kernel.func @two_equations<M, N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (M + N == 1000) {
      // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, and it may}}
      if (M == N + 2) {
      } else {
        barrier
      }
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// One after the other: each of the four ways is gone by itself.
kernel.func @after_each_other<M, N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (M + N == 1000) {
    } else {
      barrier
    }
    // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, together with what the notes say, and it may}}
    if (M == N + 2) {
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Three inequalities hold together at large sizes only.
kernel.func @three_inequalities<M, N, K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (M >= N + 100) {
    } else {
      barrier
    }
    if (N >= K + 100) {
    } else {
      barrier
    }
    // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, together with what the notes say, and it may}}
    if (K >= 300) {
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Two remainders.
kernel.func @two_remainders<K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (K mod 61 == 5) {
    } else {
      barrier
    }
    // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, together with what the notes say, and it may}}
    if (K mod 67 == 7) {
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// What cannot hold together need not be run.
kernel.func @steps_of_a_size<K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (K >= 64) {
      barrier
    } else {
      barrier
    }
    if (K >= 128) {
      barrier
    } else {
      barrier
    }
    if (K >= 192) {
      barrier
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// A size that the launch does not allow is not run.
kernel.func @never_by_require<K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  require (K < 64)
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (K >= 64) {
      barrier
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// A condition on a function of integers.
kernel.func @a_binary_function<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (N) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %p = binary add %b, %b : index
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (%p == 74) {
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

// The square of a number of a block.
kernel.func @a_square<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (N) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (%b * %b == 169) {
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

// A counter that grows around a loop.
kernel.func @a_counter<K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %zero = index (0)
    %x0 = const 0.0 : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    %n = for %k = 0 to K carry (%n0 = %zero) {
      // expected-error@+1 {{E1814 'kernel.if': not verified: a condition is not linear in sizes, blocks and rounds}}
      if (%n0 == 70) {
        store_shared %x0 to %s
      }
      %n1 = index (%n0 + 1)
      yield %n1
    }
    barrier
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// The step of a loop is a size, that may be 0.
kernel.func @a_step_of_a_size<K, M>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    barrier
    // expected-error@+1 {{E1814 'kernel.for': the step of the loop is 0}}
    for %k = 0 to K step M {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// An integer that comes out of an 'if'.
kernel.func @out_of_an_if<K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %zero = index (0)
    %large = index (K)
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    %q = if (K > 500) : index {
      yield %large
    } else {
      yield %zero
    }
    // expected-error@+1 {{E1814 'kernel.if': not verified: a condition is not linear in sizes, blocks and rounds}}
    if (%q == 777) {
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// Each stage is waited for: the ring as it should be.
kernel.func @a_ring<K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// From a counter as well, that comes again after 6: the parity as it should be.
kernel.func @parity_that_comes_again<K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        %q = index ((%n0 floordiv 3 + 1) mod 2)
        wait %empty[%s0] parity %q
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// The stage is given back early where two remainders of the round are as said.
kernel.func @early_in_a_round<K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[2]: a matrix product may still read it: it is awaited only later}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        if (%s0 == 2, %k mod 17 == 16) {
          arrive %empty[%s0] by one
          await %w
        } else {
          await %w
          arrive %empty[%s0] by one
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

// The number of steps is a product, and the wait is left out where a counter says so.
kernel.func @a_product_of_steps<M, N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to M * N carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        // expected-error@+1 {{E1814 'kernel.if': not verified: a condition is not linear in sizes, blocks and rounds}}
        if (%n0 == 300) {
        } else {
          wait %empty[%s0] parity %p0
        }
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to M * N carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// The number of steps is a product.
kernel.func @right_product_of_steps<M, N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to M * N carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to M * N carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// A grid that waits in some blocks only: who waits for it relies on that.
kernel.func @waits_in_some_blocks<N>(%X: memref<[N], f32> {constant}) -> memref<[N], f32> attributes {target = "sm90"} {
  %Y = output : memref<[N], f32>
  grid (N ceildiv 256) threads 128 {
    if (N < 0) {
      // expected-error@+1 {{E1814 'kernel.grid_wait': not verified: the grid waits for those before it on some ways only, and who waits for it relies on that}}
      grid_wait
    }
  }
  return %Y
}

// -----

// The stage is the counter's remainder.
kernel.func @right_stage_of_a_counter<K>(%X: memref<[16, 16 * K], f32, row_major, align 16>) -> memref<[16, 16], f32> attributes {target = "sm80"} {
  %Y = output : memref<[16, 16], f32>
  grid (1) threads 128 {
    %s = shared : tile<3 x [16, 16], f32, row_major>
    %zero = const 0.0 : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
    %at = index (0)
    %sum, %last, %count = for %k = 0 to K carry (%old = %zero, %stage = %at, %n = %at) {
      %q = index (%n mod 3)
      %t = copy_async %X[i0, 16 * %k + i1] to %s[%q] by blocked [1, 1] lanes [2, 16] warps [4, 1] : token<load>
      await %t
      barrier
      %y = load_shared %s[%stage] transposed : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      barrier
      %new = binary add %old, %y : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      %next = index ((%stage + 1) mod 3)
      %n1 = index (%n + 1)
      yield %new, %next, %n1
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// -----

// The parity changes where the square of the round is large.
kernel.func @parity_of_a_square<K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        %q = index ((%p0 + (%k * %k) floordiv 3600) mod 2)
        wait %empty[%s0] parity %q
        expect %full[%s0] bytes 8192
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// The parity follows from a counter, that comes again after 120 rounds.
kernel.func @parity_of_a_counter<K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        %q = index ((%n0 floordiv 3 + 1 + %n0 floordiv 60) mod 2)
        wait %empty[%s0] parity %q
        expect %full[%s0] bytes 8192
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// The parity is a 'binary' function.
kernel.func @parity_of_a_function<K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        %f = index (60)
        %d = binary floordiv %k, %f : index
        %e = min %d, %one
        %q = binary xor %p0, %e : index
        wait %empty[%s0] parity %q
        expect %full[%s0] bytes 8192
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// The parity changes in block 37.
kernel.func @parity_of_a_block<N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (N) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %b = block_id 0
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        %q = index ((%p0 + %b floordiv 37) mod 2)
        // expected-error@+1 {{E1806 'kernel.wait': deadlock at %empty[0]: nothing arrives in phase 0}}
        wait %empty[%s0] parity %q
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1] where (%b == 0)
    }
  }
  return %D
}

// -----

// In block 30011, which is not run.
kernel.func @parity_of_a_far_block<N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (N) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %b = block_id 0
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        %q = index ((%p0 + %b floordiv 30011) mod 2)
        // expected-error@+1 {{E1814 'kernel.wait': not verified: %q is computed in a way that not all sizes and rounds were tried for}}
        wait %empty[%s0] parity %q
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1] where (%b == 0)
    }
  }
  return %D
}

// -----

// It changes where two remainders of the round are as said.
kernel.func @parity_of_two_remainders<K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        %q = index ((%p0 + (%k mod 61 + %k mod 67) floordiv 126) mod 2)
        wait %empty[%s0] parity %q
        expect %full[%s0] bytes 8192
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// The consumer goes on for longer in block 37.
kernel.func @longer_in_a_block<N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (N) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %b = block_id 0
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K + %b floordiv 37 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        // expected-error@+1 {{E1806 'kernel.wait': deadlock at %full[1]: nothing arrives in phase 0}}
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1] where (%b == 0)
    }
  }
  return %D
}

// -----

// The consumer goes on for longer in block 30011, which is not run.
kernel.func @longer_in_a_far_block<N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (N) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %b = block_id 0
    barrier
    role producer warps 0 to 4 single {
      %s, %p, %n = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %n0 = %zero) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        %n1 = index (%n0 + 1)
        yield %s1, %p1, %n1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      // expected-error@+1 {{E1814 'kernel.for': not verified: where the loop ends is a quotient or remainder of the number of the block}}
      %c, %s, %p = for %k = 0 to K + %b floordiv 30011 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1] where (%b == 0)
    }
  }
  return %D
}

// -----

// A ring of threads that copy: the stage follows from a counter, and is another one in round 71.
kernel.func @stage_of_a_counter<K>(%X: memref<[16, 16 * K], f32, row_major, align 16>) -> memref<[16, 16], f32> attributes {target = "sm80"} {
  %Y = output : memref<[16, 16], f32>
  grid (1) threads 128 {
    %s = shared : tile<3 x [16, 16], f32, row_major>
    %zero = const 0.0 : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
    %at = index (0)
    %sum, %last, %count = for %k = 0 to K carry (%old = %zero, %stage = %at, %n = %at) {
      %q = index ((%n + %n floordiv 71) mod 3)
      // expected-error@+1 {{E1814 'kernel.copy_async': not verified: %q is computed in a way that not all sizes and rounds were tried for}}
      %t = copy_async %X[i0, 16 * %k + i1] to %s[%q] by blocked [1, 1] lanes [2, 16] warps [4, 1] : token<load>
      await %t
      barrier
      %y = load_shared %s[%stage] transposed : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      barrier
      %new = binary add %old, %y : frag<[16, 16], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      %next = index ((%stage + 1) mod 3)
      %n1 = index (%n + 1)
      yield %new, %next, %n1
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// -----

// The parity after as many tiles as one size has, from two quotients of it.
kernel.func @right_parity_of_two_quotients<K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 1 : mbarrier<4>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %t = 0 to 2 carry (%s0 = %zero, %p0 = %one) {
        %s4, %p4 = for %k = 0 to K ceildiv 64 carry (%s1 = %s0, %p1 = %p0) {
          wait %empty[%s1] parity %p1
          expect %full[%s1] bytes 8192
          tma_load %mA[0, 64 * %k] to %sA[%s1] signal %full[%s1]
          %s2, %p2 = advance %s1, %p1 over 4
          yield %s2, %p2
        }
        yield %s4, %p4
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %t = 0 to 2 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        %cz, %s4, %p4 = for %k = 0 to K ceildiv 64 carry (%c3 = %c1, %s1 = %s0, %p1 = %p0) {
          wait %full[%s1] parity %p1
          %c2, %w = wgmma %sA[%s1], %sA[%s1] transposed, %c3 : frag<[64, 64], f32, wgmma>, token<compute>
          await %w
          arrive %empty[%s1] by one
          %s2, %p2 = advance %s1, %p1 over 4
          yield %c2, %s2, %p2
        }
        // Where the first turn ended, from what it began with.
        %next = index ((%s0 + K ceildiv 64) mod 4)
        %parity = index ((%p0 + (K + 64 * %s0 + 63) floordiv 256 + 2 * (K ceildiv 64)) mod 2)
        yield %cz, %next, %parity
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// The parity changes where two remainders are as large as they may be: K = 4086.
kernel.func @parity_of_two_remainders_of_a_size<K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 1 : mbarrier<4>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %t = 0 to 2 carry (%s0 = %zero, %p0 = %one) {
        %s4, %p4 = for %k = 0 to K ceildiv 64 carry (%s1 = %s0, %p1 = %p0) {
          wait %empty[%s1] parity %p1
          expect %full[%s1] bytes 8192
          tma_load %mA[0, 64 * %k] to %sA[%s1] signal %full[%s1]
          %s2, %p2 = advance %s1, %p1 over 4
          yield %s2, %p2
        }
        yield %s4, %p4
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %t = 0 to 2 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        %cz, %s4, %p4 = for %k = 0 to K ceildiv 64 carry (%c3 = %c1, %s1 = %s0, %p1 = %p0) {
          wait %full[%s1] parity %p1
          %c2, %w = wgmma %sA[%s1], %sA[%s1] transposed, %c3 : frag<[64, 64], f32, wgmma>, token<compute>
          await %w
          // expected-error@+1 {{E1804 'kernel.arrive': arrives at %empty[0] a second time}}
          arrive %empty[%s1] by one
          %s2, %p2 = advance %s1, %p1 over 4
          yield %c2, %s2, %p2
        }
        // Where the first turn ended, from what it began with.
        %next = index ((%s0 + K ceildiv 64) mod 4)
        %parity = index ((%p0 + (K + 64 * %s0 + 63) floordiv 256 + (K mod 61 + K mod 67) floordiv 126) mod 2)
        yield %cz, %next, %parity
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}
