// Elements that lie a few apart in memory, or begin between two vectors of it, are loaded by the vectors that they are part
// of, if rows are whole vectors and the guard is the same for all elements of each.

// RUN: dlc-opt %s --pass-pipeline='kernel-to-ptx,cse,dce' --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

!out = frag<[256], f16, blocked [8] lanes [32] warps [1]>

// Eight neighbours one element earlier are in two vectors, of which the first is whole before the row begins or not there.
// With those one element later they are in three.
// CHECK-LABEL: ptx.func @next_to_each_other
// CHECK-COUNT-3: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
kernel.func @next_to_each_other<N>(%X: memref<[N], f16, row_major, align 16>) -> memref<[N], f16, row_major, align 16> {
  require (N mod 8 == 0)
  %Y = output : memref<[N], f16, row_major, align 16>
  grid (N ceildiv 256) threads 32 {
    %b = block_id 0
    %x = load %X[256 * %b + i0 - 1] where (0 <= 256 * %b + i0 - 1 < N) : !out
    %y = load %X[256 * %b + i0 + 1] where (0 <= 256 * %b + i0 + 1 < N) : !out
    %z = binary add %x, %y : !out
    store %z to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}

// Every second element: sixteen of them in two vectors.
// CHECK-LABEL: ptx.func @every_second
// CHECK-COUNT-2: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
kernel.func @every_second<N>(%X: memref<[2*N], f16, row_major, align 16>) -> memref<[N], f16, row_major, align 16> {
  require (N mod 8 == 0)
  %Y = output : memref<[N], f16, row_major, align 16>
  grid (N ceildiv 256) threads 32 {
    %b = block_id 0
    %x = load %X[512 * %b + 2*i0 + 1] where (0 <= 512 * %b + 2*i0 + 1 < 2*N) : !out
    store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}

// What is outside is the number that the load gives.
// CHECK-LABEL: ptx.func @filled
// CHECK-COUNT-2: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
kernel.func @filled<N>(%X: memref<[N], f16, row_major, align 16>) -> memref<[N], f16, row_major, align 16> {
  require (N mod 8 == 0)
  %Y = output : memref<[N], f16, row_major, align 16>
  grid (N ceildiv 256) threads 32 {
    %b = block_id 0
    %x = load %X[256 * %b + i0 - 3] where (0 <= 256 * %b + i0 - 3 < N) else 2.0 : !out
    store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}

// Rows that may be unaligned, or end within a vector, are loaded element by element.
// CHECK-LABEL: ptx.func @anywhere
// CHECK-COUNT-8: ld.global.nc.b16
kernel.func @anywhere<N>(%X: memref<[N], f16, row_major, align 16>) -> memref<[N], f16, row_major, align 16> {
  %Y = output : memref<[N], f16, row_major, align 16>
  grid (N ceildiv 256) threads 32 {
    %b = block_id 0
    %x = load %X[256 * %b + i0 - 1] where (0 <= 256 * %b + i0 - 1 < N) : !out
    store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}

// So is what a guard bounds within a vector.
// CHECK-LABEL: ptx.func @cut
// CHECK-COUNT-8: ld.global.nc.b16
kernel.func @cut<N>(%X: memref<[N], f16, row_major, align 16>) -> memref<[N], f16, row_major, align 16> {
  require (N mod 8 == 0)
  %Y = output : memref<[N], f16, row_major, align 16>
  grid (N ceildiv 256) threads 32 {
    %b = block_id 0
    %x = load %X[256 * %b + i0 - 1] where (3 <= 256 * %b + i0 - 1 < N) : !out
    store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}

// Rows below each other: the row of the second window's first element is that of the first window's second one.
// CHECK-LABEL: ptx.func @rows
// CHECK-COUNT-3: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
kernel.func @rows<M, N>(%X: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> {
  require (N mod 8 == 0)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid ((M ceildiv 8) * (N ceildiv 64)) threads 32 {
    %b = block_id 0
    %x = load %X[8 * (%b mod (M ceildiv 8)) + i0 - 1, 64 * (%b floordiv (M ceildiv 8)) + i1] where (0 <= 8 * (%b mod (M ceildiv 8)) + i0 - 1 < M, 64 * (%b floordiv (M ceildiv 8)) + i1 < N) : frag<[8, 64], f16, blocked [2, 8] lanes [4, 8] warps [1, 1]>
    %y = load %X[8 * (%b mod (M ceildiv 8)) + i0, 64 * (%b floordiv (M ceildiv 8)) + i1] where (0 <= 8 * (%b mod (M ceildiv 8)) + i0 < M, 64 * (%b floordiv (M ceildiv 8)) + i1 < N) : frag<[8, 64], f16, blocked [2, 8] lanes [4, 8] warps [1, 1]>
    %z = binary add %x, %y : frag<[8, 64], f16, blocked [2, 8] lanes [4, 8] warps [1, 1]>
    store %z to %Y[8 * (%b mod (M ceildiv 8)) + i0, 64 * (%b floordiv (M ceildiv 8)) + i1] where (8 * (%b mod (M ceildiv 8)) + i0 < M, 64 * (%b floordiv (M ceildiv 8)) + i1 < N)
  }
  return %Y
}
