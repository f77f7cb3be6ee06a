// Both blocks tell the first one that the stage is free, and nobody tells the second.

// RUN: dlc-opt %s --check-async --no-output --verify-diagnostics

kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[32, 64], f16, swizzle 128>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  grid (N ceildiv 64, 2 * (M ceildiv 128)) cluster [1, 2] threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sD = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 2 : mbarrier<3>
    %n = block_id 0
    %m = block_id 1
    %rank = block_rank
    %zero = index (0)
    %one = index (1)
    cluster_barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        %half = slice %sB[%s0] at (32 * %rank, 0) : tile<[32, 64], f16, swizzle 128>
        tma_load %mB[64 * %n + 32 * %rank, 64 * %k] to %half signal %full[%s0] multicast 3
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
      // The block stays until both blocks have released every stage.
      %s2, %p2 = for %k = 0 to 3 carry (%s3 = %s, %p3 = %p) {
        // expected-error@+1 {{E1806 'kernel.wait': deadlock at %empty[0] of block 1: nothing arrives in phase 0}}
        wait %empty[%s3] parity %p3
        %s4, %p4 = advance %s3, %p3 over 3
        yield %s4, %p4
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] on %zero by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store_shared %h to %sD
      fence_async
      barrier
      elect {
        %e = tma_store %sD to %mD[64 * %m, 64 * %n] : token<epilogue>
        await_read %e
      }
    }
  }
  return %D
}
