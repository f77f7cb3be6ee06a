// The first wait of the producer is for a phase that nobody ends.

// RUN: dlc-opt %s --check-async --no-output --verify-diagnostics

kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sD = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %zero) {
        // expected-error@+1 {{E1806 'kernel.wait': deadlock at %empty[0]: nothing arrives in phase 0}}
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %none = done : token<compute>
      %c, %s, %p, %last, %prev = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero, %held = %none, %before = %zero) {
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
      if (K > 0) {
        arrive %empty[%prev] by warp
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
