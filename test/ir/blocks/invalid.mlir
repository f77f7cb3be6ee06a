// RUN: dlc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

"x.op"() ({
  // expected-error@+1 {{the region has no block '^there'}}
  "x.jump"() [^there] : () -> ()
}) : () -> ()

// -----

"x.op"() ({
^a:
  "x.jump"() [^b] : () -> ()
^b:
  "x.end"() : () -> ()
// expected-error@+1 {{the region has a block '^b' already}}
^b:
  "x.end"() : () -> ()
}) : () -> ()

// -----

"x.op"() ({
^a:
  // expected-error@+1 {{successor 0 is the entry block of the region}}
  "x.jump"() [^a] : () -> ()
}) : () -> ()

// -----

sample.func @f(%x: i64) {
  // expected-error@+1 {{successor 0 is given (i64), but the block takes (i1)}}
  sample.br ^next(%x)
^next(%y: i1):
  sample.return
}

// -----

sample.func @f() {
  // expected-error@+1 {{a terminator must be the last op of its block}}
  sample.return
  sample.return
}

// -----

sample.func @f() {
  // expected-error@+1 {{a block of 'sample.func' must end with a terminator, not with this op}}
  sample.use
}
