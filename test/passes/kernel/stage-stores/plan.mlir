// A plan says whether, and from how many panels; an option by hand counts more.

// RUN: dlc-opt %s --stage-stores=planned --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %s --stage-stores | FileCheck %s --check-prefix=ALL
// RUN: dlc-opt %s --stage-stores=panels=1 | FileCheck %s --check-prefix=ONE

// CHECK-LABEL: kernel.func @three
// CHECK: %panels = shared : tile<3 x [64, 64], f16, swizzle 128>
// ONE-LABEL: kernel.func @three
// ONE: %panels = shared : tile<[64, 64], f16, swizzle 128>
kernel.func @three(%x: memref<[8], f32>) -> memref<[64, 256], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 256], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 256], f16, wgmma>
    store %h to %D[i0, i1]
  }
  return %D
}
plan.schedule of @three for sm90 {
  store tma panels 3
}

// The threads store.
// CHECK-LABEL: kernel.func @threads
// CHECK-NOT: tma_store
// ALL-LABEL: kernel.func @threads
// ALL-NOT: tma_store
kernel.func @threads(%x: memref<[8], f32>) -> memref<[64, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 64], f16, wgmma>
    store %h to %D[i0, i1]
  }
  return %D
}
plan.schedule of @threads for sm90 {
  async overlap_epilogue
  store fragments
}

// Without a plan that asks for it, only by hand.
// CHECK-LABEL: kernel.func @none
// CHECK-NOT: tma_store
// ALL-LABEL: kernel.func @none
// ALL: tma_store
kernel.func @none(%x: memref<[8], f32>) -> memref<[64, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f16, row_major, align 16>
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 64], f16, wgmma>
    store %h to %D[i0, i1]
  }
  return %D
}
