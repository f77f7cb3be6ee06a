frontend.graph @attention<B, S>(%q: tensor<[B, 2, S, 64], bf16>, %k: tensor<[B, 2, S, 64], bf16>, %v: tensor<[B, 2, S, 64], bf16>) -> tensor<[B, 2, S, 64], bf16> {
  %j = arange : tensor<[S], i64>
  %i = reshape %j to [S, 1]
  %d = sub %i, %j
  %zero = full 0 : tensor<[], i64>
  %w = full 36 : tensor<[], i64>
  %before = ge %d, %zero
  %near = lt %d, %w
  %m = bitwise_and %before, %near
  %y = attention %q, %k, %v mask %m
  output %y as bf16
}
