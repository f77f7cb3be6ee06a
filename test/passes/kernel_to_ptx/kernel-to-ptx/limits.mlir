// What conditions ask of one axis several times is asked once, of the least bound: that is the same for many elements, which
// are compared with the room that it leaves the thread.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --kernel-to-ptx --evaluate-each -o /dev/null
// RUN: dlc-run %s --function=both --shape=T=5 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=both --shape=T=5 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=next_to --shape=T=12 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=next_to --shape=T=12 --seed=0 --check=%t.npy --rtol=0 --atol=0

!s = frag<[64, 16], f32, wgmma>

// Four elements of each of two rows: a comparison each, and the least bound once for a row.
// CHECK-LABEL: ptx.func @both<T>(
// CHECK-NOT: setp
// CHECK: %[[ROOM:.+]] = cvt.sat.s32.s64
// CHECK-NEXT: %[[FIRST:.+]] = setp.ge.s32 %[[ROOM]], 0
// CHECK-NEXT: selp.f32 %{{.+}}, -1.0, %[[FIRST]]
// CHECK: setp.ge.s32 %[[ROOM]], 1
// CHECK-NOT: setp
// CHECK: %[[BELOW:.+]] = cvt.sat.s32.s64
// CHECK-COUNT-2: setp.ge.s32 %[[BELOW]]
// CHECK-COUNT-2: setp.ge.s32 %[[ROOM]]
// CHECK-COUNT-2: setp.ge.s32 %[[BELOW]]
// CHECK-NOT: cvt.sat
// CHECK: st.global
kernel.func @both<T>(%X: memref<[64, 16], f32, row_major, align 16>) -> memref<[64, 16], f32, row_major, align 16> {
  %Y = output : memref<[64, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    %b = block_id 0
    %hidden = const -1.0 : f32
    %x = load %X[i0, i1] : !s
    %y = select where (%b + i1 < T, %b + i1 <= i0) then %x else %hidden : !s
    store %y to %Y[i0, i1]
  }
  return %Y
}

// A bound from below stays, and so does one of something else.
// CHECK-LABEL: ptx.func @next_to<T>(
// CHECK-COUNT-2: cvt.sat.s32.s64
// CHECK: setp.ge.s32
// CHECK: setp.lt.s32
// CHECK: exit
kernel.func @next_to<T>(%X: memref<[64, 16], f32, row_major, align 16>) -> memref<[64, 16], f32, row_major, align 16> {
  %Y = output : memref<[64, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    %b = block_id 0
    %hidden = const -1.0 : f32
    %x = load %X[i0, i1] : !s
    %y = select where (3 <= %b + i1 < T, %b + i1 <= i0, i0 + 2 * i1 < 70) then %x else %hidden : !s
    store %y to %Y[i0, i1]
  }
  return %Y
}

// The room may be more than 32 bits hold: it is as much as they do.
// CHECK-LABEL: ptx.func @far<T>(
// CHECK: cvt.sat.s32.s64
// CHECK: exit
kernel.func @far<T>(%X: memref<[64, 16], f32, row_major, align 16>) -> memref<[64, 16], f32, row_major, align 16> {
  %Y = output : memref<[64, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    %b = block_id 0
    %hidden = const -1.0 : f32
    %x = load %X[i0, i1] : !s
    %y = select where (%b - 2147483000 + i1 < T, %b - 2147483000 + i1 <= i0 + 2147480000) then %x else %hidden : !s
    store %y to %Y[i0, i1]
  }
  return %Y
}

// Bounds of different sums are different questions.
// CHECK-LABEL: ptx.func @apart<T>(
// CHECK-NOT: cvt.sat
// CHECK: exit
kernel.func @apart<T>(%X: memref<[64, 16], f32, row_major, align 16>) -> memref<[64, 16], f32, row_major, align 16> {
  %Y = output : memref<[64, 16], f32, row_major, align 16>
  grid (1) threads 128 {
    %b = block_id 0
    %hidden = const -1.0 : f32
    %x = load %X[i0, i1] : !s
    %y = select where (%b + i1 < T, 2 * %b + i1 <= i0) then %x else %hidden : !s
    store %y to %Y[i0, i1]
  }
  return %Y
}
