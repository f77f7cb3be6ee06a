// RUN: dlc-opt %s --inline | FileCheck %s
// RUN: dlc-opt %s --inline='max-ops=3' | FileCheck %s --check-prefix=SMALL

// Nothing is known of a declaration.
sample.func private @declared(i64) -> i64
// CHECK-LABEL: sample.func @keeps_call_of_declaration(%x: i64) -> i64 {
// CHECK-NEXT:    %y = call @declared(%x) : i64
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
sample.func @keeps_call_of_declaration(%x: i64) -> i64 {
  %y = call @declared(%x) : i64
  return %y
}

// A function that calls itself is called.
// CHECK-LABEL: sample.func @keeps_recursion(%x: i64) -> i64 {
// CHECK-NEXT:    %y = call @keeps_recursion(%x) : i64
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
sample.func @keeps_recursion(%x: i64) -> i64 {
  %y = call @keeps_recursion(%x) : i64
  return %y
}

// Two that call each other: the circle is cut at one of the two calls.
// CHECK-LABEL: sample.func @even(%x: i64) -> i64 {
// CHECK-NEXT:    %y = call @even(%x) : i64
// CHECK-NEXT:    %z = neg %y : i64
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
sample.func @even(%x: i64) -> i64 {
  %y = call @odd(%x) : i64
  return %y
}
// CHECK-LABEL: sample.func @odd(%x: i64) -> i64 {
// CHECK-NEXT:    %y = call @even(%x) : i64
// CHECK-NEXT:    %z = neg %y : i64
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
sample.func @odd(%x: i64) -> i64 {
  %y = call @even(%x) : i64
  %z = neg %y : i64
  return %z
}

// Control leaves the callee in two places.
// CHECK-LABEL: sample.func private @two_returns(%cond: i1, %x: i64) -> i64 {
// CHECK-NEXT:    cond_br %cond, ^yes, ^no
// CHECK-NEXT:  ^yes:
// CHECK-NEXT:    return %x
// CHECK-NEXT:  ^no:
// CHECK-NEXT:    %negative = neg %x : i64
// CHECK-NEXT:    return %negative
// CHECK-NEXT:  }
sample.func private @two_returns(%cond: i1, %x: i64) -> i64 {
  cond_br %cond, ^yes, ^no
^yes:
  return %x
^no:
  %negative = neg %x : i64
  return %negative
}
// CHECK-LABEL: sample.func @keeps_call_of_two_returns(%cond: i1, %x: i64) -> i64 {
// CHECK-NEXT:    %y = call @two_returns(%cond, %x) : i64
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
sample.func @keeps_call_of_two_returns(%cond: i1, %x: i64) -> i64 {
  %y = call @two_returns(%cond, %x) : i64
  return %y
}

// The callee has several blocks, the region of the call takes one.
// CHECK-LABEL: sample.func private @two_blocks(%x: i64) {
// CHECK-NEXT:    br ^next
// CHECK-NEXT:  ^next:
// CHECK-NEXT:    use %x
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func private @two_blocks(%x: i64) {
  br ^next
^next:
  use %x
  return
}
// CHECK-LABEL: sample.func @keeps_call_in_region(%cond: i1, %x: i64) {
// CHECK-NEXT:    if %cond {
// CHECK-NEXT:      call @two_blocks(%x)
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @keeps_call_in_region(%cond: i1, %x: i64) {
  if %cond {
    call @two_blocks(%x)
    yield
  }
  return
}

// With a limit of three ops (the function is one of them) a callee of four is called.
// CHECK-LABEL: sample.func private @four_ops(%x: i64) -> i64 {
// CHECK-NEXT:    %a = neg %x : i64
// CHECK-NEXT:    %b = abs %a : i64
// CHECK-NEXT:    return %b
// CHECK-NEXT:  }
sample.func private @four_ops(%x: i64) -> i64 {
  %a = neg %x : i64
  %b = abs %a : i64
  return %b
}
// SMALL-LABEL: func @keeps_call_of_large_callee
// SMALL-NEXT: call @four_ops
// CHECK-LABEL: sample.func @keeps_call_of_large_callee(%x: i64) -> i64 {
// CHECK-NEXT:    %a = neg %x : i64
// CHECK-NEXT:    %b = abs %a : i64
// CHECK-NEXT:    return %b
// CHECK-NEXT:  }
sample.func @keeps_call_of_large_callee(%x: i64) -> i64 {
  %y = call @four_ops(%x) : i64
  return %y
}
