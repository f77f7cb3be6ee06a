// What passes count, and how long they take.

// RUN: dlc-opt %s --cse --statistics --no-output 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: dlc-opt %s --cse --statistics=json --no-output 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: dlc-opt %s --pass-pipeline='sample.func(cse)' --timing --no-output 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: dlc-opt %s --cse --timing=json --no-output 2>&1 | FileCheck %s --check-prefix=TIME-JSON

// TEXT: cse
// TEXT: 1 merged
// JSON: {"statistics":[{"pass":"cse","statistics":{"merged":1}}]}
// TIME: s on the clock
// TIME: sample.func
// TIME-NEXT: {{[0-9.]+ +[0-9.]+ +[0-9.]+% +1}}    cse
// TIME-JSON: {"timing":{{.*}}"pass":"cse"

sample.func @f(%a: i64) -> i64 {
  %x = addi %a, %a : i64
  %y = addi %a, %a : i64
  %z = muli %x, %y : i64
  return %z
}
