tiny.func @scale<M, N>(%X: tensor<[M, N], f32>, %row: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = mul %X, %row
  return %y
}
