// RUN: dlc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-error@+1 {{the key 'a' stands twice}}
"x.op"() {a = 1, a = 2} : () -> ()

// -----

// expected-error@+1 {{the integer does not fit the type i8}}
"x.op"() {a = 256 : i8} : () -> ()

// -----

// expected-error@+1 {{the integer does not fit the type ui8}}
"x.op"() {a = -1 : ui8} : () -> ()

// -----

// expected-error@+1 {{a float is written with a dot: 1.0}}
"x.op"() {a = 1 : f32} : () -> ()

// -----

// expected-error@+1 {{the bits do not fit 16 bits}}
"x.op"() {a = 0x12345 : f16} : () -> ()

// -----

// expected-error@+1 {{a float literal cannot be of type i32}}
"x.op"() {a = 1.0 : i32} : () -> ()

// -----

// expected-error@+1 {{a backslash in a string is followed by n, t, \, " or two hex digits}}
"x.op"() {a = "\q"} : () -> ()

// -----

// expected-error@+1 {{expected an attribute, found a string that does not end on its line}}
"x.op"() {a = "open} : () -> ()

// -----

// expected-error@+1 {{expected an attribute, found 'ture'}}
"x.op"() {a = ture} : () -> ()

// -----

// expected-error@+1 {{nothing defines the alias '#map'}}
"x.op"() {a = #map} : () -> ()

// -----

// expected-error@+1 {{the '<' here has no '>' that closes it}}
"x.op"() {a = #x.y<(} : () -> ()

// -----

// expected-error@+1 {{1 elements where the type wants 2}}
"x.op"() {a = dense<[1]> : tensor<2xi8>} : () -> ()

// -----

// expected-error@+1 {{expected a number, found '@a'}}
"x.op"() {a = dense<[@a]> : tensor<1xi8>} : () -> ()

// -----

// expected-error@+1 {{3 bytes are no 2 elements of 4}}
"x.op"() {a = dense<"0x010203"> : tensor<2xi32>} : () -> ()

// -----

// expected-error@+1 {{the resource 'k' has 1 bytes, the type wants 2 elements of 4}}
"x.op"() {a = dense_resource<k> : tensor<2xi32>} : () -> ()
{-# dialect_resources: { builtin: { k: "0x0400000001" } } #-}

// -----

#a = 1
// expected-error@+1 {{the alias '#a' is defined twice}}
#a = 2

// -----

// expected-error@+1 {{the alias '#a' is defined by itself}}
#a = [#a]

// -----

// expected-error@+1 {{expected an operation, found '#a'}}
"x.op"() : () -> () #a = 1

// -----

// expected-error@+1 {{nesting is deeper than 256 levels}}
"x.op"() {a = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]} : () -> ()
