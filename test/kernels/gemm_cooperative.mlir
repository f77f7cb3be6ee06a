// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// D = A B^T, f16 with sums in f32. Persistent: each pair of blocks, a cluster, takes tiles of 256 by 256 in groups of
// eight rows, a block 128 rows of them. Both need the same rows of B: each loads half of them, for both. Two groups of
// four warps share the tile of a block, 64 rows each, so each has 128 sums a thread and reads B once for 64 rows.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16, row_major, align 16>
  %mA = tensor_map %A : tensormap<[128, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[128, 64], f16, swizzle 128>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  // As many pairs of blocks as run at once, or as there are tiles.
  %pairs = index (66)
  %tiles = index ((M ceildiv 256) * (N ceildiv 256))
  %clusters = min %pairs, %tiles
  grid (2 * %clusters) cluster [2] threads 384 {
    %sA = shared : tile<4 x [128, 64], f16, swizzle 128>
    %sB = shared : tile<4 x [256, 64], f16, swizzle 128>
    %sD = shared : tile<4 x [64, 64], f16, swizzle 128>
    // A stage is full when both blocks have loaded, and empty when both groups of both blocks have read it: the next
    // load writes to both.
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 4 : mbarrier<4>
    %block = block_id 0
    %rank = block_rank
    %peer = index (1 - %rank)
    %cluster = index (%block floordiv 2)
    %steps = index (K ceildiv 64)
    %zero = index (0)
    %one = index (1)
    // The other block must not arrive at a barrier before it is there.
    cluster_barrier
    role producer warps 0 to 4 registers 40 single {
      %s, %p = for %t = %cluster to %tiles step %clusters carry (%s0 = %zero, %p0 = %one) {
        %m, %n = tile_order %t of (M ceildiv 256, N ceildiv 256) grouped 8
        %s1, %p1 = for %k = 0 to %steps carry (%s2 = %s0, %p2 = %p0) {
          wait %empty[%s2] parity %p2
          // Of A 128 rows, of B both halves.
          expect %full[%s2] bytes 49152
          tma_load %mA[256 * %m + 128 * %rank, 64 * %k] to %sA[%s2] signal %full[%s2]
          %half = slice %sB[%s2] at (128 * %rank, 0) : tile<[128, 64], f16, swizzle 128>
          tma_load %mB[256 * %n + 128 * %rank, 64 * %k] to %half signal %full[%s2] multicast 3
          %s3, %p3 = advance %s2, %p2 over 4
          yield %s3, %p3
        }
        yield %s1, %p1
      }
      // The other block still arrives at the barriers of this one, which must not be gone by then.
      %s4, %p4 = for %d = 0 to 4 carry (%s5 = %s, %p5 = %p) {
        wait %empty[%s5] parity %p5
        %s6, %p6 = advance %s5, %p5 over 4
        yield %s6, %p6
      }
    }
    role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
      %none = done : token<compute>
      %kept = done : token<epilogue>
      %s, %p, %e, %f = for %t = %cluster to %tiles step %clusters carry (%s0 = %zero, %p0 = %zero, %e0 = %kept, %f0 = %kept) {
        %m, %n = tile_order %t of (M ceildiv 256, N ceildiv 256) grouped 8
        %c0 = const 0.0 : frag<[64, 256], f32, wgmma>
        %c, %s1, %p1, %last, %done = for %k = 0 to %steps carry (%c1 = %c0, %s2 = %s0, %p2 = %p0, %held = %none, %prev = %s0) {
          wait %full[%s2] parity %p2
          %a = slice %sA[%s2] at (64 * %g, 0) : tile<[64, 64], f16, swizzle 128>
          %c2, %w = wgmma %a, %sB[%s2] transposed, %c1
          // One product stays on its way while the stage of the one before is given back, to both blocks.
          await %held
          if (%k > 0) {
            arrive %empty[%prev] on %rank by one
            arrive %empty[%prev] on %peer by one
          }
          %s3, %p3 = advance %s2, %p2 over 4
          yield %c2, %s3, %p3, %w, %s2
        }
        await %last
        if (%steps > 0) {
          arrive %empty[%done] on %rank by one
          arrive %empty[%done] on %peer by one
        }
        // Panels of 64 columns are stored from two alternating buffers: a buffer is free when the store before the last has read it.
        %e1, %f1 = for %j = 0 to 4 unroll carry (%older = %e0, %newer = %f0) {
          %slot = index (2 * %g + %j mod 2)
          %part = extract %c at [0, 64 * %j] : frag<[64, 64], f32, wgmma>
          %h = cast %part : frag<[64, 64], f16, wgmma>
          elect {
            await_read %older
          }
          barrier
          store_shared %h to %sD[%slot]
          fence_async
          barrier
          %stored = elect : token<epilogue> {
            %x = tma_store %sD[%slot] to %mD[256 * %m + 128 * %rank + 64 * %g, 256 * %n + 64 * %j]
            yield %x
          }
          yield %newer, %stored
        }
        yield %s1, %p1, %e1, %f1
      }
      // Shared memory must stay until all of it has been read.
      elect {
        await_read %f
      }
    }
  }
  return %D
}
