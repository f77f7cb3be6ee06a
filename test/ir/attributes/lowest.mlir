// The lowest 128-bit integer has no positive counterpart, and is read with its sign.

// RUN: dlc-opt %s --canonicalize --verify-roundtrip | FileCheck %s

// CHECK-LABEL: sample.func @lowest() -> (i128, i128) {
// CHECK-NEXT:    %low = constant -170141183460469231731687303715884105728 : i128
// CHECK-NEXT:    return %low, %low
sample.func @lowest() -> (i128, i128) {
  %low = constant -170141183460469231731687303715884105728 : i128
  %high = constant 170141183460469231731687303715884105727 : i128
  %one = constant 1 : i128
  %around = addi %high, %one : i128
  return %low, %around
}
// CHECK: const -170141183460469231731687303715884105728 : tensor<[], i128>
tiny.func @tensor() -> tensor<[], i128> {
  %low = const -170141183460469231731687303715884105728 : tensor<[], i128>
  return %low
}
