// RUN: not dlc-opt %s --split-reduction=parts=-1 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not dlc-opt %s --split-reduction=parts=4097 2>&1 | FileCheck %s --check-prefix=MANY

// FEW: a sum has 1 to 4096 parts, not -1
// MANY: a sum has 1 to 4096 parts, not 4097
kernel.func @f() {
  return
}
