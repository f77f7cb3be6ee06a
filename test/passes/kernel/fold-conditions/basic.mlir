// RUN: dlc-opt %s --fold-conditions | FileCheck %s
// RUN: dlc-opt %s --fold-conditions --evaluate-each -o /dev/null
// RUN: dlc-opt %s --fold-conditions --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Of numbers alone, of the sizes, of a loop's counter and of the groups of a role; what holds stands in place of the `if`, of what
// never holds the other branch does. One in another is taken away with its own answer.
// REMARK: its condition always holds
// REMARK: its condition never holds
// CHECK-LABEL: kernel.func @conditions<
// CHECK: %v = load
// CHECK-NEXT: %w = load %x[i0 + 64]
// CHECK-NEXT: store %w to %y[i0]
// CHECK-NEXT: for %k = 0 to 64 step 32 {
// CHECK-NEXT: %kept = if (1 <= %k)
// CHECK-NOT: if
// CHECK: store %kept to %y[%k + i0]
// CHECK: return
kernel.func @conditions<M>(%x: memref<[M + 128], f32>) -> memref<[128], f32> {
  %y = output : memref<[128], f32>
  grid (1) threads 64 {
    %v = load %x[i0] : frag<[64], f32, blocked [1] lanes [32] warps [2]>
    %chosen = if (256 <= 1) : frag<[64], f32, blocked [1] lanes [32] warps [2]> {
      yield %v
    } else {
      %w = load %x[i0 + 64] : frag<[64], f32, blocked [1] lanes [32] warps [2]>
      yield %w
    }
    if (1 <= 256) {
      if (0 <= M) {
        store %chosen to %y[i0]
      }
      if (M <= -1) {
        store %v to %y[i0]
      }
    }
    for %k = 0 to 64 step 32 {
      %kept = if (1 <= %k) : frag<[64], f32, blocked [1] lanes [32] warps [2]> {
        yield %v
      } else {
        yield %chosen
      }
      if (%k < 64) {
        store %kept to %y[%k + i0]
      }
    }
  }
  return %y
}

// What the kernel requires is known.
// CHECK-LABEL: kernel.func @requires<
// CHECK: store
// CHECK-NOT: if
// CHECK: if (M mod 3 < 1) {
// CHECK: return
kernel.func @requires<M>(%x: memref<[M], f32>) -> memref<[64], f32> {
  require (M mod 8 == 0)
  %y = output : memref<[64], f32>
  grid (1) threads 64 {
    %v = const 1.0 : frag<[64], f32, blocked [1] lanes [32] warps [2]>
    if (M mod 8 < 1) {
      store %v to %y[i0]
    }
    if (M mod 3 < 1) {
      store %v to %y[i0]
    }
  }
  return %y
}
