// RUN: dlc-opt %s --form-regions --split-input-file --evaluate-each | FileCheck %s

// A row of heads is read as an axis of heads and an axis of their numbers: each is an axis of the kernel. The result is a
// view of what the kernel writes.
// CHECK-LABEL: host.func @heads
// CHECK: [[Q:%[a-z0-9_]+]] = view %qkv : memref<[B, S, 12, 64], f16, row_major, align 128, noalias>
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = launch @heads_0<B, S> ([[Q]]) : memref<[B, S, 4, 64], f32, row_major, align 128, noalias>
// CHECK-NEXT: %y = view [[S]] : memref<[B, S, 256], f32, row_major, align 128, noalias>
// CHECK-NEXT: return %y
// CHECK: read %qkv[b, s, i2, i3]
// CHECK: read %qkv[b, s1, i2 + 4, i3]
book.func @heads<B, S>(%qkv: tensor<[B, S, 768], f16>) -> tensor<[B, S, 256], f32> {
  %m = entry mul axes (i0: B, i1: S, i2: 4, i3: 64, i4: S) of %qkv at (i0, i1, 64*i2 + i3), %qkv at (i0, i4, 64*i2 + i3 + 256) to f32 widen : tensor<[B, S, 4, 64, S], f32>
  %s = reduce sum axes (i0: B, i1: S, i2: 4, i3: 64) over (i4: S) of %m at (i0, i1, i2, i3, i4) acc f32 : tensor<[B, S, 4, 64], f32>
  %y = reshape non_scop %s : tensor<[B, S, 256], f32>
  return %y
}

// -----

// A read that does not name both parts, and one at a place that is a number: the memory stays as it is.
// CHECK-LABEL: host.func @whole
// CHECK-NOT: view
// CHECK: read %x[16*i1 + i2]
// CHECK: read %x[n]
book.func @whole<N>(%x: tensor<[64], f16>) -> tensor<[N, 4, 16], f16> {
  %y = entry add axes (i0: N, i1: 4, i2: 16) of %x at (16*i1 + i2), %x at (i0) where (i0 < 64) : tensor<[N, 4, 16], f16>
  return %y
}

// -----

// Windows reach over the end of a part, and a size that is a symbol is no multiple.
// CHECK-LABEL: host.func @windows
// CHECK-NOT: view
// CHECK: read %x[3*i0 + i1]
// CHECK: read %z[m, 16*i0 + i1]
book.func @windows<M, N>(%x: tensor<[64], f32>, %z: tensor<[M, N], f32>) -> tensor<[4, 5, M], f32> {
  %y = entry add axes (i0: 4, i1: 5, i2: M) of %x at (3*i0 + i1), %z at (i2, 16*i0 + i1) where (16*i0 + i1 < N) : tensor<[4, 5, M], f32>
  return %y
}

// -----

// A buffer that is read with its own sizes as well is copied to the result with others.
// CHECK-LABEL: host.func @both
// CHECK: [[A:%[a-z0-9_]+]] = launch @both_0
// CHECK: [[V:%[a-z0-9_]+]] = view [[A]] : memref<[64], f32, row_major, align 128>
// CHECK: [[Y:%[a-z0-9_]+]] = launch @both_1{{.*}} ([[V]])
// CHECK: return [[A]], [[Y]]
book.func @both(%x: tensor<[4, 16], f32>) -> (tensor<[4, 16], f32>, tensor<[64], f32>) {
  %a = entry neg axes (i0: 4, i1: 16) of %x at (i0, i1) : tensor<[4, 16], f32>
  %y = reshape non_scop %a : tensor<[64], f32>
  return %a, %y
}

// -----

// Where a read is looked at, its guard keeps it within a part: both halves of rows of heads, as rotary embeddings read them.
// CHECK-LABEL: host.func @turned
// CHECK: view %x : memref<[S, 4, 16], f32, row_major, align 128, noalias>
// CHECK: read %x[s, i1, i2 + 8] where (i2 < 8)
// CHECK: read %x[s, i1, i2 - 8] where (0 <= i2 - 8)
book.func @turned<S>(%x: tensor<[S, 64], f32>) -> tensor<[S, 4, 16], f32> {
  %y = entry add axes (i0: S, i1: 4, i2: 16) of %x at (i0, 16*i1 + i2 + 8) where (i2 < 8), %x at (i0, 16*i1 + i2 - 8) where (0 <= i2 - 8) : tensor<[S, 4, 16], f32>
  return %y
}

// -----

// Without the guard it goes on in the next part.
// CHECK-LABEL: host.func @beyond
// CHECK-NOT: view
// CHECK: read %x[s, 16*i1 + i2 + 8] where (i1 < 3)
book.func @beyond<S>(%x: tensor<[S, 64], f32>) -> tensor<[S, 4, 16], f32> {
  %y = entry add axes (i0: S, i1: 4, i2: 16) of %x at (i0, 16*i1 + i2 + 8) where (i1 < 3), %x at (i0, 16*i1 + i2) : tensor<[S, 4, 16], f32>
  return %y
}
