// RUN: not dlc-opt %s --canonicalize='rounds=1' 2>&1 | FileCheck %s
// RUN: not dlc-opt %s --canonicalize='rounds=0' 2>&1 | FileCheck %s --check-prefix=OPTION

// With a single round it is not seen that nothing is left to do; the rules that were applied are named.
// CHECK: E0451
// CHECK-SAME: the rules 'dead', 'fold' do not end: {{[0-9]+}} rewrites so far
// CHECK: rounds_are_bounded
// OPTION: 'rounds' must be positive, but is 0
sample.func @rounds_are_bounded(%x: i64) -> i64 {
  %zero = constant 0 : i64
  %sum = addi %x, %zero : i64
  return %sum
}
