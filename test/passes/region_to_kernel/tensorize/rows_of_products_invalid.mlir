// Plans for rows of a product that are reduced next, and that no tile can hold.

// RUN: dlc-opt %s --tensorize --verify-diagnostics --split-input-file

region.func @narrow<M, K> iters (m: M, n: 100)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[100, K], f16, row_major, align 128>)
    outs (Y: memref<[M, 100], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[n, k] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %top = reduce max (n: 100) acc f32 init -inf {
    yield %s
  } : f32 over (m)
  %y = binary sub %s, %top : f32 over (m, n)
  yield %y to Y
}
plan.schedule of @narrow for sm80 {
  // expected-error@+1 {{E1601 'plan.schedule': the 100 columns along 'n' are reduced after the product, and the tile has 64 of them; the nearest plan that fits has 'tile (m: 64, n: 128, k: 32)'}}
  tile (m: 64, n: 64, k: 32)
  instruction mma
}

// -----

region.func @wide<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[500, K], f16, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %top = reduce max (n: 500) acc f32 init -inf {
    %s = reduce sum (k: K) acc f32 init 0.0 {
      %x = read %X[m, k] : f16 over (m, k)
      %w = read %W[n, k] : f16 over (n, k)
      %p = binary mul %x, %w widen : f32 over (m, n, k)
      yield %p
    } : f32 over (m, n)
    yield %s
  } : f32 over (m)
  yield %top to Y
}
plan.schedule of @wide for sm80 {
  // expected-error@+1 {{E1603 'plan.schedule': 64 x 512, rows that are reduced after the product, take 256 registers of each thread besides some 24 more, and it has 255: rows of 456 columns along 'n' would fit; the nearest plan that fits has 'tile (m: 32, n: 512, k: 32)'}}
  tile (m: 64, n: 512, k: 32)
  instruction mma
}

// -----

// Two values of each row are there at once, the product and what it is compared with.
region.func @two<M, K> iters (m: M, n: 256)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[256, K], f16, row_major, align 128>,
         %R: memref<[M, 256], f32, row_major, align 128>)
    outs (Y: memref<[M, 256], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[n, k] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %r = read %R[m, n] : f32 over (m, n)
  %t = binary add %s, %r : f32 over (m, n)
  %top = reduce max (n: 256) acc f32 init -inf {
    yield %t
  } : f32 over (m)
  %e = binary sub %t, %top : f32 over (m, n)
  %y = binary mul %e, %s : f32 over (m, n)
  yield %y to Y
}
plan.schedule of @two for sm90 {
  // expected-error@+1 {{E1603 'plan.schedule': 2 values of 64 x 256, rows that are reduced after the product, take 256 registers of each thread besides some 24 more, and it has 232: rows of 208 columns along 'n' would fit}}
  tile (m: 64, n: 256, k: 64)
  instruction wgmma
  stages 2
  roles cooperative consumers 1
  cache X (m, k) f16 in smem
  cache W (n, k) f16 in smem
  barrier mbarrier
}

// -----

region.func @symbol<M, N, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[N, K], f16, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %top = reduce max (n: N) acc f32 init -inf {
    %s = reduce sum (k: K) acc f32 init 0.0 {
      %x = read %X[m, k] : f16 over (m, k)
      %w = read %W[n, k] : f16 over (n, k)
      %p = binary mul %x, %w widen : f32 over (m, n, k)
      yield %p
    } : f32 over (m, n)
    yield %s
  } : f32 over (m)
  yield %top to Y
}
plan.schedule of @symbol for sm80 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{E1605 'plan.schedule': 'instruction mma': the rows of N columns are reduced after the product, and a tile holds rows of a known number of columns; the nearest plan that fits has no 'instruction'}}
  instruction mma
}

// -----

region.func @swapped<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[64, K], f16, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %top = reduce max (n: 64) acc f32 init -inf {
    %s = reduce sum (k: K) acc f32 init 0.0 {
      %x = read %X[m, k] : f16 over (m, k)
      %w = read %W[n, k] : f16 over (n, k)
      %p = binary mul %x, %w widen : f32 over (m, n, k)
      yield %p
    } : f32 over (m, n)
    yield %s
  } : f32 over (m)
  yield %top to Y
}
plan.schedule of @swapped for sm80 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  // expected-error@+1 {{E1609 'plan.schedule': 'swap_operands': 'n' is reduced after the product, along the columns of its tile; the nearest plan that fits has no 'swap_operands'}}
  swap_operands
}
