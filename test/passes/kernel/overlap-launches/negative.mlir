// Grids that no plan lets begin earlier, that wait already, or that run where there is no such launch, stay.

// RUN: dlc-opt %s --overlap-launches --verify-diagnostics --split-input-file | FileCheck %s

// CHECK-LABEL: kernel.func @no_plan
// CHECK-NOT: grid_wait
kernel.func @no_plan<N>(%x: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm90"} {
  %y = output : memref<[N], f32>
  grid (N ceildiv 128) threads 128 {
    %b = block_id 0
    %v = load %x[128*%b + i0] where (128*%b + i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %v to %y[128*%b + i0] where (128*%b + i0 < N)
  }
  return %y
}

// -----

// CHECK-LABEL: kernel.func @waits
// CHECK: grid_wait
// CHECK-NOT: grid_wait
// CHECK: return
kernel.func @waits<N>(%x: memref<[N], f32> {constant}) -> memref<[N], f32> attributes {target = "sm90"} {
  %y = output : memref<[N], f32>
  grid (N ceildiv 128) threads 128 {
    %b = block_id 0
    %v = load %x[128*%b + i0] where (128*%b + i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    grid_wait
    store %v to %y[128*%b + i0] where (128*%b + i0 < N)
  }
  return %y
}
plan.schedule of @waits for sm90 { tile (n: 128) launch_overlap }

// -----

// CHECK-LABEL: kernel.func @old
// CHECK-NOT: grid_wait
kernel.func @old<N>(%x: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm80"} {
  %y = output : memref<[N], f32>
  grid (N ceildiv 128) threads 128 {
    %b = block_id 0
    %v = load %x[128*%b + i0] where (128*%b + i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %v to %y[128*%b + i0] where (128*%b + i0 < N)
  }
  return %y
}
plan.schedule of @old for sm80 {
  tile (n: 128)
  // expected-warning@+1 {{E1614 'plan.schedule': 'launch_overlap': sm80 has no programmatic dependent launch}}
  launch_overlap
}
