// RUN: dlc-opt %s --cse | FileCheck %s

// Two equal sums become one; so do the products that differed only in them.
// CHECK-LABEL: sample.func @merges_equal_ops(%x: i64, %y: i64) -> i64 {
// CHECK-NEXT:    %a = addi %x, %y : i64
// CHECK-NEXT:    %c = muli %a, %x : i64
// CHECK-NEXT:    %e = subi %c, %c : i64
// CHECK-NEXT:    return %e
// CHECK-NEXT:  }
sample.func @merges_equal_ops(%x: i64, %y: i64) -> i64 {
  %a = addi %x, %y : i64
  %b = addi %x, %y : i64
  %c = muli %a, %x : i64
  %d = muli %b, %x : i64
  %e = subi %c, %d : i64
  return %e
}

// All results go over.
// CHECK-LABEL: sample.func @merges_several_results(%x: i64, %y: i64) -> (i64, i64) {
// CHECK-NEXT:    %q0, %r0 = divmod %x, %y : i64, i64
// CHECK-NEXT:    return %q0, %r0
// CHECK-NEXT:  }
sample.func @merges_several_results(%x: i64, %y: i64) -> (i64, i64) {
  %q0, %r0 = divmod %x, %y : i64, i64
  %q1, %r1 = divmod %x, %y : i64, i64
  return %q1, %r1
}

// A constant from a block that dominates is seen in those below it.
// CHECK-LABEL: sample.func @merges_down_the_dominator_tree(%cond: i1, %x: i64) -> i64 {
// CHECK-NEXT:    %a = muli %x, %x : i64
// CHECK-NEXT:    cond_br %cond, ^left, ^right
// CHECK-NEXT:  ^left:
// CHECK-NEXT:    br ^join(%a)
// CHECK-NEXT:  ^right:
// CHECK-NEXT:    %c = addi %x, %x : i64
// CHECK-NEXT:    br ^join(%c)
// CHECK-NEXT:  ^join(%y: i64):
// CHECK-NEXT:    %e = addi %y, %a : i64
// CHECK-NEXT:    return %e
// CHECK-NEXT:  }
sample.func @merges_down_the_dominator_tree(%cond: i1, %x: i64) -> i64 {
  %a = muli %x, %x : i64
  cond_br %cond, ^left, ^right
^left:
  %b = muli %x, %x : i64
  br ^join(%b)
^right:
  %c = addi %x, %x : i64
  br ^join(%c)
^join(%y: i64):
  %d = muli %x, %x : i64
  %e = addi %y, %d : i64
  return %e
}

// What is known outside is known in a region.
// CHECK-LABEL: sample.func @merges_into_region(%cond: i1, %x: i64) {
// CHECK-NEXT:    %a = muli %x, %x : i64
// CHECK-NEXT:    use %a
// CHECK-NEXT:    if %cond {
// CHECK-NEXT:      use %a
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @merges_into_region(%cond: i1, %x: i64) {
  %a = muli %x, %x : i64
  use %a
  if %cond {
    %b = muli %x, %x : i64
    use %b
    yield
  }
  return
}

// No write stands between the two reads.
// CHECK-LABEL: sample.func @merges_reads(%buffer: !sample.buffer<i64>, %i: index) -> i64 {
// CHECK-NEXT:    %a = load %buffer[%i] : i64
// CHECK-NEXT:    %sum = addi %a, %a : i64
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func @merges_reads(%buffer: !sample.buffer<i64>, %i: index) -> i64 {
  %a = load %buffer[%i] : i64
  %b = load %buffer[%i] : i64
  %sum = addi %a, %b : i64
  return %sum
}

// Ops with regions are compared with what is in them, whatever the names there.
// CHECK-LABEL: sample.func @merges_equal_regions(%cond: i1, %x: i64) -> i64 {
// CHECK-NEXT:    %a = if %cond : i64 {
// CHECK-NEXT:      %square = muli %x, %x : i64
// CHECK-NEXT:      yield %square
// CHECK-NEXT:    } else {
// CHECK-NEXT:      yield %x
// CHECK-NEXT:    }
// CHECK-NEXT:    %sum = addi %a, %a : i64
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func @merges_equal_regions(%cond: i1, %x: i64) -> i64 {
  %a = if %cond : i64 {
    %square = muli %x, %x : i64
    yield %square
  } else {
    yield %x
  }
  %b = if %cond : i64 {
    %other_name = muli %x, %x : i64
    yield %other_name
  } else {
    yield %x
  }
  %sum = addi %a, %b : i64
  return %sum
}
