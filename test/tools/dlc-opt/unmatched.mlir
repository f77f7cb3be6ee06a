// What is not expected fails, and so does what is expected and does not come.

// RUN: not dlc-opt %s --verify-diagnostics --split-input-file 2>&1 | FileCheck %s
// CHECK: [E0512] Error: expected error 'something else' did not come
// CHECK: [E0511] Error: unexpected error: E0101 no dialect registers the op 'nobody.knows'

// expected-error@+1 {{something else}}
sample.func @fine() { return }

// -----

"nobody.knows"() : () -> ()
