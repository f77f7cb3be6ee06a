// RUN: not dlc-opt %s --explicit-broadcast=bodies=some 2>&1 | FileCheck %s

// CHECK: E0413
// CHECK-SAME: the option 'bodies' of 'explicit-broadcast' takes true or false, not 'some'
region.func @f<M> iters (m: M) ins (%X: memref<[M], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}
