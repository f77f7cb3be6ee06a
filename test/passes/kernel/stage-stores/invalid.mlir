// RUN: not dlc-opt %s --stage-stores=panels=9 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not dlc-opt %s --stage-stores=panels=few 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not dlc-opt %s --overlap-epilogue=planned 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not dlc-opt %s --pass-pipeline='any(coalesce-stores)' 2>&1 | FileCheck %s --check-prefix=TEXT

// MANY: E0413
// MANY-SAME: a group has 1 to 8 panels, not 9
// FEW: 'panels' takes a number or 'auto', not 'few'
// FLAG: [E0412] Error: no pass or pipeline of the name 'overlap-epilogue' is registered
// FLAG: 'overlap-epilogue' was renamed to 'stage-stores'
// TEXT: 'coalesce-stores' was renamed to 'stage-stores'
kernel.func @f() {
  return
}
