// Functions with parameters and of several operands, each element by itself; sizes are broadcast.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// CHECK-LABEL: @leaky_relu
// CHECK: %y = leaky_relu %x : tensor<[M, N], f32>
frontend.graph @leaky_relu<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = leaky_relu %x
  output %y
}

// CHECK-LABEL: @leaky_relu_with
// CHECK: %y = leaky_relu %x slope 0.1 : tensor<[M, N], f32>
frontend.graph @leaky_relu_with<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = leaky_relu %x slope 0.1
  output %y
}

// CHECK-LABEL: @elu
// CHECK: %y = elu %x : tensor<[M, N], f32>
frontend.graph @elu<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = elu %x
  output %y
}

// CHECK-LABEL: @elu_with
// CHECK: %y = elu %x alpha 0.5 : tensor<[M, N], f32>
frontend.graph @elu_with<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = elu %x alpha 0.5
  output %y
}

// CHECK-LABEL: @celu
// CHECK: %y = celu %x : tensor<[M, N], f32>
frontend.graph @celu<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = celu %x
  output %y
}

// CHECK-LABEL: @celu_with
// CHECK: %y = celu %x alpha 2.0 : tensor<[M, N], f32>
frontend.graph @celu_with<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = celu %x alpha 2.0
  output %y
}

// CHECK-LABEL: @selu
// CHECK: %y = selu %x : tensor<[M, N], f32>
frontend.graph @selu<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = selu %x
  output %y
}

// CHECK-LABEL: @selu_with
// CHECK: %y = selu %x alpha 1.5 gamma 1.1 : tensor<[M, N], f32>
frontend.graph @selu_with<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = selu %x alpha 1.5 gamma 1.1
  output %y
}

// CHECK-LABEL: @softplus
// CHECK: %y = softplus %x : tensor<[M, N], f32>
frontend.graph @softplus<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = softplus %x
  output %y
}

// CHECK-LABEL: @softplus_with
// CHECK: %y = softplus %x beta 2.0 : tensor<[M, N], f32>
frontend.graph @softplus_with<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = softplus %x beta 2.0
  output %y
}

// CHECK-LABEL: @hardsigmoid
// CHECK: %y = hardsigmoid %x : tensor<[M, N], f32>
frontend.graph @hardsigmoid<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = hardsigmoid %x
  output %y
}

// CHECK-LABEL: @hardsigmoid_with
// CHECK: %y = hardsigmoid %x alpha 0.2 beta 0.4 : tensor<[M, N], f32>
frontend.graph @hardsigmoid_with<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = hardsigmoid %x alpha 0.2 beta 0.4
  output %y
}

// CHECK-LABEL: @hardtanh
// CHECK: %y = hardtanh %x : tensor<[M, N], f32>
frontend.graph @hardtanh<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = hardtanh %x
  output %y
}

// CHECK-LABEL: @hardtanh_with
// CHECK: %y = hardtanh %x min -2.0 max 0.5 : tensor<[M, N], f32>
frontend.graph @hardtanh_with<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = hardtanh %x min -2.0 max 0.5
  output %y
}

// CHECK-LABEL: @clamp_with
// CHECK: %y = clamp %x min -0.5 max 1.5 : tensor<[M, N], f32>
frontend.graph @clamp_with<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = clamp %x min -0.5 max 1.5
  output %y
}

// CHECK-LABEL: @gelu
// CHECK: %y = gelu %x : tensor<[M, N], f32>
frontend.graph @gelu<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = gelu %x
  output %y
}

// CHECK-LABEL: @gelu_with
// CHECK: %y = gelu %x approximate tanh : tensor<[M, N], f32>
frontend.graph @gelu_with<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = gelu %x approximate tanh
  output %y
}

// CHECK-LABEL: @clamp_below
// CHECK: %y = clamp %x min 0.25 : tensor<[M, N], f32>
frontend.graph @clamp_below<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = clamp %x min 0.25
  output %y
}

// CHECK-LABEL: @clamp_above
// CHECK: %y = clamp %x max 0.001 : tensor<[M, N], f32>
frontend.graph @clamp_above<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = clamp %x max 1.0e-3
  output %y
}

// CHECK-LABEL: @clamp_infinite
// CHECK: %y = clamp %x max inf : tensor<[M, N], f32>
frontend.graph @clamp_infinite<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = clamp %x max inf
  output %y
}

// CHECK-LABEL: @add
// CHECK: %y = add %a, %b : tensor<[M, N], f32>
frontend.graph @add<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = add %a, %b
  output %y
}

// CHECK-LABEL: @sub
// CHECK: %y = sub %a, %b : tensor<[M, N], f32>
frontend.graph @sub<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = sub %a, %b
  output %y
}

// CHECK-LABEL: @mul
// CHECK: %y = mul %a, %b : tensor<[M, N], f32>
frontend.graph @mul<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = mul %a, %b
  output %y
}

// CHECK-LABEL: @div
// CHECK: %y = div %a, %b : tensor<[M, N], f32>
frontend.graph @div<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = div %a, %b
  output %y
}

// CHECK-LABEL: @floordiv
// CHECK: %y = floordiv %a, %b : tensor<[M, N], f32>
frontend.graph @floordiv<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = floordiv %a, %b
  output %y
}

// CHECK-LABEL: @truncdiv
// CHECK: %y = truncdiv %a, %b : tensor<[M, N], f32>
frontend.graph @truncdiv<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = truncdiv %a, %b
  output %y
}

// CHECK-LABEL: @mod
// CHECK: %y = mod %a, %b : tensor<[M, N], f32>
frontend.graph @mod<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = mod %a, %b
  output %y
}

// CHECK-LABEL: @fmod
// CHECK: %y = fmod %a, %b : tensor<[M, N], f32>
frontend.graph @fmod<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = fmod %a, %b
  output %y
}

// CHECK-LABEL: @pow
// CHECK: %y = pow %a, %b : tensor<[M, N], f32>
frontend.graph @pow<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = pow %a, %b
  output %y
}

// CHECK-LABEL: @maximum
// CHECK: %y = maximum %a, %b : tensor<[M, N], f32>
frontend.graph @maximum<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = maximum %a, %b
  output %y
}

// CHECK-LABEL: @minimum
// CHECK: %y = minimum %a, %b : tensor<[M, N], f32>
frontend.graph @minimum<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = minimum %a, %b
  output %y
}

// CHECK-LABEL: @copysign
// CHECK: %y = copysign %a, %b : tensor<[M, N], f32>
frontend.graph @copysign<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = copysign %a, %b
  output %y
}

// CHECK-LABEL: @logaddexp
// CHECK: %y = logaddexp %a, %b : tensor<[M, N], f32>
frontend.graph @logaddexp<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], f32> {
  %y = logaddexp %a, %b
  output %y
}

// CHECK-LABEL: @eq
// CHECK: %y = eq %a, %b : tensor<[M, N], i1>
frontend.graph @eq<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], i1> {
  %y = eq %a, %b
  output %y
}

// CHECK-LABEL: @ne
// CHECK: %y = ne %a, %b : tensor<[M, N], i1>
frontend.graph @ne<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], i1> {
  %y = ne %a, %b
  output %y
}

// CHECK-LABEL: @lt
// CHECK: %y = lt %a, %b : tensor<[M, N], i1>
frontend.graph @lt<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], i1> {
  %y = lt %a, %b
  output %y
}

// CHECK-LABEL: @le
// CHECK: %y = le %a, %b : tensor<[M, N], i1>
frontend.graph @le<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], i1> {
  %y = le %a, %b
  output %y
}

// CHECK-LABEL: @gt
// CHECK: %y = gt %a, %b : tensor<[M, N], i1>
frontend.graph @gt<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], i1> {
  %y = gt %a, %b
  output %y
}

// CHECK-LABEL: @ge
// CHECK: %y = ge %a, %b : tensor<[M, N], i1>
frontend.graph @ge<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], i1> {
  %y = ge %a, %b
  output %y
}

// CHECK-LABEL: @isclose
// CHECK: %y = isclose %a, %b : tensor<[M, N], i1>
frontend.graph @isclose<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], i1> {
  %y = isclose %a, %b
  output %y
}

// CHECK-LABEL: @isclose_with
// CHECK: %y = isclose %a, %b rtol 0.5 atol 0.25 equal_nan : tensor<[M, N], i1>
frontend.graph @isclose_with<M, N>(%a: tensor<[M, 1], f32>, %b: tensor<[N], f32>) -> tensor<[M, N], i1> {
  %y = isclose %a, %b rtol 0.5 atol 0.25 equal_nan
  output %y
}

// CHECK-LABEL: @add_of_integers
// CHECK: %y = add %a, %b : tensor<[M, N], i64>
frontend.graph @add_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = add %a, %b
  output %y
}

// CHECK-LABEL: @sub_of_integers
// CHECK: %y = sub %a, %b : tensor<[M, N], i64>
frontend.graph @sub_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = sub %a, %b
  output %y
}

// CHECK-LABEL: @mul_of_integers
// CHECK: %y = mul %a, %b : tensor<[M, N], i64>
frontend.graph @mul_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = mul %a, %b
  output %y
}

// CHECK-LABEL: @div_of_integers
// CHECK: %y = div %a, %b : tensor<[M, N], f32>
frontend.graph @div_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], f32> {
  %y = div %a, %b
  output %y
}

// CHECK-LABEL: @floordiv_of_integers
// CHECK: %y = floordiv %a, %b : tensor<[M, N], i64>
frontend.graph @floordiv_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = floordiv %a, %b
  output %y
}

// CHECK-LABEL: @truncdiv_of_integers
// CHECK: %y = truncdiv %a, %b : tensor<[M, N], i64>
frontend.graph @truncdiv_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = truncdiv %a, %b
  output %y
}

// CHECK-LABEL: @mod_of_integers
// CHECK: %y = mod %a, %b : tensor<[M, N], i64>
frontend.graph @mod_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = mod %a, %b
  output %y
}

// CHECK-LABEL: @fmod_of_integers
// CHECK: %y = fmod %a, %b : tensor<[M, N], i64>
frontend.graph @fmod_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = fmod %a, %b
  output %y
}

// CHECK-LABEL: @pow_of_integers
// CHECK: %y = pow %a, %b : tensor<[M, N], i64>
frontend.graph @pow_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = pow %a, %b
  output %y
}

// CHECK-LABEL: @maximum_of_integers
// CHECK: %y = maximum %a, %b : tensor<[M, N], i64>
frontend.graph @maximum_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = maximum %a, %b
  output %y
}

// CHECK-LABEL: @minimum_of_integers
// CHECK: %y = minimum %a, %b : tensor<[M, N], i64>
frontend.graph @minimum_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = minimum %a, %b
  output %y
}

// CHECK-LABEL: @bitwise_and_of_integers
// CHECK: %y = bitwise_and %a, %b : tensor<[M, N], i64>
frontend.graph @bitwise_and_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = bitwise_and %a, %b
  output %y
}

// CHECK-LABEL: @bitwise_or_of_integers
// CHECK: %y = bitwise_or %a, %b : tensor<[M, N], i64>
frontend.graph @bitwise_or_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = bitwise_or %a, %b
  output %y
}

// CHECK-LABEL: @bitwise_xor_of_integers
// CHECK: %y = bitwise_xor %a, %b : tensor<[M, N], i64>
frontend.graph @bitwise_xor_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i64> {
  %y = bitwise_xor %a, %b
  output %y
}

// CHECK-LABEL: @lshift_of_integers
// CHECK: %y = lshift %a, %b : tensor<[M, N], i16>
frontend.graph @lshift_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i16> {
  %y = lshift %a, %b
  output %y
}

// CHECK-LABEL: @rshift_of_integers
// CHECK: %y = rshift %a, %b : tensor<[M, N], i16>
frontend.graph @rshift_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i16> {
  %y = rshift %a, %b
  output %y
}

// CHECK-LABEL: @lt_of_integers
// CHECK: %y = lt %a, %b : tensor<[M, N], i1>
frontend.graph @lt_of_integers<M, N>(%a: tensor<[M, N], i16>, %b: tensor<[N], i64>) -> tensor<[M, N], i1> {
  %y = lt %a, %b
  output %y
}

// CHECK-LABEL: @add_of_truth
// CHECK: %y = add %a, %b : tensor<[M], i1>
frontend.graph @add_of_truth<M>(%a: tensor<[M], i1>, %b: tensor<[M], i1>) -> tensor<[M], i1> {
  %y = add %a, %b
  output %y
}

// CHECK-LABEL: @mul_of_truth
// CHECK: %y = mul %a, %b : tensor<[M], i1>
frontend.graph @mul_of_truth<M>(%a: tensor<[M], i1>, %b: tensor<[M], i1>) -> tensor<[M], i1> {
  %y = mul %a, %b
  output %y
}

// CHECK-LABEL: @maximum_of_truth
// CHECK: %y = maximum %a, %b : tensor<[M], i1>
frontend.graph @maximum_of_truth<M>(%a: tensor<[M], i1>, %b: tensor<[M], i1>) -> tensor<[M], i1> {
  %y = maximum %a, %b
  output %y
}

// CHECK-LABEL: @eq_of_truth
// CHECK: %y = eq %a, %b : tensor<[M], i1>
frontend.graph @eq_of_truth<M>(%a: tensor<[M], i1>, %b: tensor<[M], i1>) -> tensor<[M], i1> {
  %y = eq %a, %b
  output %y
}

// CHECK-LABEL: @pow_of_truth
// CHECK: %y = pow %a, %b : tensor<[M], i1>
frontend.graph @pow_of_truth<M>(%a: tensor<[M], i1>, %b: tensor<[M], i1>) -> tensor<[M], i1> {
  %y = pow %a, %b
  output %y
}

// CHECK-LABEL: @add_promotes
// CHECK: %y = add %a, %b : tensor<[M], f32>
frontend.graph @add_promotes<M>(%a: tensor<[M], f16>, %b: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = add %a, %b
  output %y
}

// CHECK-LABEL: @where
// CHECK: %y = where %c, %a, %b : tensor<[M, N], f32>
frontend.graph @where<M, N>(%c: tensor<[M, N], i1>, %a: tensor<[N], f32>, %b: tensor<[], f32>) -> tensor<[M, N], f32> {
  %y = where %c, %a, %b
  output %y
}

// CHECK-LABEL: @lerp
// CHECK: %y = lerp %a, %b, %w : tensor<[M, N], f32>
frontend.graph @lerp<M, N>(%a: tensor<[M, N], f32>, %b: tensor<[N], f32>, %w: tensor<[M, 1], f32>) -> tensor<[M, N], f32> {
  %y = lerp %a, %b, %w
  output %y
}

// CHECK-LABEL: @cast
// CHECK: %y = cast %x to i8 : tensor<[M], i8>
frontend.graph @cast<M>(%x: tensor<[M], f32>) -> tensor<[M], i8> {
  %y = cast %x to i8
  output %y
}

// CHECK-LABEL: @cast_to_truth
// CHECK: %y = cast %x to i1 : tensor<[M], i1>
frontend.graph @cast_to_truth<M>(%x: tensor<[M], f32>) -> tensor<[M], i1> {
  %y = cast %x to i1
  output %y
}

// CHECK-LABEL: @cast_to_bf16
// CHECK: %y = cast %x to bf16 : tensor<[M], bf16>
frontend.graph @cast_to_bf16<M>(%x: tensor<[M], f32>) -> tensor<[M], bf16> {
  %y = cast %x to bf16
  output %y
}
