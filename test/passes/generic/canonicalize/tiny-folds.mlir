// What folds to a value that is there, or to a number.

// RUN: dlc-opt %s --canonicalize | FileCheck %s

// Views that move nothing.
// CHECK-LABEL: tiny.func @moves_nothing<M, N>(%x: tensor<[M, 1, N], f32>, %z: tensor<[0, 4], f32>) -> (tensor<[M, 1, N], f32>, tensor<[0, 4], f32>) {
// CHECK-NEXT:    return %x, %z
// CHECK-NEXT:  }
tiny.func @moves_nothing<M, N>(%x: tensor<[M, 1, N], f32>, %z: tensor<[0, 4], f32>) -> (tensor<[M, 1, N], f32>, tensor<[0, 4], f32>) {
  %a = reshape %x to [M, 1, N]
  %b = permute %a by [0, 1, 2]
  %c = expand %b to [M, 1, N] dims [0, 1, 2]
  %d = shrink %c from [0, 0, 0] to [M, 1, N] step [1, 4, 1]
  %e = pad %d low [0, 0, 0] high [0, 0, 0] value 1.0 : f32
  %f = flip %e over [1]
  %g = flip %f over []
  %h = view %g
  %i = view %h as [M, 1, N] strides [N, N, 1] start [0]
  %j = load %i : tensor<[M, 1, N], f32>
  %k = load %j at [i0, i1, i2] : tensor<[M, 1, N], f32>
  %l = cast %k to f32
  %m = flip %z over [0]
  return %l, %m
}

// One number seen through views is that number.
// CHECK-LABEL: tiny.func @number_through_views<M, N>() -> (tensor<[1, 1], f32>, tensor<[N, M], f32>) {
// CHECK-NEXT:    %r = const 2.000000e+00 : tensor<[1, 1], f32>
// CHECK-NEXT:    %l = const 2.000000e+00 : tensor<[N, M], f32>
// CHECK-NEXT:    return %r, %l
// CHECK-NEXT:  }
tiny.func @number_through_views<M, N>() -> (tensor<[1, 1], f32>, tensor<[N, M], f32>) {
  %c = const 2.0 : tensor<[], f32>
  %r = reshape %c to [1, 1]
  %e = expand %r to [N + 1, 2*M]
  %s = shrink %e from [1, 0] to [N + 1, M]
  %p = permute %s by [1, 0]
  %f = flip %p over [0]
  %v = view %f as [M, N] strides [0, 0] start [0]
  %l = load %v at [i1, i0] : tensor<[N, M], f32>
  %q = pad %l low [0, 0] high [0, 0]
  return %r, %q
}

// Zeros around zeros.
// CHECK-LABEL: tiny.func @zeros_around_zeros<N>() -> tensor<[N + 2], f16> {
// CHECK-NEXT:    %p = const 0.000000e+00 : tensor<[N + 2], f16>
// CHECK-NEXT:    return %p
// CHECK-NEXT:  }
tiny.func @zeros_around_zeros<N>() -> tensor<[N + 2], f16> {
  %c = const 0.0 : tensor<[N], f16>
  %p = pad %c low [1] high [1]
  return %p
}

// Others around are others.
// CHECK-LABEL: tiny.func @keeps_ones_around_zeros() -> tensor<[4], f16> {
// CHECK-NEXT:    %c = const 0.000000e+00 : tensor<[2], f16>
// CHECK-NEXT:    %p = pad %c low [1] high [1] value 1.000000e+00 : f16 : tensor<[4], f16>
// CHECK-NEXT:    return %p
// CHECK-NEXT:  }
tiny.func @keeps_ones_around_zeros() -> tensor<[4], f16> {
  %c = const 0.0 : tensor<[2], f16>
  %p = pad %c low [1] high [1] value 1.0 : f16
  return %p
}

// What changes nothing, of floats exactly.
// CHECK-LABEL: tiny.func @neutral_floats<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
// CHECK-NEXT:    return %x
// CHECK-NEXT:  }
tiny.func @neutral_floats<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  %one = const 1.0 : tensor<[], f32>
  %zero = const 0.0 : tensor<[], f32>
  %minus_zero = const -0.0 : tensor<[], f32>
  %a = mul %x, %one
  %b = add %a, %minus_zero
  %c = sub %b, %zero
  %d = fdiv %c, %one
  %e = pow %d, %one
  %f = neg %e
  %g = neg %f
  %h = max %g, %g
  return %h
}

// An added zero is no negative zero, a product with zero may be no number, and so may a difference.
// CHECK-LABEL: tiny.func @keeps_inexact<N>(%x: tensor<[N], f32>) -> (tensor<[N], f32>, tensor<[N], f32>, tensor<[N], f32>, tensor<[N], f32>, tensor<[N], i1>) {
// CHECK-NEXT:    %zero = const 0.000000e+00 : tensor<[], f32>
// CHECK-NEXT:    %minus_zero = const -0.000000e+00 : tensor<[], f32>
// CHECK-NEXT:    %a = add %x, %zero : tensor<[N], f32>
// CHECK-NEXT:    %b = mul %x, %zero : tensor<[N], f32>
// CHECK-NEXT:    %c = sub %x, %x : tensor<[N], f32>
// CHECK-NEXT:    %d = sub %x, %minus_zero : tensor<[N], f32>
// CHECK-NEXT:    %e = cmp eq %x, %x : tensor<[N], i1>
// CHECK-NEXT:    return %a, %b, %c, %d, %e
// CHECK-NEXT:  }
tiny.func @keeps_inexact<N>(%x: tensor<[N], f32>) -> (tensor<[N], f32>, tensor<[N], f32>, tensor<[N], f32>, tensor<[N], f32>, tensor<[N], i1>) {
  %zero = const 0.0 : tensor<[], f32>
  %minus_zero = const -0.0 : tensor<[], f32>
  %a = add %x, %zero
  %b = mul %x, %zero
  %c = sub %x, %x
  %d = sub %x, %minus_zero
  %e = cmp eq %x, %x
  return %a, %b, %c, %d, %e
}

// Integers.
// CHECK-LABEL: tiny.func @neutral_integers<N>(%x: tensor<[N], i32>) -> tensor<[N], i32> {
// CHECK-NEXT:    return %x
// CHECK-NEXT:  }
tiny.func @neutral_integers<N>(%x: tensor<[N], i32>) -> tensor<[N], i32> {
  %zero = const 0 : tensor<[], i32>
  %one = const 1 : tensor<[], i32>
  %all = const -1 : tensor<[], i32>
  %a = add %x, %zero
  %b = sub %a, %zero
  %c = mul %b, %one
  %d = cdiv %c, %one
  %e = floordiv %d, %one
  %f = and %e, %all
  %g = or %f, %zero
  %h = xor %g, %zero
  %i = shl %h, %zero
  %j = shr %i, %zero
  %k = and %j, %j
  return %k
}

// What absorbs.
// CHECK-LABEL: tiny.func @absorbing<N>(%x: tensor<[N], i32>) -> (tensor<[N], i32>, tensor<[N], i32>, tensor<[N], i32>, tensor<[N], i32>, tensor<[N], i32>) {
// CHECK-NEXT:    %a = const 0 : tensor<[N], i32>
// CHECK-NEXT:    %c = const -1 : tensor<[N], i32>
// CHECK-NEXT:    return %a, %a, %c, %a, %a
// CHECK-NEXT:  }
tiny.func @absorbing<N>(%x: tensor<[N], i32>) -> (tensor<[N], i32>, tensor<[N], i32>, tensor<[N], i32>, tensor<[N], i32>, tensor<[N], i32>) {
  %zero = const 0 : tensor<[], i32>
  %all = const -1 : tensor<[], i32>
  %a = mul %x, %zero
  %b = and %x, %zero
  %c = or %x, %all
  %d = sub %x, %x
  %e = xor %x, %x
  return %a, %b, %c, %d, %e
}

// An operand that is broadcast or cast is not the result; all ones of eight bits are not all ones of 32.
// CHECK-LABEL: tiny.func @keeps_what_changes_shape_or_type<N>(%x: tensor<[1], f32>, %h: tensor<[N], f16>, %i: tensor<[N], i32>) -> (tensor<[N], f32>, tensor<[N], f32>, tensor<[N], i32>, tensor<[N], i32>) {
// CHECK-NEXT:    %ones = const 1.000000e+00 : tensor<[N], f32>
// CHECK-NEXT:    %bytes = const 255 : tensor<[], ui8>
// CHECK-NEXT:    %a = mul %x, %ones : tensor<[N], f32>
// CHECK-NEXT:    %b = mul %h, %ones : tensor<[N], f32>
// CHECK-NEXT:    %c = and %i, %bytes : tensor<[N], i32>
// CHECK-NEXT:    %d = or %i, %bytes : tensor<[N], i32>
// CHECK-NEXT:    return %a, %b, %c, %d
// CHECK-NEXT:  }
tiny.func @keeps_what_changes_shape_or_type<N>(%x: tensor<[1], f32>, %h: tensor<[N], f16>, %i: tensor<[N], i32>) -> (tensor<[N], f32>, tensor<[N], f32>, tensor<[N], i32>, tensor<[N], i32>) {
  %ones = const 1.0 : tensor<[N], f32>
  %bytes = const 255 : tensor<[], ui8>
  %a = mul %x, %ones
  %b = mul %h, %ones
  %c = and %i, %bytes
  %d = or %i, %bytes
  return %a, %b, %c, %d
}

// There and back.
// CHECK-LABEL: tiny.func @casts<N>(%x: tensor<[N], f16>, %y: tensor<[N], f32>, %b: tensor<[N], i1>) -> (tensor<[N], f16>, tensor<[N], f32>, tensor<[N], i1>) {
// CHECK-NEXT:    %d = cast %y to f16 : tensor<[N], f16>
// CHECK-NEXT:    %e = cast %d to f32 : tensor<[N], f32>
// CHECK-NEXT:    return %x, %e, %b
// CHECK-NEXT:  }
tiny.func @casts<N>(%x: tensor<[N], f16>, %y: tensor<[N], f32>, %b: tensor<[N], i1>) -> (tensor<[N], f16>, tensor<[N], f32>, tensor<[N], i1>) {
  %a = cast %x to f32
  %c = cast %a to f16
  %d = cast %y to f16
  %e = cast %d to f32
  %f = cast %b to i32
  %g = cast %f to i1
  return %c, %e, %g
}

// A value with itself; truth values with what leaves them as they are.
// CHECK-LABEL: tiny.func @comparisons<N>(%i: tensor<[N], i32>, %b: tensor<[N], i1>) -> (tensor<[N], i1>, tensor<[N], i1>, tensor<[N], i1>, tensor<[N], i1>) {
// CHECK-NEXT:    %c = const 1 : tensor<[N], i1>
// CHECK-NEXT:    %d = const 0 : tensor<[N], i1>
// CHECK-NEXT:    return %c, %d, %b, %b
// CHECK-NEXT:  }
tiny.func @comparisons<N>(%i: tensor<[N], i32>, %b: tensor<[N], i1>) -> (tensor<[N], i1>, tensor<[N], i1>, tensor<[N], i1>, tensor<[N], i1>) {
  %true = const 1 : tensor<[], i1>
  %false = const 0 : tensor<[], i1>
  %c = cmp le %i, %i
  %d = cmp ne %i, %i
  %e = cmp eq %b, %true
  %f = cmp ne %false, %b
  return %c, %d, %e, %f
}

// A choice that is none.
// CHECK-LABEL: tiny.func @choices<N>(%c: tensor<[N], i1>, %x: tensor<[N], f32>, %y: tensor<[N], f32>) -> (tensor<[N], f32>, tensor<[N], f32>, tensor<[N], f32>, tensor<[N], i1>, tensor<[N], i8>) {
// CHECK-NEXT:    %f = const 7 : tensor<[N], i8>
// CHECK-NEXT:    return %x, %y, %x, %c, %f
// CHECK-NEXT:  }
tiny.func @choices<N>(%c: tensor<[N], i1>, %x: tensor<[N], f32>, %y: tensor<[N], f32>) -> (tensor<[N], f32>, tensor<[N], f32>, tensor<[N], f32>, tensor<[N], i1>, tensor<[N], i8>) {
  %true = const 1 : tensor<[], i1>
  %false = const 0 : tensor<[], i1>
  %seven = const 7 : tensor<[], i8>
  %a = where %true, %x, %y
  %b = where %false, %x, %y
  %d = where %c, %x, %x
  %e = where %c, %true, %false
  %f = where %c, %seven, %seven
  return %a, %b, %d, %e, %f
}

// A choice that broadcasts stays.
// CHECK-LABEL: tiny.func @keeps_choice_that_broadcasts<N>(%x: tensor<[], f32>, %y: tensor<[N], f32>) -> tensor<[N], f32> {
// CHECK-NEXT:    %true = const 1 : tensor<[], i1>
// CHECK-NEXT:    %a = where %true, %x, %y : tensor<[N], f32>
// CHECK-NEXT:    return %a
// CHECK-NEXT:  }
tiny.func @keeps_choice_that_broadcasts<N>(%x: tensor<[], f32>, %y: tensor<[N], f32>) -> tensor<[N], f32> {
  %true = const 1 : tensor<[], i1>
  %a = where %true, %x, %y
  return %a
}

// Over no axes.
// CHECK-LABEL: tiny.func @reduce_over_nothing<N>(%x: tensor<[N], f16>) -> (tensor<[N], f16>, tensor<[N], f32>) {
// CHECK-NEXT:    %b = reduce sum %x over [] acc f32 : tensor<[N], f32>
// CHECK-NEXT:    return %x, %b
// CHECK-NEXT:  }
tiny.func @reduce_over_nothing<N>(%x: tensor<[N], f16>) -> (tensor<[N], f16>, tensor<[N], f32>) {
  %a = reduce sum %x over []
  %b = reduce sum %x over [] acc f32
  return %a, %b
}
