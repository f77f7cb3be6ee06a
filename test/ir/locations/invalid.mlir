// RUN: dlc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-error@+1 {{expected a location: a string, 'unknown', 'fused', 'callsite' or an alias}}
"x.op"() : () -> () loc(somewhere)

// -----

// expected-error@+1 {{nothing defines the alias '#there'}}
"x.op"() : () -> () loc(#there)

// -----

#a = 1
// expected-error@+1 {{the alias '#a' is no location}}
"x.op"() : () -> () loc(#a)

// -----

// expected-error@+1 {{expected a line or column below 2^32}}
"x.op"() : () -> () loc("f":4294967296:1)

// -----

// expected-error@+1 {{the alias '#a' is defined by itself}}
#a = loc("x"(#a))
