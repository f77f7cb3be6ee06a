// Results of mma go through shared memory: in one part where there is room, else in several, in turn.

// RUN: dlc-opt %s --stage-stores --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %s --stage-stores --remarks=all --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --stage-stores=planned | FileCheck %s --check-prefix=PLANNED

// Eight lanes store 128 bytes of a row. Rows are a unit of 16 bytes apart in the banks of shared memory.
// REMARK: threads store rows of this in 1 panels of 32 x 64, from 1 buffers
// CHECK-LABEL: kernel.func @whole
// CHECK: %panels = shared : tile<[32, 64], f16, row_major pitch 72>
// CHECK-NOT: barrier
// CHECK: store_shared %h to %panels
// CHECK-NEXT: barrier
// CHECK-NEXT: %[[ROWS:.+]] = load_shared %panels : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
// CHECK-NEXT: store %[[ROWS]] to %D[32*%b + i0, i1] where (32*%b + i0 < M, i1 < N)
// CHECK-NOT: store
// PLANNED-LABEL: kernel.func @whole
// PLANNED-NOT: shared
kernel.func @whole<M, N>(%x: memref<[N], f32>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm80"} {
  require (N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (M ceildiv 32) threads 128 {
    %b = block_id 0
    %v = load %x[i0] where (i0 < N) : frag<[64], f32, slice 0 of (mma [2, 2])>
    %w = broadcast %v along 0 : frag<[32, 64], f32, mma [2, 2]>
    %h = cast %w : frag<[32, 64], f16, mma [2, 2]>
    store %h to %D[32*%b + i0, i1] where (32*%b + i0 < M, i1 < N)
  }
  return %D
}

// Next to the tile there is room for 32 rows, of which each warp has its share: the next ones wait until they are stored.
// REMARK: threads store rows of this in 2 panels of 32 x 64, from 1 buffers
// CHECK-LABEL: kernel.func @parts
// CHECK: %panels = shared : tile<[32, 64], f32, row_major pitch 68>
// CHECK: %[[FIRST:.+]] = extract %c at [0, 0] : frag<[32, 64], f32, mma [2, 2]>
// CHECK-NEXT: store_shared %[[FIRST]] to %panels
// CHECK-NEXT: barrier
// CHECK-NEXT: %[[ONE:.+]] = load_shared %panels : frag<[32, 64], f32, blocked [1, 4] lanes [2, 16] warps [4, 1]>
// CHECK-NEXT: store %[[ONE]] to %D[i0, i1]
// CHECK-NEXT: barrier
// CHECK-NEXT: %[[SECOND:.+]] = extract %c at [32, 0] : frag<[32, 64], f32, mma [2, 2]>
// CHECK-NEXT: store_shared %[[SECOND]] to %panels
// CHECK-NEXT: barrier
// CHECK-NEXT: %[[TWO:.+]] = load_shared %panels
// CHECK-NEXT: store %[[TWO]] to %D[i0 + 32, i1]
// PLANNED-LABEL: kernel.func @parts
// PLANNED: load_shared
kernel.func @parts(%x: memref<[64, 64], f32>) -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  grid (1) threads 128 {
    %t = shared : tile<[148, 256], f32, row_major>
    %c = load %x[i0, i1] : frag<[64, 64], f32, mma [2, 2]>
    store %c to %D[i0, i1]
  }
  return %D
}
plan.schedule of @parts for sm80 {
  instruction mma
  vectors (D: 4)
}

// A plan may also ask for it in so many words.
// PLANNED-LABEL: kernel.func @asked
// PLANNED: load_shared
kernel.func @asked(%x: memref<[32, 16], f32>) -> memref<[32, 16], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[32, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    %c = load %x[i0, i1] : frag<[32, 16], f32, mma [2, 2]>
    store %c to %D[i0, i1]
  }
  return %D
}
plan.schedule of @asked for sm80 {
  instruction mma
  store rows
}

// What the tile before has in shared memory is stored before that of the next one comes.
// CHECK-LABEL: kernel.func @tiles
// CHECK: for %k
// CHECK-NEXT: %c = load
// CHECK-NEXT: barrier
// CHECK-NEXT: store_shared %c to %panels
// CHECK-NEXT: barrier
// PLANNED-LABEL: kernel.func @tiles
// PLANNED-NOT: load_shared
kernel.func @tiles<K>(%x: memref<[K, 32, 16], f32>) -> memref<[K, 32, 16], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[K, 32, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    for %k = 0 to K {
      %c = load %x[%k, i0, i1] : frag<[32, 16], f32, mma [2, 2]>
      store %c to %D[%k, i0, i1]
    }
  }
  return %D
}
plan.schedule of @tiles for sm80 {
  instruction mma
  vectors (D: 4)
  store fragments
}

// There is room for 32 rows of 48, which parts of as many do not make: 16 at a time.
// REMARK: threads store rows of this in 3 panels of 16 x 64, from 1 buffers
// CHECK-LABEL: kernel.func @uneven
// CHECK: %panels = shared : tile<[16, 64], f32, row_major pitch 68>
kernel.func @uneven(%x: memref<[48, 64], f32>) -> memref<[48, 64], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[48, 64], f32, row_major, align 16>
  grid (1) threads 128 {
    %t = shared : tile<[152, 256], f32, row_major>
    %c = load %x[i0, i1] : frag<[48, 64], f32, mma [1, 4]>
    store %c to %D[i0, i1]
  }
  return %D
}

// As many rows as there is room for, of parts that all warps have some of.
// REMARK: threads store rows of this in 2 panels of 32 x 64, from 1 buffers
// CHECK-LABEL: kernel.func @half
// CHECK: %panels = shared : tile<[32, 64], f32, row_major pitch 68>
// PLANNED-LABEL: kernel.func @half
// PLANNED-NOT: load_shared
kernel.func @half(%x: memref<[64, 64], f32>) -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[64, 64], f32, row_major, align 16>
  grid (1) threads 128 {
    %t = shared : tile<[148, 256], f32, row_major>
    %c = load %x[i0, i1] : frag<[64, 64], f32, mma [1, 4]>
    store %c to %D[i0, i1]
  }
  return %D
}
plan.schedule of @half for sm80 {
  instruction mma
}

// What a plan for another instruction says is not for these.
// PLANNED-LABEL: kernel.func @other
// PLANNED-NOT: load_shared
kernel.func @other(%x: memref<[32, 16], f32>) -> memref<[32, 16], f32, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[32, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    %c = load %x[i0, i1] : frag<[32, 16], f32, mma [2, 2]>
    store %c to %D[i0, i1]
  }
  return %D
}
plan.schedule of @other for sm80 {
  instruction fma
  vectors (D: 4)
}
