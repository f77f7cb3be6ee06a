// A plan that no kernel can follow is refused with the number.

// RUN: dlc-opt %s --tensorize --verify-diagnostics --split-input-file

// expected-error@+1 {{E1710 'region.func': the tile along (m) is 48, which is no power of two}}
region.func @odd<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f32>, %B: memref<[K, N], f32>) outs (C: memref<[M, N], f32> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f32 over (m, k)
    %b = read %B[k, n] : f32 over (n, k)
    %ab = binary mul %a, %b : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @odd for sm90 {
  tile (m: 48, n: 32, k: 32)
  instruction fma
}
