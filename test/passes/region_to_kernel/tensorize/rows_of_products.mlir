// Rows of a product that are reduced next stay in its fragments: a tile has whole rows, each thread combines what it has of
// one, lanes and warps what they share. Columns beyond the last are what changes nothing.

// RUN: dlc-opt %s --tensorize --split-input-file | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each --split-input-file -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' --evaluate-each --split-input-file -o /dev/null
// RUN: dlc-opt %s --tensorize --remarks --remarks-filter='^tensorize$' --split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WHY --implicit-check-not='no tensor cores'
// RUN: dlc-opt %s --resolve-plan --split-input-file | FileCheck %s --check-prefix=PLAN
// RUN: dlc-opt %s --resolve-plan --resolve-plan --split-input-file | FileCheck %s --check-prefix=PLAN
// RUN: dlc-opt %s --pass-pipeline='add-fallback,tensorize,kernel-schedule,kernel-to-ptx,check-registers' --split-input-file -o /dev/null

// A softmax over ten columns of sixteen.
// CHECK-LABEL: kernel.func @softmax<
// CHECK: grid (M ceildiv 64) threads 128
// CHECK-NOT: tile_order
// CHECK: %s = for %k = 0 to K step 64
// CHECK: copy %W[i0, %k + i1] where (i0 < 10, %k + i1 < K) to %rhs
// CHECK: wgmma
// CHECK: %[[IN:.+]] = select where (i1 < 10) then %s else {{.+}} : frag<[64, 16], f32, wgmma>
// CHECK: %top = reduce max %[[IN]] along 1 : frag<[64], f32, slice 1 of (wgmma)>
// CHECK: unary exp2
// CHECK: reduce sum {{.+}} along 1
// CHECK: store {{.+}} to %Y[64*%tile + i0, i1] where (64*%tile + i0 < M, i1 < 10)
// WHY: wgmma multiplies
// PLAN-LABEL: plan.schedule of @softmax
// PLAN: tile (m: 64, n: 16, k: 64)
// PLAN: reduced [k]
// PLAN: instruction wgmma [64, 16, 16]
region.func @softmax<M, K> iters (m: M, n: 10)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[10, K], f16, row_major, align 128>)
    outs (Y: memref<[M, 10], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[n, k] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %top = reduce max (n: 10) acc f32 init -inf {
    yield %s
  } : f32 over (m)
  %below = binary sub %s, %top : f32 over (m, n)
  %e = unary exp2 %below : f32 over (m, n)
  %sum = reduce sum (n: 10) acc f32 init 0.0 {
    yield %e
  } : f32 over (m)
  %y = binary fdiv %e, %sum : f32 over (m, n)
  yield %y to Y as f16
}
plan.schedule of @softmax for sm90 {
  tile (m: 64, n: 16, k: 64)
  instruction wgmma
  stages 4
  roles cooperative consumers 1
  cache X (m, k) f16 in smem
  cache W (n, k) f16 in smem
  barrier mbarrier
  store fragments
}

// -----

// A normalized row of 100 columns, with a bias before and what is added after; two warps share each row.
// CHECK-LABEL: kernel.func @norm<
// CHECK: grid (M ceildiv 64) threads 128
// CHECK: mma
// CHECK: load %b[i0] where (i0 < 100)
// CHECK: %all = reduce sum {{.+}} along 1 through %shared{{.*}} : frag<[64], f32, slice 1 of (mma [2, 2])>
// CHECK: %squares = reduce sum {{.+}} along 1 through %shared
// CHECK: load %R[64*%tile + i0, i1] where (64*%tile + i0 < M, i1 < 100)
// CHECK: store {{.+}} to %Y[64*%tile + i0, i1] where (64*%tile + i0 < M, i1 < 100)
// WHY: mma multiplies
// PLAN-LABEL: plan.schedule of @norm
// PLAN: reduced [k]
// PLAN: warps (m: 2, n: 2)
region.func @norm<M, K> iters (m: M, n: 100)
    ins (%X: memref<[M, K], bf16, row_major, align 128>, %W: memref<[K, 100], bf16, row_major, align 128>,
         %b: memref<[100], f32, row_major, align 128>, %R: memref<[M, 100], f32, row_major, align 128>)
    outs (Y: memref<[M, 100], f32, row_major, align 128> materialize gmem) {
  %p = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : bf16 over (m, k)
    %w = read %W[k, n] : bf16 over (n, k)
    %xw = binary mul %x, %w widen : f32 over (m, n, k)
    yield %xw
  } : f32 over (m, n)
  %bias = read %b[n] : f32 over (n)
  %s = binary add %p, %bias : f32 over (m, n)
  %all = reduce sum (n: 100) acc f32 init 0.0 {
    yield %s
  } : f32 over (m)
  %part = const 0.01 : f32 over ()
  %mean = binary mul %all, %part : f32 over (m)
  %d = binary sub %s, %mean : f32 over (m, n)
  %squares = reduce sum (n: 100) acc f32 init 0.0 {
    %dd = binary mul %d, %d : f32 over (m, n)
    yield %dd
  } : f32 over (m)
  %var = binary mul %squares, %part : f32 over (m)
  %tiny = const 1.0e-5 : f32 over ()
  %more = binary add %var, %tiny : f32 over (m)
  %root = unary sqrt %more : f32 over (m)
  %scale = unary recip %root : f32 over (m)
  %n0 = binary mul %d, %scale : f32 over (m, n)
  %r = read %R[m, n] : f32 over (m, n)
  %y = binary add %n0, %r : f32 over (m, n)
  yield %y to Y
}
plan.schedule of @norm for sm80 {
  tile (m: 64, n: 128, k: 32)
  instruction mma
  stages 3
  cache X (m, k) bf16 in smem
  cache W (k, n) bf16 in smem
  barrier cp_async_group
}

// -----

// Results of rows alone: the product stands in a reduction of the region, and is computed once for both.
// CHECK-LABEL: kernel.func @ends<
// CHECK: wgmma %lhs
// CHECK-NOT: wgmma %lhs
// CHECK: reduce max
// CHECK: reduce min
// CHECK: store %top to %T[64*%tile + i0] where (64*%tile + i0 < M)
// CHECK: store %low to %L[64*%tile + i0] where (64*%tile + i0 < M)
// WHY: wgmma multiplies
// PLAN-LABEL: plan.schedule of @ends
// PLAN: reduced [k]
region.func @ends<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[20, K], f16, row_major, align 128>)
    outs (T: memref<[M], f32, row_major, align 128> materialize gmem, L: memref<[M], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[n, k] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %top = reduce max (n: 20) acc f32 init -inf {
    yield %s
  } : f32 over (m)
  %low = reduce min (n: 20) acc f32 init inf {
    yield %s
  } : f32 over (m)
  yield %top to T, %low to L
}
plan.schedule of @ends for sm90 {
  tile (m: 64, n: 24, k: 64)
  instruction wgmma
  cache X (m, k) f16 in smem
  cache W (n, k) f16 in smem
}

// -----

// Heads are axes of blocks, and without a plan there is the default tile.
// CHECK-LABEL: kernel.func @heads<
// CHECK: grid (2*(M ceildiv 64)) threads 128
// CHECK: copy %W[%tile floordiv (M ceildiv 64), i0, %k + i1] where (i0 < 40, %k + i1 < 64)
// CHECK: mma
// CHECK: reduce max
// CHECK: store {{.+}} to %Y[
// WHY: mma multiplies, as on any target
region.func @heads<M> iters (m: M, h: 2, n: 40)
    ins (%X: memref<[M, 64], f16, row_major, align 128>, %W: memref<[2, 40, 64], f16, row_major, align 128>)
    outs (Y: memref<[M, 2, 40], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 64) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[h, n, k] : f16 over (h, n, k)
    %p = binary mul %x, %w widen : f32 over (m, h, n, k)
    yield %p
  } : f32 over (m, h, n)
  %top = reduce max (n: 40) acc f32 init -inf {
    yield %s
  } : f32 over (m, h)
  %y = binary sub %s, %top : f32 over (m, h, n)
  yield %y to Y
}

// -----

// The axis of the results is the one that the first of two products sums: that is no reduction of its rows.
// CHECK-LABEL: kernel.func @before<
// CHECK-NOT: mma
// WHY: no tensor cores: its kernel reduces rows of the results, too
// WHY: no tensor cores
region.func @before<M> iters (m: M, n: 32)
    ins (%X: memref<[M, 32], f16, row_major, align 128>, %V: memref<[32, 40], f16, row_major, align 128>,
         %W: memref<[40, 32], f16, row_major, align 128>)
    outs (Y: memref<[M, 32], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (n: 32) acc f32 init 0.0 {
    %x = read %X[m, n] : f16 over (m, n)
    %v = read %V[n, k] : f16 over (n, k)
    %p = binary mul %x, %v widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, k)
  %h = cast %s : f16 over (m, k)
  %t = reduce sum (k: 40) acc f32 init 0.0 {
    %w = read %W[k, n] : f16 over (n, k)
    %q = binary mul %h, %w widen : f32 over (m, n, k)
    yield %q
  } : f32 over (m, n)
  yield %t to Y
}

// -----

// A symbol that the plan fixes is a number of columns.
// CHECK-LABEL: kernel.func @fixed<
// CHECK: require (N == 20
// CHECK: wgmma %lhs
// CHECK: select where (i1 < N)
// CHECK: reduce max
// WHY: wgmma multiplies
// PLAN-LABEL: plan.schedule of @fixed
region.func @fixed<M, N, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[N, K], f16, row_major, align 128>)
    outs (T: memref<[M], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[n, k] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %top = reduce max (n: N) acc f32 init -inf {
    yield %s
  } : f32 over (m)
  yield %top to T
}
plan.schedule of @fixed for sm90 {
  tile (m: 64, n: 24, k: 64)
  fix (N: 20)
  instruction wgmma
  cache X (m, k) f16 in smem
  cache W (n, k) f16 in smem
}
