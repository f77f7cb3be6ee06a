// RUN: dlc-opt %s --join-kernels='symbols=[M:4096]' --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --join-kernels='symbols=[M:4096]' --split-input-file --remarks=passed --no-output 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: dlc-opt %s --join-kernels='symbols=[M:4096]' --split-input-file --region-to-ptx --evaluate-each -o /dev/null

// Two results from the same memory, and a third one from both: one kernel, whose arguments each stand once. A result that has the
// name of another one gets a number.
// SAID: @f_1 is part of @f_0: they read the same memory
// SAID: @f_2 is part of @f_0: they read the same memory
// CHECK-LABEL: host.func @f
// CHECK-NEXT: %a, %b, %c = launch @f_0<N> (%x, %y, %z, %s) : memref<[N], f32, row_major, align 4>, memref<[N], f32, row_major, align 4>, memref<[N], f32, row_major, align 4>
// CHECK-NEXT: return %c, %a, %b
// CHECK: region.func private @f_0<N> iters (n: N)
// CHECK-NEXT: ins (%x: memref<[N], f32, row_major, align 4>, %y: memref<[N], f32, row_major, align 4>, %z: memref<[N], f32, row_major, align 4>, %s: memref<[], f32, row_major, align 4>)
// CHECK-NEXT: outs (out: memref<[N], f32, row_major, align 4> materialize gmem, out_0: memref<[N], f32, row_major, align 4> materialize gmem, c: memref<[N], f32, row_major, align 4> materialize gmem)
// CHECK-NEXT: [[X:%[a-z0-9]+]] = read %x[n]
// CHECK-NEXT: [[Y:%[a-z0-9]+]] = read %y[n]
// CHECK-NEXT: [[A:%[a-z0-9]+]] = binary add [[X]], [[Y]]
// CHECK-NEXT: read %y[n]
// CHECK: [[B:%[a-z0-9]+]] = binary mul
// CHECK-NEXT: read %s[]
// CHECK-NEXT: broadcast_in_dim
// CHECK-NEXT: [[D:%[a-z0-9]+]] = binary sub [[A]], [[B]]
// CHECK-NEXT: [[C:%[a-z0-9]+]] = binary mul [[D]]
// CHECK-NEXT: yield [[A]] to out, [[B]] to out_0, [[C]] to c
// CHECK-NOT: region.func
host.func @f<N>(%x: memref<[N], f32>, %y: memref<[N], f32>, %z: memref<[N], f32>, %s: memref<[], f32>) -> (memref<[N], f32>, memref<[N], f32>, memref<[N], f32>) {
  %a = launch @f_0<N> (%x, %y) : memref<[N], f32>
  %b = launch @f_1<N> (%y, %z) : memref<[N], f32>
  %c = launch @f_2<N> (%s, %a, %b) : memref<[N], f32>
  return %c, %a, %b
}
region.func private @f_0<N> iters (n: N) ins (%x: memref<[N], f32>, %y: memref<[N], f32>) outs (out: memref<[N], f32> materialize gmem) {
  %0 = read %x[n] : f32 over (n)
  %1 = read %y[n] : f32 over (n)
  %2 = binary add %0, %1 : f32 over (n)
  yield %2 to out
}
region.func private @f_1<N> iters (n: N) ins (%y: memref<[N], f32>, %z: memref<[N], f32>) outs (out: memref<[N], f32> materialize gmem) {
  %0 = read %y[n] : f32 over (n)
  %1 = read %z[n] : f32 over (n)
  %2 = binary mul %0, %1 : f32 over (n)
  yield %2 to out
}
region.func private @f_2<N> iters (n: N) ins (%s: memref<[], f32>, %a: memref<[N], f32>, %b: memref<[N], f32>) outs (c: memref<[N], f32> materialize gmem) {
  %0 = read %s[] : f32 over ()
  %1 = broadcast_in_dim %0 to [N] dims [] : f32 over (n)
  %2 = read %a[n] : f32 over (n)
  %3 = read %b[n] : f32 over (n)
  %4 = binary sub %2, %3 : f32 over (n)
  %5 = binary mul %4, %1 : f32 over (n)
  yield %5 to c
}

// -----

// What reads the first result in between keeps its place after it: the launch stands at the first one.
// CHECK-LABEL: host.func @between
// CHECK-NEXT: %a, %c = launch @between_0<N> (%x) : memref<[N], f32, row_major, align 4>, memref<[N], f32, row_major, align 4>
// CHECK-NEXT: %b = launch @sum<N> (%a) : memref<[], f32, row_major, align 4>
host.func @between<N>(%x: memref<[N], f32>) -> (memref<[], f32>, memref<[N], f32>) {
  %a = launch @between_0<N> (%x) : memref<[N], f32>
  %b = launch @sum<N> (%a) : memref<[], f32>
  %c = launch @between_1<N> (%x) : memref<[N], f32>
  return %b, %c
}
region.func private @between_0<N> iters (n: N) ins (%x: memref<[N], f32>) outs (a: memref<[N], f32> materialize gmem) {
  %0 = read %x[n] : f32 over (n)
  %1 = unary relu %0 : f32 over (n)
  yield %1 to a
}
region.func private @sum<N> iters () ins (%a: memref<[N], f32>) outs (b: memref<[], f32> materialize gmem) {
  %1 = reduce sum (n: N) acc f32 init 0.0 {
    %0 = read %a[n] : f32 over (n)
    yield %0
  } : f32 over ()
  yield %1 to b
}
region.func private @between_1<N> iters (n: N) ins (%x: memref<[N], f32>) outs (c: memref<[N], f32> materialize gmem) {
  %0 = read %x[n] : f32 over (n)
  %1 = unary exp2 %0 : f32 over (n)
  yield %1 to c
}

// -----

// Kernels that are smaller than a launch need nothing in common; of symbolic sizes that is not known (negative.mlir).
// CHECK-LABEL: host.func @few
// CHECK: %a, %b = launch @few_0 (%x, %y)
// CHECK-NOT: launch
// CHECK: %c = launch @few_2
// CHECK: %d = launch @few_3
host.func @few(%x: memref<[4096], f32>, %y: memref<[4096], f32>, %z: memref<[4097], f32>, %u: memref<[4097], f32>) -> (memref<[4096], f32>, memref<[4096], f32>, memref<[4097], f32>, memref<[4097], f32>) {
  %a = launch @few_0 (%x) : memref<[4096], f32>
  %b = launch @few_1 (%y) : memref<[4096], f32>
  %c = launch @few_2 (%z) : memref<[4097], f32>
  %d = launch @few_3 (%u) : memref<[4097], f32>
  return %a, %b, %c, %d
}
region.func private @few_0 iters (n: 4096) ins (%x: memref<[4096], f32>) outs (a: memref<[4096], f32> materialize gmem) {
  %0 = read %x[n] : f32 over (n)
  %1 = unary relu %0 : f32 over (n)
  yield %1 to a
}
region.func private @few_1 iters (n: 4096) ins (%y: memref<[4096], f32>) outs (b: memref<[4096], f32> materialize gmem) {
  %0 = read %y[n] : f32 over (n)
  %1 = unary exp2 %0 : f32 over (n)
  yield %1 to b
}
region.func private @few_2 iters (n: 4097) ins (%z: memref<[4097], f32>) outs (c: memref<[4097], f32> materialize gmem) {
  %0 = read %z[n] : f32 over (n)
  %1 = unary relu %0 : f32 over (n)
  yield %1 to c
}
region.func private @few_3 iters (n: 4097) ins (%u: memref<[4097], f32>) outs (d: memref<[4097], f32> materialize gmem) {
  %0 = read %u[n] : f32 over (n)
  %1 = unary exp2 %0 : f32 over (n)
  yield %1 to d
}

// -----

// Two kernels that reduce the same rows, of which the second one reads what the first one writes: each row is read once for both.
// SAID: @rows_1 is part of @rows_0: they read the same memory
// CHECK-LABEL: host.func @rows
// CHECK-NEXT: %m, %v = launch @rows_0<M, N> (%x)
// CHECK: region.func private @rows_0
// CHECK: [[SUM:%[a-z0-9]+]] = reduce sum (n: N)
// CHECK: [[MEAN:%[a-z0-9]+]] = binary fdiv [[SUM]]
// CHECK: binary sub {{%[a-z0-9]+}}, [[MEAN]]
// CHECK: [[SQUARES:%[a-z0-9]+]] = reduce sum (n: N)
// CHECK: yield [[MEAN]] to m, [[SQUARES]] to v
host.func @rows<M, N>(%x: memref<[M, N], f32>) -> (memref<[M], f32>, memref<[M], f32>) {
  %m = launch @rows_0<M, N> (%x) : memref<[M], f32>
  %v = launch @rows_1<M, N> (%x, %m) : memref<[M], f32>
  return %m, %v
}
region.func private @rows_0<M, N> iters (m: M) ins (%x: memref<[M, N], f32>) outs (m: memref<[M], f32> materialize gmem) {
  %0 = read %x[m, n] : f32 over (m, n)
  %1 = reduce sum (n: N) acc f32 init 0.0 {
    yield %0
  } : f32 over (m)
  %2 = const 64.0 : f32 over ()
  %3 = broadcast_in_dim %2 to [M] dims [] : f32 over (m)
  %4 = binary fdiv %1, %3 : f32 over (m)
  yield %4 to m
}
region.func private @rows_1<M, N> iters (m: M) ins (%x: memref<[M, N], f32>, %m: memref<[M], f32>) outs (v: memref<[M], f32> materialize gmem) {
  %0 = read %x[m, n] : f32 over (m, n)
  %1 = read %m[m] : f32 over (m)
  %2 = binary sub %0, %1 : f32 over (m, n)
  %3 = binary mul %2, %2 : f32 over (m, n)
  %4 = reduce sum (n: N) acc f32 init 0.0 {
    yield %3
  } : f32 over (m)
  yield %4 to v
}
