// RUN: not dlc-opt %s --chain-contractions=depth=2 2>&1 | FileCheck %s

// The pass takes no options.
// CHECK: E0413
// CHECK-SAME: the pass 'chain-contractions' has no option 'depth'
region.func @f<M> iters (m: M)
    ins (%X: memref<[M], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}
