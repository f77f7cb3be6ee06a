// Stages, parities, numbers of barriers, ends and steps of loops that depend on two sizes, blocks or rounds.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// Wrong where 97*M + 89*N == 1001000, as M = 5242, N = 5534, K = 2: parity of the producer's wait is flipped, it
// deadlocks in round 0.
kernel.func @parity_minmax<M, N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %x0 = index (1 - (97 * M + 89 * N - 1001000))
    %x1 = index (1 + (97 * M + 89 * N - 1001000))
    %lo = min %x0, %x1
    %q = max %lo, %zero
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {
        %r = index ((%p0 + %q) mod 2)
        // expected-error@+1 {{E1814 'kernel.wait': not verified: %r is computed in a way that not all sizes and rounds were tried for}}
        wait %empty[%s0] parity %r
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
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
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong where 97*M + 89*N == 1001000, as M = 5242, N = 5534: the producer has one round more and fills a stage that
// nothing reads (any K).
kernel.func @end_minmax<M, N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %x0 = index (K + 1 - (97 * M + 89 * N - 1001000))
    %x1 = index (K + 1 + (97 * M + 89 * N - 1001000))
    %lo = min %x0, %x1
    %kk = index (K)
    %end = max %lo, %kk
    barrier
    role producer warps 0 to 4 single {
      // expected-error@+1 {{E1814 'kernel.for': not verified: where the loop begins or ends is not linear in one size, block or round, and it differs in another role}}
      %s, %p = for %k = 0 to %end carry (%s0 = %zero, %p0 = %one) {

        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
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
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong where 61*M + 67*N + 5 is a multiple of 4087, as M = 12, N = 50, K = 2: the parity of the producer is
// flipped in all rounds.
kernel.func @parity_crt<M, N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %q = index ((61 * M + 67 * N + 5) floordiv 4087 - (61 * M + 67 * N + 4) floordiv 4087)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {
        %r = index ((%p0 + %q) mod 2)
        // expected-error@+1 {{E1814 'kernel.wait': not verified: %r is computed in a way that not all sizes and rounds were tried for}}
        wait %empty[%s0] parity %r
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
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
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = 12, N = 50 (61*M + 67*N + 5 == 4087): one role waits at barrier 2, the other at barrier 1.
kernel.func @id_crt<M, N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 256 {
    %unused = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %q = index (1 + (61 * M + 67 * N + 5) floordiv 4087 - (61 * M + 67 * N + 4) floordiv 4087)
    barrier
    role first warps 0 to 4 {
      // expected-error@+1 {{E1814 'kernel.barrier': not verified: %q is computed in a way that not all sizes and rounds were tried for}}
      barrier id %q threads 256
    }
    role second warps 4 to 8 {
      barrier id %one threads 256
    }
  }
  return %Y
}

// -----

// Wrong where 61*M + 67*N + 5 is a multiple of 4087, as M = 12, N = 50: the consumer has one round more than the
// producer and deadlocks.
kernel.func @end_crt<M, N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %q = index ((61 * M + 67 * N + 5) floordiv 4087 - (61 * M + 67 * N + 4) floordiv 4087)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {

        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      // expected-error@+1 {{E1814 'kernel.for': not verified: where the loop begins or ends is not linear in one size, block or round, and it differs in another role}}
      %c, %s, %p = for %k = 0 to K + (61 * M + 67 * N + 5) floordiv 4087 - (61 * M + 67 * N + 4) floordiv 4087 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {

        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong in block (50, 60) of a grid of M = 51 by N = 61: the first role waits at barrier 2, the second at barrier
// 1.
kernel.func @id_of_block<M, N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  grid (M, N) threads 256 {
    %zero = index (0)
    %one = index (1)
    %b = block_id 0
    %b2 = block_id 1
    %x0 = index (1 - (97 * %b + 89 * %b2 - 10190))
    %x1 = index (1 + (97 * %b + 89 * %b2 - 10190))
    %lo = min %x0, %x1
    %q = max %lo, %zero
    %id = index (%q + 1)
    role first warps 0 to 4 {
      // expected-error@+1 {{E1814 'kernel.barrier': not verified: %id is computed in a way that not all sizes and rounds were tried for}}
      barrier id %id threads 256
    }
    role second warps 4 to 8 {
      barrier id %one threads 256
    }
  }
  return %Y
}

// -----

// Wrong in tile 78, step 85 (97*t == 89*k + 1), M = 79, K = 86: parity of the producer is flipped there.
kernel.func @nest_line<M, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
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
      %s, %p = for %t = 0 to M carry (%s0 = %zero, %p0 = %one) {
        %s4, %p4 = for %k = 0 to K carry (%s1 = %s0, %p1 = %p0) {
          %x0 = index (1 - (97 * %t - 89 * %k - 1))
          %x1 = index (1 + (97 * %t - 89 * %k - 1))
          %lo = min %x0, %x1
          %q = max %lo, %zero
          %r = index ((%p1 + %q) mod 2)
          // expected-error@+1 {{E1814 'kernel.wait': not verified: %r is computed in a way that not all sizes and rounds were tried for}}
          wait %empty[%s1] parity %r
          expect %full[%s1] bytes 8192
          tma_load %mA[0, 64 * %k] to %sA[%s1] signal %full[%s1]
          %s2, %p2 = advance %s1, %p1 over 3
          yield %s2, %p2
        }
        yield %s4, %p4
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %t = 0 to M carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        %cz, %s4, %p4 = for %k = 0 to K carry (%c3 = %c1, %s1 = %s0, %p1 = %p0) {
          wait %full[%s1] parity %p1
          %c2, %w = wgmma %sA[%s1], %sA[%s1] transposed, %c3 : frag<[64, 64], f32, wgmma>, token<compute>
          await %w
          arrive %empty[%s1] by one
          %s2, %p2 = advance %s1, %p1 over 3
          yield %c2, %s2, %p2
        }
        yield %cz, %s4, %p4
      }
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong in round 78 where M = 85, K >= 79 (97*k == 89*M + 1): parity of the producer is flipped there.
kernel.func @round_and_size<M, N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
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
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {
        %x0 = index (1 - (97 * %k - 89 * M - 1))
        %x1 = index (1 + (97 * %k - 89 * M - 1))
        %lo = min %x0, %x1
        %q = max %lo, %zero
        %r = index ((%p0 + %q) mod 2)
        // expected-error@+1 {{E1814 'kernel.wait': not verified: %r is computed in a way that not all sizes and rounds were tried for}}
        wait %empty[%s0] parity %r
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
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
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = 5, N = 5: the number of the barrier is 1 + f(M) f(N) mod 7 with f(x) = x(x-1)(x-2)(x-3)(x-4), which
// is 1 if M or N is one of 0..4 mod 7.
kernel.func @id_poly_mod7<M, N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 256 {
    %unused = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %id = index (1 + (((M) * (M - 1) * (M - 2) * (M - 3) * (M - 4)) * ((N) * (N - 1) * (N - 2) * (N - 3) * (N - 4))) mod 7)
    barrier
    role first warps 0 to 4 {
      // expected-error@+1 {{E1814 'kernel.barrier': not verified: %id is computed in a way that not all sizes and rounds were tried for}}
      barrier id %id threads 256
    }
    role second warps 4 to 8 {
      barrier id %one threads 256
    }
  }
  return %Y
}

// -----

// Wrong at K = 35, round 34: the parity of the producer is flipped where two carried places, mod 5 and mod 7, are 4
// and 6 together (k = 34).
kernel.func @two_counters<K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<7 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<7>
    %empty = mbarriers arrivals 1 : mbarrier<7>
    %zero = index (0)
    %one = index (1)

    barrier
    role producer warps 0 to 4 single {
      %s, %p, %u, %v = for %k = 0 to K carry (%s0 = %zero, %p0 = %one, %u0 = %zero, %v0 = %zero) {
        %r = index ((%p0 + (%u0 + %v0) floordiv 10) mod 2)
        // expected-error@+1 {{E1803 'kernel.wait': waits for the end of phase 2 of %empty[6], and the phase after it may have ended before: then parity 0 means another phase}}
        wait %empty[%s0] parity %r
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 7
        %u1 = index ((%u0 + 1) mod 5)
        %v1 = index ((%v0 + 1) mod 7)
        yield %s1, %p1, %u1, %v1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {

        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 7
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = 10 (any N, K): the consumer has M*(M-1)*..*(M-9)*(M-16)*(M-17) rounds more, which is 0 at every M
// that is tried.
kernel.func @end_poly<M, N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
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
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {

        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      // expected-error@+1 {{E1814 'kernel.for': not verified: where the loop begins or ends is not linear in one size, block or round, and it differs in another role}}
      %c, %s, %p = for %k = 0 to K + M * (M - 1) * (M - 2) * (M - 3) * (M - 4) * (M - 5) * (M - 6) * (M - 7) * (M - 8) * (M - 9) * (M - 16) * (M - 17) carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {

        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = 10: the consumer begins at -M*(M-1)*..*(M-17), which is 0 at every M that is tried, the producer at
// 0.
kernel.func @begin_poly<M, N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
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
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {

        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %f = index (0 - M * (M - 1) * (M - 2) * (M - 3) * (M - 4) * (M - 5) * (M - 6) * (M - 7) * (M - 8) * (M - 9) * (M - 16) * (M - 17))
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      // expected-error@+1 {{E1814 'kernel.for': not verified: where the loop begins or ends is not linear in one size, block or round, and it differs in another role}}
      %c, %s, %p = for %k = %f to K carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {

        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = 5000, N = 5000: one role has two loops of N + 1 + M*N floordiv 20000000 rounds, the other one such
// and one of N + 1.
kernel.func @ends_other_loop<M, N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 256 {
    %unused = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)

    barrier
    role first warps 0 to 4 {
      for %t = 0 to 2 {
        // expected-error@+1 {{E1814 'kernel.for': not verified: where the loop begins or ends is not linear in one size, block or round, and it differs in another role}}
        for %k = 0 to N + 1 + (M * N) floordiv 20000000 {
          barrier id %one threads 256
        }
      }
    }
    role second warps 4 to 8 {
      for %k = 0 to N + 1 + (M * N) floordiv 20000000 {
        barrier id %one threads 256
      }
      for %k = 0 to N + 1 {
        barrier id %one threads 256
      }
    }
  }
  return %Y
}

// -----

// Wrong at M = 20000: one role's loop ends at N + (i*M) floordiv 20000, the other's at N + (j*M) floordiv 20000, of
// loops %i and %j with equal bounds, where j == 3.
kernel.func @ends_other_round<M, N>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 256 {
    %unused = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)

    barrier
    role first warps 0 to 4 {
      for %i = 0 to 4 {
        for %j = 0 to 4 {
          if (%j == 3) {
            // expected-error@+1 {{E1814 'kernel.for': not verified: where the loop begins or ends is not linear in one size, block or round, and it differs in another role}}
            for %k = 0 to N + (%i * M) floordiv 20000 {
              barrier id %one threads 256
            }
          }
        }
      }
    }
    role second warps 4 to 8 {
      for %i = 0 to 4 {
        for %j = 0 to 4 {
          if (%j == 3) {
            for %k = 0 to N + (%j * M) floordiv 20000 {
              barrier id %one threads 256
            }
          }
        }
      }
    }
  }
  return %Y
}

// -----

// Wrong at M = N = 10000: the consumer's step over tiles is greater by M*N floordiv 10^8 than the producer's.
kernel.func @step_of_launch<M, N, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %sms = index (132)
  %tiles = index ((M ceildiv 64) * (N ceildiv 64))
  %blocks = min %sms, %tiles
  %other = index (%blocks + (M * N) floordiv 100000000)
  grid (%blocks) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    %b = block_id 0
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %t = %b to %tiles step %blocks carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 64 * %t] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      // expected-error@+1 {{E1814 'kernel.for': not verified: the step of the loop is neither a constant nor one from block to block}}
      %c, %s, %p = for %t = %b to %tiles step %other carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = 1, K = 1100, round 1001: the producer does not wait for the stage where k == 1000*M + 1, harmless at
// M = 0 (first turn).
kernel.func @stage_of_way<M, K>(%A: memref<[64, 64 * K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
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
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {
        if (%k == 1000 * M + 1) {
        } else {
          wait %empty[%s0] parity %p0
        }
        expect %full[%s0] bytes 8192
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[2]: a copy to it may still be on its way}}
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
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
      store %c to %D[i0, i1] where (i0 < 0)
    }
  }
  return %D
}

// -----

// Wrong at M = 0, K > 0: the loop has a step of M, so it never ends (it holds only registers, so it is not
// followed).
kernel.func @endless_registers<M, K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %x0 = const 0.0 : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    // expected-error@+1 {{E1814 'kernel.for': not verified: the step of the loop is neither a constant nor one from block to block, and may be 0}}
    %y = for %k = 0 to K step M carry (%x1 = %x0) {
      %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %x2 = binary add %x1, %x : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      yield %x2
    }
    store %y to %Y[i0, i1]
  }
  return %Y
}
