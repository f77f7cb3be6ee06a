// Rows of a table that another tensor names.
frontend.graph @gather<B, S, D>(%W: tensor<[8, D], f16>, %T: tensor<[B, S], i64>) -> tensor<[B, S, D], f16> {
  %y = embedding %W[%T]
  output %y as f16
}
