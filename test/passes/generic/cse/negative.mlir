// RUN: dlc-opt %s --cse | FileCheck %s

// Other operands, another op, another attribute: three sums that are not equal.
// CHECK-LABEL: sample.func @keeps_different_ops(%x: i64, %y: i64) {
// CHECK-NEXT:    %a = addi %x, %y : i64
// CHECK-NEXT:    %b = addi %y, %x : i64
// CHECK-NEXT:    %c = addi %x, %y {mark} : i64
// CHECK-NEXT:    use %a, %b, %c
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_different_ops(%x: i64, %y: i64) {
  %a = addi %x, %y : i64
  %b = addi %y, %x : i64
  %c = addi %x, %y {mark} : i64
  use %a, %b, %c
  return
}

// Only the types of the results differ.
// CHECK-LABEL: sample.func @keeps_other_types() {
// CHECK-NEXT:    %a = constant 1 : i64
// CHECK-NEXT:    %b = constant 1 : i32
// CHECK-NEXT:    use %a, %b
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_other_types() {
  %a = constant 1 : i64
  %b = constant 1 : i32
  use %a, %b
  return
}

// Neither of the two blocks dominates the other.
// CHECK-LABEL: sample.func @keeps_ops_of_siblings(%cond: i1, %x: i64) -> i64 {
// CHECK-NEXT:    cond_br %cond, ^left, ^right
// CHECK-NEXT:  ^left:
// CHECK-NEXT:    %a = muli %x, %x : i64
// CHECK-NEXT:    br ^join(%a)
// CHECK-NEXT:  ^right:
// CHECK-NEXT:    %b = muli %x, %x : i64
// CHECK-NEXT:    br ^join(%b)
// CHECK-NEXT:  ^join(%y: i64):
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
sample.func @keeps_ops_of_siblings(%cond: i1, %x: i64) -> i64 {
  cond_br %cond, ^left, ^right
^left:
  %a = muli %x, %x : i64
  br ^join(%a)
^right:
  %b = muli %x, %x : i64
  br ^join(%b)
^join(%y: i64):
  return %y
}

// What is computed inside a region is not seen after it.
// CHECK-LABEL: sample.func @keeps_op_after_region(%cond: i1, %x: i64) -> i64 {
// CHECK-NEXT:    if %cond {
// CHECK-NEXT:      %a = muli %x, %x : i64
// CHECK-NEXT:      use %a
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %b = muli %x, %x : i64
// CHECK-NEXT:    return %b
// CHECK-NEXT:  }
sample.func @keeps_op_after_region(%cond: i1, %x: i64) -> i64 {
  if %cond {
    %a = muli %x, %x : i64
    use %a
    yield
  }
  %b = muli %x, %x : i64
  return %b
}

// The store may change what is read.
// CHECK-LABEL: sample.func @keeps_reads_around_write(%buffer: !sample.buffer<i64>, %i: index) -> i64 {
// CHECK-NEXT:    %a = load %buffer[%i] : i64
// CHECK-NEXT:    store %a, %buffer[%i]
// CHECK-NEXT:    %b = load %buffer[%i] : i64
// CHECK-NEXT:    %sum = addi %a, %b : i64
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func @keeps_reads_around_write(%buffer: !sample.buffer<i64>, %i: index) -> i64 {
  %a = load %buffer[%i] : i64
  store %a, %buffer[%i]
  %b = load %buffer[%i] : i64
  %sum = addi %a, %b : i64
  return %sum
}

// The write stands inside an op between the reads.
// CHECK-LABEL: sample.func @keeps_reads_around_region_that_writes(%buffer: !sample.buffer<i64>, %i: index, %cond: i1) -> i64 {
// CHECK-NEXT:    %a = load %buffer[%i] : i64
// CHECK-NEXT:    if %cond {
// CHECK-NEXT:      store %a, %buffer[%i]
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %b = load %buffer[%i] : i64
// CHECK-NEXT:    %sum = addi %a, %b : i64
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func @keeps_reads_around_region_that_writes(%buffer: !sample.buffer<i64>, %i: index, %cond: i1) -> i64 {
  %a = load %buffer[%i] : i64
  if %cond {
    store %a, %buffer[%i]
    yield
  }
  %b = load %buffer[%i] : i64
  %sum = addi %a, %b : i64
  return %sum
}

// Each run of an op with effects counts, and each buffer is another one.
// CHECK-LABEL: sample.func @keeps_ops_with_effects(%n: index) {
// CHECK-NEXT:    %a = alloc %n : !sample.buffer<i64>
// CHECK-NEXT:    %b = alloc %n : !sample.buffer<i64>
// CHECK-NEXT:    use %a, %b
// CHECK-NEXT:    use %a, %b
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_ops_with_effects(%n: index) {
  %a = alloc %n : !sample.buffer<i64>
  %b = alloc %n : !sample.buffer<i64>
  use %a, %b
  use %a, %b
  return
}

// One attribute deep inside differs.
// CHECK-LABEL: sample.func @keeps_different_regions(%cond: i1, %x: i64) -> i64 {
// CHECK-NEXT:    %a = if %cond : i64 {
// CHECK-NEXT:      %sum = addi %x, %x : i64
// CHECK-NEXT:      yield %sum
// CHECK-NEXT:    } else {
// CHECK-NEXT:      yield %x
// CHECK-NEXT:    }
// CHECK-NEXT:    %b = if %cond : i64 {
// CHECK-NEXT:      %product = muli %x, %x : i64
// CHECK-NEXT:      yield %product
// CHECK-NEXT:    } else {
// CHECK-NEXT:      yield %x
// CHECK-NEXT:    }
// CHECK-NEXT:    %sum = addi %a, %b : i64
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func @keeps_different_regions(%cond: i1, %x: i64) -> i64 {
  %a = if %cond : i64 {
    %sum = addi %x, %x : i64
    yield %sum
  } else {
    yield %x
  }
  %b = if %cond : i64 {
    %product = muli %x, %x : i64
    yield %product
  } else {
    yield %x
  }
  %sum = addi %a, %b : i64
  return %sum
}
