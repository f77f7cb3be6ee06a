// Axes that share a symbol grow together. What the checker asks is answered for all sizes of each, of both targets.

// RUN: dlc-opt %s --split-input-file --pass-pipeline="tiny-to-region,choose-plan{target=sm80 assume=4096},add-fallback,region-to-ptx" --no-output
// RUN: dlc-opt %s --split-input-file --pass-pipeline="tiny-to-region,choose-plan{target=sm90 assume=4096},add-fallback,region-to-ptx" --no-output

frontend.graph @cube<N>(%A: tensor<[N, N], f16>, %B: tensor<[N, N], f16>) -> tensor<[N, N], f16> {
  %p = gemm %A, %B acc f32
  output %p as f16
}

// -----

frontend.graph @batch<N>(%A: tensor<[N, N, N], bf16>, %B: tensor<[N, N, N], bf16>) -> tensor<[N, N, N], bf16> {
  %p = gemm %A, %B acc f32
  output %p as bf16
}

// -----

frontend.graph @square_attention<S>(%Q: tensor<[S, S, 64], f16>, %K: tensor<[S, S, 64], f16>, %V: tensor<[S, S, 64], f16>)
    -> tensor<[S, S, 64], f16> {
  %o = attention %Q, %K, %V
  output %o as f16
}

// -----

frontend.graph @square_images<B, H>(%X: tensor<[B, H, H, H], f16>, %F: tensor<[H, H, 3, 3], f16>) -> tensor<[B, H, H, H], f16> {
  %y = conv %X, %F pad [1, 1] acc f32
  output %y as f16
}

// -----

frontend.graph @chain<N>(%A: tensor<[N, N], bf16>, %B: tensor<[N, N], bf16>, %C: tensor<[N, N], bf16>) -> tensor<[N, N], bf16> {
  %x0 = gemm %A, %B acc f32
  %x1 = gelu %x0
  %x = cast %x1 to bf16
  %y = gemm %x, %C acc f32
  output %y as bf16
}

// -----

frontend.graph @rows<N>(%X: tensor<[2 * N, N], f16>) -> tensor<[2 * N, N], f16> {
  %y = softmax %X over 1
  output %y as f16
}
