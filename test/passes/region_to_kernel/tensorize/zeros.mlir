// Factors that are zero on one side of a diagonal: the loop goes only over the steps in which none is zero all over, and in
// those that the diagonal goes through, threads put zeros into what was copied.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each -o /dev/null
// RUN: dlc-opt %s --tensorize='finite=false' | FileCheck %s --check-prefix=ALL
// RUN: dlc-opt %s --tensorize --insert-async-tokens --specialize-warps=consumers=1,stages=3 --check-async | FileCheck %s --check-prefix=AHEAD

// The sizes that are numbers have guards of reads, those that are symbols conditions that are values.
// CHECK-LABEL: kernel.func @upper<
// CHECK: %[[END:.+]] = min %{{.+}}, %{{.+}}
// CHECK: for %k = 64*%row to %[[END]] step 64
// CHECK-NEXT: copy %A[64*%row + i0, %k + i1] where (64*%row + i0 < N, %k + i1 < N) to %lhs
// CHECK-NEXT: copy %B[%k + i0, 64*%column + i1] where (%k + i0 < N, 64*%column + i1 < N) to %rhs
// CHECK-NEXT: fence_async
// CHECK-NEXT: barrier
// CHECK-NEXT: if (-64*%row + %k - 63 < 0) {
// CHECK-NEXT: %[[A:.+]] = load_shared %lhs
// CHECK: %[[CUT:.+]] = select where (0 <= -64*%row + %k - i0 + i1) then %[[A]]
// CHECK-NEXT: store_shared %[[CUT]] to %lhs
// CHECK-NEXT: fence_async
// CHECK-NEXT: barrier
// CHECK-NEXT: }
// CHECK-NEXT: if (64*%column - %k - 63 < 0) {
// CHECK: store_shared %{{.+}} to %rhs
// CHECK: }
// CHECK-NEXT: wgmma %lhs, %rhs
// Zero times an infinity is no number: each step counts where floats may be infinite.
// ALL-LABEL: kernel.func @upper<
// ALL: for %k = 0 to N step 64
// ALL: if (-64*%row + %k - 63 < 0) {
// AHEAD-LABEL: kernel.func @upper<
// AHEAD: role producer
// AHEAD: for %k = 64*%row to %end step 64
// AHEAD: tma_load %map_A[64*%row, %k] to %lhs
// AHEAD: role consumer
// AHEAD: if (
// AHEAD: store_shared %{{.+}} to %lhs[%stage]
// AHEAD: wgmma %lhs[%stage], %rhs[%stage]
// AHEAD-NEXT: await %held
region.func @upper<N> iters (m: N, n: N)
    ins (%A: memref<[N, N], f16, row_major, align 16>, %B: memref<[N, N], f16, row_major, align 16>)
    outs (C: memref<[N, N], f32, row_major, align 16> materialize gmem) {
  %row = index (m) : i32 over (m)
  %column = index (n) : i32 over (n)
  %zero = const 0.0 : f16 over ()
  %s = reduce sum (k: N) acc f32 init 0.0 {
    %at = index (k) : i32 over (k)
    %right = binary ge %at, %row : i1 over (m, k)
    %a = read %A[m, k] : f16 over (m, k)
    %p = select %right, %a, %zero : f16 over (m, k)
    %above = binary le %at, %column : i1 over (n, k)
    %b = read %B[k, n] : f16 over (n, k)
    %q = select %above, %b, %zero : f16 over (n, k)
    %pq = binary mul %p, %q widen : f32 over (m, n, k)
    yield %pq
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @upper for sm90 {
  tile (m: 64, n: 64, k: 64)
  assume (N: 8)
  instruction wgmma
}

// A guard of a read that compares axes, of a matrix that is read across; a band begins before the first row.
// CHECK-LABEL: kernel.func @band<
// CHECK: %[[BEGIN:.+]] = max %{{.+}}, %{{.+}}
// CHECK: %[[END:.+]] = min %{{.+}}, %{{.+}}
// CHECK: for %k = %[[BEGIN]] to %[[END]] step 64
// CHECK-NEXT: copy %A[%k + i0, 64*%row + i1] where (%k + i0 < K, 64*%row + i1 < M) else 0.0 to %lhs
// CHECK: if (
// CHECK-SAME: or
// CHECK: select where (0 <= -64*%row + %k + i0 - i1 + 70, 0 <= 64*%row - %k - i0 + i1 + 70)
// CHECK: store_shared %{{.+}} to %lhs
// CHECK: wgmma %lhs transposed, %rhs
region.func @band<M, K, N> iters (m: M, n: N)
    ins (%A: memref<[K, M], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[k, m] where (m - 70 <= k, k <= m + 70) else 0.0 : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @band for sm90 {
  tile (m: 64, n: 64, k: 64)
  instruction wgmma
}

// The same with `mma`, without a fence. The last key of a row is the one before the diagonal.
// CHECK-LABEL: kernel.func @lower<
// CHECK: index (64*%row + 63)
// CHECK: for %k = 0 to %end step 64
// CHECK: copy %A[64*%row + i0, %k + i1]
// CHECK: barrier
// CHECK-NEXT: if (64*%row - %k - 64 < 0) {
// CHECK: store_shared %{{.+}} to %lhs
// CHECK-NEXT: barrier
// CHECK-NEXT: }
// CHECK-NEXT: load_shared %lhs
region.func @lower<M, K, N> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %row = index (m) : i32 over (m)
  %zero = const 0.0 : f16 over ()
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %at = index (k) : i32 over (k)
    %left = binary lt %at, %row : i1 over (m, k)
    %a = read %A[m, k] : f16 over (m, k)
    %p = select %left, %a, %zero : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %pb = binary mul %p, %b widen : f32 over (m, n, k)
    yield %pb
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @lower for sm90 {
  tile (m: 64, n: 64, k: 64)
  instruction mma
}

// Rows of a convolution are bounded in memory, which is no diagonal.
// CHECK-LABEL: kernel.func @shifted<
// CHECK: for %k = 0 to 96 step 64
// CHECK-NEXT: copy %X[64*%row + %k + i0 + i1 - 3] where (
// CHECK-NOT: if (
// CHECK: return
region.func @shifted<W, N> iters (w: W, n: N)
    ins (%X: memref<[W], f16, row_major, align 16>, %F: memref<[96, N], f16, row_major, align 16>)
    outs (C: memref<[W, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: 96) acc f32 init 0.0 {
    %x = read %X[w + k - 3] where (0 <= w + k - 3 < W) else 0.0 : f16 over (w, k)
    %f = read %F[k, n] : f16 over (n, k)
    %xf = binary mul %x, %f widen : f32 over (w, n, k)
    yield %xf
  } : f32 over (w, n)
  yield %s to C
}
plan.schedule of @shifted for sm90 {
  tile (w: 64, n: 64, k: 64)
  instruction mma
}
