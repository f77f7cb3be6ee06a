// Products that something else surrounds keep tensor cores: rows that are reduced next, work on a factor, a second product
// that no tile takes with the first.

// RUN: dlc-opt %s --pass-pipeline='tiny-to-region,choose-plan{target=sm90}' --split-input-file | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline='tiny-to-region,choose-plan{target=sm80}' --split-input-file | FileCheck %s --check-prefix=SM80
// RUN: dlc-opt %s --pass-pipeline='tiny-to-region{symbols=[M:16]},choose-plan{target=sm90 symbols=[M:16]}' --split-input-file | FileCheck %s --check-prefix=SIZES
// RUN: dlc-opt %s --pass-pipeline='tiny-to-region,choose-plan{target=sm90},add-fallback,tensorize,kernel-schedule' --evaluate-each --split-input-file -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='tiny-to-region,choose-plan{target=sm80},add-fallback,tensorize,kernel-schedule' --evaluate-each --split-input-file -o /dev/null
// RUN: not dlc-opt %s --tiny-to-region='symbol=[M:16]' 2>&1 | FileCheck %s --check-prefix=OPTION

// RUN: dlc-opt %S/../golden/tiny/attention.json --pass-pipeline='tiny-to-region,choose-plan{target=sm90}' | FileCheck %s --check-prefix=SPEC

// Section 3.5.3 of the specification, where all sizes are symbols.
// SPEC: plan.schedule of @main_0
// SPEC: instruction wgmma
// SPEC: plan.schedule of @main_1

// OPTION: no pass of the named pipeline 'tiny-to-region' has the option 'symbol'
// OPTION: did you mean 'symbols'?

// CHECK-LABEL: host.func @linear_softmax
// CHECK:       plan.schedule of @linear_softmax_0
// CHECK:       instruction wgmma
// CHECK-NOT:   region.func
// SM80-LABEL:  host.func @linear_softmax
// SM80:        plan.schedule of @linear_softmax_0
// SM80:        instruction mma
// SM80-NOT:    region.func
// SIZES-LABEL: host.func @linear_softmax
frontend.graph @linear_softmax<M>(%x: tensor<[M, 64], f16>, %w: tensor<[10, 64], f16>, %b: tensor<[10], f16>) -> tensor<[M, 10], f16> {
  %l = linear %x, %w bias %b acc f32
  %y = softmax %l
  output %y as f16
}

// -----

// CHECK-LABEL: host.func @linear_layer_norm
// CHECK:       plan.schedule of @linear_layer_norm_0
// CHECK:       instruction wgmma
// CHECK-NOT:   region.func
// SM80-LABEL:  host.func @linear_layer_norm
// SM80:        plan.schedule of @linear_layer_norm_0
// SM80:        instruction mma
frontend.graph @linear_layer_norm<M>(%x: tensor<[M, 64], f16>, %w: tensor<[48, 64], f16>) -> tensor<[M, 48], f16> {
  %l = linear %x, %w acc f32
  %y = layer_norm %l
  output %y as f16
}

// -----

// The softmax of Q K^T.
// CHECK-LABEL: host.func @scores
// CHECK:       plan.schedule of @scores_0
// CHECK:       instruction wgmma
// SM80-LABEL:  host.func @scores
// SM80:        plan.schedule of @scores_0
// SM80:        instruction mma
tiny.func @scores<M, N>(%Q: tensor<[2, M, 32], f16>, %K: tensor<[2, N, 32], f16>) -> tensor<[2, M, N], f16> {
  %S = contract %Q [h, m, d], %K [h, n, d] to [h, m, n] acc f32 : tensor<[2, M, N], f32>
  %Mrow = reduce max %S over [2] : tensor<[2, M], f32>
  %Mrow1 = reshape %Mrow to [2, M, 1] : tensor<[2, M, 1], f32>
  %S0 = sub %S, %Mrow1 : tensor<[2, M, N], f32>
  %0 = const 1.44269502 : tensor<[], f32>
  %1 = mul %S0, %0 : tensor<[2, M, N], f32>
  %A = exp2 %1 : tensor<[2, M, N], f32>
  %Z = reduce sum %A over [2] : tensor<[2, M], f32>
  %Z1 = reshape %Z to [2, M, 1] : tensor<[2, M, 1], f32>
  %P32 = fdiv %A, %Z1 : tensor<[2, M, N], f32>
  %P = cast %P32 to f16 : tensor<[2, M, N], f16>
  return %P
}

// -----

// The largest of each row of a product.
// CHECK-LABEL: host.func @largest
// CHECK:       instruction wgmma
// SM80-LABEL:  host.func @largest
// SM80:        instruction mma
frontend.graph @largest<M>(%x: tensor<[M, 64], f16>, %w: tensor<[64, 64], f16>) -> tensor<[M], i32> {
  %l = gemm %x, %w acc f32
  %y = argmax %l over 1
  output %y
}

// -----

// A factor that serves a thousand columns is computed once; one that serves M is where M is not given to be small.
// CHECK-LABEL: host.func @relu_left
// CHECK:       region.func private @relu_left_0<M> iters (m: 64*M)
// CHECK:       plan.schedule of @relu_left_1
// CHECK:       instruction wgmma
// SIZES-LABEL: host.func @relu_left
// SIZES:       region.func private @relu_left_1
frontend.graph @relu_left<M>(%x: tensor<[M, 64], f16>, %w: tensor<[64, 1024], f16>) -> tensor<[M, 1024], f16> {
  %r = relu %x
  %y = gemm %r, %w acc f32
  output %y as f16
}

// -----

// CHECK-LABEL: host.func @cast_right
// CHECK:       region.func private @cast_right_0
// CHECK-NOT:   region.func
// SIZES-LABEL: host.func @cast_right
// SIZES:       region.func private @cast_right_0
// SIZES-NOT:   region.func
frontend.graph @cast_right<M>(%x: tensor<[M, 64], f16>, %w: tensor<[64, 64], i8>) -> tensor<[M, 64], f16> {
  %h = cast %w to f16
  %y = gemm %x, %h acc f32
  output %y as f16
}

// -----

// A convolution and one of single pixels, in NCHW.
// CHECK-LABEL: host.func @conv_conv
// SIZES-LABEL: host.func @conv_conv
// CHECK-DAG:   plan.schedule of @conv_conv_0
// CHECK-DAG:   plan.schedule of @conv_conv_1
// CHECK-NOT:   plan.schedule of {{.*}} {}
frontend.graph @conv_conv<M>(%x: tensor<[M, 16, 8, 8], f16>, %w: tensor<[16, 16, 3, 3], f16>, %v: tensor<[32, 16, 1, 1], f16>) -> tensor<[M, 32, 8, 8], f16> {
  %c = conv %x, %w pad [1, 1] acc f32
  %r = relu %c
  %h = cast %r to f16
  %d = conv %h, %v acc f32
  output %d as f16
}
