// RUN: not dlc-opt %s --sink-epilogue=each 2>&1 | FileCheck %s

// There is no such option.
// CHECK: E0413
// CHECK-SAME: the pass 'sink-epilogue' has no option 'each'
region.func @f<M> iters (m: M) ins (%X: memref<[M], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}
