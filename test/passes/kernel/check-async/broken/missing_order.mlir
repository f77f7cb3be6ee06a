// The groups are not ordered: the second may wait while phases of the first go by.

// RUN: dlc-opt %s --check-async --no-output --verify-diagnostics

kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  grid (2) threads 384 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<4 x [64, 64], f16, swizzle 128>
    %sD = shared : tile<2 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 1 : mbarrier<4>
    %block = block_id 0
    %blocks = grid_size 0
    %tiles = index ((M ceildiv 64) * (N ceildiv 64))
    %steps = index (K ceildiv 64)
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %t = %block to %tiles step %blocks carry (%s0 = %zero, %p0 = %one) {
        %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) rows
        %s1, %p1 = for %k = 0 to %steps carry (%s2 = %s0, %p2 = %p0) {
          wait %empty[%s2] parity %p2
          expect %full[%s2] bytes 16384
          tma_load %mA[64 * %m, 64 * %k] to %sA[%s2] signal %full[%s2]
          tma_load %mB[64 * %n, 64 * %k] to %sB[%s2] signal %full[%s2]
          %s3, %p3 = advance %s2, %p2 over 4
          yield %s3, %p3
        }
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 12 groups 2 (%g: index) {
      %mine = index (8 + %g)
      %other = index (9 - %g)
      %first = index (%block + %g * %blocks)
      %kept = done : token<epilogue>
      %all, %stored = for %t = %first to %tiles step 2 * %blocks carry (%i = %g, %e0 = %kept) {
        %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) rows
        %s0 = index ((%i * %steps) mod 4)
        %p0 = index ((%i * %steps floordiv 4) mod 2)
        %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
        %c, %s, %p = for %k = 0 to %steps carry (%c1 = %c0, %s1 = %s0, %p1 = %p0) {
          // expected-error@+1 {{E1803 'kernel.wait': waits for %full[0] with parity 1, which passes at once until phase 0 ends, and that may have ended before}}
          wait %full[%s1] parity %p1
          %c2, %w = wgmma %sA[%s1], %sB[%s1] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
          await %w
          arrive %empty[%s1] by one
          %s2, %p2 = advance %s1, %p1 over 4
          yield %c2, %s2, %p2
        }
        %h = cast %c : frag<[64, 64], f16, wgmma>
        elect {
          await_read %e0
        }
        barrier
        store_shared %h to %sD[%g]
        fence_async
        barrier
        %e1 = elect : token<epilogue> {
          %e = tma_store %sD[%g] to %mD[64 * %m, 64 * %n] : token<epilogue>
          yield %e
        }
        %next = index (%i + 2)
        yield %next, %e1
      }
      elect {
        await_read %stored
      }
    }
  }
  return %D
}
