// The n-th rewrite of a rule is skipped.

// RUN: dlc-opt %s --cse --debug-counter=cse/op=0 | FileCheck %s --check-prefix=SKIPPED
// RUN: dlc-opt %s --cse --debug-counter=cse/op=1 | FileCheck %s --check-prefix=DONE
// RUN: dlc-opt %s --cse --debug-counter=cse/op=all | FileCheck %s --check-prefix=SKIPPED
// RUN: dlc-opt %s --cse --debug-counter-report --no-output 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not dlc-opt %s --cse --debug-counter=csse/op=0 2>&1 | FileCheck %s --check-prefix=MISSPELT

// SKIPPED: muli %x, %y
// DONE: muli %x, %x
// REPORT: debug-counter cse/op: 1
// MISSPELT: --debug-counter: no pass of the name 'csse' is registered; did you mean 'cse'?

sample.func @f(%a: i64) -> i64 {
  %x = addi %a, %a : i64
  %y = addi %a, %a : i64
  %z = muli %x, %y : i64
  return %z
}
