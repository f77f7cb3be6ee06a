// Comments that expect what does not come, and diagnostics that none expects.

// RUN: not dlc-opt %s --split-input-file --verify-diagnostics 2>&1 | FileCheck %s

// CHECK: [E0511]
// CHECK: [E0512]
// CHECK: [E0513]

sample.func @f() -> i64 {
  return
}

// -----

// expected-warning@+1 {{nothing of the kind}}
sample.func @f() {
  return
}

// -----

// expected-error without a text
sample.func @f() {
  return
}
