// A store is compared with each of the others, up to some number of pairs: beyond it the kernel is not verified, at once.

// RUN: split-file %s %t
// RUN: dlc-opt %t/some.mlir --unroll-loops --check-async --no-output
// RUN: not dlc-opt %t/many.mlir --unroll-loops --check-async --no-output 2>&1 | FileCheck %s

// CHECK: E1814{{.*}}not verified: too many writes would have to be compared with each other

//--- some.mlir
kernel.func @some() -> memref<[1], i32> {
  %y = output : memref<[1], i32>
  grid (1) threads 32 {
    %x = const 32 : frag<[1], i32, slice 1 of (blocked [1, 32] lanes [1, 32] warps [1, 1])>
    for %i = 0 to 512 unroll {
      store %x to %y[i0]
    }
  }
  return %y
}

//--- many.mlir
kernel.func @many() -> memref<[1], i32> {
  %y = output : memref<[1], i32>
  grid (1) threads 32 {
    %x = const 32 : frag<[1], i32, slice 1 of (blocked [1, 32] lanes [1, 32] warps [1, 1])>
    for %i = 0 to 4096 unroll {
      store %x to %y[i0]
    }
  }
  return %y
}
