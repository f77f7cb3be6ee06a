// RUN: not dlc-opt %s --pipeline-stages=stages=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dlc-opt %s --pipeline-stages=stages=17 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not dlc-opt %s --pipeline-stages=stages=few 2>&1 | FileCheck %s --check-prefix=FEW

// NONE: E0413
// NONE-SAME: a ring has 1 to 16 stages, not 0
// MANY: a ring has 1 to 16 stages, not 17
// FEW: E0413
kernel.func @f() {
  return
}
