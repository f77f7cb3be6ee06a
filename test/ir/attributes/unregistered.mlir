// Without --allow-unregistered-dialect only what a dialect declares is known, and the nearest name is given.

// RUN: dlc-opt %s --split-input-file --verify-diagnostics
// RUN: not dlc-opt %s --split-input-file 2>&1 | FileCheck %s

// CHECK: did you mean 'sample.addi'?
sample.func @f(%x: i64) {
  // expected-error@+1 {{no dialect registers the op 'sample.adi'}}
  %y = sample.adi %x, %x : i64
  sample.return
}

// -----

// CHECK: did you mean 'sample.use'?
// expected-error@+1 {{no dialect registers the op 'sampel.use'}}
"sampel.use"() : () -> ()

// -----

// CHECK: did you mean 'sample.range'?
sample.func @f(%x: i64) {
  // expected-error@+1 {{no dialect registers the attribute '#sample.rnage'}}
  %y = sample.assume %x in #sample.rnage<0, 9> : i64
  sample.return
}

// -----

sample.func @f() attributes {
  // expected-error@+1 {{'strided' is an attribute of MLIR that no layer of dlc uses}}
  x.a = strided<[1]>
} {
  sample.return
}
