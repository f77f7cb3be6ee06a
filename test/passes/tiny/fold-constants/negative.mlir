// RUN: dlc-opt %s --fold-constants | FileCheck %s
// RUN: dlc-opt %s --fold-constants --remarks=missed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --fold-constants='max-elements=3 max-work=5' | FileCheck %s --check-prefix=SMALL

// Only one operand is a constant.
// CHECK-LABEL: tiny.func @one_constant<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
// CHECK-NEXT:    %zero = const 0.000000e+00 : tensor<[], f32>
// CHECK-NEXT:    %y = mul %x, %zero : tensor<[N], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @one_constant<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  %zero = const 0.0 : tensor<[], f32>
  %y = mul %x, %zero
  return %y
}

// Positions are better computed than stored.
// CHECK-LABEL: tiny.func @positions() -> tensor<[6], i32> {
// CHECK-NEXT:    %i = range 0 : tensor<[6], i32>
// CHECK-NEXT:    %one = const 1 : tensor<[], i32>
// CHECK-NEXT:    %j = add %i, %one : tensor<[6], i32>
// CHECK-NEXT:    return %j
// CHECK-NEXT:  }
tiny.func @positions() -> tensor<[6], i32> {
  %i = range 0 : tensor<[6], i32>
  %one = const 1 : tensor<[], i32>
  %j = add %i, %one
  return %j
}

// Too many numbers for a table, though they are known.
// REMARK: its elements differ and are more than 64: it is no constant
// CHECK-LABEL: tiny.func @many_numbers() -> tensor<[65], i32> {
// CHECK-NEXT:    %one = const 1 : tensor<[64], i32>
// CHECK-NEXT:    %padded = pad %one low [1] high [0] : tensor<[65], i32>
// CHECK-NEXT:    return %padded
// CHECK-NEXT:  }
tiny.func @many_numbers() -> tensor<[65], i32> {
  %one = const 1 : tensor<[64], i32>
  %padded = pad %one low [1] high [0]
  return %padded
}

// Too much work.
// REMARK: its operands are constants, but it handles 20000 elements, more than 16384
// CHECK-LABEL: tiny.func @much_work() -> tensor<[], i32> {
// CHECK-NEXT:    %one = const 1 : tensor<[20000], i32>
// CHECK-NEXT:    %sum = reduce sum %one over [0] : tensor<[], i32>
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
tiny.func @much_work() -> tensor<[], i32> {
  %one = const 1 : tensor<[20000], i32>
  %sum = reduce sum %one over [0]
  return %sum
}

// How many elements there are is not known.
// CHECK-LABEL: tiny.func @unknown_sizes<N>() -> tensor<[], i32> {
// CHECK-NEXT:    %one = const 1 : tensor<[N], i32>
// CHECK-NEXT:    %sum = reduce sum %one over [0] : tensor<[], i32>
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
tiny.func @unknown_sizes<N>() -> tensor<[], i32> {
  %one = const 1 : tensor<[N], i32>
  %sum = reduce sum %one over [0]
  return %sum
}

// Beyond the end of a table there is nothing.
// REMARK: axis 0 has the size 2
// CHECK-LABEL: tiny.func @outside() -> tensor<[3], i32> {
// CHECK-NEXT:    %two = const dense<[1, 2]> : tensor<2xi32>
// CHECK-NEXT:    %three = load %two at [i0] : tensor<[3], i32>
// CHECK-NEXT:    return %three
// CHECK-NEXT:  }
tiny.func @outside() -> tensor<[3], i32> {
  %two = const dense<[1, 2]> : tensor<2xi32>
  %three = load %two at [i0] : tensor<[3], i32>
  return %three
}

// The options bound what is computed.
// SMALL-LABEL: @few_numbers
// SMALL: add %a, %b
// SMALL: reduce sum %c
// CHECK-LABEL: tiny.func @few_numbers() -> (tensor<[4], i32>, tensor<[], i32>) {
// CHECK-NEXT:    %s = const dense<[2, 3, 4, 5]> : tensor<4xi32>
// CHECK-NEXT:    %t = const 6 : tensor<[], i32>
// CHECK-NEXT:    return %s, %t
// CHECK-NEXT:  }
tiny.func @few_numbers() -> (tensor<[4], i32>, tensor<[], i32>) {
  %a = const dense<[1, 2, 3, 4]> : tensor<4xi32>
  %b = const 1 : tensor<[], i32>
  %s = add %a, %b
  %c = const 1 : tensor<[6], i32>
  %t = reduce sum %c over [0]
  return %s, %t
}
