// RUN: dlc-opt %s --split-reduction='parts=5 deterministic' --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --split-reduction='parts=8 deterministic' --evaluate-each | FileCheck %s --check-prefix=EIGHT
// RUN: dlc-opt %s --split-reduction='parts=5 deterministic' --check-async -o /dev/null

// Where a sum along an axis is what comes next, each part leaves what comes out of it: a number for each row and part.
// The second grid takes as many parts at once as the first one takes elements.
// CHECK-LABEL: kernel.func @rows
// CHECK: %sum_parts = workspace : memref<[2, 64, 5], f32, row_major, align 128>
// CHECK: grid (2, 5) threads 128 {
// CHECK: %[[MINE:row[_0-9]*]] = reduce sum %{{.*}} along 1 through %
// CHECK: store %[[MINE]] to %sum_parts[%{{.*}}, i0, %{{.*}}]
// CHECK-NEXT: }
// CHECK-NEXT: grid (2) threads 128 {
// CHECK: for %part = 0 to 5 step 64 carry
// CHECK-NEXT: load %sum_parts[%{{.*}}, i0, %part + i1] where (%part + i1 < 5)
// CHECK: reduce sum %{{.*}} along 1 through %
// CHECK-NEXT: unary sqrt
kernel.func @rows<K>(%x: memref<[128, K], f32>) -> memref<[128], f32> {
  %y = output : memref<[128], f32>
  grid (2) threads 128 {
    %b = block_id 0
    %t = shared : tile<[64, 2], f32, row_major>
    %zero = const 0.0 : frag<[64, 64], f32, blocked [1, 8] lanes [8, 4] warps [2, 2]>
    %sum = for %k = 0 to K step 64 carry (%acc = %zero) : frag<[64, 64], f32, blocked [1, 8] lanes [8, 4] warps [2, 2]> {
      %v = load %x[64*%b + i0, %k + i1] where (%k + i1 < K) : frag<[64, 64], f32, blocked [1, 8] lanes [8, 4] warps [2, 2]>
      %next = binary add %acc, %v : frag<[64, 64], f32, blocked [1, 8] lanes [8, 4] warps [2, 2]>
      yield %next
    }
    %row = reduce sum %sum along 1 through %t : frag<[64], f32, slice 1 of (blocked [1, 8] lanes [8, 4] warps [2, 2])>
    %root = unary sqrt %row : frag<[64], f32, slice 1 of (blocked [1, 8] lanes [8, 4] warps [2, 2])>
    store %root to %y[64*%b + i0]
  }
  return %y
}

// Along the first axis; with more parts than it has elements in several steps, and without a condition where these are whole.
// CHECK-LABEL: kernel.func @columns
// CHECK: workspace : memref<[16, 5], f32
// CHECK: for %part = 0 to 5 step 4 carry
// CHECK-NEXT: load %sum_parts[i1, %part + i0] where (%part + i0 < 5)
// EIGHT-LABEL: kernel.func @columns
// EIGHT: for %part = 0 to 8 step 4 unroll carry
// EIGHT-NEXT: load %sum_parts[i1, %part + i0] :
kernel.func @columns<K>(%x: memref<[K, 16], f32>) -> memref<[16], f32> {
  %y = output : memref<[16], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[4, 16], f32, blocked [1, 2] lanes [4, 8] warps [1, 1]>
    %sum = for %k = 0 to K step 4 carry (%acc = %zero) : frag<[4, 16], f32, blocked [1, 2] lanes [4, 8] warps [1, 1]> {
      %v = load %x[%k + i0, i1] where (%k + i0 < K) : frag<[4, 16], f32, blocked [1, 2] lanes [4, 8] warps [1, 1]>
      %next = binary add %acc, %v : frag<[4, 16], f32, blocked [1, 2] lanes [4, 8] warps [1, 1]>
      yield %next
    }
    %column = reduce sum %sum along 0 : frag<[16], f32, slice 0 of (blocked [1, 2] lanes [4, 8] warps [1, 1])>
    store %column to %y[i0]
  }
  return %y
}

// The largest of the sums is not the sum of the largest: parts leave what threads have.
// CHECK-LABEL: kernel.func @largest
// CHECK: workspace : memref<[5, 32], f32
kernel.func @largest<K>(%x: memref<[K], f32>) -> memref<[1], f32> {
  %y = output : memref<[1], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %sum = for %k = 0 to K step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < K) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    %most = reduce max %sum along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
    store %most to %y[0]
  }
  return %y
}

// Something else takes the sum, too.
// CHECK-LABEL: kernel.func @twice
// CHECK: workspace : memref<[5, 32], f32
kernel.func @twice<K>(%x: memref<[K], f32>) -> (memref<[1], f32>, memref<[32], f32>) {
  %y = output : memref<[1], f32>
  %z = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %sum = for %k = 0 to K step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < K) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    %all = reduce sum %sum along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
    store %all to %y[0]
    store %sum to %z[i0]
  }
  return %y, %z
}

// The largest of the largest is: parts leave one number for each row, and beyond the last part there is what changes none.
// CHECK-LABEL: kernel.func @peak
// CHECK: workspace : memref<[5], f32
// CHECK: for %part = 0 to 5 step 32
// CHECK: load %{{.+}}[%part + i0] where (%part + i0 < 5) else -inf : frag<[32], f32
// CHECK: binary max
kernel.func @peak<K>(%x: memref<[K], f32>) -> memref<[1], f32> {
  %y = output : memref<[1], f32>
  grid (1) threads 32 {
    %none = const -inf : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %top = for %k = 0 to K step 32 carry (%acc = %none) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < K) else -inf : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary max %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    %most = reduce max %top along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
    store %most to %y[0]
  }
  return %y
}

// The largest of longer floats is one of the shorter ones: parts have their type. A sum of longer floats is none of them.
// CHECK-LABEL: kernel.func @halves
// CHECK: %most_parts = workspace : memref<[16, 5], f16
// CHECK: reduce max %
// CHECK: %[[SHORT:[0-9]+]] = cast %
// CHECK: store %[[SHORT]] to %most_parts
// CHECK: for %part = 0 to 5 step 4 carry
// CHECK-NEXT: load %most_parts[i1, %part + i0] where (%part + i0 < 5) else -inf
kernel.func @halves<K>(%x: memref<[K, 16], f16>) -> memref<[16], f32> {
  %y = output : memref<[16], f32>
  grid (1) threads 32 {
    %least = const -inf : frag<[4, 16], f16, blocked [1, 2] lanes [4, 8] warps [1, 1]>
    %most = for %k = 0 to K step 4 carry (%acc = %least) : frag<[4, 16], f16, blocked [1, 2] lanes [4, 8] warps [1, 1]> {
      %v = load %x[%k + i0, i1] where (%k + i0 < K) else -inf : frag<[4, 16], f16, blocked [1, 2] lanes [4, 8] warps [1, 1]>
      %next = binary max %acc, %v : frag<[4, 16], f16, blocked [1, 2] lanes [4, 8] warps [1, 1]>
      yield %next
    }
    %long = cast %most : frag<[4, 16], f32, blocked [1, 2] lanes [4, 8] warps [1, 1]>
    %column = reduce max %long along 0 : frag<[16], f32, slice 0 of (blocked [1, 2] lanes [4, 8] warps [1, 1])>
    store %column to %y[i0]
  }
  return %y
}
