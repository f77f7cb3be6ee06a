// Products of f32 that may not be rounded: factors are copied as numbers of tf32, and wgmma multiplies these, where that is faster.

// RUN: dlc-opt %s --lower-frontend --tiny-to-plan='target=sm90 symbols=[M:4096]' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --lower-frontend --tiny-to-region --choose-plan='target=sm90 symbols=[M:4096]' --remarks=passed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --lower-frontend --tiny-to-plan='target=sm90 symbols=[M:16]' | FileCheck %s --check-prefix=OTHERS
// RUN: dlc-opt %s --lower-frontend --tiny-to-plan='target=sm90 symbols=[M:4096] f32=ieee' | FileCheck %s --check-prefix=OTHERS
// RUN: dlc-opt %s --lower-frontend --tiny-to-plan='target=sm80 symbols=[M:4096]' | FileCheck %s --check-prefix=OTHERS
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --function=linear --shape=M=3 --seed=1 -o %t.npz
// RUN: dlc-run %t.mlir --function=linear --shape=M=3 --seed=1 --check=%t.npz --rtol=1e-5 --atol=1e-4
// RUN: dlc-run %t.ptx.mlir --function=linear --shape=M=3 --seed=1 --check=%t.npz --rtol=1e-5 --atol=1e-4
// RUN: dlc-run %t.ptx.mlir --function=linear --shape=M=0 --seed=1

// REMARK: @linear_0 takes {{.*}} us as its factors lie, and {{.*}} where (x, w) lie along the sum, as numbers of tf32, besides {{.*}} for copies

// The low numbers of one factor meet the high ones of the other, and both high ones each other. Rows are whole 16-byte units.
// CHECK: region.func private @linear_0_x
// CHECK: unary tf32_high
// CHECK: unary tf32_low
// CHECK: select where (p == 0)
// CHECK: region.func private @linear_0_w
// CHECK: select where (p == 1)
// CHECK: region.func private @linear_0<M>
// CHECK: reduce sum ({{.*}}: 3024)
// CHECK: binary mul {{.*}} widen {tf32_factors}
// Threads add each step to the sum, which tensor cores would cut off.
// CHECK: instruction wgmma {{.*}} promote as tf32
// OTHERS-NOT: tf32_high
// OTHERS-NOT: wgmma
frontend.graph @linear<M>(%x: tensor<[M, 1006], f32>, %w: tensor<[1006, 2048], f32>) -> tensor<[M, 2048], f32> {
  %y = linear %x, %w transposed
  output %y
}
