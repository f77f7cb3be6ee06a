// Loops of one step alone; and none without a plan where a plan must ask for it.

// RUN: dlc-opt %s --unroll-loops='steps=1' --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --unroll-loops='steps=1' --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --unroll-loops='steps=1 planned' | FileCheck %s --check-prefix=PLANNED

// REMARK: missed] the loop stays: its steps, 2, are more than 1
// CHECK-LABEL: @sums
// CHECK-NOT: for %k
// CHECK: load %x[i0]
// CHECK-NOT: for %k
// CHECK: for %j = 0 to 2
// PLANNED: for %k = 0 to 32 step 32
kernel.func @sums(%x: memref<[32], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %one = for %k = 0 to 32 step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    %two = for %j = 0 to 2 carry (%acc = %one) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %next = binary add %acc, %acc : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %two to %y[i0]
  }
  return %y
}
