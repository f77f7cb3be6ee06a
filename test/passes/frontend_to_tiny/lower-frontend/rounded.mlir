// A function whose result is rounded to 16 bits, and used nowhere else, is computed by a shorter polynomial.

// RUN: dlc-opt %s --lower-frontend | FileCheck %s
// RUN: dlc-opt %s --lower-frontend --evaluate-each -o /dev/null

// CHECK-LABEL: tiny.func @whole<
// CHECK: const 3.355
// CHECK-COUNT-6: mul %{{[0-9]+}}, %{{[0-9]+}}
frontend.graph @whole<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = gelu %x
  output %y
}

// CHECK-LABEL: tiny.func @output<
// CHECK-NOT: const 3.355
// CHECK: const -3.20{{[0-9]+}}E-4
frontend.graph @output<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f16> {
  %y = gelu %x
  output %y as f16
}

// CHECK-LABEL: tiny.func @cast<
// CHECK: const -3.20{{[0-9]+}}E-4
frontend.graph @cast<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = gelu %x
  %h = cast %y to bf16
  %z = mul %h, %x
  output %z
}

// CHECK-LABEL: tiny.func @narrow<
// CHECK: const -3.20{{[0-9]+}}E-4
frontend.graph @narrow<M, N>(%x: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  %y = gelu %x
  output %y
}

// It is used as it is, too.
// CHECK-LABEL: tiny.func @both<
// CHECK-NOT: const -3.20{{[0-9]+}}E-4
// CHECK: const 3.355
frontend.graph @both<M, N>(%x: tensor<[M, N], f32>) -> (tensor<[M, N], f16>, tensor<[M, N], f32>) {
  %y = gelu %x
  %h = cast %y to f16
  output %h, %y
}

// 64 bits are more than 16.
// CHECK-LABEL: tiny.func @wider<
// CHECK-NOT: const -3.20{{[0-9]+}}E-4
// CHECK: const 3.355
frontend.graph @wider<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f64> {
  %y = gelu %x
  output %y as f64
}
