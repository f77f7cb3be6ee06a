// RUN: dlc-opt %s --insert-broadcasts | FileCheck %s
// RUN: dlc-opt %s --insert-broadcasts > %t.once
// RUN: dlc-opt %t.once --insert-broadcasts | diff %t.once -

// A missing leading axis, and another type: cast first, while it is small.
// CHECK-LABEL: tiny.func @bias<M, N>(%x: tensor<[M, N], f32>, %b: tensor<[N], f16>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %0 = cast %b to f32 : tensor<[N], f32>
// CHECK-NEXT:    %1 = expand %0 to [M, N] dims [1] : tensor<[M, N], f32>
// CHECK-NEXT:    %y = add %x, %1 : tensor<[M, N], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @bias<M, N>(%x: tensor<[M, N], f32>, %b: tensor<[N], f16>) -> tensor<[M, N], f32> {
  %y = add %x, %b
  return %y
}

// Both sides grow, each once.
// CHECK-LABEL: tiny.func @both_sides<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[N], f32>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %0 = expand %x to [M, N] : tensor<[M, N], f32>
// CHECK-NEXT:    %1 = expand %y to [M, N] dims [1] : tensor<[M, N], f32>
// CHECK-NEXT:    %z = mul %0, %1 : tensor<[M, N], f32>
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
tiny.func @both_sides<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %z = mul %x, %y
  return %z
}

// A scalar has no axes.
// CHECK-LABEL: tiny.func @scalar<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %half = const 5.000000e-01 : tensor<[], f32>
// CHECK-NEXT:    %0 = expand %half to [M, N] dims [] : tensor<[M, N], f32>
// CHECK-NEXT:    %y = mul %x, %0 : tensor<[M, N], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @scalar<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %half = const 0.5 : tensor<[], f32>
  %y = mul %x, %half
  return %y
}

// An operand that is used twice is expanded for each use; `cse` merges them.
// CHECK-LABEL: tiny.func @same_operand_twice<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[1, N], f32>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %0 = expand %x to [M, N] : tensor<[M, N], f32>
// CHECK-NEXT:    %1 = expand %y to [M, N] : tensor<[M, N], f32>
// CHECK-NEXT:    %a = sub %0, %1 : tensor<[M, N], f32>
// CHECK-NEXT:    %2 = expand %x to [M, N] : tensor<[M, N], f32>
// CHECK-NEXT:    %b = mul %a, %2 : tensor<[M, N], f32>
// CHECK-NEXT:    return %b
// CHECK-NEXT:  }
tiny.func @same_operand_twice<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[1, N], f32>) -> tensor<[M, N], f32> {
  %a = sub %x, %y
  %b = mul %a, %x
  return %b
}

// The types of a comparison are promoted to f32, which is not the type of its result.
// CHECK-LABEL: tiny.func @comparison<N>(%x: tensor<[N], f16>, %y: tensor<[], f32>) -> tensor<[N], i1> {
// CHECK-NEXT:    %0 = cast %x to f32 : tensor<[N], f32>
// CHECK-NEXT:    %1 = expand %y to [N] dims [] : tensor<[N], f32>
// CHECK-NEXT:    %c = cmp lt %0, %1 : tensor<[N], i1>
// CHECK-NEXT:    return %c
// CHECK-NEXT:  }
tiny.func @comparison<N>(%x: tensor<[N], f16>, %y: tensor<[], f32>) -> tensor<[N], i1> {
  %c = cmp lt %x, %y
  return %c
}

// The condition stays a truth value, and grows too.
// CHECK-LABEL: tiny.func @choice<M, N>(%c: tensor<[M, 1], i1>, %x: tensor<[N], bf16>, %y: tensor<[1], f32>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %0 = expand %c to [M, N] : tensor<[M, N], i1>
// CHECK-NEXT:    %1 = cast %x to f32 : tensor<[N], f32>
// CHECK-NEXT:    %2 = expand %1 to [M, N] dims [1] : tensor<[M, N], f32>
// CHECK-NEXT:    %3 = expand %y to [M, N] dims [1] : tensor<[M, N], f32>
// CHECK-NEXT:    %z = where %0, %2, %3 : tensor<[M, N], f32>
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
tiny.func @choice<M, N>(%c: tensor<[M, 1], i1>, %x: tensor<[N], bf16>, %y: tensor<[1], f32>) -> tensor<[M, N], f32> {
  %z = where %c, %x, %y
  return %z
}

// Three operands.
// CHECK-LABEL: tiny.func @mulacc<M, N>(%a: tensor<[M, 1], f16>, %b: tensor<[N], f16>, %c: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %0 = cast %a to f32 : tensor<[M, 1], f32>
// CHECK-NEXT:    %1 = expand %0 to [M, N] : tensor<[M, N], f32>
// CHECK-NEXT:    %2 = cast %b to f32 : tensor<[N], f32>
// CHECK-NEXT:    %3 = expand %2 to [M, N] dims [1] : tensor<[M, N], f32>
// CHECK-NEXT:    %z = mulacc %1, %3, %c : tensor<[M, N], f32>
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
tiny.func @mulacc<M, N>(%a: tensor<[M, 1], f16>, %b: tensor<[N], f16>, %c: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %z = mulacc %a, %b, %c
  return %z
}

// By how much bits are moved keeps its type.
// CHECK-LABEL: tiny.func @shift<N>(%x: tensor<[N], i32>, %by: tensor<[], ui8>) -> tensor<[N], i32> {
// CHECK-NEXT:    %0 = expand %by to [N] dims [] : tensor<[N], ui8>
// CHECK-NEXT:    %y = shl %x, %0 : tensor<[N], i32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
tiny.func @shift<N>(%x: tensor<[N], i32>, %by: tensor<[], ui8>) -> tensor<[N], i32> {
  %y = shl %x, %by
  return %y
}

// Integers are divided as floats.
// CHECK-LABEL: tiny.func @quotient<N>(%x: tensor<[N], i32>, %y: tensor<[N], i32>) -> tensor<[N], f32> {
// CHECK-NEXT:    %0 = cast %x to f32 : tensor<[N], f32>
// CHECK-NEXT:    %1 = cast %y to f32 : tensor<[N], f32>
// CHECK-NEXT:    %z = fdiv %0, %1 : tensor<[N], f32>
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
tiny.func @quotient<N>(%x: tensor<[N], i32>, %y: tensor<[N], i32>) -> tensor<[N], f32> {
  %z = fdiv %x, %y
  return %z
}

// An axis of size 1 becomes one of size 0.
// CHECK-LABEL: tiny.func @no_elements(%x: tensor<[0, 3], f32>, %y: tensor<[1, 3], f32>) -> tensor<[0, 3], f32> {
// CHECK-NEXT:    %0 = expand %y to [0, 3] : tensor<[0, 3], f32>
// CHECK-NEXT:    %z = add %x, %0 : tensor<[0, 3], f32>
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
tiny.func @no_elements(%x: tensor<[0, 3], f32>, %y: tensor<[1, 3], f32>) -> tensor<[0, 3], f32> {
  %z = add %x, %y
  return %z
}

// In a region as outside.
// CHECK-LABEL: tiny.func @in_a_region<N>(%c: tensor<[], i1>, %x: tensor<[N], f32>, %y: tensor<[], f32>) -> tensor<[N], f32> {
// CHECK-NEXT:    %z = if %c : tensor<[N], f32> {
// CHECK-NEXT:      %0 = expand %y to [N] dims [] : tensor<[N], f32>
// CHECK-NEXT:      %s = add %x, %0 : tensor<[N], f32>
// CHECK-NEXT:      yield %s
// CHECK-NEXT:    } else {
// CHECK-NEXT:      yield %x
// CHECK-NEXT:    }
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
tiny.func @in_a_region<N>(%c: tensor<[], i1>, %x: tensor<[N], f32>, %y: tensor<[], f32>) -> tensor<[N], f32> {
  %z = if %c : tensor<[N], f32> {
    %s = add %x, %y
    yield %s
  } else {
    yield %x
  }
  return %z
}
