// A clause that changes nothing is a warning in a plan for one target, and a remark in one for several.

// RUN: dlc-opt %s --tensorize --verify-diagnostics --split-input-file

region.func @one<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @one for sm90 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  // expected-warning@+1 {{E1614 'plan.schedule': 'threads' of the plan changes nothing: 'mma' decides which elements a thread has}}
  threads (m: 4, n: 32)
  // expected-warning@+1 {{E1614 'plan.schedule': a thread copies 1 of the 8 elements of B at once, as far as sizes and alignment say}}
  vectorize n.i by 8
  algo (matmul: implicit_gemm)
}

// -----

region.func @several<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @several for sm80 or sm90 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  threads (m: 4, n: 32)
}

// -----

// Places and widths that the kernel has not, rings that only roles have, warps of wgmma.
region.func @places<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @places for sm80 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  // expected-warning@+1 {{E1614 'plan.schedule': 'bind' of the plan changes nothing: tiles are counted along one axis of blocks, and warps follow from the tile (thread.x)}}
  bind (m.o: block.y, n.o: block.x, m.i.o: warp.y, n.i.o: warp.x, m.i.i: thread.x)
  // expected-warning@+1 {{E1614 'plan.schedule': 'cache' of the plan changes nothing: without 'roles' the ring of A has 'stages' tiles, 1}}
  cache A (m, k) f16 in smem buffers 3
  // expected-warning@+1 {{E1614 'plan.schedule': a thread copies 1 of the 4 elements of B at once, as far as sizes and alignment say}}
  vectorize n.i by 4
}

// -----

region.func @groups<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @groups for sm90 {
  tile (m: 64, n: 64, k: 32)
  instruction wgmma
  // expected-warning@+1 {{E1614 'plan.schedule': 'warps' of the plan changes nothing: four warps of each consumer multiply 64 rows by 'wgmma'}}
  warps (m: 2, n: 4)
}

// -----

// The producer and two consumers are 384 threads, which share the registers of an SM.
region.func @registers<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @registers for sm90 {
  tile (m: 128, n: 64, k: 64)
  instruction wgmma
  stages 4
  roles cooperative consumers 2
  // expected-warning@+1 {{E1614 'plan.schedule': 'registers (thread: 200)': threads without registers of their roles have what a block of theirs starts with, 168}}
  registers (thread: 200)
  barrier mbarrier
}

// -----

// Rows and elements have a grid of threads.
region.func @elements<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %y = unary relu %x : f32 over (m, n)
  yield %y to Y
}
plan.schedule of @elements for sm90 {
  tile (m: 4, n: 256)
  // expected-warning@+1 {{E1614 'plan.schedule': 'warps' of the plan changes nothing: 'threads' and 'thread_tile' say how a tile without a product is shared}}
  warps (m: 2, n: 2)
  thread_tile (n: 4)
  threads (m: 4, n: 32)
  // expected-warning@+1 {{E1614 'plan.schedule': 'unroll' of the plan changes nothing: a thread goes 2 times along 'n', in line}}
  unroll (n: 8)
}

// -----

// A tensor is not taken for the padded rows of another one, whatever its name.
region.func @product<M> iters (m: M, n: 256)
    ins (%x_rows: memref<[M, 256], f16, row_major, align 128>, %w: memref<[256, 256], f16, row_major, align 128>)
    outs (y: memref<[M, 256], f16, row_major, align 128> materialize gmem) {
  %p = reduce sum (k: 256) acc f32 init 0.0 {
    %a = read %x_rows[m, k] : f16 over (m, k)
    %b = read %w[k, n] : f16 over (n, k)
    %0 = binary mul %a, %b widen : f32 over (m, n, k)
    yield %0
  } : f32 over (m, n)
  yield %p to y as f16
}
plan.schedule of @product for sm80 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  stages 2
  cache x_rows (m, k) f16 in smem
  cache w (k, n) f16 in smem
  barrier cp_async_group
}
