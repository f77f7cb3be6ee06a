// Causal attention whose keys are in parts, by threads that copy: verified for sm80 and sm90. The first has 72 blocks, of which
// only some of the last part meet no keys; the second multiplies f32 in tiles of few keys.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm80 symbols=[A:16,B:64,C:64,D:2]},add-fallback,region-to-ptx' -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm90 symbols=[A:72,B:96,C:40,D:2]},add-fallback,region-to-ptx' -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm90 symbols=[A:64,B:128,C:256,D:3]},add-fallback,region-to-ptx' -o /dev/null

frontend.graph @heads(%x0: tensor<[3, 200, 384], f16>, %x1: tensor<[128, 128], f16>) -> tensor<[3, 200, 128], f16> {
  %v1 = slice %x0 from [0, 0, 0] to [3, 200, 128]
  %v2 = reshape %v1 to [3, 200, 2, 64]
  %v3 = transpose %v2 by [0, 2, 1, 3]
  %v4 = slice %x0 from [0, 0, 128] to [3, 200, 256]
  %v5 = reshape %v4 to [3, 200, 2, 64]
  %v6 = transpose %v5 by [0, 2, 1, 3]
  %v7 = slice %x0 from [0, 0, 256] to [3, 200, 384]
  %v8 = reshape %v7 to [3, 200, 2, 64]
  %v9 = transpose %v8 by [0, 2, 1, 3]
  %v10 = attention %v3, %v6, %v9 causal
  %v11 = transpose %v10 by [0, 2, 1, 3]
  %v12 = reshape %v11 to [3, 200, 128]
  %v13 = linear %v12, %x1 acc f32
  %v14 = cast %v13 to f16
  output %v14
}

frontend.graph @f32_causal<A, B, C, D>(%x0: tensor<[D, 2, B, A], f32>, %x1: tensor<[D, 1, C, A], f32>, %x2: tensor<[D, 1, C, A], f32>) -> tensor<[D, 2, B, A], f32> {
  %v1 = attention %x0, %x1, %x2 causal
  %v2 = tanh %v1
  output %v2
}
