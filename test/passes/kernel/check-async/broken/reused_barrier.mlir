// The dump of section 9.3 of the specification: the copies of the second stage signal the barrier of the first, and nobody expects or awaits them.

// RUN: dlc-opt %s --check-async --no-output --verify-diagnostics

kernel.func @gemm(%A: memref<[64, 128], f16, row_major, align 16>, %B: memref<[64, 128], f16, row_major, align 16>) -> memref<[64, 64], f32>
    attributes {target = "sm90"} {
  %C = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %sA = shared : tile<2 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<2 x [64, 64], f16, swizzle 128>
    %mb = mbarriers arrivals 1 : mbarrier<1>
    %s0 = index (0)
    %s1 = index (1)
    barrier
    elect {
      expect %mb bytes 16384
      tma_load %mA[0, 0] to %sA[%s0] signal %mb
      tma_load %mB[0, 0] to %sB[%s0] signal %mb
    }
    wait %mb parity %s0
    %zero = const 0.0 : frag<[64, 64], f32, wgmma>
    %acc, %tMMA0 = wgmma %sA[%s0], %sB[%s0] transposed, %zero : frag<[64, 64], f32, wgmma>, token<compute>
    await %tMMA0
    elect {
      tma_load %mA[0, 64] to %sA[%s1] signal %mb
      // expected-error@+1 {{E1805 'kernel.tma_load': %mb expects 0 bytes in phase 1, and copies bring 16384}}
      tma_load %mB[0, 64] to %sB[%s1] signal %mb
    }
    store %acc to %C[i0, i1]
  }
  return %C
}
