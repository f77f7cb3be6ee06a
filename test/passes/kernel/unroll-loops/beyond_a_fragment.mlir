// A part of a fragment that would be beyond its end stays where it is computed: evaluation refuses it there.

// RUN: dlc-opt %s --unroll-loops | FileCheck %s

!rows = frag<[2, 128], f32, blocked [2, 1] lanes [1, 32] warps [1, 4]>
!row = frag<[1, 128], f32, blocked [1, 1] lanes [1, 32] warps [1, 4]>
// CHECK-LABEL: kernel.func @beyond
// CHECK: extract %x at [0, 0]
// CHECK: extract %x at [1, 0]
// CHECK: extract %x at [%{{.+}}, 0]
// CHECK-NOT: extract
kernel.func @beyond<N>(%X: memref<[2, N], f32, row_major, align 16>) -> memref<[3, N], f32, row_major, align 16> {
  %Y = output : memref<[3, N], f32, row_major, align 16>
  grid (N ceildiv 128) threads 128 {
    %n = block_id 0
    %x = load %X[i0, 128 * %n + i1] where (128 * %n + i1 < N) else 0.0 : !rows
    for %i = 0 to 3 unroll {
      %r = extract %x at [%i, 0] : !row
      store %r to %Y[%i + i0, 128 * %n + i1] where (128 * %n + i1 < N)
    }
  }
  return %Y
}
