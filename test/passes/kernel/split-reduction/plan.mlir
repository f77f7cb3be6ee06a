// RUN: dlc-opt %s --split-reduction --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --split-reduction --remarks=passed,missed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Each kernel as its plan says; one without a plan for it stays, and has nothing to say.
plan.schedule of @order for sm90 {
  split_k 2
  deterministic
}
plan.schedule of @workspace for sm90 {
  split_k 3 through workspace
}
plan.schedule of @cluster for sm90 {
  split_k 4 through cluster
}
plan.schedule of @any for sm90 {
  split_k 5
}

// REMARK: the sum has 2 parts, added in order, through memory
// CHECK-LABEL: kernel.func @order
// CHECK: workspace : memref<[2, 32], f32
kernel.func @order<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// REMARK: the sum has 3 parts, added in order, through memory
// CHECK-LABEL: kernel.func @workspace
// CHECK: workspace : memref<[3, 32], f32
kernel.func @workspace<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// REMARK: parts are combined through memory, not through the shared memory of a cluster
// REMARK: the sum has 4 parts, added in order, through memory
// CHECK-LABEL: kernel.func @cluster
// CHECK: workspace : memref<[4, 32], f32
kernel.func @cluster<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// REMARK: the sum has 5 parts, added as they come, in the output
// CHECK-LABEL: kernel.func @any
// CHECK: store combine sum
kernel.func @any<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// REMARK-NOT: the sum
// CHECK-LABEL: kernel.func @none
// CHECK-NOT: combine
// CHECK-NOT: scratch
kernel.func @none<N>(%x: memref<[N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 32 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] where (%k + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}
