// What an op does not take as a number stays a value, which no rule of the op looks at: a part beyond the end, the number
// of a barrier.

// RUN: dlc-opt %s --unroll-loops | FileCheck %s

// CHECK-LABEL: @parts
// CHECK: extract %{{.+}} at [0, 0]
// CHECK: extract %{{.+}} at [0, 32]
// CHECK: %[[J:.+]] = index (2)
// CHECK: extract %{{.+}} at [0, 32*%[[J]]]
kernel.func @parts(%X: memref<[64, 64], f32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    for %j = 0 to 3 unroll {
      %p = extract %x at [0, 32 * %j] : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %p to %Y[i0, 32 * %j + i1] where (32 * %j + i1 < 64)
    }
  }
  return %Y
}

// CHECK-LABEL: @barriers
// CHECK: %[[FIRST:.+]] = index (-
// CHECK: barrier id %[[FIRST]] threads 128
kernel.func @barriers() {
  grid (1) threads 128 {
    for %i = 14 to 16 unroll {
      %id = index (65536 - %i)
      barrier id %id threads 128
    }
  }
  return
}
