// What is read for the sums between two products comes by way of shared memory where the plan wants it there, in the layout
// that the sums have, so that it can be copied ahead; else each thread reads what it needs.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each -o /dev/null
// RUN: dlc-opt %s --tensorize --insert-async-tokens --specialize-warps=consumers=2,stages=2 --evaluate-each --check-async | FileCheck %s --check-prefix=AHEAD

// CHECK-LABEL: kernel.func @chain<
// CHECK: %D_0 = shared : tile<[128, 64], f16, swizzle 128>
// CHECK: for %k = 0 to N step 64
// CHECK: wgmma
// CHECK: copy %D[128*%row + i0, %k + i1] where (128*%row + i0 < M, %k + i1 < N) to %D_0
// CHECK-NEXT: barrier
// CHECK-NEXT: %[[D:.+]] = load_shared %D_0 : frag<[128, 64], f16, wgmma>
// CHECK-NEXT: barrier
// CHECK-NEXT: cast %[[D]]
// The other one is read from memory, as is what is added after the steps.
// CHECK: load %F[128*%row + i0, %k + i1]
// CHECK: wgmma
// CHECK: load %G[
// CHECK-NOT: load_shared

// AHEAD-LABEL: kernel.func @chain<
// AHEAD: role producer
// AHEAD: tma_load %map_D[128*%row, %k] to %D
// AHEAD: role consumer
// AHEAD: %[[OWN:.+]] = slice %D{{.*}}[%{{.+}}] at (64*%g, 0) : tile<[64, 64], f16, swizzle 128>
// AHEAD-NEXT: load_shared %[[OWN]] : frag<[64, 64], f16, wgmma>
region.func @chain<M, N> iters (m: M, o: 64)
    ins (%A: memref<[M, 64], f16, row_major, align 16>, %B: memref<[N, 64], f16, row_major, align 16>,
         %C: memref<[N, 64], f16, row_major, align 16>, %D: memref<[M, N], f16, row_major, align 16>,
         %F: memref<[M, N], f16, row_major, align 16>, %G: memref<[M, 64], f16, row_major, align 16>)
    outs (E: memref<[M, 64], f32, row_major, align 16> materialize gmem) {
  %x = reduce sum (k: 64) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[n, k] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  %d = read %D[m, n] : f16 over (m, n)
  %d1 = cast %d : f32 over (m, n)
  %x1 = binary add %x, %d1 : f32 over (m, n)
  %f = read %F[m, n] : f16 over (m, n)
  %f1 = cast %f : f32 over (m, n)
  %x2 = binary add %x1, %f1 : f32 over (m, n)
  %r = unary relu %x2 : f32 over (m, n)
  %h = cast %r {deferred} : f16 over (m, n)
  %y = reduce sum (n: N) acc f32 init 0.0 {
    %c = read %C[n, o] : f16 over (o, n)
    %hc = binary mul %h, %c widen : f32 over (m, o, n)
    yield %hc
  } : f32 over (m, o)
  %g = read %G[m, o] : f16 over (m, o)
  %g1 = cast %g : f32 over (m, o)
  %z = binary add %y, %g1 : f32 over (m, o)
  yield %z to E
}
plan.schedule of @chain for sm90 {
  tile (m: 128, o: 64, k: 64, n: 64)
  reduced [k, n]
  assume (N: 8)
  instruction wgmma
  cache A (m, k) f16 in smem
  cache B (n, k) f16 in smem
  cache C (n, o) f16 in smem
  cache D (m, n) f16 in smem
}
