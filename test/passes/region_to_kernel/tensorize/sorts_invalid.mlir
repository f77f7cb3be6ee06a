// RUN: dlc-opt %s --tensorize --split-input-file --verify-diagnostics

// expected-error@+1 {{rows of N positions are sorted whole, and a block has 8192 at most}}
region.func @any_length<N> iters (n: N)
    ins (%X: memref<[N], f32, row_major, align 16>)
    outs (Y: memref<[N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[n] : f32 over (n)
  %s = sort %x along n : f32 over (n)
  yield %s to Y
}

// -----

// expected-error@+1 {{48 positions are sorted together: a block sorts a power of two up to 8192}}
region.func @three_quarters<N> iters (n: N)
    ins (%X: memref<[N], f32, row_major, align 16>)
    outs (Y: memref<[N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[n] : f32 over (n)
  %s = sort %x along n every 48 : f32 over (n)
  yield %s to Y
}

// -----

// expected-error@+1 {{it has a sort and a reduction or a scan, and a kernel has one of them}}
region.func @sort_and_scan<N> iters (n: N)
    ins (%X: memref<[N], f32, row_major, align 16>)
    outs (Y: memref<[N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[n] : f32 over (n)
  %s = sort %x along n every 64 : f32 over (n)
  %t = scan sum %s along n : f32 over (n)
  yield %t to Y
}
