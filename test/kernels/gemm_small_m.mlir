// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// Y = X W^T for small M, f16 with sums in f32: all of the time goes into reading W, once. So its rows are on the side
// of the product that is 64 long, and 16 rows of X on the other: a block has 128 rows of W and one tile.
//
// The grid begins while the one before it still runs: W, which nothing writes, is asked for at once, as much as fits; X
// is what the grid before may write.
kernel.func @small_m<M, N, K>(%X: memref<[M, K], f16, row_major, align 16>, %W: memref<[N, K], f16, row_major, align 16> {constant})
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[M, N], f16, row_major, align 16>
  %mX = tensor_map %X : tensormap<[16, 64], f16, swizzle 128>
  %mW = tensor_map %W : tensormap<[128, 64], f16, swizzle 128>
  %mY = tensor_map %Y : tensormap<[16, 64], f16, swizzle 128>
  grid (N ceildiv 128, M ceildiv 16) threads 384 {
    %sW = shared : tile<11 x [128, 64], f16, swizzle 128>
    %sX = shared : tile<11 x [16, 64], f16, swizzle 128>
    %sY = shared : tile<2 x [16, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<11>
    %empty = mbarriers arrivals 8 : mbarrier<11>
    %n = block_id 0
    %m = block_id 1
    %steps = index (K ceildiv 64)
    %zero = index (0)
    elect {
      grid_release
    }
    barrier
    role producer warps 0 to 4 single {
      %stages = index (11)
      %first = min %steps, %stages
      for %k = 0 to %first {
        expect %full[%k] bytes 18432
        tma_load %mW[128 * %n, 64 * %k] to %sW[%k] signal %full[%k] hint evict_first
      }
      grid_wait
      for %k = 0 to %first {
        tma_load %mX[16 * %m, 64 * %k] to %sX[%k] signal %full[%k]
      }
      // Each stage has been filled once, so the first wait is for the end of the first phase.
      %s, %p = for %k = 11 to %steps carry (%s0 = %zero, %p0 = %zero) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 18432
        tma_load %mW[128 * %n, 64 * %k] to %sW[%s0] signal %full[%s0] hint evict_first
        tma_load %mX[16 * %m, 64 * %k] to %sX[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 11
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 12 groups 2 (%g: index) {
      %c0 = const 0.0 : frag<[64, 16], f32, wgmma>
      %none = done : token<compute>
      %c, %s, %p, %last, %done = for %k = 0 to %steps carry (%c1 = %c0, %s0 = %zero, %p0 = %zero, %held = %none, %prev = %zero) {
        wait %full[%s0] parity %p0
        %w = slice %sW[%s0] at (64 * %g, 0) : tile<[64, 64], f16, swizzle 128>
        %c2, %t = wgmma %w, %sX[%s0] transposed, %c1
        await %held
        if (%k > 0) {
          arrive %empty[%prev] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 11
        yield %c2, %s1, %p1, %t, %s0
      }
      await %last
      // A row for each of X: the sums are transposed on their way to shared memory.
      %h = cast %c : frag<[64, 16], f16, wgmma>
      store_shared %h to %sY[%g] transposed
      fence_async
      barrier
      elect {
        // Without a step nothing else has waited for the grid before.
        grid_wait
        %e = tma_store %sY[%g] to %mY[16 * %m, 128 * %n + 64 * %g]
        await_read %e
      }
    }
  }
  return %Y
}
