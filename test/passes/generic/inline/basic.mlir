// RUN: dlc-opt %s --inline | FileCheck %s
// RUN: dlc-opt %s --inline --print-locations | FileCheck %s --check-prefix=LOC

// A callee of one block is put before the call; its return gives the results.
// CHECK-LABEL: sample.func private @double(%x: i64) -> i64 {
// CHECK-NEXT:    %sum = addi %x, %x : i64
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func private @double(%x: i64) -> i64 {
  %sum = addi %x, %x : i64
  return %sum
}
// LOC-LABEL: func @call_of_one_block
// LOC: addi {{.*}} loc(callsite({{.*}} at {{.*}}))
// CHECK-LABEL: sample.func @call_of_one_block(%y: i64) -> i64 {
// CHECK-NEXT:    %sum = addi %y, %y : i64
// CHECK-NEXT:    return %sum
// CHECK-NEXT:  }
sample.func @call_of_one_block(%y: i64) -> i64 {
  %twice = call @double(%y) : i64
  return %twice
}

// The callee returns its arguments, crosswise.
// CHECK-LABEL: sample.func private @swap(%a: i64, %b: i64) -> (i64, i64) {
// CHECK-NEXT:    return %b, %a
// CHECK-NEXT:  }
sample.func private @swap(%a: i64, %b: i64) -> (i64, i64) {
  return %b, %a
}
// CHECK-LABEL: sample.func @call_that_returns_arguments(%x: i64, %y: i64) -> (i64, i64) {
// CHECK-NEXT:    return %y, %x
// CHECK-NEXT:  }
sample.func @call_that_returns_arguments(%x: i64, %y: i64) -> (i64, i64) {
  %first, %second = call @swap(%x, %y) : i64, i64
  return %first, %second
}

// Callees come first: what is inlined has itself been inlined into.
// CHECK-LABEL: sample.func private @quadruple(%x: i64) -> i64 {
// CHECK-NEXT:    %sum = addi %x, %x : i64
// CHECK-NEXT:    %sum_0 = addi %sum, %sum : i64
// CHECK-NEXT:    return %sum_0
// CHECK-NEXT:  }
sample.func private @quadruple(%x: i64) -> i64 {
  %twice = call @double(%x) : i64
  %four_times = call @double(%twice) : i64
  return %four_times
}
// CHECK-LABEL: sample.func @call_of_a_caller(%y: i64) -> i64 {
// CHECK-NEXT:    %sum = addi %y, %y : i64
// CHECK-NEXT:    %sum_0 = addi %sum, %sum : i64
// CHECK-NEXT:    return %sum_0
// CHECK-NEXT:  }
sample.func @call_of_a_caller(%y: i64) -> i64 {
  %result = call @quadruple(%y) : i64
  return %result
}

// One block may stand inside a region.
// CHECK-LABEL: sample.func @call_in_region(%cond: i1, %y: i64) {
// CHECK-NEXT:    if %cond {
// CHECK-NEXT:      %sum = addi %y, %y : i64
// CHECK-NEXT:      use %sum
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
sample.func @call_in_region(%cond: i1, %y: i64) {
  if %cond {
    %twice = call @double(%y) : i64
    use %twice
    yield
  }
  return
}

// With several blocks, what follows the call goes after the return.
// CHECK-LABEL: sample.func private @diamond(%cond: i1, %x: i64) -> i64 {
// CHECK-NEXT:    cond_br %cond, ^left, ^join(%x)
// CHECK-NEXT:  ^left:
// CHECK-NEXT:    %square = muli %x, %x : i64
// CHECK-NEXT:    br ^join(%square)
// CHECK-NEXT:  ^join(%result: i64):
// CHECK-NEXT:    return %result
// CHECK-NEXT:  }
sample.func private @diamond(%cond: i1, %x: i64) -> i64 {
  cond_br %cond, ^left, ^join(%x)
^left:
  %square = muli %x, %x : i64
  br ^join(%square)
^join(%result: i64):
  return %result
}
// CHECK-LABEL: sample.func @call_of_several_blocks(%cond: i1, %y: i64) -> i64 {
// CHECK-NEXT:    %before = addi %y, %y : i64
// CHECK-NEXT:    cond_br %cond, ^left, ^join(%before)
// CHECK-NEXT:  ^left:
// CHECK-NEXT:    %square = muli %before, %before : i64
// CHECK-NEXT:    br ^join(%square)
// CHECK-NEXT:  ^join(%result: i64):
// CHECK-NEXT:    %after = addi %result, %y : i64
// CHECK-NEXT:    return %after
// CHECK-NEXT:  }
sample.func @call_of_several_blocks(%cond: i1, %y: i64) -> i64 {
  %before = addi %y, %y : i64
  %result = call @diamond(%cond, %before) : i64
  %after = addi %result, %y : i64
  return %after
}
