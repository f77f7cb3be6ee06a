// Two back-to-back products, with sums and an activation between.
frontend.graph @chain_64_128<Z, M, N>(
    %A: tensor<[Z, M, 64], f16>, %B: tensor<[Z, 64, N], f16>, %C: tensor<[Z, N, 128], f16>,
    %D0: tensor<[Z, M, N], f16>, %D1: tensor<[Z, M, N], f16>, %D2: tensor<[Z, M, 128], f16>)
    -> tensor<[Z, M, 128], f16> {
  %x0 = gemm %A, %B acc f32
  %d0 = cast %D0 to f32
  %d1 = cast %D1 to f32
  %x1 = add %x0, %d0
  %x2 = add %x1, %d1
  %x3 = relu %x2
  %x = cast %x3 to f16
  %y0 = gemm %x, %C acc f32
  %d2 = cast %D2 to f32
  %E = add %y0, %d2
  output %E as f16
}
