// RUN: dlc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-note@+1 {{the first one is here}}
sample.func private @f(i64)
// expected-error@+1 {{a symbol of the name '@f' exists already}}
"x.op"() {sym_name = "f"} : () -> ()

// -----

sample.func @f() {
  // expected-error@+1 {{no symbol @g can be seen from here}}
  sample.call @g()
  sample.return
}

// -----

// expected-note@+1 {{it is defined here}}
sample.func private @g(i64)
sample.func @f(%x: i1) {
  // expected-error@+1 {{calls @g as (i1) -> (), but its type is (i64) -> ()}}
  sample.call @g(%x)
  sample.return
}
