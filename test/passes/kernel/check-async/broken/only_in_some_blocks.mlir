// What one block alone does.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// The sixth block does not wait.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[N, K], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  %mA = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %mB = tensor_map %B : tensormap<[64, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 64) threads 256 {
    %sA = shared : tile<3 x [64, 16], f16, swizzle 32>
    %sB = shared : tile<3 x [64, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %m = block_id 0
    %n = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      for %k = 0 to K step 16 carry (%s = %zero, %p = %one) {
        if (%m <= 4) {
wait %empty[%s] parity %p
} else {
if (%m > 5) {
wait %empty[%s] parity %p
}
}

        expect %full[%s] bytes 4096
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
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

// No barrier in one of many blocks.
kernel.func @t<N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (N ceildiv 64) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    if (%b == 37) {
    } else {
      barrier
    }
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// Nor in the last but two, after copies of threads.
kernel.func @t<N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (N ceildiv 64) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %b = block_id 0
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (%b + 3 == N ceildiv 64) {
    } else {
      barrier
    }
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// A block that is named by its numbers along both axes, which grow with sizes of their own.
kernel.func @both_axes<M, N>(%X: memref<[M, N], f32, row_major>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (M, N) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %m = block_id 0
    %n = block_id 1
    %x = const 0.0 : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    if (%m == 107) {
      if (%n < 207) {
        barrier
      }
      if (208 <= %n) {
        barrier
      }
    } else {
      barrier
    }
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// A round of one block, where either is named and each grows with a size of its own.
kernel.func @block_and_round<M, K>(%X: memref<[M, K], f32, row_major>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (M) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %m = block_id 0
    %x = const 0.0 : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    for %k = 0 to K {
      barrier
      store_shared %x to %s
      if (%m == 107) {
        if (%k < 207) {
          barrier
        }
        if (208 <= %k) {
          barrier
        }
      } else {
        barrier
      }
      // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
      %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %y to %Y[i0, i1]
    }
  }
  return %Y
}
