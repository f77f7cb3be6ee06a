// RUN: dlc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

sample.func @order() {
  // expected-error@+1 {{operand 0 does not dominate this use}}
  "sample.use"(%x) : (i64) -> ()
  // expected-note@+1 {{it is defined here}}
  %x = sample.constant 1 : i64
  sample.return
}

// -----

sample.func @branch(%c: i1) {
  sample.cond_br %c, ^left, ^right
^left:
  // expected-note@+1 {{it is defined here}}
  %x = sample.constant 1 : i64
  sample.br ^join
^right:
  sample.br ^join
^join:
  // expected-error@+1 {{operand 0 does not dominate this use}}
  sample.use %x
  sample.return
}

// -----

sample.func @nested() {
  "x.op"() ({
    // expected-error@+1 {{operand 0 does not dominate this use}}
    "x.user"(%late) : (i64) -> ()
  }) : () -> ()
  // expected-note@+1 {{it is defined here}}
  %late = sample.constant 1 : i64
  sample.return
}

// -----

sample.func @after() {
  "x.op"() ({
    "x.pass"(%inside) : (i64) -> ()
    %inside = sample.constant 1 : i64
  }) : () -> ()
  // The name is forgotten at the end of the region.
  // expected-error@+1 {{nothing defines '%inside'}}
  "x.user"(%inside) : (i64) -> ()
  sample.return
}
