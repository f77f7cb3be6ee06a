// RUN: dlc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-error@+1 {{has 0 regions, must have 1}}
"builtin.module"() : () -> ()

// -----

// expected-error@+1 {{each region of the op must have exactly one block}}
"builtin.module"() ({
^a:
  "x.end"() : () -> ()
^b:
  "x.end"() : () -> ()
}) : () -> ()

// -----

// expected-note@+1 {{the region starts here}}
"x.op"() ({
  "x.inner"() : () -> ()
// expected-error@+1 {{expected '}', found the end of the text}}
