// One case for each rule, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

sample.func @operands_of_one_type(%a: i64, %b: i32) -> i64 {
  // expected-error@+1 {{all operands and results must have one type, but here are i64 and i32}}
  %s = "sample.addi"(%a, %b) : (i64, i32) -> i64
  return %s
}

// -----

sample.func @operands_are_integers(%a: f32) -> f32 {
  // expected-error@+3 {{the operand 'lhs' must be an integer or index, but is f32}}
  // expected-error@+2 {{the operand 'rhs' must be an integer or index, but is f32}}
  // expected-error@+1 {{the result 'out' must be an integer or index, but is f32}}
  %s = addi %a, %a
  return %s
}

// -----

sample.func @a_predicate_is_known(%a: i64) -> i1 {
  // expected-error@+1 {{'stl' is no predicate}}
  %c = cmpi stl %a, %a
  return %c
}

// -----

sample.func @a_predicate_is_known_in_generic_form(%a: i64) -> i1 {
  // expected-error@+1 {{must be a predicate: "eq" "ne" "slt" "sle" "ult" "ule"}}
  %c = "sample.cmpi"(%a, %a) <{predicate = "stl"}> : (i64, i64) -> i1
  return %c
}

// -----

sample.func @selected_values_have_one_type(%c: i1, %a: i64, %b: i32) -> i64 {
  // expected-error@+1 {{the values that are selected from must have one type}}
  %x = select %c, %a, %b : i64
  return %x
}

// -----

sample.func @a_sign_for_each_term(%a: i64) -> i64 {
  // expected-error@+1 {{'signs' must have 1 or -1 for each term}}
  %s = "sample.sum"(%a, %a) <{signs = array<i64: 1>}> : (i64, i64) -> i64
  return %s
}

// -----

sample.func @signs_are_one(%a: i64) -> i64 {
  // expected-error@+1 {{'signs' must have 1 or -1 for each term}}
  %s = "sample.sum"(%a) <{signs = array<i64: 2>}> : (i64) -> i64
  return %s
}

// -----

sample.func @lists_of_one_length(%a: i64) -> i64 {
  // expected-error@+1 {{the lists have 2 and 1 values, must have as many}}
  %d = dot [%a, %a] by [%a] : i64
  return %d
}

// -----

sample.func @group_sizes(%a: i64) -> i64 {
  // expected-error@+1 {{'operandSegmentSizes' must be an array<i32> with the size of each group of operands}}
  %d = "sample.dot"(%a, %a) <{operandSegmentSizes = array<i32: 1, 1>}> : (i64, i64) -> i64
  return %d
}

// -----

sample.func @a_box_of_its_content(%a: i64) -> !sample.box<i32> {
  // expected-error@+1 {{the result is of type !sample.box<i32>, must be !sample.box<i64>}}
  %b = box %a : !sample.box<i32>
  return %b
}

// -----

// expected-error@+1 {{the low end is above the high end}}
sample.func @ranges_ascend() attributes {range = #sample.range<5, 4>} {
  return
}

// -----

// expected-error@+1 {{the parameter 'content' must be a type}}
sample.func private @boxes_have_types(!sample.box<5>)

// -----

sample.func @buffers_hold_one_type(%b: !sample.buffer<i64>, %i: index, %x: i32) {
  // expected-error@+1 {{the value must be of the type that the buffer holds}}
  store %x, %b[%i]
  return
}

// -----

// expected-error@+1 {{'arg_attrs' must have a dictionary for each of the 1 arguments}}
"sample.func"() <{arg_attrs = [{}, {}], function_type = (i64) -> (), sym_name = "f"}> ({}) : () -> ()

// -----

sample.func private @takes_an_integer(i64) -> i64

sample.func @a_call_fits(%a: i32) -> i64 {
  // expected-error@+1 {{calls @takes_an_integer as (i32) -> i64, but its type is (i64) -> i64}}
  %x = call @takes_an_integer(%a) : i64
  return %x
}

// -----

sample.func @a_return_fits(%a: i32) -> i64 {
  // expected-error@+1 {{returns (i32), but the function returns (i64)}}
  return %a
}

// -----

sample.func @a_branch_fits(%a: i32) {
  // expected-error@+1 {{successor 0 is given (i32), but the block takes (i64)}}
  br ^bb1(%a)
^bb1(%x: i64):
  return
}

// -----

sample.func @bounds_of_one_type(%a: i64, %b: i32) {
  // expected-error@+1 {{the bounds and the step must have one type}}
  loop %a to %a by %b {
  ^bb0(%i: i64):
    yield
  }
  return
}

// -----

sample.func @a_loop_takes_its_integer(%a: i64) {
  // expected-error@+1 {{the region must take the integer and the carried values}}
  loop %a to %a by %a {
    yield
  }
  return
}

// -----

sample.func @a_loop_yields_what_it_carries(%a: i64) {
  loop %a to %a by %a carry %a : i64 {
  ^bb0(%i: i64, %acc: i64):
    // expected-error@+1 {{yields (), but 'sample.loop' takes (i64)}}
    yield
  }
  return
}

// -----

sample.func @results_need_a_second_region(%c: i1, %a: i64) -> i64 {
  // expected-error@+1 {{an op with results must have a second region}}
  %x = if %c : i64 {
    yield %a
  }
  return %x
}

// -----

sample.func @both_regions_yield(%c: i1, %a: i64, %b: i32) -> i64 {
  %x = if %c : i64 {
    yield %a
  } else {
    // expected-error@+1 {{yields (i32), but 'sample.if' takes (i64)}}
    yield %b
  }
  return %x
}

// -----

sample.func @two_regions_at_most(%c: i1) {
  // expected-error@+1 {{there are two regions at most}}
  if %c {
    yield
  } else {
    yield
  }, {
    yield
  }
  return
}

// -----

sample.func @a_graph_takes_nothing() {
  // expected-error@+1 {{the region must take no arguments}}
  graph {
  ^bb0(%x: i64):
    yield
  }
  return
}

// -----

// expected-error@+1 {{the body of the function has nothing in it}}
sample.func @a_body_is_not_empty() {}

// -----

// expected-error@+1 {{the arguments of a function with a body have names: '%x: type'}}
sample.func @arguments_have_names(i64) {
  return
}

// -----

sample.func @f() -> i400 {
  // expected-error@+1 {{dlc computes with at most 128 bits, and the integer has more}}
  %c = constant 340282366920938463463374607431768211456 : i400
  return %c
}

// -----

sample.func @the_least_sign(%a: i64) -> i64 {
  // expected-error@+1 {{'signs' must have 1 or -1 for each term}}
  %s = "sample.sum"(%a) <{signs = array<i64: -9223372036854775808>}> : (i64) -> i64
  return %s
}
