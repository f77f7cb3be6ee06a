// Programs are run on sizes of 0 and 1 too, where a pass that takes sizes for larger is found.

// RUN: not example-opt %s --split-input-file --evaluate-each --drop-relu 2>&1 | FileCheck %s

// CHECK: the pass 'drop-relu' has changed what @empty(m [0] = [], x [4] =
tiny.func @empty<M, N>(%m: tensor<[M], f32>, %x: tensor<[N], f32>) -> tensor<[N], f32> {
  %one = const 1.0 : tensor<[M], f32>
  %size = reduce sum %one over [0]
  %half = const 0.5 : tensor<[], f32>
  %is_empty = cmp lt %size, %half
  %up = relu %x
  %n = neg %x
  %down = relu %n
  %r = add %up, %down
  %y = where %is_empty, %r, %x
  return %y
}

// -----

// CHECK: the pass 'drop-relu' has changed what @single(m [1] =
tiny.func @single<M, N>(%m: tensor<[M], f32>, %x: tensor<[N], f32>) -> tensor<[N], f32> {
  %two = const 2.0 : tensor<[M], f32>
  %size = reduce sum %two over [0]
  %wanted = const 2.0 : tensor<[], f32>
  %is_single = cmp eq %size, %wanted
  %up = relu %x
  %n = neg %x
  %down = relu %n
  %r = add %up, %down
  %y = where %is_single, %r, %x
  return %y
}
