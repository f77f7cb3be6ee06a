// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// Y = conv(X, W), 3 by 3, stride 1, one zero around the picture, NHWC, f16 with sums in f32, for pictures 56
// wide with 64 channels and 64 filters. A block loads what two rows of Y need of X once, with the zeros around it: each
// of the nine products reads it from another row on, where the window is shifted to, instead of loading it again. The
// filters stay in shared memory.
//
// The pixels are on the side of the product that any multiple of eight can be: 2 * 58 of them, made 120. Those of the two
// columns that are too many are computed with the others, and what is stored of them stays outside of Y.
//
// Persistent. Two groups of four warps have tiles of their own, ping-pong at the tensor cores, so that one stores
// while the other multiplies.
kernel.func @conv<B, H>(%X: memref<[B, H, 56, 64], f16, row_major, align 16>, %F: memref<[64, 3, 3, 64], f16, row_major, align 16>)
    -> memref<[B, H, 56, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[B, H, 56, 64], f16, row_major, align 16>
  %mX = tensor_map %X : tensormap<[1, 4, 58, 64], f16, swizzle 128>
  %mF = tensor_map %F : tensormap<[64, 1, 1, 64], f16, swizzle 128>
  // Two columns more than there are.
  %mY = tensor_map %Y : tensormap<[1, 2, 58, 64], f16, swizzle 128>
  %sms = index (132)
  %tiles = index (B * (H ceildiv 2))
  %pairs = index (%tiles ceildiv 2)
  %blocks = min %sms, %pairs
  grid (%blocks) threads 384 {
    // Two stages for each group. Of X there are four rows of 58, and after them rows of zeros that the products of the
    // columns that are too many read.
    %sX = shared : tile<4 x [240, 64], f16, swizzle 128>
    %sF = shared : tile<9 x [64, 64], f16, swizzle 128>
    %sY = shared : tile<2 x [120, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 4 : mbarrier<4>
    %filters = mbarriers arrivals 1 : mbarrier<1>
    %block = block_id 0
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      expect %filters bytes 73728
      for %r = 0 to 3 {
        for %q = 0 to 3 {
          %tap = index (3 * %r + %q)
          tma_load %mF[0, %r, %q, 0] to %sF[%tap] signal %filters
        }
      }
      %s, %p = for %pair = %block to %pairs step %blocks carry (%s0 = %zero, %p0 = %one) {
        for %g = 0 to 2 {
          if (2 * %pair + %g < %tiles) {
            %slot = index (2 * %s0 + %g)
            %picture = index ((2 * %pair + %g) floordiv (H ceildiv 2))
            %row = index ((2 * %pair + %g) mod (H ceildiv 2))
            wait %empty[%slot] parity %p0
            expect %full[%slot] bytes 29696
            %patch = slice %sX[%slot] at (0, 0) : tile<[232, 64], f16, swizzle 128>
            tma_load %mX[%picture, 2 * %row - 1, -1, 0] to %patch signal %full[%slot]
          }
        }
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
      %mine = index (8 + %g)
      %other = index (9 - %g)
      // From a tile of this group to the next one of the other.
      %turn = index (1 - %g + %g * (2 * %blocks - 1))
      %none = const 0.0 : frag<[64, 120], f32, wgmma>
      %kept = done : token<epilogue>
      // The rows after those that are loaded stay zero.
      %rest = const 0.0 : frag<[8, 64], f16, blocked [1, 4] lanes [2, 16] warps [4, 1]>
      for %j = 0 to 2 {
        %slot = index (2 * %j + %g)
        %behind = slice %sX[%slot] at (232, 0) : tile<[8, 64], f16, swizzle 128>
        store_shared %rest to %behind
      }
      fence_async
      barrier
      if (%g == 1) {
        barrier_arrive id %other threads 256
      }
      wait %filters parity %zero
      %s, %p, %e = for %t = 2 * %block + %g to %tiles step 2 * %blocks carry (%s0 = %zero, %p0 = %zero, %e0 = %kept) {
        %slot = index (2 * %s0 + %g)
        %picture = index (%t floordiv (H ceildiv 2))
        %row = index (%t mod (H ceildiv 2))
        wait %full[%slot] parity %p0
        barrier id %mine threads 256
        %before = done : token<compute>
        %c, %w = for %tap = 0 to 9 unroll carry (%c0 = %none, %w0 = %before) {
          %shifted = slice %sX[%slot] at (58 * (%tap floordiv 3) + %tap mod 3, 0) : tile<[120, 64], f16, swizzle 128>
          %c1, %w1 = wgmma %sF[%tap], %shifted transposed, %c0
          yield %c1, %w1
        }
        // The other group may multiply now.
        if (%t + %turn < %tiles) {
          barrier_arrive id %other threads 256
        }
        await %w
        arrive %empty[%slot] by warp
        elect {
          await_read %e0
        }
        barrier
        // A row for each pixel: the sums are transposed on their way to shared memory.
        %h = cast %c : frag<[64, 120], f16, wgmma>
        store_shared %h to %sY[%g] transposed
        fence_async
        barrier
        %e1 = elect : token<epilogue> {
          %rows = slice %sY[%g] at (0, 0) : tile<[116, 64], f16, swizzle 128>
          %y = tma_store %rows to %mY[%picture, 2 * %row, 0, 0]
          yield %y
        }
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1, %e1
      }
      elect {
        await_read %e
      }
    }
  }
  return %Y
}
