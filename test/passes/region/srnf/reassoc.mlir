// RUN: dlc-opt %s --srnf=reassoc --evaluate-each | snapshot %s
// RUN: dlc-opt %s --srnf --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK

// In real arithmetic a sum of sums is one sum, and a factor is applied once. The marks say so. A scaled sum needs no n.
// REMARK-DAG: R0: a sum of sums rounds each of them; 'reassoc' allows to round once
// REMARK-DAG: R1: 'mul' by what does not change stays; 'reassoc' allows to do it once
// REMARK-DAG: R1: 'fdiv' by what does not change stays; 'reassoc' allows to do it once
// REMARK-DAG: R1: 'add' by what does not change stays; 'reassoc' allows to do it once
region.func @sums<M, N, J, K> iters (m: M, n: N)
    ins (%X: memref<[M, J, K], f16>, %C: memref<[N], f16>, %D: memref<[M], f32>)
    outs (Y: memref<[M, N], f32> materialize gmem, Z: memref<[M], f32> materialize gmem) {
  %c = read %C[n] : f16 over (n)
  %d = read %D[m] : f32 over (m)
  %a = reduce sum (j: J) acc f32 init 0.0 {
    %b = reduce sum (k: K) acc f32 init 0.0 {
      %x = read %X[m, j, k] : f16 over (m, j, k)
      %p = binary mul %x, %c widen : f32 over (m, n, j, k)
      yield %p
    } : f32 over (m, n, j)
    yield %b
  } : f32 over (m, n)
  %u = reduce sum (j: J) acc f32 init 0.0 {
    %x = read %X[m, j, 0] where (0 < K) : f16 over (m, j)
    %p = binary fdiv %x, %d : f32 over (m, j)
    yield %p
  } : f32 over (m)
  %v = reduce max (j: J) acc f32 init -inf {
    %x = read %X[m, j, 0] where (0 < K) : f16 over (m, j)
    %p = binary add %x, %d : f32 over (m, j)
    yield %p
  } : f32 over (m)
  %w = binary add %u, %v : f32 over (m)
  yield %a to Y, %w to Z
}

// A sum without its inner factor merges with one that has a factor between.
region.func @through<M, J, K> iters (m: M)
    ins (%X: memref<[M, J, K], f32>, %D: memref<[M], f32>)
    outs (Y: memref<[M], f32> materialize gmem) {
  %d = read %D[m] : f32 over (m)
  %a = reduce sum (j: J) acc f32 init 0.0 {
    %b = reduce sum (k: K) acc f32 init 0.0 {
      %x = read %X[m, j, k] : f32 over (m, j, k)
      yield %x
    } : f32 over (m, j)
    %p = binary mul %d, %b : f32 over (m, j)
    yield %p
  } : f32 over (m)
  yield %a to Y
}

// EXPECT:
// module {
//   region.func @sums<M, N, J, K> iters (m: M, n: N)
//     ins (%X: memref<[M, J, K], f16, row_major, align 2>, %C: memref<[N], f16, row_major, align 2>, %D: memref<[M], f32, row_major, align 4>)
//     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem, Z: memref<[M], f32, row_major, align 4> materialize gmem) {
//     %c = read %C[n] : f16 over (n)
//     %d = read %D[m] : f32 over (m)
//     %a = reduce sum (j: J, k: K) acc f32 init 0.0 {
//       %x = read %X[m, j, k] : f16 over (m, j, k)
//       yield %x
//     } {reassoc} : f32 over (m)
//     %p = binary mul %a, %c {reassoc} : f32 over (m, n)
//     %u = reduce sum (j: J) acc f32 init 0.0 {
//       %x = read %X[m, j, 0] where (1 <= K) : f16 over (m, j)
//       yield %x
//     } : f32 over (m)
//     %p_0 = binary fdiv %u, %d {reassoc} : f32 over (m)
//     %v = reduce max (j: J) acc f32 init -inf {
//       %x = read %X[m, j, 0] where (1 <= K) : f16 over (m, j)
//       yield %x
//     } : f32 over (m)
//     %p_1 = binary add %v, %d {reassoc} : f32 over (m)
//     %w = binary add %p_0, %p_1 : f32 over (m)
//     yield %p to Y, %w to Z
//   }
//   region.func @through<M, J, K> iters (m: M)
//     ins (%X: memref<[M, J, K], f32, row_major, align 4>, %D: memref<[M], f32, row_major, align 4>)
//     outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
//     %d = read %D[m] : f32 over (m)
//     %a = reduce sum (j: J, k: K) acc f32 init 0.0 {
//       %x = read %X[m, j, k] : f32 over (m, j, k)
//       yield %x
//     } {reassoc} : f32 over (m)
//     %p = binary mul %d, %a {reassoc} : f32 over (m)
//     yield %p to Y
//   }
// }
