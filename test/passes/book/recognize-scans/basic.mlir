// RUN: dlc-opt %s --recognize-scans --dce --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --recognize-scans --split-input-file --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: each result combines the elements up to a position: it is a scan

// A window over what is padded, as tinygrad writes it: the position that is read replaces the reduced axis.
// CHECK-LABEL: @window
// CHECK-NEXT: scan sum axes (i0: 4, i1: 30) along 1 of %x at (i0, i1) acc f32 : tensor<[4, 30], f32>
// CHECK-NEXT: return
book.func @window(%x: tensor<[4, 30], f32>) -> tensor<[4, 30], f32> {
  %s = reduce sum axes (i0: 4, i1: 30) over (i2: 30) of %x at (i0, i1 + i2 - 29) where (0 <= i1 + i2 - 29) else 0.0 acc f32 : tensor<[4, 30], f32>
  return %s
}

// -----

// The same against the direction of the axis.
// CHECK-LABEL: @window_after
// CHECK-NEXT: scan max axes (i0: 30, i1: 4) along 0 of %x at (i1, i0) acc f32 reverse : tensor<[30, 4], f32>
// CHECK-NEXT: return
book.func @window_after(%x: tensor<[4, 30], f32>) -> tensor<[30, 4], f32> {
  %s = reduce max axes (i0: 30, i1: 4) over (i2: 30) of %x at (i1, i0 - i2 + 29) where (i0 - i2 + 29 < 30) else -inf acc f32 : tensor<[30, 4], f32>
  return %s
}

// -----

// A mask that compares positions, whatever the sizes; exclusive and reverse by the comparison and the side.
// CHECK-LABEL: @masks
// CHECK: scan sum axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32 : tensor<[M, N], f32>
// CHECK: scan sum axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32 exclusive reverse : tensor<[M, N], f32>
// CHECK: scan prod axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32 reverse : tensor<[M, N], f32>
// CHECK-NEXT: return
book.func @masks<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[M, N], f32>, tensor<[M, N], f32>, tensor<[M, N], f32>) {
  %zero = const 0.0 : tensor<[], f32>
  %one = const 1.0 : tensor<[], f32>
  %i = iota (i0) axes (i0: N) : tensor<[N], i32>
  %before = entry le axes (i0: N, i1: N) of %i at (i1), %i at (i0) : tensor<[N, N], i1>
  %a = entry where axes (i0: M, i1: N, i2: N) of %before at (i1, i2), %x at (i0, i2), %zero at () : tensor<[M, N, N], f32>
  %ra = reduce sum axes (i0: M, i1: N) over (i2: N) of %a at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  %b = entry where axes (i0: M, i1: N, i2: N) of %before at (i1, i2), %zero at (), %x at (i0, i2) : tensor<[M, N, N], f32>
  %rb = reduce sum axes (i0: M, i1: N) over (i2: N) of %b at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  %c = entry where axes (i0: M, i1: N, i2: N) of %before at (i2, i1), %x at (i0, i2), %one at () : tensor<[M, N, N], f32>
  %rc = reduce prod axes (i0: M, i1: N) over (i2: N) of %c at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
  return %ra, %rb, %rc
}

// -----

// Two conditions, one of which always holds, and one of another axis, which stays a guard.
// CHECK-LABEL: @conditions
// CHECK: scan sum axes (i0: M, i1: 8) along 1 of %x at (i0 - 1, i1) where (0 <= i0 - 1) else 0.0 acc f32 : tensor<[M, 8], f32>
// CHECK-NEXT: return
book.func @conditions<M>(%x: tensor<[M, 8], f32>) -> tensor<[M, 8], f32> {
  %zero = const 0.0 : tensor<[], f32>
  %i = iota (i0) axes (i0: 8, i1: 8) : tensor<[8, 8], i32>
  %j = iota (i1 - 1) axes (i0: 8, i1: 8) : tensor<[8, 8], i32>
  %nine = const 9 : tensor<[], i32>
  %a = entry lt axes (i0: 8, i1: 8) of %j at (i0, i1), %i at (i0, i1) : tensor<[8, 8], i1>
  %b = entry lt axes (i0: 8, i1: 8) of %i at (i0, i1), %nine at () : tensor<[8, 8], i1>
  %mask = entry and axes (i0: 8, i1: 8) of %a at (i0, i1), %b at (i0, i1) : tensor<[8, 8], i1>
  %w = entry where axes (i0: M, i1: 8, i2: 8) of %mask at (i1, i2), %x at (i0 - 1, i2) where (0 <= i0 - 1) else 0.0, %zero at () : tensor<[M, 8, 8], f32>
  %s = reduce sum axes (i0: M, i1: 8) over (i2: 8) of %w at (i0, i1, i2) acc f32 : tensor<[M, 8], f32>
  return %s
}

// -----

// Casts that lose nothing: elements are accumulated in the wider type all the same.
// CHECK-LABEL: @casts
// CHECK: scan sum axes (i0: N) along 0 of %x at (i0) acc f32 : tensor<[N], f32>
// CHECK: scan sum axes (i0: N) along 0 of %c at (i0) acc i32 : tensor<[N], i32>
// CHECK-NEXT: return
book.func @casts<N>(%x: tensor<[N], f16>, %c: tensor<[N], i1>) -> (tensor<[N], f32>, tensor<[N], i32>) {
  %zero = const 0.0 : tensor<[], f16>
  %no = const 0 : tensor<[], i1>
  %i = iota (i0) axes (i0: N) : tensor<[N], i32>
  %before = entry le axes (i0: N, i1: N) of %i at (i1), %i at (i0) : tensor<[N, N], i1>
  %a = entry where axes (i0: N, i1: N) of %before at (i0, i1), %x at (i1), %zero at () : tensor<[N, N], f16>
  %wide = entry cast axes (i0: N, i1: N) of %a at (i0, i1) to f32 : tensor<[N, N], f32>
  %s = reduce sum axes (i0: N) over (i1: N) of %wide at (i0, i1) acc f32 : tensor<[N], f32>
  %b = entry where axes (i0: N, i1: N) of %before at (i0, i1), %c at (i1), %no at () : tensor<[N, N], i1>
  %count = entry cast axes (i0: N, i1: N) of %b at (i0, i1) to i32 : tensor<[N, N], i32>
  %t = reduce sum axes (i0: N) over (i1: N) of %count at (i0, i1) acc i32 : tensor<[N], i32>
  return %s, %t
}
