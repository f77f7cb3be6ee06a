// RUN: dlc-opt %s --nest-variances='symbols=[B:65536,N:512]' --split-input-file --evaluate-each | FileCheck %s

// What stays: each function has its two sums, and nothing is counted.
// CHECK-NOT: iota

// A sum of squares of differences to what does not depend on the sum of the elements: nothing reads them twice.
// CHECK-LABEL: @another_center
book.func @another_center<B, N>(%x: tensor<[B, 4, N], f32>, %c: tensor<[4], f32>) -> (tensor<[4], f32>, tensor<[4], f32>) {
  %sum = reduce sum axes (i0: 4) over (i1: B, i2: N) of %x at (i1, i0, i2) acc f32 : tensor<[4], f32>
  %d = entry sub axes (i0: B, i1: 4, i2: N) of %x at (i0, i1, i2), %c at (i1) : tensor<[B, 4, N], f32>
  %s = entry mul axes (i0: B, i1: 4, i2: N) of %d at (i0, i1, i2), %d at (i0, i1, i2) : tensor<[B, 4, N], f32>
  %y = reduce sum axes (i0: 4) over (i1: B, i2: N) of %s at (i1, i0, i2) acc f32 : tensor<[4], f32>
  return %sum, %y
}

// -----

// Rows that are all of what is reduced: a block has a row in its registers as it is.
// CHECK-LABEL: @rows
book.func @rows<B, N>(%x: tensor<[B, N], f32>, %n: tensor<[], f32>) -> tensor<[B], f32> {
  %sum = reduce sum axes (i0: B) over (i1: N) of %x at (i0, i1) acc f32 : tensor<[B], f32>
  %mean = entry fdiv axes (i0: B) of %sum at (i0), %n at () : tensor<[B], f32>
  %d = entry sub axes (i0: B, i1: N) of %x at (i0, i1), %mean at (i0) : tensor<[B, N], f32>
  %s = entry mul axes (i0: B, i1: N) of %d at (i0, i1), %d at (i0, i1) : tensor<[B, N], f32>
  %y = reduce sum axes (i0: B) over (i1: N) of %s at (i0, i1) acc f32 : tensor<[B], f32>
  return %y
}

// -----

// The last axis of memory is not reduced: no row is contiguous.
// CHECK-LABEL: @channels_last
book.func @channels_last<B, N>(%x: tensor<[B, N, 4], f32>, %n: tensor<[], f32>) -> tensor<[4], f32> {
  %sum = reduce sum axes (i0: 4) over (i1: B, i2: N) of %x at (i1, i2, i0) acc f32 : tensor<[4], f32>
  %mean = entry fdiv axes (i0: 4) of %sum at (i0), %n at () : tensor<[4], f32>
  %d = entry sub axes (i0: B, i1: N, i2: 4) of %x at (i0, i1, i2), %mean at (i2) : tensor<[B, N, 4], f32>
  %s = entry mul axes (i0: B, i1: N, i2: 4) of %d at (i0, i1, i2), %d at (i0, i1, i2) : tensor<[B, N, 4], f32>
  %y = reduce sum axes (i0: 4) over (i1: B, i2: N) of %s at (i1, i2, i0) acc f32 : tensor<[4], f32>
  return %y
}

// -----

// Sums that are rounded to 16 bits would be rounded more often.
// CHECK-LABEL: @halves
book.func @halves<B, N>(%x: tensor<[B, 4, N], f16>, %n: tensor<[], f16>) -> tensor<[4], f16> {
  %sum = reduce sum axes (i0: 4) over (i1: B, i2: N) of %x at (i1, i0, i2) acc f16 : tensor<[4], f16>
  %mean = entry fdiv axes (i0: 4) of %sum at (i0), %n at () : tensor<[4], f16>
  %d = entry sub axes (i0: B, i1: 4, i2: N) of %x at (i0, i1, i2), %mean at (i1) : tensor<[B, 4, N], f16>
  %s = entry mul axes (i0: B, i1: 4, i2: N) of %d at (i0, i1, i2), %d at (i0, i1, i2) : tensor<[B, 4, N], f16>
  %y = reduce sum axes (i0: 4) over (i1: B, i2: N) of %s at (i1, i0, i2) acc f16 : tensor<[4], f16>
  return %y
}

// -----

// The differences are to the mean of other elements.
// CHECK-LABEL: @other_elements
book.func @other_elements<B, N>(%x: tensor<[B, 4, N], f32>, %z: tensor<[B, 4, N], f32>, %n: tensor<[], f32>) -> tensor<[4], f32> {
  %sum = reduce sum axes (i0: 4) over (i1: B, i2: N) of %z at (i1, i0, i2) acc f32 : tensor<[4], f32>
  %mean = entry fdiv axes (i0: 4) of %sum at (i0), %n at () : tensor<[4], f32>
  %d = entry sub axes (i0: B, i1: 4, i2: N) of %x at (i0, i1, i2), %mean at (i1) : tensor<[B, 4, N], f32>
  %s = entry mul axes (i0: B, i1: 4, i2: N) of %d at (i0, i1, i2), %d at (i0, i1, i2) : tensor<[B, 4, N], f32>
  %y = reduce sum axes (i0: 4) over (i1: B, i2: N) of %s at (i1, i0, i2) acc f32 : tensor<[4], f32>
  return %y
}
