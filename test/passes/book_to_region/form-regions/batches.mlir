// A convolution that is normalized by its own mean and variance: it is stored, and the mean is taken from it where it is
// read again, which takes fewer bytes than to store the differences.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region' | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region' --remarks --remarks-filter=form-regions -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// CHECK-LABEL: host.func @normalized
// CHECK: %c = launch
// CHECK: %m = launch
// CHECK: launch {{.*}} : memref<[96], f32
// CHECK: %y = launch
// CHECK-NOT: launch
// CHECK: return
// WHY: kernels compute it, each for itself
frontend.graph @normalized(%x: tensor<[2, 32, 112, 112], f32>, %w: tensor<[96, 32, 1, 1], f32>) -> tensor<[2, 96, 112, 112], f32> {
  %c = conv %x, %w stride [1, 1] pad [0, 0] dilation [1, 1]
  %m = mean %c over [0, 2, 3]
  %v = var %c over [0, 2, 3] correction 0.0
  %m1 = reshape %m to [1, 96, 1, 1]
  %d = sub %c, %m1
  %r = rsqrt %v
  %r1 = reshape %r to [1, 96, 1, 1]
  %y = mul %d, %r1
  output %y
}
