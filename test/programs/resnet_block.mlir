// A block of ResNet that halves the image: two convolutions with normalization, and the input, projected, added.
frontend.graph @resnet_block<N, H, W>(
    %x: tensor<[N, 64, H, W], f16> {role = "data"},
    %w1: tensor<[128, 64, 3, 3], f16> {role = "param"},
    %mean1: tensor<[128], f32> {role = "param"}, %var1: tensor<[128], f32> {role = "param"},
    %scale1: tensor<[128], f32> {role = "param"}, %shift1: tensor<[128], f32> {role = "param"},
    %w2: tensor<[128, 128, 3, 3], f16> {role = "param"},
    %mean2: tensor<[128], f32> {role = "param"}, %var2: tensor<[128], f32> {role = "param"},
    %scale2: tensor<[128], f32> {role = "param"}, %shift2: tensor<[128], f32> {role = "param"},
    %w3: tensor<[128, 64, 1, 1], f16> {role = "param"},
    %mean3: tensor<[128], f32> {role = "param"}, %var3: tensor<[128], f32> {role = "param"},
    %scale3: tensor<[128], f32> {role = "param"}, %shift3: tensor<[128], f32> {role = "param"}
) -> tensor<[N, 128, (H + 1) floordiv 2, (W + 1) floordiv 2], f16> {
  %c1 = conv %x, %w1 stride [2, 2] pad [1, 1] acc f32
  %n1 = batch_norm %c1 mean %mean1 variance %var1 weight %scale1 bias %shift1
  %r1 = relu %n1
  %h1 = cast %r1 to f16
  %c2 = conv %h1, %w2 pad [1, 1] acc f32
  %n2 = batch_norm %c2 mean %mean2 variance %var2 weight %scale2 bias %shift2
  %c3 = conv %x, %w3 stride [2, 2] acc f32
  %n3 = batch_norm %c3 mean %mean3 variance %var3 weight %scale3 bias %shift3
  %s = add %n2, %n3
  %y = relu %s
  output %y as f16
}
