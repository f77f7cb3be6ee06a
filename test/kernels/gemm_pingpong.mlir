// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// D = A B^T, f16 with sums in f32. Persistent: each block takes tiles of 128 by 128 in groups of eight rows. One thread
// loads; two groups of four warps each own a whole tile, so that one stores while the other multiplies. The groups take
// turns at the tensor cores by two barriers.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16, row_major, align 16>
  %mA = tensor_map %A : tensormap<[128, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[128, 64], f16, swizzle 128>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  // As many blocks as run at once, or as there are tiles.
  %sms = index (132)
  %tiles = index ((M ceildiv 128) * (N ceildiv 128))
  %blocks = min %sms, %tiles
  grid (%blocks) threads 384 {
    %sA = shared : tile<6 x [128, 64], f16, swizzle 128>
    %sB = shared : tile<6 x [128, 64], f16, swizzle 128>
    %sD = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<6>
    %empty = mbarriers arrivals 1 : mbarrier<6>
    %block = block_id 0
    %steps = index (K ceildiv 64)
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      %s, %p = for %t = %block to %tiles step %blocks carry (%s0 = %zero, %p0 = %one) {
        %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 128) grouped 8
        %s1, %p1 = for %k = 0 to %steps carry (%s2 = %s0, %p2 = %p0) {
          wait %empty[%s2] parity %p2
          expect %full[%s2] bytes 32768
          tma_load %mA[128 * %m, 64 * %k] to %sA[%s2] signal %full[%s2]
          tma_load %mB[128 * %n, 64 * %k] to %sB[%s2] signal %full[%s2]
          %s3, %p3 = advance %s2, %p2 over 6
          yield %s3, %p3
        }
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
      %mine = index (8 + %g)
      %other = index (9 - %g)
      %first = index (%block + %g * %blocks)
      if (%g == 1) {
        barrier_arrive id %other threads 256
      }
      %none = done : token<compute>
      %kept = done : token<epilogue>
      // What this group has consumed with the other one, in steps: the second starts one tile later.
      %all, %stored = for %t = %first to %tiles step 2 * %blocks carry (%i = %g, %e0 = %kept) {
        %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 128) grouped 8
        %s0 = index ((%i * %steps) mod 6)
        %p0 = index ((%i * %steps floordiv 6) mod 2)
        %c0 = const 0.0 : frag<[128, 128], f32, wgmma>
        barrier id %mine threads 256
        %c, %s, %p, %last, %done = for %k = 0 to %steps carry (%c1 = %c0, %s1 = %s0, %p1 = %p0, %held = %none, %prev = %s0) {
          wait %full[%s1] parity %p1
          %c2, %w = wgmma %sA[%s1], %sB[%s1] transposed, %c1 : frag<[128, 128], f32, wgmma>, token<compute>
          await %held
          if (%k > 0) {
            arrive %empty[%prev] by one
          }
          %s2, %p2 = advance %s1, %p1 over 6
          yield %c2, %s2, %p2, %w, %s1
        }
        // The other group may multiply now.
        if (%t + %blocks < %tiles) {
          barrier_arrive id %other threads 256
        }
        await %last
        if (%steps > 0) {
          arrive %empty[%done] by one
        }
        // Two panels of 64 by 64 are on their way at most: the one before the last has been read.
        %h = cast %c : frag<[128, 128], f16, wgmma>
        %h0 = extract %h at [0, 0] : frag<[64, 64], f16, wgmma>
        elect {
          await_read %e0
        }
        barrier
        %even = index (2 * %g)
        %odd = index (2 * %g + 1)
        store_shared %h0 to %sD[%even]
        fence_async
        barrier
        %e1 = elect : token<epilogue> {
          %e = tma_store %sD[%even] to %mD[128 * %m, 128 * %n] : token<epilogue>
          yield %e
        }
        %h1 = extract %h at [0, 64] : frag<[64, 64], f16, wgmma>
        store_shared %h1 to %sD[%odd]
        fence_async
        barrier
        %e2 = elect : token<epilogue> {
          %e = tma_store %sD[%odd] to %mD[128 * %m, 128 * %n + 64] : token<epilogue>
          await_read %e1
          yield %e
        }
        barrier
        %h2 = extract %h at [64, 0] : frag<[64, 64], f16, wgmma>
        store_shared %h2 to %sD[%even]
        fence_async
        barrier
        %e3 = elect : token<epilogue> {
          %e = tma_store %sD[%even] to %mD[128 * %m + 64, 128 * %n] : token<epilogue>
          await_read %e2
          yield %e
        }
        barrier
        %h3 = extract %h at [64, 64] : frag<[64, 64], f16, wgmma>
        store_shared %h3 to %sD[%odd]
        fence_async
        barrier
        %e4 = elect : token<epilogue> {
          %e = tma_store %sD[%odd] to %mD[128 * %m + 64, 128 * %n + 64] : token<epilogue>
          yield %e
        }
        %next = index (%i + 2)
        yield %next, %e4
      }
      // A block ends when nothing of its shared memory is to be read any more.
      elect {
        await_read %stored
      }
    }
  }
  return %D
}
