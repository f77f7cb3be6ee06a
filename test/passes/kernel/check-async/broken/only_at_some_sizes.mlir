// What is left out at some sizes alone.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// The wait for a free stage, from a size on.
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
        if (K < 2000) {
wait %empty[%s] parity %p
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

// 'expect' and the copies disagree where K mod 64 is 32.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[N, K], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  %mA = tensor_map %A : tensormap<[64, 32], f16, swizzle 64>
  %mB = tensor_map %B : tensormap<[64, 32], f16, swizzle 64>
  grid (M ceildiv 64, N ceildiv 64) threads 256 {
    %sA = shared : tile<6 x [64, 32], f16, swizzle 64>
    %sB = shared : tile<6 x [64, 32], f16, swizzle 64>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %m = block_id 0
    %n = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      for %k = 0 to K step 64 carry (%s = %zero, %p = %one) {
        %lo = index (2 * %s)
        %hi = index (2 * %s + 1)
        wait %empty[%s] parity %p
        if (%k + 32 <= K) {
          expect %full[%s] bytes 16384
        } else {
          expect %full[%s] bytes 8192
        }
        tma_load %mA[64 * %m, %k] to %sA[%lo] signal %full[%s]
        tma_load %mB[64 * %n, %k] to %sB[%lo] signal %full[%s]
        if (%k + 32 < K) {
          tma_load %mA[64 * %m, %k + 32] to %sA[%hi] signal %full[%s]
          tma_load %mB[64 * %n, %k + 32] to %sB[%hi] signal %full[%s]
        }
        %s1, %p1 = advance %s, %p over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 registers 232 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K step 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        %lo = index (2 * %s0)
        %hi = index (2 * %s0 + 1)
        // expected-error@+1 {{E1805 'kernel.wait': %full[1] expects 16384 bytes in phase 0, and copies bring 8192}}
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%lo], %sB[%lo] transposed, %c1
        await %w
        %c4 = if (%k + 32 < K) : frag<[64, 64], f32, wgmma> {
          %c3, %w2 = wgmma %sA[%hi], %sB[%hi] transposed, %c2
          await %w2
          yield %c3
        } else {
          yield %c2
        }
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c4, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store %h to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}

// -----

// The barrier, from a size on that is far away.
kernel.func @t<N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    if (N < 123456) {
      barrier
    }
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// The barrier, at one size, after copies of threads.
kernel.func @t<M, N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if (M + N == 1000) {
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

// A condition that is not linear, and does not change at the sizes that are tried.
kernel.func @t<M, N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  // expected-error@+1 {{E1814 'kernel.grid': not verified: a condition on sizes is not linear, and no sizes were found at which it changes}}
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    if (M * N * M < 987654321) {
      barrier
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// A remainder of more values than are tried.
kernel.func @t<N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  // expected-error@+1 {{E1814 'kernel.grid': not verified: what is done depends on a remainder by a large number}}
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    if (N mod 5000 == 4321) {
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}
