// RUN: not dlc-opt %s --insert-async-tokens=target=sm70 2>&1 | FileCheck %s

// Copies that run by themselves came with sm80.
// CHECK: E0413
// CHECK: sm70
kernel.func @f() {
  return
}
