// Reductions and contractions: the axes that are left, and the type of the accumulator.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: tiny.func @reduce<
// GENERIC-LABEL: sym_name = "reduce"
tiny.func @reduce<M, N>(%x: tensor<[M, N, 4], f16>) -> (tensor<[M, 4], f32>, tensor<[], f16>, tensor<[M, N, 4], f16>, tensor<[N], f16>) {
  // CHECK: %s = reduce sum %x over [1] acc f32 : tensor<[M, 4], f32>
  // GENERIC: %s = "tiny.reduce"(%x) <{acc = f32, axes = array<i64: 1>, combiner = "sum"}> : (!core.tensor<["M", "N", 4], f16>) -> !core.tensor<["M", 4], f32>
  %s = reduce sum %x over [1] acc f32
  // CHECK: %m = reduce max %x over [0, 1, 2] : tensor<[], f16>
  // GENERIC: %m = "tiny.reduce"(%x) <{axes = array<i64: 0, 1, 2>, combiner = "max"}> : (!core.tensor<["M", "N", 4], f16>) -> !core.tensor<[], f16>
  %m = reduce max %x over [0, 1, 2]
  // CHECK: %n = reduce min %x over [] : tensor<[M, N, 4], f16>
  // GENERIC: %n = "tiny.reduce"(%x) <{axes = array<i64>, combiner = "min"}> : (!core.tensor<["M", "N", 4], f16>) -> !core.tensor<["M", "N", 4], f16>
  %n = reduce min %x over []
  // CHECK: %p = reduce prod %x over [0, 2] acc f16 : tensor<[N], f16>
  // GENERIC: %p = "tiny.reduce"(%x) <{acc = f16, axes = array<i64: 0, 2>, combiner = "prod"}> : (!core.tensor<["M", "N", 4], f16>) -> !core.tensor<["N"], f16>
  %p = reduce prod %x over [0, 2] acc f16
  return %s, %m, %n, %p
}

// CHECK-LABEL: tiny.func @matmul<
// GENERIC-LABEL: sym_name = "matmul"
tiny.func @matmul<M, N, K>(%x: tensor<[M, K], f16>, %w: tensor<[K, N], f16>, %t: tensor<[N, K], bf16>) -> (tensor<[M, N], f32>, tensor<[N, M], f32>) {
  // CHECK: %a = contract %x [m, k], %w [k, n] to [m, n] acc f32 : tensor<[M, N], f32>
  // GENERIC: %a = "tiny.contract"(%x, %w) <{acc = f32, lhs_idx = ["m", "k"], out_idx = ["m", "n"], rhs_idx = ["k", "n"]}> : (!core.tensor<["M", "K"], f16>, !core.tensor<["K", "N"], f16>) -> !core.tensor<["M", "N"], f32>
  %a = contract %x [m, k], %w [k, n] to [m, n] acc f32
  // CHECK: %b = contract %x [m, k], %t [n, k] to [n, m] : tensor<[N, M], f32>
  // GENERIC: %b = "tiny.contract"(%x, %t) <{lhs_idx = ["m", "k"], out_idx = ["n", "m"], rhs_idx = ["n", "k"]}> : (!core.tensor<["M", "K"], f16>, !core.tensor<["N", "K"], bf16>) -> !core.tensor<["N", "M"], f32>
  %b = contract %x [m, k], %t [n, k] to [n, m]
  return %a, %b
}

// CHECK-LABEL: tiny.func @rounded_products<
tiny.func @rounded_products<M, N, K>(%x: tensor<[M, K], f16>, %w: tensor<[K, N], f16>) -> (tensor<[M, N], f16>, tensor<[M, N], f64>) {
  // CHECK: %a = contract %x [m, k], %w [k, n] to [m, n] product f16 : tensor<[M, N], f16>
  %a = contract %x [m, k], %w [k, n] to [m, n] product f16
  // CHECK: %b = contract %x [m, k], %w [k, n] to [m, n] product f32 acc f64 : tensor<[M, N], f64>
  %b = contract %x [m, k], %w [k, n] to [m, n] product f32 acc f64
  return %a, %b
}

// CHECK-LABEL: tiny.func @batched<
// GENERIC-LABEL: sym_name = "batched"
tiny.func @batched<B, H, M, N, K>(%q: tensor<[B, H, M, K], f16>, %k: tensor<[B, 1, N, K], f16>) -> tensor<[B, H, M, N], f16> {
  // CHECK: %s = contract %q [b, h, m, k], %k [b, 0, n, k] to [b, h, m, n] : tensor<[B, H, M, N], f16>
  // GENERIC: %s = "tiny.contract"(%q, %k) <{lhs_idx = ["b", "h", "m", "k"], out_idx = ["b", "h", "m", "n"], rhs_idx = ["b", 0, "n", "k"]}> : (!core.tensor<["B", "H", "M", "K"], f16>, !core.tensor<["B", 1, "N", "K"], f16>) -> !core.tensor<["B", "H", "M", "N"], f16>
  %s = contract %q [b, h, m, k], %k [b, 0, n, k] to [b, h, m, n]
  return %s
}

// CHECK-LABEL: tiny.func @sums<
// GENERIC-LABEL: sym_name = "sums"
tiny.func @sums<M, K>(%x: tensor<[M, K], f32>, %y: tensor<[M, K], f32>, %v: tensor<[K], f32>) -> (tensor<[], f32>, tensor<[M], f32>, tensor<[M, K, K], f32>) {
  // CHECK: %a = contract %x [m, k], %y [m, k] to [] : tensor<[], f32>
  // GENERIC: %a = "tiny.contract"(%x, %y) <{lhs_idx = ["m", "k"], out_idx = [], rhs_idx = ["m", "k"]}> : (!core.tensor<["M", "K"], f32>, !core.tensor<["M", "K"], f32>) -> !core.tensor<[], f32>
  %a = contract %x [m, k], %y [m, k] to []
  // CHECK: %b = contract %x [m, k], %v [k] to [m] : tensor<[M], f32>
  // GENERIC: %b = "tiny.contract"(%x, %v) <{lhs_idx = ["m", "k"], out_idx = ["m"], rhs_idx = ["k"]}> : (!core.tensor<["M", "K"], f32>, !core.tensor<["K"], f32>) -> !core.tensor<["M"], f32>
  %b = contract %x [m, k], %v [k] to [m]
  // CHECK: %c = contract %x [m, k], %v [j] to [m, k, j] : tensor<[M, K, K], f32>
  // GENERIC: %c = "tiny.contract"(%x, %v) <{lhs_idx = ["m", "k"], out_idx = ["m", "k", "j"], rhs_idx = ["j"]}> : (!core.tensor<["M", "K"], f32>, !core.tensor<["K"], f32>) -> !core.tensor<["M", "K", "K"], f32>
  %c = contract %x [m, k], %v [j] to [m, k, j]
  return %a, %b, %c
}

// A window: the size of `ho` is how often the filter fits.
// CHECK-LABEL: tiny.func @convolution<
// GENERIC-LABEL: sym_name = "convolution"
tiny.func @convolution<N, H, W, C>(%w: tensor<[8, C, 3, 3], f16>, %x: tensor<[N, C, H, W], f16>) -> tensor<[N, 8, (H - 1) floordiv 2, W - 2], f32> {
  // CHECK: %y = contract %w [co, ci, kh, kw], %x [n, ci, 2*ho + kh, kw + wo] to [n, co, ho, wo] acc f32 : tensor<[N, 8, H ceildiv 2 - 1, W - 2], f32>
  // GENERIC: %y = "tiny.contract"(%w, %x) <{acc = f32, lhs_idx = ["co", "ci", "kh", "kw"], out_idx = ["n", "co", "ho", "wo"], rhs_idx = ["n", "ci", "2*ho + kh", "kw + wo"]}> : (!core.tensor<[8, "C", 3, 3], f16>, !core.tensor<["N", "C", "H", "W"], f16>) -> !core.tensor<["N", 8, "H ceildiv 2 - 1", "W - 2"], f32>
  %y = contract %w [co, ci, kh, kw], %x [n, ci, 2*ho + kh, wo + kw] to [n, co, ho, wo] acc f32
  return %y
}

// CHECK-LABEL: tiny.func @dilated(
// GENERIC-LABEL: sym_name = "dilated"
tiny.func @dilated(%w: tensor<[3], f32>, %x: tensor<[11], f32>) -> tensor<[3], f32> {
  // CHECK: %y = contract %w [k], %x [3*k + 2*o] to [o] : tensor<[3], f32>
  // GENERIC: %y = "tiny.contract"(%w, %x) <{lhs_idx = ["k"], out_idx = ["o"], rhs_idx = ["3*k + 2*o"]}> : (!core.tensor<[3], f32>, !core.tensor<[11], f32>) -> !core.tensor<[3], f32>
  %y = contract %w [k], %x [2*o + 3*k] to [o]
  return %y
}

// CHECK-LABEL: tiny.func @scans<
// GENERIC-LABEL: sym_name = "scans"
tiny.func @scans<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M, N], f32>, tensor<[M, N], f16>, tensor<[M, N], f16>, tensor<[M, N], f32>) {
  // CHECK: %s = scan sum %x along 1 acc f32 : tensor<[M, N], f32>
  // GENERIC: %s = "tiny.scan"(%x) <{acc = f32, axis = 1, combiner = "sum"}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f32>
  %s = scan sum %x along 1 acc f32
  // CHECK: %m = scan max %x along 0 exclusive reverse : tensor<[M, N], f16>
  // GENERIC: %m = "tiny.scan"(%x) <{axis = 0, combiner = "max", exclusive, reverse}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f16>
  %m = scan max %x along 0 exclusive reverse
  // CHECK: %p = scan prod %x along 1 reverse : tensor<[M, N], f16>
  %p = scan prod %x along 1 reverse
  // The operands of a recurrence are combined in their common type.
  // CHECK: %h = scan linear %x, %s along 0 exclusive reverse : tensor<[M, N], f32>
  // GENERIC: %h = "tiny.scan"(%x, %s) <{axis = 0, combiner = "linear", exclusive, reverse}> : (!core.tensor<["M", "N"], f16>, !core.tensor<["M", "N"], f32>) -> !core.tensor<["M", "N"], f32>
  %h = scan linear %x, %s along 0 exclusive reverse
  return %s, %m, %p, %h
}

// CHECK-LABEL: tiny.func @sorts<
// GENERIC-LABEL: sym_name = "sorts"
tiny.func @sorts<M, N>(%x: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  // CHECK: %s = sort %x along 1 : tensor<[M, N], f16>
  // GENERIC: %s = "tiny.sort"(%x) <{axis = 1}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f16>
  %s = sort %x along 1
  // CHECK: %t = sort %s along 0 {note} : tensor<[M, N], f16>
  %t = sort %s along 0 {note}
  return %t
}
