// A strided transposed convolution reads each phase by taps of its own: its guards say more than where the memory ends, so no
// plan requires TMA for them, and nothing of the plan is left undone.

// RUN: dlc-opt %s --lower-frontend --tiny-to-plan=target=sm90 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx --no-output 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty

// CHECK: where (-i3 + 2*i9 + 1 < 3
// CHECK: plan.schedule of @phases_0 for sm90
// CHECK-NOT: wgmma
// CHECK: instruction mma [16, 8, 8] as tf32
// QUIET-NOT: requires TMA
frontend.graph @phases(%w: tensor<[32, 32, 3, 3, 3], f32>, %x: tensor<[4, 32, 32, 64, 128], f32>) -> tensor<[4, 32, 63, 127, 255], f32> {
  %y = conv_transpose %x, %w stride [2, 2, 2] pad [1, 1, 1] tf32
  output %y
}
