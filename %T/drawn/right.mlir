// right sm80 1/0: Right(2)
region.func private @gemm<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[N, K], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[n, k] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @gemm for sm80 {
  tile (m: 64, n: 64, k: 32)
  assume (K: 8)
  instruction mma
  warp_tile (m: 32, n: 32)
  stages 2
  cache A in smem
  cache B in smem
  barrier cp_async_group
}
