// What is kept on chip or computed in place is priced at the sizes: with few rows or results a kernel has so few tiles or threads that
// two kernels take less time.

// RUN: dlc-opt %s --form-regions='symbols=[M:65536,N:8,R:100000]' --split-input-file | FileCheck %s --check-prefix=MANY
// RUN: dlc-opt %s --form-regions='symbols=[M:64,N:1088,R:128]' --split-input-file --remarks --remarks-filter='^form-regions' -o %t.mlir 2> %t.remarks
// RUN: FileCheck %s --check-prefix=FEW --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.remarks

// The rows of the first product are multiplied again on chip, but for 64 of them: they are the rows of one tile.
// MANY-LABEL: host.func @mlp
// MANY: launch @mlp_0<M>
// MANY-NEXT: return
// FEW-LABEL: host.func @mlp
// FEW: launch @mlp_0<M>
// FEW-NEXT: launch @mlp_1<M>
// FEW-NEXT: return
// WHY: 'relu' of [M, 4096] is stored, {{.*}}a kernel that computes its rows once has so few tiles that two kernels take less time
book.func @mlp<M>(%x: tensor<[M, 512], f32>, %a: tensor<[512, 4096], f32>, %b: tensor<[4096, 64], f32>) -> tensor<[M, 64], f32> {
  %p = entry mul axes (i0: M, i1: 4096, i2: 512) of %x at (i0, i2), %a at (i2, i1) : tensor<[M, 4096, 512], f32>
  %h = reduce sum axes (i0: M, i1: 4096) over (i2: 512) of %p at (i0, i1, i2) acc f32 : tensor<[M, 4096], f32>
  %r = entry relu axes (i0: M, i1: 4096) of %h at (i0, i1) : tensor<[M, 4096], f32>
  %q = entry mul axes (i0: M, i1: 64, i2: 4096) of %r at (i0, i2), %b at (i2, i1) : tensor<[M, 64, 4096], f32>
  %y = reduce sum axes (i0: M, i1: 64) over (i2: 4096) of %q at (i0, i1, i2) acc f32 : tensor<[M, 64], f32>
  return %y
}

// -----

// A sum of rows that go along no results: tiles of 8 results each would reduce a row, and no tile has any of its elements.
// MANY-LABEL: host.func @mean
// MANY: launch @mean_0<N> (
// MANY-NEXT: return
// FEW-LABEL: host.func @mean
// FEW: launch @mean_0 (%x)
// FEW-NEXT: launch @mean_1<N>
// WHY: 'sum' of [300] is stored, {{.*}}its kernel has 1088 results for each of its own, and each tile of them would reduce 3584 elements
book.func @mean<N>(%x: tensor<[300, 3584], f32>, %y: tensor<[300, N], f32>) -> tensor<[300, N], f32> {
  %s = reduce sum axes (i0: 300) over (i1: 3584) of %x at (i0, i1) acc f32 : tensor<[300], f32>
  %z = entry add axes (i0: 300, i1: N) of %s at (i0), %y at (i0, i1) : tensor<[300, N], f32>
  return %z
}

// -----

// Here tiles have the elements that the sum is of.
// FEW-LABEL: host.func @normalized
// FEW: launch @normalized_0 (%x)
// FEW-NEXT: return
book.func @normalized(%x: tensor<[300, 3584], f32>) -> tensor<[300, 3584], f32> {
  %s = reduce sum axes (i0: 300) over (i1: 3584) of %x at (i0, i1) acc f32 : tensor<[300], f32>
  %z = entry sub axes (i0: 300, i1: 3584) of %x at (i0, i1), %s at (i0) : tensor<[300, 3584], f32>
  return %z
}

// -----

// Sums of maxima of four elements: one thread goes through the elements of each result.
// MANY-LABEL: host.func @pooled
// MANY: launch @pooled_0<R> (%x)
// MANY-NEXT: return
// FEW-LABEL: host.func @pooled
// FEW: launch @pooled_0<R> (%x)
// FEW-NEXT: launch @pooled_1<R>
// WHY: 'max' of [R, 10000] is stored, {{.*}}rows of 4 elements are reduced for 128 results: each step of a result would reduce a row
book.func @pooled<R>(%x: tensor<[R, 10000, 4], f32>) -> tensor<[R], f32> {
  %m = reduce max axes (i0: R, i1: 10000) over (i2: 4) of %x at (i0, i1, i2) acc f32 : tensor<[R, 10000], f32>
  %s = reduce sum axes (i0: R) over (i1: 10000) of %m at (i0, i1) acc f32 : tensor<[R], f32>
  return %s
}
