// What needs no barrier, no fence and no wait.

// RUN: dlc-opt %s --check-async --split-input-file --verify-diagnostics

// Each warp reads what it has written itself: its lanes meet, and no others.
kernel.func @own_bytes<M>(%X: memref<[M, 64], f16>) -> memref<[M, 64], f16> {
  %Y = output : memref<[M, 64], f16>
  grid (M ceildiv 64) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %b = block_id 0
    copy %X[64 * %b + i0, i1] where (64 * %b + i0 < M) else 0.0 to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
    warp_sync
    %x = load_shared %s : frag<[64, 64], f16, blocked [4, 2] lanes [1, 32] warps [4, 1]>
    warp_sync
    store_shared %x to %s
    warp_sync
    %y = load_shared %s : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store %y to %Y[64 * %b + i0, i1] where (64 * %b + i0 < M)
  }
  return %Y
}

// -----

// No block is launched, and so nothing goes wrong.
kernel.func @no_blocks(%X: memref<[0], f32>) -> memref<[0], f32> {
  %Y = output : memref<[0], f32>
  grid (0) threads 128 {
    %s = shared : tile<[128], f32, row_major>
    %x = load_shared %s : frag<[128], f32, blocked [1] lanes [32] warps [4]>
  }
  return %Y
}

// -----

// The warps of a block agree on a branch, and may meet in it.
kernel.func @meet_in_a_branch(%X: memref<[256], f32>) -> memref<[256], f32> {
  %Y = output : memref<[256], f32>
  grid (1) threads 128 {
    %s = shared : tile<[256], f32, row_major>
    %one = const 1.0 : f32
    %is = binary lt %one, %one : i1
    copy %X[i0] to %s by blocked [1] lanes [32] warps [4]
    barrier
    if %is {
      %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
      barrier
      store_shared %x to %s
      barrier
    }
    %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
    store %x to %Y[i0]
  }
  return %Y
}

// -----

// One thread waits for the copy, and tells the others by a barrier. Who waits again need not wait.
kernel.func @one_waits(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16> {
  %Y = output : memref<[64, 64], f16>
  %mX = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 8192
      tma_load %mX[0, 0] to %s signal %full
      wait %full parity %zero
    }
    barrier
    wait %full parity %zero
    %x = load_shared %s : frag<[64, 64], f16, wgmma>
    store %x to %Y[i0, i1]
  }
  return %Y
}

// -----

// Threads of a role copy, and say so: each when its own copies have come.
kernel.func @threads_produce<K>(%X: memref<[64, K], f16>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 256 {
    %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 128 : mbarrier<2>
    %empty = mbarriers arrivals 4 : mbarrier<2>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 {
      %s0, %p0 = for %k = 0 to K ceildiv 64 carry (%s1 = %zero, %p1 = %one) {
        wait %empty[%s1] parity %p1
        %t = copy_async %X[i0, 64 * %k + i1] where (64 * %k + i1 < K) else 0.0 to %s[%s1] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
        await %t
        fence_async
        arrive %full[%s1] by thread
        %s2, %p2 = advance %s1, %p1 over 2
        yield %s2, %p2
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s0, %p0 = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s1 = %zero, %p1 = %zero) {
        wait %full[%s1] parity %p1
        %c2, %w = wgmma %s[%s1], %s[%s1] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s1] by warp
        %s2, %p2 = advance %s1, %p1 over 2
        yield %c2, %s2, %p2
      }
      store %c to %Y[i0, i1]
    }
  }
  return %Y
}

// -----

// Reductions through one tile order themselves.
kernel.func @twice_through(%X: memref<[64, 64], f32>) -> memref<[64], f32> {
  %Y = output : memref<[64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[4, 64], f32, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [8, 4] warps [1, 4]>
    %m = reduce max %x along 1 through %s : frag<[64], f32, slice 1 of (blocked [1, 4] lanes [8, 4] warps [1, 4])>
    %t = reduce sum %x along 1 through %s : frag<[64], f32, slice 1 of (blocked [1, 4] lanes [8, 4] warps [1, 4])>
    %y = binary add %m, %t : frag<[64], f32, slice 1 of (blocked [1, 4] lanes [8, 4] warps [1, 4])>
    store %y to %Y[i0]
  }
  return %Y
}

// -----

// Two tiles at one place, one after another; and groups that work on halves of a tile.
kernel.func @overlay(%X: memref<[128, 64], f16>) -> memref<[128, 64], f16> {
  %Y = output : memref<[128, 64], f16>
  grid (1) threads 256 {
    %a = shared at 0 : tile<[128, 64], f16, swizzle 128>
    %b = shared at 0 : tile<[128, 64], f16, row_major>
    copy %X[i0, i1] to %a by blocked [1, 8] lanes [4, 8] warps [8, 1]
    barrier
    %x = load_shared %a : frag<[128, 64], f16, blocked [1, 8] lanes [8, 4] warps [8, 1]>
    barrier
    store_shared %x to %b
    barrier
    role halves warps 0 to 8 groups 2 (%g: index) {
      %h = slice %b at (64 * %g, 0) : tile<[64, 64], f16, row_major>
      %y = load_shared %h : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %z = load_shared %h : frag<[64, 64], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      store_shared %y to %h
      barrier
      %w = load_shared %h : frag<[64, 64], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      store %w to %Y[64 * %g + i0, i1]
    }
  }
  return %Y
}

// -----

// A ring goes on in loops around its steps, from tile to tile.
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
              if (1 <= %k) {
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

// -----

// How many tiles a block has follows from its number, they are dealt forwards and backwards in turn, and the text divides by
// the number of blocks: at the sizes where that matters a block has more tiles than can be followed, and others show all
// there is.
kernel.func @dealt<B, S>(%X: memref<[B, S, 64], f16, row_major, align 16>)
    -> memref<[B, S, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[B, S, 64], f16, row_major, align 16>
  %mX = tensor_map %X : tensormap<[1, 64, 64], f16, swizzle 128>
  %sms = index (132)
  %tiles = index (B * (S ceildiv 64))
  %blocks = min %sms, %tiles
  grid (%blocks) threads 256 {
    %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 4 : mbarrier<2>
    %block = block_id 0
    %zero = index (0)
    %one = index (1)
    %whole = index (%tiles floordiv 132)
    %turn = index (%block + (%whole mod 2) * (131 - 2 * %block))
    %over = index (%tiles mod 132 - %turn)
    %some = max %over, %zero
    %more = min %some, %one
    %rounds = index (%whole + %more)
    barrier
    role producer warps 0 to 4 single {
      %s0, %p0 = for %r = 0 to %rounds carry (%s1 = %zero, %p1 = %one) {
        %t = index (132 * %r + %block + (%r mod 2) * (131 - 2 * %block))
        wait %empty[%s1] parity %p1
        expect %full[%s1] bytes 8192
        tma_load %mX[%t floordiv (S ceildiv 64), 64 * (%t mod (S ceildiv 64)), 0] to %s[%s1] signal %full[%s1]
        %s2, %p2 = advance %s1, %p1 over 2
        yield %s2, %p2
      }
    }
    role consumer warps 4 to 8 {
      %s0, %p0 = for %r = 0 to %rounds carry (%s1 = %zero, %p1 = %zero) {
        %t = index (132 * %r + %block + (%r mod 2) * (131 - 2 * %block))
        wait %full[%s1] parity %p1
        %x = load_shared %s[%s1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
        warp_sync
        arrive %empty[%s1] by warp
        store %x to %Y[%t floordiv (S ceildiv 64), 64 * (%t mod (S ceildiv 64)) + i0, i1] where (64 * (%t mod (S ceildiv 64)) + i0 < S)
        %s2, %p2 = advance %s1, %p1 over 2
        yield %s2, %p2
      }
    }
  }
  return %Y
}
