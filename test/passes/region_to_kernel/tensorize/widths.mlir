// 'vectors' and 'vectorize' say how many elements an access takes at most: copies for tensor cores are laid out so, loads and
// stores take no more.

// RUN: dlc-opt %s --tensorize --verify-diagnostics --split-input-file --evaluate-each | FileCheck %s

// Sixteen bytes are eight elements. A thread has two neighbours of a result of mma.
// CHECK-LABEL: kernel.func @narrow
// CHECK: copy %A{{.*}} by blocked [1, 2] lanes
// CHECK: copy %B{{.*}} by blocked [1, 8] lanes
// CHECK: load %bias{{.*}} vector 1 : frag
// CHECK: store {{.*}} vector 1
region.func @narrow<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>,
         %bias: memref<[N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  %0 = read %bias[n] : f16 over (n)
  %1 = broadcast_in_dim %0 to [M, N] dims [1] : f16 over (m, n)
  %y = binary add %s, %1 : f32 over (m, n)
  yield %y to C as f16
}
plan.schedule of @narrow for sm80 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  assume (K: 8, N: 8)
  vectors (A: 2, bias: 1, C: 1)
}

// -----

// What is said along an axis is said of the tensors that are contiguous along it.
// CHECK-LABEL: kernel.func @along
// CHECK: copy %A{{.*}} by blocked [1, 8] lanes
// CHECK: copy %B{{.*}} by blocked [1, 4] lanes
region.func @along<M, N, K> iters (m: M, n: N)
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
plan.schedule of @along for sm80 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  assume (K: 8, N: 8)
  vectorize n.i by 4
}

// -----

// CHECK-LABEL: kernel.func @elements
// CHECK: load %X{{.*}} vector 2 : frag
// CHECK: store {{.*}} where (128*%{{.*}} < N){{$}}
region.func @elements<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %y = unary relu %x : f32 over (m, n)
  yield %y to Y
}
plan.schedule of @elements for sm80 {
  tile (m: 4, n: 128)
  thread_tile (n: 4)
  threads (m: 4, n: 32)
  assume (N: 4)
  vectors (X: 2, Y: 4)
}

// -----

// Rows of any length: what is cut apart at their ends is as wide as threads have it.
region.func @cut<N> iters (n: N) ins (%X: memref<[N], f32, row_major, align 16>)
    outs (Y: memref<[N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[n] : f32 over (n)
  %y = unary relu %x : f32 over (n)
  yield %y to Y
}
plan.schedule of @cut for sm80 {
  tile (n: 128)
  thread_tile (n: 4)
  threads (n: 32)
  // expected-warning@+1 {{E1614 'plan.schedule': 'vectors' of X: a thread takes 4 elements at once where the end of a row does not cut them apart}}
  vectors (X: 2)
}
