// Plans that were measured, in both forms, and what is refused of them.

// RUN: dlc-opt %s > %t.mlir && dlc-opt %t.mlir | cmp %t.mlir -
// RUN: dlc-opt %s --print-generic > %t.generic && dlc-opt %t.generic | cmp %t.mlir -
// RUN: dlc-opt %s | FileCheck %s
// RUN: dlc-opt %S/Inputs/measured_invalid.mlir --verify-diagnostics --split-input-file

// What stands before the clauses of the plan has an order, too.
// CHECK: plan.measured gemm_0 for sm90 {
// CHECK-NEXT: kernel "9b1f0c6d2a4e8f35"
// CHECK-NEXT: sizes (M: 256, N: 2048, K: 16384)
// CHECK-NEXT: device "NVIDIA H200"
// CHECK-NEXT: driver 13000
// CHECK-NEXT: nanoseconds 29700
// CHECK-NEXT: tile (m: 128, n: 128, k: 64)
// CHECK-NEXT: instruction wgmma
// CHECK-NEXT: cache X (m, k) f16 in smem
// CHECK-NEXT: }
plan.measured gemm_0 for sm90 {
  tile (m: 128, n: 128, k: 64)
  nanoseconds 29700 driver 13000
  instruction wgmma
  device "NVIDIA H200"
  cache X (m, k) f16 in smem
  sizes (M: 256, N: 2048, K: 16384)
  kernel "9b1f0c6d2a4e8f35"
}

// A kernel without symbols has no sizes, and a name that is no word is a string.
// CHECK: plan.measured "a \"kernel\"" for sm80 {
// CHECK-NEXT: kernel "0000000000000000"
// CHECK-NEXT: device Fake
// CHECK-NEXT: driver 0
// CHECK-NEXT: nanoseconds 1
// CHECK-NEXT: } attributes {why = "by hand"}
plan.measured "a \22kernel\22" for sm80 {
  kernel "0000000000000000" device Fake driver 0 nanoseconds 1
} attributes {why = "by hand"}
