// Scans in layouts of all kinds, as kernels and as instructions: registers, lanes, warps, and registers again.

// RUN: dlc-opt %s --check-async --kernel-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --strict --function=registers -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=registers --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=lanes_first -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=lanes_first --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=repeated -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=repeated --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=columns -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=columns --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=long -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=long --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=halves -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=halves --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=linear_registers -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=linear_registers --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=linear_lanes_first -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=linear_lanes_first --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=linear_repeated -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=linear_repeated --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=linear_columns -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=linear_columns --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=linear_halves -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=linear_halves --check=%t.npz

// Each lane combines its eight elements, and three rounds the lanes.
// RUN: FileCheck %s --input-file=%t.ptx.mlir
// CHECK-LABEL: @registers
// CHECK-COUNT-3: shfl
// CHECK-NOT: shfl
// CHECK-LABEL: @lanes_first

kernel.func @registers(%X: memref<[4, 64], i32, row_major, align 16>, %B: memref<[4], i32, row_major, align 16>) -> (memref<[4, 64], i32, row_major, align 16>, memref<[4], i32, row_major, align 16>) {
  %Y = output : memref<[4, 64], i32, row_major, align 16>
  %Z = output : memref<[4], i32, row_major, align 16>
  grid (1) threads 32 {
    %x = load %X[i0, i1] : frag<[4, 64], i32, blocked [1, 8] lanes [4, 8] warps [1, 1]>
    %b = load %B[i0] : frag<[4], i32, slice 1 of (blocked [1, 8] lanes [4, 8] warps [1, 1])>
    %y:2 = scan sum %x from %b along 1
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}

kernel.func @lanes_first(%X: memref<[2, 128], i32, row_major, align 16>, %B: memref<[2], i32, row_major, align 16>) -> (memref<[2, 128], i32, row_major, align 16>, memref<[2], i32, row_major, align 16>) {
  %Y = output : memref<[2, 128], i32, row_major, align 16>
  %Z = output : memref<[2], i32, row_major, align 16>
  grid (1) threads 32 {
    %x = load %X[i0, i1] : frag<[2, 128], i32, blocked [1, 1] lanes [2, 16] warps [1, 1]>
    %b = load %B[i0] : frag<[2], i32, slice 1 of (blocked [1, 1] lanes [2, 16] warps [1, 1])>
    %y:2 = scan sum %x from %b along 1 reverse
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}

kernel.func @repeated(%X: memref<[2, 1024], i32, row_major, align 16>, %B: memref<[2], i32, row_major, align 16>) -> (memref<[2, 1024], i32, row_major, align 16>, memref<[2], i32, row_major, align 16>) {
  %Y = output : memref<[2, 1024], i32, row_major, align 16>
  %Z = output : memref<[2], i32, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<[16], i32, row_major>
    %x = load %X[i0, i1] : frag<[2, 1024], i32, blocked [1, 4] lanes [1, 32] warps [2, 2]>
    %b = load %B[i0] : frag<[2], i32, slice 1 of (blocked [1, 4] lanes [1, 32] warps [2, 2])>
    %y:2 = scan max %x from %b along 1 exclusive through %s
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}

kernel.func @columns(%X: memref<[64, 32], i32, row_major, align 16>, %B: memref<[32], i32, row_major, align 16>) -> (memref<[64, 32], i32, row_major, align 16>, memref<[32], i32, row_major, align 16>) {
  %Y = output : memref<[64, 32], i32, row_major, align 16>
  %Z = output : memref<[32], i32, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<[512], i32, row_major>
    %x = load %X[i0, i1] : frag<[64, 32], i32, blocked [4, 1] lanes [1, 32] warps [4, 1]>
    %b = load %B[i0] : frag<[32], i32, slice 0 of (blocked [4, 1] lanes [1, 32] warps [4, 1])>
    %y:2 = scan sum %x from %b along 0 exclusive reverse through %s
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}

kernel.func @long(%X: memref<[1, 512], i64, row_major, align 16>, %B: memref<[1], i64, row_major, align 16>) -> (memref<[1, 512], i64, row_major, align 16>, memref<[1], i64, row_major, align 16>) {
  %Y = output : memref<[1, 512], i64, row_major, align 16>
  %Z = output : memref<[1], i64, row_major, align 16>
  grid (1) threads 256 {
    %s = shared : tile<[16], i64, row_major>
    %x = load %X[i0, i1] : frag<[1, 512], i64, blocked [1, 2] lanes [1, 32] warps [1, 8]>
    %b = load %B[i0] : frag<[1], i64, slice 1 of (blocked [1, 2] lanes [1, 32] warps [1, 8])>
    %y:2 = scan prod %x from %b along 1 through %s
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}

kernel.func @halves(%X: memref<[4, 64], f16, row_major, align 16>, %B: memref<[4], f16, row_major, align 16>) -> (memref<[4, 64], f16, row_major, align 16>, memref<[4], f16, row_major, align 16>) {
  %Y = output : memref<[4, 64], f16, row_major, align 16>
  %Z = output : memref<[4], f16, row_major, align 16>
  grid (1) threads 64 {
    %x = load %X[i0, i1] : frag<[4, 64], f16, blocked [1, 4] lanes [2, 16] warps [2, 1]>
    %b = load %B[i0] : frag<[4], f16, slice 1 of (blocked [1, 4] lanes [2, 16] warps [2, 1])>
    %y:2 = scan min %x from %b along 1
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}

// Recurrences: functions are combined, not numbers, and their order matters.
kernel.func @linear_registers(%A: memref<[4, 64], i32, row_major, align 16>, %X: memref<[4, 64], i32, row_major, align 16>, %B: memref<[4], i32, row_major, align 16>) -> (memref<[4, 64], i32, row_major, align 16>, memref<[4], i32, row_major, align 16>) {
  %Y = output : memref<[4, 64], i32, row_major, align 16>
  %Z = output : memref<[4], i32, row_major, align 16>
  grid (1) threads 32 {
    %a = load %A[i0, i1] : frag<[4, 64], i32, blocked [1, 8] lanes [4, 8] warps [1, 1]>
    %x = load %X[i0, i1] : frag<[4, 64], i32, blocked [1, 8] lanes [4, 8] warps [1, 1]>
    %b = load %B[i0] : frag<[4], i32, slice 1 of (blocked [1, 8] lanes [4, 8] warps [1, 1])>
    %y:2 = scan linear %a, %x from %b along 1
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}

kernel.func @linear_lanes_first(%A: memref<[2, 128], i32, row_major, align 16>, %X: memref<[2, 128], i32, row_major, align 16>, %B: memref<[2], i32, row_major, align 16>) -> (memref<[2, 128], i32, row_major, align 16>, memref<[2], i32, row_major, align 16>) {
  %Y = output : memref<[2, 128], i32, row_major, align 16>
  %Z = output : memref<[2], i32, row_major, align 16>
  grid (1) threads 32 {
    %a = load %A[i0, i1] : frag<[2, 128], i32, blocked [1, 1] lanes [2, 16] warps [1, 1]>
    %x = load %X[i0, i1] : frag<[2, 128], i32, blocked [1, 1] lanes [2, 16] warps [1, 1]>
    %b = load %B[i0] : frag<[2], i32, slice 1 of (blocked [1, 1] lanes [2, 16] warps [1, 1])>
    %y:2 = scan linear %a, %x from %b along 1 reverse
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}

kernel.func @linear_repeated(%A: memref<[2, 1024], i32, row_major, align 16>, %X: memref<[2, 1024], i32, row_major, align 16>, %B: memref<[2], i32, row_major, align 16>) -> (memref<[2, 1024], i32, row_major, align 16>, memref<[2], i32, row_major, align 16>) {
  %Y = output : memref<[2, 1024], i32, row_major, align 16>
  %Z = output : memref<[2], i32, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<[32], i32, row_major>
    %a = load %A[i0, i1] : frag<[2, 1024], i32, blocked [1, 4] lanes [1, 32] warps [2, 2]>
    %x = load %X[i0, i1] : frag<[2, 1024], i32, blocked [1, 4] lanes [1, 32] warps [2, 2]>
    %b = load %B[i0] : frag<[2], i32, slice 1 of (blocked [1, 4] lanes [1, 32] warps [2, 2])>
    %y:2 = scan linear %a, %x from %b along 1 exclusive through %s
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}

kernel.func @linear_columns(%A: memref<[64, 32], i32, row_major, align 16>, %X: memref<[64, 32], i32, row_major, align 16>, %B: memref<[32], i32, row_major, align 16>) -> (memref<[64, 32], i32, row_major, align 16>, memref<[32], i32, row_major, align 16>) {
  %Y = output : memref<[64, 32], i32, row_major, align 16>
  %Z = output : memref<[32], i32, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<[1024], i32, row_major>
    %a = load %A[i0, i1] : frag<[64, 32], i32, blocked [4, 1] lanes [1, 32] warps [4, 1]>
    %x = load %X[i0, i1] : frag<[64, 32], i32, blocked [4, 1] lanes [1, 32] warps [4, 1]>
    %b = load %B[i0] : frag<[32], i32, slice 0 of (blocked [4, 1] lanes [1, 32] warps [4, 1])>
    %y:2 = scan linear %a, %x from %b along 0 exclusive reverse through %s
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}

// In f32 a factor and a sum are one instruction, and a short float is one again at the end.
// CHECK-LABEL: @linear_halves
// CHECK: fma.rn.f32
kernel.func @linear_halves(%A: memref<[4, 64], f16, row_major, align 16>, %X: memref<[4, 64], f16, row_major, align 16>, %B: memref<[4], f16, row_major, align 16>) -> (memref<[4, 64], f16, row_major, align 16>, memref<[4], f16, row_major, align 16>) {
  %Y = output : memref<[4, 64], f16, row_major, align 16>
  %Z = output : memref<[4], f16, row_major, align 16>
  grid (1) threads 64 {
    %a = load %A[i0, i1] : frag<[4, 64], f16, blocked [1, 4] lanes [2, 16] warps [2, 1]>
    %x = load %X[i0, i1] : frag<[4, 64], f16, blocked [1, 4] lanes [2, 16] warps [2, 1]>
    %b = load %B[i0] : frag<[4], f16, slice 1 of (blocked [1, 4] lanes [2, 16] warps [2, 1])>
    %y:2 = scan linear %a, %x from %b along 1
    store %y to %Y[i0, i1]
    store %y#1 to %Z[i0]
  }
  return %Y, %Z
}
