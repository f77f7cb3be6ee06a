// RUN: dlc-opt %s --nest-reductions='symbols=[M:8192,N:8192]' --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --nest-reductions --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: dlc-opt %s --nest-reductions='symbols=[M:8192,N:8192]' --split-input-file --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: few results of many elements

// The rows of the first step are those of the first axis; without sizes a symbol is 128, and nothing is long.
// CHECK-LABEL: @all
// CHECK: [[ROWS:%[a-z0-9]+]] = reduce max axes (i0: M) over (i1: N) of %x at (i0, i1) acc f32 : tensor<[M], f32>
// CHECK: [[ALL:%[a-z0-9]+]] = reduce max axes () over (i0: M) of [[ROWS]] at (i0) acc f32 : tensor<[], f32>
// CHECK: return [[ALL]]
// SMALL-LABEL: @all
// SMALL: reduce max axes () over (i0: M, i1: N)
// SMALL-NEXT: return
book.func @all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], f32> {
  %y = reduce max axes () over (i0: M, i1: N) of %x at (i0, i1) acc f32 : tensor<[], f32>
  return %y
}

// -----

// As many of the first axes as give 1024 rows; what is read stays as it was, transposed and shifted.
// CHECK-LABEL: @several
// CHECK: reduce sum axes (i0: 2, i1: 64, i2: 16) over (i3: M) of %x at (i2, i3, i0, i1) acc f32 : tensor<[2, 64, 16], f32>
// CHECK: reduce sum axes (i0: 2) over (i1: 64, i2: 16) of {{%[a-z0-9]+}} at (i0, i1, i2) acc f32 : tensor<[2], f32>
book.func @several<M>(%x: tensor<[16, M, 2, 64], f32>) -> tensor<[2], f32> {
  %y = reduce sum axes (i0: 2) over (i1: 64, i2: 16, i3: M) of %x at (i2, i3, i0, i1) acc f32 : tensor<[2], f32>
  return %y
}

// -----

// Integers wrap in any order.
// CHECK-LABEL: @integers
// CHECK-COUNT-2: reduce sum
book.func @integers<M, N>(%x: tensor<[M, N], i32>) -> tensor<[], i32> {
  %y = reduce sum axes () over (i0: M, i1: N) of %x at (i0, i1) acc i32 : tensor<[], i32>
  return %y
}
