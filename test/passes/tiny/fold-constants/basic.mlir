// RUN: dlc-opt %s --fold-constants | FileCheck %s

// A scale.
// CHECK-LABEL: tiny.func @scale<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
// CHECK-NEXT:    %scale = const 5.000000e-01 : tensor<[], f32>
// CHECK-NEXT:    %y = mul %x, %scale : tensor<[M], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @scale<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %four = const 4.0 : tensor<[], f32>
  %root = sqrt %four
  %scale = recip %root
  %y = mul %x, %scale
  return %y
}

// One number stays one number, whatever its sizes are.
// CHECK-LABEL: tiny.func @of_symbolic_sizes<M, N>() -> tensor<[M, N], f16> {
// CHECK-NEXT:    %d = const 3.500000e+00 : tensor<[M, N], f16>
// CHECK-NEXT:    return %d
// CHECK-NEXT:  }
tiny.func @of_symbolic_sizes<M, N>() -> tensor<[M, N], f16> {
  %a = const 3.0 : tensor<[M, 1], f32>
  %b = const 0.5 : tensor<[N], f16>
  %c = add %a, %b
  %d = cast %c to f16
  return %d
}

// A counter as tinygrad writes it: a table of few numbers.
// CHECK-LABEL: tiny.func @counter() -> tensor<[5], i32> {
// CHECK-NEXT:    %count = const dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
// CHECK-NEXT:    return %count
// CHECK-NEXT:  }
tiny.func @counter() -> tensor<[5], i32> {
  %one = const 1 : tensor<[], i32>
  %ones = expand %one to [5] dims []
  %padded = pad %ones low [4] high [0]
  %repeated = expand %padded to [6, 9] dims [1]
  %flat = reshape %repeated to [54]
  %cut = shrink %flat from [0] to [50]
  %rows = reshape %cut to [5, 10]
  %triangle = shrink %rows from [0, 0] to [5, 5]
  %count = reduce sum %triangle over [0]
  return %count
}

// A condition that is the same everywhere.
// CHECK-LABEL: tiny.func @condition() -> tensor<[4, 4], i1> {
// CHECK-NEXT:    %c = const 1 : tensor<[4, 4], i1>
// CHECK-NEXT:    return %c
// CHECK-NEXT:  }
tiny.func @condition() -> tensor<[4, 4], i1> {
  %i = range 0 : tensor<[4, 4], i32>
  %eight = const 8 : tensor<[], i32>
  %c = cmp lt %i, %eight
  return %c
}

// A contraction of constants.
// CHECK-LABEL: tiny.func @contraction() -> tensor<[2], f32> {
// CHECK-NEXT:    %y = const dense<[3.000000e+00, 7.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @contraction() -> tensor<[2], f32> {
  %m = const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %v = const 1.0 : tensor<[2], f32>
  %y = contract %m [m, k], %v [k] to [m]
  return %y
}

// A sum of no elements.
// CHECK-LABEL: tiny.func @empty_sum() -> (tensor<[], f32>, tensor<[0], f32>) {
// CHECK-NEXT:    %sum = const 0.000000e+00 : tensor<[], f32>
// CHECK-NEXT:    %same = const -3.000000e+00 : tensor<[0], f32>
// CHECK-NEXT:    return %sum, %same
// CHECK-NEXT:  }
tiny.func @empty_sum() -> (tensor<[], f32>, tensor<[0], f32>) {
  %none = const 3.0 : tensor<[0], f32>
  %sum = reduce sum %none over [0]
  %same = neg %none
  return %sum, %same
}

// The largest unsigned number, infinity, and what is no number.
// CHECK-LABEL: tiny.func @odd_numbers() -> (tensor<[2], ui8>, tensor<[], f32>, tensor<[], f32>) {
// CHECK-NEXT:    %less = const dense<[255, 0]> : tensor<2xui8>
// CHECK-NEXT:    %infinite = const 0x7F800000 : tensor<[], f32>
// CHECK-NEXT:    %nan = const 0x7FC00000 : tensor<[], f32>
// CHECK-NEXT:    return %less, %infinite, %nan
// CHECK-NEXT:  }
tiny.func @odd_numbers() -> (tensor<[2], ui8>, tensor<[], f32>, tensor<[], f32>) {
  %bytes = const dense<[1, 2]> : tensor<2xui8>
  %two = const 2 : tensor<[], ui8>
  %less = sub %bytes, %two
  %zero = const 0.0 : tensor<[], f32>
  %infinite = recip %zero
  %nan = mul %infinite, %zero
  return %less, %infinite, %nan
}
