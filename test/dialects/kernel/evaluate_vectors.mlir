// What vectors promise is held against the sizes of a run, and where it holds they change no number.

// RUN: dlc-run %s --function=rows --shape=M=3,K=8 -o %t.vector.npy
// RUN: dlc-run %s --function=single --shape=M=3,K=8 -o %t.single.npy
// RUN: cmp %t.vector.npy %t.single.npy
// RUN: not dlc-run %s --function=rows --shape=M=3,K=9 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not dlc-run %s --function=rows --shape=M=3,K=6 2>&1 | FileCheck %s --check-prefix=GUARD
// RUN: not dlc-run %s --function=stores --shape=M=3,K=6 2>&1 | FileCheck %s --check-prefix=STORES
// RUN: not dlc-run %s --function=copies --shape=M=3,K=6 2>&1 | FileCheck %s --check-prefix=COPIES

// Where K is nine, the second row begins in the middle of a vector; where it is six, the first one ends there.
// ROWS: 'kernel.load': 4 elements are taken at once from number 9 on, which is no multiple
// GUARD: 'kernel.load': of 4 elements that are taken at once, some are outside of the guard
kernel.func @rows<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K], f32, row_major, align 16> {
  %y = output : memref<[M, K], f32, row_major, align 16>
  grid (M) threads 32 {
    %m = block_id 0
    %v = load %x[%m, i0] where (i0 < K) vector 4 : frag<[8], f32, blocked [4] lanes [32] warps [1]>
    store %v to %y[%m, i0] where (i0 < K) vector 4
  }
  return %y
}

kernel.func @single<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K], f32, row_major, align 16> {
  %y = output : memref<[M, K], f32, row_major, align 16>
  grid (M) threads 32 {
    %m = block_id 0
    %v = load %x[%m, i0] where (i0 < K) : frag<[8], f32, blocked [4] lanes [32] warps [1]>
    store %v to %y[%m, i0] where (i0 < K)
  }
  return %y
}

// Pairs are right to load; what is stored begins at each row plus three.
// STORES: 'kernel.store': 2 elements are taken at once from number 3 on, which is no multiple
kernel.func @stores<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K + 3], f32, strided [K + 3, 1] offset 3, align 16> {
  %y = output : memref<[M, K + 3], f32, strided [K + 3, 1] offset 3, align 16>
  grid (M) threads 32 {
    %m = block_id 0
    %v = load %x[%m, i0] where (i0 < K) vector 2 : frag<[8], f32, blocked [4] lanes [32] warps [1]>
    store %v to %y[%m, i0] where (i0 < K) vector 2
  }
  return %y
}

// COPIES: 'kernel.copy': of 4 elements that are taken at once, some are outside of the guard
kernel.func @copies<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K], f32> {
  %y = output : memref<[M, K], f32>
  grid (1) threads 32 {
    %t = shared : tile<[4, 8], f32, row_major>
    copy %x[i0, i1] where (i0 < M, i1 < K) to %t by blocked [1, 4] lanes [16, 2] warps [1, 1] vector 4
    barrier
    %v = load_shared %t : frag<[4, 8], f32, blocked [1, 4] lanes [16, 2] warps [1, 1]>
    store %v to %y[i0, i1] where (i0 < M, i1 < K)
  }
  return %y
}
