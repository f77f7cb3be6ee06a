// RUN: dlc-opt %s --nest-variances='symbols=[B:16384,N:256]' --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --nest-variances='symbols=[B:16384,N:256]' --split-input-file --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --nest-variances --split-input-file | FileCheck %s --check-prefix=SMALL

// REMARK: the mean and the variance of many elements are those of rows

// The statistics of a batch norm: rows are those of the last axis, whose length is a number for which there is a symbol. Where it is
// zero, nothing is divided by it.
// CHECK-LABEL: @batch
// CHECK: [[L:%[0-9]+]] = iota (N)
// CHECK: [[OF_ROW:%[0-9]+]] = reduce sum axes (i0: 4, i1: B) over (i2: N) of %x at (i1, i0, i2)
// CHECK: [[ONE:%[0-9]+]] = const 1.0
// CHECK: [[LEAST:%[0-9]+]] = entry max axes () of [[L]] at (), [[ONE]] at ()
// CHECK: [[MEAN:%[0-9]+]] = entry fdiv axes (i0: 4, i1: B) of [[OF_ROW]] at (i0, i1), [[LEAST]] at ()
// CHECK: [[MEANS:%[0-9]+]] = reduce sum axes (i0: 4) over (i1: B) of [[MEAN]] at (i0, i1)
// CHECK: %sum = entry mul axes (i0: 4) of [[MEANS]] at (i0), [[L]] at ()
// CHECK: %mean = entry fdiv axes (i0: 4) of %sum at (i0)
// CHECK: [[OFF:%[0-9]+]] = entry sub axes (i0: 4, i1: B, i2: N) of %x at (i1, i0, i2), [[MEAN]] at (i0, i1)
// CHECK: [[SQUARE:%[0-9]+]] = entry mul axes (i0: 4, i1: B, i2: N) of [[OFF]] at (i0, i1, i2), [[OFF]]
// CHECK: [[ROWS:%[0-9]+]] = reduce sum axes (i0: 4, i1: B) over (i2: N) of [[SQUARE]]
// CHECK: [[OFF_ROW:%[0-9]+]] = entry sub axes (i0: 4, i1: B) of [[MEAN]] at (i0, i1), %mean at (i0)
// CHECK: [[OF_ROW:%[0-9]+]] = entry mul axes (i0: 4, i1: B) of [[OFF_ROW]]
// CHECK: [[BETWEEN:%[0-9]+]] = entry mul axes (i0: 4, i1: B) of [[OF_ROW]] at (i0, i1), [[L]] at ()
// CHECK: [[ALL:%[0-9]+]] = entry add axes (i0: 4, i1: B) of [[ROWS]] at (i0, i1), [[BETWEEN]] at (i0, i1)
// CHECK: %y = reduce sum axes (i0: 4) over (i1: B) of [[ALL]]
// CHECK-SAME: contiguous
// CHECK: return %mean, %y
// SMALL-LABEL: @batch
// SMALL: %sum = reduce sum axes (i0: 4) over (i1: B, i2: N)
book.func @batch<B, N>(%x: tensor<[B, 4, N], f32>, %n: tensor<[], f32>) -> (tensor<[4], f32>, tensor<[4], f32>) {
  %sum = reduce sum axes (i0: 4) over (i1: B, i2: N) of %x at (i1, i0, i2) acc f32 : tensor<[4], f32>
  %mean = entry fdiv axes (i0: 4) of %sum at (i0), %n at () : tensor<[4], f32>
  %d = entry sub axes (i0: B, i1: 4, i2: N) of %x at (i0, i1, i2), %mean at (i1) : tensor<[B, 4, N], f32>
  %s = entry mul axes (i0: B, i1: 4, i2: N) of %d at (i0, i1, i2), %d at (i0, i1, i2) : tensor<[B, 4, N], f32>
  %y = reduce sum axes (i0: 4) over (i1: B, i2: N) of %s at (i1, i0, i2) acc f32 : tensor<[4], f32>
  return %mean, %y
}

// -----

// Groups of channels inside an axis, and a mean that has axes of size one. A row is as long as blocks have room for: both of the
// last two axes.
// CHECK-LABEL: @groups
// CHECK: iota (32*N)
// CHECK: reduce sum axes (i0: B, i1: 2, i2: 3) over (i3: 32, i4: N) of %x at (i0, 3*i1 + i2, i3, i4)
// CHECK: return
book.func @groups<B, N>(%x: tensor<[B, 6, 32, N], f32>, %n: tensor<[], f32>) -> tensor<[B, 2], f32> {
  %sum = reduce sum axes (i0: B, i1: 2) over (i2: 3, i3: 32, i4: N) of %x at (i0, 3*i1 + i2, i3, i4) acc f32 : tensor<[B, 2], f32>
  %mean = entry mul axes (i0: B, i1: 2, i2: 1, i3: 1, i4: 1) of %sum at (i0, i1), %n at () : tensor<[B, 2, 1, 1, 1], f32>
  %d = entry sub axes (i0: B, i1: 2, i2: 3, i3: 32, i4: N) of %x at (i0, 3*i1 + i2, i3, i4), %mean at (i0, i1, 0, 0, 0) : tensor<[B, 2, 3, 32, N], f32>
  %s = entry mul axes (i0: B, i1: 2, i2: 3, i3: 32, i4: N) of %d at (i0, i1, i2, i3, i4), %d at (i0, i1, i2, i3, i4) : tensor<[B, 2, 3, 32, N], f32>
  %y = reduce sum axes (i0: B, i1: 2) over (i2: 3, i3: 32, i4: N) of %s at (i0, i1, i2, i3, i4) acc f32 : tensor<[B, 2], f32>
  return %y
}
