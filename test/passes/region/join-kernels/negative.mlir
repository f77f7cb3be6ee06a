// RUN: dlc-opt %s --join-kernels='symbols=[M:4096]' --split-input-file | FileCheck %s

// Nothing in common.
// CHECK-LABEL: host.func @apart
// CHECK: launch @apart_0
// CHECK: launch @apart_1
host.func @apart<N>(%x: memref<[N], f32>, %y: memref<[N], f32>) -> (memref<[N], f32>, memref<[N], f32>) {
  %a = launch @apart_0<N> (%x) : memref<[N], f32>
  %b = launch @apart_1<N> (%y) : memref<[N], f32>
  return %a, %b
}
region.func private @apart_0<N> iters (n: N) ins (%x: memref<[N], f32>) outs (a: memref<[N], f32> materialize gmem) {
  %0 = read %x[n] : f32 over (n)
  %1 = unary relu %0 : f32 over (n)
  yield %1 to a
}
region.func private @apart_1<N> iters (n: N) ins (%y: memref<[N], f32>) outs (b: memref<[N], f32> materialize gmem) {
  %0 = read %y[n] : f32 over (n)
  %1 = unary exp2 %0 : f32 over (n)
  yield %1 to b
}

// -----

// Neighbours of what the first kernel writes are written by other threads.
// CHECK-LABEL: host.func @neighbours
// CHECK: launch @neighbours_0
// CHECK: launch @neighbours_1
host.func @neighbours(%x: memref<[8], f32>) -> (memref<[8], f32>, memref<[8], f32>) {
  %a = launch @neighbours_0 (%x) : memref<[8], f32>
  %b = launch @neighbours_1 (%x, %a) : memref<[8], f32>
  return %a, %b
}
region.func private @neighbours_0 iters (n: 8) ins (%x: memref<[8], f32>) outs (a: memref<[8], f32> materialize gmem) {
  %0 = read %x[n] : f32 over (n)
  %1 = unary relu %0 : f32 over (n)
  yield %1 to a
}
region.func private @neighbours_1 iters (n: 8) ins (%x: memref<[8], f32>, %a: memref<[8], f32>) outs (b: memref<[8], f32> materialize gmem) {
  %0 = read %x[n] : f32 over (n)
  %1 = read %a[n] : f32 over (n)
  %2 = read %a[n + 1] where (n < 7) : f32 over (n)
  %3 = binary add %0, %1 : f32 over (n)
  %4 = binary add %3, %2 : f32 over (n)
  yield %4 to b
}

// -----

// What stands between reads what the first one writes, and the second one reads what that gives.
// CHECK-LABEL: host.func @kept
// CHECK: launch @kept_0
// CHECK: launch @kept_1
// CHECK: launch @kept_2
host.func @kept<N>(%x: memref<[N], f32>) -> (memref<[N], f32>, memref<[N], f32>) {
  %a = launch @kept_0<N> (%x) : memref<[N], f32>
  %b = launch @kept_1<N> (%a) : memref<[], f32>
  %c = launch @kept_2<N> (%x, %b) : memref<[N], f32>
  return %a, %c
}
region.func private @kept_0<N> iters (n: N) ins (%x: memref<[N], f32>) outs (a: memref<[N], f32> materialize gmem) {
  %0 = read %x[n] : f32 over (n)
  %1 = unary relu %0 : f32 over (n)
  yield %1 to a
}
region.func private @kept_1<N> iters () ins (%a: memref<[N], f32>) outs (b: memref<[], f32> materialize gmem) {
  %1 = reduce sum (n: N) acc f32 init 0.0 {
    %0 = read %a[n] : f32 over (n)
    yield %0
  } : f32 over ()
  yield %1 to b
}
region.func private @kept_2<N> iters (n: N) ins (%x: memref<[N], f32>, %b: memref<[], f32>) outs (c: memref<[N], f32> materialize gmem) {
  %0 = read %x[n] : f32 over (n)
  %1 = read %b[] : f32 over ()
  %2 = broadcast_in_dim %1 to [N] dims [] : f32 over (n)
  %3 = binary mul %0, %2 : f32 over (n)
  yield %3 to c
}

// -----

// Other axes, a kernel that is launched twice, and one that has a plan.
// CHECK-LABEL: host.func @others
// CHECK-COUNT-5: launch
host.func @others<M, N>(%x: memref<[M, N], f32>, %y: memref<[N, M], f32>) -> (memref<[M, N], f32>, memref<[N, M], f32>, memref<[M, N], f32>, memref<[M, N], f32>, memref<[M, N], f32>) {
  %a = launch @relu<M, N> (%x) : memref<[M, N], f32>
  %b = launch @turned<M, N> (%x) : memref<[N, M], f32>
  %c = launch @relu<M, N> (%a) : memref<[M, N], f32>
  %d = launch @planned<M, N> (%x) : memref<[M, N], f32>
  %e = launch @exp<M, N> (%x) : memref<[M, N], f32>
  return %a, %b, %c, %d, %e
}
region.func private @relu<M, N> iters (m: M, n: N) ins (%x: memref<[M, N], f32>) outs (a: memref<[M, N], f32> materialize gmem) {
  %0 = read %x[m, n] : f32 over (m, n)
  %1 = unary relu %0 : f32 over (m, n)
  yield %1 to a
}
region.func private @turned<M, N> iters (n: N, m: M) ins (%x: memref<[M, N], f32>) outs (b: memref<[N, M], f32> materialize gmem) {
  %0 = read %x[m, n] : f32 over (n, m)
  %1 = unary relu %0 : f32 over (n, m)
  yield %1 to b
}
region.func private @planned<M, N> iters (m: M, n: N) ins (%x: memref<[M, N], f32>) outs (d: memref<[M, N], f32> materialize gmem) {
  %0 = read %x[m, n] : f32 over (m, n)
  %1 = unary sqrt %0 : f32 over (m, n)
  yield %1 to d
}
region.func private @exp<M, N> iters (m: M, n: N) ins (%x: memref<[M, N], f32>) outs (e: memref<[M, N], f32> materialize gmem) {
  %0 = read %x[m, n] : f32 over (m, n)
  %1 = unary exp2 %0 : f32 over (m, n)
  yield %1 to e
}
plan.schedule of @planned for sm90 {
  tile (m: 1, n: 128)
  threads (n: 128)
}

// -----

// Kernels that sort: one sorts along one axis.
// CHECK-LABEL: host.func @sorted
// CHECK: launch @sorted_0
// CHECK: launch @sorted_1
host.func @sorted(%x: memref<[8, 4], i32>) -> (memref<[8, 4], i32>, memref<[8, 4], i32>) {
  %a = launch @sorted_0 (%x) : memref<[8, 4], i32>
  %b = launch @sorted_1 (%x) : memref<[8, 4], i32>
  return %a, %b
}
region.func private @sorted_0 iters (m: 8, n: 4) ins (%x: memref<[8, 4], i32>) outs (a: memref<[8, 4], i32> materialize gmem) {
  %0 = read %x[m, n] : i32 over (m, n)
  %1 = sort %0 along m : i32 over (m, n)
  yield %1 to a
}
region.func private @sorted_1 iters (m: 8, n: 4) ins (%x: memref<[8, 4], i32>) outs (b: memref<[8, 4], i32> materialize gmem) {
  %0 = read %x[m, n] : i32 over (m, n)
  %1 = sort %0 along n : i32 over (m, n)
  yield %1 to b
}

// -----

// Rows of different memory, of the same memory at other places, and a product of two rows: each has a kernel of its own.
// CHECK-LABEL: host.func @rows
// CHECK: launch @rows_0
// CHECK: launch @rows_1
// CHECK: launch @rows_2
// CHECK: launch @rows_3
host.func @rows<M, N>(%x: memref<[M, N], f32>, %y: memref<[M, N], f32>) -> (memref<[M], f32>, memref<[M], f32>, memref<[M], f32>, memref<[M], f32>) {
  %a = launch @rows_0<M, N> (%x) : memref<[M], f32>
  %b = launch @rows_1<M, N> (%y) : memref<[M], f32>
  %c = launch @rows_2<M, N> (%x) : memref<[M], f32>
  %d = launch @rows_3<M, N> (%x, %y) : memref<[M], f32>
  return %a, %b, %c, %d
}
region.func private @rows_0<M, N> iters (m: M) ins (%x: memref<[M, N], f32>) outs (a: memref<[M], f32> materialize gmem) {
  %0 = read %x[m, n] : f32 over (m, n)
  %1 = reduce sum (n: N) acc f32 init 0.0 {
    yield %0
  } : f32 over (m)
  yield %1 to a
}
region.func private @rows_1<M, N> iters (m: M) ins (%x: memref<[M, N], f32>) outs (a: memref<[M], f32> materialize gmem) {
  %0 = read %x[m, n] : f32 over (m, n)
  %1 = reduce sum (n: N) acc f32 init 0.0 {
    yield %0
  } : f32 over (m)
  yield %1 to a
}
region.func private @rows_2<M, N> iters (m: M) ins (%x: memref<[M, N], f32>) outs (a: memref<[M], f32> materialize gmem) {
  %0 = read %x[m, N - n - 1] : f32 over (m, n)
  %1 = reduce sum (n: N) acc f32 init 0.0 {
    yield %0
  } : f32 over (m)
  yield %1 to a
}
region.func private @rows_3<M, N> iters (m: M) ins (%x: memref<[M, N], f32>, %y: memref<[M, N], f32>) outs (a: memref<[M], f32> materialize gmem) {
  %0 = read %x[m, n] : f32 over (m, n)
  %1 = read %y[m, n] : f32 over (m, n)
  %2 = binary mul %0, %1 : f32 over (m, n)
  %3 = reduce sum (n: N) acc f32 init 0.0 {
    yield %2
  } : f32 over (m)
  yield %3 to a
}
