// RUN: dlc-opt %s -o %t.same
// RUN: dlc-opt %s --recognize-iota | cmp %t.same -
// RUN: dlc-opt %s --recognize-iota --no-output --remarks=missed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// There is no scan: each element of a running sum is added up again, and so it stays.
tiny.func @running_sum(%x: tensor<[4], f32>) -> tensor<[4], f32> {
  %padded = pad %x low [3] high [0]
  %rows = expand %padded to [5, 7] dims [1]
  %line = reshape %rows to [35]
  %cut = shrink %line from [0] to [32]
  %skewed = reshape %cut to [4, 8]
  %triangle = shrink %skewed from [0, 0] to [4, 4]
  // REMARK: recognize-iota, missed] the reduction stays: it is a running sum of data
  %sum = reduce sum %triangle over [1]
  return %sum
}

// Sums of a window are no running sum, and nothing to speak of.
tiny.func @sum_of_data(%x: tensor<[4, 8], f32>) -> tensor<[4], f32> {
  %sum = reduce sum %x over [1]
  return %sum
}

// In f16, 4096 ones are not added up exactly one by one.
tiny.func @inexact_count() -> tensor<[], f16> {
  %one = const 1.0 : tensor<[4096], f16>
  // REMARK: recognize-iota, missed] the reduction stays: the type of the result is not exact for every count
  %count = reduce sum %one over [0]
  return %count
}

// Of any size that is not known either.
tiny.func @count_of_any_size<N>(%x: tensor<[N], f32>) -> tensor<[], f32> {
  %one = const 1.0 : tensor<[N], f32>
  // REMARK: recognize-iota, missed] the reduction stays: the type of the result is not exact for every count
  %count = reduce sum %one over [0]
  return %count
}

// A half is no whole number.
tiny.func @halves() -> tensor<[4], f32> {
  %half = const 0.5 : tensor<[3], f32>
  %padded = pad %half low [1] high [0]
  %rows = expand %padded to [4, 4] dims [0]
  // REMARK: recognize-iota, missed] the reduction stays: its elements are no whole numbers
  %sum = reduce sum %rows over [1]
  return %sum
}

// The elements change along the axis that is summed over.
tiny.func @sum_of_positions() -> tensor<[4], i32> {
  %position = range 1 : tensor<[4, 8], i32>
  // REMARK: recognize-iota, missed] the reduction stays: its elements change along the axis even where the guard holds
  %sum = reduce sum %position over [1]
  return %sum
}

// The guard has a remainder of the axis: what it admits is no range.
tiny.func @not_affine() -> tensor<[2], i32> {
  %one = const 1 : tensor<[3], i32>
  %padded = pad %one low [2] high [0]
  %rows = expand %padded to [6, 5] dims [1]
  %pieces = reshape %rows to [2, 15]
  // REMARK: recognize-iota, missed] the reduction stays: the guard divides the index of the axis
  %sum = reduce sum %pieces over [1]
  return %sum
}

// A product of twos is a power.
tiny.func @power() -> tensor<[], i32> {
  %two = const 2 : tensor<[5], i32>
  // REMARK: recognize-iota, missed] the reduction stays: it is a product of numbers other than zero and one
  %product = reduce prod %two over [0]
  return %product
}

// Of no elements the maximum is another number.
tiny.func @maximum_of_none<N>(%x: tensor<[N], f32>) -> tensor<[], i32> {
  %two = const 2 : tensor<[N], i32>
  // REMARK: recognize-iota, missed] the reduction stays: the axis may have no elements
  %largest = reduce max %two over [0]
  return %largest
}

// An element that the mask does not choose may be an infinity, and zero times that is no zero.
tiny.func @mask_as_factor_of_floats(%ids: tensor<[3], i32>, %W: tensor<[4], f32>) -> tensor<[3], f32> {
  %position = range 0 : tensor<[4], i32>
  %index = reshape %ids to [3, 1]
  %agree = cmp eq %index, %position
  %mask = cast %agree to f32
  %product = mul %mask, %W
  %turned = permute %product by [1, 0]
  // REMARK: recognize-iota, missed] the reduction stays: a mask is multiplied with floats
  %y = reduce sum %turned over [0]
  return %y
}

// The operand does not change along the axis, so nothing is picked from it.
tiny.func @not_a_table(%ids: tensor<[3], i32>, %x: tensor<[3, 1], f32>) -> tensor<[3], f32> {
  %position = range 0 : tensor<[4], i32>
  %index = reshape %ids to [3, 1]
  %agree = cmp eq %index, %position
  %zero = const 0.0 : tensor<[], f32>
  %chosen = where %agree, %x, %zero
  // REMARK: recognize-iota, missed] the reduction stays: the operand does not change along the axis
  %y = reduce sum %chosen over [1]
  return %y
}

// Every second row, where an index may be that of a row between.
tiny.func @every_second_row(%ids: tensor<[3], i32>, %W: tensor<[8], f32>) -> tensor<[3], f32> {
  %even = shrink %W from [0] to [8] step [2]
  %position = range 0 : tensor<[4], i32>
  %index = reshape %ids to [3, 1]
  %agree = cmp eq %index, %position
  %zero = const 0.0 : tensor<[], f32>
  %chosen = where %agree, %even, %zero
  // REMARK: recognize-iota, missed] the reduction stays: the operand is read at another index than the position
  %y = reduce sum %chosen over [1]
  return %y
}

// The diagonal of a table has its index twice.
tiny.func @diagonal(%ids: tensor<[3], i32>, %W: tensor<[4, 4], f32>) -> tensor<[3], f32> {
  %diagonal = load %W at [i0, i0] : tensor<[4], f32>
  %position = range 0 : tensor<[4], i32>
  %index = reshape %ids to [3, 1]
  %agree = cmp eq %index, %position
  %zero = const 0.0 : tensor<[], f32>
  %chosen = where %agree, %diagonal, %zero
  // REMARK: recognize-iota, missed] the reduction stays: two axes of the operand go with the one that is summed over
  %y = reduce sum %chosen over [1]
  return %y
}

// Both of two axes are summed over; the first sum alone would be a gather.
tiny.func @two_axes_at_once(%ids: tensor<[3], i32>, %W: tensor<[4, 5], f32>) -> tensor<[3], f32> {
  %position = range 0 : tensor<[4, 1], i32>
  %index = reshape %ids to [3, 1, 1]
  %agree = cmp eq %index, %position
  %zero = const 0.0 : tensor<[], f32>
  %chosen = where %agree, %W, %zero
  // REMARK: recognize-iota, missed] the reduction stays: it sums over more than one axis
  %y = reduce sum %chosen over [1, 2]
  return %y
}

// The largest of the chosen and zeros is another thing.
tiny.func @maximum_of_chosen(%ids: tensor<[3], i32>, %W: tensor<[4], f32>) -> tensor<[3], f32> {
  %position = range 0 : tensor<[4], i32>
  %index = reshape %ids to [3, 1]
  %agree = cmp eq %index, %position
  %zero = const 0.0 : tensor<[], f32>
  %chosen = where %agree, %W, %zero
  // REMARK: recognize-iota, missed] the reduction stays: only a sum with zeros gives the one element that is chosen
  %y = reduce max %chosen over [1]
  return %y
}

// The position that is compared is not that of the axis.
tiny.func @another_axis(%ids: tensor<[3], i32>, %W: tensor<[4], f32>) -> tensor<[3, 5], f32> {
  %position = range 1 : tensor<[3, 5, 4], i32>
  %index = reshape %ids to [3, 1, 1]
  %agree = cmp eq %index, %position
  %zero = const 0.0 : tensor<[], f32>
  %chosen = where %agree, %W, %zero
  // REMARK: recognize-iota, missed] the reduction stays: the axis is not the one whose position is compared
  %y = reduce sum %chosen over [2]
  return %y
}

// Short as it is: a comparison, a choice and their operands would be more.
tiny.func @padded_constant() -> tensor<[7], f32> {
  %one = const 1.0 : tensor<[4], f32>
  %padded = pad %one low [2] high [1]
  return %padded
}

// Nothing is reduced or padded: what is left is folding, which others do.
tiny.func @comparison() -> tensor<[4, 4], i1> {
  %row = range 0 : tensor<[4, 1], i32>
  %column = range 0 : tensor<[4], i32>
  %one = const 1 : tensor<[], i32>
  %next = add %row, %one
  %mask = cmp lt %column, %next
  return %mask
}
