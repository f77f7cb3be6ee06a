// A loop in two others gives no stage back in its sixth round.

// RUN: dlc-opt %s --check-async --no-output --verify-diagnostics

kernel.func @window<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  %tiles = index ((M ceildiv 64) * (N ceildiv 64))
  %most = index (132)
  %blocks = min %most, %tiles
  grid (%blocks) threads 256 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 4 : mbarrier<4>
    %block = block_id 0
    %steps = index (K ceildiv 64)
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %t = %block to %tiles step %blocks carry (%s0 = %zero, %p0 = %one) {
        %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) rows
        %s1, %p1 = for %r = 0 to 3 carry (%s2 = %s0, %p2 = %p0) {
          %s3, %p3 = for %q = 0 to 3 carry (%s4 = %s2, %p4 = %p2) {
            %s5, %p5 = for %k = 0 to K step 64 carry (%s6 = %s4, %p6 = %p4) {
              // expected-error@+1 {{E1806 'kernel.wait': deadlock at %empty[1]: nothing arrives in phase 1}}
              wait %empty[%s6] parity %p6
              expect %full[%s6] bytes 16384
              tma_load %mA[64 * %m, %k] to %sA[%s6] signal %full[%s6]
              tma_load %mB[64 * %n, %k] to %sB[%s6] signal %full[%s6]
              %s7, %p7 = advance %s6, %p6 over 4
              yield %s7, %p7
            }
            yield %s5, %p5
          }
          yield %s3, %p3
        }
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %s, %p = for %t = %block to %tiles step %blocks carry (%s0 = %zero, %p0 = %zero) {
        %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) rows
        %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
        %c, %s1, %p1 = for %r = 0 to 3 carry (%c1 = %c0, %s2 = %s0, %p2 = %p0) {
          %c2, %s3, %p3 = for %q = 0 to 3 carry (%c3 = %c1, %s4 = %s2, %p4 = %p2) {
            %none = done : token<compute>
            %c4, %s5, %p5, %held, %prev = for %k = 0 to K step 64 carry (%c5 = %c3, %s6 = %s4, %p6 = %p4, %last = %none, %before = %s4) {
              wait %full[%s6] parity %p6
              %c6, %w = wgmma %sA[%s6], %sB[%s6] transposed, %c5 : frag<[64, 64], f32, wgmma>, token<compute>
              await %last
              if (1 <= %k < 384) {
                arrive %empty[%before] by warp
              }
              if (385 <= %k) {
                arrive %empty[%before] by warp
              }
              %s7, %p7 = advance %s6, %p6 over 4
              yield %c6, %s7, %p7, %w, %s6
            }
            await %held
            if (1 <= K) {
              arrive %empty[%prev] by warp
            }
            yield %c4, %s5, %p5
          }
          yield %c2, %s3, %p3
        }
        %h = cast %c : frag<[64, 64], f16, wgmma>
        store %h to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
        yield %s1, %p1
      }
    }
  }
  return %D
}
