// What is printed between passes.

// RUN: dlc-opt %s --cse --dce --print-ir-before=dce --no-output 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: dlc-opt %s --cse --dce --print-ir-after=cse --no-output 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: dlc-opt %s --cse --dce --print-ir-before-all --no-output 2>&1 | FileCheck %s --check-prefix=ALL-BEFORE
// RUN: dlc-opt %s --cse --dce --print-ir-after-all --no-output 2>&1 | FileCheck %s --check-prefix=ALL-AFTER
// RUN: dlc-opt %s --cse --dce --print-ir-after-change --no-output 2>&1 | FileCheck %s --check-prefix=CHANGE
// RUN: dlc-opt %s --cse --dce --print-ir-as-diff --no-output 2>&1 | FileCheck %s --check-prefix=DIFF
// RUN: dlc-opt %s --cse --print-ir-tree-dir=%t.dir --no-output
// RUN: FileCheck %s --check-prefix=TREE < %t.dir/f/000_cse.mlir

// BEFORE-NOT: before cse
// BEFORE: // -----// IR before dce (builtin.module(dce)) //----- //
// BEFORE: muli %x, %x

// AFTER: // -----// IR after cse (builtin.module(cse)) //----- //
// AFTER: muli %x, %x
// AFTER-NOT: after dce

// ALL-BEFORE: IR before cse
// ALL-BEFORE: muli %x, %y
// ALL-BEFORE: IR before dce
// ALL-BEFORE: muli %x, %x

// ALL-AFTER: IR after cse
// ALL-AFTER: IR after dce

// CHANGE: IR after cse
// CHANGE-NOT: IR after dce

// DIFF: IR changed by cse
// DIFF: -{{.*}}%y = addi
// DIFF: -{{.*}}muli %x, %y
// DIFF: +{{.*}}muli %x, %x
// DIFF-NOT: IR changed by dce

// TREE: sample.func @f
// TREE: muli %x, %x

sample.func @f(%a: i64) -> i64 {
  %x = addi %a, %a : i64
  %y = addi %a, %a : i64
  %z = muli %x, %y : i64
  return %z
}
