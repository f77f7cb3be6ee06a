// A block of GPT-2: causal attention of twelve heads, then two layers with a GELU between them, each added to its input.
frontend.graph @gpt2_block<B, S>(
    %x: tensor<[B, S, 768], f16> {role = "data"},
    %g1: tensor<[768], f16> {role = "param"}, %b1: tensor<[768], f16> {role = "param"},
    %wqkv: tensor<[2304, 768], f16> {role = "param"}, %bqkv: tensor<[2304], f16> {role = "param"},
    %wo: tensor<[768, 768], f16> {role = "param"}, %bo: tensor<[768], f16> {role = "param"},
    %g2: tensor<[768], f16> {role = "param"}, %b2: tensor<[768], f16> {role = "param"},
    %w1: tensor<[3072, 768], f16> {role = "param"}, %c1: tensor<[3072], f16> {role = "param"},
    %w2: tensor<[768, 3072], f16> {role = "param"}, %c2: tensor<[768], f16> {role = "param"}
) -> tensor<[B, S, 768], f16> {
  %n1 = layer_norm %x weight %g1 bias %b1
  %qkv0 = linear %n1, %wqkv bias %bqkv acc f32
  %qkv1 = cast %qkv0 to f16
  %qkv2 = reshape %qkv1 to [B, S, 36, 64]
  %qkv = transpose %qkv2 by [0, 2, 1, 3]
  %q, %k, %v = split %qkv over 1 into [12, 12, 12]
  %a0 = attention %q, %k, %v causal
  %a1 = transpose %a0 by [0, 2, 1, 3]
  %a = reshape %a1 to [B, S, 768]
  %o = linear %a, %wo bias %bo acc f32
  %h0 = add %x, %o
  %h = cast %h0 to f16
  %n2 = layer_norm %h weight %g2 bias %b2
  %f0 = linear %n2, %w1 bias %c1 acc f32
  %f1 = gelu %f0 approximate tanh
  %f = cast %f1 to f16
  %m = linear %f, %w2 bias %c2 acc f32
  %y = add %h, %m
  output %y as f16
}
