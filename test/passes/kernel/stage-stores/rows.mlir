// Threads store unaligned rows of results: through panels, and lanes side by side elements side by side. Where a
// buffer has the panel before as well, all threads have read that.

// RUN: dlc-opt %s --stage-stores=planned --evaluate-each --check-async -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=panels --shape=M=3,N=201 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=panels --shape=M=3,N=201 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=turned --shape=M=9,N=71 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turned --shape=M=9,N=71 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=apart --shape=B=3,P=29,N=71 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=apart --shape=B=3,P=29,N=71 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=groups --shape=M=70,N=131 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=groups --shape=M=70,N=131 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=bias --shape=M=70,N=131 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=bias --shape=M=70,N=131 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=vectors --shape=M=70 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=vectors --shape=M=70 --seed=0 --check=%t.npy
// RUN: dlc-opt %s --stage-stores=planned --no-output --remarks 2>&1 | FileCheck %s --check-prefix=REMARK

// Three panels of 32 numbers in two buffers: the first of the next tile has the buffer of the last one.
// REMARK: passed] threads store rows of this in 3 panels of 64 x 32, from 2 buffers
// CHECK-LABEL: kernel.func @panels
// CHECK: %panels = shared : tile<2 x [64, 32], f32, swizzle 128>
// CHECK: for %n =
// CHECK: barrier
// CHECK-NEXT: load %x
// CHECK-NEXT: store_shared %{{.+}} to %panels[%[[ZERO:[0-9]+]]]
// CHECK-NEXT: barrier
// CHECK-NEXT: %[[ROWS:.+]] = load_shared %panels[%[[ZERO]]] : frag<[64, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
// CHECK-NEXT: store %[[ROWS]] to %D[i0, 96*%n + i1] where (i0 < M, 96*%n + i1 < N)
// CHECK-NOT: barrier
// CHECK: store_shared %{{.+}} to %panels[%{{[0-9]+}}]
// CHECK-NEXT: barrier
// CHECK: to %D[i0, 96*%n + i1 + 32] where (i0 < M, 96*%n + i1 + 32 < N)
// CHECK-NOT: barrier
// CHECK: store_shared
// CHECK: to %D[i0, 96*%n + i1 + 64] where (i0 < M, 96*%n + i1 + 64 < N)
kernel.func @panels<M, N>(%x: memref<[M, N], f32>) -> memref<[M, N], f32> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f32>
  grid (1) threads 128 {
    for %n = 0 to N ceildiv 96 {
      %h = load %x[i0, 96*%n + i1] where (i0 < M, 96*%n + i1 < N) : frag<[64, 96], f32, wgmma>
      store %h to %D[i0, 96*%n + i1] where (i0 < M, 96*%n + i1 < N)
    }
  }
  return %D
}
plan.schedule of @panels for sm90 {
  store rows panels 2
}

// Rows of the fragment lie along rows of memory: panels are transposed, and read as memory has them. There is one buffer.
// CHECK-LABEL: kernel.func @turned
// CHECK: %panels = shared : tile<[16, 64], f16, swizzle 128>
// CHECK: store_shared %{{.+}} to %panels transposed
// CHECK-NEXT: barrier
// CHECK-NEXT: %[[ROWS:.+]] = load_shared %panels : frag<[16, 64], f16, blocked [1, 1] lanes [1, 32] warps [4, 1]>
// CHECK-NEXT: store %[[ROWS]] to %D[16*%m + i0, 128*%n + i1]
// CHECK: barrier
// CHECK-NEXT: load %x
// CHECK-NEXT: store_shared %{{.+}} to %panels transposed
// CHECK: to %D[16*%m + i0, 128*%n + i1 + 64] where (16*%m + i0 < M, 128*%n + i1 + 64 < N)
kernel.func @turned<M, N>(%x: memref<[M, N], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  grid (N ceildiv 128, M ceildiv 16) threads 128 {
    %n = block_id 0
    %m = block_id 1
    %h = load %x[16 * %m + i1, 128 * %n + i0] where (16 * %m + i1 < M, 128 * %n + i0 < N) : frag<[128, 16], f16, wgmma>
    store %h to %D[16 * %m + i1, 128 * %n + i0] where (16 * %m + i1 < M, 128 * %n + i0 < N)
  }
  return %D
}
plan.schedule of @turned for sm90 {
  store rows panels 1
}

// A run over several images, whose places are computed: a thread has registers for those of few elements, and panels are lower.
// CHECK-LABEL: kernel.func @apart
// CHECK: %panels = shared : tile<2 x [32, 64], f16, swizzle 128>
// CHECK-COUNT-2: load_shared %panels[{{.+}}] : frag<[32, 64], f16, blocked [1, 1] lanes [1, 32] warps [4, 1]>
kernel.func @apart<B, P, N>(%x: memref<[B, P, N], f16>) -> memref<[B, N, P], f16> attributes {target = "sm90"} {
  %D = output : memref<[B, N, P], f16>
  grid ((B*P) ceildiv 64, N ceildiv 64) threads 128 {
    %m = block_id 0
    %n = block_id 1
    %h = load %x[(64 * %m + i0) floordiv P, (64 * %m + i0) mod P, 64 * %n + i1] where (64 * %m + i0 < B * P, 64 * %n + i1 < N) : frag<[64, 64], f16, wgmma>
    store %h to %D[(64 * %m + i0) floordiv P, 64 * %n + i1, (64 * %m + i0) mod P] where (64 * %m + i0 < B * P, 64 * %n + i1 < N)
  }
  return %D
}
plan.schedule of @apart for sm90 {
  store rows panels 2
}

// Narrow panels: four of them are as large as one with rows of 128 bytes. Each group has its own.
// CHECK-LABEL: kernel.func @groups
// CHECK: %panels = shared : tile<6 x [64, 16], f16, swizzle 32>
// CHECK: load_shared %panels[{{.*}}] : frag<[64, 16], f16, blocked [1, 1] lanes [2, 16] warps [4, 1]>
kernel.func @groups<M, N>(%x: memref<[M, N], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  grid (M ceildiv 128, N ceildiv 48) threads 256 {
    %m = block_id 0
    %n = block_id 1
    role consumer warps 0 to 8 groups 2 (%g: index) {
      %h = load %x[128*%m + 64*%g + i0, 48*%n + i1] where (128*%m + 64*%g + i0 < M, 48*%n + i1 < N) : frag<[64, 48], f16, wgmma>
      store %h to %D[128*%m + 64*%g + i0, 48*%n + i1] where (128*%m + 64*%g + i0 < M, 48*%n + i1 < N)
    }
  }
  return %D
}
plan.schedule of @groups for sm90 {
  store rows panels 1
}

// REMARK: [E1614] Warning: 'plan.schedule': 'store rows': the threads store this result from their fragments: it is added to what is there
kernel.func @added(%x: memref<[8], f32>) -> memref<[64, 16], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 16], f32>
  grid (1) threads 128 {
    %z = const 0.0 : frag<[64, 16], f32, blocked [1, 1] lanes [2, 16] warps [4, 1]>
    store %z to %D[i0, i1]
    barrier
    %h = const 1.0 : frag<[64, 16], f32, wgmma>
    store combine sum %h to %D[i0, i1]
  }
  return %D
}
plan.schedule of @added for sm90 {
  store rows
}

// What is there once for all rows is read for each panel again besides what is read panel by panel, and takes no more registers
// than one panel needs of it.
// CHECK-LABEL: kernel.func @bias
// CHECK-NOT: frag<[128], f16, slice 0 of (wgmma)>
// CHECK: %[[PART:.+]] = load %bias[128*%n + i0] where (128*%n + i0 < N) : frag<[64], f16, slice 0 of (wgmma)>
// CHECK-NEXT: %[[WIDE:.+]] = cast %[[PART]] : frag<[64], f32, slice 0 of (wgmma)>
// CHECK-NEXT: broadcast %[[WIDE]] along 0 : frag<[64, 64], f32, wgmma>
// CHECK: store_shared
// CHECK: %[[PART:.+]] = load %bias[128*%n + i0 + 64] where (128*%n + i0 + 64 < N) : frag<[64], f16, slice 0 of (wgmma)>
// CHECK-NEXT: %[[WIDE:.+]] = cast %[[PART]] : frag<[64], f32, slice 0 of (wgmma)>
// CHECK-NEXT: broadcast %[[WIDE]] along 0 : frag<[64, 64], f32, wgmma>
// CHECK: store_shared
// CHECK: load %bias[128*%n + i0] where
// CHECK: store_shared
// CHECK: load %bias[128*%n + i0 + 64] where
// CHECK: store_shared
// CHECK-NOT: extract
kernel.func @bias<M, N>(%x: memref<[M, N], f16>, %bias: memref<[N], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  grid (N ceildiv 128, M ceildiv 128) threads 128 {
    %n = block_id 0
    %m = block_id 1
    %v = load %bias[128*%n + i0] where (128*%n + i0 < N) : frag<[128], f16, slice 0 of (wgmma)>
    %w = cast %v : frag<[128], f32, slice 0 of (wgmma)>
    %b = broadcast %w along 0 : frag<[128, 128], f32, wgmma>
    %h = load %x[128*%m + i0, 128*%n + i1] where (128*%m + i0 < M, 128*%n + i1 < N) : frag<[128, 128], f16, wgmma>
    %f = cast %h : frag<[128, 128], f32, wgmma>
    %s = binary add %f, %b : frag<[128, 128], f32, wgmma>
    %d = cast %s : frag<[128, 128], f16, wgmma>
    store %d to %D[128*%m + i0, 128*%n + i1] where (128*%m + i0 < M, 128*%n + i1 < N)
  }
  return %D
}
plan.schedule of @bias for sm90 {
  store rows panels 2
}

// Where there is nothing else to read, it is read once.
// CHECK-LABEL: kernel.func @once
// CHECK: load %bias[128*%n + i0] where (128*%n + i0 < N) : frag<[128], f16, slice 0 of (wgmma)>
// CHECK-NOT: load %bias
// CHECK: extract %{{.+}} at [0, 0] : frag<[64, 64], f16, wgmma>
kernel.func @once<M, N>(%bias: memref<[N], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  grid (N ceildiv 128, M ceildiv 128) threads 128 {
    %n = block_id 0
    %m = block_id 1
    %v = load %bias[128*%n + i0] where (128*%n + i0 < N) : frag<[128], f16, slice 0 of (wgmma)>
    %b = broadcast %v along 0 : frag<[128, 128], f16, wgmma>
    %d = unary neg %b : frag<[128, 128], f16, wgmma>
    store %d to %D[128*%m + i0, 128*%n + i1] where (128*%m + i0 < M, 128*%n + i1 < N)
  }
  return %D
}
plan.schedule of @once for sm90 {
  store rows panels 2
}

// Rows that begin at multiples of 8 bytes are stored by vectors of as many.
// CHECK-LABEL: kernel.func @vectors
// CHECK: load_shared %panels{{.*}} : frag<[64, 64], f16, blocked [1, 4] lanes [2, 16] warps [4, 1]>
kernel.func @vectors<M>(%x: memref<[M, 204], f16, row_major, align 16>) -> memref<[M, 204], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, 204], f16, row_major, align 16>
  grid (2*(M ceildiv 64)) threads 128 {
    %b = block_id 0
    %h = load %x[64*(%b floordiv 2) + i0, 128*(%b mod 2) + i1] where (64*(%b floordiv 2) + i0 < M, 128*(%b mod 2) + i1 < 204) : frag<[64, 128], f16, wgmma>
    store %h to %D[64*(%b floordiv 2) + i0, 128*(%b mod 2) + i1] where (64*(%b floordiv 2) + i0 < M, 128*(%b mod 2) + i1 < 204)
  }
  return %D
}
plan.schedule of @vectors for sm90 {
  store rows panels 2
}
