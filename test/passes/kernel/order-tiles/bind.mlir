// The axis that a plan binds to 'block.x' changes fastest; an order that the plan gives counts more.

// RUN: dlc-opt %s --tensorize --order-tiles=planned | FileCheck %s

// CHECK-LABEL: kernel.func @columns
// CHECK: tile_order %tile of ({{.*}}) columns
region.func @columns<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @columns for sm80 {
  tile (m: 64, n: 64, k: 32)
  bind (m.o: block.x, n.o: block.y)
}

// CHECK-LABEL: kernel.func @rows
// CHECK: tile_order %tile of ({{.*}}) rows
region.func @rows<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @rows for sm80 {
  tile (m: 64, n: 64, k: 32)
  bind (m.o: block.y, n.o: block.x)
}

// CHECK-LABEL: kernel.func @ordered
// CHECK: tile_order %tile of ({{.*}}) rows
region.func @ordered<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @ordered for sm80 {
  tile (m: 64, n: 64, k: 32)
  order row
  bind (m.o: block.x, n.o: block.y)
}
