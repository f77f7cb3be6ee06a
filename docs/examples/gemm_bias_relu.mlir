// Y = relu(X @ W + bias), for matrices of any size.
tiny.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %s = contract %X [m, k], %W [k, n] to [m, n] acc f32
  %b = add %s, %bias
  %r = relu %b
  %y = cast %r to f16
  return %y
}
