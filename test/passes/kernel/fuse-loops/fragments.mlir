// fuse-loops: loops that load fragments, compute and do not meet are one where they load the same.

// RUN: dlc-opt %s --fuse-loops | FileCheck %s
// RUN: dlc-opt %s --fuse-loops --evaluate-each --no-output

// The reductions between them stay after; what the second loop needs goes before both.
// CHECK-LABEL: @angle<
// CHECK: %[[ONE:.*]] = const 1.0 : frag<[128], f32
// CHECK: %d, %s = for %n = 0 to N step 128 carry (%[[P:.*]] = %zero, %[[Q:.*]] = %[[ONE]])
// CHECK-NEXT: load %a
// CHECK-NEXT: load %b
// CHECK-NEXT: mulacc
// CHECK-NEXT: mulacc
// CHECK-NEXT: yield
// CHECK-NOT: for
// CHECK: reduce sum %d
// CHECK: reduce sum %s
kernel.func @angle<M, N>(%a: memref<[M, N], f32>, %b: memref<[M, N], f32>) -> memref<[M], f32> {
  %y = output : memref<[M], f32>
  grid (M) threads 32 {
    %row = block_id 0
    %zero = const 0.0 : frag<[128], f32, blocked [4] lanes [32] warps [1]>
    %d = for %n = 0 to N step 128 carry (%c = %zero) : frag<[128], f32, blocked [4] lanes [32] warps [1]> {
      %0 = load %a[%row, %n + i0] where (%n + i0 < N) : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      %1 = load %b[%row, %n + i0] where (%n + i0 < N) : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      %2 = mulacc %0, %1, %c : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      yield %2
    }
    %p = reduce sum %d along 0 : frag<[], f32, slice 0 of (blocked [4] lanes [32] warps [1])>
    %one = const 1.0 : frag<[128], f32, blocked [4] lanes [32] warps [1]>
    %s = for %n = 0 to N step 128 carry (%c = %one) : frag<[128], f32, blocked [4] lanes [32] warps [1]> {
      %0 = load %a[%row, %n + i0] where (%n + i0 < N) : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      %2 = mulacc %0, %0, %c : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      yield %2
    }
    %q = reduce sum %s along 0 : frag<[], f32, slice 0 of (blocked [4] lanes [32] warps [1])>
    %r = binary fdiv %p, %q : frag<[], f32, slice 0 of (blocked [4] lanes [32] warps [1])>
    store %r to %y[%row]
  }
  return %y
}

// Other memory; a sum that the second loop needs; other steps; a store between.
// CHECK-LABEL: @apart<
// CHECK-COUNT-5: for %n
// CHECK: return
kernel.func @apart<M, N>(%a: memref<[M, N], f32>, %b: memref<[M, N], f32>) -> (memref<[M], f32>, memref<[M], f32>) {
  %y = output : memref<[M], f32>
  %z = output : memref<[M], f32>
  grid (M) threads 32 {
    %row = block_id 0
    %zero = const 0.0 : frag<[128], f32, blocked [4] lanes [32] warps [1]>
    %d = for %n = 0 to N step 128 carry (%c = %zero) : frag<[128], f32, blocked [4] lanes [32] warps [1]> {
      %0 = load %a[%row, %n + i0] where (%n + i0 < N) : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      %1 = binary add %0, %c : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      yield %1
    }
    %s = for %n = 0 to N step 128 carry (%c = %zero) : frag<[128], f32, blocked [4] lanes [32] warps [1]> {
      %0 = load %b[%row, %n + i0] where (%n + i0 < N) : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      %1 = binary add %0, %c : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      yield %1
    }
    %t = for %n = 0 to N step 128 carry (%c = %s) : frag<[128], f32, blocked [4] lanes [32] warps [1]> {
      %0 = load %b[%row, %n + i0] where (%n + i0 < N) : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      %1 = binary add %0, %c : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      yield %1
    }
    %u = for %n = 0 to N step 256 carry (%c = %zero) : frag<[128], f32, blocked [4] lanes [32] warps [1]> {
      %0 = load %b[%row, %n + i0] where (%n + i0 < N) : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      %1 = binary add %0, %c : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      yield %1
    }
    %p = reduce sum %u along 0 : frag<[], f32, slice 0 of (blocked [4] lanes [32] warps [1])>
    store %p to %y[%row]
    %v = for %n = 0 to N step 256 carry (%c = %t) : frag<[128], f32, blocked [4] lanes [32] warps [1]> {
      %0 = load %b[%row, %n + i0] where (%n + i0 < N) : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      %1 = binary add %0, %c : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      yield %1
    }
    %e = binary add %v, %d : frag<[128], f32, blocked [4] lanes [32] warps [1]>
    %q = reduce sum %e along 0 : frag<[], f32, slice 0 of (blocked [4] lanes [32] warps [1])>
    store %q to %z[%row]
  }
  return %y, %z
}
