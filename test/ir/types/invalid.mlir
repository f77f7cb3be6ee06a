// RUN: dlc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected a type, found 'indx'}}
sample.func private @f(indx)

// -----

// expected-error@+1 {{an integer type has between 1 and 16777215 bits}}
sample.func private @f(i16777216)

// -----

// expected-error@+1 {{an integer type has between 1 and 16777215 bits}}
sample.func private @f(i0)

// -----

// expected-error@+1 {{'memref' is written here as MLIR does, and no layer of dlc uses such types; dlc writes memref<[4], f32>}}
sample.func private @f(memref<4xf32>)

// -----

// expected-error@+1 {{'vector' is a type of MLIR that no layer of dlc uses; with --allow-unregistered-dialect it is taken as it stands}}
sample.func private @f(vector<4xf32>)

// -----

// expected-error@+1 {{no dialect registers the type '!sample.bx'}}
sample.func private @f(!sample.bx<i64>)

// -----

// expected-error@+1 {{nothing defines the alias '!t'}}
sample.func private @f(!t)

// -----

// expected-error@+1 {{expected '->', found}}
sample.func private @f((i32))

// -----

// expected-error@+1 {{the alias '!t' is defined by itself}}
!t = tuple<!t>
sample.func private @f(!t)
