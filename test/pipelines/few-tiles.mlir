// Few of many tiles: what the checker asks of blocks with several tiles is answered for all sizes.

// RUN: dlc-opt %s --split-input-file --pass-pipeline="tiny-to-region,choose-plan{target=sm90 assume=4096},add-fallback,region-to-ptx" --no-output

// One step for a tile: a block has three tiles at least, at the least size as at all others.
frontend.graph @gemm<M>(%a: tensor<[M, 56], f16>, %b: tensor<[56, 21464], f16>) -> tensor<[M, 21464], f16> {
  %y = gemm %a, %b acc f32
  output %y as f16
}

// -----

// The same of images.
frontend.graph @conv<B>(%x: tensor<[B, 64, 256, 256], bf16>, %w: tensor<[2, 64, 1, 1], bf16>) -> tensor<[B, 2, 256, 256], bf16> {
  %y = conv %x, %w stride [1, 1] pad [0, 0] groups 1 acc f32
  output %y as bf16
}

// -----

// Two groups take tiles in turns: rings are of use for as many tiles of each.
frontend.graph @gemm<M>(%a: tensor<[M, 199], f16>, %b: tensor<[199, 500], f16>) -> tensor<[M, 500], f16> {
  %y = gemm %a, %b acc f32
  output %y as f16
}

// -----

// The same where rows are copied first.
frontend.graph @gemm<M>(%a: tensor<[5408, M], bf16>, %b: tensor<[5408, 3036], bf16>) -> tensor<[M, 3036], bf16> {
  %y = gemm %a, %b trans_a acc f32
  output %y as bf16
}

// -----

// A group begins at a stage that is a remainder of its number, turned around.
frontend.graph @gemm<M>(%a: tensor<[M, 200], f16>, %b: tensor<[1216, 200], f16>) -> tensor<[M, 1216], f16> {
  %y = gemm %a, %b trans_b acc f32
  output %y as f16
}

// -----

// Seven tiles ahead.
frontend.graph @gemm<M>(%a: tensor<[40, M], f16>, %b: tensor<[32136, 40], f16>) -> tensor<[M, 32136], f16> {
  %y = gemm %a, %b trans_a trans_b acc f32
  output %y as f16
}
