// RUN: not dlc-opt %s --unroll-loops='max=-1' 2>&1 | FileCheck %s
// RUN: not dlc-opt %s --unroll-loops='max=few' 2>&1 | FileCheck %s --check-prefix=WORD

// The number of ops is not negative.
// CHECK: 'max' must not be negative, but is -1
// WORD: 'max'
kernel.func @f() {
  return
}
