// RUN: dlc-opt %s --sccp | FileCheck %s

// The edges bring different constants.
// CHECK-LABEL: sample.func @keeps_join_of_different_constants(%cond: i1) -> i64 {
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %two = constant 2 : i64
// CHECK-NEXT:    cond_br %cond, ^join(%one), ^join(%two)
// CHECK-NEXT:  ^join(%x: i64):
// CHECK-NEXT:    %sum = addi %x, %two : i64
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func @keeps_join_of_different_constants(%cond: i1) -> i64 {
  %one = constant 1 : i64
  %two = constant 2 : i64
  cond_br %cond, ^join(%one), ^join(%two)
^join(%x: i64):
  %sum = addi %x, %two : i64
  return %sum
}

// The value changes on its way round the loop.
// CHECK-LABEL: sample.func @keeps_counter(%cond: i1) -> i64 {
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    br ^head(%one)
// CHECK-NEXT:  ^head(%x: i64):
// CHECK-NEXT:    %next = addi %x, %one : i64
// CHECK-NEXT:    cond_br %cond, ^head(%next), ^exit
// CHECK-NEXT:  ^exit:
// CHECK-NEXT:    return %next
// CHECK-NEXT:  }
sample.func @keeps_counter(%cond: i1) -> i64 {
  %one = constant 1 : i64
  br ^head(%one)
^head(%x: i64):
  %next = addi %x, %one : i64
  cond_br %cond, ^head(%next), ^exit
^exit:
  return %next
}

// What a loop gives, or passes to its region, is up to the loop.
// CHECK-LABEL: sample.func @keeps_results_of_loop(%n: i64) -> i64 {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %last = loop %zero to %n by %one carry %zero : i64 {
// CHECK-NEXT:    ^bb0(%i: i64, %carried: i64):
// CHECK-NEXT:      %same = addi %carried, %zero : i64
// CHECK-NEXT:      yield %same
// CHECK-NEXT:    }
// CHECK-NEXT:    return %last
// CHECK-NEXT:  }
sample.func @keeps_results_of_loop(%n: i64) -> i64 {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  %last = loop %zero to %n by %one carry %zero : i64 {
  ^bb0(%i: i64, %carried: i64):
    %same = addi %carried, %zero : i64
    yield %same
  }
  return %last
}

// A constant condition is not acted on: that is for canonicalize.
// CHECK-LABEL: sample.func @keeps_branch() {
// CHECK-NEXT:    %true = constant true
// CHECK-NEXT:    cond_br %true, ^a, ^b
// CHECK-NEXT:  ^a:
// CHECK-NEXT:    return
// CHECK-NEXT:  ^b:
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_branch() {
  %true = constant true
  cond_br %true, ^a, ^b
^a:
  return
^b:
  return
}
