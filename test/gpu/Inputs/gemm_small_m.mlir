// Few rows by a matrix that is read once.
// choose-plan: assume=4096 sizes=[512,1024,1536,16x14336x4096,32x14336x4096,64x14336x4096,128x14336x4096]
frontend.graph @gemm_small_m<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B trans_b acc f32
  output %D as f16
}
