// A strided transposed convolution reads each phase by taps of its own. Where a tile has one phase, TMA brings both factors,
// and the taps that multiply zeros are left out; where the result ends within a phase, guards say more than where the memory
// ends, and no plan requires TMA. Nothing of the plans is left undone.

// RUN: dlc-opt %s --lower-frontend --split-input-file --tiny-to-plan=target=sm90 | FileCheck %s
// RUN: dlc-opt %s --lower-frontend --split-input-file --tiny-to-plan=target=sm90 --region-to-ptx --no-output 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: requires TMA

// CHECK-LABEL: host.func @phases
// CHECK: where (-i3 + 2*i9 + 1 < 3
// CHECK: plan.schedule of @phases_0 for sm90
// CHECK-NEXT: tile (i0: 1, i1: 64, i2: 1, i3: 1, i4: {{[0-9]+}}, i5: 1, i6: 32, i7: 1, i8: 32)
// CHECK-NEXT: instruction wgmma [64, 64, 8] as tf32
// CHECK-NOT: persistent
// CHECK: store fragments
// CHECK-NEXT: algo (load_x: im2col)
frontend.graph @phases(%w: tensor<[32, 64, 3, 3, 3], f32>, %x: tensor<[32, 32, 16, 32, 32], f32>) -> tensor<[32, 64, 32, 64, 64], f32> {
  %y = conv_transpose %x, %w stride [2, 2, 2] pad [1, 1, 1] output_pad [1, 1, 1] tf32
  output %y
}

// -----

// CHECK-LABEL: host.func @ends
// CHECK: where (-i3 + 2*i9 + 1 < 3
// CHECK: plan.schedule of @ends_0 for sm90
// CHECK-NOT: wgmma
// CHECK: instruction mma [16, 8, 8] as tf32
frontend.graph @ends(%w: tensor<[32, 32, 3, 3, 3], f32>, %x: tensor<[4, 32, 32, 64, 128], f32>) -> tensor<[4, 32, 63, 127, 255], f32> {
  %y = conv_transpose %x, %w stride [2, 2, 2] pad [1, 1, 1] tf32
  output %y
}
