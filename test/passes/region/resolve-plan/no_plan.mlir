// Without plans there is nothing to resolve, which is a warning; with one plan, kernels without any are no mistake.

// RUN: dlc-opt %s --resolve-plan --no-output --verify-diagnostics --split-input-file

// expected-warning@+1 {{E1617 no kernel has a plan to resolve}}
region.func @rows<M> iters (m: M) ins (%X: memref<[M], f32, row_major>) outs (Y: memref<[M], f32, row_major> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}

// -----

region.func @one<M> iters (m: M) ins (%X: memref<[M], f32, row_major>) outs (Y: memref<[M], f32, row_major> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}
region.func @other<M> iters (m: M) ins (%X: memref<[M], f32, row_major>) outs (Y: memref<[M], f32, row_major> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}
plan.schedule of @one for sm90 { tile (m: 128) }
