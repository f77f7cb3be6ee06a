// choose-plan: what has no plan is priced: each thread makes its sums alone, and waits for what each step reads.

// RUN: dlc-opt %s --choose-plan=target=sm90 --remarks=analysis --no-output 2>&1 | FileCheck %s

// The two sums are of two steps and of six, of 6,400,000 results.
// CHECK: the plan of @products, of 1 candidates, 0 refused: nothing to decide: {{[0-9][0-9][0-9]+}}.{{[0-9]}} us
region.func @products iters (n: 100000, m: 64) ins (%a: memref<[6, 64, 2], f32, row_major, align 128>, %b: memref<[6, 100000, 2], f32, row_major, align 128>) outs (y: memref<[100000, 64], f32, row_major, align 128> materialize gmem) {
  %p = reduce prod (i: 6) acc f32 init 1.0 {
    %s = reduce sum (k: 2) acc f32 init 0.0 {
      %0 = read %b[i, n, k] : f32 over (n, i, k)
      %1 = read %a[i, m, k] : f32 over (m, i, k)
      %2 = binary mul %0, %1 widen : f32 over (n, m, i, k)
      yield %2
    } : f32 over (n, m, i)
    yield %s
  } : f32 over (n, m)
  yield %p to y
}
