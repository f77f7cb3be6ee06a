// Causal attention of few queries for sm80: the steps of a part lie apart, and their conditions are followed to their end.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm80 symbols=[A:1,B:1000]}' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm80 symbols=[A:1,B:16384]},add-fallback,region-to-ptx' -o /dev/null
// RUN: dlc-run %s --shape=A=3,B=300 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --shape=A=3,B=300 --seed=0 --passes='add-fallback,region-to-ptx' --check=%t.npy

// CHECK: plan.schedule of @causal_0 for sm80 {
// CHECK: stages 3
// CHECK: split_k {{[0-9]+}} along b through workspace
frontend.graph @causal<A, B>(%q: tensor<[2, 3, A, 64], f16>, %k: tensor<[2, 3, B, 64], f16>, %v: tensor<[2, 3, B, 64], f16>) -> tensor<[2, 3, A, 64], f16> {
  %o = attention %q, %k, %v causal
  output %o as f16
}
