// RUN: dlc-opt %s --canonicalize | FileCheck %s

// A quotient by zero has no value that it could fold to.
// CHECK-LABEL: sample.func @keeps_division_by_zero(%x: i64) -> i64 {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %quotient = divsi %x, %zero : i64
// CHECK-NEXT:    return %quotient
// CHECK-NEXT:  }
sample.func @keeps_division_by_zero(%x: i64) -> i64 {
  %zero = constant 0 : i64
  %quotient = divsi %x, %zero : i64
  return %quotient
}

// Equal numbers of other types are other constants.
// CHECK-LABEL: sample.func @keeps_constants_of_other_types() {
// CHECK-NEXT:    %a = constant 5 : i64
// CHECK-NEXT:    %b = constant 5 : i32
// CHECK-NEXT:    use %a, %b
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_constants_of_other_types() {
  %a = constant 5 : i64
  %b = constant 5 : i32
  use %a, %b
  return
}

// A difference does not commute.
// CHECK-LABEL: sample.func @keeps_order_of_difference(%x: i64) -> i64 {
// CHECK-NEXT:    %five = constant 5 : i64
// CHECK-NEXT:    %difference = subi %five, %x : i64
// CHECK-NEXT:    return %difference
// CHECK-NEXT:  }
sample.func @keeps_order_of_difference(%x: i64) -> i64 {
  %five = constant 5 : i64
  %difference = subi %five, %x : i64
  return %difference
}

// An unused result does not take an effect away: the call and the store stay.
// CHECK-LABEL: sample.func @keeps_effects(%x: i64, %i: index, %buffer: !sample.buffer<i64>) {
// CHECK-NEXT:    %unused = call @unknown(%x) : i64
// CHECK-NEXT:    store %x, %buffer[%i]
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_effects(%x: i64, %i: index, %buffer: !sample.buffer<i64>) {
  %unused = call @unknown(%x) : i64
  store %x, %buffer[%i]
  return
}
sample.func private @unknown(i64) -> i64

// Equal ops are not merged: that is for cse.
// CHECK-LABEL: sample.func @keeps_equal_ops(%x: i64) -> i64 {
// CHECK-NEXT:    %a = muli %x, %x : i64
// CHECK-NEXT:    %b = muli %x, %x : i64
// CHECK-NEXT:    %sum = addi %a, %b : i64
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func @keeps_equal_ops(%x: i64) -> i64 {
  %a = muli %x, %x : i64
  %b = muli %x, %x : i64
  %sum = addi %a, %b : i64
  return %sum
}

// Unreachable blocks, where ops may use each other in circles, are left alone.
// CHECK-LABEL: sample.func @keeps_unreachable_blocks(%x: i64) -> i64 {
// CHECK-NEXT:    return %x
// CHECK-NEXT:  ^a:
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %round = "sample.addi"(%circle, %zero) : (i64, i64) -> i64
// CHECK-NEXT:    br ^b
// CHECK-NEXT:  ^b:
// CHECK-NEXT:    %circle = addi %round, %zero : i64
// CHECK-NEXT:    br ^a
// CHECK-NEXT:  }
sample.func @keeps_unreachable_blocks(%x: i64) -> i64 {
  return %x
^a:
  %zero = constant 0 : i64
  %round = "sample.addi"(%circle, %zero) : (i64, i64) -> i64
  br ^b
^b:
  %circle = addi %round, %zero : i64
  br ^a
}

// A return within an op ends the function: neither is the op dead, nor is what stands in it put in its place.
// CHECK-LABEL: sample.func @keeps_return_within_an_op(%x: i64, %c: i1) -> i64 {
// CHECK-NEXT:    %true = constant true
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    if %c {
// CHECK-NEXT:      return %x
// CHECK-NEXT:    }
// CHECK-NEXT:    %one = if %true : i64 {
// CHECK-NEXT:      return %x
// CHECK-NEXT:    } else {
// CHECK-NEXT:      yield %zero
// CHECK-NEXT:    }
// CHECK-NEXT:    return %one
// CHECK-NEXT:  }
sample.func @keeps_return_within_an_op(%x: i64, %c: i1) -> i64 {
  %true = constant true
  %zero = constant 0 : i64
  if %c {
    return %x
  }
  %one = if %true : i64 {
    return %x
  } else {
    yield %zero
  }
  return %one
}

// Sums that add to each other in a circle, where values have no order.
// CHECK-LABEL: sample.func @keeps_circles(%c: i1) -> i64 {
// CHECK:         graph : i64 {
// CHECK-NEXT:      %a = "sample.addi"(%b, %one) : (i64, i64) -> i64
// CHECK-NEXT:      %b = addi %a, %one : i64
// CHECK-NEXT:      %d = addi %b, %one : i64
// CHECK:           addi %b, %one : i64
sample.func @keeps_circles(%c: i1) -> i64 {
  %one = constant 1 : i64
  %g = graph : i64 {
    %a = "sample.addi"(%b, %one) : (i64, i64) -> i64
    %b = addi %a, %one : i64
    %d = addi %b, %one : i64
    %e = if %c : i64 {
      %f = addi %b, %one : i64
      yield %f
    } else {
      yield %d
    }
    yield %e
  }
  return %g
}
