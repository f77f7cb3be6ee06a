// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// O = softmax(Q K^T / sqrt(128)) V for each of B heads of size 128, f16 with sums in f32: S queries, T keys. Query i sees the keys
// up to i.
//
// Persistent: a block takes tiles of 192 queries. One thread loads; three groups of four warps own 64 queries each and
// share the blocks of 112 keys that come by, from the last to the first, so that those come first where keys are hidden.
// While one group computes exponentials the two others multiply: they are ordered at the tensor cores, by a named barrier
// each. Tiles with many keys are taken first, and dealt out to the blocks alternately forwards and backwards, so that all blocks
// end at nearly the same time. Heads are taken in sections of which much stays in the L2 cache; every other one
// begins with few keys, so that what is dealt out at once has nearly as many also where one ends.
//
// The rows of O are written over those of Q in shared memory and leave from there: of Q there are two stages, and one is
// given back while the next tile is computed.
!q = tile<[64, 128], f16, swizzle 128 rows 192>
!s = frag<[64, 112], f32, wgmma>
!o = frag<[64, 128], f32, wgmma>
!p = frag<[64, 112], f16, wgmma_a>
!row = frag<[64], f32, slice 1 of (wgmma)>
// The sums of rows: the four threads that share a row have one each, and add them up once for a tile.
!sums = frag<[64, 4], f32, bits (register [[8, 0]], lane [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp [[16, 0], [32, 0]])>
kernel.func @attention<B, S, T>(
    %Q: memref<[B, S, 128], f16, row_major, align 16>, %K: memref<[B, T, 128], f16, row_major, align 16>,
    %V: memref<[B, T, 128], f16, row_major, align 16>) -> memref<[B, S, 128], f16, row_major, align 16>
    attributes {target = "sm90"} {
  require (T >= 1)
  %O = output : memref<[B, S, 128], f16, row_major, align 16>
  // Beyond the sequence of a head a box is zero, and what is stored there stays out.
  %mQ = tensor_map %Q : tensormap<[1, 192, 128], f16, swizzle 128>
  %mK = tensor_map %K : tensormap<[1, 112, 128], f16, swizzle 128>
  %mV = tensor_map %V : tensormap<[1, 112, 128], f16, swizzle 128>
  %mO = tensor_map %O : tensormap<[1, 64, 64], f16, swizzle 128>
  %sms = index (132)
  %tiles = index (B * (S ceildiv 192))
  %blocks = min %sms, %tiles
  grid (%blocks) threads 512 {
    %sQ = shared : tile<2 x [192, 128], f16, swizzle 128>
    %sK = shared : tile<2 x [112, 128], f16, swizzle 128>
    %sV = shared : tile<2 x [112, 128], f16, swizzle 128>
    %fullQ = mbarriers arrivals 1 : mbarrier<2>
    %fullK = mbarriers arrivals 1 : mbarrier<2>
    %fullV = mbarriers arrivals 1 : mbarrier<2>
    // The thread of a group that stored O gives Q back; each of the twelve warps gives back K and V.
    %emptyQ = mbarriers arrivals 3 : mbarrier<2>
    %emptyK = mbarriers arrivals 12 : mbarrier<2>
    %emptyV = mbarriers arrivals 12 : mbarrier<2>
    %block = block_id 0
    %zero = index (0)
    %one = index (1)
    %last = index (T)
    // The last round may not have a tile for each block.
    %full = index (%tiles floordiv %sms)
    %turn = index (%block + (%full mod 2) * (%sms - 1 - 2 * %block))
    %over = index (%tiles mod %sms - %turn)
    %some = max %over, %zero
    %more = min %some, %one
    %rounds = index (%full + %more)
    // Heads with 64 MB of keys and values, and no fewer than give even shares.
    %fitting = index (131072 floordiv T)
    %even = index (32)
    %least = max %fitting, %even
    %all = index (B)
    %section = min %least, %all
    barrier
    role producer warps 0 to 4 registers 32 single {
      %q, %pq, %k, %pk, %v, %pv = for %r = 0 to %rounds carry (%q0 = %zero, %pq0 = %one, %k0 = %zero, %pk0 = %one, %v0 = %zero, %pv0 = %one) {
        %t = index (%sms * %r + %block + (%r mod 2) * (%sms - 1 - 2 * %block))
        %head0 = index (%section * (%t floordiv (%section * (S ceildiv 192))))
        %rest = index (%t - %head0 * (S ceildiv 192))
        %behind = index (B - %head0)
        %heads = min %section, %behind
        %head = index (%head0 + %rest mod %heads)
        %row = index (%rest floordiv %heads)
        %up = index ((B ceildiv %section - 1 - %t floordiv (%section * (S ceildiv 192))) mod 2)
        %m = index ((1 - %up) * (S ceildiv 192 - 1 - %row) + %up * %row)
        %end = index (192 * %m + 192)
        %keys = min %last, %end
        %n = index (%keys ceildiv 112)
        // The last block of K and Q, then each block of K before the block of V after it, then the first of V.
        wait %emptyK[%k0] parity %pk0
        expect %fullK[%k0] bytes 28672
        tma_load %mK[%head, 112 * %n - 112, 0] to %sK[%k0] signal %fullK[%k0]
        %k1, %pk1 = advance %k0, %pk0 over 2
        wait %emptyQ[%q0] parity %pq0
        expect %fullQ[%q0] bytes 49152
        tma_load %mQ[%head, 192 * %m, 0] to %sQ[%q0] signal %fullQ[%q0]
        %q1, %pq1 = advance %q0, %pq0 over 2
        %k2, %pk2, %v2, %pv2 = for %j = 1 to %n carry (%k3 = %k1, %pk3 = %pk1, %v3 = %v0, %pv3 = %pv0) {
          wait %emptyK[%k3] parity %pk3
          expect %fullK[%k3] bytes 28672
          tma_load %mK[%head, 112 * (%n - 1 - %j), 0] to %sK[%k3] signal %fullK[%k3]
          %k4, %pk4 = advance %k3, %pk3 over 2
          wait %emptyV[%v3] parity %pv3
          expect %fullV[%v3] bytes 28672
          tma_load %mV[%head, 112 * (%n - %j), 0] to %sV[%v3] signal %fullV[%v3]
          %v4, %pv4 = advance %v3, %pv3 over 2
          yield %k4, %pk4, %v4, %pv4
        }
        wait %emptyV[%v2] parity %pv2
        expect %fullV[%v2] bytes 28672
        tma_load %mV[%head, 0, 0] to %sV[%v2] signal %fullV[%v2]
        %v5, %pv5 = advance %v2, %pv2 over 2
        yield %q1, %pq1, %k2, %pk2, %v5, %pv5
      }
    }
    role consumer warps 4 to 16 groups 3 (%g: index) registers 160 {
      %mine = index (1 + %g)
      %next = index (1 + (%g + 1) mod 3)
      // The base of the logarithm is two: 1 / sqrt(128) * log2(e).
      %scale = const 0.12751743 : f32
      %minus = const -0.12751743 : f32
      %limit = const 8.0 : f32
      // A hidden score is -2^100: times the scale it is exact, and in a row of hidden ones alone the exponentials are 1
      // and are wiped out by the next block. There is no infinity, so there is nothing that is no number.
      %low = const -1.2676506002282294e+30 : f32
      %none = const 0.0 : !s
      %o0 = const 0.0 : !o
      if (%g == 2) {
        barrier_arrive id %one threads 256
      }
      %kept = done : token<epilogue>
      %q, %pq, %k, %pk, %v, %pv, %stored, %left = for %r = 0 to %rounds carry (%q0 = %zero, %pq0 = %zero, %k0 = %zero, %pk0 = %zero, %v0 = %zero, %pv0 = %zero, %before = %kept, %old = %zero) {
        %t = index (%sms * %r + %block + (%r mod 2) * (%sms - 1 - 2 * %block))
        %head0 = index (%section * (%t floordiv (%section * (S ceildiv 192))))
        %rest = index (%t - %head0 * (S ceildiv 192))
        %behind = index (B - %head0)
        %heads = min %section, %behind
        %head = index (%head0 + %rest mod %heads)
        %row = index (%rest floordiv %heads)
        %up = index ((B ceildiv %section - 1 - %t floordiv (%section * (S ceildiv 192))) mod 2)
        %m = index ((1 - %up) * (S ceildiv 192 - 1 - %row) + %up * %row)
        %end = index (192 * %m + 192)
        %keys = min %last, %end
        %n = index (%keys ceildiv 112)
        wait %fullQ[%q0] parity %pq0
        wait %fullK[%k0] parity %pk0
        %own = slice %sQ[%q0] at (64 * %g, 0) : !q
        %s0, %w0 = wgmma %own, %sK[%k0] transposed, %none
        await %w0
        arrive %emptyK[%k0] by warp
        %k1, %pk1 = advance %k0, %pk0 over 2
        %last0 = index (%n - 1)
        %s1 = if (112 * %last0 + 112 <= T, 112 * %last0 + 112 <= 192 * %m + 64 * %g + 1) : !s {
          yield %s0
        } else {
          %seen = select where (112 * %last0 + i1 < T, 112 * %last0 + i1 <= 192 * %m + 64 * %g + i0) then %s0 else %low : !s
          yield %seen
        }
        %max0 = reduce max %s1 along 1
        %neg0 = binary mul %max0, %minus : !row
        %shift0 = broadcast %neg0 along 1 : !s
        %x0 = mulacc %s1, %scale, %shift0 : !s
        %e0 = unary exp2 %x0
        %sum0 = thread_reduce sum %e0 along 1 : !sums
        %h0 = cast %e0 : frag<[64, 112], f16, wgmma>
        %p0 = convert %h0 : !p
        // By now the store of the tile before has read its stage of Q.
        if (%r >= 1) {
          elect {
            await_read %before
            arrive %emptyQ[%old] by one
          }
        }
        %k2, %pk2, %v2, %pv2, %sum, %max, %o1, %p = for %j = 1 to %n carry (%k3 = %k1, %pk3 = %pk1, %v3 = %v0, %pv3 = %pv0, %sum1 = %sum0, %max1 = %max0, %o2 = %o0, %p1 = %p0) {
          %key = index (%n - 1 - %j)
          wait %fullV[%v3] parity %pv3
          barrier id %mine threads 256
          %o3, %w1 = wgmma %p1, %sV[%v3], %o2
          wait %fullK[%k3] parity %pk3
          await %w1
          arrive %emptyV[%v3] by warp
          %s2, %w2 = wgmma %own, %sK[%k3] transposed, %none
          barrier_arrive id %next threads 256
          await %w2
          arrive %emptyK[%k3] by warp
          %s3 = if (112 * %key + 112 <= T, 112 * %key + 112 <= 192 * %m + 64 * %g + 1) : !s {
            yield %s2
          } else {
            %seen = select where (112 * %key + i1 < T, 112 * %key + i1 <= 192 * %m + 64 * %g + i0) then %s2 else %low : !s
            yield %seen
          }
          // The largest score so far, as long as it grows by no more than 8 (of base two): so far f16 holds the
          // exponentials. Only a warp in which a row grew by more scales what it has.
          %top = reduce max %s3 along 1
          %new = binary max %top, %max1 : !row
          %grown = binary sub %new, %max1 : !row
          %growth = binary mul %grown, %scale : !row
          %much = binary gt %growth, %limit : frag<[64], i1, slice 1 of (wgmma)>
          %max2, %sum2, %o4 = warp_if %much : !row, !sums, !o {
            %less = unary neg %growth
            %factor = unary exp2 %less
            %factor1 = broadcast %factor along 1 : !sums
            %sum3 = binary mul %sum1, %factor1 : !sums
            %factor2 = broadcast %factor along 1 : !o
            %o5 = binary mul %o3, %factor2 : !o
            yield %new, %sum3, %o5
          } else {
            yield %max1, %sum1, %o3
          }
          %neg = binary mul %max2, %minus : !row
          %shift = broadcast %neg along 1 : !s
          %x = mulacc %s3, %scale, %shift : !s
          %e = unary exp2 %x
          %part = thread_reduce sum %e along 1 : !sums
          %sum4 = binary add %sum2, %part : !sums
          %h = cast %e : frag<[64, 112], f16, wgmma>
          %p2 = convert %h : !p
          %k4, %pk4 = advance %k3, %pk3 over 2
          %v4, %pv4 = advance %v3, %pv3 over 2
          yield %k4, %pk4, %v4, %pv4, %sum4, %max2, %o4, %p2
        }
        wait %fullV[%v2] parity %pv2
        %o, %w = wgmma %p, %sV[%v2], %o1
        await %w
        arrive %emptyV[%v2] by warp
        %v5, %pv5 = advance %v2, %pv2 over 2
        %total = reduce sum %sum along 1
        %inverse = unary recip %total
        %weight = broadcast %inverse along 1 : !o
        %out = binary mul %o, %weight : !o
        for %j = 0 to 2 unroll {
          %half = extract %out at [0, 64 * %j] : frag<[64, 64], f32, wgmma>
          %y = cast %half : frag<[64, 64], f16, wgmma>
          %place = slice %sQ[%q0] at (64 * %g, 64 * %j) : tile<[64, 64], f16, swizzle 128>
          store_shared %y to %place
        }
        fence_async
        barrier
        %left0 = slice %sQ[%q0] at (64 * %g, 0) : tile<[64, 64], f16, swizzle 128>
        %right0 = slice %sQ[%q0] at (64 * %g, 64) : tile<[64, 64], f16, swizzle 128>
        %both = elect : token<epilogue> {
          %y0 = tma_store %left0 to %mO[%head, 192 * %m + 64 * %g, 0]
          %y1 = tma_store %right0 to %mO[%head, 192 * %m + 64 * %g, 64]
          yield %y1
        }
        %q1, %pq1 = advance %q0, %pq0 over 2
        yield %q1, %pq1, %k2, %pk2, %v5, %pv5, %both, %q0
      }
      elect {
        await_read %stored
      }
      // The last turn of the last group has nobody after it.
      if (%g == 0) {
        barrier id %mine threads 256
      }
    }
  }
  return %O
}
