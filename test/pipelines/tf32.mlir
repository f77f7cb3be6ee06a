// The mark that factors may be rounded to tf32 goes from a graph to the plan, through the phases of a strided convolution too.

// RUN: dlc-opt %s --tiny-to-region | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline='tiny-to-region,choose-plan{target=sm90}' | FileCheck %s --check-prefix=PLAN

// CHECK-COUNT-2: binary mul %{{.+}}, %{{.+}} widen {tf32}
// PLAN: instruction wgmma [64, {{[0-9]+}}, 8] as tf32{{$}}
// PLAN: instruction wgmma [64, 64, 8] as tf32{{$}}
frontend.graph @main(%x: tensor<[8, 64, 32, 32], f32>, %w: tensor<[64, 64, 3, 3], f32>, %v: tensor<[64, 64, 4, 4], f32>) -> tensor<[8, 64, 64, 64], f32> {
  %y = conv %x, %w pad [1, 1] tf32
  %z = conv_transpose %y, %v stride [2, 2] pad [1, 1] tf32
  output %z
}
