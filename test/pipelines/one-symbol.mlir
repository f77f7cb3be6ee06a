// Products with a symbol for the rows and numbers for everything else, as a model has them, are verified as
// they are planned: sums in parts, the halves of a tile, few and many tiles for a block.

// RUN: dlc-opt %s --split-input-file --pass-pipeline=lower-frontend,tiny-to-ptx-sm90 --no-output
// RUN: dlc-opt %s --split-input-file --pass-pipeline="lower-frontend,tiny-to-ptx-sm90{symbols=[M:2048]}" --no-output

frontend.graph @parts_of_a_sum<M>(%x: tensor<[M, 4096], f16>, %w: tensor<[2304, 4096], f16>) -> tensor<[M, 2304], f16> {
  %a = linear %x, %w acc f32
  %b = exp %a
  output %b as f16
}

// -----

frontend.graph @two_products_in_parts<M>(%x: tensor<[M, 2880], f16>, %w: tensor<[5120, 2880], f16>, %u: tensor<[5120, 2880], f16>) -> tensor<[M, 5120], f16> {
  %a = linear %x, %w acc f32
  %c = linear %x, %u acc f32
  %b = exp %a
  %d = mul %b, %c
  output %d as f16
}

// -----

frontend.graph @two_products_and_a_rest<M>(%x: tensor<[M, 4096], f16>, %w: tensor<[5120, 4096], f16>, %u: tensor<[5120, 4096], f16>) -> tensor<[M, 5120], f16> {
  %a = linear %x, %w acc f32
  %c = linear %x, %u acc f32
  %b = silu %a
  %d = mul %b, %c
  output %d as f16
}

// -----

frontend.graph @gated<M>(%x: tensor<[M, 4096], bf16>, %w: tensor<[14336, 4096], bf16>, %u: tensor<[14336, 4096], bf16>) -> tensor<[M, 14336], bf16> {
  %a = linear %x, %w acc f32
  %b = linear %x, %u acc f32
  %s = silu %a
  %y = mul %s, %b
  output %y as bf16
}
