// Rows are stored in 16-byte units, and not where the plan lets an access of the result take fewer elements.

// RUN: dlc-opt %s --stage-stores=planned --verify-diagnostics | FileCheck %s

// CHECK-LABEL: kernel.func @wide
// CHECK: store_shared
kernel.func @wide() -> memref<[32, 64], f16, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[32, 64], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[32, 64], f16, mma [2, 2]>
    store %h to %D[i0, i1]
  }
  return %D
}
plan.schedule of @wide for sm80 {
  vectors (D: 8)
}

// CHECK-LABEL: kernel.func @narrow
// CHECK-NOT: store_shared
// CHECK: store {{.*}} to %D
kernel.func @narrow() -> memref<[32, 64], f16, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[32, 64], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[32, 64], f16, mma [2, 2]>
    store %h to %D[i0, i1]
  }
  return %D
}
plan.schedule of @narrow for sm80 {
  vectors (D: 4)
}

kernel.func @both() -> memref<[32, 64], f16, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[32, 64], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[32, 64], f16, mma [2, 2]>
    store %h to %D[i0, i1]
  }
  return %D
}
plan.schedule of @both for sm80 {
  vectors (D: 4)
  // expected-warning@+1 {{E1614 'plan.schedule': 'store rows': the threads store this result from their fragments: 'vectors' lets an access take 4 of its elements, and rows take 16 bytes}}
  store rows
}
