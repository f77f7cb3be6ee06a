// A plan that is there must be one of its kernel, which only here is seen next to it.

// RUN: dlc-opt %s --choose-plan --verify-diagnostics --split-input-file

// An axis.
region.func @f<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}

// expected-error@+1 {{E1612 'plan.schedule': the plan has the axis 'mm', and the axes of @f are m; did you mean 'm'?}}
plan.schedule of @f for sm90 {
  tile (mm: 64)
}

// -----

// An axis of a tensor.
region.func @f<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}

// expected-error@+1 {{E1612 'plan.schedule': the plan has the axis 'rows', and the axes of @f are m}}
plan.schedule of @f for sm90 {
  cache x (rows) f32 in reg
}

// -----

// A tensor.
region.func @f<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}

// expected-error@+1 {{E1612 'plan.schedule': the plan has the tensor 'bias', and the tensors of @f are x, y}}
plan.schedule of @f for sm90 {
  cache bias (m) f32 in reg
}
