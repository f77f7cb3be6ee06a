// A case for each code of the verifier.

// RUN: dlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

sample.func @rule_of_an_op(%x: i64) {
  // expected-error@+1 {{E0201}}
  %y = "sample.sum"(%x) <{signs = array<i64: 1, 1>}> : (i64) -> i64
  return
}

// -----

sample.func @use_before_definition() {
  // expected-error@+1 {{E0202}}
  "sample.use"(%x) : (i64) -> ()
  %x = constant 1 : i64
  return
}

// -----

sample.func @wrong_number(%x: i64) {
  // expected-error@+1 {{E0203}}
  %y = "sample.addi"(%x) : (i64) -> i64
  return
}

// -----

sample.func @wrong_type(%x: f32) {
  // expected-error@+1 {{E0204}}
  %y = "sample.select"(%x, %x, %x) : (f32, f32, f32) -> f32
  return
}

// -----

sample.func @wrong_attribute() {
  // expected-error@+1 {{E0205}}
  %y = "sample.constant"() <{value = "one"}> : () -> i64
  return
}

// -----

sample.func @no_end() {
  // expected-error@+1 {{E0206}}
  "sample.use"() : () -> ()
}

// -----

sample.func @to_the_entry() {
  br ^a
^a:
  // expected-error@+1 {{E0207}}
  "sample.br"()[^b] : () -> ()
^b(%x: i64):
  return
}

// -----

// expected-error@+1 {{E0208}}
"sample.scope"() <{sym_name = "two_blocks"}> ({
  "x.y"() : () -> ()
^b:
  "x.y"() : () -> ()
}) : () -> ()

// -----

sample.func @two_types(%x: i64, %y: i32) {
  // expected-error@+1 {{E0209}}
  %z = "sample.addi"(%x, %y) : (i64, i32) -> i64
  return
}

// -----

sample.func @twice() {
  return
}
// expected-error@+1 {{E0301}}
sample.func @twice() {
  return
}

// -----

sample.func @f() {
  // expected-error@+1 {{E0302}}
  call @nobody()
  return
}

// -----

// Of several blocks each must say where control goes on, also inside an op that nothing knows.
// expected-error@+1 {{a block of the op is empty; it must end with a terminator}}
"x.regions"() ({
  "x.jump"() [^next] : () -> ()
^next:
}) : () -> ()
