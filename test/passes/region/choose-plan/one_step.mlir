// Products of one step: two groups that store in turn take half the time of one, which waits for each of its stores.

// RUN: dlc-opt %s --choose-plan='symbols=[M:1000000]' | FileCheck %s
// RUN: dlc-opt %s --choose-plan='symbols=[M:1000000] top=4' --remarks=analysis --no-output 2>&1 | FileCheck %s --check-prefix=COST

// CHECK: plan.schedule of @tall for sm90 {
// CHECK: roles ping_pong consumers 2
// COST: plan {{[0-9]}} of @tall, {{.*}} tile (m: 64, n: 64, k: 64) {{.*}} consumers 1: 1{{[0-9][0-9]}}.{{.*}} us
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
