// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// E = relu(A B + D0 + D1) C + D2 for each of Z batches, f16 with sums in f32, of K = 64 and O = 128 columns. What is
// between the products stays in registers: the sums of the first, rounded, are the left matrix of the second.
//
// Persistent: a block takes tiles of 128 rows. One thread loads; two groups of four warps own 64 rows each. A stage of the
// ring holds what a step needs for 64 of the N columns: {B, C, D0, D1}. Between two tiles one more entry carries {A of
// the next tile, D2 of this one}, over the same bytes: E is formed over D2 and leaves from there. So neither A nor D2
// nor E needs room of its own, and the ring never runs dry at the end of a tile.
kernel.func @chain<Z, M, N>(
    %A: memref<[Z, M, 64], f16, row_major, align 16>, %B: memref<[Z, 64, N], f16, row_major, align 16>,
    %C: memref<[Z, N, 128], f16, row_major, align 16>, %D0: memref<[Z, M, N], f16, row_major, align 16>,
    %D1: memref<[Z, M, N], f16, row_major, align 16>, %D2: memref<[Z, M, 128], f16, row_major, align 16>)
    -> memref<[Z, M, 128], f16, row_major, align 16> attributes {target = "sm90"} {
  %E = output : memref<[Z, M, 128], f16, row_major, align 16>
  // Beyond M and N a box is zero, and what is stored there stays out.
  %mA = tensor_map %A : tensormap<[1, 128, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[1, 64, 64], f16, swizzle 128>
  %mC = tensor_map %C : tensormap<[1, 64, 128], f16, swizzle 128>
  %mD0 = tensor_map %D0 : tensormap<[1, 128, 64], f16, swizzle 128>
  %mD1 = tensor_map %D1 : tensormap<[1, 128, 64], f16, swizzle 128>
  %mD2 = tensor_map %D2 : tensormap<[1, 128, 128], f16, swizzle 128>
  %mE = tensor_map %E : tensormap<[1, 64, 64], f16, swizzle 128>
  %sms = index (132)
  %tiles = index (Z * (M ceildiv 128))
  %blocks = min %sms, %tiles
  grid (%blocks) threads 384 {
    // Three stages of B, C, and both D; A lies over C, and D2 over both D.
    %sB = shared at 0 : tile<3 x [64, 64], f16, swizzle 128>
    %sC = shared at 24576 : tile<3 x [64, 128], f16, swizzle 128>
    %sD = shared at 73728 : tile<3 x [256, 64], f16, swizzle 128>
    %sA = shared at 24576 : tile<3 x [128, 64], f16, swizzle 128>
    %sE = shared at 73728 : tile<3 x [128, 128], f16, swizzle 128>
    // D is read by threads, warp by warp, which no wait for a product covers: each of the eight warps gives back.
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 8 : mbarrier<3>
    %block = block_id 0
    %chunks = index (N ceildiv 64)
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      // The first entry: A of the first tile.
      %z0 = index (%block floordiv (M ceildiv 128))
      %m0 = index (%block mod (M ceildiv 128))
      wait %empty[%zero] parity %one
      expect %full[%zero] bytes 16384
      tma_load %mA[%z0, 128 * %m0, 0] to %sA[%zero] signal %full[%zero]
      %s0, %p0 = advance %zero, %one over 3
      %s, %p = for %t = %block to %tiles step %blocks carry (%s1 = %s0, %p1 = %p0) {
        %z = index (%t floordiv (M ceildiv 128))
        %m = index (%t mod (M ceildiv 128))
        %s2, %p2 = for %k = 0 to %chunks carry (%s3 = %s1, %p3 = %p1) {
          wait %empty[%s3] parity %p3
          expect %full[%s3] bytes 57344
          %d0 = slice %sD[%s3] at (0, 0) : tile<[128, 64], f16, swizzle 128>
          %d1 = slice %sD[%s3] at (128, 0) : tile<[128, 64], f16, swizzle 128>
          // What is read once should not push B and C out of the cache.
          tma_load %mD0[%z, 128 * %m, 64 * %k] to %d0 signal %full[%s3] hint evict_first
          tma_load %mD1[%z, 128 * %m, 64 * %k] to %d1 signal %full[%s3] hint evict_first
          tma_load %mB[%z, 0, 64 * %k] to %sB[%s3] signal %full[%s3]
          tma_load %mC[%z, 64 * %k, 0] to %sC[%s3] signal %full[%s3]
          %s4, %p4 = advance %s3, %p3 over 3
          yield %s4, %p4
        }
        // Between this tile and the next.
        wait %empty[%s2] parity %p2
        if (%t + %blocks < %tiles) {
          %z1 = index ((%t + %blocks) floordiv (M ceildiv 128))
          %m1 = index ((%t + %blocks) mod (M ceildiv 128))
          expect %full[%s2] bytes 49152
          tma_load %mA[%z1, 128 * %m1, 0] to %sA[%s2] signal %full[%s2]
        } else {
          expect %full[%s2] bytes 32768
        }
        tma_load %mD2[%z, 128 * %m, 0] to %sE[%s2] signal %full[%s2]
        %s5, %p5 = advance %s2, %p2 over 3
        yield %s5, %p5
      }
    }
    role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
      wait %full[%zero] parity %zero
      %own = slice %sA[%zero] at (64 * %g, 0) : tile<[64, 64], f16, swizzle 128>
      %a0 = load_shared %own : frag<[64, 64], f16, wgmma_a>
      warp_sync
      arrive %empty[%zero] by warp
      %s0, %p0 = advance %zero, %zero over 3
      %none = const 0.0 : frag<[64, 64], f32, wgmma>
      %c0 = const 0.0 : frag<[64, 128], f32, wgmma>
      %s, %p, %left = for %t = %block to %tiles step %blocks carry (%s1 = %s0, %p1 = %p0, %a = %a0) {
        %z = index (%t floordiv (M ceildiv 128))
        %m = index (%t mod (M ceildiv 128))
        %s2, %p2, %c = for %k = 0 to %chunks carry (%s3 = %s1, %p3 = %p1, %c1 = %c0) {
          wait %full[%s3] parity %p3
          %x0, %w0 = wgmma %a, %sB[%s3], %none
          // While it runs: what is loaded from D lies as the sums of a product do.
          %own0 = slice %sD[%s3] at (64 * %g, 0) : tile<[64, 64], f16, swizzle 128>
          %own1 = slice %sD[%s3] at (128 + 64 * %g, 0) : tile<[64, 64], f16, swizzle 128>
          %h0 = load_shared %own0 : frag<[64, 64], f16, wgmma>
          %h1 = load_shared %own1 : frag<[64, 64], f16, wgmma>
          %d0 = cast %h0 : frag<[64, 64], f32, wgmma>
          %d1 = cast %h1 : frag<[64, 64], f32, wgmma>
          await %w0
          %x1 = binary add %x0, %d0 : frag<[64, 64], f32, wgmma>
          %x2 = binary add %x1, %d1 : frag<[64, 64], f32, wgmma>
          %x3 = unary relu %x2
          %x4 = cast %x3 : frag<[64, 64], f16, wgmma>
          // The same registers, as what a product takes on its left.
          %x = convert %x4 : frag<[64, 64], f16, wgmma_a>
          %c2, %w1 = wgmma %x, %sC[%s3], %c1
          // The other group multiplies meanwhile: waiting at once costs nothing, and the stage is free earlier.
          await %w1
          // One lane gives back what all lanes have read.
          warp_sync
          arrive %empty[%s3] by warp
          %s4, %p4 = advance %s3, %p3 over 3
          yield %s4, %p4, %c2
        }
        wait %full[%s2] parity %p2
        %next = if (%t + %blocks < %tiles) : frag<[64, 64], f16, wgmma_a> {
          %own2 = slice %sA[%s2] at (64 * %g, 0) : tile<[64, 64], f16, swizzle 128>
          %a1 = load_shared %own2 : frag<[64, 64], f16, wgmma_a>
          yield %a1
        } else {
          yield %a
        }
        for %j = 0 to 2 unroll {
          %part = slice %sE[%s2] at (64 * %g, 64 * %j) : tile<[64, 64], f16, swizzle 128>
          %h = load_shared %part : frag<[64, 64], f16, wgmma>
          warp_sync
          %d = cast %h : frag<[64, 64], f32, wgmma>
          %sum = extract %c at [0, 64 * %j] : frag<[64, 64], f32, wgmma>
          %e0 = binary add %sum, %d : frag<[64, 64], f32, wgmma>
          %e = cast %e0 : frag<[64, 64], f16, wgmma>
          store_shared %e to %part
        }
        fence_async
        barrier
        elect {
          %left0 = slice %sE[%s2] at (64 * %g, 0) : tile<[64, 64], f16, swizzle 128>
          %right0 = slice %sE[%s2] at (64 * %g, 64) : tile<[64, 64], f16, swizzle 128>
          %e0 = tma_store %left0 to %mE[%z, 128 * %m + 64 * %g, 0]
          %e1 = tma_store %right0 to %mE[%z, 128 * %m + 64 * %g, 64]
          await_read %e0, %e1
        }
        arrive %empty[%s2] by warp
        %s5, %p5 = advance %s2, %p2 over 3
        yield %s5, %p5, %next
      }
    }
  }
  return %E
}
