// Flags between blocks: text in both forms.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK-LABEL: kernel.func @flags
// GENERIC-LABEL: sym_name = "flags"
kernel.func @flags<N>() -> memref<[N], f32> {
  %Y = output : memref<[N], f32>
  %order = scratch : memref<[1], i32>
  %states = scratch : memref<[N, 2], i32>
  grid (N) threads 64 {
    // CHECK: %t = ticket %order[0]
    // GENERIC: %t = "kernel.ticket"(%order) <{at = [0]}> : (!core.memref<[1], i32, "row_major", 4, false>) -> index
    %t = ticket %order[0]
    %n = block_id 0
    // CHECK: release 1 to %states[%t, 0]
    // GENERIC: "kernel.release"(%states, %t) <{at = ["_0", 0], value = 1}> : (!core.memref<["N", 2], i32, "row_major", 4, false>, index) -> ()
    release 1 to %states[%t, 0]
    // CHECK: release 2 to %states[%t, %n mod 2]
    release 2 to %states[%t, %n mod 2]
    if (%t > 0) {
      // CHECK: %state = acquire %states[%t - 1, 0] until 2
      // GENERIC: %state = "kernel.acquire"(%states, %t) <{at = ["_0 - 1", 0], value = 2}> : (!core.memref<["N", 2], i32, "row_major", 4, false>, index) -> index
      %state = acquire %states[%t - 1, 0] until 2
    }
  }
  return %Y
}
