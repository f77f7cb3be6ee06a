// Attention of heads of 64, the heads of all batches being one axis.
// choose-plan: assume=4096 sizes=[192x512x512]
frontend.graph @attention_causal_d64<B, S, T>(%Q: tensor<[B, S, 64], f16>, %K: tensor<[B, T, 64], f16>, %V: tensor<[B, T, 64], f16>)
    -> tensor<[B, S, 64], f16> {
  %O = attention %Q, %K, %V causal
  output %O as f16
}
