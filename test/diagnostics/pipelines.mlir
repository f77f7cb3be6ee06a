// Pipelines that mean nothing.

// RUN: not dlc-opt %s --pass-pipeline='cse(' 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not dlc-opt %s --pass-pipeline='csse' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dlc-opt %s --pass-pipeline='canonicalize{round=1}' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not dlc-opt %s --pass-pipeline='sample.func(op-stats)' 2>&1 | FileCheck %s --check-prefix=NESTING

// SYNTAX: [E0411]
// UNKNOWN: [E0412]
// OPTION: [E0413]
// NESTING: [E0414]

sample.func @f() {
  return
}
