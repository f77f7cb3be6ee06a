// RUN: dlc-opt %s --verify-diagnostics --split-input-file --no-output

// What a mark 'deferred' says of a value, rule by rule. The first is as it should be.
region.func @good<M, H, N> iters (m: M, n: N)
    ins (%X: memref<[M, H], f32, row_major, align 4>, %B: memref<[H, N], f32, row_major, align 4>)
    outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, h] : f32 over (m, h)
  %t = unary relu %x {deferred} : f32 over (m, h)
  %b = read %B[h, n] : f32 over (n, h)
  %p = binary mul %t, %b widen : f32 over (m, n, h)
  %y = reduce sum (h: H) acc f32 init 0.0 { yield %p } : f32 over (m, n)
  yield %y to Y
}

// -----

region.func @with_a_value<M, H> iters (m: M)
    ins (%X: memref<[M, H], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, h] : f32 over (m, h)
  // expected-error@+1 {{'deferred' is a mark without value}}
  %t = unary relu %x {deferred = 2 : i64} : f32 over (m, h)
  %y = reduce sum (h: H) acc f32 init 0.0 { yield %t } : f32 over (m)
  yield %y to Y
}

// -----

region.func @several<M, H> iters (m: M)
    ins (%X: memref<[M, H], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, h] : f32 over (m, h)
  // expected-error@+1 {{one value is 'deferred', and this op has 2}}
  %a, %b = reduce sum (h: H) acc (f32, f32) init (0.0, 0.0) { yield %x, %x } {deferred} : f32 over (m), f32 over (m)
  %y = binary add %a, %b : f32 over (m)
  yield %y to Y
}

// -----

region.func @inside<M, H> iters (m: M)
    ins (%X: memref<[M, H], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %y = reduce sum (h: H) acc f32 init 0.0 {
    %x = read %X[m, h] : f32 over (m, h)
    // expected-error@+1 {{what is 'deferred' stands directly in the kernel}}
    %t = unary relu %x {deferred} : f32 over (m, h)
    yield %t
  } : f32 over (m)
  yield %y to Y
}

// -----

region.func @result<M, H> iters (m: M, h: H)
    ins (%X: memref<[M, H], f32, row_major, align 4>)
    outs (Y: memref<[M, H], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, h] : f32 over (m, h)
  // expected-error@+1 {{what is 'deferred' does not go to memory, but this is a result}}
  %t = unary relu %x {deferred} : f32 over (m, h)
  yield %t to Y
}

// -----

region.func @for_nothing<M> iters (m: M)
    ins (%X: memref<[M], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  // expected-error@+1 {{what is 'deferred' is for a reduction, and none is over one of its axes (m)}}
  %t = unary relu %x {deferred} : f32 over (m)
  %y = unary neg %t : f32 over (m)
  yield %y to Y
}
