// Options that there are not, and tiles without points.

// RUN: not dlc-opt %s --poly-report=tile=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: a tile has from 1 to 1048576 points, not 0
// RUN: not dlc-opt %s --poly-report=tile=many 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: many

book.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  return %x
}
