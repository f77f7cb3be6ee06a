// Blocks that tell each other something run at once and begin in any order: what is not ordered by flags is found, and so
// is a wait for a block that need not have begun.

// RUN: dlc-run %s --function=right --strict --shape=N=7 --order-seed=1 --seed=0 -o %t.npy
// RUN: dlc-run %s --function=right --strict --shape=N=7 --order-seed=2 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=right --strict --shape=N=7 --order-seed=3 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: not dlc-run %s --function=by_number --strict --shape=N=7 --order-seed=1 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not dlc-run %s --function=no_flag --strict --shape=N=7 --order-seed=1 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not dlc-run %s --function=outside --strict --shape=N=7 2>&1 | FileCheck %s --check-prefix=OUTSIDE

!one = frag<[64], f32, blocked [2] lanes [32] warps [1]>

// Each block adds its row to the sum of those before: by tickets, whichever comes first.
kernel.func @right<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 32 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !one
      %sum = binary add %before, %x : !one
      yield %sum
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// Blocks by their numbers: one that waits for another may keep it from beginning.
// NUMBER: no thread can go on: all of them wait
// NUMBER: wait here
kernel.func @by_number<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 32 {
    %t = block_id 0
    %x = load %X[%t, i0] : !one
    if (%t > 0) {
      %seen = acquire %ready[%t - 1] until 1
    }
    store %x to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// The number of a block that has begun before says nothing of what it has done.
// FLAG: {{reads element [0-9]+ of global memory, which (another block writes, with no 'release' and 'acquire' between|nothing was written to)}}
kernel.func @no_flag<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  grid (N) threads 32 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !one
    %s = if (%t > 0) : !one {
      %before = load %Y[%t - 1, i0] : !one
      yield %before
    } else {
      yield %x
    }
    store %s to %Y[%t, i0]
  }
  return %Y
}

// OUTSIDE: 'kernel.release': a flag is at [7], outside of the sizes [7]
kernel.func @outside<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %ready = scratch : memref<[N], i32>
  grid (1) threads 32 {
    release 1 to %ready[N]
  }
  return %Y
}
