// The parity is wrong in the second turn of a ring of 14 stages.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1802] Error: 'kernel.tma_load': writes to %sA[0]: a copy to it may still be on its way
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
