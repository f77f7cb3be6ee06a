// The two products of a gated perceptron go through their steps together: x is loaded once for both, and one thread loads the three tiles ahead.

// RUN: dlc-opt %s --tensorize --fuse-loops --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --tensorize --kernel-schedule --evaluate-each -o %t.mlir 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: FileCheck %s --check-prefix=ROLES --input-file=%t.mlir

// CHECK-COUNT-3: shared
// CHECK-NOT: shared
// CHECK: %[[A:.*]], %[[B:.*]] = for %{{.*}} = 0 to 256 step 64 carry
// CHECK-COUNT-3: copy
// CHECK-NEXT: fence_async
// CHECK-NEXT: barrier
// CHECK-NEXT: wgmma %[[X:.*]], %{{.*}} transposed
// CHECK-NEXT: wgmma %[[X]], %{{.*}} transposed
// CHECK-NEXT: await %{{.*}}, %{{.*}}
// CHECK-NEXT: barrier
// CHECK-NEXT: yield
// CHECK-NOT: for %

// QUIET-NOT: Warning

// ROLES: role producer
// ROLES-COUNT-3: tma_load
// ROLES-NOT: tma_load
// ROLES: role consumer
// ROLES: for %{{.*}} = 0 to 256 step 64
// ROLES-NEXT: wait
// ROLES-NEXT: slice
// ROLES-NEXT: wgmma %{{.*}} transposed
// ROLES-NEXT: wgmma %{{.*}} transposed
// ROLES-NEXT: await %held
region.func @gated<M> iters (m: M, n: 256)
    ins (%x: memref<[M, 256], bf16, row_major, align 128, noalias>, %a: memref<[256, 256], bf16, row_major, align 128, noalias>, %b: memref<[256, 256], bf16, row_major, align 128, noalias>)
    outs (y: memref<[M, 256], bf16, row_major, align 128, noalias> materialize gmem) {
  %0 = read %x[m, k] : bf16 over (m, k)
  %p = reduce sum (k: 256) acc f32 init 0.0 {
    %1 = read %a[n, k] : bf16 over (n, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, k)
    yield %2
  } : f32 over (m, n)
  %3 = unary exp2 %p : f32 over (m, n)
  %q = reduce sum (k: 256) acc f32 init 0.0 {
    %4 = read %b[n, k] : bf16 over (n, k)
    %5 = binary mul %0, %4 widen : f32 over (m, n, k)
    yield %5
  } : f32 over (m, n)
  %6 = binary mul %3, %q : f32 over (m, n)
  yield %6 to y as bf16
}
plan.schedule of @gated for sm90 {
  tile (m: 128, n: 128, k: 64)
  instruction wgmma
  stages 4
  persistent sms
  roles cooperative consumers 2
  cache x (m, k) bf16 in smem
  cache a (n, k) bf16 in smem
  cache b (n, k) bf16 in smem
  barrier mbarrier
  store tma
}
