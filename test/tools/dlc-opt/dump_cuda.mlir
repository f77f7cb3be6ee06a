// '--dump=cu' shows CUDA C++ of the kernels as they reach instructions: what 'dlc-translate --to-cuda' writes of them.

// RUN: dlc-opt %s --tiny-to-ptx --dump=gpu,cu --no-output 2>&1 | FileCheck %s

// CHECK: // -----// gpu @
// CHECK: // -----// cu //----- //
// CHECK-NEXT: // Written by dlc-translate --to-cuda.
// CHECK: __global__
// CHECK-NOT: -----
tiny.func @relu<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %zero = const 0.0 : tensor<[], f32>
  %y = max %x, %zero
  return %y
}
