// RUN: dlc-opt %s --tensorize --verify-diagnostics --split-input-file

// expected-error@+1 {{E1710 'region.func': its scans go along several axes, or in different ways: a kernel goes along one in one}}
region.func @several_axes<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = scan sum %x along n : f32 over (m, n)
  %t = scan sum %s along m : f32 over (m, n)
  yield %t to Y
}

// -----

// expected-error@+1 {{E1710 'region.func': it has a scan and a reduction, and a kernel has one of both}}
region.func @with_a_reduction<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = scan sum %x along n : f32 over (m, n)
  %r = reduce sum (k: N) acc f32 init 0.0 {
    %z = read %X[m, k] : f32 over (m, k)
    yield %z
  } : f32 over (m)
  %y = binary add %s, %r : f32 over (m, n)
  yield %y to Y
}

// -----

// expected-error@+1 {{E1710 'region.func': 100 positions are scanned together: a power of two from 32 on is a number of tiles}}
region.func @an_odd_group<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = scan sum %x along n every 100 : f32 over (m, n)
  yield %s to Y
}
