// Errors are compared with comments, part by part.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file
// RUN: not dlc-opt %s --split-input-file 2>&1 | FileCheck %s
// CHECK: no dialect registers the op 'nobody.knows'
// CHECK: already

// expected-error@+1 {{no dialect registers the op 'nobody.knows'}}
"nobody.knows"() : () -> ()

// -----

// expected-note@below {{the first one is here}}
sample.func @twice() { return }
// expected-error-re@+1 {{name '@{{[a-z]+}}' exists already}}
sample.func @twice() { return }

// -----

sample.func @fine() { return }
