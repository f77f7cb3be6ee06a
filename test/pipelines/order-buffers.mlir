// Buffers in another order: the numbers of a strided transposed convolution of which the first positions are read, at each layer.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region -o %t.region
// RUN: FileCheck %s --input-file=%t.region
// RUN: dlc-opt %t.region --choose-plan='target=sm90' --region-to-ptx -o %t.ptx
// RUN: dlc-run %s --seed=1 -o %t.npz
// RUN: dlc-run %t.region --seed=1 --check=%t.npz --rtol=1e-5 --atol=1e-5
// RUN: dlc-run %t.ptx --seed=1 --check=%t.npz --rtol=1e-5 --atol=1e-4

// The phases of columns stand before the columns, and softmax reads both along one axis.
// CHECK: read %{{.*}}[{{.*}}i3 mod 2, i3 floordiv 2]
frontend.graph @main(%x: tensor<[2, 16, 8, 9], f32>, %w: tensor<[16, 32, 4, 4], f32>, %b: tensor<[32], f32>) -> tensor<[2, 32, 17, 19], f32> {
  %c = conv_transpose %x, %w bias %b stride [2, 2] pad [1, 1] output_pad [1, 1]
  %y = softmax %c over 1
  output %y
}
