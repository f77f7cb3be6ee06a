// Sorts in layouts of all kinds, as kernels and as instructions: registers, lanes, warps, and registers again.

// RUN: dlc-opt %s --check-async --kernel-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --strict --function=registers -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=registers --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=lanes -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=lanes --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=repeated -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=repeated --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=columns -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=columns --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=floats -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=floats --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=doubles -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=doubles --check=%t.npz --rtol=0 --atol=0
// RUN: FileCheck %s --input-file=%t.ptx.mlir

// Two elements of a thread are compared by a minimum and a maximum: stages of 1, 2 and 3 steps with 4 pairs each.
// CHECK-LABEL: @registers
// CHECK-COUNT-24: min.s32
// CHECK-NOT: min.s32
// CHECK-NOT: shfl
// CHECK-LABEL: @lanes
// CHECK: shfl.sync.bfly
// CHECK-NOT: st.shared
// CHECK-LABEL: @repeated
// CHECK: st.shared.b64
// CHECK: bar
// CHECK: ld.shared.b64

kernel.func @registers(%X: memref<[32, 8], i32, row_major, align 16>) -> memref<[32, 8], i32, row_major, align 16> {
  %Y = output : memref<[32, 8], i32, row_major, align 16>
  grid (1) threads 32 {
    %x = load %X[i0, i1] : frag<[32, 8], i32, blocked [1, 8] lanes [32, 1] warps [1, 1]>
    %y = sort %x along 1
    store %y to %Y[i0, i1]
  }
  return %Y
}

kernel.func @lanes(%X: memref<[2, 64], i32, row_major, align 16>) -> memref<[2, 64], i32, row_major, align 16> {
  %Y = output : memref<[2, 64], i32, row_major, align 16>
  grid (1) threads 32 {
    %x = load %X[i0, i1] : frag<[2, 64], i32, blocked [1, 4] lanes [2, 16] warps [1, 1]>
    %y = sort %x along 1
    store %y to %Y[i0, i1]
  }
  return %Y
}

kernel.func @repeated(%X: memref<[4, 1024], i64, row_major, align 16>) -> memref<[4, 1024], i64, row_major, align 16> {
  %Y = output : memref<[4, 1024], i64, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<[4096], i64, row_major>
    %x = load %X[i0, i1] : frag<[4, 1024], i64, blocked [1, 4] lanes [1, 32] warps [2, 2]>
    %y = sort %x along 1 through %s
    store %y to %Y[i0, i1]
  }
  return %Y
}

kernel.func @columns(%X: memref<[64, 32], i32, row_major, align 16>) -> memref<[64, 32], i32, row_major, align 16> {
  %Y = output : memref<[64, 32], i32, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<[2048], i32, row_major>
    %x = load %X[i0, i1] : frag<[64, 32], i32, blocked [4, 1] lanes [1, 32] warps [4, 1]>
    %y = sort %x along 0 through %s
    store %y to %Y[i0, i1]
  }
  return %Y
}

// Floats are integers on the way, NaN the largest of them.
// CHECK-LABEL: @floats
// CHECK: setp.{{[a-z]*}}.f32
// CHECK: shr.s32
// CHECK: min.s32
kernel.func @floats(%X: memref<[4, 64], f32, row_major, align 16>) -> memref<[4, 64], f32, row_major, align 16> {
  %Y = output : memref<[4, 64], f32, row_major, align 16>
  grid (1) threads 32 {
    %x = load %X[i0, i1] : frag<[4, 64], f32, blocked [1, 8] lanes [4, 8] warps [1, 1]>
    %root = unary sqrt %x : frag<[4, 64], f32, blocked [1, 8] lanes [4, 8] warps [1, 1]>
    %half = const 0.5 : f32
    %is = binary gt %x, %half : frag<[4, 64], i1, blocked [1, 8] lanes [4, 8] warps [1, 1]>
    %some = select %is, %root, %x : frag<[4, 64], f32, blocked [1, 8] lanes [4, 8] warps [1, 1]>
    %small = const -1.5 : f32
    %isnt = binary lt %x, %small : frag<[4, 64], i1, blocked [1, 8] lanes [4, 8] warps [1, 1]>
    %z = select %isnt, %root, %some : frag<[4, 64], f32, blocked [1, 8] lanes [4, 8] warps [1, 1]>
    %y = sort %z along 1
    store %y to %Y[i0, i1]
  }
  return %Y
}

kernel.func @doubles(%X: memref<[1, 256], f64, row_major, align 16>) -> memref<[1, 256], f64, row_major, align 16> {
  %Y = output : memref<[1, 256], f64, row_major, align 16>
  grid (1) threads 64 {
    %s = shared : tile<[256], f64, row_major>
    %x = load %X[i0, i1] : frag<[1, 256], f64, blocked [1, 4] lanes [1, 32] warps [1, 2]>
    %y = sort %x along 1 through %s
    store %y to %Y[i0, i1]
  }
  return %Y
}
