// Windows whose rows are reduced next are stored: in a kernel of rows each thread would load all of its window, and in one of
// their own they share what overlaps. Small windows are not worth it.

// RUN: dlc-opt %s --tiny-to-region --remarks=missed 2>&1 | FileCheck %s

// CHECK: is stored, {{.*}}its rows are reduced next, and the kernel that does both would load every window on its own
// CHECK-LABEL: host.func @large
// CHECK: launch @large_0
// CHECK: launch @large_1
// CHECK-LABEL: host.func @small
// CHECK: launch @small_0
// CHECK-NOT: launch @small_1
frontend.graph @large(%x: tensor<[512, 64, 1024], f16>, %w: tensor<[64, 1, 49], f16>) -> tensor<[512, 1024], f32> {
  %c = conv %x, %w pad [24] groups 64 acc f32
  %d = cast %c to f16
  %m = max %d over [1]
  %y = cast %m to f32
  output %y
}
frontend.graph @small(%x: tensor<[512, 64, 1024], f16>, %w: tensor<[64, 1, 3], f16>) -> tensor<[512, 1024], f32> {
  %c = conv %x, %w pad [1] groups 64 acc f32
  %d = cast %c to f16
  %m = max %d over [1]
  %y = cast %m to f32
  output %y
}
