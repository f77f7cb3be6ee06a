// RUN: dlc-opt %s --licm | FileCheck %s

// It changes with the loop: by its index, by what is carried along, by what another op makes of them.
// CHECK-LABEL: sample.func @keeps_what_changes(%n: i64) -> i64 {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %last = loop %zero to %n by %one carry %zero : i64 {
// CHECK-NEXT:    ^bb0(%i: i64, %carried: i64):
// CHECK-NEXT:      %a = addi %i, %one : i64
// CHECK-NEXT:      %b = addi %carried, %one : i64
// CHECK-NEXT:      %c = addi %a, %b : i64
// CHECK-NEXT:      yield %c
// CHECK-NEXT:    }
// CHECK-NEXT:    return %last
// CHECK-NEXT:  }
sample.func @keeps_what_changes(%n: i64) -> i64 {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  %last = loop %zero to %n by %one carry %zero : i64 {
  ^bb0(%i: i64, %carried: i64):
    %a = addi %i, %one : i64
    %b = addi %carried, %one : i64
    %c = addi %a, %b : i64
    yield %c
  }
  return %last
}

// The loop may run zero times, and then nobody divides.
// CHECK-LABEL: sample.func @keeps_what_may_go_wrong(%n: i64, %x: i64) {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    loop %zero to %n by %one {
// CHECK-NEXT:    ^bb0(%i: i64):
// CHECK-NEXT:      %quotient = divsi %x, %n : i64
// CHECK-NEXT:      use %quotient
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_what_may_go_wrong(%n: i64, %x: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  loop %zero to %n by %one {
  ^bb0(%i: i64):
    %quotient = divsi %x, %n : i64
    use %quotient
    yield
  }
  return
}

// Nobody looks whether something in the loop writes what is read.
// CHECK-LABEL: sample.func @keeps_reads(%n: i64, %buffer: !sample.buffer<i64>, %at: index) {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    loop %zero to %n by %one {
// CHECK-NEXT:    ^bb0(%i: i64):
// CHECK-NEXT:      %value = load %buffer[%at] : i64
// CHECK-NEXT:      use %value
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_reads(%n: i64, %buffer: !sample.buffer<i64>, %at: index) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  loop %zero to %n by %one {
  ^bb0(%i: i64):
    %value = load %buffer[%at] : i64
    use %value
    yield
  }
  return
}

// The op itself does not use the index, but one inside it does.
// CHECK-LABEL: sample.func @keeps_region_that_changes(%n: i64, %cond: i1, %x: i64) {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    loop %zero to %n by %one {
// CHECK-NEXT:    ^bb0(%i: i64):
// CHECK-NEXT:      %value = if %cond : i64 {
// CHECK-NEXT:        %square = muli %x, %i : i64
// CHECK-NEXT:        yield %square
// CHECK-NEXT:      } else {
// CHECK-NEXT:        yield %x
// CHECK-NEXT:      }
// CHECK-NEXT:      use %value
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_region_that_changes(%n: i64, %cond: i1, %x: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  loop %zero to %n by %one {
  ^bb0(%i: i64):
    %value = if %cond : i64 {
      %square = muli %x, %i : i64
      yield %square
    } else {
      yield %x
    }
    use %value
    yield
  }
  return
}

// What returns from within an op may not return where the loop runs zero times.
// CHECK-LABEL: sample.func @keeps_return_within_an_op(%n: i64, %c: i1) -> i64 {
// CHECK:         loop %zero to %n by %one {
// CHECK-NEXT:    ^bb0(%i: i64):
// CHECK-NEXT:      if %c {
// CHECK-NEXT:        return %one
// CHECK-NEXT:      }
sample.func @keeps_return_within_an_op(%n: i64, %c: i1) -> i64 {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  loop %zero to %n by %one {
  ^bb0(%i: i64):
    if %c {
      return %one
    }
    yield
  }
  return %zero
}
