// RUN: dlc-opt %s --unroll-loops | FileCheck %s
// RUN: dlc-opt %s --unroll-loops --evaluate-each -o /dev/null
// RUN: dlc-opt %s --unroll-loops --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// How often it runs is known only when the kernel is launched, though it is marked.
// REMARK: the loop stays: its bounds are known only when the kernel is launched
// CHECK-LABEL: kernel.func @symbolic<N>(
// CHECK: for %t = 0 to N step 4 unroll
kernel.func @symbolic<N>(%x: memref<[N], f32>) -> memref<[4], f32> {
  %y = output : memref<[4], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[4], f32, blocked [1] lanes [32] warps [1]>
    %sum = for %t = 0 to N step 4 unroll carry (%acc = %zero) : frag<[4], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%t + i0] where (%t + i0 < N) : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %sum to %y[i0]
  }
  return %y
}

// 33 times two ops are one pair too many.
// REMARK: the loop stays: its steps, 33, times its ops, 2, are more than 64
// CHECK-LABEL: kernel.func @long(
// CHECK: for %t = 0 to 132 step 4 carry
kernel.func @long(%x: memref<[132], f32>) -> memref<[4], f32> {
  %y = output : memref<[4], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[4], f32, blocked [1] lanes [32] warps [1]>
    %sum = for %t = 0 to 132 step 4 carry (%acc = %zero) : frag<[4], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%t + i0] : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %sum to %y[i0]
  }
  return %y
}

// No program has so many ops, marked or not.
// REMARK: the loop stays: its steps, 100000, are more than 65536
// CHECK-LABEL: kernel.func @endless(
// CHECK: for %t = 0 to 100000 unroll
kernel.func @endless() {
  grid (0) threads 32 {
    for %t = 0 to 100000 unroll {
      barrier
      yield
    }
  }
  return
}

// Each copy would have a tile of its own.
// REMARK: the loop stays: it has shared memory of its own, which each copy would have again
// CHECK-LABEL: kernel.func @tile(
// CHECK: for %t = 0 to 2
kernel.func @tile(%x: memref<[8], f32>) -> memref<[8], f32> {
  %y = output : memref<[8], f32>
  grid (1) threads 32 {
    for %t = 0 to 2 {
      %s = shared : tile<[4], f32, row_major>
      %v = load %x[4*%t + i0] : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      store_shared %v to %s
      barrier
      %w = load_shared %s : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      barrier
      store %w to %y[4*%t + i0]
      yield
    }
  }
  return %y
}
