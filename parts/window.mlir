frontend.graph @f<N, W>(%x: tensor<[N, 3, 4, W], f16>, %w: tensor<[8, 3, 3, 3], f16>) {
  %y = conv %x, %w dilation [2, 2]
  output
}

// Weights for other channels.
// CHANNELS: [E1221] Error: 'frontend.conv': the input has 64 channels, but weights of [64, 64, 3, 3] take 128 (2 groups)
// CHANNELS-NEXT: parts/channels.mlir:2:8
// CHANNELS: Help: axis 'in' of the weights has the channels of the input divided by 'groups'

