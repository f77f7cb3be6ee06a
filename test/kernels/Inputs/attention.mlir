frontend.graph @attention<B, S, T>(%Q: tensor<[B, S, 128], f16>, %K: tensor<[B, T, 128], f16>, %V: tensor<[B, T, 128], f16>)
    -> tensor<[B, S, 128], f16> {
  %q = cast %Q to f32
  %k = cast %K to f32
  %v = cast %V to f32
  %O = attention %q, %k, %v
  output %O as f16
}
