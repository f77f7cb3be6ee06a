// The JSON of views, in the shape of the specification's section 5.2. It is only written.

// RUN: dlc-opt %s --build-poly-view --emit-json | FileCheck %s
// RUN: not dlc-opt %S/Inputs/view.json 2>&1 | FileCheck %s --check-prefix=READ
// READ: 'poly_view' describes what a pass makes, without the types that a program has

// CHECK: "index_book": {
// CHECK: // -----
// CHECK: "poly_view": {
// CHECK: "blocks": [
// CHECK: "map": "[H] -> { [o, ho, c, i3] -> X[c, 2*ho + i3 - 1] : 1 <= 2*ho + i3 and 2*ho + i3 <= H }",
// CHECK-NEXT: "tensor": "X"
// CHECK: "affine_offsets": {
// CHECK-NEXT: "ho": "2*ho + i3 - 1"
// CHECK: "lhs_idx": [
// CHECK: "pattern": "conv",
// CHECK: "domain": {
// CHECK-NEXT: "set": "[O, Ho, C, H] -> {
// CHECK: "kind": "contraction_pattern",
// CHECK-NEXT: "name": "s"
// CHECK: "kind": "statement",
// CHECK-NEXT: "name": "y"
// CHECK: "edges": [
// CHECK: "distance": [
// CHECK-NEXT: 0,
// CHECK-NEXT: null
// CHECK: "from": "s",
// CHECK-NEXT: "kind": "true",
// CHECK: "excluded": [
// CHECK: "name": "e",
// CHECK: "of": "conv",
// CHECK-NEXT: "sizes": {
// CHECK-NEXT: "M_N": "M*N"
// CHECK: "symbols": [

// Windows, a name for a size, what is excluded, and a distance that is no number.
book.func @conv<C, H, O, Ho, M, N>(%X: tensor<[C, H], f16>, %K: tensor<[O, C, 3], f16>, %ids: tensor<[M*N], i32>) -> tensor<[O, Ho], f32> {
  %p = entry mul axes (i0: O, i1: Ho, i2: C, i3: 3) of %X at (i2, 2*i1 + i3 - 1) where (0 <= 2*i1 + i3 - 1 < H) else 0.0, %K at (i0, i2, i3) to f32 widen
  %s = reduce sum axes (i0: O, i1: Ho) over (i2: C, i3: 3) of %p at (i0, i1, i2, i3) acc f32
  %y = entry neg axes (i0: O, i1: Ho) of %s at (i0, i1 floordiv 2)
  %n = entry neg axes (i0: M*N) of %ids at (i0)
  %e = gather non_scop axes (i0: M*N) of %ids at [%n (i0)]
  return %y
}
