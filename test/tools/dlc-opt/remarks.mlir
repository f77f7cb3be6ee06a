// Remarks are shown by kind, and by the name of the pass; a filter asks for them, too.

// RUN: dlc-opt %s --inline --no-output --remarks 2>&1 | FileCheck %s --check-prefixes=PASSED,MISSED
// RUN: dlc-opt %s --inline --no-output --remarks=missed 2>&1 | FileCheck %s --check-prefix=MISSED --implicit-check-not=passed
// RUN: dlc-opt %s --inline --no-output --remarks-filter='^in' 2>&1 | FileCheck %s --check-prefixes=PASSED,MISSED
// RUN: dlc-opt %s --inline --no-output --remarks --remarks-filter=cse 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// Without a terminal there are no colours.
// RUN: dlc-opt %s --inline --no-output --remarks=passed 2>&1 | FileCheck %s --check-prefix=PLAIN

// PASSED: [inline, passed] inlined @g
// MISSED: [inline, missed] did not inline @rec: it is recursive
// NONE-NOT: inline
// PLAIN: {{^}}[R0001] Remark: [inline, passed]
sample.func @g(%a: i64) -> i64 {
  %r = addi %a, %a : i64
  return %r
}
sample.func @h(%a: i64) -> i64 {
  %r = call @g(%a) : i64
  return %r
}
sample.func @rec(%a: i64) -> i64 {
  %r = call @rec(%a) : i64
  return %r
}
