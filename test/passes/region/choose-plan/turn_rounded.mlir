// Factors of f32 that may be rounded are rounded where they are copied, and wgmma multiplies them: where that is faster.

// RUN: dlc-opt %s --lower-frontend --tiny-to-plan='target=sm90 symbols=[B:256]' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --lower-frontend --tiny-to-region --choose-plan='target=sm90 symbols=[B:256]' --remarks=passed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --lower-frontend --tiny-to-plan='target=sm90 symbols=[B:256] f32=ieee' | FileCheck %s --check-prefix=IEEE
// RUN: dlc-opt %s --lower-frontend --tiny-to-plan='target=sm80 symbols=[B:256]' | FileCheck %s --check-prefix=SM80
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --function=conv --shape=B=2 --seed=1 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=conv --shape=B=2 --seed=1 --check=%t.npz --rtol=2e-3 --atol=2e-2
// RUN: dlc-run %t.ptx.mlir --function=conv --shape=B=0 --seed=1

// REMARK: @conv_0 takes {{.*}} us as its factors lie, and {{.*}} where (w, x) lie along the sum, rounded to tf32, besides {{.*}} for copies

// CHECK: host.func @conv
// CHECK: region.func private @conv_0_x
// CHECK: unary tf32
// CHECK: region.func private @conv_0<B>
// CHECK: binary mul {{.*}} widen {tf32, tf32_factors}
// CHECK: instruction wgmma [64, {{[0-9]+}}, 8] as tf32
// CHECK-NOT: instruction mma
// IEEE-NOT: tf32 %
// IEEE-NOT: wgmma
// SM80-NOT: unary tf32
// SM80: instruction mma [16, 8, 8] as tf32
// SM80-NOT: unary tf32
frontend.graph @conv<B>(%w: tensor<[64, 32, 3, 3], f32>, %x: tensor<[B, 32, 20, 24], f32>) -> tensor<[B, 64, 20, 24], f32> {
  %y = conv %x, %w stride [1, 1] pad [1, 1] dilation [1, 1] tf32
  output %y
}
