// A clause that changes nothing is a warning in a plan for one target, and a remark in one for several.

// RUN: dlc-opt %s --tensorize --verify-diagnostics --split-input-file

region.func @one<M, N, K> iters (m: M, n: N)
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
plan.schedule of @one for sm90 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  // expected-warning@+1 {{E1614 'plan.schedule': 'threads' of the plan changes nothing: 'mma' decides which elements a thread has}}
  threads (m: 4, n: 32)
  vectorize n.i by 8
  algo (matmul: implicit_gemm)
}

// -----

region.func @several<M, N, K> iters (m: M, n: N)
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
plan.schedule of @several for sm80 or sm90 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  threads (m: 4, n: 32)
}
