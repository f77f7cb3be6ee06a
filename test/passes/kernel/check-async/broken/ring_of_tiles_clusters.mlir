// As ring_of_tiles, where the grid is a product of numbers that the launch computes.

// RUN: dlc-opt %s --check-async --no-output --verify-diagnostics

kernel.func @sum<M>(%A: memref<[M, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %clusters = index (66)
  grid (2 * %clusters) threads 256 {
    %sA = shared : tile<5 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<5>
    %empty = mbarriers arrivals 4 : mbarrier<5>
    %block = block_id 0
    %blocks = grid_size 0
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %t = %block to M ceildiv 64 step %blocks carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[64 * %t, 0] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 5
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %r = for %t = %block to M ceildiv 64 step %blocks carry (%c1 = %c0, %s0 = %zero, %r0 = %zero) {
        %p = index (0)
        wait %full[%s0] parity %p
        %c2, %w = wgmma %sA[%s0], %sA[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        // expected-error@+1 {{E1804 'kernel.arrive': arrives at %empty[0] a second time: 4 complete a phase, and phase 0 has ended without this one}}
        arrive %empty[%s0] by warp
        %s1 = index ((%s0 + 1) mod 5)
        %r1 = index (%r0 + 1)
        yield %c2, %s1, %r1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}
