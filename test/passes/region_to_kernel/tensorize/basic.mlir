// What becomes of regions: elements, rows, products, windows, chains.

// RUN: dlc-opt %s --tiny-to-region --tensorize | FileCheck %s
// RUN: dlc-opt %s --tiny-to-region --tensorize --evaluate-each -o /dev/null

// Elements: the last axis as columns, the others flattened as rows, tails guarded.
// CHECK-LABEL: kernel.func private @gate_0<A, B, N>
// CHECK: grid (((A*B) ceildiv 4)*(N ceildiv 128)) threads 128 {
// CHECK: tile_order %tile of ((A*B) ceildiv 4, N ceildiv 128) rows
// CHECK: load %x[(4*%row + i0) floordiv B, (4*%row + i0) mod B, 128*%column + i1] where (4*%row + i0 < A*B, 128*%column + i1 < N) : frag<[4, 128], f16
// CHECK: load %g[(4*%row + i0) floordiv B, 128*%column + i1] where (4*%row + i0 < A*B, 128*%column + i1 < N) : frag<[4, 128], f16
// CHECK: store
tiny.func @gate<A, B, N>(%x: tensor<[A, B, N], f16>, %g: tensor<[A, 1, N], f16>) -> tensor<[A, B, N], f16> {
  %y = mul %x, %g
  return %y
}

// A row that fits is held whole: it is read once.
// CHECK-LABEL: kernel.func private @norm_0<M>
// CHECK-COUNT-1: load %x
// CHECK-NOT: for
// CHECK: reduce sum {{%.*}} along 1
// CHECK-NOT: load %x
// CHECK: store
tiny.func @norm<M>(%x: tensor<[M, 96], f32>) -> tensor<[M, 96], f32> {
  %q = mul %x, %x
  %s = reduce sum %q over [1]
  %r = reshape %s to [M, 1]
  %c = const 1.0 : tensor<[], f32>
  %t = add %r, %c
  %i = recip %t
  %y = mul %x, %i
  return %y
}

// One of unknown length is read by loops, again for each that needs it.
// CHECK-LABEL: kernel.func private @long_norm_0<M, N>
// CHECK: for %n = 0 to N step 256 carry
// CHECK: load %x
// CHECK: reduce sum {{%.*}} along 1
// CHECK: for %n{{.*}} = 0 to N step 256 {
// CHECK: load %x
// CHECK: store
tiny.func @long_norm<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %s = reduce sum %x over [1]
  %r = reshape %s to [M, 1]
  %y = sub %x, %r
  return %y
}

// A product of matrices: tiles in shared memory, those of the right one as they are contiguous.
// CHECK-LABEL: kernel.func private @product_0<M, N, K>
// CHECK: %rhs = shared : tile<[64, 32], f16, swizzle 64>
// CHECK: %lhs = shared : tile<[64, 32], f16, swizzle 64>
// CHECK: for %k = 0 to K step 32
// CHECK: copy %A[64*%row + i0, %k + i1] where (64*%row + i0 < M, %k + i1 < K) to %lhs
// CHECK: copy %B[64*%column + i0, %k + i1] where (64*%column + i0 < N, %k + i1 < K) to %rhs
// CHECK-NEXT: barrier
// CHECK: load_shared %rhs transposed : frag<[32, 64], f16, mma_b [2, 2]>
// CHECK-NEXT: mma
// CHECK-NEXT: barrier
// CHECK: load %bias[64*%column + i0] where (64*%column + i0 < N) : frag<[64], f32, slice 0 of (mma [2, 2])>
tiny.func @product<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[N, K], f16>, %bias: tensor<[N], f32>) -> tensor<[M, N], f16> {
  %s = contract %A [m, k], %B [n, k] to [m, n] acc f32
  %b = add %s, %bias
  %y = cast %b to f16
  return %y
}

// Axes of both operands are the blocks' number; of floats threads multiply.
// CHECK-LABEL: kernel.func private @batched_0<B, M, N, K>
// CHECK: %tile = block_id 0
// CHECK: index (%tile mod ((M ceildiv 64)*(N ceildiv 64)))
// CHECK: copy %X[%tile floordiv ((M ceildiv 64)*(N ceildiv 64)), 64*%row + i0, %k + i1]
// CHECK: fma
tiny.func @batched<B, M, N, K>(%X: tensor<[B, M, K], f32>, %W: tensor<[B, K, N], f32>) -> tensor<[B, M, N], f32> {
  %s = contract %X [b, m, k], %W [b, k, n] to [b, m, n] acc f32
  return %s
}

// A chain: the first product is computed by tiles where the second one needs them, and never leaves the block.
// CHECK-LABEL: kernel.func private @chain_0<M>
// CHECK: for %k = 0 to 48 step 32 carry
// CHECK: for %k{{.*}} = 0 to 32 step 32 carry
// CHECK: mma
// CHECK: store_shared
// CHECK: mma
// CHECK-NOT: kernel.func
tiny.func @chain<M>(%A: tensor<[M, 32], f16>, %B: tensor<[32, 48], f16>, %C: tensor<[48, 40], f16>) -> tensor<[M, 40], f16> {
  %s = contract %A [m, k], %B [k, n] to [m, n] acc f32
  %r = relu %s
  %h = cast %r to f16
  %t = contract %h [m, n], %C [n, o] to [m, o] acc f32
  %y = cast %t to f16
  return %y
}

// Positions that are values are guarded by themselves.
// CHECK-LABEL: kernel.func private @rows_of_0<I, V, N>
// CHECK: load %id[
// CHECK: broadcast
// CHECK: load %W[%{{.*}}, 128*%column + i1] where (0 <= %{{.*}} < V
tiny.func @rows_of<I, V, N>(%id: tensor<[I], i32>, %W: tensor<[V, N], f16>) -> tensor<[I, N], f16> {
  %y = index %W[%id]
  return %y
}

// A number without axes.
// CHECK-LABEL: kernel.func private @total_0<N>
// CHECK: grid (1) threads 128
// CHECK: store {{%.*}} to %y[] where (4*%tile + i0 < 1)
tiny.func @total<N>(%x: tensor<[N], f32>) -> tensor<[], f32> {
  %y = reduce sum %x over [0]
  return %y
}
