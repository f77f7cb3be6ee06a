// What cannot be divided among blocks is done as without the clause, and said.

// RUN: dlc-opt %s --pass-pipeline=tensorize,kernel-schedule --verify-diagnostics --split-input-file

region.func @cluster<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 128>)
    outs (Y: memref<[M], i32, row_major, align 128> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %n = index (n) : i32 over (n)
  %top, %at = reduce (n: N) acc (f32, i32) init (-inf, 2147483647) {
    yield %x, %n
  } combine (%x0: f32 over (m), %n0: i32 over (m), %x1: f32 over (m), %n1: i32 over (m)) {
    %first = binary gt %x0, %x1 : i1 over (m)
    %second = binary gt %x1, %x0 : i1 over (m)
    %least = binary min %n0, %n1 : i32 over (m)
    %right = select %second, %n1, %least : i32 over (m)
    %place = select %first, %n0, %right : i32 over (m)
    %most = binary max %x0, %x1 : f32 over (m)
    yield %most, %place
  } : f32 over (m), i32 over (m)
  yield %at to Y
}
plan.schedule of @cluster for sm90 {
  // expected-warning@+1 {{E1614 'plan.schedule': 'split_k': parts that a region combines come together through memory, in order, and not 'through cluster'}}
  split_k 4 along n through cluster
}

// -----

region.func @short<M> iters (m: M)
    ins (%X: memref<[M, 1], f32, row_major, align 128>)
    outs (Y: memref<[M], i32, row_major, align 128> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %n = index (n) : i32 over (n)
  %top, %at = reduce (n: 1) acc (f32, i32) init (-inf, 2147483647) {
    yield %x, %n
  } combine (%x0: f32 over (m), %n0: i32 over (m), %x1: f32 over (m), %n1: i32 over (m)) {
    %first = binary gt %x0, %x1 : i1 over (m)
    %second = binary gt %x1, %x0 : i1 over (m)
    %least = binary min %n0, %n1 : i32 over (m)
    %right = select %second, %n1, %least : i32 over (m)
    %place = select %first, %n0, %right : i32 over (m)
    %most = binary max %x0, %x1 : f32 over (m)
    yield %most, %place
  } : f32 over (m), i32 over (m)
  yield %at to Y
}
plan.schedule of @short for sm90 {
  // expected-warning@+2 {{E1614 'plan.schedule': 'split_k': the reduction is not divided: the loop has 1 steps}}
  // expected-warning@+1 {{'split_k': the sum is not split: a value that the loop carries is no sum}}
  split_k 4 along n
}

// -----

region.func @twice<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 128>)
    outs (Y: memref<[M], i32, row_major, align 128> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %n = index (n) : i32 over (n)
  %top, %at = reduce (n: N) acc (f32, i32) init (-inf, 2147483647) {
    yield %x, %n
  } combine (%x0: f32 over (m), %n0: i32 over (m), %x1: f32 over (m), %n1: i32 over (m)) {
    %first = binary gt %x0, %x1 : i1 over (m)
    %second = binary gt %x1, %x0 : i1 over (m)
    %least = binary min %n0, %n1 : i32 over (m)
    %right = select %second, %n1, %least : i32 over (m)
    %place = select %first, %n0, %right : i32 over (m)
    %most = binary max %x0, %x1 : f32 over (m)
    yield %most, %place
  } : f32 over (m), i32 over (m)
  %low = reduce min (n: N) acc f32 init inf {
    yield %x
  } : f32 over (m)
  %bits = cast bits %low : i32 over (m)
  %both = binary add %at, %bits : i32 over (m)
  yield %both to Y
}
plan.schedule of @twice for sm90 {
  // expected-warning@+2 {{E1614 'plan.schedule': 'split_k': the reduction is not divided: another reduction goes along 'n', too}}
  // expected-warning@+1 {{'split_k': the sum is not split: a value that the loop carries is no sum}}
  split_k 4 along n
}
