// Sizes that are known and divided by no vector: the plan requires nothing that they are not, so it runs for them.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[A:7,B:64]},add-fallback' -o %t.narrow.mlir
// RUN: FileCheck %s --check-prefix=NARROW --input-file=%t.narrow.mlir
// RUN: dlc-opt %t.narrow.mlir --pass-pipeline='tensorize,kernel-schedule,check-async' --no-output
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[A:333,B:777]},add-fallback,tensorize,kernel-schedule,check-async' | FileCheck %s --check-prefix=ODD

// Rows of 7 16-bit floats are read element by element, and then those of floats are written so too, though they have 16 bytes.
// NARROW: launch @narrow_0<A, B> where (A == 7, B mod 8 == 0)
// NARROW: fix (A: 7)
// NARROW-NEXT: assume (B: 8)

// ODD: launch @narrow_0<A, B> (
// ODD-NOT: require
frontend.graph @narrow<A, B>(%x0: tensor<[1, 64, B], f16>, %x1: tensor<[1, B, A], f16>, %x2: tensor<[1, 64, 1], f32>) -> tensor<[1, 64, A], f32> {
  %v1 = gemm %x0, %x1 acc f32
  %v2 = maximum %v1, %x2
  output %v2
}
