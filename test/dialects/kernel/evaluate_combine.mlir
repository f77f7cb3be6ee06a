// Memory that a launch gives a kernel for its results holds anything: there is nothing yet to combine with.

// RUN: dlc-run %s --function=zeroed --shape=N=40 --seed=0 -o %t.npy
// RUN: dlc-run %s --function=same --shape=N=40 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: not dlc-run %s --function=fresh --shape=N=40 2>&1 | FileCheck %s
// RUN: not dlc-run %s --function=own --shape=N=40 2>&1 | FileCheck %s --check-prefix=OWN

!line = frag<[64], f32, blocked [2] lanes [32] warps [1]>

// CHECK: 'kernel.store': combines with element 0 of global memory, which nothing was written to
kernel.func @fresh<N>(%x: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %y = output : memref<[N], f32, row_major, align 4>
  grid (N ceildiv 64) threads 32 {
    %b = block_id 0
    %v = load %x[64 * %b + i0] where (64 * %b + i0 < N) : !line
    store combine sum %v to %y[64 * %b + i0] where (64 * %b + i0 < N)
  }
  return %y
}

// So does a workspace, which only the kernel sees.
// OWN: 'kernel.load': reads element 0 of global memory, which nothing was written to
kernel.func @own<N>(%x: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %w = workspace : memref<[N], f32, row_major, align 4>
  %y = output : memref<[N], f32, row_major, align 4>
  grid (N ceildiv 64) threads 32 {
    %b = block_id 0
    %v = load %w[64 * %b + i0] where (64 * %b + i0 < N) : !line
    store %v to %y[64 * %b + i0] where (64 * %b + i0 < N)
  }
  return %y
}

kernel.func @zeroed<N>(%x: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
  %y = output : memref<[N], f32, row_major, align 4>
  grid (N ceildiv 64) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : !line
    store %zero to %y[64 * %b + i0] where (64 * %b + i0 < N)
  }
  grid (N ceildiv 64) threads 32 {
    %b = block_id 0
    %v = load %x[64 * %b + i0] where (64 * %b + i0 < N) : !line
    store combine sum %v to %y[64 * %b + i0] where (64 * %b + i0 < N)
  }
  return %y
}

tiny.func @same<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  return %x
}
