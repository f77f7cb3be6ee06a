// RUN: dlc-opt %s --detect-contraction | FileCheck %s
// RUN: dlc-opt %s --detect-contraction --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --detect-contraction=widen=false --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=WIDEN

// The largest product, not their sum.
// REMARK: products are combined by max, not added
// CHECK-LABEL: @largest_product
// CHECK: %s = reduce max %p over [0] : tensor<[], f32>
tiny.func @largest_product<K>(%x: tensor<[K], f32>, %y: tensor<[K], f32>) -> tensor<[], f32> {
  %p = mul %x, %y
  %s = reduce max %p over [0]
  return %s
}

// Nothing is multiplied: no remark.
// REMARK-NOT: sum_of_sums
// CHECK-LABEL: @sum_of_sums
// CHECK: %s = reduce sum %p over [0] : tensor<[], f32>
tiny.func @sum_of_sums<K>(%x: tensor<[K], f32>, %y: tensor<[K], f32>) -> tensor<[], f32> {
  %p = add %x, %y
  %s = reduce sum %p over [0]
  return %s
}

// A sum of squares reads one tensor once.
// REMARK: both sides are one and the same: it is a sum of squares
// CHECK-LABEL: @sum_of_squares
// CHECK: %s = reduce sum %p over [0] : tensor<[], f32>
tiny.func @sum_of_squares<K>(%x: tensor<[K], f32>) -> tensor<[], f32> {
  %p = mul %x, %x
  %s = reduce sum %p over [0]
  return %s
}

// A sum, scaled.
// REMARK: one side alone has the summed index of the size K
// CHECK-LABEL: @scaled_sum
// CHECK: %s = reduce sum %p over [1] : tensor<[M], f32>
tiny.func @scaled_sum<M, K>(%x: tensor<[M, K], f32>, %w: tensor<[M, 1], f32>) -> tensor<[M], f32> {
  %p = mul %x, %w
  %s = reduce sum %p over [1]
  return %s
}

// The same element many times.
// REMARK: neither side has the summed index of the size 5
// CHECK-LABEL: @sum_of_repetitions
// CHECK: %s = reduce sum %e over [0, 1] : tensor<[], f32>
tiny.func @sum_of_repetitions<K>(%x: tensor<[K], f32>, %y: tensor<[K], f32>) -> tensor<[], f32> {
  %p = mul %x, %y
  %e = expand %p to [5, K] dims [1]
  %s = reduce sum %e over [0, 1]
  return %s
}

// A product of elements, one for one.
// REMARK: nothing is summed
// CHECK-LABEL: @sum_of_one
// CHECK: %s = reduce sum %p over [1] : tensor<[M], f32>
tiny.func @sum_of_one<M>(%x: tensor<[M, 1], f32>, %y: tensor<[M, 1], f32>) -> tensor<[M], f32> {
  %p = mul %x, %y
  %s = reduce sum %p over [1]
  return %s
}

// The products become narrower than they are.
// REMARK: products are rounded to f16 before they are added
// CHECK-LABEL: @narrowed_products
// CHECK: %s = reduce sum %c over [0] acc f32 : tensor<[], f32>
tiny.func @narrowed_products<K>(%x: tensor<[K], f32>, %y: tensor<[K], f32>) -> tensor<[], f32> {
  %p = mul %x, %y
  %c = cast %p to f16
  %s = reduce sum %c over [0] acc f32
  return %s
}

// Eight bits of a product are added as 32.
// REMARK: products are taken modulo the width of i8 before they are added
// CHECK-LABEL: @wrapped_products
// CHECK: %s = reduce sum %p over [0] acc i32 : tensor<[], i32>
tiny.func @wrapped_products<K>(%x: tensor<[K], i8>, %y: tensor<[K], i8>) -> tensor<[], i32> {
  %p = mul %x, %y
  %s = reduce sum %p over [0] acc i32
  return %s
}

// Of truth values it is `or` of `and`.
// REMARK: of truth values it is whether one pair is true
// CHECK-LABEL: @truth_values
// CHECK: %s = reduce sum %p over [0] : tensor<[], i1>
tiny.func @truth_values<K>(%x: tensor<[K], i1>, %y: tensor<[K], i1>) -> tensor<[], i1> {
  %p = mul %x, %y
  %s = reduce sum %p over [0]
  return %s
}

// Zeros among the products.
// REMARK: products are padded before they are added
// CHECK-LABEL: @padded_products
// CHECK: %s = reduce sum %q over [0] : tensor<[], f32>
tiny.func @padded_products<K>(%x: tensor<[K], f32>, %y: tensor<[K], f32>) -> tensor<[], f32> {
  %p = mul %x, %y
  %q = pad %p low [1] high [0]
  %s = reduce sum %q over [0]
  return %s
}

// The products are read forwards by one index, backwards by the other.
// REMARK: an axis is read both ways, or by steps that are not constant
// CHECK-LABEL: @both_ways
// CHECK: %s = reduce sum %e over [1] : tensor<[5], f32>
tiny.func @both_ways(%x: tensor<[9], f32>, %y: tensor<[9], f32>) -> tensor<[5], f32> {
  %p = mul %x, %y
  %e = load %p at [i0 - i1 + 4] : tensor<[5, 5], f32>
  %s = reduce sum %e over [1]
  return %s
}

// Where the axes of a reshape begin and end is not known.
// REMARK: how the axes of a reshape go together is not known
// CHECK-LABEL: @unknown_reshape
// CHECK: %s = reduce sum %r over [1] : tensor<[5], f32>
tiny.func @unknown_reshape(%x: tensor<[0, 3], f32>, %y: tensor<[0, 3], f32>) -> tensor<[5], f32> {
  %p = mul %x, %y
  %r = reshape %p to [5, 0]
  %s = reduce sum %r over [1]
  return %s
}

// With `widen=false` each product keeps its rounding; without, what was put around is cut off again.
// WIDEN: this sum of products is the contraction [k], [k] to []; products are rounded to f16 first
// CHECK-LABEL: @only_where_widened
// CHECK: %s = contract %x [k], %y [k] to [] acc f32 {widen} : tensor<[], f32>
tiny.func @only_where_widened<K>(%x: tensor<[K], f16>, %y: tensor<[K], f16>) -> tensor<[], f32> {
  %p = mul %x, %y
  %r = reshape %p to [K, 1]
  %q = pad %r low [0, 0] high [0, 1]
  %t = shrink %q from [0, 0] to [K, 1]
  %s = reduce sum %t over [0, 1] acc f32
  return %s
}
