// Of a product of matrices, axes of one position are taken away that the product has not. A product of a matrix and a vector
// is a sum of rows, which has no axis of one position.

// RUN: dlc-opt %s --merge-axes | FileCheck %s

// CHECK-LABEL: host.func @f
// CHECK: launch @product (%x, %w) : memref<[2, 432], f32
// CHECK: view
// CHECK-SAME: memref<[2, 432, 1, 1], f32
// CHECK: %[[V:.+]] = view %v : memref<[64], f32
// CHECK: launch @row (%[[V]], %w) : memref<[432], f32
host.func @f(%x: memref<[2, 64], f32, row_major, align 128>, %v: memref<[1, 64], f32, row_major, align 128>, %w: memref<[432, 64], f32, row_major, align 128>, %a: memref<[64, 32], f32, row_major, align 128>, %b: memref<[1, 64, 3], f32, row_major, align 128>) -> (memref<[2, 432, 1, 1], f32, row_major, align 128>, memref<[1, 432], f32, row_major, align 128>, memref<[1, 30], f32, row_major, align 128>) {
  %y = launch @product (%x, %w) : memref<[2, 432, 1, 1], f32, row_major, align 128>
  %z = launch @row (%v, %w) : memref<[1, 432], f32, row_major, align 128>
  %v0 = launch @window (%a, %b) : memref<[1, 30], f32, row_major, align 128>
  return %y, %z, %v0
}
// CHECK: region.func private @product iters (m: 2, n: 432)
// CHECK-NOT: broadcast_in_dim
// CHECK: region.func private @row iters (n: 432)
region.func private @product iters (m: 2, n: 432, a: 1, b: 1)
    ins (%x: memref<[2, 64], f32, row_major, align 128>, %w: memref<[432, 64], f32, row_major, align 128>)
    outs (y: memref<[2, 432, 1, 1], f32, row_major, align 128> materialize gmem) {
  %0 = reduce sum (k: 64) acc f32 init 0.0 {
    %1 = read %x[m, k] : f32 over (m, k)
    %2 = read %w[n, k] : f32 over (n, k)
    %3 = binary mul %1, %2 widen : f32 over (m, n, k)
    yield %3
  } : f32 over (m, n)
  %4 = broadcast_in_dim %0 to [2, 432, 1, 1] dims [0, 1] : f32 over (m, n, a, b)
  yield %4 to y
}
region.func private @row iters (m: 1, n: 432)
    ins (%x: memref<[1, 64], f32, row_major, align 128>, %w: memref<[432, 64], f32, row_major, align 128>)
    outs (y: memref<[1, 432], f32, row_major, align 128> materialize gmem) {
  %0 = reduce sum (k: 64) acc f32 init 0.0 {
    %1 = read %x[m, k] : f32 over (m, k)
    %2 = read %w[n, k] : f32 over (n, k)
    %3 = binary mul %1, %2 widen : f32 over (m, n, k)
    yield %3
  } : f32 over (m, n)
  yield %0 to y
}

// A convolution with one channel of results has windows, and stays a product.
// CHECK: region.func private @window iters (c: 1, n: 30)
region.func private @window iters (c: 1, n: 30)
    ins (%x: memref<[64, 32], f32, row_major, align 128>, %w: memref<[1, 64, 3], f32, row_major, align 128>)
    outs (y: memref<[1, 30], f32, row_major, align 128> materialize gmem) {
  %0 = reduce sum (k: 64, r: 3) acc f32 init 0.0 {
    %1 = read %w[c, k, r] : f32 over (c, k, r)
    %2 = read %x[k, n + r] : f32 over (n, k, r)
    %3 = binary mul %1, %2 widen : f32 over (c, n, k, r)
    yield %3
  } : f32 over (c, n)
  yield %0 to y
}
