// What is read at quotients of an axis is read element by element, and results along that axis are stored as vectors.

// RUN: dlc-opt %s --choose-plan='target=sm90' | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline='choose-plan{target=sm90},tensorize,kernel-schedule' --no-output 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: requires TMA

// Every element twice.
// CHECK-LABEL: plan.schedule of @twice
// CHECK: vectors (Y: 4)
region.func @twice iters (a: 4096, x: 1024)
    ins (%X: memref<[4096, 512], f32, row_major, align 128>)
    outs (Y: memref<[4096, 1024], f32, row_major, align 128> materialize gmem) {
  %0 = read %X[a, x floordiv 2] : f32 over (a, x)
  %1 = unary exp2 %0 : f32 over (a, x)
  yield %1 to Y
}

// Two phases that lie apart.
// CHECK-LABEL: plan.schedule of @apart
// CHECK: vectors (Y: 4)
region.func @apart iters (a: 4096, x: 1024)
    ins (%X: memref<[4096, 2, 512], f32, row_major, align 128>)
    outs (Y: memref<[4096, 1024], f32, row_major, align 128> materialize gmem) {
  %0 = read %X[a, x mod 2, x floordiv 2] : f32 over (a, x)
  %1 = unary exp2 %0 : f32 over (a, x)
  yield %1 to Y
}

// Reduced along another axis they are columns: neighbouring threads have neighbours of one phase each.
// CHECK-LABEL: plan.schedule of @columns
// CHECK: tile (a: 1, x: 256, c: {{[0-9]+}})
// CHECK: threads (x: 128, c: 2)
region.func @columns iters (a: 256, x: 1022)
    ins (%X: memref<[256, 128, 2, 511], f32, row_major, align 128>)
    outs (Y: memref<[256, 1022], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (c: 128) acc f32 init 0.0 {
    %0 = read %X[a, c, x mod 2, x floordiv 2] : f32 over (a, x, c)
    yield %0
  } : f32 over (a, x)
  yield %s to Y
}

// A strided transposed convolution, whose filters are read at steps along their own axes: a tile has filters with both phases of
// each axis, which TMA takes as one box, and each pixel is loaded once for the four of them.
// CHECK-LABEL: plan.schedule of @filters
// CHECK-NEXT: tile (i0: {{[0-9]+}}, i1: {{[0-9]+}}, i2: {{[0-9]+}}, i3: 2, i4: {{[0-9]+}}, i5: 2, i6: 32)
// CHECK-NEXT: instruction wgmma [64, {{[0-9]+}}, 8] as tf32
// CHECK: cache w (i1, i3, i7, i5, i8, i6) f32 in smem
// CHECK: algo (load_x: im2col)
region.func @filters iters (i0: 128, i1: 128, i2: 65, i3: 2, i4: 65, i5: 2)
    ins (%w: memref<[128, 4, 4, 64], f32, row_major, align 128>, %x: memref<[128, 64, 64, 64], f32, row_major, align 128>)
    outs (Y: memref<[128, 128, 65, 2, 65, 2], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (i6: 64, i7: 2, i8: 2) acc f32 init 0.0 {
    %0 = read %w[i1, i3 - 2*i7 + 2, i5 - 2*i8 + 2, i6] : f32 over (i1, i3, i5, i6, i7, i8)
    %1 = read %x[i0, i2 + i7 - 1, i4 + i8 - 1, i6] where (0 <= i2 + i7 - 1 < 64, 0 <= i4 + i8 - 1 < 64) : f32 over (i0, i2, i4, i6, i7, i8)
    %2 = binary mul %0, %1 widen {tf32, tf32_factors} : f32 over (i0, i1, i2, i3, i4, i5, i6, i7, i8)
    yield %2
  } : f32 over (i0, i1, i2, i3, i4, i5)
  yield %s to Y
}

// Steps of three: of 64 results of a pixel no tile has whole threes along both axes, and none that is no box is chosen.
// CHECK-LABEL: plan.schedule of @thirds
// CHECK-NOT: wgmma
// CHECK: instruction mma
region.func @thirds iters (i0: 128, i1: 128, i2: 65, i3: 3, i4: 65, i5: 3)
    ins (%w: memref<[128, 6, 6, 64], f32, row_major, align 128>, %x: memref<[128, 64, 64, 64], f32, row_major, align 128>)
    outs (Y: memref<[128, 128, 65, 3, 65, 3], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (i6: 64, i7: 2, i8: 2) acc f32 init 0.0 {
    %0 = read %w[i1, i3 - 3*i7 + 3, i5 - 3*i8 + 3, i6] : f32 over (i1, i3, i5, i6, i7, i8)
    %1 = read %x[i0, i2 + i7 - 1, i4 + i8 - 1, i6] where (0 <= i2 + i7 - 1 < 64, 0 <= i4 + i8 - 1 < 64) : f32 over (i0, i2, i4, i6, i7, i8)
    %2 = binary mul %0, %1 widen {tf32, tf32_factors} : f32 over (i0, i1, i2, i3, i4, i5, i6, i7, i8)
    yield %2
  } : f32 over (i0, i1, i2, i3, i4, i5)
  yield %s to Y
}
