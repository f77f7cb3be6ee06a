// RUN: not dlc-opt %s --ccon1=each 2>&1 | FileCheck %s

// The pass takes no options.
// CHECK: E0413
// CHECK-SAME: the pass 'ccon1' has no option 'each'
region.func @f<M> iters (m: M) ins (%X: memref<[M], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}
