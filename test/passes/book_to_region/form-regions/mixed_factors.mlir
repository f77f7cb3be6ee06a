// Where results lie along an axis as both factors of a product do, no tile has a matrix of each: the product is stored in its own
// order, and what follows reads it. So it is where channels become pixels, and where a product is one row.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region --remarks=all 2>&1 | FileCheck %s

// CHECK: 'cast' of [2, 36, 6, 8] is stored, 6912 bytes: it is rounded, and 'sum' of [2, 36, 6, 8] before it is stored: an axis of its kernel's results goes along both of its factors
// CHECK: 'sum' of [2, 64, 6, 8] is not stored: what follows is its epilogue

// CHECK-LABEL: host.func @shuffled
// CHECK: launch {{.*}} : memref<[2, 36, 6, 8], f16
// CHECK: %y = launch
// CHECK-NEXT: return
frontend.graph @shuffled(%x: tensor<[2, 32, 6, 8], f16>, %w: tensor<[36, 32, 3, 3], f16>, %b: tensor<[2, 4, 18, 24], f16>) -> tensor<[2, 4, 18, 24], f16> {
  %c = conv %x, %w stride [1, 1] pad [1, 1] dilation [1, 1]
  %s = reshape %c to [2, 4, 3, 3, 6, 8]
  %t = transpose %s by [0, 1, 4, 2, 5, 3]
  %p = reshape %t to [2, 4, 18, 24]
  %y = add %p, %b
  output %y
}

// Heads and batches are axes of both factors or of one.
// CHECK-LABEL: host.func @merged
// CHECK: launch @merged_0
// CHECK-NOT: launch
// CHECK: return
frontend.graph @merged(%x: tensor<[2, 32, 6, 8], f16>, %w: tensor<[64, 32, 1, 1], f16>) -> tensor<[2, 64, 48], f16> {
  %c = conv %x, %w stride [1, 1] pad [0, 0] dilation [1, 1]
  %p = reshape %c to [2, 64, 48]
  %y = relu %p
  output %y
}
