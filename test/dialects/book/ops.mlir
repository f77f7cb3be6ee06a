// The frame of a program and each kind of value, in both forms.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK: book.func private @declared<M>(tensor<[M], i32>) -> tensor<[M], i32>
book.func private @declared<M>(tensor<[M], i32>) -> tensor<[M], i32>

// CHECK-LABEL: book.func @leaves<
// GENERIC-LABEL: sym_name = "leaves"
book.func @leaves<M>(%x: tensor<[M], f32> {role = "data"}) -> (tensor<[], f32>, tensor<[2], i8>, tensor<[M, 4], i32>, tensor<[M], f32>) attributes {note = "kept"} {
  // CHECK: %half = const 5.000000e-01 : tensor<[], f32>
  // GENERIC: %half = "book.const"() <{value = 5.000000e-01 : f32}> : () -> !core.tensor<[], f32>
  %half = const 0.5 : tensor<[], f32>
  // CHECK: %list = const dense<[1, -2]> : tensor<2xi8>
  // GENERIC: %list = "book.const"() <{value = dense<[1, -2]> : tensor<2xi8>}> : () -> !core.tensor<[2], i8>
  %list = const dense<[1, -2]> : tensor<2xi8>
  // CHECK: %at = iota (-M + 4*i0 + i1) axes (i0: M, i1: 4) {note} : tensor<[M, 4], i32>
  // GENERIC: %at = "book.iota"() <{axes = ["M", 4], value = ["-M + 4*i0 + i1"]}> {note} : () -> !core.tensor<["M", 4], i32>
  %at = iota (i0*4 + i1 - M) axes (i0: M, i1: 4) {note} : tensor<[M, 4], i32>
  return %half, %list, %at, %x
}

// CHECK-LABEL: book.func @entries<
// GENERIC-LABEL: sym_name = "entries"
book.func @entries<M, N>(%x: tensor<[M, N], f32>, %b: tensor<[N], f16>, %c: tensor<[M, N], i1>) -> tensor<[M, N], f32> {
  %one = const 1.0 : tensor<[], f32>
  // CHECK: %copy = entry copy axes (i0: N, i1: M) of %x at (i1, i0) : tensor<[N, M], f32>
  // GENERIC: %copy = "book.entry"(%x) <{accesses = [{at = ["i1", "i0"]}], axes = ["N", "M"], function = "copy"}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["N", "M"], f32>
  %copy = entry copy axes (i0: N, i1: M) of %x at (i1, i0)
  // CHECK: %wide = entry cast axes (i0: N) of %b at (i0) to f32 {note} : tensor<[N], f32>
  // GENERIC: %wide = "book.entry"(%b) <{accesses = [{at = ["i0"]}], axes = ["N"], elem = f32, function = "cast"}> {note} : (!core.tensor<["N"], f16>) -> !core.tensor<["N"], f32>
  %wide = entry cast axes (i0: N) of %b at (i0) to f32 {note}
  // CHECK: %bits = entry bitcast axes (i0: N) of %b at (i0) to i16 : tensor<[N], i16>
  %bits = entry bitcast axes (i0: N) of %b at (i0) to i16
  // CHECK: %sum = entry add axes (i0: M, i1: N) of %x at (i0, i1), %b at (i1) : tensor<[M, N], f32>
  %sum = entry add axes (i0: M, i1: N) of %x at (i0, i1), %b at (i1)
  // CHECK: %less = entry lt axes (i0: M, i1: N) of %x at (i0, i1), %one at () : tensor<[M, N], i1>
  // GENERIC: %less = "book.entry"(%x, %one) <{accesses = [{at = ["i0", "i1"]}, {at = []}], axes = ["M", "N"], function = "lt"}>
  %less = entry lt axes (i0: M, i1: N) of %x at (i0, i1), %one at ()
  // CHECK: %y = entry where axes (i0: M, i1: N) of %c at (i0, i1), %sum at (i0, i1), %copy at (i1, i0) : tensor<[M, N], f32>
  %y = entry where axes (i0: M, i1: N) of %c at (i0, i1), %sum at (i0, i1), %copy at (i1, i0)
  return %y
}

// CHECK-LABEL: book.func @reductions<
// GENERIC-LABEL: sym_name = "reductions"
book.func @reductions<M, K>(%x: tensor<[M, K], f16>) -> (tensor<[M], f32>, tensor<[], f16>, tensor<[M, K], f16>) {
  // CHECK: %s = reduce sum axes (i0: M) over (i1: K) of %x at (i0, i1) acc f32 : tensor<[M], f32>
  // GENERIC: %s = "book.reduce"(%x) <{acc = f32, accesses = [{at = ["i0", "i1"]}], axes = ["M"], combiner = "sum", over = ["K"]}> : (!core.tensor<["M", "K"], f16>) -> !core.tensor<["M"], f32>
  %s = reduce sum axes (i0: M) over (i1: K) of %x at (i0, i1) acc f32
  // CHECK: %m = reduce max axes () over (i0: M, i1: K) of %x at (i0, i1) acc f16 {note} : tensor<[], f16>
  %m = reduce max axes () over (i0: M, i1: K) of %x at (i0, i1) acc f16 {note}
  // CHECK: %n = reduce min axes (i0: M, i1: K) over () of %x at (i0, i1) acc f16 : tensor<[M, K], f16>
  %n = reduce min axes (i0: M, i1: K) over () of %x at (i0, i1) acc f16
  return %s, %m, %n
}

// CHECK-LABEL: book.func @gathers<
// GENERIC-LABEL: sym_name = "gathers"
book.func @gathers<V, D, B>(%W: tensor<[V, D], f16>, %ids: tensor<[B], i32>, %two: tensor<[B, D], i64>) -> (tensor<[B, D], f16>, tensor<[B, D], f16>) {
  // CHECK: %e = gather non_scop axes (i0: B, i1: D) of %W at [%ids (i0), i1] : tensor<[B, D], f16>
  // GENERIC: %e = "book.gather"(%W, %ids) <{accesses = [{at = ["i0"]}], at = ["_0", "i1"], axes = ["B", "D"]}> : (!core.tensor<["V", "D"], f16>, !core.tensor<["B"], i32>) -> !core.tensor<["B", "D"], f16>
  %e = gather non_scop axes (i0: B, i1: D) of %W at [%ids (i0), i1]
  // CHECK: %f = gather non_scop axes (i0: B, i1: D) of %W at [%ids (i0 - 1) where (1 <= i0) else 7, %two (i0, i1)] {note} : tensor<[B, D], f16>
  %f = gather non_scop axes (i0: B, i1: D) of %W at [%ids (i0 - 1) where (1 <= i0) else 7, %two (i0, i1)] {note}
  return %e, %f
}

// CHECK-LABEL: book.func @reshapes<
// GENERIC-LABEL: sym_name = "reshapes"
book.func @reshapes<N, M>(%x: tensor<[2*N], f32>) -> tensor<[M, 2], f32> {
  // CHECK: %y = reshape non_scop %x {note} : tensor<[M, 2], f32>
  // GENERIC: %y = "book.reshape"(%x) {note} : (!core.tensor<["2*N"], f32>) -> !core.tensor<["M", 2], f32>
  %y = reshape non_scop %x {note} : tensor<[M, 2], f32>
  return %y
}

// CHECK-LABEL: book.func @scans<
// GENERIC-LABEL: sym_name = "scans"
book.func @scans<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M, N], f32>, tensor<[N, M], f16>) {
  // CHECK: %s = scan sum axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32 : tensor<[M, N], f32>
  // GENERIC: %s = "book.scan"(%x) <{acc = f32, accesses = [{at = ["i0", "i1"]}], along = 1, axes = ["M", "N"], combiner = "sum"}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f32>
  %s = scan sum axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32
  // CHECK: %m = scan max axes (i0: N, i1: M) along 0 of %x at (i1, i0 - 1) where (0 <= i0 - 1) else 2.0 acc f16 exclusive reverse {note} : tensor<[N, M], f16>
  %m = scan max axes (i0: N, i1: M) along 0 of %x at (i1, i0 - 1) where (0 <= i0 - 1) else 2.0 acc f16 exclusive reverse {note}
  // CHECK: %g = scan sum axes (i0: M, i1: N) along 1 every 64 of %x at (i0, i1) acc f32 reverse : tensor<[M, N], f32>
  %g = scan sum axes (i0: M, i1: N) along 1 every 64 of %x at (i0, i1) acc f32 reverse
  // CHECK: %h = scan linear axes (i0: M, i1: N) along 0 every 32 of %s at (i0, i1), %x at (i0, 0) acc f32 exclusive : tensor<[M, N], f32>
  // GENERIC: %h = "book.scan"(%s, %x) <{acc = f32, accesses = [{at = ["i0", "i1"]}, {at = ["i0", 0]}], along = 0, axes = ["M", "N"], combiner = "linear", every = 32, exclusive}>
  %h = scan linear axes (i0: M, i1: N) along 0 every 32 of %s at (i0, i1), %x at (i0, 0) acc f32 exclusive
  return %s, %m
}

// CHECK-LABEL: book.func @sorts<
// GENERIC-LABEL: sym_name = "sorts"
book.func @sorts<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[M, N], f16>, tensor<[N, M], f16>) {
  // CHECK: %s = sort axes (i0: M, i1: N) along 1 of %x at (i0, i1) : tensor<[M, N], f16>
  // GENERIC: %s = "book.sort"(%x) <{accesses = [{at = ["i0", "i1"]}], along = 1, axes = ["M", "N"]}> : (!core.tensor<["M", "N"], f16>) -> !core.tensor<["M", "N"], f16>
  %s = sort axes (i0: M, i1: N) along 1 of %x at (i0, i1)
  // CHECK: %t = sort axes (i0: N, i1: M) along 0 every 64 of %x at (i1, i0 - 1) where (0 <= i0 - 1) else 2.0 {note} : tensor<[N, M], f16>
  %t = sort axes (i0: N, i1: M) along 0 every 64 of %x at (i1, i0 - 1) where (0 <= i0 - 1) else 2.0 {note}
  return %s, %t
}
