// Arithmetic on numbers and fragments, reductions, changes of layout, products of matrices.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: kernel.func @elements
// GENERIC-LABEL: sym_name = "elements"
kernel.func @elements<N>(%X: memref<[N], f32>) {
  // CHECK: grid (1) threads 128 {
  // GENERIC: "kernel.grid"() <{dims = [1], threads = 128}>
  grid (1) threads 128 {
    // CHECK: %s = shared : tile<[2, 64], f32, row_major>
    // GENERIC: %s = "kernel.shared"() : () -> !kernel.tile<1, array<i64: 2, 64>, f32, "row_major">
    %s = shared : tile<[2, 64], f32, row_major>
    // CHECK: %n = index (N)
    // GENERIC: %n = "kernel.index"() <{value = ["N"]}> : () -> index
    %n = index (N)
    // CHECK: %half = const 0.5 : f32
    // GENERIC: %half = "kernel.const"() <{value = 5.000000e-01 : f32}> : () -> f32
    %half = const 5.000000e-01 : f32
    // CHECK: %a = const 1.0 : frag<[64, 64], f32, mma [2, 2]>
    // GENERIC: %a = "kernel.const"() <{value = 1.000000e+00 : f32}> : () -> !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">
    %a = const 1.0 : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %b = unary exp2 %a : frag<[64, 64], f32, mma [2, 2]>
    // GENERIC: %b = "kernel.unary"(%a) <{function = "exp2"}> : (!kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">) -> !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">
    %b = unary exp2 %a : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %c = unary neg %half : f32
    // GENERIC: %c = "kernel.unary"(%half) <{function = "neg"}> : (f32) -> f32
    %c = unary neg %half : f32
    // CHECK: %d = binary max %a, %half : frag<[64, 64], f32, mma [2, 2]>
    // GENERIC: %d = "kernel.binary"(%a, %half) <{function = "max"}> : (!kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">, f32) -> !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">
    %d = binary max %a, %half : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %e = binary lt %a, %d : frag<[64, 64], i1, mma [2, 2]>
    // GENERIC: %e = "kernel.binary"(%a, %d) <{function = "lt"}> : (!kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">, !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">) -> !kernel.frag<array<i64: 64, 64>, i1, "mma [2, 2]">
    %e = binary lt %a, %d : frag<[64, 64], i1, mma [2, 2]>
    // CHECK: %f = mulacc %a, %half, %b : frag<[64, 64], f32, mma [2, 2]>
    // GENERIC: %f = "kernel.mulacc"(%a, %half, %b) : (!kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">, f32, !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">) -> !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">
    %f = mulacc %a, %half, %b : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %g = select %e, %a, %b : frag<[64, 64], f32, mma [2, 2]>
    // GENERIC: %g = "kernel.select"(%e, %a, %b) <{operandSegmentSizes = array<i32: 0, 1, 1, 1>}> : (!kernel.frag<array<i64: 64, 64>, i1, "mma [2, 2]">, !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">, !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">) -> !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">
    %g = select %e, %a, %b : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %h = select where (%n + i0 < i1) then %a else %half : frag<[64, 64], f32, mma [2, 2]>
    // GENERIC{LITERAL}: %h = "kernel.select"(%n, %a, %half) <{guard = [["_0 + i0 < i1"]], operandSegmentSizes = array<i32: 1, 0, 1, 1>}> : (index, !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">, f32) -> !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">
    %h = select where (i0 + %n < i1) then %a else %half : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %i = cast %a : frag<[64, 64], f16, mma [2, 2]>
    // GENERIC: %i = "kernel.cast"(%a) : (!kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">) -> !kernel.frag<array<i64: 64, 64>, f16, "mma [2, 2]">
    %i = cast %a : frag<[64, 64], f16, mma [2, 2]>
    // CHECK: %j = cast bits %a : frag<[64, 64], i32, mma [2, 2]>
    // GENERIC: %j = "kernel.cast"(%a) <{bits}> : (!kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">) -> !kernel.frag<array<i64: 64, 64>, i32, "mma [2, 2]">
    %j = cast bits %a : frag<[64, 64], i32, mma [2, 2]>
    // CHECK: %k = cast %n : f32
    // GENERIC: %k = "kernel.cast"(%n) : (index) -> f32
    %k = cast %n : f32
    // CHECK: %l = reduce max %a along 1 through %s : frag<[64], f32, slice 1 of (mma [2, 2])>
    // GENERIC: %l = "kernel.reduce"(%a, %s) <{axis = 1, combiner = "max"}> : (!kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">, !kernel.tile<1, array<i64: 2, 64>, f32, "row_major">) -> !kernel.frag<array<i64: 64>, f32, "slice 1 of (mma [2, 2])">
    %l = reduce max %a along 1 through %s : frag<[64], f32, slice 1 of (mma [2, 2])>
    // CHECK: %m = broadcast %l along 1 : frag<[64, 64], f32, mma [2, 2]>
    // GENERIC: %m = "kernel.broadcast"(%l) <{axis = 1}> : (!kernel.frag<array<i64: 64>, f32, "slice 1 of (mma [2, 2])">) -> !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">
    %m = broadcast %l along 1 : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %o = convert %a through %s : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    // GENERIC: %o = "kernel.convert"(%a, %s) : (!kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">, !kernel.tile<1, array<i64: 2, 64>, f32, "row_major">) -> !kernel.frag<array<i64: 64, 64>, f32, "blocked [1, 4] lanes [4, 8] warps [4, 1]">
    %o = convert %a through %s : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    // CHECK: for %p = 0 to 2 unroll {
    // GENERIC: "kernel.for"() <{bounds = [0, 2, 1], operandSegmentSizes = array<i32: 0, 0>, unroll}>
    for %p = 0 to 2 unroll {
      // CHECK: %q = extract %a at [0, 32*%p] : frag<[64, 32], f32, mma [2, 2]>
      // GENERIC: %q = "kernel.extract"(%a, %p) <{at = [0, "32*_0"]}> : (!kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">, index) -> !kernel.frag<array<i64: 64, 32>, f32, "mma [2, 2]">
      %q = extract %a at [0, 32 * %p] : frag<[64, 32], f32, mma [2, 2]>
    }
    // CHECK: %r = extract %a at [32, 0] : frag<[32, 64], f32, mma [2, 2]>
    // GENERIC: %r = "kernel.extract"(%a) <{at = [32, 0]}> : (!kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">) -> !kernel.frag<array<i64: 32, 64>, f32, "mma [2, 2]">
    %r = extract %a at [32, 0] : frag<[32, 64], f32, mma [2, 2]>
    // CHECK: %t = const 1.0 : frag<[4, 512], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
    // GENERIC: %t = "kernel.const"() <{value = 1.000000e+00 : f32}> : () -> !kernel.frag<array<i64: 4, 512>, f32, "blocked [1, 8] lanes [1, 32] warps [4, 1]">
    %t = const 1.0 : frag<[4, 512], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
    // CHECK: %u = thread_reduce sum %t along 1 : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    // GENERIC: %u = "kernel.thread_reduce"(%t) <{axis = 1, combiner = "sum"}> : (!kernel.frag<array<i64: 4, 512>, f32, "blocked [1, 8] lanes [1, 32] warps [4, 1]">) -> !kernel.frag<array<i64: 4, 32>, f32, "blocked [1, 1] lanes [1, 32] warps [4, 1]">
    %u = thread_reduce sum %t along 1 : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    // CHECK: %v = thread_broadcast %u along 1 : frag<[4, 512], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
    // GENERIC: %v = "kernel.thread_broadcast"(%u) <{axis = 1}> : (!kernel.frag<array<i64: 4, 32>, f32, "blocked [1, 1] lanes [1, 32] warps [4, 1]">) -> !kernel.frag<array<i64: 4, 512>, f32, "blocked [1, 8] lanes [1, 32] warps [4, 1]">
    %v = thread_broadcast %u along 1 : frag<[4, 512], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
    %w = const 0.0 : frag<[64], f32, slice 1 of (mma [2, 2])>
    // CHECK: %x:2 = scan sum %a from %w along 1 exclusive reverse through %s : frag<[64, 64], f32, mma [2, 2]>, frag<[64], f32, slice 1 of (mma [2, 2])>
    // GENERIC: %x:2 = "kernel.scan"(%a, %w, %s) <{axis = 1, combiner = "sum", exclusive, operandSegmentSizes = array<i32: 1, 1, 1>, reverse}>
    %x:2 = scan sum %a from %w along 1 exclusive reverse through %s
    %y = const 0.0 : frag<[4], f32, slice 1 of (blocked [1, 8] lanes [1, 32] warps [4, 1])>
    // CHECK: %z:2 = scan max %t from %y along 1 : frag<[4, 512], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
    %z:2 = scan max %t from %y along 1
    // CHECK: %a1:2 = scan linear %v, %t from %y along 1 reverse : frag<[4, 512], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
    // GENERIC: %a1:2 = "kernel.scan"(%v, %t, %y) <{axis = 1, combiner = "linear", operandSegmentSizes = array<i32: 2, 1, 0>, reverse}>
    %a1:2 = scan linear %v, %t from %y along 1 reverse
    // CHECK: %a2 = sort %t along 1 : frag<[4, 512], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
    // GENERIC: %a2 = "kernel.sort"(%t) <{axis = 1}>
    %a2 = sort %t along 1
    // CHECK: %a3 = sort %a along 1 through %s : frag<[64, 64], f32, mma [2, 2]>
    %a3 = sort %a along 1 through %s
  }
  // CHECK: return
  // GENERIC: "kernel.return"() : () -> ()
  return
}

// CHECK-LABEL: kernel.func @products
// GENERIC-LABEL: sym_name = "products"
kernel.func @products() {
  // CHECK: grid (1) threads 128 {
  // GENERIC: "kernel.grid"() <{dims = [1], threads = 128}>
  grid (1) threads 128 {
    // CHECK: %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    // GENERIC: %s = "kernel.shared"() : () -> !kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">
    %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    // CHECK: %n = index (0)
    // GENERIC: %n = "kernel.index"() <{value = [0]}> : () -> index
    %n = index (0)
    // CHECK: %a = const 1.0 : frag<[64, 16], f16, mma_a [2, 2]>
    // GENERIC: %a = "kernel.const"() <{value = 1.000000e+00 : f16}> : () -> !kernel.frag<array<i64: 64, 16>, f16, "mma_a [2, 2]">
    %a = const 1.0 : frag<[64, 16], f16, mma_a [2, 2]>
    // CHECK: %b = const 1.0 : frag<[16, 64], f16, mma_b [2, 2]>
    // GENERIC: %b = "kernel.const"() <{value = 1.000000e+00 : f16}> : () -> !kernel.frag<array<i64: 16, 64>, f16, "mma_b [2, 2]">
    %b = const 1.0 : frag<[16, 64], f16, mma_b [2, 2]>
    // CHECK: %c = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    // GENERIC: %c = "kernel.const"() <{value = 0.000000e+00 : f32}> : () -> !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">
    %c = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %d = mma %a, %b, %c : frag<[64, 64], f32, mma [2, 2]>
    // GENERIC: %d = "kernel.mma"(%a, %b, %c) : (!kernel.frag<array<i64: 64, 16>, f16, "mma_a [2, 2]">, !kernel.frag<array<i64: 16, 64>, f16, "mma_b [2, 2]">, !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">) -> !kernel.frag<array<i64: 64, 64>, f32, "mma [2, 2]">
    %d = mma %a, %b, %c : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %a_0 = const 1.0 : frag<[64, 8], f32, mma_a [2, 2]>
    %a_0 = const 1.0 : frag<[64, 8], f32, mma_a [2, 2]>
    // CHECK: %b_0 = const 1.0 : frag<[8, 64], f32, mma_b [2, 2]>
    %b_0 = const 1.0 : frag<[8, 64], f32, mma_b [2, 2]>
    // CHECK: %d_0 = mma %a_0, %b_0, %c as tf32x3 : frag<[64, 64], f32, mma [2, 2]>
    // GENERIC: %d_0 = "kernel.mma"(%a_0, %b_0, %c) <{precision = "tf32x3"}> :
    %d_0 = mma %a_0, %b_0, %c as tf32x3 : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %d_1 = mma %a_0, %b_0, %d_0 as tf32 : frag<[64, 64], f32, mma [2, 2]>
    %d_1 = mma %a_0, %b_0, %d_0 as tf32 : frag<[64, 64], f32, mma [2, 2]>
    // CHECK: %e = const 1.0 : frag<[64, 1], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    // GENERIC: %e = "kernel.const"() <{value = 1.000000e+00 : f32}> : () -> !kernel.frag<array<i64: 64, 1>, f32, "blocked [4, 4] lanes [8, 4] warps [2, 2]">
    %e = const 1.0 : frag<[64, 1], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    // CHECK: %f = const 1.0 : frag<[1, 64], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    // GENERIC: %f = "kernel.const"() <{value = 1.000000e+00 : f32}> : () -> !kernel.frag<array<i64: 1, 64>, f32, "blocked [4, 4] lanes [8, 4] warps [2, 2]">
    %f = const 1.0 : frag<[1, 64], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    // CHECK: %g = const 0.0 : frag<[64, 64], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    // GENERIC: %g = "kernel.const"() <{value = 0.000000e+00 : f32}> : () -> !kernel.frag<array<i64: 64, 64>, f32, "blocked [4, 4] lanes [8, 4] warps [2, 2]">
    %g = const 0.0 : frag<[64, 64], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    // CHECK: %h = fma %e, %f, %g : frag<[64, 64], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    // GENERIC: %h = "kernel.fma"(%e, %f, %g) : (!kernel.frag<array<i64: 64, 1>, f32, "blocked [4, 4] lanes [8, 4] warps [2, 2]">, !kernel.frag<array<i64: 1, 64>, f32, "blocked [4, 4] lanes [8, 4] warps [2, 2]">, !kernel.frag<array<i64: 64, 64>, f32, "blocked [4, 4] lanes [8, 4] warps [2, 2]">) -> !kernel.frag<array<i64: 64, 64>, f32, "blocked [4, 4] lanes [8, 4] warps [2, 2]">
    %h = fma %e, %f, %g : frag<[64, 64], f32, blocked [4, 4] lanes [8, 4] warps [2, 2]>
    // CHECK: %i = const 0.0 : frag<[64, 64], f32, wgmma>
    // GENERIC: %i = "kernel.const"() <{value = 0.000000e+00 : f32}> : () -> !kernel.frag<array<i64: 64, 64>, f32, "wgmma">
    %i = const 0.0 : frag<[64, 64], f32, wgmma>
    // CHECK: %j, %k = wgmma %s[%n], %s[%n] transposed, %i : frag<[64, 64], f32, wgmma>, token<compute>
    // GENERIC: %j, %k = "kernel.wgmma"(%s, %n, %s, %n, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>, rhs_transposed}> : (!kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index, !kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index, !kernel.frag<array<i64: 64, 64>, f32, "wgmma">) -> (!kernel.frag<array<i64: 64, 64>, f32, "wgmma">, !kernel.token<"compute">)
    %j, %k = wgmma %s[%n], %s[%n] transposed, %i : frag<[64, 64], f32, wgmma>, token<compute>
    // CHECK: %l = const 1.0 : frag<[64, 64], f16, wgmma_a>
    // GENERIC: %l = "kernel.const"() <{value = 1.000000e+00 : f16}> : () -> !kernel.frag<array<i64: 64, 64>, f16, "wgmma_a">
    %l = const 1.0 : frag<[64, 64], f16, wgmma_a>
    // CHECK: %m, %o = wgmma %l, %s[%n], %j : frag<[64, 64], f32, wgmma>, token<compute>
    // GENERIC: %m, %o = "kernel.wgmma"(%l, %s, %n, %j) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 1>}> : (!kernel.frag<array<i64: 64, 64>, f16, "wgmma_a">, !kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index, !kernel.frag<array<i64: 64, 64>, f32, "wgmma">) -> (!kernel.frag<array<i64: 64, 64>, f32, "wgmma">, !kernel.token<"compute">)
    %m, %o = wgmma %l, %s[%n], %j : frag<[64, 64], f32, wgmma>, token<compute>
    // CHECK: %p, %q = wgmma %s[%n] transposed, %s[%n], %m : frag<[64, 64], f32, wgmma>, token<compute>
    // GENERIC: %p, %q = "kernel.wgmma"(%s, %n, %s, %n, %m) <{lhs_transposed, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index, !kernel.tile<2, array<i64: 64, 64>, f16, "swizzle 128">, index, !kernel.frag<array<i64: 64, 64>, f32, "wgmma">) -> (!kernel.frag<array<i64: 64, 64>, f32, "wgmma">, !kernel.token<"compute">)
    %p, %q = wgmma %s[%n] transposed, %s[%n], %m : frag<[64, 64], f32, wgmma>, token<compute>
    // CHECK: await %k, %o, %q
    // GENERIC: "kernel.await"(%k, %o, %q) : (!kernel.token<"compute">, !kernel.token<"compute">, !kernel.token<"compute">) -> ()
    await %k, %o, %q
  }
  // CHECK: return
  // GENERIC: "kernel.return"() : () -> ()
  return
}
