// A division of f32 by values is a reciprocal, a product with it, and two steps that bring it nearer: div.rn takes a slow path for
// zeros. Divisors far from one are brought near it by a power of two.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.ptx.mlir
// RUN: FileCheck %s --input-file=%t.ptx.mlir
// RUN: dlc-opt %s --kernel-to-ptx --evaluate-each --no-output

// The quotients of all pairs are those of a division, in their bits: of zeros and numbers with either sign, the largest, and
// infinities. What is no number stays none.
// RUN: dlc-run %s --function=values -o %t.x.npy
// RUN: dlc-run %s --function=pairs X=%t.x.npy Y=%t.x.npy -o %t.pairs.npz
// RUN: dlc-run %t.ptx.mlir --function=pairs X=%t.x.npy Y=%t.x.npy --check=%t.pairs.npz --rtol=0 --atol=0

// Those of numbers with fewer digits, and by them, are off by two units at most.
// RUN: dlc-run %s --function=small -o %t.small.npy
// RUN: dlc-run %s --function=quotients X=%t.small.npy Y=%t.x.npy -o %t.of.npz
// RUN: dlc-run %t.ptx.mlir --function=quotients X=%t.small.npy Y=%t.x.npy --check=%t.of.npz --rtol=2.4e-7 --atol=3e-45
// RUN: dlc-run %s --function=pairs X=%t.x.npy Y=%t.small.npy -o %t.by.npz
// RUN: dlc-run %t.ptx.mlir --function=pairs X=%t.x.npy Y=%t.small.npy --check=%t.by.npz --rtol=0 --atol=0
// RUN: dlc-run %s --function=quotients X=%t.small.npy Y=%t.small.npy -o %t.both.npz
// RUN: dlc-run %t.ptx.mlir --function=quotients X=%t.small.npy Y=%t.small.npy --check=%t.both.npz --rtol=2.4e-7 --atol=3e-45

!pairs = frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
!bits = frag<[32, 32], i32, blocked [1, 8] lanes [8, 4] warps [4, 1]>

// CHECK-LABEL: ptx.func @pairs(
// CHECK: %[[LOW:.+]] = setp.lt.f32 %{{.+}}, 5.42101086E-20
// CHECK: %[[HIGH:.+]] = setp.gt.f32 %{{.+}}, 1.84467441E+19
// CHECK: selp
// CHECK-NOT: div.
// CHECK: exit
kernel.func @pairs(%X: memref<[32], f32, row_major, align 4>, %Y: memref<[32], f32, row_major, align 4>) -> (memref<[32, 32], f32, row_major, align 4>, memref<[32, 32], i32, row_major, align 4>) {
  %Z = output : memref<[32, 32], f32, row_major, align 4>
  %B = output : memref<[32, 32], i32, row_major, align 4>
  grid (1) threads 128 {
    %x = load %X[i0] : !pairs
    %y = load %Y[i1] : !pairs
    %z = binary fdiv %x, %y : !pairs
    %bits = cast bits %z : !bits
    %none = const 0 : !bits
    %is_some = binary eq %z, %z : frag<[32, 32], i1, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %held = select %is_some, %bits, %none : !bits
    store %z to %Z[i0, i1]
    store %held to %B[i0, i1]
  }
  return %Z, %B
}

kernel.func @quotients(%X: memref<[32], f32, row_major, align 4>, %Y: memref<[32], f32, row_major, align 4>) -> memref<[32, 32], f32, row_major, align 4> {
  %Z = output : memref<[32, 32], f32, row_major, align 4>
  grid (1) threads 128 {
    %x = load %X[i0] : !pairs
    %y = load %Y[i1] : !pairs
    %z = binary fdiv %x, %y : !pairs
    store %z to %Z[i0, i1]
  }
  return %Z
}

// A divisor between two and three is near one as it is.
// CHECK-LABEL: ptx.func @known(
// CHECK-NOT: setp.lt
// CHECK: rcp.approx.ftz.f32
// CHECK-NOT: div.
// CHECK: exit
kernel.func @known(%X: memref<[32], f32, row_major, align 4>) -> memref<[32, 32], f32, row_major, align 4> {
  %Z = output : memref<[32, 32], f32, row_major, align 4>
  grid (1) threads 128 {
    %x = load %X[i0] : !pairs
    %y = load %X[i1] : !pairs
    %one = const 1.0 : !pairs
    %two = const 2.0 : !pairs
    %low = binary max %y, %two : !pairs
    %three = const 3.0 : !pairs
    %by = binary min %low, %three : !pairs
    %z = binary fdiv %x, %by : !pairs
    store %z to %Z[i0, i1]
  }
  return %Z
}

// So is one that was f16.
// CHECK-LABEL: ptx.func @f16(
// CHECK-NOT: setp.lt
// CHECK: rcp.approx.ftz.f32
// CHECK: cvt.rn.f16.f32
kernel.func @f16(%X: memref<[32], f16, row_major, align 4>) -> memref<[32, 32], f16, row_major, align 4> {
  %Z = output : memref<[32, 32], f16, row_major, align 4>
  grid (1) threads 128 {
    %x = load %X[i0] : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %y = load %X[i1] : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %z = binary fdiv %x, %y : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    store %z to %Z[i0, i1]
  }
  return %Z
}

tiny.func @values() -> tensor<[32], f32> {
  %x = const dense<[0.0, -0.0, 2.0e-30, -2.0e-30, 1.0, -1.0, 0.1, -0.1, 7.0, -7.0, 1.0e6, -1.0e6, 1.0e7, 1.7014118e38, 3.4e38, -3.4e38, 3.4028235e38, -3.4028235e38, 0x7F800000, 0xFF800000, 3.0, 11.0, 13.0, 5.0, 6.0000005, 16777215.0, 123456.79, 0x7FC00000, 1.8446744e19, 1.8446746e19, 5.421011e-20, 5.4210104e-20]> : tensor<32xf32>
  return %x
}

tiny.func @small() -> tensor<[32], f32> {
  %x = const dense<[1.0e-45, -1.0e-45, 3.0e-45, 4.0e-45, 1.0e-44, -2.0e-44, 1.0e-43, 3.0e-42, 1.0e-41, -1.0e-40, 2.0e-40, 5.0e-40, 1.0e-39, 3.0e-39, 7.0e-39, -9.0e-39, 1.1754942e-38, -1.1754942e-38, 1.1754944e-38, -1.1754944e-38, 2.0e-38, 1.0e-37, 1.0e-36, -1.0e-35, 1.0e-34, 1.0e-33, 1.0e-32, 1.9e-31, 0.0, -0.0, 1.1e-38, -1.1e-38]> : tensor<32xf32>
  return %x
}
