// Two products of the same rows, one of which gates the other.
frontend.graph @swiglu<M, N, K>(%X: tensor<[M, K], f16>, %G: tensor<[N, K], f16>, %U: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  %g = linear %X, %G acc f32
  %u = linear %X, %U acc f32
  %s = silu %g
  %y = mul %s, %u
  output %y as f16
}
