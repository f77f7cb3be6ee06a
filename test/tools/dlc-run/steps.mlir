// A program that takes long ends with an error after so many steps, on whatever layer it is; more are allowed when asked for.

// RUN: not dlc-run %s --strict --function=kernel --max-steps=1000 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: dlc-run %s --strict --function=short --max-steps=10000 | FileCheck %s --check-prefix=SHORT
// RUN: not dlc-run %s --strict --function=region 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: not dlc-run %s --passes=kernel-to-ptx --function=kernel --max-steps=1000 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: not dlc-run %s --max-steps=0 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: invalid value '0' for '--max-steps

// KERNEL: [E0702]
// KERNEL: the program is stopped after 1000 steps
// KERNEL: --max-steps
// PTX: [E0702]
// PTX: the kernel is stopped after 1000 instructions of warps
// PTX: --max-steps
kernel.func @kernel() -> memref<[1], i32> {
  %dst = output : memref<[1], i32>
  grid (1) threads 32 {
    %0 = const 0 : frag<[1], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
    %sum = for %i = 0 to 1000000000 step 1 carry (%a = %0) : frag<[1], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])> {
      %one = const 1 : frag<[1], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      %next = binary add %a, %one : frag<[1], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      yield %next
    }
    store %sum to %dst[i0]
  }
  return %dst
}

// SHORT: 300
kernel.func @short() -> memref<[1], i32> {
  %dst = output : memref<[1], i32>
  grid (1) threads 32 {
    %0 = const 0 : frag<[1], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
    %sum = for %i = 0 to 300 step 1 carry (%a = %0) : frag<[1], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])> {
      %one = const 1 : frag<[1], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      %next = binary add %a, %one : frag<[1], i32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [1, 1])>
      yield %next
    }
    store %sum to %dst[i0]
  }
  return %dst
}

// Values of a region are tensors, whose elements are counted before.
// REGION: a tensor of the sizes [1000000000000] has more than {{[0-9]+}} elements, too many to run
region.func @region iters (m: 1) ins (%X: memref<[1], f32>) outs (Y: memref<[1], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  %s = reduce sum (k: 1000000000000) acc f32 init 0.0 {
    %i = index (k) : i64 over (k)
    %f = cast %i : f32 over (k)
    yield %f
  } : f32 over ()
  %y = binary add %x, %s : f32 over (m)
  yield %y to Y
}
