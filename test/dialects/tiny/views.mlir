// Views: the sizes that follow, in both forms, there and back again.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: tiny.func @reshape<
// GENERIC-LABEL: sym_name = "reshape"
tiny.func @reshape<M, N>(%x: tensor<[M, N], f32>) -> tensor<[1, M, N, 1], f32> {
  // CHECK: %flat = reshape %x to [M*N] : tensor<[M*N], f32>
  // GENERIC: %flat = "tiny.reshape"(%x) <{shape = ["M*N"]}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["M*N"], f32>
  %flat = reshape %x to [N*M]
  // CHECK: %back = reshape %flat to [1, M, N, 1] : tensor<[1, M, N, 1], f32>
  // GENERIC: %back = "tiny.reshape"(%flat) <{shape = [1, "M", "N", 1]}> : (!core.tensor<["M*N"], f32>) -> !core.tensor<[1, "M", "N", 1], f32>
  %back = reshape %flat to [1, M, N, 1]
  return %back
}

// What canonical forms show to be equal.
// CHECK-LABEL: tiny.func @reshape_parts<
// GENERIC-LABEL: sym_name = "reshape_parts"
tiny.func @reshape_parts<K>(%x: tensor<[4*K, 6], f16>) -> tensor<[2, K, 2*2, 3*2], f16> {
  // CHECK: %y = reshape %x to [K, 24] : tensor<[K, 24], f16>
  // GENERIC: %y = "tiny.reshape"(%x) <{shape = ["K", 24]}> : (!core.tensor<["4*K", 6], f16>) -> !core.tensor<["K", 24], f16>
  %y = reshape %x to [K, 24]
  // CHECK: %z = reshape %y to [8*K, 3] : tensor<[8*K, 3], f16>
  // GENERIC: %z = "tiny.reshape"(%y) <{shape = ["8*K", 3]}> : (!core.tensor<["K", 24], f16>) -> !core.tensor<["8*K", 3], f16>
  %z = reshape %y to [8*K, 3]
  // CHECK: %w = reshape %z to [2, K, 4, 3] : tensor<[2, K, 4, 3], f16>
  // GENERIC: %w = "tiny.reshape"(%z) <{shape = [2, "K", 4, 3]}> : (!core.tensor<["8*K", 3], f16>) -> !core.tensor<[2, "K", 4, 3], f16>
  %w = reshape %z to [2, K, 4, 3]
  // CHECK: %v = expand %w to [2, K, 4, 3] : tensor<[2, K, 4, 3], f16>
  // GENERIC: %v = "tiny.expand"(%w) <{shape = [2, "K", 4, 3]}> : (!core.tensor<[2, "K", 4, 3], f16>) -> !core.tensor<[2, "K", 4, 3], f16>
  %v = expand %w to [2, K, 4, 3]
  // CHECK: %u = pad %v low [0, 0, 0, 0] high [0, 0, 0, 3] : tensor<[2, K, 4, 6], f16>
  // GENERIC: %u = "tiny.pad"(%v) <{high = [0, 0, 0, 3], low = [0, 0, 0, 0]}> : (!core.tensor<[2, "K", 4, 3], f16>) -> !core.tensor<[2, "K", 4, 6], f16>
  %u = pad %v low [0, 0, 0, 0] high [0, 0, 0, 3]
  return %u
}

// CHECK-LABEL: tiny.func @reshape_quotient<
// GENERIC-LABEL: sym_name = "reshape_quotient"
tiny.func @reshape_quotient<M>(%x: tensor<[4*(M floordiv 4)], f32>) -> tensor<[M floordiv 4, 4], f32> {
  // CHECK: %y = reshape %x to [M floordiv 4, 4] : tensor<[M floordiv 4, 4], f32>
  // GENERIC: %y = "tiny.reshape"(%x) <{shape = ["M floordiv 4", 4]}> : (!core.tensor<["4*(M floordiv 4)"], f32>) -> !core.tensor<["M floordiv 4", 4], f32>
  %y = reshape %x to [M floordiv 4, 4]
  return %y
}

// CHECK-LABEL: tiny.func @permute<
// GENERIC-LABEL: sym_name = "permute"
tiny.func @permute<M, N>(%x: tensor<[M, N, 3], bf16>) -> tensor<[3, M, N], bf16> {
  // CHECK: %y = permute %x by [2, 0, 1] : tensor<[3, M, N], bf16>
  // GENERIC: %y = "tiny.permute"(%x) <{order = array<i64: 2, 0, 1>}> : (!core.tensor<["M", "N", 3], bf16>) -> !core.tensor<[3, "M", "N"], bf16>
  %y = permute %x by [2, 0, 1]
  return %y
}

// CHECK-LABEL: tiny.func @expand<
// GENERIC-LABEL: sym_name = "expand"
tiny.func @expand<M, N>(%x: tensor<[1, N], f32>, %row: tensor<[N], f32>, %one: tensor<[], f32>) -> (tensor<[M, N], f32>, tensor<[M, N, 2], f32>, tensor<[M, N], f32>) {
  // CHECK: %a = expand %x to [M, N] : tensor<[M, N], f32>
  // GENERIC: %a = "tiny.expand"(%x) <{shape = ["M", "N"]}> : (!core.tensor<[1, "N"], f32>) -> !core.tensor<["M", "N"], f32>
  %a = expand %x to [M, N]
  // CHECK: %b = expand %row to [M, N, 2] dims [1] : tensor<[M, N, 2], f32>
  // GENERIC: %b = "tiny.expand"(%row) <{dims = array<i64: 1>, shape = ["M", "N", 2]}> : (!core.tensor<["N"], f32>) -> !core.tensor<["M", "N", 2], f32>
  %b = expand %row to [M, N, 2] dims [1]
  // CHECK: %c = expand %one to [M, N] dims [] : tensor<[M, N], f32>
  // GENERIC: %c = "tiny.expand"(%one) <{dims = array<i64>, shape = ["M", "N"]}> : (!core.tensor<[], f32>) -> !core.tensor<["M", "N"], f32>
  %c = expand %one to [M, N] dims []
  return %a, %b, %c
}

// CHECK-LABEL: tiny.func @pad<
// GENERIC-LABEL: sym_name = "pad"
tiny.func @pad<M, N>(%x: tensor<[M, N], f16>, %i: tensor<[M], i8>) -> (tensor<[M + 2, 2*N], f16>, tensor<[M + 1], i8>) {
  // CHECK: %a = pad %x low [1, 0] high [1, N] : tensor<[M + 2, 2*N], f16>
  // GENERIC: %a = "tiny.pad"(%x) <{high = [1, "N"], low = [1, 0]}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M + 2", "2*N"], f16>
  %a = pad %x low [1, 0] high [1, N]
  // CHECK: %b = pad %a low [0, 0] high [0, 0] value -5.000000e-01 : f16 : tensor<[M + 2, 2*N], f16>
  // GENERIC: %b = "tiny.pad"(%a) <{high = [0, 0], low = [0, 0], value = -5.000000e-01 : f16}> : (!core.tensor<["M + 2", "2*N"], f16>) -> !core.tensor<["M + 2", "2*N"], f16>
  %b = pad %a low [0, 0] high [0, 0] value -0.5 : f16
  // CHECK: %c = pad %i low [0] high [1] value -1 : i8 : tensor<[M + 1], i8>
  // GENERIC: %c = "tiny.pad"(%i) <{high = [1], low = [0], value = -1 : i8}> : (!core.tensor<["M"], i8>) -> !core.tensor<["M + 1"], i8>
  %c = pad %i low [0] high [1] value -1 : i8
  return %b, %c
}

// The number has its type, also one that an attribute may leave out: a colon follows.
// CHECK-LABEL: tiny.func @pad_with_its_type(
// GENERIC-LABEL: sym_name = "pad_with_its_type"
tiny.func @pad_with_its_type(%x: tensor<[1], f64>, %i: tensor<[1], i64>) -> (tensor<[1], f64>, tensor<[1], i64>) {
  // CHECK: %a = pad %x low [0] high [0] value -5.000000e-01 : f64 : tensor<[1], f64>
  // GENERIC: %a = "tiny.pad"(%x) <{high = [0], low = [0], value = -5.000000e-01}>
  %a = pad %x low [0] high [0] value -0.5 : f64 : tensor<[1], f64>
  // CHECK: %b = pad %i low [0] high [0] value 3 : i64 : tensor<[1], i64>
  // GENERIC: %b = "tiny.pad"(%i) <{high = [0], low = [0], value = 3}>
  %b = pad %i low [0] high [0] value 3 : i64 : tensor<[1], i64>
  return %a, %b
}

// CHECK-LABEL: tiny.func @shrink<
// GENERIC-LABEL: sym_name = "shrink"
tiny.func @shrink<M, N>(%x: tensor<[M + 4, N], f32>) -> (tensor<[M ceildiv 2, (N + 2) floordiv 3], f32>, tensor<[0, 0], f32>, tensor<[3, N], f32>) {
  // CHECK: %a = shrink %x from [2, 0] to [M + 2, N] : tensor<[M, N], f32>
  // GENERIC: %a = "tiny.shrink"(%x) <{start = [2, 0], stop = ["M + 2", "N"]}> : (!core.tensor<["M + 4", "N"], f32>) -> !core.tensor<["M", "N"], f32>
  %a = shrink %x from [2, 0] to [M + 2, N]
  // CHECK: %b = shrink %a from [0, 0] to [M, N] step [2, 3] : tensor<[M ceildiv 2, N ceildiv 3], f32>
  // GENERIC: %b = "tiny.shrink"(%a) <{start = [0, 0], step = array<i64: 2, 3>, stop = ["M", "N"]}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["M ceildiv 2", "N ceildiv 3"], f32>
  %b = shrink %a from [0, 0] to [M, N] step [2, 3]
  // CHECK: %c = shrink %x from [M, 0] to [M, 0] : tensor<[0, 0], f32>
  // GENERIC: %c = "tiny.shrink"(%x) <{start = ["M", 0], stop = ["M", 0]}> : (!core.tensor<["M + 4", "N"], f32>) -> !core.tensor<[0, 0], f32>
  %c = shrink %x from [M, 0] to [M, 0]
  // CHECK: %d = shrink %x from [0, 0] to [9, N] step [4, 1] : tensor<[3, N], f32>
  // GENERIC: %d = "tiny.shrink"(%x) <{start = [0, 0], step = array<i64: 4, 1>, stop = [9, "N"]}> : (!core.tensor<["M + 4", "N"], f32>) -> !core.tensor<[3, "N"], f32>
  %d = shrink %x from [0, 0] to [9, N] step [4, 1]
  return %b, %c, %d
}

// CHECK-LABEL: tiny.func @flip<
// GENERIC-LABEL: sym_name = "flip"
tiny.func @flip<M, N>(%x: tensor<[M, N], ui8>) -> tensor<[M, N], ui8> {
  // CHECK: %a = flip %x over [1] : tensor<[M, N], ui8>
  // GENERIC: %a = "tiny.flip"(%x) <{axes = array<i64: 1>}> : (!core.tensor<["M", "N"], ui8>) -> !core.tensor<["M", "N"], ui8>
  %a = flip %x over [1]
  // CHECK: %b = flip %a over [0, 1] : tensor<[M, N], ui8>
  // GENERIC: %b = "tiny.flip"(%a) <{axes = array<i64: 0, 1>}> : (!core.tensor<["M", "N"], ui8>) -> !core.tensor<["M", "N"], ui8>
  %b = flip %a over [0, 1]
  // CHECK: %c = flip %b over [] : tensor<[M, N], ui8>
  // GENERIC: %c = "tiny.flip"(%b) <{axes = array<i64>}> : (!core.tensor<["M", "N"], ui8>) -> !core.tensor<["M", "N"], ui8>
  %c = flip %b over []
  return %c
}

// CHECK-LABEL: tiny.func @view<
// GENERIC-LABEL: sym_name = "view"
tiny.func @view<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M, N], f16>, tensor<[N, M], f16>, tensor<[M, N], f16>, tensor<[M, 3], f16>) {
  // CHECK: %a = view %x : tensor<[M, N], f16>
  // GENERIC: %a = "tiny.view"(%x) : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f16>
  %a = view %x
  // CHECK: %b = view %x as [N, M] strides [1, N] start [0] : tensor<[N, M], f16>
  // GENERIC: %b = "tiny.view"(%x) <{shape = ["N", "M"], start = [0], strides = [1, "N"]}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["N", "M"], f16>
  %b = view %x as [N, M] strides [1, N] start [0]
  // Backwards: strides may be negative.
  // CHECK: %c = view %x as [M, N] strides [-N, -1] start [M*N - 1] : tensor<[M, N], f16>
  // GENERIC: %c = "tiny.view"(%x) <{shape = ["M", "N"], start = ["M*N - 1"], strides = ["-N", -1]}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f16>
  %c = view %x as [M, N] strides [-N, -1] start [M*N - 1]
  // CHECK: %d = view %x as [M, 3] strides [N, 0] start [0] : tensor<[M, 3], f16>
  // GENERIC: %d = "tiny.view"(%x) <{shape = ["M", 3], start = [0], strides = ["N", 0]}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M", 3], f16>
  %d = view %x as [M, 3] strides [N, 0] start [0]
  return %a, %b, %c, %d
}

// CHECK-LABEL: tiny.func @valid<
// GENERIC-LABEL: sym_name = "valid"
tiny.func @valid<M>() -> tensor<[M, 5], i1> {
  // CHECK: %v = valid from [1, 0] to [M, 4] : tensor<[M, 5], i1>
  // GENERIC: %v = "tiny.valid"() <{start = [1, 0], stop = ["M", 4]}> : () -> !core.tensor<["M", 5], i1>
  %v = valid from [1, 0] to [M, 4] : tensor<[M, 5], i1>
  return %v
}

// CHECK-LABEL: tiny.func @load<
// GENERIC-LABEL: sym_name = "load"
tiny.func @load<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M, N], f16>, tensor<[N, M], f16>, tensor<[2*M, N, 2], f16>) {
  // CHECK: %a = load %x : tensor<[M, N], f16>
  // GENERIC: %a = "tiny.load"(%x) : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f16>
  %a = load %x : tensor<[M, N], f16>
  // CHECK: %b = load %x at [i1, i0] : tensor<[N, M], f16>
  // GENERIC: %b = "tiny.load"(%x) <{at = ["i1", "i0"]}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["N", "M"], f16>
  %b = load %x at [i1, i0] : tensor<[N, M], f16>
  // CHECK: %c = load %x at [i0 floordiv 2, (i1 + i2) mod 2] : tensor<[2*M, N, 2], f16>
  // GENERIC: %c = "tiny.load"(%x) <{at = ["i0 floordiv 2", "(i1 + i2) mod 2"]}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["2*M", "N", 2], f16>
  %c = load %x at [i0 floordiv 2, (i1 + i2) mod 2] : tensor<[2*M, N, 2], f16>
  return %a, %b, %c
}

// CHECK-LABEL: tiny.func @store<
// GENERIC-LABEL: sym_name = "store"
tiny.func @store<M, N>(%v: tensor<[2, N], f16>, %x: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  // CHECK: %a = store %v into %x from [2, 0] : tensor<[M, N], f16>
  // GENERIC: %a = "tiny.store"(%v, %x) <{start = [2, 0]}> : (!core.tensor<[2, "N"], f16>, !core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f16>
  %a = store %v into %x from [2, 0]
  // CHECK: %b = store %v into %a : tensor<[M, N], f16>
  // GENERIC: %b = "tiny.store"(%v, %a) : (!core.tensor<[2, "N"], f16>, !core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f16>
  %b = store %v into %a
  return %b
}
