// RUN: dlc-opt %s --lower-indexbook | FileCheck %s

// Products are rounded to their type where the contraction says so: that of the operands, or another.
// CHECK-LABEL: book.func @rounded<M, K>(%x: tensor<[M, K], bf16>, %y: tensor<[K], bf16>) -> (tensor<[M], f32>, tensor<[M], f32>) {
// CHECK-NEXT:    %0 = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i1) : tensor<[M, K], bf16>
// CHECK-NEXT:    %a = reduce sum axes (i0: M) over (i1: K) of %0 at (i0, i1) acc f32 : tensor<[M], f32>
// CHECK-NEXT:    %1 = entry cast axes (i0: M, i1: K) of %x at (i0, i1) to f32 : tensor<[M, K], f32>
// CHECK-NEXT:    %2 = entry cast axes (i0: K) of %y at (i0) to f32 : tensor<[K], f32>
// CHECK-NEXT:    %3 = entry mul axes (i0: M, i1: K) of %1 at (i0, i1), %2 at (i1) : tensor<[M, K], f32>
// CHECK-NEXT:    %b = reduce sum axes (i0: M) over (i1: K) of %3 at (i0, i1) acc f32 : tensor<[M], f32>
// CHECK-NEXT:    return %a, %b
// CHECK-NEXT:  }
tiny.func @rounded<M, K>(%x: tensor<[M, K], bf16>, %y: tensor<[K], bf16>) -> (tensor<[M], f32>, tensor<[M], f32>) {
  %a = contract %x [m, k], %y [k] to [m] product bf16 acc f32
  %b = contract %x [m, k], %y [k] to [m] product f32 acc f32
  return %a, %b
}

// A type that holds the products rounds none.
// CHECK-LABEL: book.func @held<M, K>(%x: tensor<[M, K], f16>, %y: tensor<[K], f16>) -> tensor<[M], f32> {
// CHECK-NEXT:    %0 = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i1) to f32 widen : tensor<[M, K], f32>
// CHECK-NEXT:    %a = reduce sum axes (i0: M) over (i1: K) of %0 at (i0, i1) acc f32 : tensor<[M], f32>
// CHECK-NEXT:    return %a
// CHECK-NEXT:  }
tiny.func @held<M, K>(%x: tensor<[M, K], f16>, %y: tensor<[K], f16>) -> tensor<[M], f32> {
  %a = contract %x [m, k], %y [k] to [m] product f32 acc f32
  return %a
}

// Integers wrap, in the type of the operands or a wider one.
// CHECK-LABEL: book.func @integers<M, K>(%x: tensor<[M, K], i8>, %y: tensor<[K], i8>) -> (tensor<[M], i8>, tensor<[M], i32>) {
// CHECK-NEXT:    %0 = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i1) : tensor<[M, K], i8>
// CHECK-NEXT:    %a = reduce sum axes (i0: M) over (i1: K) of %0 at (i0, i1) acc i8 : tensor<[M], i8>
// CHECK-NEXT:    %1 = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %y at (i1) to i32 widen : tensor<[M, K], i32>
// CHECK-NEXT:    %b = reduce sum axes (i0: M) over (i1: K) of %1 at (i0, i1) acc i32 : tensor<[M], i32>
// CHECK-NEXT:    return %a, %b
// CHECK-NEXT:  }
tiny.func @integers<M, K>(%x: tensor<[M, K], i8>, %y: tensor<[K], i8>) -> (tensor<[M], i8>, tensor<[M], i32>) {
  %a = contract %x [m, k], %y [k] to [m]
  %b = contract %x [m, k], %y [k] to [m] acc i32
  return %a, %b
}

// An index that stands twice, one that only one side has, and a size of 1 that is repeated.
// CHECK-LABEL: book.func @indices<M, K>(%x: tensor<[M, M, 1], f32>, %y: tensor<[K], f32>) -> tensor<[M], f32> {
// CHECK-NEXT:    %0 = entry mul axes (i0: M, i1: K) of %x at (i0, i0, 0), %y at (i1) to f32 widen : tensor<[M, K], f32>
// CHECK-NEXT:    %a = reduce sum axes (i0: M) over (i1: K) of %0 at (i0, i1) acc f32 : tensor<[M], f32>
// CHECK-NEXT:    return %a
// CHECK-NEXT:  }
tiny.func @indices<M, K>(%x: tensor<[M, M, 1], f32>, %y: tensor<[K], f32>) -> tensor<[M], f32> {
  %a = contract %x [m, m, 0], %y [k] to [m]
  return %a
}

// Of a product and a sum only the sum is rounded.
// CHECK-LABEL: book.func @mulacc<M>(%x: tensor<[M], f16>, %y: tensor<[M], i32>, %z: tensor<[], f32>, %i: tensor<[M], i8>) -> (tensor<[M], f32>, tensor<[M], i32>) {
// CHECK-NEXT:    %0 = entry mul axes (i0: M) of %x at (i0), %x at (i0) to f32 widen : tensor<[M], f32>
// CHECK-NEXT:    %a = entry add axes (i0: M) of %0 at (i0), %z at () : tensor<[M], f32>
// CHECK-NEXT:    %1 = entry cast axes (i0: M) of %i at (i0) to i32 : tensor<[M], i32>
// CHECK-NEXT:    %2 = entry mul axes (i0: M) of %1 at (i0), %y at (i0) : tensor<[M], i32>
// CHECK-NEXT:    %b = entry add axes (i0: M) of %2 at (i0), %i at (i0) : tensor<[M], i32>
// CHECK-NEXT:    return %a, %b
// CHECK-NEXT:  }
tiny.func @mulacc<M>(%x: tensor<[M], f16>, %y: tensor<[M], i32>, %z: tensor<[], f32>, %i: tensor<[M], i8>) -> (tensor<[M], f32>, tensor<[M], i32>) {
  %a = mulacc %x, %x, %z
  %b = mulacc %i, %y, %i
  return %a, %b
}
