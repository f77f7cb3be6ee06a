// A case for each code of the parser.

// RUN: dlc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{E0001}}
sample.func @f()) {
}

// -----

// expected-error@+1 {{E0101}}
sample.nothing

// -----

// expected-error@+1 {{E0102}}
"sample.use"() {t = !sample.nothing} : () -> ()

// -----

// expected-error@+1 {{E0103}}
"sample.use"() {a = #sample.nothing} : () -> ()

// -----

sample.func @f() -> i64 {
  // expected-error@+1 {{E0104}}
  return %x
}

// -----

sample.func @f(%x: i64) -> i64 {
  // expected-error@+1 {{E0105}}
  %x = constant 1 : i64
  return %x
}

// -----

sample.func @f() {
  // expected-error@+1 {{E0106}}
  br ^nowhere
}

// -----

// expected-error@+1 {{E0107}}
#a = [#a]
"sample.use"() {a = #a} : () -> ()

// -----

sample.func @f(%x: i64) {
  // expected-error@+1 {{E0108}}
  "sample.use"(%x) : (i32) -> ()
  return
}

// -----

// expected-error@+1 {{E0109}}
"sample.use"() {a = 300 : i8} : () -> ()
