// The kernel of section 6.8.1 of the specification, as text: its JSON is what is printed there.

// RUN: dlc-opt %s --emit-json | cmp --json %S/../../../golden/region/gemm-bias-relu.json -

region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128, noalias>, %B: memref<[K, N], f16, col_major, align 128, noalias>, %bias: memref<[N], f16, row_major, align 128, noalias>)
    outs (C: memref<[M, N], f16, row_major, align 128, noalias> materialize gmem) {
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  %bn = read %bias[n] : f16 over (n)
  %bb = broadcast_in_dim %bn to [M, N] dims [1] : f16 over (m, n)
  %c1 = binary add %acc, %bb : f32 over (m, n)
  %c2 = unary relu %c1 : f32 over (m, n)
  yield %c2 to C as f16
}
