// Buffers that stay as they are.

// RUN: dlc-opt %s --order-buffers --split-input-file -o %t.text
// RUN: dlc-opt %s --split-input-file | cmp %t.text -

// A result of the program.
host.func @result(%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>) -> memref<[64, 32, 2], f32, row_major, align 128> {
  %y = launch @result_0 (%a, %b) : memref<[64, 32, 2], f32, row_major, align 128>
  return %y
}
region.func private @result_0 iters (m: 64, n: 32, b: 2)
  ins (%a: memref<[64, 8, 2], f32, row_major, align 128>, %b: memref<[8, 32, 2], f32, row_major, align 128>)
  outs (y: memref<[64, 32, 2], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (k: 8) acc f32 init 0.0 {
    %0 = read %a[m, k, b] : f32 over (m, b, k)
    %1 = read %b[k, n, b] : f32 over (n, b, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, b, k)
    yield %2
  } : f32 over (m, n, b)
  yield %y to y
}

// -----

// More positions than a warp reads whole sectors of.
host.func @many(%a: memref<[64, 8, 8], f32, row_major, align 128>, %b: memref<[8, 32, 8], f32, row_major, align 128>) -> memref<[64, 32, 8], f32, row_major, align 128> {
  %0 = launch @many_0 (%a, %b) : memref<[64, 32, 8], f32, row_major, align 128>
  %y = launch @many_1 (%0) : memref<[64, 32, 8], f32, row_major, align 128>
  return %y
}
region.func private @many_0 iters (m: 64, n: 32, b: 8)
  ins (%a: memref<[64, 8, 8], f32, row_major, align 128>, %b: memref<[8, 32, 8], f32, row_major, align 128>)
  outs (y: memref<[64, 32, 8], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (k: 8) acc f32 init 0.0 {
    %0 = read %a[m, k, b] : f32 over (m, b, k)
    %1 = read %b[k, n, b] : f32 over (n, b, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, b, k)
    yield %2
  } : f32 over (m, n, b)
  yield %y to y
}
region.func private @many_1 iters (m: 64, n: 32, b: 8) ins (%v: memref<[64, 32, 8], f32, row_major, align 128>) outs (y: memref<[64, 32, 8], f32, row_major, align 128> materialize gmem) {
  %0 = read %v[m, n, b] : f32 over (m, n, b)
  %y = unary exp2 %0 : f32 over (m, n, b)
  yield %y to y
}

// -----

// No product, and a reader that is one.
host.func @others(%x: memref<[64, 32, 2], f32, row_major, align 128>, %w: memref<[64, 32], f32, row_major, align 128>) -> memref<[64, 32], f32, row_major, align 128> {
  %0 = launch @others_0 (%x) : memref<[64, 32, 2], f32, row_major, align 128>
  %1 = view %0 : memref<[64, 64], f32, row_major, align 128>
  %y = launch @others_1 (%1, %w) : memref<[64, 32], f32, row_major, align 128>
  return %y
}
region.func private @others_0 iters (m: 64, n: 32, b: 2) ins (%v: memref<[64, 32, 2], f32, row_major, align 128>) outs (y: memref<[64, 32, 2], f32, row_major, align 128> materialize gmem) {
  %0 = read %v[m, n, b] : f32 over (m, n, b)
  %y = unary exp2 %0 : f32 over (m, n, b)
  yield %y to y
}
region.func private @others_1 iters (m: 64, n: 32)
  ins (%x: memref<[64, 64], f32, row_major, align 128>, %w: memref<[64, 32], f32, row_major, align 128>)
  outs (y: memref<[64, 32], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (k: 64) acc f32 init 0.0 {
    %0 = read %x[m, k] : f32 over (m, k)
    %1 = read %w[k, n] : f32 over (n, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, k)
    yield %2
  } : f32 over (m, n)
  yield %y to y
}
