// flatten-reductions: reductions whose last axis is shorter than a warp, or too short for the machine, go along one axis.

// RUN: dlc-opt %s --flatten-reductions --split-input-file | FileCheck %s
// RUN: dlc-opt %s --flatten-reductions --split-input-file --evaluate-each --no-output
// RUN: dlc-opt %s --flatten-reductions --split-input-file --statistics --no-output 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: dlc-opt %s --flatten-reductions --split-input-file --debug-counter=flatten-reductions/flatten=0 --statistics --no-output 2>&1 | FileCheck %s --check-prefix=NONE
// STATISTICS: 2 flattened
// NONE: 0 flattened

// Both sums go along the same axis; what is read along one of its parts alone is read at that part.
// CHECK-LABEL: region.func private @f_0<N> iters (c: 64)
// CHECK: reduce sum (n: 16*N) acc f32
// CHECK: read %x[n floordiv 16, c, n mod 16] : f32 over (c, n)
// CHECK: read %w[n floordiv 16] : f32 over (n)
// CHECK: broadcast_in_dim %{{.*}} to [64, 16*N] dims [1] : f32 over (c, n)
// CHECK: reduce sum (n: 16*N) acc f32
// CHECK: read %x[n floordiv 16, c, n mod 16]
host.func @f<N>(%x: memref<[N, 64, 16], f32, row_major, align 128>, %w: memref<[N], f32, row_major, align 128>) -> memref<[64], f32, row_major, align 128> {
  %y = launch @f_0<N> (%x, %w) : memref<[64], f32, row_major, align 128>
  return %y
}
region.func private @f_0<N> iters (c: 64) ins (%x: memref<[N, 64, 16], f32, row_major, align 128>, %w: memref<[N], f32, row_major, align 128>) outs (y: memref<[64], f32, row_major, align 128> materialize gmem) {
  %a = reduce sum (n: N, p: 16) acc f32 init 0.0 {
    %0 = read %x[n, c, p] : f32 over (c, n, p)
    %1 = read %w[n] : f32 over (n)
    %2 = broadcast_in_dim %1 to [64, N, 16] dims [1] : f32 over (c, n, p)
    %3 = binary mul %0, %2 : f32 over (c, n, p)
    yield %3
  } : f32 over (c)
  %b = reduce sum (n: N, p: 16) acc f32 init 0.0 {
    %4 = read %x[n, c, p] : f32 over (c, n, p)
    yield %4
  } : f32 over (c)
  %y = binary add %a, %b : f32 over (c)
  yield %y to y
}

// -----

// Rolled rows, of which the guards know the part: three axes are one.
// CHECK-LABEL: region.func private @rolled_0 iters (c: 8)
// CHECK: reduce sum (n: 1000) acc f32
// CHECK: read %x[n floordiv 100, (n floordiv 10) mod 10 + 7, n mod 10, c] where ((n floordiv 10) mod 10 < 3)
// CHECK: read %x[n floordiv 100, (n floordiv 10) mod 10 - 3, n mod 10, c] where (0 <= (n floordiv 10) mod 10 - 3)
host.func @rolled(%x: memref<[10, 10, 10, 8], f32, row_major, align 128>) -> memref<[8], f32, row_major, align 128> {
  %y = launch @rolled_0 (%x) : memref<[8], f32, row_major, align 128>
  return %y
}
region.func private @rolled_0 iters (c: 8) ins (%x: memref<[10, 10, 10, 8], f32, row_major, align 128>) outs (y: memref<[8], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (n: 10, h: 10, w: 10) acc f32 init 0.0 {
    %0 = read %x[n, h + 7, w, c] where (h < 3) : f32 over (c, n, h, w)
    %1 = read %x[n, h - 3, w, c] where (0 <= h - 3) : f32 over (c, n, h, w)
    %2 = binary add %0, %1 : f32 over (c, n, h, w)
    yield %2
  } : f32 over (c)
  yield %y to y
}

// -----

// The last axis is long enough for a warp, but with one result not for the machine; 36*h + w goes on as one.
// CHECK-LABEL: region.func private @few_0 iters ()
// CHECK: reduce sum (n: 230400) acc f32
// CHECK: read %x[n floordiv 57600, n mod 57600]
host.func @few(%x: memref<[4, 57600], f32, row_major, align 128>) -> memref<[], f32, row_major, align 128> {
  %y = launch @few_0 (%x) : memref<[], f32, row_major, align 128>
  return %y
}
region.func private @few_0 iters () ins (%x: memref<[4, 57600], f32, row_major, align 128>) outs (y: memref<[], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (n: 4, h: 1600, w: 36) acc f32 init 0.0 {
    %0 = read %x[n, 36*h + w] : f32 over (n, h, w)
    yield %0
  } : f32 over ()
  yield %y to y
}

// -----

// A gradient of a filter: each tap goes over all pixels.
// CHECK-LABEL: region.func private @taps_0 iters (c: 4, t: 3)
// CHECK: reduce sum (n: 128) acc f32
// CHECK: read %x[n floordiv 16, c, t + n mod 16 - 1] where (0 <= t + n mod 16 - 1 < 16)
host.func @taps(%x: memref<[8, 4, 16], f32, row_major, align 128>) -> memref<[4, 3], f32, row_major, align 128> {
  %y = launch @taps_0 (%x) : memref<[4, 3], f32, row_major, align 128>
  return %y
}
region.func private @taps_0 iters (c: 4, t: 3) ins (%x: memref<[8, 4, 16], f32, row_major, align 128>) outs (y: memref<[4, 3], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (n: 8, p: 16) acc f32 init 0.0 {
    %0 = read %x[n, c, t + p - 1] where (0 <= t + p - 1 < 16) : f32 over (c, t, n, p)
    yield %0
  } : f32 over (c, t)
  yield %y to y
}
