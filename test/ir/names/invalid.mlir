// RUN: dlc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-error@+1 {{nothing defines '%x'}}
"x.use"(%x) : (i1) -> ()

// -----

// expected-note@+1 {{the first definition is here}}
%x = "x.def"() : () -> i1
// expected-error@+1 {{'%x' is defined already}}
%x = "x.def"() : () -> i1

// -----

%x:2 = "x.def"() : () -> (i1, i1)
// expected-error@+1 {{'%x#2' has 2 results, counted from 0}}
"x.use"(%x#2) : (i1) -> ()

// -----

%x = "x.def"() : () -> i1
// expected-error@+1 {{'%x' is used as i2, but its type is i1}}
"x.use"(%x) : (i2) -> ()

// -----

// A use before the definition, of another type.
// expected-error@+1 {{'%x' is used as i2, but its type is i1}}
"x.use"(%x) : (i2) -> ()
%x = "x.def"() : () -> i1

// -----

// expected-error@+1 {{the operation has 2 results, but 1 are named}}
%x = "x.def"() : () -> (i1, i1)

// -----

// expected-error@+1 {{expected a number of results from 1 to 65535}}
%x:65536 = "x.def"() : () -> i1

// -----

// expected-error@+1 {{the number of a value must be below 2147483648}}
"x.use"(%4000000000) : (i1) -> ()

// -----

sample.func @f(%count: i64) {
  // expected-error@+1 {{'%cuont' is not defined before this use}}
  sample.use %cuont
  sample.return
}

// -----

// What an isolated op has around it is not seen inside.
%outside = "x.def"() : () -> i64
sample.func @f() {
  // expected-error@+1 {{nothing defines '%outside'}}
  "x.use"(%outside) : (i64) -> ()
  sample.return
}
