region.func @gemm<M, N, K> iters (m: M, n: N)
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
