// The frame of a program: functions and constants. The ops of each kind have files of their own.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: tiny.func @constants<
// GENERIC-LABEL: sym_name = "constants"
tiny.func @constants<M>() -> (tensor<[M, 1], f32>, tensor<[], i8>, tensor<[], i1>, tensor<[2], bf16>) {
  // CHECK: %half = const -5.000000e-01 : tensor<[M, 1], f32>
  // GENERIC: %half = "tiny.const"() <{value = -5.000000e-01 : f32}> : () -> !core.tensor<["M", 1], f32>
  %half = const -0.5 : tensor<[M, 1], f32>
  // CHECK: %low = const -128 : tensor<[], i8>
  // GENERIC: %low = "tiny.const"() <{value = -128 : i8}> : () -> !core.tensor<[], i8>
  %low = const -128 : tensor<[], i8>
  // CHECK: %yes = const 1 : tensor<[], i1>
  // GENERIC: %yes = "tiny.const"() <{value = true}> : () -> !core.tensor<[], i1>
  %yes = const 1 : tensor<[], i1>
  // CHECK: %infinite = const 0x7F80 : tensor<[2], bf16>
  // GENERIC: %infinite = "tiny.const"() <{value = 0x7F80 : bf16}> : () -> !core.tensor<[2], bf16>
  %infinite = const 0x7F80 : tensor<[2], bf16>
  // CHECK: %highest = const 18446744073709551615 {note} : tensor<[M, 0], ui64>
  // GENERIC: %highest = "tiny.const"() <{value = 18446744073709551615 : ui64}> {note} : () -> !core.tensor<["M", 0], ui64>
  %highest = const 18446744073709551615 {note} : tensor<[M, 0], ui64>
  return %half, %low, %yes, %infinite
}

// CHECK-LABEL: tiny.func @elements(
// GENERIC-LABEL: sym_name = "elements"
tiny.func @elements() -> (tensor<[3], i32>, tensor<[2, 2], f16>, tensor<[0, 4], f32>, tensor<[], f64>) {
  // CHECK: %list = const dense<[1, -2, 3]> : tensor<3xi32>
  // GENERIC: %list = "tiny.const"() <{value = dense<[1, -2, 3]> : tensor<3xi32>}> : () -> !core.tensor<[3], i32>
  %list = const dense<[1, -2, 3]> : tensor<3xi32>
  // CHECK{LITERAL}: %rows = const dense<[[1.000000e+00, 5.000000e-01], [-0.000000e+00, 0x7C00]]> : tensor<2x2xf16> {note}
  // GENERIC{LITERAL}: %rows = "tiny.const"() <{value = dense<[[1.000000e+00, 5.000000e-01], [-0.000000e+00, 0x7C00]]> : tensor<2x2xf16>}> {note} : () -> !core.tensor<[2, 2], f16>
  %rows = const dense<[[1.0, 0.5], [-0.0, 0x7C00]]> : tensor<2x2xf16> {note}
  // CHECK: %none = const dense<> : tensor<0x4xf32>
  // GENERIC: %none = "tiny.const"() <{value = dense<> : tensor<0x4xf32>}> : () -> !core.tensor<[0, 4], f32>
  %none = const dense<> : tensor<0x4xf32>
  // CHECK: %one = const dense<2.500000e+00> : tensor<f64>
  // GENERIC: %one = "tiny.const"() <{value = dense<2.500000e+00> : tensor<f64>}> : () -> !core.tensor<[], f64>
  %one = const dense<2.5> : tensor<f64>
  return %list, %rows, %none, %one
}

// CHECK: tiny.func private @declared<M>(tensor<[M], i32>) -> tensor<[M], i32>
tiny.func private @declared<M>(tensor<[M], i32>) -> tensor<[M], i32>

// CHECK: tiny.func @attributes(%x: tensor<[], f32> {role = "data"})
// GENERIC: "tiny.func"() <{arg_attrs = [{role = "data"}], function_type = (!core.tensor<[], f32>) -> (), sym_name = "attributes"}> ({
tiny.func @attributes(%x: tensor<[], f32> {role = "data"}) {
  return
}
