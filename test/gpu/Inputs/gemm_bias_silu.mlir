// A product with a bias and an activation after it.
// choose-plan: assume=4096 sizes=[1024]
frontend.graph @gemm_bias_silu<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %p = gemm %A, %B acc f32
  %b = cast %bias to f32
  %s = add %p, %b
  %D = silu %s
  output %D as f16
}
