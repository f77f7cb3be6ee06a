// RUN: dlc-opt %s --split-sorts -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --split-sorts --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-run %s --strict --function=rows --shape=M=2,N=90 -o %t.npz
// RUN: dlc-opt %s --split-sorts=group=16 -o %t.small.mlir
// RUN: dlc-run %t.small.mlir --strict --function=rows --shape=M=2,N=90 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-opt %s --split-sorts="group=16 symbols=[N:90]" -o %t.pairs.mlir
// RUN: FileCheck %s --input-file=%t.pairs.mlir --check-prefix=PAIRS
// RUN: dlc-run %t.pairs.mlir --strict --function=rows --shape=M=2,N=90 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=rows --shape=M=2,N=200 -o %t.long.npz
// RUN: dlc-run %t.pairs.mlir --strict --function=rows --shape=M=2,N=200 --check=%t.long.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=rows --shape=M=3,N=1 -o %t.one.npz
// RUN: dlc-run %t.pairs.mlir --strict --function=rows --shape=M=3,N=1 --check=%t.one.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=equal --shape=N=90 -o %t.npz
// RUN: dlc-run %t.small.mlir --strict --function=equal --shape=N=90 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %t.pairs.mlir --strict --function=equal --shape=N=90 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=known -o %t.npz
// RUN: dlc-run %t.mlir --strict --function=known --check=%t.npz --rtol=0 --atol=0
// RUN: not dlc-opt %s --split-sorts=group=24 -o /dev/null 2>&1 | FileCheck %s --check-prefix=GROUP

// A row whose length is named is one group, with room for no more: the same kernels merge longer ones.
// RUN: dlc-opt %s --split-sorts="symbols=[N:300]" -o %t.named.mlir
// RUN: FileCheck %s --input-file=%t.named.mlir --check-prefix=NAMED
// RUN: dlc-run %s --strict --function=rows --shape=M=2,N=700 -o %t.longer.npz
// RUN: dlc-run %t.named.mlir --strict --function=rows --shape=M=2,N=700 --check=%t.longer.npz --rtol=0 --atol=0

// NAMED-LABEL: @rows
// NAMED: sort axes (i0: M, i1: N) along 1 every 512 of %x

// GROUP: groups have a power of two of positions, from 2 to 8192, and not 24

// REMARK: groups of 8192 positions are sorted separately, and merged

// CHECK-LABEL: @rows
// CHECK: [[OWN:%[a-z0-9]+]] = sort axes (i0: M, i1: N) along 1 every 8192 of %x at (i0, i1) : tensor<[M, N], i64>
// CHECK: gather non_scop axes (i0: M, i1: N, i2: N ceildiv 8192) of [[OWN]] at [i0, %{{[a-z0-9]+}} (i0, i1, i2)]
// CHECK: [[COUNTS:%[a-z0-9]+]] = reduce sum axes (i0: M, i1: N) over (i2: N ceildiv 8192) of %{{.*}} acc i32 {contiguous}
// CHECK: entry eq axes (i0: M, i1: N, i2: N) of %{{[a-z0-9]+}} at (i0, i1, i2), [[COUNTS]] at (i0, i2)
// CHECK: %y = reduce sum axes (i0: M, i1: N) over (i2: N) of %{{.*}} acc i64 {any_order}

// 90 positions are 6 groups of 16; two times in pairs leaves 2 of 64.
// PAIRS-LABEL: @rows
// PAIRS: gather non_scop axes (i0: M, i1: N) of
// PAIRS: reduce sum axes (i0: M, i1: N) over (i2: N) of %{{.*}} acc i64 {any_order}
// PAIRS: gather non_scop axes (i0: M, i1: N) of
// PAIRS: reduce sum axes (i0: M, i1: N) over (i2: N) of %{{.*}} acc i64 {any_order}
// PAIRS: gather non_scop axes (i0: M, i1: N, i2: N ceildiv 64) of
// PAIRS: reduce sum axes (i0: M, i1: N) over (i2: N ceildiv 64) of %{{.*}} acc i32 {contiguous}
// PAIRS: %y = reduce sum axes (i0: M, i1: N) over (i2: N) of %{{.*}} acc i64 {any_order}
book.func @rows<M, N>(%x: tensor<[M, N], i64>) -> tensor<[M, N], i64> {
  %y = sort axes (i0: M, i1: N) along 1 of %x at (i0, i1) : tensor<[M, N], i64>
  return %y
}

// A block sorts it.
// CHECK-LABEL: @short
// CHECK-NEXT: sort axes (i0: 8192) along 0 of
// CHECK-NEXT: return
book.func @short(%x: tensor<[8192], i64>) -> tensor<[8192], i64> {
  %y = sort axes (i0: 8192) along 0 of %x at (i0) : tensor<[8192], i64>
  return %y
}

// So are groups, and floats are left alone.
// CHECK-LABEL: @others
// CHECK-NEXT: sort axes (i0: N) along 0 every 64 of
// CHECK-NEXT: sort axes (i0: N) along 0 of
// CHECK-NEXT: return
book.func @others<N>(%x: tensor<[N], i64>, %f: tensor<[N], f32>) -> (tensor<[N], i64>, tensor<[N], f32>) {
  %y = sort axes (i0: N) along 0 every 64 of %x at (i0) : tensor<[N], i64>
  %z = sort axes (i0: N) along 0 of %f at (i0) : tensor<[N], f32>
  return %y, %z
}

// Of equal elements those of the groups before come first.
// CHECK-LABEL: @equal
book.func @equal<N>(%x: tensor<[N], i32>) -> tensor<[N], i32> {
  %c = const 3 : tensor<[], i32>
  %m = entry cmod axes (i0: N) of %x at (i0), %c at () : tensor<[N], i32>
  %y = sort axes (i0: N) along 0 of %m at (i0) : tensor<[N], i32>
  return %y
}

// A row of known length needs nothing but pairs.
// CHECK-LABEL: @known
// CHECK-NOT: ceildiv
// CHECK: %y = reduce sum axes (i0: 9000) over (i1: 9000) of %{{.*}} acc i32 {any_order}
book.func @known(%x: tensor<[9000], i32>) -> tensor<[9000], i32> {
  %y = sort axes (i0: 9000) along 0 of %x at (i0) : tensor<[9000], i32>
  return %y
}
