// RUN: dlc-opt %s --sccp | FileCheck %s

// The other edge is never taken, so its value does not count.
// CHECK-LABEL: sample.func @follows_the_only_edge() -> i64 {
// CHECK-NEXT:    %true = constant true
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %two = constant 2 : i64
// CHECK-NEXT:    %sum = constant 3 : i64
// CHECK-NEXT:    cond_br %true, ^join(%one), ^join(%two)
// CHECK-NEXT:  ^join(%x: i64):
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func @follows_the_only_edge() -> i64 {
  %true = constant true
  %one = constant 1 : i64
  %two = constant 2 : i64
  cond_br %true, ^join(%one), ^join(%two)
^join(%x: i64):
  %sum = addi %x, %two : i64
  return %sum
}

// Both edges bring the same.
// CHECK-LABEL: sample.func @joins_equal_constants(%cond: i1) -> i64 {
// CHECK-NEXT:    %five = constant 5 : i64
// CHECK-NEXT:    %two = constant 2 : i64
// CHECK-NEXT:    %three = constant 3 : i64
// CHECK-NEXT:    cond_br %cond, ^join(%five), ^join(%five)
// CHECK-NEXT:  ^join(%x: i64):
// CHECK-NEXT:    return %five
// CHECK-NEXT:  }
sample.func @joins_equal_constants(%cond: i1) -> i64 {
  %five = constant 5 : i64
  %two = constant 2 : i64
  %three = constant 3 : i64
  %sum = addi %two, %three : i64
  cond_br %cond, ^join(%five), ^join(%sum)
^join(%x: i64):
  return %x
}

// The value goes round the loop unchanged: only those who assume so at first find it out.
// CHECK-LABEL: sample.func @constant_round_a_loop(%cond: i1) -> i64 {
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    br ^head(%one)
// CHECK-NEXT:  ^head(%x: i64):
// CHECK-NEXT:    cond_br %cond, ^head(%one), ^exit
// CHECK-NEXT:  ^exit:
// CHECK-NEXT:    return %one
// CHECK-NEXT:  }
sample.func @constant_round_a_loop(%cond: i1) -> i64 {
  %one = constant 1 : i64
  %zero = constant 0 : i64
  br ^head(%one)
^head(%x: i64):
  %same = addi %x, %zero : i64
  cond_br %cond, ^head(%same), ^exit
^exit:
  return %same
}

// What is known outside of a region is known in it.
// CHECK-LABEL: sample.func @constant_into_region(%cond: i1) {
// CHECK-NEXT:    %two = constant 2 : i64
// CHECK-NEXT:    %three = constant 3 : i64
// CHECK-NEXT:    %six = constant 6 : i64
// CHECK-NEXT:    if %cond {
// CHECK-NEXT:      use %six
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @constant_into_region(%cond: i1) {
  %two = constant 2 : i64
  %three = constant 3 : i64
  if %cond {
    %six = muli %two, %three : i64
    use %six
    yield
  }
  return
}
