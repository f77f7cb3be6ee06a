// Heads of a size that is a symbol: blocks share the keys, and tiles the columns of a head. The maximum and the sum of a row have
// no columns, so of the blocks with the same rows the first leaves them.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm80 symbols=[A:136,B:700]},add-fallback' -o %t.mlir
// RUN: dlc-opt %t.mlir --tensorize | FileCheck %s
// RUN: dlc-run %s --shape=A=264,B=140 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --shape=A=264,B=140 --seed=0 --passes='region-to-ptx' --check=%t.npy
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[A:136,B:700]},region-to-ptx' -o /dev/null

// CHECK: grid (A ceildiv 256, {{[0-9]+}}) threads 128 {
// CHECK: store {{.*}} to %parts[%part, %tile floordiv (A ceildiv 256), 0, 64*%row + i0] where (64*%row + i0 < 5, 256*%column == 0)
// CHECK-NEXT: store {{.*}} to %parts_0[%part, %tile floordiv (A ceildiv 256), 0, 64*%row + i0] where (64*%row + i0 < 5, 256*%column == 0)
// CHECK-NEXT: store {{.*}} to %parts_1[%part, %tile floordiv (A ceildiv 256), 0, 64*%row + i0, 256*%column + i1] where (64*%row + i0 < 5, 256*%column + i1 < A)
frontend.graph @wide<A, B>(%q: tensor<[1, 1, 5, A], f16>, %k: tensor<[1, 1, B, A], f16>, %v: tensor<[1, 1, B, A], f16>) -> tensor<[1, 1, 5, A], f16> {
  %o = attention %q, %k, %v
  output %o as f16
}
