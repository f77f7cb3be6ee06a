// After a ring that has gone on in circles for long, the producer takes a stage that is still read.

// RUN: dlc-opt %s --check-async --no-output --verify-diagnostics

kernel.func @gemm(%A: memref<[64, 6400], f16, row_major, align 16>, %B: memref<[64, 6400], f16, row_major, align 16>)
    -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to 100 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        tma_load %mA[0, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[0, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
      expect %full[%s] bytes 8192
      // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[1]: a matrix product may still read it: it is awaited only later}}
      tma_load %mA[0, 0] to %sA[%s] signal %full[%s]
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %none = done : token<compute>
      %c, %s, %p, %last, %prev = for %k = 0 to 100 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero, %held = %none, %before = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %held
        if (%k > 0) {
          arrive %empty[%before] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1, %w, %s0
      }
      await %last
      arrive %empty[%prev] by warp
      store %c to %D[i0, i1]
    }
  }
  return %D
}
