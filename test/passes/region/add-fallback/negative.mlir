// RUN: dlc-opt %s -o %t.mlir
// RUN: dlc-opt %t.mlir --add-fallback | cmp %t.mlir -

// A kernel for all sizes, one without a plan, and one that nothing launches.
host.func @program<M, K>(%x: memref<[M, K], f16, row_major, align 16>, %w: memref<[K, 64], f16, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> {
  %y = launch @gemm<M, 64, K> where (M <= 8) else @none<M, 64, K> (%x, %w) : memref<[M, 64], f32, row_major, align 16>
  return %y
}
region.func private @gemm<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @gemm for sm80 {
  tile (m: 64, n: 64, k: 64)
  instruction mma
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  barrier cp_async_group
}
region.func private @none<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
region.func @alone<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @alone for sm90 {
  tile (m: 64, n: 64, k: 64)
  assume (K: 8)
  instruction wgmma
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
}
