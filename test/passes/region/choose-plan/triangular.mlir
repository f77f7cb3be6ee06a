// A factor that is zero on one side of a diagonal is copied as it is. One consumer puts zeros into its tiles, and blocks take
// tiles as they are done, since these have different numbers of steps.

// RUN: dlc-opt %s --choose-plan='assume=4096' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --pass-pipeline='region-to-ptx' -o /dev/null --diagnostics=json | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: dlc-opt %s --choose-plan='assume=4096 target=sm80' -o %t.sm80.mlir
// RUN: FileCheck %s --input-file=%t.sm80.mlir --check-prefix=SM80
// RUN: dlc-opt %t.sm80.mlir --pass-pipeline='region-to-ptx' -o /dev/null --diagnostics=json | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: {{.}}

// CHECK: plan.schedule of @upper for sm90 {
// CHECK-NEXT: tile (m: 128, n: 128, k: 64)
// CHECK-NOT: persistent
// CHECK-NOT: order
// CHECK: roles cooperative consumers 1
// CHECK: cache A (m, k) f16 in smem
// CHECK-NEXT: cache B (k, n) f16 in smem
// CHECK: in_flight 1
// CHECK: }
// SM80: plan.schedule of @upper for sm80 {
// SM80: instruction mma
// SM80: stages 3
// SM80-NOT: in_flight
// SM80: }
region.func @upper<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f16, row_major, align 16> materialize gmem) {
  %row = index (m) : i32 over (m)
  %zero = const 0.0 : f16 over ()
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %at = index (k) : i32 over (k)
    %right = binary ge %at, %row : i1 over (m, k)
    %a = read %A[m, k] : f16 over (m, k)
    %p = select %right, %a, %zero : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %pb = binary mul %p, %b widen : f32 over (m, n, k)
    yield %pb
  } : f32 over (m, n)
  yield %s to C as f16
}
