// RUN: dlc-opt %s --licm | FileCheck %s

// The block before the loop goes nowhere else: what does not change goes there.
// CHECK-LABEL: sample.func @takes_the_block_in_front(%n: i64, %x: i64) {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %square = muli %x, %x : i64
// CHECK-NEXT:    br ^head(%zero)
// CHECK-NEXT:  ^head(%i: i64):
// CHECK-NEXT:    %sum = addi %square, %i : i64
// CHECK-NEXT:    use %sum
// CHECK-NEXT:    %next = addi %i, %one : i64
// CHECK-NEXT:    %again = cmpi slt %next, %n : i1
// CHECK-NEXT:    cond_br %again, ^head(%next), ^end
// CHECK-NEXT:  ^end:
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @takes_the_block_in_front(%n: i64, %x: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  br ^head(%zero)
^head(%i: i64):
  %square = muli %x, %x : i64
  %sum = addi %square, %i : i64
  use %sum
  %next = addi %i, %one : i64
  %again = cmpi slt %next, %n : i1
  cond_br %again, ^head(%next), ^end
^end:
  return
}

// It is made where it is missing, and what is handed on to the loop goes through it. A division is not done before a
// loop that is not entered.
// CHECK-LABEL: sample.func @makes_a_block_in_front(%n: i64, %x: i64) -> i64 {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %runs = cmpi slt %zero, %n : i1
// CHECK-NEXT:    cond_br %runs, ^bb1, ^end(%x)
// CHECK-NEXT:  ^bb1:
// CHECK-NEXT:    %quotient = divsi %x, %n : i64
// CHECK-NEXT:    br ^head(%zero, %x)
// CHECK-NEXT:  ^head(%i: i64, %carried: i64):
// CHECK-NEXT:    %more = addi %carried, %quotient : i64
// CHECK-NEXT:    %next = addi %i, %one : i64
// CHECK-NEXT:    %again = cmpi slt %next, %n : i1
// CHECK-NEXT:    cond_br %again, ^head(%next, %more), ^end(%more)
// CHECK-NEXT:  ^end(%sum: i64):
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func @makes_a_block_in_front(%n: i64, %x: i64) -> i64 {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  %runs = cmpi slt %zero, %n : i1
  cond_br %runs, ^head(%zero, %x), ^end(%x)
^head(%i: i64, %carried: i64):
  %quotient = divsi %x, %n : i64
  %more = addi %carried, %quotient : i64
  %next = addi %i, %one : i64
  %again = cmpi slt %next, %n : i1
  cond_br %again, ^head(%next, %more), ^end(%more)
^end(%sum: i64):
  return %sum
}

// Ways into the loop meet before it, with what each of them forwards.
// CHECK-LABEL: sample.func @joins_ways_in(%c: i1, %d: i1, %x: i64, %y: i64) {
// CHECK-NEXT:    cond_br %c, ^bb2(%x), ^other
// CHECK-NEXT:  ^other:
// CHECK-NEXT:    cond_br %d, ^bb2(%y), ^end
// CHECK-NEXT:  ^bb2(%0: i64):
// CHECK-NEXT:    %square = muli %x, %x : i64
// CHECK-NEXT:    br ^head(%0, %y)
// CHECK-NEXT:  ^head(%a: i64, %b: i64):
// CHECK-NEXT:    use %square, %a, %b
// CHECK-NEXT:    cond_br %d, ^head(%b, %a), ^end
// CHECK-NEXT:  ^end:
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @joins_ways_in(%c: i1, %d: i1, %x: i64, %y: i64) {
  cond_br %c, ^head(%x, %y), ^other
^other:
  cond_br %d, ^head(%y, %y), ^end
^head(%a: i64, %b: i64):
  %square = muli %x, %x : i64
  use %square, %a, %b
  cond_br %d, ^head(%b, %a), ^end
^end:
  return
}

// One op leaves both loops, two the inner one: the division would be done where that is not entered.
// CHECK-LABEL: sample.func @leaves_nested_loops(%c: i1, %d: i1, %x: i64, %y: i64) {
// CHECK-NEXT:    cond_br %c, ^bb1, ^end
// CHECK-NEXT:  ^bb1:
// CHECK-NEXT:    %square = muli %x, %x : i64
// CHECK-NEXT:    br ^outer(%x)
// CHECK-NEXT:  ^outer(%i: i64):
// CHECK-NEXT:    cond_br %d, ^bb3, ^next
// CHECK-NEXT:  ^bb3:
// CHECK-NEXT:    %row = muli %square, %i : i64
// CHECK-NEXT:    %quotient = divsi %x, %y : i64
// CHECK-NEXT:    br ^inner(%y)
// CHECK-NEXT:  ^inner(%j: i64):
// CHECK-NEXT:    %sum = addi %row, %j : i64
// CHECK-NEXT:    use %sum, %quotient
// CHECK-NEXT:    cond_br %c, ^inner(%sum), ^next
// CHECK-NEXT:  ^next:
// CHECK-NEXT:    cond_br %d, ^outer(%y), ^end
// CHECK-NEXT:  ^end:
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @leaves_nested_loops(%c: i1, %d: i1, %x: i64, %y: i64) {
  cond_br %c, ^outer(%x), ^end
^outer(%i: i64):
  cond_br %d, ^inner(%y), ^next
^inner(%j: i64):
  %square = muli %x, %x : i64
  %row = muli %square, %i : i64
  %quotient = divsi %x, %y : i64
  %sum = addi %row, %j : i64
  use %sum, %quotient
  cond_br %c, ^inner(%sum), ^next
^next:
  cond_br %d, ^outer(%y), ^end
^end:
  return
}

// Every iteration goes through some blocks of the loop. A division leaves from those, and not from others.
// CHECK-LABEL: sample.func @asks_what_always_runs(%c: i1, %d: i1, %x: i64, %y: i64) {
// CHECK-NEXT:    %b = muli %x, %y : i64
// CHECK-NEXT:    %e = divsi %y, %x : i64
// CHECK-NEXT:    br ^head
// CHECK-NEXT:  ^head:
// CHECK-NEXT:    cond_br %c, ^some, ^all
// CHECK-NEXT:  ^some:
// CHECK-NEXT:    %a = divsi %x, %y : i64
// CHECK-NEXT:    use %a, %b
// CHECK-NEXT:    br ^all
// CHECK-NEXT:  ^all:
// CHECK-NEXT:    use %e
// CHECK-NEXT:    cond_br %d, ^head, ^end
// CHECK-NEXT:  ^end:
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @asks_what_always_runs(%c: i1, %d: i1, %x: i64, %y: i64) {
  br ^head
^head:
  cond_br %c, ^some, ^all
^some:
  %a = divsi %x, %y : i64
  %b = muli %x, %y : i64
  use %a, %b
  br ^all
^all:
  %e = divsi %y, %x : i64
  use %e
  cond_br %d, ^head, ^end
^end:
  return
}

// Blocks that go round, and are entered in two places, are no loop.
// CHECK-LABEL: sample.func @keeps_what_is_entered_twice(%c: i1, %x: i64) {
// CHECK-NEXT:    cond_br %c, ^a, ^b
// CHECK-NEXT:  ^a:
// CHECK-NEXT:    %square = muli %x, %x : i64
// CHECK-NEXT:    use %square
// CHECK-NEXT:    br ^b
// CHECK-NEXT:  ^b:
// CHECK-NEXT:    %cube = muli %x, %x : i64
// CHECK-NEXT:    use %cube
// CHECK-NEXT:    br ^a
// CHECK-NEXT:  }
sample.func @keeps_what_is_entered_twice(%c: i1, %x: i64) {
  cond_br %c, ^a, ^b
^a:
  %square = muli %x, %x : i64
  use %square
  br ^b
^b:
  %cube = muli %x, %x : i64
  use %cube
  br ^a
}

// Two branches back make one loop.
// CHECK-LABEL: sample.func @takes_one_loop_for_two_ways_back(%c: i1, %d: i1, %x: i64) {
// CHECK-NEXT:    %square = muli %x, %x : i64
// CHECK-NEXT:    br ^head
// CHECK-NEXT:  ^head:
// CHECK-NEXT:    cond_br %c, ^head, ^rest
// CHECK-NEXT:  ^rest:
// CHECK-NEXT:    use %square
// CHECK-NEXT:    cond_br %d, ^head, ^end
// CHECK-NEXT:  ^end:
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @takes_one_loop_for_two_ways_back(%c: i1, %d: i1, %x: i64) {
  br ^head
^head:
  cond_br %c, ^head, ^rest
^rest:
  %square = muli %x, %x : i64
  use %square
  cond_br %d, ^head, ^end
^end:
  return
}

// A loop of both kinds: an op in a loop of branches.
// CHECK-LABEL: sample.func @loop_in_an_op_in_a_loop(%n: i64, %c: i1, %x: i64) {
// CHECK-NEXT:    %zero = constant 0 : i64
// CHECK-NEXT:    %one = constant 1 : i64
// CHECK-NEXT:    %square = muli %x, %x : i64
// CHECK-NEXT:    br ^head
// CHECK-NEXT:  ^head:
// CHECK-NEXT:    loop %zero to %n by %one {
// CHECK-NEXT:    ^bb0(%i: i64):
// CHECK-NEXT:      use %square
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    cond_br %c, ^head, ^end
// CHECK-NEXT:  ^end:
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @loop_in_an_op_in_a_loop(%n: i64, %c: i1, %x: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  br ^head
^head:
  loop %zero to %n by %one {
  ^bb0(%i: i64):
    %square = muli %x, %x : i64
    use %square
    yield
  }
  cond_br %c, ^head, ^end
^end:
  return
}
