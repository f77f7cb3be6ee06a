// RUN: dlc-opt %s --recognize-scans --split-input-file --evaluate-each | FileCheck %s

// Four elements up to a position are a window, not a scan.
// CHECK-LABEL: @short_window
// CHECK-NEXT: reduce sum
book.func @short_window(%x: tensor<[30], f32>) -> tensor<[30], f32> {
  %s = reduce sum axes (i0: 30) over (i1: 4) of %x at (i0 + i1 - 3) where (0 <= i0 + i1 - 3) else 0.0 acc f32 : tensor<[30], f32>
  return %s
}

// -----

// Outside of the guard there is a number that counts.
// CHECK-LABEL: @other_fill
// CHECK-NEXT: reduce sum
book.func @other_fill(%x: tensor<[30], f32>) -> tensor<[30], f32> {
  %s = reduce sum axes (i0: 30) over (i1: 30) of %x at (i0 + i1 - 29) where (0 <= i0 + i1 - 29) else 1.0 acc f32 : tensor<[30], f32>
  return %s
}

// -----

// Up to two positions after: a scan that is shifted.
// CHECK-LABEL: @shifted
// CHECK: reduce sum
book.func @shifted<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  %zero = const 0.0 : tensor<[], f32>
  %i = iota (i0 + 2) axes (i0: N) : tensor<[N], i32>
  %j = iota (i0) axes (i0: N) : tensor<[N], i32>
  %before = entry le axes (i0: N, i1: N) of %j at (i1), %i at (i0) : tensor<[N, N], i1>
  %a = entry where axes (i0: N, i1: N) of %before at (i0, i1), %x at (i1), %zero at () : tensor<[N, N], f32>
  %s = reduce sum axes (i0: N) over (i1: N) of %a at (i0, i1) acc f32 : tensor<[N], f32>
  return %s
}

// -----

// Every second position, another size, an element that moves with the result, a band.
// CHECK-LABEL: @others
// CHECK-NOT: scan
book.func @others<M, N>(%x: tensor<[N], f32>, %y: tensor<[N, N], f32>) -> (tensor<[N], f32>, tensor<[M], f32>, tensor<[N], f32>, tensor<[N], f32>) {
  %zero = const 0.0 : tensor<[], f32>
  %twice = iota (2*i0) axes (i0: N) : tensor<[N], i64>
  %i = iota (i0) axes (i0: N) : tensor<[N], i64>
  %m = iota (i0) axes (i0: M) : tensor<[M], i64>
  %c0 = entry le axes (i0: N, i1: N) of %twice at (i1), %i at (i0) : tensor<[N, N], i1>
  %a0 = entry where axes (i0: N, i1: N) of %c0 at (i0, i1), %x at (i1), %zero at () : tensor<[N, N], f32>
  %s0 = reduce sum axes (i0: N) over (i1: N) of %a0 at (i0, i1) acc f32 : tensor<[N], f32>
  %c1 = entry le axes (i0: M, i1: N) of %i at (i1), %m at (i0) : tensor<[M, N], i1>
  %a1 = entry where axes (i0: M, i1: N) of %c1 at (i0, i1), %x at (i1), %zero at () : tensor<[M, N], f32>
  %s1 = reduce sum axes (i0: M) over (i1: N) of %a1 at (i0, i1) acc f32 : tensor<[M], f32>
  %c2 = entry le axes (i0: N, i1: N) of %i at (i1), %i at (i0) : tensor<[N, N], i1>
  %a2 = entry where axes (i0: N, i1: N) of %c2 at (i0, i1), %y at (i0, i1), %zero at () : tensor<[N, N], f32>
  %s2 = reduce sum axes (i0: N) over (i1: N) of %a2 at (i0, i1) acc f32 : tensor<[N], f32>
  %next = iota (i0 + 3) axes (i0: N) : tensor<[N], i64>
  %c3 = entry le axes (i0: N, i1: N) of %i at (i0), %next at (i1) : tensor<[N, N], i1>
  %both = entry and axes (i0: N, i1: N) of %c2 at (i0, i1), %c3 at (i0, i1) : tensor<[N, N], i1>
  %a3 = entry where axes (i0: N, i1: N) of %both at (i0, i1), %x at (i1), %zero at () : tensor<[N, N], f32>
  %s3 = reduce sum axes (i0: N) over (i1: N) of %a3 at (i0, i1) acc f32 : tensor<[N], f32>
  return %s0, %s1, %s2, %s3
}

// -----

// Positions that wrap in eight bits.
// CHECK-LABEL: @wrapping
// CHECK: reduce sum
book.func @wrapping(%x: tensor<[300], f32>) -> tensor<[300], f32> {
  %zero = const 0.0 : tensor<[], f32>
  %i = iota (i0) axes (i0: 300) : tensor<[300], i8>
  %c = entry le axes (i0: 300, i1: 300) of %i at (i1), %i at (i0) : tensor<[300, 300], i1>
  %a = entry where axes (i0: 300, i1: 300) of %c at (i0, i1), %x at (i1), %zero at () : tensor<[300, 300], f32>
  %s = reduce sum axes (i0: 300) over (i1: 300) of %a at (i0, i1) acc f32 : tensor<[300], f32>
  return %s
}

// -----

// A mask that is a tensor, and two axes that are reduced.
// CHECK-LABEL: @unknown
// CHECK-NOT: scan
book.func @unknown<N>(%x: tensor<[N], f32>, %c: tensor<[N, N], i1>) -> (tensor<[N], f32>, tensor<[N], f32>) {
  %zero = const 0.0 : tensor<[], f32>
  %a = entry where axes (i0: N, i1: N) of %c at (i0, i1), %x at (i1), %zero at () : tensor<[N, N], f32>
  %s = reduce sum axes (i0: N) over (i1: N) of %a at (i0, i1) acc f32 : tensor<[N], f32>
  %i = iota (i0) axes (i0: N) : tensor<[N], i32>
  %le = entry le axes (i0: N, i1: N) of %i at (i1), %i at (i0) : tensor<[N, N], i1>
  %b = entry where axes (i0: N, i1: N, i2: N) of %le at (i0, i1), %x at (i2), %zero at () : tensor<[N, N, N], f32>
  %t = reduce sum axes (i0: N) over (i1: N, i2: N) of %b at (i0, i1, i2) acc f32 : tensor<[N], f32>
  return %s, %t
}

// -----

// The lowest number of the narrower type is none that a maximum of the wider one leaves out.
// CHECK-LABEL: @narrow_identity
// CHECK: reduce max
book.func @narrow_identity<N>(%x: tensor<[N], i8>) -> tensor<[N], i32> {
  %least = const -128 : tensor<[], i8>
  %i = iota (i0) axes (i0: N) : tensor<[N], i32>
  %before = entry lt axes (i0: N, i1: N) of %i at (i1), %i at (i0) : tensor<[N, N], i1>
  %a = entry where axes (i0: N, i1: N) of %before at (i0, i1), %x at (i1), %least at () : tensor<[N, N], i8>
  %wide = entry cast axes (i0: N, i1: N) of %a at (i0, i1) to i32 : tensor<[N, N], i32>
  %s = reduce max axes (i0: N) over (i1: N) of %wide at (i0, i1) acc i32 : tensor<[N], i32>
  return %s
}
