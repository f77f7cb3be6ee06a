// Rows of tiles whose loops have the most steps come first, those of all matrices of a batch one after another.

// RUN: dlc-opt %s --order-tiles=order=longest_first -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --order-tiles=order=longest_first --evaluate-each -o /dev/null
// RUN: dlc-opt %s --order-tiles=order=longest_first,persistent=3 --evaluate-each | FileCheck %s --check-prefix=LOOP
// RUN: dlc-opt %s --order-tiles=planned --remarks=passed,missed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// REMARK: passed] tiles are taken in the order 'longest_first': the last rows come first
// REMARK: passed] tiles are taken in the order 'longest_first': the first rows come first
// REMARK: 'order longest_first': the order of tiles stays: it is not known which tiles have the most work
// REMARK: 'order longest_first': the order of tiles stays: the number of a tile is not that of its block

// Sums up to the diagonal: later rows have more steps.
// CHECK-LABEL: kernel.func @lower
// CHECK: %matrices = index (B)
// CHECK-NEXT: grid
// CHECK: %t = block_id 0
// CHECK-NEXT: %[[MATRIX:.+]] = index (%t mod %matrices)
// CHECK-NEXT: %[[PLACE:.+]] = index (%t floordiv %matrices)
// CHECK-NEXT: %number = index (%[[MATRIX]]*(N ceildiv 16) - %[[PLACE]] + N ceildiv 16 - 1)
// CHECK-NEXT: %[[IN:.+]] = index (%number mod
// CHECK-NEXT: tile_order %[[IN]] of (N ceildiv 16, 1) rows
// CHECK: load %x[%number floordiv
// LOOP-LABEL: kernel.func @lower
// LOOP: for %tile = %block to
// LOOP: %number = index (
kernel.func @lower<B, N>(%x: memref<[B, N, N], f32>) -> memref<[B, N], f32> {
  %y = output : memref<[B, N], f32>
  grid (B * (N ceildiv 16)) threads 128 {
    %t = block_id 0
    %in = index (%t mod (N ceildiv 16))
    %m, %n = tile_order %in of (N ceildiv 16, 1) rows
    %zero = const 0.0 : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
    %all = index (N)
    %seen = index (16*%m + 16)
    %end = min %all, %seen
    %s = for %k = 0 to %end step 32 carry (%a = %zero) {
      %v = load %x[%t floordiv (N ceildiv 16), 16*%m + i0, %k + i1] where (16*%m + i0 < N, %k + i1 < N, %k + i1 <= 16*%m + i0) : frag<[16, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %r = reduce sum %v along 1 : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
      %b = binary add %a, %r : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
      yield %b
    }
    store %s to %y[%t floordiv (N ceildiv 16), 16*%m + i0] where (16*%m + i0 < N)
  }
  return %y
}
plan.schedule of @lower for sm90 {
  order longest_first
}

// From the diagonal on: earlier rows have more, and nothing is transposed.
// CHECK-LABEL: kernel.func @upper
// CHECK: %number = index (
// CHECK-NEXT: tile_order %number of (N ceildiv 16, 1) rows
kernel.func @upper<N>(%x: memref<[N, N], f32>) -> memref<[N], f32> {
  %y = output : memref<[N], f32>
  grid (N ceildiv 16) threads 128 {
    %t = block_id 0
    %m, %n = tile_order %t of (N ceildiv 16, 1) rows
    %zero = const 0.0 : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
    %s = for %k = 0 to N - 16*%m step 32 carry (%a = %zero) {
      %v = load %x[16*%m + i0, %k + 16*%m + i1] where (16*%m + i0 < N, %k + 16*%m + i1 < N) : frag<[16, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %r = reduce sum %v along 1 : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
      %b = binary add %a, %r : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
      yield %b
    }
    store %s to %y[16*%m + i0] where (16*%m + i0 < N)
  }
  return %y
}
plan.schedule of @upper for sm90 {
  order longest_first
}

// All have the same work.
// CHECK-LABEL: kernel.func @same
// CHECK-NOT: %number
kernel.func @same<N>(%x: memref<[N, 64], f32>) -> memref<[N], f32> {
  %y = output : memref<[N], f32>
  grid (N ceildiv 16) threads 128 {
    %t = block_id 0
    %m, %n = tile_order %t of (N ceildiv 16, 1) rows
    %zero = const 0.0 : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
    %s = for %k = 0 to 64 step 32 carry (%a = %zero) {
      %v = load %x[16*%m + i0, %k + i1] where (16*%m + i0 < N) : frag<[16, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %r = reduce sum %v along 1 : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
      %b = binary add %a, %r : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
      yield %b
    }
    store %s to %y[16*%m + i0] where (16*%m + i0 < N)
  }
  return %y
}
plan.schedule of @same for sm90 {
  order longest_first
}

// Tiles that are numbered otherwise stay as they are.
// CHECK-LABEL: kernel.func @other
// CHECK-NOT: %number
kernel.func @other<N>(%x: memref<[N, N], f32>) -> memref<[N], f32> {
  %y = output : memref<[N], f32>
  grid (N ceildiv 16) threads 128 {
    %t = block_id 0
    %turned = index (N ceildiv 16 - 1 - %t)
    %m, %n = tile_order %turned of (N ceildiv 16, 1) rows
    %zero = const 0.0 : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
    %s = for %k = 0 to N - 16*%m step 32 carry (%a = %zero) {
      %v = load %x[16*%m + i0, %k + 16*%m + i1] where (16*%m + i0 < N, %k + 16*%m + i1 < N) : frag<[16, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %r = reduce sum %v along 1 : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
      %b = binary add %a, %r : frag<[16], f32, slice 1 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
      yield %b
    }
    store %s to %y[16*%m + i0] where (16*%m + i0 < N)
  }
  return %y
}
plan.schedule of @other for sm90 {
  order longest_first
}
