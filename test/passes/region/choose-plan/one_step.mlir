// Products of one step have no loop in which some warps could load for others: blocks have a tile each, and several of them
// share an SM. Of few columns tiles have many rows; rows that are no whole 16-byte units are stored by threads, by rows.

// RUN: dlc-opt %s --choose-plan='symbols=[M:1000000]' | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline='choose-plan{symbols=[M:1000000]},tensorize,kernel-schedule' -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty

// The plans are followed.
// QUIET-NOT: E1614

// CHECK: plan.schedule of @tall for sm90 {
// CHECK-NEXT: tile (m: 192, n: 32, k: 64)
// CHECK-NEXT: instruction wgmma [64, 32, 16]
// CHECK-NEXT: stages 1
// CHECK-NOT: roles
// CHECK-NOT: persistent
// CHECK: store tma
region.func @tall<M> iters (m: M, n: 32)
    ins (%a: memref<[M, 32], f16, row_major, align 128>, %b: memref<[32, 32], f16, row_major, align 128>)
    outs (y: memref<[M, 32], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 32) acc f32 init 0.0 {
    %0 = read %a[m, k] : f16 over (m, k)
    %1 = read %b[k, n] : f16 over (n, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, k)
    yield %2
  } : f32 over (m, n)
  yield %s to y as f16
}

// CHECK: plan.schedule of @wide for sm90 {
// CHECK: stages 1
// CHECK-NOT: roles
// CHECK: store rows
region.func @wide<M> iters (m: M, n: 4508)
    ins (%a: memref<[M, 16], f16, row_major, align 128>, %b: memref<[4508, 16], f16, row_major, align 128>)
    outs (y: memref<[M, 4508], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 16) acc f32 init 0.0 {
    %0 = read %a[m, k] : f16 over (m, k)
    %1 = read %b[n, k] : f16 over (n, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, k)
    yield %2
  } : f32 over (m, n)
  yield %s to y as f16
}
