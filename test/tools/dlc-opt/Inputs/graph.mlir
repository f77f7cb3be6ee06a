tiny.func @gemm<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = relu %x
  return %y
}
