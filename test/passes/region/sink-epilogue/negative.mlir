// RUN: dlc-opt %s --sink-epilogue | FileCheck %s

// Nothing stands between that should not: without a reduction the order stays, and a cast of bits, one that is used
// twice and one that is not last are no rounding of the yield.
// CHECK-LABEL: region.func @no_reduction
// CHECK: %x = read
// CHECK-NEXT: %y = read
// CHECK-NEXT: %a = unary sqrt %y
// CHECK-NEXT: %c = cast %x : f16 over (m)
// CHECK-NEXT: %d = binary add %c, %a : f32 over (m)
// CHECK-NEXT: %b = cast bits %d : i32 over (m)
// CHECK-NEXT: yield %c to A, %b to B
region.func @no_reduction<M> iters (m: M)
    ins (%X: memref<[M], f32>, %Y: memref<[M], f32>)
    outs (A: memref<[M], f16> materialize gmem, B: memref<[M], i32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  %y = read %Y[m] : f32 over (m)
  %a = unary sqrt %y : f32 over (m)
  %c = cast %x : f16 over (m)
  %d = binary add %c, %a : f32 over (m)
  %b = cast bits %d : i32 over (m)
  yield %c to A, %b to B
}

// What is yielded is rounded once: a second cast stays.
// CHECK-LABEL: region.func @rounded_already
// CHECK: %h = cast %x : f16 over (m)
// CHECK-NEXT: yield %h to A as f32
region.func @rounded_already<M> iters (m: M)
    ins (%X: memref<[M], f32>) outs (A: memref<[M], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  %h = cast %x : f16 over (m)
  yield %h to A as f32
}

// What the body of a reduction uses stays before it, and what nothing uses stays where it is.
// CHECK-LABEL: region.func @used_in_body
// CHECK: %s = read %S
// CHECK-NEXT: %unused = read %S
// CHECK-NEXT: %a = reduce
region.func @used_in_body<M, K> iters (m: M)
    ins (%X: memref<[M, K], f32>, %S: memref<[M], f32>) outs (A: memref<[M], f32> materialize gmem) {
  %s = read %S[m] : f32 over (m)
  %unused = read %S[m] : f32 over (m)
  %a = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %p = binary add %x, %s : f32 over (m, k)
    yield %p
  } : f32 over (m)
  %b = binary add %a, %s : f32 over (m)
  yield %b to A
}
