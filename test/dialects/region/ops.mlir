// Every op, through the text, the generic form and back.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
// CHECK-NEXT: ins (%X: memref<[M, K], f16, row_major, align 128, noalias>, %W: memref<[K, N], f16, col_major, align 128, noalias>, %bias: memref<[N], f16, row_major, align 2>)
// CHECK-NEXT: outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
// GENERIC{LITERAL}: "region.func"() <{function_type = (!core.memref<["M", "K"], f16, "row_major", 128, true>, !core.memref<["K", "N"], f16, "col_major", 128, true>, !core.memref<["N"], f16, "row_major", 2, false>) -> !core.memref<["M", "N"], f16, "row_major", 128, false>, iter_sizes = ["M", "N"], iters = ["m", "n"], materialize = ["gmem"], outputs = ["Y"], sym_name = "gemm_bias_relu", symbols = ["M", "N", "K"]}>
region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128, noalias>, %W: memref<[K, N], f16, col_major, align 128, noalias>, %bias: memref<[N], f16>)
    outs (Y: memref<[M, N], f16, align 128> materialize gmem) {
  // CHECK: %acc = reduce sum (k: K) acc f32 init 0.0 {
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    // CHECK-NEXT: %a = read %X[m, k] : f16 over (m, k)
    // GENERIC{LITERAL}: "region.read"(%X) <{at = ["m", "k"]}>
    %a = read %X[m, k] : f16 over (m, k)
    // CHECK-NEXT: %b = read %W[k, n] : f16 over (n, k)
    %b = read %W[k, n] : f16 over (n, k)
    // CHECK-NEXT: %ab = binary mul %a, %b widen : f32 over (m, n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    // CHECK-NEXT: yield %ab
    yield %ab
  // CHECK-NEXT: } : f32 over (m, n)
  } : f32 over (m, n)
  // CHECK: %bb = broadcast_in_dim %bn to [M, N] dims [1] : f16 over (m, n)
  %bn = read %bias[n] : f16 over (n)
  %bb = broadcast_in_dim %bn to [M, N] dims [1] : f16 over (m, n)
  %c1 = binary add %acc, %bb : f32 over (m, n)
  // CHECK: %c2 = unary relu %c1 : f32 over (m, n)
  %c2 = unary relu %c1 : f32 over (m, n)
  // CHECK: yield %c2 to Y as f16
  yield %c2 to Y as f16
}

// Leaves, casts, conditions, positions that are values, and other layouts.
// CHECK-LABEL: region.func private @leaves<M, V> iters (m: M, d: 4)
// CHECK-NEXT: ins (%E: memref<[V, 4], f32, strided [8, 1] offset 4, align 16>, %id: memref<[M], i32, row_major, align 4> {role = "data"})
// CHECK-NEXT: outs (Y: memref<[M, 4], f32, swizzled 32 vec 16, align 4> materialize deferred, Z: memref<[M, 4], i1, row_major, align 1> materialize gmem) attributes {note = 1 : i32} {
region.func private @leaves<M, V> iters (m: M, d: 4)
    ins (%E: memref<[V, 4], f32, strided [8, 1] offset 4, align 16>, %id: memref<[M], i32> {role = "data"})
    outs (Y: memref<[M, 4], f32, swizzled 32> materialize deferred, Z: memref<[M, 4], i1> materialize gmem)
    attributes {note = 1 : i32} {
  // CHECK: %i = read %id[m] : i32 over (m)
  %i = read %id[m] : i32 over (m)
  // CHECK-NEXT: %e = read %E[%i, d] : f32 over (m, d)
  // GENERIC{LITERAL}: "region.read"(%E, %i) <{at = ["_0", "d"]}>
  %e = read %E[%i, d] : f32 over (m, d)
  // CHECK-NEXT: %e1 = read %E[%i, -d + 3] else 1.0 : f32 over (m, d)
  %e1 = read %E[%i, 3 - d] else 1.0 : f32 over (m, d)
  // CHECK-NEXT: %g = read %E[m - 1, d] where (0 <= m - 1 < V, d < 2) or (m == 1, m < V + 1) else -inf : f32 over (m, d)
  %g = read %E[m - 1, d] where (0 <= m - 1 < V, d < 2) or (m == 1, m < V + 1) else -inf : f32 over (m, d)
  // CHECK-NEXT: %c = const 0.5 : f32 over ()
  %c = const 0.5 : f32 over ()
  // CHECK-NEXT: %x = index (2*m + d floordiv 2 + 1) : i64 over (m, d)
  %x = index (2*m + d floordiv 2 + 1) : i64 over (m, d)
  // CHECK-NEXT: %s = select where (d < 2) then %e else %c : f32 over (m, d)
  %s = select where (d < 2) then %e else %c : f32 over (m, d)
  // CHECK-NEXT: %l = binary lt %e1, %g : i1 over (m, d)
  %l = binary lt %e1, %g : i1 over (m, d)
  // CHECK-NEXT: %t = select %l, %s, %e : f32 over (m, d)
  %t = select %l, %s, %e : f32 over (m, d)
  // CHECK-NEXT: %u = cast %x : f32 over (m, d)
  %u = cast %x : f32 over (m, d)
  // CHECK-NEXT: %v = cast bits %u : i32 over (m, d)
  // GENERIC: "region.cast"(%u) <{bits}>
  %v = cast bits %u : i32 over (m, d)
  // CHECK-NEXT: %w = transpose %t by [1, 0] : f32 over (d, m)
  %w = transpose %t by [1, 0] : f32 over (d, m)
  // CHECK-NEXT: %w1 = transpose %w by [1, 0] : f32 over (m, d)
  %w1 = transpose %w by [1, 0] : f32 over (m, d)
  // CHECK: yield %w1 to Y, %l to Z
  yield %w1 to Y, %l to Z
}

// Softmax: an axis of the result that is reduced, by a function each and by a region for both at once.
// CHECK-LABEL: region.func @softmax<M, N>
region.func @softmax<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem, Z: memref<[M], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // CHECK: %top = reduce max (n: N) acc f32 init -inf {
  // CHECK-NEXT: yield %x
  // CHECK-NEXT: } {reassoc} : f32 over (m)
  %top = reduce max (n: N) acc f32 init -inf { yield %x } {reassoc} : f32 over (m)
  %d = binary sub %x, %top : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %s = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  %y = binary fdiv %e, %s : f32 over (m, n)
  %one = const 1.0 : f32 over ()
  // CHECK: %m1, %l1 = reduce (n: N) acc (f32, f32) init (-inf, 0.0) {
  // CHECK-NEXT: yield %x, %one
  // CHECK-NEXT: } combine (%ma: f32 over (m), %la: f32 over (m), %mb: f32 over (m), %lb: f32 over (m)) {
  // GENERIC: ^bb0(%ma: !region.value<f32, ["m"]>, %la: !region.value<f32, ["m"]>, %mb: !region.value<f32, ["m"]>, %lb: !region.value<f32, ["m"]>):
  %m1, %l1 = reduce (n: N) acc (f32, f32) init (-inf, 0.0) {
    yield %x, %one
  } combine (%ma: f32 over (m), %la: f32 over (m), %mb: f32 over (m), %lb: f32 over (m)) {
    %t = binary max %ma, %mb : f32 over (m)
    %da = binary sub %ma, %t : f32 over (m)
    %db = binary sub %mb, %t : f32 over (m)
    %fa = unary exp2 %da : f32 over (m)
    %fb = unary exp2 %db : f32 over (m)
    %sa = binary mul %la, %fa : f32 over (m)
    %sb = binary mul %lb, %fb : f32 over (m)
    %l = binary add %sa, %sb : f32 over (m)
    // CHECK: yield %t, %l
    yield %t, %l
  // CHECK-NEXT: } : f32 over (m), f32 over (m)
  } : f32 over (m), f32 over (m)
  yield %y to Y, %l1 to Z
}

// No axes at all; several accumulators of a function; reductions within reductions, and over several axes.
// CHECK-LABEL: region.func @scalar<A, B> iters ()
region.func @scalar<A, B> iters () ins (%X: memref<[A, B], f32>, %C: memref<[], f32>) outs (Y: memref<[], f32> materialize gmem) {
  // CHECK: %x, %y = reduce sum (a: A, b: B) acc (f32, f64) init (0.0, 0.0) {
  %x, %y = reduce sum (a: A, b: B) acc (f32, f64) init (0.0, 0.0) {
    %e = read %X[a, b] : f32 over (a, b)
    yield %e, %e
  } : f32 over (), f64 over ()
  %z = reduce max (a: A) acc f32 init -inf {
    %e = read %X[a, b] : f32 over (a, b)
    // CHECK: reduce prod (b: B) acc f32 init 1.0 {
    %p = reduce prod (b: B) acc f32 init 1.0 { yield %e } : f32 over (a)
    yield %p
  } : f32 over ()
  // CHECK: read %C[] : f32 over ()
  %c = read %C[] : f32 over ()
  %s = binary add %x, %c : f32 over ()
  %t = binary add %s, %z : f32 over ()
  yield %t to Y
}

// CHECK-LABEL: region.func @scans<
region.func @scans<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f16>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f16 over (m, n)
  // CHECK: %s = scan sum %x along n : f32 over (m, n)
  // GENERIC: %s = "region.scan"(%x) <{along = "n", combiner = "sum"}>
  %s = scan sum %x along n : f32 over (m, n)
  // CHECK: %t = scan max %s along m exclusive reverse {note} : f32 over (m, n)
  %t = scan max %s along m exclusive reverse {note} : f32 over (m, n)
  // CHECK: %g = scan sum %x along n every 64 : f32 over (m, n)
  %g = scan sum %x along n every 64 : f32 over (m, n)
  // CHECK: %h = scan linear %x, %g along m every 32 reverse : f32 over (m, n)
  // GENERIC: %h = "region.scan"(%x, %g) <{along = "m", combiner = "linear", every = 32, reverse}>
  %h = scan linear %x, %g along m every 32 reverse : f32 over (m, n)
  // CHECK: %o = sort %h along n every 64 {note} : f32 over (m, n)
  // GENERIC: %o = "region.sort"(%h) <{along = "n", every = 64}>
  %o = sort %h along n every 64 {note} : f32 over (m, n)
  // CHECK: %p = sort %o along m : f32 over (m, n)
  %p = sort %o along m : f32 over (m, n)
  yield %t to Y
}
