// Programs that random graphs through every pipeline from every layer have found: a pass broke the rules of the IR.

// RUN: dlc-opt %s --tiny-to-kernel --evaluate-each --no-output
// RUN: dlc-opt %s --tiny-to-ptx --evaluate-each --no-output
// RUN: dlc-opt %s --pass-pipeline='lower-indexbook,form-regions,tiny-to-kernel' --evaluate-each --no-output
// RUN: dlc-opt %s --pass-pipeline='region-to-ptx' --evaluate-each --no-output
// RUN: dlc-opt %s --tiny-to-kernel | FileCheck %s

// Both results are copies of one argument: one kernel writes both.
// CHECK-LABEL: host.func @copies
// CHECK: %[[A:[a-z0-9_]+]], %[[B:[a-z0-9_]+]] = launch @copies_0
// CHECK-NEXT: %[[C:[a-z0-9_]+]] = view %[[A]]
// CHECK-NEXT: %[[D:[a-z0-9_]+]] = view %[[B]]
// CHECK-NEXT: return %[[C]], %[[D]]
tiny.func @copies(%x: tensor<[4, 3], f32>) -> (tensor<[4, 3], f32>, tensor<[4, 3], f32>) {
  return %x, %x
}

// A factor that is computed, and smaller than what the warps of a product hold.
tiny.func @small_factor(%x: tensor<[1, 5, 6], i32>, %y: tensor<[3, 1, 6], f16>) -> tensor<[3, 5], f16> {
  %0 = cast %x to f16 : tensor<[1, 5, 6], f16>
  %1 = mul %y, %0 : tensor<[3, 5, 6], f16>
  %2 = reduce sum %1 over [2] : tensor<[3, 5], f16>
  return %2
}

// A truth value as a position.
tiny.func @truth_index(%i: tensor<[], ui8>, %j: tensor<[], i1>, %x: tensor<[5, 10, 4], f32>) -> tensor<[4], f32> {
  %0 = index %x[%i, %j] : tensor<[4], f32>
  return %0
}
