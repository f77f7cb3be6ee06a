// A reproducer says which libraries it was run with, and fails again with them.

// RUN: not dlc-opt %s --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} --misbehave=how=fails \
// RUN:   --reproducer=again.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < again.mlir
// RUN: not dlc-opt again.mlir --run-reproducer --load-plugin=%{target}/%{shlibprefix}example_shared%{shlibext} 2>&1 \
// RUN:   | FileCheck %s

// CHECK: this op is not to my taste
// FILE: // dlc-opt reproducer: {"pipeline":"builtin.module(misbehave{how=fails})"
// FILE: // It was run with --load-plugin={{.*}}example_shared
sample.func @f() {
  return
}
