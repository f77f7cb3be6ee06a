// RUN: dlc-opt %s --licm | FileCheck %s

// A chain that does not depend on the loop leaves it, in order.
// CHECK-LABEL: sample.func @moves_chain(%n: i64, %x: i64) {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %square = muli %x, %x : i64
// CHECK-NEXT:    %cube = muli %square, %x : i64
// CHECK-NEXT:    loop %zero to %n by %one {
// CHECK-NEXT:    ^bb0(%i: i64):
// CHECK-NEXT:      %sum = addi %cube, %i : i64
// CHECK-NEXT:      use %sum
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @moves_chain(%n: i64, %x: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  loop %zero to %n by %one {
  ^bb0(%i: i64):
    %square = muli %x, %x : i64
    %cube = muli %square, %x : i64
    %sum = addi %cube, %i : i64
    use %sum
    yield
  }
  return
}

// One op leaves both loops, the other only the inner one.
// CHECK-LABEL: sample.func @moves_out_of_nested_loops(%n: i64, %x: i64) {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %square = muli %x, %x : i64
// CHECK-NEXT:    loop %zero to %n by %one {
// CHECK-NEXT:    ^bb0(%i: i64):
// CHECK-NEXT:      %row = muli %square, %i : i64
// CHECK-NEXT:      loop %zero to %n by %one {
// CHECK-NEXT:      ^bb0(%j: i64):
// CHECK-NEXT:        %sum = addi %row, %j : i64
// CHECK-NEXT:        use %sum
// CHECK-NEXT:        yield
// CHECK-NEXT:      }
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @moves_out_of_nested_loops(%n: i64, %x: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  loop %zero to %n by %one {
  ^bb0(%i: i64):
    loop %zero to %n by %one {
    ^bb0(%j: i64):
      %square = muli %x, %x : i64
      %row = muli %square, %i : i64
      %sum = addi %row, %j : i64
      use %sum
      yield
    }
    yield
  }
  return
}

// An op with regions leaves as a whole when all that is in it may.
// CHECK-LABEL: sample.func @moves_op_with_regions(%n: i64, %cond: i1, %x: i64) {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %value = if %cond : i64 {
// CHECK-NEXT:      %square = muli %x, %x : i64
// CHECK-NEXT:      yield %square
// CHECK-NEXT:    } else {
// CHECK-NEXT:      yield %x
// CHECK-NEXT:    }
// CHECK-NEXT:    loop %zero to %n by %one {
// CHECK-NEXT:    ^bb0(%i: i64):
// CHECK-NEXT:      use %value
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @moves_op_with_regions(%n: i64, %cond: i1, %x: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  loop %zero to %n by %one {
  ^bb0(%i: i64):
    %value = if %cond : i64 {
      %square = muli %x, %x : i64
      yield %square
    } else {
      yield %x
    }
    use %value
    yield
  }
  return
}
