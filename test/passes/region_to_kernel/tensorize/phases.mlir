// A strided transposed convolution, whose filter has two taps for one phase of the result and one for the other. Neighbouring
// blocks have the phases of a tile, and loops over taps leave out those that multiply zeros.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each --no-output
// RUN: dlc-opt %s --tensorize='finite=false' | FileCheck %s --check-prefix=ALL
// RUN: dlc-opt %s --tensorize --kernel-schedule --no-output

// CHECK: grid (32)
// CHECK: %[[BLOCK:.+]] = block_id 0
// CHECK: %[[PHASE:.+]] = index (%[[BLOCK]] mod 4)
// CHECK: %[[P:.+]], %[[REST:.+]] = tile_order %{{.+}} of (2, 2) rows
// CHECK: %[[Q:.+]], %{{.+}} = tile_order %{{.+}} of (2, 1) rows
// CHECK: index (%[[BLOCK]] floordiv 4)
// CHECK: for %i7 = 0 to %[[P]] + 1 carry
// CHECK: for %i8 = 0 to %[[Q]] + 1 carry
// CHECK: for %k = 0 to 64 step 64
// Zero times an infinity is no number.
// ALL: for %i7 = 0 to 2 carry
// ALL: for %i8 = 0 to 2 carry
region.func @main iters (i0: 2, i1: 64, i2: 8, i3: 2, i4: 16, i5: 2)
  ins (%w: memref<[64, 3, 3, 64], f16, row_major, align 128, noalias>, %x: memref<[2, 8, 16, 64], f16, row_major, align 128, noalias>)
  outs (out: memref<[2, 64, 8, 2, 16, 2], f16, row_major, align 128, noalias> materialize gmem) {
  %0 = reduce sum (i6: 64, i7: 2, i8: 2) acc f32 init 0.0 {
    %1 = read %w[i1, i3 - 2*i7 + 1, i5 - 2*i8 + 1, i6] where (-i3 + 2*i7 + 1 < 3, -i5 + 2*i8 + 1 < 3) : f16 over (i1, i3, i5, i6, i7, i8)
    %2 = read %x[i0, i2 + i7, i4 + i8, i6] where (i2 + i7 < 8, i4 + i8 < 16) : f16 over (i0, i2, i4, i6, i7, i8)
    %3 = binary mul %1, %2 widen : f32 over (i0, i1, i2, i3, i4, i5, i6, i7, i8)
    yield %3
  } : f32 over (i0, i1, i2, i3, i4, i5)
  yield %0 to out as f16
}
plan.schedule of @main for sm90 {
  tile (i0: 1, i1: 64, i2: 2, i3: 1, i4: 16, i5: 1, i6: 64)
  instruction mma [16, 8, 16]
  warp_tile (i0: 1, i1: 32, i2: 1, i3: 1, i4: 16, i5: 1)
  stages 3
  cache w (i1, i3, i7, i5, i8, i6) f16 in smem
  cache x (i0, i2, i7, i4, i8, i6) f16 in smem
  swizzle (w: auto, x: auto)
  barrier cp_async_group
  async
}
