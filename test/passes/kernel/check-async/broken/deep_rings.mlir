// Rings of many stages go wrong late.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// Nothing waits for a free stage.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[N, K], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  %mA = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %mB = tensor_map %B : tensormap<[64, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 64) threads 256 {
    %sA = shared : tile<26 x [64, 16], f16, swizzle 32>
    %sB = shared : tile<26 x [64, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<26>
    %empty = mbarriers arrivals 1 : mbarrier<26>
    %m = block_id 0
    %n = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      for %k = 0 to K step 16 carry (%s = %zero, %p = %one) {
        
        expect %full[%s] bytes 4096
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, %k] to %sA[%s] signal %full[%s]
        tma_load %mB[64 * %n, %k] to %sB[%s] signal %full[%s]
        %s1, %p1 = advance %s, %p over 26
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
        %s1, %p1 = advance %s0, %p0 over 26
        yield %c2, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store %h to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}

// -----

// The parity is wrong in the third turn.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[N, K], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  %mA = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %mB = tensor_map %B : tensormap<[64, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 64) threads 256 {
    %sA = shared : tile<13 x [64, 16], f16, swizzle 32>
    %sB = shared : tile<13 x [64, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<13>
    %empty = mbarriers arrivals 1 : mbarrier<13>
    %m = block_id 0
    %n = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      for %k = 0 to K step 16 carry (%s = %zero, %p = %one) {
        %q = index (1 - (%k floordiv 16) floordiv 13)
%qq = max %q, %zero
wait %empty[%s] parity %qq

        expect %full[%s] bytes 4096
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, %k] to %sA[%s] signal %full[%s]
        tma_load %mB[64 * %n, %k] to %sB[%s] signal %full[%s]
        %s1, %p1 = advance %s, %p over 13
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
        %s1, %p1 = advance %s0, %p0 over 13
        yield %c2, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store %h to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}

// -----

kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[N, K], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  %mA = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %mB = tensor_map %B : tensormap<[64, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 64) threads 256 {
    %sA = shared : tile<14 x [64, 16], f16, swizzle 32>
    %sB = shared : tile<14 x [64, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<14>
    %empty = mbarriers arrivals 1 : mbarrier<14>
    %m = block_id 0
    %n = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      for %k = 0 to K step 16 carry (%s = %zero, %p = %one) {
        %q = index (1 - (%k floordiv 16) floordiv 14)
%qq = max %q, %zero
wait %empty[%s] parity %qq

        expect %full[%s] bytes 4096
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, %k] to %sA[%s] signal %full[%s]
        tma_load %mB[64 * %n, %k] to %sB[%s] signal %full[%s]
        %s1, %p1 = advance %s, %p over 14
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
        %s1, %p1 = advance %s0, %p0 over 14
        yield %c2, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store %h to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}

// -----

// The same in a ring of 40: it goes wrong in a round that is one only if the whole depth of the ring is followed.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[N, K], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  %mA = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %mB = tensor_map %B : tensormap<[64, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 64) threads 256 {
    %sA = shared : tile<40 x [64, 16], f16, swizzle 32>
    %sB = shared : tile<40 x [64, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<40>
    %empty = mbarriers arrivals 1 : mbarrier<40>
    %m = block_id 0
    %n = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      for %k = 0 to K step 16 carry (%s = %zero, %p = %one) {
        
        expect %full[%s] bytes 4096
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way}}
        tma_load %mA[64 * %m, %k] to %sA[%s] signal %full[%s]
        tma_load %mB[64 * %n, %k] to %sB[%s] signal %full[%s]
        %s1, %p1 = advance %s, %p over 40
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
        %s1, %p1 = advance %s0, %p0 over 40
        yield %c2, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store %h to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}

// -----

// Forty stages, right.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[N, K], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  %mA = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %mB = tensor_map %B : tensormap<[64, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 64) threads 256 {
    %sA = shared : tile<40 x [64, 16], f16, swizzle 32>
    %sB = shared : tile<40 x [64, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<40>
    %empty = mbarriers arrivals 1 : mbarrier<40>
    %m = block_id 0
    %n = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      for %k = 0 to K step 16 carry (%s = %zero, %p = %one) {
        wait %empty[%s] parity %p
        expect %full[%s] bytes 4096
        tma_load %mA[64 * %m, %k] to %sA[%s] signal %full[%s]
        tma_load %mB[64 * %n, %k] to %sB[%s] signal %full[%s]
        %s1, %p1 = advance %s, %p over 40
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
        %s1, %p1 = advance %s0, %p0 over 40
        yield %c2, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store %h to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}
