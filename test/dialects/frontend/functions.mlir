// Functions of one operand, each element by itself.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// CHECK-LABEL: @exp
// CHECK: %y = exp %x : tensor<[M, N], f32>
frontend.graph @exp<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = exp %x
  output %y
}

// CHECK-LABEL: @exp2
// CHECK: %y = exp2 %x : tensor<[M, N], f32>
frontend.graph @exp2<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = exp2 %x
  output %y
}

// CHECK-LABEL: @log
// CHECK: %y = log %x : tensor<[M, N], f32>
frontend.graph @log<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = log %x
  output %y
}

// CHECK-LABEL: @log2
// CHECK: %y = log2 %x : tensor<[M, N], f32>
frontend.graph @log2<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = log2 %x
  output %y
}

// CHECK-LABEL: @log10
// CHECK: %y = log10 %x : tensor<[M, N], f32>
frontend.graph @log10<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = log10 %x
  output %y
}

// CHECK-LABEL: @sqrt
// CHECK: %y = sqrt %x : tensor<[M, N], f32>
frontend.graph @sqrt<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = sqrt %x
  output %y
}

// CHECK-LABEL: @rsqrt
// CHECK: %y = rsqrt %x : tensor<[M, N], f32>
frontend.graph @rsqrt<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = rsqrt %x
  output %y
}

// CHECK-LABEL: @reciprocal
// CHECK: %y = reciprocal %x : tensor<[M, N], f32>
frontend.graph @reciprocal<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = reciprocal %x
  output %y
}

// CHECK-LABEL: @sin
// CHECK: %y = sin %x : tensor<[M, N], f32>
frontend.graph @sin<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = sin %x
  output %y
}

// CHECK-LABEL: @cos
// CHECK: %y = cos %x : tensor<[M, N], f32>
frontend.graph @cos<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = cos %x
  output %y
}

// CHECK-LABEL: @tan
// CHECK: %y = tan %x : tensor<[M, N], f32>
frontend.graph @tan<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = tan %x
  output %y
}

// CHECK-LABEL: @asin
// CHECK: %y = asin %x : tensor<[M, N], f32>
frontend.graph @asin<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = asin %x
  output %y
}

// CHECK-LABEL: @acos
// CHECK: %y = acos %x : tensor<[M, N], f32>
frontend.graph @acos<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = acos %x
  output %y
}

// CHECK-LABEL: @atan
// CHECK: %y = atan %x : tensor<[M, N], f32>
frontend.graph @atan<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = atan %x
  output %y
}

// CHECK-LABEL: @sinh
// CHECK: %y = sinh %x : tensor<[M, N], f32>
frontend.graph @sinh<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = sinh %x
  output %y
}

// CHECK-LABEL: @cosh
// CHECK: %y = cosh %x : tensor<[M, N], f32>
frontend.graph @cosh<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = cosh %x
  output %y
}

// CHECK-LABEL: @tanh
// CHECK: %y = tanh %x : tensor<[M, N], f32>
frontend.graph @tanh<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = tanh %x
  output %y
}

// CHECK-LABEL: @asinh
// CHECK: %y = asinh %x : tensor<[M, N], f32>
frontend.graph @asinh<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = asinh %x
  output %y
}

// CHECK-LABEL: @acosh
// CHECK: %y = acosh %x : tensor<[M, N], f32>
frontend.graph @acosh<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = acosh %x
  output %y
}

// CHECK-LABEL: @atanh
// CHECK: %y = atanh %x : tensor<[M, N], f32>
frontend.graph @atanh<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = atanh %x
  output %y
}

// CHECK-LABEL: @erf
// CHECK: %y = erf %x : tensor<[M, N], f32>
frontend.graph @erf<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = erf %x
  output %y
}

// CHECK-LABEL: @sigmoid
// CHECK: %y = sigmoid %x : tensor<[M, N], f32>
frontend.graph @sigmoid<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = sigmoid %x
  output %y
}

// CHECK-LABEL: @logsigmoid
// CHECK: %y = logsigmoid %x : tensor<[M, N], f32>
frontend.graph @logsigmoid<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = logsigmoid %x
  output %y
}

// CHECK-LABEL: @silu
// CHECK: %y = silu %x : tensor<[M, N], f32>
frontend.graph @silu<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = silu %x
  output %y
}

// CHECK-LABEL: @quick_gelu
// CHECK: %y = quick_gelu %x : tensor<[M, N], f32>
frontend.graph @quick_gelu<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = quick_gelu %x
  output %y
}

// CHECK-LABEL: @hardswish
// CHECK: %y = hardswish %x : tensor<[M, N], f32>
frontend.graph @hardswish<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = hardswish %x
  output %y
}

// CHECK-LABEL: @mish
// CHECK: %y = mish %x : tensor<[M, N], f32>
frontend.graph @mish<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = mish %x
  output %y
}

// CHECK-LABEL: @softsign
// CHECK: %y = softsign %x : tensor<[M, N], f32>
frontend.graph @softsign<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = softsign %x
  output %y
}

// CHECK-LABEL: @neg
// CHECK: %y = neg %x : tensor<[M, N], f32>
frontend.graph @neg<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = neg %x
  output %y
}

// CHECK-LABEL: @abs
// CHECK: %y = abs %x : tensor<[M, N], f32>
frontend.graph @abs<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = abs %x
  output %y
}

// CHECK-LABEL: @square
// CHECK: %y = square %x : tensor<[M, N], f32>
frontend.graph @square<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = square %x
  output %y
}

// CHECK-LABEL: @sign
// CHECK: %y = sign %x : tensor<[M, N], f32>
frontend.graph @sign<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = sign %x
  output %y
}

// CHECK-LABEL: @relu
// CHECK: %y = relu %x : tensor<[M, N], f32>
frontend.graph @relu<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = relu %x
  output %y
}

// CHECK-LABEL: @relu6
// CHECK: %y = relu6 %x : tensor<[M, N], f32>
frontend.graph @relu6<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = relu6 %x
  output %y
}

// CHECK-LABEL: @floor
// CHECK: %y = floor %x : tensor<[M, N], f32>
frontend.graph @floor<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = floor %x
  output %y
}

// CHECK-LABEL: @ceil
// CHECK: %y = ceil %x : tensor<[M, N], f32>
frontend.graph @ceil<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = ceil %x
  output %y
}

// CHECK-LABEL: @trunc
// CHECK: %y = trunc %x : tensor<[M, N], f32>
frontend.graph @trunc<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = trunc %x
  output %y
}

// CHECK-LABEL: @round
// CHECK: %y = round %x : tensor<[M, N], f32>
frontend.graph @round<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = round %x
  output %y
}

// CHECK-LABEL: @isnan
// CHECK: %y = isnan %x : tensor<[M, N], i1>
frontend.graph @isnan<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], i1> {
  %y = isnan %x
  output %y
}

// CHECK-LABEL: @isinf
// CHECK: %y = isinf %x : tensor<[M, N], i1>
frontend.graph @isinf<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], i1> {
  %y = isinf %x
  output %y
}

// CHECK-LABEL: @isfinite
// CHECK: %y = isfinite %x : tensor<[M, N], i1>
frontend.graph @isfinite<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], i1> {
  %y = isfinite %x
  output %y
}

// CHECK-LABEL: @logical_not
// CHECK: %y = logical_not %x : tensor<[M, N], i1>
frontend.graph @logical_not<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], i1> {
  %y = logical_not %x
  output %y
}

// CHECK-LABEL: @bitwise_not
// CHECK: %y = bitwise_not %x : tensor<[M, N], i32>
frontend.graph @bitwise_not<M, N>(%x: tensor<[M, N], i32>) -> tensor<[M, N], i32> {
  %y = bitwise_not %x
  output %y
}
