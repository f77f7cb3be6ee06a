// An output of a graph has the name of its value, rounded or not, as text and as JSON.

// RUN: dlc-run %s --shape=M=2 | FileCheck %s
// RUN: dlc-opt %s --emit-json -o %t.json && dlc-run %t.json --shape=M=2 | FileCheck %s
// RUN: dlc-run %s --shape=M=2 --strict -o %t.npz && dlc-run %s --shape=M=2 --check=%t.npz | FileCheck %s --check-prefix=SAME

frontend.graph @two<M>(%x: tensor<[M, 3], f32>) -> (tensor<[M, 3], f16>, tensor<[M], f32>) {
  %half = mul %x, %x
  %total = sum %x over [1]
  output %half as f16, %total as f32
}

// CHECK: input type
// CHECK: x tensor<[2, 3], f32> seed 0
// CHECK: output type
// CHECK-NEXT: half tensor<[2, 3], f16>
// CHECK-NEXT: total tensor<[2], f32>

// SAME: half: as expected
// SAME: total: as expected
