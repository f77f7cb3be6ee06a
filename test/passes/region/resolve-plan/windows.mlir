// Windows of pixels that cannot stay in shared memory are refused, with the reason and the nearest plan that fits.

// RUN: dlc-opt %s --resolve-plan --verify-diagnostics --split-input-file

// With a stride the pixels of one place are no neighbours.
region.func @strided<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 13, 29, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, 2*h + r, 2*w + s, c] : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @strided for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  // expected-error@+1 {{E1609 'plan.schedule': 'algo (load_X: window)': it is not read at}}
  algo (load_X: window)
}

// -----

// 'ldmatrix' reads rows of a fragment each for itself, but no fragment lies as pixels do.
region.func @by_mma<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @by_mma for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction mma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  // expected-error@+1 {{E1609 'plan.schedule': 'algo (load_X: window)': only 'wgmma' reads shared memory from any pixel on}}
  algo (load_X: window)
}

// -----

// Rows of the tile are too short for what windows reach beyond the last result.
region.func @short_rows<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @short_rows for sm90 {
  tile (n: 1, h: 2, w: 14, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  // expected-error@+1 {{E1601 'plan.schedule': 'algo (load_X: window)': a row of the tile has the 14 results along 'w' and what windows reach beyond them, 16 to 256 pixels, and the plan's 14; the nearest plan that fits has}}
  algo (load_X: window)
}

// -----

// A tile has all places.
region.func @one_place<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @one_place for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 3, s: 1, c: 64)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  // expected-error@+1 {{E1601 'plan.schedule': 'algo (load_X: window)': a tile has all 3 places of the window along 's', and the plan's 1; the nearest plan that fits has}}
  algo (load_X: window)
}

// -----

// A pixel is a row of one swizzle.
region.func @wide_pixels<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @wide_pixels for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 3, s: 3, c: 128)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  // expected-error@+1 {{E1601 'plan.schedule': 'algo (load_X: window)': a pixel has 32, 64 or 128 bytes in the tile, and the plan's 256 along 'c'}}
  algo (load_X: window)
}

// -----

// Each place is an instruction.
region.func @many_places<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 64], f16, row_major, align 128>, %F: memref<[64, 7, 7, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 7, s: 7, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 3, w + s - 3, c] where (0 <= h + r - 3 < 6, 0 <= w + s - 3 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @many_places for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 7, s: 7, c: 16)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  // expected-error@+1 {{E1609 'plan.schedule': 'algo (load_X: window)': the window has up to 25 places}}
  algo (load_X: window)
}

// -----

// Blocks of a cluster load parts of boxes for each other.
region.func @clustered<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @clustered for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  // expected-error@+1 {{E1609 'plan.schedule': 'algo (load_X: window)': 'cluster' is for tiles whose steps are boxes of one place}}
  algo (load_X: window)
  cluster (h: 2)
}

// -----

// Images follow each other without the zeros between them.
region.func @images<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @images for sm90 {
  tile (n: 2, h: 2, w: 16, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  // expected-error@+1 {{E1609 'plan.schedule': 'algo (load_X: window)': a side of the tile is of pixels along 'h' and 'w' alone}}
  algo (load_X: window)
}

// -----

// An instruction begins at any pixel where each is one row of the swizzle.
region.func @parts_of_pixels<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @parts_of_pixels for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  swizzle (X: 64)
  // expected-error@+1 {{E1609 'plan.schedule': 'algo (load_X: window)': a pixel is one row of the swizzle, of 128 bytes, and the plan's are 64}}
  algo (load_X: window)
}

// -----

// So it is with filters.
region.func @parts_of_filters<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @parts_of_filters for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  swizzle (X: 128, F: 64)
  // expected-error@+1 {{E1609 'plan.schedule': 'algo (load_X: window)': rows of 'F' are rows of the swizzle, of 128 bytes, and the plan's are 64}}
  algo (load_X: window)
}

// -----

// A row of the tile is as long as one of the results, so a symbol is no length.
region.func @rows_of_any_length<N, W> iters (n: N, h: 6, w: W, o: 64)
    ins (%X: memref<[N, 6, W, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, W, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < W) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @rows_of_any_length for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  // expected-error@+1 {{E1609 'plan.schedule': 'algo (load_X: window)': a tile has whole rows of up to 256 pixels, as a number, along 'w'; 'fix (W: ..)' makes it one}}
  algo (load_X: window)
}
