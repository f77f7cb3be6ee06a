// RUN: not dlc-opt %s --tensorize --check-async --kernel-to-ptx 2>&1 | FileCheck %s

// CHECK: [E1910]
// CHECK-SAME: a tensor has up to 1099511627776 elements, not 4000000000000000000
region.func @huge iters (i: 4000000000000000000) ins () outs (y: memref<[4000000000000000000], f32> materialize gmem) {
  %c = const 0.0 : f32 over ()
  %y = broadcast_in_dim %c to [4000000000000000000] dims [] : f32 over (i)
  yield %y to y
}
