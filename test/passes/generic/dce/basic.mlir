// RUN: dlc-opt %s --dce | FileCheck %s

// An op is dead when only dead ops use it.
// CHECK-LABEL: sample.func @erases_chain(%x: i64) -> i64 {
// CHECK-NEXT:    return %x
// CHECK-NEXT:  }
sample.func @erases_chain(%x: i64) -> i64 {
  %a = addi %x, %x : i64
  %b = muli %a, %x : i64
  return %x
}

// A loop without effects goes with everything in it.
// CHECK-LABEL: sample.func @erases_loop(%n: i64) {
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @erases_loop(%n: i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  %sum = loop %zero to %n by %one carry %zero : i64 {
  ^bb0(%i: i64, %carried: i64):
    %next = addi %carried, %i : i64
    yield %next
  }
  return
}

// Dead ops inside a region that stays.
// CHECK-LABEL: sample.func @erases_inside_region(%cond: i1, %x: i64) {
// CHECK-NEXT:    if %cond {
// CHECK-NEXT:      use %x
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @erases_inside_region(%cond: i1, %x: i64) {
  if %cond {
    %dead = muli %x, %x : i64
    use %x
    yield
  }
  return
}

// Blocks that use each other but that no way leads to.
// CHECK-LABEL: sample.func @erases_unreachable_blocks(%x: i64) -> i64 {
// CHECK-NEXT:    return %x
// CHECK-NEXT:  }
sample.func @erases_unreachable_blocks(%x: i64) -> i64 {
  return %x
^a(%y: i64):
  br ^b(%y)
^b(%z: i64):
  br ^a(%z)
}

// The argument is not used; the other one keeps its place among the operands of the branch.
// CHECK-LABEL: sample.func @erases_argument(%cond: i1, %x: i64, %y: i64) -> i64 {
// CHECK-NEXT:    cond_br %cond, ^left(%y), ^right
// CHECK-NEXT:  ^left(%used: i64):
// CHECK-NEXT:    return %used
// CHECK-NEXT:  ^right:
// CHECK-NEXT:    return %x
// CHECK-NEXT:  }
sample.func @erases_argument(%cond: i1, %x: i64, %y: i64) -> i64 {
  cond_br %cond, ^left(%x, %y), ^right(%y)
^left(%unused: i64, %used: i64):
  return %used
^right(%unused_too: i64):
  return %x
}

// An argument that only feeds itself, round the loop, and the op that does it.
// CHECK-LABEL: sample.func @erases_circle(%cond: i1, %x: i64) -> i64 {
// CHECK-NEXT:    br ^head
// CHECK-NEXT:  ^head:
// CHECK-NEXT:    cond_br %cond, ^head, ^exit
// CHECK-NEXT:  ^exit:
// CHECK-NEXT:    return %x
// CHECK-NEXT:  }
sample.func @erases_circle(%cond: i1, %x: i64) -> i64 {
  br ^head(%x)
^head(%circle: i64):
  %next = addi %circle, %x : i64
  cond_br %cond, ^head(%next), ^exit
^exit:
  return %x
}
