// The program gives the same before and after each pass.

// RUN: dlc-opt %s --evaluate-each --canonicalize --cse --dce | FileCheck %s
// CHECK: muli %x, %x

sample.func @f(%a: i64) -> i64 {
  %x = addi %a, %a : i64
  %y = addi %a, %a : i64
  %z = muli %x, %y : i64
  return %z
}
