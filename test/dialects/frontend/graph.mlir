// Graphs under a signature. What the signature says is kept in both forms.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --input-file=%t.generic --check-prefix=GENERIC

// The program of the design.
// CHECK: frontend.graph @ffn<M, N, K>(%A: tensor<[M, K], f16> {role = "data"}, %B: tensor<[K, N], f16> {role = "param", storage = "const_pool"}, %bias: tensor<[N], f16> {role = "param"}) -> tensor<[M, N], f16> {
// CHECK-NEXT: %c0 = gemm %A, %B acc f32 : tensor<[M, N], f32>
// CHECK-NEXT: %c1 = add %c0, %bias : tensor<[M, N], f32>
// CHECK-NEXT: %c2 = relu %c1 : tensor<[M, N], f32>
// CHECK-NEXT: output %c2 as f16
// CHECK-NEXT: }
frontend.graph @ffn<M, N, K>(%A: tensor<[M, K], f16> {role = "data"}, %B: tensor<[K, N], f16> {role = "param", storage = "const_pool"},
                             %bias: tensor<[N], f16> {role = "param"}) -> tensor<[M, N], f16> {
  %c0 = gemm %A, %B acc f32
  %c1 = add %c0, %bias
  %c2 = relu %c1
  output %c2 as f16
}

// Results have a signature too, and stand in parentheses then.
// CHECK: frontend.graph @signature<M>(%x: tensor<[M], f32> {alignment = 128, layout = "row_major", mutability = "immutable", role = "data", storage = "gmem"}, %s: tensor<[M], f32> {layout = {kind = "swizzled", params = {swizzle = "xor32", vec_bytes = 16}}, mutability = "mutable", role = "state"}) -> (tensor<[M], f32> {alignment = 16}, tensor<[M], f16>) {
// CHECK-NEXT: %t = relu %s : tensor<[M], f32>
// CHECK-NEXT: output %x as f32, %t as f16
// GENERIC: res_attrs = [{alignment = 16}, {}]
frontend.graph @signature<M>(%x: tensor<[M], f32> {role = "data", mutability = "immutable", storage = "gmem", alignment = 128, layout = "row_major"},
                             %s: tensor<[M], f32> {role = "state", mutability = "mutable", layout = {kind = "swizzled", params = {swizzle = "xor32", vec_bytes = 16}}})
    -> (tensor<[M], f32> {alignment = 16}, tensor<[M], f16>) {
  %t = relu %s
  output %x, %t as f16
}

// Notes of other tools have a dot in their keys.
// CHECK: frontend.graph private @notes(%x: tensor<[2], f32> {onnx.name = "input.1"}) -> (tensor<[2], f32> {onnx.name = "output.1"}) {
frontend.graph private @notes(%x: tensor<[2], f32> {onnx.name = "input.1"}) -> (tensor<[2], f32> {onnx.name = "output.1"}) {
  output %x
}

// CHECK: frontend.graph @nothing() {
// CHECK-NEXT: output
// CHECK-NEXT: }
frontend.graph @nothing() {
  output
}
