// RUN: dlc-opt %s --canonicalize | FileCheck %s

// A chain of constants becomes one, at the start of the function.
// CHECK-LABEL: sample.func @folds_chain_to_the_start(%x: i64) -> i64 {
// CHECK-NEXT:    %fifteen = constant 15 : i64
// CHECK-NEXT:    use %x
// CHECK-NEXT:    return %fifteen
// CHECK-NEXT:  }
sample.func @folds_chain_to_the_start(%x: i64) -> i64 {
  %two = constant 2 : i64
  %three = constant 3 : i64
  use %x
  %five = addi %two, %three : i64
  %fifteen = muli %five, %three : i64
  return %fifteen
}

// The identity element gives the other operand.
// CHECK-LABEL: sample.func @folds_to_operand(%x: i64) -> i64 {
// CHECK-NEXT:    return %x
// CHECK-NEXT:  }
sample.func @folds_to_operand(%x: i64) -> i64 {
  %zero = constant 0 : i64
  %sum = addi %x, %zero : i64
  return %sum
}

// Both results of one op fold.
// CHECK-LABEL: sample.func @folds_several_results() -> (i64, i64) {
// CHECK-NEXT:    %quotient = constant 3 : i64
// CHECK-NEXT:    %remainder = constant 1 : i64
// CHECK-NEXT:    return %quotient, %remainder
// CHECK-NEXT:  }
sample.func @folds_several_results() -> (i64, i64) {
  %seven = constant 7 : i64
  %two = constant 2 : i64
  %quotient, %remainder = divmod %seven, %two : i64, i64
  return %quotient, %remainder
}

// Equal constants become one, also out of a region.
// CHECK-LABEL: sample.func @merges_constants(%cond: i1) {
// CHECK-NEXT:    %a = constant 5 : i64
// CHECK-NEXT:    use %a, %a
// CHECK-NEXT:    if %cond {
// CHECK-NEXT:      use %a
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @merges_constants(%cond: i1) {
  %a = constant 5 : i64
  %b = constant 5 : i64
  use %a, %b
  if %cond {
    %c = constant 5 : i64
    use %c
    yield
  }
  return
}

// The only constant of its value in a region moves to the start of the function.
// CHECK-LABEL: sample.func @moves_constant_out_of_region(%cond: i1) {
// CHECK-NEXT:    %c = constant 5 : i64
// CHECK-NEXT:    if %cond {
// CHECK-NEXT:      use %c
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @moves_constant_out_of_region(%cond: i1) {
  if %cond {
    %c = constant 5 : i64
    use %c
    yield
  }
  return
}

// The operands of an op that commutes are put in order: constants last.
// CHECK-LABEL: sample.func @orders_operands(%x: i64) -> i64 {
// CHECK-NEXT:    %five = constant 5 : i64
// CHECK-NEXT:    %product = muli %x, %five : i64
// CHECK-NEXT:    return %product
// CHECK-NEXT:  }
sample.func @orders_operands(%x: i64) -> i64 {
  %five = constant 5 : i64
  %product = muli %five, %x : i64
  return %product
}

// The trait alone folds an op of itself.
// CHECK-LABEL: sample.func @idempotent(%x: i64) -> i64 {
// CHECK-NEXT:    %once = abs %x : i64
// CHECK-NEXT:    return %once
// CHECK-NEXT:  }
sample.func @idempotent(%x: i64) -> i64 {
  %once = abs %x : i64
  %twice = abs %once : i64
  return %twice
}

// What only dead ops use is dead: backwards along the chain.
// CHECK-LABEL: sample.func @erases_dead_chain(%x: i64) {
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @erases_dead_chain(%x: i64) {
  %a = muli %x, %x : i64
  %b = addi %a, %x : i64
  return
}

// A read and a new buffer go when nothing wants their results.
// CHECK-LABEL: sample.func @erases_dead_read(%n: index) {
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @erases_dead_read(%n: index) {
  %buffer = alloc %n : !sample.buffer<i64>
  %value = load %buffer[%n] : i64
  return
}

// A loop in which nothing has an effect goes as a whole.
// CHECK-LABEL: sample.func @erases_dead_loop(%n: i64) {
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @erases_dead_loop(%n: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  %sum = loop %zero to %n by %one carry %zero : i64 {
  ^bb0(%i: i64, %carried: i64):
    %next = addi %carried, %i : i64
    yield %next
  }
  return
}

// The branch is known: only one of the edges stays.
// CHECK-LABEL: sample.func @branch_on_true(%x: i64) -> i64 {
// CHECK-NEXT:    %double = addi %x, %x : i64
// CHECK-NEXT:    br ^yes(%double)
// CHECK-NEXT:  ^yes(%y: i64):
// CHECK-NEXT:    return %y
// CHECK-NEXT:  ^no:
// CHECK-NEXT:    return %x
// CHECK-NEXT:  }
sample.func @branch_on_true(%x: i64) -> i64 {
  %true = constant true
  %double = addi %x, %x : i64
  cond_br %true, ^yes(%double), ^no
^yes(%y: i64):
  return %y
^no:
  return %x
}

// What stands in the branch that is taken replaces the op.
// CHECK-LABEL: sample.func @if_on_false(%x: i64) -> i64 {
// CHECK-NEXT:    %square = muli %x, %x : i64
// CHECK-NEXT:    return %square
// CHECK-NEXT:  }
sample.func @if_on_false(%x: i64) -> i64 {
  %false = constant false
  %value = if %false : i64 {
    yield %x
  } else {
    %square = muli %x, %x : i64
    yield %square
  }
  return %value
}

// There is no other branch: nothing stays.
// CHECK-LABEL: sample.func @if_on_false_without_else(%x: i64) {
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @if_on_false_without_else(%x: i64) {
  %false = constant false
  if %false {
    use %x
    yield
  }
  return
}

// Constants of a chain of sums are added.
// CHECK-LABEL: sample.func @adds_up_constants(%x: i64) -> i64 {
// CHECK-NEXT:    %0 = constant 3 : i64
// CHECK-NEXT:    %b = addi %x, %0 : i64
// CHECK-NEXT:    return %b
// CHECK-NEXT:  }
sample.func @adds_up_constants(%x: i64) -> i64 {
  %one = constant 1 : i64
  %two = constant 2 : i64
  %a = addi %x, %one : i64
  %b = addi %a, %two : i64
  return %b
}
