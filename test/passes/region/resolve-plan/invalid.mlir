// Plans that contradict their kernel or do not fit the target are refused, with the clause and the nearest plan that fits.

// RUN: dlc-opt %s --resolve-plan --verify-diagnostics --split-input-file

// Tensor cores multiply 16-bit floats.
region.func @single<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f32, row_major, align 128>, %B: memref<[K, N], f32, row_major, align 128>)
    outs (C: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f32 over (m, k)
    %b = read %B[k, n] : f32 over (n, k)
    %ab = binary mul %a, %b : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
// expected-error@+1 {{E1605 'plan.schedule': 'instruction mma' is for factors of 8 or 16 bits, and those of the kernel are f32; 'as tf32x3' multiplies those three times as tf32}}
plan.schedule of @single for sm90 { tile (m: 64, n: 64, k: 32) instruction mma }

// -----

// An axis that the kernel does not have.
region.func @axis<M, N, K> iters (m: M, n: N)
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
// expected-error@+1 {{E1612 'plan.schedule': the plan has the axis 'x', and the axes of the kernel are m, n, k}}
plan.schedule of @axis for sm90 { tile (m: 64, x: 64) }

// -----

// It is the cause of what else does not fit the tile, and is reported alone; the axis that is left is the one that is meant.
region.func @cause<M, N, K> iters (m: M, n: N)
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
plan.schedule of @cause for sm90 {
  // expected-error@+1 {{E1612 'plan.schedule': the plan has the axis 'q', and the axes of the kernel are m, n, k; the nearest plan that fits has 'tile (m: 128, n: 128, k: 64)'}}
  tile (q: 128, n: 128, k: 64)
  instruction wgmma
  cluster (m: 2)
  predicate_tail [m, n, k]
}

// -----

// A tensor that it does not have.
region.func @tensor<M, N, K> iters (m: M, n: N)
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
// expected-error@+1 {{E1612 'plan.schedule': 'cache' has the tensor 'X', and those of the kernel are A, B, C}}
plan.schedule of @tensor for sm90 { tile (m: 64, n: 64, k: 32) instruction mma cache X in smem }

// -----

// The axes of a cached tensor are those that it is read along.
region.func @cached<M, N, K> iters (m: M, n: N)
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
// expected-error@+1 {{E1609 'plan.schedule': 'cache' says that A is read along (m, n), and it is along (m, k)}}
plan.schedule of @cached for sm90 { tile (m: 64, n: 64, k: 32) instruction mma cache A (m, n) f16 in smem }

// -----

// So is the type of its elements.
region.func @elements<M, N, K> iters (m: M, n: N)
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
// expected-error@+1 {{E1609 'plan.schedule': 'cache' says that A has elements of bf16, and they are f16}}
plan.schedule of @elements for sm90 { tile (m: 64, n: 64, k: 32) instruction mma cache A (m, k) bf16 in smem }

// -----

// What is said to be applied to the sums is computed.
region.func @applied<M, N, K> iters (m: M, n: N)
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
// expected-error@+1 {{E1609 'plan.schedule': 'epilogue' has 'relu', which the kernel does not compute}}
plan.schedule of @applied for sm90 { tile (m: 64, n: 64, k: 32) instruction mma epilogue [relu] }

// -----

// The layout of a result is the one that the kernel declares.
region.func @strided<M, N, K> iters (m: M, n: N)
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
// expected-error@+1 {{E1609 'plan.schedule': 'stride' says that C is 'col', and the kernel declares another layout}}
plan.schedule of @strided for sm90 { tile (m: 64, n: 64, k: 32) instruction mma stride (C: col) }

// -----

// Rings of roles have two tiles or more.
region.func @ring<M, N, K> iters (m: M, n: N)
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
// expected-error@+1 {{E1609 'plan.schedule': 'roles' exchange tiles in rings of 2 to 16, and 'stages' is 1}}
plan.schedule of @ring for sm90 { tile (m: 128, n: 128, k: 64) instruction wgmma stages 1 roles cooperative consumers 2 cache A in smem cache B in smem }

// -----

// Without roles four warps have all sums of a tile.
region.func @many_sums<M, N, K> iters (m: M, n: N)
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
// expected-error@+1 {{E1603 'plan.schedule': 128 x 256 take 256 registers of each thread besides some 24 more, and it has 255}}
plan.schedule of @many_sums for sm90 { tile (m: 128, n: 256, k: 64) instruction wgmma cache A in smem cache B in smem barrier mbarrier }

// -----

// The sums of two products are live together.
region.func @gated<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %G: memref<[K, N], f16, row_major, align 128>, %U: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %g = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %G[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  %u = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %U[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  %y = binary mul %g, %u : f32 over (m, n)
  yield %y to Y as f16
}
plan.schedule of @gated for sm90 {
  // expected-error@+1 {{E1603 'plan.schedule': 2 sums of 64 x 256 take 256 registers of each thread besides some 24 more, and it has 232; the nearest plan that fits has 'tile (m: 128, n: 128, k: 64)'}}
  tile (m: 128, n: 256, k: 64)
  instruction wgmma
  stages 2
  roles cooperative consumers 2
  registers (producer: 40, consumer: 232)
  cache X in smem
  cache G in smem
  cache U in smem
  barrier mbarrier
}

// -----

// What the plan leaves open is more than a thread has.
region.func @registers<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}
plan.schedule of @registers for sm80 {
  // expected-error@+1 {{E1603 'plan.schedule': each thread that computes holds 2048 registers of its tile and needs some 24 more, and it has 255; change the plan, or leave it out}}
  tile (m: 65536)
  cache x (m) f32 in reg
}

// -----

// The sums of a product in a row stay next to the sums of the last one, which they go into.
region.func @in_a_row<B, S, T> iters (b: B, s: S, i2: 64)
    ins (%Q: memref<[B, S, 64], f16, row_major, align 128, noalias>, %K: memref<[B, T, 64], f16, row_major, align 128, noalias>, %V: memref<[B, T, 64], f16, row_major, align 128, noalias>)
    outs (O: memref<[B, S, 64], f16, row_major, align 128, noalias> materialize gmem) {
  %0 = reduce sum (i4: 64) acc f32 init 0.0 {
    %1 = read %Q[b, s, i4] : f16 over (b, s, i4)
    %2 = read %K[b, t, i4] : f16 over (b, t, i4)
    %3 = binary mul %1, %2 widen : f32 over (b, s, t, i4)
    yield %3
  } : f32 over (b, s, t)
  %4 = const 0.125 : f32 over ()
  %5 = broadcast_in_dim %4 to [B, S, T] dims [] : f32 over (b, s, t)
  %6 = binary mul %0, %5 {deferred} : f32 over (b, s, t)
  %7:3 = reduce (t: T) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
    %8 = read %V[b, t, i2] : f16 over (b, i2, t)
    %one = const 1.0 : f32 over ()
    yield %6, %one, %8
  } combine (%part_0: f32 over (b, s), %part_0_0: f32 over (b, s), %part_0_1: f32 over (b, s, i2), %part_1: f32 over (b, s), %part_1_0: f32 over (b, s), %part_1_1: f32 over (b, s, i2)) {
    %top = binary max %part_0, %part_1 : f32 over (b, s)
    %one = const 1.0 : f32 over ()
    %scale = const 1.442695 : f32 over ()
    %below0 = binary sub %part_0, %top : f32 over (b, s)
    %scaled0 = binary mul %below0, %scale : f32 over (b, s)
    %power0 = unary exp2 %scaled0 : f32 over (b, s)
    %same0 = binary eq %part_0, %top : i1 over (b, s)
    %weight0 = select %same0, %one, %power0 : f32 over (b, s)
    %below1 = binary sub %part_1, %top : f32 over (b, s)
    %scaled1 = binary mul %below1, %scale : f32 over (b, s)
    %power1 = unary exp2 %scaled1 : f32 over (b, s)
    %same1 = binary eq %part_1, %top : i1 over (b, s)
    %weight1 = select %same1, %one, %power1 : f32 over (b, s)
    %left = binary mul %part_0_0, %weight0 : f32 over (b, s)
    %right = binary mul %part_1_0, %weight1 : f32 over (b, s)
    %both = binary add %left, %right : f32 over (b, s)
    %left_0 = binary mul %part_0_1, %weight0 : f32 over (b, s, i2)
    %right_0 = binary mul %part_1_1, %weight1 : f32 over (b, s, i2)
    %both_0 = binary add %left_0, %right_0 : f32 over (b, s, i2)
    yield %top, %both, %both_0
  } {fuse, reassoc} : f32 over (b, s), f32 over (b, s), f32 over (b, s, i2)
  %zero = binary sub %7, %7 : f32 over (b, s)
  %none = const 0.0 : f32 over ()
  %9 = broadcast_in_dim %none to [B, S] dims [] : f32 over (b, s)
  %defect = select where (1 <= T) then %zero else %9 : f32 over (b, s)
  %10 = binary add %7#1, %defect : f32 over (b, s)
  %11 = broadcast_in_dim %10 to [B, S, 64] dims [0, 1] : f32 over (b, s, i2)
  %12 = binary fdiv %7#2, %11 : f32 over (b, s, i2)
  yield %12 to O as f16
}
plan.schedule of @in_a_row for sm90 {
  // expected-error@+1 {{E1603 'plan.schedule': 192 x 64 take 96 registers of each thread, the sums of 192 x 128 before them 192, and some 24 more, and it has 160; the nearest plan that fits has 'tile (b: 1, s: 128, i2: 64, i4: 64, t: 64)'}}
  tile (b: 1, s: 192, i2: 64, i4: 64, t: 128)
  reduced [i4, t]
  instruction wgmma
  stages 4
  persistent sms
  roles cooperative consumers 1
  registers (producer: 32, consumer: 160)
  cache Q (b, s, i4) f16 in smem buffers 2
  cache K (b, t, i4) f16 in smem
  cache V (b, t, i2) f16 in smem
  predicate_tail [s, t]
  barrier mbarrier
  async overlap_epilogue
  in_flight 1
  epilogue [sub, add, fdiv]
  store tma panels 2 together 1
}

// -----

// What is computed, and how, is what the kernel is.
region.func @algorithm<M, N, K> iters (m: M, n: N)
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
plan.schedule of @algorithm for sm80 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{E1609 'plan.schedule': 'algo' speaks of 'attention', which the kernel does not compute; the nearest plan that fits has no 'algo'}}
  algo (attention: streaming)
}

// -----

region.func @way<M, N, K> iters (m: M, n: N)
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
plan.schedule of @way for sm80 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{E1609 'plan.schedule': 'algo' has 'matmul: winograd', and the ways are implicit_gemm; the nearest plan that fits has no 'algo'}}
  algo (matmul: winograd)
}

// -----

region.func @choice<M, N, K> iters (m: M, n: N)
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
plan.schedule of @choice for sm80 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{E1609 'plan.schedule': no pass has the choice 'lazy: 8': there are matmul, conv, attention, load_X (padded, im2col, window) and stagger_k; the nearest plan that fits has no 'algo'}}
  algo (lazy: 8)
}

// -----

region.func @loaded<M, N, K> iters (m: M, n: N)
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
plan.schedule of @loaded for sm80 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{E1612 'plan.schedule': 'algo' has the tensor 'X', and those of the kernel are A, B, C}}
  algo (load_X: padded)
}

// -----

// A tile is exchanged in the loop that its positions change in.
region.func @exchanged<M, N, K> iters (m: M, n: N)
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
plan.schedule of @exchanged for sm80 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{E1609 'plan.schedule': 'cache' exchanges A at m.i, and its positions change along (k); the nearest plan that fits has 'cache A (m, k) in smem at k.i'}}
  cache A (m, k) in smem at m.i
}

// -----

// Only tensors come through rings of shared memory, and these are as long as the ring of the tensor.
region.func @edge<M, N, K> iters (m: M, n: N)
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
plan.schedule of @edge for sm80 {
  tile (m: 64, n: 64, k: 32)
  // expected-error@+1 {{E1609 'plan.schedule': 'edge' has s in a ring of shared memory, and it stays in registers; the nearest plan that fits has 'edge s to C in reg'}}
  edge s to C in smem_ring depth 2
}

// -----

region.func @ring<M, N, K> iters (m: M, n: N)
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
plan.schedule of @ring for sm80 {
  tile (m: 64, n: 64, k: 32)
  stages 3
  cache A (m, k) f16 in smem
  // expected-error@+1 {{E1609 'plan.schedule': 'edge' has a ring of 2 tiles of A, and its ring has 3; the nearest plan that fits has 'edge A to mul in smem_ring depth 3'}}
  edge A to mul in smem_ring depth 2
}
