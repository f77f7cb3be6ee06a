// Rows without elements, no rows and rows of one element: the sums are those of the elements themselves.

// RUN: dlc-opt %s --nest-variances='symbols=[B:16384,N:256]' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=batch --shape=B=2,N=0 -o %t.npz
// RUN: dlc-run %t.mlir --function=batch --shape=B=2,N=0 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --function=batch --shape=B=0,N=3 -o %t.npz
// RUN: dlc-run %t.mlir --function=batch --shape=B=0,N=3 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --function=batch --shape=B=5,N=1 -o %t.npz
// RUN: dlc-run %t.mlir --function=batch --shape=B=5,N=1 --check=%t.npz

// CHECK: entry max axes () of
book.func @batch<B, N>(%x: tensor<[B, 4, N], f32>, %n: tensor<[], f32>) -> (tensor<[4], f32>, tensor<[4], f32>) {
  %sum = reduce sum axes (i0: 4) over (i1: B, i2: N) of %x at (i1, i0, i2) acc f32 : tensor<[4], f32>
  %mean = entry fdiv axes (i0: 4) of %sum at (i0), %n at () : tensor<[4], f32>
  %d = entry sub axes (i0: B, i1: 4, i2: N) of %x at (i0, i1, i2), %mean at (i1) : tensor<[B, 4, N], f32>
  %s = entry mul axes (i0: B, i1: 4, i2: N) of %d at (i0, i1, i2), %d at (i0, i1, i2) : tensor<[B, 4, N], f32>
  %y = reduce sum axes (i0: 4) over (i1: B, i2: N) of %s at (i1, i0, i2) acc f32 : tensor<[4], f32>
  return %mean, %y
}
