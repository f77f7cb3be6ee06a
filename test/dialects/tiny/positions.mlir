// Positions as numbers, elements by position, and what depends on a condition.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: tiny.func @range<
// GENERIC-LABEL: sym_name = "range"
tiny.func @range<M, N>() -> (tensor<[M, N], i32>, tensor<[M, N], f16>) {
  // CHECK: %i = range 1 : tensor<[M, N], i32>
  // GENERIC: %i = "tiny.range"() <{axis = 1}> : () -> !core.tensor<["M", "N"], i32>
  %i = range 1 : tensor<[M, N], i32>
  // CHECK: %f = range 0 : tensor<[M, N], f16>
  // GENERIC: %f = "tiny.range"() <{axis = 0}> : () -> !core.tensor<["M", "N"], f16>
  %f = range 0 : tensor<[M, N], f16>
  return %i, %f
}

// CHECK-LABEL: tiny.func @index<
// GENERIC-LABEL: sym_name = "index"
tiny.func @index<B, S, V, D>(%w: tensor<[V, D], f16>, %ids: tensor<[B, S], i32>, %column: tensor<[B, 1], ui8>, %row: tensor<[S], i64>) -> (tensor<[B, S, D], f16>, tensor<[B, S], f16>) {
  // CHECK: %e = index %w[%ids] : tensor<[B, S, D], f16>
  // GENERIC: %e = "tiny.index"(%w, %ids) : (!core.tensor<["V", "D"], f16>, !core.tensor<["B", "S"], i32>) -> !core.tensor<["B", "S", "D"], f16>
  %e = index %w[%ids]
  // CHECK: %f = index %w[%column, %row] : tensor<[B, S], f16>
  // GENERIC: %f = "tiny.index"(%w, %column, %row) : (!core.tensor<["V", "D"], f16>, !core.tensor<["B", 1], ui8>, !core.tensor<["S"], i64>) -> !core.tensor<["B", "S"], f16>
  %f = index %w[%column, %row]
  return %e, %f
}

// CHECK-LABEL: tiny.func @if<
// GENERIC-LABEL: sym_name = "if"
tiny.func @if<M>(%c: tensor<[], i1>, %x: tensor<[M], f32>) -> (tensor<[M], f32>, tensor<[], i8>) {
  // CHECK: %y, %z = if %c : tensor<[M], f32>, tensor<[], i8> {
  // GENERIC: %y, %z = "tiny.if"(%c) ({
  %y, %z = if %c : tensor<[M], f32>, tensor<[], i8> {
    // CHECK: %n = neg %x : tensor<[M], f32>
    // GENERIC: %n = "tiny.neg"(%x) : (!core.tensor<["M"], f32>) -> !core.tensor<["M"], f32>
    %n = neg %x
    // CHECK: %one = const 1 : tensor<[], i8>
    // GENERIC: %one = "tiny.const"() <{value = 1 : i8}> : () -> !core.tensor<[], i8>
    %one = const 1 : tensor<[], i8>
    yield %n, %one
  } else {
    // CHECK: %two = const 2 : tensor<[], i8>
    // GENERIC: %two = "tiny.const"() <{value = 2 : i8}> : () -> !core.tensor<[], i8>
    %two = const 2 : tensor<[], i8>
    yield %x, %two
  }
  return %y, %z
}

// CHECK-LABEL: tiny.func @if_nothing(
// GENERIC-LABEL: sym_name = "if_nothing"
tiny.func @if_nothing(%c: tensor<[], i1>) {
  // CHECK: if %c {
  // GENERIC: "tiny.if"(%c) ({
  if %c {
    yield
  } else {
    yield
  }
  return
}
