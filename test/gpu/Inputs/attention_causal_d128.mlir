// Attention of heads of 128, the heads of all batches being one axis.
frontend.graph @attention_causal_d128<B, S, T>(%Q: tensor<[B, S, 128], f16>, %K: tensor<[B, T, 128], f16>, %V: tensor<[B, T, 128], f16>)
    -> tensor<[B, S, 128], f16> {
  %O = attention %Q, %K, %V causal
  output %O as f16
}
