// RUN: not dlc-opt %s --stream-softmax=fuse=perhaps 2>&1 | FileCheck %s

// What is rounded may stay unrounded, or not.
// CHECK: E0413
// CHECK-SAME: the option 'fuse' of 'stream-softmax' takes true or false, not 'perhaps'
region.func @f<M> iters (m: M)
    ins (%X: memref<[M], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}
