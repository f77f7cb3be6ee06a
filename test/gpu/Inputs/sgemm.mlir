// A product of matrices without tensor cores.
frontend.graph @sgemm<M, N, K>(%A: tensor<[M, K], f32>, %B: tensor<[K, N], f32>) -> tensor<[M, N], f32> {
  %D = gemm %A, %B acc f32
  output %D as f32
}
