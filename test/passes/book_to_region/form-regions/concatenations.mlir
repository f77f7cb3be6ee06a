// RUN: dlc-opt %s --form-regions --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --form-regions --split-input-file --remarks=missed 2>&1 | FileCheck %s --check-prefix=WHY

// A part of a concatenation is wanted at one point for each of its elements, so it is computed there.
// CHECK-LABEL: host.func @parts
// CHECK: launch @parts_0<M> (%a, %b)
// CHECK-NEXT: return
book.func @parts<M>(%a: tensor<[M, 8], f32>, %b: tensor<[M, 8], f32>) -> tensor<[M, 16], f32> {
  %0 = entry mul axes (i0: M, i1: 8) of %a at (i0, i1), %b at (i0, i1) : tensor<[M, 8], f32>
  %1 = entry sub axes (i0: M, i1: 8) of %0 at (i0, i1), %a at (i0, i1) : tensor<[M, 8], f32>
  %2 = entry exp2 axes (i0: M, i1: 8) of %1 at (i0, i1) : tensor<[M, 8], f32>
  %3 = entry sin axes (i0: M, i1: 8) of %2 at (i0, i1) : tensor<[M, 8], f32>
  %4 = entry sqrt axes (i0: M, i1: 8) of %3 at (i0, i1) : tensor<[M, 8], f32>
  %5 = entry add axes (i0: M, i1: 8) of %4 at (i0, i1), %b at (i0, i1) : tensor<[M, 8], f32>
  %y = entry add axes (i0: M, i1: 16) of %5 at (i0, i1) where (0 <= i1 < 8), %b at (i0, i1 - 8) where (0 <= i1 - 8 < 8) : tensor<[M, 16], f32>
  return %y
}

// -----

// Both halves of what it returns want each element of the other half: it is computed twice, and that is too often.
// CHECK-LABEL: host.func @twice
// CHECK: launch @twice_0<M>
// CHECK: launch @twice_1<M>
// WHY: 'add' of [M, 8] is stored, 32*M bytes: windows would compute each element 2.0 times (halo)
book.func @twice<M>(%a: tensor<[M, 8], f32>, %b: tensor<[M, 8], f32>) -> tensor<[M, 16], f32> {
  %0 = entry mul axes (i0: M, i1: 8) of %a at (i0, i1), %b at (i0, i1) : tensor<[M, 8], f32>
  %1 = entry sub axes (i0: M, i1: 8) of %0 at (i0, i1), %a at (i0, i1) : tensor<[M, 8], f32>
  %2 = entry exp2 axes (i0: M, i1: 8) of %1 at (i0, i1) : tensor<[M, 8], f32>
  %3 = entry sin axes (i0: M, i1: 8) of %2 at (i0, i1) : tensor<[M, 8], f32>
  %4 = entry sqrt axes (i0: M, i1: 8) of %3 at (i0, i1) : tensor<[M, 8], f32>
  %5 = entry add axes (i0: M, i1: 8) of %4 at (i0, i1), %b at (i0, i1) : tensor<[M, 8], f32>
  %y = entry add axes (i0: M, i1: 16) of %5 at (i0, i1) where (0 <= i1 < 8), %5 at (i0, i1 - 8) where (0 <= i1 - 8 < 8) : tensor<[M, 16], f32>
  return %y
}

// -----

// What is computed from rows is stored: the concatenation has rows of another length.
// CHECK-LABEL: host.func @rows
// CHECK: launch @rows_0<M> (%a)
// CHECK: launch @rows_1<M>
book.func @rows<M>(%a: tensor<[M, 8], f32>, %b: tensor<[M, 8], f32>) -> tensor<[M, 16], f32> {
  %s = reduce sum axes (i0: M) over (i1: 8) of %a at (i0, i1) acc f32 : tensor<[M], f32>
  %0 = entry mul axes (i0: M, i1: 8) of %a at (i0, i1), %s at (i0) : tensor<[M, 8], f32>
  %y = entry add axes (i0: M, i1: 16) of %0 at (i0, i1) where (0 <= i1 < 8), %b at (i0, i1 - 8) where (0 <= i1 - 8 < 8) : tensor<[M, 16], f32>
  return %y
}
