// Every op in both forms, there and back again, with the types that follow from its operands.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: tiny.func @views<M, N>(%x: tensor<[M, N], f32> {role = "data"})
// GENERIC: "tiny.func"() <{arg_attrs = [{role = "data"}], function_type = (!core.tensor<["M", "N"], f32>) -> !core.tensor<[2, "N", "M"], f32>, sym_name = "views", symbols = ["M", "N"]}> ({
tiny.func @views<M, N>(%x: tensor<[M, N], f32> {role = "data"}) -> tensor<[2, N, M], f32> {
  // CHECK: %flat = reshape %x to [M*N] : tensor<[M*N], f32>
  // GENERIC: "tiny.reshape"(%x) <{shape = ["M*N"]}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["M*N"], f32>
  %flat = reshape %x to [N*M]
  // CHECK: %back = reshape %flat to [1, M, N] : tensor<[1, M, N], f32>
  %back = reshape %flat to [1, M, N]
  // CHECK: %turned = permute %back by [0, 2, 1] : tensor<[1, N, M], f32>
  // GENERIC: "tiny.permute"(%back) <{order = array<i64: 0, 2, 1>}>
  %turned = permute %back by [0, 2, 1]
  // CHECK: %twice = expand %turned to [2, N, M] : tensor<[2, N, M], f32>
  %twice = expand %turned to [2, N, M]
  return %twice
}

// Quotients that canonical forms do not decide are left to when sizes are bound.
// CHECK-LABEL: tiny.func @undecided
tiny.func @undecided<M>(%x: tensor<[M], f32>) -> tensor<[M floordiv 4, 4], f32> {
  // CHECK: reshape %x to [M floordiv 4, 4]
  %y = reshape %x to [M floordiv 4, 4]
  return %y
}

// Aligned at the right; the wider float counts.
// CHECK-LABEL: tiny.func @broadcast
tiny.func @broadcast<M, N>(%x: tensor<[M, N], f16>, %row: tensor<[N], f32>, %column: tensor<[M, 1], bf16>) -> tensor<[M, N], f32> {
  // CHECK: %a = add %x, %row : tensor<[M, N], f32>
  %a = add %x, %row
  // CHECK: %b = mul %column, %row : tensor<[M, N], f32>
  %b = mul %column, %row
  // CHECK: %c = max %a, %b : tensor<[M, N], f32>
  %c = max %a, %b
  // CHECK: %d = relu %c {note} : tensor<[M, N], f32>
  %d = relu %c {note}
  return %d
}

// CHECK-LABEL: tiny.func @reductions
tiny.func @reductions<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M], f32>, tensor<[], f16>, tensor<[M, N], f16>) {
  // CHECK: %s = reduce sum %x over [1] acc f32 : tensor<[M], f32>
  // GENERIC: "tiny.reduce"(%x) <{acc = f32, axes = array<i64: 1>, combiner = "sum"}>
  %s = reduce sum %x over [1] acc f32
  // CHECK: %m = reduce max %x over [0, 1] : tensor<[], f16>
  %m = reduce max %x over [0, 1]
  // CHECK: %n = reduce min %x over [] : tensor<[M, N], f16>
  %n = reduce min %x over []
  return %s, %m, %n
}

// CHECK-LABEL: tiny.func @constants
tiny.func @constants<M>() -> (tensor<[M, 1], f32>, tensor<[], i8>, tensor<[], i1>, tensor<[2], bf16>) {
  // CHECK: %half = const -5.000000e-01 : tensor<[M, 1], f32>
  // GENERIC: "tiny.const"() <{value = -5.000000e-01 : f32}> : () -> !core.tensor<["M", 1], f32>
  %half = const -0.5 : tensor<[M, 1], f32>
  // CHECK: %low = const -128 : tensor<[], i8>
  %low = const -128 : tensor<[], i8>
  // CHECK: %yes = const 1 : tensor<[], i1>
  // GENERIC: "tiny.const"() <{value = true}>
  %yes = const 1 : tensor<[], i1>
  // CHECK: %infinite = const 0x7F80 : tensor<[2], bf16>
  %infinite = const 0x7F80 : tensor<[2], bf16>
  return %half, %low, %yes, %infinite
}

// CHECK: tiny.func private @declared<M>(tensor<[M], i32>) -> tensor<[M], i32>
tiny.func private @declared<M>(tensor<[M], i32>) -> tensor<[M], i32>
