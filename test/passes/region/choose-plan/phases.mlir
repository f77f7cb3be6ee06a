// What is read at quotients of an axis is read element by element, and results along that axis are stored as vectors.

// RUN: dlc-opt %s --choose-plan='target=sm90' | FileCheck %s

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
