// share-axes: reductions of the same sizes go along the same axis, whatever they read.

// RUN: dlc-opt %s --share-axes --split-input-file | FileCheck %s
// RUN: dlc-opt %s --share-axes --split-input-file --evaluate-each --no-output

// The third one has another size.
// CHECK-LABEL: region.func @alike<K> iters (c: 64)
// CHECK: reduce sum (i: K) acc f32
// CHECK: read %a[i, c]
// CHECK: reduce sum (i: K) acc f32
// CHECK: read %b[i, c]
// CHECK: reduce sum (k: 7) acc f32
region.func @alike<K> iters (c: 64) ins (%a: memref<[K, 64], f32, row_major, align 4>, %b: memref<[K, 64], f32, row_major, align 4>, %d: memref<[7, 64], f32, row_major, align 4>) outs (Y: memref<[64], f32, row_major, align 4> materialize gmem) {
  %x = reduce sum (i: K) acc f32 init 0.0 {
    %0 = read %a[i, c] : f32 over (c, i)
    yield %0
  } : f32 over (c)
  %y = reduce sum (j: K) acc f32 init 0.0 {
    %1 = read %b[j, c] : f32 over (c, j)
    yield %1
  } : f32 over (c)
  %z = reduce sum (k: 7) acc f32 init 0.0 {
    %2 = read %d[k, c] : f32 over (c, k)
    yield %2
  } : f32 over (c)
  %s = binary add %x, %y : f32 over (c)
  %r = binary add %s, %z : f32 over (c)
  yield %r to Y
}

// -----

// A product of matrices has tiles of its own: its sum keeps its axis.
// CHECK-LABEL: region.func @product
// CHECK: reduce sum (i: 64) acc f32
// CHECK: reduce sum (j: 64) acc f32
region.func @product iters (m: 64, n: 64) ins (%a: memref<[64, 64], f32, row_major, align 4>, %b: memref<[64, 64], f32, row_major, align 4>, %d: memref<[64, 64], f32, row_major, align 4>) outs (Y: memref<[64, 64], f32, row_major, align 4> materialize gmem) {
  %x = reduce sum (i: 64) acc f32 init 0.0 {
    %0 = read %a[m, i] : f32 over (m, i)
    %1 = read %b[i, n] : f32 over (n, i)
    %2 = binary mul %0, %1 : f32 over (m, n, i)
    yield %2
  } : f32 over (m, n)
  %y = reduce sum (j: 64) acc f32 init 0.0 {
    %3 = read %d[m, j] : f32 over (m, j)
    yield %3
  } : f32 over (m)
  %4 = broadcast_in_dim %y to [64, 64] dims [0] : f32 over (m, n)
  %r = binary add %x, %4 : f32 over (m, n)
  yield %r to Y
}

// -----

// Two products with the same results have one loop.
// CHECK-LABEL: region.func @products
// CHECK: reduce sum (i: 64) acc f32
// CHECK: reduce sum (i: 64) acc f32
region.func @products iters (m: 64, n: 64) ins (%a: memref<[64, 64], f32, row_major, align 4>, %b: memref<[64, 64], f32, row_major, align 4>, %c: memref<[64, 64], f32, row_major, align 4>, %d: memref<[64, 64], f32, row_major, align 4>) outs (Y: memref<[64, 64], f32, row_major, align 4> materialize gmem) {
  %x = reduce sum (i: 64) acc f32 init 0.0 {
    %0 = read %a[m, i] : f32 over (m, i)
    %1 = read %b[i, n] : f32 over (n, i)
    %2 = binary mul %0, %1 : f32 over (m, n, i)
    yield %2
  } : f32 over (m, n)
  %y = reduce sum (j: 64) acc f32 init 0.0 {
    %3 = read %c[m, j] : f32 over (m, j)
    %4 = read %d[j, n] : f32 over (n, j)
    %5 = binary mul %3, %4 : f32 over (m, n, j)
    yield %5
  } : f32 over (m, n)
  %r = binary add %x, %y : f32 over (m, n)
  yield %r to Y
}
