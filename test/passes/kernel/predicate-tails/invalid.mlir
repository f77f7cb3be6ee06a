// RUN: not dlc-opt %s --predicate-tails='assume=K' 2>&1 | FileCheck %s
// RUN: not dlc-opt %s --predicate-tails='assume="K=0"' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not dlc-opt %s --predicate-tails='assume="2*K=4"' 2>&1 | FileCheck %s --check-prefix=NAME

// A fact is a symbol and a positive number.
// CHECK: 'assume' says what sizes are multiples of, as in 'K=64,N=8', not 'K'
// ZERO: not 'K=0'
// NAME: not '2*K=4'
kernel.func @f() {
  return
}
