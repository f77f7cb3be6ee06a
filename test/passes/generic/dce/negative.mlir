// RUN: dlc-opt %s --dce | FileCheck %s

// An effect is needed whatever becomes of the result, and so is what it uses.
// CHECK-LABEL: sample.func @keeps_effects(%x: i64, %i: index, %buffer: !sample.buffer<i64>) {
// CHECK-NEXT:    %a = addi %x, %x : i64
// CHECK-NEXT:    store %a, %buffer[%i]
// CHECK-NEXT:    %unused = call @unknown(%a) : i64
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_effects(%x: i64, %i: index, %buffer: !sample.buffer<i64>) {
  %a = addi %x, %x : i64
  store %a, %buffer[%i]
  %unused = call @unknown(%a) : i64
  return
}
sample.func private @unknown(i64) -> i64

// The loop has an effect inside: it stays, and what it counts with.
// CHECK-LABEL: sample.func @keeps_loop_with_effect(%n: i64) {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    loop %zero to %n by %one {
// CHECK-NEXT:    ^bb0(%i: i64):
// CHECK-NEXT:      use %i
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_loop_with_effect(%n: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  loop %zero to %n by %one {
  ^bb0(%i: i64):
    use %i
    yield
  }
  return
}

// The argument goes round the loop, and out of it in the end.
// CHECK-LABEL: sample.func @keeps_circle_that_is_used(%cond: i1, %x: i64) -> i64 {
// CHECK-NEXT:    br ^head(%x)
// CHECK-NEXT:  ^head(%circle: i64):
// CHECK-NEXT:    %next = addi %circle, %x : i64
// CHECK-NEXT:    cond_br %cond, ^head(%next), ^exit
// CHECK-NEXT:  ^exit:
// CHECK-NEXT:    return %next
// CHECK-NEXT:  }
sample.func @keeps_circle_that_is_used(%cond: i1, %x: i64) -> i64 {
  br ^head(%x)
^head(%circle: i64):
  %next = addi %circle, %x : i64
  cond_br %cond, ^head(%next), ^exit
^exit:
  return %next
}

// Arguments of the function belong to its type, those of a region to the op around it.
// CHECK-LABEL: sample.func @keeps_arguments_of_entry(%unused: i64, %n: i64) {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    loop %zero to %n by %one {
// CHECK-NEXT:    ^bb0(%i: i64):
// CHECK-NEXT:      use %n
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_arguments_of_entry(%unused: i64, %n: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  loop %zero to %n by %one {
  ^bb0(%i: i64):
    use %n
    yield
  }
  return
}

// A return within an op ends the function: the op decides whether what follows is run.
// CHECK-LABEL: sample.func @keeps_return_within_an_op(%x: i64, %c: i1) -> i64 {
// CHECK-NEXT:    if %c {
// CHECK-NEXT:      return %x
// CHECK-NEXT:    }
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    return %zero
// CHECK-NEXT:  }
sample.func @keeps_return_within_an_op(%x: i64, %c: i1) -> i64 {
  if %c {
    return %x
  }
  %zero = constant 0 : i64
  return %zero
}
