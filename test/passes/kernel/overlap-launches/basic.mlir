// A kernel whose plan says so begins before the grid before it has ended, and waits before it touches memory.

// RUN: dlc-opt %s --overlap-launches --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %s --overlap-launches --remarks --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --overlap-launches --check-async --kernel-to-ptx | FileCheck %s --check-prefix=PTX

// CHECK-LABEL: kernel.func @copy
// CHECK: %b = block_id 0
// CHECK-NEXT: %s = shared
// CHECK-NEXT: grid_wait
// CHECK-NEXT: load
// CHECK-NOT: grid_wait
// REMARK: this may begin before the grid before it has ended
// PTX-LABEL: ptx.func @copy
// PTX: griddepcontrol.wait
kernel.func @copy<N>(%x: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm90"} {
  %y = output : memref<[N], f32>
  grid (N ceildiv 128) threads 128 {
    %b = block_id 0
    %s = shared : tile<[1, 128], f32, row_major>
    %v = load %x[128*%b + i0] where (128*%b + i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %v to %y[128*%b + i0] where (128*%b + i0 < N)
  }
  return %y
}
plan.schedule of @copy for sm90 { tile (n: 128) launch_overlap }

// It waits before a loop in which it reads.
// CHECK-LABEL: kernel.func @loop
// CHECK: grid_wait
// CHECK-NEXT: for
kernel.func @loop<N>(%x: memref<[4, N], f32>) -> memref<[4, N], f32> attributes {target = "sm90"} {
  %y = output : memref<[4, N], f32>
  grid (N ceildiv 128) threads 128 {
    %b = block_id 0
    for %m = 0 to 4 {
      %v = load %x[%m, 128*%b + i0] where (128*%b + i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
      store %v to %y[%m, 128*%b + i0] where (128*%b + i0 < N)
    }
  }
  return %y
}
plan.schedule of @loop for sm90 { tile (n: 128) launch_overlap }
