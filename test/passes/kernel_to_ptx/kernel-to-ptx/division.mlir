// A division of f32 by a constant is a product with its reciprocal. Where the constant is no power of two, two fma round it as a
// division does: div.rn takes a slow path for zeros. Constants near the largest and the least number are divided by.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.ptx.mlir
// RUN: FileCheck %s --input-file=%t.ptx.mlir
// RUN: dlc-opt %s --kernel-to-ptx --evaluate-each --no-output

// The quotients are those of a division, in their bits: of zeros and numbers with either sign, the least and the largest, and
// infinities. What is no number stays none; it is the last value.
// RUN: dlc-run %s --function=values -o %t.x.npy
// RUN: dlc-run %s --function=two X=%t.x.npy -o %t.two.npz
// RUN: dlc-run %t.ptx.mlir --function=two X=%t.x.npy --check=%t.two.npz --rtol=0 --atol=0
// RUN: dlc-run %s --function=minus_eight X=%t.x.npy -o %t.minus_eight.npz
// RUN: dlc-run %t.ptx.mlir --function=minus_eight X=%t.x.npy --check=%t.minus_eight.npz --rtol=0 --atol=0
// RUN: dlc-run %s --function=three X=%t.x.npy -o %t.three.npz
// RUN: dlc-run %t.ptx.mlir --function=three X=%t.x.npy --check=%t.three.npz --rtol=0 --atol=0
// RUN: dlc-run %s --function=minus_three X=%t.x.npy -o %t.minus_three.npz
// RUN: dlc-run %t.ptx.mlir --function=minus_three X=%t.x.npy --check=%t.minus_three.npz --rtol=0 --atol=0
// RUN: dlc-run %s --function=tenth X=%t.x.npy -o %t.tenth.npz
// RUN: dlc-run %t.ptx.mlir --function=tenth X=%t.x.npy --check=%t.tenth.npz --rtol=0 --atol=0
// RUN: dlc-run %s --function=large X=%t.x.npy -o %t.large.npz
// RUN: dlc-run %t.ptx.mlir --function=large X=%t.x.npy --check=%t.large.npz --rtol=0 --atol=0
// RUN: dlc-run %s --function=small X=%t.x.npy -o %t.small.npz
// RUN: dlc-run %t.ptx.mlir --function=small X=%t.x.npy --check=%t.small.npz --rtol=0 --atol=0

!line = frag<[32], f32, blocked [1] lanes [32] warps [1]>
!bits = frag<[32], i32, blocked [1] lanes [32] warps [1]>

// Nothing is left over of a power of two.
// CHECK-LABEL: ptx.func @two(
// CHECK: %[[X:.+]] = ld.global.nc.f32
// CHECK-NEXT: %[[Y:.+]] = mul.rn.f32 %[[X]], 0.5
// CHECK-NOT: f32 %[[Y]]
// CHECK: st.global.f32 [%{{.+}}], %[[Y]]
kernel.func @two(%X: memref<[32], f32, row_major, align 4>) -> (memref<[32], f32, row_major, align 4>, memref<[31], i32, row_major, align 4>) {
  %Y = output : memref<[32], f32, row_major, align 4>
  %Z = output : memref<[31], i32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : !line
    %c = const 2.0 : !line
    %y = binary fdiv %x, %c : !line
    %bits = cast bits %y : !bits
    store %y to %Y[i0]
    store %bits to %Z[i0] where (i0 < 31)
  }
  return %Y, %Z
}

// CHECK-LABEL: ptx.func @minus_eight(
// CHECK: %[[Y:.+]] = mul.rn.f32 %{{.+}}, -0.125
// CHECK-NOT: f32 %[[Y]]
// CHECK: st.global.f32 [%{{.+}}], %[[Y]]
kernel.func @minus_eight(%X: memref<[32], f32, row_major, align 4>) -> (memref<[32], f32, row_major, align 4>, memref<[31], i32, row_major, align 4>) {
  %Y = output : memref<[32], f32, row_major, align 4>
  %Z = output : memref<[31], i32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : !line
    %c = const -8.0 : !line
    %y = binary fdiv %x, %c : !line
    %bits = cast bits %y : !bits
    store %y to %Y[i0]
    store %bits to %Z[i0] where (i0 < 31)
  }
  return %Y, %Z
}

// The product is finite, as infinities have no difference: what is left over makes it infinite again.
// CHECK-LABEL: ptx.func @three(
// CHECK: %[[X:.+]] = ld.global.nc.f32
// CHECK-NEXT: %[[P:.+]] = mul.rn.f32 %[[X]], 0.33333334
// CHECK-NEXT: %[[O:.+]] = min.f32 %[[P]], 3.40282347E+38
// CHECK-NEXT: %[[Q:.+]] = max.f32 %[[O]], -3.40282347E+38
// CHECK-NEXT: %[[N:.+]] = neg.f32 %[[X]]
// CHECK-NEXT: %[[R:.+]] = fma.rn.f32 %[[Q]], 3.0, %[[N]]
// CHECK-NEXT: %[[Y:.+]] = fma.rn.f32 %[[R]], -0.33333334, %[[Q]]
// CHECK: st.global.f32 [%{{.+}}], %[[Y]]
kernel.func @three(%X: memref<[32], f32, row_major, align 4>) -> (memref<[32], f32, row_major, align 4>, memref<[31], i32, row_major, align 4>) {
  %Y = output : memref<[32], f32, row_major, align 4>
  %Z = output : memref<[31], i32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : !line
    %c = const 3.0 : !line
    %y = binary fdiv %x, %c : !line
    %bits = cast bits %y : !bits
    store %y to %Y[i0]
    store %bits to %Z[i0] where (i0 < 31)
  }
  return %Y, %Z
}

// CHECK-LABEL: ptx.func @minus_three(
// CHECK: %[[X:.+]] = ld.global.nc.f32
// CHECK-NEXT: %[[P:.+]] = mul.rn.f32 %[[X]], -0.33333334
// CHECK-NEXT: %[[O:.+]] = min.f32 %[[P]], 3.40282347E+38
// CHECK-NEXT: %[[Q:.+]] = max.f32 %[[O]], -3.40282347E+38
// CHECK-NEXT: %[[R:.+]] = fma.rn.f32 %[[Q]], 3.0, %[[X]]
// CHECK-NEXT: %[[Y:.+]] = fma.rn.f32 %[[R]], -0.33333334, %[[Q]]
// CHECK: st.global.f32 [%{{.+}}], %[[Y]]
kernel.func @minus_three(%X: memref<[32], f32, row_major, align 4>) -> (memref<[32], f32, row_major, align 4>, memref<[31], i32, row_major, align 4>) {
  %Y = output : memref<[32], f32, row_major, align 4>
  %Z = output : memref<[31], i32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : !line
    %c = const -3.0 : !line
    %y = binary fdiv %x, %c : !line
    %bits = cast bits %y : !bits
    store %y to %Y[i0]
    store %bits to %Z[i0] where (i0 < 31)
  }
  return %Y, %Z
}

// Large quotients are infinite.
// CHECK-LABEL: ptx.func @tenth(
// CHECK-NOT: div
// CHECK: mul.rn.f32 %{{.+}}, 10.0
// CHECK: exit
kernel.func @tenth(%X: memref<[32], f32, row_major, align 4>) -> (memref<[32], f32, row_major, align 4>, memref<[31], i32, row_major, align 4>) {
  %Y = output : memref<[32], f32, row_major, align 4>
  %Z = output : memref<[31], i32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : !line
    %c = const 0.1 : !line
    %y = binary fdiv %x, %c : !line
    %bits = cast bits %y : !bits
    store %y to %Y[i0]
    store %bits to %Z[i0] where (i0 < 31)
  }
  return %Y, %Z
}

// The reciprocal would have few digits, or be infinite.
// CHECK-LABEL: ptx.func @large(
// CHECK: div.rn.f32 %{{.+}}, {{.*}}E+37
// CHECK-NEXT: mov.b32
// CHECK-NOT: fma
// CHECK: exit
kernel.func @large(%X: memref<[32], f32, row_major, align 4>) -> (memref<[32], f32, row_major, align 4>, memref<[31], i32, row_major, align 4>) {
  %Y = output : memref<[32], f32, row_major, align 4>
  %Z = output : memref<[31], i32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : !line
    %c = const 1.0e38 : !line
    %y = binary fdiv %x, %c : !line
    %bits = cast bits %y : !bits
    store %y to %Y[i0]
    store %bits to %Z[i0] where (i0 < 31)
  }
  return %Y, %Z
}

// CHECK-LABEL: ptx.func @small(
// CHECK: div.rn.f32 %{{.+}}, -{{.*}}E-32
// CHECK-NOT: fma
// CHECK: exit
kernel.func @small(%X: memref<[32], f32, row_major, align 4>) -> (memref<[32], f32, row_major, align 4>, memref<[31], i32, row_major, align 4>) {
  %Y = output : memref<[32], f32, row_major, align 4>
  %Z = output : memref<[31], i32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : !line
    %c = const -1.0e-31 : !line
    %y = binary fdiv %x, %c : !line
    %bits = cast bits %y : !bits
    store %y to %Y[i0]
    store %bits to %Z[i0] where (i0 < 31)
  }
  return %Y, %Z
}

// Numbers in f16 are divided as f32, and rounded once more.
// CHECK-LABEL: ptx.func @f16(
// CHECK: mul.rn.f32 %{{.+}}, 0.33333334
// CHECK: %[[Y:.+]] = fma.rn.f32 %{{.+}}, -0.33333334, %{{.+}}
// CHECK-NEXT: cvt.rn.f16.f32 %[[Y]]
kernel.func @f16(%X: memref<[32], f16, row_major, align 4>) -> memref<[32], f16, row_major, align 4> {
  %Y = output : memref<[32], f16, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], f16, blocked [1] lanes [32] warps [1]>
    %c = const 3.0 : frag<[32], f16, blocked [1] lanes [32] warps [1]>
    %y = binary fdiv %x, %c : frag<[32], f16, blocked [1] lanes [32] warps [1]>
    store %y to %Y[i0]
  }
  return %Y
}

// Those of 64 bits are divided.
// CHECK-LABEL: ptx.func @f64(
// CHECK: div.rn.f64
kernel.func @f64(%X: memref<[32], f64, row_major, align 8>) -> memref<[32], f64, row_major, align 8> {
  %Y = output : memref<[32], f64, row_major, align 8>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], f64, blocked [1] lanes [32] warps [1]>
    %c = const 3.0 : frag<[32], f64, blocked [1] lanes [32] warps [1]>
    %y = binary fdiv %x, %c : frag<[32], f64, blocked [1] lanes [32] warps [1]>
    store %y to %Y[i0]
  }
  return %Y
}

tiny.func @values() -> tensor<[32], f32> {
  %x = const dense<[0.0, -0.0, 1.0e-45, -1.0e-45, 1.1754942e-38, -1.1754942e-38, 1.1754944e-38, -1.1754944e-38, 2.0e-30, -2.0e-30, 1.0, -1.0, 0.1, -0.1, 7.0, -7.0, 1.0e10, -1.0e10, 3.4e38, -3.4e38, 3.4028235e38, -3.4028235e38, 0x7F800000, 0xFF800000, 3.0, 0.99999994, 1.0000001, 5.0, 6.0000005, 16777215.0, 123456.79, 0x7FC00000]> : tensor<32xf32>
  return %x
}
