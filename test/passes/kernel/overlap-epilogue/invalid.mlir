// RUN: not dlc-opt %s --overlap-epilogue=panels=9 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not dlc-opt %s --overlap-epilogue=panels=few 2>&1 | FileCheck %s --check-prefix=FEW

// MANY: E0413
// MANY-SAME: a group has 1 to 8 panels, not 9
// FEW: 'panels' takes a number or 'auto', not 'few'
kernel.func @f() {
  return
}
