// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// Y = conv(X, W), 3 by 3, stride 2, one zero around the picture, NHWC, f16 with sums in f32. It is the product
// of a matrix with a row for each of the pixels of Y and a column for each of the 9 * C numbers under its window, by the
// filters: TMA makes tiles of the first one out of X while it loads them.
//
// Persistent: each block takes tiles of 128 pixels by 128 filters. Two groups of four warps share a tile, 64 pixels each.
kernel.func @conv<B, H, W, C, O>(
    %X: memref<[B, H, W, C], f16, row_major, align 16>, %F: memref<[O, 3, 3, C], f16, row_major, align 16>)
    -> memref<[B * ((H + 1) floordiv 2) * ((W + 1) floordiv 2), O], f16, row_major, align 16>
    attributes {target = "sm90"} {
  %Y = output : memref<[B * ((H + 1) floordiv 2) * ((W + 1) floordiv 2), O], f16, row_major, align 16>
  // The window of the first pixel begins at -1, that of the last one ends one after the picture.
  %mX = tensor_map %X im2col lower [-1, -1] upper [-1, -1] strides [2, 2] : tensormap<[128, 64], f16, swizzle 128>
  %mF = tensor_map %F : tensormap<[128, 1, 1, 64], f16, swizzle 128>
  %mY = tensor_map %Y : tensormap<[64, 64], f16, swizzle 128>
  %sms = index (132)
  %rows = index ((H + 1) floordiv 2)
  %columns = index ((W + 1) floordiv 2)
  %tiles = index ((B * %rows * %columns) ceildiv 128 * (O ceildiv 128))
  %blocks = min %sms, %tiles
  grid (%blocks) threads 384 {
    %sX = shared : tile<6 x [128, 64], f16, swizzle 128>
    %sF = shared : tile<6 x [128, 64], f16, swizzle 128>
    %sY = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<6>
    %empty = mbarriers arrivals 2 : mbarrier<6>
    %block = block_id 0
    %steps = index (9 * (C ceildiv 64))
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      %s, %p = for %t = %block to %tiles step %blocks carry (%s0 = %zero, %p0 = %one) {
        %m, %n = tile_order %t of ((B * %rows * %columns) ceildiv 128, O ceildiv 128) grouped 8
        // The first pixel: its picture, row and column. Divisions stand here and not below: one thread does all this.
        %picture = index ((128 * %m) floordiv (%rows * %columns))
        %row = index ((128 * %m) mod (%rows * %columns) floordiv %columns)
        %column = index ((128 * %m) mod %columns)
        %s1, %p1 = for %r = 0 to 3 carry (%s2 = %s0, %p2 = %p0) {
          %s3, %p3 = for %q = 0 to 3 carry (%s4 = %s2, %p4 = %p2) {
            %s5, %p5 = for %c = 0 to C step 64 carry (%s6 = %s4, %p6 = %p4) {
              wait %empty[%s6] parity %p6
              expect %full[%s6] bytes 32768
              tma_load %mX[%picture, 2 * %row - 1, 2 * %column - 1, %c] offsets (%r, %q) to %sX[%s6] signal %full[%s6]
              tma_load %mF[128 * %n, %r, %q, %c] to %sF[%s6] signal %full[%s6]
              %s7, %p7 = advance %s6, %p6 over 6
              yield %s7, %p7
            }
            yield %s5, %p5
          }
          yield %s3, %p3
        }
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
      %none = done : token<compute>
      %kept = done : token<epilogue>
      %s, %p, %e, %f = for %t = %block to %tiles step %blocks carry (%s0 = %zero, %p0 = %zero, %e0 = %kept, %f0 = %kept) {
        %m, %n = tile_order %t of ((B * %rows * %columns) ceildiv 128, O ceildiv 128) grouped 8
        %c0 = const 0.0 : frag<[64, 128], f32, wgmma>
        %c, %s1, %p1, %last, %done = for %k = 0 to %steps carry (%c1 = %c0, %s2 = %s0, %p2 = %p0, %held = %none, %prev = %s0) {
          wait %full[%s2] parity %p2
          %x = slice %sX[%s2] at (64 * %g, 0) : tile<[64, 64], f16, swizzle 128>
          %c2, %w = wgmma %x, %sF[%s2] transposed, %c1
          await %held
          if (%k > 0) {
            arrive %empty[%prev] by one
          }
          %s3, %p3 = advance %s2, %p2 over 6
          yield %c2, %s3, %p3, %w, %s2
        }
        await %last
        if (%steps > 0) {
          arrive %empty[%done] by one
        }
        %e1, %f1 = for %j = 0 to 2 unroll carry (%older = %e0, %newer = %f0) {
          %slot = index (2 * %g + %j)
          %part = extract %c at [0, 64 * %j] : frag<[64, 64], f32, wgmma>
          %h = cast %part : frag<[64, 64], f16, wgmma>
          elect {
            await_read %older
          }
          barrier
          store_shared %h to %sY[%slot]
          fence_async
          barrier
          %stored = elect : token<epilogue> {
            %y = tma_store %sY[%slot] to %mY[128 * %m + 64 * %g, 128 * %n + 64 * %j]
            yield %y
          }
          yield %newer, %stored
        }
        yield %s1, %p1, %e1, %f1
      }
      elect {
        await_read %f
      }
    }
  }
  return %Y
}
