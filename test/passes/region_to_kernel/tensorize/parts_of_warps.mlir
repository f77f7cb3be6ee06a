// Lanes of a warp share several rows, or several positions along what is reduced below each other, where a plan has fewer
// threads along an axis than a warp; and a product whose tile has one position along an axis between rows and columns.

// RUN: dlc-opt %s --tensorize --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --function=program --shape=B=2,M=37,N=75,K=40 --seed=0 -o %t.npz
// RUN: dlc-run %t.mlir --function=program --shape=B=2,M=37,N=75,K=40 --seed=0 --check=%t.npz --rtol=1e-3 --atol=1e-3
// RUN: dlc-run %t.ptx.mlir --function=program --shape=B=2,M=37,N=75,K=40 --seed=0 --check=%t.npz --rtol=1e-3 --atol=1e-3

host.func @program<B, M, N, K>(%x: memref<[M, N], f32, row_major, align 16>,
      %a: memref<[M, B, K], f16, row_major, align 16>, %b: memref<[K, B, N], f16, row_major, align 16>)
    -> (memref<[M], f32, row_major, align 16>, memref<[N], f32, row_major, align 16>, memref<[M, B, N], f32, row_major, align 16>) {
  %s = launch @rows<M, N> (%x) : memref<[M], f32, row_major, align 16>
  %t = launch @columns<M, N> (%x) : memref<[N], f32, row_major, align 16>
  %y = launch @between<B, M, N, K> (%a, %b) : memref<[M, B, N], f32, row_major, align 16>
  return %s, %t, %y
}

// CHECK-LABEL: kernel.func private @rows<
// CHECK: load %X{{.*}} : frag<[16, 32], f32, blocked [1, 2] lanes [4, 8] warps [2, 1]>
// CHECK: reduce sum %{{.*}} along 1 : frag<[16]
region.func private @rows<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 16>) outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  yield %s to Y
}
plan.schedule of @rows for sm80 {
  tile (m: 16, n: 32)
  reduced [n]
  thread_tile (n: 2)
  threads (m: 8, n: 8)
}

// CHECK-LABEL: kernel.func private @columns<
// CHECK: load %X{{.*}} : frag<[16, 32], f32, blocked [2, 1] lanes [8, 4] warps [1, 2]>
// CHECK: reduce sum %{{.*}} along 1 through %{{.*}} : frag<[16]
region.func private @columns<M, N> iters (n: N)
    ins (%X: memref<[M, N], f32, row_major, align 16>) outs (Y: memref<[N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (m: M) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (n)
  yield %s to Y
}
plan.schedule of @columns for sm80 {
  tile (n: 16, m: 32)
  reduced [m]
  thread_tile (n: 2)
  threads (n: 8, m: 8)
}

// CHECK-LABEL: kernel.func private @between<
// CHECK: mma %
region.func private @between<B, M, N, K> iters (m: M, b: B, n: N)
    ins (%A: memref<[M, B, K], f16, row_major, align 16>, %W: memref<[K, B, N], f16, row_major, align 16>)
    outs (Y: memref<[M, B, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, b, k] : f16 over (m, b, k)
    %w = read %W[k, b, n] : f16 over (b, n, k)
    %aw = binary mul %a, %w widen : f32 over (m, b, n, k)
    yield %aw
  } : f32 over (m, b, n)
  yield %s to Y
}
plan.schedule of @between for sm80 {
  tile (m: 32, b: 1, n: 16, k: 32)
  reduced [k]
  instruction mma
  cache A in smem
  cache W in smem
}
