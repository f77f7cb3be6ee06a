// RUN: dlc-opt %s -o %t.before
// RUN: dlc-opt %s --widen-sums --statistics 2> %t.log | diff %t.before -
// RUN: FileCheck %s --input-file=%t.log --check-prefix=STAT
// STAT: 0 widened

// A maximum is exact in its own type; f32, f64 and integers are summed as they are.
region.func @others<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 2>, %S: memref<[M, K], f32, row_major, align 4>,
         %D: memref<[M, K], f64, row_major, align 8>, %I: memref<[M, K], i8, row_major, align 1>)
    outs (A: memref<[M], f16, row_major, align 2> materialize gmem, B: memref<[M], f32, row_major, align 4> materialize gmem,
          C: memref<[M], f64, row_major, align 8> materialize gmem, E: memref<[M], i8, row_major, align 1> materialize gmem) {
  %a = reduce max (k: K) acc f16 init -inf {
    %x = read %X[m, k] : f16 over (m, k)
    yield %x
  } : f16 over (m)
  %b = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %S[m, k] : f32 over (m, k)
    yield %x
  } : f32 over (m)
  %c = reduce sum (k: K) acc f64 init 0.0 {
    %x = read %D[m, k] : f64 over (m, k)
    yield %x
  } : f64 over (m)
  %e = reduce sum (k: K) acc i8 init 0 {
    %x = read %I[m, k] : i8 over (m, k)
    yield %x
  } : i8 over (m)
  yield %a to A, %b to B, %c to C, %e to E
}

// What a region combines says in which type.
region.func @combined<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 2>)
    outs (A: memref<[M], f16, row_major, align 2> materialize gmem) {
  %a = reduce (k: K) acc f16 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    yield %x
  } combine (%p: f16 over (m), %q: f16 over (m)) {
    %r = binary add %p, %q : f16 over (m)
    yield %r
  } : f16 over (m)
  yield %a to A
}
