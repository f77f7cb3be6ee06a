// RUN: dlc-opt %s -o %t.same
// RUN: dlc-opt %s --vectorize-memory | cmp %t.same -
// RUN: dlc-opt %s --vectorize-memory --no-output --remarks=missed 2>&1 | FileCheck %s --implicit-check-not=missed

// Each of these stays an access of single elements, and a remark says why; but a layout that has no two elements of a row
// in a thread has nothing to say.

// CHECK: missed] {{.*}}1 of 4 elements in a row are one access: rows are known to begin at multiples of 4 bytes
kernel.func @any_size<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K], f32> {
  %y = output : memref<[M, K], f32>
  grid (1) threads 32 {
    %v = load %x[i0, i1] where (i0 < M, i1 < K) : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %y
}

// CHECK: missed] {{.*}}1 of 4 elements in a row are one access: rows are known to begin at multiples of 4 bytes
kernel.func @not_aligned<M, K>(%x: memref<[M, K], f32>) -> memref<[M, K], f32> {
  %y = output : memref<[M, K], f32>
  grid (1) threads 32 {
    %v = load %x[0, 16*i0 + i1] where (16*i0 + i1 < K) : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %y
}

// CHECK: missed] {{.*}}1 of 4 elements in a row are one access: the guard is known to be the same for 1 in a row
kernel.func @guard<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K], f32> {
  %y = output : memref<[M, K], f32>
  grid (1) threads 32 {
    %v = load %x[0, 16*i0 + i1] where (16*i0 + i1 < K) : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %y
}

// CHECK: missed] {{.*}}1 of 4 elements in a row are one access: the guard is known to be the same for 1 in a row
kernel.func @every_third<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K], f32> {
  %y = output : memref<[M, K], f32>
  grid (1) threads 32 {
    %v = load %x[0, 16*i0 + i1] where (16*i0 + 3*i1 < 60, K >= 128) : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %y
}

// CHECK: missed] {{.*}}1 of 4 elements in a row are one access: a position or a guard is a value of each element
kernel.func @gather<M, K>(%x: memref<[M, K], f32, row_major, align 16>, %i: memref<[8], i32>) -> memref<[M, K], f32> {
  %y = output : memref<[M, K], f32>
  grid (1) threads 32 {
    %s = load %i[i0] : frag<[8, 16], i32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
    %v = load %x[0, i1 + %s] where (0 <= %s < 1, M > 0, K > 16) : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %y
}

// CHECK: missed] {{.*}}1 of 4 elements in a row are one access: a position or a guard is a value of each element
kernel.func @index_along<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K], f32> {
  %y = output : memref<[M, K], f32>
  grid (1) threads 32 {
    %s = index (i0 + i1) : frag<[8, 16], index, blocked [1, 4] lanes [8, 4] warps [1, 1]>
    %v = load %x[0, 16*i0 + i1] where (%s < K) : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %y
}

// CHECK: missed] {{.*}}1 of 4 elements in a row are one access: elements are combined one by one
kernel.func @combined<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K], f32> {
  %y = output : memref<[M, K], f32>
  %w = scratch : memref<[8, 16], f32, row_major, align 16>
  grid (1) threads 32 {
    %v = const 1.0 : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
    store combine max %v to %w[i0, i1]
  }
  return %y
}

// CHECK: missed] {{.*}}each element is an access of its own: along no axis elements lie one after another
kernel.func @every_other<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K], f32> {
  %y = output : memref<[M, K], f32>
  grid (1) threads 32 {
    %v = load %x[i0, 2*i1] where (i0 < M, 2*i1 < K) : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
  }
  return %y
}

kernel.func @narrow<M>(%x: memref<[M, 16], f32, row_major, align 16>) -> memref<[M, 16], f32, row_major, align 16> {
  %y = output : memref<[M, 16], f32, row_major, align 16>
  grid (1) threads 32 {
    %v = load %x[i0, i1] where (i0 < M) : frag<[8, 16], f32, blocked [1, 1] lanes [2, 16] warps [1, 1]>
    store %v to %y[i0, i1] where (i0 < M)
  }
  return %y
}
