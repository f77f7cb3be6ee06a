// There is nothing to choose, and a program that its verifier refuses has no view.

// RUN: not dlc-opt %s --build-poly-view=tile=4 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not dlc-opt %s --build-poly-view 2>&1 | FileCheck %s --check-prefix=BOOK

// OPTION: tile
// BOOK: [E1301] Error: 'book.entry': 'N*i0' is not affine in the axes
// BOOK-NOT: poly.view

book.func @f<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = entry copy axes (i0: M) of %x at (N*i0) where (0 <= N*i0 < M)
  return %y
}
