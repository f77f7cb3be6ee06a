// flatten-reductions leaves what has no use for one axis, or no number for its sizes.

// RUN: dlc-opt %s --flatten-reductions --split-input-file --statistics --no-output 2>&1 | FileCheck %s
// CHECK-NOT: {{[1-9][0-9]*}} flattened
// CHECK: 0 flattened
// CHECK-NOT: {{[1-9][0-9]*}} flattened

// The last axis is long enough, and there are many results.
host.func @long(%x: memref<[4, 512, 64], f32, row_major, align 128>) -> memref<[512], f32, row_major, align 128> {
  %y = launch @long_0 (%x) : memref<[512], f32, row_major, align 128>
  return %y
}
region.func private @long_0 iters (c: 512) ins (%x: memref<[4, 512, 64], f32, row_major, align 128>) outs (y: memref<[512], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (n: 4, p: 64) acc f32 init 0.0 {
    %0 = read %x[n, c, p] : f32 over (c, n, p)
    yield %0
  } : f32 over (c)
  yield %y to y
}

// -----

// A window: few neighbours of each result.
host.func @window(%x: memref<[64, 64], f32, row_major, align 128>) -> memref<[57, 57], f32, row_major, align 128> {
  %y = launch @window_0 (%x) : memref<[57, 57], f32, row_major, align 128>
  return %y
}
region.func private @window_0 iters (h: 57, w: 57) ins (%x: memref<[64, 64], f32, row_major, align 128>) outs (y: memref<[57, 57], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (i: 8, j: 8) acc f32 init 0.0 {
    %0 = read %x[h + i, w + j] : f32 over (h, w, i, j)
    yield %0
  } : f32 over (h, w)
  yield %y to y
}

// -----

// The second axis has a symbol of positions.
host.func @symbol<P>(%x: memref<[8, 64, P, 4], f32, row_major, align 128>) -> memref<[64], f32, row_major, align 128> {
  %y = launch @symbol_0<P> (%x) : memref<[64], f32, row_major, align 128>
  return %y
}
region.func private @symbol_0<P> iters (c: 64) ins (%x: memref<[8, 64, P, 4], f32, row_major, align 128>) outs (y: memref<[64], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (n: 8, p: P, q: 4) acc f32 init 0.0 {
    %0 = read %x[n, c, p, q] : f32 over (c, n, p, q)
    yield %0
  } : f32 over (c)
  yield %y to y
}

// -----

// One of the axes is reduced alone, too.
host.func @alone(%x: memref<[8, 64, 16], f32, row_major, align 128>, %z: memref<[64, 16], f32, row_major, align 128>) -> memref<[64], f32, row_major, align 128> {
  %y = launch @alone_0 (%x, %z) : memref<[64], f32, row_major, align 128>
  return %y
}
region.func private @alone_0 iters (c: 64) ins (%x: memref<[8, 64, 16], f32, row_major, align 128>, %z: memref<[64, 16], f32, row_major, align 128>) outs (y: memref<[64], f32, row_major, align 128> materialize gmem) {
  %a = reduce sum (n: 8, p: 16) acc f32 init 0.0 {
    %0 = read %x[n, c, p] : f32 over (c, n, p)
    yield %0
  } : f32 over (c)
  %b = reduce sum (p: 16) acc f32 init 0.0 {
    %1 = read %z[c, p] : f32 over (c, p)
    yield %1
  } : f32 over (c)
  %y = binary add %a, %b : f32 over (c)
  yield %y to y
}

// -----

// A kernel that anyone may launch may have a plan that names its axes.
region.func @public iters (c: 64) ins (%x: memref<[8, 64, 16], f32, row_major, align 128>) outs (y: memref<[64], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (n: 8, p: 16) acc f32 init 0.0 {
    %0 = read %x[n, c, p] : f32 over (c, n, p)
    yield %0
  } : f32 over (c)
  yield %y to y
}
