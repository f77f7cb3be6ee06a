// RUN: dlc-opt %s --fold-counts --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --fold-counts --split-input-file --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --split-input-file --pass-pipeline=fold-counts,dce,form-regions,tensorize,region-to-ptx --evaluate-each -o /dev/null

// REMARK: a constant is summed 3*H*W times: one product

// CHECK-LABEL: @mean
// CHECK: [[N:%[a-z0-9]+]] = iota (3*H*W) axes () : tensor<[], f32>
// CHECK-NEXT: [[C:%[a-z0-9]+]] = entry mul axes () of [[N]] at (), {{%[a-z0-9]+}} at () : tensor<[], f32>
// CHECK: entry fdiv axes (i0: M) of {{%[a-z0-9]+}} at (i0), [[C]] at ()
book.func @mean<M, H, W>(%x: tensor<[M, 3, H, W], f32>) -> tensor<[M], f32> {
  %one = const 1.0 : tensor<[], f32>
  %n = reduce sum axes () over (i0: 3, i1: H, i2: W) of %one at () acc f32 : tensor<[], f32>
  %s = reduce sum axes (i0: M) over (i1: 3, i2: H, i3: W) of %x at (i0, i1, i2, i3) acc f32 : tensor<[M], f32>
  %y = entry fdiv axes (i0: M) of %s at (i0), %n at () : tensor<[M], f32>
  return %y
}

// -----

// Integers wrap, and a result may have axes.
// CHECK-LABEL: @wrap
// CHECK: iota (100000*N) axes () : tensor<[], i32>
// CHECK: entry mul axes (i0: M) of
book.func @wrap<M, N>() -> tensor<[M], i32> {
  %c = const 100000 : tensor<[], i32>
  %y = reduce sum axes (i0: M) over (i1: N, i2: 100000) of %c at () acc i32 : tensor<[M], i32>
  return %y
}

// -----

// Of a constant that has axes the number is read.
// CHECK-LABEL: @uniform
// CHECK: [[C:%[a-z0-9]+]] = const 2.000000e+00 : tensor<[], f32>
// CHECK: entry mul axes (i0: 4) of {{%[a-z0-9]+}} at (), [[C]] at ()
book.func @uniform() -> tensor<[4], f32> {
  %c = const 2.0 : tensor<[4, 5], f32>
  %y = reduce sum axes (i0: 4) over (i1: 5) of %c at (i0, i1) acc f32 : tensor<[4], f32>
  return %y
}

// -----

// One that has no elements has no place to be read at.
// CHECK-LABEL: @no_elements
// CHECK: [[C:%[a-z0-9]+]] = const 2.000000e+00 : tensor<[], f32>
// CHECK: [[N:%[a-z0-9]+]] = iota (0) axes () : tensor<[], f32>
// CHECK: entry mul axes (i0: 4) of [[N]] at (), [[C]] at ()
book.func @no_elements() -> tensor<[4], f32> {
  %c = const 2.0 : tensor<[4, 0], f32>
  %y = reduce sum axes (i0: 4) over (i1: 0) of %c at (i0, i1) acc f32 : tensor<[4], f32>
  return %y
}
