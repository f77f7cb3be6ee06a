// Sizes of zero, no axes at all, and sixteen of them.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic | dlc-opt | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// CHECK-LABEL: @zero
tiny.func @zero<M>(%x: tensor<[0, M], f32>, %row: tensor<[1, M], f32>) -> (tensor<[0, M], f32>, tensor<[M], f32>) {
  // Zero meets one: nothing is left.
  // CHECK: add %x, %row : tensor<[0, M], f32>
  %sum = add %x, %row
  // CHECK: reshape %sum to [0, 5, 7] : tensor<[0, 5, 7], f32>
  %other = reshape %sum to [0, 5, 7]
  // CHECK: reshape %other to [M, 0] : tensor<[M, 0], f32>
  %back = reshape %other to [M, 0]
  // CHECK: expand %row1 to [0, M] : tensor<[0, M], f32>
  %row1 = mul %row, %row
  %gone = expand %row1 to [0, M]
  // CHECK: pad %gone low [0, 0] high [2, 0] : tensor<[2, M], f32>
  %some = pad %gone low [0, 0] high [2, 0]
  // CHECK: shrink %some from [2, 0] to [2, M] : tensor<[0, M], f32>
  %none = shrink %some from [2, 0] to [2, M]
  // CHECK: flip %none over [0] : tensor<[0, M], f32>
  %backwards = flip %none over [0]
  // CHECK: reduce max %backwards over [0] : tensor<[M], f32>
  %max = reduce max %backwards over [0]
  // CHECK: contract %x [k, m], %x [k, n] to [m, n] : tensor<[M, M], f32>
  %square = contract %x [k, m], %x [k, n] to [m, n]
  return %backwards, %max
}

// CHECK-LABEL: @no_axes
tiny.func @no_axes<M>(%x: tensor<[], f16>, %row: tensor<[M], f16>, %i: tensor<[], i32>) -> tensor<[], f16> {
  // CHECK: add %x, %row : tensor<[M], f16>
  %a = add %x, %row
  // CHECK: reshape %x to [1, 1] : tensor<[1, 1], f16>
  %b = reshape %x to [1, 1]
  // CHECK: reshape %b to [] : tensor<[], f16>
  %c = reshape %b to []
  // CHECK: permute %c by [] : tensor<[], f16>
  %d = permute %c by []
  // CHECK: pad %d low [] high [] : tensor<[], f16>
  %e = pad %d low [] high []
  // CHECK: shrink %e from [] to [] : tensor<[], f16>
  %f = shrink %e from [] to []
  // CHECK: flip %f over [] : tensor<[], f16>
  %g = flip %f over []
  // CHECK: reduce sum %g over [] acc f32 : tensor<[], f32>
  %h = reduce sum %g over [] acc f32
  // CHECK: contract %g [], %g [] to [] : tensor<[], f16>
  %j = contract %g [], %g [] to []
  // CHECK: index %row[%i] : tensor<[], f16>
  %k = index %row[%i]
  // CHECK: load %k at [] : tensor<[M, 2], f16>
  %l = load %k at [] : tensor<[M, 2], f16>
  // CHECK: store %k into %j : tensor<[], f16>
  %m = store %k into %j
  // CHECK: store %k into %m from [] : tensor<[], f16>
  %n = store %k into %m from []
  // CHECK: view %row as [] strides [] start [3] : tensor<[], f16>
  %o = view %row as [] strides [] start [3]
  // CHECK: valid from [] to [] : tensor<[], i1>
  %p = valid from [] to [] : tensor<[], i1>
  // CHECK: bitcast %n to bf16 : tensor<[], bf16>
  %q = bitcast %n to bf16
  return %n
}

// CHECK-LABEL: @sixteen_axes
tiny.func @sixteen_axes<A, B>(%x: tensor<[A, 1, 2, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, B], f32>, %y: tensor<[2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4, B], f32>) -> tensor<[A, B], f32> {
  // CHECK: add %x, %y : tensor<[A, 1, 2, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 4, B], f32>
  %a = add %x, %y
  // CHECK: permute {{.*}} : tensor<[B, 4, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 2, 1, A], f32>
  %b = permute %a by [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
  // CHECK: flip {{.*}} : tensor<[B, 4, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 2, 1, A], f32>
  %c = flip %b over [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
  // CHECK: reduce sum {{.*}} : tensor<[B, A], f32>
  %d = reduce sum %c over [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
  // CHECK: permute %d by [1, 0] : tensor<[A, B], f32>
  %e = permute %d by [1, 0]
  return %e
}
